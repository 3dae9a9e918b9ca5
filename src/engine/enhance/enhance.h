/* enhance.h: image enhancement that the media sampler (AVS of sample_8x8), the
 * SFC and the VEBOX share: the adaptive filter's choice between sharp and
 * smooth, the image enhancement filter (IEF) and skin tone detection (STD).
 * Pure functions of samples of 16 bits, called on any worker.
 *
 * Fields: KBL PRM vol 2d, SAMPLER_STATE_8x8_AVS and VEBOX_STD_STE_STATE; media
 * layouts of SFC_AVS_STATE and SFC_IEF_STATE. The arithmetic between them is
 * not published: see each file's Guess. */
#ifndef ENGINE_ENHANCE_ENHANCE_H
#define ENGINE_ENHANCE_ENHANCE_H

#include <stdbool.h>
#include <stdint.h>

/* ---- adaptive.c ---------------------------------------------------------- */

#define ADAPTIVE_TAPS 8
/* All of the sharp filter. */
#define ADAPTIVE_SHARP 255

struct adaptive {
    bool x, y; /* directions that adapt; others have the default sharpness */
    bool all_channels; /* or only Y or G */
    uint8_t level;     /* default sharpness, of ADAPTIVE_SHARP */
    uint8_t max_derivative_4, max_derivative_8; /* of 8 bits */
    uint8_t transition_4, transition_8;
};

/* The share of the sharp filter, of ADAPTIVE_SHARP, by the samples under its
 * taps. */
unsigned adaptive_sharpness(const struct adaptive *a,
                            const uint16_t tap[ADAPTIVE_TAPS]);

static inline int64_t
adaptive_blend(int64_t sharp, int64_t smooth, unsigned sharpness)
{
    return smooth + (sharp - smooth) * (int64_t)sharpness / ADAPTIVE_SHARP;
}

/* ---- skin_tone.c --------------------------------------------------------- */

/* A limit of V by Y: from point i on bias + slope * (Y - point). */
struct skin_limit {
    int32_t point[4], bias[4];
    int32_t slope[4];    /* 256: 1 */
    uint32_t inv_margin; /* 65536: 1 */
};

/* All in 8 bits. */
struct skin_tone {
    int32_t u_mid, v_mid, sat_max, hue_max, margin;
    int32_t cos_a, sin_a; /* 128: 1 */
    int32_t diamond_du, diamond_dv, diamond_th, diamond_alpha, diamond_margin;
    bool by_luma;                   /* the VY subspace, too */
    int32_t y_point[4], y_slope[2]; /* slopes: 8: 1 */
    struct skin_limit lower, upper;
};

/* The limits of V by Y. dw: dwords of VEBOX_STD_STE_STATE, of which 5 to 13 are
 * read; dwords 2 and later of SAMPLER_STATE_8x8_AVS have the same places.
 * last_slope: of the upper limit, whose place differs, in the low 11 bits. */
void skin_limits_init(struct skin_tone *s, const uint32_t *dw,
                      uint32_t last_slope);

/* Saturation and hue of (u, v): the distance from the middle of skin tones,
 * turned. */
struct skin_place {
    double sat, hue;
};
struct skin_place skin_place(const struct skin_tone *s, uint16_t u, uint16_t v);
/* How likely a pixel is skin, from 0 to 1. */
double skin_score(const struct skin_tone *s, uint16_t y, uint16_t v,
                  struct skin_place at);

/* ---- ief.c --------------------------------------------------------------- */

#define IEF_DW 16

struct ief {
    bool smooth;           /* or sharpens */
    unsigned gain;         /* of 64 */
    unsigned weak, strong; /* thresholds of 8 bits */
    unsigned weight[3];    /* of 8: no edge, regular, strong edge */
    int coefficient[5][5]; /* of 32, of the neighbours */
    bool skin_tuned, hides_skin;
    struct skin_tone skin;
};

/* dw: dwords of SAMPLER_STATE_8x8_AVS; SFC_IEF_STATE has the same from dword 2
 * on. first: dword 0, or 1 of SFC_IEF_STATE. */
void ief_init(struct ief *f, uint32_t first, const uint32_t dw[IEF_DW]);

/* Luma of a row after the filter. rows: luma of five rows, which begin two
 * pixels before the first one and end two after the last. u, v: chroma of the
 * row itself. */
void ief_row(const struct ief *f, const uint16_t *const rows[5],
             const uint16_t *u, const uint16_t *v, uint16_t *to,
             uint32_t width);

#endif
