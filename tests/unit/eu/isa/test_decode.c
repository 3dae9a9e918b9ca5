/* test_decode.c: decoding of an instruction's bits, one field per test. */
#include <criterion/criterion.h>

#include "encode.h"

static struct eu_insn
decode(const struct code *c)
{
    struct eu_insn insn;
    const char *why = NULL;
    cr_assert_eq(eu_decode(&insn, c->dw, 16, EU_GEN9, &why), 16, "%s",
                 why ? why : "length");
    cr_assert_null(why);
    return insn;
}

static void
refuse(const struct code *c, enum eu_gen gen, const char *reason)
{
    struct eu_insn insn;
    const char *why = NULL;
    cr_assert_eq(eu_decode(&insn, c->dw, 16, gen, &why), 0);
    cr_assert_not_null(why);
    cr_expect_str_eq(why, reason);
}

/* ---- header ---- */

Test(decode, execution_size_is_a_power_of_two)
{
    struct code c = encode_binary(0x40, EU_TYPE_F);
    for (unsigned i = 0; i <= 5; i++) {
        put(&c, 23, 21, i);
        cr_expect_eq(decode(&c).exec_size, 1u << i);
    }
    put(&c, 23, 21, 6);
    refuse(&c, EU_GEN9, "reserved execution size");
}

Test(decode, quarter_and_nibble_give_the_first_channel)
{
    struct code c = encode_binary(0x40, EU_TYPE_F);
    put(&c, 13, 12, 2);
    cr_expect_eq(decode(&c).chan_offset, 16);
    put(&c, 23, 21, 2);
    put(&c, 11, 11, 1);
    cr_expect_eq(decode(&c).chan_offset, 20);
}

Test(decode, channels_beyond_31_are_refused)
{
    struct code c = encode_binary(0x40, EU_TYPE_F);
    put(&c, 23, 21, 4);
    put(&c, 13, 12, 3);
    refuse(&c, EU_GEN9, "channels beyond 31");
}

Test(decode, predicate_flag_and_condition)
{
    struct code c = encode_binary(0x10, EU_TYPE_F);
    put(&c, 19, 16, 6);
    put(&c, 20, 20, 1);
    put(&c, 33, 32, 3);
    put(&c, 27, 24, EU_CMOD_GE);
    put(&c, 34, 34, 1);
    struct eu_insn insn = decode(&c);
    cr_expect_eq(insn.pred_ctrl, 6);
    cr_expect(insn.pred_inv);
    cr_expect_eq(insn.flag, 3);
    cr_expect_eq(insn.cmod, EU_CMOD_GE);
    cr_expect(insn.no_mask);
}

Test(decode, bit_28_is_branch_control_or_accumulator_write)
{
    struct code add = encode_binary(0x40, EU_TYPE_F);
    put(&add, 28, 28, 1);
    cr_expect(decode(&add).acc_wr);
    cr_expect_not(decode(&add).branch_ctrl);

    struct code go = encode_branch(0x2e, 16, 16);
    put(&go, 28, 28, 1);
    cr_expect(decode(&go).branch_ctrl);
    cr_expect_not(decode(&go).acc_wr);
}

Test(decode, eight_bytes_are_not_enough_for_a_native_instruction)
{
    struct code c = encode_binary(0x40, EU_TYPE_F);
    struct eu_insn insn;
    const char *why = NULL;
    for (unsigned n = 0; n < 16; n++) {
        cr_expect_eq(eu_decode(&insn, c.dw, n, EU_GEN9, &why), 0);
        cr_expect_str_eq(why, "truncated instruction");
    }
}

Test(decode, reason_may_be_null)
{
    struct code c = {{0x7f}};
    struct eu_insn insn;
    cr_expect_eq(eu_decode(&insn, c.dw, 16, EU_GEN9, NULL), 0);
}

Test(decode, sends_is_no_gen8_opcode)
{
    struct code c = encode_sends(12, 0x02106e00, 2);
    refuse(&c, EU_GEN8, "no such opcode");
}

/* ---- operands ---- */

Test(decode, region_is_in_elements)
{
    struct code c = encode_binary(0x40, EU_TYPE_W);
    put(&c, 88, 85, 5);
    put(&c, 84, 82, 3);
    put(&c, 81, 80, 2);
    put(&c, 68, 64, 6);
    struct eu_operand src = decode(&c).src[0];
    cr_expect_eq(src.vstride, 16);
    cr_expect_eq(src.width, 8);
    cr_expect_eq(src.hstride, 2);
    cr_expect_eq(src.reg, 20);
    cr_expect_eq(src.subreg_B, 6);
}

Test(decode, reserved_strides_widths_and_types_are_refused)
{
    struct code c = encode_binary(0x40, EU_TYPE_F);
    put(&c, 88, 85, 9);
    refuse(&c, EU_GEN9, "reserved vertical stride");
    c = encode_binary(0x40, EU_TYPE_F);
    put(&c, 116, 114, 6);
    refuse(&c, EU_GEN9, "reserved width");
    c = encode_binary(0x40, EU_TYPE_F);
    put(&c, 94, 91, 11);
    refuse(&c, EU_GEN9, "reserved data type");
}

Test(decode, registers_end_at_r127)
{
    struct code c = encode_binary(0x40, EU_TYPE_F);
    put(&c, 108, 101, 128);
    refuse(&c, EU_GEN9, "register number above r127");
    c = encode_binary(0x40, EU_TYPE_F);
    put(&c, 60, 53, 255);
    refuse(&c, EU_GEN9, "register number above r127");
}

Test(decode, architecture_registers_are_counted)
{
    struct code c = encode_binary(0x40, EU_TYPE_F);
    put(&c, 42, 41, EU_FILE_ARF);
    put(&c, 76, 69, EU_ARF_ACC | 9);
    cr_expect_eq(decode(&c).src[0].reg, EU_ARF_ACC | 9);
    put(&c, 76, 69, EU_ARF_ACC | 10);
    refuse(&c, EU_GEN9, "no such architecture register");
    put(&c, 76, 69, 0xe0);
    refuse(&c, EU_GEN9, "no such architecture register");
}

Test(decode, source_modifiers)
{
    struct code c = encode_binary(0x40, EU_TYPE_F);
    put(&c, 78, 77, 3);
    put(&c, 110, 109, 1);
    struct eu_insn insn = decode(&c);
    cr_expect(insn.src[0].abs && insn.src[0].negate);
    cr_expect(insn.src[1].abs && !insn.src[1].negate);
}

/* BDW PRM vol 2b, "SrcMod": 10b is NOT, other encodings change nothing. */
Test(decode, logic_operations_know_only_not)
{
    struct code c = encode_binary(0x05, EU_TYPE_UD);
    for (unsigned mod = 0; mod < 4; mod++) {
        put(&c, 78, 77, mod);
        cr_expect_eq(decode(&c).src[0].negate, mod == 2);
        cr_expect_not(decode(&c).src[0].abs);
    }
}

Test(decode, indirect_offset_is_signed_ten_bits)
{
    struct code c = encode_unary(0x01, EU_TYPE_F);
    put(&c, 79, 79, 1);
    put(&c, 76, 73, 5);
    put(&c, 72, 64, 0x1f8);
    struct eu_operand src = decode(&c).src[0];
    cr_expect(src.indirect);
    cr_expect_eq(src.addr_subreg, 5);
    cr_expect_eq(src.addr_imm_B, 504);
    put(&c, 95, 95, 1);
    cr_expect_eq(decode(&c).src[0].addr_imm_B, -8);

    c = encode_unary(0x01, EU_TYPE_F);
    put(&c, 63, 63, 1);
    put(&c, 60, 57, 3);
    put(&c, 56, 48, 0);
    put(&c, 47, 47, 1);
    cr_expect_eq(decode(&c).dst.addr_imm_B, -512);
    cr_expect_eq(decode(&c).dst.addr_subreg, 3);
}

Test(decode, vxh_needs_an_indirect_operand)
{
    struct code c = encode_unary(0x01, EU_TYPE_F);
    put(&c, 88, 85, 15);
    refuse(&c, EU_GEN9, "VxH region on a direct operand");
    put(&c, 79, 79, 1);
    cr_expect_eq(decode(&c).src[0].vstride, EU_VSTRIDE_VXH);
}

Test(decode, align16_has_swizzle_and_mask)
{
    struct code c = encode_binary(0x40, EU_TYPE_F);
    put(&c, 8, 8, 1);
    put(&c, 52, 48, 0x15); /* upper half, .xz */
    put(&c, 67, 64, 0x4);  /* x <- x, y <- y */
    put(&c, 68, 68, 1);
    put(&c, 83, 80, 0xa); /* z <- z, w <- z */
    put(&c, 88, 84, 3 << 1);
    struct eu_insn insn = decode(&c);
    cr_expect_eq(insn.dst.writemask, 5);
    cr_expect_eq(insn.dst.subreg_B, 16);
    cr_expect_eq(insn.dst.hstride, 1);
    cr_expect_eq(insn.src[0].swizzle, 0xa4);
    cr_expect_eq(insn.src[0].subreg_B, 16);
    cr_expect_eq(insn.src[0].vstride, 4);
    cr_expect_eq(insn.src[0].width, 4);
    cr_expect_eq(insn.src[0].hstride, 1);
}

/* ---- immediates ---- */

Test(decode, immediates_keep_their_bits)
{
    static const struct {
        unsigned code;
        uint64_t raw;
        enum eu_type type;
        uint64_t imm;
    } cases[] = {
        {0, 0xdeadbeef00000000, EU_TYPE_UD, 0xdeadbeef},
        {1, 0xffffffff00000000, EU_TYPE_D, 0xffffffff},
        {2, 0xabcdabcd00000000, EU_TYPE_UW, 0xabcd},
        {3, 0xfff9fff900000000, EU_TYPE_W, 0xfff9},
        {4, 0x7654321000000000, EU_TYPE_UV, 0x76543210},
        {5, 0x3020104000000000, EU_TYPE_VF, 0x30201040},
        {6, 0xfedcba9800000000, EU_TYPE_V, 0xfedcba98},
        {7, 0x3f80000000000000, EU_TYPE_F, 0x3f800000},
        {8, 0x0123456789abcdef, EU_TYPE_UQ, 0x0123456789abcdef},
        {9, 0xfffffffffffffffe, EU_TYPE_Q, 0xfffffffffffffffe},
        {10, 0x3ff0000000000000, EU_TYPE_DF, 0x3ff0000000000000},
        {11, 0x3c003c0000000000, EU_TYPE_HF, 0x3c00},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        struct code c = encode_mov_imm(cases[i].code, cases[i].raw);
        struct eu_operand src = decode(&c).src[0];
        cr_expect_eq(src.file, EU_FILE_IMM);
        cr_expect_eq(src.type, cases[i].type, "code %u", cases[i].code);
        cr_expect_eq(src.imm, cases[i].imm, "code %u", cases[i].code);
    }
    struct code c = encode_mov_imm(12, 0);
    refuse(&c, EU_GEN9, "reserved data type");
}

Test(decode, only_the_last_source_may_be_immediate)
{
    struct code c = encode_binary(0x40, EU_TYPE_F);
    put(&c, 42, 41, EU_FILE_IMM);
    refuse(&c, EU_GEN9, "immediate that is not the last source");
    c = encode_binary(0x40, EU_TYPE_DF);
    put(&c, 90, 89, EU_FILE_IMM);
    put(&c, 94, 91, 10);
    refuse(&c, EU_GEN9, "64-bit immediate beside another source");
}

/* ---- three sources ---- */

Test(decode, ternary_operands)
{
    struct code c = encode_ternary(0x5b);
    put(&c, 75, 73, 3);
    put(&c, 55, 53, 4);
    put(&c, 40, 40, 1);
    put(&c, 41, 41, 1);
    struct eu_insn insn = decode(&c);
    cr_expect_eq(insn.src_count, 3);
    cr_expect_eq(insn.dst.reg, 10);
    cr_expect_eq(insn.dst.subreg_B, 16);
    cr_expect_eq(insn.dst.type, EU_TYPE_F);
    for (unsigned i = 0; i < 3; i++) {
        cr_expect_eq(insn.src[i].reg, 20 + i);
        cr_expect_eq(insn.src[i].swizzle, 0xe4);
        cr_expect_eq(insn.src[i].width, 4);
    }
    cr_expect_eq(insn.src[0].subreg_B, 12);
    cr_expect(insn.src[1].negate && !insn.src[1].abs);
    cr_expect(insn.src[2].abs && !insn.src[2].negate);
}

Test(decode, replicated_source_is_a_scalar_region)
{
    struct code c = encode_ternary(0x5b);
    put(&c, 85, 85, 1);
    struct eu_operand src = decode(&c).src[1];
    cr_expect(src.rep_ctrl);
    cr_expect_eq(src.vstride, 0);
    cr_expect_eq(src.width, 1);
    cr_expect_eq(src.hstride, 0);
    cr_expect_eq(src.swizzle, 0);
}

Test(decode, half_float_sources_mix_on_gen9_only)
{
    struct code c = encode_ternary(0x5b);
    put(&c, 36, 36, 1); /* Src1Type */
    put(&c, 84, 84, 1); /* Src0.SubRegNum[1] */
    struct eu_insn insn = decode(&c);
    cr_expect_eq(insn.src[0].type, EU_TYPE_F);
    cr_expect_eq(insn.src[1].type, EU_TYPE_HF);
    cr_expect_eq(insn.src[2].type, EU_TYPE_F);
    cr_expect_eq(insn.src[0].subreg_B, 2);

    cr_assert_eq(eu_decode(&insn, c.dw, 16, EU_GEN8, NULL), 16);
    cr_expect_eq(insn.src[1].type, EU_TYPE_F);
    cr_expect_eq(insn.src[0].subreg_B, 0);
}

Test(decode, macro_operands_name_extra_registers)
{
    struct code c = encode_ternary(0x5d);
    put(&c, 52, 49, 3);
    put(&c, 68, 65, 8);
    put(&c, 89, 86, 2);
    struct eu_insn insn = decode(&c);
    cr_expect_eq(insn.dst.mme, 3);
    cr_expect_eq(insn.dst.writemask, 0xf);
    cr_expect_eq(insn.src[0].mme, EU_MME_NONE);
    cr_expect_eq(insn.src[1].mme, 2);
    cr_expect_eq(insn.src[1].swizzle, 0xe4);

    struct code mad = encode_ternary(0x5b);
    cr_expect_eq(decode(&mad).src[0].mme, EU_MME_NONE);
}

Test(decode, ternary_needs_align16)
{
    struct code c = encode_ternary(0x5b);
    put(&c, 8, 8, 0);
    refuse(&c, EU_GEN9, "three sources in Align1 mode");
}

/* ---- math ---- */

Test(decode, math_function_decides_the_number_of_sources)
{
    struct code c = encode_binary(0x38, EU_TYPE_F);
    put(&c, 27, 24, EU_MATH_POW);
    cr_expect_eq(decode(&c).math, EU_MATH_POW);
    cr_expect_eq(decode(&c).cmod, EU_CMOD_NONE);
    cr_expect_eq(decode(&c).src_count, 2);
    put(&c, 27, 24, EU_MATH_SIN);
    cr_expect_eq(decode(&c).src_count, 1);
    put(&c, 27, 24, 8);
    refuse(&c, EU_GEN9, "reserved math function");
}

/* ---- messages ---- */

Test(decode, send_descriptors)
{
    struct code c = encode_send(2, 0x0242a000);
    put(&c, 127, 127, 1);
    put(&c, 94, 91, 0xa);
    put(&c, 88, 85, 0xb);
    put(&c, 83, 80, 0xc);
    put(&c, 67, 64, 0xd);
    struct eu_insn insn = decode(&c);
    cr_expect_eq(insn.sfid, 2);
    cr_expect(insn.eot);
    cr_expect_eq(insn.desc, 0x0242a000);
    cr_expect_eq(insn.ex_desc, 0xabcd0022);
    cr_expect_not(insn.desc_is_reg);
    cr_expect_eq(insn.src[0].reg, 20);
    cr_expect_eq(insn.cmod, EU_CMOD_NONE);
}

Test(decode, send_descriptor_register_is_a0_0)
{
    struct code c = encode_send(2, 0);
    put(&c, 90, 89, EU_FILE_ARF);
    put(&c, 108, 101, EU_ARF_A);
    cr_expect(decode(&c).desc_is_reg);
    put(&c, 100, 96, 4);
    refuse(&c, EU_GEN9, "message descriptor neither immediate nor a0.0");
}

Test(decode, sends_operands)
{
    struct code c = encode_sends(12, 0x04036000, 4);
    put(&c, 95, 80, 0xbeef);
    struct eu_insn insn = decode(&c);
    cr_expect_eq(insn.dst.reg, 10);
    cr_expect_eq(insn.src[0].reg, 20);
    cr_expect_eq(insn.src[1].reg, 30);
    cr_expect_eq(insn.src[1].file, EU_FILE_GRF);
    cr_expect_eq(insn.ex_desc, 0xbeef010c);
    put(&c, 36, 35, 0);
    put(&c, 60, 53, 0);
    put(&c, 51, 44, 0);
    insn = decode(&c);
    cr_expect_eq(insn.dst.file, EU_FILE_ARF);
    cr_expect_eq(insn.src[1].file, EU_FILE_ARF);
}

Test(decode, sends_extended_descriptor_in_a_register)
{
    struct code c = encode_sends(2, 0, 0);
    put(&c, 77, 77, 1);
    put(&c, 61, 61, 1);
    put(&c, 82, 80, 2);
    struct eu_insn insn = decode(&c);
    cr_expect(insn.desc_is_reg);
    cr_expect(insn.ex_desc_is_reg);
    cr_expect_eq(insn.ex_desc_subreg, 4);
    cr_expect_eq(insn.ex_desc, 2);
}

Test(decode, sends_payload_through_an_address)
{
    struct code c = encode_sends(12, 0x02106e00, 0);
    put(&c, 79, 79, 1);
    put(&c, 76, 69, 0);
    put(&c, 76, 73, 1);
    put(&c, 72, 68, 0x1e);
    put(&c, 78, 78, 1);
    struct eu_insn insn = decode(&c);
    cr_expect(insn.src[0].indirect);
    cr_expect_eq(insn.src[0].addr_subreg, 1);
    cr_expect_eq(insn.src[0].addr_imm_B, -32);
}

/* ---- control flow ---- */

Test(decode, branch_offsets_are_signed_bytes)
{
    struct code c = encode_branch(0x28, -160, 96);
    struct eu_insn insn = decode(&c);
    cr_expect_eq(insn.jip, -160);
    cr_expect_eq(insn.uip, 96);
    cr_expect_eq(insn.src_count, 0);

    c = encode_branch(0x27, -320, 12345);
    cr_expect_eq(decode(&c).jip, -320);
    cr_expect_eq(decode(&c).uip, 0, "while has no UIP");
}

Test(decode, jump_takes_an_offset_or_a_register)
{
    struct code c = {{0}};
    put(&c, 6, 0, 0x20);
    put(&c, 90, 89, EU_FILE_IMM);
    put(&c, 94, 91, 1);
    put(&c, 127, 96, (uint32_t)-32);
    struct eu_insn insn = decode(&c);
    cr_expect_eq(insn.jip, -32);
    cr_expect_eq(insn.src_count, 0);

    put(&c, 127, 96, 0);
    put(&c, 90, 89, EU_FILE_GRF);
    put(&c, 108, 101, 7);
    insn = decode(&c);
    cr_expect_eq(insn.src_count, 1);
    cr_expect_eq(insn.src[0].reg, 7);
}

/* ---- other encodings ---- */

static bool
operand_is_sane(const struct eu_operand *o)
{
    static const char strides[] = {0, 1, 2, 4, 8, 16, 32};
    bool vstride = o->vstride == EU_VSTRIDE_VXH ||
                   memchr(strides, o->vstride, sizeof strides);
    bool reg = o->file != EU_FILE_GRF || o->reg < 128;
    bool indirect = o->addr_subreg < 16 && o->addr_imm_B >= -512 &&
                    o->addr_imm_B < 512;
    return vstride && reg && indirect && o->type < EU_TYPE_COUNT &&
           o->width <= 16 && o->hstride <= 4 && o->subreg_B < 32 &&
           o->file != 2 && o->mme <= 15;
}

Test(decode, random_bytes_decode_to_sane_values_or_not_at_all)
{
    uint64_t state = 88172645463325252u;
    unsigned decoded = 0;
    for (unsigned i = 0; i < 400000; i++) {
        struct code c;
        for (unsigned k = 0; k < 4; k++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            c.dw[k] = (uint32_t)(state >> 16);
        }
        struct eu_insn insn;
        enum eu_gen gen = i & 1 ? EU_GEN8 : EU_GEN9;
        const char *why = NULL;
        unsigned n = eu_decode(&insn, c.dw, 16, gen, &why);
        cr_assert_eq(n == 0, why != NULL);
        if (!n)
            continue;
        decoded++;
        cr_assert_eq(n, c.dw[0] >> 29 & 1 ? 8 : 16);
        cr_assert(insn.exec_size >= 1 &&
                  insn.exec_size + insn.chan_offset <= 32);
        cr_assert_leq(insn.src_count, 3);
        cr_assert(operand_is_sane(&insn.dst));
        for (unsigned k = 0; k < insn.src_count; k++)
            cr_assert(operand_is_sane(&insn.src[k]) && insn.src[k].width >= 1);
        char text[512];
        cr_assert_gt(eu_disasm(text, sizeof text, &insn, gen), 0);
        eu_validate(&insn, gen);
    }
    cr_assert_gt(decoded, 1000);
}
