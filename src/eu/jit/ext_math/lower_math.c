/* lower_math.c: dispatches extended math functions, and RSQ. */
#include "eu/jit/ext_math/lower_math.h"

bool
jit_math_ok(unsigned fn)
{
    switch (fn) {
    case EU_MATH_LOG:
    case EU_MATH_EXP:
    case EU_MATH_RSQ:
    case EU_MATH_SQRT:
    case EU_MATH_SIN:
    case EU_MATH_COS:
    case EU_MATH_POW: return true;
    default: return false;
    }
}

/* fmath_rsq_seed[a >> 19 & 31] */
static unsigned
seed_rsq(const struct jit_math *m, unsigned a)
{
    struct x86 *x = &m->j->x;
    unsigned d = math_shift(m, SHIFT_RIGHT, a, 19);
    if (m->j->f->evex) {
        unsigned low = jit_in_reg(m->j, x86_const(x, fmath_rsq_seed, 16), 2);
        x86_vop(x, X86_PERMI2D, 2, d, low,
                x86_const(x, fmath_rsq_seed + 16, 16), 0);
        jit_release(m->j, low);
        return d;
    }
    unsigned t[4], by = jit_temp(m->j);
    for (unsigned i = 0; i < 4; i++)
        t[i] = math_op(m, X86_PERMD, d,
                       x86_const(x, fmath_rsq_seed + i * 8, 8));
    math_set_shift(m, SHIFT_LEFT, by, a, 31 - 22);
    math_blend(m, t[0], t[0], x86_reg(t[1]), by);
    math_blend(m, t[2], t[2], x86_reg(t[3]), by);
    math_set_shift(m, SHIFT_LEFT, by, a, 31 - 23);
    math_blend(m, d, t[0], x86_reg(t[2]), by);
    jit_release(m->j, by);
    for (unsigned i = 0; i < 4; i++)
        jit_release(m->j, t[i]);
    return d;
}

/* Zeros give infinity, infinity zero, negative numbers NaN. */
static void
rsq_specials(const struct jit_math *m, unsigned y, unsigned a)
{
    if (m->j->f->evex) {
        x86_vop_imm(&m->j->x, X86_FIXUPIMMPS, m->len, y, a,
                    math_dword(m, 0x03830622), 0, 0);
        return;
    }
    unsigned special = math_op(m, X86_RSQRTPS, 0, x86_reg(a));
    math_blend(m, y, y, x86_reg(special), math_not_plain(m, a));
}

void
math_fix_denorms(const struct jit_math *m, unsigned reg, float factor)
{
    struct jit *j = m->j;
    uint32_t from = x86_jump(&j->x, X86_CC_NE);
    if (jit_grow(j, (void **)&j->denorm_fixups, &j->denorm_fixup_capacity,
                 j->denorm_fixup_count + 1, sizeof *j->denorm_fixups))
        j->denorm_fixups[j->denorm_fixup_count++] = (struct jit_denorm_fixup){
            .from = from,
            .back = j->x.size,
            .reg = (uint8_t)reg,
            .k = JIT_K_MATH,
            .len = (uint8_t)m->len,
            .factor = factor,
        };
}

void
jit_math_denorm_fixups(struct jit *j)
{
    for (uint32_t i = 0; i < j->denorm_fixup_count; i++) {
        const struct jit_denorm_fixup *r = &j->denorm_fixups[i];
        uint32_t factor = bits_from_float(r->factor);
        x86_patch(&j->x, r->from, j->x.size);
        x86_vop(&j->x, X86_MULPS, r->len, r->reg, r->reg,
                x86_dword_const(&j->x, factor), r->k);
        x86_patch(&j->x, x86_jump(&j->x, X86_ALWAYS), r->back);
    }
}

static unsigned
rsq_steps(const struct jit_math *m, unsigned a)
{
    struct math_scaled s = math_scale(m, a);
    unsigned y = seed_rsq(m, s.value);
    unsigned e = math_shift(m, SHIFT_RIGHT, s.value, 1);
    math_set(m, X86_PSUBD, y, y, x86_reg(e));
    math_set(m, X86_PADDD, e, y, math_dword(m, 0x01000000));
    math_set(m, X86_MULPS, e, e, x86_reg(y));
    math_set(m, X86_FNMADD213PS, e, s.value, math_float(m, 4.0f));
    unsigned p = math_polynomial(m, e, fmath_rsq_coef,
                                 ARRAY_SIZE(fmath_rsq_coef));
    math_set(m, X86_MULPS, e, e, x86_reg(y));
    math_set(m, X86_FMADD231PS, y, e, x86_reg(p));
    if (math_denormals(m) && m->j->f->evex) {
        math_fix_denorms(m, y,
                         0x1p12f); /* vector instructions keep the flags */
    } else if (math_denormals(m)) {
        math_set(m, X86_MULPS, e, y, math_float(m, 0x1p12f));
        math_blend(m, y, y, x86_reg(e), s.tiny);
    }
    rsq_specials(m, y, m->j->f->evex ? a : s.value);
    return y;
}

unsigned
jit_math_steps(const struct jit_math *m, unsigned fn, unsigned a, unsigned b)
{
    switch (fn) {
    case EU_MATH_LOG: return jit_math_log(m, a);
    case EU_MATH_EXP: return jit_math_exp(m, a);
    case EU_MATH_RSQ: return rsq_steps(m, a);
    case EU_MATH_SQRT: return jit_math_sqrt(m, a);
    case EU_MATH_SIN: return jit_math_trig(m, a, false);
    case EU_MATH_COS: return jit_math_trig(m, a, true);
    case EU_MATH_POW: return jit_math_pow(m, a, b);
    default: return JIT_NO_CODE;
    }
}

unsigned
jit_lower_math(struct jit *j, const struct eu_op *op, const struct jit_part *p,
               struct x86_rm a, struct x86_rm b)
{
    /* Table lookups need at least 256 bits. */
    const struct jit_math m = {j, MAX2(p->len, 1)};
    unsigned fn = op->insn->math, d = JIT_NO_CODE;
    unsigned ra = fn == EU_MATH_SQRT ? jit_owned(j, p->len, a)
                                     : jit_in_reg(j, a, p->len);
    unsigned rb = 0;
    if (!jit_math_ok(fn))
        return JIT_NO_CODE;
    if (fn == EU_MATH_POW)
        rb = jit_in_reg(j, b, p->len);
    j->needs_nearest = true;
    if (!math_denormals(&m))
        d = jit_math_copy(j, fn, m.len, ra, fn == EU_MATH_POW ? (int)rb : -1);
    if (d == JIT_NO_CODE)
        d = jit_math_steps(&m, fn, ra, rb);
    if (fn == EU_MATH_SIN || fn == EU_MATH_COS)
        jit_math_large(j, ra, d, fn == EU_MATH_COS);
    return d;
}
