/* sample_tmpl.h: the routines of plan.h, for as many lanes as a register has.
 * Included by the files that are compiled for one instruction set each.
 *
 * The same arithmetic as lod.c, address.c, filter.c and texel.c, lane by lane:
 * whoever changes one changes the other. Lanes that do not execute are computed
 * with the rest, for addresses never leave the surface. */
#include "sampler/sample.h"
#include "sampler/plan.h"
#include "sampler/x86/lanes.h"

#define INLINE static inline __attribute__((always_inline))

/* Lanes of a parameter; of a message of eight, nothing behind them. */
INLINE vfloat
load(const struct sample_lanes *in, const uint32_t *from, unsigned lane)
{
    return (vfloat)v_load(from + lane, in->lanes - lane);
}

/* ---- levels of detail -----------------------------------------------------
 */

struct lanes_lod {
    vint level, beta;
    vmask mag;
    bool blend; /* some beta is not zero */
};

/* lod.c's log2_root() */
INLINE float4
log2_root(float4 squared)
{
    typedef int32_t int4 __attribute__((vector_size(16)));
    typedef int64_t long4 __attribute__((vector_size(32)));
    int4 bits = (int4)squared;
    int4 exponent = (bits >> 23) - 127;
    float4 mantissa = (float4)((bits & 0x7fffff) | 127 << 23);
    double4 m = __builtin_convertvector(mantissa, double4);
    long4 big = m > 1.4142135;
    m = (double4)(((long4)(m * 0.5) & big) | ((long4)m & ~big));
    double4 e = __builtin_convertvector(exponent, double4);
    e += (double4)((long4)(double4){1.0, 1.0, 1.0, 1.0} & big);
    double4 z = (m - 1.0) / (m + 1.0), z2 = z * z;
    double4 p = 1.0 / 7.0 + z2 * (1.0 / 9.0);
    p = 1.0 / 5.0 + z2 * p;
    p = 1.0 / 3.0 + z2 * p;
    p = 1.0 + z2 * p;
    double4 log2 = e + 2.8853900817779268 * z * p;
    int4 root = (int4) __builtin_convertvector(0.5 * log2, float4);
    int4 high = squared > 3.0e38f, sound = squared >= 1.17549435e-38f;
    const float4 limit = {32.0f, 32.0f, 32.0f, 32.0f};
    root = (root & ~high) | ((int4)limit & high);
    return (float4)((root & sound) | ((int4)-limit & ~sound));
}

INLINE vfloat
derived_lod(const struct sample_lod_plan *lod, vfloat u, vfloat v)
{
    vfloat w = v_splat(lod->size[0]), h = v_splat(lod->size[1]);
    vfloat u0 = v_quad(u, 0), v0 = v_quad(v, 0);
    vfloat dudx = (v_quad(u, 1) - u0) * w, dudy = (v_quad(u, 2) - u0) * w;
    vfloat dvdx = (v_quad(v, 1) - v0) * h, dvdy = (v_quad(v, 2) - v0) * h;
    vfloat x = dudx * dudx + dvdx * dvdx, y = dudy * dudy + dvdy * dvdy;
    return v_spread(log2_root(v_quads(v_fmax(x, y))));
}

/* lod.c's fixed_lod(); NaN is the least. */
INLINE vint
fixed_lod(vfloat lod)
{
    lod = v_fmin(v_fmax(lod, v_splat(-32.0f)), v_splat(32.0f));
    return v_ifloor(lod * v_splat(SAMPLE_ONE) + v_splat(0.5f));
}

/* lod.c's clamp_lod() and lod_select() */
INLINE void
choose_level(const struct sample_lod_plan *plan, vfloat raw,
             struct lanes_lod *out)
{
    vint lod = fixed_lod(raw + v_splat(plan->bias));
    if (plan->preclamp)
        lod = v_max(v_min(lod, v_isplat(plan->preclamp_max)),
                    v_isplat(plan->preclamp_min));
    out->mag = v_not(v_less(v_isplat(plan->base), lod));
    vint chosen = v_isplat(plan->alone);
    out->beta = v_isplat(0);
    if (plan->mip_filter != MIP_NONE) {
        chosen = v_max(v_min(lod, v_isplat(plan->max)), v_isplat(plan->min));
        if (plan->mip_filter == MIP_NEAREST)
            chosen = (chosen + SAMPLE_ONE / 2) & -SAMPLE_ONE;
        chosen = v_min(v_max(chosen, v_isplat(0)), v_isplat(plan->mips));
        if (!plan->mag_by_mip)
            chosen = v_iselect(out->mag, v_isplat(plan->alone), chosen);
        out->beta = chosen & (SAMPLE_ONE - 1);
    }
    out->level = (chosen >> 8) + plan->level0;
}

INLINE void
find_levels(const struct sample_plan *p, const struct sample_lanes *in,
            unsigned lane, vmask live, vfloat u, vfloat v,
            struct lanes_lod *out)
{
    const struct sample_lod_plan *plan = &p->lod;
    if (plan->fixed) {
        out->level = v_isplat(plan->level);
        out->beta = v_isplat(plan->beta);
        out->mag = v_live(plan->mag ? 0xffff : 0);
        out->blend = plan->beta != 0;
        return;
    }
    vfloat lod = v_splat(0.0f);
    if (plan->derived)
        lod = derived_lod(plan, u, v);
    if (plan->lane && plan->derived)
        lod += load(in, in->lod, lane);
    else if (plan->lane)
        lod = load(in, in->lod, lane);
    choose_level(plan, lod, out);
    out->blend = v_any(v_and(live, v_less(v_isplat(0), out->beta)));
}

/* ---- addresses ------------------------------------------------------------
 */

/* A level of each lane. */
struct lanes_level {
    vint w, h, x_B, y;
    vfloat w_fx8, h_fx8;
};

INLINE struct lanes_level
get_level(const struct sample_plan *p, vint level, vint layer_y)
{
    const struct sample_levels *t = &p->levels;
    return (struct lanes_level){
        .w = v_table(t->w, level),
        .h = v_table(t->h, level),
        .x_B = v_table(t->x_B, level),
        .y = v_table(t->y, level) + layer_y,
        .w_fx8 = (vfloat)v_table(t->w_fx8, level),
        .h_fx8 = (vfloat)v_table(t->h_fx8, level),
    };
}

struct lanes_axis {
    vint i0, i1, w1;
    vmask outside; /* over an edge, where that matters */
};

INLINE vfloat
zero_if_nan(vfloat x)
{
    return v_select(v_fequal(x, x), x, v_splat(0.0f));
}

/* address.c's scale(), in 1/256 texels: never beyond what an int holds. */
INLINE vfloat
scale(unsigned wrap, vfloat u, vfloat n_fx8)
{
    const float limit = 1 << 28;
    if (wrap == GEN9_TCM_WRAP)
        return zero_if_nan((u - v_floor(u)) * n_fx8);
    if (wrap == GEN9_TCM_MIRROR)
        return zero_if_nan((u - v_splat(2.0f) * v_floor(u * v_splat(0.5f))) *
                           n_fx8);
    vfloat x = zero_if_nan(u * n_fx8);
    return v_fmin(v_fmax(x, v_splat(-limit)), v_splat(limit));
}

INLINE vint
modulo(vint i, vint n)
{
    vfloat q = (v_float(i) + v_splat(0.5f)) / v_float(n);
    return i - n * v_ifloor(q);
}

/* address_wrap() of what scale() gives; `far`: and an offset besides. */
INLINE vint
wrap_texel(unsigned wrap, vint i, vint n, bool far)
{
    if (wrap == GEN9_TCM_WRAP) {
        if (far)
            return modulo(i, n);
        return v_min_u(v_min_u(i, i + n), i - n);
    }
    if (wrap == GEN9_TCM_MIRROR) {
        if (far)
            i = modulo(i, n + n);
        vint back = n + n - 1 - i;
        return v_min_u(v_max(i, v_isplat(0)), v_max(back, v_isplat(0)));
    }
    return v_max(v_min(i, n - 1), v_isplat(0));
}

INLINE struct lanes_axis
axis_linear(const struct sample_plan *p, unsigned d, vfloat u, vint n,
            vfloat n_fx8)
{
    unsigned wrap = p->wrap[d];
    bool far = p->offset[d] != 0;
    vfloat x = scale(wrap, u, n_fx8);
    if (wrap == GEN9_TCM_HALF_BORDER)
        x = v_fmin(v_fmax(x, v_splat(0.0f)), n_fx8);
    vint fixed = v_ifloor(x + v_splat(p->round[d])) - SAMPLE_ONE / 2;
    vint i = (fixed >> 8) + p->offset[d];
    struct lanes_axis a = {
        .i0 = wrap_texel(wrap, i, n, far),
        .i1 = wrap_texel(wrap, i + 1, n, far),
        .w1 = fixed & (SAMPLE_ONE - 1),
        .outside = v_live(0),
    };
    if (wrap == GEN9_TCM_CLAMP_BORDER || wrap == GEN9_TCM_HALF_BORDER)
        a.outside = v_not(v_less_u(i, n - 1));
    return a;
}

INLINE struct lanes_axis
axis_nearest(const struct sample_plan *p, unsigned d, vfloat u, vint n,
             vfloat n_fx8)
{
    unsigned wrap = p->wrap[d];
    vint i = (v_ifloor(scale(wrap, u, n_fx8)) >> 8) + p->offset[d];
    struct lanes_axis a = {
        .i0 = wrap_texel(wrap, i, n, p->offset[d] != 0),
        .outside = v_live(0),
    };
    if (wrap == GEN9_TCM_CLAMP_BORDER)
        a.outside = v_not(v_less_u(i, n));
    return a;
}

INLINE vint
offset_x_B(const struct sample_tiling *t, const struct lanes_level *lv, vint x)
{
    vint x_B = (x << t->element_shift) + lv->x_B;
    return (x_B & t->x_keep) | ((x_B & ~t->x_keep) << t->x_shift);
}

INLINE vint
offset_y_B(const struct sample_tiling *t, const struct lanes_level *lv, vint y)
{
    y += lv->y;
    return (y >> t->y_shift) * t->y_pitch_B +
           ((y & t->y_keep) << t->y_keep_shift);
}

/* ---- texels ---------------------------------------------------------------
 */

INLINE unsigned
channel_count(enum sample_texel kind)
{
    return kind == SAMPLE_BYTES1 ? 1 : kind == SAMPLE_BYTES2 ? 2 : 4;
}

/* An element of up to four bytes, in the low bits. Nothing is read beyond the
 * four bytes that it shares. */
INLINE vint
load_bytes(const struct sample_plan *p, enum sample_texel kind, vint at)
{
    if (kind == SAMPLE_BYTES4)
        return v_gather(p->mem, at);
    vint word = v_gather(p->mem, at & -4);
    return word >> ((at & 3) << 3);
}

/* The bytes of a texel as numbers. */
INLINE void
nearest_bytes(const struct sample_plan *p, enum sample_texel kind, vint at,
              vfloat c[4])
{
    vint texel = load_bytes(p, kind, at);
    for (unsigned i = 0; i < channel_count(kind); i++)
        c[i] = v_float((texel >> 8 * (int)i) & 0xff);
}

/* Two bytes of each texel, in 16-bit halves: at most 255 * 256. */
INLINE vint
mix_bytes(vint a, vint b, vint w0, vint w1)
{
    return v_add16(v_mul16(a & 0xff00ff, w0), v_mul16(b & 0xff00ff, w1));
}

/* Products have at most 24 bits, so that the order does not matter. */
INLINE void
linear_bytes(const struct sample_plan *p, enum sample_texel kind,
             const vint at[4], vint wx, vint wy, vfloat c[4])
{
    vint t[4];
    for (unsigned i = 0; i < 4; i++)
        t[i] = load_bytes(p, kind, at[i]);
    vint w1 = wx | wx << 16, w0 = (SAMPLE_ONE << 16 | SAMPLE_ONE) - w1;
    vfloat low = v_float(wy) * v_splat(1.0f / (SAMPLE_ONE * SAMPLE_ONE));
    vfloat top = v_splat(1.0f / SAMPLE_ONE) - low;
    for (unsigned i = 0; i < 2 && i < channel_count(kind); i++) {
        int shift = 8 * (int)i;
        vint a = mix_bytes(t[0] >> shift, t[1] >> shift, w0, w1);
        vint b = mix_bytes(t[2] >> shift, t[3] >> shift, w0, w1);
        c[i] = v_float(a & 0xffff) * top + v_float(b & 0xffff) * low;
        if (kind == SAMPLE_BYTES4)
            c[i + 2] = v_float(v_srl(a, 16)) * top +
                       v_float(v_srl(b, 16)) * low;
    }
}

/* ---- one level ------------------------------------------------------------
 */

struct lanes_place {
    vfloat u, v;
    vmask live;
};

/* False if some lane reads the border. */
INLINE bool
level_nearest(const struct sample_plan *p, enum sample_texel kind,
              const struct lanes_level *lv, const struct lanes_place *at,
              vfloat c[4])
{
    struct lanes_axis x = axis_nearest(p, 0, at->u, lv->w, lv->w_fx8);
    struct lanes_axis y = axis_nearest(p, 1, at->v, lv->h, lv->h_fx8);
    if (v_any(v_and(at->live, v_or(x.outside, y.outside))))
        return false;
    vint at_B = offset_x_B(&p->tiling, lv, x.i0) +
                offset_y_B(&p->tiling, lv, y.i0);
    nearest_bytes(p, kind, at_B, c);
    return true;
}

INLINE bool
level_linear(const struct sample_plan *p, enum sample_texel kind,
             const struct lanes_level *lv, const struct lanes_place *at,
             vfloat c[4])
{
    struct lanes_axis x = axis_linear(p, 0, at->u, lv->w, lv->w_fx8);
    struct lanes_axis y = axis_linear(p, 1, at->v, lv->h, lv->h_fx8);
    if (v_any(v_and(at->live, v_or(x.outside, y.outside))))
        return false;
    vint x0_B = offset_x_B(&p->tiling, lv, x.i0);
    vint x1_B = offset_x_B(&p->tiling, lv, x.i1);
    vint y0_B = offset_y_B(&p->tiling, lv, y.i0);
    vint y1_B = offset_y_B(&p->tiling, lv, y.i1);
    vint at_B[4] = {x0_B + y0_B, x1_B + y0_B, x0_B + y1_B, x1_B + y1_B};
    linear_bytes(p, kind, at_B, x.w1, y.w1, c);
    return true;
}

/* Each lane with the filter for its magnification. */
INLINE bool
level_texels(const struct sample_plan *p, enum sample_texel kind,
             const struct lanes_level *lv, const struct lanes_place *at,
             vmask linear, vfloat c[4])
{
    if (!v_any(v_and(at->live, linear)))
        return level_nearest(p, kind, lv, at, c);
    if (!v_any(v_and(at->live, v_not(linear))))
        return level_linear(p, kind, lv, at, c);
    vfloat near[4];
    if (!level_linear(p, kind, lv, at, c) ||
        !level_nearest(p, kind, lv, at, near))
        return false;
    for (unsigned i = 0; i < channel_count(kind); i++)
        c[i] = v_select(linear, c[i], near[i]);
    return true;
}

/* ---- the answer -----------------------------------------------------------
 */

/* x / 255, correctly rounded: the quotient is off by less than one unit in
 * the last place, and the remainder is exact. */
INLINE vfloat
div255(vfloat x)
{
    vfloat inv = v_splat(1.0f / 255.0f), q = x * inv;
    return v_fma(v_fnma(q, v_splat(255.0f), x), inv, q);
}

INLINE void
put(const struct sample_lanes *in, unsigned lane, vmask live, unsigned channel,
    vfloat value)
{
    uint32_t *out = in->out[channel];
    if (!out)
        return;
    if (LANES < SAMPLE_LANES || in->exec_mask == 0xffff)
        v_store(out + lane, (vint)value); /* see sample_lanes() */
    else
        v_store_some(out + lane, live, (vint)value);
}

INLINE void
answer(const struct sample_plan *p, enum sample_texel kind,
       const struct sample_lanes *in, unsigned lane, vmask live, vfloat c[4])
{
    for (unsigned i = 0; i < channel_count(kind); i++)
        c[i] = div255(c[i]);
    if (kind == SAMPLE_BYTES4 && p->permuted) {
        for (unsigned i = 0; i < 4; i++)
            put(in, lane, live, p->place[i], c[i]);
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        unsigned from = p->pick[i];
        vfloat value = v_splat(from == SOURCE_ONE ? 1.0f : 0.0f);
        for (unsigned k = 0; k < channel_count(kind); k++)
            if (from == k)
                value = c[k];
        put(in, lane, live, i, value);
    }
}

INLINE vint
layer_rows(const struct sample_plan *p, const struct sample_lanes *in,
           unsigned lane)
{
    if (!p->layered)
        return v_isplat(0);
    vfloat index = load(in, in->r, lane);
    index = v_fmin(v_fmax(index, v_splat(0.0f)), v_splat(p->last_layer));
    /* Nearest even, which the magic number leaves to the FPU. */
    index = (index + v_splat(8388608.0f)) - v_splat(8388608.0f);
    return v_ifloor(index) * p->layer_rows;
}

INLINE bool
sample(const struct sample_plan *p, enum sample_texel kind,
       const struct sample_lanes *in, unsigned lane)
{
    struct lanes_place at = {
        .u = load(in, in->u, lane),
        .v = load(in, in->v, lane),
        .live = v_live(in->exec_mask >> lane),
    };
    struct lanes_lod lod;
    find_levels(p, in, lane, at.live, at.u, at.v, &lod);
    vint layer_y = layer_rows(p, in, lane);
    vmask linear = v_live(p->min_linear ? 0xffff : 0);
    if (p->min_linear != p->mag_linear)
        linear = p->mag_linear ? lod.mag : v_not(lod.mag);
    struct lanes_level lv = get_level(p, lod.level, layer_y);
    vfloat c[4];
    if (!level_texels(p, kind, &lv, &at, linear, c))
        return false;
    if (lod.blend) {
        vmask both = v_less(v_isplat(0), lod.beta);
        vfloat beta = v_float(lod.beta) * v_splat(1.0f / SAMPLE_ONE), d[4];
        lv = get_level(p, v_iselect(both, lod.level + 1, lod.level), layer_y);
        if (!level_texels(p, kind, &lv, &at, linear, d))
            return false;
        for (unsigned i = 0; i < channel_count(kind); i++)
            c[i] = c[i] + (d[i] - c[i]) * beta;
    }
    answer(p, kind, in, lane, at.live, c);
    return true;
}

#if LANES == 16

INLINE bool
sample_lanes(const struct sample_plan *p, enum sample_texel kind,
             const struct sample_lanes *in)
{
    return sample(p, kind, in, 0);
}

#else

/* The first half of the answer may lie where the second half's parameters
 * are, and must not be written if the second half cannot be answered. */
INLINE bool
sample_lanes(const struct sample_plan *p, enum sample_texel kind,
             const struct sample_lanes *in)
{
    alignas(32) uint32_t out[4][SAMPLE_LANES];
    struct sample_lanes half = *in;
    for (unsigned c = 0; c < 4; c++)
        half.out[c] = in->out[c] ? out[c] : NULL;
    for (unsigned lane = 0; lane < in->lanes; lane += LANES)
        if (!sample(p, kind, &half, lane))
            return false;
    uint32_t all = in->lanes == SAMPLE_LANES ? 0xffff : 0xff;
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned lane = 0; in->out[c] && lane < in->lanes; lane += LANES) {
            vint value = v_load(out[c] + lane, LANES);
            if (in->exec_mask == all)
                v_store(in->out[c] + lane, value);
            else
                v_store_some(in->out[c] + lane, v_live(in->exec_mask >> lane),
                             value);
        }
    }
    return true;
}

#endif

#define ROUTINE(name, kind)                         \
    static bool name(const struct sample_plan *p,   \
                     const struct sample_lanes *in) \
    {                                               \
        return sample_lanes(p, kind, in);           \
    }

ROUTINE(sample_bytes1, SAMPLE_BYTES1)
ROUTINE(sample_bytes2, SAMPLE_BYTES2)
ROUTINE(sample_bytes4, SAMPLE_BYTES4)

const sample_plan_fn SAMPLE_ROUTINES[SAMPLE_TEXELS] = {
    [SAMPLE_BYTES1] = sample_bytes1,
    [SAMPLE_BYTES2] = sample_bytes2,
    [SAMPLE_BYTES4] = sample_bytes4,
};
