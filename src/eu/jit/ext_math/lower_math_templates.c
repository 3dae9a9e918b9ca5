/* lower_math_templates.c: templates of extended math: a function's code differs
 * only in its registers. It is made once per process and copied for each
 * instruction. */
#include "eu/jit/ext_math/lower_math.h"

#include "eu/jit/x86/reencode.h"

#include <stdlib.h>

#define FUNCTIONS 16
#define INPUTS 2
#define LAST_RSQ_COEF fmath_rsq_coef[ARRAY_SIZE(fmath_rsq_coef) - 1]

struct ready {
    struct x86_template code;
    uint8_t result;
    uint32_t temps; /* registers besides the inputs */
    bool needs_flush;
};

/* AVX2, AVX-512 with eight lanes, AVX-512 with sixteen. */
static _Atomic(const struct ready *) known[FUNCTIONS][3];

static _Atomic(const struct ready *) *
place_of(const struct jit *j, unsigned fn, unsigned len)
{
    return &known[fn][j->f->evex ? len : 0];
}

/* The function's second input register, or -1. */
static int
second_input(struct jit *j, unsigned fn, int b)
{
    if (fn != EU_MATH_RSQ || !j->f->evex)
        return b;
    return (int)jit_dword_reg(j, bits_from_float(LAST_RSQ_COEF));
}

/* A compilation with only the inputs in registers. */
static struct jit
new_recorder(const struct jit *j, struct jit_facts *f, unsigned len)
{
    unsigned first = x86_template_first(j->f->evex);
    *f = (struct jit_facts){
        .evex = j->f->evex, .threads = 1, .has_wide = len == 2};
    struct jit r = {
        .f = f,
        .x = {.evex = j->f->evex, .memory = j->x.memory},
        .v.all = (j->f->evex ? UINT32_MAX : 0xffff) & ~UINT32_C(0) << first,
    };
    for (unsigned i = 0; i < INPUTS; i++)
        jit_temp(&r);
    /* For functions of one operand: the constant that second_input()
     * returns. */
    r.v.reg[first + 1].kind = JIT_CONST;
    r.v.reg[first + 1].value = bits_from_float(LAST_RSQ_COEF);
    return r;
}

static bool
record_steps(const struct jit *j, struct ready *ready, unsigned fn,
             unsigned len)
{
    struct jit_facts f;
    struct jit r = new_recorder(j, &f, len);
    const struct jit_math m = {&r, len};
    const uint32_t inputs = r.v.recent;
    unsigned first = x86_template_first(j->f->evex);
    ready->result = (uint8_t)jit_math_steps(&m, fn, first, first + 1);
    ready->temps = r.v.recent & ~inputs;
    ready->needs_flush = r.needs_flush;
    return !r.out_of_registers && x86_make_template(&ready->code, &r.x);
}

static const struct ready *
make_ready(const struct jit *j, unsigned fn, unsigned len)
{
    struct ready *mine = malloc(sizeof *mine);
    const struct ready *none = NULL;
    if (!mine || !record_steps(j, mine, fn, len)) {
        free(mine);
        return NULL;
    }
    if (atomic_compare_exchange_strong(place_of(j, fn, len), &none, mine))
        return mine;
    free(mine);
    return none;
}

/* Takes a host register for each number. */
static uint32_t
take_temps(struct jit *j, uint32_t numbers, uint8_t reg[32])
{
    struct jit_reg_cache *v = &j->v;
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
    unsigned first = x86_template_first(j->f->evex);
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
    x86_put_template(&j->x, &ready->code, reg);
    j->needs_flush |= ready->needs_flush;
    temps &= ~JIT_BIT(reg[ready->result]);
    j->v.used &= ~temps;
    j->v.locked &= ~temps;
    return reg[ready->result];
}
