/* payload_block.c: threads of whole 4x4 blocks, one primitive's at a time: what
 * they have in common is found once, what has to be computed is computed for
 * a batch of them. */
#include "engine/raster/raster.h"

void
payload_add_block(struct worker *w, const struct setup *s, int32_t x, int32_t y,
                  uint16_t lit, uint16_t full)
{
    struct block_batch *b = &w->batch;
    unsigned i = b->count++;
    b->setup = s;
    b->block[i].x = x;
    b->block[i].y = y;
    b->block[i].lit = lit;
    b->block[i].full = full;
    if (b->count == BATCH_BLOCKS)
        payload_run_blocks(w);
}

void
payload_add_list(struct worker *w, const struct setup *s,
                 const struct cover_list *list)
{
    struct block_batch *b = &w->batch;
    bool counts = w->scene->test_time == TEST_EARLY && !w->scene->count_late;
    const int32_t tile_x = w->tile_x, tile_y = w->tile_y;
    unsigned n = b->count;
    uint64_t samples = 0;
    b->setup = s;
    for (unsigned i = 0; i < list->count; i++) {
        const struct cover_block c = list->block[i];
        if (!quad_fills_thread(c.mask)) {
            quad_emit_block(w, s, tile_x + c.x, tile_y + c.y, c.mask);
            continue;
        }
        samples += count_block_bits(c.mask);
        b->block[n].x = tile_x + c.x;
        b->block[n].y = tile_y + c.y;
        b->block[n].lit = b->block[n].full = c.mask;
        if (++n == BATCH_BLOCKS) {
            b->count = n;
            payload_run_blocks(w);
            n = 0;
        }
    }
    b->count = n;
    if (counts)
        w->depth_count += samples;
}

static void
find_places(struct block_batch *b)
{
    const struct setup *s = b->setup;
    for (unsigned i = 0; i < b->count; i++) {
        double x = b->block[i].x - s->ref_x, y = b->block[i].y - s->ref_y;
        /* Exact: snapped positions have few bits. */
        b->at[i] = (struct lane_quads){{x, x + 2, x, x + 2},
                                       {y, y, y + 2, y + 2}};
    }
}

static const float *
weights(struct worker *w, bool linear, bool *done)
{
    struct block_batch *b = &w->batch;
    const struct setup *s = b->setup;
    bool divide = !linear && s->perspective;
    if (!*done)
        w->planes->weights(divide ? &s->n1 : &s->b1, divide ? &s->n2 : &s->b2,
                           divide ? &s->q : NULL, b->at, b->count,
                           b->weights[linear]);
    *done = true;
    return b->weights[linear][0];
}

static const void *
subspans(struct worker *w)
{
    struct block_batch *b = &w->batch;
    for (unsigned n = 0; n < b->count; n++) {
        uint32_t *r = b->subspans[n];
        uint32_t x = (uint32_t)b->block[n].x, y = (uint32_t)b->block[n].y;
        uint32_t at = (x & 0xffff) | y << 16;
        r[0] = r[1] = r[6] = 0;
        r[2] = at;
        r[3] = at + 2;
        r[4] = at + 0x20000;
        r[5] = at + 0x20002;
        r[7] = b->block[n].lit * 0x10001u;
    }
    return b->subspans;
}

static const void *
coverage(struct worker *w)
{
    struct block_batch *b = &w->batch;
    for (unsigned n = 0; n < b->count; n++) {
        for (unsigned k = 0; k < 16; k++)
            b->coverage[n][k] = (b->block[n].full >> k & 1) *
                                w->scene->all_samples;
    }
    return b->coverage;
}

/* Computes the plan's parts for all blocks; from now on they are copied. */
static void
make_parts(struct worker *w)
{
    struct block_batch *b = &w->batch;
    const struct setup *s = b->setup;
    bool done[2] = {false, false};
    for (unsigned i = 0; i < w->plan.part_count; i++) {
        const struct payload_part *p = &w->plan.part[i];
        struct grf_copy c = {.grf = p->grf, .count = 2};
        const void *from = NULL;
        switch ((enum payload_kind)p->kind) {
        case PAYLOAD_HEADER:
            payload_header(w, s, b->header);
            from = b->header;
            c.count = 1;
            break;
        case PAYLOAD_SUBSPANS:
            from = subspans(w);
            c.count = 1;
            break;
        case PAYLOAD_WEIGHTS:
            from = weights(w, p->mode >= 3, &done[p->mode >= 3]);
            c.count = 4;
            break;
        case PAYLOAD_DEPTH:
            w->planes->value(&s->z, false, b->at, b->count, b->z);
            from = b->z;
            break;
        case PAYLOAD_W:
            w->planes->value(&s->q, true, b->at, b->count, b->w);
            from = b->w;
            break;
        case PAYLOAD_POSITIONS: /* eight sixteenths: pixel centres */
            memset(b->positions, 8, sizeof b->positions);
            from = b->positions;
            c.count = 1;
            break;
        case PAYLOAD_COVERAGE: from = coverage(w); break;
        }
        bool once = p->kind == PAYLOAD_HEADER || p->kind == PAYLOAD_POSITIONS;
        c.stride_B = once ? 0 : c.count * EU_GRF_B;
        c.from = from;
        b->copy[i] = c;
    }
    b->copies = payload_runs(w, s, b->copy, w->plan.part_count);
}

/* Four bits to the coverage words of a quad's pixels: all samples or none. */
static inline void
spread(const struct scene *sc, uint16_t cover[4], unsigned bits)
{
    payload_spread(cover, bits);
    if (sc->samples == 1)
        return;
    for (unsigned p = 0; p < 4; p++)
        cover[p] = (uint16_t)(cover[p] * sc->all_samples);
}

/* Most blocks have the coverage of the one before. */
static void
set_quads(struct worker *w, unsigned n)
{
    const struct scene *sc = w->scene;
    struct block_batch *b = &w->batch;
    struct ps_group *g = &w->block_group;
    uint16_t lit = b->block[n].lit, full = b->block[n].full;
    for (unsigned i = 0; i < 4; i++) {
        g->quad[i].x = b->block[n].x + (int32_t)(i & 1) * 2;
        g->quad[i].y = b->block[n].y + (int32_t)(i >> 1) * 2;
    }
    if (b->known && b->known_lit == lit && b->known_full == full)
        return;
    for (unsigned i = 0; i < 4; i++) {
        spread(sc, g->quad[i].cover, lit >> (4 * i) & 15);
        spread(sc, g->quad[i].full, full >> (4 * i) & 15);
    }
    /* Late tests may take some of it away again. */
    b->known = sc->plain_late || sc->late_count_only;
    b->known_lit = lit;
    b->known_full = full;
}

void
payload_use_block(struct worker *w, unsigned n)
{
    struct ps_group *g = &w->block_group;
    set_quads(w, n);
    g->lit = g->alive = w->batch.block[n].lit;
    g->tested = 0;
}

static void
run_block(struct worker *w, unsigned n)
{
    struct ps_group *g = &w->block_group;
    payload_use_block(w, n);
    w->planes->copy(w->thread.grf, w->batch.copy, w->batch.copies, n);
    w->ps_count += count_block_bits(g->lit);
    msg_launch(&w->launch, &w->thread, &w->env, g->lit, g->helped);
}

void
payload_run_blocks(struct worker *w)
{
    struct block_batch *b = &w->batch;
    struct ps_group *g = &w->block_group;
    if (!b->count)
        return;
    const struct setup *s = b->setup;
    if (!w->same)
        find_places(b);
    make_parts(w);
    g->setup = s;
    g->block = true;
    g->quads = 4;
    g->lanes = 16;
    g->helped = 0xffff;
    b->known = false;
    w->env.ps = g;
    w->threads += b->count;
    uint32_t before = eu_launch_begin(&w->launch);
    bool done = w->catches && caught_run(w);
    for (unsigned i = 0; !done && i < b->count; i++) {
        if (atomic_load_explicit(w->draw->reset, memory_order_relaxed))
            break;
        run_block(w, i);
    }
    eu_launch_end(&w->launch, before);
    b->count = 0;
}
