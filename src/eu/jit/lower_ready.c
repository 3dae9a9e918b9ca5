/* lower_ready.c: extended math once more. What a function comes to is always
 * the same but for the registers, so its code is made once per process, and
 * copied for every instruction. */
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

/* With AVX2, and with AVX-512 of eight lanes and of sixteen. */
static _Atomic(const struct ready *) known[FUNCTIONS][3];

static _Atomic(const struct ready *) *
place_of(const struct jit *j, unsigned fn, unsigned len)
{
    return &known[fn][j->evex ? len : 0];
}

/* What the function reads besides its operand, or -1. */
static int
second_input(struct jit *j, unsigned fn, int b)
{
    if (fn != EU_MATH_RSQ || !j->evex)
        return b;
    return (int)jit_dword_reg(j, bits_from_float(LAST_RSQ_COEF));
}

/* Has nothing but the inputs in registers. */
static struct jit
recorder(const struct jit *j, unsigned len)
{
    unsigned first = x86_ready_first(j->evex);
    struct jit r = {
        .x = {.evex = j->evex, .memory = j->x.memory},
        .evex = j->evex,
        .threads = 1,
        .has_wide = len == 2,
        .v.all = (j->evex ? UINT32_MAX : 0xffff) & ~UINT32_C(0) << first,
    };
    for (unsigned i = 0; i < INPUTS; i++)
        jit_temp(&r);
    /* Of functions with one operand, what second_input() has. */
    r.v.reg[first + 1].kind = JIT_CONST;
    r.v.reg[first + 1].value = bits_from_float(LAST_RSQ_COEF);
    return r;
}

static bool
record(const struct jit *j, struct ready *ready, unsigned fn, unsigned len)
{
    struct jit r = recorder(j, len);
    const struct jit_math m = {&r, len};
    const uint32_t inputs = r.v.recent;
    unsigned first = x86_ready_first(j->evex);
    ready->result = (uint8_t)jit_math_steps(&m, fn, first, first + 1);
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
    if (atomic_compare_exchange_strong(place_of(j, fn, len), &none, mine))
        return mine;
    free(mine);
    return none;
}

/* A register for each of these numbers. */
static uint32_t
take_temps(struct jit *j, uint32_t numbers, uint8_t reg[32])
{
    struct jit_vregs *v = &j->v;
    uint32_t left = v->all & ~v->pinned & ~v->used, taken = 0;
    for (; numbers && left; numbers &= numbers - 1, left &= left - 1) {
        unsigned r = jit_first(left);
        reg[jit_first(numbers)] = (uint8_t)r;
        v->reg[r].kind = JIT_TEMP;
        taken |= JIT_BIT(r);
    }
    v->used |= taken;
    v->locked |= taken;
    v->temps |= taken;
    v->recent |= taken;
    v->normal &= ~taken;
    for (; numbers; numbers &= numbers - 1) {
        unsigned r = jit_temp(j);
        reg[jit_first(numbers)] = (uint8_t)r;
        taken |= JIT_BIT(r);
    }
    return taken;
}

unsigned
jit_math_copy(struct jit *j, unsigned fn, unsigned len, unsigned a, int b)
{
    const struct ready *ready = atomic_load_explicit(place_of(j, fn, len),
                                                     memory_order_acquire);
    unsigned first = x86_ready_first(j->evex);
    uint8_t reg[32] = {0};
    uint32_t temps;
    if (!ready)
        ready = make_ready(j, fn, len);
    if (!ready)
        return JIT_NO_CODE;
    int second = second_input(j, fn, b);
    reg[first] = (uint8_t)a;
    if (second >= 0)
        reg[first + 1] = (uint8_t)second;
    temps = take_temps(j, ready->temps, reg);
    x86_copy_ready(&j->x, &ready->code, reg);
    j->needs_flush |= ready->needs_flush;
    temps &= ~JIT_BIT(reg[ready->result]);
    j->v.used &= ~temps;
    j->v.locked &= ~temps;
    return reg[ready->result];
}
