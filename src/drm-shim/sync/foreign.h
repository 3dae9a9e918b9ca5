/* foreign.h: work of other processes on shared objects.
 *
 * A process marks its unfinished work in the object's file: a mark is a lock of
 * one byte, at any offset. The kernel drops a process's marks when it dies, and
 * nobody can set or clear another's, so no writer of shared memory is believed.
 * Nobody sends word when a mark goes: one thread of the process asks, as soon
 * as a word in shared memory changes and a few times a second. Any thread. */
#ifndef DRM_SHIM_SYNC_FOREIGN_H
#define DRM_SHIM_SYNC_FOREIGN_H

#include "drm-shim/sync/fence.h"

/* A new descriptor of the file whose marks are this process's: marks belong to
 * an open file description, which copies of a descriptor share. -errno. */
int foreign_reopen(int fd, int flags);
/* In the child of fork(): gives fd a description of the child's own. */
void foreign_reopen_in_place(int fd);

/* Whether nobody can shrink the file or make it read-only, now or later: an
 * access would be a SIGBUS or fail. */
bool foreign_is_sealed(int fd);

struct mark_range {
    uint64_t first, end;
};

/* Offsets for new marks; other processes use the same ones rarely. */
uint64_t foreign_new_marks(void);
bool foreign_mark(int fd, uint64_t at);
void foreign_unmark(int fd, uint64_t at);
/* Excludes other processes for a few stores. A process that dies lets go; one
 * that does not is ignored after a while. */
void foreign_lock(int fd);
void foreign_unlock(int fd);
/* The first marks of other processes in the range. False: none. */
bool foreign_find(int fd, struct mark_range in, struct mark_range *found);

/* Asks is_over() until it says so, or until the time limit for work of other
 * processes unless it is endless. Then signals the fence and calls drop(); both
 * without a lock held. False: out of memory, and nothing is called. */
struct foreign_watch {
    bool (*is_over)(void *data);
    void (*drop)(void *data);
    void *data;
    const _Atomic uint32_t *hint; /* changes when it may be over */
    struct fence *fence;          /* or NULL */
    bool endless;
};
bool foreign_watch(const struct foreign_watch *watch);
/* Tells processes that wait for the word. */
void foreign_tell(_Atomic uint32_t *hint);

/* In the child of fork(). */
void foreign_after_fork(void);

#endif
