/* setup_small.c: what triangles of a few pixels cover, found out when they are
 * set up: in a fine mesh most cover nothing and go no further. */
#include "base/cpu.h"
#include "engine/raster/raster.h"

void
setup_small_ref(const struct edge edge[3], struct small *sm)
{
    memset(sm->square, 0, sizeof sm->square);
    for (int32_t py = sm->y0; py < sm->y1; py++) {
        for (int32_t px = sm->x0; px < sm->x1; px++) {
            int64_t x = (int64_t)px * SUBPIXEL + SUBPIXEL / 2;
            int64_t y = (int64_t)py * SUBPIXEL + SUBPIXEL / 2;
            bool in = true;
            for (unsigned e = 0; e < 3; e++)
                in &= edge[e].a * x + edge[e].b * y + edge[e].c >= 0;
            unsigned column = (unsigned)((px >> 2) - (sm->x0 >> 2));
            unsigned row = (unsigned)((py >> 2) - (sm->y0 >> 2));
            unsigned shift = 16 * ((column & 1) | (row & 1) << 1);
            if (in)
                sm->square[column >> 1 | (row & 2)] |=
                    (uint64_t)cover_pixels(1u << (px & 3), 1u << (py & 3))
                    << shift;
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

static uint64_t
find_square(const struct cover_square *s)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < 4; i++) {
        int32_t at[3];
        for (unsigned e = 0; e < 3; e++)
            at[e] = s->v[e] + (i & 1 ? 4 * s->a[e] : 0) +
                    (i >> 1 ? 4 * s->b[e] : 0);
        all |= (uint64_t)block_mask(at, s->a, s->b) << 16 * i;
    }
    return all;
}

/* Bits lo to hi - 1 of a square's. */
static inline unsigned
bit_range(int32_t lo, int32_t hi)
{
    lo = MAX2(lo, 0);
    hi = MIN2(hi, SMALL_SQUARE_PX);
    return hi > lo ? (1u << hi) - (1u << lo) : 0;
}

/* The box's part of four blocks. */
static inline uint64_t
square_box(const struct small *sm, int32_t x, int32_t y)
{
    unsigned columns = bit_range(sm->x0 - x, sm->x1 - x);
    unsigned rows = bit_range(sm->y0 - y, sm->y1 - y);
    uint64_t across = cover_pixels(columns & 15, 15) |
                      cover_pixels(columns >> 4 & 15, 15) << 16;
    uint64_t top = cover_pixels(15, rows & 15);
    uint64_t bottom = cover_pixels(15, rows >> 4 & 15);
    return (across | across << 32) &
           (top | top << 16 | bottom << 32 | bottom << 48);
}

static uint64_t
square_at(const struct edge edge[3], const struct small *sm, int32_t x,
          int32_t y, bool clipped)
{
    struct cover_square s;
    for (unsigned e = 0; e < 3; e++) {
        s.a[e] = (int32_t)edge[e].a * SUBPIXEL;
        s.b[e] = (int32_t)edge[e].b * SUBPIXEL;
        s.v[e] = (int32_t)(edge[e].a * (x * SUBPIXEL + SUBPIXEL / 2) +
                           edge[e].b * (y * SUBPIXEL + SUBPIXEL / 2) +
                           edge[e].c);
    }
    uint64_t in = clipped ? square_box(sm, x, y) : UINT64_MAX;
    switch (cpu_selected()) {
    case CPU_AVX512: return in & cover_square_avx512(&s);
    case CPU_AVX2: return in & cover_square_avx2(&s);
    default: return in & find_square(&s);
    }
}

bool
setup_small(const struct edge edge[3], struct small *sm, bool clipped)
{
    int32_t bx = sm->x0 & ~3, by = sm->y0 & ~3;
    unsigned wide = sm->x1 > bx + SMALL_SQUARE_PX;
    unsigned tall = sm->y1 > by + SMALL_SQUARE_PX;
    uint64_t any = 0;
    memset(sm->square, 0, sizeof sm->square);
    for (unsigned row = 0; row <= tall; row++) {
        for (unsigned column = 0; column <= wide; column++)
            any |= sm->square[column | row << 1] = square_at(
                edge, sm, bx + (int32_t)column * SMALL_SQUARE_PX,
                by + (int32_t)row * SMALL_SQUARE_PX, clipped);
    }
    return any;
}
