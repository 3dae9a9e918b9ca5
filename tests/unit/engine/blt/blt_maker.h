/* blt_maker.h: random packets of the blitter whose surfaces lie in the model's
 * memory. What the caller does not choose is random. Source and destination
 * meet only within one surface. */
#ifndef TEST_BLT_MAKER_H
#define TEST_BLT_MAKER_H

#include "blt_model.h"

/* The areas of memory. The first one is left to batches. */
#define MAKER_BITS_VA (MODEL_VA + 0x10000)
#define MAKER_SRC_VA (MODEL_VA + 0x20000)
#define MAKER_DST_VA (MODEL_VA + 0x60000)
#define MAKER_AREA_B 0x40000u

struct blt_choice {
    unsigned opcode, rop;
    unsigned log2_B; /* of a pixel */
    enum model_tiling dst, src;
    bool one_surface; /* the source is the destination */
};

struct blt_maker {
    uint64_t state; /* of the random numbers, not 0 */
    void (*emit)(const uint32_t *dw, unsigned len_dw);
};

#define BLT_OPCODES 24
extern const uint8_t blt_opcodes[BLT_OPCODES]; /* all that draw */
bool blt_has_source(unsigned opcode);          /* of colours */

uint32_t blt_random(struct blt_maker *g);
/* Emits BCS_SWCTRL, a clip rectangle, the setup if there is one, the blit. */
void blt_make(struct blt_maker *g, const struct blt_choice *c);

#endif
