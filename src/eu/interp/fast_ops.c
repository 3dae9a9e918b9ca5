/* fast_ops.c: the fast op functions, for any lane count, for 8 and for 16.
 * Compiled once per host instruction set, which EU_FAST_TABLE names. */
#include "eu/interp/fast_ops.h"

#include <emmintrin.h>

#include "eu/interp/fmath_ext.h"

#ifdef __clang__
#define IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define IVDEP _Pragma("GCC ivdep")
#endif

typedef uint32_t __attribute__((may_alias)) aliased_u32;
typedef uint16_t __attribute__((may_alias)) aliased_u16;
typedef float __attribute__((may_alias)) aliased_f32;

FMATH_INLINE uint32_t
find_high(uint32_t x, bool is_unsigned)
{
    x = !is_unsigned && (int32_t)x < 0 ? ~x : x;
    return x ? (uint32_t)__builtin_clz(x) : UINT32_MAX;
}

FMATH_INLINE bool
is_ordered(uint32_t a, uint32_t b, bool is_unsigned)
{
    uint32_t flip = is_unsigned ? 0x80000000 : 0;
    return (int32_t)(a ^ flip) < (int32_t)(b ^ flip);
}

FMATH_INLINE uint32_t
extract_bits(uint32_t width, uint32_t offset, uint32_t value, bool is_unsigned)
{
    /* Bits above 31 are zero: shift only the existing bits down. */
    uint32_t left = offset + width > 32 ? 0 : (32 - width - offset) & 31;
    uint32_t right = offset + width > 32 ? offset : (32 - width) & 31;
    uint32_t v = value << left;
    v = is_unsigned ? v >> right : (uint32_t)((int32_t)v >> right);
    return width ? v : 0;
}

/* Division by zero as in alu_int.c. */
FMATH_INLINE uint32_t
divide_ints(int32_t n, int32_t d)
{
    if (!d)
        return (uint32_t)(n >= 0 ? INT32_MAX : INT32_MIN);
    return d == -1 ? -(uint32_t)n : (uint32_t)(n / d);
}

FMATH_INLINE uint32_t
remainder_of(int32_t n, int32_t d)
{
    if (!d)
        return divide_ints(n, d);
    return d == -1 ? 0 : (uint32_t)(n % d);
}

FMATH_INLINE uint32_t
signed_from_float(float x)
{
    bool in = (x >= -0x1p31f) & (x < 0x1p31f);
    int32_t v = (int32_t)(in ? x : 0.0f);
    int32_t out = x > 0.0f ? INT32_MAX : x < 0.0f ? INT32_MIN : 0;
    return (uint32_t)(in ? v : out);
}

FMATH_INLINE uint32_t
unsigned_from_float(float x)
{
    bool in = (x > 0.0f) & (x < 0x1p32f), high = x >= 0x1p31f;
    float low = high ? x - 0x1p31f : x;
    uint32_t v = (uint32_t)(int32_t)(in ? low : 0.0f);
    v += high ? 0x80000000 : 0;
    return in ? v : x > 0.0f ? UINT32_MAX : 0;
}

#define FN(name) name##_any
#define LANES op->lanes
#define MAX_LANES EU_MAX_LANES
#include "eu/interp/fast_ops_tmpl.h"
#undef FN
#undef LANES
#undef MAX_LANES

#define FN(name) name##_x8
#define LANES 8
#define MAX_LANES 8
#include "eu/interp/fast_ops_tmpl.h"
#undef FN
#undef LANES
#undef MAX_LANES

#define FN(name) name##_x16
#define LANES 16
#define MAX_LANES 16
#include "eu/interp/fast_ops_tmpl.h"

const struct eu_fast_table EU_FAST_TABLE = {
#define X(name) .any[EU_FAST_##name] = name##_any,
    EU_FAST_OPS(X)
#undef X
#define X(name) .x8[EU_FAST_##name] = name##_x8,
        EU_FAST_OPS(X)
#undef X
#define X(name) .x16[EU_FAST_##name] = name##_x16,
            EU_FAST_OPS(X)
#undef X
};
