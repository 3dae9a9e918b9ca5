/* report_draws.c: the section of draws: sums by kernels, then the draws that
 * cover most pixels. */
#include "cli/profile/report/report.h"

#include <stdlib.h>
#include <string.h>

#define DRAWS_SHOWN 200

static const struct {
    const char *key, *head, *what;
} columns[] = {
    {"vertices", "vertices", "fetched, repeated ones included"},
    {"primitives", "primitives", "assembled"},
    {"rejected", "outside", "primitives outside of the view volume"},
    {"clipped", "clipped", "primitives cut at the view volume"},
    {"culled", "culled", "primitives of the wrong facing, or without a pixel"},
    {"pixels", "pixels", "covered, before tests"},
    {"failed_early", "early fails", "pixels that fail tests before the shader"},
    {"killed", "killed", "pixels that the shader drops"},
    {"failed_late", "late fails", "pixels that fail tests after the shader"},
    {"samples_written", "written", "samples, of all colour targets"},
    {"samples_blended", "blended", "of the samples written"},
    {"quads", "quads", "2x2 pixels that were shaded"},
};
#define COLUMNS (sizeof columns / sizeof *columns)

static void
put_heads(FILE *f, const char *const *first, size_t count)
{
    fputs("<div class=\"wide\"><table><thead><tr>", f);
    for (size_t i = 0; i < count; i++)
        fprintf(f, "<th%s>%s</th>", i ? " class=\"n\"" : "", first[i]);
    for (size_t i = 0; i < COLUMNS; i++)
        fprintf(f, "<th class=\"n\" title=\"%s\">%s</th>", columns[i].what,
                columns[i].head);
    fputs("<th class=\"n\" title=\"pixels by the lanes of quads\">lit/4</th>"
          "<th class=\"n\" title=\"pixels per thread\">lanes</th>"
          "<th class=\"n\" title=\"samples written by samples of the "
          "targets\">overdraw</th></tr></thead><tbody>\n",
          f);
}

static void
put_real(FILE *f, const json_t *row, const char *key, const char *format)
{
    double n;
    char text[32] = "-";
    if (report_number(row, key, &n))
        snprintf(text, sizeof text, format, n);
    fprintf(f, "<td class=\"n\">%s</td>", text);
}

static void
put_values(FILE *f, const json_t *row)
{
    double part = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        report_put_number(f, row, columns[i].key);
    bool known = report_number(row, "quad_occupancy", &part);
    report_put_share(f, known, part);
    put_real(f, row, "lanes_per_thread", "%.1f");
    put_real(f, row, "overdraw", "%.2f");
    fputs("</tr>\n", f);
}

static void
put_kernels(FILE *f, const json_t *row)
{
    json_t *name;
    size_t i;
    const char *operation = json_string_value(
        json_object_get(row, "operation"));
    fputs("<tr><td class=\"name\">", f);
    json_array_foreach(json_object_get(row, "kernels"), i, name)
    {
        fputs(i ? " " : "", f);
        report_put_text(f,
                        json_string_value(name) ? json_string_value(name) : "");
    }
    fprintf(f, "%s%s</td>", i ? " " : "", operation ? operation : "");
}

static void
put_target(FILE *f, const json_t *row)
{
    const json_t *size = json_object_get(row, "target");
    double samples = 1;
    if (!size) {
        fputs("<td class=\"n\">-</td>", f);
        return;
    }
    report_number(row, "samples", &samples);
    fprintf(f, "<td class=\"n\">%.0f&#215;%.0f",
            json_number_value(json_array_get(size, 0)),
            json_number_value(json_array_get(size, 1)));
    if (samples > 1)
        fprintf(f, "&#215;%.0f", samples);
    fputs("</td>", f);
}

static int
compare_pixels(const void *a, const void *b)
{
    double n[2] = {-1, -1};
    report_number(*(const json_t *const *)a, "pixels", &n[0]);
    report_number(*(const json_t *const *)b, "pixels", &n[1]);
    return n[0] < n[1] ? 1 : n[0] > n[1] ? -1 : 0;
}

static void
put_largest(FILE *f, const json_t *draws)
{
    static const char *const heads[] = {"kernels", "batch", "draw", "target"};
    size_t count = json_array_size(draws);
    const json_t **list = malloc((count + 1) * sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        list[i] = json_array_get(draws, i);
    if (list && count)
        qsort(list, count, sizeof *list, compare_pixels);
    put_heads(f, heads, 4);
    for (size_t i = 0; list && i < count && i < DRAWS_SHOWN; i++) {
        put_kernels(f, list[i]);
        report_put_number(f, list[i], "batch");
        report_put_number(f, list[i], "draw");
        put_target(f, list[i]);
        put_values(f, list[i]);
    }
    fputs("</tbody></table></div>\n", f);
    free(list);
}

#define BASE64_LINE 76u

/* In lines, none of which looks like an address. */
static void
put_base64(FILE *f, const char *text)
{
    for (unsigned n = 0; *text; text++, n++) {
        putc(*text, f);
        if (n % BASE64_LINE == BASE64_LINE - 1 || !strncmp(text, "http", 4))
            putc('\n', f);
    }
}

static void
put_pictures(FILE *f, const json_t *pictures)
{
    json_t *picture;
    size_t i;
    if (!json_array_size(pictures))
        return;
    fputs("<h3>Overdraw</h3>\n<p class=\"faint\">How often each pixel was "
          "written: black never, then blue, cyan, green, yellow, red; white "
          "most often. Pictures that find no room here are written by "
          "--overdraw=DIR.</p>\n<div class=\"pictures\">\n",
          f);
    json_array_foreach(pictures, i, picture)
    {
        fputs("<figure><img alt=\"overdraw\" src=\"data:image/png;base64,", f);
        put_base64(f, json_string_value(json_object_get(picture, "png")));
        fputs("\"/><figcaption>", f);
        report_put_text(f,
                        json_string_value(json_object_get(picture, "picture")));
        fprintf(f, ", at most %" JSON_INTEGER_FORMAT "</figcaption></figure>\n",
                json_integer_value(json_object_get(picture, "most")));
    }
    fputs("</div>\n", f);
}

void
report_put_draws(FILE *f, const json_t *profile, const json_t *pictures)
{
    static const char *const heads[] = {"kernels", "draws"};
    const json_t *sums = json_object_get(profile, "draw_sums");
    json_t *row;
    size_t i;
    if (!sums)
        return;
    fputs("<section id=\"draws\">\n<h2>Draws</h2>\n<h3>By kernels</h3>\n", f);
    put_heads(f, heads, 2);
    json_array_foreach(sums, i, row)
    {
        put_kernels(f, row);
        report_put_number(f, row, "draws");
        put_values(f, row);
    }
    fprintf(f,
            "</tbody></table></div>\n<h3>Draws of most pixels</h3>\n"
            "<p class=\"faint\">At most %d, of the first 4096 draws of each "
            "process; the sums above have all.</p>\n",
            DRAWS_SHOWN);
    put_largest(f, json_object_get(profile, "draws"));
    put_pictures(f, pictures);
    fputs("</section>\n", f);
}
