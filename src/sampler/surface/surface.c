/* surface.c: decodes RENDER_SURFACE_STATE, and finds texels in memory. KBL PRM
 * vol 2d, RENDER_SURFACE_STATE; BDW PRM vol 5, "Memory Views". */
#include <math.h>

#include "sampler/surface/tiling.h"
#include "surface_pack.h"

#define FORMAT_R32_UINT 0x0d7
#define ALIGN_1D_EL 64

static void
surface_make_null(struct surface *s)
{
    memset(s, 0, sizeof *s);
    s->type = SURFACE_NULL;
    s->fmt = format_info(FORMAT_R32_UINT);
    s->format = FORMAT_R32_UINT;
    s->width = s->height = s->depth = 1;
    s->samples = 1;
    s->halign_el = s->valign_el = 4;
}

/* 1, 2, 3 mean 4, 8, 16. 0 is reserved and taken as 4. */
static unsigned
decode_align(uint32_t code)
{
    return 2u << MAX2(code, 1);
}

/* The element count is split over three fields: 7, 14 and 11 bits. */
static void
decode_buffer(struct surface *s, const struct gen9_render_surface_state *rss)
{
    uint32_t last = (rss->width & 0x7f) | (rss->height & 0x3fff) << 7 |
                    rss->depth << 21;
    s->buffer_elements = (uint64_t)last + 1;
    s->buffer_stride_B = rss->surface_pitch + 1;
    s->width = s->height = s->depth = 1;
}

static void
decode_aux(struct surface *s, const struct gen9_render_surface_state *rss)
{
    unsigned mode = rss->auxiliary_surface_mode;
    if (mode != AUX_CCS_D && mode != AUX_HIZ && mode != AUX_CCS_E)
        return;
    s->aux = (uint8_t)mode;
    s->aux_va = rss->auxiliary_surface_base_address;
    s->aux_row_pitch_B = (rss->auxiliary_surface_pitch + 1) * 128;
    s->aux_qpitch_el_rows = rss->auxiliary_surface_qpitch << 2;
}

static void
decode_view(struct surface *s, const struct gen9_render_surface_state *rss)
{
    s->mip_count_minus1 = (uint8_t)rss->mip_count_lod;
    s->min_lod = (uint8_t)rss->surface_min_lod;
    s->resource_min_lod = rss->resource_min_lod;
    s->base_mip_level = rss->base_mip_level;
    s->min_array = (uint16_t)rss->minimum_array_element;
    s->view_extent_minus1 = (uint16_t)rss->render_target_view_extent;
    s->swizzle[0] = (uint8_t)rss->shader_channel_select_red;
    s->swizzle[1] = (uint8_t)rss->shader_channel_select_green;
    s->swizzle[2] = (uint8_t)rss->shader_channel_select_blue;
    s->swizzle[3] = (uint8_t)rss->shader_channel_select_alpha;
    s->cube_faces = (uint8_t)(rss->cube_face_enable_positive_z << 0 |
                              rss->cube_face_enable_negative_z << 1 |
                              rss->cube_face_enable_positive_y << 2 |
                              rss->cube_face_enable_negative_y << 3 |
                              rss->cube_face_enable_positive_x << 4 |
                              rss->cube_face_enable_negative_x << 5);
    s->clear_color.i[0] = rss->red_clear_color;
    s->clear_color.i[1] = rss->green_clear_color;
    s->clear_color.i[2] = rss->blue_clear_color;
    s->clear_color.i[3] = rss->alpha_clear_color;
}

/* KBL PRM vol 2d, RENDER_SURFACE_STATE, Tiled Resource Mode: with Tile Mode Y,
 * or for 1D surfaces. Guess: ignored elsewhere. Gen8 has none. */
static bool
is_standard(const struct gen9_render_surface_state *rss, unsigned gen)
{
    return gen >= 9 && rss->tiled_resource_mode != 0 &&
           (rss->tile_mode == TILING_Y || rss->surface_type == SURFACE_1D) &&
           rss->surface_type <= SURFACE_CUBE;
}

/* Gen8 has one bit per channel: zero or one. BDW PRM vol 2d,
 * RENDER_SURFACE_STATE, Red Clear Color. */
static void
decode_gen8_clear_color(struct surface *s, uint32_t dw7)
{
    uint32_t one = s->fmt->is_int ? 1 : bits_from_float(1.0f);
    for (unsigned c = 0; c < 4; c++)
        s->clear_color.u[c] = dw7 >> (31 - c) & 1 ? one : 0;
}

enum surface_layout
surface_choose_layout(const struct surface *s, unsigned gen)
{
    if (gen < 9)
        return s->type == SURFACE_3D ? LAYOUT_3D : LAYOUT_2D;
    bool in_a_row = s->tiling == TILING_LINEAR || surface_is_std(s);
    return s->type == SURFACE_1D && in_a_row ? LAYOUT_1D : LAYOUT_2D;
}

/* Gen9 counts alignments and QPitch in elements, Gen8 in pixels, where the
 * blocks of compressed formats are the alignment. BDW PRM vol 2d,
 * RENDER_SURFACE_STATE, Surface QPitch; vol 5, "Memory Views". */
static void
gen8_units(struct surface *s)
{
    unsigned block_w = s->fmt->block_w, block_h = s->fmt->block_h;
    s->halign_el = (uint8_t)MAX2(s->halign_el / block_w, 1);
    s->valign_el = (uint8_t)MAX2(s->valign_el / block_h, 1);
    s->qpitch_el_rows /= block_h;
}

static void
decode_image(struct surface *s, const struct gen9_render_surface_state *rss,
             unsigned gen)
{
    s->tiling = (uint8_t)rss->tile_mode;
    if (is_standard(rss, gen))
        s->tiling = rss->tiled_resource_mode == 1 ? TILING_YF : TILING_YS;
    s->mip_tail_start = (uint8_t)rss->mip_tail_start_lod;
    s->layout = (uint8_t)surface_choose_layout(s, gen);
    s->is_array = rss->surface_array;
    s->halign_el = (uint8_t)decode_align(rss->surface_horizontal_alignment);
    s->valign_el = (uint8_t)decode_align(rss->surface_vertical_alignment);
    s->width = rss->width + 1;
    s->height = s->type == SURFACE_1D ? 1 : rss->height + 1;
    s->depth = rss->depth + 1;
    s->row_pitch_B = rss->surface_pitch + 1;
    s->qpitch_el_rows = rss->surface_qpitch << 2;
    /* Observed: the stock driver halves QPitch for 3D stencil, as the hardware
     * doubles it. */
    if (s->type == SURFACE_3D && s->tiling == TILING_W)
        s->qpitch_el_rows *= 2;
    if (gen < 9)
        gen8_units(s);
    s->samples = (uint8_t)(1 << rss->number_of_multisamples);
    s->interleaved = rss->multisampled_surface_storage_format;
    s->x_offset = (uint8_t)MIN2(rss->x_offset * 4, 255u);
    s->y_offset = (uint8_t)(rss->y_offset * 4);
    if (surface_is_std(s))
        s->x_offset = s->y_offset = 0;
}

/* Elements of 8 to 128 bits. KBL PRM vol 2d, RENDER_SURFACE_STATE, Tiled
 * Resource Mode. */
static bool
is_malformed_std(const struct gen9_render_surface_state *rss, unsigned gen)
{
    unsigned element_B = format_info(rss->surface_format)->element_B;
    if (!is_standard(rss, gen))
        return false;
    if (rss->tiled_resource_mode > 2) {
        guest_error("surface in reserved tiled resource mode");
        return true;
    }
    if (!element_B || (element_B & (element_B - 1))) {
        guest_error("standard tiling of elements of %u bytes", element_B);
        return true;
    }
    return false;
}

static bool
is_malformed(const struct gen9_render_surface_state *rss, unsigned gen)
{
    if (!format_info(rss->surface_format)) {
        guest_error("surface of unknown format 0x%x", rss->surface_format);
        return true;
    }
    if (rss->surface_type > SURFACE_STRBUF) {
        guest_error("surface of reserved type %u", rss->surface_type);
        return true;
    }
    if (rss->surface_format == FORMAT_CODE_PLANAR_420_8 &&
        (rss->surface_type != SURFACE_2D || rss->separate_uv_plane_enable)) {
        guest_error("planar surface of type %u%s", rss->surface_type,
                    rss->separate_uv_plane_enable ? ", separate planes" : "");
        return true;
    }
    if (rss->number_of_multisamples > (gen < 9 ? 3 : 4)) {
        guest_error("surface with 2^%u samples", rss->number_of_multisamples);
        return true;
    }
    return false;
}

bool
surface_decode(struct surface *s, const uint32_t rss_dw[16], unsigned gen)
{
    struct gen9_render_surface_state rss;
    gen9_render_surface_state_unpack(&rss, rss_dw);
    surface_make_null(s);
    if (rss.surface_type == SURFACE_NULL) {
        s->width = rss.width + 1;
        s->height = rss.height + 1;
        s->depth = rss.depth + 1;
        s->is_array = rss.surface_array;
        s->samples = (uint8_t)(1 << MIN2(rss.number_of_multisamples, 4u));
        return true;
    }
    if (is_malformed(&rss, gen) || is_malformed_std(&rss, gen))
        return false;
    s->type = (uint8_t)rss.surface_type;
    s->format = (uint16_t)rss.surface_format;
    s->fmt = format_info(s->format);
    s->base_va = rss.surface_base_address;
    decode_view(s, &rss);
    if (gen < 9)
        decode_gen8_clear_color(s, rss_dw[7]);
    if (s->type == SURFACE_BUFFER || s->type == SURFACE_STRBUF) {
        decode_buffer(s, &rss);
        return true;
    }
    decode_image(s, &rss, gen);
    if (surface_is_nv12(s)) {
        s->uv_x_B = (uint16_t)rss.x_offset_for_u_or_uv_plane;
        s->uv_y = (uint16_t)rss.y_offset_for_u_or_uv_plane;
    } else {
        decode_aux(s, &rss);
    }
    surface_layout(s);
    return true;
}

static uint32_t
minify_size(uint32_t size, unsigned level)
{
    return level < 32 ? MAX2(size >> level, 1u) : 1;
}

uint32_t
surface_level_width(const struct surface *s, unsigned level)
{
    return minify_size(s->width, level);
}

uint32_t
surface_level_height(const struct surface *s, unsigned level)
{
    return minify_size(s->height, level);
}

uint32_t
surface_level_depth(const struct surface *s, unsigned level)
{
    return s->type == SURFACE_3D ? minify_size(s->depth, level) : s->depth;
}

uint32_t
surface_level_slices(const struct surface *s, unsigned level)
{
    if (s->type == SURFACE_3D)
        return minify_size(s->depth, level);
    return s->min_array + s->depth * (s->type == SURFACE_CUBE ? 6 : 1);
}

/* Size of a level in elements; an interleaved surface has an element per
 * sample. BDW PRM vol 5, "Computing MIP Level Sizes". */
static uint32_t
level_width_el(const struct surface *s, unsigned level)
{
    if (s->interleaved && s->samples > 1)
        return ALIGN_POT(minify_size(s->width, level), 2)
               << (s->samples >= 8 ? 2 : 1);
    return DIV_ROUND_UP(minify_size(s->width, level), s->fmt->block_w);
}

static uint32_t
level_height_el(const struct surface *s, unsigned level)
{
    if (s->interleaved && s->samples > 2)
        return ALIGN_POT(minify_size(s->height, level), 2)
               << (s->samples >= 16 ? 2 : 1);
    return DIV_ROUND_UP(minify_size(s->height, level), s->fmt->block_h);
}

/* Levels of standard tilings begin at tiles. */
static uint32_t
level_align_x_el(const struct surface *s)
{
    return surface_is_std(s)
               ? (1u << s->std_tile.width_log2_B) / s->fmt->element_B
               : s->halign_el;
}

static uint32_t
aligned_height_el(const struct surface *s, unsigned level)
{
    uint32_t align = surface_is_std(s) ? 1u << s->std_tile.height_log2
                                       : s->valign_el;
    return ALIGN_POT(level_height_el(s, level), align);
}

/* Rows of all slices of a level together, in a grid of 2^level columns. BDW PRM
 * vol 5, "3D Surfaces". */
static uint32_t
grid_height_el(const struct surface *s, unsigned level)
{
    uint32_t slices = minify_size(s->depth, level);
    return (((slices - 1) >> level) + 1) * aligned_height_el(s, level);
}

/* In two dimensions level 1 lies below level 0, level 2 to the right of level
 * 1, and the others below level 2. */
static void
level_origin_el(const struct surface *s, unsigned level, uint32_t *x,
                uint32_t *y)
{
    uint32_t align_1d = surface_is_std(s) ? level_align_x_el(s) : ALIGN_1D_EL;
    *x = *y = 0;
    for (unsigned l = 0; l < level; l++) {
        if (s->layout == LAYOUT_1D)
            *x += ALIGN_POT(level_width_el(s, l), align_1d);
        else if (s->layout == LAYOUT_3D)
            *y += grid_height_el(s, l);
        else if (l == 1)
            *x += ALIGN_POT(level_width_el(s, l), level_align_x_el(s));
        else
            *y += aligned_height_el(s, l);
    }
}

/* Levels of a MIP tail share the tile of the tail's first level. */
static void
level_origin_std(struct surface *s, unsigned level)
{
    unsigned start = s->mip_tail_start;
    uint32_t *x_el = &s->level_x_el[level], *y_el = &s->level_y_el[level];
    uint32_t x_B, y, z;
    level_origin_el(s, MIN2(level, start), x_el, y_el);
    s->level_z[level] = 0;
    if (level < start)
        return;
    std_tail_origin(s, level - start, &x_B, &y, &z);
    *x_el += x_B / s->fmt->element_B;
    *y_el += y;
    s->level_z[level] = (uint8_t)z;
}

void
surface_slice_el(const struct surface *s, unsigned level, uint32_t slice,
                 uint32_t *x, uint32_t *y)
{
    uint32_t rows = slice * s->qpitch_el_rows;
    *x = s->layout == LAYOUT_1D ? rows : 0;
    *y = s->layout == LAYOUT_1D ? 0 : rows;
    if (s->layout != LAYOUT_3D)
        return;
    *x = (slice & ((1u << level) - 1)) *
         ALIGN_POT(level_width_el(s, level), s->halign_el);
    *y = (slice >> level) * aligned_height_el(s, level);
}

void
surface_layout(struct surface *s)
{
    if (surface_is_std(s))
        std_tile_init(&s->std_tile, s);
    for (unsigned l = 0; l < SURFACE_LEVELS; l++) {
        if (surface_is_std(s))
            level_origin_std(s, l);
        else
            level_origin_el(s, l, &s->level_x_el[l], &s->level_y_el[l]);
    }
    s->has_layout = true;
}

/* x, y: elements. Slices that a tile does not hold are QPitch rows apart. */
static uint64_t
offset_std_B(const struct surface *s, unsigned level, uint32_t x, uint32_t y,
             uint32_t z, unsigned sample)
{
    const struct std_tile *t = &s->std_tile;
    uint32_t within = 0;
    level = MIN2(level, SURFACE_LEVELS - 1);
    if (s->samples > 1 && s->interleaved)
        tiling_interleave(s->samples, sample, &x, &y);
    x += s->level_x_el[level];
    if (s->type == SURFACE_1D)
        return ((uint64_t)z * s->qpitch_el_rows + x) * s->fmt->element_B;
    y += s->level_y_el[level];
    if (s->type == SURFACE_3D) {
        z += s->level_z[level];
        within = z;
        z >>= t->depth_log2;
    } else if (s->samples > 1 && !s->interleaved) {
        if (t->depth_log2)
            within = sample;
        else
            z = z * s->samples + sample;
    }
    return std_offset_B(t, x * s->fmt->element_B, y + z * s->qpitch_el_rows,
                        within, s->row_pitch_B);
}

uint64_t
surface_offset_B(const struct surface *s, unsigned level, uint32_t x,
                 uint32_t y, uint32_t z, unsigned sample)
{
    const struct format_info *fmt = s->fmt;
    if (fmt->block_w > 1 || fmt->block_h > 1) {
        x /= fmt->block_w;
        y /= fmt->block_h;
    }
    if (surface_is_std(s))
        return offset_std_B(s, level, x, y, z, sample);
    if (s->samples > 1) {
        if (s->interleaved)
            tiling_interleave(s->samples, sample, &x, &y);
        else
            z = z * s->samples + sample;
    }
    uint32_t slice_x, slice_y;
    level = MIN2(level, SURFACE_LEVELS - 1);
    surface_slice_el(s, level, z, &slice_x, &slice_y);
    if (level > 0) {
        uint32_t x0 = s->level_x_el[level], y0 = s->level_y_el[level];
        if (!s->has_layout)
            level_origin_el(s, level, &x0, &y0);
        x += x0;
        y += y0;
    }
    x += slice_x + s->x_offset;
    y += slice_y;
    if (s->layout == LAYOUT_1D)
        return (uint64_t)x * fmt->element_B;
    return tiling_offset_B(s->tiling, x * fmt->element_B, y + s->y_offset,
                           s->row_pitch_B);
}

uint8_t *
surface_ptr(const struct surface *s, unsigned level, uint32_t x, uint32_t y,
            uint32_t z, unsigned sample)
{
    const struct format_info *fmt = s->fmt;
    uint32_t width = minify_size(s->width, level);
    uint32_t height = minify_size(s->height, level);
    if (fmt->block_w > 1 || fmt->block_h > 1) {
        width = DIV_ROUND_UP(width, fmt->block_w) * fmt->block_w;
        height = DIV_ROUND_UP(height, fmt->block_h) * fmt->block_h;
    }
    if (x >= width || y >= height || z >= surface_level_slices(s, level) ||
        sample >= s->samples || level >= SURFACE_LEVELS || !s->mem)
        return NULL;
    uint64_t offset = surface_offset_B(s, level, x, y, z, sample);
    if (offset > s->limit_B || s->limit_B - offset < fmt->element_B)
        return NULL;
    return s->mem + offset;
}

uint8_t *
surface_buffer_ptr(const struct surface *s, uint64_t index)
{
    if (index >= s->buffer_elements || !s->mem)
        return NULL;
    uint64_t offset = index * s->buffer_stride_B;
    if (offset > s->limit_B || s->limit_B - offset < s->fmt->element_B)
        return NULL;
    return s->mem + offset;
}

/* Bytes of a surface that messages without a format may touch. */
uint64_t
surface_flat_B(const struct surface *s)
{
    uint64_t size_B = 0;
    if (s->type == SURFACE_BUFFER || s->type == SURFACE_STRBUF) {
        size_B = s->buffer_elements;
        if (s->fmt->compression == FORMAT_PLAIN &&
            s->fmt->ch[0].kind != FORMAT_RAW)
            size_B *= s->buffer_stride_B;
    } else if (s->type != SURFACE_NULL) {
        size_B = (uint64_t)s->row_pitch_B * s->height;
    }
    return MIN2(size_B, s->limit_B);
}

/* Observed: stock iris describes constant buffers as overlapping elements of
 * R32G32B32A32_FLOAT, one at every byte. */
uint64_t
surface_vec4_B(const struct surface *s)
{
    static const uint8_t rgba[4] = {4, 5, 6, 7};
    bool plain = s->format <= 2; /* FLOAT, SINT, UINT of R32G32B32A32 */
    if (s->type != SURFACE_BUFFER || !plain || s->buffer_stride_B != 1 ||
        !s->mem || memcmp(s->swizzle, rgba, sizeof rgba))
        return 0;
    return MIN2(s->buffer_elements + 15, s->limit_B);
}
