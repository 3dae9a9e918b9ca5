/* sfc.c: SFC_STATE, and what happens to a scaled row. */
#include "engine/vebox/sfc/sfc.h"

#define TEN_BITS(v) (uint16_t)(((v)&0x3ff) << 6)

/* Output_Surface_Format_Type, from the low bits up; swapped: the other order of
 * red and blue. Observed: iHD's names of these. */
static const struct vebox_format formats[] = {
    {"AYUV", VEBOX_PACKED_444, 1, 4, 0, {2, 1, 0, 3}, 0, 1},
    {"A8B8G8R8", VEBOX_PACKED_444, 1, 4, 0, {0, 1, 2, 3}, 1, 1},
    {"A2R10G10B10", VEBOX_1010102, 1, 4, 0, {2, 1, 0, 3}, 1, 1},
    {"R5G6B5", VEBOX_565, 1, 2, 0, {0}, 1, 0},
    {"NV12", VEBOX_PLANAR, 1, 1, 1, {0}, 0, 0},
    {"YUYV", VEBOX_PACKED_422, 1, 2, 0, {0, 1, 2, 3}, 0, 0},
    {"UYVY", VEBOX_PACKED_422, 1, 2, 0, {1, 0, 3, 2}, 0, 0},
};

static bool
format_init(struct sfc *s, const uint32_t *dw)
{
    unsigned type = bits_get(dw[3], 0, 3);
    if (type >= ARRAY_SIZE(formats)) {
        unimp("SFC: output format %u", type);
        return false;
    }
    s->format = formats[type];
    if (bits_get(dw[3], 5, 5) && s->format.rgb) {
        uint8_t red = s->format.place[0];
        s->format.place[0] = s->format.place[2];
        s->format.place[2] = red;
    }
    return true;
}

/* The matrix of SFC_IEF_STATE: S2.10, offsets S8.2 of 8 bits. Observed: iHD. */
static void
matrix_init(struct vebox_matrix *m, const uint32_t *dw)
{
    m->enabled = dw[16] & 1;
    m->swap = dw[16] >> 1 & 1;
    m->shift = 10;
    m->c[0][0] = vebox_signed(dw[16] >> 3, 13);
    m->c[0][1] = vebox_signed(dw[16] >> 16, 13);
    for (unsigned i = 2; i < 9; i++)
        m->c[i / 3][i % 3] = vebox_signed(dw[16 + i / 2] >> (i % 2 * 13), 13);
    for (unsigned i = 0; i < 3; i++) {
        m->in[i] = vebox_signed(dw[21 + i], 11) * 64;
        m->out[i] = vebox_signed(dw[21 + i] >> 11, 11) * 64;
    }
}

static void
colors_init(struct sfc *s, const uint32_t *dw)
{
    s->mono = bits_get(dw[1], 4, 7) == 0;
    s->mono_uv[0] = TEN_BITS(dw[12]);
    s->mono_uv[1] = TEN_BITS(dw[12] >> 16);
    s->alpha = TEN_BITS(dw[13]);
    s->fill = bits_get(dw[4], 18, 18);
    s->fill_color[0] = TEN_BITS(dw[10] >> 16);
    s->fill_color[1] = TEN_BITS(dw[10]);
    s->fill_color[2] = TEN_BITS(dw[11] >> 16);
    s->fill_color[3] = TEN_BITS(dw[11]);
}

/* Chroma of pairs: at a site between them, in eighths, if the SFC is told to
 * downsample; else the average, which keeps what was 4:2:0. */
static void
downsample_init(struct sfc *s, const uint32_t *dw)
{
    s->downsample = (struct vebox_downsample){4, 4};
    unsigned how = bits_get(dw[3], 6, 9);
    if (!how || s->rotation)
        return;
    /* 3 is 4:2:2 to 4:2:0. Observed: iHD, from the deinterlacer. */
    if (how != 3)
        s->downsample.x = (uint8_t)MIN2(bits_get(dw[3], 12, 14), 4);
    s->downsample.y = (uint8_t)MIN2(bits_get(dw[3], 8, 10), 4);
}

/* The output frame, with the region in it: the frame that the state names may
 * be larger than its memory. Observed: iHD names an aligned height. */
static bool
surface_init(struct sfc *s, const uint32_t *dw)
{
    uint32_t wide = s->rotation & 1 ? s->y.size : s->x.size;
    uint32_t high = s->rotation & 1 ? s->x.size : s->y.size;
    uint32_t align = s->format.layout == VEBOX_PLANAR ||
                             s->format.layout == VEBOX_PACKED_422
                         ? ~1u
                         : ~0u;
    s->out_x = bits_get(dw[9], 0, 12) & align;
    s->out_y = bits_get(dw[9], 16, 28) & align;
    struct vebox_surface_state state = {
        .format = &s->format,
        .width = s->out_x + wide,
        .height = s->out_y + high,
        .dw = {dw[29], dw[30], dw[31], 0},
    };
    if (s->fill) {
        uint32_t pitch_px = (bits_get(dw[29], 3, 19) + 1) / s->format.pixel_B;
        uint32_t rows = bits_get(dw[30], 0, 13);
        uint32_t width = bits_get(dw[7], 0, 11) + 1;
        uint32_t height = bits_get(dw[7], 16, 27) + 1;
        if (s->format.layout == VEBOX_PLANAR && rows)
            height = MIN2(height, rows);
        state.width = MAX2(state.width, MIN2(width, pitch_px & ~1u));
        state.height = MAX2(state.height, height);
    }
    gpu_va va = ((uint64_t)(dw[18] & 0xffff) << 32 | dw[17]) & ~UINT64_C(0xfff);
    if (bits_get(dw[19], 13, 14))
        unimp("SFC: surfaces in TileYf or TileYs");
    return vebox_surface_init(&s->out, &state, s->frame->ctx->vm, va);
}

bool
sfc_init(struct sfc *s, const struct vebox_frame *f,
         const struct vebox_state *v)
{
    const uint32_t *dw = v->sfc;
    s->frame = f;
    s->rotation = bits_get(dw[4], 16, 17);
    sfc_axis_init(s, v);
    colors_init(s, dw);
    downsample_init(s, dw);
    /* Fields from dword 2 on are where SAMPLER_STATE_8x8_AVS has them. */
    ief_init(&s->ief, v->ief[1], v->ief);
    s->enhances = bits_get(dw[4], 0, 0);
    s->ief.skin_tuned = bits_get(dw[4], 1, 1);
    s->ief.smooth = bits_get(dw[4], 2, 2);
    matrix_init(&s->matrix, v->ief);
    s->matrix.enabled &= bits_get(dw[4], 19, 19);
    return format_init(s, dw) && surface_init(s, dw);
}

/* ------------------------------------------------------------------------- */

static void
fill_channel(uint16_t *to, uint32_t width, uint16_t value)
{
    for (uint32_t x = 0; x < width; x++)
        to[x] = value;
}

/* Luma by that of the rows around. */
static void
enhance_row(struct sfc_worker *w, uint32_t y, struct vebox_line *to)
{
    const uint16_t *rows[5];
    for (int j = 0; j < 5; j++)
        rows[j] = sfc_scaled_row(w, (int64_t)y + j - 2)->ch[0] - 2;
    ief_row(&w->sfc->ief, rows, to->ch[1], to->ch[2], to->ch[0],
            w->sfc->x.size);
}

void
sfc_final_row(struct sfc_worker *w, uint32_t y, struct vebox_line *to)
{
    const struct sfc *s = w->sfc;
    const struct vebox_line *from = sfc_scaled_row(w, y);
    uint32_t width = s->x.size;
    for (unsigned c = 0; c < 3; c++)
        memcpy(to->ch[c], from->ch[c], width * sizeof(uint16_t));
    for (unsigned i = 0; s->mono && i < 2; i++)
        fill_channel(to->ch[1 + i], width, s->mono_uv[i]);
    if (s->enhances)
        enhance_row(w, y, to);
    if (s->matrix.enabled)
        vebox_matrix_row(&s->matrix, to, width);
    fill_channel(to->ch[3], width, s->alpha);
}
