/* symexec_state.h: state of symbolic execution at one instruction: the
 * expressions in each byte of the registers. Private to symexec. */
#ifndef EU_SUMMARY_SYMEXEC_STATE_H
#define EU_SUMMARY_SYMEXEC_STATE_H

#include "eu/summary/symexec.h"

#define LANES 16
#define ALL_LANES 0xffff
#define CELL_B 2
#define CELLS (EU_GRF_COUNT * EU_GRF_B / CELL_B)
#define ANY_SIZE 0xff /* raw payload */

/* The value in two bytes. A larger value is in its first cell, with its size;
 * its other cells have size 0. */
struct cell {
    uint16_t symbol;
    uint16_t lanes; /* lanes for which the symbol is valid */
    uint8_t size_B;
};

struct state {
    struct cell cell[CELLS];
    struct cell flag[4][LANES];
};

struct branch {
    bool open, in_else;
    uint32_t else_at, end_at; /* targets of JIP and UIP */
    struct cell condition[LANES];
    struct state before, then;
};

struct finder {
    struct symbols *out;
    unsigned simd;
    bool failed, written;
    uint8_t mask_flags; /* bit each: the flag holds the payload's mask */
    struct state now;
    struct branch branch;
};

/* Source types are stored plus one: 0 is no source. */
static inline uint8_t
type_code(unsigned type)
{
    return (uint8_t)(type + 1);
}

/* The expression's number, the old one if it was met before; 0 if a source has
 * no number. Sets `failed` if there are too many. */
uint16_t symexec_number(struct finder *f, const struct symbol *key);

/* Sets the cells of the kernel's start. */
void symexec_init_cells(struct finder *f, unsigned grf_start);

/* Returns a cell of symbol 0 if these bytes are not one value. */
struct cell symexec_read_cell(struct finder *f, unsigned at_B, unsigned size_B);
void symexec_write_cell(struct finder *f, unsigned at_B, unsigned size_B,
                        struct cell c);

#endif
