/* mfx_surface.h: pictures in memory, addressed by pieces of 16 bytes: in every
 * tiling those are contiguous. Data and inline helpers of mfx/. */
#ifndef ENGINE_MFX_SURFACE_H
#define ENGINE_MFX_SURFACE_H

#include "engine/state/hw_state.h"

#define MFX_PIECE_B 16

enum mfx_tiling { MFX_LINEAR, MFX_TILED_X, MFX_TILED_Y };

struct mfx_surface {
    uint8_t *base; /* NULL: there is none */
    uint32_t pitch_B;
    enum mfx_tiling tiling;
    uint32_t u_row, v_row; /* where planes of chroma begin */
    uint32_t u_B, v_B;     /* and at which byte of a row */
};

/* The surface at va with the layout of MFX_SURFACE_STATE, for pictures of
 * width_B bytes a row and rows rows with all planes. False after a guest error:
 * the picture does not fit the pitch or the address space. */
bool mfx_surface_init(struct mfx_surface *s, const struct engine_vm *vm,
                      const uint32_t *state, gpu_va va, uint32_t width_B,
                      uint32_t rows);

/* The piece with byte x of row y. */
static inline uint8_t *
mfx_piece(const struct mfx_surface *s, uint32_t x, uint32_t y)
{
    size_t column = x / MFX_PIECE_B;
    switch (s->tiling) {
    case MFX_TILED_Y: /* tiles of 8 columns of 32 pieces */
        return s->base +
               ((size_t)(y / 32) * (s->pitch_B / 128) + column / 8) * 4096 +
               column % 8 * 512 + y % 32 * MFX_PIECE_B;
    case MFX_TILED_X: /* tiles of 8 rows of 32 pieces */
        return s->base +
               ((size_t)(y / 8) * (s->pitch_B / 512) + column / 32) * 4096 +
               y % 8 * 512 + column % 32 * MFX_PIECE_B;
    default: return s->base + (size_t)y * s->pitch_B + column * MFX_PIECE_B;
    }
}

#endif
