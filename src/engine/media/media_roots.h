/* media_roots.h: which root thread of a family's commands begins next. Used
 * within media/. */
#ifndef ENGINE_MEDIA_MEDIA_ROOTS_H
#define ENGINE_MEDIA_MEDIA_ROOTS_H

#include "engine/media/media.h"

/* The threads of synchronized commands, or of all others, in the order of their
 * commands. */
struct media_roots {
    const struct media_family_work *work;
    bool synchronized;
    unsigned at;  /* the command */
    bool walking; /* it is a walker, and walk is its state */
    struct media_walk walk;
    bool has_next;
    struct media_position next;
};

void media_roots_begin(struct media_roots *roots,
                       const struct media_family_work *work, bool synchronized);
/* The command of the next thread, and its place in roots->next; NULL: there is
 * none. */
const struct media_source *media_roots_peek(struct media_roots *roots);
void media_roots_take(struct media_roots *roots);

#endif
