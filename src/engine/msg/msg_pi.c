/* msg_pi.c: the pixel interpolator: barycentrics at positions other than the
 * payload's. KBL PRM vol 2d, pixel interpolator message descriptors. */
#include "engine/msg/msg.h"
#include "engine/raster/pixel_group.h"
#include "base/fpmode.h"

enum pi_type {
    PI_SHARED_OFFSET,
    PI_SAMPLE,
    PI_CENTROID,
    PI_SLOT_OFFSET,
};

static int
sext4(uint32_t v)
{
    return (int)((v & 15) ^ 8) - 8;
}

/* Per-slot offsets: x of all lanes, then y. */
static int
slot_offset(const struct eu_message *m, unsigned lane, unsigned axis)
{
    unsigned grfs = bits_get(m->desc, 16, 16) ? 2 : 1;
    const uint32_t *r = eu_message_reg(m, axis * grfs + lane / 8);
    int32_t v = r ? (int32_t)r[lane & 7] : 0;
    return CLAMP(v, -8, 7);
}

/* Position to interpolate at, from the pixel's upper left corner. */
static void
position(const struct ps_group *g, const struct eu_message *m, unsigned lane,
         const struct quad *q, unsigned p, float *x, float *y)
{
    const struct scene *sc = g->worker->scene;
    unsigned data = m->desc & 0xff;
    *x = *y = 0.5f;
    switch (bits_get(m->desc, 12, 13)) {
    case PI_SHARED_OFFSET:
        *x += (float)sext4(data) * (1.0f / 16);
        *y += (float)sext4(data >> 4) * (1.0f / 16);
        break;
    case PI_SAMPLE: {
        unsigned i = data >> 4;
        if (i < sc->samples) {
            *x = sc->sample_x[i] * (1.0f / SUBPIXEL);
            *y = sc->sample_y[i] * (1.0f / SUBPIXEL);
        }
        break;
    }
    case PI_CENTROID:
        pixel_centroid(sc, sc->per_sample ? q->cover[p] : q->input_coverage[p],
                       x, y);
        break;
    default:
        *x += (float)slot_offset(m, lane, 0) * (1.0f / 16);
        *y += (float)slot_offset(m, lane, 1) * (1.0f / 16);
        break;
    }
}

enum eu_msg_result
msg_pixel_interp(struct thread_env *env, struct eu_thread *t,
                 const struct eu_message *m)
{
    struct ps_group *g = env->ps;
    if (!g) {
        guest_error("pixel interpolator message outside of a pixel shader");
        return EU_MSG_ERROR;
    }
    unsigned count = bits_get(m->desc, 16, 16) ? 16 : 8;
    unsigned base = bits_get(m->desc, 11, 11) * 16;
    if (count == 8)
        base += m->chan_offset & 8;
    bool linear = bits_get(m->desc, 14, 14);
    uint32_t out[32] = {0}, before = fpmode_enter(FPMODE_DEFAULT);
    for (unsigned i = 0; i < count; i++) {
        unsigned lane = base + i, p = lane & 3;
        if (lane / 4 >= g->quads)
            break;
        const struct quad *q = &g->quad[lane / 4];
        float x, y, b1, b2;
        position(g, m, i, q, p, &x, &y);
        pixel_barycentrics(g->setup, !linear,
                           (float)(q->x + (int32_t)(p & 1)) + x,
                           (float)(q->y + (int32_t)(p >> 1)) + y, &b1, &b2);
        out[(i / 8) * 16 + (i & 7)] = bits_from_float(b1);
        out[(i / 8) * 16 + 8 + (i & 7)] = bits_from_float(b2);
    }
    fpmode_leave(FPMODE_DEFAULT, before);
    for (unsigned i = 0; i < count; i++) {
        unsigned dw = (i / 8) * 16 + (i & 7);
        if (!(m->exec_mask >> i & 1) || !m->dst || dw + 8 >= m->rlen_grf * 8u)
            continue;
        m->dst[dw] = out[dw];
        m->dst[dw + 8] = out[dw + 8];
    }
    return EU_MSG_OK;
}
