/* mpeg2_motion.c: motion vectors. H.262 6.3.17.3 and 7.6.3. */
#include "engine/mfx/mpeg2/mpeg2.h"

#include "engine/mfx/mpeg2/mpeg2_vlc.h"

/* Reads a component and adds it to its prediction. In frame pictures the
 * predictions of vectors between fields are kept in lines of the frame. */
static bool
read_component(struct mpeg2_mb *mb, unsigned r, unsigned direction, unsigned t,
               bool halves)
{
    int code = mpeg2_vlc_get(&mb->bits, mpeg2_vlc_motion);
    if (code < 0)
        return false;
    unsigned f_code = mb->picture->f_code[direction][t];
    unsigned bits = f_code ? MIN2(f_code - 1, 8u) : 0;
    int delta = code;
    if (code) {
        bool negative = mfx_bits_get(&mb->bits, 1);
        if (bits)
            delta = ((code - 1) << bits) + (int)mfx_bits_get(&mb->bits, bits) +
                    1;
        delta = negative ? -delta : delta;
    }
    int *predicted = &mb->predicted[r][direction][t];
    int range = 32 << bits;
    int v = (halves ? *predicted >> 1 : *predicted) + delta;
    if (v < -range / 2)
        v += range;
    else if (v >= range / 2)
        v -= range;
    mb->vector[r][direction][t] = v;
    *predicted = halves ? v * 2 : v;
    return true;
}

static int
read_differential(struct mfx_bits *b)
{
    if (!mfx_bits_get(b, 1))
        return 0;
    return mfx_bits_get(b, 1) ? -1 : 1;
}

static bool
read_vector(struct mpeg2_mb *mb, unsigned r, unsigned direction, bool halves)
{
    bool dual = mb->motion == MPEG2_MOTION_DUAL;
    for (unsigned t = 0; t < 2; t++) {
        if (!read_component(mb, r, direction, t, t && halves))
            return false;
        if (dual)
            mb->differential[t] = read_differential(&mb->bits);
    }
    return true;
}

/* Half of v * distance, away from 0. */
static int
scale_vector(int v, int distance)
{
    return (v * distance + (v > 0)) >> 1;
}

/* The vectors to fields of the other parity: 7.6.3.6. A line of the top field
 * is half a line above the bottom field's. */
static void
derive_dual(struct mpeg2_mb *mb)
{
    const struct mpeg2_picture *p = mb->picture;
    const int *v = mb->vector[0][0];
    for (unsigned parity = 0; parity < 2; parity++) {
        /* Distance in fields from the other parity's field to this one. */
        int distance = 1;
        if (p->structure == MPEG2_FRAME)
            distance = (parity == 0) == p->top_field_first ? 1 : 3;
        int shift = parity == 0 ? -1 : 1;
        mb->dual[parity][0] = scale_vector(v[0], distance) +
                              mb->differential[0];
        mb->dual[parity][1] = scale_vector(v[1], distance) +
                              mb->differential[1] + shift;
    }
}

bool
mpeg2_read_vectors(struct mpeg2_mb *mb, unsigned direction)
{
    bool frame = mb->picture->structure == MPEG2_FRAME;
    bool whole = frame && mb->motion == MPEG2_MOTION_2;
    bool dual = mb->motion == MPEG2_MOTION_DUAL;
    bool two = frame ? mb->motion == MPEG2_MOTION_FIELD
                     : mb->motion == MPEG2_MOTION_2;
    for (unsigned r = 0; r <= two; r++) {
        if (!whole && !dual)
            mb->field_select[r][direction] = (uint8_t)mfx_bits_get(&mb->bits,
                                                                   1);
        if (!read_vector(mb, r, direction, frame && !whole))
            return false;
    }
    if (!two)
        memcpy(mb->predicted[1][direction], mb->predicted[0][direction],
               sizeof mb->predicted[0][direction]);
    if (dual)
        derive_dual(mb);
    return true;
}
