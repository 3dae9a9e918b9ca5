#include "drm-shim/bo_share.h"

#include "drm-shim/device.h"
#include "drm-shim/raw.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <time.h>

#define SHARE_MAGIC UINT64_C(0x32656b616c74666f)

enum { ALL, WRITES, KINDS };

/* The page itself. The counters only go up (and wrap). */
struct share_page {
    uint64_t magic;
    uint64_t size_B; /* of the object, without this page */
    _Atomic uint32_t tiling, stride_B;
    _Atomic uint32_t begun[KINDS], ended[KINDS];
};

/* This process's side of it; outlives the object while uses are counted. */
struct bo_share {
    atomic_uint refs;
    struct share_page *page;
    _Atomic uint32_t begun[KINDS], ended[KINDS]; /* our own part */
    uint32_t seen[KINDS]; /* work of others that a fence exists for */
};

static void
share_unref(struct bo_share *share)
{
    if (atomic_fetch_sub(&share->refs, 1) != 1)
        return;
    munmap(share->page, BO_PAGE_B);
    free(share);
}

static struct bo_share *
share_map(int fd, uint64_t at_B)
{
    struct bo_share *share = calloc(1, sizeof *share);
    void *p = raw_mmap(NULL, BO_PAGE_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                       at_B);
    if (!share || p == MAP_FAILED) {
        free(share);
        return NULL;
    }
    atomic_init(&share->refs, 1);
    share->page = p;
    return share;
}

static bool
list_shared(struct bo *bo, struct bo_share *share)
{
    struct stat st;
    if (raw_fstat(bo->memfd, &st) < 0)
        return false;
    bo->dev = st.st_dev;
    bo->ino = st.st_ino;
    bo_expose(bo);
    bo->share = share;
    bo->next_shared = *device_shared_bos();
    *device_shared_bos() = bo;
    return true;
}

void
bo_share_forget(struct bo *bo)
{
    if (!bo->share)
        return;
    struct bo **p = device_shared_bos();
    while (*p && *p != bo)
        p = &(*p)->next_shared;
    if (*p)
        *p = bo->next_shared;
    share_unref(bo->share);
    bo->share = NULL;
}

/* ------------------------------------------------------------------------
 * Work */

/* Our own count first: whoever reads in between sees too little ended, not
 * too much. */
static void
count_end(void *data, unsigned kind)
{
    struct bo_share *share = data;
    atomic_fetch_add(&share->ended[kind], 1);
    atomic_fetch_add(&share->page->ended[kind], 1);
    syscall(SYS_futex, &share->page->ended[kind], FUTEX_WAKE, INT_MAX, NULL,
            NULL, 0);
    share_unref(share);
}

static void
end_any(void *data)
{
    count_end(data, ALL);
}

static void
end_write(void *data)
{
    count_end(data, WRITES);
}

static bool
count_begin(struct bo_share *share, struct fence *fence, unsigned kind)
{
    atomic_fetch_add(&share->refs, 1);
    atomic_fetch_add(&share->begun[kind], 1);
    atomic_fetch_add(&share->page->begun[kind], 1);
    if (fence_call(fence, kind == WRITES ? end_write : end_any, share))
        return true;
    count_end(share, kind);
    return false;
}

bool
bo_share_use(struct bo *bo, const struct bo_use *use)
{
    if (!bo->share)
        return true;
    return count_begin(bo->share, use->fence, ALL) &&
           (!use->write || count_begin(bo->share, use->fence, WRITES));
}

struct watch {
    struct bo_share *share;
    struct fence *fence;
    unsigned kind;
    uint32_t target;
};

/* A process that died does not count its work down any more: wait for as long
 * as a batch may take, not for ever. */
#define LOST_NS INT64_C(12000000000)

static void *
watch_main(void *data)
{
    struct watch *w = data;
    struct bo_share *share = w->share;
    const struct timespec tick = {0, 200000000};
    int64_t end_ns = fence_now_ns() + LOST_NS;
    while (fence_now_ns() < end_ns) {
        uint32_t ended = atomic_load(&share->page->ended[w->kind]);
        uint32_t theirs = ended - atomic_load(&share->ended[w->kind]);
        if ((int32_t)(theirs - w->target) >= 0)
            break;
        syscall(SYS_futex, &share->page->ended[w->kind], FUTEX_WAIT, ended,
                &tick, NULL, 0);
    }
    fence_signal(w->fence);
    fence_unref(w->fence);
    share_unref(share);
    free(w);
    return NULL;
}

static bool
watch_start(struct bo *bo, struct fence *fence, unsigned kind, uint32_t target)
{
    struct watch *w = malloc(sizeof *w);
    pthread_t thread;
    if (!w)
        return false;
    *w = (struct watch){bo->share, fence_ref(fence), kind, target};
    atomic_fetch_add(&bo->share->refs, 1);
    if (!device_start_thread(&thread, watch_main, w)) {
        pthread_detach(thread);
        return true;
    }
    share_unref(bo->share);
    fence_unref(fence);
    free(w);
    return false;
}

static void
look(struct bo *bo, unsigned kind)
{
    struct bo_share *share = bo->share;
    uint32_t begun = atomic_load(&share->page->begun[kind]) -
                     atomic_load(&share->begun[kind]);
    uint32_t ended = atomic_load(&share->page->ended[kind]) -
                     atomic_load(&share->ended[kind]);
    if ((int32_t)(begun - ended) <= 0 ||
        (int32_t)(begun - share->seen[kind]) <= 0)
        return;
    struct fence *fence = fence_create(false);
    struct bo_use use = {
        .fence = fence, .write = kind == WRITES, .foreign = true};
    if (fence && watch_start(bo, fence, kind, begun) && bo_add_use(bo, &use))
        share->seen[kind] = begun;
    fence_unref(fence);
}

void
bo_share_look(struct bo *bo)
{
    if (!bo->share)
        return;
    look(bo, WRITES);
    look(bo, ALL);
}

void
bo_share_after_fork(struct bo *first)
{
    for (struct bo *bo = first; bo; bo = bo->next_shared)
        for (unsigned kind = 0; kind < KINDS; kind++)
            atomic_store(&bo->share->begun[kind],
                         atomic_load(&bo->share->ended[kind]));
}

/* ------------------------------------------------------------------------
 * Descriptors */

static int
make_shared(struct bo *bo)
{
    if (ftruncate(bo->memfd, (off_t)(bo->size_B + BO_PAGE_B)) < 0)
        return -ENOMEM;
    /* Whoever has the descriptor must not pull pages from under the others. */
    fcntl(bo->memfd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    struct bo_share *share = share_map(bo->memfd, bo->size_B);
    if (!share)
        return -ENOMEM;
    if (!list_shared(bo, share)) {
        share_unref(share);
        return -ENOMEM;
    }
    share->page->size_B = bo->size_B;
    atomic_store(&share->page->tiling, bo->tiling);
    atomic_store(&share->page->stride_B, bo->stride_B);
    share->page->magic = SHARE_MAGIC;
    for (unsigned i = 0; i < bo->use_count; i++)
        if (!bo_share_use(bo, &bo->uses[i]))
            return -ENOMEM;
    return 0;
}

int
bo_export(struct bo *bo, int flags)
{
    if (bo->memfd < 0)
        return -EINVAL; /* as i915: userptr cannot be exported */
    int err = bo->share ? 0 : make_shared(bo);
    if (err)
        return err;
    int fd = fcntl(bo->memfd, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 3);
    return fd < 0 ? -errno : fd;
}

struct bo *
bo_find_shared(dev_t dev, ino_t ino)
{
    for (struct bo *bo = *device_shared_bos(); bo; bo = bo->next_shared)
        if (bo->ino == ino && bo->dev == dev)
            return bo;
    return NULL;
}

/* Our page behind the end of a file, NULL if there is none. */
static struct bo_share *
open_share(int fd, const struct stat *st)
{
    if (!S_ISREG(st->st_mode) || st->st_size < (off_t)(2 * BO_PAGE_B) ||
        st->st_size % (off_t)BO_PAGE_B)
        return NULL;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK))
        return NULL;
    uint64_t size_B = (uint64_t)st->st_size - BO_PAGE_B;
    struct bo_share *share = share_map(fd, size_B);
    if (!share ||
        (share->page->magic == SHARE_MAGIC && share->page->size_B == size_B))
        return share;
    share_unref(share);
    return NULL;
}

struct bo *
bo_import(int fd, int *err)
{
    struct stat st;
    if (raw_fstat(fd, &st) < 0) {
        *err = -errno;
        return NULL;
    }
    struct bo *bo = bo_find_shared(st.st_dev, st.st_ino);
    if (bo)
        return bo_ref(bo);
    *err = -EINVAL;
    struct bo_share *share = open_share(fd, &st);
    if (!share)
        return NULL;
    *err = -ENOMEM;
    bo = bo_alloc(share->page->size_B);
    if (bo) {
        bo->memfd = raw_fd_up(dup(fd));
        if (bo->memfd >= 0 && list_shared(bo, share))
            return bo;
    }
    share_unref(share);
    bo_unref(bo);
    return NULL;
}

void
bo_set_tiling(struct bo *bo, uint32_t tiling, uint32_t stride_B)
{
    bo->tiling = tiling;
    bo->stride_B = stride_B;
    if (bo->share) {
        atomic_store(&bo->share->page->tiling, tiling);
        atomic_store(&bo->share->page->stride_B, stride_B);
    }
}

void
bo_get_tiling(const struct bo *bo, uint32_t *tiling, uint32_t *stride_B)
{
    *tiling = bo->tiling;
    *stride_B = bo->stride_B;
    if (bo->share) {
        *tiling = atomic_load(&bo->share->page->tiling);
        *stride_B = atomic_load(&bo->share->page->stride_B);
    }
}
