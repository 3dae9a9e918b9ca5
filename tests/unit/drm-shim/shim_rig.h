/* shim_rig.h: the device without the preload: ioctls go straight to the
 * handlers. Every Criterion test runs in a process of its own. */
#ifndef TESTS_UNIT_DRM_SHIM_SHIM_RIG_H
#define TESTS_UNIT_DRM_SHIM_SHIM_RIG_H

#include "drm-shim/device/device.h"
#include "drm-shim/ioctl/ioctl.h"

#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <criterion/criterion.h>

#define RIG_BATCH_VA UINT64_C(0x100000) /* where rig_exec() puts batches */

struct rig {
    int fd;
    struct drm_file *file;
};

/* minor: 0 or 128. The engine runs in the submitting thread unless the test
 * set SOFTLAKE_THREADS before. */
struct rig rig_open(int minor);
/* 0 or -errno. */
int rig_ioctl(const struct rig *rig, unsigned long request, void *arg);
uint32_t rig_create(const struct rig *rig, uint64_t size_B);
void *rig_map(const struct rig *rig, uint32_t handle, uint64_t size_B);
uint32_t rig_syncobj(const struct rig *rig, uint32_t flags);
/* A batch object that stores value at the softpinned address va. */
uint32_t rig_store_batch(const struct rig *rig, uint64_t va, uint32_t value);
/* Runs batch (at 1 MiB) with target pinned at target_va; extra flags. */
int rig_exec(const struct rig *rig, uint32_t batch, uint32_t target,
             uint64_t target_va, struct drm_i915_gem_execbuffer2 *eb);

#endif
