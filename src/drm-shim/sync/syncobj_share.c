#include "drm-shim/sync/syncobj_share.h"

#include "base/base.h"
#include "drm-shim/core/core.h"
#include "drm-shim/sync/foreign.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define PAGE_MAGIC UINT64_C(0x326a626f636e7973)
#define LOG_SIZE 128u
#define PAGE_B 4096u

struct log_entry {
    uint64_t point;
    uint64_t mark;   /* of the fence, in this file; 0: signalled, or none */
    uint32_t change; /* enum syncobj_change */
    uint32_t unused;
};

/* Layout of the file. Entry n is at n % LOG_SIZE. Every holder of the
 * descriptor can write it, as every holder may change the syncobj. */
struct page {
    uint64_t magic;
    _Atomic uint32_t changes; /* counts events: foreign_tell() */
    _Atomic uint32_t entries;
    struct log_entry log[LOG_SIZE];
};
_Static_assert(sizeof(struct page) <= PAGE_B, "page");

struct syncobj_share {
    atomic_uint refs; /* the object, watches, unsignalled fences */
    pthread_mutex_t lock;
    struct page *page;
    int fd;
    dev_t dev;
    ino_t ino;
    uint32_t applied; /* entries that the object has seen */
    uint64_t next_mark;
    atomic_uint pending; /* fences of this process in the log */
    struct syncobj *obj; /* for the watch; NULL once destroyed */
    bool watched;
};

static void
share_unref(struct syncobj_share *share)
{
    if (atomic_fetch_sub(&share->refs, 1) != 1)
        return;
    munmap(share->page, PAGE_B);
    close(share->fd);
    pthread_mutex_destroy(&share->lock);
    free(share);
}

/* Takes the descriptor. */
static struct syncobj_share *
map_page(int fd)
{
    struct stat st;
    struct syncobj_share *share = calloc(1, sizeof *share);
    void *p = fd < 0 ? MAP_FAILED
                     : syscall_mmap(NULL, PAGE_B, PROT_READ | PROT_WRITE,
                                    MAP_SHARED, fd, 0);
    if (share && p != MAP_FAILED && !syscall_fstat(fd, &st)) {
        atomic_init(&share->refs, 1);
        pthread_mutex_init(&share->lock, NULL);
        share->page = p;
        share->fd = fd;
        share->dev = st.st_dev;
        share->ino = st.st_ino;
        share->next_mark = foreign_new_marks();
        return share;
    }
    if (p != MAP_FAILED)
        munmap(p, PAGE_B);
    if (fd >= 0)
        close(fd);
    free(share);
    return NULL;
}

int
syncobj_share_dup(const struct syncobj_share *share)
{
    int fd = foreign_reopen(share->fd, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        fd = fcntl(share->fd, F_DUPFD_CLOEXEC, 3);
    return fd < 0 ? -errno : fd;
}

struct syncobj_share *
syncobj_share_create(int *fd)
{
    int own = syscall_fd_up(
        memfd_create("softlake-syncobj", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (own >= 0 && !syscall_truncate(own, PAGE_B))
        fcntl(own, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    struct syncobj_share *share = map_page(own);
    if (!share)
        return NULL;
    share->page->magic = PAGE_MAGIC;
    *fd = syncobj_share_dup(share);
    if (*fd >= 0)
        return share;
    share_unref(share);
    return NULL;
}

struct syncobj_share *
syncobj_share_open(int fd)
{
    struct stat st;
    if (!foreign_is_sealed(fd) || syscall_fstat(fd, &st) ||
        st.st_size != PAGE_B)
        return NULL;
    int own = foreign_reopen(fd, O_RDWR | O_CLOEXEC);
    struct syncobj_share *share = map_page(
        syscall_fd_up(own < 0 ? dup(fd) : own));
    if (!share || share->page->magic == PAGE_MAGIC)
        return share;
    share_unref(share);
    return NULL;
}

bool
syncobj_share_is(const struct syncobj_share *share, dev_t dev, ino_t ino)
{
    return share->ino == ino && share->dev == dev;
}

bool
syncobj_share_is_busy(const struct syncobj_share *share)
{
    return atomic_load(&share->pending);
}

void
syncobj_share_destroy(struct syncobj_share *share)
{
    if (!share)
        return;
    pthread_mutex_lock(&share->lock);
    share->obj = NULL;
    pthread_mutex_unlock(&share->lock);
    share_unref(share);
}

/* ------------------------------------------------------------------------
 * Changes of other processes */

struct foreign_fence {
    struct syncobj_share *share;
    struct mark_range mark;
};

static bool
mark_is_gone(void *data)
{
    const struct foreign_fence *f = data;
    struct mark_range found;
    return !foreign_find(f->share->fd, f->mark, &found);
}

static void
drop_foreign_fence(void *data)
{
    struct foreign_fence *f = data;
    share_unref(f->share);
    free(f);
}

static bool
watch_mark(const struct foreign_fence *f, struct fence *fence)
{
    struct foreign_fence *copy = malloc(sizeof *copy);
    if (!copy)
        return false;
    *copy = *f;
    atomic_fetch_add(&f->share->refs, 1);
    const struct foreign_watch w = {.is_over = mark_is_gone,
                                    .drop = drop_foreign_fence,
                                    .data = copy,
                                    .hint = &f->share->page->changes,
                                    .fence = fence};
    if (foreign_watch(&w))
        return true;
    drop_foreign_fence(copy);
    return false;
}

static struct fence *
foreign_fence(struct syncobj_share *share, uint64_t mark)
{
    mark &= INT64_MAX >> 1;
    struct foreign_fence f = {share, {mark, mark + 1}};
    bool signalled = !mark || mark_is_gone(&f);
    struct fence *fence = fence_create(signalled);
    if (!fence || signalled || watch_mark(&f, fence))
        return fence;
    fence_unref(fence);
    return NULL;
}

/* With share->lock. */
static void
repeat_entry(struct syncobj_share *share, struct syncobj *obj,
             const struct log_entry *e)
{
    struct fence *fence = NULL;
    if (e->change > SYNCOBJ_ADD)
        return;
    if (e->change != SYNCOBJ_RESET) {
        fence = foreign_fence(share, e->mark);
        if (!fence)
            return;
    }
    syncobj_apply(obj, e->change, e->point, fence);
    fence_unref(fence);
}

/* Entries that the object has not seen, with the file locked. */
static uint32_t
collect_news(struct syncobj_share *share, struct log_entry news[LOG_SIZE])
{
    struct page *page = share->page;
    uint32_t end = atomic_load(&page->entries);
    uint32_t count = MIN2(end - share->applied, LOG_SIZE);
    for (uint32_t i = 0; i < count; i++)
        news[i] = page->log[(end - count + i) % LOG_SIZE];
    share->applied = end;
    return count;
}

/* With share->lock. */
static void
catch_up(struct syncobj_share *share, struct syncobj *obj)
{
    struct log_entry news[LOG_SIZE];
    if (atomic_load(&share->page->entries) == share->applied)
        return;
    foreign_lock(share->fd);
    uint32_t count = collect_news(share, news);
    foreign_unlock(share->fd);
    for (uint32_t i = 0; i < count; i++)
        repeat_entry(share, obj, &news[i]);
}

void
syncobj_share_pull(struct syncobj_share *share, struct syncobj *obj)
{
    pthread_mutex_lock(&share->lock);
    catch_up(share, obj);
    pthread_mutex_unlock(&share->lock);
}

/* Pulls; over when nobody waits for the object any more. */
static bool
look_for_news(void *data)
{
    struct syncobj_share *share = data;
    pthread_mutex_lock(&share->lock);
    share->watched = share->obj && syncobj_is_watched(share->obj);
    bool over = !share->watched;
    if (!over)
        catch_up(share, share->obj);
    pthread_mutex_unlock(&share->lock);
    return over;
}

static void
drop_watch(void *data)
{
    share_unref(data);
}

void
syncobj_share_watch(struct syncobj_share *share, struct syncobj *obj)
{
    const struct foreign_watch w = {.is_over = look_for_news,
                                    .drop = drop_watch,
                                    .data = share,
                                    .hint = &share->page->changes,
                                    .endless = true};
    pthread_mutex_lock(&share->lock);
    share->obj = obj;
    if (!share->watched) {
        atomic_fetch_add(&share->refs, 1);
        share->watched = foreign_watch(&w);
        if (!share->watched)
            share_unref(share);
    }
    pthread_mutex_unlock(&share->lock);
}

/* ------------------------------------------------------------------------
 * Changes of this process */

struct signal {
    struct syncobj_share *share;
    uint64_t mark;
};

static void
tell_signalled(void *data)
{
    struct signal *s = data;
    foreign_unmark(s->share->fd, s->mark);
    foreign_tell(&s->share->page->changes);
    atomic_fetch_sub(&s->share->pending, 1);
    share_unref(s->share);
    free(s);
}

/* With share->lock. NULL: out of memory. */
static struct signal *
mark_fence(struct syncobj_share *share)
{
    struct signal *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    *s = (struct signal){share, ++share->next_mark};
    if (!foreign_mark(share->fd, s->mark)) {
        free(s);
        return NULL;
    }
    atomic_fetch_add(&share->pending, 1);
    atomic_fetch_add(&share->refs, 1);
    return s;
}

/* With share->lock. */
static bool
log_change(struct syncobj_share *share, struct syncobj *obj,
           enum syncobj_change change, uint64_t point, struct fence *fence,
           uint64_t mark)
{
    struct page *page = share->page;
    struct log_entry news[LOG_SIZE];
    foreign_lock(share->fd);
    uint32_t count = collect_news(share, news);
    page->log[share->applied % LOG_SIZE] = (struct log_entry){
        .point = point, .mark = mark, .change = change};
    atomic_store(&page->entries, ++share->applied);
    foreign_unlock(share->fd);
    for (uint32_t i = 0; i < count; i++)
        repeat_entry(share, obj, &news[i]);
    return syncobj_apply(obj, change, point, fence);
}

bool
syncobj_share_push(struct syncobj_share *share, struct syncobj *obj,
                   enum syncobj_change change, uint64_t point,
                   struct fence *fence)
{
    struct signal *s = NULL;
    bool pending = fence && !fence_is_signalled(fence);
    pthread_mutex_lock(&share->lock);
    if (pending)
        s = mark_fence(share);
    bool ok = s || !pending;
    if (ok)
        ok = log_change(share, obj, change, point, fence, s ? s->mark : 0);
    pthread_mutex_unlock(&share->lock);
    foreign_tell(&share->page->changes);
    if (s && !fence_call(fence, tell_signalled, s))
        tell_signalled(s);
    return ok;
}

void
syncobj_share_after_fork(struct syncobj_share *share)
{
    pthread_mutex_init(&share->lock, NULL);
    share->watched = false;
    share->applied = 0;
    atomic_store(&share->pending, 0);
    foreign_reopen_in_place(share->fd);
}
