/* rig.h: test rig of raster/: draws in plain memory with a stub kernel, a pixel
 * shader that is a C function. Links raster/, msg_render.c, msg_pi.c and the
 * sampler; rig.c has stubs for all else. */
#ifndef TESTS_RASTER_RIG_H
#define TESTS_RASTER_RIG_H

#include "engine/msg/msg.h"
#include "engine/raster/bin/bin.h"
#include "engine/raster/blit/blit.h"
#include "engine/raster/coverage/coverage.h"
#include "engine/raster/depth/depth.h"
#include "engine/raster/output/output.h"
#include "engine/raster/pixel_group.h"
#include "engine/raster/shade/shade.h"
#include "engine/raster/tile_view.h"

#define RIG_PX 128
#define RIG_LAYERS 2

struct rig;

/* The kernel: reads thread->grf, sends messages with rig_rt_write(). */
typedef void (*rig_shader)(struct rig *rig, struct eu_thread *t,
                           struct thread_env *env);

struct rig {
    struct draw draw;
    struct pipeline_stats stats;
    atomic_bool reset;
    struct pool *pool;
    rig_shader shader;
    uint32_t live_in[4];     /* registers that the shader reads; default: all */
    float color[4], src1[4]; /* for rig_shade_constant */
    bool dual;
    bool captures_rt_write, steady; /* members of struct eu_launch */
    unsigned chain_grf;             /* likewise; 0: no chains */
    bool chain_weights;
    bool stays;                /* threads do not write registers */
    bool pairs;                /* chains may begin in lockstep */
    size_t kernel_B;           /* size that the shader claims */
    bool keeps_lanes;          /* captured threads keep all lanes */
    unsigned unfinished_every; /* one in so many captured threads does not
                                  finish and sends its message */
    struct surface target[DRAW_MAX_RT];
    uint8_t *memory[DRAW_MAX_RT], *depth, *stencil, *mcs;
    void *user;
    unsigned runs; /* not exact with several workers */
    uint32_t vue[4][64];
};

/* Answers of vm_is_ours(), vm_is_shared() and vm_mapped_B() for all memory. */
struct rig_memory {
    bool ours, shared;
    uint64_t epoch, mapped_B; /* 0: all is mapped */
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
/* An axis-parallel rectangle of pixels [x0, x1) x [y0, y1). */
struct prim rig_rect(struct rig *rig, float x0, float y0, float x1, float y1,
                     float z);
void rig_draw(struct rig *rig, const struct prim *prims, unsigned count);

/* Sends one message to the render cache; mask: its 8 or 16 lanes. */
void rig_rt_write(struct thread_env *env, struct eu_thread *t, uint32_t desc,
                  bool header, uint32_t mask, const uint32_t *payload,
                  unsigned grfs);
/* Writes rig->color from every lane, SIMD8 or 16, dual source or not. */
void rig_shade_constant(struct rig *rig, struct eu_thread *t,
                        struct thread_env *env);

#endif
