/* media_roots.c: see media_roots.h. */
#include "engine/media/media_roots.h"

void
media_roots_begin(struct media_roots *roots,
                  const struct media_family_work *work, bool synchronized)
{
    *roots = (struct media_roots){.work = work, .synchronized = synchronized};
}

/* Finds the next thread of the command. */
static bool
find_in_source(struct media_roots *roots, const struct media_source *source)
{
    if (!source->walker) {
        roots->next = source->object.position;
        return true;
    }
    if (!roots->walking)
        media_walk_begin(&roots->walk, source->walker, source->curbe,
                         source->curbe_B);
    roots->walking = media_walk_next(&roots->walk, &roots->next);
    if (!roots->walking && roots->walk.starts >= MEDIA_WALK_STARTS)
        guest_error("MEDIA_OBJECT_WALKER steps outside too often");
    return roots->walking;
}

const struct media_source *
media_roots_peek(struct media_roots *roots)
{
    for (; roots->at < roots->work->count; roots->at++) {
        const struct media_source *source = &roots->work->source[roots->at];
        if (source->synchronized != roots->synchronized)
            continue;
        if (!roots->has_next)
            roots->has_next = find_in_source(roots, source);
        if (roots->has_next)
            return source;
    }
    return NULL;
}

void
media_roots_take(struct media_roots *roots)
{
    roots->has_next = false;
    roots->at += !roots->work->source[roots->at].walker;
}
