/* rt_blend.h: blending, a part of rt_tmpl.h. Gives the same bits as blend.c. */

/* Clamps to 0..1 the channels that blending of a normalised format needs. */
LANES_INLINE void
units(enum rt_format f, vf v[4])
{
    EACH_CHANNEL (c) {
        if (has_channel(f, c) || c == 3)
            v[c] = to_unit(v[c]);
    }
}

/* Clamps the stored channels of a normalised format to NOT_BELOW_0;
 * rows_of_bytes() clamps bytes. */
LANES_INLINE void
not_negative(enum rt_format f, vf v[4])
{
    EACH_CHANNEL (c) {
        if (is_unorm(f) && !is_bytes(f) && has_channel(f, c))
            v[c] = not_below_0(v[c]);
    }
}

LANES_INLINE void
clamp_channels(const struct rt_state *st, vf v[4])
{
    EACH_CHANNEL (c)
        v[c] = f_min(f_max(v[c], f_all(st->lo[c])), f_all(st->hi[c]));
}

struct blend_in {
    vf src[4], dst[4];
    const float *constant;
};

/* One factor for all channels. */
LANES_INLINE void
same_factors(vf v, vf f[4])
{
    EACH_CHANNEL (c)
        f[c] = v;
}

/* A factor with a code below BLENDFACTOR_ZERO. */
LANES_INLINE void
plain_factors(unsigned code, const struct blend_in *in, vf f[4])
{
    switch (code) {
    case GEN9_BLENDFACTOR_SRC_COLOR:
        EACH_CHANNEL (c)
            f[c] = in->src[c];
        break;
    case GEN9_BLENDFACTOR_SRC_ALPHA: same_factors(in->src[3], f); break;
    case GEN9_BLENDFACTOR_DST_ALPHA: same_factors(in->dst[3], f); break;
    case GEN9_BLENDFACTOR_DST_COLOR:
        EACH_CHANNEL (c)
            f[c] = in->dst[c];
        break;
    case GEN9_BLENDFACTOR_CONST_COLOR:
        EACH_CHANNEL (c)
            f[c] = f_all(in->constant[c]);
        break;
    case GEN9_BLENDFACTOR_CONST_ALPHA:
        same_factors(f_all(in->constant[3]), f);
        break;
    case GEN9_BLENDFACTOR_ONE: same_factors(f_all(1), f); break;
    case GEN9_BLENDFACTOR_SRC_ALPHA_SATURATE:
        same_factors(f_min(in->src[3], f_sub(f_all(1), in->dst[3])), f);
        f[3] = f_all(1);
        break;
    default: same_factors(f_all(0), f); break;
    }
}

LANES_INLINE void
factors(unsigned code, const struct blend_in *in, vf f[4])
{
    bool inverse = code >= GEN9_BLENDFACTOR_ZERO;
    plain_factors(inverse ? code - 16 : code, in, f);
    if (!inverse)
        return;
    EACH_CHANNEL (c)
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
    vf sf[2][4], df[2][4];
    LANES_UNROLLED (unsigned i = 0; i < 2; i++) {
        factors(st->src[i], in, sf[i]);
        factors(st->dst[i], in, df[i]);
    }
    EACH_CHANNEL (c) {
        const unsigned i = c == 3;
        out[c] = combine(st->func[i], in->src[c], in->dst[c], sf[i][c],
                         df[i][c]);
    }
}

LANES_INLINE void
blend_over(const struct blend_in *in, vf out[4])
{
    vf a = in->src[3], rest = f_sub(f_all(1), a);
    EACH_CHANNEL (c)
        out[c] = f_add(f_mul(in->src[c], a), f_mul(in->dst[c], rest));
}

LANES_INLINE void
no_other_nan(vf v[4])
{
    if (!f_any_nan(v))
        return;
    EACH_CHANNEL (c)
        v[c] = f_unless_nan(v[c], v[c], f_all(__builtin_nanf("")));
}

/* RT_SRC_OVER for columns of pixels with four floats, in the order of memory:
 * saves transposing the target's colours by channel, and back. False if results
 * must be clamped by channel. */
LANES_INLINE bool
blend_pixels(const struct rt_state *st, const vf src[4], vi e[4])
{
    vf color[4], out[4];
    vi s[4];
    if (st->clamp_result)
        return false;
    EACH_CHANNEL (c)
        color[c] = src[c];
    if (st->clamp_source)
        clamp_channels(st, color);
    EACH_CHANNEL (c)
        s[c] = i_from_bits(color[c]);
    columns_of_4(s, s);
    EACH_CHANNEL (i) {
        vf v = f_from_bits(s[i]), a = f_last_of_piece(v);
        vf rest = f_sub(f_all(1), a);
        out[i] = f_add(f_mul(v, a), f_mul(f_from_bits(e[i]), rest));
    }
    no_other_nan(out);
    EACH_CHANNEL (i)
        e[i] = i_from_bits(out[i]);
    return true;
}

LANES_INLINE void
blend(enum rt_format f, enum rt_mode mode, const struct rt_state *st,
      struct blend_in *in, vf out[4])
{
    in->constant = st->constant;
    if (mode == RT_SRC_OVER && is_unorm(f)) {
        /* rt_state_init() ensures sources in [0, 1]. The result then exceeds 1
         * by at most a rounding, which the conversion drops. */
        units(f, in->src);
        blend_over(in, out);
        return;
    }
    if (st->clamp_source)
        clamp_channels(st, in->src);
    if (mode == RT_SRC_OVER)
        blend_over(in, out);
    else
        blend_any(st, in, out);
    if (!is_unorm(f))
        no_other_nan(out);
    if (st->clamp_result)
        clamp_channels(st, out);
    not_negative(f, out);
}
