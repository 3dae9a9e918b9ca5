/* leftover.h: files that a process makes for others, and that stay when it is
 * killed.
 *
 * The process keeps a lock on the file or directory, which ends with it and
 * with its children that did not exec. Whoever finds no lock may remove the
 * file. Any thread. */
#ifndef DRM_SHIM_CORE_LEFTOVER_H
#define DRM_SHIM_CORE_LEFTOVER_H

#include <stdbool.h>

#define LEFTOVER_TREE "softlake-tree-"
#define LEFTOVER_SCREEN "softlake-screen-"
#define LEFTOVER_COUNTS "softlake-counts-" /* the launcher's */

/* Locks a file that was just made. False: it has been taken for a leftover and
 * is gone; make another. */
bool leftover_lock(int fd);
/* At the end of a process: whether no other process holds the lock that fd
 * held, which the caller has closed. path is the file's. */
bool leftover_is_free(const char *path);
/* Removes the file or directory unless somebody holds its lock. */
bool leftover_remove(int dir, const char *name);
/* Removes a directory and the files in it, without allocating memory. */
void leftover_remove_dir(const char *path);
/* Removes this user's leftovers in /dev/shm, /tmp and the directory. */
void leftover_sweep(const char *dir);

#endif
