/* simd_avx512.h: 16 lanes, with AVX-512; a part of simd.h. */
#ifndef BASE_SIMD_SIMD_AVX512_H
#define BASE_SIMD_SIMD_AVX512_H

static inline vfloat
v_splat(float f)
{
    return (vfloat)_mm512_set1_ps(f);
}

static inline vint
v_isplat(int32_t i)
{
    return (vint)_mm512_set1_epi32(i);
}

/* Loads the first `count` lanes, at least eight. */
static inline vint
v_load(const uint32_t *p, unsigned count)
{
    /* Masked loads are not forwarded from pending stores. */
    if (count >= 16)
        return (vint)_mm512_loadu_si512(p);
    return (vint)_mm512_maskz_loadu_epi32(0xff, p);
}

static inline void
v_store(uint32_t *p, vint v)
{
    _mm512_storeu_si512(p, (__m512i)v);
}

static inline void
v_store_some(uint32_t *p, vmask m, vint v)
{
    _mm512_mask_storeu_epi32(p, m, (__m512i)v);
}

/* Lane mask of a bit mask. */
static inline vmask
v_live(uint32_t bits)
{
    return (vmask)bits;
}

static inline bool
v_any(vmask m)
{
    return m;
}

/* Bit mask of a lane mask. */
static inline uint32_t
v_bits(vmask m)
{
    return m;
}

static inline vmask
v_and(vmask a, vmask b)
{
    return (vmask)(a & b);
}

static inline vmask
v_or(vmask a, vmask b)
{
    return (vmask)(a | b);
}

static inline vmask
v_not(vmask a)
{
    return (vmask)~a;
}

static inline vmask
v_less(vint a, vint b)
{
    return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b);
}

static inline vmask
v_less_u(vint a, vint b)
{
    return _mm512_cmplt_epu32_mask((__m512i)a, (__m512i)b);
}

static inline vmask
v_equal(vint a, vint b)
{
    return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
}

/* False for NaN. */
static inline vmask
v_fless(vfloat a, vfloat b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
}

static inline vmask
v_fless_equal(vfloat a, vfloat b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ);
}

static inline vmask
v_fequal(vfloat a, vfloat b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_EQ_OQ);
}

/* m ? a : b */
static inline vfloat
v_select(vmask m, vfloat a, vfloat b)
{
    return (vfloat)_mm512_mask_blend_ps(m, (__m512)b, (__m512)a);
}

static inline vint
v_iselect(vmask m, vint a, vint b)
{
    return (vint)_mm512_mask_blend_epi32(m, (__m512i)b, (__m512i)a);
}

static inline vint
v_min(vint a, vint b)
{
    return (vint)_mm512_min_epi32((__m512i)a, (__m512i)b);
}

static inline vint
v_max(vint a, vint b)
{
    return (vint)_mm512_max_epi32((__m512i)a, (__m512i)b);
}

static inline vint
v_min_u(vint a, vint b)
{
    return (vint)_mm512_min_epu32((__m512i)a, (__m512i)b);
}

/* b where one is NaN. */
static inline vfloat
v_fmin(vfloat a, vfloat b)
{
    return (vfloat)_mm512_min_ps((__m512)a, (__m512)b);
}

static inline vfloat
v_fmax(vfloat a, vfloat b)
{
    return (vfloat)_mm512_max_ps((__m512)a, (__m512)b);
}

static inline vfloat
v_floor(vfloat v)
{
    return (vfloat)_mm512_roundscale_ps((__m512)v, _MM_FROUND_TO_NEG_INF |
                                                       _MM_FROUND_NO_EXC);
}

/* floor of a number that fits an int */
static inline vint
v_ifloor(vfloat v)
{
    return (vint)_mm512_cvt_roundps_epi32((__m512)v, _MM_FROUND_TO_NEG_INF |
                                                         _MM_FROUND_NO_EXC);
}

static inline vfloat
v_float(vint i)
{
    return (vfloat)_mm512_cvtepi32_ps((__m512i)i);
}

static inline vint
v_srl(vint v, unsigned bits)
{
    return (vint)_mm512_srli_epi32((__m512i)v, bits);
}

static inline vint
v_srl_each(vint v, vint bits)
{
    return (vint)_mm512_srlv_epi32((__m512i)v, (__m512i)bits);
}

static inline vint
v_srl16(vint v, unsigned bits)
{
    return (vint)_mm512_srli_epi16((__m512i)v, bits);
}

static inline vint
v_mul16(vint a, vint b)
{
    return (vint)_mm512_mullo_epi16((__m512i)a, (__m512i)b);
}

static inline vint
v_add16(vint a, vint b)
{
    return (vint)_mm512_add_epi16((__m512i)a, (__m512i)b);
}

/* V_CUT_BASE + v for v >= 0, truncated to 16 binary places. */
#define V_CUT_BASE 128.0f

static inline vfloat
v_cut_16(vfloat v)
{
    return (vfloat)_mm512_add_round_ps((__m512)v, _mm512_set1_ps(V_CUT_BASE),
                                       _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

/* v_fma: a * b + c, v_fnma: c - a * b, rounded once. */
static inline vfloat
v_fma(vfloat a, vfloat b, vfloat c)
{
    return (vfloat)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

static inline vfloat
v_fnma(vfloat a, vfloat b, vfloat c)
{
    return (vfloat)_mm512_fnmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

/* Entry i, 0..15, of an aligned table, for each lane. */
static inline vint
v_table(const void *table, vint i)
{
    return (vint)_mm512_permutexvar_epi32((__m512i)i, _mm512_load_si512(table));
}

/* Lanes where any of the bits is set. */
static inline vmask
v_test(vint v, vint bits)
{
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)bits);
}

/* Loads an aligned line of memory. */
static inline vint
v_line(const uint8_t *p)
{
    return (vint)_mm512_load_si512(p);
}

/* Dword i of 32: the low five bits of i count. */
static inline vint
v_pick(vint first, vint second, vint i)
{
    return (vint)_mm512_permutex2var_epi32((__m512i)first, (__m512i)i,
                                           (__m512i)second);
}

/* Dword i of 16: the low four bits of i count. */
static inline vint
v_pick_one(vint line, vint i)
{
    return (vint)_mm512_permutexvar_epi32((__m512i)i, (__m512i)line);
}

/* Least low and least high half among the outermost lanes of a block of four
 * quads. */
static inline uint32_t
v_least_pair(vint v)
{
    const __m512i corner = _mm512_castsi128_si512(_mm_setr_epi32(0, 5, 10, 15));
    __m128i least = _mm512_castsi512_si128(
        _mm512_permutexvar_epi32(corner, (__m512i)v));
    least = _mm_min_epu16(least, _mm_shuffle_epi32(least, 0x4e));
    least = _mm_min_epu16(least, _mm_shuffle_epi32(least, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(least);
}

/* Lane 0, both halves as one number. */
static inline uint32_t
v_first(vint v)
{
    return (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128((__m512i)v));
}

static inline uint32_t
v_last(vint v)
{
    return (uint32_t)_mm_extract_epi32(_mm512_extracti32x4_epi32((__m512i)v, 3),
                                       3);
}

/* Wraps on overflow. */
static inline vint
v_sub(vint a, vint b)
{
    return (vint)_mm512_sub_epi32((__m512i)a, (__m512i)b);
}

/* Wraps on overflow. */
static inline vint
v_add(vint a, vint b)
{
    return (vint)_mm512_add_epi32((__m512i)a, (__m512i)b);
}

/* Clamps |v| to `limit`; NaN becomes the limit. */
static inline vfloat
v_within(vfloat v, vfloat limit)
{
    enum { LEAST_MAGNITUDE = 2 };
    return (vfloat)_mm512_range_ps((__m512)v, (__m512)limit, LEAST_MAGNITUDE);
}

static inline vint
v_sub16(vint a, vint b)
{
    return (vint)_mm512_sub_epi16((__m512i)a, (__m512i)b);
}

/* Looks each byte, 0..15, up in the table. */
static inline vint
v_bytes(const int8_t table[16], vint v)
{
    __m128i t = _mm_loadu_si128((const __m128i *)(const void *)table);
    return (vint)_mm512_shuffle_epi8(_mm512_broadcast_i32x4(t), (__m512i)v);
}

/* Looks each half of a lane, 0..255, up in an aligned table. */
static inline vint
v_words(const uint16_t table[256], vint i)
{
    const __m512i *line = (const __m512i *)(const void *)table;
    __m512i at = (__m512i)i, r[4];
    for (unsigned k = 0; k < 4; k++)
        r[k] = _mm512_permutex2var_epi16(line[2 * k], at, line[2 * k + 1]);
    __mmask32 odd = _mm512_test_epi16_mask(at, _mm512_set1_epi16(64));
    __mmask32 high = _mm512_test_epi16_mask(at, _mm512_set1_epi16(128));
    __m512i a = _mm512_mask_blend_epi16(odd, r[0], r[1]);
    __m512i b = _mm512_mask_blend_epi16(odd, r[2], r[3]);
    return (vint)_mm512_mask_blend_epi16(high, a, b);
}

/* Lane numbers: 0, 1, 2, ... */
static inline vint
v_count(void)
{
    return (vint)_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
                                   14, 15);
}

/* Element i % 4 of four. */
static inline vint
v_of_four(const float four[4], vint i)
{
    __m512 all = _mm512_broadcast_f32x4(_mm_loadu_ps(four));
    return (vint)_mm512_permutevar_ps(all, (__m512i)i);
}

/* Element i % 8 of eight, for the first eight lanes. */
static inline __m256i
v_of_eight(const float eight[8], vint i)
{
    __m256 all = _mm256_loadu_ps(eight);
    return (__m256i)_mm256_permutevar8x32_ps(
        all, _mm512_castsi512_si256((__m512i)i));
}

/* Broadcasts lane k within each quad; k is constant. */
#define v_quad(v, k) ((vfloat)_mm512_permute_ps((__m512)(v), (k)*0x55))

/* Differences within each quad: lane 1 less lane 0 of four quads, then lane 2
 * less lane 0. */
static inline float8
v_steps(vfloat v)
{
    const __m512i from = _mm512_setr_epi32(1, 5, 9, 13, 2, 6, 10, 14, 0, 4, 8,
                                           12, 0, 4, 8, 12);
    __m512 ends = _mm512_permutexvar_ps(from, (__m512)v);
    return (float8)_mm512_castps512_ps256(ends) -
           (float8)_mm512_extractf32x8_ps(ends, 1);
}

/* v_quads() takes the first lane of each quad; v_spread() broadcasts an element
 * to each quad. */
static inline float4
v_quads(vfloat v)
{
    const __m512i first = _mm512_setr_epi32(0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8,
                                            12, 0, 4, 8, 12);
    return (float4)_mm512_castps512_ps128(
        _mm512_permutexvar_ps(first, (__m512)v));
}

static inline vfloat
v_spread(float4 q)
{
    const __m512i from = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2,
                                           3, 3, 3, 3);
    return (vfloat)_mm512_permutexvar_ps(from,
                                         _mm512_castps128_ps512((__m128)q));
}

/* Converts each lane's low half from half float. NaN becomes quiet. */
static inline vfloat
v_half(vint half)
{
    return (vfloat)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)half));
}

/* a + b where m is set, a elsewhere */
static inline vfloat
v_add_where(vmask m, vfloat a, vfloat b)
{
    return (vfloat)_mm512_mask_add_ps((__m512)a, m, (__m512)a, (__m512)b);
}

/* ---- loads from addresses of their own ---------------------------------- */

/* The dword at base + from, for each lane. */
static inline vint
v_load_each(const uint8_t *base, const int32_t from[LANES])
{
    __m256i low = _mm256_set_m128i(v_load4(base, from + 4),
                                   v_load4(base, from));
    __m256i high = _mm256_set_m128i(v_load4(base, from + 12),
                                    v_load4(base, from + 8));
    return (vint)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

static inline vint
v_gather(const uint8_t *base, vint at)
{
    alignas(64) int32_t from[LANES];
    v_offsets(at, from);
    return v_load_each(base, from);
}

/* 64 bits for each lane, split into dwords. */
static inline void
v_gather2(const uint8_t *base, vint at, vint dw[2])
{
    alignas(64) int32_t from[LANES];
    v_offsets(at, from);
    __m256i a = v_load8_four(base, from), b = v_load8_four(base, from + 4);
    __m256i c = v_load8_four(base, from + 8), d = v_load8_four(base, from + 12);
    __m512i low = _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
    __m512i high = _mm512_inserti64x4(_mm512_castsi256_si512(c), d, 1);
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
                                           20, 22, 24, 26, 28, 30);
    __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    dw[0] = (vint)_mm512_permutex2var_epi32(low, even, high);
    dw[1] = (vint)_mm512_permutex2var_epi32(low, odd, high);
}

/* Concatenates 16 bytes at each offset: lane i of each quad, one quad after the
 * other. */
static inline vfloat
v_load16_quads(const uint8_t *base, const int32_t *at)
{
    __m256i low = _mm256_set_m128i(v_load16(base + at[4]),
                                   v_load16(base + at[0]));
    __m256i high = _mm256_set_m128i(v_load16(base + at[12]),
                                    v_load16(base + at[8]));
    return (vfloat)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

#define V_UNPACK(what, a, b) (vfloat) _mm512_##what((__m512)(a), (__m512)(b))
#define V_UNPACK2(what, a, b) (vint) _mm512_##what((__m512d)(a), (__m512d)(b))

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
