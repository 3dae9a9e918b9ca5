/* symbol.h: what a pixel shader computes, without running it.
 *
 * Every value of every lane is an expression over the pixel's position, what
 * is the same for a whole primitive (constants, attribute deltas) and texels.
 * Expressions are numbered: equal numbers mean equal values. For kernels
 * without loops and with one render target write; made once per kernel. */
#ifndef ENGINE_RASTER_SYMBOL_H
#define ENGINE_RASTER_SYMBOL_H

#include "eu/eu.h"

#define SYMBOL_MAX 512
#define SYMBOL_FETCHES 20
#define SYMBOL_PARAMS 8

enum symbol_kind {
    SYMBOL_UNKNOWN, /* number 0 */
    SYMBOL_UNIFORM, /* payload, the same for all threads of a primitive */
    SYMBOL_IMM,
    SYMBOL_QUAD_X, /* upper left pixel of quad `value` */
    SYMBOL_QUAD_Y,
    SYMBOL_X, /* of the lane's own pixel */
    SYMBOL_Y,
    SYMBOL_OP,
    SYMBOL_FLAG,   /* condition `insn.cmod` on the result of an operation */
    SYMBOL_CHOOSE, /* src[0] ? src[1] : src[2] */
    SYMBOL_TEXEL,  /* channel value % 4 of fetch value / 4 */
};

/* What a value depends on. */
enum { DEPENDS_X = 1, DEPENDS_Y = 2, DEPENDS_TEXEL = 4, DEPENDS_ON_MORE = 8 };

struct symbol {
    uint8_t kind, depends;
    uint8_t opcode, cmod, saturate, type;
    uint8_t src_type[3], modifier[3]; /* bit 0 absolute, 1 negated */
    uint16_t src[3];
    uint64_t value;
};

/* A sampler message without header. */
struct symbol_fetch {
    uint8_t type, bti, sampler;
    uint8_t params;
    uint16_t param[SYMBOL_PARAMS];
};

struct symbols {
    unsigned count, fetch_count;
    struct symbol symbol[SYMBOL_MAX];
    struct symbol_fetch fetch[SYMBOL_FETCHES];
    unsigned write_bti;
    uint16_t color[4]; /* that the render target write writes */
};

/* grf_start: the first register of constants and attributes. False if the
 * kernel does anything that has no expression. */
bool symbol_find(struct symbols *out, const void *code, size_t code_B,
                 enum eu_gen gen, unsigned simd, unsigned grf_start);

#endif
