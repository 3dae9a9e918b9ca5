/* rk_emit.c: random values, registers, and instructions that compute nothing.
 * Encodings: KBL PRM vol 2d "EU_INSTRUCTION_*". */
#include "rk.h"

#include "base/fields.h"

static const struct {
    uint8_t first, count;
} banks[RK_BANKS] = {
    [RK_FLOAT] = {2, 32},
    [RK_INT] = {34, 36},
    [RK_HALF] = {70, 14},
    [RK_DOUBLE] = {84, 24},
};

uint32_t
rk_rnd(struct rk *k, uint32_t n)
{
    k->random = k->random * UINT64_C(6364136223846793005) +
                UINT64_C(1442695040888963407);
    return (uint32_t)((k->random >> 32) * n >> 32);
}

bool
rk_chance(struct rk *k, unsigned percent)
{
    return rk_rnd(k, 100) < percent;
}

uint32_t
rk_bits_f(struct rk *k)
{
    static const uint32_t special[] = {
        0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
        0x7fc00000, 0x7f7fffff, 0x00000001, 0x80000003, 0x00800000, 0x4f000000,
        0xcf000000, 0x4f800000, 0x3f000000, 0x4b000001, 0x40200000, 0xb3800000,
        0x49800001, 0x5f000000, 0xffc00001, 0x7f800001, 0x47000000, 0xc7000100,
        0x477fff80, 0x387fc000, 0x33800000, 0x47800000, 0xc3000000, 0x437f8000};
    if (rk_chance(k, 25))
        return special[rk_rnd(k, ARRAY_SIZE(special))];
    if (rk_chance(k, 70))
        return rk_rnd(k, 2) << 31 | (120 + rk_rnd(k, 16)) << 23 |
               rk_rnd(k, 1 << 23);
    return rk_rnd(k, UINT32_MAX);
}

uint32_t
rk_bits_i(struct rk *k)
{
    static const uint32_t special[] = {
        0,      1,          UINT32_MAX, 0x80000000, 0x7fffffff,
        0x8000, 0xffff8000, 31,         32,         0x80,
        0x7f,   0x80008000, 0x7fff7fff, 0x80808080, 63};
    if (rk_chance(k, 25))
        return special[rk_rnd(k, ARRAY_SIZE(special))];
    return rk_chance(k, 40) ? rk_rnd(k, 64) - 32 : rk_rnd(k, UINT32_MAX);
}

uint16_t
rk_bits_hf(struct rk *k)
{
    static const uint16_t special[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00,
                                       0xfc00, 0x7e00, 0x7c01, 0x0001, 0x83ff,
                                       0x0400, 0x7bff, 0xfe01, 0x3800};
    if (rk_chance(k, 30))
        return special[rk_rnd(k, ARRAY_SIZE(special))];
    if (rk_chance(k, 60))
        return (uint16_t)(rk_rnd(k, 2) << 15 | (10 + rk_rnd(k, 10)) << 10 |
                          rk_rnd(k, 1024));
    return (uint16_t)rk_rnd(k, 65536);
}

uint64_t
rk_bits_df(struct rk *k)
{
    static const uint64_t special[] = {0,
                                       UINT64_C(0x8000000000000000),
                                       UINT64_C(0x3ff0000000000000),
                                       UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0xfff0000000000000),
                                       UINT64_C(0x7ff8000000000000),
                                       UINT64_C(0x7ff0000000000001),
                                       UINT64_C(0x000fffffffffffff),
                                       UINT64_C(0x0010000000000000),
                                       UINT64_C(0x7fefffffffffffff),
                                       UINT64_C(0x36a0000000000001),
                                       UINT64_C(0x47efffffe0000000),
                                       UINT64_C(0xc1e0000000000000),
                                       UINT64_C(0x41efffffffe00000)};
    uint64_t low = rk_rnd(k, UINT32_MAX), high = rk_rnd(k, 1 << 20);
    if (rk_chance(k, 25))
        return special[rk_rnd(k, ARRAY_SIZE(special))];
    if (rk_chance(k, 70))
        return low | (high | (1015 + rk_rnd(k, 40)) << 20 | rk_rnd(k, 2) << 31)
                         << 32;
    return low | (uint64_t)rk_rnd(k, UINT32_MAX) << 32;
}

/* ---- registers ---- */

enum rk_bank
rk_bank_of(enum eu_type type)
{
    switch (type) {
    case EU_TYPE_F:
    case EU_TYPE_VF: return RK_FLOAT;
    case EU_TYPE_HF: return RK_HALF;
    case EU_TYPE_DF: return RK_DOUBLE;
    default: return RK_INT;
    }
}

enum rk_bank
rk_reg_bank(unsigned grf)
{
    for (unsigned b = 0; b < RK_BANKS; b++)
        if (grf - banks[b].first < banks[b].count)
            return (enum rk_bank)b;
    return RK_INT;
}

uint8_t
rk_reg(struct rk *k, enum rk_bank bank, unsigned span_grf)
{
    if (!k->banks)
        return (uint8_t)(1 + rk_rnd(k, rk_chance(k, 90) ? 24 : 125 - span_grf));
    unsigned n = banks[bank].count - MIN2(span_grf, banks[bank].count - 1u);
    return (uint8_t)(banks[bank].first + rk_rnd(k, n));
}

/* ---- instructions ---- */

unsigned
rk_append(struct rk *k, const uint32_t dw[4])
{
    memcpy(k->code + k->size_B, dw, 16);
    k->at_B[k->count] = k->size_B;
    k->size_B += 16;
    return k->count++;
}

void
rk_put_exec(struct rk *k, uint32_t dw[4], unsigned exec_size)
{
    fields_put(dw, 21, 23, (unsigned)__builtin_ctz(exec_size));
}

/* A compact instruction: the next one is at an odd multiple of 8 bytes. */
void
rk_add_nop(struct rk *k)
{
    static const uint32_t nop[2] = {EU_OP_NOP | 1u << 29, 0};
    memcpy(k->code + k->size_B, nop, 8);
    k->at_B[k->count++] = k->size_B;
    k->size_B += 8;
}

void
rk_add_mov_arf(struct rk *k, unsigned reg, unsigned subreg_B, enum eu_type type,
               uint32_t imm)
{
    uint32_t dw[4] = {EU_OP_MOV};
    fields_put(dw, 34, 34, 1);
    fields_put(dw, 35, 36, EU_FILE_ARF);
    fields_put(dw, 37, 40, type);
    fields_put(dw, 41, 42, EU_FILE_IMM);
    fields_put(dw, 43, 46, type);
    fields_put(dw, 48, 52, subreg_B);
    fields_put(dw, 53, 60, reg);
    fields_put(dw, 61, 62, 1);
    dw[3] = imm;
    rk_append(k, dw);
}

/* cr0: rounding and denormals; sometimes the alternate mode. */
static void
add_mode(struct rk *k)
{
    uint32_t v = rk_rnd(k, 16) << 4 | rk_rnd(k, 2) << 10;
    if (rk_chance(k, 8))
        v |= rk_chance(k, 50) ? 1 : 1 << 12;
    if (rk_chance(k, 10))
        v |= 8;
    rk_add_mov_arf(k, EU_ARF_CR, 0, EU_TYPE_UD, v);
}

void
rk_add_arf(struct rk *k)
{
    unsigned what = rk_rnd(k, 100);
    if (what < 45) {
        /* With banks: an address in the bank of integers. */
        uint32_t v = k->banks ? (34 + rk_rnd(k, 28)) * 32 + rk_rnd(k, 8) * 4
                              : rk_rnd(k, 4200) & ~(rk_chance(k, 90) ? 3u : 0u);
        rk_add_mov_arf(k, EU_ARF_A, rk_rnd(k, 16) * 2, EU_TYPE_UW, v);
    } else if (what < 80) {
        bool word = rk_chance(k, 50);
        rk_add_mov_arf(k, EU_ARF_F + rk_rnd(k, 2), word ? rk_rnd(k, 2) * 2 : 0,
                       word ? EU_TYPE_UW : EU_TYPE_UD, rk_bits_i(k));
    } else if (what < 92) {
        add_mode(k);
    } else if (what < 97) {
        rk_add_mov_arf(k, EU_ARF_SR, 8 + rk_rnd(k, 2) * 4, EU_TYPE_UD,
                       rk_chance(k, 50) ? UINT32_MAX : rk_rnd(k, UINT32_MAX));
    } else {
        rk_add_mov_arf(k, EU_ARF_N, rk_rnd(k, 3) * 4, EU_TYPE_UD, rk_rnd(k, 3));
    }
}

void
rk_add_send(struct rk *k, unsigned reg, unsigned mlen, unsigned rlen, bool eot)
{
    uint32_t dw[4] = {EU_OP_SEND};
    bool dump = mlen > 8;
    rk_put_exec(k, dw, k->simd);
    fields_put(dw, 24, 27, eot ? EU_SFID_SPAWNER : rk_rnd(k, 14));
    fields_put(dw, 34, 34, dump);
    fields_put(dw, 35, 36, rlen ? EU_FILE_GRF : EU_FILE_ARF);
    fields_put(dw, 53, 60,
               rlen ? rk_reg(k, (enum rk_bank)rk_rnd(k, RK_BANKS), rlen) : 0);
    fields_put(dw, 61, 62, 1);
    fields_put(dw, 41, 42, EU_FILE_GRF);
    fields_put(dw, 69, 76, reg);
    fields_put(dw, 89, 90, EU_FILE_IMM);
    fields_put(dw, 96, 126, mlen << 25 | rlen << 20 | rk_rnd(k, 1 << 20));
    fields_put(dw, 127, 127, eot);
    if (!eot && !dump && rk_chance(k, 20)) {
        fields_put(dw, 16, 20, 1 | rk_rnd(k, 2) << 4);
        fields_put(dw, 32, 33, rk_rnd(k, 4));
    }
    rk_append(k, dw);
}

static void
add_sends(struct rk *k)
{
    uint32_t dw[4] = {EU_OP_SENDS + rk_rnd(k, 2)};
    unsigned mlen = 1 + rk_rnd(k, 3), ex = rk_rnd(k, 3), rlen = rk_rnd(k, 3);
    rk_put_exec(k, dw, k->simd);
    fields_put(dw, 24, 27, rk_rnd(k, 14));
    fields_put(dw, 35, 35, rlen > 0);
    fields_put(dw, 36, 36, ex > 0);
    fields_put(dw, 44, 51,
               ex ? rk_reg(k, (enum rk_bank)rk_rnd(k, RK_BANKS), ex) : 0);
    fields_put(dw, 53, 60,
               rlen ? rk_reg(k, (enum rk_bank)rk_rnd(k, RK_BANKS), rlen) : 0);
    fields_put(dw, 64, 67, ex);
    fields_put(dw, 69, 76, rk_reg(k, (enum rk_bank)rk_rnd(k, RK_BANKS), mlen));
    fields_put(dw, 96, 126, mlen << 25 | rlen << 20 | rk_rnd(k, 1 << 20));
    if (rk_chance(k, 20))
        fields_put(dw, 16, 20, 1 | rk_rnd(k, 2) << 4);
    rk_append(k, dw);
}

/* a0 gives the descriptor, or the payload's place. */
static void
add_indirect_send(struct rk *k)
{
    uint32_t desc = 2u << 25 | rk_rnd(k, 2) << 20 | rk_rnd(k, 256);
    uint32_t place = (36 + rk_rnd(k, 20)) * 32;
    bool indirect = rk_chance(k, 50);
    rk_add_mov_arf(k, EU_ARF_A, 0, EU_TYPE_UD, desc);
    if (indirect)
        rk_add_mov_arf(k, EU_ARF_A, 4, EU_TYPE_UW, place);
    unsigned at = k->count;
    rk_add_send(k, rk_reg(k, RK_INT, 2), 2, rk_rnd(k, 2), false);
    uint32_t *dw = (uint32_t *)(void *)(k->code + k->at_B[at]);
    fields_put(dw, 89, 90, EU_FILE_ARF);
    fields_put(dw, 96, 126, 0x0200);
    fields_put(dw, 35, 36, EU_FILE_GRF);
    fields_put(dw, 53, 60, rk_reg(k, RK_INT, 2));
    if (indirect) {
        fields_put(dw, 68, 76, 0);
        fields_put(dw, 73, 76, 2);
        fields_put(dw, 79, 79, 1);
    }
}

void
rk_add_random_send(struct rk *k)
{
    if (rk_chance(k, 20))
        add_indirect_send(k);
    else if (k->gen >= EU_GEN9 && rk_chance(k, 35))
        add_sends(k);
    else
        rk_add_send(k, rk_reg(k, (enum rk_bank)rk_rnd(k, RK_BANKS), 3),
                    1 + rk_rnd(k, 3), rk_rnd(k, 3), false);
}
