/* handle.h: small dense integers for objects, as the kernel allocates them:
 * always the lowest free one, never 0. The caller locks. */
#ifndef DRM_SHIM_CORE_HANDLE_H
#define DRM_SHIM_CORE_HANDLE_H

#include <stdint.h>

struct handle_table {
    void **slot; /* slot[handle - 1] */
    uint32_t capacity;
    uint32_t lowest; /* no free slot below this index */
    uint32_t count;
};

void handle_finish(struct handle_table *table);
/* 0: out of memory. */
uint32_t handle_add(struct handle_table *table, void *object);
void *handle_get(const struct handle_table *table, uint32_t handle);
/* Returns the removed object; NULL if there was none. */
void *handle_remove(struct handle_table *table, uint32_t handle);
/* The first used handle after the given one, 0 at the end. */
uint32_t handle_next(const struct handle_table *table, uint32_t handle);
/* The handle of an object, 0 if it has none. */
uint32_t handle_find(const struct handle_table *table, const void *object);

#endif
