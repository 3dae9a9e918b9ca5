/* setup_small.c: what triangles of a few pixels cover, found out when they are
 * set up: in a fine mesh most cover nothing and go no further. */
#include "base/cpu.h"
#include "engine/raster/raster.h"

void
setup_small_ref(const struct edge edge[3], struct small *sm)
{
    memset(sm->mask, 0, sizeof sm->mask);
    for (int32_t py = sm->y0; py < sm->y1; py++) {
        for (int32_t px = sm->x0; px < sm->x1; px++) {
            int64_t x = (int64_t)px * SUBPIXEL + SUBPIXEL / 2;
            int64_t y = (int64_t)py * SUBPIXEL + SUBPIXEL / 2;
            bool in = true;
            for (unsigned e = 0; e < 3; e++)
                in &= edge[e].a * x + edge[e].b * y + edge[e].c >= 0;
            unsigned block = (unsigned)((px >> 2) - (sm->x0 >> 2)) +
                             (unsigned)((py >> 2) - (sm->y0 >> 2)) * 2;
            if (in)
                sm->mask[block] |= (uint16_t)cover_pixels(1u << (px & 3),
                                                          1u << (py & 3));
        }
    }
}

typedef int32_t ivec __attribute__((vector_size(16)));

/* The centres of a 4x4 block that lie inside; v: of the edges at its first
 * one, a and b: from one pixel to the next. */
static inline unsigned
block_mask(const int32_t v[3], const int32_t a[3], const int32_t b[3])
{
    const ivec column = {0, 1, 2, 3};
    static const uint8_t row_shift[4] = {0, 2, 8, 10};
    ivec e0 = v[0] + a[0] * column;
    ivec e1 = v[1] + a[1] * column;
    ivec e2 = v[2] + a[2] * column;
    ivec bits = {1 << 0, 1 << 1, 1 << 4, 1 << 5}, mask = {0};
    for (unsigned row = 0; row < 4; row++) {
        mask |= ((e0 | e1 | e2) >= 0) & (bits << row_shift[row]);
        e0 += b[0];
        e1 += b[1];
        e2 += b[2];
    }
    return (unsigned)(mask[0] | mask[1] | mask[2] | mask[3]);
}

static void
find_square(const struct cover_square *s, uint16_t mask[4])
{
    for (unsigned i = 0; i < 4; i++) {
        int32_t at[3];
        for (unsigned e = 0; e < 3; e++)
            at[e] = s->v[e] + (i & 1 ? 4 * s->a[e] : 0) +
                    (i >> 1 ? 4 * s->b[e] : 0);
        mask[i] = (uint16_t)block_mask(at, s->a, s->b);
    }
}

/* Bits lo to hi - 1 of eight. */
static inline unsigned
bit_range(int32_t lo, int32_t hi)
{
    return hi > lo ? (1u << hi) - (1u << lo) : 0;
}

void
setup_small(const struct edge edge[3], struct small *sm)
{
    int32_t bx = sm->x0 & ~3, by = sm->y0 & ~3;
    unsigned columns = bit_range(sm->x0 - bx, sm->x1 - bx);
    unsigned rows = bit_range(sm->y0 - by, sm->y1 - by);
    struct cover_square s;
    for (unsigned e = 0; e < 3; e++) {
        s.a[e] = (int32_t)edge[e].a * SUBPIXEL;
        s.b[e] = (int32_t)edge[e].b * SUBPIXEL;
        s.v[e] = (int32_t)(edge[e].a * (bx * SUBPIXEL + SUBPIXEL / 2) +
                           edge[e].b * (by * SUBPIXEL + SUBPIXEL / 2) +
                           edge[e].c);
    }
    switch (cpu_selected()) {
    case CPU_AVX512: cover_square_avx512(&s, sm->mask); break;
    case CPU_AVX2: cover_square_avx2(&s, sm->mask); break;
    default: find_square(&s, sm->mask); break;
    }
    for (unsigned i = 0; i < 4; i++)
        sm->mask[i] &= (uint16_t)cover_pixels(columns >> (i & 1) * 4 & 15,
                                              rows >> (i >> 1) * 4 & 15);
}
