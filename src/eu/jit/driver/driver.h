/* driver.h: variants of a kernel's code, and entering them.
 *
 * Callers: the driver's files and launches (eu/tiers/launch_compiled.c). Any
 * thread: finished code is immutable; the first thread that needs the masked
 * variant or lockstep code makes it. */
#ifndef EU_JIT_DRIVER_DRIVER_H
#define EU_JIT_DRIVER_DRIVER_H

#include "eu/jit/jit_code.h"
#include "eu/jit/listing/listing.h"
#include "eu/jit/lockstep/lockstep.h"

/* Runs the code from the thread's ip until it returns. False: no block begins
 * there. */
bool eu_jit_enter(const struct eu_jit *jit, struct eu_thread *t, int64_t *left);
bool eu_jit_enters(const struct eu_jit *jit, const struct eu_thread *t);

/* Returns where the thread continues in the code, and the prologue to call;
 * NULL: not in compiled code. */
const uint8_t *eu_jit_entry(const struct eu_jit *jit, const struct eu_thread *t,
                            const void **prologue);
/* The thread's dispatched channels, as if its kernel disabled none. */
uint32_t eu_jit_dispatched(const struct eu_thread *t);

/* The masked variant, made when first needed; NULL on failure. */
const struct jit_masked *eu_jit_masked(const struct eu_jit *compiled);

/* Announces the code to profilers and debuggers that asked (listing.h): this
 * variant now, the masked one when it is made. */
void eu_jit_announce(struct eu_jit *jit);

/* The code for threads with all channels on. */
struct jit_variant eu_jit_unmasked_variant(const struct eu_jit *jit);

#endif
