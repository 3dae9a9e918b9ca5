/* lower_int_div.c: INT DIV in DF, whose quotients of 32-bit integers are exact
 * once truncated: a quotient that is no integer is at least 2^-32 of itself
 * away from the next one, and DF rounds by 2^-52, in any mode. */
#include "eu/jit/ext_math/ext_math.h"

#include "eu/interp/alu.h"

#define SCRATCH_K 4u

struct division {
    struct jit *j;
    unsigned len;  /* of a, b and the result */
    unsigned wide; /* of as many DF, or of half of them */
    bool halves, is_signed;
    unsigned a, b;
};

/* DF of the lower lanes. */
static unsigned
to_doubles(const struct division *v, unsigned r)
{
    struct jit *j = v->j;
    unsigned d = jit_temp(j), bias;
    if (v->is_signed || j->f->evex) {
        x86_vop(&j->x, v->is_signed ? X86_CVTDQ2PD : X86_CVTUDQ2PD, v->wide, d,
                0, x86_reg(r), 0);
        return d;
    }
    bias = jit_temp(j);
    x86_vop(&j->x, X86_PXOR, v->len, d, r, jit_dword(j, 0x80000000), 0);
    x86_vop(&j->x, X86_CVTDQ2PD, v->wide, d, 0, x86_reg(d), 0);
    x86_vop(&j->x, X86_PBROADCASTQ, 1, bias, 0,
            jit_as_memory(x86_const_qword(&j->x, UINT64_C(0x41e0000000000000))),
            0);
    x86_vop(&j->x, X86_ADDPD, v->wide, d, d, x86_reg(bias), 0);
    jit_release(j, bias);
    return d;
}

/* Quotients of the lower lanes. */
static unsigned
divide_lower(const struct division *v, unsigned a, unsigned b)
{
    struct jit *j = v->j;
    bool is_unsigned = !v->is_signed && j->f->evex;
    unsigned d = to_doubles(v, a), t = to_doubles(v, b);
    x86_vop(&j->x, X86_DIVPD, v->wide, d, d, x86_reg(t), 0);
    x86_vop(&j->x, is_unsigned ? X86_CVTTPD2UDQ : X86_CVTTPD2DQ, v->wide, d, 0,
            x86_reg(d), 0);
    jit_release(j, t);
    return d;
}

static unsigned
upper_half(const struct division *v, unsigned r)
{
    bool evex = v->j->f->evex;
    unsigned d = jit_temp(v->j);
    x86_vop_imm(&v->j->x, evex ? X86_EXTRACTF64X4 : X86_EXTRACTF128,
                evex ? 2 : 1, r, 0, x86_reg(d), 0, 1);
    return d;
}

static unsigned
divide_all(const struct division *v)
{
    struct jit *j = v->j;
    bool evex = j->f->evex;
    unsigned d = divide_lower(v, v->a, v->b), a, b, high;
    if (!v->halves)
        return d;
    a = upper_half(v, v->a);
    b = upper_half(v, v->b);
    high = divide_lower(v, a, b);
    x86_vop_imm(&j->x, evex ? X86_INSERTF64X4 : X86_INSERTF128, evex ? 2 : 1, d,
                d, x86_reg(high), 0, 1);
    jit_release(j, a);
    jit_release(j, b);
    jit_release(j, high);
    return d;
}

/* d := `other` where the divisor is `value`. */
static void
replace_where(const struct division *v, unsigned d, uint32_t value,
              unsigned other)
{
    struct jit *j = v->j;
    struct x86_rm with = jit_dword(j, value);
    if (j->f->evex) {
        x86_vop_imm(&j->x, X86_PCMPD, v->len, SCRATCH_K, v->b, with, 0, 0);
        x86_vop(&j->x, X86_MOVAPS, v->len, d, 0, x86_reg(other), SCRATCH_K);
        return;
    }
    unsigned mask = jit_temp(j);
    x86_vop(&j->x, X86_PCMPEQD, v->len, mask, v->b, with, 0);
    x86_vop_imm(&j->x, X86_BLENDVPS, v->len, d, d, x86_reg(other), 0,
                (uint8_t)(mask << 4));
    jit_release(j, mask);
}

/* What a division by zero gives: the largest number, of the dividend's sign. */
static void
replace_by_zero(const struct division *v, unsigned d)
{
    struct jit *j = v->j;
    unsigned most = jit_temp(j);
    x86_vop_imm(&j->x, X86_PSHIFTD_IMM, v->len, 4, most, x86_reg(v->a), 0, 31);
    x86_vop(&j->x, v->is_signed ? X86_PXOR : X86_POR, v->len, most, most,
            jit_dword(j, v->is_signed ? INT32_MAX : UINT32_MAX), 0);
    replace_where(v, d, 0, most);
    jit_release(j, most);
}

bool
jit_int_div_ok(const struct eu_insn *insn)
{
    return (insn->math == EU_MATH_INT_DIV_QUOTIENT ||
            insn->math == EU_MATH_INT_DIV_REMAINDER) &&
           !insn->cmod;
}

unsigned
jit_lower_int_div(struct jit *j, const struct eu_insn *insn, unsigned len,
                  unsigned a, unsigned b)
{
    unsigned most = j->f->evex ? 2 : 1;
    struct division v = {.j = j,
                         .len = len,
                         .wide = MIN2(len + 1, most),
                         .halves = len == most,
                         .is_signed = eu_divides_signed(insn),
                         .a = a,
                         .b = b};
    unsigned d = divide_all(&v);
    /* The only quotients that do not fit D. */
    if (!v.is_signed && !j->f->evex)
        replace_where(&v, d, 1, a);
    if (insn->math == EU_MATH_INT_DIV_REMAINDER) {
        x86_vop(&j->x, X86_PMULLD, len, d, d, x86_reg(b), 0);
        x86_vop(&j->x, X86_PSUBD, len, d, a, x86_reg(d), 0);
    }
    replace_by_zero(&v, d);
    return d;
}
