/* lower_sqrt.c: SQRT without the host's divider, bit for bit: an approximation
 * and Newton steps.
 *
 * The divider works in parallel with other instructions, so most of its work is
 * free if there are enough of them. But threads in lockstep often need roots
 * faster than the divider makes them: some roots are then made in steps.
 *
 * Results are exactly rounded: P. Markstein, "Computation of elementary
 * functions on the IBM RISC System/6000 processor" (1990), and
 * test_lower_sqrt.c. */
#include "eu/jit/ext_math/lower_math.h"

/* Bytes of code that the host executes during one root. */
#define ROOT_CODE_B 170u

/* Registers that jit_math_sqrt() needs. */
#define TEMPS 3

/* Whether enough registers are free. */
static bool
has_room(const struct jit *j)
{
    const struct jit_reg_cache *v = &j->v;
    uint32_t spare = v->all & ~v->pinned & ~v->dirty & ~v->locked;
    return __builtin_popcount(spare) >= TEMPS;
}

/* Whether the divider would be late. Of such roots only one of several is made
 * in steps: steps take longer, so they alternate with the divider. */
static bool
divider_is_late(struct jit *j)
{
    bool late = j->divides_until > j->x.size;
    if (late && ++j->late_roots % cpu_roots_in_steps() == 0)
        return true;
    j->divides_until = MAX2(j->divides_until, j->x.size) + ROOT_CODE_B;
    return false;
}

bool
jit_sqrt_in_steps(struct jit *j, unsigned len)
{
    bool always = j->f->flags & EU_JIT_ROOTS;
    if (!j->f->evex || (!always && !cpu_roots_in_steps()))
        return false;
    j->needs_nearest = true; /* in every variant alike */
    return len == 2 &&
           (always || (j->f->threads > 1 && has_room(j) && divider_is_late(j)));
}

/* Scales small numbers by 2^64, or the remainder may be denormal. Clobbers a; g
 * converges to the root, h to half of its reciprocal. */
unsigned
jit_math_sqrt(const struct jit_math *m, unsigned a)
{
    struct x86 *x = &m->j->x;
    x86_vop_imm(x, X86_CMPPS, m->len, JIT_K_MATH, a, math_float(m, 0x1p-64f), 0,
                JIT_PRED_LT);
    x86_vop(x, X86_MULPS, m->len, a, a, math_float(m, 0x1p64f), JIT_K_MATH);
    unsigned h = math_op(m, X86_RSQRT14PS, 0, x86_reg(a));
    unsigned g = math_op(m, X86_MULPS, a, x86_reg(h));
    math_set(m, X86_MULPS, h, h, math_float(m, 0.5f));
    unsigned r = math_load(m, math_float(m, 0.5f));
    math_set(m, X86_FNMADD231PS, r, g, x86_reg(h));
    math_set(m, X86_FMADD213PS, g, r, x86_reg(g));
    math_set(m, X86_FMADD213PS, h, r, x86_reg(h));
    math_set(m, X86_MOVAPS, r, 0, x86_reg(a));
    math_set(m, X86_FNMADD231PS, r, g, x86_reg(g));
    math_set(m, X86_FMADD231PS, g, r, x86_reg(h));
    x86_vop(x, X86_MULPS, m->len, g, g, math_float(m, 0x1p-32f), JIT_K_MATH);
    /* Zeros, infinity and NaNs return themselves, negative numbers NaN. */
    x86_vop_imm(x, X86_FIXUPIMMPS, m->len, g, a, math_dword(m, 0x03130122), 0,
                0);
    return g;
}
