/* gather_scatter_avx512.c: see gather_scatter.h. Compiled with -mavx512*;
 * called only if the processor has it.
 *
 * In most messages all lanes have the same address or neighbouring ones: both
 * need only a few plain loads. Others are gathered. */
#include "engine/msg/dataport/gather_scatter.h"

#include <immintrin.h>

/* Decoded offsets of the lanes. */
struct place {
    __m512i offset_B;
    __mmask16 mask;
    uint32_t first_B; /* offset of the first enabled lane */
    unsigned lead;    /* index of the first enabled lane */
    bool same;        /* all enabled lanes have this offset */
    bool run;         /* lane i is at first_B + (i - lead) * channels * 4 */
};

static const int32_t iota_B[4][16] = {
    {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60},
    {0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120},
    {0, 12, 24, 36, 48, 60, 72, 84, 96, 108, 120, 132, 144, 156, 168, 180},
    {0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240},
};

static inline __m512i
load(const uint32_t *p, unsigned lanes)
{
    return lanes == 16 ? _mm512_loadu_si512(p)
                       : _mm512_zextsi256_si512(_mm256_loadu_si256(
                             (const __m256i *)(const void *)p));
}

/* False: a lane is out of bounds. */
static inline bool
locate(const struct lane_access *a, const uint32_t *offset_B, struct place *p)
{
    uint32_t last_B;
    if (!lanes_last_B(a, &last_B))
        return false;
    __m512i off = _mm512_and_si512(load(offset_B, a->lanes),
                                   _mm512_set1_epi32((int)a->keep));
    p->offset_B = off;
    p->mask = (__mmask16)a->mask;
    if (_mm512_mask_cmpgt_epu32_mask(p->mask, off,
                                     _mm512_set1_epi32((int)last_B)))
        return false;
    p->lead = (unsigned)__builtin_ctz(a->mask);
    p->first_B = offset_B[p->lead] & a->keep;
    __m512i first = _mm512_set1_epi32((int)p->first_B);
    p->same = !_mm512_mask_cmpneq_epi32_mask(p->mask, off, first);
    __m512i from_lead = _mm512_sub_epi32(
        _mm512_loadu_si512(iota_B[a->channels - 1]),
        _mm512_set1_epi32((int)(p->lead * a->channels * 4)));
    p->run = !_mm512_mask_cmpneq_epi32_mask(p->mask, off,
                                            _mm512_add_epi32(first, from_lead));
    return true;
}

static inline bool
is_full(const struct lane_access *a)
{
    return a->mask == (a->lanes == 16 ? 0xffffu : 0xffu);
}

/* Avoids a masked store, because later loads cannot forward from it. */
static inline void
answer(const struct lane_access *a, uint32_t *dst, __m512i v)
{
    if (!is_full(a))
        v = _mm512_mask_blend_epi32((__mmask16)a->mask, load(dst, a->lanes), v);
    if (a->lanes == 16)
        _mm512_storeu_si512(dst, v);
    else
        _mm256_storeu_si256((__m256i *)(void *)dst, _mm512_castsi512_si256(v));
}

/* ---- four dwords per lane ---- */

/* Transposes rows of four lanes' x y z w to columns of 16 lanes. */
static inline void
to_columns(const __m512i row[4], __m512i column[4])
{
    const __m512i xy = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9,
                                         13, 17, 21, 25, 29);
    const __m512i zw = _mm512_add_epi32(xy, _mm512_set1_epi32(2));
    __m512i xy0 = _mm512_permutex2var_epi32(row[0], xy, row[1]);
    __m512i xy1 = _mm512_permutex2var_epi32(row[2], xy, row[3]);
    __m512i zw0 = _mm512_permutex2var_epi32(row[0], zw, row[1]);
    __m512i zw1 = _mm512_permutex2var_epi32(row[2], zw, row[3]);
    column[0] = _mm512_shuffle_i64x2(xy0, xy1, 0x44);
    column[1] = _mm512_shuffle_i64x2(xy0, xy1, 0xee);
    column[2] = _mm512_shuffle_i64x2(zw0, zw1, 0x44);
    column[3] = _mm512_shuffle_i64x2(zw0, zw1, 0xee);
}

static inline void
to_rows(const __m512i column[4], __m512i row[4])
{
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
                                          21, 6, 22, 7, 23);
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    const __m512i even = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __m512i odd = _mm512_add_epi64(even, _mm512_set1_epi64(4));
    __m512i xy0 = _mm512_permutex2var_epi32(column[0], low, column[1]);
    __m512i xy1 = _mm512_permutex2var_epi32(column[0], high, column[1]);
    __m512i zw0 = _mm512_permutex2var_epi32(column[2], low, column[3]);
    __m512i zw1 = _mm512_permutex2var_epi32(column[2], high, column[3]);
    row[0] = _mm512_permutex2var_epi64(xy0, even, zw0);
    row[1] = _mm512_permutex2var_epi64(xy0, odd, zw0);
    row[2] = _mm512_permutex2var_epi64(xy1, even, zw1);
    row[3] = _mm512_permutex2var_epi64(xy1, odd, zw1);
}

static inline __m128i
load_lane(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* Loads four lanes at separate offsets. */
static inline __m512i
load_four(const uint8_t *mem, const uint32_t offset_B[4])
{
    __m512i v = _mm512_castsi128_si512(load_lane(mem + offset_B[0]));
    v = _mm512_inserti32x4(v, load_lane(mem + offset_B[1]), 1);
    v = _mm512_inserti32x4(v, load_lane(mem + offset_B[2]), 2);
    return _mm512_inserti32x4(v, load_lane(mem + offset_B[3]), 3);
}

static void
read_four_channels(const struct lane_access *a, const struct place *p,
                   uint32_t *dst)
{
    __m512i row[4], column[4];
    row[2] = row[3] = _mm512_setzero_si512();
    if (p->run && is_full(a)) {
        const uint8_t *from = a->mem + p->first_B;
        for (unsigned i = 0; i < a->lanes / 4u; i++)
            row[i] = _mm512_loadu_si512(from + 64 * i);
    } else {
        /* Disabled lanes read at the first enabled lane's offset. */
        uint32_t offset_B[16];
        __m512i first = _mm512_set1_epi32((int)p->first_B);
        _mm512_storeu_si512(
            offset_B, _mm512_mask_blend_epi32(p->mask, first, p->offset_B));
        for (unsigned i = 0; i < a->lanes / 4u; i++)
            row[i] = load_four(a->mem, offset_B + 4 * i);
    }
    to_columns(row, column);
    for (unsigned c = 0; c < 4; c++)
        answer(a, dst + c * a->lanes, column[c]);
}

/* ---- */

static inline __m512i
gather(const struct lane_access *a, const struct place *p, unsigned channel)
{
    const uint8_t *mem = a->mem + 4 * channel;
    if (a->lanes == 16)
        return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), p->mask,
                                           p->offset_B, mem, 1);
    return _mm512_zextsi256_si512(_mm256_mmask_i32gather_epi32(
        _mm256_setzero_si256(), (__mmask8)p->mask,
        _mm512_castsi512_si256(p->offset_B), mem, 1));
}

/* Address of lane 0 in a run of single dwords. It may be out of range if lane 0
 * is disabled. */
static inline uint8_t *
lane0(const struct lane_access *a, const struct place *p)
{
    return a->mem + (ptrdiff_t)p->first_B - 4 * (ptrdiff_t)p->lead;
}

static bool
read_lanes(const struct lane_access *a, const uint32_t *offset_B, uint32_t *dst)
{
    struct place p;
    if (!a->mask)
        return true;
    if (!locate(a, offset_B, &p))
        return false;
    if (p.same) {
        for (unsigned c = 0; c < a->channels; c++) {
            int32_t v;
            memcpy(&v, a->mem + p.first_B + 4 * c, 4);
            answer(a, dst + c * a->lanes, _mm512_set1_epi32(v));
        }
    } else if (p.run && a->channels == 1) {
        __m512i v = a->mask == 0xffff
                        ? _mm512_loadu_si512(a->mem + p.first_B)
                        : _mm512_maskz_loadu_epi32(p.mask, lane0(a, &p));
        answer(a, dst, v);
    } else if (a->channels == 4) {
        read_four_channels(a, &p, dst);
    } else {
        for (unsigned c = 0; c < a->channels; c++)
            answer(a, dst + c * a->lanes, gather(a, &p, c));
    }
    return true;
}

static inline void
scatter(const struct lane_access *a, const struct place *p, unsigned channel,
        __m512i v)
{
    uint8_t *mem = a->mem + 4 * channel;
    if (a->lanes == 16)
        _mm512_mask_i32scatter_epi32(mem, p->mask, p->offset_B, v, 1);
    else
        _mm256_mask_i32scatter_epi32(mem, (__mmask8)p->mask,
                                     _mm512_castsi512_si256(p->offset_B),
                                     _mm512_castsi512_si256(v), 1);
}

static bool
write_lanes(const struct lane_access *a, const uint32_t *offset_B,
            const uint32_t *src)
{
    struct place p;
    if (!a->mask)
        return true;
    if (!locate(a, offset_B, &p))
        return false;
    if (p.run && a->channels == 1) {
        __m512i v = load(src, a->lanes);
        if (a->mask == 0xffff)
            _mm512_storeu_si512(a->mem + p.first_B, v);
        else
            _mm512_mask_storeu_epi32(lane0(a, &p), p.mask, v);
    } else if (p.run && a->channels == 4 && is_full(a)) {
        __m512i column[4], row[4];
        for (unsigned c = 0; c < 4; c++)
            column[c] = load(src + c * a->lanes, a->lanes);
        to_rows(column, row);
        for (unsigned i = 0; i < a->lanes / 4u; i++)
            _mm512_storeu_si512(a->mem + p.first_B + 64 * i, row[i]);
    } else {
        for (unsigned c = 0; c < a->channels; c++)
            scatter(a, &p, c, load(src + c * a->lanes, a->lanes));
    }
    return true;
}

/* ---- sixteen enabled lanes ---- */

struct full_place {
    uint32_t first_B;
    bool same, run;
};

static inline __attribute__((always_inline)) bool
locate_full(const struct lane_access *a, unsigned channels,
            const uint32_t *offset_B, struct full_place *p)
{
    uint32_t last_B = lanes_size_B(a) - 4 * channels;
    __m512i off = _mm512_and_si512(_mm512_loadu_si512(offset_B),
                                   _mm512_set1_epi32((int)a->keep));
    if (lanes_size_B(a) < 4 * channels ||
        _mm512_cmpgt_epu32_mask(off, _mm512_set1_epi32((int)last_B)))
        return false;
    __m128i lane0 = _mm512_castsi512_si128(off);
    __m512i rest = _mm512_sub_epi32(off, _mm512_broadcastd_epi32(lane0));
    p->first_B = (uint32_t)_mm_cvtsi128_si32(lane0);
    p->same = !_mm512_test_epi32_mask(rest, rest);
    p->run = !_mm512_cmpneq_epi32_mask(
        rest, _mm512_loadu_si512(iota_B[channels - 1]));
    return true;
}

static inline __attribute__((always_inline)) bool
read_full(const struct lane_access *a, unsigned channels,
          const uint32_t *offset_B, uint32_t *dst)
{
    struct full_place p;
    __m512i v[4];
    if (!locate_full(a, channels, offset_B, &p) || (!p.same && !p.run))
        return false;
    const uint8_t *from = a->mem + p.first_B;
    if (p.same) {
        for (unsigned c = 0; c < channels; c++) {
            int32_t one;
            memcpy(&one, from + 4 * c, 4);
            _mm512_storeu_si512(dst + 16 * c, _mm512_set1_epi32(one));
        }
        return true;
    }
    for (unsigned c = 0; c < channels; c++)
        v[c] = _mm512_loadu_si512(from + 64 * c);
    if (channels == 4)
        to_columns(v, v);
    for (unsigned c = 0; c < channels; c++)
        _mm512_storeu_si512(dst + 16 * c, v[c]);
    return true;
}

static inline __attribute__((always_inline)) bool
write_full(const struct lane_access *a, unsigned channels,
           const uint32_t *offset_B, const uint32_t *src)
{
    struct full_place p;
    __m512i v[4];
    if (!locate_full(a, channels, offset_B, &p) || !p.run)
        return false;
    for (unsigned c = 0; c < channels; c++)
        v[c] = _mm512_loadu_si512(src + 16 * c);
    if (channels == 4)
        to_rows(v, v);
    for (unsigned c = 0; c < channels; c++)
        _mm512_storeu_si512(a->mem + p.first_B + 64 * c, v[c]);
    return true;
}

#include "engine/msg/send_fast.h"

const struct lane_routines lanes_avx512 = {read_lanes, write_lanes, fast_send};
