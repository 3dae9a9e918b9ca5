/* vebox_iecp.h: Image Enhancement Color Processing of one row: steps that look
 * at one pixel at a time. In the order of VEBOX_IECP_STATE where the manual has
 * none: front-end CSC, colour correction matrix, gamma, skin tones, ACE, TCC,
 * gamut, ProcAmp, CSC, alpha (Guess). */
#ifndef ENGINE_VEBOX_IECP_H
#define ENGINE_VEBOX_IECP_H

#include "base/fields.h"
#include "engine/enhance/enhance.h"
#include "engine/vebox/frame/vebox_surface.h"

/* (v + in) * c, a fixed point number of `shift` bits, + out. */
struct vebox_matrix {
    bool enabled, swap; /* swap: channel 0 and 2 of the result */
    unsigned shift;
    int32_t c[3][3], in[3], out[3];
};

struct vebox_procamp {
    bool enabled;
    int32_t brightness;     /* of 16 bits */
    int32_t contrast;       /* 128: 1 */
    int32_t cos_cs, sin_cs; /* 256: 1 */
};

/* Piecewise linear: from point i on bias + slope * (v - point). */
#define VEBOX_PWL 12
struct vebox_pwl {
    unsigned count;
    int32_t point[VEBOX_PWL], bias[VEBOX_PWL]; /* of 16 bits */
    int32_t slope[VEBOX_PWL];                  /* 1024: 1 */
};

struct vebox_ace {
    bool enabled;
    struct vebox_pwl pwl;
    uint16_t min, max;
};

#define TCC_COLORS 6
struct vebox_tcc {
    bool enabled;
    int32_t factor[TCC_COLORS]; /* 128: 1 */
    int32_t color[TCC_COLORS];  /* hue, 1024 a turn */
    int32_t uv_threshold;       /* of 8 bits: gray below */
    int32_t uv_max;
};

/* Skin tones: STD finds them, STE changes them. */
struct vebox_ste {
    bool find, change, show;
    struct skin_tone skin;
    struct vebox_pwl sat, hue;
};

#define VEBOX_GAMMA 256
struct vebox_gamut {
    bool expand, compress;
    struct vebox_pwl linear, back;
    struct vebox_matrix matrix;
};

struct vebox_iecp {
    bool enabled;
    struct vebox_matrix front, correction, back;
    struct vebox_ste ste;
    struct vebox_ace ace;
    struct vebox_tcc tcc;
    struct vebox_gamut gamut;
    struct vebox_procamp procamp;
    bool alpha_fixed;
    uint16_t alpha;
    bool gamma;
    uint16_t gamma_at[VEBOX_GAMMA], gamma_to[3][VEBOX_GAMMA];
};

/* dw: VEBOX_IECP_STATE. */
void vebox_iecp_init(struct vebox_iecp *i, const uint32_t *dw);
void vebox_iecp_row(const struct vebox_iecp *i, struct vebox_line *line,
                    uint32_t width);
/* The steps before ACE alone. */
void vebox_iecp_row_to_ace(const struct vebox_iecp *i, struct vebox_line *line,
                           uint32_t width);

/* Steps of it. */
void vebox_matrix_row(const struct vebox_matrix *m, struct vebox_line *line,
                      uint32_t width);
int32_t vebox_pwl_value(const struct vebox_pwl *p, int32_t v);
void vebox_ace_init(struct vebox_ace *a, const uint32_t *dw);
void vebox_ace_row(const struct vebox_ace *a, struct vebox_line *line,
                   uint32_t width);
void vebox_tcc_init(struct vebox_tcc *t, const uint32_t *dw);
void vebox_tcc_row(const struct vebox_tcc *t, struct vebox_line *line,
                   uint32_t width);
void vebox_ste_init(struct vebox_ste *s, const uint32_t *dw);
void vebox_ste_row(const struct vebox_ste *s, struct vebox_line *line,
                   uint32_t width);
/* dw: VEBOX_GAMUT_STATE; flags: dword 1 of VEBOX_STATE. */
void vebox_gamut_init(struct vebox_gamut *g, const uint32_t *dw,
                      uint32_t flags);
void vebox_gamut_row(const struct vebox_gamut *g, struct vebox_line *line,
                     uint32_t width);
/* dw: VEBOX_FORWARD_GAMMA_CORRECTION_STATE. */
void vebox_gamma_init(struct vebox_iecp *i, const uint32_t *dw);
void vebox_gamma_row(const struct vebox_iecp *i, struct vebox_line *line,
                     uint32_t width);

static inline int32_t
vebox_signed(uint32_t value, unsigned bits)
{
    return (int32_t)fields_sext(value, bits);
}

static inline uint16_t
vebox_clamp16(int64_t v)
{
    return (uint16_t)CLAMP(v, 0, 0xffff);
}

#endif
