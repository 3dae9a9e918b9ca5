/* thread_family.h: root threads of the media pipeline that may spawn threads,
 * and their children, which may write into each other's registers. All run in
 * turns on one host thread. Data header: made and owned by media/, used by
 * msg/. */
#ifndef ENGINE_STATE_THREAD_FAMILY_H
#define ENGINE_STATE_THREAD_FAMILY_H

#include "base/base.h"

struct eu_thread;
struct thread_env;

/* The registers that other threads may write: its gateway is open. */
struct thread_gateway {
    bool open;
    uint16_t key;
    uint32_t at_B, size_B;
};

struct thread_member {
    bool live;
    struct eu_thread *thread; /* not valid unless live */
    struct thread_gateway gateway;
};

#define FAMILY_MEMBERS 256

struct thread_family {
    /* By number, which sr0.0 has in its low half. */
    struct thread_member member[FAMILY_MEMBERS];
    /* Set by media/. Queues a child with header m0. False after a guest
     * error. */
    bool (*spawn)(struct thread_family *family, const struct thread_env *parent,
                  const uint32_t m0[8]);
    /* Lets one more synchronized root thread begin. */
    void (*release_root)(struct thread_family *family);
};

#endif
