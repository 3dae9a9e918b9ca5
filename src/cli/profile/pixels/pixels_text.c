/* pixels_text.c: rows as text: the summary's table and draws.csv. */
#include "cli/profile/pixels/pixels.h"
#include "cli/profile/values/values.h"
#include "engine/pixels/pixels_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double
pixels_number(const json_t *row, const char *key)
{
    const json_t *v = json_object_get(row, key);
    double n = json_is_string(v)   ? strtod(json_string_value(v), NULL)
               : json_is_number(v) ? json_number_value(v)
                                   : -1;
    return isfinite(n) ? n : -1;
}

double
pixels_total(const json_t *rows, const char *key)
{
    double sum = -1;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        double n = pixels_number(json_array_get(rows, i), key);
        if (n >= 0)
            sum = sum < 0 ? n : sum + n;
    }
    return sum;
}

const char *
pixels_last_kernel(const json_t *row)
{
    const json_t *kernels = json_object_get(row, "kernels");
    size_t count = json_array_size(kernels);
    const char *name = count ? json_string_value(
                                   json_array_get(kernels, count - 1))
                             : NULL;
    return name ? name : "-";
}

/* ---- the summary --------------------------------------------------------- */

/* A count in at most six characters. */
static void
put_count(FILE *f, double n)
{
    static const char units[] = " kMGTPE";
    unsigned u = 0;
    for (; n >= 999.95 && u < sizeof units - 2; n /= 1000)
        u++;
    if (n < 0)
        fprintf(f, " %7s", "-");
    else if (u)
        fprintf(f, " %6.1f%c", n, units[u]);
    else
        fprintf(f, " %7.0f", n);
}

static void
put_real(FILE *f, int width, const char *format, double n)
{
    char text[32] = "-";
    if (n >= 0)
        snprintf(text, sizeof text, format, n);
    fprintf(f, " %*s", width, text);
}

static const struct {
    const char *key, *head;
} columns[] = {
    {"draws", "draws"},
    {"vertices", "verts"},
    {"primitives", "prims"},
    {"rejected", "outside"},
    {"clipped", "clipped"},
    {"culled", "culled"},
    {"pixels", "pixels"},
    {"failed_early", "early"},
    {"killed", "killed"},
    {"failed_late", "late"},
    {"samples_written", "written"},
    {"samples_blended", "blended"},
    {"quads", "quads"},
};
#define COLUMNS (sizeof columns / sizeof *columns)
#define NAME_CHARS 32

static void
print_row(FILE *f, const json_t *row)
{
    double quads = pixels_number(row, "quad_occupancy");
    fprintf(f, "  %-*.*s", NAME_CHARS, NAME_CHARS, pixels_last_kernel(row));
    for (size_t i = 0; i < COLUMNS; i++)
        put_count(f, pixels_number(row, columns[i].key));
    put_real(f, 5, "%.0f%%", quads < 0 ? -1 : 100 * quads);
    put_real(f, 6, "%.1f", pixels_number(row, "lanes_per_thread"));
    put_real(f, 8, "%.2f", pixels_number(row, "overdraw"));
    putc('\n', f);
}

void
pixels_print(FILE *f, const json_t *sums, unsigned top)
{
    size_t count = json_array_size(sums), i = 0;
    if (!count) {
        fputs("  no draw was executed\n", f);
        return;
    }
    fprintf(f, "  %-*s", NAME_CHARS, "draws, by kernels");
    for (; i < COLUMNS; i++)
        fprintf(f, " %7s", columns[i].head);
    fputs("  lit/4 lanes overdraw\n", f);
    for (i = 0; i < count && i < top; i++)
        print_row(f, json_array_get(sums, i));
    if (i < count)
        fprintf(f, "  and %zu more (--top=%zu)\n", count - i, count);
}

void
pixels_print_targets(FILE *f, const json_t *targets, unsigned top)
{
    size_t count = json_array_size(targets), i;
    fprintf(f, "  %-*s %7s %7s overdraw\n", NAME_CHARS, "targets", "written",
            "most");
    for (i = 0; i < count && i < top; i++) {
        const json_t *row = json_array_get(targets, i);
        const char *name = json_string_value(json_object_get(row, "picture"));
        fprintf(f, "  %-*.*s", NAME_CHARS, NAME_CHARS, name ? name : "-");
        put_count(f, pixels_number(row, "pixels_written"));
        put_count(f, pixels_number(row, "most"));
        put_real(f, 8, "%.2f", pixels_number(row, "overdraw"));
        putc('\n', f);
    }
    if (i < count)
        fprintf(f, "  and %zu more (--top=%zu)\n", count - i, count);
}

/* ---- draws.csv (RFC 4180) ------------------------------------------------ */

void
pixels_put_field(FILE *f, const json_t *row, const char *key)
{
    const json_t *v = json_object_get(row, key);
    if (json_is_integer(v))
        fprintf(f, ",%" JSON_INTEGER_FORMAT, json_integer_value(v));
    else if (json_is_real(v))
        fprintf(f, ",%.6g", json_real_value(v));
    else
        fprintf(f, ",%s", json_is_string(v) ? json_string_value(v) : "-");
}

/* Names joined by a blank, in quotes: they may have commas. */
static void
put_kernels(FILE *f, const json_t *row)
{
    const json_t *kernels = json_object_get(row, "kernels");
    fputs(",\"", f);
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const char *s = json_string_value(json_array_get(kernels, i));
        fputs(i ? " " : "", f);
        value_put_escaped(f, s ? s : "");
    }
    putc('"', f);
}

static void
put_target(FILE *f, const json_t *row)
{
    const json_t *size = json_object_get(row, "target");
    for (unsigned i = 0; i < 2; i++) {
        if (size)
            fprintf(f, ",%" JSON_INTEGER_FORMAT,
                    json_integer_value(json_array_get(size, i)));
        else
            fputs(",-", f);
    }
}

void
pixels_put_csv(FILE *f, const json_t *draws)
{
    static const char *const before[] = {"batch", "context", "vertex_count",
                                         "instance_count"};
    static const char *const after[] = {"samples",
                                        "format",
                                        "operation",
#define X(id, name) name,
                                        PIXELS_VALUES(X)
#undef X
                                            "quad_occupancy",
                                        "lanes_per_thread",
                                        "overdraw"};
    const size_t befores = sizeof before / sizeof *before;
    const size_t afters = sizeof after / sizeof *after;
    fputs("pid,draw", f);
    for (size_t i = 0; i < befores; i++)
        fprintf(f, ",%s", before[i]);
    fputs(",kernels,width,height", f);
    for (size_t i = 0; i < afters; i++)
        fprintf(f, ",%s", after[i]);
    fputs("\r\n", f);
    for (size_t d = 0; d < json_array_size(draws); d++) {
        const json_t *row = json_array_get(draws, d);
        fprintf(f, "%.0f", pixels_number(row, "pid"));
        pixels_put_field(f, row, "draw");
        for (size_t i = 0; i < befores; i++)
            pixels_put_field(f, row, before[i]);
        put_kernels(f, row);
        put_target(f, row);
        for (size_t i = 0; i < afters; i++)
            pixels_put_field(f, row, after[i]);
        fputs("\r\n", f);
    }
}
