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

/* Decodes the payload: coordinates, one register each, then `data` registers of
 * data. False: not handled. A split message has coordinates in one part and
 * data in the other. */
static inline __attribute__((always_inline)) bool
find_operands(const struct surface *s, const struct eu_message *m,
              unsigned data_grf, const uint32_t *at[3], const uint32_t **data)
{
    unsigned total = m->mlen_grf + m->ex_mlen_grf, coords = total - data_grf;
    if (m->header || total <= data_grf || coords > m->mlen_grf ||
        (m->ex_mlen_grf && coords < m->mlen_grf))
        return false;
    bool flat = s->type == SURFACE_BUFFER;
    at[0] = m->src0;
    at[1] = coords > 1 && !flat ? m->src0 + TYPED_LANES : NULL;
    at[2] = coords > 2 && !flat ? m->src0 + 2 * TYPED_LANES : NULL;
    *data = m->ex_mlen_grf ? m->src1 : m->src0 + coords * TYPED_LANES;
    return true;
}

static inline __attribute__((always_inline)) bool
find_typed(const struct surface *s, const struct eu_message *m, bool writes,
           struct typed *t, const uint32_t *at[3])
{
    t->e = usual_elements(s);
    t->disabled = bits_get(m->desc, 8, 11);
    t->mask = dataport_mask(m, TYPED_LANES);
    return t->e && bits_get(m->desc, 12, 13) != 0 &&
           find_operands(s, m, writes ? enabled_count[t->disabled] : 0, at,
                         &t->data);
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
    unsigned count = enabled_count[t.disabled];
    bool first = t.disabled == (0xfu << count & 0xf);
    if (t.mask == 0xff && first && m->rlen_grf >= count) {
        fn->read(t.e, at, t.mask, count, (uint32_t(*)[TYPED_LANES])m->dst);
        return true;
    }
    fn->read(t.e, at, t.mask, 4, channel);
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

bool
typed_lanes_atomic(const struct surface *s, const struct eu_message *m)
{
    const struct typed_elements *e = &s->elements;
    const unsigned op = bits_get(m->desc, 8, 11);
    const unsigned operands = atomic_operands(op);
    const bool answers = (m->desc >> 13) & 1;
    const uint32_t *at[3], *data;
    uint32_t at_B[TYPED_LANES], mask = dataport_mask(m, TYPED_LANES);
    if (!e->fn || e->element_B != 4 || e->tiling.y_pitch_B & 3 || op == 0 ||
        (answers && (!m->dst || !m->rlen_grf)) ||
        !find_operands(s, m, operands, at, &data))
        return false;
    const struct lane_access a = {.mem = e->mem,
                                  .size_B = s->limit_B,
                                  .keep = ~3u,
                                  .mask = e->fn->find(e, at, mask, at_B),
                                  .lanes = TYPED_LANES,
                                  .channels = 1};
    const uint32_t *src0 = operands > 0 ? data : NULL;
    const uint32_t *src1 = operands > 1 ? data + TYPED_LANES : NULL;
    if (!atomic_lanes(op, true, &a, at_B, src0, src1, answers ? m->dst : NULL))
        return false;
    for (unsigned i = 0; i < TYPED_LANES && answers; i++)
        if ((mask & ~a.mask) >> i & 1)
            m->dst[i] = 0;
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
        if (e->fn->read(e, at, mask, 4, channel[h]) != mask)
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
