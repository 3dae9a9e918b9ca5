/* vm_private.h: shared by vm.c, vm_user.c and vm_fault.c only. */
#ifndef ENGINE_VM_PRIVATE_H
#define ENGINE_VM_PRIVATE_H

#include "engine/vm.h"

#include <pthread.h>
#include <sys/types.h>

struct vm_range {
    gpu_va va;
    uint64_t size_B;
    dev_t dev;
    ino_t ino;
    uint64_t offset_B; /* in the file */
    bool no_identity;  /* application memory: ptr instead of a file */
    bool exposed;      /* see engine_vm_expose() */
    void *ptr;
};

/* Application memory that is copied around batches. */
struct vm_user {
    gpu_va va;
    uint64_t size_B;
    uint8_t *ptr;
    uint8_t *seen;    /* what both sides held when they were last compared */
    unsigned batches; /* that are running and may write it */
};

struct vm_private {
    struct engine_vm *vm;
    pthread_mutex_t lock;    /* all below but the atomics */
    struct vm_range *ranges; /* sorted by va, disjoint */
    unsigned range_count, range_capacity;
    struct vm_user *users;
    unsigned user_count, user_capacity;
    atomic_uint scratch_pages;
    /* A scratch page was put over a listed range (its file had shrunk), so
     * the list no longer says the whole truth. */
    atomic_bool holes_plugged;
    bool remap_all;
};

/* Room for `count` things of each_B bytes. False: out of memory. */
bool vm_reserve(void **array, unsigned *capacity, unsigned count,
                size_t each_B);
/* Index of the first range that ends after va. */
unsigned vm_range_find(const struct vm_private *priv, gpu_va va);

/* vm_user.c; the lock is held. */
struct vm_user *vm_user_find(struct vm_private *priv, gpu_va va);
/* 0 or -ENOMEM. */
int vm_user_add(struct vm_private *priv, gpu_va va, uint64_t size_B, void *ptr);
/* What overlaps is no longer ours to copy. */
void vm_users_drop(struct vm_private *priv, gpu_va va, uint64_t size_B);

/* Makes faults in the window known to the handler. False: too many. */
bool vm_fault_register(struct vm_private *priv);
void vm_fault_unregister(struct vm_private *priv);

/* copy.c: whether engine_copy() has faulted; it goes on, and fails. */
bool vm_copy_resume(void *context);

#endif
