/* sends.c: see sends.h. */
#include "cli/profile/sends/sends.h"
#include "cli/profile/values/values.h"

#include <inttypes.h>
#include <stdlib.h>

#define LINE_B 64.0

static const char *const stride_names[PROFILE_STRIDE_COUNT] = {
#define X(id, name) name,
    PROFILE_STRIDE_NAMES(X)
#undef X
};

static double
ratio(uint64_t n, uint64_t of)
{
    return of ? (double)n / (double)of : -1;
}

double
sends_lines_ratio(const struct eu_send_counts *n)
{
    return ratio(n->lines, n->least_lines);
}

double
sends_slm_ratio(const struct eu_send_counts *n)
{
    return ratio(n->slm_passes, n->slm_least_passes);
}

double
sends_used(const struct eu_send_counts *n)
{
    return n->lines && !n->slm_passes
               ? (double)n->bytes / ((double)n->lines * LINE_B)
               : -1;
}

/* The fields of struct eu_send_counts, with their names in files. */
#define FIELDS(X)                         \
    X(sent, "count")                      \
    X(lanes, "lanes")                     \
    X(bytes, "bytes")                     \
    X(lines, "lines")                     \
    X(least_lines, "min_lines")           \
    X(misaligned, "misaligned")           \
    X(slm_passes, "slm_passes")           \
    X(slm_least_passes, "slm_min_passes") \
    X(stride_B, "stride_bytes")

void
sends_add(struct eu_send_counts *sum, const struct eu_send_counts *n)
{
#define X(field, name) sum->field += n->field;
    FIELDS(X)
#undef X
    for (unsigned i = 0; i < PROFILE_STRIDE_COUNT; i++)
        sum->strides[i] += n->strides[i];
}

/* ---- text ---------------------------------------------------------------- */

static double
per(uint64_t n, uint64_t sent)
{
    return sent ? (double)n / (double)sent : 0;
}

static uint64_t
constant_strides(const struct eu_send_counts *n)
{
    return n->strides[PROFILE_STRIDE_SHORT] + n->strides[PROFILE_STRIDE_LONG] +
           n->strides[PROFILE_STRIDE_FAR];
}

/* All messages, or a share of them. */
static int
format_stride(char *text, size_t size_B, const struct eu_send_counts *n,
              unsigned stride)
{
    char share[16] = "";
    if (n->strides[stride] != n->sent)
        snprintf(share, sizeof share, " %.0f%%",
                 100 * per(n->strides[stride], n->sent));
    return snprintf(text, size_B, " %s%s", stride_names[stride], share);
}

static void
format_strides(char *text, size_t size_B, const struct eu_send_counts *n)
{
    const char *begin = ", stride";
    size_t at = 0;
    for (unsigned i = 0; i < PROFILE_STRIDE_COUNT; i++) {
        if (!n->strides[i] || at + 1 >= size_B)
            continue;
        at += (size_t)snprintf(text + at, size_B - at, "%s", begin);
        if (at < size_B)
            at += (size_t)format_stride(text + at, size_B - at, n, i);
        begin = ",";
    }
    if (constant_strides(n) && at < size_B)
        snprintf(text + at, size_B - at, " (%.0f B)",
                 per(n->stride_B, constant_strides(n)));
}

void
sends_format(char text[SENDS_TEXT_B], const struct eu_send_counts *n)
{
    int at = snprintf(text, SENDS_TEXT_B,
                      "%" PRIu64 " sent: %.1f lanes, %.0f B", n->sent,
                      per(n->lanes, n->sent), per(n->bytes, n->sent));
    if (n->slm_passes)
        at += snprintf(text + at, SENDS_TEXT_B - (size_t)at,
                       ", %.2f passes (%.2fx)", per(n->slm_passes, n->sent),
                       sends_slm_ratio(n));
    if (n->lines)
        at += snprintf(text + at, SENDS_TEXT_B - (size_t)at,
                       ", %.2f lines (%.2fx), %.0f%% used",
                       per(n->lines, n->sent), sends_lines_ratio(n),
                       100 * sends_used(n));
    if (n->misaligned)
        at += snprintf(text + at, SENDS_TEXT_B - (size_t)at,
                       ", %.0f%% misaligned",
                       100 * per(n->misaligned, n->sent));
    format_strides(text + at, SENDS_TEXT_B - (size_t)at, n);
}

/* ---- files --------------------------------------------------------------- */

/* Whether the counts have the field: lines, or passes through local memory. */
static bool
has_field(const struct eu_send_counts *n, const uint64_t *field)
{
    if (field == &n->slm_passes || field == &n->slm_least_passes)
        return n->slm_passes;
    if (field == &n->lines || field == &n->least_lines ||
        field == &n->misaligned)
        return n->lines || !n->slm_passes;
    return field != &n->stride_B || constant_strides(n);
}

static json_t *
send_json(const struct profile_send *s)
{
    const struct eu_send_counts *n = &s->n;
    json_t *o = json_object(), *strides = json_object();
    json_object_set_new(o, "ip", json_integer(s->offset_B));
    json_object_set_new(o, "sfid", json_integer(s->shape.sfid));
    if (*s->type)
        json_object_set_new(o, "type", json_string(s->type));
#define X(field, name)           \
    if (has_field(n, &n->field)) \
        json_object_set_new(o, name, value_json(n->field));
    FIELDS(X)
#undef X
    for (unsigned i = 0; i < PROFILE_STRIDE_COUNT; i++)
        if (n->strides[i])
            json_object_set_new(strides, stride_names[i],
                                value_json(n->strides[i]));
    json_object_set_new(o, "stride", strides);
    return o;
}

json_t *
sends_json(const struct profile_send *sends, unsigned count)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < count; i++)
        if (sends[i].n.sent)
            json_array_append_new(list, send_json(&sends[i]));
    return list;
}

static void
load_send(struct profile_send *s, const json_t *o)
{
    const char *type = json_string_value(json_object_get(o, "type"));
    const json_t *strides = json_object_get(o, "stride");
    *s = (struct profile_send){
        .offset_B = (uint32_t)value_of_json(json_object_get(o, "ip")),
        .shape.sfid = (uint8_t)value_of_json(json_object_get(o, "sfid"))};
#define X(field, name) s->n.field = value_of_json(json_object_get(o, name));
    FIELDS(X)
#undef X
    for (unsigned i = 0; i < PROFILE_STRIDE_COUNT; i++)
        s->n.strides[i] = value_of_json(
            json_object_get(strides, stride_names[i]));
    snprintf(s->type, sizeof s->type, "%s", type ? type : "");
}

struct profile_send *
sends_load(const json_t *list, unsigned *count)
{
    size_t n = json_array_size(list);
    struct profile_send *sends = n ? calloc(n, sizeof *sends) : NULL;
    *count = sends ? (unsigned)n : 0;
    for (unsigned i = 0; i < *count; i++)
        load_send(&sends[i], json_array_get(list, i));
    return sends;
}

void
sends_put_csv_head(FILE *f)
{
    fputs("name,offset_bytes", f);
#define X(field, name) fputs("," name, f);
    FIELDS(X)
#undef X
#define X(id, name) fputs(",stride_" #id, f);
    PROFILE_STRIDE_NAMES(X)
#undef X
    fputs("\r\n", f);
}

void
sends_put_csv(FILE *f, const struct profile_send *s)
{
    const struct eu_send_counts *n = &s->n;
    fprintf(f, ",%" PRIu32, s->offset_B);
#define X(field, name)                     \
    if (has_field(n, &n->field))           \
        fprintf(f, ",%" PRIu64, n->field); \
    else                                   \
        fputs(",-", f);
    FIELDS(X)
#undef X
    for (unsigned i = 0; i < PROFILE_STRIDE_COUNT; i++)
        fprintf(f, ",%" PRIu64, n->strides[i]);
    fputs("\r\n", f);
}
