/* ioctl_run.h: calls made of the bytes of an input, on the open files of the
 * device. A client thread has a struct caller; files, descriptors and ids are
 * shared by all. */
#ifndef FUZZ_IOCTL_RUN_H
#define FUZZ_IOCTL_RUN_H

#include "base/base.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct drm_file;

#define FILES 4 /* card0, renderD128, card0, renderD128 */
#define POOL 16
#define SCRATCH_B 0x20000
#define USER_B 0x10000

/* What earlier calls gave; the newest replaces the oldest. */
struct pool {
    bool descriptors; /* a replaced one is closed */
    atomic_uint count;
    _Atomic uint32_t value[POOL];
};

struct device_state {
    int fd[FILES];
    struct drm_file *file[FILES];
    struct pool fds, ids;
    uint8_t *user; /* memory of the application, for userptr */
};

struct caller {
    const uint8_t *at, *end; /* the input's bytes that are left */
    struct device_state *device;
    uint8_t *scratch; /* what pointers point to; no page after it */
    size_t used_B;
    unsigned slow_left; /* calls that may wait for a vblank */
    uint64_t ioctls;
};

static inline uint8_t
take(struct caller *c)
{
    return c->at < c->end ? *c->at++ : 0;
}

void pool_add(struct pool *pool, uint32_t value);
uint32_t pool_pick(struct pool *pool, unsigned n);

/* Fills the fields that the table knows, then changes a few dwords. */
void args_fill(struct caller *c, uint32_t request, void *arg);
/* Remembers what a call gave. */
void args_learn(struct caller *c, uint32_t request, const void *arg);
/* An execbuffer2 of a few objects. */
void args_exec(struct caller *c, void *arg);

/* Makes objects that most calls need. */
void act_prepare(struct caller *c, unsigned file);
/* One call or another act, as the next bytes say. */
void act_run(struct caller *c);

#endif
