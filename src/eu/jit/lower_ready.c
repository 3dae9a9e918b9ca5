/* lower_ready.c: extended math once more. What a function comes to with
 * AVX-512 is always the same but for the registers, so its code is made once
 * per process, and copied for every instruction. */
#include "eu/jit/lower_math.h"
#include "eu/jit/x86_ready.h"

#include <stdlib.h>

#define FUNCTIONS 16
#define INPUTS 2
#define LAST_RSQ_COEF fmath_rsq_coef[ARRAY_SIZE(fmath_rsq_coef) - 1]

struct ready {
    struct x86_ready code;
    uint8_t result;
    uint32_t temps; /* registers besides the inputs */
    bool needs_flush;
};

static _Atomic(const struct ready *) known[FUNCTIONS][2];

/* What the function reads besides its operand, or -1. */
static int
second_input(struct jit *j, unsigned fn, int b)
{
    if (fn != EU_MATH_RSQ)
        return b;
    return (int)jit_dword_reg(j, bits_from_float(LAST_RSQ_COEF));
}

/* Has nothing but the inputs in registers. */
static struct jit
recorder(const struct jit *j, unsigned len)
{
    struct jit r = {
        .x = {.evex = true, .memory = j->x.memory},
        .evex = true,
        .threads = 1,
        .has_wide = len == 2,
        .v.all = ~UINT32_C(0) << X86_READY_FIRST,
    };
    for (unsigned i = 0; i < INPUTS; i++)
        jit_temp(&r);
    /* Of functions with one operand, what second_input() has. */
    r.v.reg[X86_READY_FIRST + 1].kind = JIT_CONST;
    r.v.reg[X86_READY_FIRST + 1].value = bits_from_float(LAST_RSQ_COEF);
    return r;
}

static bool
record(const struct jit *j, struct ready *ready, unsigned fn, unsigned len)
{
    struct jit r = recorder(j, len);
    const struct jit_math m = {&r, len};
    const uint32_t inputs = r.v.recent;
    ready->result = (uint8_t)jit_math_steps(&m, fn, X86_READY_FIRST,
                                            X86_READY_FIRST + 1);
    ready->temps = r.v.recent & ~inputs;
    ready->needs_flush = r.needs_flush;
    return !r.crowded && x86_make_ready(&ready->code, &r.x);
}

static const struct ready *
make_ready(const struct jit *j, unsigned fn, unsigned len)
{
    struct ready *mine = malloc(sizeof *mine);
    const struct ready *none = NULL;
    if (!mine || !record(j, mine, fn, len)) {
        free(mine);
        return NULL;
    }
    if (atomic_compare_exchange_strong(&known[fn][len - 1], &none, mine))
        return mine;
    free(mine);
    return none;
}

unsigned
jit_math_copy(struct jit *j, unsigned fn, unsigned len, unsigned a, int b)
{
    const struct ready *ready = atomic_load_explicit(&known[fn][len - 1],
                                                     memory_order_acquire);
    uint8_t reg[32] = {[X86_READY_FIRST] = (uint8_t)a};
    uint32_t temps = 0;
    if (!ready)
        ready = make_ready(j, fn, len);
    if (!ready)
        return JIT_NO_CODE;
    int second = second_input(j, fn, b);
    if (second >= 0)
        reg[X86_READY_FIRST + 1] = (uint8_t)second;
    for (uint32_t set = ready->temps; set; set &= set - 1) {
        unsigned r = jit_temp(j);
        reg[jit_first(set)] = (uint8_t)r;
        temps |= JIT_BIT(r);
    }
    x86_copy_ready(&j->x, &ready->code, reg);
    j->needs_flush |= ready->needs_flush;
    temps &= ~JIT_BIT(reg[ready->result]);
    j->v.used &= ~temps;
    j->v.locked &= ~temps;
    return reg[ready->result];
}
