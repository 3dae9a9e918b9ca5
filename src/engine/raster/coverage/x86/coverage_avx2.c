/* coverage_avx2.c: cover_find() in two vectors of eight values, and
 * cover_small(). Compiled with -mavx2; called only if the processor has AVX2.
 */
#include <immintrin.h>

typedef struct {
    __m256i low, high;
} sixteen;

#include "engine/raster/coverage/x86/coverage_simd.h"

COVER_INLINE sixteen
sixteen_all(int32_t v)
{
    return (sixteen){_mm256_set1_epi32(v), _mm256_set1_epi32(v)};
}

COVER_INLINE sixteen
sixteen_from(const int32_t v[16])
{
    const __m256i *half = (const __m256i *)(const void *)v;
    return (sixteen){_mm256_load_si256(half), _mm256_load_si256(half + 1)};
}

COVER_INLINE void
sixteen_put(int32_t to[16], sixteen v)
{
    __m256i *half = (__m256i *)(void *)to;
    _mm256_store_si256(half, v.low);
    _mm256_store_si256(half + 1, v.high);
}

COVER_INLINE sixteen
sixteen_load(const sixteen *v)
{
    return (sixteen){v->low, v->high};
}

COVER_INLINE void
sixteen_store(sixteen *to, sixteen v)
{
    to->low = v.low;
    to->high = v.high;
}

COVER_INLINE sixteen
sixteen_sum(sixteen a, sixteen b)
{
    return (sixteen){_mm256_add_epi32(a.low, b.low),
                     _mm256_add_epi32(a.high, b.high)};
}

COVER_INLINE sixteen
sixteen_add(sixteen a, int32_t b)
{
    return sixteen_sum(a, sixteen_all(b));
}

COVER_INLINE sixteen
sixteen_multiply(sixteen a, int32_t b)
{
    const __m256i all = _mm256_set1_epi32(b);
    return (sixteen){_mm256_mullo_epi32(a.low, all),
                     _mm256_mullo_epi32(a.high, all)};
}

COVER_INLINE sixteen
sixteen_shift(sixteen a, int32_t left)
{
    return (sixteen){_mm256_slli_epi32(a.low, left),
                     _mm256_slli_epi32(a.high, left)};
}

COVER_INLINE sixteen
sixteen_or(sixteen a, sixteen b)
{
    return (sixteen){_mm256_or_si256(a.low, b.low),
                     _mm256_or_si256(a.high, b.high)};
}

COVER_INLINE unsigned
sixteen_signs(sixteen v)
{
    int low = _mm256_movemask_ps(_mm256_castsi256_ps(v.low));
    int high = _mm256_movemask_ps(_mm256_castsi256_ps(v.high));
    return (unsigned)low | (unsigned)high << 8;
}

void
cover_find_avx2(const struct cover_job *job, struct cover_list *list)
{
    find(job, list);
}

/* Finds the order of blocks and their presence for all sixteen at once, in
 * bytes. Sums of bytes suffice: blocks of a primitive in the tile lie within 64
 * pixels of it. Most primitives have few blocks. */
void
cover_small_avx2(const uint64_t square[4], int32_t x, int32_t y,
                 struct cover_list *list)
{
    static const uint8_t words[16] = {0, 1, 4,  5,  2,  3,  6,  7,
                                      8, 9, 12, 13, 10, 11, 14, 15};
    const __m128i across = _mm_setr_epi8(0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12,
                                         0, 4, 8, 12);
    const __m128i down = _mm_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12,
                                       12, 12, 12);
    const __m128i beyond = _mm_set1_epi8((char)~(COVER_TILE_PX - 1));
    const uint8_t *order = small_order[(y & 12) | (x >> 2 & 3)];
    uint16_t mask[16];
    memcpy(mask, square, sizeof mask);
    const __m128i *half = (const __m128i *)(const void *)square;
    __m128i at = _mm_loadu_si128((const __m128i *)(const void *)order);
    __m128i word = _mm_loadu_si128((const __m128i *)(const void *)words);
    const __m128i zero = _mm_setzero_si128();
    __m128i none = _mm_packs_epi16(
        _mm_cmpeq_epi16(_mm_loadu_si128(half), zero),
        _mm_cmpeq_epi16(_mm_loadu_si128(half + 1), zero));
    none = _mm_shuffle_epi8(none, _mm_shuffle_epi8(word, at));
    __m128i place = _mm_or_si128(_mm_add_epi8(across, _mm_set1_epi8((char)x)),
                                 _mm_add_epi8(down, _mm_set1_epi8((char)y)));
    __m128i inside = _mm_cmpeq_epi8(_mm_and_si128(place, beyond), zero);
    inside = _mm_shuffle_epi8(inside, at);
    unsigned some = (unsigned)_mm_movemask_epi8(_mm_andnot_si128(none, inside));
    struct cover_block *to = &list->block[list->count];
    list->count += (unsigned)_mm_popcnt_u32(some);
    for (; some; some &= some - 1, to++) {
        unsigned i = order[__builtin_ctz(some)];
        *to = (struct cover_block){
            .x = (uint8_t)(x + (int32_t)(i & 3) * 4),
            .y = (uint8_t)(y + (int32_t)(i >> 2) * 4),
            .mask = mask[words[i]],
        };
    }
}
