/* test_convert.c: MOV between every pair of types, with and without saturation,
 * in every rounding mode. The test computes expected values in long double,
 * which holds every value of every type exactly: 64 bits of mantissa. */
#include <fenv.h>

#include "interp_run.h"

#include "encode.h"
#include "eu/isa/eu_opcodes.h"
#include "interp_kernels.h"

#define ROUND_TO_INT (1u << 12)

static const enum eu_type types[] = {
    EU_TYPE_UB, EU_TYPE_B, EU_TYPE_UW, EU_TYPE_W, EU_TYPE_UD, EU_TYPE_D,
    EU_TYPE_UQ, EU_TYPE_Q, EU_TYPE_HF, EU_TYPE_F, EU_TYPE_DF,
};

/* Bit patterns that are interesting in some type, truncated to the others. */
static const uint64_t patterns[] = {
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x3c00,
    0x8001,
    0x7c01,
    0x7bff,
    0xfbff,
    0x7fff,
    0x8000,
    0xffff,
    0x3f000000, /* 0.5 */
    0x3fc00000, /* 1.5 */
    0xc0200000, /* -2.5 */
    0x437f8000, /* 255.5 */
    0x477fefff, /* below 65520, where HF overflows */
    0x477ff000,
    0x4f000000, /* 2^31 */
    0xcf000001,
    0x5f000000, /* 2^63 */
    0xdf000000,
    0x5f800000, /* 2^64 */
    0x33000001, /* above half the smallest HF */
    0x33000000,
    0x7f800000,
    0xff800000,
    0x7fc00000,
    0x7fffffff,
    0x80000000,
    0xfeffffff,
    0x80000001,
    0x3fe0000000000000, /* 0.5 */
    0xbff8000000000000, /* -1.5 */
    0x3ff0000010000000, /* 1 + half an ulp of F */
    0x40e0000000000000, /* 32768 */
    0x41efffffffe00000, /* 2^32 - 1 */
    0xc1e0000000200000, /* below -2^31 */
    0x43e0000000000000, /* 2^63 */
    0xc3e0000000000000,
    0x43f0000000000000, /* 2^64 */
    0x47f0000000000000, /* 2^128 */
    0x40effdffffffffff, /* just below 65520 */
    0x4001002000000001, /* double rounding to HF */
    0x7ff0000000000000,
    0x7ff8000000000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xffffffffffffffff,
    0xffffff7fffffffff,
    0x0000008000000001,
    0x8000000000000400,
};

static bool
is_float(enum eu_type type)
{
    return type == EU_TYPE_HF || type == EU_TYPE_F || type == EU_TYPE_DF;
}

static bool
is_signed(enum eu_type type)
{
    return type == EU_TYPE_B || type == EU_TYPE_W || type == EU_TYPE_D ||
           type == EU_TYPE_Q;
}

static uint64_t
low_bits(uint64_t v, enum eu_type type)
{
    unsigned n = eu_type_size_B(type) * 8;
    return n == 64 ? v : v & ((UINT64_C(1) << n) - 1);
}

/* ---- values ---- */

static long double
value_of_half(uint64_t h)
{
    int exp = (int)(h >> 10 & 31);
    long double man = (long double)(h & 0x3ff), v;
    if (exp == 31)
        v = h & 0x3ff ? (long double)NAN : (long double)INFINITY;
    else
        v = exp ? ldexpl(1024 + man, exp - 25) : ldexpl(man, -24);
    return h & 0x8000 ? -v : v;
}

static long double
value_of(uint64_t bits, enum eu_type type)
{
    double d;
    unsigned n = eu_type_size_B(type) * 8;
    switch (type) {
    case EU_TYPE_HF: return value_of_half(bits);
    case EU_TYPE_F: return float_from_bits((uint32_t)bits);
    case EU_TYPE_DF: memcpy(&d, &bits, 8); return d;
    default:
        if (is_signed(type))
            return (long double)((int64_t)(bits << (64 - n)) >> (64 - n));
        return (long double)bits;
    }
}

/* v rounded in the current mode to a type with this many mantissa bits and this
 * least exponent. */
static long double
round_to(long double v, int bits, int least)
{
    int exp;
    if (v == 0 || !isfinite(v))
        return v;
    frexpl(v, &exp);
    int unit = exp - bits > least ? exp - bits : least;
    return ldexpl(rintl(ldexpl(v, -unit)), unit);
}

static uint64_t
half_bits(long double v)
{
    uint64_t sign = signbit(v) ? 0x8000 : 0;
    long double r = fabsl(round_to(v, 11, -24));
    int exp;
    if (isnan(v))
        return 0x7e00;
    if (isinf(v))
        return sign | 0x7c00;
    if (r > 65504) { /* to the mode's bound */
        int mode = fegetround();
        bool away = mode == FE_TONEAREST ||
                    mode == (sign ? FE_DOWNWARD : FE_UPWARD);
        return sign | (away ? 0x7c00 : 0x7bff);
    }
    if (r < 0x1p-14L)
        return sign | (uint64_t)ldexpl(r, 24);
    frexpl(r, &exp);
    uint64_t man = (uint64_t)ldexpl(r, 11 - exp) - 1024;
    return sign | (uint64_t)(exp + 14) << 10 | man;
}

static uint64_t
float_bits(long double v, enum eu_type type)
{
    float f;
    double d;
    uint64_t u = 0;
    switch (type) {
    case EU_TYPE_HF: return half_bits(v);
    case EU_TYPE_F:
        f = (float)v;
        memcpy(&u, &f, 4);
        return u;
    default:
        d = (double)v;
        memcpy(&u, &d, 8);
        return u;
    }
}

static uint64_t
int_bits(long double v, enum eu_type type, bool to_nearest)
{
    unsigned n = eu_type_size_B(type) * 8;
    long double lo = is_signed(type) ? -ldexpl(1, (int)n - 1) : 0;
    long double hi = ldexpl(1, (int)(is_signed(type) ? n - 1 : n)) - 1;
    if (isnan(v))
        return 0;
    v = to_nearest ? rintl(v) : truncl(v);
    v = v < lo ? lo : v > hi ? hi : v;
    return low_bits(v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v, type);
}

/* noinline, so that it is not moved out of the caller's rounding mode. */
static __attribute__((noinline)) uint64_t
expected(uint64_t bits, enum eu_type src, enum eu_type dst, bool sat,
         bool to_nearest)
{
    long double v = value_of(bits, src);
    if (src == dst && !sat)
        return bits;
    if (is_float(dst)) {
        if (sat)
            v = v > 0 ? (v < 1 ? v : 1) : 0;
        return float_bits(v, dst);
    }
    if (is_float(src) || sat)
        return int_bits(v, dst, to_nearest);
    return low_bits(v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v, dst);
}

static bool
same(uint64_t a, uint64_t b, enum eu_type type)
{
    return a == b || (is_float(type) && isnan(value_of(a, type)) &&
                      isnan(value_of(b, type)));
}

/* ---- running ---- */

static struct code
conversion(enum eu_type src, enum eu_type dst, bool sat)
{
    struct code c = encode_unary(EU_OP_MOV, dst);
    put(&c, 46, 43, src);
    put(&c, 31, 31, sat);
    return c;
}

static void
convert(enum eu_type src, enum eu_type dst, bool sat, unsigned rounding,
        bool to_nearest)
{
    static const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                                 FE_TOWARDZERO};
    struct code program[3] = {conversion(src, dst, sat)};
    unsigned from_B = eu_type_size_B(src), to_B = eu_type_size_B(dst);
    memcpy(&program[1], kernel_halt + ARRAY_SIZE(kernel_halt) - 8, 32);
    for (unsigned first = 0; first < ARRAY_SIZE(patterns); first += 8) {
        struct test_thread *t = test_thread_new(program[0].dw, sizeof program,
                                                0xff);
        t->eu.cr0[0] |= rounding << 4 | (to_nearest ? ROUND_TO_INT : 0) |
                        1u << 7;
        for (unsigned i = 0; i < 8 && first + i < ARRAY_SIZE(patterns); i++)
            memcpy(t->eu.grf + 20 * 32 + i * from_B, &patterns[first + i],
                   from_B);
        RUN(t);
        fesetround(modes[rounding]);
        for (unsigned i = 0; i < 8 && first + i < ARRAY_SIZE(patterns); i++) {
            uint64_t in = low_bits(patterns[first + i], src), got = 0;
            uint64_t want = expected(in, src, dst, sat, to_nearest);
            memcpy(&got, t->eu.grf + 10 * 32 + i * to_B, to_B);
            cr_expect(same(got, want, dst),
                      "type %u to %u, sat %u, rounding %u: 0x%llx gives "
                      "0x%llx, expected 0x%llx",
                      src, dst, sat, rounding, (unsigned long long)in,
                      (unsigned long long)got, (unsigned long long)want);
        }
        fesetround(FE_TONEAREST);
        test_thread_free(t);
    }
}

static void
convert_all(bool sat, unsigned rounding, bool to_nearest)
{
    for (unsigned s = 0; s < ARRAY_SIZE(types); s++)
        for (unsigned d = 0; d < ARRAY_SIZE(types); d++)
            convert(types[s], types[d], sat, rounding, to_nearest);
}

Test(interp_convert, every_pair_of_types)
{
    convert_all(false, 0, false);
}

Test(interp_convert, saturating)
{
    convert_all(true, 0, false);
}

Test(interp_convert, other_rounding_modes)
{
    for (unsigned rounding = 1; rounding < 4; rounding++) {
        convert_all(false, rounding, false);
        convert_all(true, rounding, true);
    }
}

Test(interp_convert, to_integers_as_cr0_rounds)
{
    convert_all(false, 0, true);
}
