/* drm_file.h: an open file of the device, like the kernel's struct drm_file.
 *
 * Reference counted by device.h; the device lock guards the fields. */
#ifndef DRM_SHIM_CORE_DRM_FILE_H
#define DRM_SHIM_CORE_DRM_FILE_H

#include "base/base.h"
#include "drm-shim/core/handle.h"

#include <sys/types.h>

struct drm_file {
    atomic_uint refs;
    ino_t ino;
    int minor;       /* 0: card0, 128: renderD128 */
    int peer;        /* -1: adopted from another process, no events */
    unsigned missed; /* adopted: looks in a row without a descriptor */
    struct handle_table bos, contexts, ppgtts, syncobjs;
    struct gem_context *default_context; /* id 0, made at first use */
    struct ppgtt *ppgtt;                 /* of contexts without their own */
    uint32_t magic;
    bool authenticated, master;
    bool has_bus_id; /* as the current or former master, since SET_VERSION */
    struct {
        bool lessee;             /* may use only the leased objects */
        unsigned objects;        /* lease_bit() */
        struct drm_file *lessor; /* NULL: in another process, or closed */
        uint32_t id;
    } lease;
    bool cap_universal_planes, cap_atomic, cap_aspect_ratio, cap_writeback;
    struct drm_file *next;
};

/* Puts one event into the read side of the file. Any thread; never blocks: an
 * event that finds no room is lost. */
void drm_file_send_event(struct drm_file *file, const void *event,
                         size_t size_B);

#endif
