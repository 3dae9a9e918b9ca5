/* test_initial_modes.c: initial modes that a kernel asks for
 * (predecode/initial_modes.c). */
#include <criterion/criterion.h>

#include "base/fpmode.h"
#include "encode.h"
#include "eu/jit/jit.h"
#include "eu/tiers/kernel.h"
#include "eu/tiers/tiers.h"

#define KEEP_F (1u << 7)
#define DENORMAL 0x00000123u

static enum eu_msg_result
end(struct eu_thread *t, const struct eu_message *m)
{
    return EU_MSG_OK;
}

/* (W) or (1|M0) cr0.0:ud cr0.0:ud bits:ud */
static struct code
set_modes(uint32_t bits)
{
    struct code c = encode_binary(EU_OP_OR, EU_TYPE_UD);
    put(&c, 23, 21, 0);
    put(&c, 34, 34, 1);
    put(&c, 36, 35, EU_FILE_ARF);
    put(&c, 60, 53, EU_ARF_CR);
    put(&c, 42, 41, EU_FILE_ARF);
    put(&c, 76, 69, EU_ARF_CR);
    put(&c, 88, 80, 0);
    put(&c, 90, 89, EU_FILE_IMM);
    put(&c, 94, 91, 0);
    put(&c, 127, 96, bits);
    return c;
}

/* op (8) r<d> r20 r30 */
static struct code
into(unsigned opcode, enum eu_type type, unsigned d)
{
    struct code c = encode_binary(opcode, type);
    put(&c, 60, 53, d);
    return c;
}

static struct eu_kernel *
build(struct code *program, unsigned count)
{
    program[count - 1] = encode_send(EU_SFID_SPAWNER, 0x02000010);
    put(&program[count - 1], 127, 127, 1);
    struct eu_kernel *kernel = eu_kernel_build(program, count * 16, EU_GEN9);
    cr_assert_not_null(kernel);
    return kernel;
}

/* Runs a thread that starts without these bits of cr0. cpu: CPU_SSE4 for the
 * interpreter. */
static void
run(struct eu_thread *t, const struct eu_kernel *kernel, enum cpu_level cpu,
    uint32_t without)
{
    struct eu_start start = {
        .kernel = kernel, .send = end, .dispatch_mask = 0xff};
    uint32_t mode = fpmode_get();
    eu_thread_init(t, &start);
    t->cr0[0] &= ~without;
    eu_thread_update_mxcsr(t);
    for (unsigned i = 0; i < 8; i++) {
        float one = 1;
        eu_grf(t, 20)[i] = DENORMAL;
        memcpy(&eu_grf(t, 30)[i], &one, 4);
    }
    if (cpu != CPU_SSE4) {
        struct eu_jit *jit = eu_jit_compile(
            kernel, cpu, t->cr0[0] & KEEP_F ? EU_JIT_DENORMALS : 0);
        cr_assert_not_null(jit);
        eu_jit_execute(jit, t, 100);
        eu_jit_free(jit);
    }
    if (t->status == EU_RUNNING)
        eu_run_reference(t, 100);
    fpmode_set(mode);
    cr_expect_eq(t->status, EU_FINISHED);
}

static void
for_each_tier(const struct eu_kernel *kernel, uint32_t without, uint32_t r10,
              uint32_t r11)
{
    static struct eu_thread t;
    for (enum cpu_level cpu = CPU_SSE4; cpu <= cpu_selected(); cpu++) {
        run(&t, kernel, cpu, without);
        cr_expect_eq(eu_grf(&t, 10)[3], r10, "tier %d", cpu);
        cr_expect_eq(eu_grf(&t, 11)[3], r11, "tier %d", cpu);
        cr_expect_eq(t.cr0[0] & 0x4c0, 0x4c0, "tier %d", cpu);
    }
}

Test(early, nothing_before_depends_on_it)
{
    struct code program[] = {into(EU_OP_ADD, EU_TYPE_UD, 11),
                             set_modes(0x4c0),
                             into(EU_OP_MUL, EU_TYPE_F, 10),
                             {{0}}};
    struct eu_kernel *kernel = build(program, 4);
    cr_expect_eq(kernel->initial_cr0, 0x4c0);
    for_each_tier(kernel, 0, DENORMAL, DENORMAL + 0x3f800000);
    /* Threads that start without these modes get them when it runs. */
    for_each_tier(kernel, KEEP_F, DENORMAL, DENORMAL + 0x3f800000);
    for (enum cpu_level cpu = CPU_AVX2; cpu <= cpu_selected(); cpu++) {
        struct eu_jit *jit = eu_jit_compile(kernel, cpu, EU_JIT_DENORMALS);
        cr_assert_not_null(jit);
        cr_expect_eq(eu_jit_info(jit).native_count, eu_jit_info(jit).op_count);
        eu_jit_free(jit);
    }
    eu_kernel_free(kernel);
}

Test(early, floats_before_are_computed_as_they_were)
{
    struct code program[] = {into(EU_OP_MUL, EU_TYPE_F, 11),
                             set_modes(0x4c0),
                             into(EU_OP_MUL, EU_TYPE_F, 10),
                             {{0}}};
    struct eu_kernel *kernel = build(program, 4);
    cr_expect_eq(kernel->initial_cr0, 0);
    for_each_tier(kernel, 0, DENORMAL, 0);
    eu_kernel_free(kernel);
}

Test(early, other_modes_wait)
{
    static const uint32_t others[] = {1, 4, 8, 0x10, 0x4d0, 0x1000, 0x80000000};
    for (unsigned i = 0; i < ARRAY_SIZE(others); i++) {
        struct code program[] = {set_modes(others[i]), {{0}}};
        struct eu_kernel *kernel = build(program, 2);
        cr_expect_eq(kernel->initial_cr0, 0, "%x", others[i]);
        eu_kernel_free(kernel);
    }
}
