/* display.h: the virtual display: one CRTC, one connector, a primary and a
 * cursor plane, and a vblank 60 times a second while a client waits for one.
 *
 * An atomic commit replaces struct kms_state as a whole; the legacy calls
 * commit a changed copy. A commit is shown at the first vblank at which the
 * rendering into its framebuffers has ended. With the device lock held unless a
 * function says otherwise. */
#ifndef DRM_SHIM_KMS_DISPLAY_H
#define DRM_SHIM_KMS_DISPLAY_H

#include "base/base.h"
#include "drm-shim/core/core.h"

#include <drm.h>
#include <drm_mode.h>

struct bo;
struct drm_file;
struct fence;

enum { /* fixed object ids; framebuffers and blobs follow */
       KMS_CRTC = 31,
       KMS_CONNECTOR = 41,
       KMS_ENCODER = 51,
       KMS_PLANE_FIRST = 61,
       KMS_PROP_FIRST = 101,
       KMS_OBJECT_FIRST = 201,
};
enum kms_plane_index { KMS_PRIMARY, KMS_CURSOR, KMS_PLANE_COUNT };

struct kms_fb {
    atomic_uint refs;
    uint32_t id;            /* 0 once removed */
    struct drm_file *owner; /* compared, never read */
    uint32_t width_px, height_px, fourcc, bpp, depth, flags;
    struct bo *bo[4];
    uint32_t pitch_B[4], offset_B[4];
    uint64_t modifier;
};

struct kms_blob {
    atomic_uint refs;
    uint32_t id;
    struct drm_file *owner; /* NULL: the display's */
    uint32_t size_B;
    uint8_t data[];
};

struct kms_plane_state {
    struct kms_fb *fb;
    uint32_t crtc_id;
    uint32_t src_x, src_y, src_w, src_h; /* 16.16 */
    int32_t crtc_x, crtc_y;
    uint32_t crtc_w, crtc_h;
};

struct kms_state {
    struct kms_plane_state plane[KMS_PLANE_COUNT];
    bool active, vrr;
    struct kms_blob *mode, *gamma;
    uint32_t connector_crtc;
    uint64_t dpms, link_status;
};

struct kms;

/* Created at first use; NULL: out of memory. */
struct kms *kms_of_device(void);
void kms_drop_file(struct kms *kms, struct drm_file *file);
void kms_after_fork(struct kms *kms);

/* Modes, best first; the count. */
unsigned kms_modes(const struct kms *kms,
                   const struct drm_mode_modeinfo **modes);

/* Framebuffers and blobs: looked up, not referenced. */
uint32_t kms_add_fb(struct kms *kms, struct kms_fb *fb); /* takes it */
struct kms_fb *kms_find_fb(struct kms *kms, uint32_t id);
struct kms_fb *kms_fb_ref(struct kms_fb *fb);
void kms_fb_unref(struct kms_fb *fb);
void kms_blob_unref(struct kms_blob *blob);
int kms_remove_fb(struct kms *kms, struct drm_file *file, uint32_t id);
uint32_t kms_next_fb(struct kms *kms, uint32_t after);
/* A blob with one reference, which the client releases by destroying it. Its
 * number is valid while any reference is left. NULL: out of memory. */
struct kms_blob *kms_add_blob(struct kms *kms, struct drm_file *owner,
                              const void *data, uint32_t size_B);
struct kms_blob *kms_find_blob(struct kms *kms, uint32_t id);
void kms_forget_blob(struct kms *kms, struct kms_blob *blob);
int kms_destroy_blob(struct kms *kms, struct drm_file *file, uint32_t id);
/* Blobs of the display itself. */
const struct kms_blob *kms_edid(const struct kms *kms);
const struct kms_blob *kms_in_formats(const struct kms *kms,
                                      enum kms_plane_index plane);
/* The formats that a plane shows. */
unsigned kms_formats(enum kms_plane_index plane, const uint32_t **formats);
bool kms_modifier_known(uint64_t modifier);

/* The current state, and a copy with references of its own. */
const struct kms_state *kms_current(const struct kms *kms);
/* Whether there are vblanks to wait for. */
bool kms_is_on(const struct kms *kms);
void kms_state_copy(struct kms_state *to, const struct kms_state *from);
void kms_state_finish(struct kms_state *state);
void kms_state_set_fb(struct kms_plane_state *plane, struct kms_fb *fb);
void kms_state_set_blob(struct kms_blob **slot, struct kms_blob *blob);
int kms_state_check(const struct kms_state *state);

struct kms_commit {
    struct kms_state state;      /* taken over */
    struct fence *in_fence;      /* taken over, may be NULL */
    struct fence *out_fence;     /* borrowed, signalled when shown; or NULL */
    struct drm_file *event_file; /* NULL: no event */
    uint64_t user_data;
};
/* -EBUSY while an earlier commit is not shown. *shown gets a referenced fence
 * that signals when this one is. */
int kms_commit(struct kms *kms, struct kms_commit *commit,
               struct fence **shown);
/* The fence of the commit that is not shown yet, referenced, or NULL. */
struct fence *kms_pending(struct kms *kms);

/* Vblanks: the last one's number and time. */
uint64_t kms_vblank(const struct kms *kms, int64_t *time_ns);
/* Sends an event at a vblank, or only signals a fence. */
struct kms_wait {
    uint64_t sequence;
    struct drm_file *file;
    uint32_t type; /* DRM_EVENT_*; 0: only the fence */
    uint64_t user_data;
    struct fence *fence;
    struct kms_wait *next;
};
int kms_queue_wait(struct kms *kms, const struct kms_wait *wait);

/* The cursor of the current state; the old cursor calls change it in place. */
struct kms_plane_state *kms_cursor(struct kms *kms);

/* Whether this process has used the display. */
bool kms_has_shown(const struct kms *kms);
/* The framebuffer that was shown last, referenced, with its plane and the size
 * of the screen; NULL if nothing was shown. */
struct kms_fb *kms_last_shown(struct kms *kms, struct kms_plane_state *plane,
                              uint32_t *width_px, uint32_t *height_px);

#endif
