/* devtree_make.h: where the device tree lies, and how it comes and goes. */
#ifndef DRM_SHIM_DEVICE_DEVTREE_MAKE_H
#define DRM_SHIM_DEVICE_DEVTREE_MAKE_H

#include "base/base.h"

#include <limits.h>
#include <sys/stat.h>

/* A tree; constant once made, and never freed, because any thread may use it.
 */
struct devtree {
    char root[PATH_MAX - 512]; /* without links */
    size_t root_len;
    int lock; /* held while this process uses the tree; -1: the launcher's */
    struct {
        dev_t dev;
        ino_t ino;
    } node[2];             /* card0, renderD128 */
    struct devtree *older; /* the one before, or NULL */
};

/* Makes a tree; NULL (after a message) if there is no place for one. */
struct devtree *devtree_make(void);
/* Whether the tree is there, and this process may use it: its maker may have
 * removed it, or this process may have changed its user. */
bool devtree_is_there(const struct devtree *tree);
/* Removes the tree unless another process uses it. Without locks or memory. */
void devtree_unmake(struct devtree *tree);

#endif
