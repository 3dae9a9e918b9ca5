/* avc.h: an H.264 picture, a slice and a macroblock as the decoder needs them,
 * and the decoder's memory, which a context owns. Made from packets by
 * avc_state.c; avc_slice.c decodes a slice into the decoder's planes;
 * avc_picture.c filters a whole picture and writes it to its surface. Used in
 * the thread that executes the context's batch. ITU-T H.264, 4:2:0 and 4:0:0
 * of 8 bits.
 *
 * 4x4 blocks are numbered in raster order here, y * 4 + x. Macroblocks are
 * numbered by place, row * width + column, also in MBAFF frames, where the
 * bottom macroblock of a pair is in the odd row. */
#ifndef ENGINE_MFX_AVC_AVC_H
#define ENGINE_MFX_AVC_AVC_H

#include "engine/mfx/avc/entropy/entropy.h"
#include "engine/mfx/avc/recon/recon.h"
#include "engine/mfx/mfx_stream.h"
#include "engine/mfx/mfx_surface.h"

#include <stdatomic.h>

#define AVC_STORES 16 /* frame stores that packets name */
#define AVC_REFS 32
#define AVC_ROWS_MAX 256
#define AVC_MBS_MAX (256 * AVC_ROWS_MAX)

/* Slice_Type and the kinds of macroblocks. */
enum { AVC_SLICE_P, AVC_SLICE_B, AVC_SLICE_I };
enum avc_kind {
    AVC_INTER,
    AVC_INTRA_4X4,
    AVC_INTRA_8X8,
    AVC_INTRA_16X16,
    AVC_PCM
};

/* Flags of macroblocks. */
enum {
    AVC_FIELD = 1 << 0,
    AVC_8X8 = 1 << 1, /* transform_size_8x8_flag */
    AVC_SKIP = 1 << 2,
    AVC_DIRECT = 1 << 3,  /* B_Skip or B_Direct_16x16 */
    AVC_UNIFORM = 1 << 4, /* inter: all blocks have the same motion */
};

/* Bits of avc_mb.coded: coded_block_flag of each block. */
enum { AVC_CODED_CHROMA = 16, AVC_CODED_DC = 24 };

struct avc_mb {
    uint16_t slice; /* number within the picture; 0: not decoded */
    uint8_t kind, flags;
    uint8_t qp;
    uint8_t cbp; /* luma 3:0, chroma 5:4 */
    uint8_t chroma_mode;
    uint8_t deblock;    /* disable_deblocking_filter_idc */
    int8_t alpha, beta; /* FilterOffsetA and B */
    uint8_t direct;     /* 8x8 blocks that are predicted in direct mode */
    uint16_t nonzero;   /* luma blocks with coefficients, for deblocking */
    uint32_t coded;
    int8_t intra_mode[16];
    uint8_t total[24];    /* coefficients: luma, Cb, Cr */
    int8_t ref[2][4];     /* refIdx of 8x8 blocks, -1: none */
    uint8_t ref_id[2][4]; /* the picture: avc_ref.id; AVC_NO_REF */
    int16_t mv[2][16][2];
    uint8_t mvd[2][16][2]; /* absolute, at most 255 */
};
#define AVC_NO_REF 0xff

/* An entry of a reference list: a frame or a field. */
struct avc_ref {
    uint8_t id; /* store * 4 + parity: 1 top, 2 bottom, 3 frame */
    bool present, long_term;
    int32_t poc;
};

/* The lists as macroblocks see them. */
struct avc_ref_set {
    unsigned count[2];
    struct avc_ref list[2][2 * AVC_REFS];
};

struct avc_picture {
    struct mfx_surface target, ref[AVC_STORES];
    uint32_t
        ref_hash[AVC_STORES];     /* of addresses: what motion is stored with */
    unsigned width_mb, height_mb; /* of a field in a field picture */
    bool field, bottom, mbaff;
    bool cabac, mono, transform_8x8, direct_8x8_inference, constrained_intra;
    bool weighted_pred;
    unsigned weighted_bipred;
    int chroma_qp_offset[2];
    int32_t poc[2 * AVC_STORES + 2];
    /* Motion of this picture, to be written, and of references; NULL: none. */
    uint32_t *motion, *ref_motion[AVC_STORES];
    struct avc_scale scale;
};

struct avc_slice {
    struct mfx_stream stream;
    unsigned first_byte, first_bit;
    unsigned first_mb, end_mb; /* in coded order; pairs count two */
    unsigned type, qp, cabac_init;
    unsigned deblock;
    int alpha, beta;
    bool direct_spatial, last;
    unsigned ref_count[2];
    struct avc_ref ref[2][AVC_REFS];
    unsigned log2_denom[2]; /* luma, chroma */
    /* Explicit weights and offsets: by list, reference, component. */
    int16_t weight[2][AVC_REFS][3][2];
};

/* What lies around a macroblock, 6.4.12: indices of macroblocks, -1: not
 * available; and rows of 4x4 blocks there. */
struct avc_around {
    int left[4]; /* of (-1, 4 * i) */
    uint8_t left_row[4];
    int diagonal[4]; /* of (-1, 4 * i - 1) */
    uint8_t diagonal_row[4];
    int top, top_right; /* their row is 3 */
};

/* A slice that waits for the picture's others. */
struct avc_job {
    struct avc_slice slice;
    unsigned number;
    uint8_t *bytes; /* without emulation prevention; then padding */
    size_t size_B, capacity_B;
    struct mfx_report report;
};
#define AVC_JOBS 64

/* Decodes one slice at a time. A context has one of them for its thread, with
 * the picture, and one for each worker of the pool. */
struct avc_decoder {
    const struct avc_recon *recon;
    struct pool *pool; /* NULL: none */
    struct avc_picture picture;
    struct avc_slice slice;
    bool open;       /* a picture was begun and is not finished */
    unsigned slices; /* of the picture so far */
    unsigned number; /* of the current slice, from 1 on */
    struct avc_job *jobs;
    unsigned job_count;
    struct avc_decoder **workers;
    unsigned worker_count;
    /* Memory for mb_capacity macroblocks. */
    struct avc_mb *mbs;
    uint8_t *planes[3];
    unsigned mb_capacity;
    unsigned stride[3];
    atomic_uint filtered[AVC_ROWS_MAX]; /* macroblocks of each row */
    struct avc_bits bits;
    struct avc_cabac cabac;
    /* The current macroblock. */
    struct avc_mb *mb;
    unsigned column, row, index;
    bool field;       /* of a field picture or a field macroblock */
    bool mbaff_field; /* a field macroblock of a frame */
    bool qp_changed;  /* the last mb_qp_delta was not 0 */
    struct avc_around around;
    /* Of frame macroblocks, or all of a field picture; of top and of bottom
     * field macroblocks: fields of the slice's frames. */
    struct avc_ref_set sets[3];
    const struct avc_ref_set *refs; /* the current macroblock's */
    uint8_t sub[4];                 /* shapes of 8x8 blocks: enum avc_shape */
    unsigned shape;                 /* of the macroblock */
    int16_t coef[24][16];
    int16_t dc[16];
    struct avc_window window;
    uint8_t predicted[2][3][256];
};

/* Partitions of a macroblock, and of an 8x8 block. */
enum avc_shape { AVC_WHOLE, AVC_TWO_ROWS, AVC_TWO_COLUMNS, AVC_FOUR };

static inline bool
avc_is_intra(const struct avc_mb *mb)
{
    return mb->kind != AVC_INTER;
}

/* Whether a macroblock before the current one, or the pair that it is in,
 * belongs to the current slice. Other slices may be decoded meanwhile. */
static inline bool
avc_in_slice(const struct avc_decoder *d, unsigned column, unsigned row)
{
    unsigned shift = d->picture.mbaff;
    unsigned at = (row >> shift) * d->picture.width_mb + column;
    return at << shift >= d->slice.first_mb;
}

/* The macroblock at an index of struct avc_around. */
static inline const struct avc_mb *
avc_at(const struct avc_decoder *d, int index)
{
    return index < 0 ? NULL : &d->mbs[index];
}

/* The 4x4 block to the left of (x, y), or above it: its macroblock or NULL. */
static inline const struct avc_mb *
avc_block_left(const struct avc_decoder *d, unsigned x, unsigned y,
               unsigned *block)
{
    if (x) {
        *block = y * 4 + x - 1;
        return d->mb;
    }
    *block = d->around.left_row[y] * 4u + 3;
    return avc_at(d, d->around.left[y]);
}

static inline const struct avc_mb *
avc_block_above(const struct avc_decoder *d, unsigned x, unsigned y,
                unsigned *block)
{
    if (y) {
        *block = y * 4 - 4 + x;
        return d->mb;
    }
    *block = 12 + x;
    return avc_at(d, d->around.top);
}

/* avc_around.c: fills d->around for the current macroblock. */
void avc_look_around(struct avc_decoder *d);
/* avc_syntax.c: elements of a macroblock, by either coding. */
unsigned avc_read_mb_type(struct avc_decoder *d);
unsigned avc_read_sub_type(struct avc_decoder *d);
bool avc_read_skip(struct avc_decoder *d, bool field);
bool avc_read_field(struct avc_decoder *d);
bool avc_read_transform_8x8(struct avc_decoder *d);
int avc_read_intra_mode(struct avc_decoder *d); /* -1: the predicted one */
unsigned avc_read_chroma_mode(struct avc_decoder *d);
unsigned avc_read_cbp(struct avc_decoder *d);
int avc_read_qp_delta(struct avc_decoder *d);
unsigned avc_read_ref(struct avc_decoder *d, unsigned list, unsigned block);
int avc_read_mvd(struct avc_decoder *d, unsigned list, unsigned block,
                 unsigned component);
/* avc_residual.c: reads all coefficients and scales them. False: malformed. */
bool avc_read_residual(struct avc_decoder *d);
/* avc_mb.c: reads and reconstructs a macroblock. False: malformed. */
bool avc_decode_mb(struct avc_decoder *d);
void avc_decode_skip(struct avc_decoder *d);
void avc_begin_mb(struct avc_decoder *d);
/* avc_motion.c: vectors of a macroblock that is not direct. */
bool avc_read_motion(struct avc_decoder *d);
void avc_skip_motion(struct avc_decoder *d);
/* The neighbours' vectors: spatial direct prediction. */
void avc_predict_vector(const struct avc_decoder *d, unsigned list, int ref,
                        unsigned x, unsigned y, unsigned width, int16_t *mv);
struct avc_near {
    int ref; /* -2: not available, -1: without this list */
    int16_t mv[2];
};
void avc_near_blocks(const struct avc_decoder *d, unsigned list, unsigned x,
                     unsigned y, unsigned width, struct avc_near near[3]);
void avc_set_vector(struct avc_decoder *d, unsigned list, unsigned x,
                    unsigned y, unsigned w, unsigned h, const int16_t *mv);
/* avc_direct.c: POC of the current frame or field; predicts 8x8 blocks of a
 * mask in direct mode; stores motion for later pictures. */
int32_t avc_current_poc(const struct avc_decoder *d);
/* DistScaleFactor, 8.4.1.2.3. INT32_MAX: none, as references say. */
int avc_scale_factor(const struct avc_decoder *d, const struct avc_ref *ref0,
                     const struct avc_ref *ref1);
void avc_direct(struct avc_decoder *d, unsigned blocks);
void avc_store_motion(struct avc_decoder *d);
/* avc_predict.c: samples of an inter macroblock. */
void avc_predict_inter(struct avc_decoder *d);
/* avc_rebuild.c: prediction of intra macroblocks, and residuals of all. */
void avc_rebuild(struct avc_decoder *d);
void avc_read_pcm(struct avc_decoder *d, const uint8_t *bytes);
/* Where samples of a macroblock are, and their stride: of any, of the current
 * one. */
uint8_t *avc_samples_at(const struct avc_decoder *d, unsigned plane,
                        unsigned column, unsigned row, bool mbaff_field,
                        unsigned *stride);
uint8_t *avc_samples(const struct avc_decoder *d, unsigned plane,
                     unsigned *stride);
/* avc_slice.c: takes d->slice, which goes up to the next one; then decodes all
 * that were taken, in parallel where they are independent. */
void avc_add_slice(struct avc_decoder *d, struct mfx_report *report);
void avc_decode_slices(struct avc_decoder *d, struct mfx_report *report);
/* avc_deblock.c: the loop filter, over a row of macroblocks, or of pairs of an
 * MBAFF frame. Waits for the row above where that is not finished; d->filtered
 * tells. Any thread. */
void avc_deblock_row(struct avc_decoder *d, unsigned row);
/* avc_picture.c. Begins d->picture, and allocates its macroblocks. */
bool avc_begin_picture(struct avc_decoder *d);
/* Ends an open picture: conceals missing macroblocks, filters edges, writes the
 * surface. */
void avc_end_picture(struct avc_decoder *d, struct mfx_report *report);
void avc_conceal(struct avc_decoder *d, unsigned index);
void avc_free(struct avc_decoder *d);

#endif
