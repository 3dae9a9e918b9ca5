/* lanes.c: see lanes.h. */
#include "cli/profile/lanes/lanes.h"
#include "cli/profile/values/values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint64_t
lanes_executions(const struct lanes_histogram *h)
{
    uint64_t sum = 0;
    for (unsigned n = 0; n < PROFILE_BINS_MAX; n++)
        sum += h->bins[n];
    return sum;
}

uint64_t
lanes_sum(const struct lanes_histogram *h)
{
    uint64_t sum = 0;
    for (unsigned n = 0; n < PROFILE_BINS_MAX; n++)
        sum += n * h->bins[n];
    return sum;
}

static bool
is_same(const struct lanes_histogram *a, const struct lanes_histogram *b)
{
    return a->chan_offset == b->chan_offset && a->exec_size == b->exec_size &&
           !memcmp(a->bins, b->bins, sizeof a->bins);
}

bool
lanes_add(struct lanes_list *list, const struct lanes_histogram *h,
          bool begins_block)
{
    if (begins_block)
        list->block = list->count;
    if (!lanes_executions(h))
        return true;
    for (unsigned i = list->block; i < list->count; i++)
        if (is_same(&list->items[i], h)) {
            list->items[i].insn_count++;
            return true;
        }
    void *more = realloc(list->items, (list->count + 1) * sizeof *list->items);
    if (!more)
        return false;
    list->items = more;
    list->items[list->count] = *h;
    list->items[list->count++].insn_count = 1;
    return true;
}

void
lanes_format(char text[LANES_TEXT_B], const struct lanes_histogram *h)
{
    int at = snprintf(text, LANES_TEXT_B,
                      "(%u|M%u), %" PRIu32 " instruction%s, %" PRIu64 " times:",
                      h->exec_size, h->chan_offset, h->insn_count,
                      h->insn_count == 1 ? "" : "s", lanes_executions(h));
    const char *comma = " ";
    for (unsigned n = 0; n < PROFILE_BINS_MAX; n++) {
        if (!h->bins[n])
            continue;
        at += snprintf(text + at, LANES_TEXT_B - (size_t)at, "%s%u: %" PRIu64,
                       comma, n, h->bins[n]);
        comma = ", ";
    }
}

static json_t *
bins_json(const struct lanes_histogram *h)
{
    json_t *bins = json_object();
    char key[4];
    for (unsigned n = 0; n < PROFILE_BINS_MAX; n++) {
        snprintf(key, sizeof key, "%u", n);
        if (h->bins[n])
            json_object_set_new(bins, key, value_json(h->bins[n]));
    }
    return bins;
}

json_t *
lanes_json(const struct lanes_list *list)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < list->count; i++) {
        const struct lanes_histogram *h = &list->items[i];
        json_array_append_new(
            array,
            json_pack("{s:i, s:i, s:i, s:i, s:o, s:o}", "ip", (int)h->offset_B,
                      "insns", (int)h->insn_count, "exec_size",
                      (int)h->exec_size, "first_channel", (int)h->chan_offset,
                      "count", value_json(lanes_executions(h)), "active_lanes",
                      bins_json(h)));
    }
    return array;
}

static json_int_t
number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

void
lanes_load(struct lanes_list *list, const json_t *json)
{
    size_t count = json_array_size(json);
    list->items = count ? calloc(count, sizeof *list->items) : NULL;
    for (size_t i = 0; list->items && i < count; i++) {
        const json_t *o = json_array_get(json, i);
        struct lanes_histogram *h = &list->items[list->count++];
        const char *key;
        json_t *value;
        h->offset_B = (uint32_t)number_of(o, "ip");
        h->insn_count = (uint32_t)number_of(o, "insns");
        h->exec_size = (uint8_t)number_of(o, "exec_size");
        h->chan_offset = (uint8_t)number_of(o, "first_channel");
        json_object_foreach(json_object_get(o, "active_lanes"), key, value)
        {
            unsigned long n = strtoul(key, NULL, 10);
            if (n < PROFILE_BINS_MAX)
                h->bins[n] = value_of_json(value);
        }
    }
}

void
lanes_put_csv_head(FILE *f)
{
    fputs("name,offset_bytes,exec_size,first_channel,insns,active_lanes,"
          "count\r\n",
          f);
}

void
lanes_put_csv(FILE *f, const char *name, const struct lanes_histogram *h)
{
    for (unsigned n = 0; n < PROFILE_BINS_MAX; n++) {
        if (!h->bins[n])
            continue;
        value_put_quoted(f, name);
        fprintf(f, ",%" PRIu32 ",%u,%u,%" PRIu32 ",%u,%" PRIu64 "\r\n",
                h->offset_B, h->exec_size, h->chan_offset, h->insn_count, n,
                h->bins[n]);
    }
}
