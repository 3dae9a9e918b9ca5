/* pixels_read.c: the rows of all processes as JSON. */
#include "cli/profile/pixels/pixels.h"
#include "cli/profile/values/values.h"
#include "engine/pixels/pixels_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct draw {
    const struct pixels_file *file;
    struct pixels_row row;
};

struct reader {
    struct pixels_file **files;
    size_t file_count;
    struct draw *draws, *sums;
    size_t draw_count, sum_count;
    pixels_name_fn name;
    void *data;
};

static const char *const value_names[PIXELS_VALUE_COUNT] = {
#define X(id, name) name,
    PIXELS_VALUES(X)
#undef X
};

/* ---- files --------------------------------------------------------------- */

static const struct pixels_file *
map_file(struct reader *r, const char *dir, const char *name)
{
    char path[4096];
    struct stat st;
    void *p = MAP_FAILED;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && !fstat(fd, &st) &&
        st.st_size == (off_t)sizeof(struct pixels_file))
        p = mmap(NULL, sizeof(struct pixels_file), PROT_READ, MAP_PRIVATE, fd,
                 0);
    if (fd >= 0)
        close(fd);
    void *more = p == MAP_FAILED ? NULL
                                 : realloc(r->files, (r->file_count + 1) *
                                                         sizeof *r->files);
    if (!more)
        return NULL;
    r->files = more;
    return r->files[r->file_count++] = p;
}

static bool
add(struct draw **list, size_t *count, const struct pixels_file *file,
    const struct pixels_row *row)
{
    /* Sizes are powers of two. */
    if (!(*count & (*count - 1))) {
        void *more = realloc(*list, (*count ? 2 * *count : 1) * sizeof **list);
        if (!more)
            return false;
        *list = more;
    }
    (*list)[(*count)++] = (struct draw){file, *row};
    return true;
}

/* Adds to the sum of the same kernels, if another process has had them. */
static void
add_sum(struct reader *r, const struct pixels_file *file,
        const struct pixels_row *row)
{
    for (size_t i = 0; i < r->sum_count; i++) {
        struct pixels_row *sum = &r->sums[i].row;
        if (memcmp(sum->kernel, row->kernel, sizeof sum->kernel))
            continue;
        sum->draw += row->draw;
        sum->flags |= row->flags;
        for (unsigned v = 0; v < PIXELS_VALUE_COUNT; v++)
            sum->value[v] += row->value[v];
        return;
    }
    add(&r->sums, &r->sum_count, file, row);
}

static bool
read_files(struct reader *r, const char *dir)
{
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strncmp(e->d_name, "pixels.", 7))
            continue;
        const struct pixels_file *file = map_file(r, dir, e->d_name);
        for (uint32_t i = 0; file && i < file->draws && i < PIXELS_DRAWS; i++)
            add(&r->draws, &r->draw_count, file, &file->draw[i]);
        for (uint32_t i = 0; file && i < PIXELS_SUMS; i++)
            if (file->sum[i].draw)
                add_sum(r, file, &file->sum[i]);
    }
    if (d)
        closedir(d);
    return r->file_count;
}

/* By process, then in the order of execution. */
static int
compare_draws(const void *a, const void *b)
{
    const struct draw *c = a, *d = b;
    if (c->file->pid != d->file->pid)
        return c->file->pid < d->file->pid ? -1 : 1;
    return c->row.draw < d->row.draw ? -1 : c->row.draw > d->row.draw;
}

/* What shades most comes first; then an order that every run has. */
static int
compare_sums(const void *a, const void *b)
{
    const struct pixels_row *r = &((const struct draw *)a)->row;
    const struct pixels_row *s = &((const struct draw *)b)->row;
    const uint64_t x = r->value[PIXELS_RASTERIZED];
    const uint64_t y = s->value[PIXELS_RASTERIZED];
    if (x != y)
        return x < y ? 1 : -1;
    return memcmp(r->kernel, s->kernel, sizeof r->kernel);
}

/* ---- rows ---------------------------------------------------------------- */

static void
set_kernels(const struct reader *r, json_t *o, const struct pixels_row *row)
{
    json_t *kernels = json_array(), *ids = json_array();
    for (unsigned i = 0; i < PIXELS_STAGES; i++) {
        char text[160];
        if (!row->kernel[i])
            continue;
        r->name(r->data, row->kernel[i], i, row->simd[i], text, sizeof text);
        json_array_append_new(kernels, json_string(text));
        snprintf(text, sizeof text, "%016" PRIx64, row->kernel[i]);
        json_array_append_new(ids, json_string(text));
    }
    json_object_set_new(o, "kernels", kernels);
    json_object_set_new(o, "ids", ids);
}

static void
set_ratio(json_t *o, const char *key, uint64_t a, uint64_t b)
{
    if (b)
        json_object_set_new(o, key, json_real((double)a / (double)b));
}

/* Operations draw no pixels, so have no values of them. */
static bool
is_known(const struct pixels_row *row, unsigned value)
{
    const uint32_t operation = PIXELS_FAST_CLEAR | PIXELS_RESOLVE;
    if (value == PIXELS_CULLED)
        return !(row->flags & (operation | PIXELS_OUTLINES));
    return value < PIXELS_RASTERIZED || !(row->flags & operation) ||
           row->value[PIXELS_RASTERIZED];
}

static void
set_values(json_t *o, const struct pixels_row *row)
{
    const uint64_t *v = row->value;
    for (unsigned i = 0; i < PIXELS_VALUE_COUNT; i++)
        if (is_known(row, i))
            json_object_set_new(o, value_names[i], value_json(v[i]));
    set_ratio(o, "quad_occupancy", v[PIXELS_QUAD_PIXELS], 4 * v[PIXELS_QUADS]);
    set_ratio(o, "lanes_per_thread", v[PIXELS_QUAD_PIXELS], v[PIXELS_THREADS]);
    set_ratio(o, "overdraw", v[PIXELS_WRITTEN], v[PIXELS_TARGET_SAMPLES]);
}

static json_t *
draw_json(const struct reader *r, const struct draw *d)
{
    const struct pixels_row *row = &d->row;
    char process[sizeof d->file->process + 1] = "";
    memcpy(process, d->file->process, sizeof d->file->process);
    /* JSON is UTF-8; the name may be anything, and may be cut. */
    for (char *s = process; *s; s++)
        if (*s & 128)
            *s = '?';
    json_t *o = json_pack(
        "{s:o, s:o, s:o, s:i, s:s, s:o, s:o}", "draw", value_json(row->draw),
        "batch", value_json(row->batch), "context", value_json(row->context),
        "pid", (int)d->file->pid, "process", process, "vertex_count",
        value_json(row->vertex_count), "instance_count",
        value_json(row->instance_count));
    set_kernels(r, o, row);
    if (row->width) {
        json_object_set_new(
            o, "target",
            json_pack("[i, i]", (int)row->width, (int)row->height));
        json_object_set_new(o, "samples", json_integer(row->samples));
        json_object_set_new(o, "format", json_string(row->format));
    }
    if (row->flags & PIXELS_FAST_CLEAR)
        json_object_set_new(o, "operation", json_string("fast clear"));
    if (row->flags & PIXELS_RESOLVE)
        json_object_set_new(o, "operation", json_string("resolve"));
    set_values(o, row);
    return o;
}

static json_t *
sum_json(const struct reader *r, const struct pixels_row *row)
{
    json_t *o = json_pack("{s:o}", "draws", value_json(row->draw));
    set_kernels(r, o, row);
    if (row->flags & PIXELS_OTHERS)
        json_object_set_new(o, "operation", json_string("others"));
    set_values(o, row);
    return o;
}

bool
pixels_read(const char *dir, pixels_name_fn name, void *data, json_t **draws,
            json_t **sums)
{
    struct reader r = {.name = name, .data = data};
    bool found = read_files(&r, dir);
    if (found) {
        *draws = json_array();
        *sums = json_array();
    }
    if (r.draw_count)
        qsort(r.draws, r.draw_count, sizeof *r.draws, compare_draws);
    if (r.sum_count)
        qsort(r.sums, r.sum_count, sizeof *r.sums, compare_sums);
    for (size_t i = 0; i < r.draw_count; i++)
        json_array_append_new(*draws, draw_json(&r, &r.draws[i]));
    for (size_t i = 0; i < r.sum_count; i++)
        json_array_append_new(*sums, sum_json(&r, &r.sums[i].row));
    for (size_t i = 0; i < r.file_count; i++)
        munmap(r.files[i], sizeof **r.files);
    free(r.files);
    free(r.draws);
    free(r.sums);
    return found;
}
