/* draw.h: one 3DPRIMITIVE with everything it needs, resolved.
 *
 * Made by draw_create() on the streamer thread from hw_state, immutable from
 * then on, read by geom, raster and msg on all workers, destroyed by the
 * streamer when the draw has retired. Nothing below reads hw_state.
 * Packets are kept unpacked under their PRM names. */
#ifndef ENGINE_DRAW_H
#define ENGINE_DRAW_H

#include "engine/stage.h"
#include "gen9_pack.h"
#include "surface_pack.h"

#define DRAW_MAX_VB 33
#define DRAW_MAX_VE 34
#define DRAW_MAX_RT 8
#define DRAW_MAX_VIEWPORTS 16

struct geom_kept;
struct pool;
struct raster;

/* The statistics registers of the context; workers add to them. */
struct pipeline_stats {
    _Atomic uint64_t ia_vertices, ia_primitives, vs_invocations, hs_invocations,
        ds_invocations, gs_invocations, gs_primitives, cl_invocations,
        cl_primitives, ps_invocations, ps_depth_count, cs_invocations;
    _Atomic uint64_t so_prims_written[4], so_storage_needed[4];
};

struct draw_vertex_buffer {
    bool valid;
    gpu_va va;
    uint64_t size_B;
    uint32_t pitch_B;
};

struct draw_vertex_element {
    struct gen9_vertex_element_state ve;
    bool instancing;
    uint32_t step_rate;
};

struct draw_so_buffer {
    bool enabled;
    gpu_va va;
    uint64_t size_B;
    uint32_t pitch_B;
    bool offset_write; /* StreamOffsetWriteEnable: write back after the draw */
    gpu_va offset_va;
    uint32_t *offset_B; /* live SO_WRITE_OFFSETn register */
};

struct draw_so_stream {
    unsigned decl_count;
    struct gen9_so_decl decl[128];
    unsigned buffer_mask;
    unsigned read_offset, read_length; /* of the vertex, 2-slot units */
};

struct draw_target {
    struct surface surf; /* null type if none is bound */
    unsigned level;
    struct gen9_blend_state_entry blend;
};

/* Vertices from number `first` of the draw on have their indices from
 * start_vertex on; vs_push: see draw.vs_varies. */
struct draw_range {
    uint32_t first, start_vertex;
    const uint32_t *vs_push;
};

/* Of draws with constants for each range. */
#define DRAW_VARIED_RANGES 64
#define DRAW_VARIED_VERTICES 1024
#define DRAW_VARIED_ENTRY_B 4096 /* of a vertex */

struct draw {
    uint64_t id;
    unsigned gen;
    struct engine_vm *vm;
    struct pool *pool;
    struct pipeline_stats *stats;
    atomic_bool *reset; /* set it to abandon the draw after a guest error */
    /* Where raster keeps its memory from draw to draw; NULL: nowhere. */
    struct raster **kept_raster;
    struct geom_kept **kept_geom; /* the same for geom */
    /* Changes with all that raster uses but the primitives. */
    uint64_t pixel_serial;
    uint64_t input_serial; /* with what vertex fetch uses */
    /* Its pixels may wait there for those of draws that follow, until
     * raster_flush(); so long it must stay as it is, but for its vertices. */
    bool may_wait;

    /* what to draw */
    unsigned topology; /* 3DPRIM_* */
    bool indexed;
    uint32_t vertex_count, start_vertex;
    uint32_t instance_count, start_instance;
    int32_t base_vertex;
    /* Of an indexed draw that stands for several; start_vertex is that of
     * range[0]. */
    unsigned range_count;
    const struct draw_range *range;
    /* Each range has a vertex shader's constants of its own, as many as
     * stage[STAGE_VS] has, and no vertices in common with others. A list of
     * triangles, draw_is_plain(). */
    bool vs_varies;

    /* vertex fetch */
    struct draw_vertex_buffer vb[DRAW_MAX_VB];
    unsigned ve_count;
    struct draw_vertex_element ve[DRAW_MAX_VE];
    struct {
        gpu_va va;
        uint64_t size_B;
        unsigned index_B; /* 1, 2, 4 */
    } index_buffer;
    struct gen9_3dstate_vf vf;
    struct gen9_3dstate_vf_sgvs sgvs;
    bool vf_statistics;

    /* geometry */
    struct shader_stage stage[STAGE_COUNT]; /* STAGE_CS unused */
    struct gen9_3dstate_vs vs;
    struct gen9_3dstate_hs hs;
    struct gen9_3dstate_te te;
    struct gen9_3dstate_ds ds;
    struct gen9_3dstate_gs gs;
    uint32_t urb_entry_B[4]; /* VS, HS, DS, GS entry sizes */
    struct gen9_3dstate_streamout so;
    struct draw_so_buffer so_buffer[4];
    struct gen9_3dstate_clip clip;
    struct gen9_sf_clip_viewport viewport[DRAW_MAX_VIEWPORTS];
    struct gen9_cc_viewport cc_viewport[DRAW_MAX_VIEWPORTS];
    struct gen9_scissor_rect scissor[DRAW_MAX_VIEWPORTS];

    /* set-up and raster */
    struct gen9_3dstate_sf sf;
    struct gen9_3dstate_raster raster;
    struct gen9_3dstate_sbe sbe;
    struct gen9_3dstate_sbe_swiz sbe_swiz;
    struct gen9_3dstate_multisample multisample;
    unsigned samples; /* 1, 2, 4, 8, 16 */
    /* sample positions of this draw's sample count, 1/16 pixel */
    uint8_t sample_x[16], sample_y[16];
    uint32_t sample_mask;
    struct gen9_3dstate_drawing_rectangle drawing_rect;
    uint32_t poly_stipple[32];
    struct gen9_3dstate_poly_stipple_offset poly_stipple_offset;
    struct gen9_3dstate_line_stipple line_stipple;
    struct gen9_3dstate_aa_line_parameters aa_line;

    /* pixel */
    struct gen9_3dstate_wm wm;
    struct gen9_3dstate_ps ps;
    struct gen9_3dstate_ps_extra ps_extra;
    struct gen9_3dstate_ps_blend ps_blend;
    struct gen9_3dstate_wm_depth_stencil wm_ds;
    struct gen9_color_calc_state cc;
    struct gen9_blend_state blend;
    /* Colour targets are binding table entries of the PS stage: entry i is
     * target i wherever a render target write names BTI i. Blend entry i. */
    struct gen9_blend_state_entry blend_entry[DRAW_MAX_RT];
    struct surface depth;   /* null type if none; level in depth_level */
    struct surface stencil; /* R8_UINT, W-tiled */
    unsigned depth_level, stencil_level;
    bool depth_write_ok, stencil_write_ok;       /* DEPTH_BUFFER's enables */
    unsigned depth_min_array, depth_view_extent; /* layers - 1 */
    bool fast_clear; /* PS Render Target Fast Clear Enable */
    bool resolve;    /* PS Render Target Resolve: pixels stay as they are */

    /* Large, and of no draw whose pixels wait: last, not to be copied. */
    struct draw_so_stream so_stream[4];
};

/* Whether nothing comes between the vertex shader and the clipper, and
 * triangles, if these are what it draws, are filled. */
static inline bool
draw_is_plain(const struct draw *draw)
{
    const struct gen9_3dstate_raster *r = &draw->raster;
    for (unsigned i = 0; i < MIN2(draw->ve_count, DRAW_MAX_VE); i++) {
        if (draw->ve[i].ve.valid && draw->ve[i].ve.edge_flag_enable)
            return false;
    }
    return !draw->stage[STAGE_HS].enabled && !draw->te.te_enable &&
           !draw->stage[STAGE_DS].enabled && !draw->stage[STAGE_GS].enabled &&
           !draw->so.so_function_enable && !draw->so.rendering_disable &&
           !draw->fast_clear && !draw->clip.maximum_vp_index &&
           r->front_face_fill_mode ==
               GEN9_3DSTATE_RASTER_FRONT_FACE_FILL_MODE_SOLID &&
           r->back_face_fill_mode ==
               GEN9_3DSTATE_RASTER_BACK_FACE_FILL_MODE_SOLID;
}

/* 3DSTATE_WM_HZ_OP with the PIPE_CONTROL that triggers it. */
struct hz_op {
    struct engine_vm *vm;
    struct pool *pool;
    struct raster *raster; /* the context's, may be NULL */
    bool depth_clear, stencil_clear;
    uint32_t x_min, y_min, x_max, y_max; /* max exclusive */
    float depth_value;
    uint8_t stencil_value;
    unsigned samples;
    uint32_t sample_mask;
    struct surface depth, stencil;
    unsigned depth_level, stencil_level;
    unsigned min_array, view_extent;
};

/* geom/: runs the draw from vertex fetch to the last pixel. Streamer thread;
 * uses draw->pool. Returns when all memory writes are done. */
void geom_draw(const struct draw *draw);
void geom_kept_free(struct geom_kept *kept);

/* raster/: what it keeps from draw to draw, and the pixels that wait in it.
 * Streamer thread. */
bool raster_waits(const struct raster *raster);
void raster_flush(struct raster *raster);
void raster_free(struct raster *raster);
/* Others than draws of pixels write size_B bytes at `at`, or anything: ends
 * what is known of the memory. NULL is fine. */
void raster_note_write(struct raster *raster, const void *at, uint64_t size_B);
void raster_note_any_write(struct raster *raster);

/* raster/: clears for HiZ operations. Streamer thread. */
void raster_hz_op(const struct hz_op *op);

#endif
