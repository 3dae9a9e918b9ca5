/* coverage_ref.c: coverage of a tile block by block: the reference, and the
 * choice of kernel. */
#include "engine/raster/coverage/coverage.h"

#include "base/cpu.h"
#include "engine/raster/block_layout.h"
#include "engine/raster/setup/small_triangle.h"

#include <stdlib.h>

#define SQUARE_PX 16

/* Least and greatest value of an edge over a square of pixels, all samples. */
static void
edge_range(const struct cover_job *job, unsigned e, unsigned x, unsigned y,
           unsigned size_px, int64_t *lo, int64_t *hi)
{
    int64_t c_lo = job->c[e][0], c_hi = job->c[e][0];
    for (unsigned i = 1; i < job->samples; i++) {
        c_lo = MIN2(c_lo, job->c[e][i]);
        c_hi = MAX2(c_hi, job->c[e][i]);
    }
    int64_t a = job->a[e], b = job->b[e], n = size_px - 1;
    int64_t v = a * x + b * y;
    *lo = c_lo + v + n * (MIN2(a, 0) + MIN2(b, 0));
    *hi = c_hi + v + n * (MAX2(a, 0) + MAX2(b, 0));
}

bool
cover_reject_edges(struct cover_job *job)
{
    unsigned n = 0;
    for (unsigned e = 0; e < job->edges; e++) {
        int64_t lo, hi;
        edge_range(job, e, 0, 0, COVER_TILE_PX, &lo, &hi);
        if (hi < 0)
            return false;
        if (lo >= 0)
            continue;
        if (n != e) {
            job->a[n] = job->a[e];
            job->b[n] = job->b[e];
            memcpy(job->c[n], job->c[e], job->samples * sizeof job->c[0][0]);
        }
        n++;
    }
    job->edges = n;
    return job->columns && job->rows;
}

static uint16_t
edge_mask(const struct cover_job *job, unsigned e, unsigned x, unsigned y,
          unsigned sample)
{
    int64_t a = job->a[e], b = job->b[e];
    int64_t v = job->c[e][sample] + a * x + b * y;
    uint16_t m = 0;
    for (unsigned i = 0; i < 16; i++) {
        int64_t dx = (i >> 2 & 1) * 2 + (i & 1);
        int64_t dy = (i >> 3) * 2 + (i >> 1 & 1);
        m |= (uint16_t)((v + a * dx + b * dy >= 0) << i);
    }
    return m;
}

static void
add_block(const struct cover_job *job, struct cover_list *list, unsigned x,
          unsigned y)
{
    uint16_t box = (uint16_t)cover_box_mask(job, x, y), any = 0;
    for (unsigned i = 0; i < job->samples; i++) {
        uint16_t m = box;
        for (unsigned e = 0; e < job->edges && m; e++)
            m &= edge_mask(job, e, x, y, i);
        list->sample[list->count][i] = m;
        any |= m;
    }
    if (any)
        list->block[list->count++] = (struct cover_block){(uint8_t)x,
                                                          (uint8_t)y, any};
}

/* Whether the whole square lies outside of an edge. */
static bool
is_outside(const struct cover_job *job, unsigned x, unsigned y, unsigned size)
{
    for (unsigned e = 0; e < job->edges; e++) {
        int64_t lo, hi;
        edge_range(job, e, x, y, size, &lo, &hi);
        if (hi < 0)
            return true;
    }
    return false;
}

void
cover_find_ref(const struct cover_job *job, struct cover_list *list)
{
    for (unsigned i = 0; i < 16; i++) {
        unsigned x0 = (i & 3) * SQUARE_PX, y0 = (i >> 2) * SQUARE_PX;
        if (!(job->columns >> x0 & 0xffff) || !(job->rows >> y0 & 0xffff) ||
            is_outside(job, x0, y0, SQUARE_PX))
            continue;
        for (unsigned k = 0; k < 16; k++) {
            unsigned x = x0 + (k & 3) * BLOCK_PX, y = y0 + (k >> 2) * BLOCK_PX;
            if (cover_box_mask(job, x, y) && !is_outside(job, x, y, BLOCK_PX))
                add_block(job, list, x, y);
        }
    }
}

/* Whether all values within the tile fit into 32 bits. */
static bool
is_narrow(const struct cover_job *job)
{
    for (unsigned e = 0; e < job->edges; e++) {
        int64_t span = COVER_TILE_PX * (llabs(job->a[e]) + llabs(job->b[e]));
        for (unsigned i = 0; i < job->samples; i++) {
            if (span + llabs(job->c[e][i]) > INT32_MAX)
                return false;
        }
    }
    return true;
}

void
cover_find(const struct cover_job *job, struct cover_list *list)
{
    enum cpu_level cpu = job->narrow || is_narrow(job) ? cpu_selected()
                                                       : CPU_SSE4;
    switch (cpu) {
    case CPU_AVX512: cover_find_avx512(job, list); break;
    case CPU_AVX2: cover_find_avx2(job, list); break;
    default: cover_find_ref(job, list); break;
    }
}

/* ---- small primitives --------------------------------------------------- */

/* Appends the covered blocks of [c0, c1) x [r0, r1), columns and rows from the
 * first block. Without a branch: whether a block is covered is unpredictable.
 */
static void
add_small(const uint64_t square[4], int32_t x, int32_t y, int32_t c0,
          int32_t r0, int32_t c1, int32_t r1, struct cover_list *list)
{
    for (int32_t r = r0; r < r1; r++) {
        for (int32_t c = c0; c < c1; c++) {
            uint16_t mask = small_block(square, (unsigned)c, (unsigned)r);
            list->block[list->count] = (struct cover_block){
                .x = (uint8_t)(x + c * BLOCK_PX),
                .y = (uint8_t)(y + r * BLOCK_PX),
                .mask = mask};
            list->count += mask != 0;
        }
    }
}

/* Limits of a small primitive's blocks along one axis, in blocks from its
 * first: begin within the tile, border of a 16x16 square, end within the tile.
 */
static void
cut(int32_t from_px, int32_t at[3])
{
    int32_t block = from_px / BLOCK_PX, begin = MAX2(-block, 0);
    int32_t end = MIN2(COVER_TILE_PX / BLOCK_PX - block, SMALL_BLOCKS);
    at[0] = begin;
    at[1] = CLAMP(SMALL_BLOCKS - (block & (SMALL_BLOCKS - 1)), begin, end);
    at[2] = end;
}

void
cover_small_ref(const uint64_t square[4], int32_t x, int32_t y,
                struct cover_list *list)
{
    int32_t columns[3], rows[3];
    cut(x, columns);
    cut(y, rows);
    for (unsigned r = 0; r < 2; r++) {
        for (unsigned c = 0; c < 2; c++)
            add_small(square, x, y, columns[c], rows[r], columns[c + 1],
                      rows[r + 1], list);
    }
}

void
cover_small(const uint64_t square[4], int32_t x, int32_t y,
            struct cover_list *list)
{
    if (cpu_selected() == CPU_AVX512)
        cover_small_avx512(square, x, y, list);
    else if (cpu_selected() == CPU_AVX2)
        cover_small_avx2(square, x, y, list);
    else
        cover_small_ref(square, x, y, list);
}
