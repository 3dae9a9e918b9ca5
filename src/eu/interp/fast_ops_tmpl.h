/* fast_ops_tmpl.h: the fast op functions for one lane count; included by
 * fast_ops.c once per count. LANES is a constant, or op->lanes.
 *
 * A source is a pointer into the register file where its region allows, a
 * temporary otherwise. Results are complete before the first byte is written,
 * so operands may overlap. */

#define LANE_LOOP IVDEP for (unsigned i = 0; i < LANES; i++)

static inline const float *
FN(fetch_f)(const struct eu_thread *t, const struct eu_op *op, unsigned s,
            float *tmp)
{
    const struct eu_op_src *src = &op->src[s];
    const aliased_u32 *p = (const void *)(t->grf + src->off_B);
    float scalar;
    switch (src->cls) {
    case EU_SRC_VEC: return (const float *)(const void *)p;
    case EU_SRC_VEC_MOD:
        LANE_LOOP
        tmp[i] = float_from_bits((p[i] & src->and_mask) ^ src->xor_mask);
        return tmp;
    case EU_SRC_STRIDED:
        for (unsigned i = 0; i < LANES; i++)
            tmp[i] = float_from_bits((p[i * src->step] & src->and_mask) ^
                                     src->xor_mask);
        return tmp;
    case EU_SRC_SCALAR:
        scalar = float_from_bits((*p & src->and_mask) ^ src->xor_mask);
        LANE_LOOP
        tmp[i] = scalar;
        return tmp;
    case EU_SRC_IMM:
        scalar = float_from_bits(src->imm);
        LANE_LOOP
        tmp[i] = scalar;
        return tmp;
    default: eu_gather_f(t, op, s, tmp); return tmp;
    }
}

static inline const uint32_t *
FN(fetch_i)(const struct eu_thread *t, const struct eu_op *op, unsigned s,
            uint32_t *tmp)
{
    const struct eu_op_src *src = &op->src[s];
    const aliased_u32 *p = (const void *)(t->grf + src->off_B);
    uint32_t scalar;
    switch (src->cls) {
    case EU_SRC_VEC: return (const uint32_t *)(const void *)p;
    case EU_SRC_VEC_MOD:
        LANE_LOOP
        tmp[i] = ((p[i] & src->and_mask) ^ src->xor_mask) + src->plus;
        return tmp;
    case EU_SRC_STRIDED:
        for (unsigned i = 0; i < LANES; i++)
            tmp[i] = ((p[i * src->step] & src->and_mask) ^ src->xor_mask) +
                     src->plus;
        return tmp;
    case EU_SRC_U16:
        LANE_LOOP
        tmp[i] = ((const aliased_u16 *)p)[i];
        return tmp;
    case EU_SRC_S16:
        LANE_LOOP
        tmp[i] = (uint32_t)(int16_t)((const aliased_u16 *)p)[i];
        return tmp;
    case EU_SRC_SCALAR:
        scalar = ((*p & src->and_mask) ^ src->xor_mask) + src->plus;
        LANE_LOOP
        tmp[i] = scalar;
        return tmp;
    case EU_SRC_IMM:
        LANE_LOOP
        tmp[i] = src->imm;
        return tmp;
    default: eu_gather_i(t, op, s, tmp); return tmp;
    }
}

/* One bit per lane whose m is not zero; m is 0 or -1. */
static inline uint32_t
FN(bits_of)(const struct eu_op *op, const int32_t *m)
{
    uint32_t bits = 0;
    unsigned i = 0;
    for (; i + 4 <= LANES; i += 4) {
        __m128i v = _mm_loadu_si128((const void *)(m + i));
        bits |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(v)) << i;
    }
    for (; i < LANES; i++)
        bits |= (uint32_t)(m[i] & 1) << i;
    return bits;
}

#define COMPARE(expression)       \
    LANE_LOOP                     \
    m[i] = (expression) ? -1 : 0; \
    break

static inline void
FN(cond_f)(const struct eu_op *op, const float *a, const float *b, int32_t *m)
{
    switch (op->cmod) {
    case EU_CMOD_Z: COMPARE(a[i] == b[i]);
    case EU_CMOD_NZ: COMPARE(a[i] != b[i]);
    case EU_CMOD_G: COMPARE(a[i] > b[i]);
    case EU_CMOD_GE: COMPARE(a[i] >= b[i]);
    case EU_CMOD_L: COMPARE(a[i] < b[i]);
    case EU_CMOD_LE: COMPARE(a[i] <= b[i]);
    default: COMPARE((a[i] != a[i]) | (b[i] != b[i]));
    }
}

/* Signed and unsigned: an unsigned order is the signed order of values with the
 * top bit flipped. */
static inline void
FN(cond_i)(const struct eu_op *op, const uint32_t *a, const uint32_t *b,
           int32_t *m)
{
    uint32_t flip = op->is_unsigned ? 0x80000000 : 0;
    switch (op->cmod) {
    case EU_CMOD_Z: COMPARE(a[i] == b[i]);
    case EU_CMOD_NZ: COMPARE(a[i] != b[i]);
    case EU_CMOD_G: COMPARE((int32_t)(a[i] ^ flip) > (int32_t)(b[i] ^ flip));
    case EU_CMOD_GE: COMPARE((int32_t)(a[i] ^ flip) >= (int32_t)(b[i] ^ flip));
    case EU_CMOD_L: COMPARE((int32_t)(a[i] ^ flip) < (int32_t)(b[i] ^ flip));
    default: COMPARE((int32_t)(a[i] ^ flip) <= (int32_t)(b[i] ^ flip));
    }
}

static inline void
FN(write)(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
          const aliased_u32 *r)
{
    uint8_t *d = t->grf + op->dst_off_B;
    if (mask == op->full) {
        memcpy(d, r, LANES * 4);
        return;
    }
    aliased_u32 *p = (void *)d;
    LANE_LOOP
    p[i] = mask & (UINT32_C(1) << i) ? r[i] : p[i];
}

/* Alternate mode differs only if a result is infinite or NaN. */
static inline bool
FN(is_alt_case)(const struct eu_thread *t, const struct eu_op *op,
                uint32_t mask, const float *r)
{
    if (!(t->cr0[0] & EU_CR0_ALT))
        return false;
    alignas(64) int32_t m[MAX_LANES];
    LANE_LOOP
    m[i] = (bits_from_float(r[i]) & 0x7f800000) == 0x7f800000 ? -1 : 0;
    return mask & FN(bits_of)(op, m);
}

static inline const struct eu_op *
FN(finish_f)(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
             float *r)
{
    if (FN(is_alt_case)(t, op, mask, r))
        return op->slow(t, op);
    if (op->post) {
        if (op->post & EU_POST_SAT)
            LANE_LOOP
        r[i] = fmath_saturate(r[i]);
        if (op->post & EU_POST_CMOD) {
            static const float zero[EU_MAX_LANES];
            alignas(64) int32_t m[MAX_LANES];
            FN(cond_f)(op, r, zero, m);
            eu_op_write_flags(t, op, mask, FN(bits_of)(op, m));
        }
        if (op->post & (EU_POST_STORE | EU_POST_NULL)) {
            if (op->post & EU_POST_STORE)
                eu_store_32(t, op, mask, (const void *)r);
            return op + 1;
        }
    }
    FN(write)(t, op, mask, (const void *)r);
    return op + 1;
}

static inline const struct eu_op *
FN(finish_i)(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
             uint32_t *r)
{
    if (op->post) {
        if (op->post & EU_POST_CMOD) {
            static const uint32_t zero[EU_MAX_LANES];
            alignas(64) int32_t m[MAX_LANES];
            FN(cond_i)(op, r, zero, m);
            eu_op_write_flags(t, op, mask, FN(bits_of)(op, m));
        }
        if (op->post & (EU_POST_STORE | EU_POST_NULL)) {
            if (op->post & EU_POST_STORE)
                eu_store_32(t, op, mask, r);
            return op + 1;
        }
    }
    FN(write)(t, op, mask, r);
    return op + 1;
}

/* ---- F ---- */

#define OP(name)                                              \
    static const struct eu_op *FN(name)(struct eu_thread * t, \
                                        const struct eu_op *op)

#define OP_F1(name, expression)                        \
    OP(name)                                           \
    {                                                  \
        uint32_t mask = eu_op_mask(t, op);             \
        alignas(64) float ta[MAX_LANES], r[MAX_LANES]; \
        if (!mask)                                     \
            return op + 1;                             \
        const float *a = FN(fetch_f)(t, op, 0, ta);    \
        LANE_LOOP                                      \
        r[i] = (expression);                           \
        return FN(finish_f)(t, op, mask, r);           \
    }

#define OP_F2(name, expression)                                       \
    OP(name)                                                          \
    {                                                                 \
        uint32_t mask = eu_op_mask(t, op);                            \
        alignas(64) float ta[MAX_LANES], tb[MAX_LANES], r[MAX_LANES]; \
        if (!mask)                                                    \
            return op + 1;                                            \
        const float *a = FN(fetch_f)(t, op, 0, ta);                   \
        const float *b = FN(fetch_f)(t, op, 1, tb);                   \
        LANE_LOOP                                                     \
        r[i] = (expression);                                          \
        return FN(finish_f)(t, op, mask, r);                          \
    }

#define OP_F3(name, expression)                                        \
    OP(name)                                                           \
    {                                                                  \
        uint32_t mask = eu_op_mask(t, op);                             \
        alignas(64) float ta[MAX_LANES], tb[MAX_LANES], tc[MAX_LANES]; \
        alignas(64) float r[MAX_LANES];                                \
        if (!mask)                                                     \
            return op + 1;                                             \
        const float *a = FN(fetch_f)(t, op, 0, ta);                    \
        const float *b = FN(fetch_f)(t, op, 1, tb);                    \
        const float *c = FN(fetch_f)(t, op, 2, tc);                    \
        LANE_LOOP                                                      \
        r[i] = (expression);                                           \
        return FN(finish_f)(t, op, mask, r);                           \
    }

OP_F1(mov_f, a[i])
OP_F2(add_f, a[i] + b[i])
OP_F2(mul_f, a[i] * b[i])
OP_F3(mad_f, fmath_fma(b[i], c[i], a[i]))
OP_F3(lrp_f, fmath_lrp(a[i], b[i], c[i]))
OP_F1(frc, fmath_frc(a[i]))
OP_F1(rndd, fmath_floor(a[i]))
OP_F1(rndu, fmath_ceil(a[i]))
OP_F1(rnde, fmath_rnde(a[i]))
OP_F1(rndz, fmath_trunc(a[i]))
OP_F1(inv, fmath_inv(a[i]))
OP_F1(log, fmath_log(a[i]))
OP_F1(exp, fmath_exp(a[i]))
OP_F1(sqrt,
      fmath_sqrt(t->cr0[0] & EU_CR0_ALT ? fmath_copysign(a[i], 1.0f) : a[i]))
OP_F1(rsq, fmath_rsq(a[i]))
OP_F2(fdiv, a[i] / b[i])
OP_F2(pow, fmath_pow(a[i], b[i]))
OP_F2(min_f, float_from_bits(fmath_min_bits(bits_from_float(a[i]),
                                            bits_from_float(b[i]))))
OP_F2(max_f, float_from_bits(fmath_max_bits(bits_from_float(a[i]),
                                            bits_from_float(b[i]))))

FMATH_INLINE const struct eu_op *
FN(trig)(struct eu_thread *t, const struct eu_op *op, bool is_cos)
{
    uint32_t mask = eu_op_mask(t, op);
    alignas(64) float ta[MAX_LANES], r[MAX_LANES];
    uint32_t large = 0;
    if (!mask)
        return op + 1;
    const float *a = FN(fetch_f)(t, op, 0, ta);
    LANE_LOOP
    r[i] = is_cos ? fmath_cos(a[i]) : fmath_sin(a[i]);
    LANE_LOOP
    large |= fmath_trig_is_large(a[i]);
    if (large)
        for (unsigned i = 0; i < LANES; i++)
            if (fmath_trig_is_large(a[i]))
                r[i] = fmath_trig_large(a[i], is_cos);
    return FN(finish_f)(t, op, mask, r);
}

OP(sin)
{
    return FN(trig)(t, op, false);
}

OP(cos)
{
    return FN(trig)(t, op, true);
}

/* u and v of each 8 lanes in two registers; 8 or 16 lanes. */
OP(pln)
{
    uint32_t mask = eu_op_mask(t, op), p[4];
    alignas(64) float r[MAX_LANES];
    if (!mask)
        return op + 1;
    memcpy(p, t->grf + op->src[0].off_B, 16);
    for (unsigned i = 0; i < 4; i++)
        p[i] = (p[i] & op->src[0].and_mask) ^ op->src[0].xor_mask;
    float pu = float_from_bits(p[0]), pv = float_from_bits(p[1]);
    float pc = float_from_bits(p[3]);
    const aliased_f32 *uv = (const void *)(t->grf + op->src[1].off_B);
    for (unsigned g = 0; g < LANES; g += 8) {
        IVDEP for (unsigned i = 0; i < 8; i++)
            r[g + i] = fmath_pln(pu, pv, pc, uv[2 * g + i], uv[2 * g + i + 8]);
    }
    return FN(finish_f)(t, op, mask, r);
}

/* ---- choice and comparison ---- */

OP(sel_f)
{
    uint32_t mask = eu_op_enabled(t, op), first = eu_op_pred(t, op);
    alignas(64) float ta[MAX_LANES], tb[MAX_LANES], r[MAX_LANES];
    if (!mask)
        return op + 1;
    const float *a = FN(fetch_f)(t, op, 0, ta);
    const float *b = FN(fetch_f)(t, op, 1, tb);
    LANE_LOOP
    r[i] = first & (UINT32_C(1) << i) ? a[i] : b[i];
    return FN(finish_f)(t, op, mask, r);
}

OP(csel)
{
    static const float zero[EU_MAX_LANES];
    uint32_t mask = eu_op_mask(t, op);
    alignas(64) float ta[MAX_LANES], tb[MAX_LANES], tc[MAX_LANES];
    alignas(64) float r[MAX_LANES];
    alignas(64) int32_t m[MAX_LANES];
    if (!mask)
        return op + 1;
    const float *a = FN(fetch_f)(t, op, 0, ta);
    const float *b = FN(fetch_f)(t, op, 1, tb);
    FN(cond_f)(op, FN(fetch_f)(t, op, 2, tc), zero, m);
    LANE_LOOP
    r[i] = m[i] ? a[i] : b[i];
    return FN(finish_f)(t, op, mask, r);
}

static inline const struct eu_op *
FN(finish_cmp)(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
               int32_t *m)
{
    eu_op_write_flags(t, op, mask, FN(bits_of)(op, m));
    if (op->post & EU_POST_STORE)
        eu_store_32(t, op, mask, (const void *)m);
    else if (!(op->post & EU_POST_NULL))
        FN(write)(t, op, mask, (const void *)m);
    return op + 1;
}

OP(cmp_f)
{
    uint32_t mask = eu_op_mask(t, op);
    alignas(64) float ta[MAX_LANES], tb[MAX_LANES];
    alignas(64) int32_t m[MAX_LANES];
    if (!mask)
        return op + 1;
    const float *a = FN(fetch_f)(t, op, 0, ta);
    FN(cond_f)(op, a, FN(fetch_f)(t, op, 1, tb), m);
    return FN(finish_cmp)(t, op, mask, m);
}

OP(cmp_i)
{
    uint32_t mask = eu_op_mask(t, op);
    alignas(64) uint32_t ta[MAX_LANES], tb[MAX_LANES];
    alignas(64) int32_t m[MAX_LANES];
    if (!mask)
        return op + 1;
    const uint32_t *a = FN(fetch_i)(t, op, 0, ta);
    FN(cond_i)(op, a, FN(fetch_i)(t, op, 1, tb), m);
    return FN(finish_cmp)(t, op, mask, m);
}

/* ---- integers of at most 32 bits, modulo 2^32 ---- */

#define OP_I(name, sources, live, expression)                 \
    OP(name)                                                  \
    {                                                         \
        uint32_t mask = live;                                 \
        alignas(64) uint32_t tmp[3][MAX_LANES], r[MAX_LANES]; \
        const uint32_t *p[3] = {tmp[0], tmp[1], tmp[2]};      \
        if (!mask)                                            \
            return op + 1;                                    \
        for (unsigned s = 0; s < (sources); s++)              \
            p[s] = FN(fetch_i)(t, op, s, tmp[s]);             \
        const uint32_t *a = p[0], *b = p[1], *c = p[2];       \
        uint32_t first = eu_op_pred(t, op);                   \
        (void)a, (void)b, (void)c, (void)first;               \
        LANE_LOOP                                             \
        r[i] = (expression);                                  \
        return FN(finish_i)(t, op, mask, r);                  \
    }
#define OP_I1(name, expression) OP_I(name, 1, eu_op_mask(t, op), expression)
#define OP_I2(name, expression) OP_I(name, 2, eu_op_mask(t, op), expression)
#define OP_I3(name, expression) OP_I(name, 3, eu_op_mask(t, op), expression)

OP_I1(mov_i, a[i])
OP_I1(not, ~a[i])
OP_I1(lzd, a[i] ? (uint32_t)__builtin_clz(a[i]) : 32)
OP_I1(fbl, a[i] ? (uint32_t)__builtin_ctz(a[i]) : UINT32_MAX)
OP_I1(cbit, (uint32_t)__builtin_popcount(a[i]))
OP_I1(fbh, find_high(a[i], op->is_unsigned))
OP_I2(add_i, a[i] + b[i])
OP_I2(mul_i, a[i] * b[i])
OP_I2(quot_d, divide_ints((int32_t)a[i], (int32_t)b[i]))
OP_I2(quot_ud, b[i] ? a[i] / b[i] : UINT32_MAX)
OP_I2(rem_d, remainder_of((int32_t)a[i], (int32_t)b[i]))
OP_I2(rem_ud, b[i] ? a[i] % b[i] : UINT32_MAX)
OP_I2(and, a[i] & b[i])
OP_I2(or, a[i] | b[i])
OP_I2(xor, a[i] ^ b[i])
OP_I2(shl, a[i] << (b[i] & 31))
OP_I2(shr, a[i] >> (b[i] & 31))
OP_I2(asr, (uint32_t)((int32_t)a[i] >> (b[i] & 31)))
OP_I3(bfi2, eu_insert_bits(a[i], b[i], c[i]))
OP_I3(bfe, extract_bits(a[i] & 31, b[i] & 31, c[i], op->is_unsigned))
OP_I(sel_i, 2, eu_op_enabled(t, op), first &(UINT32_C(1) << i) ? a[i] : b[i])
OP_I2(min_i, is_ordered(a[i], b[i], op->is_unsigned) ? a[i] : b[i])
OP_I2(max_i, is_ordered(b[i], a[i], op->is_unsigned) ? a[i] : b[i])

/* ---- conversions ---- */

OP(float_from_int)
{
    uint32_t mask = eu_op_mask(t, op);
    alignas(64) uint32_t ta[MAX_LANES];
    alignas(64) float r[MAX_LANES];
    if (!mask)
        return op + 1;
    const uint32_t *a = FN(fetch_i)(t, op, 0, ta);
    if (op->is_unsigned)
        LANE_LOOP
    r[i] = (float)a[i];
    else LANE_LOOP r[i] = (float)(int32_t)a[i];
    return FN(finish_f)(t, op, mask, r);
}

/* ADD of integers with an F result: exact, then rounded once. The difference
 * of equal numbers is +0 in every rounding mode. */
OP(add_f_int)
{
    uint32_t mask = eu_op_mask(t, op);
    alignas(64) uint32_t ta[MAX_LANES], tb[MAX_LANES];
    alignas(64) float r[MAX_LANES];
    if (!mask)
        return op + 1;
    const uint32_t *a = FN(fetch_i)(t, op, 0, ta);
    const uint32_t *b = FN(fetch_i)(t, op, 1, tb);
    LANE_LOOP
    {
        double sum = (double)(int32_t)a[i] + (double)(int32_t)b[i];
        r[i] = sum == 0 ? 0.0f : (float)sum;
    }
    return FN(finish_f)(t, op, mask, r);
}

OP(int_from_float)
{
    uint32_t mask = eu_op_mask(t, op);
    alignas(64) float ta[MAX_LANES];
    alignas(64) uint32_t r[MAX_LANES];
    if (t->cr0[0] & 1 << 12) /* rounds as cr0 says */
        return op->slow(t, op);
    if (!mask)
        return op + 1;
    const float *a = FN(fetch_f)(t, op, 0, ta);
    if (op->is_unsigned)
        LANE_LOOP
    r[i] = unsigned_from_float(a[i]);
    else LANE_LOOP r[i] = signed_from_float(a[i]);
    return FN(finish_i)(t, op, mask, r);
}

#undef LANE_LOOP
#undef COMPARE
#undef OP
#undef OP_F1
#undef OP_F2
#undef OP_F3
#undef OP_I
#undef OP_I1
#undef OP_I2
#undef OP_I3
