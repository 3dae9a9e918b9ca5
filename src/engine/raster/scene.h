/* scene.h: scenes, the state that all primitives of a draw share, and the
 * raster memory of a context. Data header of raster/. Made by the streamer
 * thread, read-only while tiles are drawn. */
#ifndef ENGINE_RASTER_SCENE_H
#define ENGINE_RASTER_SCENE_H

#include "engine/thread/thread.h"
#include "engine/raster/blit/clear_tracking.h"
#include "engine/raster/block_layout.h"
#include "engine/raster/depth/depth_kernels.h"
#include "engine/raster/setup/setup.h"

/* Side of a tile; a multiple of a Y tile's height and of a W tile's side. */
#define TILE_PX COVER_TILE_PX
/* Largest surface; clips all drawing. */
#define SCREEN_MAX_PX 16384
#define MAX_SAMPLES COVER_SAMPLES
#define MAX_QUADS 8
#define MAX_LANES 32
#define MAX_ATTRS 32

enum depth_kind { DEPTH_NONE, DEPTH_F32, DEPTH_U24, DEPTH_U16 };

enum test_time {
    TEST_EARLY,  /* tests and writes before the shader */
    TEST_LATE,   /* at the first render target write */
    TEST_REJECT, /* late; samples that fail the depth test are not shaded */
};

struct stencil_face {
    uint8_t func, fail, zfail, zpass, ref, test_mask, write_mask;
};

struct depth_state {
    enum depth_kind kind;
    unsigned depth_B;
    bool depth_test, depth_write, stencil_test, stencil_write;
    bool ends_clear; /* writes may hit blocks that HiZ marks as clear */
    uint8_t func;
    uint8_t pass;   /* func as bits: less, equal, greater, unordered */
    depth_fn block; /* for 4x4 blocks, or NULL */
    depth_list_fn list;
    depth_mixed_fn mixed;
    depth_scan_fn scan;
    struct stencil_face face[2]; /* front, back */
};

struct blend_state {
    bool enabled, logic_op;
    uint8_t logic_func;
    uint8_t src[2], dst[2], func[2]; /* colour, alpha */
    bool pre_clamp, pre_clamp_src_only, post_clamp;
    uint8_t clamp_range;
    uint8_t write_mask; /* bit 0 r .. bit 3 a: written */
    float constant[4];
};

/* Per channel; infinite where nothing is clamped. */
struct blend_range {
    float lo[4], hi[4];
    bool none;
};

enum pack_kind { PACK_GENERIC, PACK_RGBA8, PACK_BGRA8 };

/* The payload layout of a draw's threads, limited to registers that the kernel
 * reads. First parts that differ from thread to thread, in order; then runs of
 * registers that are the same for a primitive. See payload.c. */
enum payload_kind {
    PAYLOAD_HEADER,
    PAYLOAD_SUBSPANS,
    PAYLOAD_WEIGHTS,
    PAYLOAD_DEPTH,
    PAYLOAD_W,
    PAYLOAD_POSITIONS,
    PAYLOAD_COVERAGE,
};

struct payload_part {
    uint8_t kind; /* enum payload_kind */
    uint8_t mode; /* barycentric mode of weights */
    uint8_t base; /* first of its lanes, 0 or 16 */
    uint8_t grf;
};

enum payload_source {
    PAYLOAD_ZERO,
    PAYLOAD_PUSH,
    PAYLOAD_ATTR,
    PAYLOAD_SOURCES
};

struct payload_run {
    uint8_t source; /* enum payload_source */
    uint8_t grf, count;
    bool stays;        /* no thread writes it */
    uint32_t offset_B; /* in the source */
};

#define PAYLOAD_PARTS 24

struct payload_layout {
    unsigned part_count, run_count;
    struct payload_part part[PAYLOAD_PARTS];
    struct payload_run run[EU_GRF_COUNT];
};

/* The raster memory of a context, see defer.c. */
#define RASTER_SCENES 16
struct raster {
    struct worker **worker; /* NULL until needed */
    unsigned worker_count;
    /* The last scene is the current one; scenes before it are deferred. */
    struct scene *scene[RASTER_SCENES];
    unsigned scene_count;
    unsigned serial; /* of the last scene */

    struct prim_list **list;
    unsigned list_count;
    unsigned first_list; /* of the current draw, after deferred ones */
    size_t list_max_B;   /* a list this large makes a flush due */
    unsigned flush;      /* its serial number */
    struct cleared cleared;

    /* bins of the flush now running */
    unsigned tile_count;
    int64_t begun_ns; /* clock_tick_ns() */
    struct bin *bin;
    bool gathers; /* a tile's primitives are spread over several lists */
};

struct scene {
    struct raster *raster;
    const struct draw *draw;
    const struct shader_stage *ps; /* NULL: no pixel shader */
    struct eu_launch launch;       /* of its threads */
    struct payload_layout plan;
    /* aims: has a colour target. Only deferrable scenes; without its own, the
     * deferred scene's. */
    bool aims;
    struct surface target;
    unsigned serial;
    uint64_t pixel_serial; /* version of the draw's pixel state that the members
                              below are made from */
    int last_cleared_layer;

    unsigned samples;
    uint16_t all_samples; /* mask */
    bool ms_raster;       /* samples have their own positions */
    bool per_sample;      /* a thread's slot is one sample */
    enum test_time test_time;
    struct depth_state ds;
    struct blend_state blend[DRAW_MAX_RT];
    bool single_sample_no_stencil; /* one sample per pixel, no stencil, no inner
                                      coverage */
    bool ms_no_sample_tests;       /* see quad_emit_covered() */
    bool count_late; /* forced early tests, but counted after the kill */
    /* Nothing between the shader and the blender can drop a sample. */
    bool no_late_tests;
    bool late_count_only; /* likewise, but the samples that remain must be
                             counted */
    /* One of these two, and colours reach the blender unchanged, unless a
     * message says otherwise. */
    bool color_only;
    bool opaque, occludable; /* see opaque_cull.c */
    bool deferrable;         /* see payload_only_draws() */
    bool count_depth, count_ps;
    /* Sample positions in subpixels; all centres without ms_raster. */
    uint8_t sample_x[MAX_SAMPLES], sample_y[MAX_SAMPLES];
    unsigned attr_count;
    /* For triangles, attribute i is slot attr_slot[i] of the vertex, all four
     * components. */
    bool attr_plain;
    uint16_t attr_slot[MAX_ATTRS];
    unsigned attr_grf; /* first register of attribute setup */
    unsigned bary_modes;
    struct cull_rules rules; /* of triangles in viewport 0 */
    int32_t clip_x0[DRAW_MAX_VIEWPORTS], clip_y0[DRAW_MAX_VIEWPORTS];
    int32_t clip_x1[DRAW_MAX_VIEWPORTS], clip_y1[DRAW_MAX_VIEWPORTS];
};

struct bin {
    int32_t x, y; /* pixels */
    unsigned count;
    bool large; /* some setup is: setup_ref.large */
    struct setup **setup;
};

#endif
