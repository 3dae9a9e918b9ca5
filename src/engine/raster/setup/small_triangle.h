/* small_triangle.h: culling and coverage of small triangles, up to sixteen at a
 * time. Finds triangles that may cover a sample, and the pixels of those that
 * span few blocks. In a fine mesh most triangles cover no sample and end here.
 * small_triangle.c is the reference; x86/ has the same in vectors. Called by
 * setup; pure. */
#ifndef ENGINE_RASTER_SETUP_SMALL_TRIANGLE_H
#define ENGINE_RASTER_SETUP_SMALL_TRIANGLE_H

#include "engine/state/prim.h"
#include "engine/raster/block_layout.h"

/* Inside where a * x + b * y + c >= 0, x and y in subpixels; c includes the
 * fill rule's tie. */
struct edge {
    int64_t a, b, c;
};

/* Coverage of a primitive that spans at most four blocks each way. A square has
 * four blocks, TL TR BL BR from bit 0 on, 16 bits each as in block_layout.h.
 * square[0] begins at the block of (x0, y0); the others lie to the right,
 * below, and both. */
struct small {
    int32_t x0, y0, x1, y1; /* clipped, pixels */
    uint64_t square[4];
};
#define SMALL_SQUARE_PX 8
#define SMALL_BLOCKS 4

/* Mask of the block in a column and a row, from the first block. */
static inline uint16_t
small_block(const uint64_t square[4], unsigned column, unsigned row)
{
    return (uint16_t)(square[column >> 1 | (row & 2)] >>
                      16 * ((column & 1) | (row & 1) << 1));
}

/* Largest extent of such a primitive: edge values within its blocks fit into 32
 * bits. */
#define SMALL_MAX_SUBPX (16 * SUBPIXEL)

/* Finds square[], pixels whose centres lie inside of three edges and the box;
 * false if there are none. clipped: some centres inside of the edges may lie
 * outside of the box. */
bool setup_small(const struct edge edge[3], struct small *small, bool clipped);
/* Reference, pixel by pixel; always clips. */
void setup_small_ref(const struct edge edge[3], struct small *small);

/* Bits lo to hi - 1, within a square's side. */
static inline unsigned
small_range(int32_t lo, int32_t hi)
{
    lo = MAX2(lo, 0);
    hi = MIN2(hi, SMALL_SQUARE_PX);
    return hi > lo ? (1u << hi) - (1u << lo) : 0;
}

/* Pixels of the square at (x, y) that lie in the box. */
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

/* Culling rules of a draw for triangles in viewport 0. */
struct cull_rules {
    int32_t cw, ccw;        /* ~0: culls this winding (y down) */
    int32_t up, down;       /* subpixels from a border to the first sample */
    int32_t x0, y0, x1, y1; /* clip rectangle, pixels */
    bool squares;           /* small coverage may be used */
};

/* Larger triangles are not culled by area here. */
#define SHAPE_MAX_SUBPX (1 << 15)

struct small_triangles {
    /* Bit per triangle. seen: may cover a sample, and has a box. Of these,
     * narrow: no longer than SMALL_MAX_SUBPX; known: has square[]. */
    uint32_t seen, narrow, known;
    alignas(64) int32_t x0[PRIM_TRIS], y0[PRIM_TRIS], x1[PRIM_TRIS],
        y1[PRIM_TRIS];
    uint64_t square[PRIM_TRIS][4];
};

/* Tests the triangles whose bit in `which` is set, of `count`. */
typedef void small_triangles_fn(const struct cull_rules *rules,
                                const struct prim_mesh *mesh,
                                const struct prim_tri *tri, unsigned count,
                                uint32_t which, struct small_triangles *out);
small_triangles_fn small_triangles_find_ref, small_triangles_find_avx2,
    small_triangles_find_avx512;
/* The fastest for this count on this processor. */
small_triangles_fn small_triangles_find;

#endif
