/* shapes.h: what triangles cover, up to sixteen at a time: which may be seen,
 * and the pixels of those that reach over a few blocks. In a fine mesh most
 * cover nothing and go no further. shapes.c is the reference; x86/ has the same
 * in vectors. */
#ifndef ENGINE_RASTER_SHAPES_H
#define ENGINE_RASTER_SHAPES_H

#include "engine/prim.h"
#include "engine/raster/cover.h"

/* Inside where a * x + b * y + c >= 0, x and y in subpixels; the fill rule's
 * tie is in c. */
struct edge {
    int64_t a, b, c;
};

/* Blocks of a primitive that reaches over no more than four each way. A square
 * has four of them, 16 bits each as in cover.c, TL TR BL BR from bit 0 on. The
 * first one begins with the block that has (x0, y0), the others are to the
 * right, below, and both. */
struct small {
    int32_t x0, y0, x1, y1; /* clipped, pixels */
    uint64_t square[4];
};
#define SMALL_SQUARE_PX 8
#define SMALL_BLOCKS 4

/* The block in a column and a row, from the first one on. */
static inline uint16_t
small_block(const uint64_t square[4], unsigned column, unsigned row)
{
    return (uint16_t)(square[column >> 1 | (row & 2)] >>
                      16 * ((column & 1) | (row & 1) << 1));
}

/* Largest extent of such a primitive: the values of its edges all over its
 * blocks have 32 bits. */
#define SMALL_MAX_SUBPX (16 * SUBPIXEL)

/* Finds square[] from three edges and the box: centres inside. False: none. If
 * nothing is clipped, no centre inside lies outside of the box. */
bool setup_small(const struct edge edge[3], struct small *small, bool clipped);
/* The same, pixel by pixel. */
void setup_small_ref(const struct edge edge[3], struct small *small);

/* Bits lo to hi - 1 of a square's. */
static inline unsigned
small_range(int32_t lo, int32_t hi)
{
    lo = MAX2(lo, 0);
    hi = MIN2(hi, SMALL_SQUARE_PX);
    return hi > lo ? (1u << hi) - (1u << lo) : 0;
}

/* The part of the square at (x, y) that lies in the box. */
static inline uint64_t
small_in_box(int32_t x0, int32_t y0, int32_t x1, int32_t y1, int32_t x,
             int32_t y)
{
    unsigned columns = small_range(x0 - x, x1 - x);
    unsigned rows = small_range(y0 - y, y1 - y);
    uint64_t across = cover_pixels(columns & 15, 15) |
                      cover_pixels(columns >> 4 & 15, 15) << 16;
    uint64_t top = cover_pixels(15, rows & 15);
    uint64_t bottom = cover_pixels(15, rows >> 4 & 15);
    return (across | across << 32) &
           (top | top << 16 | bottom << 32 | bottom << 48);
}

/* What of a draw decides about its triangles, in viewport 0. */
struct shape_rules {
    int32_t cw, ccw;        /* ~0: clockwise ones (y down) are culled, those
                             * that turn the other way */
    int32_t up, down;       /* subpixels from a border to the first sample */
    int32_t x0, y0, x1, y1; /* pixels that are drawn at all */
    bool squares;           /* small ones are of use */
};

/* Larger triangles are not culled here. */
#define SHAPE_MAX_SUBPX (1 << 15)

struct shapes {
    /* Bits: those that may draw something, and have a box; of them, those that
     * are no longer than SMALL_MAX_SUBPX, and those whose pixels are known. */
    uint32_t seen, narrow, known;
    alignas(64) int32_t x0[PRIM_TRIS], y0[PRIM_TRIS], x1[PRIM_TRIS],
        y1[PRIM_TRIS];
    uint64_t square[PRIM_TRIS][4];
};

/* Of `count` triangles, those in `which`. */
typedef void shapes_fn(const struct shape_rules *rules,
                       const struct prim_mesh *mesh, const struct prim_tri *tri,
                       unsigned count, uint32_t which, struct shapes *out);
shapes_fn shapes_find_ref, shapes_find_avx2, shapes_find_avx512;
/* The best for this many on this processor. */
shapes_fn shapes_find;

#endif
