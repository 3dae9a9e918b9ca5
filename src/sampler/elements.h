/* elements.h: eight elements of a surface at once, by whole numbers and without
 * a sampler, as typed data port messages and `ld` from buffers name them. For
 * surfaces of the usual forms; all else is done lane by lane, with
 * surface_ptr() and format_unpack() or format_pack(), which is also what these
 * routines are compared with.
 *
 * Made when a surface is decoded, immutable from then on: any thread, in a mode
 * that rounds to the nearest; whether it flushes makes no difference. */
#ifndef SAMPLER_ELEMENTS_H
#define SAMPLER_ELEMENTS_H

#include "base/base.h"

#define ELEMENTS 8 /* of one call */

struct surface;
struct elements;

/* Offsets in all tilings but W are a sum of one part for x and one for y:
 * x_B % keep + x_B / keep * keep << x_shift, and the like. */
struct sample_tiling {
    int32_t element_shift; /* log2 of an element's bytes */
    int32_t x_keep, x_shift;
    int32_t y_shift, y_keep, y_keep_shift, y_pitch_B;
};

/* at: column, row and slice of each lane; the latter two NULL where all are 0.
 * mask: lanes that execute. channel[c][i] is channel c of lane i.
 * Returns the lanes among them that name an element of the surface: of others,
 * and of those that do not execute, `read` gives zeros and `write` touches
 * nothing. Where lanes write the same element the last one wins. */
struct elements_routines {
    uint32_t (*read)(const struct elements *e, const uint32_t *const at[3],
                     uint32_t mask, uint32_t channel[4][ELEMENTS]);
    uint32_t (*write)(const struct elements *e, const uint32_t *const at[3],
                      uint32_t mask, const uint32_t *const channel[4]);
};

/* How channels are stored. Those of 32 bits are taken as they are. */
enum elements_kind {
    ELEMENTS_RAW,
    ELEMENTS_UNORM,
    ELEMENTS_SNORM,
    ELEMENTS_UINT,
    ELEMENTS_SINT,
    ELEMENTS_HALF,
};

struct elements {
    const struct elements_routines *fn; /* NULL: not of the usual form */
    uint8_t *mem;
    uint32_t size[3]; /* columns, rows, slices that there are */
    uint32_t x_el, y_el, slice_rows;
    struct sample_tiling tiling;
    uint8_t kind; /* enum elements_kind */
    uint8_t channels, channel_bits;
    bool blue_first;
    bool flat;        /* one row, from the beginning */
    bool lines;       /* offsets of 64 bytes are whole lines of memory */
    uint32_t ahead_B; /* what is 16 elements to the right, mostly */
    uint8_t element_B;
    uint32_t one; /* alpha where there is none */
};

/* For a surface whose mem and limit_B are set. */
void elements_init(struct elements *e, const struct surface *s);

/* By whether channels have more than 8 bits, by kind, and for 1, 2 and 4 of
 * them. */
extern const struct elements_routines elements_avx2[2][6][3];

#endif
