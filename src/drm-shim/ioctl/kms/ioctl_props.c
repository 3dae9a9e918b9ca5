/* ioctl_props.c: blobs, properties and atomic commits. */
#include "drm-shim/core/core.h"
#include "drm-shim/sync/sync.h"
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "drm-shim/kms/kms.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int
ioctl_mode_getpropblob(struct drm_file *file, void *arg)
{
    struct drm_mode_get_blob *g = arg;
    device_lock();
    const struct kms_blob *blob = kms_find_blob(kms_of_device(), g->blob_id);
    int err = blob ? 0 : -ENOENT;
    if (blob && g->length == blob->size_B)
        err = client_write(g->data, blob->data, blob->size_B);
    if (blob)
        g->length = blob->size_B;
    device_unlock();
    return err;
}

int
ioctl_mode_createpropblob(struct drm_file *file, void *arg)
{
    struct drm_mode_create_blob *c = arg;
    int err;
    if (!c->length || c->length > 1u << 20)
        return -EINVAL;
    uint8_t *data = client_read_array(c->data, c->length, 1, &err);
    if (!data)
        return err;
    device_lock();
    struct kms_blob *blob = kms_add_blob(kms_of_device(), file, data,
                                         c->length);
    if (blob)
        c->blob_id = blob->id;
    device_unlock();
    free(data);
    return blob ? 0 : -ENOMEM;
}

int
ioctl_mode_destroypropblob(struct drm_file *file, void *arg)
{
    const struct drm_mode_destroy_blob *d = arg;
    device_lock();
    int err = kms_destroy_blob(kms_of_device(), file, d->blob_id);
    device_unlock();
    return err;
}

int
ioctl_mode_getproperty(struct drm_file *file, void *arg)
{
    return props_describe(arg);
}

int
ioctl_mode_obj_getproperties(struct drm_file *file, void *arg)
{
    struct drm_mode_obj_get_properties *g = arg;
    device_lock();
    struct kms *kms = kms_of_device();
    uint32_t type = props_object_type(kms, g->obj_id);
    int err = -ENOENT;
    if (type && (g->obj_type == type || g->obj_type == DRM_MODE_OBJECT_ANY))
        err = props_give(kms, file, g->obj_id, &g->count_props, g->props_ptr,
                         g->prop_values_ptr);
    device_unlock();
    return err;
}

/* ------------------------------------------------------------------------
 * Atomic */

/* The client's four arrays. */
struct lists {
    uint32_t *objs, *counts, *props;
    uint64_t *values;
    uint32_t obj_count;
};

static void
lists_finish(struct lists *l)
{
    free(l->objs);
    free(l->counts);
    free(l->props);
    free(l->values);
}

static int
lists_init(struct lists *l, const struct drm_mode_atomic *a)
{
    int err = 0;
    uint64_t total = 0;
    memset(l, 0, sizeof *l);
    l->obj_count = a->count_objs;
    l->objs = client_read_array(a->objs_ptr, a->count_objs, 4, &err);
    if (!err)
        l->counts = client_read_array(a->count_props_ptr, a->count_objs, 4,
                                      &err);
    for (uint32_t i = 0; !err && i < a->count_objs; i++)
        total += l->counts[i];
    if (!err)
        l->props = client_read_array(a->props_ptr, total, 4, &err);
    if (!err)
        l->values = client_read_array(a->prop_values_ptr, total, 8, &err);
    if (err)
        lists_finish(l);
    return err;
}

static int
edit_state(struct kms *kms, const struct drm_file *file,
           struct kms_state *state, struct props_request *request,
           const struct lists *l)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->obj_count; i++) {
        for (uint32_t p = 0; p < l->counts[i]; p++, n++) {
            int err = -ENOENT;
            if (lease_sees(file, l->objs[i]))
                err = props_set(kms, state, request, l->objs[i], l->props[n],
                                l->values[n]);
            if (err) {
                trace(kms, "atomic: object %u property %u = %llu: %d",
                      l->objs[i], l->props[n], (unsigned long long)l->values[n],
                      err);
                return err;
            }
        }
    }
    return kms_state_check(state);
}

static bool
mode_changes(const struct kms_state *a, const struct kms_state *b)
{
    return a->active != b->active || a->connector_crtc != b->connector_crtc ||
           !a->mode != !b->mode ||
           (a->mode && memcmp(a->mode->data, b->mode->data,
                              sizeof(struct drm_mode_modeinfo)));
}

/* Exports a sync_file that signals when the commit is shown. */
static int
give_out_fence(struct kms_commit *commit, uint64_t ptr)
{
    if (!ptr)
        return 0;
    commit->out_fence = fence_create(false);
    if (!commit->out_fence)
        return -ENOMEM;
    int fd = fence_export(commit->out_fence);
    if (fd < 0)
        return fd;
    int err = client_write(ptr, &fd, sizeof fd);
    if (err)
        close(fd);
    return err;
}

/* Lock held. */
static int
try_commit(struct kms *kms, struct drm_file *file,
           const struct drm_mode_atomic *a, const struct lists *l,
           struct fence **shown)
{
    struct kms_commit commit = {.user_data = a->user_data};
    struct props_request request = {0};
    kms_state_copy(&commit.state, kms_current(kms));
    int err = edit_state(kms, file, &commit.state, &request, l);
    if (!err && !(a->flags & DRM_MODE_ATOMIC_ALLOW_MODESET) &&
        mode_changes(&commit.state, kms_current(kms)))
        err = -EINVAL;
    if (!err && a->flags & DRM_MODE_PAGE_FLIP_EVENT && !commit.state.active &&
        !kms_current(kms)->active)
        err = -EINVAL; /* no commit would send the event */
    if (!err && !(a->flags & DRM_MODE_ATOMIC_TEST_ONLY))
        err = give_out_fence(&commit, request.out_fence_ptr);
    if (!err && !(a->flags & DRM_MODE_ATOMIC_TEST_ONLY)) {
        commit.in_fence = request.in_fence;
        if (a->flags & DRM_MODE_PAGE_FLIP_EVENT)
            commit.event_file = file;
        err = kms_commit(kms, &commit, shown);
        if (!err)
            request.in_fence = NULL;
    }
    fence_unref(request.in_fence);
    fence_unref(commit.out_fence);
    kms_state_finish(&commit.state);
    return err;
}

static int
check_flags(struct drm_file *file, const struct drm_mode_atomic *a)
{
    uint32_t flags = a->flags;
    if (!file->cap_atomic)
        return -EOPNOTSUPP;
    if (flags & ~(uint32_t)DRM_MODE_ATOMIC_FLAGS || a->reserved)
        return -EINVAL;
    if (flags & DRM_MODE_PAGE_FLIP_ASYNC)
        return -EINVAL;
    if (flags & DRM_MODE_ATOMIC_TEST_ONLY && flags & DRM_MODE_PAGE_FLIP_EVENT)
        return -EINVAL;
    return 0;
}

int
ioctl_mode_atomic(struct drm_file *file, void *arg)
{
    const struct drm_mode_atomic *a = arg;
    struct lists lists;
    int err = check_flags(file, a);
    if (!err)
        err = lists_init(&lists, a);
    if (err)
        return err;
    bool test = a->flags & DRM_MODE_ATOMIC_TEST_ONLY;
    bool block = !(a->flags & DRM_MODE_ATOMIC_NONBLOCK);
    for (;;) {
        struct fence *shown = NULL;
        device_lock();
        struct kms *kms = kms_of_device();
        struct fence *before = kms_pending(kms);
        if (!before || test)
            err = try_commit(kms, file, a, &lists, &shown);
        else
            err = -EBUSY;
        device_unlock();
        bool again = before && !test && block;
        if (again)
            fence_wait(before, FENCE_FOREVER);
        else if (shown && block)
            fence_wait(shown, FENCE_FOREVER);
        fence_unref(before);
        fence_unref(shown);
        if (!again)
            break;
    }
    lists_finish(&lists);
    trace(kms, "atomic commit, flags %#x: %d", a->flags, err);
    return err;
}

/* ------------------------------------------------------------------------
 * One property by the legacy calls: a commit of its own. */

static int
set_one(struct drm_file *file, uint32_t object, uint32_t prop, uint64_t value)
{
    uint32_t one = 1;
    struct lists l = {&object, &one, &prop, &value, 1};
    struct drm_mode_atomic a = {.flags = DRM_MODE_ATOMIC_ALLOW_MODESET};
    for (;;) {
        struct fence *shown = NULL;
        device_lock();
        struct kms *kms = kms_of_device();
        struct fence *before = kms_pending(kms);
        int err = before ? 0 : try_commit(kms, file, &a, &l, &shown);
        device_unlock();
        if (before || shown)
            fence_wait(before ? before : shown, FENCE_FOREVER);
        fence_unref(shown);
        if (!before)
            return err;
        fence_unref(before);
    }
}

int
ioctl_mode_setproperty(struct drm_file *file, void *arg)
{
    const struct drm_mode_connector_set_property *s = arg;
    if (s->connector_id != KMS_CONNECTOR)
        return -ENOENT;
    return set_one(file, s->connector_id, s->prop_id, s->value);
}

int
ioctl_mode_obj_setproperty(struct drm_file *file, void *arg)
{
    const struct drm_mode_obj_set_property *s = arg;
    return set_one(file, s->obj_id, s->prop_id, s->value);
}
