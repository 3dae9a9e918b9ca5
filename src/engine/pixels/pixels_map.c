/* pixels_map.c: pictures of how often each pixel of a colour target was
 * written. A target is told by its address, size and format: memory that a
 * driver uses again for another one of the same kind counts on. */
#include "engine/pixels/pixels.h"

#include "base/file_limit.h"
#include "base/fork_order.h"
#include "base/known.h"
#include "engine/pixels/pixels_file.h"
#include "engine/state/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of a process. */
#define MAPS_MAX 256u
#define MAPS_MAX_B (UINT64_C(512) << 20)

static struct {
    pthread_mutex_t lock;
    struct pixels_map *map[MAPS_MAX];
    unsigned count;
    uint64_t size_B;
    bool complained;
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

/* The file has its blocks at once: a full file system is no signal later. */
static struct pixels_map *
map_file_locked(const struct pixels_map *m, uint64_t size_B)
{
    char path[4096];
    snprintf(path, sizeof path, PIXELS_MAP_FORMAT, getenv("SOFTLAKE_PROFILE"),
             (unsigned long long)pixels_make_id());
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    void *p = MAP_FAILED;
    if (fd >= 0 && file_limit_allows(size_B) &&
        !(errno = posix_fallocate(fd, 0, (off_t)size_B)))
        p = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED && fd >= 0)
        unlink(path);
    if (fd >= 0)
        close(fd);
    if (p == MAP_FAILED)
        return NULL;
    struct pixels_map *map = p;
    *map = *m;
    map->pid = (uint32_t)getpid();
    map->number = all.count;
    return map;
}

static struct pixels_map *
make_map_locked(const struct pixels_map *m)
{
    uint64_t size_B = sizeof *m +
                      UINT64_C(2) * m->width * m->height * m->layers;
    struct pixels_map *map = NULL;
    if (all.count < MAPS_MAX && size_B <= MAPS_MAX_B - all.size_B)
        map = map_file_locked(m, size_B);
    if (map) {
        all.map[all.count++] = map;
        all.size_B += size_B;
    } else if (!all.complained) {
        log_printf("profile: no room for pictures of the overdraw of more "
                   "than %u targets\n",
                   all.count);
        all.complained = true;
    }
    return map;
}

uint16_t *
pixels_map_find(const struct surface *s)
{
    struct pixels_map *map = NULL;
    if (!is_on() || s->type == SURFACE_NULL || s->type == SURFACE_BUFFER ||
        s->type == SURFACE_STRBUF)
        return NULL;
    struct pixels_map m = describe(s);
    pthread_mutex_lock(&all.lock);
    for (unsigned i = 0; i < all.count && !map; i++)
        if (is_same(all.map[i], &m))
            map = all.map[i];
    if (!map)
        map = make_map_locked(&m);
    pthread_mutex_unlock(&all.lock);
    return map ? map->count : NULL;
}

/* ---- fork() -------------------------------------------------------------- */

static void
before_fork(void)
{
    pthread_mutex_lock(&all.lock);
}

static void
after_fork(void)
{
    pthread_mutex_unlock(&all.lock);
}

/* The parent goes on with its pictures, the child begins with none. */
static void
in_child(void)
{
    all.count = 0;
    all.size_B = 0;
    pthread_mutex_unlock(&all.lock);
}

__attribute__((constructor)) static void
add_to_fork(void)
{
    static const struct fork_row row = {before_fork, after_fork, in_child};
    fork_order_add(FORK_PIXEL_MAPS, &row);
}
