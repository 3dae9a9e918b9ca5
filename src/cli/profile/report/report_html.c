/* report_html.c: overview, limiters and the table of kernels. */
#include "cli/profile/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts and numbers --------------------------------------------------- */

/* No text of the client is markup, or looks like an address. */
void
report_put_text(FILE *f, const char *text)
{
    for (; *text; text++) {
        if (*text == '&' || *text == '<' || *text == '>' || *text == '"' ||
            !strncmp(text, "http", 4))
            fprintf(f, "&#%d;", *text);
        else
            putc(*text, f);
    }
}

static const char *
text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text && *text ? text : "-";
}

bool
report_number(const json_t *object, const char *key, double *n)
{
    const json_t *v = json_object_get(object, key);
    if (json_is_string(v))
        *n = strtod(json_string_value(v), NULL);
    else if (json_is_number(v))
        *n = json_number_value(v);
    else
        return false;
    return true;
}

/* Digits in groups of three. */
static void
put_count(FILE *f, double n)
{
    char digits[320]; /* of the largest double */
    int length = snprintf(digits, sizeof digits, "%.0f", n);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            fputs("&#8201;", f);
        putc(digits[i], f);
    }
}

/* A cell of a number, by which the script sorts. */
void
report_put_number(FILE *f, const json_t *object, const char *key)
{
    double n = 0;
    if (!report_number(object, key, &n)) {
        fputs("<td class=\"n\">-</td>", f);
        return;
    }
    fprintf(f, "<td class=\"n\" data-v=\"%.17g\">", n);
    put_count(f, n);
    fputs("</td>", f);
}

/* A cell of a share, with a bar. */
void
report_put_share(FILE *f, bool is_known, double share)
{
    if (!is_known || !isfinite(share))
        fputs("<td class=\"n\">-</td>", f);
    else
        fprintf(f,
                "<td class=\"n bar\" data-v=\"%.9g\" style=\"--part:%.1f%%\">"
                "%.1f%%</td>",
                share, 100 * share, 100 * share);
}

/* ---- overview ------------------------------------------------------------ */

static void
put_fact(FILE *f, const char *name, const char *text)
{
    fprintf(f, "<dt>%s</dt><dd>", name);
    report_put_text(f, text);
    fputs("</dd>\n", f);
}

static void
put_total(FILE *f, const char *name, const json_t *totals, const char *key)
{
    double n = 0;
    fprintf(f, "<dt>%s</dt><dd>", name);
    if (report_number(totals, key, &n))
        put_count(f, n);
    else
        putc('-', f);
    fputs("</dd>\n", f);
}

static void
put_exactness(FILE *f, const json_t *profile)
{
    const char *off = text_of(profile, "shortcuts_off");
    fputs("<dt>Exactness</dt><dd>Counts are exact. ", f);
    if (!strcmp(off, "-")) {
        fputs("Softlake's shortcuts were on: fewer threads ran than hardware "
              "runs.",
              f);
    } else {
        fputs("Shortcuts that run fewer threads than hardware were off: ", f);
        report_put_text(f, off);
    }
    fputs("</dd>\n", f);
}

/* What profiles may hold and this one does not. */
static void
put_missing(FILE *f, const json_t *profile)
{
    static const struct {
        const char *key, *name;
    } parts[] = {
        {"draws", "draws and pixels"},
        {"timeline", "timeline"},
        {"draw_kernels", "frames"},
    };
    const json_t *kernel = json_array_get(json_object_get(profile, "kernels"),
                                          0);
    const char *between = "";
    fputs("<dt>Not measured</dt><dd>", f);
    if (!json_object_get(kernel, "lanes")) {
        fputs("lanes", f);
        between = ", ";
    }
    if (!json_object_get(kernel, "sends")) {
        fprintf(f, "%smemory and sampler", between);
        between = ", ";
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (json_object_get(profile, parts[i].key))
            continue;
        fprintf(f, "%s%s", between, parts[i].name);
        between = ", ";
    }
    if (!json_object_get(kernel, "model")) {
        fprintf(f, "%scycles", between);
        between = ", ";
    }
    fprintf(f, "%s</dd>\n", *between ? "" : "-");
}

void
report_put_overview(FILE *f, const json_t *profile)
{
    const json_t *totals = json_object_get(profile, "totals");
    json_t *word;
    size_t i;
    double status = 0;
    fputs("<dl>\n<dt>Command</dt><dd class=\"name\">", f);
    json_array_foreach(json_object_get(profile, "command"), i, word)
    {
        fputs(i ? " " : "", f);
        report_put_text(f,
                        json_string_value(word) ? json_string_value(word) : "");
    }
    fputs("</dd>\n", f);
    if (report_number(profile, "status", &status)) {
        fputs("<dt>Exit status</dt><dd>", f);
        fprintf(f, "%.0f</dd>\n", status);
    }
    put_fact(f, "Softlake", text_of(profile, "softlake"));
    put_fact(f, "Platform", text_of(profile, "platform"));
    put_exactness(f, profile);
    put_total(f, "EU instructions", totals, "insn");
    put_total(f, "Kernels", totals, "kernels");
    put_total(f, "Processes", totals, "processes");
    put_total(f, "Kernels without counters", totals, "not_counted");
    if (json_object_get(totals, "lost_pages"))
        put_total(f, "Pages of counts lost, without room in the file system",
                  totals, "lost_pages");
    put_missing(f, profile);
    fputs("</dl>\n", f);
}

/* ---- limiters ------------------------------------------------------------ */

static void
put_finding(FILE *f, const json_t *finding, size_t kernel)
{
    double ip = 0;
    bool has_ip = report_number(finding, "ip", &ip);
    fprintf(f, "<tr><td class=\"name\"><a data-i=\"%zu\" href=\"#kernels\">",
            kernel);
    report_put_text(f, text_of(finding, "kernel"));
    fputs("</a></td><td>", f);
    report_put_text(f, text_of(finding, "rule"));
    fputs("</td><td>", f);
    report_put_text(f, text_of(finding, "text"));
    fputs("</td><td class=\"name\">", f);
    if (has_ip)
        fprintf(f,
                "<a data-i=\"%zu\" data-ip=\"%.0f\" href=\"#kernels\">"
                "0x%04x</a>",
                kernel, ip, (unsigned)ip);
    else
        putc('-', f);
    fputs("</td></tr>\n", f);
}

static size_t
find_kernel(const json_t *kernels, const char *name)
{
    json_t *k;
    size_t i;
    json_array_foreach(kernels, i,
                       k) if (!strcmp(text_of(k, "name"), name)) return i;
    return 0;
}

void
report_put_findings(FILE *f, const json_t *profile)
{
    const json_t *list = json_object_get(profile, "findings");
    const json_t *kernels = json_object_get(profile, "kernels");
    json_t *finding;
    size_t i;
    if (!json_array_size(list)) {
        fputs("<p>No rule found anything.</p>\n", f);
        return;
    }
    fputs("<p class=\"faint\">Rules of thumb over exact counts, for kernels "
          "with at least 1% of all instructions. Clocks are from published "
          "tables of Gen9, not measured.</p>\n<div class=\"wide\">"
          "<table><thead><tr><th>kernel</th><th>rule</th><th>finding</th>"
          "<th>place</th></tr></thead><tbody>\n",
          f);
    json_array_foreach(list, i, finding) put_finding(
        f, finding, find_kernel(kernels, text_of(finding, "kernel")));
    fputs("</tbody></table></div>\n", f);
}

/* ---- kernels ------------------------------------------------------------- */

/* A cell with the least and the most time by the cycle model, and the limit. */
static void
put_model(FILE *f, const json_t *kernel)
{
    const json_t *list = json_object_get(kernel, "model");
    double least = INFINITY, most = -1, us = 0;
    const char *limit = "";
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *table = json_array_get(list, i);
        if (!report_number(table, "us", &us))
            continue;
        least = us < least ? us : least;
        limit = us > most ? text_of(table, "limit") : limit;
        most = us > most ? us : most;
    }
    if (most < 0) {
        fputs("<td class=\"n\">-</td>", f);
        return;
    }
    fprintf(f, "<td class=\"n\" data-v=\"%.9g\">", most);
    if (least < most)
        fprintf(f, "%.3g..", least);
    fprintf(f, "%.3g ", most);
    report_put_text(f, limit);
    fputs("</td>", f);
}

static void
put_kernel(FILE *f, const json_t *kernel, size_t i, double all)
{
    const json_t *mix = json_object_get(kernel, "mix");
    const char *group;
    json_t *n;
    double insn = 0, lanes = 0, part = 0;
    bool has_lanes = report_number(kernel, "simd_efficiency", &lanes);
    bool has_insn = report_number(kernel, "insn", &insn) && insn > 0;
    fprintf(f,
            "<tr data-i=\"%zu\"><td class=\"name\"><a data-i=\"%zu\" "
            "href=\"#kernels\">",
            i, i);
    report_put_text(f, text_of(kernel, "name"));
    fputs("</a></td><td>", f);
    report_put_text(f, text_of(kernel, "stage"));
    fputs("</td>", f);
    report_put_number(f, kernel, "simd");
    report_put_number(f, kernel, "threads");
    report_put_number(f, kernel, "insn");
    report_put_share(f, all > 0, insn / all);
    report_put_share(f, has_lanes, lanes);
    json_object_foreach((json_t *)mix, group, n)
    {
        bool known = report_number(mix, group, &part);
        report_put_share(f, known && has_insn, part / insn);
    }
    report_put_number(f, kernel, "size_B");
    put_model(f, kernel);
    fputs("</tr>\n", f);
}

/* A column of the mix under a short name. */
static void
put_group_head(FILE *f, const char *group)
{
    static const char *const names[][2] = {
        {"control flow", "flow"},
        {"send and wait", "send"},
        {"int16 and half float", "16 bit"},
        {"int32 and float", "32 bit"},
        {"int64 and double float", "64 bit"},
    };
    const char *name = group;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(group, names[i][0]))
            name = names[i][1];
    fprintf(f, "<th class=\"n\" title=\"%s\">%s</th>", group, name);
}

void
report_put_kernels(FILE *f, const json_t *profile)
{
    static const char *const before[] = {
        "kernel",       "stage", "SIMD",           "threads",
        "instructions", "share", "SIMD efficiency"};
    const json_t *kernels = json_object_get(profile, "kernels");
    const json_t *mix = json_object_get(json_array_get(kernels, 0), "mix");
    json_t *k, *n;
    const char *group;
    size_t i;
    double all = 0;
    report_number(json_object_get(profile, "totals"), "insn", &all);
    fputs("<table class=\"sorts\"><thead><tr>", f);
    for (i = 0; i < sizeof before / sizeof *before; i++)
        fprintf(f, "<th%s>%s</th>", i < 2 ? "" : " class=\"n\"", before[i]);
    json_object_foreach((json_t *)mix, group, n) put_group_head(f, group);
    fputs("<th class=\"n\">bytes</th><th class=\"n\" title=\"cycle model: the "
          "least and the most of its tables\">model us</th></tr></thead>"
          "<tbody>\n",
          f);
    json_array_foreach(kernels, i, k) put_kernel(f, k, i, all);
    fputs("</tbody></table>\n", f);
}
