/* bo_maps.c: reads /proc/self/maps. */
#include "drm-shim/gem/bo_maps.h"

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
add_map(struct bo_maps *maps, const struct bo_map_entry *map)
{
    if (maps->count == maps->capacity) {
        unsigned more = maps->capacity * 2 + 64;
        struct bo_map_entry *p = realloc(maps->map, more * sizeof *p);
        if (!p)
            return false;
        maps->map = p;
        maps->capacity = more;
    }
    maps->map[maps->count++] = *map;
    return true;
}

/* Converts permissions as /proc/self/maps writes them, "rw-s". */
static int
prot_of(const char *access)
{
    return (access[0] == 'r' ? PROT_READ : 0) |
           (access[1] == 'w' ? PROT_WRITE : 0) |
           (access[2] == 'x' ? PROT_EXEC : 0);
}

bool
bo_maps_read(struct bo_maps *maps, ino_t ino)
{
    char *text = read_maps(), *line = text;
    bool ok = text != NULL;
    *maps = (struct bo_maps){0};
    /* Looks for the names of objects' files first: of most lines no number is
     * of interest. */
    while (ok && (line = strstr(line, "/memfd:softlake-bo"))) {
        char *start = line;
        while (start > text && start[-1] != '\n')
            start--;
        unsigned long begin, end;
        unsigned long long offset_B, inode;
        char access[5];
        if (sscanf(start, "%lx-%lx %4s %llx %*s %llu", &begin, &end, access,
                   &offset_B, &inode) == 5 &&
            inode == ino)
            ok = add_map(maps, &(struct bo_map_entry){begin, end, offset_B,
                                                      prot_of(access)});
        line++;
    }
    free(text);
    if (!ok)
        bo_maps_free(maps);
    return ok;
}

bool
bo_maps_has(const struct bo_maps *maps, const void *at, uint64_t offset_B)
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
    const struct bo_map_entry *m = &maps->map[lo];
    return lo < maps->count && m->begin <= address &&
           m->offset_B + (address - m->begin) == offset_B;
}

void
bo_maps_free(struct bo_maps *maps)
{
    free(maps->map);
    *maps = (struct bo_maps){0};
}
