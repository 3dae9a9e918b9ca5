/* symbol_cells.h: what symbol.c knows of a kernel at one of its instructions:
 * which expression is in which bytes of the registers. */
#ifndef ENGINE_RASTER_SYMBOL_CELLS_H
#define ENGINE_RASTER_SYMBOL_CELLS_H

#include "engine/raster/symbol.h"

#define LANES 16
#define ALL_LANES 0xffff
#define CELL_B 2
#define CELLS (EU_GRF_COUNT * EU_GRF_B / CELL_B)
#define ANY_SIZE 0xff /* raw payload */

/* What stands in two bytes. A larger value is in its first cell, with its
 * size; in the others the size is 0. */
struct cell {
    uint16_t symbol;
    uint16_t lanes; /* for which the number has its meaning */
    uint8_t size_B;
};

struct state {
    struct cell cell[CELLS];
    struct cell flag[4][LANES];
};

struct branch {
    bool open, in_else;
    uint32_t else_at, end_at; /* where JIP and UIP lead to */
    struct cell condition[LANES];
    struct state before, then;
};

struct finder {
    struct symbols *out;
    unsigned simd;
    bool failed, written;
    struct state now;
    struct branch branch;
};

/* Sources' types are stored plus one: 0 is no source. */
static inline uint8_t
type_code(unsigned type)
{
    return (uint8_t)(type + 1);
}

/* The number of an expression, an old one if it was met before; 0 if a source
 * has none. Sets `failed` when there are too many. */
uint16_t symbol_number(struct finder *f, const struct symbol *key);

/* At the kernel's start. */
void symbol_init_cells(struct finder *f, unsigned grf_start);

/* A cell of number 0 if these bytes are not one value. */
struct cell symbol_read_cell(struct finder *f, unsigned at_B, unsigned size_B);
void symbol_write_cell(struct finder *f, unsigned at_B, unsigned size_B,
                       struct cell c);

#endif
