/* format_layouts.c: conversions of the common layouts, chosen by
 * gen_formats.py. The results are those of format_generic.c. Elements need not
 * be aligned. */
#include <emmintrin.h>

#include "sampler/format/format_convert.h"
#include "sampler/format/format_ops.h"

#define ONE_F 0x3f800000u

/* Converts one channel from register bits to memory and back. */
static inline uint32_t
load_un8(uint8_t v)
{
    return bits_from_float(format_unorm8[v]);
}

static inline uint8_t
store_un8(uint32_t u)
{
    return (uint8_t)convert_unorm_from_float(float_from_bits(u), 255);
}

static inline uint32_t
load_sn8(uint8_t v)
{
    return bits_from_float(convert_float_from_snorm((int8_t)v, 127));
}

static inline uint8_t
store_sn8(uint32_t u)
{
    return (uint8_t)convert_snorm_from_float(float_from_bits(u), 127);
}

static inline uint32_t
load_un16(uint16_t v)
{
    return bits_from_float(convert_float_from_unorm(v, 65535));
}

static inline uint16_t
store_un16(uint32_t u)
{
    return (uint16_t)convert_unorm_from_float(float_from_bits(u), 65535);
}

static inline uint32_t
load_sn16(uint16_t v)
{
    return bits_from_float(convert_float_from_snorm((int16_t)v, 32767));
}

static inline uint16_t
store_sn16(uint32_t u)
{
    return (uint16_t)convert_snorm_from_float(float_from_bits(u), 32767);
}

static inline uint32_t
load_sf16(uint16_t v)
{
    return bits_from_float(convert_float_from_half(v));
}

static inline uint16_t
store_sf16(uint32_t u)
{
    return convert_half_from_float(float_from_bits(u));
}

#define load_ui8(v) (v)
#define load_ui16(v) (v)
#define load_ui32(v) (v)
#define load_si8(v) ((uint32_t)(int8_t)(v))
#define load_si16(v) ((uint32_t)(int16_t)(v))
#define load_si32(v) (v)
#define load_sf32(v) (v)
#define store_ui8(u) ((uint8_t)MIN2(u, 0xffu))
#define store_ui16(u) ((uint16_t)MIN2(u, 0xffffu))
#define store_ui32(u) (u)
#define store_si8(u) ((uint8_t)CLAMP((int32_t)(u), -128, 127))
#define store_si16(u) ((uint16_t)CLAMP((int32_t)(u), -32768, 32767))
#define store_si32(u) (u)
#define store_sf32(u) (u)

/* convert_unorm_from_float() of four channels. Products of a float and 16 bits
 * are exact in double. max_ps returns its second operand for NaN. */
static inline __m128i
unorm_of_4(const union color *in, double max)
{
    __m128 v = _mm_loadu_ps(in->f);
    v = _mm_min_ps(_mm_max_ps(v, _mm_setzero_ps()), _mm_set1_ps(1.0f));
    __m128d scale = _mm_set1_pd(max);
    __m128d low = _mm_mul_pd(_mm_cvtps_pd(v), scale);
    __m128d high = _mm_mul_pd(_mm_cvtps_pd(_mm_movehl_ps(v, v)), scale);
    return _mm_unpacklo_epi64(_mm_cvtpd_epi32(low), _mm_cvtpd_epi32(high));
}

/* rt_unorm_from_float() of four channels. */
static inline __m128i
rt_unorm8_of_4(const union color *in)
{
    __m128 v = _mm_loadu_ps(in->f);
    v = _mm_min_ps(_mm_max_ps(v, _mm_setzero_ps()), _mm_set1_ps(1.0f));
    __m128i x = _mm_cvttps_epi32(_mm_mul_ps(v, _mm_set1_ps(65536.0f)));
    __m128i product = _mm_sub_epi32(_mm_slli_epi32(x, 8), x);
    return _mm_srli_epi32(_mm_add_epi32(product, _mm_set1_epi32(32768)), 16);
}

/* n channels of one kind, in the order r, g, b, a. */
#define ARRAY_N(kind, type, n, one)                              \
    FORMAT_UNPACK(kind##x##n)                                    \
    {                                                            \
        type v[n];                                               \
        memcpy(v, src, sizeof v);                                \
        out->u[0] = load_##kind(v[0]);                           \
        out->u[1] = n > 1 ? load_##kind(v[n > 1 ? 1 : 0]) : 0;   \
        out->u[2] = n > 2 ? load_##kind(v[n > 2 ? 2 : 0]) : 0;   \
        out->u[3] = n > 3 ? load_##kind(v[n > 3 ? 3 : 0]) : one; \
    }                                                            \
    FORMAT_PACK(kind##x##n)                                      \
    {                                                            \
        type v[n];                                               \
        for (unsigned i = 0; i < n; i++)                         \
            v[i] = store_##kind(in->u[i]);                       \
        memcpy(dst, v, sizeof v);                                \
    }
#define ARRAY(kind, type, one)  \
    ARRAY_N(kind, type, 1, one) \
    ARRAY_N(kind, type, 2, one) \
    ARRAY_N(kind, type, 3, one) \
    ARRAY_N(kind, type, 4, one)

#define RT_UNORM8_N(n)                                          \
    FORMAT_PACK(rt_un8x##n)                                     \
    {                                                           \
        uint8_t v[n];                                           \
        for (unsigned i = 0; i < n; i++)                        \
            v[i] = (uint8_t)rt_unorm_from_float(in->f[i], 255); \
        memcpy(dst, v, sizeof v);                               \
    }

ARRAY_N(un8, uint8_t, 1, ONE_F)
ARRAY_N(un8, uint8_t, 2, ONE_F)
ARRAY_N(un8, uint8_t, 3, ONE_F)
RT_UNORM8_N(1)
RT_UNORM8_N(2)
RT_UNORM8_N(3)
ARRAY(sn8, uint8_t, ONE_F)
ARRAY(ui8, uint8_t, 1)
ARRAY(si8, uint8_t, 1)
ARRAY(un16, uint16_t, ONE_F)
ARRAY(sn16, uint16_t, ONE_F)
ARRAY(ui16, uint16_t, 1)
ARRAY(si16, uint16_t, 1)
ARRAY(sf16, uint16_t, ONE_F)
ARRAY(ui32, uint32_t, 1)
ARRAY(si32, uint32_t, 1)
ARRAY(sf32, uint32_t, ONE_F)

#undef ARRAY
#undef ARRAY_N
#undef RT_UNORM8_N

/* Four 8-bit channels; red is byte r, and blue byte 2 - r. */
static inline void
unpack_8888(const uint8_t *v, const float *curve, unsigned r, bool alpha,
            union color *out)
{
    out->f[0] = curve[v[r]];
    out->f[1] = curve[v[1]];
    out->f[2] = curve[v[2 - r]];
    out->f[3] = alpha ? format_unorm8[v[3]] : 1.0f;
}

/* Stores channels from dwords; blue, the third one, goes to byte 2 - r. */
static inline void
store_8888(__m128i i, unsigned r, bool alpha, uint8_t *dst)
{
    if (r == 2)
        i = _mm_shuffle_epi32(i, _MM_SHUFFLE(3, 0, 1, 2));
    i = _mm_packs_epi32(i, i);
    i = _mm_packus_epi16(i, i);
    uint32_t packed = (uint32_t)_mm_cvtsi128_si32(i);
    if (!alpha)
        packed |= 0xff000000;
    memcpy(dst, &packed, sizeof packed);
}

static inline void
pack_8888(const union color *in, bool srgb, unsigned r, bool alpha,
          uint8_t *dst)
{
    uint8_t v[4];
    if (srgb) {
        v[r] = (uint8_t)format_encode_srgb(in->f[0], 8);
        v[1] = (uint8_t)format_encode_srgb(in->f[1], 8);
        v[2 - r] = (uint8_t)format_encode_srgb(in->f[2], 8);
        v[3] = alpha ? store_un8(in->u[3]) : 0xff;
        memcpy(dst, v, sizeof v);
        return;
    }
    store_8888(unorm_of_4(in, 255.0), r, alpha, dst);
}

#define OPS_8888(name, srgb, r, alpha)                                        \
    FORMAT_UNPACK(name)                                                       \
    {                                                                         \
        unpack_8888(src, srgb ? format_srgb8 : format_unorm8, r, alpha, out); \
    }                                                                         \
    FORMAT_PACK(name)                                                         \
    {                                                                         \
        pack_8888(in, srgb, r, alpha, dst);                                   \
    }

OPS_8888(un8x4, false, 0, true)
OPS_8888(bgra8, false, 2, true)
OPS_8888(bgrx8, false, 2, false)
OPS_8888(rgba8_srgb, true, 0, true)
OPS_8888(bgra8_srgb, true, 2, true)
OPS_8888(bgrx8_srgb, true, 2, false)

#undef OPS_8888

FORMAT_PACK(rt_un8x4)
{
    store_8888(rt_unorm8_of_4(in), 0, true, dst);
}

FORMAT_PACK(rt_bgra8)
{
    store_8888(rt_unorm8_of_4(in), 2, true, dst);
}

FORMAT_PACK(rt_bgrx8)
{
    store_8888(rt_unorm8_of_4(in), 2, false, dst);
}

static inline void
unpack_1010102(const void *src, unsigned r, union color *out)
{
    uint32_t v;
    memcpy(&v, src, sizeof v);
    out->f[r] = convert_float_from_unorm(v & 0x3ff, 0x3ff);
    out->f[1] = convert_float_from_unorm(v >> 10 & 0x3ff, 0x3ff);
    out->f[2 - r] = convert_float_from_unorm(v >> 20 & 0x3ff, 0x3ff);
    out->f[3] = convert_float_from_unorm(v >> 30, 3);
}

/* Packs one channel with the rounding of a typed write or a render target
 * write. */
static inline uint32_t
pack_unorm(float f, uint32_t max, bool rt)
{
    return rt ? rt_unorm_from_float(f, max) : convert_unorm_from_float(f, max);
}

static inline void
pack_1010102(const union color *in, bool rt, unsigned r, void *dst)
{
    uint32_t v = pack_unorm(in->f[r], 0x3ff, rt) |
                 pack_unorm(in->f[1], 0x3ff, rt) << 10 |
                 pack_unorm(in->f[2 - r], 0x3ff, rt) << 20 |
                 pack_unorm(in->f[3], 3, rt) << 30;
    memcpy(dst, &v, sizeof v);
}

FORMAT_UNPACK(rgb10a2)
{
    unpack_1010102(src, 0, out);
}

FORMAT_PACK(rgb10a2)
{
    pack_1010102(in, false, 0, dst);
}

FORMAT_PACK(rt_rgb10a2)
{
    pack_1010102(in, true, 0, dst);
}

FORMAT_UNPACK(bgr10a2)
{
    unpack_1010102(src, 2, out);
}

FORMAT_PACK(bgr10a2)
{
    pack_1010102(in, false, 2, dst);
}

FORMAT_PACK(rt_bgr10a2)
{
    pack_1010102(in, true, 2, dst);
}

FORMAT_UNPACK(bgr565)
{
    uint16_t v;
    memcpy(&v, src, sizeof v);
    out->f[0] = convert_float_from_unorm(v >> 11, 31);
    out->f[1] = convert_float_from_unorm(v >> 5 & 63, 63);
    out->f[2] = convert_float_from_unorm(v & 31, 31);
    out->f[3] = 1.0f;
}

static inline void
pack_565(const union color *in, bool rt, void *dst)
{
    uint16_t v = (uint16_t)(pack_unorm(in->f[0], 31, rt) << 11 |
                            pack_unorm(in->f[1], 63, rt) << 5 |
                            pack_unorm(in->f[2], 31, rt));
    memcpy(dst, &v, sizeof v);
}

FORMAT_PACK(bgr565)
{
    pack_565(in, false, dst);
}

FORMAT_PACK(rt_bgr565)
{
    pack_565(in, true, dst);
}

FORMAT_UNPACK(r11g11b10)
{
    uint32_t v;
    memcpy(&v, src, sizeof v);
    out->f[0] = convert_float_from_small(v & 0x7ff, 6);
    out->f[1] = convert_float_from_small(v >> 11 & 0x7ff, 6);
    out->f[2] = convert_float_from_small(v >> 22, 5);
    out->f[3] = 1.0f;
}

FORMAT_PACK(r11g11b10)
{
    uint32_t v = convert_ufloat_from_float(in->f[0], 6) |
                 convert_ufloat_from_float(in->f[1], 6) << 11 |
                 convert_ufloat_from_float(in->f[2], 5) << 22;
    memcpy(dst, &v, sizeof v);
}

/* Depth of 24 bits. Packing keeps the other 8 bits. */
FORMAT_UNPACK(r24x8)
{
    uint32_t v;
    memcpy(&v, src, sizeof v);
    out->f[0] = convert_float_from_unorm(v & 0xffffff, 0xffffff);
    out->f[1] = out->f[2] = 0.0f;
    out->f[3] = 1.0f;
}

FORMAT_PACK(r24x8)
{
    uint32_t v;
    memcpy(&v, dst, sizeof v);
    v = (v & 0xff000000) | convert_unorm_from_float(in->f[0], 0xffffff);
    memcpy(dst, &v, sizeof v);
}

/* Three 9-bit mantissas without hidden bit, one exponent with bias 15. */
FORMAT_UNPACK(rgb9e5)
{
    uint32_t v;
    memcpy(&v, src, sizeof v);
    float scale = float_from_bits(((v >> 27) + 127 - 15 - 9) << 23);
    for (unsigned i = 0; i < 3; i++)
        out->f[i] = (float)(v >> 9 * i & 0x1ff) * scale;
    out->f[3] = 1.0f;
}

/* The algorithm of EXT_texture_shared_exponent. */
FORMAT_PACK(rgb9e5)
{
    float c[3], max = 0.0f;
    for (unsigned i = 0; i < 3; i++) {
        c[i] = in->f[i] > 0.0f ? MIN2(in->f[i], 65408.0f) : 0.0f;
        max = MAX2(max, c[i]);
    }
    int log2 = (int)(bits_from_float(max) >> 23) - 127;
    int exponent = MAX2(log2, -16) + 16;
    double scale = (1u << (31 - exponent)) / 128.0; /* 2^(24 - exponent) */
    if ((uint32_t)(max * scale + 0.5) == 512) {
        scale /= 2;
        exponent++;
    }
    uint32_t v = (uint32_t)exponent << 27;
    for (unsigned i = 0; i < 3; i++)
        v |= (uint32_t)(c[i] * scale + 0.5) << 9 * i;
    memcpy(dst, &v, sizeof v);
}

FORMAT_UNPACK(passthru)
{
    memset(out, 0, sizeof *out);
    memcpy(out, src, MIN2(fmt->element_B, sizeof *out));
}

FORMAT_PACK(passthru)
{
    memcpy(dst, in, MIN2(fmt->element_B, sizeof *in));
}
