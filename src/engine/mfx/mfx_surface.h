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

/* The piece with byte x of row y. */
static inline uint8_t *
mfx_piece(const struct mfx_surface *s, uint32_t x, uint32_t y)
{
    return s->base +
           tiling_offset_B(s->tiling, x & ~(MFX_PIECE_B - 1u), y, s->pitch_B);
}

#endif
