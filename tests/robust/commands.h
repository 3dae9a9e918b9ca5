/* commands.h: batches of any commands, for clients that do what no driver
 * does. */
#ifndef TESTS_ROBUST_COMMANDS_H
#define TESTS_ROBUST_COMMANDS_H

#include "raw.h"

/* Where a batch and its other object are; nothing is mapped at NOWHERE. */
#define COMMANDS_VA UINT64_C(0x10000000)
#define OTHER_VA UINT64_C(0x20000000)
#define NOWHERE UINT64_C(0x40000000)

/* Submits an object of commands, with another one that it may write unless that
 * is 0. 0 or -errno. */
static inline int
submit_commands(int fd, uint32_t context, uint32_t commands, uint32_t other)
{
    struct drm_i915_gem_exec_object2 o[2] = {
        {.handle = commands, .offset = COMMANDS_VA},
        {.handle = other, .offset = OTHER_VA, .flags = EXEC_OBJECT_WRITE}};
    for (unsigned i = 0; i < 2; i++)
        o[i].flags |= EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)o,
                                          .buffer_count = other ? 2 : 1,
                                          .flags = I915_EXEC_RENDER |
                                                   I915_EXEC_BATCH_FIRST,
                                          .rsvd1 = context};
    return call(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
}

/* Number of batches of the context that have hung or failed. */
static inline unsigned
count_resets(int fd, uint32_t context)
{
    struct drm_i915_reset_stats s = {.ctx_id = context};
    return call(fd, DRM_IOCTL_I915_GET_RESET_STATS, &s) ? 0 : s.batch_active;
}

/* Commands; each returns where the next one goes. */
static inline uint32_t *
put_end(uint32_t *dw)
{
    *dw++ = 0x05000000; /* MI_BATCH_BUFFER_END */
    return dw;
}

static inline uint32_t *
put_store(uint32_t *dw, uint64_t va, uint32_t value)
{
    *dw++ = 0x10000002; /* MI_STORE_DATA_IMM */
    *dw++ = (uint32_t)va;
    *dw++ = (uint32_t)(va >> 32);
    *dw++ = value;
    return dw;
}

/* Waits until memory at va has the value. */
static inline uint32_t *
put_wait(uint32_t *dw, uint64_t va, uint32_t value)
{
    *dw++ = 0x0e00c002; /* MI_SEMAPHORE_WAIT: poll until equal */
    *dw++ = value;
    *dw++ = (uint32_t)va;
    *dw++ = (uint32_t)(va >> 32);
    return dw;
}

#endif
