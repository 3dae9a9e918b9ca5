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

/* What the plan's parts are copied from. */
static void
compute(struct worker *w)
{
    struct block_batch *b = &w->batch;
    const struct setup *s = b->setup;
    bool done[2] = {false, false};
    for (unsigned i = 0; i < w->plan.part_count; i++) {
        const struct payload_part *p = &w->plan.part[i];
        if (p->kind == PAYLOAD_DEPTH) {
            w->planes->value(&s->z, false, b->at, b->count, b->z);
        } else if (p->kind == PAYLOAD_W) {
            w->planes->value(&s->q, true, b->at, b->count, b->w);
        } else if (p->kind == PAYLOAD_WEIGHTS) {
            bool linear = p->mode >= 3, divide = !linear && s->perspective;
            if (!done[linear])
                w->planes->weights(
                    divide ? &s->n1 : &s->b1, divide ? &s->n2 : &s->b2,
                    divide ? &s->q : NULL, b->at, b->count, b->weights[linear]);
            done[linear] = true;
        }
    }
}

/* Lanes by quad: only places and coverage differ from block to block. */
static void
set_quads(struct ps_group *g, const struct block_batch *b, unsigned n)
{
    for (unsigned i = 0; i < 4; i++) {
        struct quad *q = &g->quad[i];
        q->x = b->block[n].x + (int32_t)(i & 1) * 2;
        q->y = b->block[n].y + (int32_t)(i >> 1) * 2;
        payload_spread(q->cover, b->block[n].lit >> (4 * i) & 15);
        payload_spread(q->full, b->block[n].full >> (4 * i) & 15);
    }
}

static void
put_subspans(uint32_t *r, int32_t x, int32_t y, uint16_t lit)
{
    uint32_t at = ((uint32_t)x & 0xffff) | (uint32_t)y << 16;
    const uint32_t grf[8] = {
        [2] = at,           [3] = at + 2,         [4] = at + 0x20000,
        [5] = at + 0x20002, [7] = lit * 0x10001u,
    };
    memcpy(r, grf, sizeof grf);
}

static void
put_parts(struct worker *w, const uint32_t header[8], unsigned n)
{
    const struct block_batch *b = &w->batch;
    for (unsigned i = 0; i < w->plan.part_count; i++) {
        const struct payload_part *p = &w->plan.part[i];
        uint32_t *grf = eu_grf(&w->thread, p->grf);
        switch ((enum payload_kind)p->kind) {
        case PAYLOAD_HEADER: memcpy(grf, header, EU_GRF_B); break;
        case PAYLOAD_SUBSPANS:
            put_subspans(grf, b->block[n].x, b->block[n].y, b->block[n].lit);
            break;
        case PAYLOAD_WEIGHTS:
            memcpy(grf, b->weights[p->mode >= 3][n], 4 * EU_GRF_B);
            break;
        case PAYLOAD_DEPTH: memcpy(grf, b->z[n], 2 * EU_GRF_B); break;
        case PAYLOAD_W: memcpy(grf, b->w[n], 2 * EU_GRF_B); break;
        case PAYLOAD_POSITIONS: /* eight sixteenths: pixel centres */
            memset(grf, 8, EU_GRF_B);
            break;
        case PAYLOAD_COVERAGE:
            for (unsigned k = 0; k < 16; k++)
                grf[k] = b->block[n].full >> k & 1;
            break;
        }
    }
}

static void
run_block(struct worker *w, const uint32_t header[8], unsigned n)
{
    struct ps_group *g = &w->block_group;
    set_quads(g, &w->batch, n);
    g->lit = g->alive = w->batch.block[n].lit;
    g->tested = 0;
    put_parts(w, header, n);
    payload_copy_runs(w, g->setup);
    w->ps_count += g->lit == 0xffff ? 16 : count_bits(g->lit);
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
    uint32_t header[8];
    payload_header(w, s, header);
    find_places(b);
    compute(w);
    g->setup = s;
    g->block = true;
    g->quads = 4;
    g->lanes = 16;
    g->helped = 0xffff;
    w->env.ps = g;
    w->threads += b->count;
    uint32_t before = eu_launch_begin(&w->launch);
    for (unsigned i = 0; i < b->count; i++) {
        if (atomic_load_explicit(w->draw->reset, memory_order_relaxed))
            break;
        run_block(w, header, i);
    }
    eu_launch_end(&w->launch, before);
    b->count = 0;
}
