/* test_validate.c: the PRM rule that an instruction breaks: for each rule, a
 * legal instruction and the fields that make it break the rule. */
#include <criterion/criterion.h>

#include "cases.h"
#include "encode.h"

static void
expect_rule_on(const struct code *c, const char *rule, enum eu_gen gen)
{
    struct eu_insn insn;
    const char *why = NULL;
    cr_assert_eq(eu_decode(&insn, c->dw, 16, gen, &why), 16, "%s: %s",
                 rule ? rule : "", why);
    const char *broken = eu_validate(&insn, gen);
    if (!rule)
        cr_expect_null(broken, "%s of %08x %08x %08x %08x", broken, c->dw[0],
                       c->dw[1], c->dw[2], c->dw[3]);
    else
        cr_expect_str_eq(broken ? broken : "(nothing)", rule);
}

static void
expect_rule(const struct code *c, const char *rule)
{
    expect_rule_on(c, rule, EU_GEN9);
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

/* ---- one row per rule ---- */

struct edit {
    uint8_t hi, lo;
    uint32_t value;
};

enum start {
    START_ADD_F,
    START_AND,
    START_MOV_F,
    START_MOV_D,
    START_MAD,
    START_INV,
    START_DIVISION,
    START_SEND,
    START_SENDS,
    START_IF,
    START_JUMP,
    START_CALL,
    START_WAIT,
    START_ALIGN16,
    START_PLANE,
};

struct rule_case {
    const char *rule;
    enum start start;
    struct edit setup[4]; /* still legal */
    struct edit edits[4]; /* break the rule */
    enum eu_gen gen;      /* 0: Gen9 */
};

static struct code
start_math(unsigned function, enum eu_type type)
{
    struct code c = encode_binary(0x38, type);
    put(&c, 27, 24, function);
    if (function == EU_MATH_INV) {
        put(&c, 90, 89, EU_FILE_ARF);
        put(&c, 120, 96, 0);
    }
    return c;
}

static struct code
start_align16(void)
{
    struct code c = encode_binary(0x40, EU_TYPE_F);
    put(&c, 8, 8, 1);
    put(&c, 51, 48, 0xf);
    put(&c, 88, 64, 0);
    put(&c, 76, 69, 20);
    put(&c, 88, 85, 3);
    put(&c, 120, 96, 0);
    put(&c, 108, 101, 30);
    put(&c, 120, 117, 3);
    return c;
}

static struct code
start_plane(void)
{
    struct code c = encode_binary(0x5a, EU_TYPE_F);
    put(&c, 88, 85, 0);
    put(&c, 84, 82, 0);
    put(&c, 81, 80, 0);
    return c;
}

static struct code
start_code(enum start start)
{
    struct code c = {{0}};
    switch (start) {
    case START_ADD_F: return encode_binary(0x40, EU_TYPE_F);
    case START_AND: return encode_binary(0x05, EU_TYPE_UD);
    case START_MOV_F: return encode_unary(0x01, EU_TYPE_F);
    case START_MOV_D: return encode_unary(0x01, EU_TYPE_D);
    case START_MAD: return encode_ternary(0x5b);
    case START_INV: return start_math(EU_MATH_INV, EU_TYPE_F);
    case START_DIVISION: return start_math(EU_MATH_INT_DIV_QUOTIENT, EU_TYPE_D);
    case START_SEND: return encode_send(2, 0x0242a000);
    case START_SENDS: return encode_sends(12, 0x04036000, 4);
    case START_IF: return encode_branch(0x22, 32, 48);
    case START_ALIGN16: return start_align16();
    case START_PLANE: return start_plane();
    case START_JUMP:
        put(&c, 6, 0, 0x20);
        put(&c, 90, 89, EU_FILE_IMM);
        put(&c, 94, 91, EU_TYPE_D);
        return c;
    case START_CALL:
        c = encode_unary(0x2c, EU_TYPE_UD);
        put(&c, 90, 89, EU_FILE_IMM);
        put(&c, 94, 91, EU_TYPE_D);
        put(&c, 127, 96, 64);
        return c;
    case START_WAIT:
        put(&c, 6, 0, 0x30);
        put(&c, 60, 53, EU_ARF_N);
        put(&c, 62, 61, 1);
        put(&c, 76, 69, EU_ARF_N);
        return c;
    }
    return c;
}

static void
apply(struct code *c, const struct edit edits[4])
{
    for (unsigned i = 0; i < 4; i++)
        if (edits[i].hi)
            put(c, edits[i].hi, edits[i].lo, edits[i].value);
}

static const struct rule_case cases[] = {
    {"opcode 0 is illegal", START_MOV_F, {{0}}, {{6, 0, 0}}, 0},
    {"reserved bit 7", START_MOV_F, {{0}}, {{7, 7, 1}}, 0},
    {"opcode cannot be predicated", START_IF, {{6, 0, 0x24}}, {{19, 16, 1}}, 0},
    {"reserved predicate control", START_ADD_F, {{0}}, {{19, 16, 14}}, 0},
    {"sel with both predicate and condition",
     START_ADD_F,
     {{6, 0, 0x02}, {27, 24, EU_CMOD_GE}},
     {{19, 16, 1}},
     0},
    {"sel without predicate or condition",
     START_ADD_F,
     {{6, 0, 0x02}, {19, 16, 1}},
     {{19, 16, 0}},
     0},
    {"opcode has no condition modifier",
     START_MOV_D,
     {{6, 0, 0x17}},
     {{27, 24, EU_CMOD_Z}},
     0},
    {"reserved condition modifier", START_ADD_F, {{0}}, {{27, 24, 7}}, 0},
    {"comparison without a condition",
     START_ADD_F,
     {{6, 0, 0x10}, {27, 24, EU_CMOD_L}},
     {{27, 24, 0}},
     0},
    {"opcode cannot saturate", START_AND, {{0}}, {{31, 31, 1}}, 0},
    {"opcode has no source modifiers",
     START_MOV_D,
     {{6, 0, 0x17}},
     {{78, 78, 1}},
     0},
    {"reserved source modifier of a logic opcode",
     START_AND,
     {{78, 77, 2}},
     {{78, 77, 1}},
     0},
    {"reserved thread control", START_ADD_F, {{15, 14, 2}}, {{15, 14, 3}}, 0},
    {"execution size too large for this opcode",
     START_JUMP,
     {{0}},
     {{23, 21, 3}},
     0},
    {"nibble control with more than 4 channels",
     START_MOV_D,
     {{0}},
     {{11, 11, 1}},
     0},
    {"first channel not a multiple of the size",
     START_MOV_F,
     {{23, 21, 4}, {13, 12, 2}},
     {{13, 12, 1}},
     0},
    {"carry without accumulator write",
     START_AND,
     {{6, 0, 0x4e}, {28, 28, 1}},
     {{28, 28, 0}},
     0},
    {"second source of a math function that has one",
     START_INV,
     {{0}},
     {{90, 89, EU_FILE_GRF}},
     0},
    {"math macro outside Align16 mode",
     START_INV,
     {{0}},
     {{27, 24, EU_MATH_RSQRTM}},
     0},
    {"math function in Align16 mode",
     START_INV,
     {{88, 64, 0}, {76, 69, 20}},
     {{8, 8, 1}, {51, 48, 0xf}, {88, 85, 3}},
     0},
    {"integer division of more than 8 channels",
     START_DIVISION,
     {{0}},
     {{23, 21, 4}},
     0},
    {"opcode does not combine these types",
     START_AND,
     {{0}},
     {{46, 43, EU_TYPE_F}},
     0},
    {"math function of the wrong kind of type",
     START_DIVISION,
     {{0}},
     {{27, 24, EU_MATH_POW}},
     0},
    {"integer and float sources mixed",
     START_ADD_F,
     {{0}},
     {{94, 91, EU_TYPE_D}},
     0},
    {"three sources of mixed types on Gen8",
     START_MAD,
     {{0}},
     {{35, 35, 1}},
     EU_GEN8},
    {"subregister not aligned to its type",
     START_MOV_F,
     {{0}},
     {{52, 48, 2}},
     0},
    {"region reaches beyond r127",
     START_MOV_F,
     {{23, 21, 4}, {76, 69, 126}},
     {{76, 69, 127}},
     0},
    {"region width exceeds the execution size",
     START_MOV_F,
     {{0}},
     {{23, 21, 2}},
     0},
    {"vertical stride of a single row is not W * H",
     START_MOV_F,
     {{0}},
     {{88, 85, 3}},
     0},
    {"width 1 with a horizontal stride", START_MOV_F, {{0}}, {{84, 82, 0}}, 0},
    {"strides 0 with a width other than 1",
     START_MOV_F,
     {{88, 80, 0}},
     {{84, 82, 1}},
     0},
    {"vertical stride not allowed in Align16 mode",
     START_ALIGN16,
     {{88, 85, 2}},
     {{88, 85, 4}},
     0},
    {"destination stride is not 1 in Align16 mode",
     START_ALIGN16,
     {{0}},
     {{62, 61, 2}},
     0},
    {"no channel of the destination is enabled",
     START_ALIGN16,
     {{0}},
     {{51, 48, 0}},
     0},
    {"source spans more than two registers",
     START_MOV_F,
     {{23, 21, 4}, {88, 85, 4}},
     {{68, 64, 4}},
     0},
    {"row of a region crosses a register",
     START_MOV_F,
     {{0}},
     {{68, 64, 4}},
     0},
    {"destination spans more than two registers",
     START_MOV_F,
     {{23, 21, 4}, {88, 85, 4}},
     {{62, 61, 2}},
     0},
    {"destination stride 0", START_MOV_F, {{0}}, {{62, 61, 0}}, 0},
    {"destination narrower than the execution type",
     START_MOV_D,
     {{40, 37, EU_TYPE_W}, {62, 61, 2}},
     {{62, 61, 1}},
     0},
    {"destination cannot be written",
     START_MOV_D,
     {{0}},
     {{36, 35, EU_FILE_ARF}, {60, 53, EU_ARF_CE}},
     0},
    {"source cannot be replicated",
     START_MAD,
     {{64, 64, 1}},
     {{48, 46, 3}, {45, 43, 3}},
     0},
    {"plane coefficients are not a scalar region",
     START_PLANE,
     {{0}},
     {{88, 85, 3}, {84, 82, 2}, {81, 80, 1}},
     0},
    {"packed floats into a smaller type",
     START_MOV_F,
     {{42, 41, EU_FILE_IMM}, {46, 43, 5}},
     {{40, 37, EU_TYPE_W}, {62, 61, 2}},
     0},
    {"message payload is not in the GRF",
     START_SEND,
     {{0}},
     {{42, 41, EU_FILE_ARF}, {76, 69, 0}},
     0},
    {"message without payload", START_SEND, {{0}}, {{124, 121, 0}}, 0},
    {"second payload is not in the GRF",
     START_SENDS,
     {{0}},
     {{36, 36, 0}, {51, 44, 0}},
     0},
    {"message reaches beyond r127", START_SEND, {{0}}, {{60, 53, 125}}, 0},
    {"no such shared function", START_SEND, {{0}}, {{27, 24, 14}}, 0},
    {"reserved message of this shared function",
     START_SEND,
     {{0}},
     {{112, 108, 13}},
     0},
    {"answer of more than 16 registers",
     START_SEND,
     {{120, 116, 16}},
     {{120, 116, 17}},
     0},
    {"the thread ends before its answer",
     START_SEND,
     {{0}},
     {{127, 127, 1}},
     0},
    {"answer without a destination",
     START_SEND,
     {{0}},
     {{36, 35, EU_FILE_ARF}, {60, 53, 0}},
     0},
    {"answer is not for the GRF",
     START_SEND,
     {{0}},
     {{36, 35, EU_FILE_ARF}, {60, 53, EU_ARF_ACC}},
     0},
    {"branch target not a multiple of 8 bytes",
     START_IF,
     {{0}},
     {{95, 64, 36}},
     0},
    {"branch target is not D", START_JUMP, {{0}}, {{94, 91, EU_TYPE_W}}, 0},
    {"call saves its return address outside the GRF",
     START_CALL,
     {{0}},
     {{36, 35, EU_FILE_ARF}, {60, 53, 0}},
     0},
    {"wait for what is no notification register",
     START_WAIT,
     {{0}},
     {{76, 69, EU_ARF_F}},
     0},
};

Test(validate, each_rule_is_kept_and_broken)
{
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct rule_case *rc = &cases[i];
        enum eu_gen gen = rc->gen ? rc->gen : EU_GEN9;
        struct code c = start_code(rc->start);
        apply(&c, rc->setup);
        expect_rule_on(&c, NULL, gen);
        apply(&c, rc->edits);
        expect_rule_on(&c, rc->rule, gen);
    }
}

Test(validate, each_rule_has_a_case)
{
    unsigned count = 0;
    for (; eu_rule_name(count); count++) {
        bool found = false;
        for (unsigned i = 0; i < ARRAY_SIZE(cases); i++)
            found |= !strcmp(cases[i].rule, eu_rule_name(count));
        cr_expect(found, "%s", eu_rule_name(count));
    }
    cr_expect_eq(count, ARRAY_SIZE(cases));
}

/* ---- several ways to break a rule ---- */

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

Test(validate, saturation_and_source_modifiers)
{
    struct code c = encode_binary(0x10, EU_TYPE_F);
    put(&c, 27, 24, EU_CMOD_L);
    put(&c, 31, 31, 1);
    expect_rule(&c, "opcode cannot saturate");
    c = encode_binary(0x4e, EU_TYPE_UD);
    put(&c, 28, 28, 1);
    put(&c, 78, 78, 1);
    expect_rule(&c, "opcode has no source modifiers");
    c = encode_binary(0x38, EU_TYPE_D);
    put(&c, 27, 24, EU_MATH_INT_DIV_QUOTIENT);
    put(&c, 78, 78, 1);
    expect_rule(&c, "opcode has no source modifiers");
}

Test(validate, random_words_are_judged)
{
    uint64_t state = 1;
    unsigned decoded = 0, legal = 0;
    for (unsigned n = 0; n < 400000; n++) {
        uint32_t dw[4];
        struct eu_insn insn;
        char text[512];
        enum eu_gen gen = n & 1 ? EU_GEN8 : EU_GEN9;
        for (unsigned i = 0; i < 4; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            dw[i] = (uint32_t)(state >> 32);
        }
        if (n & 2)
            dw[0] &= ~(1u << 29);
        if (!eu_decode(&insn, dw, 16, gen, NULL))
            continue;
        decoded++;
        legal += !eu_validate(&insn, gen);
        cr_assert_lt(eu_disasm(text, sizeof text, &insn, gen), 512);
        cr_assert_lt(eu_disasm_details(text, sizeof text, &insn, gen), 512);
    }
    cr_expect_gt(decoded, 1000);
    cr_expect_gt(legal, 0);
    cr_expect_lt(legal, decoded);
}
