#include "drm-shim/sync/fence.h"

#include "base/base.h"
#include "drm-shim/core/core.h"
#include "drm-shim/sync/sync_file.h"

#include <errno.h>
#include <stdlib.h>

struct fence_callback {
    void (*call)(void *data);
    void *data;
    struct fence_callback *next;
};

struct fence {
    atomic_uint refs;
    atomic_bool signalled;
    /* Under the lock, only while not signalled: */
    unsigned pending;          /* merged: unsignalled parts */
    struct fence **dependents; /* merged fences that wait for this one */
    unsigned dependent_count;
    struct sync_file_end *exports;
    unsigned export_count;
    struct fence_callback *callbacks;
    struct fence *next_exported; /* list of fences with exports */
    struct fence *next_pending, **link_pending; /* list of unsignalled ones */
};

static struct {
    struct fence *exported; /* own exports, for fence_import() */
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
    fence_lock();
    forget_pending_locked(fence);
    forget_exported_locked(fence);
    fence_unlock();
    run_callbacks(fence);
    /* An unsignalled fence dies only if its batch was never submitted. */
    for (unsigned i = 0; i < fence->export_count; i++)
        sync_file_signal(&fence->exports[i]);
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

bool
fence_is_unused_locked(const struct fence *fence)
{
    return atomic_load(&fence->refs) == 1 && !fence->dependent_count &&
           !fence->callbacks && !fence->export_count;
}

static void
signal_exports(struct fence *fence)
{
    for (unsigned i = 0; i < fence->export_count; i++)
        sync_file_signal(&fence->exports[i]);
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
        signal_exports(fence);
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
fence_wait_interruptible(struct fence *fence, int64_t deadline_ns)
{
    if (fence_is_signalled(fence))
        return 0;
    return fence_wait_until_interruptible(one_ready, fence, deadline_ns);
}

/* False: out of memory. */
static bool
add_export_locked(struct fence *fence, const struct sync_file_end *end)
{
    struct sync_file_end *list = realloc(
        fence->exports, (fence->export_count + 1) * sizeof *list);
    if (!list)
        return false;
    if (!fence->export_count) {
        fence->next_exported = fences.exported;
        fences.exported = fence;
    }
    fence->exports = list;
    list[fence->export_count++] = *end;
    return true;
}

int
fence_export(struct fence *fence)
{
    struct sync_file_end end;
    int fd = sync_file_create(&end);
    if (fd < 0)
        return fd;
    fence_lock();
    bool signalled = fence_is_signalled(fence);
    bool ok = signalled || add_export_locked(fence, &end);
    fence_unlock();
    if (signalled || !ok)
        sync_file_signal(&end);
    if (ok)
        return fd;
    close(fd);
    return -ENOMEM;
}

bool
fence_is_sync_file(int fd)
{
    return sync_file_ino(fd) != 0;
}

static struct fence *
find_exported_locked(ino_t ino)
{
    for (struct fence *f = fences.exported; f; f = f->next_exported)
        for (unsigned i = 0; i < f->export_count; i++)
            if (f->exports[i].ino == ino)
                return fence_ref(f);
    return NULL;
}

struct fence *
fence_import(int fd, int *err)
{
    ino_t ino = sync_file_ino(fd);
    *err = ino ? -ENOMEM : -EINVAL;
    if (!ino)
        return NULL;
    if (sync_file_has_signalled(fd))
        return fence_create(true);
    fence_lock();
    struct fence *f = find_exported_locked(ino);
    fence_unlock();
    return f ? f : sync_file_watch(fd, ino);
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

/* The parent's threads finish the parent's batches, in memory that both
 * processes share. The child gets no message, so its copies count as signalled.
 * Only the parent signals the sync_files. */
void
fence_after_fork_child(void)
{
    fence_forget_sleepers();
    for (struct fence *f = fences.pending; f; f = f->next_pending) {
        atomic_store(&f->signalled, true);
        f->link_pending = NULL;
        f->callbacks = NULL;
        for (unsigned i = 0; i < f->export_count; i++)
            close(f->exports[i].fd);
        f->export_count = 0;
    }
    fences.pending = NULL;
    fences.exported = NULL;
    sync_file_after_fork();
    fence_unlock();
}
