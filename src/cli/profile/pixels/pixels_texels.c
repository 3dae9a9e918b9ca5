/* pixels_texels.c: which texels sampler messages read, of all processes. */
#include "cli/profile/pixels/pixels.h"
#include "cli/profile/values/values.h"
#include "engine/pixels/pixels_file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

struct rows {
    struct pixels_texels_row *row;
    size_t count;
};

static bool
is_same(const struct pixels_texels_row *a, const struct pixels_texels_row *b)
{
    return !memcmp(a, b, offsetof(struct pixels_texels_row, requests));
}

/* Adds to the row of the same kernel, message, format, filter and level, if
 * another process has had it. */
static void
add_row(struct rows *all, const struct pixels_texels_row *row)
{
    for (size_t i = 0; i < all->count; i++) {
        struct pixels_texels_row *sum = &all->row[i];
        if (!is_same(sum, row))
            continue;
        sum->requests += row->requests;
        sum->lanes += row->lanes;
        sum->texels += row->texels;
        sum->helper_lanes += row->helper_lanes;
        sum->helper_texels += row->helper_texels;
        sum->minified += row->minified;
        return;
    }
    void *more = realloc(all->row, (all->count + 1) * sizeof *all->row);
    if (!more)
        return;
    all->row = more;
    all->row[all->count++] = *row;
}

static bool
read_file(struct rows *all, const char *dir, const char *name)
{
    char path[4096];
    struct pixels_texels_row row;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "re");
    while (f && fread(&row, sizeof row, 1, f) == 1) {
        row.message[sizeof row.message - 1] = 0;
        row.format[sizeof row.format - 1] = 0;
        row.filter[sizeof row.filter - 1] = 0;
        if (row.requests)
            add_row(all, &row);
    }
    if (f)
        fclose(f);
    return f;
}

static int
compare_rows(const void *a, const void *b)
{
    const struct pixels_texels_row *r = a, *s = b;
    const size_t key_B = offsetof(struct pixels_texels_row, requests);
    if (r->texels != s->texels)
        return r->texels < s->texels ? 1 : -1;
    return memcmp(r, s, key_B);
}

static json_t *
row_json(const struct pixels_texels_row *row, pixels_name_fn name, void *data)
{
    char text[160] = "";
    if (row->kernel)
        name(data, row->kernel, row->stage, row->simd, text, sizeof text);
    json_t *o = json_pack("{s:s, s:s, s:s, s:s}", "kernel", text, "message",
                          row->message, "format", row->format, "filter",
                          row->filter);
    json_object_set_new(o, "level", json_integer(row->level));
    json_object_set_new(o, "levels", json_integer(row->levels));
    json_object_set_new(o, "requests", value_json(row->requests));
    json_object_set_new(o, "lanes", value_json(row->lanes));
    json_object_set_new(o, "texels", value_json(row->texels));
    json_object_set_new(o, "helper_lanes", value_json(row->helper_lanes));
    json_object_set_new(o, "helper_texels", value_json(row->helper_texels));
    json_object_set_new(o, "minified", value_json(row->minified));
    return o;
}

json_t *
pixels_read_texels(const char *dir, pixels_name_fn name, void *data)
{
    struct rows all = {NULL, 0};
    bool found = false;
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));)
        if (!strncmp(e->d_name, PIXELS_TEXELS_PREFIX,
                     strlen(PIXELS_TEXELS_PREFIX)))
            found |= read_file(&all, dir, e->d_name);
    if (d)
        closedir(d);
    if (all.count)
        qsort(all.row, all.count, sizeof *all.row, compare_rows);
    json_t *list = found ? json_array() : NULL;
    for (size_t i = 0; i < all.count; i++)
        json_array_append_new(list, row_json(&all.row[i], name, data));
    free(all.row);
    return list;
}

/* ---- text ---------------------------------------------------------------- */

static const char *
text_of(const json_t *row, const char *key)
{
    const char *s = json_string_value(json_object_get(row, key));
    return s && *s ? s : "-";
}

void
pixels_print_texels(FILE *f, const json_t *rows, unsigned top)
{
    size_t count = json_array_size(rows), i;
    fprintf(f, "  %-32s %-11s %-20s %-11s level %11s %11s\n",
            "texels, by kernels", "message", "format", "filter", "requests",
            "texels");
    for (i = 0; i < count && i < top; i++) {
        const json_t *row = json_array_get(rows, i);
        fprintf(f, "  %-32.32s %-11.11s %-20.20s %-11.11s %2.0f/%-2.0f",
                text_of(row, "kernel"), text_of(row, "message"),
                text_of(row, "format"), text_of(row, "filter"),
                pixels_number(row, "level"), pixels_number(row, "levels"));
        fprintf(f, " %11.0f %11.0f\n", pixels_number(row, "requests"),
                pixels_number(row, "texels"));
    }
    if (i < count)
        fprintf(f, "  and %zu more (--top=%zu)\n", count - i, count);
}

void
pixels_put_texels_csv(FILE *f, const json_t *rows)
{
    static const char *const numbers[] = {
        "level",  "levels",       "requests",      "lanes",
        "texels", "helper_lanes", "helper_texels", "minified"};
    const size_t count = sizeof numbers / sizeof *numbers;
    fputs("kernel,message,format,filter", f);
    for (size_t i = 0; i < count; i++)
        fprintf(f, ",%s", numbers[i]);
    fputs("\r\n", f);
    for (size_t r = 0; r < json_array_size(rows); r++) {
        const json_t *row = json_array_get(rows, r);
        value_put_quoted(f, text_of(row, "kernel"));
        fprintf(f, ",%s,%s,%s", text_of(row, "message"), text_of(row, "format"),
                text_of(row, "filter"));
        for (size_t i = 0; i < count; i++)
            pixels_put_field(f, row, numbers[i]);
        fputs("\r\n", f);
    }
}
