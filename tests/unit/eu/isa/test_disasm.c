/* test_disasm.c: the disassembler's text equals iga64's. */
#include <criterion/criterion.h>

#include "cases.h"
#include "eu/isa/isa.h"

/* Replaces runs of spaces by one. */
static void
normalize(char *out, const char *in)
{
    char *start = out;
    for (; *in; in++)
        if (*in != ' ' || (out > start && out[-1] != ' '))
            *out++ = *in;
    while (out > start && out[-1] == ' ')
        out--;
    *out = '\0';
}

static void
disassemble(char text[512], const void *bytes, size_t size_B, enum eu_gen gen)
{
    struct eu_insn insn;
    const char *why = NULL;
    unsigned length_B = eu_decode(&insn, bytes, size_B, gen, &why);
    cr_assert_eq(length_B, size_B, "not decoded: %s", why ? why : "length");
    char raw[512];
    cr_assert_lt(eu_disasm(raw, sizeof raw, &insn, gen), (int)sizeof raw);
    normalize(text, raw);
}

static void
compare_file(const char *name, enum eu_gen gen, unsigned at_least)
{
    FILE *file = case_open(name);
    cr_assert(file);
    struct case_line c;
    unsigned count = 0;
    for (; case_next(&c, file); count++) {
        char text[512];
        disassemble(text, c.bytes, c.bytes_B, gen);
        cr_expect_str_eq(text, c.second, "%s", c.text);
    }
    fclose(file);
    cr_assert_gt(count, at_least);
}

Test(disasm, gen9_text_equals_iga64)
{
    compare_file("disasm_gen9.txt", EU_GEN9, 2300);
}

Test(disasm, gen8_text_equals_iga64)
{
    compare_file("disasm_gen8.txt", EU_GEN8, 1700);
}

static void
expect_both(const char *hex, const char *text, const char *details)
{
    uint8_t bytes[16];
    char actual[512];
    struct eu_insn insn;
    unsigned size_B = case_parse_hex(bytes, sizeof bytes, hex);
    disassemble(actual, bytes, size_B, EU_GEN9);
    cr_expect_str_eq(actual, text);
    eu_decode(&insn, bytes, size_B, EU_GEN9, NULL);
    eu_disasm_details(actual, sizeof actual, &insn, EU_GEN9);
    cr_expect_str_eq(actual, details);
}

Test(disasm, swizzles_are_details)
{
    /* The fine vertical derivative of a pixel shader. */
    expect_both("40016000e83aef20c440643ace006e00",
                "add (8|M0) r7.0<1>:f -r6.0<1;1,0>:f r6.0<1;1,0>:f",
                "src0.xyxy src1.zwzw");
}

Test(disasm, one_component_of_three_sources_is_a_scalar)
{
    expect_both("5b0140000400827bc94f20390c24c71e",
                "(W) mad (1|M0) r123.4<1>:f r4.7<0;0>:f r6.0<0;0>:f "
                "r123.0<0>:f",
                "dst.x");
    expect_both("5b0140000400847bc94f20390c24c71e",
                "(W) mad (1|M0) r123.5<1>:f r4.7<0;0>:f r6.0<0;0>:f "
                "r123.0<0>:f",
                "dst.y");
}

Test(disasm, message_fields_are_details)
{
    expect_both("3300600c187080018402cdab006e1002",
                "sends (8|M0) r12:ud r20 r7 0xABCD010C 0x02106E00 "
                "// wr:1+4, rd:1; hdc.dc1; untyped surface read with x",
                "untyped read simd_untyped=8 off=gba bti=0");
}

Test(disasm, details_are_empty_where_the_text_says_all)
{
    expect_both("40006000e83aef20c000003ac0000000",
                "add (8|M0) r7.3<1>:f r6.0<0;1,0>:f r6.0<0;1,0>:f", "");
}

static void
expect_labels(const char *hex, uint32_t offset_B, const char *expected)
{
    uint8_t bytes[16];
    char raw[512], text[512];
    struct eu_insn insn;
    unsigned size_B = case_parse_hex(bytes, sizeof bytes, hex);
    cr_assert(eu_decode(&insn, bytes, size_B, EU_GEN9, NULL));
    insn.offset_B = offset_B;
    eu_disasm_labels(raw, sizeof raw, &insn, EU_GEN9);
    normalize(text, raw);
    cr_expect_str_eq(text, expected);
}

Test(disasm, labels_are_offsets_in_the_kernel)
{
    /* The text of iga64 -d without -n. */
    expect_labels("22008100000e00204000000030000000", 16,
                  "(f0.0) if (16|M0) L64 L80");
    expect_labels("27008100000e002000000000a0ffffff", 96,
                  "(f0.0) while (16|M0) L0");
    expect_labels("2000000004000e340014000e80ffffff", 112, "(W) jmpi L0");
}

Test(disasm, small_buffer_is_respected)
{
    uint8_t bytes[16] = {0x7e};
    struct eu_insn insn;
    char text[8];
    memset(text, '!', sizeof text);
    cr_assert_eq(eu_decode(&insn, bytes, 16, EU_GEN9, NULL), 16);
    int n = eu_disasm(text, 4, &insn, EU_GEN9);
    cr_expect_gt(n, 4);
    cr_expect_eq(text[3], '\0');
    cr_expect_eq(text[4], '!');
    cr_expect_eq(eu_disasm(NULL, 0, &insn, EU_GEN9), n);
}

Test(disasm, names_of_opcodes_follow_the_generation)
{
    cr_expect_str_eq(eu_opcode_name(0x5b, EU_GEN8), "mad");
    cr_expect_str_eq(eu_opcode_name(0x33, EU_GEN9), "sends");
    cr_expect_null(eu_opcode_name(0x33, EU_GEN8));
    cr_expect_null(eu_opcode_name(0x7f, EU_GEN9));
    cr_expect_null(eu_opcode_name(300, EU_GEN9));
}
