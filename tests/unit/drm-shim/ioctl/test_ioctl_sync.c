#include "drm-shim/ioctl/ioctl_handlers.h"
#include "drm-shim/sync/fence.h"
#include "shim_rig.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int
wait_for(const struct rig *rig, uint32_t handle, uint64_t point, uint32_t flags,
         int64_t timeout_ns)
{
    struct drm_syncobj_timeline_wait w = {
        .handles = (uintptr_t)&handle,
        .points = (uintptr_t)&point,
        .timeout_nsec = timeout_ns,
        .count_handles = 1,
        .flags = flags,
    };
    return rig_ioctl(rig, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w);
}

static int
signal_point(const struct rig *rig, uint32_t handle, uint64_t point)
{
    struct drm_syncobj_timeline_array a = {
        .handles = (uintptr_t)&handle,
        .points = (uintptr_t)&point,
        .count_handles = 1,
    };
    return rig_ioctl(rig, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &a);
}

static uint64_t
query(const struct rig *rig, uint32_t handle)
{
    uint64_t value = 12345;
    struct drm_syncobj_timeline_array a = {
        .handles = (uintptr_t)&handle,
        .points = (uintptr_t)&value,
        .count_handles = 1,
    };
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_SYNCOBJ_QUERY, &a), 0);
    return value;
}

Test(syncobj, empty_one_is_an_error_unless_for_submit)
{
    struct rig rig = rig_open(128);
    uint32_t h = rig_syncobj(&rig, 0);
    struct drm_syncobj_wait w = {.handles = (uintptr_t)&h, .count_handles = 1};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_WAIT, &w), -EINVAL);
    w.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_WAIT, &w), -ETIME);
}

Test(syncobj, created_signalled_is_signalled)
{
    struct rig rig = rig_open(128);
    uint32_t h = rig_syncobj(&rig, DRM_SYNCOBJ_CREATE_SIGNALED);
    struct drm_syncobj_wait w = {.handles = (uintptr_t)&h,
                                 .count_handles = 1,
                                 .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_WAIT, &w), 0);
}

Test(syncobj, wait_any_names_the_first_ready)
{
    struct rig rig = rig_open(128);
    uint32_t h[3] = {rig_syncobj(&rig, 0), rig_syncobj(&rig, 1),
                     rig_syncobj(&rig, 1)};
    struct drm_syncobj_wait w = {
        .handles = (uintptr_t)h,
        .count_handles = 3,
        .first_signaled = 99,
        .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_WAIT, &w), 0);
    cr_assert_eq(w.first_signaled, 1u);
}

Test(syncobj, hostile_arguments_are_refused)
{
    struct rig rig = rig_open(128);
    uint32_t h = 77;
    struct drm_syncobj_wait w = {.handles = (uintptr_t)&h, .count_handles = 1};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_WAIT, &w), -ENOENT);
    w.handles = 8;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_WAIT, &w), -EFAULT);
    w.count_handles = UINT32_MAX;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_WAIT, &w), -EINVAL);
    w.flags = 0x80;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_WAIT, &w), -EINVAL);
    struct drm_syncobj_destroy d = {.handle = 5};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_DESTROY, &d), -EINVAL);
}

Test(syncobj, timeline_points_become_true_in_order)
{
    struct rig rig = rig_open(128);
    uint32_t h = rig_syncobj(&rig, 0);
    cr_assert_eq(query(&rig, h), 0u);
    cr_assert_eq(wait_for(&rig, h, 3, 0, 0), -EINVAL);
    cr_assert_eq(signal_point(&rig, h, 5), 0);
    cr_assert_eq(query(&rig, h), 5u);
    cr_assert_eq(wait_for(&rig, h, 3, 0, 0), 0);
    cr_assert_eq(wait_for(&rig, h, 5, 0, 0), 0);
    cr_assert_eq(wait_for(&rig, h, 6, 0, 0), -EINVAL);
    cr_assert_eq(
        wait_for(&rig, h, 6, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, 0),
        -ETIME);
    cr_assert_eq(signal_point(&rig, h, 9), 0);
    cr_assert_eq(query(&rig, h), 9u);
    cr_assert_eq(wait_for(&rig, h, 4, 0, 0), 0);
}

static int
watch(const struct rig *rig, uint32_t handle, uint64_t point, uint32_t flags,
      int fd)
{
    struct shim_syncobj_eventfd e = {handle, flags, point, fd, 0};
    return rig_ioctl(rig, SHIM_IOCTL_SYNCOBJ_EVENTFD, &e);
}

/* Times that fd was written since the last call. */
static uint64_t
written(int fd)
{
    uint64_t count = 0;
    return read(fd, &count, sizeof count) == sizeof count ? count : 0;
}

Test(syncobj, eventfds_are_written_once_when_their_point_is_reached)
{
    struct rig rig = rig_open(128);
    uint32_t h = rig_syncobj(&rig, 0), gone = rig_syncobj(&rig, 0);
    int at3 = eventfd(0, EFD_NONBLOCK), at5 = eventfd(0, EFD_NONBLOCK),
        never = eventfd(0, EFD_NONBLOCK);
    cr_assert_eq(watch(&rig, h, 5, 0, at5), 0);
    cr_assert_eq(watch(&rig, h, 3, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE, at3),
                 0);
    cr_assert_eq(watch(&rig, gone, 1, 0, never), 0);
    struct drm_syncobj_destroy d = {.handle = gone};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_DESTROY, &d), 0);
    cr_expect_eq(signal_point(&rig, h, 4), 0);
    cr_expect_eq(written(at3), 1);
    cr_expect_eq(written(at5), 0);
    cr_expect_eq(signal_point(&rig, h, 6), 0);
    cr_expect_eq(signal_point(&rig, h, 7), 0);
    cr_expect_eq(written(at3), 0);
    cr_expect_eq(written(at5), 1);
    cr_expect_eq(watch(&rig, h, 5, 0, at5), 0, "reached before");
    cr_expect_eq(written(at5), 1);
    cr_expect_eq(written(never), 0);
}

/* A fence that stands for the point, but has not signalled: it is there for
 * WAIT_AVAILABLE alone. */
Test(syncobj, eventfds_tell_available_from_signalled)
{
    struct rig rig = rig_open(128);
    uint32_t h = rig_syncobj(&rig, 0);
    int reader[2];
    int available = eventfd(0, EFD_NONBLOCK),
        signalled = eventfd(0, EFD_NONBLOCK);
    struct fence *fence = fence_create(false);
    int file = fence_export(fence);
    cr_assert_eq(pipe(reader), 0);
    cr_assert_eq(
        watch(&rig, h, 0, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE, available), 0);
    cr_assert_eq(watch(&rig, h, 0, 0, signalled), 0);
    struct drm_syncobj_handle import = {
        .handle = h,
        .fd = file,
        .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import), 0);
    cr_expect_eq(written(available), 1);
    cr_expect_eq(written(signalled), 0);
    fence_signal(fence);
    cr_assert_eq(wait_for(&rig, h, 0, 0, INT64_MAX), 0);
    cr_expect_eq(written(signalled), 1);
    cr_expect_eq(watch(&rig, h, 0, 0, reader[0]), -EINVAL, "no eventfd");
    cr_expect_eq(watch(&rig, h, 0, 0, file), -EINVAL, "no eventfd");
    cr_expect_eq(watch(&rig, h, 0, 0, 12345), -EBADF);
    cr_expect_eq(watch(&rig, h + 9, 0, 0, available), -ENOENT);
    cr_expect_eq(watch(&rig, h, 0, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL, available),
                 -EINVAL);
}

Test(syncobj, transfer_moves_a_point_into_a_binary_one)
{
    struct rig rig = rig_open(128);
    uint32_t a = rig_syncobj(&rig, 0), b = rig_syncobj(&rig, 0);
    signal_point(&rig, a, 4);
    struct drm_syncobj_transfer t = {
        .src_handle = a, .dst_handle = b, .src_point = 4};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_TRANSFER, &t), 0);
    cr_assert_eq(wait_for(&rig, b, 0, 0, 0), 0);
    t.src_point = 100;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_TRANSFER, &t), -EINVAL);
}

Test(syncobj, reset_empties)
{
    struct rig rig = rig_open(128);
    uint32_t h = rig_syncobj(&rig, DRM_SYNCOBJ_CREATE_SIGNALED);
    struct drm_syncobj_array a = {.handles = (uintptr_t)&h, .count_handles = 1};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_RESET, &a), 0);
    cr_assert_eq(wait_for(&rig, h, 0, 0, 0), -EINVAL);
}

Test(syncobj, sync_file_round_trip)
{
    struct rig rig = rig_open(128);
    uint32_t a = rig_syncobj(&rig, DRM_SYNCOBJ_CREATE_SIGNALED);
    uint32_t b = rig_syncobj(&rig, 0);
    struct drm_syncobj_handle h = {
        .handle = a, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h), 0);
    h.handle = b;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &h), 0);
    cr_assert_eq(wait_for(&rig, b, 0, 0, 0), 0);
    close(h.fd);
    h.handle = rig_syncobj(&rig, 0);
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h), -EINVAL);
}

Test(syncobj, opaque_descriptor_is_the_same_object)
{
    struct rig rig = rig_open(128), other = rig_open(128);
    struct drm_syncobj_handle h = {.handle = rig_syncobj(&rig, 0)};
    uint32_t mine = h.handle;
    cr_assert_eq(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h), 0);
    cr_assert_eq(rig_ioctl(&other, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &h), 0);
    close(h.fd);
    cr_assert_eq(signal_point(&rig, mine, 7), 0);
    cr_assert_eq(query(&other, h.handle), 7u);
}

struct waiter {
    struct rig *rig;
    uint32_t handle;
    int result;
};

static void *
wait_and_end(void *data)
{
    struct waiter *w = data;
    w->result = wait_for(w->rig, w->handle, 1,
                         DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, INT64_MAX);
    for (;;)
        pause();
    return NULL;
}

/* It is in the wait, or on its way there, when it is cancelled. */
Test(syncobj, cancelled_threads_leave_no_locks, .timeout = 60)
{
    struct rig rig = rig_open(128);
    struct waiter w = {&rig, rig_syncobj(&rig, 0), 1};
    pthread_t thread;
    void *end = NULL;
    cr_assert_eq(pthread_create(&thread, NULL, wait_and_end, &w), 0);
    usleep(20000);
    cr_assert_eq(pthread_cancel(thread), 0);
    usleep(20000);
    cr_assert_eq(signal_point(&rig, w.handle, 1), 0);
    cr_assert_eq(pthread_join(thread, &end), 0);
    cr_assert_eq(end, PTHREAD_CANCELED);
    cr_assert_eq(w.result, 0);
    cr_assert_eq(query(&rig, w.handle), 1u);
}

struct exporter {
    const struct rig *rig;
    pthread_barrier_t *barrier;
    uint32_t handle;
};

static void *
export_once(void *data)
{
    const struct exporter *e = data;
    struct drm_syncobj_handle h = {.handle = e->handle};
    pthread_barrier_wait(e->barrier);
    if (!rig_ioctl(e->rig, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h))
        close(h.fd);
    return NULL;
}

Test(sync, two_threads_export_one_object, .timeout = 60)
{
    struct rig rig = rig_open(128);
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 2);
    /* Each export walks the list of shared objects. */
    for (unsigned i = 0; i < 300; i++) {
        struct exporter e = {&rig, &barrier, rig_syncobj(&rig, 0)};
        pthread_t thread;
        cr_assert_eq(pthread_create(&thread, NULL, export_once, &e), 0);
        export_once(&e);
        pthread_join(thread, NULL);
    }
}
