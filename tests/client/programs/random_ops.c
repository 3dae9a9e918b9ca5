/* random_ops.c: the operations of random programs: text and evaluation. */
#include "random_ast.h"

unsigned
rp_bits(enum rp_type type)
{
    static const uint8_t bits[RP_TYPES] = {1, 8, 8, 16, 16, 32, 32, 64, 64};
    return bits[type];
}

bool
rp_is_signed(enum rp_type type)
{
    return type != RP_BOOL && type % 2 == 1;
}

enum rp_type
rp_unsigned(enum rp_type type)
{
    return rp_is_signed(type) ? type + 1 : type;
}

int64_t
rp_wrap(enum rp_type type, uint64_t v)
{
    switch (type) {
    case RP_BOOL: return v != 0;
    case RP_I8: return (int8_t)v;
    case RP_U8: return (uint8_t)v;
    case RP_I16: return (int16_t)v;
    case RP_U16: return (uint16_t)v;
    case RP_I32: return (int32_t)v;
    case RP_U32: return (uint32_t)v;
    default: return (int64_t)v;
    }
}

bool
rp_less(enum rp_type type, int64_t a, int64_t b)
{
    return type == RP_U64 ? (uint64_t)a < (uint64_t)b : a < b;
}

static int64_t
clamp_wide(enum rp_type to, __int128 v)
{
    __int128 one = 1, low = 0, high = (one << rp_bits(to)) - 1;
    if (rp_is_signed(to)) {
        low = -(one << (rp_bits(to) - 1));
        high = -low - 1;
    }
    v = v < low ? low : v > high ? high : v;
    return rp_wrap(to, (uint64_t)v);
}

static __int128
exact(enum rp_type type, int64_t v)
{
    return type == RP_U64 ? (__int128)(uint64_t)v : (__int128)v;
}

int64_t
rp_clamp(enum rp_type to, enum rp_type from, int64_t v)
{
    return clamp_wide(to, exact(from, v));
}

enum rp_type
rp_arg_type(char letter, enum rp_type type)
{
    switch (letter) {
    case 'U': return rp_unsigned(type);
    case 'u': return RP_U32;
    case 'i': return RP_I32;
    case 'b': return RP_BOOL;
    case 'h': return type - 2;
    case 'H': return rp_unsigned(type - 2);
    default: return type;
    }
}

enum rp_type
rp_expr_type(const struct rp_expr *e)
{
    return e->kind == RP_OP ? rp_arg_type(e->op->result, e->type) : e->type;
}

/* ---- evaluation ---- */

#define X v[0]
#define Y v[1]
#define Z v[2]
#define UX ((uint64_t)v[0])
#define UY ((uint64_t)v[1])
#define UZ ((uint64_t)v[2])
#define EX exact(t, v[0])
#define EY exact(t, v[1])
#define OP(name, expression)                                \
    static int64_t name(enum rp_type t, const int64_t v[3]) \
    {                                                       \
        (void)t, (void)v;                                   \
        return expression;                                  \
    }
#define WRAPPED(name, expression) OP(name, rp_wrap(t, (uint64_t)(expression)))

static unsigned
count_of(enum rp_type t, int64_t n)
{
    return (unsigned)n & (rp_bits(t) - 1);
}

static uint64_t
bits_of(enum rp_type t, int64_t v)
{
    return (uint64_t)rp_wrap(rp_unsigned(t), (uint64_t)v);
}

static int64_t
leading_zeros(enum rp_type t, int64_t v)
{
    uint64_t u = bits_of(t, v);
    int64_t n = 0;
    for (unsigned bit = rp_bits(t); bit-- && !(u >> bit & 1);)
        n++;
    return n;
}

static int64_t
ones(enum rp_type t, int64_t v)
{
    int64_t n = 0;
    for (uint64_t u = bits_of(t, v); u; u >>= 1)
        n += (int64_t)(u & 1);
    return n;
}

static int64_t
rotated(enum rp_type t, int64_t v, int64_t by)
{
    unsigned bits = rp_bits(t), n = count_of(t, by);
    uint64_t u = bits_of(t, v);
    return rp_wrap(t, n ? u << n | u >> (bits - n) : u);
}

static int64_t
highest(enum rp_type t, int64_t v)
{
    uint32_t u = (uint32_t)v;
    if (rp_is_signed(t) && (int32_t)u < 0)
        u = ~u;
    for (int n = 31; n >= 0; n--)
        if (u >> n & 1)
            return n;
    return -1;
}

static int64_t
lowest(int64_t v)
{
    for (int n = 0; n < 32; n++)
        if ((uint64_t)v >> n & 1)
            return n;
    return -1;
}

static int64_t
extracted(enum rp_type t, int64_t v, unsigned first, unsigned count)
{
    if (!count)
        return 0;
    uint64_t field = (uint64_t)v >> first & ((UINT64_C(1) << count) - 1);
    if (rp_is_signed(t) && field >> (count - 1))
        field |= ~((UINT64_C(1) << count) - 1);
    return rp_wrap(t, field);
}

static int64_t
inserted(enum rp_type t, int64_t v, int64_t w, unsigned first, unsigned count)
{
    uint64_t mask = ((UINT64_C(1) << count) - 1) << first;
    return rp_wrap(t, ((uint64_t)v & ~mask) | ((uint64_t)w << first & mask));
}

static int64_t
reversed(enum rp_type t, int64_t v)
{
    uint32_t r = 0;
    for (unsigned n = 0; n < 32; n++)
        r |= (uint32_t)((uint64_t)v >> n & 1) << (31 - n);
    return rp_wrap(t, r);
}

static int64_t
limited(enum rp_type t, int64_t v, int64_t a, int64_t b)
{
    int64_t low = rp_less(t, b, a) ? b : a, high = rp_less(t, b, a) ? a : b;
    return rp_less(t, v, low) ? low : rp_less(t, high, v) ? high : v;
}

/* The product of unsigned longs needs all 128 bits. */
static int64_t
mad_clamped(enum rp_type t, int64_t a, int64_t b, int64_t c)
{
    if (t != RP_U64)
        return clamp_wide(t, exact(t, a) * exact(t, b) + exact(t, c));
    unsigned __int128 v = (unsigned __int128)(uint64_t)a * (uint64_t)b +
                          (uint64_t)c;
    return v > UINT64_MAX ? (int64_t)UINT64_MAX : (int64_t)(uint64_t)v;
}

static int64_t
high_half(enum rp_type t, int64_t a, int64_t b)
{
    unsigned bits = rp_bits(t);
    if (t == RP_U64)
        return (int64_t)(uint64_t)((unsigned __int128)(uint64_t)a *
                                       (uint64_t)b >>
                                   64);
    return rp_wrap(t, (uint64_t)((exact(t, a) * exact(t, b)) >> bits));
}

WRAPPED(negate, 0 - UX)
WRAPPED(negate_odd, 0 - (UX | 1))
WRAPPED(invert, ~UX)
WRAPPED(add, UX + UY)
WRAPPED(subtract, UX - UY)
WRAPPED(multiply, UX *UY)
WRAPPED(bit_and, UX &UY)
WRAPPED(bit_or, UX | UY)
WRAPPED(bit_xor, UX ^ UY)
WRAPPED(shift_left, UX << count_of(t, Y))
OP(shift_right,
   rp_is_signed(t) ? X >> count_of(t, Y) : (int64_t)(UX >> count_of(t, Y)))
OP(quotient, (int64_t)(UX / (UY | 1)))
OP(rest, (int64_t)(UX % (UY | 1)))
WRAPPED(quotient_up, X / ((Y & 0x3f) | 1))
WRAPPED(quotient_down, X / -((Y & 0x3f) | 2))
WRAPPED(rest_up, X % ((Y & 0x3f) | 1))
WRAPPED(rest_down, X % -((Y & 0x3f) | 2))
OP(is_less, rp_less(t, X, Y))
OP(is_greater, rp_less(t, Y, X))
OP(is_most, !rp_less(t, Y, X))
OP(is_least, !rp_less(t, X, Y))
OP(is_equal, X == Y)
OP(is_other, X != Y)
OP(is_negative, X < 0)
OP(is_positive, X > 0)
OP(is_positive_unsigned, X != 0)
OP(is_not_negative, X >= 0)
OP(is_not_positive, X <= 0)
OP(is_zero, X == 0)
OP(is_less_negated, rp_less(t, rp_wrap(t, 0 - UX), Y))
OP(both, X &&Y)
OP(either, X || Y)
OP(neither, !X)
OP(choose, X ? Y : Z)
OP(smaller, rp_less(t, Y, X) ? Y : X)
OP(smaller_negated, rp_less(t, Y, rp_wrap(t, 0 - UX)) ? Y : rp_wrap(t, 0 - UX))
OP(larger, rp_less(t, X, Y) ? Y : X)
OP(between, limited(t, X, Y, Z))
WRAPPED(magnitude, X < 0 ? 0 - UX : UX)
OP(smaller_magnitude, smaller(t, (int64_t[]){magnitude(t, v), Y, 0}))
OP(is_less_magnitude, rp_less(t, magnitude(t, v), Y))
OP(magnitude_u, rp_wrap(rp_unsigned(t), X < 0 && rp_is_signed(t) ? 0 - UX : UX))
OP(sign_of, (X > 0) - (X < 0))
OP(distance, rp_wrap(rp_unsigned(t), (uint64_t)(EX < EY ? EY - EX : EX - EY)))
OP(add_saturated, clamp_wide(t, EX + EY))
OP(subtract_saturated, clamp_wide(t, EX - EY))
OP(mad_saturated, mad_clamped(t, X, Y, Z))
WRAPPED(half_sum, (EX + EY) >> 1)
WRAPPED(half_sum_up, (EX + EY + 1) >> 1)
OP(product_high, high_half(t, X, Y))
WRAPPED(product_high_plus, (uint64_t)high_half(t, X, Y) + UZ)
OP(rotate_odd, rotated(t, X, Y | 1))
OP(count_ones, ones(t, X))
OP(count_zeros, leading_zeros(t, X))
WRAPPED(mix_bits, (UX & ~UZ) | (UY & UZ))
WRAPPED(join, UX << rp_bits(t) / 2 | UY)
WRAPPED(product_24, (UX & 0xffffff) * (UY & 0xffffff))
WRAPPED(product_24_plus, (UX & 0xffffff) * (UY & 0xffffff) + UZ)
OP(find_high, highest(t, X))
OP(find_low, lowest(X))
OP(reverse_bits, reversed(t, X))
OP(extract, extracted(t, X, (unsigned)Y & 15, (unsigned)Z & 15))
OP(extract_top, extracted(t, X, 16, ((unsigned)Y & 15) + 1))
OP(insert_9, inserted(t, X, Y, (unsigned)Z & 15, 9))
OP(insert_all, inserted(t, X, Y, 0, 32))
OP(carry_out, (X + Y) >> 32)
OP(borrow_out, X < Y)

/* ---- the table ---- */

#define BIT(type) (1u << (type))
#define NARROW (BIT(RP_I8) | BIT(RP_U8) | BIT(RP_I16) | BIT(RP_U16))
#define DWORD (BIT(RP_I32) | BIT(RP_U32))
#define QWORD (BIT(RP_I64) | BIT(RP_U64))
#define GL (DWORD | QWORD)
#define ALL (NARROW | GL)
#define SIGNED (BIT(RP_I8) | BIT(RP_I16) | BIT(RP_I32) | BIT(RP_I64))
#define UNSIGNED (BIT(RP_U8) | BIT(RP_U16) | BIT(RP_U32) | BIT(RP_U64))

const struct rp_op rp_ops[] = {
    {"T", 'b', GL &SIGNED, SIGNED, 8, "($a < $T(0))", "($a < 0)", is_negative},
    /* Observed: IGC 1.0.12504 makes the same MOV of (int)(short)-x and of
     * -(int)x. $N hides from it that a narrow x is subtracted from 0 or times
     * -1. */
    {"T", 'T', 0, ALL, 3, "", "($T)(0$N - ($W)$a)", negate},
    /* Observed: Mesa 22.3 takes (-x) < 0 for x > 0, which is wrong for INT_MIN.
     */
    {"T", 'T', GL, 0, 2, "(-$a ^ $T(z))", "", negate},
    {"T", 'T', GL, 0, 2, "(-($a | $T(1)))", "", negate_odd},
    {"TT", 'T', DWORD, 0, 2, "min(-$a, $b ^ $T(z))", "", smaller_negated},
    {"TT", 'b', DWORD, 0, 2, "(-$a < ($b ^ $T(z)))", "", is_less_negated},
    /* Observed: Mesa 22.3 reads the sources of ~(a | b) after a loop has
     * changed them. */
    {"T", 'T', GL, ALL, 2, "(~($a + $T(z)))", "($T)(~$a)", invert},
    {"TT", 'T', GL, ALL, 12, "($a + $b)", "($T)(($W)$a + ($W)$b)", add},
    {"TT", 'T', GL, ALL, 12, "($a - $b)", "($T)(($W)$a$N - ($W)$b)", subtract},
    {"TT", 'T', GL, ALL, 5, "($a * $b)", "($T)(($W)$a * ($W)$b$N)", multiply},
    {"TT", 'T', GL, ALL, 5, "($a & $b)", "($T)($a & $b)", bit_and},
    {"TT", 'T', GL, ALL, 4, "($a | $b)", "($T)($a | $b)", bit_or},
    {"TT", 'T', GL, ALL, 5, "($a ^ $b)", "($T)($a ^ $b)", bit_xor},
    {"Tu", 'T', GL, ALL, 8, "($a << ($b & $Mu))", "($T)(($W)$a << ($b & $Mu))",
     shift_left},
    {"Tu", 'T', GL, ALL, 8, "($a >> ($b & $Mu))", "($T)($a >> ($b & $Mu))",
     shift_right},
    /* OpenCL takes the count modulo the bits of the left operand. */
    {"Tu", 'T', 0, UNSIGNED &(DWORD | QWORD), 2, "", "($a << $b)", shift_left},
    {"Tu", 'T', 0, DWORD | QWORD, 2, "", "($a >> $b)", shift_right},
    /* Observed: IGC 1.0.12504 divides (abs) of a UD, which has no sign, for
     * abs(x). */
    {"TT", 'T', BIT(RP_U32), UNSIGNED, 2, "($a / ($b | 1u))",
     "($T)(($T)($a ^ z) / ($T)($b | 1))", quotient},
    {"TT", 'T', BIT(RP_U32), UNSIGNED, 2, "($a % ($b | 1u))",
     "($T)(($T)($a ^ z) % ($T)($b | 1))", rest},
    {"TT", 'T', BIT(RP_I32), SIGNED, 2, "($a / (($b & 63) | 1))",
     "($T)($a / ($T)(($b & 63) | 1))", quotient_up},
    {"TT", 'T', BIT(RP_I32), SIGNED, 1, "($a / -(($b & 63) | 2))",
     "($T)($a / ($T)-(($b & 63) | 2))", quotient_down},
    {"TT", 'T', 0, SIGNED, 1, "", "($T)($a % ($T)(($b & 63) | 1))", rest_up},
    {"TT", 'T', 0, SIGNED, 1, "", "($T)($a % ($T)-(($b & 63) | 2))", rest_down},
    {"TT", 'b', GL, ALL, 6, "($a < $b)", "($a < $b)", is_less},
    {"TT", 'b', GL, ALL, 4, "($a > $b)", "($a > $b)", is_greater},
    {"TT", 'b', GL, ALL, 4, "($a <= $b)", "($a <= $b)", is_most},
    {"TT", 'b', GL, ALL, 4, "($a >= $b)", "($a >= $b)", is_least},
    {"TT", 'b', GL, ALL, 3, "($a == $b)", "($a == $b)", is_equal},
    {"TT", 'b', GL, ALL, 3, "($a != $b)", "($a != $b)", is_other},
    {"T", 'b', GL &SIGNED, SIGNED, 5, "($a > $T(0))", "($a > 0)", is_positive},
    {"T", 'b', GL &SIGNED, SIGNED, 5, "($a >= $T(0))", "($a >= 0)",
     is_not_negative},
    {"T", 'b', GL &SIGNED, SIGNED, 4, "($a <= $T(0))", "($a <= 0)",
     is_not_positive},
    {"T", 'b', GL, ALL, 5, "($a == $T(0))", "($a == 0)", is_zero},
    {"T", 'b', GL &UNSIGNED, UNSIGNED, 3, "($a > $T(0))", "($a > 0)",
     is_positive_unsigned},
    {"bb", 'b', ALL, ALL, 2, "($a && $b)", "($a && $b)", both},
    {"bb", 'b', ALL, ALL, 2, "($a || $b)", "($a || $b)", either},
    {"b", 'b', ALL, ALL, 2, "(!$a)", "(!$a)", neither},
    {"bTT", 'T', GL, ALL, 8, "($a ? $b : $c)", "($T)($a ? $b : $c)", choose},
    {"TT", 'T', DWORD, ALL, 4, "min($a, $b)", "min($a, $b)", smaller},
    {"TT", 'T', DWORD, ALL, 4, "max($a, $b)", "max($a, $b)", larger},
    {"Tll", 'T', DWORD, ALL, 2, "clamp($a, min($b, $c), max($b, $c))",
     "clamp($a, min($b, $c), max($b, $c))", between},
    /* Observed: Mesa 22.3 crashes when it prunes minima of 64-bit constants. */
    {"TT", 'T', QWORD, 0, 4, "min($a ^ $T(z), $b ^ $T(z))", "", smaller},
    {"TT", 'T', QWORD, 0, 4, "max($a ^ $T(z), $b ^ $T(z))", "", larger},
    /* Observed: Mesa 22.3 takes |x| for positive, which is wrong for INT_MIN.
     */
    {"T", 'T', GL &SIGNED, 0, 3, "(abs($a) ^ $T(z))", "", magnitude},
    {"TT", 'T', BIT(RP_I32), 0, 2, "min(abs($a), $b ^ $T(z))", "",
     smaller_magnitude},
    {"TT", 'b', BIT(RP_I32), 0, 2, "(abs($a) < ($b ^ $T(z)))", "",
     is_less_magnitude},
    {"T", 'U', 0, ALL, 3, "", "abs($a)", magnitude_u},
    {"T", 'T', GL &SIGNED, 0, 2, "sign($a)", "", sign_of},
    {"TT", 'U', 0, ALL, 3, "", "abs_diff($a, $b)", distance},
    /* Observed: IGC 1.0.12504 compares a sum of longs that must not wrap with
     * zero. */
    {"TT", 'T', 0, ALL & ~BIT(RP_I64), 5, "", "add_sat($a, $b)", add_saturated},
    {"TT", 'T', 0, ALL & ~BIT(RP_I64), 5, "", "sub_sat($a, $b)",
     subtract_saturated},
    {"TTT", 'T', 0, ALL & ~BIT(RP_I64), 2, "", "mad_sat($a, $b, $c)",
     mad_saturated},
    {"TT", 'T', 0, ALL, 3, "", "hadd($a, $b)", half_sum},
    /* Observed: IGC 1.0.12504 loses the carry of a sum of ulongs with ~0. */
    {"TT", 'T', 0, ALL & ~BIT(RP_U64), 3, "", "rhadd($a, $b)", half_sum_up},
    /* Observed: IGC 1.0.12504 lets sums of ushorts with the result exceed 16
     * bits. */
    {"TT", 'T', 0, ALL & ~BIT(RP_U16), 4, "", "mul_hi($a, $b)", product_high},
    /* Observed: Mesa 22.3 folds constants wrongly here, so there are none. */
    {"TT", 'T', DWORD, 0, 4, "product_high($a ^ $T(z), $b ^ $T(z))", "",
     product_high},
    {"TTT", 'T', 0, UNSIGNED & ~BIT(RP_U16), 2, "", "mad_hi($a, $b, $c)",
     product_high_plus},
    /* Observed: if the count is certainly 0, IGC 1.0.12504 shifts by all bits
     * and takes dependent values for undefined. */
    {"TT", 'T', 0, ALL, 3, "", "rotate($a, ($T)($b | 1))", rotate_odd},
    {"T", 'T', 0, ALL, 2, "", "popcount($a)", count_ones},
    {"T", 'T', 0, ALL, 2, "", "clz($a)", count_zeros},
    {"TTT", 'T', 0, ALL, 2, "", "bitselect($a, $b, $c)", mix_bits},
    {"hH", 'T', 0, ALL & ~(BIT(RP_I8) | BIT(RP_U8)), 2, "", "upsample($a, $b)",
     join},
    {"TT", 'T', 0, BIT(RP_U32), 2, "", "mul24($a & 0xffffffu, $b & 0xffffffu)",
     product_24},
    {"TTT", 'T', 0, BIT(RP_U32), 2, "",
     "mad24($a & 0xffffffu, $b & 0xffffffu, $c)", product_24_plus},
    {"T", 'i', DWORD, 0, 2, "bitCount($a)", "", count_ones},
    {"T", 'i', DWORD, 0, 2, "findMSB($a)", "", find_high},
    {"T", 'i', DWORD, 0, 2, "findLSB($a)", "", find_low},
    {"T", 'T', DWORD, 0, 2, "bitfieldReverse($a)", "", reverse_bits},
    {"Tuu", 'T', DWORD, 0, 3,
     "bitfieldExtract($a, int($b & 15u), int($c & 15u))", "", extract},
    {"Tu", 'T', DWORD, 0, 2, "bitfieldExtract($a, 16, int($b & 15u) + 1)", "",
     extract_top},
    {"TTu", 'T', DWORD, 0, 3, "bitfieldInsert($a, $b, int($c & 15u), 9)", "",
     insert_9},
    {"TT", 'T', DWORD, 0, 1, "bitfieldInsert($a, $b, 0, 32)", "", insert_all},
    {"TT", 'T', BIT(RP_U32), 0, 3, "carry_out($a, $b)", "", carry_out},
    {"TT", 'T', BIT(RP_U32), 0, 3, "borrow_out($a, $b)", "", borrow_out},
};

const unsigned rp_op_count = sizeof rp_ops / sizeof rp_ops[0];
const struct rp_op *const rp_is_negative = &rp_ops[0];
