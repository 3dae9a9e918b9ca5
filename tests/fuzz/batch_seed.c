/* batch_seed.c: see batch_seed.h. */
#include "batch_seed.h"

#include <dirent.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILE_MAX_B ((size_t)8 << 20)
#define OBJECTS_MAX 256u
#define COMMANDS_B 0x10000u /* of a batch, from its begin */

/* ------------------------------------------------------------------------
 * Reading a file */

struct reader {
    const uint8_t *at, *end;
};

static const void *
read_bytes(struct reader *r, size_t size_B)
{
    if (size_B > (size_t)(r->end - r->at))
        return NULL;
    r->at += size_B;
    return r->at - size_B;
}

/* Numbers are not aligned in the file. */
static bool
read_copy(struct reader *r, void *to, size_t size_B)
{
    const void *from = read_bytes(r, size_B);
    if (from)
        memcpy(to, from, size_B);
    return from;
}

static uint8_t *
read_file(const char *path, size_t *size_B)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = f ? malloc(FILE_MAX_B) : NULL;
    *size_B = data ? fread(data, 1, FILE_MAX_B, f) : 0;
    if (f)
        fclose(f);
    uint8_t *small = data ? realloc(data, *size_B + 1) : NULL;
    return small ? small : data;
}

/* The place of an object in the file; adds it if it is new. False: too many, or
 * it meets another one. */
static bool
place_object(struct seed *seed, const struct batch_object *o)
{
    uint64_t size_B = (o->size_B + BATCH_PAGE_B - 1) & ~(BATCH_PAGE_B - 1ull);
    for (unsigned i = 0; i < seed->object_count; i++) {
        const struct batch_object *p = &seed->objects[i];
        if (p->va == o->va && p->size_B == size_B)
            return true;
        if (o->va < p->va + p->size_B && p->va < o->va + size_B)
            return false;
    }
    if (seed->object_count == OBJECTS_MAX || !size_B ||
        size_B > (uint64_t)64 << 20)
        return false;
    seed->objects[seed->object_count] = (struct batch_object){o->va, size_B};
    seed->object_at_B[seed->object_count++] = seed->mem_B;
    seed->mem_B += size_B;
    return true;
}

/* Where GPU memory is in the file, or UINT64_MAX. */
static uint64_t
find_memory(const struct seed *seed, uint64_t va)
{
    for (unsigned i = 0; i < seed->object_count; i++)
        if (va - seed->objects[i].va < seed->objects[i].size_B)
            return seed->object_at_B[i] + (va - seed->objects[i].va);
    return UINT64_MAX;
}

static bool
skip_page(struct reader *r)
{
    struct batch_run run;
    unsigned dw = 0;
    do {
        if (!read_copy(r, &run, sizeof run) ||
            !read_bytes(r, run.count_dw * 4u))
            return false;
        if (run.count_dw)
            dw += run.skip_dw + run.count_dw;
    } while (run.count_dw);
    return dw <= BATCH_PAGE_DW;
}

static void
list_dwords(struct seed_submit *s, uint64_t batch_at_B, bool commands)
{
    for (unsigned i = 0; i < s->page_count; i++) {
        const struct seed_page *page = &s->pages[i];
        const uint8_t *p = page->encoded;
        struct batch_run run;
        if ((page->at_B - (batch_at_B & ~(BATCH_PAGE_B - 1ull)) < COMMANDS_B) !=
            commands)
            continue;
        for (unsigned dw = 0;;) {
            memcpy(&run, p, sizeof run);
            p += sizeof run + run.count_dw * 4u;
            if (!run.count_dw)
                break;
            dw += run.skip_dw;
            for (unsigned k = 0; k < run.count_dw; k++)
                s->dwords[s->dword_count++] = (uint32_t)(page->at_B / 4 + dw +
                                                         k);
            dw += run.count_dw;
        }
    }
    if (commands)
        s->command_count = s->dword_count;
}

static bool
read_submit(struct seed *seed, struct reader *r)
{
    static const enum engine_ring rings[] = {ENGINE_RCS, ENGINE_RCS, ENGINE_VCS,
                                             ENGINE_BCS, ENGINE_VECS};
    struct seed_submit *s = &seed->submits[seed->submit_count];
    struct batch_head head;
    struct batch_object object;
    if (!read_copy(r, &head, sizeof head) || head.pages > 65536)
        return false;
    for (unsigned i = 0; i < head.objects; i++)
        if (!read_copy(r, &object, sizeof object) ||
            !place_object(seed, &object))
            return false;
    s->batch_va = head.batch_va;
    s->ring = rings[MIN2(head.ring, ARRAY_SIZE(rings) - 1)];
    s->pages = calloc(head.pages + 1, sizeof *s->pages);
    s->dwords = malloc((size_t)(r->end - r->at) + 4);
    if (!s->pages || !s->dwords)
        return false;
    for (unsigned i = 0; i < head.pages; i++) {
        uint64_t va;
        if (!read_copy(r, &va, sizeof va))
            return false;
        struct seed_page page = {find_memory(seed, va), r->at};
        if (!skip_page(r))
            return false;
        if (page.at_B != UINT64_MAX)
            s->pages[s->page_count++] = page;
    }
    uint64_t batch_at_B = find_memory(seed, head.batch_va);
    list_dwords(s, batch_at_B, true);
    list_dwords(s, batch_at_B, false);
    seed->submit_count++;
    return true;
}

static bool
load_seed(struct seed *seed, const char *path)
{
    seed->memfd = -1;
    seed->data = read_file(path, &seed->data_B);
    seed->objects = calloc(OBJECTS_MAX, sizeof *seed->objects);
    seed->object_at_B = calloc(OBJECTS_MAX, sizeof *seed->object_at_B);
    seed->name = strdup(path);
    struct reader r = {seed->data, seed->data + seed->data_B};
    uint64_t magic;
    if (!read_copy(&r, &magic, sizeof magic) || magic != BATCH_MAGIC ||
        !seed->objects || !seed->object_at_B || !seed->name)
        return false;
    while (seed->submit_count < SEED_SUBMITS && read_submit(seed, &r))
        continue;
    return seed->submit_count && seed->submits[0].dword_count;
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const struct seed *)a)->name,
                  ((const struct seed *)b)->name);
}

struct seed *
seed_load_all(const char *folder, unsigned *count)
{
    DIR *dir = opendir(folder);
    struct seed *seeds = NULL;
    *count = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[4096];
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        struct seed *p = realloc(seeds, (*count + 1) * sizeof *p);
        if (!p)
            break;
        seeds = p;
        memset(&seeds[*count], 0, sizeof *seeds);
        if (load_seed(&seeds[*count], path))
            ++*count;
    }
    if (dir)
        closedir(dir);
    if (*count)
        qsort(seeds, *count, sizeof *seeds, by_name);
    return seeds;
}

/* ------------------------------------------------------------------------
 * Memory */

bool
seed_prepare(struct seed *seed, struct engine *engine)
{
    if (seed->vm)
        return true;
    seed->memfd = memfd_create("seed", MFD_CLOEXEC);
    if (seed->memfd < 0 || ftruncate(seed->memfd, (off_t)seed->mem_B))
        return false;
    seed->mem = mmap(NULL, seed->mem_B, PROT_READ | PROT_WRITE, MAP_SHARED,
                     seed->memfd, 0);
    seed->vm = engine_vm_create(engine);
    if (seed->mem == MAP_FAILED || !seed->vm)
        return false;
    for (unsigned i = 0; i < seed->object_count; i++)
        if (engine_vm_map(seed->vm, seed->objects[i].va,
                          seed->objects[i].size_B, seed->memfd,
                          seed->object_at_B[i]))
            return false;
    return true;
}

void
seed_clear(struct seed *seed)
{
    fallocate(seed->memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
              (off_t)seed->mem_B);
}

void
seed_write_pages(const struct seed *seed, unsigned i, bool cleared)
{
    const struct seed_submit *s = &seed->submits[i];
    for (unsigned n = 0; n < s->page_count; n++) {
        const uint8_t *p = s->pages[n].encoded;
        uint8_t *to = seed->mem + s->pages[n].at_B;
        struct batch_run run;
        if (!cleared)
            memset(to, 0, BATCH_PAGE_B);
        for (unsigned dw = 0;; dw += run.count_dw) {
            memcpy(&run, p, sizeof run);
            p += sizeof run;
            if (!run.count_dw)
                break;
            dw += run.skip_dw;
            memcpy(to + (size_t)dw * 4, p, run.count_dw * 4u);
            p += run.count_dw * 4u;
        }
    }
}
