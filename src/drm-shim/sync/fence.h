/* fence.h: fences: events that happen once, mostly the end of a batch.
 *
 * Fences are reference counted; any thread may signal them. All waits of the
 * room use fence_wait_until(), with one lock and one condition for every fence
 * and syncobj. So a wait may be for a fence that does not exist yet. Sync_files
 * are in sync_file.h. */
#ifndef DRM_SHIM_SYNC_FENCE_H
#define DRM_SHIM_SYNC_FENCE_H

#include <stdbool.h>
#include <stdint.h>

struct fence;

/* NULL: out of memory. */
struct fence *fence_create(bool signalled);
/* Signals when all of the given fences have. The caller keeps its references.
 */
struct fence *fence_create_merged(struct fence *const *fences, unsigned count);
struct fence *fence_ref(struct fence *fence);
void fence_unref(struct fence *fence); /* NULL is fine */
void fence_signal(struct fence *fence);
bool fence_is_signalled(const struct fence *fence);

/* Runs call(data) once when the fence signals, at once if it has. The call runs
 * under the fence lock, on any thread, and must only do atomic stores. False:
 * out of memory, it will not run. */
bool fence_call(struct fence *fence, void (*call)(void *data), void *data);

/* Deadlines are absolute CLOCK_MONOTONIC times in ns; one <= 0 only polls. */
#define FENCE_FOREVER INT64_MAX
int64_t fence_now_ns(void);
/* 0 or -ETIME. */
int fence_wait(struct fence *fence, int64_t deadline_ns);
/* The same for ioctls that a signal handler ends: -EINTR. */
int fence_wait_interruptible(struct fence *fence, int64_t deadline_ns);

/* Whether nothing but the caller's reference depends on the fence. With the
 * lock held. */
bool fence_is_unused_locked(const struct fence *fence);

/* The sync_file of a fence: a new descriptor or -errno. */
int fence_export(struct fence *fence);
/* The fence of a sync_file, which stays open; NULL with -errno in *err:
 * -EINVAL for a descriptor that is no sync_file. */
struct fence *fence_import(int fd, int *err);
/* True if fd is a sync_file. */
bool fence_is_sync_file(int fd);

/* Syncobjs share the lock and the condition. ready() is called with the lock
 * held. fence_kick(), called with the lock held, wakes sleepers if the
 * condition of one holds. */
void fence_lock(void);
void fence_unlock(void);
void fence_kick(void);
int fence_wait_until(bool (*ready)(void *data), void *data,
                     int64_t deadline_ns);
int fence_wait_until_interruptible(bool (*ready)(void *data), void *data,
                                   int64_t deadline_ns);

/* Around fork(): no thread that is missing in the child holds the lock. */
void fence_before_fork(void);
void fence_forget_sleepers(void); /* in the child, with the lock held */
void fence_after_fork_parent(void);
void fence_after_fork_child(void);

#endif
