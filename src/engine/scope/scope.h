/* scope.h: which submissions, draws and dispatches `softlake profile` counts,
 * and the counts of each: --frames, --submits, --draws, --dispatches, --per,
 * --control.
 *
 * A submission is judged when the client makes it, so that what the client does
 * between two submissions separates them exactly; draws and dispatches when
 * they begin. A draw has ended before the next one begins, because profiles are
 * taken with no_wait and no_merge.
 *
 * Callers: queue/ and freeze/. Any thread. Without a profile each call is one
 * test. */
#ifndef ENGINE_SCOPE_SCOPE_H
#define ENGINE_SCOPE_SCOPE_H

#include "engine/engine.h"

struct dispatch;
struct draw;
struct eu_profile_unit;

/* The client submits: numbers the submission. */
void scope_submit(struct engine_submit *submit);
/* The context begins to execute the submission. */
void scope_batch(struct engine_context *ctx,
                 const struct engine_submit *submit);
/* A draw or dispatch begins in this thread. NULL: it counts as all others. Give
 * the result to the next functions when it has ended. */
struct eu_profile_unit *scope_begin_draw(const struct engine_context *ctx,
                                         const struct draw *draw);
void scope_end_draw(const struct engine_context *ctx, const struct draw *draw,
                    struct eu_profile_unit *unit);
struct eu_profile_unit *scope_begin_dispatch(struct engine_context *ctx);
void scope_end_dispatch(const struct engine_context *ctx,
                        const struct dispatch *d, struct eu_profile_unit *unit);

#endif
