/* meaning.h: kernels of which it is known what they draw, so that rectangles
 * need no threads: the stock driver's own shaders for clears, copies, blits
 * and resolves, and whatever else computes the same. Found by what the
 * instructions compute (symbol.h), once per kernel. */
#ifndef ENGINE_RASTER_MEANING_H
#define ENGINE_RASTER_MEANING_H

#include "eu/eu.h"

enum meaning_kind {
    MEANING_NONE,
    MEANING_CONSTANT, /* one colour for all pixels of a primitive */
    MEANING_TEXEL,    /* a texel: column from x alone, row from y alone */
    MEANING_AVERAGE,  /* of a texel's samples, in pairs */
};

/* Sampler messages that a meaning may have. */
enum meaning_message {
    MESSAGE_LD = 7,
    MESSAGE_SAMPLE_LZ = 24,
    MESSAGE_LD_LZ = 26,
    MESSAGE_LD2DMS_W = 28,
    MESSAGE_LD_MCS = 29,
    MESSAGE_LD2DMS = 30,
    MESSAGE_LD2DSS = 31,
};

struct meaning {
    uint8_t kind;
    uint8_t target, texture; /* binding table entries */
    uint8_t sampler;
    uint8_t message; /* that fetches the texel */
    uint8_t samples;
    bool mcs; /* one sample stands for all where MCS is 0 or all ones */
    /* Which parameters of the first message are the coordinates, the layer
     * and the level; -1: none. */
    int8_t u, v, layer, level;
};

/* grf_start: see symbol_find(). */
void meaning_find(struct meaning *out, const void *code, size_t code_B,
                  enum eu_gen gen, unsigned simd, unsigned grf_start);

#endif
