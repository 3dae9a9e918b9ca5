/* texel.c: reads one texel in the form that the filter needs. */
#include "sampler/reference/sample.h"
#include "sampler/surface/tiling.h"

void
texel_outside(const struct format_info *fmt, union color *out)
{
    memset(out, 0, sizeof *out);
    unsigned kind = fmt->ch[3].kind;
    bool alpha = fmt->intensity || (kind != FORMAT_NONE && kind != FORMAT_VOID);
    if (fmt->compression != FORMAT_PLAIN)
        alpha = fmt->intensity || fmt->ch[3].kind != FORMAT_NONE;
    if (!alpha && fmt->is_int)
        out->u[3] = 1;
    else if (!alpha)
        out->f[3] = 1.0f;
}

void
texel_decode(const struct surface *s, const uint8_t *element, uint32_t x,
             uint32_t y, uint32_t slice, struct format_block_cache *blocks,
             union color *out)
{
    const struct format_info *fmt = s->fmt;
    if (fmt->compression == FORMAT_PLAIN) {
        fmt->unpack(fmt, element, out);
        return;
    }
    if (surface_is_nv12(s)) {
        planar_decode(s, element, x, y, slice, out);
        return;
    }
    if (fmt->compression == FORMAT_PALETTE) {
        palette_decode(s, element, x, out);
        return;
    }
    const union color *texels = format_block_cache_get(blocks, element);
    *out = texels[y % fmt->block_h * fmt->block_w + x % fmt->block_w];
}

static void
init_sources(struct sample_ctx *ctx)
{
    const struct format_info *fmt = ctx->s->fmt;
    for (unsigned c = 0; c < 4; c++) {
        unsigned from = fmt->intensity || (fmt->lum && c < 3) ? 0 : c;
        unsigned kind = fmt->ch[from].kind;
        bool present = kind != FORMAT_NONE && kind != FORMAT_VOID;
        ctx->source[c] = (uint8_t)(present ? from
                                   : c < 3 ? SOURCE_ZERO
                                           : SOURCE_ONE);
    }
}

/* Border colours have no values for channels that the format lacks. Channels
 * that the format repeats come from red. KBL PRM vol 2d,
 * SAMPLER_BORDER_COLOR_STATE. */
static void
init_border(struct sample_ctx *ctx)
{
    const struct format_info *fmt = ctx->s->fmt;
    union color in = ctx->sp->border, *out = &ctx->border.c;
    if (ctx->sp->dx9_border) {
        for (unsigned c = 0; c < 4; c++)
            out->f[c] = (float)(in.u[0] >> 8 * c & 0xff) / 255.0f;
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        unsigned from = ctx->source[c];
        if (from == SOURCE_ZERO)
            out->u[c] = 0;
        else if (from == SOURCE_ONE)
            out->u[c] = fmt->is_int ? 1 : bits_from_float(1.0f);
        else
            out->u[c] = in.u[from];
        /* Integers are not clamped: the border colour of any UINT or SINT map
         * is R32G32B32A32_UINT or _SINT. KBL PRM vol 2d,
         * SAMPLER_BORDER_COLOR_STATE. */
        unsigned kind = from < 4 ? fmt->ch[from].kind : FORMAT_NONE;
        if (kind == FORMAT_UNORM)
            out->f[c] = CLAMP(out->f[c], 0.0f, 1.0f);
        else if (kind == FORMAT_SNORM)
            out->f[c] = CLAMP(out->f[c], -1.0f, 1.0f);
    }
}

/* Border address modes, and missing faces of a cube. */
static bool
has_border(const struct sample_ctx *ctx)
{
    if (ctx->cube && (ctx->s->cube_faces & 0x3f) != 0x3f)
        return true;
    for (unsigned d = 0; d < ctx->dims; d++)
        if (ctx->wrap[d] == GEN9_TCM_CLAMP_BORDER ||
            ctx->wrap[d] == GEN9_TCM_HALF_BORDER)
            return true;
    return false;
}

/* Blocks that are decoded to bytes. */
static bool
is_byte_blocks(const struct format_info *fmt)
{
    switch (fmt->compression) {
    case FORMAT_BC1:
    case FORMAT_BC2:
    case FORMAT_BC7:
    case FORMAT_PALETTE: return !fmt->srgb;
    case FORMAT_ETC1:
    case FORMAT_ETC2: return !fmt->srgb && fmt->ch[0].bits == 8;
    default: return false;
    }
}

static bool
is_bytes(const struct format_info *fmt)
{
    if (fmt->compression != FORMAT_PLAIN)
        return is_byte_blocks(fmt);
    if (fmt->srgb || fmt->block_bits > 32)
        return false;
    for (unsigned c = 0; c < 4; c++) {
        const struct format_channel *ch = &fmt->ch[c];
        if (ch->kind == FORMAT_NONE || ch->kind == FORMAT_VOID)
            continue;
        if (ch->kind != FORMAT_UNORM || ch->bits != 8 || ch->start_bit % 8)
            return false;
    }
    return true;
}

static void
init_bytes(struct sample_ctx *ctx)
{
    for (unsigned c = 0; c < 4; c++) {
        unsigned from = ctx->source[c];
        ctx->byte_shift[c] = from == SOURCE_ZERO ? 32
                             : from == SOURCE_ONE
                                 ? 40
                                 : ctx->s->fmt->ch[from].start_bit;
    }
}

void
texel_init(struct sample_ctx *ctx)
{
    const struct surface *s = ctx->s;
    const struct format_info *fmt = s->fmt;
    init_sources(ctx);
    if (has_border(ctx))
        init_border(ctx);
    ctx->texel_kind = fmt->compression == FORMAT_PLAIN ? TEXEL_UNPACK
                                                       : TEXEL_BLOCK;
    if (is_bytes(fmt)) {
        if (!ctx->compare) {
            ctx->scaled = true;
            ctx->border.v *= 255.0f;
        }
        if (!ctx->compare && ctx->direct && fmt->compression == FORMAT_PLAIN) {
            ctx->texel_kind = TEXEL_BYTES;
            init_bytes(ctx);
        }
    }
    if (ctx->texel_kind == TEXEL_BLOCK)
        format_block_cache_init(&ctx->blocks, fmt);
    unsigned red = ctx->source[0] < 4 ? 0 : 3;
    ctx->clamp_ref = fmt->ch[red].kind == FORMAT_UNORM;
    for (unsigned i = 0; i < ARRAY_SIZE(ctx->plane); i++)
        ctx->plane[i].level = UINT32_MAX;
}

uint32_t
texel_slice(const struct sample_ctx *ctx, float array_index, unsigned face)
{
    const struct surface *s = ctx->s;
    uint32_t i = 0;
    if (s->is_array && s->depth > 1 && array_index > 0.0f) {
        /* Rounds to nearest even: adding 2^23 leaves no fraction bits. */
        float last = (float)(s->depth - 1);
        float index = MIN2(array_index, last);
        i = (uint32_t)((index + 8388608.0f) - 8388608.0f);
    }
    return s->min_array + (ctx->cube ? i * 6 + face : i);
}

/* Offset of the last byte that texels of a w x h element rectangle can touch.
 */
static uint64_t
plane_end_B(const struct surface *s, const struct texel_plane *p, uint32_t w_el,
            uint32_t h_el)
{
    uint32_t x_B = p->x_B + w_el * s->fmt->element_B - 1;
    uint32_t y = p->y + h_el - 1;
    if (s->tiling == TILING_X) {
        x_B |= 511;
        y |= 7;
    } else if (s->tiling == TILING_Y) {
        x_B |= 127;
        y |= 31;
    }
    return tiling_offset_B(s->tiling, x_B, y, s->row_pitch_B);
}

static bool
is_direct(const struct sample_ctx *ctx, uint32_t level, uint32_t slice)
{
    const struct surface *s = ctx->s;
    return ctx->direct && s->mem && s->has_layout && s->samples == 1 &&
           s->tiling != TILING_W && !surface_is_std(s) &&
           level < SURFACE_LEVELS && slice < surface_level_slices(s, level) &&
           s->layout != LAYOUT_1D;
}

static void
make_plane(const struct sample_ctx *ctx, uint32_t level, uint32_t slice,
           struct texel_plane *p)
{
    const struct surface *s = ctx->s;
    *p = (struct texel_plane){.level = level, .z = slice};
    if (!is_direct(ctx, level, slice))
        return;
    const struct format_info *fmt = s->fmt;
    uint32_t slice_x, slice_y;
    surface_slice_el(s, level, slice, &slice_x, &slice_y);
    p->x_B = (s->level_x_el[level] + slice_x + s->x_offset) * fmt->element_B;
    p->y = s->level_y_el[level] + slice_y + s->y_offset;
    uint32_t w_el = DIV_ROUND_UP(surface_level_width(s, level), fmt->block_w);
    uint32_t h_el = DIV_ROUND_UP(surface_level_height(s, level), fmt->block_h);
    uint64_t end_B = plane_end_B(s, p, w_el, h_el);
    if (end_B < s->limit_B)
        p->mem = s->mem;
    p->small = end_B < INT32_MAX;
}

const struct texel_plane *
texel_plane(struct sample_ctx *ctx, uint32_t level, uint32_t slice)
{
    struct texel_plane *p = &ctx->plane[(level & 1) * 2 + (slice & 1)];
    if (p->level != level || p->z != slice)
        make_plane(ctx, level, slice, p);
    return p;
}

static inline const uint8_t *
element_address(const struct surface *s, const struct texel_plane *p,
                uint32_t x, uint32_t y)
{
    uint32_t x_B = p->x_B + x * s->fmt->element_B;
    y += p->y;
    if (s->tiling == TILING_Y)
        return p->mem + tiling_offset_y_B(x_B, y, s->row_pitch_B);
    if (s->tiling == TILING_LINEAR)
        return p->mem + (uint64_t)y * s->row_pitch_B + x_B;
    return p->mem + tiling_offset_x_B(x_B, y, s->row_pitch_B);
}

const uint8_t *
texel_address(const struct sample_ctx *ctx, const struct texel_plane *plane,
              uint32_t x, uint32_t y)
{
    const struct surface *s = ctx->s;
    if (ctx->texel_kind == TEXEL_BLOCK) {
        x /= s->fmt->block_w;
        y /= s->fmt->block_h;
    }
    return element_address(s, plane, x, y);
}

static vec4
load_bytes(const struct sample_ctx *ctx, const uint8_t *p)
{
    uint32_t v = 0;
    switch (ctx->s->fmt->element_B) {
    case 1: v = *p; break;
    case 2: memcpy(&v, p, 2); break;
    case 3: memcpy(&v, p, 3); break;
    default: memcpy(&v, p, 4); break;
    }
    uint64_t w = v | UINT64_C(0xff00) << 32;
    const uint8_t *shift = ctx->byte_shift;
    return (vec4){
        (float)(int)(w >> shift[0] & 0xff), (float)(int)(w >> shift[1] & 0xff),
        (float)(int)(w >> shift[2] & 0xff), (float)(int)(w >> shift[3] & 0xff)};
}

/* Scales back to integers. */
static vec4
scale_bytes(vec4 v)
{
    for (unsigned c = 0; c < 4; c++)
        v[c] = (float)(int)(v[c] * 255.0f + 0.5f);
    return v;
}

/* ILK PRM vol 4 part 1, 4.4 "Shadow Prefilter Compare": zero when true. */
static bool
compare_with_ref(unsigned func, float texel, float ref)
{
    switch (func) {
    case GEN9_COMPAREFUNCTION_ALWAYS: return true;
    case GEN9_COMPAREFUNCTION_LESS: return texel < ref;
    case GEN9_COMPAREFUNCTION_EQUAL: return texel == ref;
    case GEN9_COMPAREFUNCTION_LEQUAL: return texel <= ref;
    case GEN9_COMPAREFUNCTION_GREATER: return texel > ref;
    case GEN9_COMPAREFUNCTION_NOTEQUAL: return texel != ref;
    case GEN9_COMPAREFUNCTION_GEQUAL: return texel >= ref;
    default: return false;
    }
}

/* The result replaces every channel that memory has. */
static vec4
compare_texel(const struct sample_ctx *ctx, vec4 v, float ref)
{
    if (ctx->clamp_ref)
        ref = CLAMP(ref, 0.0f, 1.0f);
    float depth = v[ctx->source[0] < 4 ? 0 : 3];
    float lit = compare_with_ref(ctx->shadow_func, depth, ref) ? 0.0f : 1.0f;
    vec4 out;
    for (unsigned c = 0; c < 4; c++)
        out[c] = ctx->source[c] < 4             ? lit
                 : ctx->source[c] == SOURCE_ONE ? 1.0f
                                                : 0.0f;
    return out;
}

vec4
texel_border(const struct sample_ctx *ctx, float ref)
{
    return ctx->compare ? compare_texel(ctx, ctx->border.v, ref)
                        : ctx->border.v;
}

vec4
texel_fetch(struct sample_ctx *ctx, uint32_t level, int32_t x, int32_t y,
            uint32_t slice, float ref)
{
    if ((x | y) < 0)
        return texel_border(ctx, ref);
    const struct texel_plane *plane = texel_plane(ctx, level, slice);
    const uint8_t *p = plane->mem
                           ? texel_address(ctx, plane, (uint32_t)x, (uint32_t)y)
                           : surface_ptr(ctx->s, level, (uint32_t)x,
                                         (uint32_t)y, slice, 0);
    union texel t;
    if (p && ctx->keyed) {
        const struct key_texel at = {p, level, (uint32_t)x, (uint32_t)y, slice};
        if (chroma_key_replaces(ctx, &at, &t.c))
            return t.v;
    }
    if (!p) {
        texel_outside(ctx->s->fmt, &t.c);
    } else if (ctx->texel_kind == TEXEL_BYTES) {
        return load_bytes(ctx, p);
    } else {
        texel_decode(ctx->s, p, (uint32_t)x, (uint32_t)y, slice, &ctx->blocks,
                     &t.c);
    }
    if (ctx->scaled)
        return scale_bytes(t.v);
    return ctx->compare ? compare_texel(ctx, t.v, ref) : t.v;
}
