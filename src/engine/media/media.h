/* media.h: runs the threads of media commands: MEDIA_OBJECT, MEDIA_OBJECT_PRT,
 * MEDIA_OBJECT_GRPID and MEDIA_OBJECT_WALKER. Called by freeze/ in the thread
 * that executes the context's batch; the caller owns the work. KBL PRM vol 2d
 * and vol 7, "Media GPGPU Pipeline". */
#ifndef ENGINE_MEDIA_MEDIA_H
#define ENGINE_MEDIA_MEDIA_H

#include "engine/state/media_work.h"

/* Guess: the threads that fit a subslice, as for GPGPU_WALKER. */
#define MEDIA_GROUP_THREADS 64u

/* Run all threads and return when they have ended. */
void media_run(const struct media_work *work);
void media_run_family(const struct media_family_work *work);

/* The loops of a walker whose counts tell its groups apart. */
#define MEDIA_WALK_LOOPS 5

/* The positions of a walker, in its order. */
struct media_walk {
    const struct gen9_media_object_walker *w;
    int global_outer, global_inner, global_end; /* end: of global_inner */
    int local_outer, mid, local_inner, local_end;
    int x, y; /* where the innermost loop starts */
    unsigned color;
    uint32_t starts; /* of the innermost loop, and masked positions, so far */
    bool ended;
    unsigned group_loops; /* 0, or loops outside of a group, the outermost one
                             first */
    int group[MEDIA_WALK_LOOPS]; /* their counts in the current group */
    bool has_group;
    const uint8_t *mask; /* NULL, or bits of positions that have threads */
    uint32_t mask_B, mask_pitch;
};

/* A walker may start its innermost loop this often. Guess: more than any
 * picture needs, and a fraction of a second. */
#define MEDIA_WALK_STARTS (1u << 26)

/* curbe: has the mask of a walker with masked dispatch. */
void media_walk_begin(struct media_walk *walk,
                      const struct gen9_media_object_walker *w,
                      const uint8_t *curbe, uint32_t curbe_B);
/* False: there are no more (walk->ended), or too many starts. */
bool media_walk_next(struct media_walk *walk, struct media_position *p);

#endif
