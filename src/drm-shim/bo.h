/* bo.h: GEM objects: memory with a handle.
 *
 * Pages live in a memfd (or belong to the client: userptr). An object that
 * was shared grows a page behind its end that travels with the descriptor
 * (bo_share.h). Everything here is called with the shim's lock held, except
 * bo_unref(), which takes it, and what says otherwise. */
#ifndef SHIM_BO_H
#define SHIM_BO_H

#include "drm-shim/fence.h"
#include "base/base.h"

#include <sys/types.h>

struct binding;

#define BO_PAGE_B UINT64_C(4096)

/* What the GPU still does with an object. */
struct bo_use {
    struct fence *fence;
    const void *timeline; /* uses of one timeline end in order */
    bool write;
    bool foreign; /* of another process */
    uint8_t engine_class;
};

struct bo {
    atomic_uint refs;
    int memfd;       /* -1: userptr */
    uint64_t size_B; /* whole pages */
    void *user;      /* userptr */
    void *map;       /* our own view, made by bo_map() */
    dev_t dev;
    ino_t ino;
    uint32_t tiling, stride_B;
    uint32_t caching;
    bool dontneed;          /* given up by the driver ... */
    bool exposed;           /* others than batches may write it */
    bool kept;              /* ... but not lost: counts in device_kept_B() */
    struct bo_share *share; /* NULL: never left the process */
    uint32_t flink_name;
    struct bo *next_shared;
    struct binding *bindings; /* space.h */
    struct bo_use *uses;
    unsigned use_count, use_capacity;
};

struct bo *bo_create(uint64_t size_B); /* NULL: out of memory */
struct bo *bo_alloc(uint64_t size_B);  /* the same without pages */
struct bo *bo_create_user(void *ptr, uint64_t size_B);
struct bo *bo_ref(struct bo *bo);
void bo_unref(struct bo *bo); /* NULL is fine; lock not needed */
/* Before somebody gets a way to write the pages without a batch. */
void bo_expose(struct bo *bo);
/* Our own pointer to the pages, which it exposes; NULL if that fails. */
void *bo_map(struct bo *bo);

/* Notes that the work of a fence uses the object. */
bool bo_add_use(struct bo *bo, const struct bo_use *use);
/* Brings uses up to date, with those of other processes; how many there are. */
unsigned bo_look(struct bo *bo);
/* One fence for all unfinished uses (or only writes); NULL if idle. */
struct fence *bo_fence(struct bo *bo, bool writes_only);

#endif
