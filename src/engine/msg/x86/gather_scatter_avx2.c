/* gather_scatter_avx2.c: see gather_scatter.h. Compiled with -mavx2; called
 * only if the processor has it. Moves eight lanes at a time, after checking
 * all. */
#include "engine/msg/dataport/gather_scatter.h"

#include <immintrin.h>

struct place {
    __m256i offset_B[2];
    uint32_t first_B; /* offset of the first enabled lane */
    unsigned lead;    /* index of the first enabled lane */
    bool same;        /* all enabled lanes have this offset */
    bool run;         /* lane i is at first_B + (i - lead) * channels * 4 */
};

static inline __m256i
load(const void *p)
{
    return _mm256_loadu_si256(p);
}

static inline void
store(void *p, __m256i v)
{
    _mm256_storeu_si256(p, v);
}

/* Vector mask from eight bits. */
static inline __m256i
from_bits(uint32_t bits)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(
        _mm256_and_si256(_mm256_set1_epi32((int)bits), bit), bit);
}

static inline uint32_t
to_bits(__m256i mask)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(mask));
}

/* Enabled lanes of `half`. */
static inline uint32_t
bits_of(const struct lane_access *a, unsigned half)
{
    return a->mask >> (8 * half) & 0xff;
}

/* False: a lane is out of bounds. */
static inline bool
locate(const struct lane_access *a, const uint32_t *offset_B, struct place *p)
{
    uint32_t last_B;
    if (!lanes_last_B(a, &last_B))
        return false;
    uint32_t inside = 0, same = 0, run = 0, step_B = a->channels * 4u;
    p->lead = (unsigned)__builtin_ctz(a->mask);
    p->first_B = offset_B[p->lead] & a->keep;
    __m256i first = _mm256_set1_epi32((int)p->first_B);
    __m256i last = _mm256_set1_epi32((int)last_B);
    __m256i at = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                    _mm256_set1_epi32((int)step_B));
    at = _mm256_add_epi32(
        at, _mm256_set1_epi32((int)(p->first_B - p->lead * step_B)));
    for (unsigned h = 0; h < a->lanes / 8u; h++) {
        __m256i off = _mm256_and_si256(load(offset_B + 8 * h),
                                       _mm256_set1_epi32((int)a->keep));
        p->offset_B[h] = off;
        __m256i low = _mm256_min_epu32(off, last);
        inside |= to_bits(_mm256_cmpeq_epi32(low, off)) << 8 * h;
        same |= to_bits(_mm256_cmpeq_epi32(off, first)) << 8 * h;
        run |= to_bits(_mm256_cmpeq_epi32(off, at)) << 8 * h;
        at = _mm256_add_epi32(at, _mm256_set1_epi32((int)(8 * step_B)));
    }
    p->same = !(a->mask & ~same);
    p->run = !(a->mask & ~run);
    return !(a->mask & ~inside);
}

/* Writes eight lanes of a response; disabled lanes keep their contents. */
static inline void
answer(uint32_t *dst, __m256i v, uint32_t bits)
{
    if (bits != 0xff)
        v = _mm256_blendv_epi8(load(dst), v, from_bits(bits));
    store(dst, v);
}

/* Transposes rows of x y z w, with lanes i and i + 4 in row i, to columns. */
static inline void
transpose(const __m256i in[4], __m256i out[4])
{
    __m256i xy01 = _mm256_unpacklo_epi32(in[0], in[1]);
    __m256i zw01 = _mm256_unpackhi_epi32(in[0], in[1]);
    __m256i xy23 = _mm256_unpacklo_epi32(in[2], in[3]);
    __m256i zw23 = _mm256_unpackhi_epi32(in[2], in[3]);
    out[0] = _mm256_unpacklo_epi64(xy01, xy23);
    out[1] = _mm256_unpackhi_epi64(xy01, xy23);
    out[2] = _mm256_unpacklo_epi64(zw01, zw23);
    out[3] = _mm256_unpackhi_epi64(zw01, zw23);
}

static inline __m128i
load_lane(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline void
read_four_channels(const struct lane_access *a, const struct place *p,
                   unsigned half, uint32_t *dst)
{
    /* Disabled lanes read at the first enabled lane's offset. */
    uint32_t bits = bits_of(a, half), offset_B[8];
    store(offset_B, _mm256_blendv_epi8(_mm256_set1_epi32((int)p->first_B),
                                       p->offset_B[half], from_bits(bits)));
    __m256i row[4], column[4];
    for (unsigned i = 0; i < 4; i++) {
        row[i] = _mm256_castsi128_si256(load_lane(a->mem + offset_B[i]));
        row[i] = _mm256_inserti128_si256(
            row[i], load_lane(a->mem + offset_B[i + 4]), 1);
    }
    transpose(row, column);
    for (unsigned c = 0; c < 4; c++)
        answer(dst + c * a->lanes, column[c], bits);
}

/* Address of lane 0 of this half in a run of single dwords. It may be out of
 * range if lane 0 is disabled. */
static inline uint8_t *
run_of(const struct lane_access *a, const struct place *p, unsigned half)
{
    return a->mem + (ptrdiff_t)p->first_B +
           4 * ((ptrdiff_t)(8 * half) - (ptrdiff_t)p->lead);
}

static inline void
read_half(const struct lane_access *a, const struct place *p, unsigned half,
          uint32_t *dst)
{
    uint32_t bits = bits_of(a, half);
    if (p->run && a->channels == 1) {
        const void *from = run_of(a, p, half);
        answer(dst,
               bits == 0xff ? load(from)
                            : _mm256_maskload_epi32(from, from_bits(bits)),
               bits);
    } else if (a->channels == 4) {
        read_four_channels(a, p, half, dst);
    } else {
        for (unsigned c = 0; c < a->channels; c++) {
            const int *mem = (const int *)(const void *)(a->mem + 4 * c);
            __m256i v = _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), mem,
                                                    p->offset_B[half],
                                                    from_bits(bits), 1);
            answer(dst + c * a->lanes, v, bits);
        }
    }
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
            for (unsigned h = 0; h < a->lanes / 8u; h++)
                answer(dst + c * a->lanes + 8 * h, _mm256_set1_epi32(v),
                       bits_of(a, h));
        }
        return true;
    }
    for (unsigned h = 0; h < a->lanes / 8u; h++)
        if (bits_of(a, h))
            read_half(a, &p, h, dst + 8 * h);
    return true;
}

/* Writes one channel lane by lane; the caller loops over channels. */
static void
write_channel(const struct lane_access *a, const uint32_t *offset_B,
              const uint32_t *src, unsigned channel)
{
    for (uint32_t left = a->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        memcpy(a->mem + (offset_B[i] & a->keep) + 4 * channel, &src[i], 4);
    }
}

static void
write_run(const struct lane_access *a, const struct place *p,
          const uint32_t *src)
{
    for (unsigned h = 0; h < a->lanes / 8u; h++) {
        void *to = run_of(a, p, h);
        uint32_t bits = bits_of(a, h);
        if (bits == 0xff)
            store(to, load(src + 8 * h));
        else
            _mm256_maskstore_epi32(to, from_bits(bits), load(src + 8 * h));
    }
}

static void
write_four_channels(const struct lane_access *a, const struct place *p,
                    const uint32_t *src)
{
    for (unsigned h = 0; h < a->lanes / 8u; h++) {
        uint8_t *to = a->mem + p->first_B + 128 * h;
        __m256i column[4], row[4];
        for (unsigned c = 0; c < 4; c++)
            column[c] = load(src + c * a->lanes + 8 * h);
        transpose(column, row);
        for (unsigned i = 0; i < 4; i++) {
            _mm_storeu_si128((__m128i *)(void *)(to + 16 * i),
                             _mm256_castsi256_si128(row[i]));
            _mm_storeu_si128((__m128i *)(void *)(to + 64 + 16 * i),
                             _mm256_extracti128_si256(row[i], 1));
        }
    }
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
    if (p.run && a->channels == 1)
        write_run(a, &p, src);
    else if (p.run && a->channels == 4 &&
             a->mask == (a->lanes == 16 ? 0xffffu : 0xffu))
        write_four_channels(a, &p, src);
    else
        for (unsigned c = 0; c < a->channels; c++)
            write_channel(a, offset_B, src + c * a->lanes, c);
    return true;
}

/* AVX2 has no faster path for full messages. */
static inline bool
read_full(const struct lane_access *a, unsigned channels,
          const uint32_t *offset_B, uint32_t *dst)
{
    return false;
}

static inline bool
write_full(const struct lane_access *a, unsigned channels,
           const uint32_t *offset_B, const uint32_t *src)
{
    return false;
}

#include "engine/msg/send_fast.h"

const struct lane_routines lanes_avx2 = {read_lanes, write_lanes, fast_send};
