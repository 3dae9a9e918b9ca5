/* draw.h: one 3DPRIMITIVE with all its state, resolved. Data header.
 *
 * Made by freeze/ from hw_state in the thread that executes the batch, and
 * immutable from then on. geom/, raster/ and msg/ read it on all workers, and
 * nothing but it: they never read hw_state. freeze/ owns it and reuses it when
 * the draw has ended. Packets are kept unpacked under their PRM names. */
#ifndef ENGINE_STATE_DRAW_H
#define ENGINE_STATE_DRAW_H

#include "engine/state/stage.h"
#include "gen9_pack.h"
#include "surface_pack.h"

#define DRAW_MAX_VB 33
#define DRAW_MAX_VE 34
#define DRAW_PACKED_VE 32 /* elements in 3DSTATE_VF_COMPONENT_PACKING */
#define DRAW_MAX_RT 8
#define DRAW_MAX_VIEWPORTS 16

struct geom_kept;
struct oa;
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
    bool offset_write; /* StreamOffsetWriteEnable: write the offset back after
                          the draw */
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

/* A part of an indexed draw: from vertex `first` of the draw on, indices are
 * read from start_vertex on. vs_push: see draw.vs_varies. */
struct draw_range {
    uint32_t first, start_vertex;
    const uint32_t *vs_push;
};

/* Limits of draws with vs_varies. */
#define DRAW_VARIED_RANGES 64
#define DRAW_VARIED_VERTICES 1024
#define DRAW_VARIED_ENTRY_B 4096 /* URB entry of a vertex */

struct hang;

/* What geom/ did for a draw. */
struct draw_totals {
    uint64_t vertices, prims; /* fetched; assembled */
    /* Objects that enter the clipper, those it cuts, the pieces that it makes
     * of them, and all that leave it, pieces included. */
    uint64_t clip_in, clip_cut, clip_pieces, clip_out;
};

struct draw {
    uint64_t id;
    unsigned gen;
    struct engine_vm *vm;
    struct pool *pool;
    struct pipeline_stats *stats;
    struct oa *oa;              /* NULL, or counts the draw: no shortcuts */
    struct draw_totals *totals; /* NULL, or gets geom's counts at the end */
    atomic_bool *reset;         /* set it after a guest error */
    const struct hang *hang;    /* NULL: no limit */
    /* Memory that raster/ reuses from draw to draw; NULL: it reuses none. */
    struct raster **kept_raster;
    struct geom_kept **kept_geom; /* memory that geom/ reuses */
    /* Changes with any state that raster/ reads, except the primitives. */
    uint64_t pixel_serial;
    uint64_t input_serial; /* changes with any state of vertex fetch */
    /* raster/ may defer its pixels, to draw them with later draws, until
     * raster_flush(). Until then the draw stays unchanged, except for its
     * vertices. */
    bool deferrable;

    /* what to draw */
    unsigned topology; /* 3DPRIM_* */
    bool indexed;
    uint32_t vertex_count, start_vertex;
    uint32_t instance_count, start_instance;
    int32_t base_vertex;
    /* Parts of an indexed draw that merges several; start_vertex is that of
     * range[0]. */
    unsigned range_count;
    const struct draw_range *range;
    /* Each range has its own vertex shader constants, stage[STAGE_VS].push_grf
     * registers, and shares no vertices with other ranges. The topology is a
     * triangle list and draw_is_plain(). */
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
    /* 3DSTATE_VF_COMPONENT_PACKING: four bits for each of 32 elements. */
    uint32_t component_enables[DRAW_PACKED_VE / 8];
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
    /* sample positions for `samples`, in 1/16 pixel */
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
    /* Colour target i is entry i of the PS stage's binding table, for a render
     * target write that names BTI i; it uses blend entry i. */
    struct gen9_blend_state_entry blend_entry[DRAW_MAX_RT];
    struct surface depth;   /* null type if none; level in depth_level */
    struct surface stencil; /* R8_UINT, W-tiled */
    unsigned depth_level, stencil_level;
    bool depth_write_ok, stencil_write_ok;       /* DEPTH_BUFFER's enables */
    unsigned depth_min_array, depth_view_extent; /* layers - 1 */
    bool fast_clear; /* PS Render Target Fast Clear Enable */
    bool resolve;    /* PS Render Target Resolve: keeps the pixels */

    /* Large, and unused by deferred draws: last, so that copies leave it
     * out. */
    struct draw_so_stream so_stream[4];
};

/* Whether vertices go from the vertex shader to the clipper without another
 * stage, and triangles, if any, are filled. */
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
    bool depth_resolve, hiz_resolve;
    uint32_t x_min, y_min, x_max, y_max; /* max exclusive */
    float depth_value;
    uint8_t stencil_value;
    unsigned samples;
    uint32_t sample_mask;
    struct surface depth, stencil;
    unsigned depth_level, stencil_level;
    unsigned min_array;
};

#endif
