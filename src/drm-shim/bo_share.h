/* bo_share.h: what travels with an object to other processes.
 *
 * The page behind the end of a shared object holds its tiling, and counts the
 * GPU work on it that began and ended in all processes together. Each process
 * knows its own part; the difference is what others still do, and becomes a
 * fence like any other when somebody has to wait for it.
 * Called with the shim's lock held. */
#ifndef SHIM_BO_SHARE_H
#define SHIM_BO_SHARE_H

#include "drm-shim/bo.h"

/* A new descriptor for other devices and processes, or -errno. */
int bo_export(struct bo *bo, int flags);
/* The object behind a descriptor, referenced; NULL with *err set. */
struct bo *bo_import(int fd, int *err);
/* The object behind a shared descriptor if this process knows it. */
struct bo *bo_find_shared(dev_t dev, ino_t ino);

void bo_set_tiling(struct bo *bo, uint32_t tiling, uint32_t stride_B);
void bo_get_tiling(const struct bo *bo, uint32_t *tiling, uint32_t *stride_B);

/* Tells others of a use of ours. False: out of memory. */
bool bo_share_use(struct bo *bo, const struct bo_use *use);
/* Turns what others do into uses of the object. */
void bo_share_look(struct bo *bo);
/* In the child of fork(): what the parent has begun is another's work. */
void bo_share_after_fork(struct bo *first);
/* The object is going away. */
void bo_share_forget(struct bo *bo);

#endif
