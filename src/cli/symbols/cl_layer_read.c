/* cl_layer_read.c: reads the files of the OpenCL layer. */
#include "cl-layer/cl_layer_file.h"
#include "cli/symbols/symbols.h"

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
           begins_with(e->d_name, CL_LAYER_LAUNCHES_PREFIX);
}

/* By name, so that the order of names is that of any run. */
void
symbols_add_layer(struct symbols *s, const char *dir)
{
    struct dirent **list;
    int n = scandir(dir, &list, is_of_layer, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = list[i]->d_name;
        size_t size_B;
        uint8_t *data = read_whole(dir, name, &size_B);
        bool program = begins_with(name, CL_LAYER_PROGRAM_PREFIX);
        const char *why = !data     ? "no memory"
                          : program ? symbols_add_layer_program(s, data, size_B)
                                    : read_launches(s, data, size_B);
        if (why) {
            s->damaged++;
            s->why = why;
        }
        free(data);
        free(list[i]);
    }
    if (n >= 0)
        free(list);
}
