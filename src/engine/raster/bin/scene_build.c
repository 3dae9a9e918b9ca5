/* scene_build.c: adds geom's primitives to the lists of a scene. */
#include "engine/raster/bin/bin.h"
#include "engine/raster/blit/blit.h"

#include <stdlib.h>

struct prim_list *
scene_list(struct scene *sc, unsigned i)
{
    struct raster *r = sc->raster;
    i += r->first_list;
    if (i >= r->list_count) {
        struct prim_list **p = realloc(r->list, (i + 1) * sizeof *p);
        if (!p)
            return NULL;
        r->list = p;
        while (r->list_count <= i)
            r->list[r->list_count++] = NULL;
    }
    if (!r->list[i])
        r->list[i] = list_create(r->worker_count == 1);
    if (r->list[i])
        r->list[i]->scene = sc;
    return r->list[i];
}

size_t
scene_used_B(const struct scene *sc)
{
    const struct raster *r = sc->raster;
    size_t used_B = 0;
    for (unsigned i = 0; i < r->list_count; i++)
        used_B += r->list[i] ? r->list[i]->arena.used_B : 0;
    return used_B;
}

bool
scene_add(struct prim_list *l, const struct prim *prim)
{
    struct scene *sc = l->scene;
    const struct draw *d = sc->draw;
    if (atomic_load_explicit(d->reset, memory_order_relaxed))
        return false;
    if (d->fast_clear || d->resolve) {
        /* A fast clear or resolve draws a scaled-down rectangle with a
         * meaningless colour: only the layer counts. */
        if (sc->last_cleared_layer != prim->layer)
            (d->fast_clear ? fast_clear_layer
                           : fast_clear_resolve)(sc, prim->layer);
        sc->last_cleared_layer = prim->layer;
        return false;
    }
    setup_primitive(l, prim);
    return list_is_full(l);
}

bool
scene_add_triangles(struct prim_list *list, const struct prim_mesh *mesh,
                    const struct prim_tri *tri, unsigned count, uint32_t which)
{
    return setup_triangles(list, mesh, tri, count, which);
}
