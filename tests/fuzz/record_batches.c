/* record_batches.c: a library that writes down what a client submits, as seeds
 * of fuzz_batch.
 *
 *   FUZZ_RECORD=DIR/NAME LD_PRELOAD=.../librecord_batches.so softlake CLIENT
 *
 * writes DIR/NAME.1, DIR/NAME.2 and so on, one file per hardware context that
 * draws anything. Objects are read with PREAD before each EXECBUFFER2; memory
 * of the application (userptr) is left out. One thread may submit. */
#include "batch_file.h"

#include <dlfcn.h>
#include <drm.h>
#include <i915_drm.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HANDLES 65536u
#define CONTEXTS 8
#define PAGES 65536u /* slots of a hash table */
#define OBJECT_MAX_B (16u << 20)

typedef int ioctl_function(int fd, unsigned long request, ...);

struct known_page {
    uint64_t va, hash;
};

static struct context {
    uint32_t id;
    FILE *file;
    struct known_page pages[PAGES];
} * contexts[CONTEXTS];

static uint64_t sizes_B[HANDLES];

static int
next_ioctl(int fd, unsigned long request, void *arg)
{
    static ioctl_function *next;
    if (!next)
        next = (ioctl_function *)dlsym(RTLD_NEXT, "ioctl");
    return next(fd, request, arg);
}

static uint64_t
hash_page(const uint32_t *dw)
{
    uint64_t h = 1, any = 0;
    for (unsigned i = 0; i < BATCH_PAGE_DW; i++) {
        h = (h ^ dw[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
        any |= dw[i];
    }
    return any ? h : 0;
}

/* Whether the page is new; remembers it. */
static bool
note_page(struct context *ctx, uint64_t va, const uint32_t *dw)
{
    uint64_t hash = hash_page(dw);
    uint32_t at = (uint32_t)((va >> 12) * 2654435761u) % PAGES;
    for (unsigned n = 0; n < PAGES; n++, at = (at + 1) % PAGES) {
        struct known_page *p = &ctx->pages[at];
        if (p->va != va + 1 && p->va)
            continue;
        bool differs = p->hash != hash;
        *p = (struct known_page){va + 1, hash};
        return differs;
    }
    return false;
}

static void
write_page(FILE *f, uint64_t va, const uint32_t *dw)
{
    struct batch_run run = {0, 0};
    fwrite(&va, sizeof va, 1, f);
    for (unsigned i = 0; i < BATCH_PAGE_DW; i += run.count_dw) {
        for (run.skip_dw = 0; i < BATCH_PAGE_DW && !dw[i]; i++)
            run.skip_dw++;
        for (run.count_dw = 0;
             i + run.count_dw < BATCH_PAGE_DW &&
             (dw[i + run.count_dw] || (i + run.count_dw + 1 < BATCH_PAGE_DW &&
                                       dw[i + run.count_dw + 1]));)
            run.count_dw++;
        if (!run.count_dw)
            break;
        fwrite(&run, sizeof run, 1, f);
        fwrite(dw + i, 4, run.count_dw, f);
    }
    run = (struct batch_run){0, 0};
    fwrite(&run, sizeof run, 1, f);
}

static uint32_t
write_pages(int fd, struct context *ctx, uint32_t handle,
            const struct batch_object *o)
{
    uint32_t count = 0;
    uint32_t *data = malloc(o->size_B);
    struct drm_i915_gem_pread r = {
        .handle = handle, .size = o->size_B, .data_ptr = (uintptr_t)data};
    if (!data || next_ioctl(fd, DRM_IOCTL_I915_GEM_PREAD, &r)) {
        free(data);
        return 0;
    }
    for (uint64_t at = 0; at + BATCH_PAGE_B <= o->size_B; at += BATCH_PAGE_B) {
        if (!note_page(ctx, o->va + at, data + at / 4))
            continue;
        write_page(ctx->file, o->va + at, data + at / 4);
        count++;
    }
    free(data);
    return count;
}

static struct context *
find_context(uint32_t id)
{
    const char *prefix = getenv("FUZZ_RECORD");
    char path[4096];
    const uint64_t magic = BATCH_MAGIC;
    for (unsigned i = 0; prefix && i < CONTEXTS; i++) {
        if (contexts[i] && contexts[i]->id != id)
            continue;
        if (contexts[i])
            return contexts[i];
        snprintf(path, sizeof path, "%s.%u", prefix, i + 1);
        contexts[i] = calloc(1, sizeof *contexts[i]);
        if (contexts[i])
            contexts[i]->file = fopen(path, "wbe");
        if (!contexts[i] || !contexts[i]->file)
            return NULL;
        contexts[i]->id = id;
        fwrite(&magic, sizeof magic, 1, contexts[i]->file);
        return contexts[i];
    }
    return NULL;
}

static uint64_t
plain(uint64_t va)
{
    return va & ((UINT64_C(1) << 48) - 1);
}

static void
record(int fd, const struct drm_i915_gem_execbuffer2 *eb)
{
    const struct drm_i915_gem_exec_object2 *e = (const void *)(uintptr_t)
                                                    eb->buffers_ptr;
    struct context *ctx = find_context((uint32_t)eb->rsvd1);
    if (!ctx || !eb->buffer_count)
        return;
    unsigned first = eb->flags & I915_EXEC_BATCH_FIRST ? 0
                                                       : eb->buffer_count - 1;
    struct batch_head head = {
        .ring = (uint32_t)(eb->flags & I915_EXEC_RING_MASK),
        .batch_va = plain(e[first].offset) + eb->batch_start_offset,
    };
    struct batch_object *objects = calloc(eb->buffer_count, sizeof *objects);
    uint32_t *handles = calloc(eb->buffer_count, sizeof *handles);
    for (unsigned i = 0; objects && handles && i < eb->buffer_count; i++) {
        uint64_t size_B = sizes_B[e[i].handle % HANDLES];
        if (!size_B || size_B > OBJECT_MAX_B)
            continue;
        handles[head.objects] = e[i].handle;
        objects[head.objects++] = (struct batch_object){plain(e[i].offset),
                                                        size_B};
    }
    /* The number of pages is known afterwards. */
    long at = ftell(ctx->file);
    fwrite(&head, sizeof head, 1, ctx->file);
    fwrite(objects, sizeof *objects, head.objects, ctx->file);
    for (unsigned i = 0; i < head.objects; i++)
        head.pages += write_pages(fd, ctx, handles[i], &objects[i]);
    fseek(ctx->file, at, SEEK_SET);
    fwrite(&head, sizeof head, 1, ctx->file);
    fseek(ctx->file, 0, SEEK_END);
    fflush(ctx->file);
    free(objects);
    free(handles);
}

__attribute__((visibility("default"))) ioctl_function ioctl;

int
ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *arg = va_arg(list, void *);
    va_end(list);
    if (request == DRM_IOCTL_I915_GEM_EXECBUFFER2 ||
        request == DRM_IOCTL_I915_GEM_EXECBUFFER2_WR)
        record(fd, arg);
    int ret = next_ioctl(fd, request, arg);
    if (!ret && (request == DRM_IOCTL_I915_GEM_CREATE ||
                 request == DRM_IOCTL_I915_GEM_CREATE_EXT)) {
        const struct drm_i915_gem_create *c = arg;
        sizes_B[c->handle % HANDLES] = c->size;
    }
    return ret;
}
