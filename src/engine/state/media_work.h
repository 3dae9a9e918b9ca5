/* media_work.h: the threads of media commands, resolved. Data header: made and
 * owned by freeze/, immutable, run by media/. */
#ifndef ENGINE_STATE_MEDIA_WORK_H
#define ENGINE_STATE_MEDIA_WORK_H

#include "engine/state/dispatch.h"

/* What R0 has of a thread's place. */
struct media_position {
    uint16_t x, y;
    uint8_t color;
    bool begins_group; /* of a walker with thread groups */
};

/* What one command gives its thread, after the CURBE's registers. */
struct media_object {
    struct media_position position;
    const uint32_t *inline_data;
    unsigned inline_dw;
    const uint8_t *indirect;
    uint32_t indirect_B;
    bool no_constants; /* the CURBE has a walker's mask instead */
};

/* Threads of one kernel. */
struct media_work {
    struct dispatch d; /* its grid counts the objects */
    const struct media_object *object;
    unsigned count;
    /* The objects are a thread group, with shared local memory and barrier. */
    bool grouped;
    /* NULL, or threads of object[0] at all of its positions. With grouped, it
     * says where groups begin. */
    const struct gen9_media_object_walker *walker;
    bool in_order; /* threads may depend on earlier ones: scoreboard */
};

/* Root threads of one command. */
struct media_source {
    struct media_object object;
    const struct gen9_media_object_walker *walker; /* NULL: one thread */
    const uint8_t *curbe;                          /* with a walker's mask */
    uint32_t curbe_B;
    unsigned descriptor;
    /* Each thread waits for a spawn root message. */
    bool synchronized;
    /* Whether its threads are on the scoreboard, and on which of the deltas
     * they depend. */
    bool uses_scoreboard;
    uint8_t scoreboard_mask;
};

#define MEDIA_SCOREBOARD_DELTAS 8

/* Commands whose threads may spawn others, which run in turns. */
struct media_family_work {
    const struct media_source *source;
    unsigned count;
    const struct dispatch *d; /* of source[0] */
    unsigned max_threads;
    uint32_t urb_B;
    int8_t delta[MEDIA_SCOREBOARD_DELTAS][2]; /* x, y */
    /* Resolves a kernel; the caller owns a reference to it. False after a guest
     * error. */
    bool (*resolve)(void *ctx, unsigned descriptor, struct dispatch *d,
                    struct stage_cache *cache);
    void *ctx;
};

#endif
