/* vebox_gamut.c: gamut expansion and the forward gamma table. KBL PRM vol 2d,
 * VEBOX_GAMUT_STATE, VEBOX_FORWARD_GAMMA_CORRECTION_STATE. Guess: expansion is
 * inverse gamma, matrix, gamma for every pixel; the gains of its advanced mode
 * and compression, whose vertex table has no published meaning, are missing. */
#include "engine/vebox/frame/vebox_iecp.h"

/* Points 1 to 11, biases 1 to 11, slopes 0 to 11 (U4.8), from dword 0 on. */
static void
gamut_pwl(struct vebox_pwl *p, const uint32_t *dw)
{
    const uint8_t *points = (const uint8_t *)dw;
    const uint8_t *biases = (const uint8_t *)(dw + 3);
    p->count = VEBOX_PWL;
    for (unsigned i = 0; i < VEBOX_PWL; i++) {
        p->point[i] = i ? points[i - 1] << 8 : 0;
        p->bias[i] = i ? biases[i - 1] << 8 : 0;
        p->slope[i] = (int32_t)(dw[6 + i / 2] >> (i % 2 * 16) & 0xfff) * 4;
    }
}

void
vebox_gamut_init(struct vebox_gamut *g, const uint32_t *dw, uint32_t flags)
{
    g->expand = flags & 1;
    g->compress = flags >> 1 & 1;
    if (g->compress)
        unimp("VEBOX: color gamut compression");
    gamut_pwl(&g->back, dw + 8);
    gamut_pwl(&g->linear, dw + 20);
    struct vebox_matrix *m = &g->matrix;
    m->shift = 12;
    for (unsigned i = 0; i < 9; i++)
        m->c[i / 3][i % 3] = vebox_signed(dw[3 + i / 2] >> (i % 2 * 16), 15);
    /* In S14; out S2.12 of full scale, in the order B, R, G. */
    m->in[0] = vebox_signed(dw[32], 15);
    m->in[1] = vebox_signed(dw[32] >> 16, 15);
    m->in[2] = vebox_signed(dw[33], 15);
    m->out[0] = vebox_signed(dw[34], 15) * 16;
    m->out[1] = vebox_signed(dw[34] >> 16, 15) * 16;
    m->out[2] = vebox_signed(dw[33] >> 16, 15) * 16;
}

static void
curve_row(const struct vebox_pwl *p, struct vebox_line *line, uint32_t width)
{
    for (unsigned c = 0; c < 3; c++)
        for (uint32_t x = 0; x < width; x++)
            line->ch[c][x] = vebox_clamp16(vebox_pwl_value(p, line->ch[c][x]));
}

void
vebox_gamut_row(const struct vebox_gamut *g, struct vebox_line *line,
                uint32_t width)
{
    if (!g->expand)
        return;
    curve_row(&g->linear, line, width);
    vebox_matrix_row(&g->matrix, line, width);
    curve_row(&g->back, line, width);
}

/* ---- forward gamma ------------------------------------------------------- */

void
vebox_gamma_init(struct vebox_iecp *i, const uint32_t *dw)
{
    i->gamma = true;
    for (unsigned n = 0; n < VEBOX_GAMMA; n++) {
        i->gamma_at[n] = (uint16_t)dw[n * 2];
        i->gamma_to[0][n] = (uint16_t)(dw[n * 2] >> 16);
        i->gamma_to[1][n] = (uint16_t)dw[n * 2 + 1];
        i->gamma_to[2][n] = (uint16_t)(dw[n * 2 + 1] >> 16);
    }
}

/* The last entry at or below v: entries ascend, and those at the end are 0 if
 * the table is shorter. */
static unsigned
gamma_entry(const struct vebox_iecp *i, uint16_t v)
{
    unsigned n = 0;
    while (n + 1 < VEBOX_GAMMA && i->gamma_at[n + 1] > i->gamma_at[n] &&
           i->gamma_at[n + 1] <= v)
        n++;
    return n;
}

/* Guess: linear between entries. */
void
vebox_gamma_row(const struct vebox_iecp *i, struct vebox_line *line,
                uint32_t width)
{
    for (unsigned c = 0; c < 3; c++) {
        for (uint32_t x = 0; x < width; x++) {
            uint16_t v = line->ch[c][x];
            unsigned n = gamma_entry(i, v);
            int64_t to = i->gamma_to[c][n];
            if (n + 1 < VEBOX_GAMMA && i->gamma_at[n + 1] > i->gamma_at[n]) {
                int64_t span = i->gamma_at[n + 1] - i->gamma_at[n];
                int64_t rise = (int64_t)i->gamma_to[c][n + 1] - to;
                to += rise * (v - i->gamma_at[n]) / span;
            }
            line->ch[c][x] = vebox_clamp16(to);
        }
    }
}
