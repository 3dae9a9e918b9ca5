/* sweep_function.c: built-in functions, in compute, vertex and fragment
 * shaders, against double precision, within the languages' limits for highp. */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 512 /* inputs of a case */

union word {
    float f;
    int32_t i;
    uint32_t u;
};

struct values {
    union word a, b, c;
};

/* Domains of random arguments. */
enum domain { ANY, UNIT, ANGLE, POSITIVE, SMALL, BITS, SHIFTS };

struct function {
    const char *name;
    const char *code; /* of float x, y, z; int i, j, k; uint u, v, w */
    enum domain a, b, c;
    double (*want)(const struct values *v); /* NAN: any result is correct */
    double absolute, ulp;
};

/* ---- references ---- */

#define X ((double)v->a.f)
#define Y ((double)v->b.f)
#define Z ((double)v->c.f)
#define REF(name, expression)                  \
    static double name(const struct values *v) \
    {                                          \
        (void)v;                               \
        return expression;                     \
    }

/* Rounds like a product of a float and `most`. */
static int32_t
round_even(double v, float most)
{
    return (int32_t)nearbyint((double)((float)v * most));
}

static uint32_t
reversed(uint32_t u)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (u >> i & 1) << (31 - i);
    return r;
}

static int
find_msb(uint32_t u)
{
    return u ? 31 - __builtin_clz(u) : -1;
}

static uint32_t
field(const struct values *v)
{
    unsigned offset = v->b.u % 20, bits = v->c.u % 13;
    return bits ? v->a.u >> offset & ((1u << bits) - 1) : 0;
}

static int32_t
signed_field(const struct values *v)
{
    unsigned offset = v->b.u % 20, bits = v->c.u % 13;
    return bits ? (int32_t)(v->a.u << (32 - offset - bits)) >> (32 - bits) : 0;
}

static uint32_t
inserted(const struct values *v)
{
    unsigned offset = v->b.u % 20, bits = v->c.u % 13;
    uint32_t mask = ((1u << bits) - 1) << offset;
    return (v->a.u & ~mask) | (v->b.u << offset & mask);
}

static double
clamped(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

static uint16_t
half_bits(double d)
{
    uint32_t sign = signbit(d) ? 0x8000 : 0;
    d = fabs(d);
    if (d < 0x1p-14)
        return (uint16_t)(sign | (uint32_t)nearbyint(d * 0x1p24));
    int e;
    double m = frexp(d, &e);
    uint32_t bits = (uint32_t)nearbyint(m * 2048) - 1024 +
                    ((uint32_t)(e + 14) << 10);
    return (uint16_t)(sign | (bits >= 0x7c00 ? 0x7c00 : bits));
}

REF(ref_add, X + Y)
REF(ref_mul, X *Y)
REF(ref_div, X / Y)
REF(ref_mod, fabs(X / Y) > 1e5 ? (double)NAN : X - Y * floor(X / Y))
REF(ref_sin, sin(X))
REF(ref_cos, cos(X))
REF(ref_tan, fabs(cos(X)) < 0.05 ? (double)NAN : tan(X))
REF(ref_asin, asin(X))
REF(ref_acos, acos(X))
REF(ref_atan, atan(X))
REF(ref_atan2, atan2(Y, X))
REF(ref_sinh, sinh(X))
REF(ref_cosh, cosh(X))
REF(ref_tanh, tanh(X))
REF(ref_asinh, asinh(X))
REF(ref_exp, exp(X))
REF(ref_exp2, exp2(X))
REF(ref_log, log(X))
REF(ref_log2, log2(X))
REF(ref_pow, pow(X, Y))
REF(ref_sqrt, sqrt(X))
REF(ref_rsqrt, 1 / sqrt(X))
REF(ref_abs, fabs(X))
REF(ref_sign, (X > 0) - (X < 0))
REF(ref_floor, floor(X))
REF(ref_ceil, ceil(X))
REF(ref_trunc, trunc(X))
REF(ref_round, nearbyint(X))
REF(ref_fract, X - floor(X))
REF(ref_min, fmin(X, Y))
REF(ref_max, fmax(X, Y))
REF(ref_clamp, clamped(X, 0.25, 0.75))
REF(ref_mix, X *(1 - Z) + Y * Z)
REF(ref_step, Y < X ? 0 : 1)
REF(ref_fma, X *Y + Z)
REF(ref_length, sqrt(X *X + Y * Y + Z * Z))
REF(ref_dot, X *Y + Y * Z + Z * X)
REF(ref_ldexp, ldexp(X, (v->b.i & 15) - 8))
REF(ref_frexp_m, (double)0 + frexp(X, &(int){0}))
static double
ref_frexp_e(const struct values *v)
{
    int e;
    frexp(X, &e);
    return e;
}
REF(ref_int, fabs(X) > 2e9 ? (double)NAN : (double)(int32_t)X)
REF(ref_uint, X<0 || X> 4e9 ? (double)NAN : (double)(uint32_t)X)
REF(ref_from_int, v->a.i)
REF(ref_from_uint, v->a.u)
REF(ref_idiv, v->b.i == 0 || (v->b.i == -1 && v->a.i == INT32_MIN)
                  ? (double)NAN
                  : v->a.i / v->b.i)
REF(ref_imod, v->a.i < 0 || v->b.i <= 0 ? (double)NAN : v->a.i % v->b.i)
REF(ref_udiv, v->b.u == 0 ? (double)NAN : v->a.u / v->b.u)
REF(ref_umod, v->b.u == 0 ? (double)NAN : v->a.u % v->b.u)
REF(ref_imul, (int32_t)(v->a.u * v->b.u))
REF(ref_umul_high, (uint32_t)((uint64_t)v->a.u * v->b.u >> 32))
REF(ref_imul_high, (int32_t)((int64_t)v->a.i * v->b.i >> 32))
REF(ref_carry, (uint64_t)v->a.u + v->b.u > UINT32_MAX)
REF(ref_borrow, v->a.u < v->b.u)
REF(ref_shl, v->a.u << (v->b.u & 31))
REF(ref_shr, v->a.u >> (v->b.u & 31))
REF(ref_asr, v->a.i >> (v->b.u & 31))
REF(ref_count, __builtin_popcount(v->a.u))
REF(ref_lsb, v->a.u ? __builtin_ctz(v->a.u) : -1)
REF(ref_msb, find_msb(v->a.u))
REF(ref_imsb, find_msb(v->a.i < 0 ? ~v->a.u : v->a.u))
REF(ref_reverse, reversed(v->a.u))
REF(ref_field, field(v))
REF(ref_sfield, signed_field(v))
REF(ref_insert, inserted(v))
REF(ref_iabs, v->a.i == INT32_MIN ? (double)NAN : abs(v->a.i))
REF(ref_isign, (v->a.i > 0) - (v->a.i < 0))
REF(ref_imin, v->a.i < v->b.i ? v->a.i : v->b.i)
REF(ref_umax, v->a.u > v->b.u ? v->a.u : v->b.u)
REF(ref_pack_u16, (uint32_t)round_even(clamped(X, 0, 1), 65535) |
                      (uint32_t)round_even(clamped(Y, 0, 1), 65535) << 16)
REF(ref_pack_s16, ((uint32_t)round_even(clamped(X, -1, 1), 32767) & 0xffff) |
                      (uint32_t)round_even(clamped(Y, -1, 1), 32767) << 16)
REF(ref_pack_u8, (uint32_t)round_even(clamped(Z, 0, 1), 255))
REF(ref_pack_s8, (uint32_t)round_even(clamped(Z, -1, 1), 127) & 0xff)
REF(ref_pack_half, (uint32_t)half_bits(X) | (uint32_t)half_bits(Y) << 16)
REF(ref_unpack_s16, clamped((int16_t)v->a.u / 32767.0, -1, 1))
REF(ref_unpack_u8, (v->a.u >> 16 & 255) / 255.0)
REF(ref_unpack_s8, clamped((int8_t)(v->a.u >> 8) / 127.0, -1, 1))
REF(ref_bits, v->a.f)
#undef X
#undef Y
#undef Z

/* ulp 0: exact. Integers come back as two halves and are exact. */
static const struct function functions[] = {
    {"add", "x + y", ANY, ANY, 0, ref_add, 0, 0.5},
    {"mul", "x * y", ANY, ANY, 0, ref_mul, 0, 0.5},
    {"div", "x / y", ANY, ANY, 0, ref_div, 0, 2.5},
    {"mod", "mod(x, y)", ANY, ANY, 0, ref_mod, 1e-2, 8},
    {"sin", "sin(x)", ANGLE, 0, 0, ref_sin, 0x1p-11, 0},
    {"cos", "cos(x)", ANGLE, 0, 0, ref_cos, 0x1p-11, 0},
    {"tan", "tan(x)", ANGLE, 0, 0, ref_tan, 0.3, 0},
    {"asin", "asin(x)", UNIT, 0, 0, ref_asin, 0x1p-10, 0},
    {"acos", "acos(x)", UNIT, 0, 0, ref_acos, 0x1p-10, 0},
    {"atan", "atan(x)", ANY, 0, 0, ref_atan, 0, 4096},
    {"atan2", "atan(y, x)", ANY, ANY, 0, ref_atan2, 0, 4096},
    {"sinh", "sinh(x)", SMALL, 0, 0, ref_sinh, 1e-5, 100},
    {"cosh", "cosh(x)", SMALL, 0, 0, ref_cosh, 1e-5, 100},
    {"tanh", "tanh(x)", SMALL, 0, 0, ref_tanh, 1e-5, 0},
    {"asinh", "asinh(x)", POSITIVE, 0, 0, ref_asinh, 1e-5, 50},
    {"exp", "exp(x)", SMALL, 0, 0, ref_exp, 0, 20},
    {"exp2", "exp2(x)", SMALL, 0, 0, ref_exp2, 0, 20},
    {"log", "log(x)", POSITIVE, 0, 0, ref_log, 0x1p-21, 3},
    {"log2", "log2(x)", POSITIVE, 0, 0, ref_log2, 0x1p-21, 3},
    {"pow", "pow(x, y)", POSITIVE, SMALL, 0, ref_pow, 0, 2000},
    {"sqrt", "sqrt(x)", POSITIVE, 0, 0, ref_sqrt, 0, 4},
    {"inversesqrt", "inversesqrt(x)", POSITIVE, 0, 0, ref_rsqrt, 0, 2},
    {"abs", "abs(x)", ANY, 0, 0, ref_abs, 0, 0},
    {"sign", "sign(x)", ANY, 0, 0, ref_sign, 0, 0},
    {"floor", "floor(x)", ANY, 0, 0, ref_floor, 0, 0},
    {"ceil", "ceil(x)", ANY, 0, 0, ref_ceil, 0, 0},
    {"trunc", "trunc(x)", ANY, 0, 0, ref_trunc, 0, 0},
    {"roundEven", "roundEven(x)", ANY, 0, 0, ref_round, 0, 0},
    {"fract", "fract(x)", ANY, 0, 0, ref_fract, 1e-7, 0},
    {"min", "min(x, y)", ANY, ANY, 0, ref_min, 0, 0},
    {"max", "max(x, y)", ANY, ANY, 0, ref_max, 0, 0},
    {"clamp", "clamp(x, 0.25, 0.75)", UNIT, 0, 0, ref_clamp, 0, 0},
    {"mix", "mix(x, y, z)", SMALL, SMALL, UNIT, ref_mix, 1e-5, 3},
    {"step", "step(x, y)", SMALL, SMALL, 0, ref_step, 0, 0},
    {"fma", "fma(x, y, z)", SMALL, SMALL, SMALL, ref_fma, 1e-5, 1},
    {"length", "length(vec3(x, y, z))", SMALL, SMALL, SMALL, ref_length, 0, 8},
    {"dot", "dot(vec3(x, y, z), vec3(y, z, x))", SMALL, SMALL, SMALL, ref_dot,
     1e-4, 8},
    {"ldexp", "ldexp(x, (j & 15) - 8)", ANY, BITS, 0, ref_ldexp, 0, 0},
    {"frexp_mantissa", "mantissa(x)", ANY, 0, 0, ref_frexp_m, 0, 0},
    {"frexp_exponent", "exponent(x)", ANY, 0, 0, ref_frexp_e, 0, 0},
    {"float_to_int", "INT(int(x))", ANY, 0, 0, ref_int, 0, 0},
    {"float_to_uint", "UINT(uint(x))", ANY, 0, 0, ref_uint, 0, 0},
    {"int_to_float", "float(i)", BITS, 0, 0, ref_from_int, 0, 0.5},
    {"uint_to_float", "float(u)", BITS, 0, 0, ref_from_uint, 0, 0.5},
    {"int_divide", "INT(i / j)", BITS, SHIFTS, 0, ref_idiv, 0, 0},
    {"int_divide_large", "INT(i / j)", BITS, BITS, 0, ref_idiv, 0, 0},
    {"int_modulo", "INT(i % j)", BITS, SHIFTS, 0, ref_imod, 0, 0},
    {"uint_divide", "UINT(u / v)", BITS, SHIFTS, 0, ref_udiv, 0, 0},
    {"uint_divide_large", "UINT(u / v)", BITS, BITS, 0, ref_udiv, 0, 0},
    {"uint_modulo", "UINT(u % v)", BITS, BITS, 0, ref_umod, 0, 0},
    {"int_multiply", "INT(i * j)", BITS, BITS, 0, ref_imul, 0, 0},
    {"umulExtended", "UINT(high(u, v))", BITS, BITS, 0, ref_umul_high, 0, 0},
    {"imulExtended", "INT(high(i, j))", BITS, BITS, 0, ref_imul_high, 0, 0},
    {"uaddCarry", "UINT(carry(u, v))", BITS, BITS, 0, ref_carry, 0, 0},
    {"usubBorrow", "UINT(borrow(u, v))", BITS, BITS, 0, ref_borrow, 0, 0},
    {"shift_left", "UINT(u << (v & 31u))", BITS, BITS, 0, ref_shl, 0, 0},
    {"shift_right", "UINT(u >> (v & 31u))", BITS, BITS, 0, ref_shr, 0, 0},
    {"shift_signed", "INT(i >> (j & 31))", BITS, BITS, 0, ref_asr, 0, 0},
    {"bitCount", "INT(bitCount(u))", BITS, 0, 0, ref_count, 0, 0},
    {"findLSB", "INT(findLSB(u))", SHIFTS, 0, 0, ref_lsb, 0, 0},
    {"findMSB_uint", "INT(findMSB(u))", SHIFTS, 0, 0, ref_msb, 0, 0},
    {"findMSB_int", "INT(findMSB(i))", SHIFTS, 0, 0, ref_imsb, 0, 0},
    {"bitfieldReverse", "UINT(bitfieldReverse(u))", BITS, 0, 0, ref_reverse, 0,
     0},
    {"bitfieldExtract_uint",
     "UINT(bitfieldExtract(u, int(v % 20u), int(w % 13u)))", BITS, BITS, BITS,
     ref_field, 0, 0},
    {"bitfieldExtract_int",
     "INT(bitfieldExtract(i, int(v % 20u), int(w % 13u)))", BITS, BITS, BITS,
     ref_sfield, 0, 0},
    {"bitfieldInsert", "UINT(bitfieldInsert(u, v, int(v % 20u), int(w % 13u)))",
     BITS, BITS, BITS, ref_insert, 0, 0},
    {"int_abs", "INT(abs(i))", BITS, 0, 0, ref_iabs, 0, 0},
    {"int_sign", "INT(sign(i))", SHIFTS, 0, 0, ref_isign, 0, 0},
    {"int_min", "INT(min(i, j))", BITS, BITS, 0, ref_imin, 0, 0},
    {"uint_max", "UINT(max(u, v))", BITS, BITS, 0, ref_umax, 0, 0},
    {"packUnorm2x16", "UINT(packUnorm2x16(vec2(x, y)))", UNIT, UNIT, 0,
     ref_pack_u16, 0, 0},
    {"packSnorm2x16", "UINT(packSnorm2x16(vec2(x, y)))", UNIT, UNIT, 0,
     ref_pack_s16, 0, 0},
    {"packUnorm4x8", "UINT(packUnorm4x8(vec4(z, 0, 0, 0)))", 0, 0, UNIT,
     ref_pack_u8, 0, 0},
    {"packSnorm4x8", "UINT(packSnorm4x8(vec4(z, 0, 0, 0)))", 0, 0, UNIT,
     ref_pack_s8, 0, 0},
    {"packHalf2x16", "UINT(packHalf2x16(vec2(x, y)))", ANY, SMALL, 0,
     ref_pack_half, 0, 0},
    {"unpackSnorm2x16", "unpackSnorm2x16(u).x", BITS, 0, 0, ref_unpack_s16,
     1e-7, 1},
    {"unpackUnorm4x8", "unpackUnorm4x8(u).z", BITS, 0, 0, ref_unpack_u8, 1e-7,
     1},
    {"unpackSnorm4x8", "unpackSnorm4x8(u).y", BITS, 0, 0, ref_unpack_s8, 1e-7,
     1},
    {"uintBitsToFloat", "uintBitsToFloat(floatBitsToUint(x))", ANY, 0, 0,
     ref_bits, 0, 0},
};

/* ---- arguments ---- */

static union word
argument(enum domain d)
{
    static const float corners[] = {0, 1, -1, 0.5f, 2, 1e-6f};
    union word v = {0};
    bool corner = sweep_random(12) == 0;
    switch (d) {
    case ANY:
        v.f = ldexpf(sweep_uniform(1, 2), (int)sweep_random(40) - 20);
        v.f = sweep_random(2) ? v.f : -v.f;
        break;
    case UNIT:
        v.f = corner ? corners[sweep_random(4)] : sweep_uniform(-1, 1);
        break;
    case ANGLE: v.f = sweep_uniform(-3.14159f, 3.14159f); break;
    case POSITIVE:
        v.f = ldexpf(sweep_uniform(1, 2), (int)sweep_random(30) - 15);
        break;
    case SMALL:
        v.f = corner ? corners[sweep_random(6)] : sweep_uniform(-8, 8);
        break;
    case BITS: v.u = sweep_random(1 << 16) << 16 | sweep_random(1 << 16); break;
    case SHIFTS:
        v.u = sweep_random(1 << 16) << 16 | sweep_random(1 << 16);
        v.u >>= sweep_random(32);
        v.i = sweep_random(2) ? v.i : -v.i;
        break;
    }
    return v;
}

/* ---- shaders ---- */

static const char helpers[] =
    /* Two exact halves. */
    "vec2 INT(int v) { return vec2(float(v & 0xffff), float(v >> 16)); }"
    "vec2 UINT(uint v) { return vec2(float(v & 0xffffu), float(v >> 16)); }"
    "vec2 SPLIT(float v) { return vec2(v, 0); }"
    "vec2 SPLIT(vec2 v) { return v; }"
    "float mantissa(float x) { int e; return frexp(x, e); }"
    "float exponent(float x) { int e; frexp(x, e); return float(e); }"
    "uint high(uint a, uint b) { uint h, l; umulExtended(a, b, h, l); return "
    "h; }"
    "int high(int a, int b) { int h, l; imulExtended(a, b, h, l); return h; }"
    "uint carry(uint a, uint b) { uint c; uaddCarry(a, b, c); return c; }"
    "uint borrow(uint a, uint b) { uint c; usubBorrow(a, b, c); return c; }"
    "vec2 run(uvec3 q) {"
    " uint u = q.x, v = q.y, w = q.z; int i = int(u), j = int(v), k = int(w);"
    " float x = uintBitsToFloat(u), y = uintBitsToFloat(v),"
    " z = uintBitsToFloat(w); return SPLIT(";

static GLuint
compute_program(const struct function *f)
{
    char cs[4096];
    snprintf(cs, sizeof cs,
             GLSL "layout(local_size_x = 64) in;"
                  "layout(std430, binding = 0) readonly buffer A { uint a[]; };"
                  "layout(std430, binding = 1) buffer B { vec2 b[]; };"
                  "%s%s); } void main(){ uint n = gl_GlobalInvocationID.x;"
                  "b[n] = run(uvec3(a[3*n], a[3*n+1], a[3*n+2])); }",
             helpers, f->code);
    return gl_compute(cs);
}

/* Points write their results: SIMD8. */
static GLuint
vertex_program(const struct function *f)
{
    char vs[4096];
    snprintf(vs, sizeof vs,
             GLSL "layout(std430, binding = 0) readonly buffer A { uint a[]; };"
                  "layout(std430, binding = 1) buffer B { vec2 b[]; };"
                  "%s%s); } void main(){ uint n = uint(gl_VertexID);"
                  "b[n] = run(uvec3(a[3*n], a[3*n+1], a[3*n+2]));"
                  "gl_Position = vec4(9, 9, 9, 1); }",
             helpers, f->code);
    return gl_program(vs, GLSL "void main(){}");
}

static double
result(const struct function *f, const float b[2])
{
    if (!strncmp(f->code, "INT", 3) || !strncmp(f->code, "UINT", 4))
        return (double)b[1] * 65536 + (double)b[0];
    return (double)b[0];
}

static bool
fits(const struct function *f, double want, double got)
{
    if (isnan(want))
        return true;
    double off = fabs(got - want);
    int e;
    frexp(want, &e);
    double ulp = ldexp(1, e - 24);
    /* Near the range of float, or denormal. */
    if (fabs(want) > 3e38 || fabs(want) < 2e-38)
        return isinf(got) || fabs(got) > 3e38 || fabs(got) < 2e-38;
    return off <= f->absolute || off <= (f->ulp + 0.01) * ulp;
}

static void
judge(const char *name, const struct function *f, const struct values *in)
{
    static float out[LANES][2];
    GLint buffer;
    unsigned bad = 0, where = 0;
    glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, 1, &buffer);
    glGetNamedBufferSubData((GLuint)buffer, 0, sizeof out, out);
    for (unsigned i = 0; i < LANES; i++)
        if (!fits(f, f->want(&in[i]), result(f, out[i])) && !bad++)
            where = i;
    const struct values *v = &in[where];
    sweep_verdict(name, !bad,
                  "%u of %u; %.9g %.9g %.9g (%x %x %x): %.9g, not "
                  "%.9g",
                  bad, LANES, (double)v->a.f, (double)v->b.f, (double)v->c.f,
                  v->a.u, v->b.u, v->c.u, result(f, out[where]), f->want(v));
}

static void
run_function(const struct function *f)
{
    static struct values in[LANES];
    for (unsigned times = 0; times < (sweep_large ? 20 : 1); times++) {
        for (unsigned i = 0; i < LANES; i++)
            in[i] = (struct values){argument(f->a), argument(f->b),
                                    argument(f->c)};
        GLint buffer;
        glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, 0, &buffer);
        glNamedBufferSubData((GLuint)buffer, 0, sizeof in, in);
        GLuint p = compute_program(f);
        glDispatchCompute(LANES / 64, 1, 1);
        glMemoryBarrier(GL_ALL_BARRIER_BITS);
        judge(sweep_name("function.compute.%s", f->name), f, in);
        glDeleteProgram(p);
        p = vertex_program(f);
        glDrawArrays(GL_POINTS, 0, LANES);
        glMemoryBarrier(GL_ALL_BARRIER_BITS);
        judge(sweep_name("function.vertex.%s", f->name), f, in);
        glDeleteProgram(p);
    }
}

void
sweep_function(void)
{
    sweep_buffer(GL_SHADER_STORAGE_BUFFER, 0, NULL,
                 LANES * sizeof(struct values));
    sweep_buffer(GL_SHADER_STORAGE_BUFFER, 1, NULL, LANES * 8);
    for (unsigned i = 0; i < COUNT(functions); i++)
        if (sweep_begin(sweep_name("function.%s", functions[i].name)))
            run_function(&functions[i]);
}
