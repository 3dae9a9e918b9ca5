/* vs.c: runs vertex shader threads: SIMD8, eight vertices of the batch each. */
#include "engine/geom/geom.h"

#define LANES GEOM_THREAD_VERTS
/* Threads, or pieces, per job, which share set-up. */
#define JOB_THREADS 16

static bool
is_live(const struct eu_launch *l, unsigned grf)
{
    return l->live_in[grf / 32] >> (grf % 32) & 1;
}

/* Whether the kernel changes a register that its next thread reads. */
static bool
is_spoilt(const struct eu_launch *l, unsigned grf)
{
    return is_live(l, grf) && l->written[grf / 32] >> (grf % 32) & 1;
}

/* Place of the vertex elements in a thread's payload. */
struct inputs {
    unsigned grf, count; /* registers */
    unsigned from;       /* first dword of the vertex */
    bool any;            /* the kernel reads some of them */
};

static struct inputs
find_inputs(const struct geom *g, unsigned grf)
{
    const struct gen9_3dstate_vs *vs = &g->draw->vs;
    struct inputs in = {
        .grf = grf,
        .from = vs->vertex_urb_entry_read_offset * 8,
    };
    unsigned count = vs->vertex_urb_entry_read_length * 8;
    unsigned have = fetch_slots(g->fetch) * 4;
    have = have > in.from ? have - in.from : 0;
    in.count = MIN2(MIN2(count, have), EU_GRF_COUNT - grf);
    for (unsigned i = 0; i < in.count; i++)
        in.any |= is_live(&g->vs_launch, grf + i);
    return in;
}

/* In a short thread, lanes without a vertex repeat the last one. Done before
 * any thread runs: keys stored one by one just before could not be read as
 * vectors without a stall. */
static void
repeat_last(struct batch *b, unsigned end)
{
    for (unsigned i = end; i % LANES; i++) {
        b->key[i] = b->key[end - 1];
        b->instance[i] = b->instance[end - 1];
    }
}

static void
put_inputs(const struct geom *g, struct eu_thread *t, const struct inputs *in,
           unsigned first)
{
    fetch_lanes(g, g->batch.key + first, g->batch.instance + first, in->from,
                in->count, (uint32_t(*)[LANES])(void *)eu_grf(t, in->grf));
}

static void
put_handles(const struct geom *g, struct eu_thread *t, unsigned first,
            unsigned count)
{
    const struct urb_region *r = &g->vs_urb;
    const uint32_t step = r->entry_B / 64, handle = r->handle + step * first;
    uint32_t *out = eu_grf(t, 1);
    for (unsigned i = 0; i < LANES; i++)
        out[i] = handle + step * MIN2(i, count - 1);
}

/* Registers of the header, of constants and of zeros after the inputs that the
 * previous thread may have changed. */
struct again {
    uint32_t g0[8];
    bool header;
    unsigned zero_count, push_count;
    uint8_t zero[EU_GRF_COUNT];
    uint8_t push[EU_GRF_COUNT]; /* registers of constants */
};

/* Lists the changed registers among [from, end). */
static unsigned
list_spoilt(const struct eu_launch *l, unsigned from, unsigned end,
            uint8_t *grf)
{
    unsigned n = 0;
    for (unsigned first = from & ~31u; first < end; first += 32) {
        uint32_t set = l->live_in[first / 32] & l->written[first / 32];
        if (first < from)
            set &= UINT32_MAX << (from - first);
        if (end - first < 32)
            set &= (1u << (end - first)) - 1;
        for (; set; set &= set - 1)
            grf[n++] = (uint8_t)(first + (unsigned)__builtin_ctz(set));
    }
    return n;
}

static void
find_again(const struct eu_launch *l, const struct shader_stage *stage,
           struct eu_thread *t, const struct inputs *in, struct again *a)
{
    memcpy(a->g0, eu_grf(t, 0), sizeof a->g0);
    a->header = is_spoilt(l, 0);
    a->zero_count = list_spoilt(l, in->grf + in->count, EU_GRF_COUNT, a->zero);
    a->push_count = 0;
    if (stage->push)
        a->push_count = list_spoilt(
            l, stage->grf_start, stage->grf_start + stage->push_grf, a->push);
}

static void
put_again(const struct shader_stage *stage, const uint32_t *push,
          struct eu_thread *t, const struct again *a)
{
    if (a->header)
        memcpy(eu_grf(t, 0), a->g0, sizeof a->g0);
    for (unsigned i = 0; i < a->push_count; i++)
        memcpy(eu_grf(t, a->push[i]),
               push + (a->push[i] - stage->grf_start) * 8, EU_GRF_B);
    for (unsigned i = 0; i < a->zero_count; i++)
        memset(eu_grf(t, a->zero[i]), 0, EU_GRF_B);
}

/* A thread's share of the indices to prefetch. */
static uint32_t
find_share(const struct geom *g)
{
    if (!g->ahead_B)
        return 0;
    return (uint32_t)((uint64_t)g->ahead_B * LANES / g->batch.vert_count);
}

static void
fetch_ahead(const struct geom *g, unsigned thread, uint32_t share_B)
{
    const uint8_t *p = g->ahead + (size_t)thread * share_B;
    for (uint32_t i = 0; i < share_B; i += 64)
        __builtin_prefetch(p + i);
}

/* Prepares vertices for the clipper while they are in the nearest cache. */
static void
prepare(struct geom *g, unsigned first, unsigned end)
{
    struct batch *b = &g->batch;
    if (!g->tris)
        return;
    vertex_prepare_all(g, geom_entry(g, &g->vs_urb, first), g->vs_urb.entry_B,
                       b->vert + first, end - first, 0, b->codes + first);
}

/* A series of threads with common set-up. */
struct job {
    struct geom *g;
    const struct shader_stage *stage;
    struct inputs in;
    struct again again;
    struct thread_env env;
    struct eu_thread t;
    uint32_t share_B;
    struct thread_series series;
    bool begun;
};

static bool
job_init(struct job *j, struct geom *g, unsigned worker)
{
    const struct shader_stage *stage = &g->draw->stage[STAGE_VS];
    struct eu_start start;
    j->g = g;
    j->stage = stage;
    geom_env(g, stage, worker, &j->env, &start, 0);
    unsigned grf = geom_payload(stage, &j->t, worker);
    if (!grf) {
        geom_fail(g);
        return false;
    }
    j->in = find_inputs(g, grf);
    find_again(&g->vs_launch, stage, &j->t, &j->in, &j->again);
    eu_launch_zero(&g->vs_launch, &j->t, grf + j->in.count);
    j->share_B = find_share(g);
    j->begun = false;
    thread_series_begin(&j->series, &g->vs_launch, &j->t, &j->env);
    return true;
}

/* Runs vertices [first, end) with the same constants. */
static void
run_vertices(struct job *j, const uint32_t *push, unsigned first, unsigned end)
{
    struct geom *g = j->g;
    for (; first < end && !geom_stopped(g); first += LANES) {
        unsigned count = MIN2(end - first, LANES);
        uint32_t mask = (1u << count) - 1;
        if (j->begun)
            put_again(j->stage, push, &j->t, &j->again);
        j->begun = true;
        put_handles(g, &j->t, first, count);
        if (j->in.any) {
            vm_fetch_begin();
            put_inputs(g, &j->t, &j->in, first);
            vm_fetch_end();
        }
        if (j->share_B)
            fetch_ahead(g, first / LANES, j->share_B);
        thread_series_run(&j->series, mask);
    }
}

static void
clear_entries(const struct geom *g, unsigned first, unsigned end)
{
    memset(geom_entry(g, &g->vs_urb, first), 0,
           (size_t)g->vs_urb.entry_B * (end - first));
}

static void
run_job(struct geom *g, unsigned index, unsigned worker)
{
    unsigned begin = g->batch.have + index * JOB_THREADS * LANES;
    unsigned end = MIN2(g->batch.vert_count, begin + JOB_THREADS * LANES);
    struct job j;
    if (!job_init(&j, g, worker))
        return;
    clear_entries(g, begin, end);
    uint32_t mode = eu_launch_begin(&g->vs_launch);
    run_vertices(&j, j.stage->push, begin, end);
    thread_series_end(&j.series);
    eu_launch_end(&g->vs_launch, mode);
    prepare(g, begin, end);
}

static void
run_pieces_job(struct geom *g, unsigned index, unsigned worker)
{
    struct batch *b = &g->batch;
    const struct batch_piece *p = b->piece + index * JOB_THREADS;
    unsigned count = MIN2(b->piece_count - index * JOB_THREADS, JOB_THREADS);
    unsigned begin = p[0].first;
    unsigned end = p[count - 1].first + p[count - 1].count;
    struct job j;
    if (!job_init(&j, g, worker))
        return;
    clear_entries(g, begin, end);
    uint32_t mode = eu_launch_begin(&g->vs_launch);
    for (unsigned i = 0; i < count; i++) {
        if (p[i].push)
            memcpy(eu_grf(&j.t, j.stage->grf_start), p[i].push,
                   j.stage->push_grf * EU_GRF_B);
        run_vertices(&j, p[i].push, p[i].first, p[i].first + p[i].count);
    }
    thread_series_end(&j.series);
    eu_launch_end(&g->vs_launch, mode);
    prepare(g, begin, end);
    /* Padding vertices repeat a code, so that they do not change the union of
     * codes. */
    for (unsigned i = 0; i < count; i++) {
        unsigned at = p[i].first + p[i].count;
        for (; at % LANES; at++)
            b->codes[at] = b->codes[at - 1];
    }
}

/* Records shaded vertices for the next batch, if a thread's result depends only
 * on its vertex and goes only to its entry. */
static void
note_shaded(struct geom *g)
{
    struct batch *b = &g->batch;
    bool stays = b->numbered && b->vert_count == b->key_range &&
                 g->vs_launch.steady &&
                 eu_kernel_is_pure(g->vs_launch.start.kernel);
    b->shaded_count = stays ? b->vert_count : 0;
    b->shaded_key = b->least_key;
    b->shaded_instance = g->instance;
}

static void
run_threads(struct geom *g)
{
    struct eu_start start;
    struct thread_env env;
    unsigned count = g->batch.vert_count, fresh = count - g->batch.have;
    if (!g->vs_ready) {
        geom_env(g, &g->draw->stage[STAGE_VS], 0, &env, &start, 0);
        eu_launch_init(&g->vs_launch, &start);
        g->vs_ready = true;
    }
    repeat_last(&g->batch, count);
    for (unsigned i = 0; i < g->batch.piece_count; i++)
        repeat_last(&g->batch,
                    g->batch.piece[i].first + g->batch.piece[i].count);
    if (g->batch.piece_count)
        geom_for(g, DIV_ROUND_UP(g->batch.piece_count, JOB_THREADS),
                 run_pieces_job);
    else
        geom_for(g, DIV_ROUND_UP(fresh, JOB_THREADS * LANES), run_job);
    stats_add(STAT_threads_vs, DIV_ROUND_UP(fresh, LANES));
    note_shaded(g);
    if (!fetch_has_edge_flag(g->fetch))
        return;
    for (unsigned i = 0; i < count; i++)
        g->batch.vert[i].edge_flag = fetch_edge_flag(g, g->batch.key[i],
                                                     g->batch.instance[i]);
}

/* VS off: the elements are the VUE. Observed: drivers blit and clear this
 * way. */
static void
run_fetch(struct geom *g)
{
    unsigned count = g->batch.vert_count;
    vm_fetch_begin();
    for (unsigned i = 0; i < count; i++) {
        struct geom_vert *v = &g->batch.vert[i];
        uint32_t *vue = geom_entry(g, &g->vs_urb, i);
        memset(vue, 0, g->vs_urb.entry_B);
        fetch_vertex(g, g->batch.key[i], g->batch.instance[i], vue,
                     &v->edge_flag);
    }
    vm_fetch_end();
    prepare(g, 0, count);
}

void
vs_count(const struct geom *g, uint64_t count)
{
    if (g->draw->stage[STAGE_VS].enabled && g->draw->vs.statistics_enable)
        atomic_fetch_add(&g->draw->stats->vs_invocations, count);
}

void
vs_run(struct geom *g)
{
    const struct batch *b = &g->batch;
    unsigned count = b->piece_count ? 0 : b->vert_count;
    for (unsigned i = 0; i < b->piece_count; i++)
        count += b->piece[i].count;
    vs_count(g, count);
    if (g->unseen)
        return;
    stats_add(STAT_vertices, count);
    if (g->draw->stage[STAGE_VS].enabled)
        run_threads(g);
    else
        run_fetch(g);
}
