/* chain.h: registers that a chain's epilogue copies for the next thread. Data
 * header of raster/: filled in by shade, used by the epilogues of output. */
#ifndef ENGINE_RASTER_CHAIN_H
#define ENGINE_RASTER_CHAIN_H

#include "eu/eu.h"

/* Prefetch distance in threads: as long as the fetch of a line takes that is
 * not in the core's own caches. */
#define ROWS_AHEAD 8

#define PLANE_GRF_B EU_GRF_B

/* Registers with a source for each thread. */
struct grf_copy {
    const uint8_t *from;
    uint16_t stride_B; /* from one thread's data to the next one's */
    uint8_t grf, count;
};

/* Registers from an offset into a primitive's own data. */
struct grf_own {
    uint16_t offset_B;
    uint8_t grf, count;
};

/* Registers that a chain entry does not bring: each epilogue copies them for
 * the next thread. The caller copies those of the first. */
struct row_copies {
    const struct grf_copy *copy;
    unsigned copies, first; /* block number of entry `row` */
    const struct eu_chain_entry *row;
    uint8_t *grf;
    /* For chains across primitives: row->next points to the data of the next
     * thread's primitive; NULL: the primitive stays. */
    const struct grf_own *own;
    unsigned owns;
};

/* The block number of a chain entry. */
static inline unsigned
row_block(const struct row_copies *r, const struct eu_chain_entry *row)
{
    return (unsigned)(row - r->row) + r->first;
}

/* Copies pairs of registers at once, because compiled code loads pairs. */
static inline void
row_copy(uint8_t *to, const uint8_t *from, unsigned count)
{
    for (; count > 1; count -= 2, to += 64, from += 64)
        memcpy(to, from, 64);
    if (count)
        memcpy(to, from, PLANE_GRF_B);
}

/* Copies the registers of a primitive. */
static inline void
row_copy_own(const struct row_copies *r, const uint8_t *from)
{
    for (unsigned i = 0; i < r->owns; i++)
        row_copy(r->grf + r->own[i].grf * PLANE_GRF_B,
                 from + r->own[i].offset_B, r->own[i].count);
}

/* Whether row_copy_next() has any registers to copy. */
static inline bool
row_copies_next(const struct row_copies *r, const struct eu_chain_entry *row)
{
    return r->copies || (r->owns && row->next);
}

/* Copies the registers of the next thread, if there is one. */
static inline void
row_copy_next(const struct row_copies *r, const struct eu_chain_entry *row)
{
    unsigned n = row_block(r, row) + 1;
    for (unsigned i = 0; row->more && i < r->copies; i++) {
        const struct grf_copy *c = &r->copy[i];
        row_copy(r->grf + c->grf * PLANE_GRF_B, c->from + n * c->stride_B,
                 c->count);
    }
    if (r->owns && row->next)
        row_copy_own(r, row->next);
}

#endif
