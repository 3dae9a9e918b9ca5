/* sweep_wide.c: 64-bit numbers: operators, functions and conversions of double,
 * int64_t and uint64_t. Integers, and operations that IEEE rounds correctly,
 * must be exact. */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LANES 512

union wide {
    double d;
    int64_t l;
    uint64_t u;
    float f;
    int32_t i;
    uint32_t w;
};

/* Types: d double, l int64_t, u uint64_t, f float, i int, w uint, b bool. */
static const struct type {
    char letter;
    const char *name, *load, *store; /* of word pair p; of value r */
} types[] = {
    {'d', "double", "packDouble2x32(p)", "unpackDouble2x32(r)"},
    {'l', "int64_t", "packInt2x32(ivec2(p))", "uvec2(unpackInt2x32(r))"},
    {'u', "uint64_t", "packUint2x32(p)", "unpackUint2x32(r)"},
    {'f', "float", "uintBitsToFloat(p.x)", "uvec2(floatBitsToUint(r), 0)"},
    {'i', "int", "int(p.x)", "uvec2(uint(r), 0)"},
    {'w', "uint", "p.x", "uvec2(r, 0)"},
    {'b', "bool", "p.x != 0", "uvec2(uint(r), 0)"},
};

typedef union wide (*eval_fn)(union wide a, union wide b, union wide c);

struct op {
    const char *name, *expression;
    char in, out;
    eval_fn eval;
    double relative; /* error allowed; 0: the same bits */
};

#define EVAL(fn, member, value)                                    \
    static union wide fn(union wide a, union wide b, union wide c) \
    {                                                              \
        union wide r = {.u = 0};                                   \
        r.member = value;                                          \
        return r;                                                  \
    }
EVAL(d_add, d, a.d + b.d)
EVAL(d_sub, d, a.d - b.d)
EVAL(d_mul, d, a.d *b.d)
EVAL(d_div, d, a.d / b.d)
EVAL(d_fma, d, fma(a.d, b.d, c.d))
EVAL(d_neg, d, -a.d)
EVAL(d_abs, d, fabs(a.d))
EVAL(d_sign, d, a.d > 0 ? 1 : a.d < 0 ? -1 : 0)
EVAL(d_min, d, a.d < b.d ? a.d : b.d)
EVAL(d_max, d, a.d > b.d ? a.d : b.d)
EVAL(d_floor, d, floor(a.d))
EVAL(d_ceil, d, ceil(a.d))
EVAL(d_trunc, d, trunc(a.d))
EVAL(d_even, d, nearbyint(a.d))
EVAL(d_fract, d, a.d - floor(a.d))
EVAL(d_sqrt, d, sqrt(fabs(a.d)))
EVAL(d_rsqrt, d, 1 / sqrt(fabs(a.d)))
EVAL(d_less, u, a.d < b.d)
EVAL(d_ge, u, a.d >= b.d)
EVAL(d_equal, u, a.d == b.d)
EVAL(d_unequal, u, a.d != b.d)
EVAL(d_step, d, b.d < a.d ? 0 : 1)
EVAL(d_select, d, a.d < b.d ? b.d : c.d)
EVAL(d_float, f, (float)a.d)
EVAL(d_int, i, (int32_t)fmod(a.d, 2147483648.0))
EVAL(d_uint, w, (uint32_t)fmod(fabs(a.d), 4294967296.0))
EVAL(d_from_f, d, (double)a.f)
EVAL(d_from_i, d, (double)a.i)
EVAL(d_from_w, d, (double)a.w)
EVAL(d_ldexp, d, ldexp(a.d, (int)(b.w % 40) - 20))
EVAL(d_from_l, d, (double)a.l)
EVAL(d_from_u, d, (double)a.u)
EVAL(l_from_d, l, (int64_t)fmod(a.d, 9.2e18))
EVAL(u_from_d, u, (uint64_t)fmod(fabs(a.d), 1.8e19))
EVAL(f_from_l, f, (float)a.l)
EVAL(f_from_u, f, (float)a.u)
EVAL(l_from_f, l, (int64_t)fmodf(a.f, 9.2e18f))
EVAL(l_from_i, l, a.i)
EVAL(u_from_w, u, a.w)
EVAL(i_from_l, i, (int32_t)a.u)
EVAL(w_from_u, w, (uint32_t)a.u)
EVAL(u_add, u, a.u + b.u)
EVAL(u_sub, u, a.u - b.u)
EVAL(u_mul, u, a.u *b.u)
EVAL(u_div, u, a.u / (b.u | 1))
EVAL(u_mod, u, a.u % (b.u | 1))
EVAL(u_less, u, a.u < b.u)
EVAL(u_min, u, a.u < b.u ? a.u : b.u)
EVAL(u_max, u, a.u > b.u ? a.u : b.u)
EVAL(u_shr, u, a.u >> (b.u & 63))
EVAL(u_shl, u, a.u << (b.u & 63))
EVAL(l_shr, l, a.l >> (b.u & 63))
EVAL(l_div, l, a.l / ((int64_t)(b.u >> 1) | 1))
EVAL(l_mod, l, (a.l & INT64_MAX) % ((int64_t)(b.u >> 1) | 1))
EVAL(l_neg, u, -a.u)
EVAL(l_abs, u, a.l < 0 ? -a.u : a.u)
EVAL(l_sign, l, (a.l > 0) - (a.l < 0))
EVAL(l_less, u, a.l < b.l)
EVAL(l_min, l, a.l < b.l ? a.l : b.l)
EVAL(l_max, l, a.l > b.l ? a.l : b.l)
EVAL(u_and, u, (a.u & b.u) | (~a.u & c.u))
EVAL(u_xor, u, a.u ^ b.u ^ ~c.u)
EVAL(u_equal, u, a.u == b.u)

#define ULP 2.3e-16
static const struct op ops[] = {
    {"d.add", "a + b", 'd', 'd', d_add, 0},
    {"d.sub", "a - b", 'd', 'd', d_sub, 0},
    {"d.mul", "a * b", 'd', 'd', d_mul, 0},
    {"d.div", "a / b", 'd', 'd', d_div, 4 * ULP},
    {"d.fma", "fma(a, b, c)", 'd', 'd', d_fma, 0},
    {"d.neg", "-a", 'd', 'd', d_neg, 0},
    {"d.abs", "abs(a)", 'd', 'd', d_abs, 0},
    {"d.sign", "sign(a)", 'd', 'd', d_sign, 0},
    {"d.min", "min(a, b)", 'd', 'd', d_min, 0},
    {"d.max", "max(a, b)", 'd', 'd', d_max, 0},
    {"d.floor", "floor(a)", 'd', 'd', d_floor, 0},
    {"d.ceil", "ceil(a)", 'd', 'd', d_ceil, 0},
    {"d.trunc", "trunc(a)", 'd', 'd', d_trunc, 0},
    {"d.roundEven", "roundEven(a)", 'd', 'd', d_even, 0},
    {"d.fract", "fract(a)", 'd', 'd', d_fract, 0},
    {"d.sqrt", "sqrt(abs(a))", 'd', 'd', d_sqrt, 4 * ULP},
    {"d.inversesqrt", "inversesqrt(abs(a))", 'd', 'd', d_rsqrt, 8 * ULP},
    {"d.less", "a < b", 'd', 'b', d_less, 0},
    {"d.ge", "a >= b", 'd', 'b', d_ge, 0},
    {"d.equal", "a == b", 'd', 'b', d_equal, 0},
    {"d.unequal", "a != b", 'd', 'b', d_unequal, 0},
    {"d.step", "step(a, b)", 'd', 'd', d_step, 0},
    {"d.select", "a < b ? b : c", 'd', 'd', d_select, 0},
    {"d.float", "float(a)", 'd', 'f', d_float, 0},
    {"d.int", "int(a - 2147483648.0lf * trunc(a / 2147483648.0lf))", 'd', 'i',
     d_int, 0},
    {"d.uint", "uint(abs(a) - 4294967296.0lf * trunc(abs(a) / 4294967296.0lf))",
     'd', 'w', d_uint, 0},
    {"d.from.float", "double(a)", 'f', 'd', d_from_f, 0},
    {"d.from.int", "double(a)", 'i', 'd', d_from_i, 0},
    {"d.from.uint", "double(a)", 'w', 'd', d_from_w, 0},
    /* Observed: the compiler's ldexp is wrong for zero, with all drivers. */
    {"d.ldexp", "a == 0.0lf ? a : ldexp(a, k)", 'd', 'd', d_ldexp, 0},
    {"d.from.int64", "double(a)", 'l', 'd', d_from_l, 0},
    {"d.from.uint64", "double(a)", 'u', 'd', d_from_u, 0},
    {"int64.from.d", "int64_t(a)", 'd', 'l', l_from_d, 0},
    {"uint64.from.d", "uint64_t(abs(a))", 'd', 'u', u_from_d, 0},
    {"float.from.int64", "float(a)", 'l', 'f', f_from_l, 0},
    {"float.from.uint64", "float(a)", 'u', 'f', f_from_u, 0},
    {"int64.from.float", "int64_t(a)", 'f', 'l', l_from_f, 0},
    {"int64.from.int", "int64_t(a)", 'i', 'l', l_from_i, 0},
    {"uint64.from.uint", "uint64_t(a)", 'w', 'u', u_from_w, 0},
    {"int.from.int64", "int(a)", 'l', 'i', i_from_l, 0},
    {"uint.from.uint64", "uint(a)", 'u', 'w', w_from_u, 0},
    {"u.add", "a + b", 'u', 'u', u_add, 0},
    {"u.sub", "a - b", 'u', 'u', u_sub, 0},
    {"u.mul", "a * b", 'u', 'u', u_mul, 0},
    {"u.div", "a / (b | 1ul)", 'u', 'u', u_div, 0},
    {"u.mod", "a % (b | 1ul)", 'u', 'u', u_mod, 0},
    {"u.less", "a < b", 'u', 'b', u_less, 0},
    {"u.min", "min(a, b)", 'u', 'u', u_min, 0},
    {"u.max", "max(a, b)", 'u', 'u', u_max, 0},
    {"u.shr", "a >> int(b & 63ul)", 'u', 'u', u_shr, 0},
    {"u.shl", "a << int(b & 63ul)", 'u', 'u', u_shl, 0},
    {"l.shl", "a << int(b & 63l)", 'l', 'l', u_shl, 0},
    {"l.shr", "a >> int(b & 63l)", 'l', 'l', l_shr, 0},
    {"l.mul", "a * b", 'l', 'l', u_mul, 0},
    {"l.div", "a / (int64_t(uint64_t(b) >> 1) | 1l)", 'l', 'l', l_div, 0},
    {"l.mod", "(a & 0x7fffffffffffffffl) % (int64_t(uint64_t(b) >> 1) | 1l)",
     'l', 'l', l_mod, 0},
    {"l.neg", "-a", 'l', 'l', l_neg, 0},
    {"l.abs", "abs(a)", 'l', 'l', l_abs, 0},
    {"l.sign", "sign(a)", 'l', 'l', l_sign, 0},
    {"l.less", "a < b", 'l', 'b', l_less, 0},
    {"l.min", "min(a, b)", 'l', 'l', l_min, 0},
    {"l.max", "max(a, b)", 'l', 'l', l_max, 0},
    {"u.and", "(a & b) | (~a & c)", 'u', 'u', u_and, 0},
    {"u.xor", "a ^ b ^ ~c", 'u', 'u', u_xor, 0},
    {"u.equal", "a == b", 'u', 'b', u_equal, 0},
};

static const struct type *
type_of(char letter)
{
    const struct type *t = types;
    while (t->letter != letter)
        t++;
    return t;
}

/* ---- inputs ---- */

static union wide
random_double(void)
{
    union wide v;
    switch (sweep_random(6)) {
    case 0: v.d = (double)((int)sweep_random(41) - 20) / 2; return v;
    case 1: v.d = (double)sweep_uniform(-1, 1); return v;
    case 2: v.d = ldexp((double)sweep_random(1 << 24), 20) + 0.5; return v;
    default: break;
    }
    /* Exponents with which no operation leaves the range. */
    v.u = (uint64_t)sweep_random(1 << 20) << 32 | sweep_random(1 << 24) << 8 |
          sweep_random(256);
    v.u |= (uint64_t)(1023 - 50 + sweep_random(100)) << 52;
    v.u |= (uint64_t)sweep_random(2) << 63;
    return v;
}

static union wide
random_integer(void)
{
    static const uint64_t special[] = {
        0,          1,          UINT64_MAX, INT64_MAX,          1ull << 63,
        0xffffffff, 1ull << 32, 1ull << 31, 0xffffffff80000000, 3};
    union wide v = {.u = special[sweep_random(COUNT(special))]};
    if (sweep_random(4) == 0)
        return v;
    for (unsigned i = 0; i < 4; i++)
        v.u = v.u << 16 | sweep_random(1 << 16);
    v.u >>= sweep_random(64);
    if (sweep_random(2))
        v.u = -v.u;
    return v;
}

static union wide
random_input(char type)
{
    union wide v = {.u = 0};
    switch (type) {
    case 'd': return random_double();
    case 'f': v.f = (float)random_double().d; return v;
    case 'i':
    case 'w': v.w = (uint32_t)random_integer().u; return v;
    default: return random_integer();
    }
}

/* ---- judging ---- */

static bool
is_right(const struct op *op, union wide seen, union wide want)
{
    switch (op->out) {
    case 'd':
        if (op->relative > 0)
            return fabs(seen.d - want.d) <= op->relative * fabs(want.d) ||
                   seen.d == want.d || (isnan(want.d) && isnan(seen.d));
        return seen.u == want.u || (seen.d == 0 && want.d == 0) ||
               (isnan(seen.d) && isnan(want.d));
    case 'f':
    case 'i':
    case 'w': return seen.w == want.w;
    default: return seen.u == want.u;
    }
}

static void
run_op(const struct op *op)
{
    static union wide in[LANES][3], out[LANES];
    const struct type *from = type_of(op->in), *to = type_of(op->out);
    char source[1600];
    snprintf(source, sizeof source,
             GLSL "#extension GL_ARB_gpu_shader_int64 : require\n"
                  "layout(local_size_x = 64) in;"
                  "layout(std430, binding = 0) buffer I { uvec2 i[]; };"
                  "layout(std430, binding = 1) buffer O { uvec2 o[]; };"
                  "%s get(uvec2 p) { return %s; }"
                  "void main(){ uint n = gl_GlobalInvocationID.x;"
                  "%s a = get(i[3u * n]), b = get(i[3u * n + 1u]),"
                  " c = get(i[3u * n + 2u]);"
                  "int k = int(i[3u * n + 1u].x %% 40u) - 20;"
                  "%s r = %s; o[n] = %s; }",
             from->name, from->load, from->name, to->name, op->expression,
             to->store);
    GLuint program = gl_compute(source);
    for (unsigned n = 0; n < LANES; n++)
        for (unsigned k = 0; k < 3; k++)
            in[n][k] = k && sweep_random(8) == 0 ? in[n][0]
                                                 : random_input(op->in);
    GLuint b[2] = {sweep_buffer(GL_SHADER_STORAGE_BUFFER, 0, in, sizeof in),
                   sweep_buffer(GL_SHADER_STORAGE_BUFFER, 1, NULL, sizeof out)};
    glDispatchCompute(LANES / 64, 1, 1);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetNamedBufferSubData(b[1], 0, sizeof out, out);
    unsigned bad = 0, first = 0;
    union wide want = {.u = 0};
    for (unsigned n = 0; n < LANES; n++) {
        union wide w = op->eval(in[n][0], in[n][1], in[n][2]);
        if (is_right(op, out[n], w) || bad++)
            continue;
        first = n;
        want = w;
    }
    sweep_verdict(sweep_name("wide.%s", op->name), !bad,
                  "%u wrong; of %#llx, %#llx, %#llx it is %#llx, not %#llx",
                  bad, (unsigned long long)in[first][0].u,
                  (unsigned long long)in[first][1].u,
                  (unsigned long long)in[first][2].u,
                  (unsigned long long)out[first].u, (unsigned long long)want.u);
    glDeleteBuffers(2, b);
    glDeleteProgram(program);
}

void
sweep_wide(void)
{
    for (unsigned i = 0; i < COUNT(ops); i++)
        if (sweep_begin(sweep_name("wide.%s", ops[i].name)))
            run_op(&ops[i]);
}
