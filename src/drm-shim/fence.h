/* fence.h: something that will happen once: the end of a batch, mostly.
 *
 * Fences are reference counted and may be signalled from any thread. All
 * waiting of the room goes through fence_wait_until(): one lock and one
 * condition for every fence and syncobj, so that a wait may be for a fence
 * that does not exist yet. A sync_file is an eventfd that reads 1 once the
 * fence has signalled; it works in poll() and in other processes. */
#ifndef SHIM_FENCE_H
#define SHIM_FENCE_H

#include <stdbool.h>
#include <stdint.h>

struct fence;

/* NULL: out of memory. */
struct fence *fence_create(bool signalled);
/* Signals when all of the given have. Takes no references from the caller. */
struct fence *fence_create_merged(struct fence *const *fences, unsigned count);
struct fence *fence_ref(struct fence *fence);
void fence_unref(struct fence *fence); /* NULL is fine */
void fence_signal(struct fence *fence);
bool fence_is_signalled(const struct fence *fence);

/* Has call(data) run once when the fence signals, now if it has. It runs
 * under the fence lock, on any thread, and must only do atomic things. False:
 * out of memory, it will not run. */
bool fence_call(struct fence *fence, void (*call)(void *data), void *data);

/* Absolute CLOCK_MONOTONIC time in ns; <= 0 only looks. */
#define FENCE_FOREVER INT64_MAX
int64_t fence_now_ns(void);
/* 0 or -ETIME. */
int fence_wait(struct fence *fence, int64_t deadline_ns);

/* The sync_file of a fence: a new descriptor or -errno. */
int fence_export(struct fence *fence);
/* The fence of a sync_file, which stays open; NULL with -errno in *err:
 * -EINVAL for a descriptor that is no sync_file. */
struct fence *fence_import(int fd, int *err);
/* True if fd is a sync_file. */
bool fence_is_sync_file(int fd);

/* Syncobjs share the lock and the condition. ready() is called with the lock
 * held; fence_kick() wakes sleepers if one of them is ready and must be called
 * with it. */
void fence_lock(void);
void fence_unlock(void);
void fence_kick(void);
int fence_wait_until(bool (*ready)(void *data), void *data,
                     int64_t deadline_ns);

/* Around fork(): the lock is not held by a thread that does not exist. */
void fence_before_fork(void);
void fence_forget_sleepers(void); /* in the child, with the lock held */
void fence_after_fork_parent(void);
void fence_after_fork_child(void);

#endif
