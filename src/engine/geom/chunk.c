/* chunk.c: splits a draw into chunks and runs them, on one lane or on one per
 * worker. */
#include "engine/geom/geom.h"
#include "engine/geom/vue_transpose.h"

#include <stdlib.h>

#include "base/pool.h"

/* Keys read at a time. */
#define PIECE 1024
#define APART_PRIMS 512
/* Chunks of a round, after which all workers wait while the scene is flushed. A
 * round makes ROUND_B bytes, which should still be in a cache at the flush, but
 * has at least one chunk per worker. The more of the image a round covers, the
 * more a worker draws of its own primitives. */
#define ROUND_PER_WORKER 16
#define ROUND_B (16u * 1024 * 1024)

/* A chunk: some instances, with all primitives or with one range of them. */
struct chunk {
    uint32_t instance, instance_count;
    uint32_t prim, prim_count; /* prim_count 0: all vertices */
};

struct chunks {
    struct geom *g;
    bool splits;
    struct assemble_span span;
    uint32_t prims;          /* of an instance, if split */
    uint32_t per_instance;   /* chunks per instance */
    uint32_t instance_group; /* instances per chunk */
    uint64_t count;
    /* of the current round */
    uint64_t first;
    struct geom **lane; /* per worker */
};

static struct chunk
chunk_at(const struct chunks *cs, uint64_t i)
{
    uint32_t instance = (uint32_t)(i / cs->per_instance) * cs->instance_group;
    uint32_t left = cs->g->draw->instance_count - instance;
    struct chunk c = {
        .instance = instance,
        .instance_count = MIN2(left, cs->instance_group),
    };
    if (cs->splits) {
        c.prim = (uint32_t)(i % cs->per_instance) * GEOM_CHUNK_PRIMS;
        c.prim_count = MIN2(cs->prims - c.prim, (uint32_t)GEOM_CHUNK_PRIMS);
    }
    return c;
}

static void
plan_chunks(struct chunks *cs)
{
    const struct draw *draw = cs->g->draw;
    uint32_t n = draw->vertex_count;
    bool cut = draw->indexed && draw->vf.indexed_draw_cut_index_enable;
    uint32_t size = n;
    cs->per_instance = 1;
    cs->splits = !cut && assemble_span(draw->topology, &cs->span) &&
                 n >= cs->span.size;
    if (cs->splits) {
        size = cs->prims = (n - cs->span.size) / cs->span.step + 1;
        cs->per_instance = DIV_ROUND_UP(cs->prims, GEOM_CHUNK_PRIMS);
    }
    cs->instance_group = MAX2(GEOM_CHUNK_PRIMS / MAX2(size, 1u), 1u);
    cs->count = n ? (uint64_t)DIV_ROUND_UP(draw->instance_count,
                                           (uint64_t)cs->instance_group) *
                        cs->per_instance
                  : 0;
}

/* ---- walking ---------------------------------------------------------- */

void
chunk_read_indices(const struct draw *draw, uint64_t at, uint32_t count,
                   uint32_t *key)
{
    unsigned size_B = draw->index_buffer.index_B;
    uint64_t limit = draw->index_buffer.size_B / size_B;
    uint32_t have = at >= limit ? 0
                                : (uint32_t)MIN2(limit - at, (uint64_t)count);
    const uint8_t *p = vm_ptr(draw->vm, draw->index_buffer.va + at * size_B);
    memset(key + have, 0, (count - have) * sizeof *key);
    if (size_B == 4) {
        memcpy(key, p, have * sizeof *key);
    } else if (size_B == 2) {
        for (uint32_t i = 0; i < have; i++) {
            uint16_t u16;
            memcpy(&u16, p + i * 2, 2);
            key[i] = u16;
        }
    } else {
        for (uint32_t i = 0; i < have; i++)
            key[i] = p[i];
    }
}

/* Sets the indices to prefetch: `count` of them from `at` on, if they are in
 * the buffer. */
static void
look_ahead(struct geom *g, uint64_t at, uint32_t count)
{
    const struct draw *draw = g->draw;
    unsigned size_B = draw->index_buffer.index_B;
    uint64_t limit = draw->indexed && draw->range_count <= 1
                         ? draw->index_buffer.size_B / size_B
                         : 0;
    at += draw->start_vertex;
    g->ahead_B = 0;
    if (at >= limit || count < PIECE)
        return;
    g->ahead = vm_ptr(draw->vm, draw->index_buffer.va + at * size_B);
    g->ahead_B = (uint32_t)MIN2(limit - at, (uint64_t)count) * size_B;
}

/* The last range that begins at or before vertex `at`. */
static unsigned
find_range(const struct draw *draw, uint32_t at)
{
    unsigned lo = 0, hi = draw->range_count;
    while (hi - lo > 1) {
        unsigned mid = (lo + hi) / 2;
        if (draw->range[mid].first <= at)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* Keys of vertices [from, from + count) of the draw: indices, or vertex
 * numbers. */
static void
read_keys(const struct draw *draw, uint32_t from, uint32_t count, uint32_t *key)
{
    if (!draw->indexed) {
        for (uint32_t i = 0; i < count; i++)
            key[i] = from + i;
        return;
    }
    if (draw->range_count <= 1) {
        chunk_read_indices(draw, (uint64_t)draw->start_vertex + from, count,
                           key);
        return;
    }
    for (unsigned r = find_range(draw, from); count; r++) {
        const struct draw_range *range = &draw->range[r];
        uint32_t n = count;
        if (r + 1 < draw->range_count)
            n = MIN2(n, range[1].first - from);
        chunk_read_indices(
            draw, (uint64_t)range->start_vertex + from - range->first, n, key);
        key += n;
        from += n;
        count -= n;
    }
}

static void
walk_all(struct geom *g)
{
    const struct draw *draw = g->draw;
    bool cut = draw->indexed && draw->vf.indexed_draw_cut_index_enable;
    uint32_t key[PIECE];
    for (uint32_t at = 0; at < draw->vertex_count;) {
        uint32_t count = MIN2(draw->vertex_count - at, (uint32_t)PIECE);
        if (geom_stopped(g))
            return;
        read_keys(draw, at, count, key);
        at += count;
        for (uint32_t i = 0; i < count; i++) {
            if (cut && key[i] == draw->vf.cut_index) {
                assemble_cut(&g->assembler);
                continue;
            }
            g->ia_vertices++;
            assemble_vertex(&g->assembler, key[i]);
        }
    }
    assemble_end(&g->assembler);
}

/* Adds triangles [prim, prim + count) of a chunk to the batch. */
static void
walk_tris(struct geom *g, const struct assemble_span *span,
          const struct chunk *c, uint32_t prim, uint32_t count, uint32_t first)
{
    struct batch *b = &g->batch;
    unsigned before = span->size - span->step;
    uint32_t keys = count * span->step + before;
    bool fan = tris_are_fan(g->draw);
    uint32_t *key = b->tri_key, lo, hi;
    key[0] = first;
    read_keys(g->draw, prim * span->step, keys, key + 1);
    look_ahead(g, (uint64_t)prim * span->step + keys, keys);
    g->lanes->range(key + !fan, keys + fan, &lo, &hi);
    /* Distinct keys then have distinct slots in the batch's table. */
    b->unique = c->instance_count == 1 && hi - lo <= b->slot_mask;
    g->ia_primitives += count;
    if (b->unique && count <= b->object_cap &&
        batch_number(g, key + !fan, keys + fan, lo, hi - lo + 1)) {
        b->tri_count = count;
        b->first_prim = prim;
        return;
    }
    for (uint32_t done = 0; done < count && !geom_stopped(g);) {
        uint32_t n = MIN2(count - done, (uint32_t)PIECE);
        tris_add(g, prim + done, n, key + 1 + done * span->step);
        done += n;
    }
}

/* Triangles without shared vertices run in small batches, so that each stage
 * finds the previous one's results in a near cache; but not if several workers
 * share a batch. */
static void
walk_all_tris(struct geom *g, const struct assemble_span *span,
              const struct chunk *c, uint32_t first)
{
    bool apart = !g->draw->indexed && span->step == span->size &&
                 c->instance_count == 1 &&
                 (g->lane || !g->draw->pool || pool_workers(g->draw->pool) < 2);
    uint32_t most = apart ? APART_PRIMS : c->prim_count;
    for (uint32_t done = 0, n; done < c->prim_count && !geom_stopped(g);
         done += n) {
        if (done)
            batch_run(g);
        n = MIN2(c->prim_count - done, most);
        walk_tris(g, span, c, c->prim + done, n, first);
    }
}

static void
walk_range(struct geom *g, const struct assemble_span *span,
           const struct chunk *c)
{
    const struct draw *draw = g->draw;
    unsigned before = span->size - span->step;
    uint32_t at = c->prim * span->step;
    uint32_t end = at + c->prim_count * span->step + before;
    uint32_t first, key[PIECE];
    read_keys(draw, 0, 1, &first);
    read_keys(draw, at, before, key);
    assemble_seek(&g->assembler, span, c->prim, first, key);
    if (g->tris) {
        walk_all_tris(g, span, c, first);
        at = end;
    }
    for (at += before; at < end;) {
        uint32_t count = MIN2(end - at, (uint32_t)PIECE);
        if (geom_stopped(g))
            return;
        read_keys(draw, at, count, key);
        at += count;
        for (uint32_t i = 0; i < count; i++)
            assemble_vertex(&g->assembler, key[i]);
    }
    /* Count vertices that complete no primitive as well. */
    g->ia_vertices += (uint64_t)c->prim_count * span->step;
    if (draw->vertex_count - end < span->step)
        g->ia_vertices += draw->vertex_count - end + before;
}

static void
chunk_run(struct geom *g, const struct chunks *cs, uint64_t index)
{
    struct chunk c = chunk_at(cs, index);
    if (g->draw->vs_varies) {
        pieces_add(g);
        batch_run(g);
        return;
    }
    for (uint32_t i = 0; i < c.instance_count && !geom_stopped(g); i++) {
        g->instance = c.instance + i;
        batch_instance(g);
        if (c.prim_count)
            walk_range(g, &cs->span, &c);
        else
            walk_all(g);
    }
    batch_run(g);
}

/* ---- lanes ------------------------------------------------------------ */

static void
lane_destroy(struct geom *l)
{
    if (!l)
        return;
    batch_finish(l);
    clip_finish(l);
    geom_give(l, GEOM_URB, l->urb.base);
    free(l);
}

static struct geom *
lane_create(const struct geom *g, unsigned worker)
{
    struct geom *l = malloc(sizeof *l);
    if (!l)
        return NULL;
    *l = *g;
    l->lane = true;
    l->lanes_count = g->draw->pool ? pool_workers(g->draw->pool) : 1;
    l->kept = NULL;
    l->spare = geom_find_spare(g, worker);
    l->worker = worker;
    l->assembler.ctx = l;
    l->batch = (struct batch){0};
    l->vs_ready = false;
    l->urb.base = NULL;
    l->cut_vue = NULL;
    l->cl_invocations = l->cl_primitives = 0;
    l->cl_cut = l->cl_pieces = 0;
    l->ia_vertices = l->ia_primitives = 0;
    if (batch_init(l) && clip_init(l) && geom_urb_init(l))
        return l;
    lane_destroy(l);
    return NULL;
}

static void
run_job(void *ctx, unsigned index, unsigned worker)
{
    struct chunks *cs = ctx;
    struct geom *g = cs->g;
    if (!cs->lane[worker])
        cs->lane[worker] = lane_create(g, worker);
    struct geom *l = cs->lane[worker];
    if (!l) {
        geom_fail(g);
        return;
    }
    l->list = scene_list(g->scene, index);
    vm_thread_enter();
    chunk_run(l, cs, cs->first + index);
    vm_thread_leave();
    scene_sort(l->list);
}

static void
take_counts(struct geom *g, const struct geom *l)
{
    g->cl_invocations += l->cl_invocations;
    g->cl_primitives += l->cl_primitives;
    g->cl_cut += l->cl_cut;
    g->cl_pieces += l->cl_pieces;
    g->ia_vertices += l->ia_vertices;
    g->ia_primitives += l->ia_primitives;
}

/* Creates the lists before several threads use them. */
static bool
make_lists(struct geom *g, unsigned count)
{
    if (!g->scene)
        g->scene = scene_create(g->draw);
    for (unsigned i = 0; g->scene && i < count; i++) {
        if (!scene_list(g->scene, i))
            return false;
    }
    return g->scene != NULL;
}

/* Chunks of the next round, a multiple of the workers, by the size of the last
 * round's. */
static unsigned
next_round(const struct chunks *cs, unsigned workers, unsigned last)
{
    size_t each_B = scene_used_B(cs->g->scene) / last * workers;
    size_t each = each_B ? ROUND_B / each_B : ROUND_PER_WORKER;
    return workers * (unsigned)CLAMP(each, 1u, ROUND_PER_WORKER);
}

static void
run_in_rounds(struct chunks *cs, unsigned workers)
{
    struct geom *g = cs->g;
    unsigned round = workers * 2;
    cs->lane = calloc(workers, sizeof(struct geom *));
    if (!cs->lane)
        geom_fail(g);
    while (cs->first < cs->count && !geom_stopped(g)) {
        unsigned n = (unsigned)MIN2(cs->count - cs->first, (uint64_t)round);
        if (!make_lists(g, n)) {
            geom_fail(g);
            break;
        }
        pool_for(g->draw->pool, n, run_job, cs);
        cs->first += n;
        round = next_round(cs, workers, n);
        scene_flush(g->scene);
    }
    for (unsigned i = 0; cs->lane && i < workers; i++) {
        if (cs->lane[i])
            take_counts(g, cs->lane[i]);
        lane_destroy(cs->lane[i]);
    }
    free(cs->lane);
}

/* Whether each primitive is independent of the ones before it. */
static bool
chunks_are_independent(const struct geom *g)
{
    const struct draw *draw = g->draw;
    return !g->tess && !g->gs && !draw->so.so_function_enable &&
           !draw->fast_clear && !draw->wm.line_stipple_enable;
}

/* Counts all of a draw without output, if no indices are needed. */
static void
count_all(const struct chunks *cs)
{
    struct geom *g = cs->g;
    const struct draw *draw = g->draw;
    uint64_t instances = draw->instance_count;
    uint64_t prims = instances * cs->prims;
    unsigned before = cs->span.size - cs->span.step;
    bool quads = draw->topology == GEN9_3DPRIM_QUADLIST ||
                 draw->topology == GEN9_3DPRIM_QUADSTRIP;
    g->ia_vertices += instances * draw->vertex_count;
    g->ia_primitives += prims;
    vs_count(g, prims * cs->span.step + instances * before);
    if (!draw->so.rendering_disable)
        g->cl_invocations += quads ? prims * 2 : prims;
}

void
chunks_run(struct geom *g)
{
    struct chunks cs = {.g = g};
    unsigned workers = g->draw->pool ? pool_workers(g->draw->pool) : 1;
    plan_chunks(&cs);
    g->splits = cs.splits;
    g->begun_ns = clock_tick_ns();
    g->work = (double)(cs.splits ? cs.prims : g->draw->vertex_count) *
              g->draw->instance_count;
    g->lanes_count = 1;
    if (g->unseen && cs.splits && !g->draw->indexed) {
        count_all(&cs);
        return;
    }
    if (workers > 1 && cs.count > 1 && chunks_are_independent(g)) {
        run_in_rounds(&cs, workers);
        return;
    }
    for (uint64_t i = 0; i < cs.count && !geom_stopped(g); i++)
        chunk_run(g, &cs, i);
}
