/* typed_lanes.c: typed reads and writes, and `ld` from buffers, of eight lanes
 * at once, where the surface is of the usual form. Everything else, and what
 * these are compared with, is typed.c's and the sampler's. */
#include "base/fpmode.h"
#include "engine/msg/dataport.h"

/* What a typed message of data port 1 names. */
struct typed {
    const struct elements *e;
    const uint32_t *at[3];
    unsigned disabled; /* bit n: not channel n */
    unsigned data_grf; /* where a write's data begin */
    uint32_t mask;
};

/* NULL also where the kernel rounds in another way than conversions do: to
 * change the mode twice takes longer than the message. */
static const struct elements *
usual_elements(const struct surface *s)
{
    return fpmode_rounds_to_nearest(fpmode_mine) && s->elements.fn
               ? &s->elements
               : NULL;
}

/* Coordinates come first, one register each, then what is written. */
static inline __attribute__((always_inline)) bool
find_typed(const struct surface *s, const struct eu_message *m, bool writes,
           struct typed *t)
{
    unsigned group = bits_get(m->desc, 12, 13);
    t->e = usual_elements(s);
    t->disabled = bits_get(m->desc, 8, 11);
    t->mask = dataport_mask(m, ELEMENTS);
    unsigned data = writes ? 4 - (unsigned)__builtin_popcount(t->disabled) : 0;
    unsigned total = m->mlen_grf + m->ex_mlen_grf;
    if (!t->e || m->header || group == 0 || total <= data)
        return false;
    t->data_grf = total - data;
    unsigned coords = MIN2(t->data_grf, s->type == SURFACE_BUFFER ? 1u : 3u);
    for (unsigned i = 0; i < 3; i++) {
        t->at[i] = i < coords ? dataport_operand(m, i, 1) : NULL;
        if (i < coords && !t->at[i])
            return false;
    }
    return true;
}

static void
answer_lanes(uint32_t *dst, const uint32_t *in, uint32_t mask)
{
    if (mask == 0xff) {
        memcpy(dst, in, ELEMENTS * sizeof *in);
        return;
    }
    for (unsigned i = 0; i < ELEMENTS; i++)
        dst[i] = mask >> i & 1 ? in[i] : dst[i];
}

bool
typed_lanes_read(const struct surface *s, const struct eu_message *m)
{
    uint32_t channel[4][ELEMENTS];
    struct typed t;
    unsigned n = 0;
    if (!m->dst || !find_typed(s, m, false, &t))
        return false;
    t.e->fn->read(t.e, t.at, t.mask, channel);
    for (unsigned c = 0; c < 4; c++) {
        if (t.disabled >> c & 1 || n >= m->rlen_grf)
            continue;
        answer_lanes(m->dst + n++ * ELEMENTS, channel[c], t.mask);
    }
    return true;
}

/* Elements are written as a whole. */
bool
typed_lanes_write(const struct surface *s, const struct eu_message *m)
{
    const uint32_t *channel[4] = {NULL};
    struct typed t;
    if (!find_typed(s, m, true, &t) || t.disabled & ((1u << t.e->channels) - 1))
        return false;
    for (unsigned c = 0; c < t.e->channels; c++) {
        channel[c] = dataport_operand(m, t.data_grf + c, 1);
        if (!channel[c])
            return false;
    }
    t.e->fn->write(t.e, t.at, t.mask, channel);
    return true;
}

/* ---- ld ---- */

static const uint32_t no_channel[ELEMENTS];

/* What the surface's swizzle makes channel c of. */
static const uint32_t *
select_channel(const struct surface *s, unsigned c,
               uint32_t channel[4][ELEMENTS], const uint32_t one[ELEMENTS])
{
    switch (s->swizzle[c]) {
    case 0: return no_channel;
    case 1: return one;
    default: return channel[s->swizzle[c] & 3];
    }
}

bool
typed_lanes_ld(const struct surface *s, const struct eu_message *m,
               unsigned lanes)
{
    const struct elements *e = usual_elements(s);
    const uint32_t *u = dataport_operand(m, 0, lanes / ELEMENTS);
    uint32_t channel[2][4][ELEMENTS], one[ELEMENTS];
    unsigned grfs = lanes / ELEMENTS;
    if (!e || s->type != SURFACE_BUFFER || !u || !m->dst)
        return false;
    for (unsigned h = 0; h < grfs; h++) {
        const uint32_t *at[3] = {u + h * ELEMENTS, NULL, NULL};
        uint32_t mask = dataport_mask(m, lanes) >> h * ELEMENTS & 0xff;
        if (e->fn->read(e, at, mask, channel[h]) != mask)
            return false;
    }
    for (unsigned i = 0; i < ELEMENTS; i++)
        one[i] = e->one;
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned h = 0; h < grfs && c * grfs + h < m->rlen_grf; h++)
            answer_lanes(m->dst + (c * grfs + h) * ELEMENTS,
                         select_channel(s, c, channel[h], one),
                         dataport_mask(m, lanes) >> h * ELEMENTS & 0xff);
    }
    return true;
}
