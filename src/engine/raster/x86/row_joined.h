/* row_joined.h: a row of threads of several primitives, with what plane_simd.h
 * brings. */
#include "engine/raster/setup.h"

/* In one loop over the blocks of all primitives: most have few. */
static unsigned
fill_joined(const struct thread_run *run, const struct row_prims *prims,
            unsigned first, unsigned end)
{
    const struct thread_run r = *run;
    const struct row_prims p = *prims;
    const struct eu_launch *l = r.launch;
    const bool vmask = l->start.vector_mask_enable;
    const bool apart = l->apart, quads = l->quads;
    const uint32_t need = l->need;
    const bool stores = r.tail.fn, places = stores || r.to.lines;
    const struct setup *before = p.prim[p.of[first]].setup;
    struct eu_row *to = r.row;
    struct weigher w = weigher_of(&(struct run_weights){0});
    const void **next = &to->next;
    bool takes = true;
    unsigned pixels = 0;
    for (unsigned n = first; n < end; n++, to++) {
        const struct batch_block *b = &r.block[n];
        const struct setup *s = p.prim[p.of[n]].setup;
        const bool divides = !p.linear && s->perspective;
        uint32_t mask = vmask ? b->helped : b->lit;
        /* Where primitives begin is hard to foresee. */
        *next = (void *)((uintptr_t)s->attr & -(uintptr_t)(s != before));
        next = &to->next;
        before = s;
        w.ref_x = s->ref_x;
        w.ref_y = s->ref_y;
        w.b1 = divides ? &s->n1 : &s->b1;
        w.b2 = divides ? &s->n2 : &s->b2;
        w.q = divides ? &s->q : NULL;
        takes &= eu_masks_nothing(mask, need, apart, quads);
        pixels += (unsigned)_mm_popcnt_u32(b->lit);
        weigh_alone(&w, b, (float *)(void *)to->payload);
        uint8_t *at = places ? fetch_target(&r.to, b) : NULL;
        put_masks(to, stores ? at : (uint8_t *)r.color[n],
                  row_masks(b->lit, b->helped, mask));
    }
    to[-1].more = 0;
    *next = NULL;
    return takes ? pixels : 0;
}
