/* f64_vec.c: vectors of DF, for lower_f64.c. */
#include "eu/jit/lower/f64_vec.h"

unsigned
jit_f64_broadcast(struct jit *j, unsigned len, uint64_t value)
{
    struct x86_rm rm = x86_const_qword(&j->x, value);
    unsigned d = jit_temp(j);
    x86_vop(&j->x, X86_PBROADCASTQ, MAX2(len, 1), d, 0, jit_as_memory(rm), 0);
    return d;
}

unsigned
jit_f64_from(struct jit *j, unsigned len, unsigned r, enum eu_type type)
{
    enum x86_vop op = type == EU_TYPE_F   ? X86_CVTPS2PD
                      : type == EU_TYPE_D ? X86_CVTDQ2PD
                                          : X86_CVTUDQ2PD;
    unsigned d = jit_temp(j);
    x86_vop(&j->x, op, len, d, 0, x86_reg(r), 0);
    return d;
}

unsigned
jit_f64_positive_zero(struct jit *j, unsigned len, unsigned r)
{
    unsigned zero = jit_f64_broadcast(j, len, 0), d = jit_temp(j);
    if (j->f->evex) {
        x86_vop_imm(&j->x, X86_CMPPD, len, 4, r, x86_reg(zero), 0, 4);
        x86_vop_z(&j->x, X86_MOVAPD, len, d, 0, x86_reg(r), 4);
    } else {
        x86_vop_imm(&j->x, X86_CMPPD, len, d, r, x86_reg(zero), 0, 4);
        x86_vop(&j->x, X86_PAND, len, d, d, x86_reg(r), 0);
    }
    return d;
}

/* d := a in lanes of k (or the vector k), otherwise b. */
unsigned
jit_f64_blend(struct jit *j, unsigned len, unsigned k, unsigned a, unsigned b)
{
    unsigned d = jit_temp(j);
    if (j->f->evex)
        x86_vop(&j->x, X86_BLENDMPD, len, d, b, x86_reg(a), k);
    else
        x86_vop_imm(&j->x, X86_BLENDVPS, len, d, b, x86_reg(a), 0,
                    (uint8_t)(k << 4));
    return d;
}

/* Orders bit patterns as signed integers. */
static unsigned
order_total(struct jit *j, unsigned len, unsigned a)
{
    unsigned d = jit_temp(j), low = jit_f64_broadcast(j, len, INT64_MAX);
    x86_vop_imm(&j->x, X86_PSHIFTD_IMM, len, 4, d, x86_reg(a), 0, 31);
    /* Copies the sign from the upper dword to both. */
    x86_vop_imm(&j->x, X86_PSHUFD, len, d, 0, x86_reg(d), 0, 0xf5);
    x86_vop(&j->x, X86_PAND, len, d, d, x86_reg(low), 0);
    x86_vop(&j->x, X86_PXOR, len, d, d, x86_reg(a), 0);
    return d;
}

/* A number wins over NaN; b if both are NaN or equal. */
unsigned
jit_f64_min_max(struct jit *j, unsigned len, unsigned a, unsigned b,
                bool is_min)
{
    unsigned oa = order_total(j, len, a), ob = order_total(j, len, b), d, t;
    unsigned less = is_min ? oa : ob, more = is_min ? ob : oa;
    if (j->f->evex) {
        x86_vop_imm(&j->x, X86_PCMPQ, len, 2, less, x86_reg(more), 0, 1);
        x86_vop_imm(&j->x, X86_CMPPD, len, 4, b, x86_reg(b), 0, 3);
        x86_kop(&j->x, X86_KOR, 2, 2, 4);
        x86_vop_imm(&j->x, X86_CMPPD, len, 2, a, x86_reg(a), 2, 7);
        return jit_f64_blend(j, len, 2, a, b);
    }
    d = jit_temp(j);
    t = jit_temp(j);
    x86_vop(&j->x, X86_PCMPGTQ, len, d, more, x86_reg(less), 0);
    x86_vop_imm(&j->x, X86_CMPPD, len, t, b, x86_reg(b), 0, 3);
    x86_vop(&j->x, X86_POR, len, d, d, x86_reg(t), 0);
    x86_vop_imm(&j->x, X86_CMPPD, len, t, a, x86_reg(a), 0, 7);
    x86_vop(&j->x, X86_PAND, len, d, d, x86_reg(t), 0);
    return jit_f64_blend(j, len, d, a, b);
}

unsigned
jit_f64_widen_mask(struct jit *j, unsigned len, unsigned dwords)
{
    unsigned d = jit_temp(j);
    x86_vop(&j->x, X86_PMOVSXDQ, len, d, 0, x86_reg(dwords), 0);
    return d;
}

unsigned
jit_f64_copy(struct jit *j, unsigned len, unsigned r)
{
    unsigned d = jit_temp(j);
    x86_vop(&j->x, X86_MOVAPS, len, d, 0, x86_reg(r), 0);
    return d;
}

unsigned
jit_f64_clamp(struct jit *j, unsigned len, unsigned r, double lo, double hi)
{
    uint64_t bits[2];
    unsigned d = jit_temp(j);
    memcpy(&bits[0], &lo, 8);
    memcpy(&bits[1], &hi, 8);
    x86_vop(&j->x, X86_MAXPD, len, d, r,
            x86_reg(jit_f64_broadcast(j, len, bits[0])), 0);
    x86_vop(&j->x, X86_MINPD, len, d, d,
            x86_reg(jit_f64_broadcast(j, len, bits[1])), 0);
    return d;
}

/* Towards zero; NaN gives 0. */
unsigned
jit_f64_to_int(struct jit *j, unsigned len, unsigned r, bool is_signed)
{
    unsigned number = r, t;
    if (is_signed && j->f->evex) {
        number = jit_temp(j);
        x86_vop_imm(&j->x, X86_CMPPD, len, 4, r, x86_reg(r), 0, 7);
        x86_vop_z(&j->x, X86_MOVAPD, len, number, 0, x86_reg(r), 4);
    } else if (is_signed) {
        number = jit_temp(j);
        t = jit_temp(j);
        x86_vop_imm(&j->x, X86_CMPPD, len, t, r, x86_reg(r), 0, 7);
        x86_vop(&j->x, X86_PAND, len, number, t, x86_reg(r), 0);
    }
    t = jit_f64_clamp(j, len, number, is_signed ? INT32_MIN : 0.0,
                      is_signed ? (double)INT32_MAX : (double)UINT32_MAX);
    x86_vop(&j->x, is_signed ? X86_CVTTPD2DQ : X86_CVTTPD2UDQ, len, t, 0,
            x86_reg(t), 0);
    return t;
}
