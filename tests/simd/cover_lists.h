/* cover_lists.h: hostile random lists of covered blocks, for kernels that fill
 * chains and batches. */
#ifndef TEST_SIMD_COVER_LISTS_H
#define TEST_SIMD_COVER_LISTS_H

#include "check.h"

#include "engine/raster/shade/interpolate.h"

enum { TILE_X = 128, TILE_Y = 8192, LIST = 72, ROOM = 19, SQUARE = 16 };
enum { JOINED = 9 };

/* Live pixels of a block: mostly all covered ones. */
static inline uint16_t
random_lit(uint16_t all)
{
    return check_random() % 4 ? all : all & (uint16_t)check_random();
}

/* Sixteen blocks, four by four, of which one may differ. */
static inline void
random_square(struct cover_block *block, uint16_t *live)
{
    unsigned x = check_random() % 4 * 16, y = check_random() % 4 * 16;
    unsigned odd = check_random() % (2 * SQUARE);
    for (unsigned i = 0; i < SQUARE; i++) {
        block[i] = (struct cover_block){(uint8_t)(x + i % 4 * 4),
                                        (uint8_t)(y + i / 4 * 4), 0xffff};
        live[i] = 0xffff;
    }
    if (odd >= SQUARE)
        return;
    switch (check_random() % 4) {
    case 0: block[odd].x ^= 4; break;
    case 1: block[odd].y ^= 4; break;
    case 2: block[odd].mask ^= 1 << check_random() % 16; break;
    default: live[odd] ^= 1 << check_random() % 16; break;
    }
    live[odd] &= block[odd].mask;
}

/* Row by row, as in real lists, or in squares. Some blocks occur twice, some
 * have few pixels or none. */
static inline unsigned
random_list(struct cover_block block[LIST], uint16_t live[LIST])
{
    unsigned count = 1 + check_random() % LIST, y = 0;
    for (unsigned i = 0; i < count; i++) {
        uint16_t all = check_random() % 3 ? 0xffff : (uint16_t)check_random();
        if (check_random() % 8 == 0 && count - i >= SQUARE) {
            random_square(&block[i], &live[i]);
            i += SQUARE - 1;
            continue;
        }
        y = (y + check_random() % 3 / 2) % ROW_COLUMNS;
        block[i] = (struct cover_block){
            (uint8_t)(check_random() % ROW_COLUMNS * 4), (uint8_t)(y * 4), all};
        live[i] = random_lit(all);
    }
    return count;
}

#endif
