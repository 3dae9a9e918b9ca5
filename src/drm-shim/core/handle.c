#include "drm-shim/core/handle.h"

#include <stdlib.h>
#include <string.h>

void
handle_finish(struct handle_table *table)
{
    free(table->slot);
    memset(table, 0, sizeof *table);
}

uint32_t
handle_add(struct handle_table *table, void *object)
{
    uint32_t i = table->lowest;
    while (i < table->capacity && table->slot[i])
        i++;
    if (i == table->capacity) {
        uint32_t more = table->capacity ? table->capacity * 2 : 32;
        void **slot = realloc(table->slot, more * sizeof *slot);
        if (!slot)
            return 0;
        memset(slot + table->capacity, 0,
               (more - table->capacity) * sizeof *slot);
        table->slot = slot;
        table->capacity = more;
    }
    table->slot[i] = object;
    table->lowest = i + 1;
    table->count++;
    return i + 1;
}

void *
handle_get(const struct handle_table *table, uint32_t handle)
{
    if (!handle || handle > table->capacity)
        return NULL;
    return table->slot[handle - 1];
}

void *
handle_remove(struct handle_table *table, uint32_t handle)
{
    void *object = handle_get(table, handle);
    if (!object)
        return NULL;
    table->slot[handle - 1] = NULL;
    table->count--;
    if (handle - 1 < table->lowest)
        table->lowest = handle - 1;
    return object;
}

uint32_t
handle_next(const struct handle_table *table, uint32_t handle)
{
    for (uint32_t i = handle; i < table->capacity; i++)
        if (table->slot[i])
            return i + 1;
    return 0;
}

uint32_t
handle_find(const struct handle_table *table, const void *object)
{
    for (uint32_t i = 0; i < table->capacity; i++)
        if (table->slot[i] == object && object)
            return i + 1;
    return 0;
}
