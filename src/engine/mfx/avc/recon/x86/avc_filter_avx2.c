/* avc_filter_avx2.c: the loop filter, all lines of an edge at a time. Compiled
 * with -mavx2; called only if the processor has it. Edges of other lengths, and
 * those with bS 4 on some lines alone, are the reference's. */
#include "engine/mfx/avc/recon/recon_ref.h"

#include <immintrin.h>

#define EDGE_LUMA 16 /* lines */
#define EDGE_CHROMA 8

/* Whether bS is 4 on all lines; *mixed: on some alone. */
static inline bool
is_strong(const uint8_t bs[4], bool *mixed)
{
    unsigned strong = 0;
    for (unsigned i = 0; i < 4; i++)
        strong += bs[i] == 4;
    *mixed = strong % 4;
    return strong == 4;
}

/* tc0 of each entry of bs. */
static inline int32_t
limits_of(const uint8_t bs[4], int index_a)
{
    uint8_t tc0[4];
    int32_t all;
    for (unsigned i = 0; i < 4; i++)
        tc0[i] = bs[i] ? avc_tc0[index_a][(bs[i] - 1) & 3] : 0;
    memcpy(&all, tc0, sizeof all);
    return all;
}

static inline int32_t
all_of(const uint8_t bs[4])
{
    int32_t all;
    memcpy(&all, bs, sizeof all);
    return all;
}

/* ---- luma: a lane of 16 bits for each line ---- */

struct luma_taps {
    __m256i p3, p2, p1, p0, q0, q1, q2, q3;
};

static inline __m256i
word_lanes(int32_t four)
{
    const __m128i each = _mm_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3,
                                       3, 3);
    return _mm256_cvtepu8_epi16(
        _mm_shuffle_epi8(_mm_cvtsi32_si128(four), each));
}

/* |a - b| < limit */
static inline __m256i
is_near(__m256i a, __m256i b, int limit)
{
    __m256i distance = _mm256_abs_epi16(_mm256_sub_epi16(a, b));
    return _mm256_cmpgt_epi16(_mm256_set1_epi16((short)limit), distance);
}

static inline __m256i
clamp_words(__m256i v, __m256i limit)
{
    __m256i low = _mm256_sub_epi16(_mm256_setzero_si256(), limit);
    return _mm256_max_epi16(low, _mm256_min_epi16(v, limit));
}

static inline __m256i
add_3(__m256i a, __m256i b, __m256i c)
{
    return _mm256_add_epi16(_mm256_add_epi16(a, b), c);
}

/* One side of bS 1 to 3: how far p1 moves, 8-476. */
static inline __m256i
move_second(__m256i p2, __m256i p1, __m256i mean, __m256i tc0)
{
    __m256i d = _mm256_sub_epi16(_mm256_add_epi16(p2, mean),
                                 _mm256_add_epi16(p1, p1));
    return clamp_words(_mm256_srai_epi16(d, 1), tc0);
}

static inline void
filter_normal(struct luma_taps *t, __m256i mask, int beta, __m256i tc0)
{
    __m256i near_p = _mm256_and_si256(mask, is_near(t->p2, t->p0, beta));
    __m256i near_q = _mm256_and_si256(mask, is_near(t->q2, t->q0, beta));
    __m256i mean = _mm256_avg_epu16(t->p0, t->q0);
    __m256i p = move_second(t->p2, t->p1, mean, tc0);
    __m256i q = move_second(t->q2, t->q1, mean, tc0);
    __m256i tc = _mm256_sub_epi16(tc0, _mm256_add_epi16(near_p, near_q));
    __m256i delta = _mm256_slli_epi16(_mm256_sub_epi16(t->q0, t->p0), 2);
    delta = add_3(delta, _mm256_sub_epi16(t->p1, t->q1), _mm256_set1_epi16(4));
    delta = clamp_words(_mm256_srai_epi16(delta, 3), tc);
    delta = _mm256_and_si256(delta, mask);
    t->p1 = _mm256_add_epi16(t->p1, _mm256_and_si256(p, near_p));
    t->q1 = _mm256_add_epi16(t->q1, _mm256_and_si256(q, near_q));
    t->p0 = _mm256_add_epi16(t->p0, delta);
    t->q0 = _mm256_sub_epi16(t->q0, delta);
}

/* One side of bS 4. o0, o1: samples of the other side. */
static inline void
filter_side(__m256i mask, __m256i near, __m256i *s0, __m256i *s1, __m256i *s2,
            __m256i s3, __m256i o0, __m256i o1)
{
    __m256i two = _mm256_set1_epi16(2), four = _mm256_set1_epi16(4);
    __m256i sum = add_3(*s1, *s0, o0); /* p1 + p0 + q0 */
    __m256i all = _mm256_add_epi16(sum, *s2);
    __m256i first = add_3(_mm256_add_epi16(sum, sum), _mm256_add_epi16(*s2, o1),
                          four);
    __m256i second = _mm256_add_epi16(all, two);
    __m256i third = add_3(_mm256_slli_epi16(_mm256_add_epi16(s3, *s2), 1), all,
                          four);
    __m256i weak = add_3(_mm256_add_epi16(*s1, *s1), _mm256_add_epi16(*s0, o1),
                         two);
    __m256i both = _mm256_and_si256(mask, near);
    weak = _mm256_srai_epi16(weak, 2);
    *s0 = _mm256_blendv_epi8(*s0, weak, mask);
    *s0 = _mm256_blendv_epi8(*s0, _mm256_srai_epi16(first, 3), both);
    *s1 = _mm256_blendv_epi8(*s1, _mm256_srai_epi16(second, 2), both);
    *s2 = _mm256_blendv_epi8(*s2, _mm256_srai_epi16(third, 3), both);
}

static inline void
filter_strong(struct luma_taps *t, __m256i mask, int alpha, int beta)
{
    __m256i p0 = t->p0, p1 = t->p1, q0 = t->q0, q1 = t->q1;
    __m256i small = is_near(p0, q0, (alpha >> 2) + 2);
    __m256i near_p = _mm256_and_si256(small, is_near(t->p2, p0, beta));
    __m256i near_q = _mm256_and_si256(small, is_near(t->q2, q0, beta));
    filter_side(mask, near_p, &t->p0, &t->p1, &t->p2, t->p3, q0, q1);
    filter_side(mask, near_q, &t->q0, &t->q1, &t->q2, t->q3, p0, p1);
}

/* Returns whether a sample may have changed. */
static inline bool
filter_taps(struct luma_taps *t, const struct avc_lines *l, bool strong)
{
    int alpha = avc_alpha[l->index_a], beta = avc_beta[l->index_b];
    __m256i mask = _mm256_cmpgt_epi16(word_lanes(all_of(l->bs)),
                                      _mm256_setzero_si256());
    mask = _mm256_and_si256(mask, is_near(t->p0, t->q0, alpha));
    mask = _mm256_and_si256(mask, is_near(t->p1, t->p0, beta));
    mask = _mm256_and_si256(mask, is_near(t->q1, t->q0, beta));
    if (!_mm256_movemask_epi8(mask))
        return false;
    if (strong)
        filter_strong(t, mask, alpha, beta);
    else
        filter_normal(t, mask, beta, word_lanes(limits_of(l->bs, l->index_a)));
    return true;
}

static inline __m256i
load_words(const uint8_t *p)
{
    return _mm256_cvtepu8_epi16(
        _mm_loadu_si128((const __m128i *)(const void *)p));
}

static inline void
store_words(uint8_t *to, __m256i v)
{
    v = _mm256_permute4x64_epi64(_mm256_packus_epi16(v, v), 0x08);
    _mm_storeu_si128((__m128i *)(void *)to, _mm256_castsi256_si128(v));
}

/* A horizontal edge: lines are columns. */
static void
filter_rows(const struct avc_lines *l, bool strong)
{
    uint8_t *q = l->q0;
    ptrdiff_t s = l->across;
    struct luma_taps t = {load_words(q - 4 * s), load_words(q - 3 * s),
                          load_words(q - 2 * s), load_words(q - s),
                          load_words(q),         load_words(q + s),
                          load_words(q + 2 * s), load_words(q + 3 * s)};
    if (!filter_taps(&t, l, strong))
        return;
    store_words(q - 2 * s, t.p1);
    store_words(q - s, t.p0);
    store_words(q, t.q0);
    store_words(q + s, t.q1);
    if (!strong)
        return;
    store_words(q - 3 * s, t.p2);
    store_words(q + 2 * s, t.q2);
}

/* Lines i and i + 8, eight bytes each. */
static inline __m256i
load_two(const uint8_t *p, ptrdiff_t stride)
{
    __m128i a = _mm_loadl_epi64((const __m128i *)(const void *)p);
    __m128i b = _mm_loadl_epi64(
        (const __m128i *)(const void *)(p + 8 * stride));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
}

/* Columns of 16 lines of eight bytes. */
static inline struct luma_taps
load_columns(const uint8_t *p, ptrdiff_t s)
{
    __m256i zero = _mm256_setzero_si256(), t[4], u[4], v[4];
    for (unsigned i = 0; i < 4; i++)
        t[i] = _mm256_unpacklo_epi8(load_two(p + i * 2 * s, s),
                                    load_two(p + (i * 2 + 1) * s, s));
    for (unsigned i = 0; i < 2; i++) {
        u[i] = _mm256_unpacklo_epi16(t[i * 2], t[i * 2 + 1]);
        u[i + 2] = _mm256_unpackhi_epi16(t[i * 2], t[i * 2 + 1]);
    }
    for (unsigned i = 0; i < 2; i++) {
        v[i * 2] = _mm256_unpacklo_epi32(u[i * 2], u[i * 2 + 1]);
        v[i * 2 + 1] = _mm256_unpackhi_epi32(u[i * 2], u[i * 2 + 1]);
    }
    return (struct luma_taps){
        _mm256_unpacklo_epi8(v[0], zero), _mm256_unpackhi_epi8(v[0], zero),
        _mm256_unpacklo_epi8(v[1], zero), _mm256_unpackhi_epi8(v[1], zero),
        _mm256_unpacklo_epi8(v[2], zero), _mm256_unpackhi_epi8(v[2], zero),
        _mm256_unpacklo_epi8(v[3], zero), _mm256_unpackhi_epi8(v[3], zero)};
}

/* Two columns, byte by byte in turn. */
static inline __m256i
join_columns(__m256i a, __m256i b)
{
    return _mm256_or_si256(a, _mm256_slli_epi16(b, 8));
}

static inline __m256i
clip_words(__m256i v)
{
    __m256i low = _mm256_max_epi16(v, _mm256_setzero_si256());
    return _mm256_min_epi16(low, _mm256_set1_epi16(255));
}

/* Eight bytes to each place, at any alignment. */
static inline void
store_two(uint8_t *a, uint8_t *b, __m128i both)
{
    _mm_storel_epi64((__m128i *)(void *)a, both);
    _mm_storel_epi64((__m128i *)(void *)b, _mm_unpackhi_epi64(both, both));
}

/* Two lines of each half. */
static inline void
store_four(uint8_t *p, ptrdiff_t s, __m256i lines)
{
    store_two(p, p + s, _mm256_castsi256_si128(lines));
    store_two(p + 8 * s, p + 9 * s, _mm256_extracti128_si256(lines, 1));
}

static inline void
store_columns(uint8_t *p, ptrdiff_t s, const struct luma_taps *t)
{
    __m256i a = join_columns(t->p3, t->p2);
    __m256i b = join_columns(t->p1, clip_words(t->p0));
    __m256i c = join_columns(clip_words(t->q0), t->q1);
    __m256i d = join_columns(t->q2, t->q3);
    __m256i ab[2] = {_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)};
    __m256i cd[2] = {_mm256_unpacklo_epi16(c, d), _mm256_unpackhi_epi16(c, d)};
    for (unsigned i = 0; i < 2; i++) {
        store_four(p + i * 4 * s, s, _mm256_unpacklo_epi32(ab[i], cd[i]));
        store_four(p + (i * 4 + 2) * s, s, _mm256_unpackhi_epi32(ab[i], cd[i]));
    }
}

void
avc_filter_luma_avx2(const struct avc_lines *l)
{
    bool mixed, strong = is_strong(l->bs, &mixed);
    if (mixed || l->count != EDGE_LUMA) {
        avc_filter_luma_ref(l);
        return;
    }
    if (l->along == 1) {
        filter_rows(l, strong);
        return;
    }
    struct luma_taps t = load_columns(l->q0 - 4, l->along);
    if (filter_taps(&t, l, strong))
        store_columns(l->q0 - 4, l->along, &t);
}

/* ---- chroma: eight lanes ---- */

struct chroma_taps {
    __m128i p1, p0, q0, q1;
};

static inline __m128i
chroma_lanes(int32_t four)
{
    const __m128i each = _mm_setr_epi8(0, -1, 0, -1, 1, -1, 1, -1, 2, -1, 2, -1,
                                       3, -1, 3, -1);
    return _mm_shuffle_epi8(_mm_cvtsi32_si128(four), each);
}

static inline __m128i
is_near_8(__m128i a, __m128i b, int limit)
{
    __m128i distance = _mm_abs_epi16(_mm_sub_epi16(a, b));
    return _mm_cmpgt_epi16(_mm_set1_epi16((short)limit), distance);
}

/* (2 a + b + c + 2) >> 2 */
static inline __m128i
smooth_8(__m128i a, __m128i b, __m128i c)
{
    __m128i sum = _mm_add_epi16(_mm_add_epi16(a, a), _mm_add_epi16(b, c));
    return _mm_srli_epi16(_mm_add_epi16(sum, _mm_set1_epi16(2)), 2);
}

static inline __m128i
chroma_delta(const struct chroma_taps *t, __m128i tc0)
{
    __m128i tc = _mm_add_epi16(tc0, _mm_set1_epi16(1));
    __m128i low = _mm_sub_epi16(_mm_setzero_si128(), tc);
    __m128i delta = _mm_slli_epi16(_mm_sub_epi16(t->q0, t->p0), 2);
    delta = _mm_add_epi16(delta, _mm_sub_epi16(t->p1, t->q1));
    delta = _mm_srai_epi16(_mm_add_epi16(delta, _mm_set1_epi16(4)), 3);
    return _mm_max_epi16(low, _mm_min_epi16(delta, tc));
}

static inline bool
filter_chroma_taps(struct chroma_taps *t, const struct avc_lines *l,
                   bool strong)
{
    int alpha = avc_alpha[l->index_a], beta = avc_beta[l->index_b];
    __m128i mask = _mm_cmpgt_epi16(chroma_lanes(all_of(l->bs)),
                                   _mm_setzero_si128());
    mask = _mm_and_si128(mask, is_near_8(t->p0, t->q0, alpha));
    mask = _mm_and_si128(mask, is_near_8(t->p1, t->p0, beta));
    mask = _mm_and_si128(mask, is_near_8(t->q1, t->q0, beta));
    if (!_mm_movemask_epi8(mask))
        return false;
    if (strong) {
        __m128i p0 = smooth_8(t->p1, t->p0, t->q1);
        __m128i q0 = smooth_8(t->q1, t->q0, t->p1);
        t->p0 = _mm_blendv_epi8(t->p0, p0, mask);
        t->q0 = _mm_blendv_epi8(t->q0, q0, mask);
        return true;
    }
    __m128i delta = chroma_delta(t, chroma_lanes(limits_of(l->bs, l->index_a)));
    delta = _mm_and_si128(delta, mask);
    t->p0 = _mm_add_epi16(t->p0, delta);
    t->q0 = _mm_sub_epi16(t->q0, delta);
    return true;
}

static inline __m128i
load_eight(const uint8_t *p)
{
    return _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)(const void *)p));
}

static void
filter_chroma_rows(const struct avc_lines *l, bool strong)
{
    uint8_t *q = l->q0;
    ptrdiff_t s = l->across;
    struct chroma_taps t = {load_eight(q - 2 * s), load_eight(q - s),
                            load_eight(q), load_eight(q + s)};
    if (!filter_chroma_taps(&t, l, strong))
        return;
    __m128i both = _mm_packus_epi16(t.p0, t.q0);
    store_two(q - s, q, both);
}

/* Four bytes of lines i and i + 4, byte by byte in turn. */
static inline __m128i
load_pair(const uint8_t *p, ptrdiff_t s)
{
    int32_t a, b;
    memcpy(&a, p, sizeof a);
    memcpy(&b, p + 4 * s, sizeof b);
    return _mm_unpacklo_epi8(_mm_cvtsi32_si128(a), _mm_cvtsi32_si128(b));
}

static void
filter_chroma_columns(const struct avc_lines *l, bool strong)
{
    uint8_t *p = l->q0 - 2;
    ptrdiff_t s = l->along;
    __m128i zero = _mm_setzero_si128();
    /* Words with lines (0, 4), (2, 6) of columns 0 to 3, then (1, 5), (3, 7).
     */
    __m128i a = _mm_unpacklo_epi8(load_pair(p, s), load_pair(p + 2 * s, s));
    __m128i b = _mm_unpacklo_epi8(load_pair(p + s, s), load_pair(p + 3 * s, s));
    /* Then a column's eight lines in order. */
    __m128i low = _mm_unpacklo_epi8(a, b), high = _mm_unpackhi_epi8(a, b);
    struct chroma_taps t = {
        _mm_unpacklo_epi8(low, zero), _mm_unpackhi_epi8(low, zero),
        _mm_unpacklo_epi8(high, zero), _mm_unpackhi_epi8(high, zero)};
    if (!filter_chroma_taps(&t, l, strong))
        return;
    __m128i both = _mm_packus_epi16(t.p0, t.q0);
    both = _mm_unpacklo_epi8(both, _mm_unpackhi_epi64(both, both));
    for (unsigned i = 0; i < EDGE_CHROMA; i++) {
        uint16_t two = (uint16_t)_mm_cvtsi128_si32(both);
        memcpy(p + 1 + i * s, &two, sizeof two);
        both = _mm_srli_si128(both, 2);
    }
}

void
avc_filter_chroma_avx2(const struct avc_lines *l)
{
    bool mixed, strong = is_strong(l->bs, &mixed);
    if (mixed || l->count != EDGE_CHROMA)
        avc_filter_chroma_ref(l);
    else if (l->along == 1)
        filter_chroma_rows(l, strong);
    else
        filter_chroma_columns(l, strong);
}
