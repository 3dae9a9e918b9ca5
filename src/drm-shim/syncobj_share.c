#include "drm-shim/syncobj_share.h"

#include "base/base.h"
#include "drm-shim/device.h"
#include "drm-shim/raw.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#define PAGE_MAGIC UINT64_C(0x316a626f636e7973)
#define LOG_SIZE 128u
#define PAGE_B 8192u

struct log_entry {
    uint64_t point;
    uint32_t change; /* enum syncobj_change */
    uint32_t fence;  /* number of the fence, 0 for a reset */
};

/* In the file. Entry n is at n % LOG_SIZE; so is fence n. Fence numbers start
 * at 1; one whose slot was taken by a later one has surely signalled. */
struct page {
    uint64_t magic;
    _Atomic uint32_t lock;    /* process id of the holder */
    _Atomic uint32_t changes; /* futex: something happened */
    _Atomic uint32_t entries, fences;
    struct log_entry log[LOG_SIZE];
    struct {
        _Atomic uint32_t number, signalled;
    } fence[LOG_SIZE];
};
_Static_assert(sizeof(struct page) <= PAGE_B, "page");

struct foreign {
    uint32_t number;
    struct fence *fence;
    struct foreign *next;
};

struct syncobj_share {
    atomic_uint refs; /* the object, the thread, unsignalled fences */
    pthread_mutex_t lock;
    struct page *page;
    int fd;
    dev_t dev;
    ino_t ino;
    uint32_t applied;        /* entries that the object has seen */
    struct foreign *foreign; /* fences of others that are not signalled */
    struct syncobj *obj;     /* for the thread; NULL once destroyed */
    pid_t watcher;           /* process that has the thread, or 0 */
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

static void
page_changed(struct page *page)
{
    atomic_fetch_add(&page->changes, 1);
    syscall(SYS_futex, &page->changes, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The log is held for some stores only; who keeps it longer has died. */
static void
page_lock(struct page *page)
{
    uint32_t self = (uint32_t)getpid(), holder = 0;
    for (unsigned i = 0;
         !atomic_compare_exchange_strong(&page->lock, &holder, self);
         i++, holder = 0) {
        if (i > 100000)
            atomic_store(&page->lock, 0);
        sched_yield();
    }
}

static void
page_unlock(struct page *page)
{
    atomic_store(&page->lock, 0);
}

static struct syncobj_share *
map_page(int fd)
{
    struct stat st;
    struct syncobj_share *share = calloc(1, sizeof *share);
    void *p = raw_mmap(NULL, PAGE_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int own = raw_fd_up(dup(fd));
    if (share && p != MAP_FAILED && own >= 0 && !raw_fstat(fd, &st)) {
        atomic_init(&share->refs, 1);
        pthread_mutex_init(&share->lock, NULL);
        share->page = p;
        share->fd = own;
        share->dev = st.st_dev;
        share->ino = st.st_ino;
        return share;
    }
    if (p != MAP_FAILED)
        munmap(p, PAGE_B);
    if (own >= 0)
        close(own);
    free(share);
    return NULL;
}

struct syncobj_share *
syncobj_share_create(int *fd)
{
    *fd = memfd_create("softlake-syncobj", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd < 0)
        return NULL;
    struct syncobj_share *share = NULL;
    if (!ftruncate(*fd, PAGE_B)) {
        fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
        share = map_page(*fd);
    }
    if (share)
        share->page->magic = PAGE_MAGIC;
    else
        close(*fd);
    return share;
}

struct syncobj_share *
syncobj_share_open(int fd)
{
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || raw_fstat(fd, &st) ||
        st.st_size != PAGE_B)
        return NULL;
    struct syncobj_share *share = map_page(fd);
    if (!share || share->page->magic == PAGE_MAGIC)
        return share;
    share_unref(share);
    return NULL;
}

int
syncobj_share_dup(const struct syncobj_share *share)
{
    int fd = fcntl(share->fd, F_DUPFD_CLOEXEC, 3);
    return fd < 0 ? -errno : fd;
}

bool
syncobj_share_is(const struct syncobj_share *share, dev_t dev, ino_t ino)
{
    return share->ino == ino && share->dev == dev;
}

void
syncobj_share_destroy(struct syncobj_share *share)
{
    if (!share)
        return;
    pthread_mutex_lock(&share->lock);
    share->obj = NULL;
    pthread_mutex_unlock(&share->lock);
    page_changed(share->page); /* the thread leaves */
    share_unref(share);
}

/* ------------------------------------------------------------------------
 * Fences of others */

static bool
number_signalled(struct page *page, uint32_t number)
{
    unsigned slot = number % LOG_SIZE;
    return atomic_load(&page->fence[slot].number) != number ||
           atomic_load(&page->fence[slot].signalled);
}

/* With share->lock. */
static void
signal_foreign(struct syncobj_share *share)
{
    for (struct foreign **p = &share->foreign; *p;) {
        struct foreign *f = *p;
        if (!number_signalled(share->page, f->number)) {
            p = &f->next;
            continue;
        }
        *p = f->next;
        fence_signal(f->fence);
        fence_unref(f->fence);
        free(f);
    }
}

static struct fence *
foreign_fence(struct syncobj_share *share, uint32_t number)
{
    struct fence *fence = fence_create(number_signalled(share->page, number));
    if (!fence || fence_is_signalled(fence))
        return fence;
    struct foreign *f = malloc(sizeof *f);
    if (!f) {
        fence_unref(fence);
        return NULL;
    }
    *f = (struct foreign){number, fence_ref(fence), share->foreign};
    share->foreign = f;
    return fence;
}

/* With share->lock. */
static void
repeat(struct syncobj_share *share, struct syncobj *obj,
       const struct log_entry *e)
{
    struct fence *fence = NULL;
    if (e->change > SYNCOBJ_ADD)
        return;
    if (e->change != SYNCOBJ_RESET) {
        fence = foreign_fence(share, e->fence);
        if (!fence)
            return;
    }
    syncobj_apply(obj, e->change, e->point, fence);
    fence_unref(fence);
}

/* Entries that the object has not seen, with the page locked. */
static uint32_t
collect(struct syncobj_share *share, struct log_entry news[LOG_SIZE])
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
    page_lock(share->page);
    uint32_t count = collect(share, news);
    page_unlock(share->page);
    for (uint32_t i = 0; i < count; i++)
        repeat(share, obj, &news[i]);
    signal_foreign(share);
}

static void *
watch_main(void *data)
{
    struct syncobj_share *share = data;
    const struct timespec tick = {1, 0};
    pthread_mutex_lock(&share->lock);
    while (share->obj) {
        uint32_t changes = atomic_load(&share->page->changes);
        catch_up(share, share->obj);
        pthread_mutex_unlock(&share->lock);
        syscall(SYS_futex, &share->page->changes, FUTEX_WAIT, changes, &tick,
                NULL, 0);
        pthread_mutex_lock(&share->lock);
    }
    pthread_mutex_unlock(&share->lock);
    share_unref(share);
    return NULL;
}

/* With share->lock. In the child of fork() it starts again. */
static void
start_watching(struct syncobj_share *share, struct syncobj *obj)
{
    pthread_t thread;
    share->obj = obj;
    if (share->watcher == getpid())
        return;
    atomic_fetch_add(&share->refs, 1);
    if (device_start_thread(&thread, watch_main, share)) {
        share_unref(share);
        return;
    }
    pthread_detach(thread);
    share->watcher = getpid();
}

void
syncobj_share_pull(struct syncobj_share *share, struct syncobj *obj)
{
    pthread_mutex_lock(&share->lock);
    start_watching(share, obj);
    catch_up(share, obj);
    pthread_mutex_unlock(&share->lock);
}

/* ------------------------------------------------------------------------
 * Changes of our own */

struct signal {
    struct syncobj_share *share;
    uint32_t number;
};

static void
tell_signalled(void *data)
{
    struct signal *s = data;
    struct page *page = s->share->page;
    unsigned slot = s->number % LOG_SIZE;
    if (atomic_load(&page->fence[slot].number) == s->number)
        atomic_store(&page->fence[slot].signalled, 1);
    page_changed(page);
    share_unref(s->share);
    free(s);
}

/* With the page locked: the number that stands for a fence of ours. */
static uint32_t
number_fence(struct page *page)
{
    uint32_t number = atomic_fetch_add(&page->fences, 1) + 1;
    atomic_store(&page->fence[number % LOG_SIZE].signalled, 0);
    atomic_store(&page->fence[number % LOG_SIZE].number, number);
    return number;
}

bool
syncobj_share_push(struct syncobj_share *share, struct syncobj *obj,
                   enum syncobj_change change, uint64_t point,
                   struct fence *fence)
{
    struct page *page = share->page;
    struct log_entry news[LOG_SIZE];
    struct signal *s = malloc(sizeof *s);
    if (!s)
        return false;
    pthread_mutex_lock(&share->lock);
    start_watching(share, obj);
    page_lock(page);
    uint32_t count = collect(share, news);
    uint32_t number = fence ? number_fence(page) : 0;
    page->log[share->applied % LOG_SIZE] = (struct log_entry){point, change,
                                                              number};
    atomic_store(&page->entries, ++share->applied);
    page_unlock(page);
    for (uint32_t i = 0; i < count; i++)
        repeat(share, obj, &news[i]);
    bool ok = syncobj_apply(obj, change, point, fence);
    pthread_mutex_unlock(&share->lock);
    page_changed(page);
    if (!fence) {
        free(s);
        return ok;
    }
    *s = (struct signal){share, number};
    atomic_fetch_add(&share->refs, 1);
    if (!fence_call(fence, tell_signalled, s))
        tell_signalled(s);
    return ok;
}

void
syncobj_share_after_fork(struct syncobj_share *share)
{
    pthread_mutex_init(&share->lock, NULL);
}
