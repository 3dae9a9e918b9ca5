/* lower_convert.c: converts F to the destination's type: saturation,
 * integers. */
#include "eu/jit/lower/lower_float.h"

unsigned
jit_saturate(struct jit *j, unsigned len, unsigned a)
{
    unsigned d = jit_temp(j);
    x86_vop(&j->x, X86_MAXPS, len, d, a, jit_dword(j, 0), 0);
    x86_vop(&j->x, X86_MINPS, len, d, d, jit_dword(j, 0x3f800000), 0);
    return d;
}

/* NaN becomes 0. */
static void
clear_nan(struct jit *j, unsigned len, unsigned d, unsigned a)
{
    if (j->f->evex) {
        x86_vop_imm(&j->x, X86_CMPPS, len, 4, a, x86_reg(a), 0, JIT_PRED_ORD);
        x86_vop_z(&j->x, X86_MOVAPS, len, d, 0, x86_reg(d), 4);
        return;
    }
    unsigned t = jit_temp(j);
    x86_vop_imm(&j->x, X86_CMPPS, len, t, a, x86_reg(a), 0, JIT_PRED_ORD);
    x86_vop(&j->x, X86_PAND, len, d, d, x86_reg(t), 0);
}

static unsigned
to_signed(struct jit *j, unsigned len, unsigned a)
{
    unsigned d = jit_temp(j);
    struct x86_rm limit = jit_dword(j, 0x4f000000); /* 2^31 */
    struct x86_rm most = jit_dword(j, INT32_MAX);
    x86_vop(&j->x, X86_CVTTPS2DQ, len, d, 0, x86_reg(a), 0);
    if (j->f->evex) {
        x86_vop_imm(&j->x, X86_CMPPS, len, 4, a, limit, 0, JIT_PRED_GE);
        x86_vop(&j->x, X86_BLENDMPS, len, d, d, most, 4);
    } else {
        unsigned t = jit_temp(j);
        x86_vop_imm(&j->x, X86_CMPPS, len, t, a, limit, 0, JIT_PRED_GE);
        x86_vop_imm(&j->x, X86_BLENDVPS, len, d, d, most, 0, (uint8_t)(t << 4));
    }
    clear_nan(j, len, d, a);
    return d;
}

/* Values from 2^31 on are converted minus 2^31, which returns as the top
 * bit. */
static unsigned
to_unsigned_vex(struct jit *j, unsigned len, unsigned a)
{
    struct x86_rm half = jit_dword(j, 0x4f000000); /* 2^31 */
    unsigned d = jit_temp(j), big = jit_temp(j), over = jit_temp(j);
    x86_vop(&j->x, X86_MAXPS, len, d, a, jit_dword(j, 0), 0);
    x86_vop_imm(&j->x, X86_CMPPS, len, big, d, half, 0, JIT_PRED_GE);
    x86_vop(&j->x, X86_ANDPS, len, over, big, half, 0);
    x86_vop(&j->x, X86_SUBPS, len, d, d, x86_reg(over), 0);
    x86_vop_imm(&j->x, X86_CMPPS, len, over, d, half, 0, JIT_PRED_GE);
    x86_vop(&j->x, X86_CVTTPS2DQ, len, d, 0, x86_reg(d), 0);
    x86_vop_imm(&j->x, X86_PSHIFTD_IMM, len, 6, big, x86_reg(big), 0, 31);
    x86_vop(&j->x, X86_PXOR, len, d, d, x86_reg(big), 0);
    x86_vop(&j->x, X86_POR, len, d, d, x86_reg(over), 0);
    return d;
}

static unsigned
to_narrow(struct jit *j, unsigned len, unsigned a, float lo, float hi)
{
    unsigned d = jit_temp(j);
    x86_vop(&j->x, X86_MAXPS, len, d, a, jit_dword(j, bits_from_float(lo)), 0);
    x86_vop(&j->x, X86_MINPS, len, d, d, jit_dword(j, bits_from_float(hi)), 0);
    x86_vop(&j->x, X86_CVTTPS2DQ, len, d, 0, x86_reg(d), 0);
    if (lo < 0)
        clear_nan(j, len, d, a);
    return d;
}

unsigned
jit_to_int(struct jit *j, unsigned len, unsigned a, enum eu_type type)
{
    unsigned d;
    switch (type) {
    case EU_TYPE_D: return to_signed(j, len, a);
    case EU_TYPE_UD:
        if (!j->f->evex)
            return to_unsigned_vex(j, len, a);
        d = jit_temp(j);
        x86_vop(&j->x, X86_MAXPS, len, d, a, jit_dword(j, 0), 0);
        x86_vop(&j->x, X86_CVTTPS2UDQ, len, d, 0, x86_reg(d), 0);
        return d;
    case EU_TYPE_W: return to_narrow(j, len, a, -32768.0f, 32767.0f);
    case EU_TYPE_UW: return to_narrow(j, len, a, 0.0f, 65535.0f);
    case EU_TYPE_B: return to_narrow(j, len, a, -128.0f, 127.0f);
    default: return to_narrow(j, len, a, 0.0f, 255.0f);
    }
}
