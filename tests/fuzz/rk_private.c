/* rk_private.c: a private array in registers, as IGC accesses it. Observed: the
 * addresses of sixteen channels are in a0; a load is one MOV of the region
 * <1,0>; a store is, channel by channel, an SMOV whose bits are a constant, or
 * a MOV whose predicate is one. */
#include "rk.h"

#include "base/fields.h"

#define LANES 16u
#define FIRST_GRF 34u /* with banks: of the array, in the bank of integers */

struct access {
    enum eu_type type;
    unsigned size_B, first; /* channel */
};

static void
put_move(struct rk *k, uint32_t dw[4], unsigned opcode, const struct access *a)
{
    dw[0] |= opcode;
    rk_put_exec(k, dw, LANES);
    fields_put(dw, 12, 13, a->first / 8);
    fields_put(dw, 35, 36, EU_FILE_GRF);
    fields_put(dw, 37, 40, a->type);
    fields_put(dw, 41, 42, EU_FILE_GRF);
    fields_put(dw, 43, 46, a->type);
    fields_put(dw, 61, 62, 1);
}

/* op (16) dst<1>:uw r<16;16,1>:uw imm:uw */
static void
add_words(struct rk *k, unsigned opcode, const struct access *a, unsigned dst,
          unsigned src, uint32_t imm)
{
    const struct access words = {EU_TYPE_UW, 2, a->first};
    uint32_t dw[4] = {0};
    put_move(k, dw, opcode, &words);
    if (dst == EU_ARF_A)
        fields_put(dw, 35, 36, EU_FILE_ARF);
    fields_put(dw, 34, 34, rk_chance(k, 50));
    fields_put(dw, 53, 60, dst);
    fields_put(dw, 69, 76, src);
    fields_put(dw, 80, 81, 1);
    fields_put(dw, 82, 84, 4);
    fields_put(dw, 85, 88, 5);
    fields_put(dw, 89, 90, EU_FILE_IMM);
    fields_put(dw, 91, 94, EU_TYPE_UW);
    dw[3] = imm << 16 | imm;
    rk_append(k, dw);
}

/* Without banks some addresses are outside of the registers. */
static void
add_addresses(struct rk *k, const struct access *a)
{
    unsigned tmp = rk_reg(k, RK_INT, 2), base = FIRST_GRF * 32;
    unsigned range = k->banks || rk_chance(k, 80) ? 0x1fc : 0xfff;
    if (!k->banks)
        base = rk_rnd(k, 100) * 32 + rk_rnd(k, 4);
    add_words(k, EU_OP_AND, a, tmp, rk_reg(k, RK_INT, 2), range);
    add_words(k, EU_OP_ADD, a, EU_ARF_A, tmp, base);
}

static void
add_load(struct rk *k, const struct access *a)
{
    uint32_t dw[4] = {0};
    put_move(k, dw, EU_OP_MOV, a);
    fields_put(dw, 16, 19, rk_chance(k, 20));
    fields_put(dw, 32, 33, rk_rnd(k, 2) * 2);
    fields_put(dw, 53, 60, rk_reg(k, rk_bank_of(a->type), 2));
    fields_put(dw, 79, 79, 1);
    fields_put(dw, 85, 88, 15);
    rk_append(k, dw);
}

static void
add_store(struct rk *k, const struct access *a, unsigned src, bool by_smov,
          unsigned lane)
{
    uint32_t dw[4] = {0}, bits = 1u << lane;
    unsigned at_B = lane * a->size_B, flag = rk_rnd(k, 2);
    if (rk_chance(k, 15))
        bits = rk_rnd(k, 1 << LANES);
    put_move(k, dw, by_smov ? EU_OP_SMOV : EU_OP_MOV, a);
    fields_put(dw, 57, 60, lane);
    fields_put(dw, 63, 63, 1);
    fields_put(dw, 64, 68, at_B % 32);
    fields_put(dw, 69, 76, src + at_B / 32);
    if (by_smov) {
        fields_put(dw, 89, 90, EU_FILE_IMM);
        fields_put(dw, 91, 94, EU_TYPE_UW);
        dw[3] = bits << 16 | bits;
    } else {
        rk_add_mov_arf(k, EU_ARF_F + flag, a->first / 8, EU_TYPE_UW,
                       bits << 16 | bits);
        if (rk_chance(k, 10))
            rk_add_alu(k);
        fields_put(dw, 16, 19, 1);
        fields_put(dw, 20, 20, rk_chance(k, 10));
        fields_put(dw, 32, 33, flag * 2);
    }
    rk_append(k, dw);
}

void
rk_add_private(struct rk *k)
{
    static const uint8_t types[] = {EU_TYPE_UB, EU_TYPE_B,  EU_TYPE_UW,
                                    EU_TYPE_W,  EU_TYPE_UD, EU_TYPE_D,
                                    EU_TYPE_F,  EU_TYPE_HF};
    struct access a = {.type = (enum eu_type)types[rk_rnd(k, k->banks ? 6 : 8)],
                       .first = k->simd == 32 && rk_chance(k, 40) ? 16 : 0};
    a.size_B = eu_type_size_B(a.type);
    add_addresses(k, &a);
    if (rk_chance(k, 70))
        add_load(k, &a);
    if (rk_chance(k, 30))
        return;
    bool by_smov = rk_chance(k, 60);
    unsigned src = rk_reg(k, rk_bank_of(a.type), 2);
    for (unsigned n = 1 + rk_rnd(k, rk_chance(k, 30) ? 20 : 5); n > 0; n--)
        add_store(k, &a, src, by_smov, rk_rnd(k, LANES));
}
