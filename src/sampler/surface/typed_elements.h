/* typed_elements.h: reads and writes eight elements of a surface at once, by
 * integer coordinates and without a sampler, for typed data port messages and
 * `ld` from buffers. Supports the usual kinds of surfaces; callers access
 * others lane by lane, with surface_ptr() and format_unpack() or format_pack().
 * Tests compare these routines with that path.
 *
 * Made when a surface is decoded, immutable from then on. Any thread that
 * rounds to nearest; flushing denormals makes no difference. */
#ifndef SAMPLER_SURFACE_TYPED_ELEMENTS_H
#define SAMPLER_SURFACE_TYPED_ELEMENTS_H

#include "base/base.h"

#define TYPED_LANES 8 /* of one call */

struct surface;
struct typed_elements;

/* Tilings other than W, as offsets: one part for x plus one for y. The part for
 * x is x_B % keep + x_B / keep * keep << x_shift; y is alike. */
struct sample_tiling {
    int32_t element_shift; /* log2 of an element's bytes */
    int32_t x_keep, x_shift;
    int32_t y_shift, y_keep, y_keep_shift, y_pitch_B;
};

/* at: column, row and slice of each lane; row and slice are NULL if all are 0.
 * mask: active lanes. channel[c][i] is channel c of lane i; `read` stores the
 * first `count` channels. All return the lanes of the mask whose element
 * exists. For all other lanes `read` gives zeros, `write` touches nothing, and
 * `find`'s offset from e->mem is undefined. If lanes write the same element,
 * the last lane wins. */
struct typed_elements_routines {
    uint32_t (*read)(const struct typed_elements *e,
                     const uint32_t *const at[3], uint32_t mask, unsigned count,
                     uint32_t channel[][TYPED_LANES]);
    uint32_t (*write)(const struct typed_elements *e,
                      const uint32_t *const at[3], uint32_t mask,
                      const uint32_t *const channel[4]);
    uint32_t (*find)(const struct typed_elements *e,
                     const uint32_t *const at[3], uint32_t mask,
                     uint32_t at_B[TYPED_LANES]);
};

/* Storage of channels. Channels of 32 bits are copied unchanged. */
enum typed_elements_kind {
    TYPED_RAW,
    TYPED_UNORM,
    TYPED_SNORM,
    TYPED_UINT,
    TYPED_SINT,
    TYPED_HALF,
};

struct typed_elements {
    const struct typed_elements_routines *fn; /* NULL: not supported */
    uint8_t *mem;
    uint32_t size[3]; /* columns, rows, slices of the level */
    uint32_t x_el, y_el, slice_rows;
    struct sample_tiling tiling;
    uint8_t kind; /* enum typed_elements_kind */
    uint8_t channels, channel_bits;
    bool blue_first;
    bool flat;        /* one row without tiling */
    bool lines;       /* lines of 64 bytes are aligned in memory */
    uint32_t ahead_B; /* to the element 16 columns further, mostly */
    uint8_t element_B;
    uint32_t one; /* alpha if the format has none */
};

/* The surface's mem and limit_B must be set. */
void typed_elements_init(struct typed_elements *e, const struct surface *s);

/* Indexed by: channels of more than 8 bits, kind, and 1, 2 or 4 channels. */
extern const struct typed_elements_routines typed_elements_avx2[2][6][3];

#endif
