#include "drm-shim/gem/bo_share.h"

#include "drm-shim/gem/bo_slab.h"
#include "drm-shim/core/core.h"

#include <errno.h>
#include <i915_drm.h>
#include <stdlib.h>

#define SHARE_MAGIC UINT64_C(0x33656b616c74666f)

enum { READS, WRITES, KINDS };
#define MARKS_OF_KIND (UINT64_C(1) << 57)

/* Every holder of the descriptor can write the page, so nothing in it is
 * believed that could hurt. */
struct share_page {
    uint64_t magic;
    _Atomic uint32_t tiling, stride_B;
    _Atomic uint32_t ended; /* changes when work has ended: foreign_tell() */
};

#define RANGES 8
struct ranges {
    struct mark_range r[RANGES];
    unsigned count;
};

/* This process's side. It outlives the object while uses of it are pending. */
struct bo_share {
    atomic_uint refs;
    struct share_page *page;
    int fd; /* the object's */
    bool owns_fd;
    uint64_t next_mark;
    struct ranges seen[KINDS]; /* work of other processes that has a fence */
};

static void
share_unref(struct bo_share *share)
{
    if (atomic_fetch_sub(&share->refs, 1) != 1)
        return;
    munmap(share->page, BO_PAGE_B);
    if (share->owns_fd)
        close(share->fd);
    free(share);
}

static struct bo_share *
share_map(int fd, uint64_t at_B)
{
    struct bo_share *share = calloc(1, sizeof *share);
    void *p = syscall_mmap(NULL, BO_PAGE_B, PROT_READ | PROT_WRITE, MAP_SHARED,
                           fd, at_B);
    if (!share || p == MAP_FAILED) {
        free(share);
        if (p != MAP_FAILED)
            munmap(p, BO_PAGE_B);
        return NULL;
    }
    atomic_init(&share->refs, 1);
    share->page = p;
    share->fd = fd;
    share->next_mark = foreign_new_marks();
    return share;
}

static bool
list_shared(struct bo *bo, struct bo_share *share)
{
    struct stat st;
    if (syscall_fstat(bo->memfd, &st) < 0)
        return false;
    bo->dev = st.st_dev;
    bo->ino = st.st_ino;
    bo_expose_share(bo);
    bo->share = share;
    bo->next_shared = *device_shared_bos();
    *device_shared_bos() = bo;
    return true;
}

void
bo_share_forget(struct bo *bo)
{
    struct bo_share *share = bo->share;
    if (!share)
        return;
    struct bo **p = device_shared_bos();
    while (*p && *p != bo)
        p = &(*p)->next_shared;
    if (*p)
        *p = bo->next_shared;
    bo->share = NULL;
    /* Pending uses need the descriptor, whose description has their marks. */
    if (atomic_load(&share->refs) > 1) {
        share->owns_fd = true;
        bo->memfd = syscall_fd_up(dup(share->fd));
    }
    share_unref(share);
}

/* ------------------------------------------------------------------------
 * Work of this process */

struct own_use {
    struct bo_share *share;
    uint64_t mark;
};

static void
end_use(void *data)
{
    struct own_use *use = data;
    foreign_unmark(use->share->fd, use->mark);
    foreign_tell(&use->share->page->ended);
    share_unref(use->share);
    free(use);
}

bool
bo_share_use(struct bo *bo, const struct bo_use *use)
{
    struct bo_share *share = bo->share;
    if (!share)
        return true;
    struct own_use *own = malloc(sizeof *own);
    if (!own)
        return false;
    own->share = share;
    own->mark = share->next_mark++ + (use->write ? MARKS_OF_KIND : 0);
    if (!foreign_mark(share->fd, own->mark)) {
        free(own);
        return false;
    }
    atomic_fetch_add(&share->refs, 1);
    if (fence_call(use->fence, end_use, own))
        return true;
    end_use(own);
    return false;
}

/* ------------------------------------------------------------------------
 * Work of other processes */

static bool
add_range(struct ranges *to, struct mark_range r)
{
    if (to->count == RANGES)
        return false;
    to->r[to->count++] = r;
    return true;
}

static struct ranges
find_marks(const struct bo_share *share, unsigned kind)
{
    struct ranges found = {.count = 0};
    struct mark_range in = {kind * MARKS_OF_KIND, (kind + 1) * MARKS_OF_KIND},
                      one;
    while (in.first < in.end && foreign_find(share->fd, in, &one)) {
        if (!add_range(&found, one)) {
            found.r[RANGES - 1].end = in.end;
            break;
        }
        in.first = one.end;
    }
    return found;
}

/* Returns the ranges of found that are not in seen: newly marked ones. Both
 * lists are sorted. */
static struct ranges
subtract_ranges(const struct ranges *found, const struct ranges *seen)
{
    struct ranges fresh = {.count = 0};
    for (unsigned i = 0; i < found->count; i++) {
        struct mark_range r = found->r[i];
        for (unsigned s = 0; s < seen->count; s++)
            if (seen->r[s].first <= r.first && r.first < seen->r[s].end)
                r.first = seen->r[s].end;
        if (r.first < r.end)
            add_range(&fresh, r);
    }
    return fresh;
}

struct foreign_use {
    struct bo_share *share;
    struct ranges marks;
};

static bool
marks_are_gone(void *data)
{
    const struct foreign_use *use = data;
    struct mark_range found;
    for (unsigned i = 0; i < use->marks.count; i++)
        if (foreign_find(use->share->fd, use->marks.r[i], &found))
            return false;
    return true;
}

static void
drop_foreign_use(void *data)
{
    struct foreign_use *use = data;
    share_unref(use->share);
    free(use);
}

static bool
watch_marks(struct bo *bo, struct fence *fence, const struct ranges *marks)
{
    struct foreign_use *use = malloc(sizeof *use);
    if (!use)
        return false;
    *use = (struct foreign_use){bo->share, *marks};
    atomic_fetch_add(&bo->share->refs, 1);
    const struct foreign_watch w = {.is_over = marks_are_gone,
                                    .drop = drop_foreign_use,
                                    .data = use,
                                    .hint = &bo->share->page->ended,
                                    .fence = fence};
    if (foreign_watch(&w))
        return true;
    drop_foreign_use(use);
    return false;
}

/* A process that begins new work all the time makes this one wait for a few
 * pieces of it at once, each with its own time limit. */
#define FOREIGN_USES 8

static bool
has_room(const struct bo *bo)
{
    unsigned count = 0;
    for (unsigned i = 0; i < bo->use_count; i++)
        count += bo->uses[i].foreign && !fence_is_signalled(bo->uses[i].fence);
    return count < FOREIGN_USES;
}

static void
look_at_others(struct bo *bo, unsigned kind)
{
    struct ranges *seen = &bo->share->seen[kind];
    struct ranges found = find_marks(bo->share, kind);
    struct ranges fresh = subtract_ranges(&found, seen);
    if (!fresh.count) {
        *seen = found;
        return;
    }
    struct fence *fence = has_room(bo) ? fence_create(false) : NULL;
    const struct bo_use use = {
        .fence = fence, .write = kind == WRITES, .foreign = true};
    if (fence && watch_marks(bo, fence, &fresh) && bo_add_use(bo, &use))
        *seen = found;
    fence_unref(fence);
}

void
bo_share_look(struct bo *bo)
{
    if (!bo->share)
        return;
    look_at_others(bo, WRITES);
    look_at_others(bo, READS);
}

void
bo_share_after_fork(struct bo *first)
{
    for (struct bo *bo = first; bo; bo = bo->next_shared)
        foreign_reopen_in_place(bo->memfd);
}

/* ------------------------------------------------------------------------
 * Descriptors */

static int
make_shared(struct bo *bo)
{
    if (syscall_truncate(bo->memfd, bo->size_B + BO_PAGE_B) < 0)
        return -ENOMEM;
    /* Seals the size: a process with the descriptor must not truncate pages
     * that others have mapped. */
    fcntl(bo->memfd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    struct bo_share *share = share_map(bo->memfd, bo->size_B);
    if (!share)
        return -ENOMEM;
    if (!list_shared(bo, share)) {
        share_unref(share);
        return -ENOMEM;
    }
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
    int err = bo_slab_leave(bo);
    if (!err && !bo->share)
        err = make_shared(bo);
    if (err)
        return err;
    /* The access mode is that of the file, as for a dma-buf. */
    int fd = foreign_reopen(bo->memfd, flags & (O_CLOEXEC | O_ACCMODE));
    if (fd < 0)
        fd = fcntl(bo->memfd, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 3);
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

/* Maps the shared page after a file's end; NULL if the file has none. */
static struct bo_share *
open_share(int fd, uint64_t file_B)
{
    if (file_B < 2 * BO_PAGE_B || file_B % BO_PAGE_B || !foreign_is_sealed(fd))
        return NULL;
    struct bo_share *share = share_map(fd, file_B - BO_PAGE_B);
    if (!share || share->page->magic == SHARE_MAGIC)
        return share;
    share_unref(share);
    return NULL;
}

static struct bo *
adopt_file(int fd, uint64_t file_B, int *err)
{
    struct bo *bo = bo_alloc(file_B - BO_PAGE_B);
    *err = -ENOMEM;
    if (!bo)
        return NULL;
    bo->memfd = bo_file_adopt(fd);
    if (bo->memfd >= 0) {
        struct bo_share *share = open_share(bo->memfd, file_B);
        if (share && list_shared(bo, share))
            return bo;
        *err = -EINVAL;
        if (share)
            share_unref(share);
    }
    bo_unref(bo);
    return NULL;
}

struct bo *
bo_import(int fd, int *err)
{
    struct stat st;
    if (syscall_fstat(fd, &st) < 0) {
        *err = -errno;
        return NULL;
    }
    struct bo *bo = bo_find_shared(st.st_dev, st.st_ino);
    if (bo)
        return bo_ref(bo);
    *err = -EINVAL;
    if (!S_ISREG(st.st_mode) || !foreign_is_sealed(fd))
        return NULL;
    return adopt_file(fd, (uint64_t)st.st_size, err);
}

bool
bo_tiling_is_valid(uint32_t tiling, uint32_t stride_B)
{
    uint32_t tile_w_B = tiling == I915_TILING_X ? 512 : 128;
    if (tiling == I915_TILING_NONE)
        return true;
    return tiling <= I915_TILING_LAST && stride_B && stride_B <= 262144 &&
           stride_B % tile_w_B == 0;
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
    if (!bo->share)
        return;
    uint32_t theirs = atomic_load(&bo->share->page->tiling);
    uint32_t their_stride_B = atomic_load(&bo->share->page->stride_B);
    if (!bo_tiling_is_valid(theirs, their_stride_B))
        return;
    *tiling = theirs;
    *stride_B = their_stride_B;
}
