/* rig.h: fixture of the geometry tests: a draw to fill in, its memory, C
 * functions in place of kernels, and a scene that records primitives. */
#ifndef GEOM_RIG_H
#define GEOM_RIG_H

#include "engine/state/draw.h"
#include "engine/msg/msg.h"
#include "engine/raster/raster.h"

#define RIG_MEMORY_B (1u << 20)
#define RIG_MAX_PRIMS 70000

/* A "kernel": works on the thread's payload and env->urb. */
typedef void (*rig_kernel)(struct eu_thread *t, struct thread_env *env);

struct rig_prim {
    struct prim p;
    float x[3], y[3], z[3];
    /* Slot 2 of each vertex and of the provoking one, as raster finds it. */
    float attr[3][4], flat[4];
    struct prim_cut cut; /* if p.cut */
    float cut_attr[3];   /* first component at cut.vue[] */
};

struct rig {
    uint8_t *memory; /* GPU address 0 */
    struct engine_vm vm;
    struct pipeline_stats stats;
    atomic_bool reset;
    uint32_t so_offset[4];
    struct draw draw;
    rig_kernel kernel[STAGE_COUNT];
    unsigned prim_count;
    struct rig_prim *prim;
    unsigned flush_every; /* scene_add() asks for a flush after n prims */
    unsigned flush_count;
    atomic_uint late_count; /* primitives added after `reset` */
    bool impure;            /* result of eu_kernel_is_pure(), negated */
};

extern struct rig rig;

/* A draw of `count` vertices without VS: three elements (header, position,
 * attribute) of 16 bytes each in buffer 0, clipper off. */
void rig_init(unsigned topology, unsigned count);
void rig_finish(void);
/* Vertex i in buffer 0. */
void rig_vertex(unsigned i, float x, float y, float z, float w, float a);
/* Enables clipper, divide and a 100 x 100 viewport. */
void rig_clip(void);
void rig_stage(enum stage_kind kind, rig_kernel kernel);
/* A pool of this many threads. */
void rig_threads(unsigned threads);
void rig_draw(void);

#endif
