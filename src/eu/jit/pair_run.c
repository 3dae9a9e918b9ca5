/* pair_run.c: two or four threads of a row at a time, with the code of pair.c,
 * once it pays; and they one after the other where it does not. */
#include "eu/jit/code.h"
#include "eu/jit/pair.h"

#include "base/fpmode.h"

/* Rows after which it pays. Of fewer instructions than that the host sees those
 * of the next thread by itself. */
#define MANY_ROWS 48
#define LEAST_OPS 8
#define LEAST_OPS_OF_FOUR 40
/* Rows that were lost after which it does not. */
#define MANY_LOST 16

static const struct jit_together *
made(const struct eu_jit *jit, unsigned threads)
{
    return atomic_load_explicit(&jit->together[threads > 2].code,
                                memory_order_acquire);
}

/* Whether there is code for two threads, or may be now. */
static bool
is_hot(const struct eu_jit *compiled)
{
    struct eu_jit *jit = (struct eu_jit *)compiled;
    if (atomic_load_explicit(&jit->lost, memory_order_relaxed) > MANY_LOST)
        return false;
    return made(jit, 2) ||
           (!atomic_load_explicit(&jit->together[0].failed,
                                  memory_order_relaxed) &&
            jit->kernel->op_count >= LEAST_OPS &&
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

/* What they change, kept or as it was kept. */
static void
move_kept(const struct eu_jit *jit, struct eu_thread *t, uint8_t *kept,
          bool back)
{
    for (unsigned w = 0; w < 2; w++) {
        uint64_t left = jit->pair_keeps.w[w];
        for (; left; kept += EU_GRF_B) {
            uint8_t *grf = next_grf(&left, t->grf + w * 64 * EU_GRF_B);
            memcpy(back ? grf : kept, back ? kept : grf, EU_GRF_B);
        }
    }
}

/* What the first one has been given. */
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

/* Where messages are sent, two threads gain less, and a row has to be longer
 * for that to make up for what it takes to begin. */
#define LEAST_ROWS_THAT_SEND 16

static bool
has_rows(const struct eu_row *row, unsigned least)
{
    while (--least && row->more)
        row++;
    return !least;
}

static const struct jit_together *
four(const struct eu_jit *jit)
{
    return jit->kernel->op_count >= LEAST_OPS_OF_FOUR ? eu_jit_together(jit, 4)
                                                      : made(jit, 4);
}

static int64_t
enter(const struct jit_together *p, struct eu_thread *t, int64_t left)
{
    int64_t (*code)(struct eu_thread *, int64_t, const void *, uint64_t);
    memcpy(&code, &p->code, sizeof code);
    return code(t, left, (const uint8_t *)p->code + p->begin, 0);
}

/* As eu_launch.pairs, so many at a time. */
static bool
run_together(const struct eu_launch *l, const struct jit_together *p,
             struct eu_thread *t, unsigned threads, int64_t *left)
{
    uint8_t *kept = (uint8_t *)t + KEPT_GRFS;
    memcpy(t->a0, l->begin, sizeof l->begin);
    fill_others(l, t, threads);
    move_kept(l->jit, t, kept, false);
    t->status = EU_RUNNING;
    *left = enter(p, t, *left);
    if (t->status == EU_FINISHED)
        return true;
    move_kept(l->jit, t, kept, true);
    return false;
}

bool
eu_jit_run_pairs(const struct eu_launch *l, struct eu_thread *t, int64_t *left)
{
    const struct jit_together *p;
    if (!is_hot(l->jit) ||
        !has_rows(t->row, l->sfids ? LEAST_ROWS_THAT_SEND : 2))
        return false;
    if (has_rows(t->row, 4) && (p = four(l->jit)) &&
        run_together(l, p, t, 4, left))
        return true;
    if (!t->row->more || !(p = eu_jit_together(l->jit, 2)))
        return false;
    if (run_together(l, p, t, 2, left))
        return true;
    if (t->row->more)
        count_lost(l->jit);
    return false;
}

bool
eu_jit_run_two(const struct eu_launch *l, struct eu_thread *t, uint64_t budget)
{
    const struct jit_together *p;
    if (!l->start.ends_quietly || !is_hot(l->jit) ||
        !(p = eu_jit_together(l->jit, 2)))
        return false;
    for (unsigned n = 0; n < 2; n++)
        move_kept(l->jit, &t[n], (uint8_t *)&t[n] + KEPT_OWN_GRFS, false);
    int64_t both = 2 * (int64_t)MIN2(budget, (uint64_t)INT64_MAX / 4);
    uint32_t before = fpmode_enter(l->mxcsr);
    int64_t left = enter(p, t, both);
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
