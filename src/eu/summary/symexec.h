/* symexec.h: symbolic execution of a pixel shader.
 *
 * Every lane's value is an expression over the pixel's position, texels, and
 * values that are uniform per primitive (constants, attribute deltas).
 * Expressions are numbered: equal numbers mean equal values. For kernels
 * without loops, with one render target write and at most one typed write.
 * Caller: kernel_summary.c, once per kernel. Any thread; *out belongs to the
 * caller. */
#ifndef EU_SUMMARY_SYMEXEC_H
#define EU_SUMMARY_SYMEXEC_H

#include "eu/eu.h"

#define SYMBOL_MAX 512
#define SYMBOL_FETCHES 20
#define SYMBOL_PARAMS 8

enum symexec_kind {
    SYMBOL_UNKNOWN, /* number 0 */
    SYMBOL_UNIFORM, /* payload, uniform for all threads of a primitive */
    SYMBOL_IMM,
    SYMBOL_QUAD_X, /* upper left pixel of quad `value` */
    SYMBOL_QUAD_Y,
    SYMBOL_X, /* of the lane's own pixel */
    SYMBOL_Y,
    SYMBOL_OP,
    SYMBOL_FLAG,   /* condition `insn.cmod` on the result of an operation */
    SYMBOL_CHOOSE, /* src[0] ? src[1] : src[2] */
    SYMBOL_TEXEL,  /* channel value % 4 of fetch value / 4 */
    SYMBOL_MASK,   /* the payload's mask of pixels */
};

/* Inputs that a value depends on. */
enum { DEPENDS_X = 1, DEPENDS_Y = 2, DEPENDS_TEXEL = 4, DEPENDS_ON_MORE = 8 };

struct symbol {
    uint8_t kind, depends;
    uint8_t opcode, cmod, saturate, type;
    uint8_t src_type[3], modifier[3]; /* bit 0 absolute, 1 negated */
    uint16_t src[3];
    uint64_t value;
};

/* A sampler message without header. */
struct symexec_fetch {
    uint8_t type, bti, sampler;
    uint8_t params;
    uint16_t param[SYMBOL_PARAMS];
};

/* A typed write of one element for each pixel. */
struct symexec_store {
    uint16_t lanes; /* that store; 0: no such message */
    uint16_t bti, at, data[4];
};

struct symbols {
    unsigned count, fetch_count;
    struct symbol symbol[SYMBOL_MAX];
    struct symexec_fetch fetch[SYMBOL_FETCHES];
    struct symexec_store store;
    unsigned write_bti;
    uint16_t color[4]; /* written by the render target write */
};

/* grf_start: the first register of constants and attributes. False: the kernel
 * has an operation without an expression. */
bool symexec_run(struct symbols *out, const void *code, size_t code_B,
                 enum eu_gen gen, unsigned simd, unsigned grf_start);

#endif
