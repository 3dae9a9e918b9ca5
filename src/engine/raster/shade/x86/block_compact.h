/* block_compact.h: compaction of a list's blocks into the batch, four at a
 * time; a part of the interpolate_ops in x86/. */

/* Four blocks of the list, a dword each. */
struct four_blocks {
    __m128i place, live; /* live: zero without a thread */
};

static inline struct four_blocks
load_four_blocks(const struct block_put *p, unsigned i)
{
    const __m128i lane = _mm_setr_epi32(0, 1, 2, 3);
    __m128i place = _mm_loadu_si128((const __m128i *)(const void *)&p->list[i]);
    __m128i live = p->live ? _mm_cvtepu16_epi32(_mm_loadl_epi64(
                                 (const __m128i *)(const void *)&p->live[i]))
                           : _mm_srli_epi32(place, 16);
    __m128i there = _mm_cmpgt_epi32(_mm_set1_epi32((int)(p->count - i)), lane);
    return (struct four_blocks){place, _mm_and_si128(live, there)};
}

/* In the layout of payload_put_block(). */
static inline void
spread_four_blocks(const struct block_put *p, struct four_blocks f,
                   __m128i out[4])
{
    const __m128i byte = _mm_set1_epi32(0xff);
    __m128i x = _mm_and_si128(f.place, byte);
    __m128i y = _mm_and_si128(_mm_srli_epi32(f.place, 8), byte);
    __m128i full = p->covers ? _mm_srli_epi32(f.place, 16) : f.live;
    __m128i masks = _mm_or_si128(f.live, _mm_slli_epi32(full, 16));
    __m128i helper = _mm_set1_epi32(0xffff);
    x = _mm_add_epi32(x, _mm_set1_epi32(p->tile_x));
    y = _mm_add_epi32(y, _mm_set1_epi32(p->tile_y));
    __m128i xy[2] = {_mm_unpacklo_epi32(x, y), _mm_unpackhi_epi32(x, y)};
    __m128i rest[2] = {_mm_unpacklo_epi32(masks, helper),
                       _mm_unpackhi_epi32(masks, helper)};
    for (unsigned k = 0; k < 2; k++) {
        out[2 * k] = _mm_unpacklo_epi64(xy[k], rest[k]);
        out[2 * k + 1] = _mm_unpackhi_epi64(xy[k], rest[k]);
    }
}

static void
put_blocks(struct block_put *put, struct batch_block *to)
{
    const struct block_put p = *put;
    unsigned n = 0, pixels = 0;
    uint64_t set = 0;
    for (unsigned i = 0; i < p.count; i += 4) {
        const struct four_blocks f = load_four_blocks(&p, i);
        __m128i none = _mm_cmpeq_epi32(f.live, _mm_setzero_si128()), block[4];
        unsigned some = ~(unsigned)_mm_movemask_ps(_mm_castsi128_ps(none)) & 15;
        spread_four_blocks(&p, f, block);
        for (unsigned k = 0; k < 4; k++) {
            _mm_storeu_si128((__m128i *)(void *)&to[n], block[k]);
            n += some >> k & 1;
        }
        __m128i live = _mm_packus_epi32(f.live, f.live);
        pixels += (unsigned)_mm_popcnt_u64((uint64_t)_mm_cvtsi128_si64(live));
        set |= (uint64_t)some << i;
    }
    put->blocks = n;
    put->pixels = pixels;
    put->set = set;
}
