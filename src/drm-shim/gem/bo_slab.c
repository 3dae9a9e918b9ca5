#include "drm-shim/gem/bo_slab.h"

#include "base/refusal.h"
#include "drm-shim/gem/bo.h"
#include "drm-shim/core/core.h"
#include "drm-shim/gem/ppgtt.h"
#include "drm-shim/gem/bo_maps.h"
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

#define SLAB_B (UINT64_C(1) << 40) /* sparse */
#define SWEEP_EVERY 256

struct client_map {
    const void *at;
    uint64_t size_B;
};

/* A part of the slab that is in use. */
struct extent {
    uint64_t offset_B, size_B;
    struct bo *bo; /* NULL: freed, but may still be mapped by the client */
    struct client_map *maps;
    unsigned map_count;
};

static struct {
    int fd;                 /* + 1; 0: none yet */
    struct extent *extents; /* sorted, disjoint */
    unsigned count, capacity;
    unsigned dense; /* no room before this extent */
    unsigned takes;
    unsigned files; /* objects with a memfd of their own */
} slab;

/* ---- separate files ------------------------------------------------------ */

/* The last descriptors are the application's. */
#define RESERVED_FILES 128

/* Keeps a new descriptor, which has the lowest free number. -1 and EMFILE: few
 * are left. */
static int
keep_file(int fd)
{
    struct rlimit limit;
    if (fd < 0)
        return -1;
    if (!getrlimit(RLIMIT_NOFILE, &limit) &&
        (rlim_t)fd >=
            limit.rlim_cur - MIN2(limit.rlim_cur / 8, RESERVED_FILES)) {
        syscall(SYS_close, fd);
        errno = EMFILE;
        return -1;
    }
    slab.files++;
    return syscall_fd_up(fd);
}

int
bo_file(uint64_t size_B)
{
    int fd = keep_file(
        memfd_create("softlake-bo", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (fd >= 0 && syscall_truncate(fd, size_B) < 0) {
        syscall(SYS_close, fd);
        slab.files--;
        fd = -1;
    }
    return fd;
}

void
bo_file_close(int fd)
{
    close(fd);
    slab.files--;
}

int
bo_file_adopt(int fd)
{
    int own = foreign_reopen(fd, O_RDWR | O_CLOEXEC);
    return keep_file(own < 0 ? dup(fd) : own);
}

/* Leaves half of the descriptors to the client. */
bool
bo_slab_wanted(void)
{
    const unsigned always = 8;
    struct rlimit limit;
    return slab.files >= always && !getrlimit(RLIMIT_NOFILE, &limit) &&
           slab.files >= limit.rlim_cur / 2;
}

/* ---- the slab ------------------------------------------------------------ */

static bool
open_slab(void)
{
    if (slab.fd)
        return true;
    int fd = syscall_fd_up(memfd_create("softlake-bos", MFD_CLOEXEC));
    if (fd >= 0 && !syscall_truncate(fd, SLAB_B)) {
        slab.fd = fd + 1;
        return true;
    }
    if (fd >= 0)
        close(fd);
    return false;
}

/* Index of the first extent at or after the offset. */
static unsigned
find_extent(uint64_t offset_B)
{
    unsigned lo = 0, hi = slab.count;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (slab.extents[mid].offset_B < offset_B)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void
free_pages(struct extent *e)
{
    fallocate(slab.fd - 1, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              (off_t)e->offset_B, (off_t)e->size_B);
    free(e->maps);
    e->maps = NULL;
    e->map_count = 0;
}

static bool
has_pages(const struct client_map *map)
{
    unsigned char seen;
    uintptr_t first = (uintptr_t)map->at;
    uintptr_t last = first + ((map->size_B - 1) & ~(BO_PAGE_B - 1));
    return !syscall(SYS_mincore, first, BO_PAGE_B, &seen) ||
           !syscall(SYS_mincore, last, BO_PAGE_B, &seen);
}

/* Whether anything lies where the client has mapped the extent. */
static bool
may_be_mapped(const struct extent *e)
{
    bool may = false;
    for (unsigned i = 0; i < e->map_count && !may; i++)
        may = has_pages(&e->maps[i]);
    return may;
}

/* Whether the extent itself lies there. */
static bool
is_mapped(const struct extent *e, const struct bo_maps *maps)
{
    for (unsigned i = 0; i < e->map_count; i++) {
        const struct client_map *m = &e->maps[i];
        uint64_t last_B = (m->size_B - 1) & ~(BO_PAGE_B - 1);
        if (bo_maps_has(maps, m->at, e->offset_B) ||
            bo_maps_has(maps, (const uint8_t *)m->at + last_B,
                        e->offset_B + last_B))
            return true;
    }
    return false;
}

static bool
read_slab_maps(struct bo_maps *maps)
{
    struct stat st;
    return !syscall_fstat(slab.fd - 1, &st) && bo_maps_read(maps, st.st_ino);
}

/* Frees the pages of closed objects whose mappings have gone. Asks per extent
 * first, and reads all mappings only if many answers are not certain. */
#define UNCERTAIN_MANY 32

static void
free_unmapped(void)
{
    struct bo_maps maps;
    unsigned uncertain = 0;
    for (unsigned i = 0; i < slab.count; i++) {
        struct extent *e = &slab.extents[i];
        if (e->bo || !e->maps)
            continue;
        if (may_be_mapped(e))
            uncertain++;
        else
            free_pages(e);
    }
    if (uncertain < UNCERTAIN_MANY || !read_slab_maps(&maps))
        return;
    for (unsigned i = 0; i < slab.count; i++) {
        struct extent *e = &slab.extents[i];
        if (!e->bo && e->maps && !is_mapped(e, &maps))
            free_pages(e);
    }
    bo_maps_free(&maps);
}

/* Removes the extents that nobody uses any more, all at once: removing each
 * by itself would move all after it. */
static void
sweep_extents(void)
{
    unsigned kept = 0;
    free_unmapped();
    for (unsigned i = 0; i < slab.count; i++) {
        struct extent *e = &slab.extents[i];
        if (e->bo || e->maps)
            slab.extents[kept++] = *e;
    }
    if (kept < slab.count)
        slab.dense = 0;
    slab.count = kept;
}

static bool
insert_extent(unsigned i, const struct extent *e)
{
    if (slab.count == slab.capacity) {
        unsigned more = slab.capacity * 2 + 64;
        struct extent *p = realloc(slab.extents, more * sizeof *p);
        if (!p)
            return false;
        slab.extents = p;
        slab.capacity = more;
    }
    memmove(slab.extents + i + 1, slab.extents + i,
            (slab.count - i) * sizeof *e);
    slab.extents[i] = *e;
    slab.count++;
    return true;
}

static uint64_t
end_of_extent(unsigned i)
{
    return slab.extents[i].offset_B + slab.extents[i].size_B;
}

bool
bo_slab_take(struct bo *bo)
{
    int saved = errno;
    if (!open_slab())
        return false;
    if (++slab.takes % SWEEP_EVERY == 0)
        sweep_extents();
    errno = saved;
    unsigned i = slab.dense;
    uint64_t at = i ? end_of_extent(i - 1) : 0;
    while (i < slab.count && slab.extents[i].offset_B - at < bo->size_B) {
        if (slab.dense == i && slab.extents[i].offset_B == at)
            slab.dense++;
        at = end_of_extent(i++);
    }
    struct extent e = {.offset_B = at, .size_B = bo->size_B, .bo = bo};
    if (bo->size_B > SLAB_B - at || !insert_extent(i, &e))
        return false;
    bo->memfd = slab.fd - 1;
    bo->offset_B = at;
    bo->in_slab = true;
    return true;
}

static struct extent *
extent_of(const struct bo *bo)
{
    unsigned i = find_extent(bo->offset_B);
    return i < slab.count && slab.extents[i].bo == bo ? &slab.extents[i] : NULL;
}

void
bo_slab_give_back(struct bo *bo)
{
    /* After a fork the extents are the parent's. */
    struct extent *e = bo->in_slab ? extent_of(bo) : NULL;
    if (!bo->in_slab) {
        bo_file_close(bo->memfd);
    } else if (e) {
        e->bo = NULL;
        if (!may_be_mapped(e))
            free_pages(e);
    }
}

/* The mapping at this address, and others that have gone, are not the extent's
 * any more: a client may map and unmap an object for ever. */
static void
forget_unmapped(struct extent *e, const void *at)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < e->map_count; i++)
        if (e->maps[i].at != at && has_pages(&e->maps[i]))
            e->maps[kept++] = e->maps[i];
    e->map_count = kept;
}

bool
bo_slab_note_map(struct bo *bo, const void *at, uint64_t size_B)
{
    struct extent *e = bo->in_slab ? extent_of(bo) : NULL;
    if (!e)
        return true;
    forget_unmapped(e, at);
    struct client_map *p = realloc(e->maps, (e->map_count + 1) * sizeof *p);
    if (!p)
        return false;
    e->maps = p;
    p[e->map_count++] = (struct client_map){at, size_B};
    return true;
}

static bool
copy_pages(const struct bo *bo, int fd)
{
    static const uint8_t zeros[BO_PAGE_B];
    uint8_t page[BO_PAGE_B];
    for (uint64_t at = 0; at < bo->size_B; at += BO_PAGE_B) {
        if (pread(bo->memfd, page, BO_PAGE_B, (off_t)(bo->offset_B + at)) !=
            (ssize_t)BO_PAGE_B)
            return false;
        if (memcmp(page, zeros, BO_PAGE_B) &&
            pwrite(fd, page, BO_PAGE_B, (off_t)at) != (ssize_t)BO_PAGE_B)
            return false;
    }
    return true;
}

static bool
client_maps(const struct extent *e)
{
    struct bo_maps maps;
    if (!may_be_mapped(e) || !read_slab_maps(&maps))
        return may_be_mapped(e);
    bool mapped = is_mapped(e, &maps);
    bo_maps_free(&maps);
    return mapped;
}

int
bo_slab_leave(struct bo *bo)
{
    struct extent *e = bo->in_slab ? extent_of(bo) : NULL;
    if (!bo->in_slab)
        return 0;
    int fd = e && client_maps(e) ? -1 : bo_file(bo->size_B);
    if (fd < 0 || !copy_pages(bo, fd)) {
        refusal("too few descriptors (see ulimit -n) to share an object with "
                "other processes");
        if (fd >= 0)
            bo_file_close(fd);
        return -EMFILE;
    }
    if (bo->map)
        munmap(bo->map, bo->size_B);
    bo->map = NULL;
    bo_slab_give_back(bo);
    bo->in_slab = false;
    bo->memfd = fd;
    bo->offset_B = 0;
    for (struct binding *b = bo->bindings; b; b = b->next) {
        int err = engine_vm_map(b->ppgtt->vm, b->va, bo->size_B, fd, 0);
        if (err)
            return err;
        if (bo->exposed)
            engine_vm_expose(b->ppgtt->vm, b->va, bo->size_B, false);
    }
    return 0;
}

void
bo_slab_after_fork(void)
{
    /* Parent and child share the file of the slab, so the child starts a slab
     * of its own. */
    for (unsigned i = 0; i < slab.count; i++)
        free(slab.extents[i].maps);
    slab.count = 0;
    slab.fd = 0;
}
