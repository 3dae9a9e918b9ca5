/* media_family.h: a family while it runs: its kernels, the threads that wait
 * for a place and those that have one. Used within media/. */
#ifndef ENGINE_MEDIA_MEDIA_FAMILY_H
#define ENGINE_MEDIA_MEDIA_FAMILY_H

#include "engine/media/media_roots.h"

#include "engine/state/stage_cache.h"
#include "engine/state/thread_env.h"

/* A kernel with its tables: those of its interface descriptor, or for a child
 * those of its parent. */
struct media_kernel {
    struct media_kernel *next;
    unsigned descriptor;
    const struct shader_stage *parent; /* NULL: it has its own tables */
    struct dispatch d;
    struct eu_launch launch;
    struct stage_cache cache;
};

/* A child that waits for a place. */
struct media_request {
    struct media_request *next;
    unsigned descriptor;
    const struct shader_stage *parent; /* whose tables it gets */
    uint32_t r0[8];
    uint32_t data_B; /* from the URB, follow */
    uint8_t data[];
};

/* A place for a thread. */
struct media_place {
    struct eu_thread thread;
    struct thread_env env;
    struct media_position position;
    bool is_root, uses_scoreboard;
};

struct media_family {
    struct thread_family shared;
    const struct media_family_work *work;
    struct media_place *place[FAMILY_MEMBERS]; /* by number; NULL: not yet */
    unsigned limit, live;
    struct media_kernel *kernels;
    unsigned kernel_count;
    struct media_request *first, **last;
    size_t waiting_B;            /* of requests */
    struct media_roots roots[2]; /* 1: synchronized */
    uint64_t released;           /* spawn root messages without a thread yet */
    uint8_t *urb;
    uint64_t threads; /* that have begun */
};

/* media_kernels.c. NULL after a guest error. */
struct media_kernel *media_kernel_find(struct media_family *f,
                                       unsigned descriptor,
                                       const struct shader_stage *parent);
void media_kernels_free(struct media_family *f);

/* media_spawn.c: begins threads while there are places. False: none has
 * begun. */
bool media_spawn_threads(struct media_family *f);
/* thread_family.spawn and release_root. */
bool media_spawn_child(struct thread_family *shared,
                       const struct thread_env *parent, const uint32_t m0[8]);
void media_release_root(struct thread_family *shared);
void media_requests_free(struct media_family *f);

#endif
