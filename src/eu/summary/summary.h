/* summary.h: kernel summaries: pixel shaders that are clears, copies of texels
 * or buffer elements, or resolves, so that rectangles need no threads.
 *
 * Symbolic execution (symexec.h) finds the summary, once per kernel. The stock
 * driver's shaders for clears, copies, blits and resolves have one, as has any
 * shader with an equal result. Caller: the engine, when it has a new pixel
 * shader. Any thread; pure. */
#ifndef EU_SUMMARY_SUMMARY_H
#define EU_SUMMARY_SUMMARY_H

#include "eu/eu.h"

enum kernel_summary_kind {
    SUMMARY_NONE,
    SUMMARY_CLEAR,   /* one colour for all pixels of a primitive */
    SUMMARY_BLIT,    /* a texel: column from x alone, row from y alone */
    SUMMARY_RESOLVE, /* the average of a texel's samples, in pairs */
    /* An element of a buffer, at x + y * uniform + uniform modulo 2^32. */
    SUMMARY_FROM_BUFFER,
    /* A texel at x + uniform and y * uniform + uniform, stored as such an
     * element by a typed message. The colour is undefined. */
    SUMMARY_TO_BUFFER,
};

/* Sampler messages that a summary may name. */
enum kernel_summary_message {
    MESSAGE_LD = 7,
    MESSAGE_SAMPLE_LZ = 24,
    MESSAGE_LD_LZ = 26,
    MESSAGE_LD2DMS_W = 28,
    MESSAGE_LD_MCS = 29,
    MESSAGE_LD2DMS = 30,
    MESSAGE_LD2DSS = 31,
};

struct kernel_summary {
    uint8_t kind;
    uint8_t target, texture, store; /* binding table entries */
    uint8_t sampler;
    uint8_t message; /* the message that fetches the texel */
    uint8_t samples;
    bool mcs; /* one sample stands for all if MCS is 0 or all ones */
    /* Parameters of the first message with the coordinates, the layer and the
     * level; -1: none. */
    int8_t u, v, layer, level;
};

/* *out: the summary, SUMMARY_NONE if there is none. grf_start: see
 * symexec_run(). */
void kernel_summary_find(struct kernel_summary *out, const void *code,
                         size_t code_B, enum eu_gen gen, unsigned simd,
                         unsigned grf_start);

#endif
