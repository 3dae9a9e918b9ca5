/* tier.c: selects the tier that runs a thread: the interpreter, compiled code,
 * or both, compared. */
#include "eu/tiers/tiers.h"

#include "base/fpmode.h"
#include "base/known.h"
#include "eu/jit/jit.h"
#include "eu/profile/profile.h"

#include <stdlib.h>

/* The tier without SOFTLAKE_EU. */
#define DEFAULT_TIER EU_TIER_JIT

static int
read_tier(void)
{
    const char *s = getenv("SOFTLAKE_EU");
    if (!s || !*s)
        return DEFAULT_TIER;
    if (!strcmp(s, "jit"))
        return EU_TIER_JIT;
    if (!strcmp(s, "check"))
        return EU_TIER_CHECK;
    if (strcmp(s, "interp"))
        log_printf("SOFTLAKE_EU=%s: expected interp, jit or check\n", s);
    return EU_TIER_INTERP;
}

enum eu_tier
eu_tier_selected(void)
{
    static atomic_int known;
    return (enum eu_tier)known_int(&known, read_tier);
}

static void
run_checked(const struct eu_jit *jit, struct eu_thread *t, uint64_t *left)
{
    char text[512];
    if (eu_jit_agrees(jit, t, left, text, sizeof text))
        return;
    log_printf("SOFTLAKE_EU=check: kernel %016llx: %s\n",
               (unsigned long long)t->kernel->hash, text);
    abort();
}

/* Runs the thread as far as compiled code goes; compiles its kernel first, if
 * necessary. The caller interprets a thread that is still EU_RUNNING with
 * budget left. The host's float mode is the thread's. */
static void
run_compiled(struct eu_thread *t, uint64_t *left)
{
    bool check = eu_tier_selected() == EU_TIER_CHECK;
    const struct eu_jit *jit = eu_jit_code_of(
        t->kernel, (check ? EU_JIT_SPLIT : 0u) | eu_jit_modes(t));
    if (!jit)
        return;
    if (check) {
        run_checked(jit, t, left);
        return;
    }
    int64_t n = (int64_t)MIN2(*left, (uint64_t)INT64_MAX), budget = n;
    eu_jit_go_on(jit, t, &n);
    uint64_t spent = (uint64_t)(budget - n);
    *left = spent < *left ? *left - spent : 0;
}

static enum eu_status
run_thread(struct eu_thread *t, uint64_t budget, bool reference)
{
    if (t->status != EU_RUNNING && t->status != EU_WAITING)
        return t->status;
    bool slow = reference || t->counts || trace_on(TRACE_eustep);
    uint32_t host_mode = fpmode_get();
    uint64_t left = budget;
    eu_profile_enter(t->kernel->profile_slot);
    eu_thread_update_mxcsr(t);
    t->status = EU_RUNNING;
    t->waits_at = NULL;
    if (!slow && eu_tier_selected() != EU_TIER_INTERP)
        run_compiled(t, &left);
    if (t->status == EU_RUNNING && left)
        eu_interpret(t, slow, &left);
    fpmode_set(host_mode);
    eu_thread_account(t, budget - left);
    return t->status;
}

enum eu_status
eu_run(struct eu_thread *thread, uint64_t budget)
{
    return run_thread(thread, budget, false);
}

enum eu_status
eu_run_reference(struct eu_thread *thread, uint64_t budget)
{
    return run_thread(thread, budget, true);
}
