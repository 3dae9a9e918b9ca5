#include "drm-shim/gem/gtt_map.h"

#include "base/refusal.h"
#include "drm-shim/core/core.h"
#include "drm-shim/gem/bo_maps.h"
#include "drm-shim/gem/bo_share.h"
#include "drm-shim/gem/bo_slab.h"
#include "drm-shim/gem/gtt_merge.h"

#include <errno.h>
#include <i915_drm.h>
#include <stdlib.h>

/* Where a client has mapped the object, from its first byte on. */
struct gtt_range {
    uintptr_t begin, end;
};

/* The page after view and base, shared with children of fork(). */
struct view_state {
    atomic_bool used; /* batches may have written since both agreed */
};

struct gtt_view {
    struct gtt_range *ranges; /* some may have been unmapped since */
    unsigned count, capacity;
    int fd;        /* of view, base and state; -1: the object is linear */
    uint8_t *view; /* the library's mapping of the three */
    uint32_t tiling, stride_B; /* of the view */
};

/* A part of a file: the object's pages, or its view. */
struct file_part {
    int fd;
    uint64_t offset_B;
};

/* ------------------------------------------------------------------------
 * Ranges */

static void
forget_range(struct gtt_view *gtt, uintptr_t begin, uintptr_t end)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < gtt->count; i++) {
        const struct gtt_range *r = &gtt->ranges[i];
        if (r->end <= begin || end <= r->begin)
            gtt->ranges[kept++] = *r;
    }
    gtt->count = kept;
}

static bool
range_is_mapped(const struct gtt_range *r, const struct bo_maps *maps,
                uint64_t offset_B)
{
    for (unsigned i = 0; i < maps->count; i++) {
        const struct bo_map_entry *m = &maps->map[i];
        if (m->begin < r->end && r->begin < m->end &&
            m->offset_B - m->begin == offset_B - r->begin)
            return true;
    }
    return false;
}

static bool
read_file_maps(struct bo_maps *maps, const struct file_part *part)
{
    struct stat st;
    return !syscall_fstat(part->fd, &st) && bo_maps_read(maps, st.st_ino);
}

static struct file_part
mapped_part(const struct bo *bo)
{
    return bo->gtt->fd >= 0 ? (struct file_part){bo->gtt->fd, 0}
                            : (struct file_part){bo->memfd, bo->offset_B};
}

/* A client may map and unmap an object for ever. */
static void
drop_unmapped(struct bo *bo)
{
    struct gtt_view *gtt = bo->gtt;
    struct file_part part = mapped_part(bo);
    struct bo_maps maps;
    unsigned kept = 0;
    if (!read_file_maps(&maps, &part))
        return;
    for (unsigned i = 0; i < gtt->count; i++)
        if (range_is_mapped(&gtt->ranges[i], &maps, part.offset_B))
            gtt->ranges[kept++] = gtt->ranges[i];
    gtt->count = kept;
    bo_maps_free(&maps);
}

static bool
reserve_range(struct bo *bo)
{
    struct gtt_view *gtt = bo->gtt;
    if (gtt->count == gtt->capacity && gtt->count)
        drop_unmapped(bo);
    if (gtt->count < gtt->capacity)
        return true;
    unsigned more = gtt->capacity * 2 + 16;
    struct gtt_range *p = realloc(gtt->ranges, more * sizeof *p);
    if (!p)
        return false;
    gtt->ranges = p;
    gtt->capacity = more;
    return true;
}

void
gtt_note_other(struct bo *bo, const void *at, size_t length)
{
    if (bo->gtt)
        forget_range(bo->gtt, (uintptr_t)at, (uintptr_t)at + length);
}

/* ------------------------------------------------------------------------
 * The view */

static uint64_t
view_file_B(const struct bo *bo)
{
    return 2 * bo->size_B + BO_PAGE_B;
}

static struct view_state *
view_state(const struct bo *bo)
{
    return (struct view_state *)(bo->gtt->view + 2 * bo->size_B);
}

static bool
open_view(struct bo *bo)
{
    struct gtt_view *gtt = bo->gtt;
    uint64_t size_B = view_file_B(bo);
    int fd = bo_file(size_B);
    void *p = MAP_FAILED;
    if (fd >= 0)
        p = syscall_mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                         0);
    if (p == MAP_FAILED) {
        refusal("no memory for a GTT map of a tiled object: %m");
        if (fd >= 0)
            bo_file_close(fd);
        return false;
    }
    gtt->fd = fd;
    gtt->view = p;
    /* Batches of before the first GTT map may still run. */
    atomic_init(&view_state(bo)->used, true);
    return true;
}

static void
close_view(struct bo *bo)
{
    struct gtt_view *gtt = bo->gtt;
    if (gtt->fd < 0)
        return;
    munmap(gtt->view, view_file_B(bo));
    bo_file_close(gtt->fd);
    gtt->fd = -1;
    gtt->view = NULL;
}

static void
merge_view(struct bo *bo, bool both)
{
    struct gtt_view *gtt = bo->gtt;
    if (gtt->fd < 0)
        return;
    const struct gtt_image image = {.view = gtt->view,
                                    .base = gtt->view + bo->size_B,
                                    .object = bo_map(bo),
                                    .size_B = bo->size_B,
                                    .tiling = gtt->tiling,
                                    .stride_B = gtt->stride_B};
    if (!image.object)
        refusal("no memory for a GTT map of a tiled object");
    else if (both)
        gtt_merge_both(&image);
    else
        gtt_merge_view(&image);
}

/* ------------------------------------------------------------------------
 * Changes of the tiling */

/* The part of a mapping that lies in the range, moved to the other file. The
 * kernel replaces it at once: other threads see the one or the other. */
static bool
move_part(struct bo *bo, const struct bo_map_entry *m,
          const struct gtt_range *r, const struct file_part *to)
{
    uintptr_t begin = MAX2(m->begin, r->begin), end = MIN2(m->end, r->end);
    if (begin >= end)
        return true;
    void *at = (void *)begin;
    if (to->fd == bo->memfd && !bo_slab_note_map(bo, at, end - begin))
        return false;
    return syscall_mmap(at, end - begin, m->prot, MAP_SHARED | MAP_FIXED,
                        to->fd, to->offset_B + (begin - r->begin)) == at;
}

/* Moves what the client still maps. */
static bool
move_maps(struct bo *bo, const struct file_part *from,
          const struct file_part *to)
{
    struct gtt_view *gtt = bo->gtt;
    struct bo_maps maps;
    bool ok = true;
    if (!gtt->count)
        return true;
    if (!read_file_maps(&maps, from))
        return false;
    for (unsigned i = 0; i < maps.count; i++) {
        const struct bo_map_entry *m = &maps.map[i];
        for (unsigned n = 0; n < gtt->count; n++) {
            const struct gtt_range *r = &gtt->ranges[n];
            if (m->offset_B - m->begin == from->offset_B - r->begin)
                ok &= move_part(bo, m, r, to);
        }
    }
    bo_maps_free(&maps);
    return ok;
}

/* Gives the view the object's tiling. What the client wrote comes first. */
static bool
follow_tiling(struct bo *bo)
{
    struct gtt_view *gtt = bo->gtt;
    uint32_t tiling, stride_B;
    bo_get_tiling(bo, &tiling, &stride_B);
    if (tiling == gtt->tiling && stride_B == gtt->stride_B)
        return true;
    struct file_part from = mapped_part(bo);
    merge_view(bo, false);
    bool was_linear = gtt->fd < 0, linear = tiling == I915_TILING_NONE;
    if (was_linear && !linear && !open_view(bo))
        return false;
    gtt->tiling = tiling;
    gtt->stride_B = stride_B;
    if (!linear)
        merge_view(bo, true);
    if (linear == was_linear)
        return true;
    struct file_part to = linear ? (struct file_part){bo->memfd, bo->offset_B}
                                 : mapped_part(bo);
    if (!move_maps(bo, &from, &to))
        refusal("a GTT map does not follow a change of its object's tiling");
    if (linear)
        close_view(bo);
    return true;
}

/* ------------------------------------------------------------------------ */

static bool
make_gtt(struct bo *bo)
{
    if (bo->gtt)
        return true;
    bo->gtt = calloc(1, sizeof *bo->gtt);
    if (bo->gtt)
        bo->gtt->fd = -1;
    return bo->gtt;
}

void *
gtt_map(struct bo *bo, void *addr, size_t length, int prot, int flags)
{
    errno = ENOMEM;
    if (!make_gtt(bo) || !follow_tiling(bo) || !reserve_range(bo))
        return MAP_FAILED;
    gtt_sync_view(bo);
    struct gtt_view *gtt = bo->gtt;
    struct file_part part = mapped_part(bo);
    if (gtt->fd < 0)
        bo_expose(bo);
    void *p = syscall_mmap(addr, length, prot, flags, part.fd, part.offset_B);
    if (p == MAP_FAILED)
        return p;
    if (gtt->fd < 0 && !bo_slab_note_map(bo, p, length)) {
        munmap(p, length);
        errno = ENOMEM;
        return MAP_FAILED;
    }
    uintptr_t begin = (uintptr_t)p;
    uintptr_t end = begin + ALIGN_POT((uintptr_t)length, BO_PAGE_B);
    forget_range(gtt, begin, end);
    gtt->ranges[gtt->count++] = (struct gtt_range){begin, end};
    return p;
}

/* Whether anything but the view may have changed since both agreed. */
static bool
object_may_differ(const struct bo *bo)
{
    return bo->share || bo->cpu_mapped || atomic_load(&view_state(bo)->used);
}

void
gtt_sync(struct bo *bo)
{
    if (!bo->gtt)
        return;
    follow_tiling(bo);
    if (bo->gtt->fd < 0)
        return;
    bool both = object_may_differ(bo);
    if (both)
        atomic_store(&view_state(bo)->used, bo_look(bo) != 0);
    merge_view(bo, both);
}

void
gtt_sync_view(struct bo *bo)
{
    if (!bo->gtt)
        return;
    follow_tiling(bo);
    if (bo->gtt->fd >= 0 && object_may_differ(bo))
        gtt_sync(bo);
}

void
gtt_sync_used(struct bo *bo)
{
    if (!bo->gtt || bo->gtt->fd < 0)
        return;
    if ((bo->share || atomic_load(&view_state(bo)->used)) && !bo_look(bo))
        gtt_sync(bo);
}

void
gtt_note_write(struct bo *bo)
{
    if (bo->gtt && bo->gtt->fd >= 0)
        atomic_store(&view_state(bo)->used, true);
}

void
gtt_before_batch(struct bo *bo)
{
    if (!bo->gtt)
        return;
    follow_tiling(bo);
    gtt_note_write(bo);
    merge_view(bo, false);
}

void
gtt_before_exit(void)
{
    for (struct bo *bo = *device_shared_bos(); bo; bo = bo->next_shared)
        if (bo->gtt)
            merge_view(bo, false);
}

void
gtt_forget(struct bo *bo)
{
    if (!bo->gtt)
        return;
    if (bo->share)
        merge_view(bo, false);
    close_view(bo);
    free(bo->gtt->ranges);
    free(bo->gtt);
    bo->gtt = NULL;
}
