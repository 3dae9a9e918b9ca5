/* timeline_perfetto.c: Perfetto's format, a sequence of packets
 * (https://github.com/google/perfetto/tree/main/protos/perfetto/trace).
 *
 * Tracks: a process, its threads that submit, its contexts. Batches, with draws
 * and dispatches in them, are slices of their context; an arrow leads from the
 * submission to its batch. */
#include "cli/profile/timeline/protobuf.h"
#include "cli/profile/timeline/timeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_ID 3 /* builtin clock MONOTONIC */
#define DEPTH_MAX 4

enum { /* fields of TracePacket */
       PACKET_CLOCK_SNAPSHOT = 6,
       PACKET_TIMESTAMP = 8,
       PACKET_SEQUENCE_ID = 10,
       PACKET_TRACK_EVENT = 11,
       PACKET_SEQUENCE_FLAGS = 13,
       PACKET_TIMESTAMP_CLOCK = 58,
       PACKET_TRACK_DESCRIPTOR = 60,
};
enum { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_INSTANT = 3 };
enum track_kind { TRACK_PROCESS = 1, TRACK_THREAD, TRACK_CONTEXT };

/* Slices of a context that have not ended. */
struct open_slices {
    uint64_t end_ns[DEPTH_MAX];
    unsigned depth;
};

struct writer {
    struct proto out, packet, part, inner;
    uint64_t *tracks; /* that have been described */
    size_t track_count;
    struct open_slices *open; /* by context */
    size_t context_count;
    bool has_sequence;
};

static void
end_packet(struct writer *w)
{
    proto_number(&w->packet, PACKET_SEQUENCE_ID, 1);
    proto_number(&w->packet, PACKET_SEQUENCE_FLAGS, !w->has_sequence);
    w->has_sequence = true;
    proto_message(&w->out, 1, &w->packet);
}

/* One clock, and the trace is in it. */
static void
put_clock(struct writer *w, uint64_t now_ns)
{
    proto_number(&w->inner, 1, CLOCK_ID);
    proto_number(&w->inner, 2, now_ns);
    proto_message(&w->part, 1, &w->inner);
    proto_number(&w->part, 2, CLOCK_ID);
    proto_message(&w->packet, PACKET_CLOCK_SNAPSHOT, &w->part);
    end_packet(w);
}

/* ---- tracks -------------------------------------------------------------- */

/* False: the track has been described. */
static bool
is_new_track(struct writer *w, uint64_t uuid)
{
    for (size_t i = 0; i < w->track_count; i++)
        if (w->tracks[i] == uuid)
            return false;
    void *more = realloc(w->tracks, (w->track_count + 1) * sizeof *w->tracks);
    w->out.failed |= !more;
    if (!more)
        return false;
    w->tracks = more;
    w->tracks[w->track_count++] = uuid;
    return true;
}

static uint64_t
process_track(struct writer *w, const json_t *event)
{
    uint64_t pid = timeline_number(event, "pid");
    uint64_t uuid = (uint64_t)TRACK_PROCESS << 32 | pid;
    if (!is_new_track(w, uuid))
        return uuid;
    proto_number(&w->part, 1, uuid);
    proto_number(&w->inner, 1, pid);
    proto_text(&w->inner, 6, timeline_text(event, "process"));
    proto_message(&w->part, 3, &w->inner);
    proto_message(&w->packet, PACKET_TRACK_DESCRIPTOR, &w->part);
    end_packet(w);
    return uuid;
}

static uint64_t
thread_track(struct writer *w, const json_t *event)
{
    uint64_t parent = process_track(w, event);
    uint64_t tid = timeline_number(event, "tid");
    uint64_t uuid = (uint64_t)TRACK_THREAD << 32 | tid;
    if (!is_new_track(w, uuid))
        return uuid;
    proto_number(&w->part, 1, uuid);
    proto_number(&w->part, 5, parent);
    proto_number(&w->inner, 1, timeline_number(event, "pid"));
    proto_number(&w->inner, 2, tid);
    proto_message(&w->part, 4, &w->inner);
    proto_message(&w->packet, PACKET_TRACK_DESCRIPTOR, &w->part);
    end_packet(w);
    return uuid;
}

static uint64_t
context_uuid(uint64_t context)
{
    return (uint64_t)TRACK_CONTEXT << 32 | context;
}

static uint64_t
context_track(struct writer *w, const json_t *event)
{
    char name[48];
    uint64_t parent = process_track(w, event);
    uint64_t uuid = context_uuid(timeline_number(event, "context"));
    if (!is_new_track(w, uuid))
        return uuid;
    snprintf(name, sizeof name, "GPU context %u",
             (unsigned)timeline_number(event, "context"));
    proto_number(&w->part, 1, uuid);
    proto_text(&w->part, 2, name);
    proto_number(&w->part, 5, parent);
    proto_message(&w->packet, PACKET_TRACK_DESCRIPTOR, &w->part);
    end_packet(w);
    return uuid;
}

/* ---- events -------------------------------------------------------------- */

static void
begin_event(struct writer *w, uint64_t track, unsigned type, uint64_t at_ns)
{
    proto_number(&w->packet, PACKET_TIMESTAMP, at_ns);
    proto_number(&w->packet, PACKET_TIMESTAMP_CLOCK, CLOCK_ID);
    proto_number(&w->part, 9, type);
    proto_number(&w->part, 11, track);
}

static void
end_event(struct writer *w)
{
    proto_message(&w->packet, PACKET_TRACK_EVENT, &w->part);
    end_packet(w);
}

static void
annotate_number(struct writer *w, const char *name, uint64_t n)
{
    proto_text(&w->inner, 10, name);
    proto_varint(&w->inner, 3 << 3); /* also 0 */
    proto_varint(&w->inner, n);
    proto_message(&w->part, 4, &w->inner);
}

static void
annotate_work(struct writer *w, const json_t *event)
{
    static const char *const names[2][3] = {
        {"groups x", "groups y", "groups z"}, {"vertices", "instances"}};
    bool is_draw = !strcmp(timeline_text(event, "kind"), "draw");
    json_t *v;
    size_t i;
    json_array_foreach(json_object_get(event, "size"), i,
                       v) if (i < (is_draw ? 2 : 3))
        annotate_number(w, names[is_draw][i], (uint64_t)json_integer_value(v));
    json_array_foreach(json_object_get(event, "kernels"), i, v)
    {
        if (!json_is_string(v))
            continue;
        proto_text(&w->inner, 10, "kernel");
        proto_text(&w->inner, 6, json_string_value(v));
        proto_message(&w->part, 4, &w->inner);
    }
}

/* Ends slices of the context that end until then. */
static void
close_slices(struct writer *w, uint64_t context, uint64_t until_ns)
{
    struct open_slices *o = &w->open[context];
    while (o->depth && o->end_ns[o->depth - 1] <= until_ns) {
        begin_event(w, context_uuid(context), EVENT_END, o->end_ns[--o->depth]);
        end_event(w);
    }
}

static bool
make_room(struct writer *w, uint64_t context)
{
    if (context < w->context_count)
        return true;
    size_t count = (size_t)context + 16;
    struct open_slices *more = realloc(w->open, count * sizeof *more);
    w->out.failed |= !more;
    if (!more)
        return false;
    memset(more + w->context_count, 0,
           (count - w->context_count) * sizeof *more);
    w->open = more;
    w->context_count = count;
    return true;
}

static void
put_event(struct writer *w, const json_t *event)
{
    char title[200];
    const char *kind = timeline_text(event, "kind");
    bool is_submit = !strcmp(kind, "submit");
    uint64_t begin_ns = timeline_number(event, "begin_ns");
    uint64_t context = timeline_number(event, "context");
    uint64_t flow = timeline_number(event, "pid") << 32 |
                    (uint32_t)timeline_number(event, "batch");
    if (context > UINT16_MAX || !make_room(w, context))
        return;
    uint64_t track = is_submit ? thread_track(w, event)
                               : context_track(w, event);
    struct open_slices *o = &w->open[context];
    if (!is_submit) {
        close_slices(w, context, begin_ns);
        if (o->depth == DEPTH_MAX)
            return;
        o->end_ns[o->depth++] = timeline_number(event, "end_ns");
    }
    timeline_title(event, title, sizeof title);
    begin_event(w, track, is_submit ? EVENT_INSTANT : EVENT_BEGIN, begin_ns);
    proto_text(&w->part, 22, kind);
    proto_text(&w->part, 23, title);
    if (is_submit)
        proto_fixed64(&w->part, 47, flow);
    else if (!strcmp(kind, "batch"))
        proto_fixed64(&w->part, 48, flow);
    else
        annotate_work(w, event);
    end_event(w);
}

static const char *
write_file(const struct proto *m, const char *file)
{
    FILE *f = m->failed ? NULL : fopen(file, "we");
    if (!f)
        return m->failed ? "no memory" : strerror(errno);
    bool failed = fwrite(m->data, 1, m->size_B, f) != m->size_B;
    return fclose(f) || failed ? strerror(errno) : NULL;
}

const char *
timeline_write_perfetto(const json_t *events, const char *file)
{
    struct writer w = {0};
    json_t *event;
    size_t i;
    put_clock(&w, timeline_number(json_array_get(events, 0), "begin_ns"));
    json_array_foreach(events, i, event) put_event(&w, event);
    for (size_t c = 0; c < w.context_count; c++)
        close_slices(&w, c, UINT64_MAX);
    const char *why = write_file(&w.out, file);
    free(w.out.data);
    free(w.packet.data);
    free(w.part.data);
    free(w.inner.data);
    free(w.tracks);
    free(w.open);
    return why;
}
