/* mfx_surface.h: pictures in memory, addressed by pieces of 16 bytes: in every
 * tiling those are contiguous. Data and inline helpers of mfx/. */
#ifndef ENGINE_MFX_SURFACE_H
#define ENGINE_MFX_SURFACE_H

#include "engine/state/hw_state.h"
#include "sampler/surface/tiling.h"

#define MFX_PIECE_B 16

struct mfx_surface {
    uint8_t *base; /* NULL: there is none */
    uint32_t pitch_B;
    enum surface_tiling tiling; /* linear, X or Y */
    uint32_t u_row, v_row;      /* where planes of chroma begin */
    uint32_t u_B, v_B;          /* and at which byte of a row */
};

/* The surface at va with the layout of MFX_SURFACE_STATE, for pictures of
 * width_B bytes a row and rows rows with all planes. False after a guest error:
 * the picture does not fit the pitch or the address space. */
bool mfx_surface_init(struct mfx_surface *s, const struct engine_vm *vm,
                      const uint32_t *state, gpu_va va, uint32_t width_B,
                      uint32_t rows);

/* Whether two ranges of memory have bytes in common; NULL has none. */
static inline bool
mfx_ranges_meet(const void *a, size_t a_B, const void *b, size_t b_B)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return a && b && x < y + b_B && y < x + a_B;
}

/* Columns and rows of a tile, and bytes between pieces and between rows of it.
 * A linear surface is one wide tile of one row. */
struct mfx_tile {
    uint8_t log2_width_B, log2_rows;
    uint16_t piece_B, row_B;
};
static const struct mfx_tile mfx_tiles[] = {
    [TILING_LINEAR] = {31, 0, MFX_PIECE_B, 0},
    [TILING_X] = {9, 3, MFX_PIECE_B, 512},
    [TILING_Y] = {7, 5, 512, 16},
};

/* A piece's offset is the sum of its column's and its row's. */
static inline size_t
mfx_column_B(const struct mfx_surface *s, uint32_t x)
{
    const struct mfx_tile *t = &mfx_tiles[s->tiling];
    uint32_t within = x & ((1u << t->log2_width_B) - 1);
    return (size_t)(x >> t->log2_width_B) * TILE_SIZE_B +
           (size_t)(within / MFX_PIECE_B) * t->piece_B;
}

static inline size_t
mfx_row_B(const struct mfx_surface *s, uint32_t y)
{
    const struct mfx_tile *t = &mfx_tiles[s->tiling];
    uint32_t within = y & ((1u << t->log2_rows) - 1);
    return ((size_t)(y >> t->log2_rows) * s->pitch_B << t->log2_rows) +
           (size_t)within * t->row_B;
}

/* The piece with byte x of row y. */
static inline uint8_t *
mfx_piece(const struct mfx_surface *s, uint32_t x, uint32_t y)
{
    return s->base + mfx_column_B(s, x) + mfx_row_B(s, y);
}

#endif
