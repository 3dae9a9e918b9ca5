/* shader_eval.c: executes a kernel to record its coordinates. A thread's quads
 * lie on a diagonal, so that one thread covers as many columns and rows as its
 * quads have. */
#include "engine/raster/blit/shader_eval.h"

#include "eu/summary/summary.h"

#define MAX_CAPTURE_QUADS 4

struct listener {
    struct thread_env env; /* first: thread->user points to it */
    const struct kernel_summary *summary;
    unsigned width; /* registers per parameter */
    bool heard;
    uint32_t u[16], v[16], at[8], layer, level, color[4];
};

static void
take(const struct eu_message *m, const struct listener *l, int8_t param,
     uint32_t out[16])
{
    for (unsigned i = 0; param >= 0 && i < l->width; i++) {
        const uint32_t *r = eu_message_reg(m, (unsigned)param * l->width + i);
        if (r)
            memcpy(out + 8 * i, r, 32);
    }
}

static void
hear_sampler(struct listener *l, const struct eu_message *m)
{
    if (!l->heard) {
        uint32_t layer[16] = {0}, level[16] = {0};
        take(m, l, l->summary->u, l->u);
        take(m, l, l->summary->v, l->v);
        take(m, l, l->summary->layer, layer);
        take(m, l, l->summary->level, level);
        l->layer = layer[0];
        l->level = level[0];
        l->heard = true;
    }
    if (m->dst)
        memset(m->dst, 0, m->rlen_grf * EU_GRF_B);
}

static void
hear_render(struct listener *l, const struct eu_message *m)
{
    bool replicated = bits_get(m->desc, 8, 10) == 1;
    for (unsigned c = 0; c < 4; c++) {
        const uint32_t *r = eu_message_reg(m, replicated ? 0 : c * l->width);
        if (r)
            l->color[c] = replicated ? r[c] : r[0];
    }
}

/* The first half's typed write. */
static void
hear_store(struct listener *l, const struct eu_message *m)
{
    const uint32_t *r = eu_message_reg(m, 0);
    if (r && bits_get(m->desc, 12, 13) == 1)
        memcpy(l->at, r, sizeof l->at);
}

static enum eu_msg_result
listen(struct eu_thread *t, const struct eu_message *m)
{
    struct listener *l = t->user;
    if (m->sfid == EU_SFID_SAMPLER)
        hear_sampler(l, m);
    else if (m->sfid == EU_SFID_RENDER)
        hear_render(l, m);
    else if (m->sfid == EU_SFID_DC1)
        hear_store(l, m);
    return EU_MSG_OK;
}

/* Launches threads of one setup, one after another. */
struct capture {
    const struct scene *sc;
    const struct setup *setup;
    struct eu_launch launch;
    struct listener listener;
    struct eu_thread thread;
};

static bool
begin(struct capture *c, const struct scene *sc, const struct setup *s)
{
    const struct shader_stage *ps = sc->ps;
    if (ps->grf_start >= EU_GRF_COUNT || sc->attr_grf >= EU_GRF_COUNT)
        return false;
    c->sc = sc;
    c->setup = s;
    struct eu_start start;
    stage_start(ps, &start);
    start.send = listen;
    /* All messages are sent. */
    start.surfaces = NULL;
    start.direct = NULL;
    eu_launch_init(&c->launch, &start);
    memset(c->thread.grf, 0, sizeof c->thread.grf);
    return true;
}

/* Fills all payload registers each time: the kernel may have overwritten them.
 */
static void
fill_registers(struct capture *c, uint32_t x, uint32_t y)
{
    const struct scene *sc = c->sc;
    const struct shader_stage *ps = sc->ps;
    struct eu_thread *t = &c->thread;
    eu_grf(t, 1)[7] = 0xffff; /* mask of pixels */
    for (unsigned q = 0; q < MAX_CAPTURE_QUADS; q++)
        eu_grf(t, 1)[2 + q] = (x + 2 * q) | (y + 2 * q) << 16;
    memset(eu_grf(t, ps->grf_start), 0,
           (EU_GRF_COUNT - ps->grf_start) * EU_GRF_B);
    unsigned push = MIN2(ps->push ? ps->push_grf : 0,
                         EU_GRF_COUNT - ps->grf_start);
    if (push)
        memcpy(eu_grf(t, ps->grf_start), ps->push, push * EU_GRF_B);
    unsigned attr = MIN2(sc->attr_count * 2, EU_GRF_COUNT - sc->attr_grf);
    if (attr)
        memcpy(eu_grf(t, sc->attr_grf), c->setup->attr, attr * EU_GRF_B);
}

/* Executes the kernel for quads from (x, y) on. */
static bool
run(struct capture *c, uint32_t x, uint32_t y)
{
    const struct shader_stage *ps = c->sc->ps;
    struct listener *l = &c->listener;
    uint32_t lanes = ps->simd == 16 ? 0xffff : 0xff;
    *l = (struct listener){
        .env = {.stage = ps,
                .vm = c->sc->draw->vm,
                .reset = c->sc->draw->reset,
                .hang = c->sc->draw->hang},
        .summary = ps->summary,
        .width = ps->simd / 8,
    };
    fill_registers(c, x, y);
    return thread_launch(&c->launch, &c->thread, &l->env, lanes, lanes);
}

bool
shader_eval_color(const struct scene *sc, const struct setup *s,
                  uint32_t color[4])
{
    struct capture c;
    if (!begin(&c, sc, s) || !run(&c, (uint32_t)s->x0, (uint32_t)s->y0))
        return false;
    memcpy(color, c.listener.color, sizeof c.listener.color);
    return true;
}

/* Columns are in the upper row of each quad, rows in its left column. */
static void
store(const struct listener *l, unsigned quads, uint32_t at, uint32_t width,
      uint32_t height, struct eval_table *t)
{
    for (unsigned i = 0; i < 2 * quads; i++) {
        unsigned quad = i / 2, odd = i % 2;
        if (at + i < width)
            t->u[at + i] = l->u[quad * 4 + odd];
        if (at + i < height)
            t->v[at + i] = l->v[quad * 4 + 2 * odd];
    }
}

bool
shader_eval_coords(const struct scene *sc, const struct setup *s, uint32_t x0,
                   uint32_t y0, uint32_t width, uint32_t height,
                   struct eval_table *t)
{
    unsigned quads = sc->ps->simd / 4;
    struct capture c;
    if (!begin(&c, sc, s))
        return false;
    for (uint32_t at = 0; at < MAX2(width, height); at += 2 * quads) {
        if (!run(&c, x0 + at, y0 + at))
            return false;
        store(&c.listener, quads, at, width, height, t);
        t->layer = c.listener.layer;
        t->level = c.listener.level;
    }
    return true;
}

bool
shader_eval_element(const struct scene *sc, const struct setup *s, uint32_t x,
                    uint32_t y, struct eval_element *e)
{
    struct capture c;
    if (!begin(&c, sc, s) || !run(&c, x, y))
        return false;
    const struct listener *l = &c.listener;
    bool stores = sc->ps->summary->kind == SUMMARY_TO_BUFFER;
    const uint32_t *at = stores ? l->at : l->u;
    /* Lanes 1 and 2 are the pixels to the right and below. */
    *e = (struct eval_element){
        .at = at[0],
        .at_column = at[1] - at[0],
        .at_row = at[2] - at[0],
        .u = l->u[0],
        .u_column = l->u[1] - l->u[0],
        .v = l->v[0],
        .v_row = l->v[2] - l->v[0],
        .layer = l->layer,
        .level = l->level,
    };
    return true;
}
