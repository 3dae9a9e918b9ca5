/* tri_fast_path.c: fast path for triangles of a draw without stages between VS
 * and clipper. Most triangles are rejected, culled or small, so cost per
 * triangle matters. Triangles that need clipping go to the clipper, in
 * order. */
#include "base/pool.h"
#include "engine/geom/vertex_batch.h"
#include "engine/geom/clip/clip.h"

/* Smaller parts would be set up before another worker has started. */
#define PART_MIN 256
#define PARTS_MAX 32

bool
tris_possible(const struct geom *g)
{
    const struct draw *draw = g->draw;
    struct assemble_span span;
    bool cut = draw->indexed && draw->vf.indexed_draw_cut_index_enable;
    switch (draw->topology) {
    case GEN9_3DPRIM_TRILIST:
    case GEN9_3DPRIM_TRISTRIP:
    case GEN9_3DPRIM_TRISTRIP_REVERSE:
    case GEN9_3DPRIM_TRIFAN:
    case GEN9_3DPRIM_TRIFAN_NOSTIPPLE: break;
    default: return false;
    }
    return assemble_span(draw->topology, &span) && !cut &&
           draw->vertex_count >= span.size && draw_is_plain(draw);
}

/* ---- to the batch ----------------------------------------------------- */

bool
tris_are_fan(const struct draw *draw)
{
    return draw->topology == GEN9_3DPRIM_TRIFAN ||
           draw->topology == GEN9_3DPRIM_TRIFAN_NOSTIPPLE;
}

/* Whether the triangle is wound in reverse. */
static bool
is_odd(const struct draw *draw, uint32_t prim_id)
{
    switch (draw->topology) {
    case GEN9_3DPRIM_TRISTRIP: return prim_id & 1;
    case GEN9_3DPRIM_TRISTRIP_REVERSE: return !(prim_id & 1);
    default: return false;
    }
}

static inline void
add(struct geom *g, uint32_t prim_id, uint32_t k0, uint32_t k1, uint32_t k2)
{
    struct batch *b = &g->batch;
    const uint32_t key[3] = {k0, k1, k2};
    if (!b->numbered &&
        (!batch_has_room(b, 3) || b->tri_count == b->object_cap))
        batch_run(g);
    struct prim_tri *t = &b->tri[b->tri_count++];
    if (b->numbered) {
        for (unsigned i = 0; i < 3; i++)
            t->corner[i] = b->slot[key[i] - b->least_key];
    } else if (b->unique) {
        for (unsigned i = 0; i < 3; i++)
            t->corner[i] = (uint16_t)batch_unique_vertex(g, key[i]);
    } else {
        for (unsigned i = 0; i < 3; i++)
            t->corner[i] = (uint16_t)batch_vertex(g, key[i]);
    }
    t->primitive_id = prim_id;
}

void
tris_add(struct geom *g, uint32_t prim_id, uint32_t count, const uint32_t *key)
{
    const struct draw *draw = g->draw;
    uint32_t first = g->batch.tri_key[0];
    if (draw->topology == GEN9_3DPRIM_TRILIST) {
        for (uint32_t i = 0; i < count; i++, key += 3)
            add(g, prim_id + i, key[0], key[1], key[2]);
    } else if (tris_are_fan(draw)) {
        for (uint32_t i = 0; i < count; i++, key++)
            add(g, prim_id + i, first, key[1], key[2]);
    } else {
        for (uint32_t i = 0; i < count; i++, key++) {
            bool odd = is_odd(draw, prim_id + i);
            add(g, prim_id + i, key[odd], key[!odd], key[2]);
        }
    }
}

/* ---- from the batch --------------------------------------------------- */

struct run {
    struct geom *g;
    struct prim_list *list;
    bool is_part; /* other workers run the other parts */
    struct prim_mesh mesh;
    uint64_t invocations, passed;
};

static void
cut(struct geom *g, const struct prim_tri *t)
{
    struct geom_object o = {
        .kind = GEOM_TRI,
        .count = 3,
        .family = tris_are_fan(g->draw) ? FAMILY_FAN : FAMILY_STRIP_LIST,
        .edge_mask = 7,
        .odd = is_odd(g->draw, t->primitive_id),
        .prim_id = t->primitive_id,
    };
    struct geom_vert *v[3];
    for (unsigned i = 0; i < 3; i++)
        v[i] = &g->batch.vert[t->corner[i]];
    clip_object(g, &o, v, output_provoking(g->draw, &o, 3));
}

static bool
is_unseen(const struct draw *draw)
{
    return draw->raster.cull_mode == GEN9_3DSTATE_RASTER_CULL_MODE_BOTH;
}

static uint8_t
provoking(const struct draw *draw, bool odd)
{
    struct geom_object o = {
        .kind = GEOM_TRI,
        .family = tris_are_fan(draw) ? FAMILY_FAN : FAMILY_STRIP_LIST,
        .odd = odd,
    };
    return (uint8_t)output_provoking(draw, &o, 3);
}

/* Vertex codes that reject a triangle, and codes that require clipping. */
struct fate {
    uint32_t reject, cut;
    uint32_t any, all; /* union and intersection of the batch's codes */
};

static void
add_codes(const struct batch *b, struct fate *f)
{
    uint32_t any = 0, all = UINT32_MAX;
    for (unsigned i = 0; i < b->vert_count; i++) {
        any |= b->codes[i];
        all &= b->codes[i];
    }
    f->any = any;
    f->all = all;
}

/* Whether all triangles of the batch are rejected, or all pass but are
 * culled. */
static bool
all_are_gone(struct geom *g, const struct fate *f)
{
    bool rejected = !(f->any & CLIP_NAN) && (f->all & f->reject);
    if (!rejected && (f->any & (f->reject | f->cut) || !is_unseen(g->draw)))
        return false;
    g->cl_invocations += g->batch.tri_count;
    g->cl_primitives += rejected ? 0 : g->batch.tri_count;
    return true;
}

/* One bit per triangle, of up to PRIM_TRIS. */
struct sorted {
    uint32_t rejected, cut;
    unsigned rejected_count, cut_count;
};

static struct sorted
sort_some(const struct batch *b, const struct fate *f,
          const struct prim_tri *tri, unsigned count)
{
    struct sorted s = {0};
    if (!(f->any & (f->reject | f->cut)))
        return s;
    for (unsigned i = 0; i < count; i++) {
        uint32_t c0 = b->codes[tri[i].corner[0]];
        uint32_t c1 = b->codes[tri[i].corner[1]];
        uint32_t c2 = b->codes[tri[i].corner[2]];
        uint32_t any = c0 | c1 | c2, all = c0 & c1 & c2;
        if (!(any & CLIP_NAN) && (all & f->reject)) {
            s.rejected |= 1u << i;
            s.rejected_count++;
        } else if (any & f->cut) {
            s.cut |= 1u << i;
            s.cut_count++;
        }
    }
    return s;
}

static void
run_init(struct run *run, struct geom *g, struct prim_list *list, bool is_part)
{
    *run = (struct run){
        .g = g,
        .list = list,
        .is_part = is_part,
        .mesh = {.corner = &g->batch.vert->p,
                 .vue_slots = g->vue_slots,
                 .provoking = {provoking(g->draw, is_odd(g->draw, 0)),
                               provoking(g->draw, is_odd(g->draw, 1))}}};
}

static void
run_add(struct run *run, const struct prim_tri *tri, unsigned count,
        uint32_t which)
{
    struct geom *g = run->g;
    if (which &&
        scene_add_triangles(run->list, &run->mesh, tri, count, which) &&
        !g->lane && !run->is_part)
        scene_flush(g->scene);
}

/* Emits passing triangles and clips others, in order. */
static void
run_some(struct run *run, const struct prim_tri *tri, unsigned count,
         uint32_t pass, uint32_t to_cut)
{
    for (; to_cut; to_cut &= to_cut - 1) {
        unsigned i = (unsigned)__builtin_ctz(to_cut);
        uint32_t before = pass & ((1u << i) - 1);
        run_add(run, tri, count, before);
        cut(run->g, &tri[i]);
        pass &= ~before;
    }
    run_add(run, tri, count, pass);
}

/* Runs triangles [first, end) of the batch. */
static void
sort_out(struct run *run, const struct fate *f, unsigned first, unsigned end)
{
    const struct batch *b = &run->g->batch;
    bool unseen = is_unseen(run->g->draw);
    uint64_t invocations = 0, passed = 0;
    for (unsigned i = first, n; i < end; i += n) {
        const struct prim_tri *tri = b->tri + i;
        n = MIN2(end - i, PRIM_TRIS);
        struct sorted s = sort_some(b, f, tri, n);
        uint32_t pass = ((1u << n) - 1) & ~(s.rejected | s.cut);
        invocations += n - s.cut_count;
        passed += n - s.cut_count - s.rejected_count;
        run_some(run, tri, n, unseen ? 0 : pass, s.cut);
    }
    run->invocations = invocations;
    run->passed = passed;
}

/* ---- on several workers ----------------------------------------------- */

/* Parts of a single-chunk draw after its vertices are shaded; each part has its
 * own list. */
struct parts {
    struct geom *g;
    unsigned count;
    const struct fate *fate;
    struct prim_list *list[PARTS_MAX];
    atomic_ullong invocations, passed;
};

static void
run_part(void *ctx, unsigned index, unsigned worker)
{
    struct parts *p = ctx;
    uint64_t tris = p->g->batch.tri_count;
    unsigned first = (unsigned)(tris * index / p->count);
    unsigned end = (unsigned)(tris * (index + 1) / p->count);
    struct run run;
    run_init(&run, p->g, p->list[index], true);
    vm_thread_enter();
    sort_out(&run, p->fate, first, end);
    vm_thread_leave();
    scene_sort(p->list[index]);
    atomic_fetch_add(&p->invocations, run.invocations);
    atomic_fetch_add(&p->passed, run.passed);
}

static unsigned
count_parts(const struct geom *g)
{
    struct pool *pool = g->draw->pool;
    unsigned workers = !g->lane && pool ? pool_workers(pool) : 1;
    unsigned count = MIN2(g->batch.tri_count / PART_MIN, workers * 2);
    return workers > 1 ? MIN2(count, (unsigned)PARTS_MAX) : 1;
}

/* False: nothing done, as the batch is small or needs clipping. */
static bool
run_parts(struct geom *g, const struct fate *fate)
{
    struct parts p = {.g = g, .count = count_parts(g), .fate = fate};
    if (p.count < 2 || fate->any & fate->cut)
        return false;
    for (unsigned i = 0; i < p.count; i++) {
        p.list[i] = scene_list(g->scene, i);
        if (!p.list[i])
            return false;
    }
    pool_for(g->draw->pool, p.count, run_part, &p);
    g->cl_invocations += p.invocations;
    g->cl_primitives += p.passed;
    /* Later primitives go into the first list again. */
    scene_flush(g->scene);
    return true;
}

void
tris_run(struct geom *g)
{
    const struct gen9_3dstate_clip *clip = &g->draw->clip;
    struct batch *b = &g->batch;
    unsigned mode = clip->clip_mode;
    if (clip->clip_enable &&
        mode == GEN9_3DSTATE_CLIP_CLIP_MODE_CLIPMODE_REJECT_ALL) {
        g->cl_invocations += b->tri_count;
        return;
    }
    bool tested = clip->clip_enable &&
                  mode != GEN9_3DSTATE_CLIP_CLIP_MODE_CLIPMODE_ACCEPT_ALL;
    struct fate fate = {
        .reject = tested ? g->reject_codes : 0,
        .cut = CLIP_OFF | (tested ? g->clip_codes | CLIP_NAN : 0),
    };
    add_codes(b, &fate);
    if (all_are_gone(g, &fate))
        return;
    struct prim_list *list = clip_list(g);
    if (!list) {
        geom_fail(g);
        return;
    }
    if (b->numbered) {
        unsigned count = b->tri_count;
        b->tri_count = 0;
        tris_add(g, b->first_prim, count, b->tri_key + 1);
    }
    if (run_parts(g, &fate))
        return;
    struct run run;
    run_init(&run, g, list, false);
    sort_out(&run, &fate, 0, b->tri_count);
    g->cl_invocations += run.invocations;
    g->cl_primitives += run.passed;
}
