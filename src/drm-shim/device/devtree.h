/* devtree.h: the device as the file system shows it.
 *
 * /dev/dri, the PCI device and the udev links live as real files and links
 * under a private directory; paths that name them are redirected there, so
 * readdir, readlink, realpath and relative walks need no emulation. Only stat()
 * of the two device nodes is patched.
 *
 * The directory is made when a path needs it: under SOFTLAKE_ROOT if set, else
 * in $XDG_RUNTIME_DIR, /dev/shm or /tmp. The last of the processes that use it
 * removes it at the end: its maker, or a child that did not exec. If it is gone
 * or out of reach, the process makes another. Any thread. */
#ifndef DRM_SHIM_DEVICE_DEVTREE_H
#define DRM_SHIM_DEVICE_DEVTREE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#define DEVTREE_PCI_SLOT "0000:00:02.0"

enum devtree_node { DEVTREE_NONE = -1, DEVTREE_CARD = 0, DEVTREE_RENDER = 128 };

/* Returns the path to use instead of `path`, as seen from dirfd (AT_FDCWD or
 * open): one in *block, or `path` itself if the tree does not hold it. The
 * caller passes *block to own_block_give(). Keeps errno. */
const char *devtree_redirect(int dirfd, const char *path, void **block);
/* The directory of the tree, for the caller to close; -1: there is no tree. */
int devtree_open_root(void);
/* Removes the root of the tree from the front of a path, in place. */
void devtree_strip(char *path);
/* Whether the first n bytes of a path may name the root. */
bool devtree_may_strip(const char *path, size_t n);
/* True for paths and descriptors inside the directory. */
bool devtree_owns_fd(int fd);
/* The device node that a stat result describes; patches the result to look like
 * the character device. */
enum devtree_node devtree_patch_stat(struct stat *st);
enum devtree_node devtree_node_of(dev_t dev, ino_t ino);

/* At the end of the process: removes the tree unless a child uses it. */
void devtree_remove(void);
/* In the child of fork(). */
void devtree_after_fork(void);

#endif
