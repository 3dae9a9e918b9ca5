/* test_compact.c: compact instructions expand to the native form that iga64
 * gives. */
#include <criterion/criterion.h>

#include "cases.h"
#include "eu/isa/isa.h"

/* The lines cover every table row that real shaders use. */
Test(compact, expands_to_the_native_form)
{
    FILE *file = case_open("compact_gen9.txt");
    cr_assert(file);
    struct case_line c;
    unsigned count = 0;
    for (; case_next(&c, file); count++) {
        uint8_t expected[16];
        uint32_t compact[2], native[4];
        case_parse_hex(expected, 16, c.second);
        memcpy(compact, c.bytes, 8);
        cr_assert(eu_uncompact(native, compact, EU_GEN9), "%s", c.text);
        cr_assert_arr_eq(native, expected, 16, "%s", c.text);
        cr_assert(eu_uncompact(native, compact, EU_GEN8), "%s", c.text);
        cr_assert_arr_eq(native, expected, 16, "%s on Gen8", c.text);
    }
    fclose(file);
    cr_assert_gt(count, 100);
}

Test(compact, decoding_equals_decoding_the_native_form)
{
    FILE *file = case_open("compact_gen9.txt");
    cr_assert(file);
    struct case_line c;
    while (case_next(&c, file)) {
        uint8_t expected[16];
        struct eu_insn small, large;
        case_parse_hex(expected, 16, c.second);
        cr_assert_eq(eu_decode(&small, c.bytes, 8, EU_GEN9, NULL), 8);
        cr_assert_eq(eu_decode(&large, expected, 16, EU_GEN9, NULL), 16);
        large.length_B = 8;
        cr_assert_arr_eq(&small, &large, sizeof small, "%s", c.text);
    }
    fclose(file);
}

Test(compact, immediate_is_sign_extended_from_13_bits)
{
    /* add of data types r:d, r:d, i:d, which is row 14; bits 39:35 are the
     * high immediate bits. */
    uint32_t compact[2] = {0x40 | 11 << 8 | 14 << 13 | 1u << 29, 0};
    uint32_t native[4];
    compact[1] = 0x1f << 3 | 0xf0u << 24;
    cr_assert(eu_uncompact(native, compact, EU_GEN9));
    cr_expect_eq((int32_t)native[3], -16);

    compact[1] = 0x0f << 3 | 0xffu << 24;
    cr_assert(eu_uncompact(native, compact, EU_GEN9));
    cr_expect_eq((int32_t)native[3], 4095);
}

Test(compact, branches_with_two_targets_have_no_compact_form)
{
    uint32_t native[4];
    const uint8_t opcodes[] = {0x22, 0x24, 0x28, 0x29, 0x2a, 0x2e};
    for (unsigned i = 0; i < ARRAY_SIZE(opcodes); i++) {
        uint32_t compact[2] = {opcodes[i] | 1u << 29, 0};
        cr_expect(!eu_uncompact(native, compact, EU_GEN9));
    }
}

Test(compact, split_sends_have_no_compact_form)
{
    uint32_t native[4];
    uint32_t compact[2] = {0x33 | 1u << 29, 0};
    cr_expect(!eu_uncompact(native, compact, EU_GEN9));
}

Test(compact, native_bytes_are_refused)
{
    uint32_t native[4];
    uint32_t compact[2] = {0x01, 0};
    cr_expect(!eu_uncompact(native, compact, EU_GEN9));
}
