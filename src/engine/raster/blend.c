/* blend.c: blend factors, functions and logic operations. KBL PRM vol 2d,
 * BLEND_STATE_ENTRY. */
#include "engine/raster/raster.h"

#include <math.h>

void
blend_state_init(struct blend_state *b, const struct draw *d, unsigned entry)
{
    const struct gen9_blend_state_entry *e = &d->blend_entry[entry];
    bool split = d->blend.independent_alpha_blend_enable;
    memset(b, 0, sizeof *b);
    b->enabled = e->color_buffer_blend_enable;
    b->logic_op = e->logic_op_enable;
    b->logic_func = (uint8_t)e->logic_op_function;
    b->src[0] = (uint8_t)e->source_blend_factor;
    b->dst[0] = (uint8_t)e->destination_blend_factor;
    b->func[0] = (uint8_t)e->color_blend_function;
    b->src[1] = split ? (uint8_t)e->source_alpha_blend_factor : b->src[0];
    b->dst[1] = split ? (uint8_t)e->destination_alpha_blend_factor : b->dst[0];
    b->func[1] = split ? (uint8_t)e->alpha_blend_function : b->func[0];
    b->pre_clamp = e->pre_blend_color_clamp_enable;
    b->pre_clamp_src_only = e->pre_blend_source_only_clamp_enable;
    b->post_clamp = e->post_blend_color_clamp_enable;
    b->clamp_range = (uint8_t)e->color_clamp_range;
    b->write_mask = (uint8_t)(!e->write_disable_red << 0 |
                              !e->write_disable_green << 1 |
                              !e->write_disable_blue << 2 |
                              !e->write_disable_alpha << 3);
    b->constant[0] = d->cc.blend_constant_color_red;
    b->constant[1] = d->cc.blend_constant_color_green;
    b->constant[2] = d->cc.blend_constant_color_blue;
    b->constant[3] = d->cc.blend_constant_color_alpha;
}

float
blend_factor(unsigned factor, unsigned c, const union color *src,
             const union color *src1, const union color *dst,
             const float constant[4])
{
    switch (factor) {
    case GEN9_BLENDFACTOR_ONE: return 1;
    case GEN9_BLENDFACTOR_SRC_COLOR: return src->f[c];
    case GEN9_BLENDFACTOR_SRC_ALPHA: return src->f[3];
    case GEN9_BLENDFACTOR_DST_ALPHA: return dst->f[3];
    case GEN9_BLENDFACTOR_DST_COLOR: return dst->f[c];
    case GEN9_BLENDFACTOR_SRC_ALPHA_SATURATE:
        return c == 3 ? 1 : fminf(src->f[3], 1 - dst->f[3]);
    case GEN9_BLENDFACTOR_CONST_COLOR: return constant[c];
    case GEN9_BLENDFACTOR_CONST_ALPHA: return constant[3];
    case GEN9_BLENDFACTOR_SRC1_COLOR: return src1->f[c];
    case GEN9_BLENDFACTOR_SRC1_ALPHA: return src1->f[3];
    case GEN9_BLENDFACTOR_INV_SRC_COLOR: return 1 - src->f[c];
    case GEN9_BLENDFACTOR_INV_SRC_ALPHA: return 1 - src->f[3];
    case GEN9_BLENDFACTOR_INV_DST_ALPHA: return 1 - dst->f[3];
    case GEN9_BLENDFACTOR_INV_DST_COLOR: return 1 - dst->f[c];
    case GEN9_BLENDFACTOR_INV_CONST_COLOR: return 1 - constant[c];
    case GEN9_BLENDFACTOR_INV_CONST_ALPHA: return 1 - constant[3];
    case GEN9_BLENDFACTOR_INV_SRC1_COLOR: return 1 - src1->f[c];
    case GEN9_BLENDFACTOR_INV_SRC1_ALPHA: return 1 - src1->f[3];
    default: return 0;
    }
}

static void
clamp_range(union color *c, float lo, float hi)
{
    for (unsigned i = 0; i < 4; i++)
        c->f[i] = !(c->f[i] > lo) ? lo : c->f[i] > hi ? hi : c->f[i];
}

static void
clamp_color(const struct blend_state *b, const struct format_info *fmt,
            union color *c)
{
    switch (b->clamp_range) {
    case GEN9_BLEND_STATE_ENTRY_COLOR_CLAMP_RANGE_COLORCLAMP_UNORM:
        clamp_range(c, 0, 1);
        break;
    case GEN9_BLEND_STATE_ENTRY_COLOR_CLAMP_RANGE_COLORCLAMP_SNORM:
        clamp_range(c, -1, 1);
        break;
    default: format_clamp(fmt, c); break;
    }
}

static float
combine(unsigned func, float s, float d, float sf, float df)
{
    switch (func) {
    case GEN9_BLENDFUNCTION_SUBTRACT: return s * sf - d * df;
    case GEN9_BLENDFUNCTION_REVERSE_SUBTRACT: return d * df - s * sf;
    case GEN9_BLENDFUNCTION_MIN: return fminf(s, d);
    case GEN9_BLENDFUNCTION_MAX: return fmaxf(s, d);
    default: return s * sf + d * df;
    }
}

void
blend_color(const struct blend_state *b, const struct format_info *fmt,
            const union color *src_in, const union color *src1_in,
            const union color *dst, union color *out)
{
    union color src = *src_in, src1 = *src1_in, constant;
    memcpy(constant.f, b->constant, sizeof constant.f);
    if (b->pre_clamp || b->pre_clamp_src_only) {
        clamp_color(b, fmt, &src);
        clamp_color(b, fmt, &src1);
        clamp_color(b, fmt, &constant);
    }
    for (unsigned c = 0; c < 4; c++) {
        unsigned a = c == 3;
        float sf = blend_factor(b->src[a], c, &src, &src1, dst, constant.f);
        float df = blend_factor(b->dst[a], c, &src, &src1, dst, constant.f);
        out->f[c] = combine(b->func[a], src.f[c], dst->f[c], sf, df);
    }
    if (b->post_clamp)
        clamp_color(b, fmt, out);
}

/* The function's bits are its truth table: bit 2 * source + destination.
 * That makes COPY 12 and XOR 6, as the enumeration has them. */
uint32_t
blend_logic_op(unsigned func, uint32_t s, uint32_t d)
{
    uint32_t r = 0;
    if (func & 1)
        r |= ~s & ~d;
    if (func & 2)
        r |= ~s & d;
    if (func & 4)
        r |= s & ~d;
    if (func & 8)
        r |= s & d;
    return r;
}
