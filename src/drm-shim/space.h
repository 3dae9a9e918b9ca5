/* space.h: GPU address spaces, and which object is where in them.
 * Called with the shim's lock held unless it says otherwise. */
#ifndef SHIM_SPACE_H
#define SHIM_SPACE_H

#include "base/base.h"

struct bo;
struct fence;
struct engine_vm;

struct space {
    atomic_uint refs;
    struct engine_vm *vm;
    struct binding **sorted; /* by address; they do not overlap */
    unsigned count, capacity;
};

struct binding {
    struct space *space;
    struct bo *bo;
    uint64_t va;
    struct binding *next; /* of the same object */
};

/* Objects that may sit anywhere start here; 0 is never handed out. */
#define SPACE_FIRST_VA UINT64_C(0x100000)

struct space *space_create(void); /* NULL: out of memory */
struct space *space_ref(struct space *space);
void space_unref(struct space *space); /* lock not needed; NULL is fine */

/* Puts the object at va and moves out what was there. 0 or -errno; -EAGAIN:
 * wait (without the lock) for *busy, release it, and try again. */
int space_bind(struct space *space, struct bo *bo, uint64_t va,
               struct fence **busy);
/* Where the object is, NULL if it is not. */
struct binding *space_find(struct space *space, const struct bo *bo);
/* A free range that ends at or below limit; 0 if there is none. */
uint64_t space_find_hole(struct space *space, uint64_t size_B, uint64_t align_B,
                         uint64_t limit);
/* Takes the object out of every space: it is going away. */
void space_unbind_all(struct bo *bo);

#endif
