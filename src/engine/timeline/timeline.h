/* timeline.h: when batches, draws and dispatches ran, for `softlake profile`
 * with a timeline (timeline_file.h). A draw ends before the next one begins,
 * because profiles are taken with no_wait.
 *
 * Callers: queue/ and freeze/. Any thread. Without a profile each call is one
 * test. */
#ifndef ENGINE_TIMELINE_TIMELINE_H
#define ENGINE_TIMELINE_TIMELINE_H

#include "engine/engine.h"

struct dispatch;
struct draw;

/* When something begins; 0 if no timeline is wanted. */
uint64_t timeline_begin(void);
/* The client submits a batch, which has its number. */
void timeline_submit(const struct engine_submit *submit);
/* These end now. begin_ns 0: nothing is written. */
void timeline_batch(const struct engine_submit *submit, uint64_t begin_ns);
void timeline_draw(const struct engine_context *ctx, const struct draw *draw,
                   uint64_t begin_ns);
void timeline_dispatch(const struct engine_context *ctx,
                       const struct dispatch *d, uint64_t begin_ns);

#endif
