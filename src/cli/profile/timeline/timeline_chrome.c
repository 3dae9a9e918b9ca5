/* timeline_chrome.c: the older JSON format of Chrome's traces ("Trace Event
 * Format"). A context is a thread, as slices of one must nest. */
#include "cli/profile/timeline/timeline.h"

#include <stdio.h>
#include <string.h>

#define CONTEXT_TID 100000000 /* above all thread ids */

static double
microseconds(uint64_t ns)
{
    return (double)ns / 1000;
}

static json_t *
begin_event(const json_t *event, const char *phase, int tid)
{
    return json_pack("{s:s, s:I, s:i, s:f}", "ph", phase, "pid",
                     (json_int_t)timeline_number(event, "pid"), "tid", tid,
                     "ts", microseconds(timeline_number(event, "begin_ns")));
}

/* An end of the arrow from a submission to its batch. */
static json_t *
make_flow(const json_t *event, const char *phase, int tid)
{
    char id[48];
    json_t *e = begin_event(event, phase, tid);
    snprintf(id, sizeof id, "%u.%u", (unsigned)timeline_number(event, "pid"),
             (unsigned)timeline_number(event, "batch"));
    json_object_set_new(e, "id", json_string(id));
    json_object_set_new(e, "name", json_string("batch"));
    json_object_set_new(e, "cat", json_string("flow"));
    if (*phase == 'f')
        json_object_set_new(e, "bp", json_string("e"));
    return e;
}

static void
add_event(json_t *list, const json_t *event)
{
    char title[200];
    const char *kind = timeline_text(event, "kind");
    int is_submit = !strcmp(kind, "submit");
    int tid = is_submit ? (int)timeline_number(event, "tid")
                        : CONTEXT_TID + (int)timeline_number(event, "context");
    uint64_t begin_ns = timeline_number(event, "begin_ns");
    uint64_t end_ns = timeline_number(event, "end_ns");
    json_t *e = begin_event(event, "X", tid), *args = json_object();
    timeline_title(event, title, sizeof title);
    json_object_set_new(e, "dur", json_real(microseconds(end_ns - begin_ns)));
    json_object_set_new(e, "name", json_string(title));
    json_object_set_new(e, "cat", json_string(kind));
    if (json_object_get(event, "kernels")) {
        json_object_set(args, "kernels", json_object_get(event, "kernels"));
        json_object_set(args, "size", json_object_get(event, "size"));
    }
    json_object_set_new(e, "args", args);
    json_array_append_new(list, e);
    if (is_submit || !strcmp(kind, "batch"))
        json_array_append_new(list,
                              make_flow(event, is_submit ? "s" : "f", tid));
}

/* Names of processes and contexts: once each. */
static void
add_names(json_t *list, json_t *seen, const json_t *event)
{
    char key[64], name[64];
    unsigned pid = (unsigned)timeline_number(event, "pid");
    int context = (int)timeline_number(event, "context");
    snprintf(key, sizeof key, "%u", pid);
    if (!json_object_get(seen, key)) {
        json_object_set_new(seen, key, json_true());
        json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:{s:s}}", "ph",
                                              "M", "name", "process_name",
                                              "pid", (int)pid, "args", "name",
                                              timeline_text(event, "process")));
    }
    snprintf(key, sizeof key, "%u.%d", pid, context);
    if (json_object_get(seen, key))
        return;
    json_object_set_new(seen, key, json_true());
    snprintf(name, sizeof name, "GPU context %d", context);
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "ph", "M", "name",
                        "thread_name", "pid", (int)pid, "tid",
                        CONTEXT_TID + context, "args", "name", name));
}

const char *
timeline_write_chrome(const json_t *events, const char *file)
{
    json_t *list = json_array(), *seen = json_object(), *event;
    size_t i;
    json_array_foreach(events, i, event)
    {
        add_names(list, seen, event);
        add_event(list, event);
    }
    json_t *o = json_pack("{s:s, s:o}", "displayTimeUnit", "ns", "traceEvents",
                          list);
    int failed = !o || json_dump_file(o, file, JSON_INDENT(1));
    json_decref(o);
    json_decref(seen);
    return failed ? "cannot be written" : NULL;
}
