/* devtree_build.h: writes the device tree of a platform below an open
 * directory. Returns false, after a message, when it fails. Any thread. */
#ifndef DRM_SHIM_DEVICE_DEVTREE_BUILD_H
#define DRM_SHIM_DEVICE_DEVTREE_BUILD_H

#include <stdbool.h>

struct platform;
bool devtree_build(int root_fd, const struct platform *platform);

#endif
