/* simd_avx2.h: 8 lanes, with AVX2; a part of simd.h. simd_avx512.h describes
 * the functions. */
#ifndef BASE_SIMD_SIMD_AVX2_H
#define BASE_SIMD_SIMD_AVX2_H

static inline vfloat
v_splat(float f)
{
    return (vfloat)_mm256_set1_ps(f);
}

static inline vint
v_isplat(int32_t i)
{
    return (vint)_mm256_set1_epi32(i);
}

static inline vint
v_load(const uint32_t *p, unsigned count)
{
    (void)count;
    return (vint)_mm256_loadu_si256((const __m256i *)(const void *)p);
}

static inline void
v_store(uint32_t *p, vint v)
{
    _mm256_storeu_si256((__m256i *)(void *)p, (__m256i)v);
}

/* Lane by lane: processors without AVX-512 have slow masked stores. */
static inline void
v_store_some(uint32_t *p, vmask m, vint v)
{
    unsigned bits = (unsigned)_mm256_movemask_ps((__m256)m);
    for (unsigned i = 0; i < LANES; i++)
        if (bits >> i & 1)
            p[i] = (uint32_t)v[i];
}

static inline vmask
v_live(uint32_t bits)
{
    const vint bit = {1, 2, 4, 8, 16, 32, 64, 128};
    return (v_isplat((int32_t)bits) & bit) == bit;
}

static inline bool
v_any(vmask m)
{
    return _mm256_movemask_ps((__m256)m);
}

static inline uint32_t
v_bits(vmask m)
{
    return (uint32_t)_mm256_movemask_ps((__m256)m);
}

static inline vmask
v_and(vmask a, vmask b)
{
    return a & b;
}

static inline vmask
v_or(vmask a, vmask b)
{
    return a | b;
}

static inline vmask
v_not(vmask a)
{
    return ~a;
}

static inline vmask
v_less(vint a, vint b)
{
    return a < b;
}

static inline vmask
v_less_u(vint a, vint b)
{
    return (a ^ INT32_MIN) < (b ^ INT32_MIN);
}

static inline vmask
v_equal(vint a, vint b)
{
    return a == b;
}

static inline vmask
v_test(vint v, vint bits)
{
    return (v & bits) != 0;
}

static inline vmask
v_fless(vfloat a, vfloat b)
{
    return (vmask)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LT_OQ);
}

static inline vmask
v_fless_equal(vfloat a, vfloat b)
{
    return (vmask)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LE_OQ);
}

static inline vmask
v_fequal(vfloat a, vfloat b)
{
    return (vmask)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_EQ_OQ);
}

static inline vfloat
v_select(vmask m, vfloat a, vfloat b)
{
    return (vfloat)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)m);
}

static inline vint
v_iselect(vmask m, vint a, vint b)
{
    return (vint)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)m);
}

static inline vint
v_min(vint a, vint b)
{
    return (vint)_mm256_min_epi32((__m256i)a, (__m256i)b);
}

static inline vint
v_max(vint a, vint b)
{
    return (vint)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

static inline vint
v_min_u(vint a, vint b)
{
    return (vint)_mm256_min_epu32((__m256i)a, (__m256i)b);
}

static inline vfloat
v_fmin(vfloat a, vfloat b)
{
    return (vfloat)_mm256_min_ps((__m256)a, (__m256)b);
}

static inline vfloat
v_fmax(vfloat a, vfloat b)
{
    return (vfloat)_mm256_max_ps((__m256)a, (__m256)b);
}

static inline vfloat
v_floor(vfloat v)
{
    return (vfloat)_mm256_floor_ps((__m256)v);
}

static inline vint
v_ifloor(vfloat v)
{
    return (vint)_mm256_cvttps_epi32(_mm256_floor_ps((__m256)v));
}

static inline vfloat
v_float(vint i)
{
    return (vfloat)_mm256_cvtepi32_ps((__m256i)i);
}

static inline vint
v_srl(vint v, unsigned bits)
{
    return (vint)_mm256_srli_epi32((__m256i)v, (int)bits);
}

static inline vint
v_srl_each(vint v, vint bits)
{
    return (vint)_mm256_srlv_epi32((__m256i)v, (__m256i)bits);
}

static inline vint
v_srl16(vint v, unsigned bits)
{
    return (vint)_mm256_srli_epi16((__m256i)v, (int)bits);
}

static inline vint
v_mul16(vint a, vint b)
{
    return (vint)_mm256_mullo_epi16((__m256i)a, (__m256i)b);
}

static inline vint
v_add16(vint a, vint b)
{
    return (vint)_mm256_add_epi16((__m256i)a, (__m256i)b);
}

static inline vint
v_sub(vint a, vint b)
{
    return (vint)_mm256_sub_epi32((__m256i)a, (__m256i)b);
}

static inline vint
v_add(vint a, vint b)
{
    return (vint)_mm256_add_epi32((__m256i)a, (__m256i)b);
}

static inline vfloat
v_within(vfloat v, vfloat limit)
{
    return v_fmax(v_fmin(v, limit), -limit);
}

/* V_CUT_BASE + v for v >= 0, truncated to 16 binary places; for zero 2^-17
 * less. Adds one ulp less than V_CUT_BASE, so that the sum is never rounded up
 * to the next multiple of 2^-16. */
#define V_CUT_BASE 1.0f

static inline vfloat
v_cut_16(vfloat v)
{
    return (vfloat)((vint)(v + v_splat(0x1.fffffep-1f)) & v_isplat(-128));
}

static inline vfloat
v_fma(vfloat a, vfloat b, vfloat c)
{
    return (vfloat)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

static inline vfloat
v_fnma(vfloat a, vfloat b, vfloat c)
{
    return (vfloat)_mm256_fnmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

static inline vint
v_table(const void *table, vint i)
{
    const __m256i *half = table;
    vint low = (vint)_mm256_permutevar8x32_epi32(half[0], (__m256i)i);
    vint high = (vint)_mm256_permutevar8x32_epi32(half[1], (__m256i)i);
    return v_iselect(i > 7, high, low);
}

static inline vint
v_count(void)
{
    return (vint)_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
}

static inline vint
v_of_four(const float four[4], vint i)
{
    __m256 all = _mm256_broadcast_ps((const __m128 *)(const void *)four);
    return (vint)_mm256_permutevar_ps(all, (__m256i)i);
}

static inline __m256i
v_of_eight(const float eight[8], vint i)
{
    return (__m256i)_mm256_permutevar8x32_ps(_mm256_loadu_ps(eight),
                                             (__m256i)i);
}

#define v_quad(v, k) ((vfloat)_mm256_permute_ps((__m256)(v), (k)*0x55))

static inline float4
v_quads(vfloat v)
{
    return (float4){v[0], v[4], v[0], v[4]};
}

static inline vfloat
v_spread(float4 q)
{
    __m128 v = (__m128)q;
    return (vfloat)_mm256_set_m128(_mm_permute_ps(v, 0x55),
                                   _mm_permute_ps(v, 0));
}

/* Elements of a third and fourth quad repeat the second. */
static inline float8
v_steps(vfloat v)
{
    const __m256i end = _mm256_setr_epi32(1, 5, 1, 5, 2, 6, 2, 6);
    const __m256i begin = _mm256_setr_epi32(0, 4, 0, 4, 0, 4, 0, 4);
    return (float8)_mm256_permutevar8x32_ps((__m256)v, end) -
           (float8)_mm256_permutevar8x32_ps((__m256)v, begin);
}

static inline vfloat
v_half(vint half)
{
    __m256i low = _mm256_packus_epi32((__m256i)(half & 0xffff),
                                      _mm256_setzero_si256());
    low = _mm256_permute4x64_epi64(low, 0x08);
    return (vfloat)_mm256_cvtph_ps(_mm256_castsi256_si128(low));
}

static inline vfloat
v_add_where(vmask m, vfloat a, vfloat b)
{
    return v_select(m, a + b, a);
}

/* ---- loads from addresses of their own ---------------------------------- */

/* The dword at base + at, for each lane. */
static inline vint
v_gather(const uint8_t *base, vint at)
{
    alignas(64) int32_t from[LANES];
    v_offsets(at, from);
    return (vint)_mm256_set_m128i(v_load4(base, from + 4), v_load4(base, from));
}

/* 64 bits for each lane, split into dwords. */
static inline void
v_gather2(const uint8_t *base, vint at, vint dw[2])
{
    alignas(64) int32_t from[LANES];
    v_offsets(at, from);
    __m256i a = v_load8_four(base, from), b = v_load8_four(base, from + 4);
    __m256 even = _mm256_shuffle_ps((__m256)a, (__m256)b, 0x88);
    __m256 odd = _mm256_shuffle_ps((__m256)a, (__m256)b, 0xdd);
    dw[0] = (vint)_mm256_permute4x64_epi64((__m256i)even, 0xd8);
    dw[1] = (vint)_mm256_permute4x64_epi64((__m256i)odd, 0xd8);
}

/* Concatenates 16 bytes at each offset. */
static inline vfloat
v_load16_quads(const uint8_t *base, const int32_t *at)
{
    __m256i low = _mm256_set_m128i(v_load16(base + at[4]),
                                   v_load16(base + at[0]));
    return (vfloat)low;
}

#define V_UNPACK(what, a, b) (vfloat) _mm256_##what((__m256)(a), (__m256)(b))
#define V_UNPACK2(what, a, b) (vint) _mm256_##what((__m256d)(a), (__m256d)(b))

/* 128 bits for each lane, split into dwords. */
static inline void
v_gather4(const uint8_t *base, vint at, vint dw[4])
{
    alignas(64) int32_t from[LANES];
    v_offsets(at, from);
    vfloat a = v_load16_quads(base, from), b = v_load16_quads(base, from + 1);
    vfloat c = v_load16_quads(base, from + 2);
    vfloat d = v_load16_quads(base, from + 3);
    vfloat ab = V_UNPACK(unpacklo_ps, a, b), cd = V_UNPACK(unpacklo_ps, c, d);
    dw[0] = V_UNPACK2(unpacklo_pd, ab, cd);
    dw[1] = V_UNPACK2(unpackhi_pd, ab, cd);
    ab = V_UNPACK(unpackhi_ps, a, b);
    cd = V_UNPACK(unpackhi_ps, c, d);
    dw[2] = V_UNPACK2(unpacklo_pd, ab, cd);
    dw[3] = V_UNPACK2(unpackhi_pd, ab, cd);
}

#endif
