/* Which rule of the PRM an instruction breaks. */
#include <criterion/criterion.h>

#include "cases.h"
#include "encode.h"

static void
expect_rule(const struct code *c, const char *rule)
{
    struct eu_insn insn;
    const char *why = NULL;
    cr_assert_eq(eu_decode(&insn, c->dw, 16, EU_GEN9, &why), 16, "%s", why);
    const char *broken = eu_validate(&insn, EU_GEN9);
    if (!rule)
        cr_expect_null(broken, "%s", broken);
    else
        cr_expect_str_eq(broken ? broken : "(nothing)", rule);
}

Test(validate, real_instructions_break_no_rule)
{
    FILE *file = case_open("disasm_gen9.txt");
    cr_assert(file);
    struct case_line c;
    while (case_next(&c, file)) {
        struct eu_insn insn;
        cr_assert(eu_decode(&insn, c.bytes, c.bytes_B, EU_GEN9, NULL));
        const char *broken = eu_validate(&insn, EU_GEN9);
        if (insn.opcode)
            cr_expect_null(broken, "%s: %s", c.second, broken);
    }
    fclose(file);
}

Test(validate, starting_points_are_fine)
{
    struct code c = encode_binary(0x40, EU_TYPE_F);
    expect_rule(&c, NULL);
    c = encode_unary(0x01, EU_TYPE_UD);
    expect_rule(&c, NULL);
    c = encode_ternary(0x5b);
    expect_rule(&c, NULL);
    c = encode_send(2, 0x0242a000);
    expect_rule(&c, NULL);
    c = encode_sends(12, 0x04036000, 4);
    expect_rule(&c, NULL);
    c = encode_branch(0x22, 32, 48);
    expect_rule(&c, NULL);
}

Test(validate, opcode_zero)
{
    struct code c = {{0}};
    expect_rule(&c, "opcode 0 is illegal");
}

Test(validate, predicates)
{
    struct code c = encode_branch(0x25, 16, 0);
    put(&c, 19, 16, 1);
    expect_rule(&c, "opcode cannot be predicated");
    c = encode_binary(0x40, EU_TYPE_F);
    put(&c, 19, 16, 14);
    expect_rule(&c, "reserved predicate control");
    c = encode_binary(0x02, EU_TYPE_F);
    put(&c, 19, 16, 1);
    put(&c, 27, 24, EU_CMOD_GE);
    expect_rule(&c, "sel with both predicate and condition");
}

Test(validate, conditions)
{
    struct code c = encode_binary(0x40, EU_TYPE_F);
    put(&c, 27, 24, 7);
    expect_rule(&c, "reserved condition modifier");
    c = encode_unary(0x17, EU_TYPE_UD);
    put(&c, 27, 24, EU_CMOD_Z);
    expect_rule(&c, "opcode has no condition modifier");
}

Test(validate, saturation_and_source_modifiers)
{
    struct code c = encode_binary(0x10, EU_TYPE_F);
    put(&c, 31, 31, 1);
    expect_rule(&c, "opcode cannot saturate");
    c = encode_binary(0x4e, EU_TYPE_UD);
    put(&c, 78, 78, 1);
    expect_rule(&c, "opcode has no source modifiers");
    c = encode_binary(0x38, EU_TYPE_D);
    put(&c, 27, 24, EU_MATH_INT_DIV_QUOTIENT);
    put(&c, 78, 78, 1);
    expect_rule(&c, "opcode has no source modifiers");
}

Test(validate, types)
{
    struct code c = encode_binary(0x5a, EU_TYPE_D);
    expect_rule(&c, "opcode does not combine these types");
    c = encode_binary(0x40, EU_TYPE_F);
    put(&c, 94, 91, EU_TYPE_D);
    expect_rule(&c, "integer and float sources mixed");
    c = encode_binary(0x05, EU_TYPE_F);
    expect_rule(&c, "opcode does not combine these types");
}

Test(validate, subregisters_are_aligned)
{
    struct code c = encode_unary(0x01, EU_TYPE_F);
    put(&c, 68, 64, 2);
    expect_rule(&c, "subregister not aligned to its type");
}

Test(validate, regions_stay_inside_the_register_file)
{
    struct code c = encode_unary(0x01, EU_TYPE_F);
    put(&c, 23, 21, 4);
    put(&c, 76, 69, 126);
    expect_rule(&c, NULL);
    put(&c, 76, 69, 127);
    expect_rule(&c, "region reaches beyond r127");
    c = encode_unary(0x01, EU_TYPE_F);
    put(&c, 23, 21, 4);
    put(&c, 60, 53, 127);
    expect_rule(&c, "region reaches beyond r127");
    c = encode_ternary(0x5b);
    put(&c, 23, 21, 4);
    put(&c, 125, 118, 127);
    expect_rule(&c, "region reaches beyond r127");
}

Test(validate, region_parameters)
{
    struct code c = encode_unary(0x01, EU_TYPE_F);
    put(&c, 23, 21, 2);
    expect_rule(&c, "region width exceeds the execution size");
    c = encode_unary(0x01, EU_TYPE_F);
    put(&c, 88, 85, 3);
    expect_rule(&c, "vertical stride of a single row is not W * H");
    c = encode_unary(0x01, EU_TYPE_F);
    put(&c, 84, 82, 0);
    expect_rule(&c, "width 1 with a horizontal stride");
    c = encode_unary(0x01, EU_TYPE_F);
    put(&c, 88, 85, 0);
    put(&c, 84, 82, 1);
    put(&c, 81, 80, 0);
    expect_rule(&c, "strides 0 with a width other than 1");
}

Test(validate, operands_span_two_registers_at_most)
{
    struct code c = encode_unary(0x01, EU_TYPE_F);
    put(&c, 23, 21, 4);
    put(&c, 68, 64, 4);
    expect_rule(&c, "source spans more than two registers");
    c = encode_unary(0x01, EU_TYPE_F);
    put(&c, 23, 21, 4);
    put(&c, 62, 61, 2);
    expect_rule(&c, "destination spans more than two registers");
}

Test(validate, destination_stride)
{
    struct code c = encode_unary(0x01, EU_TYPE_F);
    put(&c, 62, 61, 0);
    expect_rule(&c, "destination stride 0");
}

Test(validate, messages)
{
    struct code c = encode_send(2, 0x0042a000);
    expect_rule(&c, "message without payload");
    c = encode_send(2, 0x0242a000);
    put(&c, 76, 69, 0);
    put(&c, 42, 41, EU_FILE_ARF);
    expect_rule(&c, "message payload is not in the GRF");
    c = encode_send(2, 0x0442a000);
    put(&c, 76, 69, 127);
    expect_rule(&c, "message reaches beyond r127");
    c = encode_send(2, 0x0242a000);
    put(&c, 60, 53, 125);
    expect_rule(&c, "message reaches beyond r127");
    c = encode_sends(12, 0x02036000, 4);
    put(&c, 51, 44, 125);
    expect_rule(&c, "message reaches beyond r127");
    c = encode_send(14, 0x0242a000);
    expect_rule(&c, "no such shared function");
}

Test(validate, branch_targets_are_multiples_of_eight)
{
    struct code c = encode_branch(0x22, 32, 36);
    expect_rule(&c, "branch target not a multiple of 8 bytes");
}

Test(validate, jumps_are_scalar)
{
    struct code c = {{0}};
    put(&c, 6, 0, 0x20);
    put(&c, 23, 21, 3);
    put(&c, 90, 89, EU_FILE_IMM);
    expect_rule(&c, "execution size too large for this opcode");
}
