/* typed_lanes.c: typed reads and writes, and `ld` from buffers, of eight lanes
 * at once, for surfaces of common forms. typed.c and the sampler handle all
 * others, and are the reference of the tests. */
#include "base/fpmode.h"
#include "engine/msg/dataport/dataport.h"

/* A decoded typed message of data port 1. Its coordinates are passed beside it,
 * because the routines take their address: all else stays in registers.
 * `disabled` and `mask` are not neighbours: gcc 12 would store both, and
 * compare them by one load, which waits for both stores. */
struct typed {
    const struct typed_elements *e;
    unsigned disabled;    /* bit n: channel n is disabled */
    const uint32_t *data; /* of a write: one register per enabled channel */
    uint32_t mask;
};

/* NULL also if the kernel's rounding mode differs from that of conversions,
 * because changing the mode twice takes longer than the message. */
static const struct typed_elements *
usual_elements(const struct surface *s)
{
    return fpmode_rounds_to_nearest(fpmode_mine) && s->elements.fn
               ? &s->elements
               : NULL;
}

/* 4 minus the bits of an index. */
static const uint8_t enabled_count[16] = {4, 3, 3, 2, 3, 2, 2, 1,
                                          3, 2, 2, 1, 2, 1, 1, 0};

/* Decodes the payload: coordinates, one register each, then data. False: not
 * handled. A split message has coordinates in one part and data in the other.
 */
static inline __attribute__((always_inline)) bool
find_typed(const struct surface *s, const struct eu_message *m, bool writes,
           struct typed *t, const uint32_t *at[3])
{
    unsigned group = bits_get(m->desc, 12, 13);
    t->e = usual_elements(s);
    t->disabled = bits_get(m->desc, 8, 11);
    t->mask = dataport_mask(m, TYPED_LANES);
    unsigned data = writes ? enabled_count[t->disabled] : 0;
    unsigned total = m->mlen_grf + m->ex_mlen_grf, coords = total - data;
    if (!t->e || m->header || group == 0 || total <= data ||
        coords > m->mlen_grf || (m->ex_mlen_grf && coords < m->mlen_grf))
        return false;
    bool flat = s->type == SURFACE_BUFFER;
    at[0] = m->src0;
    at[1] = coords > 1 && !flat ? m->src0 + TYPED_LANES : NULL;
    at[2] = coords > 2 && !flat ? m->src0 + 2 * TYPED_LANES : NULL;
    t->data = m->ex_mlen_grf ? m->src1 : m->src0 + coords * TYPED_LANES;
    return true;
}

static void
answer_lanes(uint32_t *dst, const uint32_t *in, uint32_t mask)
{
    if (mask == 0xff) {
        memcpy(dst, in, TYPED_LANES * sizeof *in);
        return;
    }
    for (unsigned i = 0; i < TYPED_LANES; i++)
        dst[i] = mask >> i & 1 ? in[i] : dst[i];
}

/* Routines of a typed read: converting ones, or raw ones (see read_texel() in
 * typed.c). NULL: no fast path. */
static const struct typed_elements_routines *
reading_routines(const struct surface *s, const struct typed_elements *e)
{
    if (s->fmt->can_typed_read)
        return e->fn;
    if (e->blue_first)
        return NULL;
    switch (e->element_B) {
    case 1: return &typed_elements_avx2[0][TYPED_UINT][0];
    case 2: return &typed_elements_avx2[1][TYPED_UINT][0];
    case 4: return &typed_elements_avx2[1][TYPED_RAW][0];
    case 8: return &typed_elements_avx2[1][TYPED_RAW][1];
    default: return NULL;
    }
}

bool
typed_lanes_read(const struct surface *s, const struct eu_message *m)
{
    uint32_t channel[4][TYPED_LANES];
    const uint32_t *at[3];
    struct typed t;
    unsigned n = 0;
    if (!m->dst || !find_typed(s, m, false, &t, at))
        return false;
    const struct typed_elements_routines *fn = reading_routines(s, t.e);
    if (!fn)
        return false;
    if (t.mask == 0xff && !t.disabled && m->rlen_grf >= 4) {
        fn->read(t.e, at, t.mask, (uint32_t(*)[TYPED_LANES])m->dst);
        return true;
    }
    fn->read(t.e, at, t.mask, channel);
    for (unsigned c = 0; c < 4; c++) {
        if (t.disabled >> c & 1 || n >= m->rlen_grf)
            continue;
        answer_lanes(m->dst + n++ * TYPED_LANES, channel[c], t.mask);
    }
    return true;
}

/* Writes whole elements only. */
bool
typed_lanes_write(const struct surface *s, const struct eu_message *m)
{
    const uint32_t *at[3];
    struct typed t;
    if (!find_typed(s, m, true, &t, at) ||
        t.disabled & ((1u << t.e->channels) - 1))
        return false;
    const uint32_t *channel[4];
    for (unsigned c = 0; c < 4; c++)
        channel[c] = t.data + (c < t.e->channels ? c * TYPED_LANES : 0);
    t.e->fn->write(t.e, at, t.mask, channel);
    return true;
}

/* ---- ld ---- */

static const uint32_t no_channel[TYPED_LANES];

/* Channel c by the surface's swizzle. */
static const uint32_t *
select_channel(const struct surface *s, unsigned c,
               uint32_t channel[4][TYPED_LANES],
               const uint32_t one[TYPED_LANES])
{
    switch (s->swizzle[c]) {
    case 0: return no_channel;
    case 1: return one;
    default: return channel[s->swizzle[c] & 3];
    }
}

static bool
is_plain_swizzle(const struct surface *s)
{
    static const uint8_t rgba[4] = {4, 5, 6, 7};
    return !memcmp(s->swizzle, rgba, sizeof rgba);
}

bool
typed_lanes_ld(const struct surface *s, const struct eu_message *m,
               unsigned lanes)
{
    const struct typed_elements *e = usual_elements(s);
    const uint32_t *u = dataport_operand(m, 0, lanes / TYPED_LANES);
    uint32_t channel[2][4][TYPED_LANES], one[TYPED_LANES];
    unsigned grfs = lanes / TYPED_LANES;
    if (!e || s->type != SURFACE_BUFFER || !u || !m->dst)
        return false;
    for (unsigned h = 0; h < grfs; h++) {
        const uint32_t *at[3] = {u + h * TYPED_LANES, NULL, NULL};
        uint32_t mask = dataport_mask(m, lanes) >> h * TYPED_LANES & 0xff;
        if (e->fn->read(e, at, mask, channel[h]) != mask)
            return false;
    }
    if (grfs == 2 && (m->exec_mask & 0xffff) == 0xffff && m->rlen_grf >= 8 &&
        is_plain_swizzle(s)) {
        for (unsigned c = 0; c < 4; c++)
            for (unsigned h = 0; h < 2; h++)
                memcpy(m->dst + (c * 2 + h) * TYPED_LANES, channel[h][c],
                       sizeof channel[h][c]);
        return true;
    }
    for (unsigned i = 0; i < TYPED_LANES; i++)
        one[i] = e->one;
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned h = 0; h < grfs && c * grfs + h < m->rlen_grf; h++)
            answer_lanes(m->dst + (c * grfs + h) * TYPED_LANES,
                         select_channel(s, c, channel[h], one),
                         dataport_mask(m, lanes) >> h * TYPED_LANES & 0xff);
    }
    return true;
}
