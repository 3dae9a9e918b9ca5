#include "drm-shim/device/device.h"
#include "drm-shim/sync/fence.h"
#include "drm-shim/sync/sync_file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static bool
readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

Test(fence, wait_times_out_until_signalled)
{
    struct fence *f = fence_create(false);
    cr_assert_eq(fence_wait(f, 0), -ETIME);
    int64_t start = fence_now_ns();
    cr_assert_eq(fence_wait(f, start + 20000000), -ETIME);
    cr_assert_geq(fence_now_ns() - start, 20000000);
    fence_signal(f);
    cr_assert_eq(fence_wait(f, 0), 0);
    fence_unref(f);
}

static void *
signal_later(void *data)
{
    usleep(20000);
    fence_signal(data);
    return NULL;
}

Test(fence, signal_wakes_a_sleeper)
{
    pthread_t thread;
    struct fence *f = fence_create(false);
    pthread_create(&thread, NULL, signal_later, f);
    cr_assert_eq(fence_wait(f, FENCE_FOREVER), 0);
    pthread_join(thread, NULL);
    fence_unref(f);
}

struct waits {
    struct fence *fence;
    pthread_t thread;
    atomic_bool over;
};

static void *
wait_long(void *data)
{
    struct waits *w = data;
    cr_assert_eq(fence_wait(w->fence, fence_now_ns() + 20000000000), 0);
    atomic_store(&w->over, true);
    return NULL;
}

/* Each sleeps on until its own has. */
Test(fence, sleepers_wait_for_several)
{
    enum { COUNT = 4 };
    static struct waits w[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        w[i].fence = fence_create(false);
        pthread_create(&w[i].thread, NULL, wait_long, &w[i]);
    }
    usleep(20000);
    static const unsigned order[COUNT] = {2, 0, 3, 1};
    for (unsigned i = 0; i < COUNT; i++) {
        struct waits *next = &w[order[i]];
        cr_assert(!atomic_load(&next->over));
        fence_signal(next->fence);
        pthread_join(next->thread, NULL);
        fence_unref(next->fence);
    }
}

/* As drivers ask that only want to know. */
Test(fence, wait_until_now_does_not_wait)
{
    struct fence *f = fence_create(false);
    int64_t start = fence_now_ns();
    for (unsigned i = 0; i < 10000; i++)
        cr_assert_eq(fence_wait(f, fence_now_ns()), -ETIME);
    /* 400 ms if each looked on for a moment */
    cr_assert_lt(fence_now_ns() - start, 200000000);
    fence_unref(f);
}

Test(fence, merged_waits_for_the_last_part)
{
    struct fence *part[3] = {fence_create(false), fence_create(true),
                             fence_create(false)};
    struct fence *all = fence_create_merged(part, 3);
    fence_signal(part[0]);
    cr_assert_not(fence_is_signalled(all));
    fence_signal(part[2]);
    cr_assert(fence_is_signalled(all));
    for (int i = 0; i < 3; i++)
        fence_unref(part[i]);
    fence_unref(all);
}

Test(fence, merged_of_nothing_is_signalled)
{
    struct fence *all = fence_create_merged(NULL, 0);
    cr_assert(fence_is_signalled(all));
    fence_unref(all);
}

Test(fence, sync_file_becomes_readable)
{
    struct fence *f = fence_create(false);
    int fd = fence_export(f);
    cr_assert_geq(fd, 0);
    cr_assert_not(readable(fd));
    fence_signal(f);
    cr_assert(readable(fd));
    cr_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    fence_unref(f);
    close(fd);
}

Test(fence, import_finds_the_fence_of_its_own_file)
{
    int err;
    struct fence *f = fence_create(false);
    int fd = fence_export(f);
    struct fence *again = fence_import(fd, &err);
    cr_assert_eq(again, f);
    fence_unref(again);
    fence_unref(f);
    close(fd);
}

Test(fence, import_of_a_foreign_file_follows_it)
{
    int err;
    struct sync_file_end end;
    int fd = sync_file_create(&end);
    struct fence *f = fence_import(fd, &err);
    cr_assert_not_null(f);
    cr_assert_not(fence_is_signalled(f));
    sync_file_signal(&end);
    cr_assert_eq(fence_wait(f, fence_now_ns() + 5000000000), 0);
    fence_unref(f);
    close(fd);
}

Test(fence, import_of_something_else_is_refused)
{
    int err = 0;
    cr_assert_null(fence_import(0, &err));
    cr_assert_eq(err, -EINVAL);
    cr_assert_null(fence_import(-1, &err));
    cr_assert_eq(err, -EINVAL);
}
