/* vm_private.h: mappings of an address space. Shared by the files of vm/ only.
 * "Place" and `at` are offsets in the window. */
#ifndef ENGINE_VM_VM_PRIVATE_H
#define ENGINE_VM_VM_PRIVATE_H

#include "engine/vm/vm.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/types.h>

/* Address spaces at a time. */
#define VM_WINDOWS_MAX 2048u

struct vm_range {
    uint64_t at; /* place */
    gpu_va va;
    uint64_t size_B;
    dev_t dev;
    ino_t ino;
    uint64_t offset_B; /* in the file */
    bool no_identity;  /* application memory: ptr instead of a file */
    bool exposed;      /* see engine_vm_expose() */
    bool shared;       /* with another process */
    void *ptr;
};

/* Private application memory, copied around batches. */
struct vm_user {
    uint64_t at; /* place */
    uint64_t size_B;
    uint8_t *ptr;
    uint8_t *seen;    /* contents of both sides at the last comparison */
    unsigned batches; /* running batches that may write it */
};

/* Zeros in place of unmapped addresses. They take at most 32 MiB in an address
 * space. */
#define SCRATCH_CHUNKS 64u
struct vm_scratch {
    uint64_t at, size_B;
    bool in_range; /* a page of a listed range, whose file had shrunk */
};

struct vm_private {
    struct engine_vm *vm;
    pthread_mutex_t lock;    /* protects all below except the atomics */
    struct vm_range *ranges; /* sorted by place, disjoint */
    unsigned range_count, range_capacity;
    struct vm_user *users;
    unsigned user_count, user_capacity;
    struct vm_span *moved; /* sorted; spans away from home */
    unsigned moved_count, moved_capacity;
    struct vm_moved *table; /* the published spans, for readers */
    struct vm_scratch scratch[SCRATCH_CHUNKS]; /* oldest is replaced first */
    unsigned scratch_count;                    /* so far */
    atomic_uint fetched_pages; /* scratch pages that a vertex fetch read */
    bool unreserved;           /* see vm_window.c */
    /* A scratch page replaced part of a listed range. Then the list no longer
     * tells what is mapped. */
    atomic_bool holes_plugged;
    bool remap_all;
};

/* Reserves room for `count` elements of each_B bytes. False: out of memory. */
static inline bool
vm_reserve(void **array, unsigned *capacity, unsigned count, size_t each_B)
{
    if (count <= *capacity)
        return true;
    unsigned want = MAX2(count, *capacity * 2 + 16);
    void *p = realloc(*array, want * each_B);
    if (!p)
        return false;
    *array = p;
    *capacity = want;
    return true;
}

/* Index of the first range that ends after this place. */
unsigned vm_range_find(const struct vm_private *priv, uint64_t at);
/* Removes [at, at + size_B) from the list, cutting ranges that overlap its
 * ends, and inserts `range` unless it is NULL. False: out of memory. */
bool vm_range_replace(struct vm_private *priv, uint64_t at, uint64_t size_B,
                      const struct vm_range *range);

/* vm_userptr.c; the lock is held. Takes places, not addresses. */
struct vm_user *vm_user_find(struct vm_private *priv, uint64_t at);
/* 0 or -ENOMEM. */
int vm_user_add(struct vm_private *priv, uint64_t at, uint64_t size_B,
                void *ptr);
/* Forgets all that overlap the range. */
void vm_users_drop(struct vm_private *priv, uint64_t at, uint64_t size_B);

/* vm_moved.c; the lock is held. Sets the shift of the addresses. False: out of
 * memory. */
bool vm_moved_set(struct vm_private *priv, gpu_va va, uint64_t size_B,
                  uint64_t shift);
void vm_moved_free(struct vm_private *priv);

/* vm_place.c; the lock is held. Whether the range can keep its current shift:
 * no other addresses are mapped at its place. */
bool vm_place_stays(const struct vm_private *priv, gpu_va va, uint64_t size_B);
/* Chooses want->at for want->va. 0 or a negative errno. */
int vm_place_take(struct vm_private *priv, struct vm_range *want);
/* Shifts unmapped addresses back to their home. */
void vm_place_leave(struct vm_private *priv, gpu_va va, uint64_t size_B);

/* vm_window.c. Opening sets window and mask and registers the window with the
 * fault handler. False: no addresses; prints a message. */
bool vm_window_open(struct vm_private *priv);
void vm_window_close(struct vm_private *priv);
/* Unmaps the places. */
void vm_window_clear(struct vm_private *priv, uint64_t at, uint64_t size_B);
/* Whether one mapping of the process covers the memory. */
bool vm_is_one_mapping(const void *ptr, uint64_t size_B);

/* Whether the address space should give up mappings before it makes more: the
 * host's limit of a process (vm.max_map_count) is near. */
bool vm_window_is_crowded(const struct vm_private *priv);
/* Counts the listed ranges of all windows. */
void vm_window_count(int ranges);

/* vm_fault.c: registers the window with the fault handler. False: too many
 * windows. */
bool vm_fault_register(struct vm_private *priv);
void vm_fault_unregister(struct vm_private *priv);
/* Maps a scratch page if the address is in a window and this thread executes.
 * Called by the signal handler. */
bool vm_fault_answer(uintptr_t addr, bool write);
/* Memory is about to be mapped in the listed range; the lock is held. */
void vm_scratch_forget(struct vm_private *priv, uint64_t at, uint64_t size_B);

/* safe_copy.c: whether the fault is engine_copy()'s. Then makes the copy end
 * early. */
bool vm_copy_resume(void *context);

#endif
