/* slab_maps.c: reads /proc/self/maps. */
#include "drm-shim/gem/slab_maps.h"

#include "drm-shim/core/core.h"

#include <stdio.h>
#include <stdlib.h>

#define CHUNK_B 65536u

/* The whole file, ending in 0; NULL: no memory or no /proc. The caller frees
 * it. */
static char *
read_maps(void)
{
    int fd = syscall_openat(AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC,
                            0);
    size_t size_B = 0, used_B = 0;
    char *text = NULL;
    ssize_t n = fd < 0 ? -1 : 1;
    while (n > 0) {
        if (size_B - used_B < CHUNK_B) {
            size_B = size_B * 2 + 2 * CHUNK_B;
            char *more = realloc(text, size_B);
            if (!more)
                break;
            text = more;
        }
        n = read(fd, text + used_B, size_B - used_B - 1);
        used_B += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        syscall(SYS_close, fd);
    if (n) {
        free(text);
        return NULL;
    }
    text[used_B] = 0;
    return text;
}

static bool
add_map(struct slab_maps *maps, const struct slab_map *map)
{
    if (maps->count == maps->capacity) {
        unsigned more = maps->capacity * 2 + 64;
        struct slab_map *p = realloc(maps->map, more * sizeof *p);
        if (!p)
            return false;
        maps->map = p;
        maps->capacity = more;
    }
    maps->map[maps->count++] = *map;
    return true;
}

bool
slab_maps_read(struct slab_maps *maps, ino_t ino)
{
    char *text = read_maps(), *line = text;
    bool ok = text != NULL;
    *maps = (struct slab_maps){0};
    /* Looks for the name first: of most lines no number is of interest. */
    while (ok && (line = strstr(line, "/memfd:softlake-bos"))) {
        char *start = line;
        while (start > text && start[-1] != '\n')
            start--;
        unsigned long begin, end;
        unsigned long long offset_B, inode;
        if (sscanf(start, "%lx-%lx %*s %llx %*s %llu", &begin, &end, &offset_B,
                   &inode) == 4 &&
            inode == ino)
            ok = add_map(maps, &(struct slab_map){begin, end, offset_B});
        line++;
    }
    free(text);
    if (!ok)
        slab_maps_free(maps);
    return ok;
}

bool
slab_maps_has(const struct slab_maps *maps, const void *at, uint64_t offset_B)
{
    uintptr_t address = (uintptr_t)at;
    unsigned lo = 0, hi = maps->count;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (maps->map[mid].end <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    const struct slab_map *m = &maps->map[lo];
    return lo < maps->count && m->begin <= address &&
           m->offset_B + (address - m->begin) == offset_B;
}

void
slab_maps_free(struct slab_maps *maps)
{
    free(maps->map);
    *maps = (struct slab_maps){0};
}
