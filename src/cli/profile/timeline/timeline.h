/* timeline.h: when batches, draws and dispatches ran, as a JSON list of events
 * in order of time, which is also what profile.json holds:
 *
 *     kind      "submit", "batch", "draw", "dispatch"
 *     pid, process, tid
 *     context   from 1, in the whole list
 *     ring      "rcs", ...; of submissions and batches
 *     batch     number in its process; of submissions and batches
 *     begin_ns, end_ns    CLOCK_MONOTONIC
 *     kernels   names; of draws and dispatches
 *     size      groups; or vertices, instances
 *
 * Batches of a context do not overlap; draws and dispatches are within theirs.
 *
 * Callers: cli/profile; one thread. */
#ifndef CLI_PROFILE_TIMELINE_TIMELINE_H
#define CLI_PROFILE_TIMELINE_TIMELINE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* The name of a kernel. stage: the engine's enum stage_kind. */
typedef void (*timeline_name_fn)(void *data, uint64_t hash, unsigned stage,
                                 unsigned simd, char *text, size_t size_B);

/* Reads engine/timeline/timeline_file.h. NULL: the directory has none. */
json_t *timeline_read(const char *dir, timeline_name_fn name, void *data);

/* For ui.perfetto.dev, and in the older format of Chrome's traces. Each returns
 * NULL, or an error message. */
const char *timeline_write_perfetto(const json_t *events, const char *file);
const char *timeline_write_chrome(const json_t *events, const char *file);

/* Of an event: a number, 0 if it has none; a text, "" if it has none. */
uint64_t timeline_number(const json_t *event, const char *key);
const char *timeline_text(const json_t *event, const char *key);
/* What a slice of the event is called. */
void timeline_title(const json_t *event, char *text, size_t size_B);

#endif
