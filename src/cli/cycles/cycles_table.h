/* cycles_table.h: the rows of the tables; private to cli/cycles. */
#ifndef CLI_CYCLES_CYCLES_TABLE_H
#define CLI_CYCLES_CYCLES_TABLE_H

#include "cli/cycles/cycles.h"

/* Operations that take equal times. Those from MOV_INDIRECT on are of Mesa's
 * compiler, which makes several instructions of them. */
enum cycles_class {
    CYCLES_NOTHING,
    CYCLES_ALU,
    CYCLES_ALU64, /* also products of 32-bit integers */
    CYCLES_SLOW,  /* what table B alone makes slower */
    CYCLES_MAD,
    CYCLES_MAD64,
    CYCLES_LRP,
    CYCLES_PLN,
    CYCLES_DOT,
    CYCLES_MATH,
    CYCLES_POW,
    CYCLES_INT_DIV,
    CYCLES_FLOW,
    CYCLES_SAMPLE,
    CYCLES_MEMORY,
    CYCLES_ATOMIC,
    CYCLES_PULL, /* constant cache */
    CYCLES_SCRATCH,
    CYCLES_RT,
    CYCLES_URB,
    CYCLES_INTERPOLATE,
    CYCLES_FENCE,
    CYCLES_RT_FENCE,
    CYCLES_BARRIER,
    CYCLES_END,
    CYCLES_MOV_INDIRECT,
    CYCLES_BROADCAST,
    CYCLES_MODE, /* rounding and denormals */
    CYCLES_SHUFFLE,
    CYCLES_SWIZZLE, /* in groups of four channels */
    CYCLES_SEL_EXEC,
    CYCLES_PACK_HALF,
    CYCLES_CLASSES
};

/* Clocks, as a constant and per register: d of the destination, c as d where
 * two sources are in one bank, x of the execution size, s of the sources. */
struct cycles_row {
    uint8_t unit;                             /* enum cycles_unit */
    int16_t issue, issue_d, issue_c, issue_x; /* of the front end */
    int16_t busy, busy_x;                     /* of the unit */
    /* Until the sources of a message are read, and until a register, an
     * accumulator or a flag is written. */
    int16_t read, grf, acc, flag;
    int16_t latency_s, latency_d; /* per register, of read and grf; of grf */
};

extern const struct cycles_row cycles_tables[CYCLES_TABLES][CYCLES_CLASSES];

#endif
