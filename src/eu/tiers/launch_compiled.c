/* launch_compiled.c: launches whose threads begin in compiled code. */
#include "eu/tiers/tiers.h"

#include "base/fpmode.h"
#include "eu/jit/driver/driver.h"
#include "eu/profile/profile.h"

/* Runs as far as compiled code continues. */
static void
run_rest(const struct eu_launch *l, struct eu_thread *t, int64_t budget,
         int64_t left)
{
    eu_jit_go_on(l->jit, t, &left);
    eu_thread_account(t, (uint64_t)(budget - left));
}

/* eu_run() does the rest. */
static enum eu_status
interpret_rest(struct eu_thread *t, uint64_t budget, uint64_t before)
{
    uint64_t spent = t->insn_count - before;
    return t->status == EU_RUNNING && spent < budget ? eu_run(t, budget - spent)
                                                     : t->status;
}

/* All channels are on from the first instruction. */
static enum eu_status
run_launch(const struct eu_launch *l, struct eu_thread *t, uint64_t budget)
{
    int64_t n = (int64_t)MIN2(budget, (uint64_t)INT64_MAX), left = n;
    eu_profile_enter(t->kernel->profile_slot);
    uint32_t before = fpmode_enter(l->mxcsr);
    if (eu_masks_nothing(t->mask, l->required_mask, l->lane_independent,
                         l->quad_dependent))
        left = l->enter(t, n, l->entry, t->mask);
    run_rest(l, t, n, left);
    fpmode_leave(l->mxcsr, before);
    return interpret_rest(t, budget, 0);
}

/* A waiting thread is in the state that compiled code has left. */
static enum eu_status
resume_launch(const struct eu_launch *l, struct eu_thread *t, uint64_t budget)
{
    int64_t n = (int64_t)MIN2(budget, (uint64_t)INT64_MAX), left = n;
    uint64_t ran = t->insn_count;
    const void *at = t->waits_at;
    if (t->status != EU_RUNNING && t->status != EU_WAITING)
        return t->status;
    eu_profile_enter(t->kernel->profile_slot);
    uint32_t mode = t->mxcsr, before = fpmode_enter(mode);
    t->status = EU_RUNNING;
    t->waits_at = NULL;
    if (at)
        left = l->enter(t, n, at, eu_jit_dispatched(t));
    run_rest(l, t, n, left);
    fpmode_leave(mode, before);
    return interpret_rest(t, budget, ran);
}

static void
first_thread(const struct eu_launch *l, struct eu_thread *t)
{
    struct eu_start every = l->start;
    every.dispatch_mask = every.vector_mask = UINT32_MAX;
    eu_thread_init(t, &every);
}

static void
use_code(const struct eu_jit *jit, struct eu_launch *l,
         const struct eu_thread *t)
{
    const void *prologue;
    const uint8_t *entry = eu_jit_entry(jit, t, &prologue);
    if (!entry)
        return;
    l->jit = jit;
    memcpy(&l->enter, &prologue, sizeof l->enter);
    l->entry = entry;
    l->chain_grf = jit->chain_grf;
    l->chain_weights = jit->chain_weights;
    l->chains = jit->chains;
    l->lockstep = jit->lockstep ? eu_jit_run_lockstep : NULL;
    l->two = jit->groups ? eu_jit_run_two : NULL;
    l->run = run_launch;
    l->resume = resume_launch;
}

void
eu_jit_launch(const struct eu_jit *jit, struct eu_launch *l)
{
    struct eu_thread t;
    first_thread(l, &t);
    use_code(jit, l, &t);
}

void
eu_jit_prepare(struct eu_launch *l)
{
    struct eu_thread t;
    first_thread(l, &t);
    const struct eu_jit *jit = eu_jit_code_of(t.kernel, eu_jit_modes(&t));
    if (jit)
        use_code(jit, l, &t);
}
