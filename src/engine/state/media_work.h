/* media_work.h: the threads of a media command, resolved. Data header: made and
 * owned by freeze/, immutable, run by media/. */
#ifndef ENGINE_STATE_MEDIA_WORK_H
#define ENGINE_STATE_MEDIA_WORK_H

#include "engine/state/dispatch.h"

/* What R0 has of a thread's place. */
struct media_position {
    uint16_t x, y;
    uint8_t color;
};

/* What one command gives its thread, after the CURBE's registers. */
struct media_object {
    struct media_position position;
    const uint32_t *inline_data;
    unsigned inline_dw;
    const uint8_t *indirect;
    uint32_t indirect_B;
};

struct media_work {
    struct dispatch d; /* its grid counts the objects */
    const struct media_object *object;
    unsigned count;
    /* The objects are a thread group, with shared local memory and barrier. */
    bool grouped;
    /* NULL, or threads of object[0] at all of its positions. */
    const struct gen9_media_object_walker *walker;
    bool in_order; /* threads may depend on earlier ones: scoreboard */
};

#endif
