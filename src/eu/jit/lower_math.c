/* lower_math.c: extended math, in vectors of doubles.
 *
 * The operations of eu/interp/fmath.h in the same order, so the same bits
 * come out. Sixteen lanes are two halves of eight doubles. */
#include "eu/jit/compile.h"

#include "eu/interp/fmath.h"

#define PRED_EQ 0x00
#define PRED_LT 0x11
#define PRED_GT 0x1e
#define PRED_LE 0x12
#define PRED_ORD 0x07
#define PRED_NEQ 0x04
#define K_TMP 4
#define K_KEEP 2
#define NAN_BITS 0x7fc00000u
#define INF_BITS 0x7f800000u

struct dbl {
    unsigned r[2];
};

struct ctx {
    struct jit *j;
    unsigned len; /* of 32-bit vectors */
    unsigned dlen, halves;
};

bool
jit_math_ok(unsigned fn)
{
    switch (fn) {
    case EU_MATH_LOG:
    case EU_MATH_EXP:
    case EU_MATH_RSQ:
    case EU_MATH_SIN:
    case EU_MATH_COS:
    case EU_MATH_POW: return true;
    default: return false;
    }
}

static struct ctx
context(struct jit *j, const struct jit_part *p)
{
    return (struct ctx){.j = j,
                        .len = p->len,
                        .dlen = p->len == 0 ? 1 : 2,
                        .halves = p->len == 2 ? 2 : 1};
}

/* ---- lanes ---- */

static unsigned
vector(const struct ctx *c, enum x86_vop op, unsigned a, struct x86_rm b)
{
    unsigned d = jit_temp(c->j);
    x86_vop(&c->j->x, op, c->len, d, a, b, 0);
    return d;
}

static unsigned
with_dword(const struct ctx *c, enum x86_vop op, unsigned a, uint32_t b)
{
    return vector(c, op, a, jit_dword(c->j, b));
}

static unsigned
shift(const struct ctx *c, unsigned ext, unsigned a, uint8_t count)
{
    unsigned d = jit_temp(c->j);
    x86_vop_imm(&c->j->x, X86_PSHIFTD_IMM, c->len, ext, d, x86_reg(a), 0,
                count);
    return d;
}

/* k := lanes (of `in`, if that is not 0) where a compares with b */
static void
compare(const struct ctx *c, unsigned k, unsigned a, uint32_t b, uint8_t pred,
        unsigned in)
{
    x86_vop_imm(&c->j->x, X86_CMPPS, c->len, k, a, jit_dword(c->j, b), in,
                pred);
}

/* a where k, else the constant; or the other way round */
static unsigned
else_dword(const struct ctx *c, unsigned k, unsigned a, uint32_t otherwise)
{
    unsigned d = jit_in_reg(c->j, jit_dword(c->j, otherwise), c->len);
    x86_vop(&c->j->x, X86_MOVAPS, c->len, d, 0, x86_reg(a), k);
    return d;
}

static void
set_dword(const struct ctx *c, unsigned d, unsigned k, uint32_t value)
{
    x86_vop(&c->j->x, X86_BLENDMPS, c->len, d, d, jit_dword(c->j, value), k);
}

/* ---- doubles ---- */

static struct dbl
widen(const struct ctx *c, enum x86_vop op, unsigned a)
{
    struct dbl d = {{jit_temp(c->j), 0}};
    struct x86 *x = &c->j->x;
    if (c->halves == 2) {
        d.r[1] = jit_temp(c->j);
        x86_vop_imm(x, X86_EXTRACTF32X8, 2, a, 0, x86_reg(d.r[1]), 0, 1);
        x86_vop(x, op, 2, d.r[1], 0, x86_reg(d.r[1]), 0);
    }
    x86_vop(x, op, c->dlen, d.r[0], 0, x86_reg(a), 0);
    return d;
}

/* The doubles are gone afterwards. */
static unsigned
narrow(const struct ctx *c, enum x86_vop op, struct dbl a)
{
    struct x86 *x = &c->j->x;
    x86_vop(x, op, c->dlen, a.r[0], 0, x86_reg(a.r[0]), 0);
    if (c->halves == 2) {
        x86_vop(x, op, 2, a.r[1], 0, x86_reg(a.r[1]), 0);
        x86_vop_imm(x, X86_INSERTF32X8, 2, a.r[0], a.r[0], x86_reg(a.r[1]), 0,
                    1);
        jit_release(c->j, a.r[1]);
    }
    return a.r[0];
}

static struct dbl
new_dbl(const struct ctx *c)
{
    struct dbl d = {{jit_temp(c->j), 0}};
    if (c->halves == 2)
        d.r[1] = jit_temp(c->j);
    return d;
}

static void
release(const struct ctx *c, struct dbl a)
{
    for (unsigned h = 0; h < c->halves; h++)
        jit_release(c->j, a.r[h]);
}

/* d := a op b, lane by lane; d may be one of them */
static void
arith(const struct ctx *c, enum x86_vop op, struct dbl d, struct dbl a,
      struct dbl b)
{
    for (unsigned h = 0; h < c->halves; h++)
        x86_vop(&c->j->x, op, c->dlen, d.r[h], a.r[h], x86_reg(b.r[h]), 0);
}

static void
arith_const(const struct ctx *c, enum x86_vop op, struct dbl d, struct dbl a,
            double b)
{
    struct x86_rm rm = x86_const_double(&c->j->x, b);
    for (unsigned h = 0; h < c->halves; h++)
        x86_vop(&c->j->x, op, c->dlen, d.r[h], a.r[h], rm, 0);
}

/* (...(coef[0] * v + coef[1]) * v + ...) + coef[count - 1] */
static struct dbl
polynomial(const struct ctx *c, struct dbl v, const double *coef,
           unsigned count)
{
    struct dbl p = new_dbl(c);
    arith_const(c, X86_MULPD, p, v, coef[0]);
    for (unsigned i = 1; i < count; i++) {
        if (i > 1)
            arith(c, X86_MULPD, p, p, v);
        arith_const(c, X86_ADDPD, p, p, coef[i]);
    }
    return p;
}

static struct dbl
load_const(const struct ctx *c, double value)
{
    struct dbl d = new_dbl(c);
    uint32_t dw[16];
    for (unsigned i = 0; i < 8; i++)
        memcpy(dw + i * 2, &value, 8);
    struct x86_rm rm = x86_const(&c->j->x, dw, 4u << c->dlen);
    for (unsigned h = 0; h < c->halves; h++)
        x86_vop(&c->j->x, X86_MOVUPS_LD, c->dlen, d.r[h], 0, rm, 0);
    return d;
}

/* fmath_exp2_d; y is gone afterwards */
static struct dbl
exp2_double(const struct ctx *c, struct dbl y)
{
    static const double coef[] = {
        1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
        1.0 / 5040,     1.0 / 720,     1.0 / 120,    1.0 / 24,
        1.0 / 6,        0.5,           1.0,          1.0};
    struct x86 *x = &c->j->x;
    arith_const(c, X86_MAXPD, y, y, -200.0);
    arith_const(c, X86_MINPD, y, y, 200.0);
    struct dbl n = load_const(c, 0.5), dn = new_dbl(c);
    for (unsigned h = 0; h < c->halves; h++) {
        x86_vop_imm(x, X86_CMPPD, c->dlen, K_TMP, y.r[h],
                    x86_const_double(x, 0.0), 0, PRED_LT);
        x86_vop(x, X86_BLENDMPD, c->dlen, n.r[h], n.r[h],
                x86_const_double(x, -0.5), K_TMP);
        x86_vop(x, X86_ADDPD, c->dlen, n.r[h], n.r[h], x86_reg(y.r[h]), 0);
        x86_vop(x, X86_CVTTPD2DQ, c->dlen, n.r[h], 0, x86_reg(n.r[h]), 0);
        x86_vop(x, X86_CVTDQ2PD, c->dlen, dn.r[h], 0, x86_reg(n.r[h]), 0);
        x86_vop(x, X86_PMOVSXDQ, c->dlen, n.r[h], 0, x86_reg(n.r[h]), 0);
        x86_vop(x, X86_PADDQ, c->dlen, n.r[h], n.r[h], x86_const_qword(x, 1023),
                0);
        x86_vop_imm(x, X86_PSHIFTQ_IMM, c->dlen, 6, n.r[h], x86_reg(n.r[h]), 0,
                    52);
    }
    arith(c, X86_SUBPD, y, y, dn);
    arith_const(c, X86_MULPD, y, y, 0.69314718055994530942);
    release(c, dn);
    struct dbl p = polynomial(c, y, coef, ARRAY_SIZE(coef));
    arith(c, X86_MULPD, p, p, n);
    release(c, n);
    release(c, y);
    return p;
}

/* fmath_log2_d of positive finite lanes of v */
static struct dbl
log2_double(const struct ctx *c, unsigned v)
{
    static const double coef[] = {1.0 / 17, 1.0 / 15, 1.0 / 13,
                                  1.0 / 11, 1.0 / 9,  1.0 / 7,
                                  1.0 / 5,  1.0 / 3,  1.0};
    struct x86 *x = &c->j->x;
    unsigned b = with_dword(c, X86_MULPS, v, 0x4b800000); /* 2^24 */
    x86_vop_imm(x, X86_PCMPUD, c->len, K_TMP, v, jit_dword(c->j, 0x00800000), 0,
                1);
    x86_vop(x, X86_BLENDMPS, c->len, b, v, x86_reg(b), K_TMP);
    unsigned e = shift(c, 2, b, 23);
    x86_vop(x, X86_PSUBD, c->len, e, e, jit_dword(c->j, 127), 0);
    x86_vop(x, X86_PSUBD, c->len, e, e, jit_dword(c->j, 24), K_TMP);
    x86_vop(x, X86_PAND, c->len, b, b, jit_dword(c->j, 0x7fffff), 0);
    x86_vop(x, X86_POR, c->len, b, b, jit_dword(c->j, 0x3f800000), 0);
    x86_vop_imm(x, X86_PCMPUD, c->len, K_TMP, b, jit_dword(c->j, 0x3fb504f3), 0,
                6);
    x86_vop(x, X86_PSUBD, c->len, b, b, jit_dword(c->j, 0x00800000), K_TMP);
    x86_vop(x, X86_PADDD, c->len, e, e, jit_dword(c->j, 1), K_TMP);

    struct dbl s = widen(c, X86_CVTPS2PD, b), t = new_dbl(c);
    arith_const(c, X86_ADDPD, t, s, 1.0);
    arith_const(c, X86_SUBPD, s, s, 1.0);
    arith(c, X86_DIVPD, s, s, t);
    arith(c, X86_MULPD, t, s, s);
    struct dbl p = polynomial(c, t, coef, ARRAY_SIZE(coef));
    release(c, t);
    arith_const(c, X86_MULPD, s, s, 2.88539008177792681472);
    arith(c, X86_MULPD, s, s, p);
    release(c, p);
    struct dbl de = widen(c, X86_CVTDQ2PD, e);
    arith(c, X86_ADDPD, s, de, s);
    release(c, de);
    jit_release(c->j, b);
    jit_release(c->j, e);
    return s;
}

/* ---- functions ---- */

static unsigned
exp_lanes(const struct ctx *c, unsigned a)
{
    unsigned t = jit_temp(c->j);
    x86_vop_imm(&c->j->x, X86_CMPPS, c->len, K_KEEP, a, x86_reg(a), 0,
                PRED_ORD);
    x86_vop_z(&c->j->x, X86_MOVAPS, c->len, t, 0, x86_reg(a), K_KEEP);
    struct dbl y = widen(c, X86_CVTPS2PD, t);
    unsigned r = narrow(c, X86_CVTPD2PS, exp2_double(c, y));
    return else_dword(c, K_KEEP, r, NAN_BITS);
}

static unsigned
log_lanes(const struct ctx *c, unsigned a)
{
    compare(c, K_KEEP, a, 0, PRED_GT, 0);
    compare(c, K_KEEP, a, INF_BITS, PRED_LT, K_KEEP);
    unsigned in = else_dword(c, K_KEEP, a, 0x3f800000);
    unsigned r = narrow(c, X86_CVTPD2PS, log2_double(c, in));
    compare(c, K_TMP, a, 0, PRED_GT, 0);
    unsigned special = else_dword(c, K_TMP, a, NAN_BITS);
    compare(c, K_TMP, a, 0, PRED_EQ, 0);
    set_dword(c, special, K_TMP, 0xff800000);
    x86_vop(&c->j->x, X86_MOVAPS, c->len, special, 0, x86_reg(r), K_KEEP);
    return special;
}

static unsigned
pow_lanes(const struct ctx *c, unsigned v, unsigned w)
{
    struct x86 *x = &c->j->x;
    unsigned a = with_dword(c, X86_ANDPS, v, 0x7fffffff);
    compare(c, K_KEEP, a, 0, PRED_GT, 0);
    compare(c, K_KEEP, a, INF_BITS, PRED_LT, K_KEEP);
    unsigned in = else_dword(c, K_KEEP, a, 0x3f800000);
    struct dbl l = log2_double(c, in);
    compare(c, K_TMP, a, 0, PRED_EQ, 0);
    set_dword(c, a, K_TMP, 0xff800000);
    struct dbl special = widen(c, X86_CVTPS2PD, a);
    struct dbl y = widen(c, X86_CVTPS2PD, w);
    for (unsigned h = 0; h < c->halves; h++) {
        unsigned k = K_KEEP;
        if (h) {
            x86_kshift_right(x, K_TMP, K_KEEP, 8);
            k = K_TMP;
        }
        x86_vop(x, X86_BLENDMPD, c->dlen, l.r[h], special.r[h], x86_reg(l.r[h]),
                k);
    }
    arith(c, X86_MULPD, l, l, y);
    release(c, special);
    release(c, y);
    /* NaN lanes show again when the product is an F. */
    struct dbl e = new_dbl(c);
    for (unsigned h = 0; h < c->halves; h++) {
        x86_vop_imm(x, X86_CMPPD, c->dlen, K_TMP, l.r[h], x86_reg(l.r[h]), 0,
                    PRED_ORD);
        x86_vop_z(x, X86_MOVAPD, c->dlen, e.r[h], 0, x86_reg(l.r[h]), K_TMP);
    }
    unsigned product = narrow(c, X86_CVTPD2PS, l);
    unsigned r = narrow(c, X86_CVTPD2PS, exp2_double(c, e));
    x86_vop_imm(x, X86_CMPPS, c->len, K_TMP, product, x86_reg(product), 0,
                PRED_ORD);
    return else_dword(c, K_TMP, r, NAN_BITS);
}

/* From 14 bits in one step of the third order:
 * y + y * e * (1/2 + 3/8 e + 5/16 e^2), e = 1 - x * y^2.
 * Rounded to F it is 1 / sqrt(x) rounded twice: tried for every F, with and
 * without denormals. While rounding to another side it is not. */
static unsigned
rsq_lanes(const struct ctx *c, unsigned a)
{
    struct x86 *x = &c->j->x;
    struct dbl d = widen(c, X86_CVTPS2PD, a), y = new_dbl(c), e = new_dbl(c);
    struct dbl q = load_const(c, 0.3125);
    c->j->needs_nearest = true;
    for (unsigned h = 0; h < c->halves; h++) {
        unsigned dl = c->dlen, ry = y.r[h], re = e.r[h], rq = q.r[h];
        x86_vop(x, X86_RSQRT14PD, dl, ry, 0, x86_reg(d.r[h]), 0);
        x86_vop(x, X86_MULPD, dl, re, d.r[h], x86_reg(ry), 0);
        x86_vop(x, X86_FNMADD213PD, dl, re, ry, x86_const_double(x, 1.0), 0);
        x86_vop(x, X86_FMADD213PD, dl, rq, re, x86_const_double(x, 0.375), 0);
        x86_vop(x, X86_FMADD213PD, dl, rq, re, x86_const_double(x, 0.5), 0);
        x86_vop(x, X86_MULPD, dl, re, re, x86_reg(ry), 0);
        x86_vop(x, X86_FMADD231PD, dl, ry, re, x86_reg(rq), 0);
    }
    release(c, d);
    release(c, e);
    release(c, q);
    unsigned r = narrow(c, X86_CVTPD2PS, y);
    /* Zeros give +inf, +inf gives 0. */
    x86_vop_imm(x, X86_FIXUPIMMPS, c->len, r, a, jit_dword(c->j, 0x00800500), 0,
                0);
    return r;
}

/* ---- sine and cosine ---- */

#define SAVED_VECTORS_B (JIT_VREGS * 64)
#define SAVED_B (SAVED_VECTORS_B + 64)

/* The lanes of src that are too large for the polynomials. */
static void
fix_large_angles(float *dst, const float *src, uint64_t is_cos)
{
    for (unsigned i = 0; i < 16; i++)
        if (fmath_trig_is_large(src[i]))
            dst[i] = fmath_trig_large(src[i], is_cos);
}

/* rdi, rsi: vector registers times 64; rdx as above. Keeps all of them but
 * the result. */
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
    x86_mov_reg(x, X86_RAX, X86_RSP);
    for (unsigned r = 0; r < JIT_VREGS; r++)
        x86_vop(x, X86_MOVUPS_ST, 2, r, 0, x86_at_rax(r * 64), 0);
    for (unsigned k = 1; k < 8; k++)
        x86_kstore(x, k, x86_at_rax(SAVED_VECTORS_B + k * 2), false);
    x86_alu_reg(x, X86_ADD, X86_RDI, X86_RAX, true);
    x86_alu_reg(x, X86_ADD, X86_RSI, X86_RAX, true);
    x86_vzeroupper(x);
    x86_call(x, (const void *)fix_large_angles);
    x86_mov_reg(x, X86_RAX, X86_RSP);
    for (unsigned r = 0; r < JIT_VREGS; r++)
        x86_vop(x, X86_MOVUPS_LD, 2, r, 0, x86_at_rax(r * 64), 0);
    for (unsigned k = 1; k < 8; k++)
        x86_kload(x, k, x86_at_rax(SAVED_VECTORS_B + k * 2), false);
    x86_alu_imm(x, X86_ADD, X86_RSP, SAVED_B, true);
    x86_pop(x, X86_RBP);
    x86_ret(x);
}

/* Lanes of |a| above the limit and below infinity. */
static void
large_angles(const struct ctx *c, unsigned a, unsigned d, bool is_cos)
{
    struct x86 *x = &c->j->x;
    unsigned b = with_dword(c, X86_ANDPS, a, 0x7fffffff);
    x86_vop_imm(x, X86_PCMPUD, c->len, K_TMP, b, jit_dword(c->j, 0x49800000), 0,
                6);
    x86_vop_imm(x, X86_PCMPUD, c->len, K_TMP, b, jit_dword(c->j, INF_BITS),
                K_TMP, 1);
    jit_release(c->j, b);
    x86_kortest(x, K_TMP, K_TMP);
    uint32_t skip = x86_jump(x, X86_CC_E);
    x86_mov_imm(x, X86_RDI, d * 64);
    x86_mov_imm(x, X86_RSI, a * 64);
    x86_mov_imm(x, X86_RDX, is_cos);
    uint32_t at = x86_call_local(x);
    if (jit_grow(c->j, (void **)&c->j->trig_calls, &c->j->trig_capacity,
                 c->j->trig_count + 1, sizeof at))
        c->j->trig_calls[c->j->trig_count++] = at;
    x86_patch(x, skip, x->size);
}

/* fmath_sin_quarters, and what fmath_sin does for zeros */
static unsigned
trig_lanes(const struct ctx *c, unsigned a, bool is_cos)
{
    static const double sin_coef[] = {-1.0 / 1307674368000.0,
                                      1.0 / 6227020800.0,
                                      -1.0 / 39916800,
                                      1.0 / 362880,
                                      -1.0 / 5040,
                                      1.0 / 120,
                                      -1.0 / 6};
    static const double cos_coef[] = {1.0 / 20922789888000.0,
                                      -1.0 / 87178291200.0,
                                      1.0 / 479001600,
                                      -1.0 / 3628800,
                                      1.0 / 40320,
                                      -1.0 / 720,
                                      1.0 / 24,
                                      -0.5,
                                      1.0};
    struct x86 *x = &c->j->x;
    unsigned mag = with_dword(c, X86_ANDPS, a, 0x7fffffff);
    x86_vop_imm(x, X86_CMPPS, c->len, K_KEEP, mag, jit_dword(c->j, 0x49800000),
                0, PRED_LE);
    x86_vop_z(x, X86_MOVAPS, c->len, mag, 0, x86_reg(a), K_KEEP);
    struct dbl d = widen(c, X86_CVTPS2PD, mag), k = new_dbl(c);
    struct dbl n = load_const(c, 0.5);
    arith_const(c, X86_MULPD, k, d, 0.63661977236758134308);
    for (unsigned h = 0; h < c->halves; h++) {
        x86_vop_imm(x, X86_CMPPD, c->dlen, K_TMP, k.r[h],
                    x86_const_double(x, 0.0), 0, PRED_LT);
        x86_vop(x, X86_BLENDMPD, c->dlen, n.r[h], n.r[h],
                x86_const_double(x, -0.5), K_TMP);
        x86_vop(x, X86_ADDPD, c->dlen, k.r[h], k.r[h], x86_reg(n.r[h]), 0);
    }
    unsigned q = narrow(c, X86_CVTTPD2DQ, k);
    struct dbl dn = widen(c, X86_CVTDQ2PD, q);
    arith_const(c, X86_MULPD, n, dn, 1.57079632673412561417);
    arith(c, X86_SUBPD, d, d, n);
    arith_const(c, X86_MULPD, n, dn, 6.07710050650619224932e-11);
    arith(c, X86_SUBPD, d, d, n);
    release(c, dn);
    arith(c, X86_MULPD, n, d, d);

    struct dbl s = polynomial(c, n, sin_coef, ARRAY_SIZE(sin_coef));
    arith(c, X86_MULPD, s, s, n);
    arith(c, X86_MULPD, s, s, d);
    arith(c, X86_ADDPD, s, s, d);
    release(c, d);
    struct dbl co = polynomial(c, n, cos_coef, ARRAY_SIZE(cos_coef));
    release(c, n);
    unsigned fs = narrow(c, X86_CVTPD2PS, s), fc = narrow(c, X86_CVTPD2PS, co);

    if (is_cos)
        x86_vop(x, X86_PADDD, c->len, q, q, jit_dword(c->j, 1), 0);
    x86_vop(x, X86_PTESTMD, c->len, K_TMP, q, jit_dword(c->j, 1), 0);
    x86_vop(x, X86_MOVAPS, c->len, fs, 0, x86_reg(fc), K_TMP);
    x86_vop(x, X86_PAND, c->len, q, q, jit_dword(c->j, 2), 0);
    x86_vop_imm(x, X86_PSHIFTD_IMM, c->len, 6, q, x86_reg(q), 0, 30);
    x86_vop(x, X86_PXOR, c->len, fs, fs, x86_reg(q), 0);
    unsigned r = else_dword(c, K_KEEP, fs, NAN_BITS);
    if (!is_cos) {
        compare(c, K_TMP, a, 0, PRED_EQ, 0);
        x86_vop(x, X86_ANDPS, c->len, r, a, jit_dword(c->j, 0x80000000), K_TMP);
    }
    large_angles(c, a, r, is_cos);
    return r;
}

unsigned
jit_lower_math(struct jit *j, const struct eu_op *op, const struct jit_part *p,
               struct x86_rm a, struct x86_rm b)
{
    struct ctx c = context(j, p);
    unsigned ra = jit_in_reg(j, a, p->len);
    switch (op->insn->math) {
    case EU_MATH_LOG: return log_lanes(&c, ra);
    case EU_MATH_EXP: return exp_lanes(&c, ra);
    case EU_MATH_RSQ: return rsq_lanes(&c, ra);
    case EU_MATH_SIN: return trig_lanes(&c, ra, false);
    case EU_MATH_COS: return trig_lanes(&c, ra, true);
    case EU_MATH_POW: return pow_lanes(&c, ra, jit_in_reg(j, b, p->len));
    default: return JIT_NO_CODE;
    }
}
