/* tree_build.h: writes the device tree of a platform below an open directory.
 * False, after a message, when it cannot. Any thread. */
#ifndef SHIM_TREE_BUILD_H
#define SHIM_TREE_BUILD_H

#include <stdbool.h>

struct platform;
bool tree_build(int root_fd, const struct platform *platform);

#endif
