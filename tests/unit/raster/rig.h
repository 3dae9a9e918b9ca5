/* rig.h: a raster room with a stub kernel: what a draw needs, in plain
 * memory, and a shader that is a C function. Links raster/, msg_render.c,
 * msg_pi.c and the sampler; everything else is stubbed here. */
#ifndef TESTS_RASTER_RIG_H
#define TESTS_RASTER_RIG_H

#include "engine/raster/raster.h"

#define RIG_PX 128
#define RIG_LAYERS 2

struct rig;

/* The "kernel": reads thread->grf, sends messages with rig_rt_write(). */
typedef void (*rig_shader)(struct rig *rig, struct eu_thread *t,
                           struct thread_env *env);

struct rig {
    struct draw draw;
    struct pipeline_stats stats;
    atomic_bool reset;
    struct pool *pool;
    rig_shader shader;
    uint32_t live_in[4];     /* registers that the shader reads; all */
    float color[4], src1[4]; /* for rig_shade_constant */
    bool dual;
    bool catches, steady; /* of the launch: see struct eu_launch */
    unsigned row_grf;     /* likewise; 0: no rows */
    bool row_weights;
    bool stays;                /* no thread changes its registers */
    bool pairs;                /* rows may begin with threads in lockstep */
    size_t kernel_B;           /* how large the shader is said to be */
    bool keeps_lanes;          /* no caught thread leaves out a lane */
    unsigned unfinished_every; /* every so many caught threads go on by send */
    struct surface target[DRAW_MAX_RT];
    uint8_t *memory[DRAW_MAX_RT], *depth, *stencil, *mcs;
    void *user;
    unsigned runs; /* not exact with several threads */
    uint32_t vue[4][64];
};

/* What vm_is_ours() says of all memory. */
struct rig_memory {
    bool ours;
    uint64_t epoch;
};
extern struct rig_memory rig_memory;

/* 128 x 128 RGBA8 linear target 0, SIMD16 shader, no depth, no culling. */
struct rig *rig_create(unsigned threads);
void rig_destroy(struct rig *rig);
/* Replaces target i. */
void rig_target(struct rig *rig, unsigned i, unsigned format,
                unsigned element_B, unsigned samples);
void rig_depth(struct rig *rig, unsigned format, unsigned samples);
void rig_stencil(struct rig *rig, unsigned samples);
uint8_t *rig_texel(struct rig *rig, unsigned i, unsigned x, unsigned y,
                   unsigned sample);
uint32_t rig_rgba8(struct rig *rig, unsigned x, unsigned y);

struct prim rig_triangle(struct rig *rig, const float xy[6], float z);
/* Axis-parallel, pixels [x0, x1) x [y0, y1). */
struct prim rig_rect(struct rig *rig, float x0, float y0, float x1, float y1,
                     float z);
void rig_draw(struct rig *rig, const struct prim *prims, unsigned count);

/* One message of the render cache, mask over its 8 or 16 lanes. */
void rig_rt_write(struct thread_env *env, struct eu_thread *t, uint32_t desc,
                  bool header, uint32_t mask, const uint32_t *payload,
                  unsigned grfs);
/* Writes rig->color from every lane, SIMD8 or 16, dual source or not. */
void rig_shade_constant(struct rig *rig, struct eu_thread *t,
                        struct thread_env *env);

#endif
