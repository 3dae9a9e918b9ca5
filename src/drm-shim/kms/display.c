#include "drm-shim/kms/display.h"

#include "drm-shim/gem/gem.h"
#include "drm-shim/core/core.h"
#include "drm-shim/sync/sync.h"
#include "drm-shim/kms/kms_data.h"
#include "drm-shim/kms/screen.h"
#include "engine/scope/scope_frame.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define PERIOD_NS INT64_C(16666667)

struct pending {
    bool active;
    struct fence *fences[KMS_PLANE_COUNT + 1]; /* rendering to wait for */
    struct fence *out_fence, *shown;
    struct drm_file *event_file;
    uint64_t user_data;
};

struct kms {
    struct drm_mode_modeinfo modes[KMS_MODES_MAX];
    unsigned mode_count;
    struct handle_table objects; /* struct object: framebuffers and blobs */
    struct kms_state state;
    struct pending pending;
    struct kms_wait *waits;
    struct kms_blob *edid, *in_formats[KMS_PLANE_COUNT];
    struct kms_fb *last_fb;
    struct kms_plane_state last_plane; /* its fb is last_fb, no reference */
    uint32_t last_width_px, last_height_px; /* the screen's */
    int64_t start_ns;
    bool running; /* the vblank thread */
};

/* Both kinds share one number space, as in the kernel. */
struct object {
    struct kms_fb *fb;
    struct kms_blob *blob;
};

/* ------------------------------------------------------------------------
 * Objects */

static uint32_t
add_object(struct kms *kms, struct kms_fb *fb, struct kms_blob *blob)
{
    struct object *o = malloc(sizeof *o);
    if (!o)
        return 0;
    *o = (struct object){fb, blob};
    uint32_t handle = handle_add(&kms->objects, o);
    if (!handle)
        free(o);
    return handle ? handle + KMS_OBJECT_FIRST - 1 : 0;
}

static struct object *
find_object(struct kms *kms, uint32_t id)
{
    if (id < KMS_OBJECT_FIRST)
        return NULL;
    return handle_get(&kms->objects, id - KMS_OBJECT_FIRST + 1);
}

static void
remove_object(struct kms *kms, uint32_t id)
{
    free(handle_remove(&kms->objects, id - KMS_OBJECT_FIRST + 1));
}

uint32_t
kms_add_fb(struct kms *kms, struct kms_fb *fb)
{
    fb->id = add_object(kms, fb, NULL);
    uint32_t id = fb->id;
    if (!id)
        kms_fb_unref(fb);
    return id;
}

struct kms_fb *
kms_find_fb(struct kms *kms, uint32_t id)
{
    struct object *o = find_object(kms, id);
    return o ? o->fb : NULL;
}

uint32_t
kms_next_fb(struct kms *kms, uint32_t after)
{
    uint32_t h = after ? after - KMS_OBJECT_FIRST + 1 : 0;
    while ((h = handle_next(&kms->objects, h))) {
        struct object *o = handle_get(&kms->objects, h);
        if (o->fb)
            return h + KMS_OBJECT_FIRST - 1;
    }
    return 0;
}

static void
note_shown(struct kms *kms)
{
    struct kms_plane_state *p = &kms->state.plane[KMS_PRIMARY];
    if (!p->fb || !kms->state.active || !kms->state.mode) {
        screen_publish(NULL);
        return;
    }
    struct kms_fb *old = kms->last_fb;
    kms->last_fb = kms_fb_ref(p->fb);
    kms->last_plane = *p;
    struct drm_mode_modeinfo mode;
    memcpy(&mode, kms->state.mode->data, sizeof mode);
    kms->last_width_px = mode.hdisplay;
    kms->last_height_px = mode.vdisplay;
    kms_fb_unref(old);
    screen_publish(p->fb);
    stats_add(STAT_flips, 1);
}

static void
remove_fb(struct kms *kms, struct kms_fb *fb)
{
    remove_object(kms, fb->id);
    fb->id = 0;
    /* Counts a pending flip as shown: a program that flips and ends at once
     * meant its last frame to be seen. */
    if (kms->pending.active && kms->state.plane[KMS_PRIMARY].fb == fb)
        note_shown(kms);
    /* Planes that showed the framebuffer go dark. */
    for (unsigned i = 0; i < KMS_PLANE_COUNT; i++) {
        struct kms_plane_state *p = &kms->state.plane[i];
        if (p->fb == fb) {
            kms_state_set_fb(p, NULL);
            p->crtc_id = 0;
            if (i == KMS_PRIMARY)
                screen_publish(NULL);
        }
    }
    kms_fb_unref(fb);
}

int
kms_remove_fb(struct kms *kms, struct drm_file *file, uint32_t id)
{
    struct kms_fb *fb = kms_find_fb(kms, id);
    if (!fb || fb->owner != file)
        return -ENOENT;
    remove_fb(kms, fb);
    return 0;
}

struct kms_blob *
kms_add_blob(struct kms *kms, struct drm_file *owner, const void *data,
             uint32_t size_B)
{
    struct kms_blob *blob = malloc(sizeof *blob + size_B);
    if (!blob)
        return NULL;
    atomic_init(&blob->refs, 1);
    blob->owner = owner;
    blob->size_B = size_B;
    memcpy(blob->data, data, size_B);
    blob->id = add_object(kms, NULL, blob);
    if (blob->id)
        return blob;
    free(blob);
    return NULL;
}

struct kms_blob *
kms_find_blob(struct kms *kms, uint32_t id)
{
    struct object *o = find_object(kms, id);
    return o ? o->blob : NULL;
}

int
kms_destroy_blob(struct kms *kms, struct drm_file *file, uint32_t id)
{
    struct kms_blob *blob = kms_find_blob(kms, id);
    if (!blob)
        return -ENOENT;
    if (!file || blob->owner != file)
        return -EPERM;
    /* A state that still uses the blob keeps it, and its number, alive. */
    blob->owner = NULL;
    kms_blob_unref(blob);
    return 0;
}

void
kms_forget_blob(struct kms *kms, struct kms_blob *blob)
{
    remove_object(kms, blob->id);
}

const struct kms_blob *
kms_edid(const struct kms *kms)
{
    return kms->edid;
}

const struct kms_blob *
kms_in_formats(const struct kms *kms, enum kms_plane_index plane)
{
    return kms->in_formats[plane];
}

unsigned
kms_modes(const struct kms *kms, const struct drm_mode_modeinfo **modes)
{
    *modes = kms->modes;
    return kms->mode_count;
}

/* ------------------------------------------------------------------------
 * States */

const struct kms_state *
kms_current(const struct kms *kms)
{
    return &kms->state;
}

bool
kms_is_on(const struct kms *kms)
{
    return kms->state.active && kms->state.dpms == DRM_MODE_DPMS_ON;
}

/* ------------------------------------------------------------------------
 * Vblank */

uint64_t
kms_vblank(const struct kms *kms, int64_t *time_ns)
{
    int64_t n = (fence_now_ns() - kms->start_ns) / PERIOD_NS;
    if (time_ns)
        *time_ns = kms->start_ns + n * PERIOD_NS;
    return (uint64_t)n;
}

static void
send_event(struct drm_file *file, uint32_t type, uint64_t user_data,
           uint64_t sequence, int64_t time_ns)
{
    if (type == DRM_EVENT_CRTC_SEQUENCE) {
        struct drm_event_crtc_sequence e = {
            .base = {type, sizeof e},
            .user_data = user_data,
            .time_ns = time_ns,
            .sequence = sequence,
        };
        drm_file_send_event(file, &e, sizeof e);
        return;
    }
    struct drm_event_vblank e = {
        .base = {type, sizeof e},
        .user_data = user_data,
        .tv_sec = (uint32_t)(time_ns / INT64_C(1000000000)),
        .tv_usec = (uint32_t)(time_ns % INT64_C(1000000000) / 1000),
        .sequence = (uint32_t)sequence,
        .crtc_id = KMS_CRTC,
    };
    drm_file_send_event(file, &e, sizeof e);
}

/* Signals fences before it sends the event, as the kernel does. */
static void
finish_commit(struct kms *kms, uint64_t sequence, int64_t time_ns)
{
    struct pending *p = &kms->pending;
    for (unsigned i = 0; i < ARRAY_SIZE(p->fences); i++)
        if (p->fences[i] && !fence_is_signalled(p->fences[i]))
            return;
    note_shown(kms);
    if (p->out_fence)
        fence_signal(p->out_fence);
    fence_signal(p->shown);
    if (p->event_file)
        send_event(p->event_file, DRM_EVENT_FLIP_COMPLETE, p->user_data,
                   sequence, time_ns);
    for (unsigned i = 0; i < ARRAY_SIZE(p->fences); i++)
        fence_unref(p->fences[i]);
    fence_unref(p->out_fence);
    fence_unref(p->shown);
    memset(p, 0, sizeof *p);
    trace(kms, "shown at vblank %llu", (unsigned long long)sequence);
}

static void
finish_waits(struct kms *kms, uint64_t sequence, int64_t time_ns)
{
    for (struct kms_wait **p = &kms->waits; *p;) {
        struct kms_wait *w = *p;
        if (w->sequence > sequence) {
            p = &w->next;
            continue;
        }
        *p = w->next;
        if (w->fence)
            fence_signal(w->fence);
        if (w->type)
            send_event(w->file, w->type, w->user_data, sequence, time_ns);
        fence_unref(w->fence);
        free(w);
    }
}

/* Vblank thread. It ends after 120 idle vblanks, because a thread per frame
 * would cost more than sleeping through some. */
static void *
vblank_main(void *data)
{
    struct kms *kms = data;
    unsigned idle = 0;
    device_lock();
    while (idle < 120) {
        int64_t time_ns;
        kms_vblank(kms, &time_ns);
        device_unlock();
        time_ns += PERIOD_NS;
        struct timespec ts = {time_ns / 1000000000, time_ns % 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
        device_lock();
        uint64_t sequence = kms_vblank(kms, &time_ns);
        idle = kms->pending.active || kms->waits ? 0 : idle + 1;
        if (kms->pending.active)
            finish_commit(kms, sequence, time_ns);
        finish_waits(kms, sequence, time_ns);
    }
    kms->running = false;
    device_unlock();
    return NULL;
}

static int
start_thread(struct kms *kms)
{
    pthread_t thread;
    if (kms->running)
        return 0;
    if (device_start_thread(&thread, vblank_main, kms))
        return -EAGAIN;
    pthread_detach(thread);
    kms->running = true;
    return 0;
}

int
kms_queue_wait(struct kms *kms, const struct kms_wait *wait)
{
    struct kms_wait *w = malloc(sizeof *w);
    if (!w)
        return -ENOMEM;
    *w = *wait;
    if (w->fence)
        fence_ref(w->fence);
    w->next = kms->waits;
    kms->waits = w;
    return start_thread(kms);
}

/* ------------------------------------------------------------------------
 * Commits */

struct fence *
kms_pending(struct kms *kms)
{
    return kms->pending.active ? fence_ref(kms->pending.shown) : NULL;
}

int
kms_commit(struct kms *kms, struct kms_commit *commit, struct fence **shown)
{
    struct pending *p = &kms->pending;
    if (p->active)
        return -EBUSY;
    struct fence *fence = fence_create(false);
    if (!fence)
        return -ENOMEM;
    int err = start_thread(kms);
    if (err) {
        fence_unref(fence);
        return err;
    }
    if (kms->state.plane[KMS_PRIMARY].fb != commit->state.plane[KMS_PRIMARY].fb)
        engine_note_frame();
    kms_state_finish(&kms->state);
    kms->state = commit->state;
    memset(&commit->state, 0, sizeof commit->state);
    for (unsigned i = 0; i < KMS_PLANE_COUNT; i++)
        if (kms->state.plane[i].fb)
            p->fences[i] = bo_fence(kms->state.plane[i].fb->bo[0], true);
    p->fences[KMS_PLANE_COUNT] = commit->in_fence;
    p->out_fence = commit->out_fence ? fence_ref(commit->out_fence) : NULL;
    p->shown = fence;
    p->event_file = commit->event_file;
    p->user_data = commit->user_data;
    p->active = true;
    *shown = fence_ref(fence);
    return 0;
}

struct kms_plane_state *
kms_cursor(struct kms *kms)
{
    return &kms->state.plane[KMS_CURSOR];
}

bool
kms_has_shown(const struct kms *kms)
{
    return kms->last_fb || kms->pending.active;
}

struct kms_fb *
kms_last_shown(struct kms *kms, struct kms_plane_state *plane,
               uint32_t *width_px, uint32_t *height_px)
{
    if (!kms->last_fb)
        return NULL;
    *plane = kms->last_plane;
    *width_px = kms->last_width_px;
    *height_px = kms->last_height_px;
    return kms_fb_ref(kms->last_fb);
}

/* ------------------------------------------------------------------------ */

static struct kms *
create_kms(void)
{
    struct kms *kms = calloc(1, sizeof *kms);
    uint8_t data[KMS_BLOB_MAX_B];
    if (!kms)
        return NULL;
    kms->start_ns = fence_now_ns();
    kms->mode_count = kms_data_modes(kms->modes);
    uint32_t size_B = kms_data_edid(data, &kms->modes[0]);
    kms->edid = kms_add_blob(kms, NULL, data, size_B);
    for (unsigned i = 0; i < KMS_PLANE_COUNT; i++) {
        size_B = kms_data_in_formats(data, i);
        kms->in_formats[i] = kms_add_blob(kms, NULL, data, size_B);
    }
    return kms;
}

struct kms *
kms_of_device(void)
{
    struct kms **slot = device_kms_slot();
    if (!*slot)
        *slot = create_kms();
    return *slot;
}

/* Removes a closed file's events, framebuffers and blobs. */
void
kms_drop_file(struct kms *kms, struct drm_file *file)
{
    if (kms->pending.event_file == file)
        kms->pending.event_file = NULL;
    for (struct kms_wait *w = kms->waits; w; w = w->next)
        if (w->file == file)
            w->type = 0;
    for (uint32_t h = 0; (h = handle_next(&kms->objects, h));) {
        struct object *o = handle_get(&kms->objects, h);
        if (o->fb && o->fb->owner == file)
            remove_fb(kms, o->fb);
        else if (o->blob && o->blob->owner == file)
            kms_destroy_blob(kms, file, o->blob->id);
    }
}

void
kms_after_fork(struct kms *kms)
{
    kms->running = false;
    if (kms->pending.active || kms->waits)
        start_thread(kms);
}
