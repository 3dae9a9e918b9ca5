/* mpeg2.h: an MPEG-2 slice as its decoder needs it, and the decoder's state.
 * Made from packets by mpeg2_object.c, decoded by mpeg2_slice.c. ITU-T H.262.
 */
#ifndef ENGINE_MFX_MPEG2_H
#define ENGINE_MFX_MPEG2_H

#include "engine/mfx/mfx_bits.h"
#include "engine/mfx/mfx_idct.h"
#include "engine/mfx/mfx_stream.h"
#include "engine/mfx/mfx_surface.h"

/* picture_structure and picture_coding_type, as coded. */
enum { MPEG2_TOP = 1, MPEG2_BOTTOM = 2, MPEG2_FRAME = 3 };
enum { MPEG2_I = 1, MPEG2_P = 2, MPEG2_B = 3 };

/* macroblock_type, as mpeg2_vlc.csv has it. */
enum {
    MPEG2_QUANT = 1,
    MPEG2_FORWARD = 2,
    MPEG2_BACKWARD = 4,
    MPEG2_PATTERN = 8,
    MPEG2_INTRA = 16,
};

/* frame_motion_type and field_motion_type: 2 is the whole frame in a frame
 * picture, 16x8 in a field. */
enum { MPEG2_MOTION_FIELD = 1, MPEG2_MOTION_2 = 2, MPEG2_MOTION_DUAL = 3 };

struct mpeg2_picture {
    struct mfx_surface target;
    /* Forward and backward, for a frame and top fields; then for bottom
     * fields. */
    struct mfx_surface ref[4];
    unsigned width_mb, height_mb; /* of a field in a field picture */
    unsigned structure, type;
    uint8_t f_code[2][2];
    unsigned dc_precision;
    bool frame_pred_frame_dct, concealment_vectors, top_field_first;
    bool nonlinear_quantiser, intra_vlc, alternate_scan;
    uint8_t matrix[2][64]; /* intra, non-intra; raster order */
    mfx_idct_fn *idct;
};

struct mpeg2_slice {
    struct mfx_stream stream; /* from the slice's quantiser on */
    unsigned first_bit;       /* of the first macroblock */
    unsigned column, row;
    unsigned mb_count; /* up to the next slice */
    unsigned quantiser_code;
};

/* One macroblock after the other. */
struct mpeg2_mb {
    const struct mpeg2_picture *picture;
    struct mfx_bits bits;
    unsigned column, row;
    unsigned quantiser; /* quantiser_scale */
    int dc[3];
    /* By vector, direction, component: predictions, then vectors. */
    int predicted[2][2][2], vector[2][2][2];
    int dual[2][2];      /* derived vectors of dual prime, by parity */
    int differential[2]; /* dmvector */
    uint8_t field_select[2][2];
    unsigned type, motion;
    bool field_dct;
    int16_t block[64];
    uint8_t luma[16][16], chroma[8][16]; /* Cb and Cr take turns */
};

/* mpeg2_slice.c. Reports what is decoded and concealed. */
void mpeg2_decode_slice(const struct mpeg2_picture *picture,
                        const struct mpeg2_slice *slice,
                        struct mfx_report *report);
/* mpeg2_motion.c: reads the vectors of a direction. */
bool mpeg2_read_vectors(struct mpeg2_mb *mb, unsigned direction);
/* mpeg2_predict.c: predicts the samples of a macroblock that is not intra. */
void mpeg2_predict(struct mpeg2_mb *mb);
/* mpeg2_block.c: reads coded block 0 to 5 and adds it to the samples, or sets
 * those of an intra macroblock. False: malformed. */
bool mpeg2_read_block(struct mpeg2_mb *mb, unsigned index);

#endif
