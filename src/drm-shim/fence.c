#include "drm-shim/fence.h"

#include "base/base.h"
#include "drm-shim/device.h"
#include "drm-shim/raw.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>

struct fence_callback {
    void (*call)(void *data);
    void *data;
    struct fence_callback *next;
};

struct fence {
    atomic_uint refs;
    atomic_bool signalled;
    /* Under the lock, only while not signalled: */
    unsigned pending;          /* merged: parts still to come */
    struct fence **dependents; /* merged fences that wait for this one */
    unsigned dependent_count;
    int *exports; /* eventfds to write, ours to close */
    unsigned export_count;
    struct fence_callback *callbacks;
    struct fence *next_exported; /* list of fences with exports */
    struct fence *next_pending, **link_pending; /* list of unsignalled ones */
};

static struct {
    struct fence *exported; /* for fence_import() of our own files */
    struct fence *pending;  /* for the child of a fork */
} fences;

struct fence *
fence_create(bool signalled)
{
    struct fence *f = malloc(sizeof *f);
    if (!f)
        return NULL;
    memset(f, 0, sizeof *f);
    atomic_init(&f->refs, 1);
    atomic_init(&f->signalled, signalled);
    if (!signalled) {
        fence_lock();
        f->next_pending = fences.pending;
        f->link_pending = &fences.pending;
        if (f->next_pending)
            f->next_pending->link_pending = &f->next_pending;
        fences.pending = f;
        fence_unlock();
    }
    return f;
}

static void
forget_pending_locked(struct fence *fence)
{
    if (!fence->link_pending)
        return;
    *fence->link_pending = fence->next_pending;
    if (fence->next_pending)
        fence->next_pending->link_pending = fence->link_pending;
    fence->link_pending = NULL;
}

static void
forget_exported_locked(struct fence *fence)
{
    struct fence **p = &fences.exported;
    while (*p && *p != fence)
        p = &(*p)->next_exported;
    if (*p)
        *p = fence->next_exported;
}

struct fence *
fence_ref(struct fence *fence)
{
    atomic_fetch_add(&fence->refs, 1);
    return fence;
}

static void
run_callbacks(struct fence *fence)
{
    while (fence->callbacks) {
        struct fence_callback *c = fence->callbacks;
        fence->callbacks = c->next;
        c->call(c->data);
        free(c);
    }
}

void
fence_unref(struct fence *fence)
{
    if (!fence || atomic_fetch_sub(&fence->refs, 1) != 1)
        return;
    /* An unsignalled fence can only die here if its batch was never
     * submitted; its files then never signal. */
    fence_lock();
    forget_pending_locked(fence);
    forget_exported_locked(fence);
    fence_unlock();
    run_callbacks(fence);
    for (unsigned i = 0; i < fence->export_count; i++)
        close(fence->exports[i]);
    for (unsigned i = 0; i < fence->dependent_count; i++)
        fence_unref(fence->dependents[i]);
    free(fence->exports);
    free(fence->dependents);
    free(fence);
}

bool
fence_is_signalled(const struct fence *fence)
{
    return atomic_load_explicit(&fence->signalled, memory_order_acquire);
}

static void
write_exports(struct fence *fence)
{
    for (unsigned i = 0; i < fence->export_count; i++) {
        uint64_t one = 1;
        ssize_t n = write(fence->exports[i], &one, sizeof one);
        (void)n;
        close(fence->exports[i]);
    }
    free(fence->exports);
    fence->exports = NULL;
    fence->export_count = 0;
    forget_exported_locked(fence);
}

bool
fence_call(struct fence *fence, void (*call)(void *data), void *data)
{
    struct fence_callback *c = malloc(sizeof *c);
    if (!c)
        return false;
    fence_lock();
    *c = (struct fence_callback){call, data, fence->callbacks};
    fence->callbacks = c;
    if (fence_is_signalled(fence))
        run_callbacks(fence);
    fence_unlock();
    return true;
}

static void
signal_locked(struct fence *fence)
{
    if (fence_is_signalled(fence))
        return;
    atomic_store_explicit(&fence->signalled, true, memory_order_release);
    forget_pending_locked(fence);
    run_callbacks(fence);
    if (fence->export_count)
        write_exports(fence);
    for (unsigned i = 0; i < fence->dependent_count; i++)
        if (!--fence->dependents[i]->pending)
            signal_locked(fence->dependents[i]);
    fence_kick();
}

void
fence_signal(struct fence *fence)
{
    fence_lock();
    signal_locked(fence);
    struct fence **drop = fence->dependents;
    unsigned count = fence->dependent_count;
    fence->dependents = NULL;
    fence->dependent_count = 0;
    fence_unlock();
    for (unsigned i = 0; i < count; i++)
        fence_unref(drop[i]);
    free(drop);
}

/* Makes merged wait for part. False: out of memory. */
static bool
depend_locked(struct fence *merged, struct fence *part)
{
    struct fence **list = realloc(part->dependents,
                                  (part->dependent_count + 1) *
                                      sizeof *part->dependents);
    if (!list)
        return false;
    part->dependents = list;
    list[part->dependent_count++] = fence_ref(merged);
    merged->pending++;
    return true;
}

struct fence *
fence_create_merged(struct fence *const *fences, unsigned count)
{
    struct fence *merged = fence_create(false);
    if (!merged)
        return NULL;
    bool ok = true;
    fence_lock();
    for (unsigned i = 0; i < count; i++)
        if (!fence_is_signalled(fences[i]))
            ok &= depend_locked(merged, fences[i]);
    if (!merged->pending)
        signal_locked(merged);
    fence_unlock();
    if (ok)
        return merged;
    fence_unref(merged);
    return NULL;
}

static bool
one_ready(void *data)
{
    return fence_is_signalled(data);
}

int
fence_wait(struct fence *fence, int64_t deadline_ns)
{
    if (fence_is_signalled(fence))
        return 0;
    return fence_wait_until(one_ready, fence, deadline_ns);
}

int
fence_export(struct fence *fence)
{
    fence_lock();
    bool signalled = fence_is_signalled(fence);
    int fd = eventfd(signalled, EFD_CLOEXEC | EFD_NONBLOCK);
    int err = errno;
    if (fd >= 0 && !signalled) {
        int ours = raw_fd_up(dup(fd));
        int *list = realloc(fence->exports,
                            (fence->export_count + 1) * sizeof *list);
        if (list)
            fence->exports = list;
        if (ours < 0 || !list) {
            close(fd);
            if (ours >= 0)
                close(ours);
            fd = -1;
            err = ENOMEM;
        } else {
            if (!fence->export_count) {
                fence->next_exported = fences.exported;
                fences.exported = fence;
            }
            list[fence->export_count++] = ours;
        }
    }
    fence_unlock();
    return fd < 0 ? -err : fd;
}

/* The kernel numbers eventfds; -1 if fd is none. */
static long
eventfd_id(int fd)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    int info = raw_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (info < 0)
        return -1;
    ssize_t n = read(info, text, sizeof text - 1);
    close(info);
    text[n > 0 ? n : 0] = 0;
    const char *id = strstr(text, "eventfd-id:");
    if (id)
        return strtol(id + 11, NULL, 10);
    return strstr(text, "eventfd-count:") ? 0 : -1;
}

bool
fence_is_sync_file(int fd)
{
    return eventfd_id(fd) >= 0;
}

static struct fence *
find_exported_locked(long id)
{
    for (struct fence *f = fences.exported; f; f = f->next_exported)
        for (unsigned i = 0; i < f->export_count; i++)
            if (id > 0 && eventfd_id(f->exports[i]) == id)
                return fence_ref(f);
    return NULL;
}

struct watch {
    int fd;
    struct fence *fence;
};

/* A sync_file of another process: a thread waits for it. */
static void *
watch_main(void *data)
{
    struct watch *w = data;
    struct pollfd p = {.fd = w->fd, .events = POLLIN};
    while (poll(&p, 1, -1) < 0 && errno == EINTR)
        ;
    fence_signal(w->fence);
    fence_unref(w->fence);
    close(w->fd);
    free(w);
    return NULL;
}

static struct fence *
watch_start(int fd)
{
    struct watch *w = malloc(sizeof *w);
    struct fence *fence = fence_create(false);
    int own = raw_fd_up(dup(fd));
    pthread_t thread;
    if (w && fence && own >= 0) {
        w->fd = own;
        w->fence = fence_ref(fence);
        if (!device_start_thread(&thread, watch_main, w)) {
            pthread_detach(thread);
            return fence;
        }
        fence_unref(fence);
    }
    free(w);
    fence_unref(fence);
    if (own >= 0)
        close(own);
    return NULL;
}

struct fence *
fence_import(int fd, int *err)
{
    long id = eventfd_id(fd);
    *err = id < 0 ? -EINVAL : -ENOMEM;
    if (id < 0)
        return NULL;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (poll(&p, 1, 0) > 0)
        return fence_create(true);
    fence_lock();
    struct fence *f = find_exported_locked(id);
    fence_unlock();
    return f ? f : watch_start(fd);
}

void
fence_before_fork(void)
{
    fence_lock();
}

void
fence_after_fork_parent(void)
{
    fence_unlock();
}

/* What the parent's threads were doing they finish there, in memory that both
 * share; nobody would tell us, so here it counts as done. The files of the
 * fences are the parent's to write. */
void
fence_after_fork_child(void)
{
    fence_forget_sleepers();
    for (struct fence *f = fences.pending; f; f = f->next_pending) {
        atomic_store(&f->signalled, true);
        f->link_pending = NULL;
        f->callbacks = NULL;
        for (unsigned i = 0; i < f->export_count; i++)
            close(f->exports[i]);
        f->export_count = 0;
    }
    fences.pending = NULL;
    fences.exported = NULL;
    fence_unlock();
}
