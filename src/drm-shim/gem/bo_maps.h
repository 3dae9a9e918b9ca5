/* bo_maps.h: where the process maps a file of objects, from /proc/self/maps:
 * munmap() is not interposed, and other memory may lie where a client had
 * mapped an object. Any thread; a snapshot. */
#ifndef DRM_SHIM_GEM_BO_MAPS_H
#define DRM_SHIM_GEM_BO_MAPS_H

#include "base/base.h"

#include <sys/types.h>

struct bo_map_entry {
    uintptr_t begin, end;
    uint64_t offset_B; /* in the file */
    int prot;
};

struct bo_maps {
    struct bo_map_entry *map; /* by address */
    unsigned count, capacity;
};

/* False: no memory or no /proc. Then nothing is known. */
bool bo_maps_read(struct bo_maps *maps, ino_t ino);
/* Whether the file's byte at offset_B is mapped at this address. */
bool bo_maps_has(const struct bo_maps *maps, const void *at, uint64_t offset_B);
void bo_maps_free(struct bo_maps *maps);

#endif
