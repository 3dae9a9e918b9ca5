/* lockstep_run.c: runs two or four threads of a chain in lockstep, with the
 * code of lockstep.c, once that pays; otherwise one after another. */
#include "eu/jit/lockstep/lockstep_threads.h"

#include "base/fpmode.h"

/* Chain entries after which lockstep pays. In shorter kernels the host overlaps
 * threads by itself. */
#define MANY_ROWS 48
#define LEAST_OPS 8
#define LEAST_OPS_VEX 40 /* with AVX2: threads have eight registers each */
#define LEAST_OPS_OF_FOUR 40
/* Diverged chains after which lockstep does not pay. */
#define MANY_LOST 16

static const struct jit_lockstep *
code_for(const struct eu_jit *jit, unsigned threads)
{
    return atomic_load_explicit(&jit->lockstep_code[threads > 2].code,
                                memory_order_acquire);
}

/* Whether lockstep code exists, or may be made now. */
static bool
is_hot(const struct eu_jit *compiled)
{
    struct eu_jit *jit = (struct eu_jit *)compiled;
    const uint32_t least = jit->cpu == CPU_AVX512 ? LEAST_OPS : LEAST_OPS_VEX;
    if (atomic_load_explicit(&jit->lost, memory_order_relaxed) > MANY_LOST)
        return false;
    return code_for(jit, 2) ||
           (!atomic_load_explicit(&jit->lockstep_code[0].failed,
                                  memory_order_relaxed) &&
            jit->kernel->op_count >= least &&
            atomic_fetch_add_explicit(&jit->ran, 1, memory_order_relaxed) >=
                MANY_ROWS);
}

static uint8_t *
next_grf(uint64_t *set, uint8_t *grf)
{
    unsigned g = (unsigned)__builtin_ctzll(*set);
    *set &= *set - 1;
    return grf + g * EU_GRF_B;
}

/* Saves, or restores, the registers that the threads change. */
static void
move_kept(const struct eu_jit *jit, struct eu_thread *t, uint8_t *kept,
          bool back)
{
    for (unsigned w = 0; w < 2; w++) {
        uint64_t left = jit->lockstep_keeps.w[w];
        for (; left; kept += EU_GRF_B) {
            uint8_t *grf = next_grf(&left, t->grf + w * 64 * EU_GRF_B);
            memcpy(back ? grf : kept, back ? kept : grf, EU_GRF_B);
        }
    }
}

/* Copies the first thread's initial state to the others. */
static void
fill_others(const struct eu_launch *l, struct eu_thread *t, unsigned threads)
{
    for (unsigned n = 1; n < threads; n++) {
        memcpy(t[n].a0, l->begin, sizeof l->begin);
        t[n].user = t[0].user;
        for (unsigned i = 0; i < 4; i++)
            for (uint32_t left = l->live_in[i]; left; left &= left - 1) {
                unsigned g = i * 32 + (unsigned)__builtin_ctz(left);
                memcpy(t[n].grf + g * EU_GRF_B, t->grf + g * EU_GRF_B,
                       EU_GRF_B);
            }
    }
}

static void
count_lost(const struct eu_jit *compiled)
{
    struct eu_jit *jit = (struct eu_jit *)compiled;
    atomic_fetch_add_explicit(&jit->lost, 1, memory_order_relaxed);
}

/* With messages, lockstep gains less: only longer chains make up for its
 * start. */
#define LEAST_ROWS_THAT_SEND 16

static bool
has_rows(const struct eu_chain_entry *row, unsigned least)
{
    while (--least && row->more)
        row++;
    return !least;
}

static const struct jit_lockstep *
code_for_four(const struct eu_jit *jit)
{
    return jit->kernel->op_count >= LEAST_OPS_OF_FOUR ? eu_jit_lockstep(jit, 4)
                                                      : code_for(jit, 4);
}

static int64_t
enter_code(const struct jit_lockstep *p, struct eu_thread *t, int64_t left)
{
    int64_t (*code)(struct eu_thread *, int64_t, const void *, uint64_t);
    memcpy(&code, &p->code, sizeof code);
    return code(t, left, (const uint8_t *)p->code + p->begin, 0);
}

/* As eu_launch.lockstep, with `threads` at a time. */
static bool
run_together(const struct eu_launch *l, const struct jit_lockstep *p,
             struct eu_thread *t, unsigned threads, int64_t *left)
{
    uint8_t *kept = (uint8_t *)t + KEPT_GRFS;
    memcpy(t->a0, l->begin, sizeof l->begin);
    fill_others(l, t, threads);
    move_kept(l->jit, t, kept, false);
    t->status = EU_RUNNING;
    *left = enter_code(p, t, *left);
    if (t->status == EU_FINISHED)
        return true;
    move_kept(l->jit, t, kept, true);
    return false;
}

bool
eu_jit_run_lockstep(const struct eu_launch *l, struct eu_thread *t,
                    int64_t *left)
{
    const struct jit_lockstep *p;
    if (!is_hot(l->jit) ||
        !has_rows(t->chain, l->sfids ? LEAST_ROWS_THAT_SEND : 2))
        return false;
    if (has_rows(t->chain, 4) && (p = code_for_four(l->jit)) &&
        run_together(l, p, t, 4, left))
        return true;
    if (!t->chain->more || !(p = eu_jit_lockstep(l->jit, 2)))
        return false;
    if (run_together(l, p, t, 2, left))
        return true;
    if (t->chain->more)
        count_lost(l->jit);
    return false;
}

bool
eu_jit_run_two(const struct eu_launch *l, struct eu_thread *t, uint64_t budget)
{
    const struct jit_lockstep *p;
    if (!l->start.ends_quietly || !is_hot(l->jit) ||
        !(p = eu_jit_lockstep(l->jit, 2)))
        return false;
    for (unsigned n = 0; n < 2; n++)
        move_kept(l->jit, &t[n], (uint8_t *)&t[n] + KEPT_OWN_GRFS, false);
    int64_t both = 2 * (int64_t)MIN2(budget, (uint64_t)INT64_MAX / 4);
    uint32_t before = fpmode_enter(l->mxcsr);
    int64_t left = enter_code(p, t, both);
    fpmode_leave(l->mxcsr, before);
    if (t[0].status != EU_RUNNING || t[1].status != EU_RUNNING) {
        for (unsigned n = 0; n < 2; n++)
            eu_thread_account(&t[n], (uint64_t)(both - left) / 2);
        return true;
    }
    for (unsigned n = 0; n < 2; n++)
        move_kept(l->jit, &t[n], (uint8_t *)&t[n] + KEPT_OWN_GRFS, true);
    count_lost(l->jit);
    return false;
}
