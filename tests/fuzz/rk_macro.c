/* rk_macro.c: the parts of IEEE macros: INVM and RSQTM, and MADM. Encodings as
 * IGC has them: Align16, with macro registers where others have swizzles. */
#include "rk.h"

#include "base/fields.h"

#define NO_MME 8

void
rk_put_channels(uint32_t dw[4], const struct rk_channels *c)
{
    rk_put_exec(NULL, dw, c->count);
    fields_put(dw, 11, 11, c->first / 4 % 2);
    fields_put(dw, 12, 13, c->first / 8);
    fields_put(dw, 32, 33, c->flag);
}

static unsigned
any_mme(struct rk *k)
{
    return rk_chance(k, 50) ? NO_MME : rk_rnd(k, 8);
}

/* A register of the type's bank; results take one register. */
static unsigned
any_reg(struct rk *k, enum eu_type type)
{
    return rk_reg(k, rk_bank_of(type), 1);
}

void
rk_add_invm(struct rk *k, const struct rk_channels *c, enum eu_type type)
{
    uint32_t dw[4] = {EU_OP_MATH};
    unsigned vstride = type == EU_TYPE_DF ? 2 : 3;
    bool root = rk_chance(k, 40);
    rk_put_channels(dw, c);
    fields_put(dw, 8, 8, 1);
    fields_put(dw, 24, 27, root ? EU_MATH_RSQRTM : EU_MATH_INVM);
    fields_put(dw, 35, 36, EU_FILE_GRF);
    fields_put(dw, 37, 40, type);
    fields_put(dw, 48, 51, rk_rnd(k, 8));
    fields_put(dw, 53, 60, any_reg(k, type));
    fields_put(dw, 61, 62, 1);
    fields_put(dw, 41, 42, EU_FILE_GRF);
    fields_put(dw, 43, 46, type);
    fields_put(dw, 64, 67, NO_MME);
    fields_put(dw, 69, 76, any_reg(k, type));
    fields_put(dw, 85, 88, vstride);
    if (!root) {
        fields_put(dw, 89, 90, EU_FILE_GRF);
        fields_put(dw, 91, 94, type);
        fields_put(dw, 96, 99, NO_MME);
        fields_put(dw, 101, 108, any_reg(k, type));
        fields_put(dw, 117, 120, vstride);
    }
    rk_append(k, dw);
}

void
rk_add_madm(struct rk *k, const struct rk_channels *c, enum eu_type type)
{
    static const uint8_t reg_at[3] = {76, 97, 118}, mme_at[3] = {65, 86, 107};
    uint32_t dw[4] = {EU_OP_MADM};
    unsigned code = type == EU_TYPE_DF ? 3 : 0;
    rk_put_channels(dw, c);
    fields_put(dw, 32, 33, 0);
    fields_put(dw, 8, 8, 1);
    fields_put(dw, 43, 45, code);
    fields_put(dw, 46, 48, code);
    fields_put(dw, 49, 52, any_mme(k));
    fields_put(dw, 56, 63, any_reg(k, type));
    for (unsigned n = 0; n < 3; n++) {
        fields_put(dw, reg_at[n], reg_at[n] + 7, any_reg(k, type));
        fields_put(dw, mme_at[n], mme_at[n] + 3, any_mme(k));
        fields_put(dw, 37 + n * 2, 38 + n * 2, rk_rnd(k, 4));
    }
    rk_append(k, dw);
}
