/* mfx_surface.c: MFX_SURFACE_STATE. */
#include "engine/mfx/mfx_surface.h"

/* Columns and rows of a tile. */
static const struct {
    uint16_t width_B, rows;
} tiles[] = {
    [TILING_LINEAR] = {MFX_PIECE_B, 1},
    [TILING_X] = {512, 8},
    [TILING_Y] = {128, 32},
};

bool
mfx_surface_init(struct mfx_surface *s, const struct engine_vm *vm,
                 const uint32_t *state, gpu_va va, uint32_t width_B,
                 uint32_t rows)
{
    bool tiled = bits_get(state[3], 1, 1), y_major = bits_get(state[3], 0, 0);
    *s = (struct mfx_surface){
        .pitch_B = bits_get(state[3], 3, 19) + 1,
        .tiling = !tiled    ? TILING_LINEAR
                  : y_major ? TILING_Y
                            : TILING_X,
        .u_row = bits_get(state[4], 0, 14),
        .u_B = bits_get(state[4], 16, 30),
        .v_row = bits_get(state[5], 0, 15),
        .v_B = bits_get(state[5], 16, 28),
    };
    uint32_t tile_B = tiles[s->tiling].width_B;
    rows = ALIGN_POT(rows, (uint32_t)tiles[s->tiling].rows);
    if (s->pitch_B % tile_B || width_B > s->pitch_B) {
        guest_error("picture of %u bytes a row, surface of %u", width_B,
                    s->pitch_B);
        return false;
    }
    if ((uint64_t)rows * s->pitch_B > vm_limit_B(vm, va)) {
        guest_error("surface at 0x%llx has %u rows", (unsigned long long)va,
                    rows);
        return false;
    }
    s->base = vm_ptr(vm, va);
    return true;
}
