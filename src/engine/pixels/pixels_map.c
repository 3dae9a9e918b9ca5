/* pixels_map.c: pictures of how often each pixel of a colour target was
 * written. A target is told by its memory, address, size and format: memory
 * that a driver uses again for another one of the same kind counts on. */
#include "engine/pixels/pixels.h"

#include "base/fork_order.h"
#include "base/known.h"
#include "engine/pixels/pixels_file.h"
#include "engine/state/stage.h"
#include "eu/profile/profile_unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Of a process. */
#define MAPS_MAX 256u
#define MAPS_MAX_B (UINT64_C(512) << 20)

static struct {
    pthread_mutex_t lock;
    struct pixels_map *map[MAPS_MAX];
    /* Of their targets: address spaces may have equal addresses. */
    const uint8_t *mem[MAPS_MAX];
    unsigned count;
    uint64_t size_B;
    bool failed; /* there will be no more pictures */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int
read_switch(void)
{
    const char *dir = getenv("SOFTLAKE_PROFILE");
    const char *maps = getenv("SOFTLAKE_PROFILE_OVERDRAW");
    return dir && *dir && maps && *maps;
}

static bool
is_on(void)
{
    static atomic_int known;
    return known_int(&known, read_switch);
}

/* Of the level that is drawn to. */
static struct pixels_map
describe(const struct surface *s)
{
    struct pixels_map m = {
        .va = s->base_va,
        .width = MAX2(s->width >> s->mip_count_minus1, 1u),
        .height = MAX2(s->height >> s->mip_count_minus1, 1u),
        .layers = s->view_extent_minus1 + 1u,
        .level = s->mip_count_minus1,
        .first_layer = s->min_array,
        .samples = s->samples,
    };
    snprintf(m.format, sizeof m.format, "%s", s->fmt->name);
    return m;
}

static bool
is_same(const struct pixels_map *a, const struct pixels_map *b)
{
    return a->va == b->va && a->width == b->width && a->height == b->height &&
           a->layers == b->layers && a->level == b->level &&
           a->first_layer == b->first_layer && a->samples == b->samples &&
           !strcmp(a->format, b->format);
}

/* Pictures take at most half of what the file system had free: other counts
 * have files with holes there. A size of 0: it has no limit. */
static bool
leaves_half_locked(uint64_t size_B)
{
    struct statvfs fs;
    if (statvfs(getenv("SOFTLAKE_PROFILE"), &fs) || !fs.f_blocks)
        return true;
    uint64_t free_B = (uint64_t)fs.f_bavail * fs.f_frsize + all.size_B;
    return all.size_B + size_B <= free_B / 2;
}

static struct pixels_map *
map_file_locked(const struct pixels_map *m, uint64_t size_B)
{
    char path[4096];
    if (!leaves_half_locked(size_B)) {
        errno = ENOSPC;
        return NULL;
    }
    snprintf(path, sizeof path, PIXELS_MAP_FORMAT, getenv("SOFTLAKE_PROFILE"),
             (unsigned long long)pixels_make_id());
    struct pixels_map *map = pixels_map_file(path, size_B);
    if (!map)
        return NULL;
    *map = *m;
    map->pid = (uint32_t)getpid();
    map->number = all.count;
    return map;
}

static struct pixels_map *
make_map_locked(const struct pixels_map *m, const struct surface *s)
{
    uint64_t size_B = sizeof *m +
                      UINT64_C(2) * m->width * m->height * m->layers;
    bool allowed = all.count < MAPS_MAX && size_B <= MAPS_MAX_B - all.size_B;
    struct pixels_map *map = allowed ? map_file_locked(m, size_B) : NULL;
    if (!map) {
        log_printf("profile: no room for pictures of the overdraw of more "
                   "than %u targets: %s\n",
                   all.count,
                   allowed ? strerror(errno) : "the limit of a process");
        all.failed = true;
        return NULL;
    }
    all.mem[all.count] = s->mem;
    all.map[all.count++] = map;
    all.size_B += size_B;
    return map;
}

uint16_t *
pixels_map_find(const struct surface *s)
{
    struct pixels_map *map = NULL;
    if (!is_on() || s->type == SURFACE_NULL || s->type == SURFACE_BUFFER ||
        s->type == SURFACE_STRBUF || eu_profile_is_outside())
        return NULL;
    struct pixels_map m = describe(s);
    pthread_mutex_lock(&all.lock);
    for (unsigned i = 0; i < all.count && !map; i++)
        if (all.mem[i] == s->mem && is_same(all.map[i], &m))
            map = all.map[i];
    if (!map && !all.failed)
        map = make_map_locked(&m, s);
    pthread_mutex_unlock(&all.lock);
    return map ? map->count : NULL;
}

/* ---- fork() -------------------------------------------------------------- */

/* The parent goes on with its pictures, the child begins with none. */
static void
drop_in_child_locked(void)
{
    all.count = 0;
    all.size_B = 0;
    all.failed = false;
}

FORK_LOCK_DROP(FORK_PIXEL_MAPS, all.lock, drop_in_child_locked)
