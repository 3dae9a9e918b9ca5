/* tier.c: which tier runs a kernel, and running compiled code. */
#include "base/fpmode.h"
#include "base/known.h"
#include "eu/jit/show.h"

#include <stdlib.h>

/* The tier when SOFTLAKE_EU says nothing. */
#define DEFAULT_TIER EU_TIER_JIT

#define CR0_ALT (1u << 0)
#define CR0_VMASK (1u << 3)
#define CR0_ROUNDING (3u << 4)
#define CR0_KEEP_F (1u << 7)
#define CR0_KEEP_DF (1u << 6)
#define CR0_KEEP_HF (1u << 10)
#define CR0_ROUND_TO_INT (1u << 12)

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

/* ---- running ---- */

/* dispatch: the channels that the thread has; code returns when it changes */
typedef int64_t (*entry_fn)(struct eu_thread *t, int64_t budget,
                            const void *start, uint64_t dispatch);

/* Where the thread goes on; NULL: not in compiled code. */
static const uint8_t *
entry_of(const struct eu_jit *jit, const struct eu_thread *t,
         const void **prologue)
{
    const struct eu_kernel *k = jit->kernel;
    if (t->ip / 8 >= k->size_B / 8 || (t->ip & 7) ||
        k->op_of[t->ip / 8] == EU_NO_OP ||
        (t->cr0[0] & (EU_CR0_SPF | CR0_ROUND_TO_INT)) ||
        !(t->cr0[0] & CR0_ALT) != !(jit->flags & EU_JIT_ALT) ||
        (k->early_cr0 & ~t->cr0[0]) ||
        (jit->needs_nearest && (t->cr0[0] & CR0_ROUNDING)) ||
        (jit->needs_flush && (t->cr0[0] & CR0_KEEP_F)) ||
        (jit->needs_denorms && !(t->cr0[0] & CR0_KEEP_DF)) ||
        (jit->needs_halves && !(t->cr0[0] & CR0_KEEP_HF)))
        return NULL;
    bool full = eu_masks_nothing(t->mask, jit->need, jit->apart, jit->quads) &&
                !(jit->flat && t->ip);
    const struct jit_masked *m = full ? NULL : eu_jit_masked(jit);
    if (!full && !m)
        return NULL;
    const struct jit_places *p = m ? m->places : jit->places;
    uint32_t op = k->op_of[t->ip / 8];
    uint32_t start = op < p->starts ? p->label[op] : 0;
    *prologue = m ? m->code : jit->code;
    return start ? (const uint8_t *)*prologue + start : NULL;
}

bool
eu_jit_enters(const struct eu_jit *jit, const struct eu_thread *t)
{
    const void *prologue;
    return entry_of(jit, t, &prologue) != NULL;
}

static uint32_t
dispatched(const struct eu_thread *t)
{
    return t->sr0[t->cr0[0] & CR0_VMASK ? 3 : 2];
}

bool
eu_jit_enter(const struct eu_jit *jit, struct eu_thread *t, int64_t *left)
{
    const void *prologue;
    const uint8_t *start = entry_of(jit, t, &prologue);
    if (!start)
        return false;
    entry_fn fn;
    memcpy(&fn, &prologue, sizeof fn);
    *left = fn(t, *left, start, dispatched(t));
    return true;
}

/* As far as compiled code and the budget go. */
static inline void
run_compiled(const struct eu_jit *jit, struct eu_thread *t, int64_t *left)
{
    while (t->status == EU_RUNNING && *left > 0 && eu_jit_enter(jit, t, left))
        ;
}

/* The code of the kernel, compiled by whoever comes first. From its first run
 * on: were some threads interpreted, which NaN a pixel holds could depend on
 * the number of workers. */
static const struct eu_jit *
code_of(const struct eu_kernel *kernel, unsigned flags)
{
    struct eu_kernel *k = (struct eu_kernel *)kernel;
    _Atomic(struct eu_jit *) *slot = flags & EU_JIT_ALT ? &k->jit_alt : &k->jit;
    struct eu_jit *jit = atomic_load_explicit(slot, memory_order_acquire);
    if (jit || atomic_load_explicit(&k->jit_failed, memory_order_relaxed))
        return jit;
    struct eu_jit *mine = eu_jit_compile(kernel, cpu_selected(), flags);
    if (!mine) {
        atomic_store_explicit(&k->jit_failed, true, memory_order_relaxed);
        return NULL;
    }
    eu_jit_show(mine);
    if (atomic_compare_exchange_strong(slot, &jit, mine)) {
        const struct jit_copy copy = eu_jit_full_copy(mine);
        if (trace_on(TRACE_jit))
            eu_jit_trace(mine, &copy);
        return mine;
    }
    eu_jit_free(mine);
    return jit;
}

static unsigned
modes_of(const struct eu_thread *t)
{
    return (t->cr0[0] & CR0_KEEP_F ? EU_JIT_DENORMALS : 0u) |
           (t->cr0[0] & CR0_ALT ? EU_JIT_ALT : 0u);
}

static void
run_checked(const struct eu_jit *jit, struct eu_thread *t, uint64_t *left)
{
    char text[512];
    if (eu_jit_agrees(jit, t, left, text, sizeof text))
        return;
    log_printf("SOFTLAKE_EU=check: kernel %016llx: %s\n",
               (unsigned long long)jit->kernel->hash, text);
    abort();
}

void
eu_jit_run(struct eu_thread *t, uint64_t *left)
{
    bool check = eu_tier_selected() == EU_TIER_CHECK;
    const struct eu_jit *jit = code_of(t->kernel, (check ? EU_JIT_SPLIT : 0u) |
                                                      modes_of(t));
    if (!jit)
        return;
    if (check) {
        run_checked(jit, t, left);
        return;
    }
    int64_t n = (int64_t)MIN2(*left, (uint64_t)INT64_MAX), budget = n;
    run_compiled(jit, t, &n);
    uint64_t spent = (uint64_t)(budget - n);
    *left = spent < *left ? *left - spent : 0;
}

enum eu_status
eu_jit_execute(const struct eu_jit *jit, struct eu_thread *t, uint64_t budget)
{
    int64_t n = (int64_t)budget;
    run_compiled(jit, t, &n);
    return t->status;
}

struct eu_jit_info
eu_jit_info(const struct eu_jit *jit)
{
    return (struct eu_jit_info){.code_B = (uint32_t)jit->size_B,
                                .has_masked = atomic_load(&jit->masked) != NULL,
                                .apart = jit->apart,
                                .op_count = jit->kernel->op_count,
                                .native_count = jit->native_count};
}

bool
eu_jit_complete(const struct eu_jit *jit)
{
    return eu_jit_masked(jit) != NULL;
}

const void *
eu_jit_code(const struct eu_jit *jit, size_t *size_B)
{
    *size_B = jit->size_B;
    return jit->code;
}

/* ---- launches ---- */

void
eu_jit_go_on(const struct eu_jit *jit, struct eu_thread *t, int64_t *left)
{
    run_compiled(jit, t, left);
}

/* Wherever compiled code goes on. */
static void
go_on(const struct eu_launch *l, struct eu_thread *t, int64_t budget,
      int64_t left)
{
    run_compiled(l->jit, t, &left);
    eu_thread_account(t, (uint64_t)(budget - left));
}

/* The rest is eu_run()'s. */
static enum eu_status
interpret_rest(struct eu_thread *t, uint64_t budget, uint64_t before)
{
    uint64_t spent = t->insn_count - before;
    return t->status == EU_RUNNING && spent < budget ? eu_run(t, budget - spent)
                                                     : t->status;
}

/* With every channel on from the first instruction. */
static enum eu_status
run_launch(const struct eu_launch *l, struct eu_thread *t, uint64_t budget)
{
    int64_t n = (int64_t)MIN2(budget, (uint64_t)INT64_MAX), left = n;
    uint32_t before = fpmode_enter(l->mxcsr);
    if (eu_masks_nothing(t->mask, l->need, l->apart, l->quads))
        left = l->enter(t, n, l->entry, t->mask);
    go_on(l, t, n, left);
    fpmode_leave(l->mxcsr, before);
    return interpret_rest(t, budget, 0);
}

/* A thread that waits is as compiled code has left it. */
static enum eu_status
resume_launch(const struct eu_launch *l, struct eu_thread *t, uint64_t budget)
{
    int64_t n = (int64_t)MIN2(budget, (uint64_t)INT64_MAX), left = n;
    uint64_t ran = t->insn_count;
    const void *at = t->waits_at;
    if (t->status != EU_RUNNING && t->status != EU_WAITING)
        return t->status;
    uint32_t mode = t->mxcsr, before = fpmode_enter(mode);
    t->status = EU_RUNNING;
    t->waits_at = NULL;
    if (at)
        left = l->enter(t, n, at, dispatched(t));
    go_on(l, t, n, left);
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
use(const struct eu_jit *jit, struct eu_launch *l, const struct eu_thread *t)
{
    const void *prologue;
    const uint8_t *entry = entry_of(jit, t, &prologue);
    if (!entry)
        return;
    l->jit = jit;
    memcpy(&l->enter, &prologue, sizeof l->enter);
    l->entry = entry;
    l->row_grf = jit->row_grf;
    l->row_weights = jit->row_weights;
    l->rows = jit->rows;
    l->pairs = jit->pairs ? eu_jit_run_pairs : NULL;
    l->two = jit->groups ? eu_jit_run_two : NULL;
    l->run = run_launch;
    l->resume = resume_launch;
}

void
eu_jit_launch(const struct eu_jit *jit, struct eu_launch *l)
{
    struct eu_thread t;
    first_thread(l, &t);
    use(jit, l, &t);
}

void
eu_jit_prepare(struct eu_launch *l)
{
    struct eu_thread t;
    first_thread(l, &t);
    const struct eu_jit *jit = code_of(t.kernel, modes_of(&t));
    if (jit)
        use(jit, l, &t);
}
