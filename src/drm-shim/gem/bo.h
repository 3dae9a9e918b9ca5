/* bo.h: GEM objects: memory with a handle.
 *
 * Pages live in a memfd, or belong to the client (userptr). A shared object has
 * an additional page after its end that travels with the descriptor
 * (bo_share.h). Reference counted. Called with the device lock held, except
 * bo_unref(), which takes it, and functions that say otherwise. */
#ifndef DRM_SHIM_GEM_BO_H
#define DRM_SHIM_GEM_BO_H

#include "drm-shim/sync/sync.h"
#include "base/base.h"

#include <sys/types.h>

struct binding;
struct gtt_view;

#define BO_PAGE_B UINT64_C(4096)

/* A pending use of an object by the GPU. */
struct bo_use {
    struct fence *fence;
    const void *timeline; /* uses of one timeline end in order */
    bool write;
    bool foreign; /* of another process */
    uint8_t engine_class;
};

struct bo {
    atomic_uint refs;
    int memfd;         /* -1: userptr */
    bool in_slab;      /* the memfd is the slab's: bo_slab.h */
    uint64_t offset_B; /* of the pages in the memfd */
    uint64_t size_B;   /* whole pages */
    void *user;        /* userptr */
    void *map;         /* the library's mapping, made by bo_map() */
    dev_t dev;
    ino_t ino;
    uint32_t tiling, stride_B;
    uint32_t caching;
    bool dontneed;   /* purgeable (madvise) ... */
    bool exposed;    /* the CPU or another process may write it */
    bool cpu_mapped; /* by the client, not through the aperture */
    bool kept;       /* ... but its pages are kept: counts in device_kept_B() */
    struct bo_share *share; /* NULL: never left the process */
    uint32_t flink_name;
    struct bo *next_shared;
    struct binding *bindings; /* ppgtt.h */
    struct gtt_view *gtt;     /* gtt_map.h; NULL: no GTT map so far */
    struct bo_use *uses;
    unsigned use_count, use_capacity;
};

struct bo *bo_create(uint64_t size_B); /* NULL: out of memory */
struct bo *bo_alloc(uint64_t size_B);  /* an object without pages */
struct bo *bo_create_user(void *ptr, uint64_t size_B);
struct bo *bo_ref(struct bo *bo);
void bo_unref(struct bo *bo); /* NULL is fine; lock not needed */
/* Notes that the CPU may write the pages; call it before the first such write.
 */
void bo_expose(struct bo *bo);
/* Notes that another process may write the pages; call it before it can. */
void bo_expose_share(struct bo *bo);
/* Maps the pages into this process, and exposes them; NULL if that fails. */
void *bo_map(struct bo *bo);

/* Adds a use; false: out of memory. */
bool bo_add_use(struct bo *bo, const struct bo_use *use);
/* Drops uses that ended and adds uses of other processes; returns their number.
 */
unsigned bo_look(struct bo *bo);
/* One fence for all unfinished uses (or only writes); NULL if idle. */
struct fence *bo_fence(struct bo *bo, bool writes_only);

#endif
