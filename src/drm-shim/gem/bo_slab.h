/* bo_slab.h: the slab: pages of objects without a descriptor of their own.
 *
 * An object has a memfd of its own while descriptors are plentiful. After that
 * objects are cut from one large sparse memfd, the slab. An object that is
 * shared with another process needs its own file: bo_slab_leave() moves it
 * there. With the device lock held. */
#ifndef DRM_SHIM_GEM_BO_SLAB_H
#define DRM_SHIM_GEM_BO_SLAB_H

#include "base/base.h"

struct bo;

/* A memfd for an object, or -1 and errno. */
int bo_file(uint64_t size_B);
void bo_file_close(int fd);
/* A descriptor of the file for an object, with marks of its own (foreign.h).
 */
int bo_file_adopt(int fd);
/* Whether descriptors are scarce: the next object comes from the slab. */
bool bo_slab_wanted(void);
/* Sets the object's memfd and offset_B. False: no room. */
bool bo_slab_take(struct bo *bo);
/* Closes the object's file, or gives the pages back, or keeps them while the
 * client has them mapped. */
void bo_slab_give_back(struct bo *bo);
/* Notes that the client has mapped part of the object at `at`. False: out of
 * memory. */
bool bo_slab_note_map(struct bo *bo, const void *at, uint64_t size_B);
/* Moves the object into a file of its own; it must be idle. 0 or -errno. */
int bo_slab_leave(struct bo *bo);
/* In the child of fork(): leaves the slab to the parent. */
void bo_slab_after_fork(void);

#endif
