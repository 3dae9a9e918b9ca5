/* vebox_iecp.c: VEBOX_IECP_STATE's matrices and ProcAmp, and the order of the
 * steps. Guess: results are rounded to the nearest 16 bits after each step. */
#include "engine/vebox/frame/vebox_iecp.h"

/* First dwords of the parts of VEBOX_IECP_STATE. */
#define IECP_STE 0
#define IECP_ACE 29
#define IECP_TCC 42
#define IECP_PROCAMP 53
#define IECP_CSC 55
#define IECP_ALPHA 67
#define IECP_CCM 70
#define IECP_FRONT_CSC 79

/* VEBOX_CSC_STATE and VEBOX_FRONT_END_CSC_STATE: S2.16; offsets are "multiplied
 * by 2 before being added". */
static void
csc_init(struct vebox_matrix *m, const uint32_t *dw)
{
    m->enabled = dw[0] >> 31;
    m->shift = 16;
    for (unsigned i = 0; i < 9; i++)
        m->c[i / 3][i % 3] = vebox_signed(dw[i], 19);
    for (unsigned i = 0; i < 3; i++) {
        m->in[i] = vebox_signed(dw[9 + i], 16) * 2;
        m->out[i] = vebox_signed(dw[9 + i] >> 16, 16) * 2;
    }
}

/* VEBOX_CCM_STATE: S4.12, the coefficients of a pair are swapped. */
static void
ccm_init(struct vebox_matrix *m, const uint32_t *dw)
{
    static const uint8_t at[9] = {1, 0, 3, 2, 5, 4, 7, 6, 8};
    m->enabled = dw[0] >> 31;
    m->shift = 12;
    for (unsigned i = 0; i < 9; i++)
        m->c[i / 3][i % 3] = vebox_signed(dw[at[i]], 17);
}

void
vebox_matrix_row(const struct vebox_matrix *m, struct vebox_line *line,
                 uint32_t width)
{
    int64_t half = INT64_C(1) << (m->shift - 1);
    for (uint32_t x = 0; x < width; x++) {
        int64_t v[3];
        for (unsigned i = 0; i < 3; i++)
            v[i] = line->ch[i][x] + m->in[i];
        for (unsigned i = 0; i < 3; i++) {
            int64_t sum = m->c[i][0] * v[0] + m->c[i][1] * v[1] +
                          m->c[i][2] * v[2];
            unsigned to = m->swap ? 2 - i : i;
            line->ch[to][x] = vebox_clamp16(((sum + half) >> m->shift) +
                                            m->out[i]);
        }
    }
}

/* ---- ProcAmp ------------------------------------------------------------- */

static void
procamp_init(struct vebox_procamp *p, const uint32_t *dw)
{
    p->enabled = dw[0] & 1;
    p->brightness = vebox_signed(dw[0] >> 1, 12) * 16; /* S7.4 of 8 bits */
    p->contrast = (int32_t)bits_get(dw[0], 17, 27);
    p->sin_cs = vebox_signed(dw[1], 16);
    p->cos_cs = vebox_signed(dw[1] >> 16, 16);
}

/* Luma around black, 16; the vector (U, V) turned and scaled. */
static void
procamp_row(const struct vebox_procamp *p, struct vebox_line *line,
            uint32_t width)
{
    for (uint32_t x = 0; x < width; x++) {
        int64_t y = (line->ch[0][x] - (16 << 8)) * (int64_t)p->contrast;
        int64_t u = line->ch[1][x] - 0x8000, v = line->ch[2][x] - 0x8000;
        int64_t u2 = u * p->cos_cs + v * p->sin_cs;
        int64_t v2 = v * p->cos_cs - u * p->sin_cs;
        line->ch[0][x] = vebox_clamp16(((y + 64) >> 7) + (16 << 8) +
                                       p->brightness);
        line->ch[1][x] = vebox_clamp16(((u2 + 128) >> 8) + 0x8000);
        line->ch[2][x] = vebox_clamp16(((v2 + 128) >> 8) + 0x8000);
    }
}

/* ------------------------------------------------------------------------- */

void
vebox_iecp_init(struct vebox_iecp *i, const uint32_t *dw)
{
    i->enabled = true;
    vebox_ste_init(&i->ste, dw + IECP_STE);
    vebox_ace_init(&i->ace, dw + IECP_ACE);
    vebox_tcc_init(&i->tcc, dw + IECP_TCC);
    procamp_init(&i->procamp, dw + IECP_PROCAMP);
    csc_init(&i->back, dw + IECP_CSC);
    i->back.swap = bits_get(dw[IECP_CSC], 30, 30);
    i->alpha_fixed = bits_get(dw[IECP_ALPHA], 16, 16);
    i->alpha = (uint16_t)dw[IECP_ALPHA];
    ccm_init(&i->correction, dw + IECP_CCM);
    csc_init(&i->front, dw + IECP_FRONT_CSC);
}

static void
swap_row(struct vebox_line *line, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++) {
        uint16_t first = line->ch[0][x];
        line->ch[0][x] = line->ch[2][x];
        line->ch[2][x] = first;
    }
}

void
vebox_iecp_row_to_ace(const struct vebox_iecp *i, struct vebox_line *line,
                      uint32_t width)
{
    if (i->correction.enabled)
        vebox_matrix_row(&i->correction, line, width);
    if (i->gamma)
        vebox_gamma_row(i, line, width);
    if (i->front.enabled)
        vebox_matrix_row(&i->front, line, width);
    if (i->ste.find)
        vebox_ste_row(&i->ste, line, width);
}

void
vebox_iecp_row(const struct vebox_iecp *i, struct vebox_line *line,
               uint32_t width)
{
    if (!i->enabled)
        return;
    vebox_iecp_row_to_ace(i, line, width);
    if (i->ace.enabled)
        vebox_ace_row(&i->ace, line, width);
    if (i->tcc.enabled)
        vebox_tcc_row(&i->tcc, line, width);
    if (i->procamp.enabled)
        procamp_row(&i->procamp, line, width);
    if (i->gamut.expand || i->gamut.compress)
        vebox_gamut_row(&i->gamut, line, width);
    if (i->back.enabled)
        vebox_matrix_row(&i->back, line, width);
    else if (i->back.swap)
        swap_row(line, width);
    for (uint32_t x = 0; i->alpha_fixed && x < width; x++)
        line->ch[3][x] = i->alpha;
}
