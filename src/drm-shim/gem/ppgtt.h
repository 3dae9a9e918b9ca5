/* ppgtt.h: GPU address spaces (per-process GTTs) and the objects bound in them.
 * Reference counted. With the device lock held unless a function says
 * otherwise. */
#ifndef DRM_SHIM_GEM_PPGTT_H
#define DRM_SHIM_GEM_PPGTT_H

#include "base/base.h"

struct bo;
struct fence;
struct engine_vm;

struct ppgtt {
    atomic_uint refs;
    struct engine_vm *vm;
    struct binding **sorted; /* by address; they do not overlap */
    unsigned count, capacity;
};

struct binding {
    struct ppgtt *ppgtt;
    struct bo *bo;
    uint64_t va;
    struct binding *next; /* of the same object */
};

/* Lowest address of objects without a fixed one; 0 is never allocated. */
#define PPGTT_FIRST_VA UINT64_C(0x100000)

struct ppgtt *ppgtt_create(void); /* NULL: out of memory */
struct ppgtt *ppgtt_ref(struct ppgtt *ppgtt);
void ppgtt_unref(struct ppgtt *ppgtt); /* lock not needed; NULL is fine */

/* Binds the object at va and unbinds overlapping objects. 0 or -errno; -EAGAIN:
 * wait (without the lock) for *busy, release it, and try again. -ENOSPC: the
 * engine has no room for more. */
int ppgtt_bind(struct ppgtt *ppgtt, struct bo *bo, uint64_t va,
               struct fence **busy);
/* The binding of the object; NULL if it has none. */
struct binding *ppgtt_find(struct ppgtt *ppgtt, const struct bo *bo);
/* A free range that ends at or below limit; 0 if there is none. */
uint64_t ppgtt_find_hole(struct ppgtt *ppgtt, uint64_t size_B, uint64_t align_B,
                         uint64_t limit);
/* Unbinds all objects. 0 or -EAGAIN, as above. */
int ppgtt_unbind_idle(struct ppgtt *ppgtt, struct fence **busy);
/* Makes adjacent application memory adjacent in the engine, too: see
 * engine_vm_straighten(). 0 or -EAGAIN, as above. */
int ppgtt_straighten(struct ppgtt *ppgtt, const struct bo *bo,
                     struct fence **busy);
/* Unbinds the object everywhere; it is being destroyed. */
void ppgtt_unbind_all(struct bo *bo);

#endif
