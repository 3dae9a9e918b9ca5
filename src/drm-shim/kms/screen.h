/* screen.h: the screen of this process, visible to other processes, as the
 * kernel shows root the screen of the master.
 *
 * Each process has a display of its own. A process that shows a picture
 * describes it in a small file of shared memory. The picture stays in its
 * memory; readers open it through /proc, with the access rules of the kernel.
 */
#ifndef DRM_SHIM_KMS_SCREEN_H
#define DRM_SHIM_KMS_SCREEN_H

#include "base/base.h"

#include <sys/types.h>

struct bo;
struct kms_fb;

struct screen {
    uint32_t fb_id; /* 0: dark */
    uint32_t width_px, height_px, pitch_B, offset_B, fourcc, bpp, depth;
    uint64_t modifier, size_B;
    int32_t memory_fd; /* in that process */
    pid_t pid;
    dev_t dev; /* of the memory */
    ino_t ino;
    int64_t shown_ns;
};

/* Publishes the framebuffer of the primary plane; NULL: none. Lock held. */
void screen_publish(const struct kms_fb *fb);
/* Called at the end of the process. */
void screen_withdraw(void);
/* The screen that another process has shown last. Returns false if there is
 * none. */
bool screen_find(struct screen *screen);
/* The screen's memory, referenced; NULL: gone, or access is denied. Lock held.
 */
struct bo *screen_open(const struct screen *screen);

#endif
