/* enter.c: runs compiled code, and compiles a kernel when it first runs. */
#include "eu/jit/driver/driver.h"

#define CR0_ALT (1u << 0)
#define CR0_VMASK (1u << 3)
#define CR0_ROUNDING (3u << 4)
#define CR0_KEEP_F (1u << 7)
#define CR0_KEEP_DF (1u << 6)
#define CR0_KEEP_HF (1u << 10)
#define CR0_ROUND_TO_INT (1u << 12)

/* dispatch: the thread's channels; the code returns when they change */
typedef int64_t (*entry_fn)(struct eu_thread *t, int64_t budget,
                            const void *start, uint64_t dispatch);

/* Where the thread continues; NULL: not in compiled code. */
const uint8_t *
eu_jit_entry(const struct eu_jit *jit, const struct eu_thread *t,
             const void **prologue)
{
    const struct eu_kernel *k = jit->kernel;
    if (t->ip / 8 >= k->size_B / 8 || (t->ip & 7) ||
        k->op_of[t->ip / 8] == EU_NO_OP ||
        (t->cr0[0] & (EU_CR0_SPF | CR0_ROUND_TO_INT)) ||
        !(t->cr0[0] & CR0_ALT) != !(jit->flags & EU_JIT_ALT) ||
        (k->initial_cr0 & ~t->cr0[0]) ||
        (jit->needs_nearest && (t->cr0[0] & CR0_ROUNDING)) ||
        (jit->needs_flush && (t->cr0[0] & CR0_KEEP_F)) ||
        (jit->needs_denorms && !(t->cr0[0] & CR0_KEEP_DF)) ||
        (jit->needs_halves && !(t->cr0[0] & CR0_KEEP_HF)))
        return NULL;
    uint32_t op = k->op_of[t->ip / 8];
    bool full = eu_masks_nothing(t->mask, jit->required_mask,
                                 jit->lane_independent, jit->quad_dependent) &&
                !(jit->if_converted && t->ip) &&
                !(jit->places->start[op] & JIT_GUARDED);
    const struct jit_masked *m = full ? NULL : eu_jit_masked(jit);
    if (!full && !m)
        return NULL;
    const struct jit_places *p = m ? m->places : jit->places;
    uint32_t start = op < p->starts ? p->label[op] : 0;
    *prologue = m ? m->code : jit->code;
    return start ? (const uint8_t *)*prologue + start : NULL;
}

bool
eu_jit_enters(const struct eu_jit *jit, const struct eu_thread *t)
{
    const void *prologue;
    return eu_jit_entry(jit, t, &prologue) != NULL;
}

uint32_t
eu_jit_dispatched(const struct eu_thread *t)
{
    return t->sr0[t->cr0[0] & CR0_VMASK ? 3 : 2];
}

bool
eu_jit_enter(const struct eu_jit *jit, struct eu_thread *t, int64_t *left)
{
    const void *prologue;
    const uint8_t *start = eu_jit_entry(jit, t, &prologue);
    if (!start)
        return false;
    entry_fn fn;
    memcpy(&fn, &prologue, sizeof fn);
    *left = fn(t, *left, start, eu_jit_dispatched(t));
    return true;
}

/* Runs until compiled code or the budget ends. */
static inline void
run_compiled(const struct eu_jit *jit, struct eu_thread *t, int64_t *left)
{
    while (t->status == EU_RUNNING && *left > 0 && eu_jit_enter(jit, t, left))
        ;
}

/* Returns the kernel's code, compiled before the kernel's first run. Of several
 * threads that compile it, one publishes its copy. If some threads were
 * interpreted, the number of workers would decide which NaN a pixel holds. */
const struct eu_jit *
eu_jit_code_of(const struct eu_kernel *kernel, unsigned flags)
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
    eu_jit_announce(mine);
    if (atomic_compare_exchange_strong(slot, &jit, mine)) {
        const struct jit_variant copy = eu_jit_unmasked_variant(mine);
        if (trace_on(TRACE_jit))
            eu_jit_list(mine, &copy);
        return mine;
    }
    eu_jit_free(mine);
    return jit;
}

unsigned
eu_jit_modes(const struct eu_thread *t)
{
    return (t->cr0[0] & CR0_KEEP_F ? EU_JIT_DENORMALS : 0u) |
           (t->cr0[0] & CR0_ALT ? EU_JIT_ALT : 0u) |
           (t->kernel->profile_slot ? EU_JIT_COUNTS : 0u) |
           (t->kernel->profile_bins ? EU_JIT_LANES : 0u) |
           (t->kernel->profile_memory ? EU_JIT_MEMORY : 0u);
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
                                .lane_independent = jit->lane_independent,
                                .op_count = jit->kernel->op_count,
                                .native_count = jit->native_count};
}

bool
eu_jit_begins_block(const struct eu_jit *jit, uint32_t ip_B)
{
    uint32_t op = jit->kernel->op_of[ip_B / 8];
    return op != EU_NO_OP && jit->places->start[op] & JIT_START;
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

void
eu_jit_go_on(const struct eu_jit *jit, struct eu_thread *t, int64_t *left)
{
    run_compiled(jit, t, left);
}
