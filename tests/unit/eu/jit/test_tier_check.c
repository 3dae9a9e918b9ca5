/* test_tier_check.c: check mode finds code that differs from the interpreter,
 * for every kind of register and for messages. */
#include <criterion/criterion.h>

#include "encode.h"
#include "base/fpmode.h"
#include "eu/jit/driver/driver.h"
#include "eu/tiers/kernel.h"

#define MAX_INSNS 8

struct program {
    struct code insn[MAX_INSNS];
    unsigned count;
};

static void
add(struct program *p, struct code c)
{
    p->insn[p->count++] = c;
}

/* Sends all registers, because code need not produce registers that no op
 * reads. */
static struct eu_kernel *
build(const struct program *p)
{
    struct program all = *p;
    uint32_t code[MAX_INSNS + 10][4];
    unsigned n = 0;
    for (; n < all.count; n++)
        memcpy(code[n], all.insn[n].dw, 16);
    for (unsigned reg = 0; reg < 120; reg += 15) {
        struct code c = encode_send(EU_SFID_NULL, 15u << 25);
        put(&c, 76, 69, reg);
        memcpy(code[n++], c.dw, 16);
    }
    struct code eot = encode_send(EU_SFID_SPAWNER, 1u << 25);
    put(&eot, 127, 127, 1);
    memcpy(code[n++], eot.dw, 16);
    struct eu_kernel *k = eu_kernel_build(code, n * 16, EU_GEN9);
    cr_assert_not_null(k);
    return k;
}

static enum eu_msg_result
count_message(struct eu_thread *t, const struct eu_message *m)
{
    unsigned *count = t->user;
    ++*count;
    for (unsigned i = 0; i < m->rlen_grf * 8u; i++)
        m->dst[i] = 0x11110000 + i;
    return EU_MSG_OK;
}

static void
start(struct eu_thread *t, const struct eu_kernel *k, bool ends_quietly,
      unsigned *messages)
{
    struct eu_start s = {.kernel = k,
                         .simd = 16,
                         .dispatch_mask = 0xffff,
                         .vector_mask = 0xffff,
                         .ends_quietly = ends_quietly,
                         .send = count_message,
                         .user = messages};
    eu_thread_init(t, &s);
    for (unsigned i = 0; i < EU_GRF_COUNT * 8; i++) {
        uint32_t v = 0x3f800000 + i * 0x1000;
        memcpy(t->grf + i * 4, &v, 4);
    }
    t->f[0] = 0x0f0f5555;
    t->f[1] = 0x12345678;
    eu_thread_update_mxcsr(t);
}

static bool
agrees(const struct eu_jit *jit, const struct eu_kernel *k, bool ends_quietly,
       unsigned *messages, char *text, size_t size)
{
    struct eu_thread t;
    uint64_t left = 100;
    uint32_t host_mode = fpmode_get();
    *messages = 0;
    start(&t, k, ends_quietly, messages);
    bool same = eu_jit_agrees(jit, &t, &left, text, size);
    fpmode_set(host_mode);
    return same;
}

/* Checks one program's code against another program; also for threads that end
 * quietly: check mode sends their last messages, too. */
static void
expect_found(const struct program *compiled, const struct program *meant,
             const char *const *words)
{
    char text[512] = "";
    unsigned messages;
    struct eu_kernel *a = build(compiled), *b = build(meant);
    if (cpu_selected() == CPU_SSE4)
        cr_skip_test("the host has no JIT");
    for (unsigned n = 0; n < 2; n++) {
        struct eu_jit *jit = eu_jit_compile(
            a, cpu_selected(), EU_JIT_SPLIT | (n ? EU_JIT_STEP : 0));
        cr_assert_not_null(jit);
        cr_expect(agrees(jit, a, n, &messages, text, sizeof text), "%s", text);
        cr_expect_eq(messages, 9 + (compiled->insn[0].dw[0] % 128 == 0x31));
        cr_assert_not_null(eu_jit_masked(jit));
        jit->kernel = b;
        cr_expect_not(agrees(jit, b, n, &messages, text, sizeof text));
        for (const char *const *w = words; *w; w++)
            cr_expect(strstr(text, *w), "'%s' lacks '%s'", text, *w);
        eu_jit_free(jit);
    }
    eu_kernel_free(a);
    eu_kernel_free(b);
}

#define FOUND(a, b, ...) \
    expect_found(a, b, (const char *const[]){__VA_ARGS__, NULL})

static struct program
one(struct code c)
{
    struct program p = {.count = 0};
    add(&p, c);
    return p;
}

Test(check, finds_another_result)
{
    struct code c = encode_binary(EU_OP_ADD, EU_TYPE_F), d = c;
    put(&d, 76, 69, 21);
    struct program a = one(c), b = one(d);
    FOUND(&a, &b, "r10.0:ud (lane 0)", "after 0x0", "add (8|M0)", "0x");
}

Test(check, finds_one_lane)
{
    struct code c = encode_binary(EU_OP_SEL, EU_TYPE_D), d = c;
    put(&c, 19, 16, 1);
    put(&d, 19, 16, 1);
    put(&d, 33, 32, 2);
    /* f0.0 is 01010101, f1.0 01111000: channel 0 is the first that differs */
    struct program a = one(c), b = one(d);
    FOUND(&a, &b, "r10.0:ud (lane 0)", "sel (8|M0)");
    put(&d, 33, 32, 1);
    /* f0.1 is 00001111 */
    b = one(d);
    FOUND(&a, &b, "r10.1:ud (lane 1)", "sel (8|M0)");
}

Test(check, finds_flags)
{
    struct code c = encode_binary(EU_OP_CMP, EU_TYPE_D), d = c;
    put(&c, 36, 35, EU_FILE_ARF);
    put(&c, 60, 53, 0);
    put(&c, 33, 32, 2);
    d = c;
    put(&c, 27, 24, EU_CMOD_L);
    put(&d, 27, 24, EU_CMOD_G);
    struct program a = one(c), b = one(d);
    FOUND(&a, &b, "f1 (channel 0)", "0x123456ff", "0x12345600", "cmp (8|M0)");
}

Test(check, finds_accumulators)
{
    struct code c = encode_unary(EU_OP_MOV, EU_TYPE_F), d;
    put(&c, 36, 35, EU_FILE_ARF);
    put(&c, 60, 53, EU_ARF_ACC);
    d = c;
    put(&d, 76, 69, 22);
    struct program a = one(c), b = one(d);
    FOUND(&a, &b, "acc0 (dword 0)", "mov (8|M0)", "acc0");
}

Test(check, finds_address_registers_and_modes)
{
    static const struct {
        unsigned reg, type;
        const char *name;
    } regs[] = {{EU_ARF_A, EU_TYPE_UW, "a0 (dword 0)"},
                {EU_ARF_N, EU_TYPE_UD, "n0 (dword 0)"},
                {EU_ARF_CR, EU_TYPE_UD, "cr0 (dword 0)"}};
    for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
        struct code c = encode_mov_imm(regs[i].type, UINT64_C(0x40) << 32);
        put(&c, 23, 21, 0);
        put(&c, 36, 35, EU_FILE_ARF);
        put(&c, 40, 37, regs[i].type);
        put(&c, 60, 53, regs[i].reg);
        struct code d = c;
        put(&d, 127, 96, 0xc0);
        struct program a = one(c), b = one(d);
        FOUND(&a, &b, regs[i].name, "is 0x40, interpreted 0xc0", "mov (1|M0)");
    }
}

Test(check, finds_masks)
{
    struct code c = encode_branch(EU_OP_IF, 16, 16), d;
    put(&c, 19, 16, 1);
    d = c;
    put(&d, 33, 32, 1);
    struct program a = one(c), b = one(d);
    add(&a, encode_branch(EU_OP_ENDIF, 16, 0));
    add(&b, encode_branch(EU_OP_ENDIF, 16, 0));
    FOUND(&a, &b, "live channels (channel 1)", "if (16|M0)");
}

Test(check, finds_messages)
{
    struct code c = encode_send(EU_SFID_NULL, 2u << 25 | 1u << 20), d = c;
    struct program a = one(c), b;
    put(&d, 76, 69, 24);
    b = one(d);
    FOUND(&a, &b, "message payload (register 0, dword 0)", "send (8|M0)");
    d = c;
    put(&d, 96, 96, 1);
    b = one(d);
    FOUND(&a, &b, "message descriptor", "send (8|M0)");
    d = c;
    put(&d, 19, 16, 1);
    b = one(d);
    FOUND(&a, &b, "message mask (channel 1)", "is 0xff, interpreted 0x55");
}

/* An interpreter op that flips one bit of lane 5. */
static const struct eu_op *
spoiled(struct eu_thread *t, const struct eu_op *op)
{
    const struct eu_op *next = eu_op_general(t, op);
    t->grf[op->insn->dst.reg * EU_GRF_B + 5 * 4] ^= 1;
    return next;
}

Test(check, names_the_instruction_within_a_block)
{
    struct program p = {.count = 0};
    char text[512] = "";
    unsigned messages;
    if (cpu_selected() == CPU_SSE4)
        cr_skip_test("the host has no JIT");
    for (unsigned i = 0; i < 6; i++) {
        struct code c = encode_binary(EU_OP_ADD, EU_TYPE_D);
        put(&c, 60, 53, 40 + i);
        put(&c, 76, 69, 39 + i);
        add(&p, c);
    }
    struct eu_kernel *k = build(&p);
    struct eu_jit *jit = eu_jit_compile(k, cpu_selected(), EU_JIT_SPLIT);
    cr_assert_not_null(jit);
    cr_expect(agrees(jit, k, true, &messages, text, sizeof text), "%s", text);
    cr_expect_eq(messages, 9);
    k->ops[3].slow = spoiled;
    cr_expect_not(agrees(jit, k, true, &messages, text, sizeof text));
    cr_expect_eq(messages, 0, "a message was sent behind the difference");
    cr_expect(strstr(text, "r43.5:ud (lane 5)"), "%s", text);
    cr_expect(strstr(text, "after 0x30: "), "%s", text);
    cr_expect(strstr(text, "add (8|M0)"), "%s", text);
    eu_jit_free(jit);
    eu_kernel_free(k);
}
