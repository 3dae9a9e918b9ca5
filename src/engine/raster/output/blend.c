/* blend.c: blend factors, functions and logic operations, the reference. KBL
 * PRM vol 2d, BLEND_STATE_ENTRY. */
#include "engine/raster/output/output.h"

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

static void
set_lanes(float f[16], float v)
{
    for (unsigned i = 0; i < 16; i++)
        f[i] = v;
}

/* Factors that are plain values. The code of an inverse factor is 16 higher. */
static void
plain_factor(unsigned factor, unsigned c, const struct blend_lanes *in,
             float f[16])
{
    const float *from = NULL;
    switch (factor) {
    case GEN9_BLENDFACTOR_SRC_COLOR: from = in->src[c]; break;
    case GEN9_BLENDFACTOR_SRC_ALPHA: from = in->src[3]; break;
    case GEN9_BLENDFACTOR_DST_ALPHA: from = in->dst[3]; break;
    case GEN9_BLENDFACTOR_DST_COLOR: from = in->dst[c]; break;
    case GEN9_BLENDFACTOR_SRC1_COLOR: from = in->src1[c]; break;
    case GEN9_BLENDFACTOR_SRC1_ALPHA: from = in->src1[3]; break;
    case GEN9_BLENDFACTOR_CONST_COLOR: set_lanes(f, in->constant[c]); return;
    case GEN9_BLENDFACTOR_CONST_ALPHA: set_lanes(f, in->constant[3]); return;
    case GEN9_BLENDFACTOR_ONE: set_lanes(f, 1); return;
    case GEN9_BLENDFACTOR_SRC_ALPHA_SATURATE:
        for (unsigned i = 0; i < 16; i++) {
            float inv = 1 - in->dst[3][i], a = in->src[3][i];
            f[i] = c == 3 ? 1 : a < inv ? a : inv;
        }
        return;
    default: set_lanes(f, 0); return;
    }
    memcpy(f, from, 16 * sizeof *f);
}

static void
factor_lanes(unsigned factor, unsigned c, const struct blend_lanes *in,
             float f[16])
{
    if (factor < GEN9_BLENDFACTOR_ZERO) {
        plain_factor(factor, c, in, f);
        return;
    }
    plain_factor(factor - 16, c, in, f);
    for (unsigned i = 0; i < 16; i++)
        f[i] = 1 - f[i];
}

static void
clamp_lanes(float f[16], float lo, float hi)
{
    for (unsigned i = 0; i < 16; i++) {
        float v = f[i] > lo ? f[i] : lo; /* NaN to lo */
        f[i] = v < hi ? v : hi;
    }
}

/* The range of each channel under the clamps of the entry and the format. */
void
blend_range_init(struct blend_range *r, const struct blend_state *b,
                 const struct format_info *fmt)
{
    union color lo, hi;
    for (unsigned c = 0; c < 4; c++) {
        lo.f[c] = -INFINITY;
        hi.f[c] = INFINITY;
    }
    switch (b->clamp_range) {
    case GEN9_BLEND_STATE_ENTRY_COLOR_CLAMP_RANGE_COLORCLAMP_UNORM:
    case GEN9_BLEND_STATE_ENTRY_COLOR_CLAMP_RANGE_COLORCLAMP_SNORM:
        for (unsigned c = 0; c < 4; c++) {
            lo.f[c] = b->clamp_range ? -1 : 0;
            hi.f[c] = 1;
        }
        break;
    default:
        format_clamp(fmt, &lo);
        format_clamp(fmt, &hi);
        break;
    }
    memcpy(r->lo, lo.f, sizeof r->lo);
    memcpy(r->hi, hi.f, sizeof r->hi);
    r->none = true;
    for (unsigned c = 0; c < 4; c++)
        r->none &= isinf(r->lo[c]) && isinf(r->hi[c]);
}

void
blend_constant(const struct blend_state *b, const struct blend_range *range,
               float constant[4])
{
    memcpy(constant, b->constant, sizeof b->constant);
    if ((!b->pre_clamp && !b->pre_clamp_src_only) || range->none)
        return;
    for (unsigned c = 0; c < 4; c++)
        constant[c] = fminf(fmaxf(constant[c], range->lo[c]), range->hi[c]);
}

/* MINSS and MAXSS, because they flush denormals. Of a number and a NaN, the
 * number. */
static inline float
lesser(float s, float d)
{
    float v = _mm_cvtss_f32(_mm_min_ss(_mm_set_ss(s), _mm_set_ss(d)));
    return d != d ? s : v;
}

static inline float
greater(float s, float d)
{
    float v = _mm_cvtss_f32(_mm_max_ss(_mm_set_ss(s), _mm_set_ss(d)));
    return d != d ? s : v;
}

/* Replaces each NaN by one and the same: which operand's NaN an operation
 * returns depends on the compiler. */
static void
combine(unsigned func, const float s[16], const float d[16], const float sf[16],
        const float df[16], float out[16])
{
    for (unsigned i = 0; i < 16; i++) {
        float a = s[i] * sf[i], b = d[i] * df[i];
        switch (func) {
        case GEN9_BLENDFUNCTION_SUBTRACT: out[i] = a - b; break;
        case GEN9_BLENDFUNCTION_REVERSE_SUBTRACT: out[i] = b - a; break;
        case GEN9_BLENDFUNCTION_MIN: out[i] = lesser(s[i], d[i]); break;
        case GEN9_BLENDFUNCTION_MAX: out[i] = greater(s[i], d[i]); break;
        default: out[i] = a + b; break;
        }
        if (out[i] != out[i])
            out[i] = NAN;
    }
}

RASTER_LANES static void
blend_all(const struct blend_state *b, const struct blend_range *range,
          struct blend_lanes *in, float out[4][16])
{
    blend_constant(b, range, in->constant);
    if ((b->pre_clamp || b->pre_clamp_src_only) && !range->none) {
        for (unsigned c = 0; c < 4; c++) {
            clamp_lanes(in->src[c], range->lo[c], range->hi[c]);
            clamp_lanes(in->src1[c], range->lo[c], range->hi[c]);
        }
    }
    for (unsigned c = 0; c < 4; c++) {
        unsigned a = c == 3;
        float sf[16], df[16];
        factor_lanes(b->src[a], c, in, sf);
        factor_lanes(b->dst[a], c, in, df);
        combine(b->func[a], in->src[c], in->dst[c], sf, df, out[c]);
        if (b->post_clamp && !range->none)
            clamp_lanes(out[c], range->lo[c], range->hi[c]);
    }
}

void
blend_run(const struct blend_state *b, const struct blend_range *range,
          struct blend_lanes *in, float out[4][16])
{
    uint32_t before = fpmode_enter(BLEND_FP_MODE);
    blend_all(b, range, in, out);
    fpmode_leave(BLEND_FP_MODE, before);
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
