/* cl_layer_read.c: reads the files of the OpenCL layer. */
#include "cl-layer/cl_layer_file.h"
#include "cli/symbols/symbols.h"

#include "base/base.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint8_t *
read_whole(const char *dir, const char *name, size_t *size_B)
{
    char path[4096];
    struct stat st;
    uint8_t *data = NULL;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "re");
    if (f && !fstat(fileno(f), &st) && S_ISREG(st.st_mode))
        data = malloc((size_t)st.st_size + 1);
    *size_B = data ? fread(data, 1, (size_t)st.st_size, f) : 0;
    if (f)
        fclose(f);
    return data;
}

static char *
copy_text(const uint8_t *p, size_t size_B)
{
    return size_B ? strndup((const char *)p, size_B) : NULL;
}

const char *
symbols_add_layer_program(struct symbols *s, const uint8_t *data, size_t size_B)
{
    struct cl_layer_program head;
    if (size_B < sizeof head)
        return "a cut file of the OpenCL layer";
    memcpy(&head, data, sizeof head);
    size_t left_B = size_B - sizeof head;
    if (memcmp(head.magic, CL_LAYER_MAGIC, sizeof head.magic) ||
        head.source_B > left_B || head.options_B > left_B - head.source_B ||
        head.binary_B != left_B - head.source_B - head.options_B)
        return "a damaged file of the OpenCL layer";
    const uint8_t *at = data + sizeof head;
    char *source = copy_text(at, head.source_B);
    char *options = copy_text(at + head.source_B, head.options_B);
    const char *why = symbols_add_program(
        s, &(struct symbol_program){.data = at + head.source_B + head.options_B,
                                    .size_B = head.binary_B,
                                    .source = source && *source ? source : NULL,
                                    .options = options,
                                    .from = "cl-layer"});
    free(source);
    free(options);
    return why;
}

/* The driver's own kernels, as for copies. Observed: NEO 22.43 has them built
 * for each generation, as programs of patch tokens among its data. */
static const char *
add_driver(struct symbols *s, const uint8_t *path, size_t path_B)
{
    char name[4096];
    size_t size_B;
    snprintf(name, sizeof name, "%.*s", (int)MIN2(path_B, sizeof name), path);
    uint8_t *data = *name == '/' ? read_whole("", name + 1, &size_B) : NULL;
    if (!data)
        return NULL;
    const uint8_t *end = data + size_B, *at = data;
    while ((at = memmem(at, (size_t)(end - at), "CTNI", 4))) {
        /* Not every place is a program. */
        symbols_add_program(
            s, &(struct symbol_program){.data = at,
                                        .size_B = (size_t)(end - at),
                                        .from = "cl-driver"});
        at += 4;
    }
    free(data);
    return NULL;
}

static const char *
add_launch(struct symbols *s, const struct cl_layer_launch *row)
{
    if (row->state != CL_LAYER_READY || !row->count || row->dims < 1 ||
        row->dims > 3)
        return NULL;
    struct symbol_launch new = {.dims = row->dims, .count = row->count};
    memcpy(new.global, row->global, sizeof new.global);
    memcpy(new.local, row->local, sizeof new.local);
    void *more = realloc(s->launches, (s->launch_count + 1) * sizeof new);
    if (more)
        s->launches = more;
    new.kernel = strndup(row->kernel, sizeof row->kernel);
    if (!more || !new.kernel) {
        free(new.kernel);
        return "no memory";
    }
    s->launches[s->launch_count++] = new;
    return NULL;
}

static const char *
read_launches(struct symbols *s, const uint8_t *data, size_t size_B)
{
    const char *why = NULL;
    for (size_t i = 0; i < size_B / sizeof(struct cl_layer_launch) && !why;
         i++) {
        struct cl_layer_launch row;
        memcpy(&row, data + i * sizeof row, sizeof row);
        why = add_launch(s, &row);
    }
    return why;
}

static bool
begins_with(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

static int
is_of_layer(const struct dirent *e)
{
    return begins_with(e->d_name, CL_LAYER_PROGRAM_PREFIX) ||
           begins_with(e->d_name, CL_LAYER_DRIVER_PREFIX) ||
           begins_with(e->d_name, CL_LAYER_LAUNCHES_PREFIX);
}

static const char *
add_file(struct symbols *s, const char *dir, const char *name)
{
    size_t size_B;
    uint8_t *data = read_whole(dir, name, &size_B);
    const char *why = "no memory";
    if (data && begins_with(name, CL_LAYER_PROGRAM_PREFIX))
        why = symbols_add_layer_program(s, data, size_B);
    else if (data && begins_with(name, CL_LAYER_DRIVER_PREFIX))
        why = add_driver(s, data, size_B);
    else if (data)
        why = read_launches(s, data, size_B);
    free(data);
    return why;
}

/* By name, so that the order of names is that of any run; the driver's own
 * kernels last. */
void
symbols_add_layer(struct symbols *s, const char *dir)
{
    struct dirent **list;
    int n = scandir(dir, &list, is_of_layer, alphasort);
    for (int i = 0; i < 2 * n; i++) {
        const char *name = list[i % n]->d_name;
        if (begins_with(name, CL_LAYER_DRIVER_PREFIX) != (i >= n))
            continue;
        const char *why = add_file(s, dir, name);
        if (why) {
            s->damaged++;
            s->why = why;
        }
    }
    for (int i = 0; i < n; i++)
        free(list[i]);
    if (n >= 0)
        free(list);
}
