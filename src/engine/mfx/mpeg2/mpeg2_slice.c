/* mpeg2_slice.c: slices and macroblocks. H.262 6.2.4, 6.2.5, 7.6.6. */
#include "engine/mfx/mpeg2/mpeg2.h"

#include "engine/mfx/mpeg2/mpeg2_vlc.h"

#define SAMPLE_GREY 128
/* Zeros that no macroblock begins with: a start code is next. */
#define END_BITS 23

/* 7.4.2.2: quantiser_scale of quantiser_scale_code, if q_scale_type is 1. */
static const uint8_t nonlinear_scale[32] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  10, 12, 14, 16, 18, 20,  22,
    24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 72, 80, 88, 96, 104, 112};

static void
set_quantiser(struct mpeg2_mb *mb, unsigned code)
{
    mb->quantiser = mb->picture->nonlinear_quantiser ? nonlinear_scale[code]
                                                     : code * 2;
}

static void
reset_dc(struct mpeg2_mb *mb)
{
    for (unsigned i = 0; i < 3; i++)
        mb->dc[i] = 128 << mb->picture->dc_precision;
}

/* Writes the macroblock's samples to the surface. */
static void
store_samples(const struct mpeg2_mb *mb)
{
    const struct mpeg2_picture *p = mb->picture;
    const struct mfx_surface *s = &p->target;
    unsigned step = p->structure == MPEG2_FRAME ? 1 : 2;
    unsigned field = p->structure == MPEG2_BOTTOM;
    uint8_t *to = s->base + mfx_column_B(s, mb->column * 16);
    for (unsigned i = 0; i < 16; i++)
        memcpy(to + mfx_row_B(s, (mb->row * 16 + i) * step + field),
               mb->luma[i], sizeof mb->luma[i]);
    for (unsigned i = 0; i < 8; i++)
        memcpy(to + mfx_row_B(s, s->u_row + (mb->row * 8 + i) * step + field),
               mb->chroma[i], sizeof mb->chroma[i]);
}

/* Prediction of macroblocks that have no motion type: the whole frame, or the
 * field of the same parity. */
static void
set_plain_motion(struct mpeg2_mb *mb)
{
    bool frame = mb->picture->structure == MPEG2_FRAME;
    uint8_t own = mb->picture->structure == MPEG2_BOTTOM;
    mb->motion = frame ? MPEG2_MOTION_2 : MPEG2_MOTION_FIELD;
    mb->field_select[0][0] = mb->field_select[0][1] = own;
}

/* A copy of the forward reference, or grey in an intra picture. */
static void
conceal(struct mpeg2_mb *mb)
{
    if (mb->picture->type == MPEG2_I) {
        memset(mb->luma, SAMPLE_GREY, sizeof mb->luma);
        memset(mb->chroma, SAMPLE_GREY, sizeof mb->chroma);
    } else {
        mb->type = MPEG2_FORWARD;
        set_plain_motion(mb);
        memset(mb->vector, 0, sizeof mb->vector);
        mpeg2_predict(mb);
    }
    store_samples(mb);
}

/* In P pictures a copy; in B pictures the directions are the last macroblock's,
 * and the vectors its predictions. */
static void
skip_macroblock(struct mpeg2_mb *mb)
{
    reset_dc(mb);
    set_plain_motion(mb);
    if (mb->picture->type == MPEG2_P) {
        mb->type = MPEG2_FORWARD;
        memset(mb->predicted, 0, sizeof mb->predicted);
    }
    memcpy(mb->vector, mb->predicted, sizeof mb->vector);
    mpeg2_predict(mb);
    store_samples(mb);
}

/* macroblock_modes(). */
static bool
read_modes(struct mpeg2_mb *mb)
{
    static const struct mpeg2_vlc *const tables[] = {
        [MPEG2_I] = mpeg2_vlc_type_i,
        [MPEG2_P] = mpeg2_vlc_type_p,
        [MPEG2_B] = mpeg2_vlc_type_b,
    };
    const struct mpeg2_picture *p = mb->picture;
    bool frame = p->structure == MPEG2_FRAME;
    int type = mpeg2_vlc_get(&mb->bits, tables[p->type]);
    if (type < 0)
        return false;
    mb->type = (unsigned)type;
    bool moves = type & (MPEG2_FORWARD | MPEG2_BACKWARD);
    set_plain_motion(mb);
    if (moves && !(frame && p->frame_pred_frame_dct))
        mb->motion = mfx_bits_get(&mb->bits, 2);
    mb->field_dct = frame && !p->frame_pred_frame_dct &&
                    type & (MPEG2_INTRA | MPEG2_PATTERN) &&
                    mfx_bits_get(&mb->bits, 1);
    if (type & MPEG2_QUANT)
        set_quantiser(mb, mfx_bits_get(&mb->bits, 5));
    return mb->motion != 0;
}

/* The vectors of a macroblock, and what becomes of the predictions. */
static bool
read_motion(struct mpeg2_mb *mb)
{
    bool intra = mb->type & MPEG2_INTRA;
    bool concealment = intra && mb->picture->concealment_vectors;
    bool forward = mb->type & MPEG2_FORWARD || concealment;
    if (forward && !mpeg2_read_vectors(mb, 0))
        return false;
    if (mb->type & MPEG2_BACKWARD && !mpeg2_read_vectors(mb, 1))
        return false;
    if (concealment)
        mfx_bits_get(&mb->bits, 1);
    bool still = mb->picture->type == MPEG2_P && !forward;
    if ((intra && !concealment) || still)
        memset(mb->predicted, 0, sizeof mb->predicted);
    if (!intra && still) {
        mb->type |= MPEG2_FORWARD;
        memset(mb->vector, 0, sizeof mb->vector);
    }
    return true;
}

static bool
read_macroblock(struct mpeg2_mb *mb)
{
    if (!read_modes(mb) || !read_motion(mb))
        return false;
    unsigned pattern = 0;
    if (mb->type & MPEG2_INTRA) {
        pattern = 63;
    } else {
        reset_dc(mb);
        mpeg2_predict(mb);
    }
    if (mb->type & MPEG2_PATTERN) {
        int coded = mpeg2_vlc_get(&mb->bits, mpeg2_vlc_pattern);
        if (coded <= 0) /* 0 is for other chroma formats */
            return false;
        pattern = (unsigned)coded;
    }
    for (unsigned i = 0; i < 6; i++)
        if (pattern >> (5 - i) & 1 && !mpeg2_read_block(mb, i))
            return false;
    store_samples(mb);
    return true;
}

/* macroblock_address_increment with its escapes; 0: no such code. Guess: more
 * than a picture's worth of escapes is malformed. */
static unsigned
read_increment(struct mfx_bits *b)
{
    const unsigned limit = 1u << 16;
    for (unsigned sum = 0; sum < limit; sum += 33) {
        int v = mpeg2_vlc_get(b, mpeg2_vlc_increment);
        if (v < 0)
            return 0;
        if (v != MPEG2_INCREMENT_ESCAPE)
            return sum + (unsigned)v;
    }
    return 0;
}

/* Decodes up to the slice's end; false: malformed. *next: the column after the
 * last macroblock that was decoded. */
static bool
decode_row(struct mpeg2_mb *mb, unsigned *next, struct mfx_report *report)
{
    const struct mpeg2_picture *p = mb->picture;
    bool first = true;
    while (*next < p->width_mb) {
        if (!first && mfx_bits_peek(&mb->bits, END_BITS) == 0)
            return true;
        unsigned increment = read_increment(&mb->bits);
        if (!increment)
            return false;
        /* The first increment counts from the left edge, as the position in the
         * command does; dummy slices have it in the command alone. */
        unsigned column = first ? MAX2(*next, increment - 1)
                                : *next + increment - 1;
        if (column >= p->width_mb) {
            report->errors |= MFX_MPEG2_OUT_OF_BOUNDS;
            return false;
        }
        if (first)
            *next = column;
        else if (p->type == MPEG2_I && *next < column)
            return false;
        for (; *next < column; (*next)++) {
            mb->column = *next;
            skip_macroblock(mb);
            report->decoded++;
        }
        mb->column = column;
        if (!read_macroblock(mb))
            return false;
        *next = column + 1;
        report->decoded++;
        first = false;
    }
    return true;
}

void
mpeg2_decode_slice(const struct mpeg2_picture *picture,
                   const struct mpeg2_slice *slice, struct mfx_report *report)
{
    struct mpeg2_mb mb = {.picture = picture, .row = slice->row};
    if (slice->row >= picture->height_mb ||
        slice->column >= picture->width_mb) {
        report->errors |= MFX_MPEG2_OUT_OF_BOUNDS;
        return;
    }
    mfx_bits_init(&mb.bits, slice->stream.bytes, slice->stream.size_B);
    if (slice->first_bit)
        mfx_bits_get(&mb.bits, slice->first_bit);
    set_quantiser(&mb, slice->quantiser_code);
    reset_dc(&mb);
    unsigned next = slice->column;
    if (!decode_row(&mb, &next, report))
        report->errors |= MFX_MPEG2_MISSING_EOB;
    unsigned end = MIN2(slice->column + slice->mb_count, picture->width_mb);
    for (; next < end; next++) {
        mb.column = next;
        conceal(&mb);
        report->concealed++;
        report->errors |= MFX_MPEG2_CONCEALED | MFX_MPEG2_MISSING_MB;
    }
}
