/* client_memory.h: copies to and from memory that ioctls and their arguments
 * point to. Nothing else may access such memory.
 *
 * The kernel answers a bad pointer with EFAULT. These functions do, too. The
 * engine catches their faults; where it cannot, because the thread blocks the
 * signals, they ask the kernel first. They return 0 or -EFAULT. Any thread,
 * with any signals blocked. */
#ifndef DRM_SHIM_CORE_CLIENT_MEMORY_H
#define DRM_SHIM_CORE_CLIENT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the pointer may be one of the client's at all; costs nothing.
 * Wrappers of libc look at paths, and leave others to the kernel. */
static inline bool
client_may_have(const void *p)
{
    return (uintptr_t)p >= 4096 && !((uintptr_t)p >> 47);
}

int client_read(void *dst, uint64_t src, size_t size_B);
int client_write(uint64_t dst, const void *src, size_t size_B);
/* Either end may be bad. */
int client_copy(uint64_t dst, uint64_t src, size_t size_B);

/* Returns a copy of `count` elements for the caller to free. NULL with *err set
 * to -EFAULT, -EINVAL (absurd count) or -ENOMEM. A count of 0 gives one element
 * of zeros. */
void *client_read_array(uint64_t src, uint64_t count, size_t element_B,
                        int *err);

/* Reads into `few`, of few_B bytes, if the elements fit there, else like
 * client_read_array(). client_list_free() frees both. */
void *client_read_list(uint64_t src, uint64_t count, size_t element_B,
                       void *few, size_t few_B, int *err);
void client_list_free(void *list, void *few);

#endif
