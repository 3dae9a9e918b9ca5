/* lanes.h: as many lanes of a message as one register holds: 16 with AVX-512,
 * 8 with AVX2. What C's operators on vectors cannot say, under one name for
 * both, so that the sampler's routines are written once.
 * A file that includes it is compiled for one of the two. */
#ifndef SAMPLER_LANES_H
#define SAMPLER_LANES_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __AVX512F__
#define LANES 16
typedef __mmask16 vmask;
#else
#define LANES 8
typedef int32_t vmask __attribute__((vector_size(32))); /* all ones: set */
#endif

typedef float vfloat __attribute__((vector_size(4 * LANES)));
typedef int32_t vint __attribute__((vector_size(4 * LANES)));
typedef float float4 __attribute__((vector_size(16)));
typedef double double4 __attribute__((vector_size(32)));

#ifdef __AVX512F__

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

/* The first `count` lanes, at least eight. */
static inline vint
v_load(const uint32_t *p, unsigned count)
{
    __mmask16 m = count >= 16 ? 0xffff : 0xff;
    return (vint)_mm512_maskz_loadu_epi32(m, p);
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

/* The lanes of a bit mask. */
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

/* Bit i: lane i. */
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

/* floor, of what fits an int */
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
v_mul16(vint a, vint b)
{
    return (vint)_mm512_mullo_epi16((__m512i)a, (__m512i)b);
}

static inline vint
v_add16(vint a, vint b)
{
    return (vint)_mm512_add_epi16((__m512i)a, (__m512i)b);
}

/* a * b + c and c - a * b, rounded once. */
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

/* Entry i of a table, 0..15, for each lane; the table is aligned. */
static inline vint
v_table(const void *table, vint i)
{
    return (vint)_mm512_permutexvar_epi32((__m512i)i, _mm512_load_si512(table));
}

/* Where any of the bits is set. */
static inline vmask
v_test(vint v, vint bits)
{
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)bits);
}

/* An aligned line of memory. */
static inline vint
v_line(const uint8_t *p)
{
    return (vint)_mm512_load_si512(p);
}

/* Of 32 dwords, number i: the low five bits count. */
static inline vint
v_pick(vint first, vint second, vint i)
{
    return (vint)_mm512_permutex2var_epi32((__m512i)first, (__m512i)i,
                                           (__m512i)second);
}

/* Least low and least high half, of the outermost lanes of a block of four
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

/* Each half of a lane: entry number 0 to 255 of an aligned table. */
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

/* 0, 1, 2, ... */
static inline vint
v_count(void)
{
    return (vint)_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
                                   14, 15);
}

/* Number i % 4 of four. */
static inline vint
v_of_four(const float four[4], vint i)
{
    __m512 all = _mm512_broadcast_f32x4(_mm_loadu_ps(four));
    return (vint)_mm512_permutevar_ps(all, (__m512i)i);
}

/* Number i % 8 of eight, for the first eight lanes. */
static inline __m256i
v_of_eight(const float eight[8], vint i)
{
    __m256 all = _mm256_loadu_ps(eight);
    return (__m256i)_mm256_permutevar8x32_ps(
        all, _mm512_castsi512_si256((__m512i)i));
}

/* Lane k of each quad in all of its lanes; k is constant. */
#define v_quad(v, k) ((vfloat)_mm512_permute_ps((__m512)(v), (k)*0x55))

/* The first lane of each quad, and back to all lanes. */
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

#else

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

/* Lane by lane: masked stores are slow where AVX2 is all there is. */
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
v_mul16(vint a, vint b)
{
    return (vint)_mm256_mullo_epi16((__m256i)a, (__m256i)b);
}

static inline vint
v_add16(vint a, vint b)
{
    return (vint)_mm256_add_epi16((__m256i)a, (__m256i)b);
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

#endif

/* ---- loads from addresses of their own ---------------------------------- */

/* Some processors gather more slowly than they load lane by lane. */
#ifndef LANES_GATHER
#define LANES_GATHER 1
#endif

/* Offsets of the lanes, in memory: taking a vector apart costs more. */
static inline void
v_offsets(vint at, int32_t from[LANES])
{
    __builtin_memcpy(from, &at, sizeof at);
    __asm__("" : : "r"(from) : "memory");
}

static inline __m128i
v_load4(const uint8_t *base, const int32_t at[4])
{
    int32_t w[4];
    for (unsigned i = 0; i < 4; i++)
        __builtin_memcpy(&w[i], base + at[i], 4);
    __m128i v = _mm_cvtsi32_si128(w[0]);
    v = _mm_insert_epi32(v, w[1], 1);
    v = _mm_insert_epi32(v, w[2], 2);
    return _mm_insert_epi32(v, w[3], 3);
}

/* 32 bits at base + at, for each lane */
static inline vint
v_gather(const uint8_t *base, vint at)
{
#if LANES_GATHER && LANES == 16
    return (vint)_mm512_i32gather_epi32((__m512i)at, base, 1);
#elif LANES_GATHER
    return (vint)_mm256_i32gather_epi32((const int *)(const void *)base,
                                        (__m256i)at, 1);
#else
    alignas(64) int32_t from[LANES];
    v_offsets(at, from);
    __m256i low = _mm256_set_m128i(v_load4(base, from + 4),
                                   v_load4(base, from));
#if LANES == 16
    __m256i high = _mm256_set_m128i(v_load4(base, from + 12),
                                    v_load4(base, from + 8));
    return (vint)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
#else
    return (vint)low;
#endif
#endif
}

static inline __m128i
v_load8_pair(const uint8_t *a, const uint8_t *b)
{
    __m128i low = _mm_loadl_epi64((const __m128i *)(const void *)a);
    return (__m128i)_mm_loadh_pd((__m128d)low, (const double *)(const void *)b);
}

static inline __m256i
v_load8_four(const uint8_t *base, const int32_t at[4])
{
    return _mm256_set_m128i(v_load8_pair(base + at[2], base + at[3]),
                            v_load8_pair(base + at[0], base + at[1]));
}

static inline __m128i
v_load16(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* 64 bits for each lane, its dwords apart. */
static inline void
v_gather2(const uint8_t *base, vint at, vint dw[2])
{
    alignas(64) int32_t from[LANES];
    v_offsets(at, from);
    __m256i a = v_load8_four(base, from), b = v_load8_four(base, from + 4);
#if LANES == 16
    __m256i c = v_load8_four(base, from + 8), d = v_load8_four(base, from + 12);
    __m512i low = _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
    __m512i high = _mm512_inserti64x4(_mm512_castsi256_si512(c), d, 1);
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
                                           20, 22, 24, 26, 28, 30);
    __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    dw[0] = (vint)_mm512_permutex2var_epi32(low, even, high);
    dw[1] = (vint)_mm512_permutex2var_epi32(low, odd, high);
#else
    __m256 even = _mm256_shuffle_ps((__m256)a, (__m256)b, 0x88);
    __m256 odd = _mm256_shuffle_ps((__m256)a, (__m256)b, 0xdd);
    dw[0] = (vint)_mm256_permute4x64_epi64((__m256i)even, 0xd8);
    dw[1] = (vint)_mm256_permute4x64_epi64((__m256i)odd, 0xd8);
#endif
}

/* Lane i of each quad, one quad after the other. */
static inline vfloat
v_load16_quads(const uint8_t *base, const int32_t *at)
{
    __m256i low = _mm256_set_m128i(v_load16(base + at[4]),
                                   v_load16(base + at[0]));
#if LANES == 16
    __m256i high = _mm256_set_m128i(v_load16(base + at[12]),
                                    v_load16(base + at[8]));
    return (vfloat)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
#else
    return (vfloat)low;
#endif
}

#if LANES == 16
#define V_UNPACK(what, a, b) (vfloat) _mm512_##what((__m512)(a), (__m512)(b))
#define V_UNPACK2(what, a, b) (vint) _mm512_##what((__m512d)(a), (__m512d)(b))
#else
#define V_UNPACK(what, a, b) (vfloat) _mm256_##what((__m256)(a), (__m256)(b))
#define V_UNPACK2(what, a, b) (vint) _mm256_##what((__m256d)(a), (__m256d)(b))
#endif

/* 128 bits for each lane, its dwords apart. */
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
