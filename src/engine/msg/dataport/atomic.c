/* atomic.c: atomic operations of the data port. Workers run in parallel, so
 * each operation is an atomic instruction or a compare-and-swap loop on host
 * memory. Lanes of one message execute in ascending order. KBL PRM vol 2d
 * "MDC_AOP", "MDC_FOP". */
#include "engine/msg/dataport/dataport.h"
#include "base/fpmode.h"

enum {
    AOP_CMPWR_WIDE = 0,
    AOP_AND,
    AOP_OR,
    AOP_XOR,
    AOP_MOV,
    AOP_INC,
    AOP_DEC,
    AOP_ADD,
    AOP_SUB,
    AOP_REVSUB,
    AOP_IMAX,
    AOP_IMIN,
    AOP_UMAX,
    AOP_UMIN,
    AOP_CMPWR,
    AOP_PREDEC,
};

unsigned
atomic_operands(unsigned op)
{
    switch (op) {
    case AOP_INC:
    case AOP_DEC:
    case AOP_PREDEC: return 0;
    case AOP_CMPWR:
    case AOP_CMPWR_WIDE: return 2;
    default: return 1;
    }
}

static inline uint64_t
combine(unsigned op, uint64_t old, int64_t sold, uint64_t src0, int64_t ssrc0,
        uint64_t src1)
{
    switch (op) {
    case AOP_AND: return old & src0;
    case AOP_OR: return old | src0;
    case AOP_XOR: return old ^ src0;
    case AOP_MOV: return src0;
    case AOP_INC: return old + 1;
    case AOP_DEC:
    case AOP_PREDEC: return old - 1;
    case AOP_ADD: return old + src0;
    case AOP_SUB: return old - src0;
    case AOP_REVSUB: return src0 - old;
    case AOP_IMAX: return sold > ssrc0 ? old : src0;
    case AOP_IMIN: return sold < ssrc0 ? old : src0;
    case AOP_UMAX: return old > src0 ? old : src0;
    case AOP_UMIN: return old < src0 ? old : src0;
    case AOP_CMPWR: return old == src0 ? src1 : old;
    default: return old;
    }
}

static inline __attribute__((always_inline)) uint32_t
exchange(unsigned op, uint32_t *p, uint32_t src0, uint32_t src1)
{
    uint32_t old = __atomic_load_n(p, __ATOMIC_RELAXED), next;
    do {
        next = (uint32_t)combine(op, old, (int32_t)old, src0, (int32_t)src0,
                                 src1);
    } while (!__atomic_compare_exchange_n(p, &old, next, false,
                                          __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return op == AOP_PREDEC ? next : old;
}

uint32_t
atomic_int32(unsigned op, uint32_t *p, uint32_t src0, uint32_t src1)
{
    return exchange(op, p, src0, src1);
}

/* ---- all lanes of a message ---- */

static inline __attribute__((always_inline)) uint32_t
one_lane(unsigned op, bool contended, uint32_t *p, uint32_t a, uint32_t b)
{
    if (!contended) {
        uint32_t old = *p;
        *p = (uint32_t)combine(op, old, (int32_t)old, a, (int32_t)a, b);
        return op == AOP_PREDEC ? *p : old;
    }
    switch (op) {
    case AOP_ADD: return __atomic_fetch_add(p, a, __ATOMIC_SEQ_CST);
    case AOP_SUB: return __atomic_fetch_sub(p, a, __ATOMIC_SEQ_CST);
    case AOP_INC: return __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST);
    case AOP_DEC: return __atomic_fetch_sub(p, 1, __ATOMIC_SEQ_CST);
    case AOP_MOV: return __atomic_exchange_n(p, a, __ATOMIC_SEQ_CST);
    default: return exchange(op, p, a, b);
    }
}

/* Inlined, so that a constant operation leaves only its own code in the
 * loop. */
static inline __attribute__((always_inline)) void
all_lanes(unsigned op, bool contended, const struct lane_access *a,
          const uint32_t *offset_B, const uint32_t *src0, const uint32_t *src1,
          uint32_t *dst)
{
    unsigned operands = atomic_operands(op);
    uint32_t result[16];
    for (unsigned i = 0; i < a->lanes; i++) {
        if (!(a->mask >> i & 1))
            continue;
        uint8_t *p = a->mem + (offset_B[i] & a->keep);
        result[i] = one_lane(op, contended, (uint32_t *)(void *)p,
                             operands > 0 ? src0[i] : 0,
                             operands > 1 ? src1[i] : 0);
    }
    for (unsigned i = 0; i < a->lanes && dst; i++)
        if (a->mask >> i & 1)
            dst[i] = result[i];
}

/* All enabled lanes at one address: their operations in ascending order as one
 * compare-and-swap. */
static void
one_address(unsigned op, bool contended, const struct lane_access *a,
            uint32_t *p, const uint32_t *src0, const uint32_t *src1,
            uint32_t *dst)
{
    const unsigned operands = atomic_operands(op);
    uint32_t before = __atomic_load_n(p, __ATOMIC_RELAXED), next, result[16];
    do {
        next = before;
        for (unsigned i = 0; i < a->lanes; i++) {
            if (!(a->mask >> i & 1))
                continue;
            uint32_t old = next, b = operands > 0 ? src0[i] : 0;
            next = (uint32_t)combine(op, old, (int32_t)old, b, (int32_t)b,
                                     operands > 1 ? src1[i] : 0);
            result[i] = op == AOP_PREDEC ? next : old;
        }
        if (!contended) {
            *p = next;
            break;
        }
    } while (!__atomic_compare_exchange_n(p, &before, next, false,
                                          __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    for (unsigned i = 0; i < a->lanes && dst; i++)
        if (a->mask >> i & 1)
            dst[i] = result[i];
}

/* Operations that applications use have loops of their own. */
static inline __attribute__((always_inline)) void
all_lanes_of(unsigned op, bool contended, const struct lane_access *a,
             const uint32_t *offset_B, const uint32_t *src0,
             const uint32_t *src1, uint32_t *dst)
{
#define LOOP_OF(op_) \
    case op_: all_lanes(op_, contended, a, offset_B, src0, src1, dst); break;
    switch (op) {
        LOOP_OF(AOP_AND)
        LOOP_OF(AOP_OR)
        LOOP_OF(AOP_MOV)
        LOOP_OF(AOP_INC)
        LOOP_OF(AOP_ADD)
        LOOP_OF(AOP_IMAX)
        LOOP_OF(AOP_IMIN)
        LOOP_OF(AOP_UMAX)
        LOOP_OF(AOP_UMIN)
        LOOP_OF(AOP_CMPWR)
    default: all_lanes(op, contended, a, offset_B, src0, src1, dst);
    }
#undef LOOP_OF
}

bool
atomic_lanes(unsigned op, bool contended, const struct lane_access *a,
             const uint32_t *offset_B, const uint32_t *src0,
             const uint32_t *src1, uint32_t *dst)
{
    uint32_t last_B, outside = 0, differ = 0;
    if (!lanes_last_B(a, &last_B) || (uintptr_t)a->mem & 3 || a->keep & 3)
        return false;
    if (!a->mask)
        return true;
    uint32_t first_B = offset_B[__builtin_ctz(a->mask)] & a->keep;
    for (unsigned i = 0; i < a->lanes; i++) {
        outside |= (uint32_t)((offset_B[i] & a->keep) > last_B) << i;
        differ |= (uint32_t)((offset_B[i] & a->keep) != first_B) << i;
    }
    if (outside & a->mask)
        return false;
    if (!(differ & a->mask))
        one_address(op, contended, a, (uint32_t *)(void *)(a->mem + first_B),
                    src0, src1, dst);
    else if (contended)
        all_lanes_of(op, true, a, offset_B, src0, src1, dst);
    else
        all_lanes_of(op, false, a, offset_B, src0, src1, dst);
    return true;
}

uint64_t
atomic_int64(unsigned op, uint64_t *p, uint64_t src0, uint64_t src1)
{
    uint64_t old = __atomic_load_n(p, __ATOMIC_RELAXED), next;
    do {
        next = combine(op, old, (int64_t)old, src0, (int64_t)src0, src1);
    } while (!__atomic_compare_exchange_n(p, &old, next, false,
                                          __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return op == AOP_PREDEC ? next : old;
}

static bool
is_nan(uint32_t u)
{
    return (u & 0x7fffffff) > 0x7f800000;
}

static bool
is_snan(uint32_t u)
{
    return is_nan(u) && !(u & 0x00400000);
}

/* Data port minimum and maximum: a signalling NaN wins unchanged, a quiet one
 * loses. Of two zeros, FMAX gives -0 if the old value is -0 and FMIN +0 if it
 * is +0: equal values keep the old one. */
static uint32_t
combine_float(unsigned op, uint32_t old, uint32_t src0, uint32_t src1)
{
    float a = float_from_bits(old), b = float_from_bits(src0);
    switch (op) {
    case AOP_FMAX:
    case AOP_FMIN:
        if (is_snan(old) || is_snan(src0))
            return is_snan(old) ? old : src0;
        if (is_nan(old))
            return src0;
        return (op == AOP_FMAX ? b > a : b < a) ? src0 : old;
    case AOP_FCMPWR: return a == b ? src1 : old;
    default: return old;
    }
}

uint32_t
atomic_float32(unsigned op, uint32_t *p, uint32_t src0, uint32_t src1)
{
    uint32_t before = fpmode_enter(FPMODE_DEFAULT);
    uint32_t old = __atomic_load_n(p, __ATOMIC_RELAXED), next;
    do {
        next = combine_float(op, old, src0, src1);
    } while (!__atomic_compare_exchange_n(p, &old, next, false,
                                          __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    fpmode_leave(FPMODE_DEFAULT, before);
    return old;
}
