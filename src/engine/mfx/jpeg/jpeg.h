/* jpeg.h: a baseline JPEG scan as its decoder needs it: made from packets by
 * jpeg_object.c, decoded by jpeg_scan.c. ITU-T T.81. */
#ifndef ENGINE_MFX_JPEG_H
#define ENGINE_MFX_JPEG_H

#include "engine/mfx/mfx_idct.h"
#include "engine/mfx/mfx_stream.h"
#include "engine/mfx/mfx_surface.h"

#define JPEG_COMPONENTS 3 /* Y, Cb, Cr */
#define JPEG_FAST_BITS 9

/* A Huffman table: annex F.2.2.3, and a lookup by the next bits. */
struct jpeg_huffman {
    uint8_t values[256];
    /* By length 1 to 16: codes below `limit` have it; the value's index is the
     * code plus `first`. */
    uint32_t limit[18];
    int32_t first[17];
    uint16_t fast[1 << JPEG_FAST_BITS]; /* length << 8 | value; 0: longer */
};

/* Where blocks of a component go. */
struct jpeg_component {
    unsigned h, v;            /* blocks of an interleaved MCU */
    unsigned columns, rows;   /* blocks of the picture, in whole MCUs */
    unsigned place_B, step_B; /* first byte of a row, bytes between samples */
    unsigned place_row;       /* of the surface */
    unsigned row_limit;       /* rows of the surface that may be written */
    uint16_t matrix[64];      /* raster order */
    const struct jpeg_huffman *dc, *ac;
};

struct jpeg_scan {
    struct mfx_surface target;
    struct mfx_stream stream;
    struct jpeg_component component[JPEG_COMPONENTS];
    unsigned components; /* mask: the components of this scan */
    bool interleaved;
    unsigned mcu_columns; /* of the scan */
    uint32_t first_mcu, mcu_count;
    unsigned restart_interval; /* MCUs; 0: none */
    const struct hang *hang;
    mfx_idct_fn *idct;
};

/* counts: of codes by length from 1 on. False: they are no prefix code. */
bool jpeg_huffman_init(struct jpeg_huffman *h, const uint8_t *counts,
                       unsigned lengths, const uint8_t *values,
                       unsigned value_count);
/* False: it takes too long. */
bool jpeg_decode_scan(const struct jpeg_scan *scan, struct mfx_report *report);

#endif
