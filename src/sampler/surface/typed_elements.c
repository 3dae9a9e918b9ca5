/* typed_elements.c: chooses the surfaces that typed_elements.h's routines
 * support. */
#include "sampler/surface/typed_elements.h"
#include "base/cpu.h"
#include "base/perf.h"
#include "sampler/surface/tiling.h"

/* Offsets are signed 32-bit integers. */
#define MOST_B INT32_MAX

static bool
find_kind(struct typed_elements *e, const struct format_channel *ch)
{
    e->channel_bits = ch->bits;
    if (ch->bits == 32) {
        e->kind = TYPED_RAW;
        return ch->kind == FORMAT_FLOAT || ch->kind == FORMAT_UINT ||
               ch->kind == FORMAT_SINT;
    }
    switch (ch->kind) {
    case FORMAT_UNORM: e->kind = TYPED_UNORM; break;
    case FORMAT_SNORM: e->kind = TYPED_SNORM; break;
    case FORMAT_UINT: e->kind = TYPED_UINT; break;
    case FORMAT_SINT: e->kind = TYPED_SINT; break;
    case FORMAT_FLOAT: e->kind = TYPED_HALF; return ch->bits == 16;
    default: return false;
    }
    return ch->bits == 8 || ch->bits == 16;
}

/* All channels must have one kind and size, in the order r, g, b, a or b, g, r,
 * a. */
static bool
find_channels(struct typed_elements *e, const struct format_info *fmt)
{
    unsigned bits = fmt->ch[0].bits, n = bits ? fmt->block_bits / bits : 0;
    if (fmt->compression != FORMAT_PLAIN || fmt->srgb || fmt->lum ||
        fmt->intensity || fmt->alpha_only || (n != 1 && n != 2 && n != 4) ||
        !find_kind(e, &fmt->ch[0]))
        return false;
    e->channels = (uint8_t)n;
    e->blue_first = n == 4 && fmt->ch[0].start_bit == 2 * bits;
    e->element_B = fmt->element_B;
    e->one = fmt->is_int ? 1 : bits_from_float(1.0f);
    for (unsigned c = 0; c < 4; c++) {
        unsigned place = e->blue_first && c < 3 ? 2 - c : c;
        const struct format_channel *ch = &fmt->ch[c];
        if (c < n ? ch->kind != fmt->ch[0].kind || ch->bits != bits ||
                        ch->start_bit != place * bits
                  : ch->kind != FORMAT_NONE)
            return false;
    }
    return true;
}

static bool
find_buffer(struct typed_elements *e, const struct surface *s)
{
    uint64_t n = s->buffer_elements, stride_B = s->buffer_stride_B;
    if (stride_B != e->element_B || n > MOST_B / stride_B ||
        n * stride_B > s->limit_B)
        return false;
    e->size[0] = (uint32_t)n;
    e->size[1] = e->size[2] = 1;
    e->flat = true;
    e->tiling = (struct sample_tiling){
        .element_shift = __builtin_ctz(e->element_B), .x_keep = -1};
    return true;
}

/* Size of the memory that holds all elements of a level, rounded up to tiles.
 */
static uint64_t
level_end_B(const struct typed_elements *e, const struct surface *s)
{
    uint64_t rows = e->y_el + (uint64_t)(e->size[2] - 1) * e->slice_rows +
                    e->size[1];
    uint64_t row_B = (uint64_t)(e->x_el + e->size[0]) * e->element_B;
    if (s->tiling == TILING_LINEAR)
        return (rows - 1) * s->row_pitch_B + row_B;
    return ((rows >> e->tiling.y_shift) + 1) * (uint64_t)e->tiling.y_pitch_B;
}

static bool
find_level(struct typed_elements *e, const struct surface *s)
{
    unsigned level = s->min_lod;
    if (s->samples > 1 || level >= SURFACE_LEVELS || !s->has_layout ||
        s->tiling == TILING_W || s->layout != LAYOUT_2D ||
        !sample_tiling_init(&e->tiling, s))
        return false;
    uint32_t slices = surface_level_slices(s, level);
    if (s->min_array >= slices)
        return false;
    e->size[0] = surface_level_width(s, level);
    e->size[1] = surface_level_height(s, level);
    e->size[2] = MIN2(s->view_extent_minus1 + 1u, slices - s->min_array);
    e->slice_rows = s->qpitch_el_rows;
    e->x_el = s->level_x_el[level] + s->x_offset;
    e->y_el = s->level_y_el[level] + s->y_offset +
              s->min_array * s->qpitch_el_rows;
    /* Only surface_ptr() handles rows that do not end within the pitch. */
    uint64_t row_B = (uint64_t)(e->x_el + e->size[0]) * e->element_B;
    return row_B <= s->row_pitch_B &&
           level_end_B(e, s) <= MIN2(s->limit_B, (uint64_t)MOST_B);
}

void
typed_elements_init(struct typed_elements *e, const struct surface *s)
{
    bool found = false;
    *e = (struct typed_elements){.mem = s->mem};
    if (!s->mem || cpu_selected() < CPU_AVX2 || !find_channels(e, s->fmt))
        return;
    /* Elements smaller than a dword are read with the whole dword. */
    if ((uintptr_t)s->mem & (e->element_B - 1) & 3)
        return;
    switch (s->type) {
    case SURFACE_BUFFER: found = find_buffer(e, s); break;
    case SURFACE_2D:
    case SURFACE_3D:
    case SURFACE_CUBE: found = find_level(e, s); break;
    }
    e->lines = !((uintptr_t)s->mem & 63) && !perf_leaves_out(PERF_TYPED_LINES);
    e->ahead_B = 16u * e->element_B;
    if (s->type != SURFACE_BUFFER && s->tiling == TILING_Y)
        e->ahead_B *= 32; /* a Y tile's column: 32 rows of 16 bytes */
    if (found && !perf_leaves_out(PERF_TYPED_LANES))
        e->fn = &typed_elements_avx2[e->channel_bits > 8][e->kind]
                                    [e->channels / 2];
}
