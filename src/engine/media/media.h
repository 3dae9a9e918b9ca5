/* media.h: runs the threads of media commands: MEDIA_OBJECT, MEDIA_OBJECT_PRT,
 * MEDIA_OBJECT_GRPID and MEDIA_OBJECT_WALKER. Called by freeze/ in the thread
 * that executes the context's batch; the caller owns the work. KBL PRM vol 2d
 * and vol 7, "Media GPGPU Pipeline". */
#ifndef ENGINE_MEDIA_MEDIA_H
#define ENGINE_MEDIA_MEDIA_H

#include "engine/state/media_work.h"

/* Runs all threads and returns when they have ended. */
void media_run(const struct media_work *work);

/* The positions of a walker, in its order. */
struct media_walk {
    const struct gen9_media_object_walker *w;
    int global_outer, global_inner, global_end; /* end: of global_inner */
    int local_outer, mid, local_inner, local_end;
    int x, y; /* where the innermost loop starts */
    unsigned color;
    uint32_t starts; /* of the innermost loop so far */
    bool ended;
};

/* A walker may start its innermost loop this often. Guess: more than any
 * picture needs, and a fraction of a second. */
#define MEDIA_WALK_STARTS (1u << 26)

void media_walk_begin(struct media_walk *walk,
                      const struct gen9_media_object_walker *w);
/* False: there are no more (walk->ended), or too many starts. */
bool media_walk_next(struct media_walk *walk, struct media_position *p);

#endif
