/* chain_fill_prims.h: chains across several primitives; a part of
 * interpolate_simd.h's users. */
#include "engine/raster/setup/setup.h"

static inline void
weigh_setup(const struct setup *s, bool divides, const struct tile_centres *c,
            const struct batch_block *b, float out[32])
{
    struct weigher w = weigher_of(&(struct run_weights){0});
    w.b1 = divides ? &s->n1 : &s->b1;
    w.b2 = divides ? &s->n2 : &s->b2;
    w.q = divides ? &s->q : NULL;
    w.ref_x = s->ref_x;
    w.ref_y = s->ref_y;
    weigh_alone(&w, c, b, out);
}

/* Whether all threads, some with channels off, fit a chain. */
static bool
takes_masks(const struct thread_run *r, unsigned first, unsigned end)
{
    for (unsigned n = first; n < end; n++) {
        const struct batch_block *b = &r->block[n];
        bool vmask = r->launch->start.vector_mask_enable;
        if (!eu_launch_takes(r->launch, vmask ? b->helper : b->live))
            return false;
    }
    return true;
}

/* One loop over the blocks of all primitives, because most have few. It is
 * short of general registers and of reorder buffer. placed: threads store to
 * the target, one cache line per block. */
static inline __attribute__((always_inline)) unsigned
joined_rows(const struct thread_run *run, const struct row_prims *prims,
            unsigned first, unsigned end, bool placed)
{
    const struct thread_run r = *run;
    const struct row_prims p = *prims;
    const uint8_t *of = p.of + first;
    const struct batch_block *b = r.block + first;
    const size_t mask_at = r.launch->start.vector_mask_enable
                               ? offsetof(struct batch_block, helper)
                               : offsetof(struct batch_block, live);
    const struct tile_centres *centres = find_centres(run);
    const struct setup *ahead = p.prim[*of].setup;
    struct eu_chain_entry *to = r.row, *const last = to + (end - first);
    uint32_t all = UINT32_MAX;
    unsigned pixels = 0;
    for (; to < last; b++, to++) {
        const struct setup *s = ahead;
        uint16_t mask;
        memcpy(&mask, (const uint8_t *)b + mask_at, sizeof mask);
        /* Without a branch: primitive borders are unpredictable. */
        ahead = p.prim[*++of].setup;
        to->next = (void *)((uintptr_t)ahead->attr & -(uintptr_t)(s != ahead));
        all &= mask;
        pixels += (unsigned)_mm_popcnt_u32(b->live);
        if (!p.linear && s->perspective)
            weigh_setup(s, true, centres, b, (float *)(void *)to->payload);
        else
            weigh_setup(s, false, centres, b, (float *)(void *)to->payload);
        uint8_t *at = NULL;
        if (placed) {
            at = r.to.mem + r.to.x_B[(unsigned)b->x % COVER_TILE_PX] +
                 r.to.y_B[(unsigned)b->y % COVER_TILE_PX];
            __builtin_prefetch(at, 1);
        } else {
            if (r.tail.fn || r.to.lines)
                at = fetch_target(&r.to, b);
            if (!r.tail.fn)
                at = (uint8_t *)r.color[b - r.block];
        }
        put_members(to, at, b->live, b->helper, mask);
    }
    to[-1].more = 0;
    to[-1].next = NULL;
    return !(r.launch->required_mask & ~all) || takes_masks(&r, first, end)
               ? pixels
               : 0;
}

static unsigned
fill_joined(const struct thread_run *run, const struct row_prims *prims,
            unsigned first, unsigned end)
{
    if (run->tail.fn && run->to.lines == 1)
        return joined_rows(run, prims, first, end, true);
    return joined_rows(run, prims, first, end, false);
}
