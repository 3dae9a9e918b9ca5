/* launch.c: launches: threads of one kernel with an equal initial state. */
#include "eu/tiers/tiers.h"

#include "base/fpmode.h"
#include "eu/jit/jit.h"
#include "eu/profile/profile.h"

static enum eu_status
run_any(const struct eu_launch *l, struct eu_thread *t, uint64_t budget)
{
    return eu_run(t, budget);
}

static void
find_live_in(struct eu_launch *l)
{
    const struct eu_live_in *in = eu_kernel_live_in(l->start.kernel);
    memset(l->live_in, 0xff, sizeof l->live_in);
    memset(l->zero, 0, sizeof l->zero);
    l->acc = true;
    l->lane_independent = l->quad_dependent = false;
    l->required_mask = UINT32_MAX;
    l->captures_rt_write = l->steady = false;
    l->last_pred = true;
    l->chain_sets_mask = false;
    l->clobbers = EU_CLOBBERS_ALL;
    l->sfids = UINT32_MAX;
    l->sample_store = (struct eu_message){0};
    memset(l->written, 0xff, sizeof l->written);
    if (!in)
        return;
    l->captures_rt_write = in->captures_rt_write && l->jit;
    l->steady = in->steady;
    l->last_pred = in->last_pred;
    l->chain_sets_mask = in->chain_sets_mask && l->captures_rt_write;
    l->clobbers = in->clobbers;
    l->sfids = in->sfids;
    l->last_sfid = in->last_sfid;
    l->last_desc = in->last_desc;
    if (l->captures_rt_write)
        l->sample_store = in->sample_store;
    l->acc = in->acc;
    l->lane_independent = in->lane_independent && !l->start.single_program_flow;
    l->quad_dependent = in->quad_dependent;
    l->required_mask = in->required_mask;
    for (unsigned i = 0; i < 4; i++) {
        unsigned shift = i % 2 * 32;
        l->live_in[i] = (uint32_t)(in->full[i / 2] >> shift);
        l->written[i] = (uint32_t)(in->written[i / 2] >> shift);
        l->zero[i] = (uint32_t)(in->masked[i / 2] >> shift) & ~l->live_in[i];
    }
}

void
eu_launch_init(struct eu_launch *l, const struct eu_start *start)
{
    struct eu_thread t;
    l->start = *start;
    l->run = l->resume = run_any;
    l->jit = NULL;
    l->enter = NULL;
    l->entry = NULL;
    l->chain_grf = 0;
    l->chain_weights = false;
    l->chains = false;
    l->lockstep = NULL;
    l->two = NULL;
    eu_thread_init(&t, start);
    memcpy(l->begin, t.a0, sizeof l->begin);
    l->mxcsr = t.mxcsr;
    if (eu_tier_selected() == EU_TIER_JIT && !start->counts &&
        !trace_on(TRACE_eustep))
        eu_jit_prepare(l); /* also finds liveness */
    find_live_in(l);
    /* Channels do not diverge: more channels may execute than are on. */
    if (start->single_program_flow)
        l->required_mask = UINT32_MAX;
}

void
eu_launch_set_group(struct eu_launch *l, const struct mem_range *slm,
                    unsigned *arrived)
{
    const size_t begin_B = offsetof(struct eu_thread, a0);
    size_t slm_B = offsetof(struct eu_thread, slm) - begin_B;
    size_t arrived_B = offsetof(struct eu_thread, arrived) - begin_B;
    l->start.slm = slm;
    l->start.arrived = arrived;
    memcpy(l->begin + slm_B, &slm, sizeof slm);
    memcpy(l->begin + arrived_B, &arrived, sizeof arrived);
}

static void
zero_grfs(struct eu_thread *t, const uint32_t set[4])
{
    for (unsigned i = 0; i < 4; i++)
        for (uint32_t left = set[i]; left; left &= left - 1)
            memset(eu_grf(t, i * 32 + (unsigned)__builtin_ctz(left)), 0,
                   EU_GRF_B);
}

/* Bits of registers from first_grf on, of 32 registers. */
static uint32_t
grfs_from(unsigned first_grf, unsigned word)
{
    unsigned below = first_grf <= word * 32 ? 0 : first_grf - word * 32;
    return below < 32 ? UINT32_MAX << below : 0;
}

void
eu_launch_zero(const struct eu_launch *l, struct eu_thread *t,
               unsigned first_grf)
{
    uint32_t set[4];
    for (unsigned i = 0; i < 4; i++)
        set[i] = l->live_in[i] & grfs_from(first_grf, i);
    zero_grfs(t, set);
}

static inline void
start_thread(const struct eu_launch *l, struct eu_thread *t,
             uint32_t dispatch_mask, uint32_t vector_mask)
{
    memcpy(t->a0, l->begin, sizeof l->begin);
    t->chain = NULL;
    t->epilogue = (struct eu_epilogue){.fn = NULL};
    t->sr0[2] = dispatch_mask;
    t->sr0[3] = vector_mask;
    t->mask = l->start.vector_mask_enable ? vector_mask : dispatch_mask;
    if (l->acc)
        memset(t->acc, 0, sizeof t->acc + sizeof t->acc_wide);
    if (!eu_masks_nothing(t->mask, l->required_mask, l->lane_independent,
                          l->quad_dependent))
        zero_grfs(t, l->zero);
}

void
eu_launch_start(const struct eu_launch *l, struct eu_thread *t,
                uint32_t dispatch_mask, uint32_t vector_mask)
{
    t->captured = NULL;
    eu_launch_count_from(t);
    start_thread(l, t, dispatch_mask, vector_mask);
}

enum eu_status
eu_launch_run(const struct eu_launch *l, struct eu_thread *t,
              uint32_t dispatch_mask, uint32_t vector_mask, uint64_t budget)
{
    eu_launch_start(l, t, dispatch_mask, vector_mask);
    return l->run(l, t, budget);
}

bool
eu_launch_run_two(const struct eu_launch *l, struct eu_thread *t,
                  const uint32_t mask[2], uint64_t budget)
{
    for (unsigned n = 0; n < 2; n++) {
        if (!eu_masks_nothing(mask[n], l->required_mask, l->lane_independent,
                              l->quad_dependent))
            return false;
        eu_launch_start(l, &t[n], mask[n], mask[n]);
    }
    eu_profile_enter(l->start.kernel->profile_slot);
    return l->two(l, t, budget);
}

enum eu_status
eu_launch_next(const struct eu_launch *l, struct eu_thread *t,
               uint32_t dispatch_mask, uint32_t vector_mask, int64_t *left)
{
    start_thread(l, t, dispatch_mask, vector_mask);
    if (eu_masks_nothing(t->mask, l->required_mask, l->lane_independent,
                         l->quad_dependent))
        *left = l->enter(t, *left, l->entry, t->mask);
    return eu_launch_go_on(l, t, left);
}

enum eu_status
eu_launch_go_on(const struct eu_launch *l, struct eu_thread *t, int64_t *left)
{
    eu_jit_go_on(l->jit, t, left);
    if (t->status != EU_FINISHED)
        t->captured = NULL;
    return t->status;
}

void
eu_launch_count_from(struct eu_thread *t)
{
    t->message_count = 0;
    t->interpreted_count = 0;
    t->chain = NULL;
    t->epilogue = (struct eu_epilogue){.fn = NULL};
}

void
eu_launch_count(struct eu_thread *t, uint64_t spent, unsigned caught,
                unsigned times)
{
    t->message_count = (t->message_count + caught) * times;
    t->interpreted_count *= times;
    eu_thread_account(t, spent * times);
}

enum eu_status
eu_launch_resume(const struct eu_launch *l, struct eu_thread *t,
                 uint64_t budget)
{
    return l->resume(l, t, budget);
}

uint32_t
eu_launch_begin(const struct eu_launch *l)
{
    eu_profile_enter(l->start.kernel->profile_slot);
    return fpmode_enter(l->mxcsr);
}

void
eu_launch_end(const struct eu_launch *l, uint32_t before)
{
    fpmode_leave(l->mxcsr, before);
}
