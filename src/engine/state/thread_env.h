/* thread_env.h: the surroundings of an EU thread: stage, address space, URB,
 * group; eu_thread.user of every thread that the engine starts. Data header:
 * made and owned by the room that starts the thread, read by thread/ and
 * msg/. */
#ifndef ENGINE_STATE_THREAD_ENV_H
#define ENGINE_STATE_THREAD_ENV_H

#include "engine/core/hang.h"
#include "engine/state/stage.h"
#include "engine/state/thread_family.h"

/* Memory of URB entries: a handle counts 64 bytes from base. */
struct urb_space {
    uint8_t *base;
    uint64_t size_B;
    /* Set by geom/, or NULL. Transposes eight dwords of eight vertices into one
     * row per vertex; equal row pointers get the last vertex. */
    void (*put_columns)(const uint32_t (*in)[8], uint8_t *const row[8]);
};

/* Threads that share SLM and a barrier. */
struct thread_group {
    uint8_t *slm;
    uint32_t slm_B;
    unsigned barrier_count; /* threads that must arrive */
    unsigned barrier_arrived;
    unsigned barriers; /* number of times the barrier opened */
    /* For traces: the group's ID, and its threads; NULL: not known. */
    uint32_t id[3];
    const struct eu_thread *threads;
};

struct ps_group; /* raster/ */

struct thread_env {
    const struct shader_stage *stage;
    struct engine_vm *vm;
    struct urb_space urb;
    struct thread_group *group;   /* NULL outside of compute and HS */
    struct ps_group *ps;          /* PS threads only */
    struct thread_family *family; /* of media threads; NULL: no children */
    struct thread_member *self;   /* in family */
    atomic_bool *reset;
    const struct hang *hang; /* NULL: the default limit */
    unsigned worker;
};

#endif
