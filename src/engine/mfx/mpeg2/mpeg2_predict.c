/* mpeg2_predict.c: motion compensation. H.262 7.6.4 to 7.6.8. */
#include "engine/mfx/mpeg2/mpeg2.h"

#include "engine/mfx/mfx_fetch.h"

/* A block of samples that is predicted by one vector. */
struct part {
    unsigned direction;
    int source;    /* field of the reference, -1: its whole frame */
    unsigned half; /* of the macroblock, of its 16x8 */
    unsigned first_line, line_step; /* of the macroblock, or of the half */
    unsigned lines;                 /* of luma */
    int row;                        /* of the first line in the reference */
    const int *vector;              /* in half samples */
    bool average;                   /* with what is there already */
};

typedef uint8_t samples8 __attribute__((vector_size(8)));
typedef uint16_t sums8 __attribute__((vector_size(16)));

static inline sums8
widen_samples(const uint8_t *p)
{
    samples8 v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, sums8);
}

/* Bytes of a line between samples: at is the left one, below is 0 or leads to
 * the next line. */
static inline void
interpolate_8(uint8_t *to, const uint8_t *at, unsigned right, unsigned below,
              bool average)
{
    sums8 v = widen_samples(at);
    if (right && below)
        v = (v + widen_samples(at + right) + widen_samples(at + below) +
             widen_samples(at + right + below) + 2) >>
            2;
    else if (right || below)
        v = (v + widen_samples(at + right + below) + 1) >> 1;
    if (average)
        v = (widen_samples(to) + v + 1) >> 1;
    samples8 out = __builtin_convertvector(v, samples8);
    memcpy(to, &out, sizeof out);
}

static void
interpolate(uint8_t *to, const uint8_t *at, unsigned right, unsigned below,
            bool average)
{
    interpolate_8(to, at, right, below, average);
    interpolate_8(to + 8, at + 8, right, below, average);
}

/* A plane of the part: 16 bytes wide, as of luma or of Cb and Cr. */
static void
predict_plane(struct mpeg2_mb *mb, const struct part *part, bool chroma)
{
    const struct mpeg2_picture *p = mb->picture;
    unsigned field = part->source < 0 ? 0 : (unsigned)part->source;
    const struct mfx_surface *ref = &p->ref[part->direction + 2 * field];
    bool whole = part->source < 0;
    /* In a frame picture a field has half of the lines. */
    unsigned halves = !whole && p->structure == MPEG2_FRAME;
    unsigned lines = p->height_mb * 16 >> halves >> chroma;
    struct mfx_view view = {
        .surface = ref,
        .first_row = (chroma ? ref->u_row : 0) + field,
        .row_step = whole ? 1 : 2,
        .width_B = p->width_mb * 16,
        .lines = lines,
        .unit_B = chroma ? 2 : 1,
    };
    int dx = part->vector[0], dy = part->vector[1];
    if (chroma) {
        dx /= 2;
        dy /= 2;
    }
    unsigned right = dx & 1 ? view.unit_B : 0, count = part->lines >> chroma;
    int x_B = (int)(mb->column * 16) + (dx >> 1) * (int)view.unit_B;
    int y = (part->row >> chroma) + (dy >> 1);
    struct mfx_window window;
    mfx_fetch(&view, x_B, y, 16 + right, count + (dy & 1), &window);
    unsigned below = dy & 1 ? (unsigned)sizeof window.bytes[0] : 0;
    uint8_t(*to)[16] = chroma ? mb->chroma : mb->luma;
    to += part->half * count;
    for (unsigned i = 0; i < count; i++)
        interpolate(to[part->first_line + i * part->line_step],
                    window.bytes[i] + window.offset, right, below,
                    part->average);
}

static void
predict_part(struct mpeg2_mb *mb, const struct part *part)
{
    predict_plane(mb, part, false);
    predict_plane(mb, part, true);
}

/* Dual prime: the mean with the field of the other parity, by its derived
 * vector. */
static void
add_dual(struct mpeg2_mb *mb, struct part part, unsigned parity)
{
    part.source = !parity;
    part.vector = mb->dual[parity];
    part.average = true;
    predict_part(mb, &part);
}

/* A frame picture's macroblock from a field each for its two fields. */
static void
predict_fields(struct mpeg2_mb *mb, unsigned direction, bool average)
{
    bool dual = mb->motion == MPEG2_MOTION_DUAL;
    for (unsigned parity = 0; parity < 2; parity++) {
        struct part part = {
            .direction = direction,
            .source = dual ? (int)parity : mb->field_select[parity][direction],
            .first_line = parity,
            .line_step = 2,
            .lines = 8,
            .row = (int)mb->row * 8,
            .vector = mb->vector[dual ? 0 : parity][direction],
            .average = average,
        };
        predict_part(mb, &part);
        if (dual)
            add_dual(mb, part, parity);
    }
}

/* A field picture's macroblock: whole, in halves, or dual prime. */
static void
predict_field(struct mpeg2_mb *mb, unsigned direction, bool average)
{
    unsigned own = mb->picture->structure == MPEG2_BOTTOM;
    bool dual = mb->motion == MPEG2_MOTION_DUAL;
    bool two = mb->motion == MPEG2_MOTION_2;
    for (unsigned half = 0; half <= two; half++) {
        struct part part = {
            .direction = direction,
            .source = dual ? (int)own : mb->field_select[half][direction],
            .half = half,
            .line_step = 1,
            .lines = two ? 8 : 16,
            .row = (int)(mb->row * 16 + half * 8),
            .vector = mb->vector[half][direction],
            .average = average,
        };
        predict_part(mb, &part);
        if (dual)
            add_dual(mb, part, own);
    }
}

static void
predict_frame(struct mpeg2_mb *mb, unsigned direction, bool average)
{
    struct part part = {
        .direction = direction,
        .source = -1,
        .line_step = 1,
        .lines = 16,
        .row = (int)mb->row * 16,
        .vector = mb->vector[0][direction],
        .average = average,
    };
    predict_part(mb, &part);
}

void
mpeg2_predict(struct mpeg2_mb *mb)
{
    bool average = false;
    for (unsigned direction = 0; direction < 2; direction++) {
        if (!(mb->type & (MPEG2_FORWARD << direction)))
            continue;
        if (mb->picture->structure != MPEG2_FRAME)
            predict_field(mb, direction, average);
        else if (mb->motion == MPEG2_MOTION_2)
            predict_frame(mb, direction, average);
        else
            predict_fields(mb, direction, average);
        average = true;
    }
}
