/* tree.h: the device as the file system shows it.
 *
 * /dev/dri, the PCI device and the udev links live as real files and links
 * under a private directory; paths that name them are redirected there, so
 * readdir, readlink, realpath and relative walks need no emulation. Only the
 * two device nodes are files that have to be dressed up as such.
 *
 * The directory is made when a path needs it: under SOFTLAKE_ROOT if set (the
 * launcher removes that), else in $XDG_RUNTIME_DIR, /dev/shm or /tmp and
 * removed at the end of the process that made it. Any thread. */
#ifndef SHIM_TREE_H
#define SHIM_TREE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#define TREE_PCI_SLOT "0000:00:02.0"

enum tree_node { TREE_NONE = -1, TREE_CARD = 0, TREE_RENDER = 128 };

/* The path to use instead of path as seen from dirfd (AT_FDCWD or open).
 * Returns out, or path itself if it is none of ours. errno is kept. */
const char *tree_redirect(int dirfd, const char *path, char out[PATH_MAX]);
/* Takes our root off the front of a path, in place. */
void tree_strip(char *path);
/* True for paths and descriptors inside the directory. */
bool tree_owns_fd(int fd);
/* Which device node a stat result describes; the result is then patched to
 * look like the character device. */
enum tree_node tree_patch_stat(struct stat *st);
enum tree_node tree_node_of(dev_t dev, ino_t ino);

/* Removes what this process made. */
void tree_remove(void);
/* In the child of fork(): the directory is the parent's to remove. */
void tree_after_fork(void);

#endif
