/* pixels_maps.c: how often the pixels of each target were written, as
 * pictures and sums. */
#include "cli/profile/pixels/pixels.h"
#include "cli/profile/pixels/png.h"
#include "engine/pixels/pixels_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct map {
    const struct pixels_map *map;
    size_t size_B;
};

struct pixels_maps {
    struct map *map;
    size_t count;
};

/* ---- files --------------------------------------------------------------- */

static bool
is_whole(const struct pixels_map *m, uint64_t size_B)
{
    return size_B >= sizeof *m && m->width && m->height && m->layers &&
           size_B - sizeof *m >= UINT64_C(2) * m->width * m->height * m->layers;
}

static void
add_file(struct pixels_maps *all, const char *dir, const char *name)
{
    char path[4096];
    struct stat st = {0};
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *p = MAP_FAILED;
    if (fd >= 0 && !fstat(fd, &st) &&
        st.st_size >= (off_t)sizeof(struct pixels_map))
        p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (p == MAP_FAILED)
        return;
    struct map *more = is_whole(p, (uint64_t)st.st_size)
                           ? realloc(all->map, (all->count + 1) * sizeof *more)
                           : NULL;
    if (!more) {
        munmap(p, (size_t)st.st_size);
        return;
    }
    all->map = more;
    all->map[all->count++] = (struct map){p, (size_t)st.st_size};
}

static int
compare_maps(const void *a, const void *b)
{
    const struct pixels_map *m = ((const struct map *)a)->map;
    const struct pixels_map *n = ((const struct map *)b)->map;
    if (m->pid != n->pid)
        return m->pid < n->pid ? -1 : 1;
    return m->number < n->number ? -1 : m->number > n->number;
}

struct pixels_maps *
pixels_read_maps(const char *dir)
{
    struct pixels_maps *all = calloc(1, sizeof *all);
    DIR *d = all ? opendir(dir) : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        if (!strncmp(e->d_name, PIXELS_MAP_PREFIX, strlen(PIXELS_MAP_PREFIX)))
            add_file(all, dir, e->d_name);
    if (d)
        closedir(d);
    if (all && all->count)
        qsort(all->map, all->count, sizeof *all->map, compare_maps);
    return all;
}

void
pixels_free_maps(struct pixels_maps *all)
{
    for (size_t i = 0; all && i < all->count; i++)
        munmap((void *)all->map[i].map, all->map[i].size_B);
    free(all ? all->map : NULL);
    free(all);
}

/* ---- sums ---------------------------------------------------------------- */

static size_t
pixels_of(const struct pixels_map *m)
{
    return (size_t)m->width * m->height;
}

static uint16_t
most_of(const uint16_t *count, size_t pixels)
{
    uint16_t most = 0;
    for (size_t i = 0; i < pixels; i++)
        most = count[i] > most ? count[i] : most;
    return most;
}

/* Without its ending. */
static void
name_picture(char text[160], const struct pixels_map *m, size_t number,
             uint32_t layer)
{
    int n = snprintf(text, 160, "target-%zu-%ux%u-%.40s", number, m->width,
                     m->height, m->format);
    if (m->layers > 1)
        snprintf(text + n, 160 - (size_t)n, "-layer-%u", layer);
}

static json_t *
map_json(const struct pixels_map *m, size_t number)
{
    size_t pixels = pixels_of(m) * m->layers;
    char name[160];
    uint64_t sum = 0;
    for (size_t i = 0; i < pixels; i++)
        sum += m->count[i];
    name_picture(name, m, number, 0);
    return json_pack(
        "{s:I, s:i, s:[i, i], s:i, s:i, s:i, s:s, s:I, s:i, s:f, s:s}",
        "target", (json_int_t)number, "pid", (int)m->pid, "size", (int)m->width,
        (int)m->height, "layers", (int)m->layers, "level", (int)m->level,
        "samples", (int)m->samples, "format", m->format, "pixels_written",
        (json_int_t)sum, "most", most_of(m->count, pixels), "overdraw",
        (double)sum / (double)pixels, "picture", name);
}

json_t *
pixels_maps_json(const struct pixels_maps *all)
{
    json_t *list = json_array();
    for (size_t i = 0; i < all->count; i++)
        json_array_append_new(list, map_json(all->map[i].map, i + 1));
    return list;
}

/* ---- pictures ------------------------------------------------------------ */

/* From never to the most: black, blue, cyan, green, yellow, red, white. */
static void
put_color(uint8_t to[3], double part)
{
    static const uint8_t ramp[][3] = {
        {0, 0, 0},     {0, 0, 160},   {0, 160, 200},  {0, 180, 0},
        {250, 230, 0}, {230, 40, 20}, {255, 255, 255}};
    const double last = sizeof ramp / sizeof *ramp - 1;
    double at = part * last;
    unsigned i = (unsigned)fmin(at, last - 1);
    for (unsigned c = 0; c < 3; c++)
        to[c] = (uint8_t)lrint(ramp[i][c] +
                               (at - i) * (ramp[i + 1][c] - ramp[i][c]));
}

static void
color_layer(uint8_t *pixels, const struct pixels_map *m, uint32_t layer,
            uint16_t most)
{
    const uint16_t *count = m->count + pixels_of(m) * layer;
    for (size_t i = 0; i < pixels_of(m); i++)
        put_color(&pixels[3 * i],
                  log2(1.0 + count[i]) / log2(1.0 + (most < 7 ? 7 : most)));
}

/* Adds the layer's picture unless it is empty. */
static void
add_picture(json_t *list, const struct pixels_map *m, size_t number,
            uint32_t layer)
{
    const uint16_t most = most_of(m->count + pixels_of(m) * layer,
                                  pixels_of(m));
    uint8_t *pixels = most ? malloc(pixels_of(m) * 3) : NULL;
    char name[160], *text = NULL;
    name_picture(name, m, number, layer);
    if (pixels) {
        color_layer(pixels, m, layer, most);
        text = png_base64(PNG_RGB, m->width, m->height, pixels);
    }
    if (text)
        json_array_append_new(list,
                              json_pack("{s:s, s:i, s:s}", "picture", name,
                                        "most", (int)most, "png", text));
    free(pixels);
    free(text);
}

json_t *
pixels_pictures(const struct pixels_maps *all, size_t limit_B)
{
    json_t *list = json_array();
    size_t size_B = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct pixels_map *m = all->map[i].map;
        for (uint32_t l = 0; l < m->layers && size_B < limit_B; l++) {
            size_t last = json_array_size(list);
            add_picture(list, m, i + 1, l);
            size_B += json_string_length(
                json_object_get(json_array_get(list, last), "png"));
            if (size_B > limit_B)
                json_array_remove(list, last);
        }
    }
    return list;
}

static const char *
write_layer(const struct pixels_map *m, size_t number, uint32_t layer,
            const char *dir)
{
    const uint16_t *count = m->count + pixels_of(m) * layer;
    const uint16_t most = most_of(count, pixels_of(m));
    uint8_t *pixels = malloc(pixels_of(m) * 3);
    char name[160], path[4096];
    if (!pixels || !most) {
        free(pixels);
        return most ? "no memory" : NULL;
    }
    name_picture(name, m, number, layer);
    color_layer(pixels, m, layer, most);
    snprintf(path, sizeof path, "%s/%s.png", dir, name);
    const char *why = png_write(path, PNG_RGB, m->width, m->height, pixels);
    for (size_t i = 0; i < pixels_of(m); i++) {
        pixels[2 * i] = (uint8_t)(count[i] >> 8);
        pixels[2 * i + 1] = (uint8_t)count[i];
    }
    snprintf(path, sizeof path, "%s/%s-counts.png", dir, name);
    if (!why)
        why = png_write(path, PNG_GREY16, m->width, m->height, pixels);
    free(pixels);
    return why;
}

const char *
pixels_write_maps(const struct pixels_maps *all, const char *dir)
{
    const char *why = NULL;
    if (mkdir(dir, 0777) && errno != EEXIST)
        return strerror(errno);
    for (size_t i = 0; i < all->count; i++)
        for (uint32_t l = 0; l < all->map[i].map->layers && !why; l++)
            why = write_layer(all->map[i].map, i + 1, l, dir);
    return why;
}
