/* interpolate.c: interpolation and payload of threads: the reference. */
#include "engine/raster/shade/interpolate.h"
#include "engine/raster/setup/setup.h"
#include "base/cpu.h"

static double
pixel_x(const struct lane_quads *at, unsigned lane)
{
    return at->x[lane / 4] + ((lane & 1) + 0.5);
}

static double
pixel_y(const struct lane_quads *at, unsigned lane)
{
    return at->y[lane / 4] + ((lane >> 1 & 1) + 0.5);
}

static void
weights(const struct plane *b1, const struct plane *b2, const struct plane *q,
        const struct lane_quads *at, unsigned count, float (*out)[32])
{
    for (unsigned n = 0; n < count; n++) {
        for (unsigned i = 0; i < 16; i++) {
            double x = pixel_x(&at[n], i), y = pixel_y(&at[n], i);
            double w = q ? 1 / plane_at(q, x, y) : 1;
            float *to = &out[n][i / 8 * 16 + (i & 7)];
            to[0] = (float)(plane_at(b1, x, y) * w);
            to[8] = (float)(plane_at(b2, x, y) * w);
        }
    }
}

static void
value(const struct plane *p, bool invert, const struct lane_quads *at,
      unsigned count, float (*out)[16])
{
    for (unsigned n = 0; n < count; n++) {
        for (unsigned i = 0; i < 16; i++) {
            double v = plane_at(p, pixel_x(&at[n], i), pixel_y(&at[n], i));
            out[n][i] = (float)(invert ? 1 / v : v);
        }
    }
}

static struct lane_quads
quads_of(const struct block_places *at, unsigned n)
{
    double x = at->block[n].x - at->ref_x, y = at->block[n].y - at->ref_y;
    return (struct lane_quads){{x, x + 2, x, x + 2}, {y, y, y + 2, y + 2}};
}

static void
block_weights(const struct plane *b1, const struct plane *b2,
              const struct plane *q, const struct block_places *at,
              float (*out)[32])
{
    for (unsigned n = 0; n < at->count; n++) {
        const struct lane_quads quads = quads_of(at, n);
        weights(b1, b2, q, &quads, 1, &out[n]);
    }
}

static void
block_value(const struct plane *p, bool invert, const struct block_places *at,
            float (*out)[16])
{
    for (unsigned n = 0; n < at->count; n++) {
        const struct lane_quads quads = quads_of(at, n);
        value(p, invert, &quads, 1, &out[n]);
    }
}

static void
copy(uint8_t *grf, const struct grf_copy *c, unsigned count, unsigned n)
{
    for (; count; count--, c++)
        memcpy(grf + c->grf * PLANE_GRF_B, c->from + n * c->stride_B,
               c->count * PLANE_GRF_B);
}

static void
put_weights(uint8_t *grf, const struct run_weights *in,
            const struct batch_block *block)
{
    const struct block_places at = {block, 1, in->ref_x, in->ref_y};
    float out[1][32];
    block_weights(in->b1, in->b2, in->q, &at, out);
    memcpy(grf + in->grf * PLANE_GRF_B, out, sizeof out);
}

static unsigned
run(const struct thread_run *r, unsigned first, unsigned end, int64_t *left)
{
    struct eu_thread *t = r->thread;
    *r->stored = 0;
    for (unsigned n = first; n < end; n++) {
        const struct batch_block *b = &r->block[n];
        copy(t->grf, r->copy, r->copies, n);
        if (r->weights)
            put_weights(t->grf, r->weights, b);
        plane_put_lit(r->launch, t, b->live);
        t->captured = (uint8_t *)r->color[n];
        if (eu_launch_next(r->launch, t, b->live, b->helper, left) !=
            EU_FINISHED)
            return n;
        r->mask[n] = (uint16_t)(t->message.exec_mask & b->live);
    }
    return end;
}

static void
weigh_row(const struct run_weights *w, const struct batch_block *block,
          struct eu_chain_entry *row)
{
    const struct block_places at = {block, 1, w->ref_x, w->ref_y};
    float out[1][32];
    block_weights(w->b1, w->b2, w->q, &at, out);
    for (unsigned i = 0; i < EU_CHAIN_GRF; i++)
        memcpy(row->payload + i * PLANE_GRF_B,
               &out[0][eu_chain_place(true, i) * PLANE_GRF_B / 4], PLANE_GRF_B);
}

static void
put_masks(struct eu_chain_entry *row, uint16_t live, uint32_t helper,
          bool vector_mask)
{
    row->dispatch_mask = row->captured_mask = live;
    row->vector_mask = helper;
    row->mask = vector_mask ? helper : live;
    row->live = plane_lit_dword(live);
}

/* prims: NULL, or the primitives of the blocks. */
static unsigned
fill_with(const struct thread_run *r, const struct row_prims *prims,
          unsigned first, unsigned end)
{
    const struct eu_launch *l = r->launch;
    const struct target_places *to = &r->to;
    struct eu_chain_entry *row = r->row;
    bool takes = true;
    unsigned pixels = 0;
    for (unsigned n = first; n < end; n++, row++) {
        const struct batch_block *b = &r->block[n];
        struct run_weights weights;
        if (prims) {
            const struct setup *s = prims->prim[prims->of[n]].setup;
            weights = setup_run_weights(s, prims->linear);
            row->next = NULL;
            if (n > first && prims->of[n] != prims->of[n - 1])
                row[-1].next = s->attr;
        } else {
            weights = *r->weights;
        }
        weigh_row(&weights, b, row);
        row->captured = r->tail.fn ? to->mem + to->x_B[b->x - to->tile_x] +
                                         to->y_B[b->y - to->tile_y]
                                   : (uint8_t *)r->color[n];
        put_masks(row, b->live, b->helper, l->start.vector_mask_enable);
        row->more = n + 1 < end;
        takes &= eu_launch_takes(l, row->mask);
        pixels += (unsigned)__builtin_popcount(b->live);
    }
    return takes ? pixels : 0;
}

static unsigned
fill(const struct thread_run *r, unsigned first, unsigned end)
{
    return fill_with(r, NULL, first, end);
}

static unsigned
fill_joined(const struct thread_run *r, const struct row_prims *prims,
            unsigned first, unsigned end)
{
    return fill_with(r, prims, first, end);
}

static void
begin_rows(struct row_fill *f)
{
}

static void
place_row(const struct row_fill *f, const struct batch_block *block,
          uint16_t live, struct eu_chain_entry *row)
{
    uint32_t r[8];
    plane_positions(block->x, block->y, live, r);
    memcpy(row->payload, f->begin, sizeof row->payload);
    memcpy(row->payload, r, sizeof r);
}

static void
fill_row(const struct row_fill *f, struct cover_block b, uint16_t live,
         struct eu_chain_entry *row)
{
    const struct batch_block block = {.x = f->to.tile_x + b.x,
                                      .y = f->to.tile_y + b.y};
    if (f->weights)
        weigh_row(f->weights, &block, row);
    else
        place_row(f, &block, live, row);
    row->captured = f->to.mem + f->to.x_B[b.x] + f->to.y_B[b.y];
    put_masks(row, live, 0xffff, f->vector_mask);
    row->more = 1;
}

static unsigned
fill_rows(struct row_fill *f, struct eu_chain_entry *row, unsigned room)
{
    unsigned rows = 0;
    for (; f->next < f->count && rows < room; f->next++) {
        struct cover_block b = f->block[f->next];
        uint16_t live = f->live ? f->live[f->next] : b.mask;
        bool takes = live == 0xffff || (live && f->some);
        f->rest[f->next] = takes ? 0 : live;
        f->left |= f->rest[f->next];
        f->pixels += takes ? (unsigned)__builtin_popcount(live) : 0;
        if (takes)
            fill_row(f, b, live, &row[rows++]);
    }
    if (rows)
        row[rows - 1].more = 0;
    if (rows && f->tails_fetch)
        row_put_ahead(f, row + rows);
    return rows;
}

static unsigned
count_caught(const struct eu_chain_entry *row, unsigned rows)
{
    unsigned lanes = 0;
    for (unsigned n = 0; n < rows; n++)
        lanes += (unsigned)__builtin_popcount(row[n].captured_mask & 0xffff);
    return lanes;
}

static void
put_blocks(struct block_put *p, struct batch_block *to)
{
    p->set = p->blocks = p->pixels = 0;
    for (unsigned i = 0; i < p->count; i++) {
        const struct cover_block b = p->list[i];
        uint16_t live = p->live ? p->live[i] : b.mask;
        if (!live)
            continue;
        payload_put_block(&to[p->blocks++], p->tile_x + b.x, p->tile_y + b.y,
                          live, p->covers ? b.mask : live, false);
        p->set |= UINT64_C(1) << i;
        p->pixels += (unsigned)__builtin_popcount(live);
    }
}

const struct interpolate_ops interpolate_ops_ref = {
    weights, value,       block_weights, block_value, copy,         run,
    fill,    fill_joined, begin_rows,    fill_rows,   count_caught, put_blocks};

const struct interpolate_ops *
interpolate_ops_selected(void)
{
    switch (cpu_selected()) {
    case CPU_AVX512: return &interpolate_ops_avx512;
    case CPU_AVX2: return &interpolate_ops_avx2;
    default: return &interpolate_ops_ref;
    }
}
