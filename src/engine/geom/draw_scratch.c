/* draw_scratch.c: memory reused from draw to draw, because most draws are small
 * and need little memory again and again. */
#include "engine/geom/geom.h"

#include <stdlib.h>

#include "base/pool.h"

static struct geom_kept *
create(const struct draw *draw)
{
    struct geom_kept *kept = aligned_alloc(alignof(struct geom_kept),
                                           sizeof(struct geom_kept));
    if (!kept)
        return NULL;
    kept->plan = NULL;
    kept->workers = draw->pool ? pool_workers(draw->pool) : 1;
    kept->spare = calloc(kept->workers + 1, sizeof *kept->spare);
    return kept;
}

void
geom_find_kept(struct geom *g)
{
    struct geom_kept **kept = g->draw->kept_geom;
    if (kept && !*kept)
        *kept = create(g->draw);
    g->kept = kept ? *kept : NULL;
    g->spare = g->kept ? geom_find_spare(g, g->kept->workers) : NULL;
}

void
geom_kept_free(struct geom_kept *kept)
{
    if (!kept)
        return;
    for (unsigned i = 0; kept->spare && i <= kept->workers; i++) {
        for (unsigned k = 0; k < GEOM_PIECES; k++)
            free(kept->spare[i][k].p);
    }
    free(kept->spare);
    free(kept->plan);
    free(kept);
}

struct geom_spare *
geom_find_spare(const struct geom *g, unsigned worker)
{
    const struct geom_kept *kept = g->kept;
    return kept && kept->spare && worker <= kept->workers ? kept->spare[worker]
                                                          : NULL;
}

/* Keeps the block: the allocator would return it to the kernel and take fresh
 * pages for the next draw. */
static void *
take_spare(struct geom_spare *s, size_t size_B)
{
    if (s->size_B >= size_B)
        return s->p;
    free(s->p);
    s->p = aligned_alloc(64, ALIGN_POT(size_B, (size_t)64));
    s->size_B = s->p ? size_B : 0;
    return s->p;
}

void *
geom_take(const struct geom *g, enum geom_piece piece, size_t size_B)
{
    if (g->kept && size_B <= GEOM_KEPT_B)
        return g->kept->piece[piece];
    if (g->spare && size_B <= GEOM_SPARE_B)
        return take_spare(&g->spare[piece], size_B);
    return aligned_alloc(64, ALIGN_POT(size_B, (size_t)64));
}

void
geom_give(const struct geom *g, enum geom_piece piece, void *p)
{
    if ((!g->kept || p != g->kept->piece[piece]) &&
        (!g->spare || p != g->spare[piece].p))
        free(p);
}
