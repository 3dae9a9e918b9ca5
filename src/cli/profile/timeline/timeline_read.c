/* timeline_read.c: the records of all processes as events. */
#include "cli/profile/timeline/timeline.h"
#include "engine/engine.h"
#include "engine/timeline/timeline_file.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct context {
    uint32_t pid;
    uint64_t id;
};

struct reader {
    struct timeline_record *records;
    size_t count;
    struct context *contexts;
    size_t context_count;
    timeline_name_fn name;
    void *data;
};

static const char *const kinds[TIMELINE_KINDS] = {
    [TIMELINE_SUBMIT] = "submit",
    [TIMELINE_BATCH] = "batch",
    [TIMELINE_DRAW] = "draw",
    [TIMELINE_DISPATCH] = "dispatch",
};

static bool
read_records(struct reader *r, const char *dir)
{
    char path[4096];
    snprintf(path, sizeof path, TIMELINE_FORMAT, dir);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    size_t capacity = 0;
    for (;;) {
        if (r->count == capacity) {
            capacity = capacity ? 2 * capacity : 256;
            void *more = realloc(r->records, capacity * sizeof *r->records);
            if (!more)
                break;
            r->records = more;
        }
        struct timeline_record *new = &r->records[r->count];
        if (fread(new, sizeof *new, 1, f) != 1)
            break;
        new->process[sizeof new->process - 1] = 0;
        r->count += new->kind &&new->kind < TIMELINE_KINDS;
    }
    fclose(f);
    return true;
}

/* What begins first, then what contains the other. */
static int
compare(const void *a, const void *b)
{
    const struct timeline_record *r = a, *s = b;
    if (r->begin_ns != s->begin_ns)
        return r->begin_ns < s->begin_ns ? -1 : 1;
    if (r->kind != s->kind)
        return r->kind < s->kind ? -1 : 1;
    return r->end_ns > s->end_ns ? -1 : r->end_ns < s->end_ns;
}

/* From 1; 0: no memory. */
static size_t
number_context(struct reader *r, const struct timeline_record *record)
{
    for (size_t i = 0; i < r->context_count; i++)
        if (r->contexts[i].pid == record->pid &&
            r->contexts[i].id == record->context)
            return i + 1;
    void *more = realloc(r->contexts,
                         (r->context_count + 1) * sizeof *r->contexts);
    if (!more)
        return 0;
    r->contexts = more;
    r->contexts[r->context_count++] = (struct context){record->pid,
                                                       record->context};
    return r->context_count;
}

static const char *
ring_name(uint32_t ring)
{
    static const char *const names[ENGINE_RING_COUNT] = {
#define X(ring, name, uapi_class, mmio, commands) name,
        ENGINE_RINGS(X)
#undef X
    };
    return ring < ENGINE_RING_COUNT ? names[ring] : "ring";
}

static void
set_work(const struct reader *r, json_t *event,
         const struct timeline_record *record)
{
    json_t *kernels = json_array(), *size = json_array();
    unsigned sizes = record->kind == TIMELINE_DRAW ? 2 : 3;
    for (unsigned i = 0; i < TIMELINE_STAGES; i++) {
        char text[160];
        if (!record->kernel[i])
            continue;
        r->name(r->data, record->kernel[i], i, record->simd[i], text,
                sizeof text);
        json_array_append_new(kernels, json_string(text));
    }
    for (unsigned i = 0; i < sizes; i++)
        json_array_append_new(size, json_integer(record->size[i]));
    json_object_set_new(event, "kernels", kernels);
    json_object_set_new(event, "size", size);
}

static json_t *
make_event(struct reader *r, const struct timeline_record *record)
{
    json_t *e = json_pack(
        "{s:s, s:i, s:s, s:i, s:i, s:I, s:I}", "kind", kinds[record->kind],
        "pid", (int)record->pid, "process", record->process, "tid",
        (int)record->tid, "context", (int)number_context(r, record), "begin_ns",
        (json_int_t)record->begin_ns, "end_ns", (json_int_t)record->end_ns);
    if (record->kind == TIMELINE_SUBMIT || record->kind == TIMELINE_BATCH) {
        json_object_set_new(e, "ring", json_string(ring_name(record->ring)));
        json_object_set_new(e, "batch",
                            json_integer((json_int_t)record->batch));
    } else {
        set_work(r, e, record);
    }
    return e;
}

json_t *
timeline_read(const char *dir, timeline_name_fn name, void *data)
{
    struct reader r = {.name = name, .data = data};
    if (!read_records(&r, dir))
        return NULL;
    if (r.count)
        qsort(r.records, r.count, sizeof *r.records, compare);
    json_t *events = json_array();
    for (size_t i = 0; i < r.count; i++)
        json_array_append_new(events, make_event(&r, &r.records[i]));
    free(r.records);
    free(r.contexts);
    return events;
}

/* ---- events -------------------------------------------------------------- */

uint64_t
timeline_number(const json_t *event, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(event, key));
}

const char *
timeline_text(const json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));
    return text ? text : "";
}

void
timeline_title(const json_t *event, char *text, size_t size_B)
{
    const json_t *kernels = json_object_get(event, "kernels");
    size_t count = json_array_size(kernels);
    const char *kind = timeline_text(event, "kind");
    const char *name = count ? json_string_value(
                                   json_array_get(kernels, count - 1))
                             : NULL;
    if (!strcmp(kind, "submit"))
        snprintf(text, size_B, "submit batch %" PRIu64,
                 timeline_number(event, "batch"));
    else if (!strcmp(kind, "batch"))
        snprintf(text, size_B, "batch %" PRIu64 " (%s)",
                 timeline_number(event, "batch"), timeline_text(event, "ring"));
    else if (name)
        snprintf(text, size_B, "%s %s", kind, name);
    else
        snprintf(text, size_B, "%s", kind);
}
