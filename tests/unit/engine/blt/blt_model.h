/* blt_model.h: what a blit leaves in memory, from the definitions and pixel by
 * pixel: packets are read here a second time, tiles are spelled bit by bit, and
 * every operand comes from memory as it was before the blit. Shares no code
 * with engine/blt/. */
#ifndef TEST_BLT_MODEL_H
#define TEST_BLT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_VA UINT64_C(0x100000)
#define MODEL_B 0x100000u

enum model_tiling { LINEAR, TILE_X, TILE_Y, TILE_YF, TILE_YS };

struct blt_model {
    uint8_t mem[MODEL_B], before[MODEL_B];
    uint32_t setup[10];
    uint32_t swctrl; /* 1: source is TileY, 2: destination */
};

void blt_model_run(struct blt_model *m, const uint32_t *dw, unsigned len_dw);
/* Bytes of a tile's row, and its rows. */
unsigned blt_model_tile_B(enum model_tiling t, unsigned pixel_B);
unsigned blt_model_tile_rows(enum model_tiling t, unsigned pixel_B);
uint64_t blt_model_address(enum model_tiling t, unsigned pixel_B, uint64_t base,
                           int64_t pitch_B, int64_t x_B, int64_t y);

#endif
