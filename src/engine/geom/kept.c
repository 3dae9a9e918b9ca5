/* kept.c: memory from draw to draw. Most draws are small, and what they need is
 * taken and given back again and again. */
#include "engine/geom/geom.h"

#include <stdlib.h>

void
geom_find_kept(struct geom *g)
{
    struct geom_kept **kept = g->draw->kept_geom;
    if (kept && !*kept) {
        *kept = aligned_alloc(alignof(struct geom_kept),
                              sizeof(struct geom_kept));
        if (*kept)
            (*kept)->plan = NULL;
    }
    g->kept = kept ? *kept : NULL;
}

void
geom_kept_free(struct geom_kept *kept)
{
    if (kept)
        free(kept->plan);
    free(kept);
}

void *
geom_take(const struct geom *g, enum geom_piece piece, size_t size_B)
{
    if (g->kept && size_B <= GEOM_KEPT_B)
        return g->kept->piece[piece];
    return aligned_alloc(64, ALIGN_POT(size_B, (size_t)64));
}

void
geom_give(const struct geom *g, enum geom_piece piece, void *p)
{
    if (!g->kept || p != g->kept->piece[piece])
        free(p);
}
