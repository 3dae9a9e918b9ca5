/* avc_interpolate_avx2.c: interpolation and weighted prediction, a line of a
 * block at a time. Compiled with -mavx2; called only if the processor has it.
 * Narrow blocks compute lanes that are not stored. */
#include "engine/mfx/avc/recon/recon_ref.h"

#include <immintrin.h>

static inline __m128i
load_bytes(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline __m256i
load_words(const uint8_t *p)
{
    return _mm256_cvtepu8_epi16(load_bytes(p));
}

/* Stores the first `width` of 16 bytes. */
static inline void
put_bytes(uint8_t *to, __m128i v, unsigned width)
{
    uint64_t low = (uint64_t)_mm_cvtsi128_si64(v);
    switch (width) {
    case 16: _mm_storeu_si128((__m128i *)(void *)to, v); break;
    case 8: memcpy(to, &low, 8); break;
    case 4: memcpy(to, &low, 4); break;
    default: memcpy(to, &low, 2); break;
    }
}

/* Sixteen words to bytes, saturated. */
static inline __m128i
to_bytes(__m256i words)
{
    __m256i v = _mm256_packus_epi16(words, words);
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(v, 0x08));
}

/* a - 5 b + 20 c + 20 d - 5 e + f */
static inline __m256i
six_words(__m256i a, __m256i b, __m256i c, __m256i d, __m256i e, __m256i f)
{
    __m256i inner = _mm256_slli_epi16(_mm256_add_epi16(c, d), 2);
    inner = _mm256_sub_epi16(inner, _mm256_add_epi16(b, e));
    inner = _mm256_add_epi16(inner, _mm256_slli_epi16(inner, 2));
    return _mm256_add_epi16(inner, _mm256_add_epi16(a, f));
}

static inline __m256i
six_across(const uint8_t *p)
{
    return six_words(load_words(p - 2), load_words(p - 1), load_words(p),
                     load_words(p + 1), load_words(p + 2), load_words(p + 3));
}

static inline __m128i
round_half(__m256i sum)
{
    sum = _mm256_add_epi16(sum, _mm256_set1_epi16(16));
    return to_bytes(_mm256_srai_epi16(sum, 5));
}

static void
half_across(const uint8_t *from, unsigned width, unsigned height, uint8_t *to,
            ptrdiff_t stride)
{
    for (unsigned y = 0; y < height; y++, from += AVC_WINDOW_B, to += stride)
        put_bytes(to, round_half(six_across(from)), width);
}

static void
half_down(const uint8_t *from, unsigned width, unsigned height, uint8_t *to,
          ptrdiff_t stride)
{
    __m256i a = load_words(from - 2 * AVC_WINDOW_B);
    __m256i b = load_words(from - AVC_WINDOW_B), c = load_words(from);
    __m256i d = load_words(from + AVC_WINDOW_B);
    __m256i e = load_words(from + 2 * AVC_WINDOW_B);
    for (unsigned y = 0; y < height; y++, from += AVC_WINDOW_B, to += stride) {
        __m256i f = load_words(from + 3 * AVC_WINDOW_B);
        put_bytes(to, round_half(six_words(a, b, c, d, e, f)), width);
        a = b;
        b = c;
        c = d;
        d = e;
        e = f;
    }
}

/* The six taps of eight columns, of words, rounded twice over. */
static inline __m256i
six_pairs(__m256i outer, __m256i middle, __m256i inner)
{
    __m256i sum = _mm256_madd_epi16(outer, _mm256_set1_epi16(1));
    sum = _mm256_add_epi32(sum,
                           _mm256_madd_epi16(middle, _mm256_set1_epi16(-5)));
    sum = _mm256_add_epi32(sum,
                           _mm256_madd_epi16(inner, _mm256_set1_epi16(20)));
    sum = _mm256_add_epi32(sum, _mm256_set1_epi32(512));
    return _mm256_srai_epi32(sum, 10);
}

static inline __m256i
six_down(const __m256i m[6])
{
    __m256i low = six_pairs(_mm256_unpacklo_epi16(m[0], m[5]),
                            _mm256_unpacklo_epi16(m[1], m[4]),
                            _mm256_unpacklo_epi16(m[2], m[3]));
    __m256i high = six_pairs(_mm256_unpackhi_epi16(m[0], m[5]),
                             _mm256_unpackhi_epi16(m[1], m[4]),
                             _mm256_unpackhi_epi16(m[2], m[3]));
    return _mm256_packs_epi32(low, high);
}

static void
half_both(struct avc_window *w, const uint8_t *from, unsigned width,
          unsigned height, uint8_t *to, ptrdiff_t stride)
{
    (void)w;
    __m256i m[6];
    from -= 2 * AVC_WINDOW_B;
    for (unsigned i = 0; i < 5; i++, from += AVC_WINDOW_B)
        m[i] = six_across(from);
    for (unsigned y = 0; y < height; y++, from += AVC_WINDOW_B, to += stride) {
        m[5] = six_across(from);
        put_bytes(to, to_bytes(six_down(m)), width);
        for (unsigned i = 0; i < 5; i++)
            m[i] = m[i + 1];
    }
}

static void
copy_samples(const uint8_t *from, unsigned width, unsigned height, uint8_t *to,
             ptrdiff_t stride)
{
    for (unsigned y = 0; y < height; y++, from += AVC_WINDOW_B, to += stride)
        put_bytes(to, load_bytes(from), width);
}

static void
average_blocks(uint8_t *to, ptrdiff_t stride, const uint8_t *a,
               const uint8_t *b, unsigned width, unsigned height)
{
    for (unsigned y = 0; y < height; y++, to += stride) {
        unsigned at = y * AVC_BLOCK_STRIDE;
        put_bytes(to, _mm_avg_epu8(load_bytes(a + at), load_bytes(b + at)),
                  width);
    }
}

#include "engine/mfx/avc/recon/luma_tmpl.h"

void
avc_luma_avx2(struct avc_window *w, const uint8_t *from, unsigned x, unsigned y,
              unsigned width, unsigned height, uint8_t *to, ptrdiff_t stride)
{
    luma_block(w, from, x, y, width, height, to, stride);
}

void
avc_average_avx2(uint8_t *to, ptrdiff_t stride, const uint8_t *a,
                 const uint8_t *b, unsigned width, unsigned height)
{
    average_blocks(to, stride, a, b, width, height);
}

/* ---- chroma ---- */

/* Sums across of eight samples of Cb and Cr, which take turns. */
struct chroma_line {
    __m128i low, high;
};

static inline struct chroma_line
chroma_pairs(const uint8_t *p)
{
    __m128i a = load_bytes(p), b = load_bytes(p + 2);
    return (struct chroma_line){_mm_unpacklo_epi8(a, b),
                                _mm_unpackhi_epi8(a, b)};
}

static inline __m128i
chroma_sum(__m128i p, __m128i q, __m128i upper, __m128i lower)
{
    __m128i sum = _mm_add_epi16(_mm_maddubs_epi16(p, upper),
                                _mm_maddubs_epi16(q, lower));
    return _mm_srli_epi16(_mm_add_epi16(sum, _mm_set1_epi16(32)), 6);
}

void
avc_chroma_avx2(const uint8_t *from, unsigned x, unsigned y, unsigned width,
                unsigned height, uint8_t *const to[2], ptrdiff_t stride)
{
    unsigned across = (8 - x) | x << 8;
    __m128i upper = _mm_set1_epi16((short)(across * (8 - y)));
    __m128i lower = _mm_set1_epi16((short)(across * y));
    const __m128i part = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9,
                                       11, 13, 15);
    struct chroma_line p = chroma_pairs(from);
    for (unsigned j = 0; j < height; j++) {
        from += AVC_WINDOW_B;
        struct chroma_line q = chroma_pairs(from);
        __m128i v = _mm_packus_epi16(chroma_sum(p.low, q.low, upper, lower),
                                     chroma_sum(p.high, q.high, upper, lower));
        v = _mm_shuffle_epi8(v, part);
        put_bytes(to[0] + j * stride, v, width);
        put_bytes(to[1] + j * stride, _mm_unpackhi_epi64(v, v), width);
        p = q;
    }
}

/* ---- weights ---- */

struct weigher {
    __m256i pair, round, offset;
    __m128i shift;
};

static inline __m256i
weigh_pairs(const struct weigher *w, __m128i pairs)
{
    __m256i v = _mm256_madd_epi16(_mm256_cvtepu8_epi16(pairs), w->pair);
    v = _mm256_sra_epi32(_mm256_add_epi32(v, w->round), w->shift);
    return _mm256_add_epi32(v, w->offset);
}

static inline void
weigh_lines(const struct weigher *w, uint8_t *to, ptrdiff_t stride,
            const uint8_t *a, const uint8_t *b, unsigned width, unsigned height)
{
    for (unsigned y = 0; y < height; y++, to += stride) {
        __m128i p = load_bytes(a + y * AVC_BLOCK_STRIDE);
        __m128i q = load_bytes(b + y * AVC_BLOCK_STRIDE);
        __m256i low = weigh_pairs(w, _mm_unpacklo_epi8(p, q));
        __m256i high = weigh_pairs(w, _mm_unpackhi_epi8(p, q));
        __m256i v = _mm256_packs_epi32(low, high);
        put_bytes(to, to_bytes(_mm256_permute4x64_epi64(v, 0xd8)), width);
    }
}

static inline struct weigher
make_weigher(const struct avc_weights *w, int w1, int round, int shift)
{
    uint32_t pair = (uint16_t)w->w0 | (uint32_t)w1 << 16;
    return (struct weigher){
        .pair = _mm256_set1_epi32((int)pair),
        .round = _mm256_set1_epi32(round),
        .offset = _mm256_set1_epi32(w->offset),
        .shift = _mm_cvtsi32_si128(shift),
    };
}

void
avc_weight_one_avx2(uint8_t *to, ptrdiff_t stride, const uint8_t *a,
                    const struct avc_weights *w, unsigned width,
                    unsigned height)
{
    int round = w->log2_denom ? 1 << (w->log2_denom - 1) : 0;
    struct weigher v = make_weigher(w, 0, round, w->log2_denom);
    weigh_lines(&v, to, stride, a, a, width, height);
}

void
avc_weight_two_avx2(uint8_t *to, ptrdiff_t stride, const uint8_t *a,
                    const uint8_t *b, const struct avc_weights *w,
                    unsigned width, unsigned height)
{
    struct weigher v = make_weigher(w, w->w1, 1 << w->log2_denom,
                                    w->log2_denom + 1);
    weigh_lines(&v, to, stride, a, b, width, height);
}
