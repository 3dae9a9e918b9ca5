/* msg_render.c: the render cache: render target write and read. KBL PRM vol 2d:
 * MDP_RTW_*, MDP_RTWH_*, MH_RT. Parts of a write's payload, in order: source 0
 * alpha, oMask, colour, second colour, depth, stencil. */
#include "engine/msg/msg.h"
#include "engine/raster/depth/depth.h"
#include "engine/raster/output/output.h"
#include "base/fpmode.h"
#include "base/half.h"

enum rtw_type {
    RTW_SIMD16,
    RTW_SIMD16_REPLICATED,
    RTW_DUAL_LOW,
    RTW_DUAL_HIGH,
    RTW_SIMD8,
};

#define HEADER_GRF 2

struct payload {
    const struct eu_message *m;
    unsigned grf;   /* next register */
    unsigned lanes; /* 8 or 16 */
    bool half;      /* colours are half floats */
};

static bool
take_words(struct payload *p, uint32_t out[16], unsigned first)
{
    const uint16_t *r = (const uint16_t *)(const void *)eu_message_reg(
        p->m, p->grf++);
    for (unsigned i = 0; r && i < p->lanes; i++)
        out[i] = half_widen(r[first + i]);
    return r != NULL;
}

/* A dword for each lane. */
static bool
take_dwords(struct payload *p, uint32_t out[16])
{
    bool all = true;
    for (unsigned i = 0; i < p->lanes; i += 8) {
        const uint32_t *r = eu_message_reg(p->m, p->grf++);
        if (r)
            memcpy(&out[i], r, EU_GRF_B);
        all &= r != NULL;
    }
    return all;
}

static bool
take_color(struct payload *p, uint32_t out[4][16])
{
    bool all = true;
    for (unsigned c = 0; c < 4; c++)
        all &= p->half ? take_words(p, out[c], 0) : take_dwords(p, out[c]);
    return all;
}

static void
take_dual(struct payload *p, struct rt_colors *rt)
{
    rt->dual = true;
    if (!p->half) {
        take_color(p, rt->c);
        take_color(p, rt->src1);
        return;
    }
    /* Both colours share a register, words 0-7 and 8-15. */
    for (unsigned c = 0; c < 4; c++) {
        take_words(p, rt->c[c], 0);
        p->grf--;
        take_words(p, rt->src1[c], 8);
    }
}

static void
take_replicated(struct payload *p, struct rt_colors *rt)
{
    const uint32_t *r = eu_message_reg(p->m, p->grf++);
    for (unsigned c = 0; r && c < 4; c++) {
        uint32_t v = p->half ? half_widen(r[c / 2] >> (16 * (c & 1))) : r[c];
        for (unsigned i = 0; i < 16; i++)
            rt->c[c][i] = v;
    }
}

static void
take_omask(struct payload *p, struct rt_colors *rt)
{
    const uint32_t *r = eu_message_reg(p->m, p->grf++);
    if (!r)
        return;
    rt->has_omask = true;
    uint16_t words[16];
    memcpy(words, r, sizeof words);
    for (unsigned i = 0; i < rt->count; i++)
        rt->omask[i] = words[(rt->base & 8) + i];
}

static void
take_parts(struct payload *p, struct rt_colors *rt, unsigned type,
           const struct draw *d, uint32_t header_flags)
{
    const struct gen9_3dstate_ps_extra *px = &d->ps_extra;
    if (header_flags >> 11 & 1)
        rt->has_src0_alpha = p->half ? take_words(p, rt->src0_alpha, 0)
                                     : take_dwords(p, rt->src0_alpha);
    if (px->omask_present_to_render_target)
        take_omask(p, rt);
    if (type == RTW_SIMD16_REPLICATED)
        take_replicated(p, rt);
    else if (type == RTW_DUAL_LOW || type == RTW_DUAL_HIGH)
        take_dual(p, rt);
    else
        take_color(p, rt->c);
    if (px->pixel_shader_computed_depth_mode)
        rt->has_depth = take_dwords(p, rt->depth);
    if (!px->pixel_shader_computes_stencil && !(header_flags >> 14 & 1))
        return;
    const uint32_t *r = eu_message_reg(p->m, p->grf++);
    if (r) {
        memcpy(rt->stencil, r, rt->count);
        rt->has_stencil = true;
    }
}

/* Zeros the colours of lanes that the message leaves out, but only in narrow
 * messages, because this runs for every message. */
static void
clear_colors(struct rt_colors *rt, bool wide)
{
    rt->mask = 0;
    rt->dual = rt->has_src0_alpha = rt->has_omask = false;
    rt->has_depth = rt->has_stencil = false;
    if (!wide) {
        memset(rt->c, 0, sizeof rt->c);
        memset(rt->src1, 0, sizeof rt->src1);
    }
}

/* Finds four channels of two registers each, each pair contiguous. */
static bool
find_channels(const struct eu_message *m, unsigned grf, const uint32_t *c[4])
{
    for (unsigned i = 0; i < 4; i++, grf += 2) {
        c[i] = eu_message_reg(m, grf);
        if (!c[i] || eu_message_reg(m, grf + 1) != c[i] + 8)
            return false;
    }
    return true;
}

/* Fast path: sixteen lanes and only float colours, which are written from the
 * registers in place. False: not such a message. */
static bool
write_colors(struct ps_group *g, const struct eu_message *m)
{
    const uint32_t other_types = 7u << 8 | 1u << 30;
    const uint32_t other_parts = 1u << 11 | 1u << 14;
    unsigned grf = 0, entry = 0;
    uint32_t mask = m->exec_mask & 0xffff;
    if (m->desc & other_types)
        return false;
    if (m->header) {
        const uint32_t *h0 = eu_message_reg(m, 0), *h1 = eu_message_reg(m, 1);
        if (!h0 || !h1 || (h0[0] & other_parts))
            return false;
        entry = h0[2] & 7;
        mask &= h1[7];
        grf = HEADER_GRF;
    }
    const uint32_t *c[4];
    bool together = grf + 8 <= m->mlen_grf;
    for (unsigned i = 0; together && i < 4; i++)
        c[i] = m->src0 + (grf + 2 * i) * 8;
    if (!together && !find_channels(m, grf, c))
        return false;
    return target_write_colors(g, c, bits_get(m->desc, 11, 11) * 16, mask,
                               m->desc & 0xff, entry);
}

static void
render_write(struct ps_group *g, const struct eu_message *m)
{
    unsigned type = bits_get(m->desc, 8, 10);
    unsigned slot = bits_get(m->desc, 11, 11) * 16;
    if (type > RTW_SIMD8) {
        unimp("render target write of type %u", type);
        return;
    }
    bool wide = type == RTW_SIMD16 || type == RTW_SIMD16_REPLICATED;
    struct rt_colors rt;
    clear_colors(&rt, wide);
    rt.count = wide ? 16 : 8;
    rt.base = slot;
    if (type == RTW_DUAL_HIGH)
        rt.base += 8;
    else if (type == RTW_SIMD8)
        rt.base += m->chan_offset & 8;
    rt.mask = m->exec_mask & ((1u << rt.count) - 1);
    struct payload p = {
        .m = m, .lanes = rt.count, .half = bits_get(m->desc, 30, 30)};
    unsigned entry = 0;
    uint32_t flags = 0;
    if (m->header) {
        const uint32_t *h0 = eu_message_reg(m, 0), *h1 = eu_message_reg(m, 1);
        p.grf = HEADER_GRF;
        if (h0) {
            entry = h0[2] & 7;
            flags = h0[0];
        }
        if (h1)
            rt.mask &= (h1[7] & 0xffff) >> (rt.base & 8);
    }
    take_parts(&p, &rt, type, g->worker->draw, flags);
    late_tests(g, &rt);
    target_write(g, &rt, m->desc & 0xff, entry);
}

static void
render_read(struct ps_group *g, const struct eu_message *m)
{
    bool simd8 = bits_get(m->desc, 8, 8);
    unsigned base = bits_get(m->desc, 11, 11) * 16;
    if (simd8)
        base += m->chan_offset & 8;
    unsigned count = simd8 ? 8 : 16, grfs = count / 8;
    uint32_t out[4][16];
    target_read(g, m->desc & 0xff, base, count, out);
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < count; i++) {
            unsigned dw = c * grfs * 8 + i;
            if ((m->exec_mask >> i & 1) && dw < m->rlen_grf * 8u && m->dst)
                m->dst[dw] = out[c][i];
        }
    }
}

enum eu_msg_result
msg_render(struct thread_env *env, struct eu_thread *t,
           const struct eu_message *m)
{
    enum { TYPE_WRITE = 12, TYPE_READ = 13 };
    unsigned type = bits_get(m->desc, 14, 17);
    if (!env->ps) {
        guest_error("render target message outside of a pixel shader");
        return EU_MSG_ERROR;
    }
    if (type == TYPE_WRITE && write_colors(env->ps, m))
        return EU_MSG_OK;
    uint32_t before = fpmode_enter(FPMODE_DEFAULT);
    if (type == TYPE_WRITE)
        render_write(env->ps, m);
    else if (type == TYPE_READ)
        render_read(env->ps, m);
    else
        unimp("render cache message of type %u", type);
    fpmode_leave(FPMODE_DEFAULT, before);
    return EU_MSG_OK;
}
