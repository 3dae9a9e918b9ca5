/* rt_blend.h: the part of rt_tmpl.h that blends; the bits are blend.c's. */

/* To 0..1 what blending of a normalised format needs. */
LANES_INLINE void
units(enum rt_format f, vf v[4])
{
    for (unsigned c = 0; c < 4; c++) {
        if (has_channel(f, c) || c == 3)
            v[c] = to_unit(v[c]);
    }
}

/* What a normalised format stores, to NOT_BELOW_0. */
LANES_INLINE void
not_negative(enum rt_format f, vf v[4])
{
    for (unsigned c = 0; is_unorm(f) && c < 4; c++) {
        if (has_channel(f, c))
            v[c] = not_below_0(v[c]);
    }
}

LANES_INLINE void
clamp_channels(const struct rt_state *st, vf v[4])
{
    for (unsigned c = 0; c < 4; c++)
        v[c] = f_min(f_max(v[c], f_all(st->lo[c])), f_all(st->hi[c]));
}

struct blend_in {
    vf src[4], dst[4];
    const float *constant;
};

/* Channels first..last - 1 of a factor below BLENDFACTOR_ZERO. */
LANES_INLINE void
plain_factors(unsigned code, const struct blend_in *in, unsigned first,
              unsigned last, vf f[4])
{
    vf saturate = f_min(in->src[3], f_sub(f_all(1), in->dst[3]));
    for (unsigned c = first; c < last; c++) {
        switch (code) {
        case GEN9_BLENDFACTOR_SRC_COLOR: f[c] = in->src[c]; break;
        case GEN9_BLENDFACTOR_SRC_ALPHA: f[c] = in->src[3]; break;
        case GEN9_BLENDFACTOR_DST_ALPHA: f[c] = in->dst[3]; break;
        case GEN9_BLENDFACTOR_DST_COLOR: f[c] = in->dst[c]; break;
        case GEN9_BLENDFACTOR_CONST_COLOR: f[c] = f_all(in->constant[c]); break;
        case GEN9_BLENDFACTOR_CONST_ALPHA: f[c] = f_all(in->constant[3]); break;
        case GEN9_BLENDFACTOR_ONE: f[c] = f_all(1); break;
        case GEN9_BLENDFACTOR_SRC_ALPHA_SATURATE:
            f[c] = c == 3 ? f_all(1) : saturate;
            break;
        default: f[c] = f_all(0); break;
        }
    }
}

LANES_INLINE void
factors(unsigned code, const struct blend_in *in, unsigned first, unsigned last,
        vf f[4])
{
    bool inverse = code >= GEN9_BLENDFACTOR_ZERO;
    plain_factors(inverse ? code - 16 : code, in, first, last, f);
    for (unsigned c = first; inverse && c < last; c++)
        f[c] = f_sub(f_all(1), f[c]);
}

LANES_INLINE vf
combine(unsigned func, vf s, vf d, vf sf, vf df)
{
    switch (func) {
    case GEN9_BLENDFUNCTION_SUBTRACT: return f_sub(f_mul(s, sf), f_mul(d, df));
    case GEN9_BLENDFUNCTION_REVERSE_SUBTRACT:
        return f_sub(f_mul(d, df), f_mul(s, sf));
    case GEN9_BLENDFUNCTION_MIN: return f_unless_nan(d, f_min(s, d), s);
    case GEN9_BLENDFUNCTION_MAX: return f_unless_nan(d, f_max(s, d), s);
    default: return f_add(f_mul(s, sf), f_mul(d, df));
    }
}

LANES_INLINE void
blend_any(const struct rt_state *st, const struct blend_in *in, vf out[4])
{
    vf sf[4], df[4];
    factors(st->src[0], in, 0, 3, sf);
    factors(st->dst[0], in, 0, 3, df);
    factors(st->src[1], in, 3, 4, sf);
    factors(st->dst[1], in, 3, 4, df);
    for (unsigned c = 0; c < 4; c++)
        out[c] = combine(st->func[c == 3], in->src[c], in->dst[c], sf[c],
                         df[c]);
}

LANES_INLINE void
blend_over(const struct blend_in *in, vf out[4])
{
    vf a = in->src[3], rest = f_sub(f_all(1), a);
    for (unsigned c = 0; c < 4; c++)
        out[c] = f_add(f_mul(in->src[c], a), f_mul(in->dst[c], rest));
}

LANES_INLINE void
blend(enum rt_format f, enum rt_mode mode, const struct rt_state *st,
      struct blend_in *in, vf out[4])
{
    in->constant = st->constant;
    if (mode == RT_OVER && is_unorm(f)) {
        /* From sources in [0, 1], as rt_state_init() sees to, the result is at
         * most a rounding above 1, which conversion does not see. */
        units(f, in->src);
        blend_over(in, out);
        return;
    }
    if (st->clamp_source)
        clamp_channels(st, in->src);
    if (mode == RT_OVER)
        blend_over(in, out);
    else
        blend_any(st, in, out);
    for (unsigned c = 0; !is_unorm(f) && c < 4; c++)
        out[c] = f_unless_nan(out[c], out[c], f_all(__builtin_nanf("")));
    if (st->clamp_result)
        clamp_channels(st, out);
    not_negative(f, out);
}
