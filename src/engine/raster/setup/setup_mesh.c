/* setup_mesh.c: setup of meshes: many triangles at a time, most of them small.
 */
#include "engine/raster/scene.h"

struct tri_source {
    const struct prim_mesh *mesh;
    const struct prim_tri *tri;
    const struct prim_corner *corner[3];
    uint8_t provoking;
};

/* Fills in place: to copy a struct right after its pointers were stored one by
 * one stalls store forwarding. */
static inline void
find_source(struct tri_source *t, const struct prim_mesh *mesh,
            const struct prim_tri *tri)
{
    t->mesh = mesh;
    t->tri = tri;
    t->provoking = mesh->provoking[tri->primitive_id & 1];
    for (unsigned k = 0; k < 3; k++)
        t->corner[k] = prim_corner(mesh, tri, k);
}

/* Limited to 16 bits: no array has more layers. */
static uint16_t
layer_of(const struct scene *sc, const struct tri_source *t)
{
    if (sc->draw->clip.force_zero_rta_index_enable)
        return 0;
    return (uint16_t)MIN2(t->corner[t->provoking]->v.vue[1], 0xffffu);
}

static struct prim
prim_of(const struct scene *sc, const struct tri_source *t)
{
    struct prim p = {
        .kind = PRIM_TRIANGLE,
        .edge_mask = 7,
        .vue_slots = t->mesh->vue_slots,
        .provoking = t->provoking,
        .primitive_id = t->tri->primitive_id,
        .layer = layer_of(sc, t),
    };
    for (unsigned k = 0; k < 3; k++)
        p.v[k] = t->corner[k]->v;
    return p;
}

static void
fill_attributes(const struct scene *sc, const struct tri_source *t,
                const struct prim_vertex *const v[3], bool back, uint32_t *out)
{
    if (sc->attr_plain) {
        const uint32_t *const vue[3] = {v[0]->vue, v[1]->vue, v[2]->vue};
        attr_fill_plain(sc, vue[t->provoking], vue, t->mesh->vue_slots, out);
    } else {
        const struct prim p = prim_of(sc, t);
        attr_fill(sc, &p, v, 3, back, false, out);
    }
}

struct snapped {
    int32_t x[3], y[3];
    int64_t area; /* twice, positive: clockwise with y down */
};

static struct snapped
snapped_of(const struct tri_source *t)
{
    struct snapped p;
    for (unsigned k = 0; k < 3; k++) {
        p.x[k] = t->corner[k]->x;
        p.y[k] = t->corner[k]->y;
    }
    p.area = (int64_t)(p.x[1] - p.x[0]) * (p.y[2] - p.y[0]) -
             (int64_t)(p.x[2] - p.x[0]) * (p.y[1] - p.y[0]);
    return p;
}

/* Initialises the members that all triangles of the mesh share. */
static void
init_head(const struct prim_list *list, struct setup *head)
{
    const struct draw *d = list->scene->draw;
    memset(head, 0, offsetof(struct setup, attr));
    head->scene = list->scene;
    head->cover = COVER_EDGES;
    head->kind = PRIM_TRIANGLE;
    head->edge_count = 3;
    head->conservative = d->raster.conservative_rasterization_enable;
    head->poly_stipple = d->wm.polygon_stipple_enable;
    depth_limits(&list->scene->ds, &d->cc_viewport[0], &head->z_lo,
                 &head->z_hi);
}

/* Prefetch for writing: other cores have read the old setups here. To regain a
 * line exclusively takes long, and stores wait for each other. Compilers emit
 * prefetchw for the builtin only with -mprfchw. */
#define AHEAD_B 2048

static inline void
fetch_ahead(const struct prim_list *list, const char *at, size_t size_B)
{
    if (!list->shared)
        return;
    for (size_t i = 0; i < size_B; i += 64)
        __asm__ volatile("prefetchw %0" : : "m"(at[AHEAD_B + i]));
}

/* Adds triangle i. A setup with known blocks needs no edges. */
static void
add(struct prim_list *list, const struct setup *head,
    const struct tri_source *t, const struct small_triangles *shapes,
    unsigned i)
{
    const struct scene *sc = list->scene;
    const struct snapped p = snapped_of(t);
    const bool known = shapes->known >> i & 1;
    const bool back = setup_is_back(sc, p.area);
    if (!p.area || setup_is_culled(sc, back))
        return;
    size_t size_B = known ? SETUP_SMALL_B : sizeof(struct setup);
    const size_t room_B = size_B + attr_room_B(sc);
    struct setup *s = arena_take(&list->arena, room_B, alignof(struct setup));
    if (!s) {
        unimp("out of memory for primitives");
        return;
    }
    fetch_ahead(list, (char *)s, room_B);
    uint32_t *attr = (uint32_t *)(void *)((char *)s + size_B);
    memcpy(s, head, offsetof(struct setup, attr));
    s->layer = layer_of(sc, t);
    s->back = back;
    s->small = known;
    s->narrow = shapes->narrow >> i & 1;
    s->attr = attr;
    s->x0 = shapes->x0[i];
    s->y0 = shapes->y0[i];
    s->x1 = shapes->x1[i];
    s->y1 = shapes->y1[i];
    s->z_lo = head->z_lo;
    s->z_hi = head->z_hi;
    if (known)
        memcpy(s->square, shapes->square[i], sizeof s->square);
    else
        setup_triangle_edges(sc, p.x, p.y, p.area, s->edge);
    const struct prim_vertex *const v[3] = {&t->corner[0]->v, &t->corner[1]->v,
                                            &t->corner[2]->v};
    setup_triangle_planes(sc, s, v, p.x, p.y, (double)p.area);
    fill_attributes(sc, t, v, back, attr);
    setup_finish(list, s);
}

bool
setup_triangles(struct prim_list *list, const struct prim_mesh *mesh,
                const struct prim_tri *tri, unsigned count, uint32_t which)
{
    const struct scene *sc = list->scene;
    const struct draw *d = sc->draw;
    if (d->resolve || atomic_load_explicit(d->reset, memory_order_relaxed))
        return false;
    struct small_triangles shapes;
    struct setup head;
    small_triangles_find(&sc->rules, mesh, tri, count, which, &shapes);
    if (shapes.seen)
        init_head(list, &head);
    list->stipple_pos = 0;
    for (uint32_t m = shapes.seen; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        struct tri_source t;
        find_source(&t, mesh, &tri[i]);
        add(list, &head, &t, &shapes, i);
    }
    return list_is_full(list);
}
