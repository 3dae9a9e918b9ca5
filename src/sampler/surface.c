/* surface.c: RENDER_SURFACE_STATE, and where a texel of a surface lies.
 * KBL PRM vol 2d, RENDER_SURFACE_STATE; BDW PRM vol 5, "Memory Views". */
#include <math.h>

#include "sampler/tiling.h"
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

/* 1, 2, 3 mean 4, 8, 16; 0 is reserved and taken as the least. */
static uint8_t
decode_align(uint32_t code)
{
    return (uint8_t)(2 << MAX2(code, 1));
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

static void
decode_image(struct surface *s, const struct gen9_render_surface_state *rss)
{
    s->tiling = (uint8_t)rss->tile_mode;
    s->is_array = rss->surface_array;
    s->halign_el = decode_align(rss->surface_horizontal_alignment);
    s->valign_el = decode_align(rss->surface_vertical_alignment);
    s->width = rss->width + 1;
    s->height = s->type == SURFACE_1D ? 1 : rss->height + 1;
    s->depth = rss->depth + 1;
    s->row_pitch_B = rss->surface_pitch + 1;
    s->qpitch_el_rows = rss->surface_qpitch << 2;
    /* Observed: the stock driver halves QPitch for these, as the hardware
     * doubles it. */
    if (s->type == SURFACE_3D && s->tiling == TILING_W)
        s->qpitch_el_rows *= 2;
    s->samples = (uint8_t)(1 << rss->number_of_multisamples);
    s->interleaved = rss->multisampled_surface_storage_format;
    s->x_offset = (uint8_t)MIN2(rss->x_offset * 4, 255u);
    s->y_offset = (uint8_t)(rss->y_offset * 4);
}

static bool
is_malformed(const struct gen9_render_surface_state *rss)
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
    if (rss->number_of_multisamples > 4) {
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
    if (is_malformed(&rss))
        return false;
    if (rss.tiled_resource_mode != 0 && rss.tile_mode == TILING_Y) {
        unimp("surface with standard tiling (Yf, Ys)");
        return false;
    }
    s->type = (uint8_t)rss.surface_type;
    s->format = (uint16_t)rss.surface_format;
    s->fmt = format_info(s->format);
    s->base_va = rss.surface_base_address;
    decode_view(s, &rss);
    if (s->type == SURFACE_BUFFER || s->type == SURFACE_STRBUF) {
        decode_buffer(s, &rss);
        return true;
    }
    /* Buffers' states are the same; images' differ in units. */
    if (gen < 9)
        unimp("surfaces of Gen%u are taken as Gen9's", gen);
    decode_image(s, &rss);
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
minify(uint32_t size, unsigned level)
{
    return level < 32 ? MAX2(size >> level, 1u) : 1;
}

uint32_t
surface_level_width(const struct surface *s, unsigned level)
{
    return minify(s->width, level);
}

uint32_t
surface_level_height(const struct surface *s, unsigned level)
{
    return minify(s->height, level);
}

uint32_t
surface_level_depth(const struct surface *s, unsigned level)
{
    return s->type == SURFACE_3D ? minify(s->depth, level) : s->depth;
}

uint32_t
surface_level_slices(const struct surface *s, unsigned level)
{
    if (s->type == SURFACE_3D)
        return minify(s->depth, level);
    return s->min_array + s->depth * (s->type == SURFACE_CUBE ? 6 : 1);
}

/* Linear 1D surfaces lay their levels in a row and ignore the pitch. */
static bool
is_1d_layout(const struct surface *s)
{
    return s->type == SURFACE_1D && s->tiling == TILING_LINEAR;
}

/* Size of a level in elements; those of an interleaved surface are samples.
 * BDW PRM vol 5, "Computing MIP Level Sizes". */
static uint32_t
level_width_el(const struct surface *s, unsigned level)
{
    if (s->interleaved && s->samples > 1)
        return ALIGN_POT(minify(s->width, level), 2)
               << (s->samples >= 8 ? 2 : 1);
    return DIV_ROUND_UP(minify(s->width, level), s->fmt->block_w);
}

static uint32_t
level_height_el(const struct surface *s, unsigned level)
{
    if (s->interleaved && s->samples > 2)
        return ALIGN_POT(minify(s->height, level), 2)
               << (s->samples >= 16 ? 2 : 1);
    return DIV_ROUND_UP(minify(s->height, level), s->fmt->block_h);
}

/* Level 1 lies below level 0, level 2 to the right of level 1, and the others
 * below level 2. */
static void
level_origin_el(const struct surface *s, unsigned level, uint32_t *x,
                uint32_t *y)
{
    bool in_a_row = is_1d_layout(s);
    *x = *y = 0;
    for (unsigned l = 0; l < level; l++) {
        if (in_a_row)
            *x += ALIGN_POT(level_width_el(s, l), ALIGN_1D_EL);
        else if (l == 1)
            *x += ALIGN_POT(level_width_el(s, l), s->halign_el);
        else
            *y += ALIGN_POT(level_height_el(s, l), s->valign_el);
    }
}

void
surface_layout(struct surface *s)
{
    for (unsigned l = 0; l < SURFACE_LEVELS; l++)
        level_origin_el(s, l, &s->level_x_el[l], &s->level_y_el[l]);
    s->has_layout = true;
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
    if (s->samples > 1) {
        if (s->interleaved)
            tiling_interleave(s->samples, sample, &x, &y);
        else
            z = z * s->samples + sample;
    }
    if (level > 0) {
        level = MIN2(level, SURFACE_LEVELS - 1);
        uint32_t x0 = s->level_x_el[level], y0 = s->level_y_el[level];
        if (!s->has_layout)
            level_origin_el(s, level, &x0, &y0);
        x += x0;
        y += y0;
    }
    if (is_1d_layout(s))
        return ((uint64_t)z * s->qpitch_el_rows + x + s->x_offset) *
               fmt->element_B;
    y += z * s->qpitch_el_rows;
    return tiling_offset_B(s->tiling, (x + s->x_offset) * fmt->element_B,
                           y + s->y_offset, s->row_pitch_B);
}

uint8_t *
surface_ptr(const struct surface *s, unsigned level, uint32_t x, uint32_t y,
            uint32_t z, unsigned sample)
{
    const struct format_info *fmt = s->fmt;
    uint32_t width = minify(s->width, level);
    uint32_t height = minify(s->height, level);
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
