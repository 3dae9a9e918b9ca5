/* sync_file.h: descriptors that say in poll() whether a fence has signalled.
 *
 * A sync_file is one end of a pair of sockets. The exporter holds the other end
 * and sends a message when the fence signals; the kernel hangs up when the
 * exporter dies. So poll() needs no help here or in other processes, and a
 * fence of a dead process has signalled. Any thread. */
#ifndef DRM_SHIM_SYNC_SYNC_FILE_H
#define DRM_SHIM_SYNC_SYNC_FILE_H

#include "drm-shim/sync/fence.h"

#include <sys/types.h>

/* The exporter's end. */
struct sync_file_end {
    int fd;
    ino_t ino; /* of the client's end */
};

/* A new descriptor for the client, or -errno. */
int sync_file_create(struct sync_file_end *end);
/* The fence has signalled: tells all processes that have the client's end, and
 * closes this one. */
void sync_file_signal(const struct sync_file_end *end);
/* The inode of a sync_file; 0 if fd is none. Keeps errno. */
ino_t sync_file_ino(int fd);
bool sync_file_has_signalled(int fd);
/* A fence that signals when the sync_file does, or after the time limit for
 * work of other processes. NULL: out of memory. */
struct fence *sync_file_watch(int fd, ino_t ino);
/* In the child of fork(), with the fence lock held. */
void sync_file_after_fork(void);

#endif
