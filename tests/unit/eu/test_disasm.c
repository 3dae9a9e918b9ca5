/* The disassembler writes what iga64 writes. */
#include <criterion/criterion.h>

#include "cases.h"
#include "eu/isa/isa.h"

/* Single spaces; comments end after the name of the shared function, since
 * the rest is in our own words. */
static void
normalize(char *out, const char *in)
{
    const char *comment = strstr(in, "//");
    const char *end = in + strlen(in);
    if (comment && (comment = strchr(comment, ';')) &&
        (comment = strchr(comment + 1, ';')))
        end = comment;
    char *start = out;
    for (; in < end; in++)
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
    compare_file("disasm_gen9.txt", EU_GEN9, 3000);
}

Test(disasm, gen8_text_equals_iga64)
{
    compare_file("disasm_gen8.txt", EU_GEN8, 700);
}

static void
expect_text(const char *hex, const char *expected)
{
    uint8_t bytes[16];
    char text[512];
    unsigned size_B = case_parse_hex(bytes, sizeof bytes, hex);
    disassemble(text, bytes, size_B, EU_GEN9);
    cr_expect_str_eq(text, expected);
}

Test(disasm, align16_shows_swizzles)
{
    /* The fine vertical derivative of a pixel shader. */
    expect_text("40016000e83aef20c440643ace006e00",
                "add (8|M0) r7.0<1>:f -r6.0<4>.xyxy:f r6.0<4>.zwzw:f");
}

Test(disasm, three_sources_show_the_channel_mask)
{
    /* A scalar mad is SIMD4 with only x enabled. */
    expect_text("5b0140000400827bc94f20390c24c71e",
                "(W) mad (4|M0) r123.4<1>.x:f r4.7<0;0>:f r6.0<0;0>:f "
                "r123.0<0>:f");
}

Test(disasm, message_is_described)
{
    uint8_t bytes[16];
    case_parse_hex(bytes, 16, "3300600c187080018402cdab006e1002");
    struct eu_insn insn;
    char text[512];
    cr_assert_eq(eu_decode(&insn, bytes, 16, EU_GEN9, NULL), 16);
    eu_disasm(text, sizeof text, &insn, EU_GEN9);
    cr_expect(strstr(text, "; untyped read simd_untyped=8 off=gba bti=0"), "%s",
              text);
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
