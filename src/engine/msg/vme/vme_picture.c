/* vme_picture.c: pictures of VME: pixels with the border that goes on, and
 * prediction at quarter pixels. */
#include "engine/msg/vme/vme.h"

#define FETCH_MAX_PX 64u

/* Every second row, as pictures of their own. */
static void
take_field(struct vme_picture *p, unsigned bottom)
{
    p->s.first_row = (uint8_t)(p->s.first_row + bottom * p->s.row_step);
    p->s.row_step = (uint8_t)(p->s.row_step * 2);
    for (unsigned i = 0; i < 4; i++) {
        struct media_channel *c = &p->s.channel[i];
        c->height = MAX2((c->height + 1 - (int)bottom) / 2, 1);
    }
}

bool
vme_picture_find(const struct vme_call *v, unsigned bti, enum vme_field field,
                 struct vme_picture *p)
{
    if (!media_surface_find(v->env->stage, bti & 0xff, &p->s))
        return false;
    p->luma = p->s.channel[1].exists ? 1 : 0;
    if (!p->s.channel[p->luma].exists || p->s.channel[p->luma].bits != 8) {
        unimp("VME with a picture without luma of 8 bits");
        return false;
    }
    if (field != VME_FRAME)
        take_field(p, field == VME_BOTTOM);
    return true;
}

/* SrcAccess, SrcFieldPolarity. */
bool
vme_source_find(const struct vme_call *v, struct vme_picture *p)
{
    bool field = bits_get(v->in[0][3], 6, 6);
    bool bottom = bits_get(v->in[1][7], 19, 19);
    return vme_picture_find(v, v->bti,
                            !field   ? VME_FRAME
                            : bottom ? VME_BOTTOM
                                     : VME_TOP,
                            p);
}

/* References lie after the source in pairs, forward first; M1.6 has the pair of
 * each quarter. RefAccess, RefIdPolarity. */
bool
vme_reference_find(const struct vme_call *v, enum vme_direction d,
                   unsigned quarter, struct vme_picture *p)
{
    unsigned backward = d == VME_BACKWARD;
    unsigned pair = v->in[1][6] >> (quarter * 8 + backward * 4) & 15;
    bool field = bits_get(v->in[0][3], 7, 7);
    bool bottom = vme_byte(v, 1, 5) >> (backward * 4 + quarter) & 1;
    return vme_picture_find(v, v->bti + 1 + pair * 2 + backward,
                            !field   ? VME_FRAME
                            : bottom ? VME_BOTTOM
                                     : VME_TOP,
                            p);
}

void
vme_fetch(const struct vme_picture *p, unsigned channel, int x, int y,
          unsigned width, unsigned height, uint8_t *out)
{
    const struct media_channel *c = &p->s.channel[channel];
    uint64_t x_B[FETCH_MAX_PX];
    width = MIN2(width, FETCH_MAX_PX);
    for (unsigned i = 0; i < width; i++)
        x_B[i] = media_surface_x_B(&p->s, c, x + (int)i);
    for (unsigned j = 0; j < height; j++) {
        uint64_t y_B = media_surface_y_B(&p->s, c, y + (int)j);
        for (unsigned i = 0; i < width; i++)
            out[j * width + i] = (uint8_t)(media_surface_read(&p->s, c,
                                                              x_B[i] + y_B) >>
                                           8);
    }
}

/* ---- fractions ----------------------------------------------------------- */

/* Guess: the extension names a filter of four taps and a bilinear one, and no
 * weights. These sum to 16. */
static const int8_t four_taps[4][4] = {
    {0, 16, 0, 0}, {-1, 13, 5, -1}, {-2, 10, 10, -2}, {-1, 5, 13, -1}};
static const int8_t bilinear[4][4] = {
    {0, 16, 0, 0}, {0, 12, 4, 0}, {0, 8, 8, 0}, {0, 4, 12, 0}};

#define EXTRA_PX 3
#define REGION_PX (VME_MB_PX + EXTRA_PX)

static int
filter_taps(const int *a, unsigned step, const int8_t taps[4])
{
    return a[0] * taps[0] + a[step] * taps[1] + a[2 * step] * taps[2] +
           a[3 * step] * taps[3];
}

/* Columns, then rows; one rounding. */
static void
interpolate_rect(const uint8_t *region, const uint8_t rect[4],
                 const int8_t x_taps[4], const int8_t y_taps[4],
                 uint8_t out[VME_MB_PX][VME_MB_PX])
{
    unsigned width = rect[2], height = rect[3], pitch = width + EXTRA_PX;
    int pixels[REGION_PX * VME_MB_PX];
    for (unsigned y = 0; y < height + EXTRA_PX; y++)
        for (unsigned x = 0; x < width; x++) {
            int row[4];
            for (unsigned i = 0; i < 4; i++)
                row[i] = region[y * pitch + x + i];
            pixels[y * width + x] = filter_taps(row, 1, x_taps);
        }
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
            int sum = filter_taps(&pixels[y * width + x], width, y_taps);
            out[rect[1] + y][rect[0] + x] = (uint8_t)CLAMP((sum + 128) / 256, 0,
                                                           255);
        }
}

void
vme_predict(const struct vme_call *v, const struct vme_picture *p,
            const uint8_t rect[4], struct vme_mv mv,
            uint8_t out[VME_MB_PX][VME_MB_PX])
{
    uint8_t region[REGION_PX * REGION_PX];
    int x = v->x_px + rect[0] + (mv.x >> 2),
        y = v->y_px + rect[1] + (mv.y >> 2);
    if (!(mv.x & 3) && !(mv.y & 3)) {
        vme_fetch(p, p->luma, x, y, rect[2], rect[3], region);
        for (unsigned i = 0; i < rect[3]; i++)
            memcpy(&out[rect[1] + i][rect[0]], region + i * rect[2], rect[2]);
        return;
    }
    const int8_t(*taps)[4] = bits_get(v->in[1][7], 18, 18) ? bilinear
                                                           : four_taps;
    vme_fetch(p, p->luma, x - 1, y - 1, rect[2] + EXTRA_PX, rect[3] + EXTRA_PX,
              region);
    interpolate_rect(region, rect, taps[mv.x & 3], taps[mv.y & 3], out);
}

void
vme_mix(const struct vme_call *v, const uint8_t rect[4],
        const uint8_t backward[VME_MB_PX][VME_MB_PX],
        uint8_t forward[VME_MB_PX][VME_MB_PX])
{
    unsigned weight = bits_get(v->in[1][1], 16, 21);
    for (unsigned y = rect[1]; y < rect[1] + rect[3]; y++)
        for (unsigned x = rect[0]; x < rect[0] + rect[2]; x++)
            forward[y][x] = (uint8_t)((forward[y][x] * (64 - weight) +
                                       backward[y][x] * weight + 32) /
                                      64);
}
