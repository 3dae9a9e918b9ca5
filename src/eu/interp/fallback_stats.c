/* fallback_stats.c: counts the instructions that compiled code leaves to the
 * interpreter. */
#include "eu/interp/interp.h"

#include <stdlib.h>

void
eu_fallback_init(struct eu_kernel *k)
{
    if (trace_on(TRACE_eu))
        k->interpreted = calloc(k->op_count, sizeof *k->interpreted);
}

void
eu_fallback_trace(const struct eu_kernel *k)
{
    for (uint32_t i = 0; k->interpreted && i < k->op_count; i++) {
        char text[256];
        uint64_t n = atomic_load_explicit(&k->interpreted[i],
                                          memory_order_relaxed);
        if (!n)
            continue;
        eu_disasm(text, sizeof text, k->ops[i].insn, k->gen);
        trace(eu, "kernel %016llx: interpreted %llu times: %s",
              (unsigned long long)k->hash, (unsigned long long)n, text);
    }
}

void
eu_fallback_count(const struct eu_thread *t, const struct eu_op *op)
{
    _Atomic uint64_t *count = t->kernel->interpreted;
    if (count && op->fn != eu_op_send)
        atomic_fetch_add_explicit(&count[op - t->kernel->ops], 1,
                                  memory_order_relaxed);
}

const struct eu_op *
eu_op_interpreted(struct eu_thread *t, const struct eu_op *op)
{
    t->interpreted_count++;
    eu_fallback_count(t, op);
    return op->fn(t, op);
}
