/* lease.h: leases: objects of the display that a master lends to another file.
 * The lessee is their master and sees no other objects.
 *
 * With the device lock held unless a function says otherwise. */
#ifndef DRM_SHIM_KMS_LEASE_H
#define DRM_SHIM_KMS_LEASE_H

#include "base/base.h"

struct drm_file;

enum {
    LEASE_CRTC = 1,
    LEASE_CONNECTOR = 2,
    LEASE_PRIMARY = 4,
    LEASE_CURSOR = 8,
    LEASE_OBJECTS = 4, /* the count */
};

/* The bit of an object that can be leased (CRTC, connector, planes), else 0. */
unsigned lease_bit(uint32_t object);
/* Whether the file is master of the objects that it sees: a lessee only while
 * its lessor is. Lock not needed. */
bool lease_is_master(const struct drm_file *file);
/* Whether the file may name the object. All files may name objects that cannot
 * be leased. */
bool lease_sees(const struct drm_file *file, uint32_t object);
/* The leasable objects that the file may name; their count. */
unsigned lease_visible(const struct drm_file *file,
                       uint32_t ids[LEASE_OBJECTS]);
/* -ENOENT or -EACCES if the request names an object that the file may not use;
 * lock not needed. */
int lease_check(const struct drm_file *file, unsigned nr, const void *arg);
/* Ends the leases that a file has given. */
void lease_drop_file(struct drm_file *file);

#endif
