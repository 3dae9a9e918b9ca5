/* scene.h: what is the same for all primitives of a draw, and the scenes that a
 * context keeps. Made by the context's thread, read-only while tiles are drawn.
 */
#ifndef ENGINE_RASTER_SCENE_H
#define ENGINE_RASTER_SCENE_H

#include "engine/msg/msg.h"
#include "engine/raster/cleared.h"
#include "engine/raster/cover.h"
#include "engine/raster/depth_lanes.h"
#include "engine/raster/setup.h"

/* Side of a tile; a multiple of a Y tile's height and of a W tile's side. */
#define TILE_PX COVER_TILE_PX
/* Largest surface: nothing is drawn beyond. */
#define SCREEN_MAX_PX 16384
#define MAX_SAMPLES COVER_SAMPLES
#define MAX_QUADS 8
#define MAX_LANES 32
#define MAX_ATTRS 32

enum depth_kind { DEPTH_NONE, DEPTH_F32, DEPTH_U24, DEPTH_U16 };

enum test_time {
    TEST_EARLY,  /* tests and writes before the shader */
    TEST_LATE,   /* at the first render target write */
    TEST_REJECT, /* late, but what fails the depth test is not shaded */
};

struct stencil_face {
    uint8_t func, fail, zfail, zpass, ref, test_mask, write_mask;
};

struct depth_state {
    enum depth_kind kind;
    unsigned depth_B;
    bool depth_test, depth_write, stencil_test, stencil_write;
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

/* Where the payload of a draw's threads comes from, as far as the kernel
 * reads it: parts that differ from thread to thread, in order, then runs of
 * registers that do not within a primitive. See payload.c. */
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
    uint8_t mode; /* of the weights */
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
    bool stays;        /* no thread changes it */
    uint32_t offset_B; /* in the source */
};

#define PAYLOAD_PARTS 24

struct payload_plan {
    unsigned part_count, run_count;
    struct payload_part part[PAYLOAD_PARTS];
    struct payload_run run[EU_GRF_COUNT];
};

/* What a context keeps, see waiting.c. */
#define RASTER_SCENES 16
struct raster {
    struct worker **worker; /* NULL until needed */
    unsigned worker_count;
    /* The last one is being made, or has been; those before it wait. */
    struct scene *scene[RASTER_SCENES];
    unsigned scene_count;
    unsigned serial; /* of the last scene */

    struct prim_list **list;
    unsigned list_count;
    unsigned first_list; /* of the draw, when others before it wait */
    size_t list_max_B;   /* when a flush is due */
    unsigned flush;      /* which it is */
    struct cleared cleared;

    /* bins of the flush now running */
    unsigned tile_count;
    struct bin *bin;
    bool gathers; /* a tile's primitives are in several lists */
};

struct scene {
    struct raster *raster;
    const struct draw *draw;
    const struct shader_stage *ps; /* NULL: no pixel shader */
    struct eu_launch launch;       /* its threads */
    struct payload_plan plan;
    /* The colour target of a scene that may wait, or of those before it. */
    bool aims;
    struct surface target;
    unsigned serial;
    uint64_t pixel_serial; /* of the draw that all below is made from */
    int last_cleared_layer;

    unsigned samples;
    uint16_t all_samples; /* mask */
    bool ms_raster;       /* samples have positions of their own */
    bool per_sample;      /* a thread's slot is one sample */
    enum test_time test_time;
    struct depth_state ds;
    struct blend_state blend[DRAW_MAX_RT];
    bool simple;        /* one sample a pixel, no stencil, no inner coverage */
    bool plain_samples; /* see quad_emit_covered() */
    bool count_late;    /* forced early tests, but counted after the kill */
    /* Nothing between the shader and the blender can drop a sample. */
    bool plain_late;
    bool late_count_only; /* the same, but what is left must be counted */
    /* One of these, and messages are of colours that go to the blender as they
     * are, unless they say otherwise. */
    bool only_colors;
    bool can_hide, can_be_hidden; /* see hidden.c */
    bool may_wait;                /* see payload_only_draws() */
    bool count_depth, count_ps;
    /* Sample positions in subpixels; all centres without ms_raster. */
    uint8_t sample_x[MAX_SAMPLES], sample_y[MAX_SAMPLES];
    unsigned attr_count;
    /* Attribute i is slot attr_slot[i] of the vertex, all four components,
     * for triangles. */
    bool attr_plain;
    uint16_t attr_slot[MAX_ATTRS];
    unsigned attr_grf; /* where attribute setup starts */
    unsigned bary_modes;
    struct shape_rules rules; /* of triangles in viewport 0 */
    int32_t clip_x0[DRAW_MAX_VIEWPORTS], clip_y0[DRAW_MAX_VIEWPORTS];
    int32_t clip_x1[DRAW_MAX_VIEWPORTS], clip_y1[DRAW_MAX_VIEWPORTS];
};

struct bin {
    int32_t x, y; /* pixels */
    unsigned count;
    bool large; /* some are, see setup.h */
    struct setup **setup;
};

/* ---- scene.c ------------------------------------------------------------- */

void scene_init(struct scene *scene, struct raster *r, const struct draw *draw);

#endif
