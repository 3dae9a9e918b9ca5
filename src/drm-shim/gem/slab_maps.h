/* slab_maps.h: where the process maps the slab (bo_slab.h), from
 * /proc/self/maps: munmap() is not interposed, and other memory may lie where a
 * client had mapped an object. Any thread; a snapshot. */
#ifndef DRM_SHIM_GEM_SLAB_MAPS_H
#define DRM_SHIM_GEM_SLAB_MAPS_H

#include "base/base.h"

#include <sys/types.h>

struct slab_map {
    uintptr_t begin, end;
    uint64_t offset_B; /* in the file */
};

struct slab_maps {
    struct slab_map *map; /* by address */
    unsigned count, capacity;
};

/* False: no memory or no /proc. Then nothing is known. */
bool slab_maps_read(struct slab_maps *maps, ino_t ino);
/* Whether the file's byte at offset_B is mapped at this address. */
bool slab_maps_has(const struct slab_maps *maps, const void *at,
                   uint64_t offset_B);
void slab_maps_free(struct slab_maps *maps);

#endif
