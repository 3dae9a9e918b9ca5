/* tiers.h: selects the tier that runs a thread; launches whose threads begin in
 * compiled code.
 *
 * Callers: launch.c, tests. Any thread; the choice is read once from
 * SOFTLAKE_EU. tier.c also has eu_run() of eu.h. */
#ifndef EU_TIERS_TIERS_H
#define EU_TIERS_TIERS_H

#include "eu/interp/interp.h"

enum eu_tier {
    EU_TIER_INTERP,
    EU_TIER_JIT,
    EU_TIER_CHECK, /* both, compared after every block */
};

/* SOFTLAKE_EU, read once. */
enum eu_tier eu_tier_selected(void);

/* eu_run() through the interpreter's general path. */
enum eu_status eu_run_reference(struct eu_thread *thread, uint64_t budget);

struct eu_jit;
/* Prepares the launch for compiled code, if its threads begin there. */
void eu_jit_prepare(struct eu_launch *launch);
/* Makes the launch's threads run this code, whatever SOFTLAKE_EU says. */
void eu_jit_launch(const struct eu_jit *jit, struct eu_launch *launch);

#endif
