/* lower_roots.c: SQRT without the host's divider: an approximation and steps of
 * Newton, which give the same bits.
 *
 * A divider works beside everything else, so most of its work is free as long
 * as there is something else; but threads in lockstep often ask for roots
 * faster than it has them. Others are made so now and then.
 *
 * What comes out is exactly rounded: P. Markstein, "Computation of elementary
 * functions on the IBM RISC System/6000 processor" (1990), and test_roots.c. */
#include "eu/jit/lower_float.h"
#include "eu/jit/lower_math.h"

/* How much code the host runs through during one. */
#define ROOT_CODE_B 170u

/* Registers that jit_math_sqrt() takes. */
#define TEMPS 3

/* Nothing has to leave a register for it. */
static bool
has_room(const struct jit *j)
{
    const struct jit_vregs *v = &j->v;
    uint32_t spare = v->all & ~v->pinned & ~v->dirty & ~v->locked;
    return __builtin_popcount(spare) >= TEMPS;
}

/* Of roots that come too early for it one of so many is made in steps. They
 * take longer, so each thread should have its turn. */
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
    bool always = j->flags & EU_JIT_ROOTS;
    if (!j->evex || (!always && !cpu_roots_in_steps()))
        return false;
    j->needs_nearest = true; /* whatever becomes of it in another copy */
    return len == 2 &&
           (always || (j->threads > 1 && has_room(j) && divider_is_late(j)));
}

/* Small numbers are multiplied by 2^64, or what is left of them may be
 * denormal. a is lost; g goes to the root, h to half of its reciprocal. */
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
    /* Zeros, infinity and NaNs give themselves, negative numbers NaN. */
    x86_vop_imm(x, X86_FIXUPIMMPS, m->len, g, a, math_dword(m, 0x03130122), 0,
                0);
    return g;
}
