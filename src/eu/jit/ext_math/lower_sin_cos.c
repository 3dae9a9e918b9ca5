/* lower_sin_cos.c: SIN and COS. */
#include "eu/jit/ext_math/lower_math.h"

#define LESS 1
#define SAVED_VECTORS_B (JIT_HOST_REGS * 64)
#define SAVED_B (SAVED_VECTORS_B + 64)

/* ---- angles beyond 2^20 ---- */

static void
fix_large_angles(float *dst, const float *src, uint64_t is_cos, uint32_t lanes)
{
    for (unsigned i = 0; i < 16; i++)
        if (lanes >> i & 1)
            dst[i] = fmath_trig_large(src[i], is_cos);
}

static void
save_or_load(struct jit *j, enum x86_vop op)
{
    struct x86 *x = &j->x;
    unsigned len = j->f->evex ? 2 : 1, count = j->f->evex ? JIT_HOST_REGS : 16;
    x86_mov_reg(x, X86_RAX, X86_RSP);
    for (unsigned r = 0; r < count; r++)
        x86_vop(x, op, len, r, 0, x86_at_rax(r * 64), 0);
    for (unsigned k = 1; k < 8 && j->f->evex; k++) {
        struct x86_rm at = x86_at_rax(SAVED_VECTORS_B + k * 2);
        if (op == X86_MOVUPS_ST)
            x86_kstore(x, k, at, false);
        else
            x86_kload(x, k, at, false);
    }
}

/* rdi, rsi: vector registers times 64; rdx and ecx as above. Keeps all
 * registers except the result. */
void
jit_math_helpers(struct jit *j)
{
    struct x86 *x = &j->x;
    if (!j->trig_count)
        return;
    for (uint32_t i = 0; i < j->trig_count; i++)
        x86_patch(x, j->trig_calls[i], x->size);
    x86_push(x, X86_RBP);
    x86_alu_imm(x, X86_SUB, X86_RSP, SAVED_B, true);
    save_or_load(j, X86_MOVUPS_ST);
    x86_alu_reg(x, X86_ADD, X86_RDI, X86_RAX, true);
    x86_alu_reg(x, X86_ADD, X86_RSI, X86_RAX, true);
    x86_vzeroupper(x);
    x86_call(x, (const void *)fix_large_angles);
    save_or_load(j, X86_MOVUPS_LD);
    x86_alu_imm(x, X86_ADD, X86_RSP, SAVED_B, true);
    x86_pop(x, X86_RBP);
    x86_ret(x);
}

/* Lanes that fmath_trig_is_large() selects: in JIT_K_MATH, with AVX2 in ecx. */
static void
find_large(const struct jit_math *m, unsigned a)
{
    struct x86 *x = &m->j->x;
    const uint32_t least = 0x49800001u << 1, end = 0x7f800000u << 1;
    unsigned t = math_shift(m, SHIFT_LEFT, a, 1);
    if (m->j->f->evex) {
        math_set(m, X86_PSUBD, t, t, math_dword(m, least));
        x86_vop_imm(x, X86_PCMPUD, m->len, JIT_K_MATH, t,
                    math_dword(m, end - least), 0, LESS);
    } else {
        const uint32_t flip = 0x80000000;
        unsigned bound = math_load(m, math_dword(m, (end - least) ^ flip));
        math_set(m, X86_PSUBD, t, t, math_dword(m, least ^ flip));
        math_set(m, X86_PCMPGTD, t, bound, x86_reg(t));
        x86_vop(x, X86_MOVMSKPS, m->len, X86_RCX, 0, x86_reg(t), 0);
        jit_release(m->j, bound);
    }
    jit_release(m->j, t);
}

void
jit_math_large(struct jit *j, unsigned a, unsigned d, bool is_cos)
{
    if (j->f->evex)
        x86_kmov_to_gpr(&j->x, X86_RCX, JIT_K_MATH);
    x86_test(&j->x, X86_RCX);
    uint32_t skip = x86_jump(&j->x, X86_CC_E);
    x86_mov_imm(&j->x, X86_RDI, d * 64);
    x86_mov_imm(&j->x, X86_RSI, a * 64);
    x86_mov_imm(&j->x, X86_RDX, is_cos);
    uint32_t at = x86_call_local(&j->x);
    if (jit_grow(j, (void **)&j->trig_calls, &j->trig_capacity,
                 j->trig_count + 1, sizeof at))
        j->trig_calls[j->trig_count++] = at;
    x86_patch(&j->x, skip, j->x.size);
}

/* ---- angles up to 2^20 ---- */

/* Selects one of four numbers by the low bits of `quadrant`, plus 1 for the
 * cosine; even and odd quadrants. */
static unsigned
by_quadrant(const struct jit_math *m, unsigned quadrant, bool is_cos,
            const float value[4])
{
    uint32_t table[16];
    for (unsigned i = 0; i < 16; i++)
        table[i] = bits_from_float(value[(i + is_cos) & 3]);
    return math_op(m, X86_PERMPS, quadrant,
                   x86_const(&m->j->x, table, 4u << m->len));
}

unsigned
jit_math_trig(const struct jit_math *m, unsigned a, bool is_cos)
{
    static const float by_r[4] = {1, 0, -1, 0}, by_1[4] = {-0.0f, 1, -0.0f, -1};
    unsigned t = math_load(m, math_float(m, FMATH_2_PI)), c[3];
    math_set(m, X86_FMADD213PS, t, a, math_float(m, FMATH_ROUND));
    unsigned n = math_op(m, X86_SUBPS, t, math_float(m, FMATH_ROUND));
    unsigned r = math_load(m, math_float(m, -FMATH_PI_2_HIGH));
    math_set(m, X86_FMADD213PS, r, n, x86_reg(a));
    unsigned low = math_load(m, math_float(m, -FMATH_PI_2_LOW));
    math_set(m, X86_FMADD231PS, r, n, x86_reg(low));
    math_set(m, X86_MULPS, n, r, x86_reg(r));
    for (unsigned i = 0; i < 3; i++) {
        const float s = fmath_sin_coef[i], o = fmath_cos_coef[i];
        c[i] = by_quadrant(m, t, is_cos, (const float[]){s, o, s, o});
    }
    math_set(m, X86_FMADD213PS, c[2], n, x86_reg(c[1]));
    math_set(m, X86_FMADD213PS, c[2], n, x86_reg(c[0]));
    math_set(m, X86_FMADD213PS, c[2], n, math_float(m, 1.0f));
    unsigned d = by_quadrant(m, t, is_cos, by_r);
    unsigned one = by_quadrant(m, t, is_cos, by_1);
    math_set(m, X86_FMADD213PS, d, r, x86_reg(one));
    math_set(m, X86_MULPS, d, d, x86_reg(c[2]));
    jit_release(m->j, t);
    jit_release(m->j, n);
    jit_release(m->j, low);
    jit_release(m->j, one);
    find_large(m, a);
    return d;
}
