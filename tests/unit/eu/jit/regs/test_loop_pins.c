/* test_loop_pins.c: loops with pinned registers (jit/regs/loop_pins.c) on both
 * tiers, with exits, other uses of their registers, and diverging channels. */
#include <criterion/criterion.h>

#include "base/fields.h"
#include "base/fpmode.h"
#include "rk.h"

#define KERNELS 600
#define STATES 6
#define BUDGET 20000

/* Features of a loop. */
enum feature {
    HAS_IF = 1,    /* with an ELSE */
    HAS_BREAK = 2, /* inside an IF */
    HAS_CONT = 4,
    HAS_HALT = 8,
    HAS_SEND = 16,
    HAS_INNER = 32,      /* another loop */
    ENDS_WITH_FLAG = 64, /* WHILE has a predicate */
    IS_NARROW = 128,     /* eight channels */
    HAS_FOREIGN = 256,   /* ops that are interpreted */
    HAS_HALF = 512,      /* half of a vector is written without a mask */
    HAS_SCALAR = 1024,   /* all channels read one lane of a vector */
    HAS_MATH = 2048,
    SHARES_LIMIT = 4096, /* all channels leave together */
    IS_COUNTED = 8192,   /* by a vector with equal lanes */
    READS_FLAG = 16384,  /* written by the end of the loop */
    HAS_PASSING = 32768, /* vectors that are dead after the loop */
    HAS_EXIT = 65536,    /* a BREAK outside of IFs */
    FEATURES = 131072,
    /* With these, loops may still be counted (jit/analysis/counted_loops.c). */
    UNPARTED = HAS_SEND | IS_NARROW | HAS_FOREIGN | HAS_HALF | HAS_SCALAR |
               HAS_MATH | HAS_EXIT,
};

/* Registers of the banks of rk.h: floats, and integers for counting. */
enum {
    SUM = 2,
    FACTOR = 4,
    OTHER = 6,
    PRODUCT = 8,
    PASSING = 10,
    COUNT = 34,
    LIMIT = 36,
    HASH = 38,
    INNER = 40,
    CHANGES = 42,
    HALF = 70,
};

static struct rk k;

static uint32_t *
last(void)
{
    return (uint32_t *)(void *)(k.code + k.at_B[k.count - 1]);
}

static void
put_source(uint32_t dw[4], unsigned s, enum eu_type type, unsigned reg)
{
    unsigned at = s ? 96 : 64;
    fields_put(dw, s ? 89 : 41, s ? 90 : 42, EU_FILE_GRF);
    fields_put(dw, s ? 91 : 43, s ? 94 : 46, type);
    fields_put(dw, at + 5, at + 12, reg);
    fields_put(dw, at + 21, at + 24, 4);
    fields_put(dw, at + 18, at + 20, 3);
    fields_put(dw, at + 16, at + 17, 1);
}

/* op d a b, on whole vectors */
static void
binary(unsigned opcode, enum eu_type type, unsigned d, unsigned a, unsigned b)
{
    uint32_t dw[4] = {opcode};
    rk_put_exec(&k, dw, k.simd);
    fields_put(dw, 35, 36, EU_FILE_GRF);
    fields_put(dw, 37, 40, type);
    fields_put(dw, 53, 60, d);
    fields_put(dw, 61, 62, 1);
    put_source(dw, 0, type, a);
    put_source(dw, 1, type, b);
    rk_append(&k, dw);
}

static void
with_imm(unsigned opcode, unsigned d, unsigned a, uint32_t imm)
{
    binary(opcode, EU_TYPE_UD, d, a, 0);
    fields_put(last(), 89, 90, EU_FILE_IMM);
    last()[3] = imm;
}

/* d := a + b * c */
static void
multiply_add(unsigned d, unsigned a, unsigned b, unsigned c)
{
    uint32_t dw[4] = {EU_OP_MAD};
    rk_put_exec(&k, dw, k.simd);
    fields_put(dw, 8, 8, 1);
    fields_put(dw, 49, 52, 0xf);
    fields_put(dw, 56, 63, d);
    fields_put(dw, 76, 83, a);
    fields_put(dw, 65, 72, 0xe4);
    fields_put(dw, 97, 104, b);
    fields_put(dw, 86, 93, 0xe4);
    fields_put(dw, 118, 125, c);
    fields_put(dw, 107, 114, 0xe4);
    rk_append(&k, dw);
}

/* f0 := a cmod b, of integers */
static void
compare(unsigned cmod, unsigned a, unsigned b)
{
    binary(EU_OP_CMP, EU_TYPE_UD, 0, a, b);
    fields_put(last(), 24, 27, cmod);
    fields_put(last(), 35, 36, EU_FILE_ARF);
}

/* Replaces the last instruction's second source by an immediate. */
static void
compare_with(uint32_t imm)
{
    fields_put(last(), 89, 90, EU_FILE_IMM);
    last()[3] = imm;
}

/* mov d imm */
static void
set(unsigned d, uint32_t imm)
{
    binary(EU_OP_MOV, EU_TYPE_UD, d, 0, 0);
    fields_put(last(), 41, 42, EU_FILE_IMM);
    fields_put(last(), 89, 94, 0);
    last()[3] = imm;
}

/* (f0) sel d a b */
static void
choose(unsigned d, unsigned a, unsigned b)
{
    binary(EU_OP_SEL, EU_TYPE_F, d, a, b);
    fields_put(last(), 16, 19, 1);
}

static unsigned
branch(unsigned opcode, bool predicated, bool inverted)
{
    uint32_t dw[4] = {opcode};
    rk_put_exec(&k, dw, k.simd);
    fields_put(dw, 16, 19, predicated);
    fields_put(dw, 20, 20, inverted);
    return rk_append(&k, dw);
}

static void
set_targets(unsigned insn, uint32_t jip_B, uint32_t uip_B)
{
    uint32_t *dw = (uint32_t *)(void *)(k.code + k.at_B[insn]);
    dw[3] = jip_B - k.at_B[insn];
    dw[2] = uip_B - k.at_B[insn];
}

/* f0 := a bit of the hash is set; differs by channel and iteration. */
static void
draw(void)
{
    with_imm(EU_OP_MUL, HASH, HASH, 1664525);
    with_imm(EU_OP_ADD, HASH, HASH, 1013904223);
    with_imm(EU_OP_SHR, CHANGES, HASH, 20 + rk_rnd(&k, 8));
    with_imm(EU_OP_AND, CHANGES, CHANGES, rk_chance(&k, 50) ? 1 : 7);
    with_imm(EU_OP_CMP, 0, CHANGES, 0);
    fields_put(last(), 24, 27, EU_CMOD_Z);
    fields_put(last(), 35, 36, EU_FILE_ARF);
}

/* Instructions that leave the loop; their targets are set later. */
static unsigned leaves[16], halts[16], leave_count, halt_count;

/* (f0) if: leave; endif */
static void
leave_if(unsigned opcode)
{
    draw();
    unsigned at = branch(EU_OP_IF, true, rk_chance(&k, 50));
    multiply_add(SUM, FACTOR, OTHER, SUM);
    unsigned out = branch(opcode, rk_chance(&k, 50), false);
    if (opcode == EU_OP_HALT)
        halts[halt_count++] = out;
    else
        leaves[leave_count++] = out;
    binary(EU_OP_ADD, EU_TYPE_F, OTHER, FACTOR, OTHER);
    uint32_t end_B = k.size_B;
    unsigned endif = branch(EU_OP_ENDIF, false, false);
    set_targets(at, end_B, end_B);
    set_targets(endif, k.size_B, k.size_B);
    set_targets(out, end_B, end_B);
}

/* The comparison may be for fewer channels, and an op between it and the BREAK
 * may change its operands. */
static void
exit_loop(void)
{
    draw();
    if (rk_chance(&k, 10))
        fields_put(last(), 34, 34, 1);
    if (rk_chance(&k, 10))
        multiply_add(SUM, FACTOR, OTHER, SUM);
    leaves[leave_count++] = branch(EU_OP_BREAK, rk_chance(&k, 90),
                                   rk_chance(&k, 30));
}

static void
if_else(void)
{
    draw();
    unsigned at = branch(EU_OP_IF, true, rk_chance(&k, 50));
    binary(EU_OP_MUL, EU_TYPE_F, PRODUCT, FACTOR, OTHER);
    unsigned other = branch(EU_OP_ELSE, false, false);
    uint32_t other_B = k.size_B;
    binary(EU_OP_ADD, EU_TYPE_F, SUM, PRODUCT, SUM);
    uint32_t end_B = k.size_B;
    unsigned endif = branch(EU_OP_ENDIF, false, false);
    set_targets(at, other_B, end_B);
    set_targets(other, end_B, end_B);
    set_targets(endif, k.size_B, k.size_B);
}

/* Half floats are interpreted. */
static void
foreign(void)
{
    binary(EU_OP_MOV, EU_TYPE_HF, HALF, HALF, 0);
    fields_put(last(), 89, 120, 0);
}

static void
half(void)
{
    unsigned simd = k.simd;
    k.simd = 8;
    binary(EU_OP_MUL, EU_TYPE_F, SUM + (simd == 16 && rk_chance(&k, 50)),
           FACTOR, OTHER);
    fields_put(last(), 34, 34, 1);
    k.simd = simd;
}

/* sum += product.3<0;1,0> */
static void
scalar(void)
{
    binary(EU_OP_ADD, EU_TYPE_F, SUM, SUM, PRODUCT);
    fields_put(last(), 96, 100, 3 * 4);
    fields_put(last(), 112, 120, 0);
}

static void
root(void)
{
    binary(EU_OP_MATH, EU_TYPE_F, PRODUCT, SUM, 0);
    fields_put(last(), 24, 27, EU_MATH_RSQ);
    fields_put(last(), 89, 90, 0);
    fields_put(last(), 91, 94, 0);
    last()[3] = 0;
}

/* Vectors read in other lanes than they are written, or with fewer active
 * channels. */
static void
pass_on(void)
{
    binary(EU_OP_MUL, EU_TYPE_F, PASSING, SUM, FACTOR);
    binary(EU_OP_ADD, EU_TYPE_F, PASSING + 2, PASSING, OTHER);
    if (rk_chance(&k, 50)) {
        binary(EU_OP_MUL, EU_TYPE_F, PASSING + 1, PASSING + 2, FACTOR);
        binary(EU_OP_ADD, EU_TYPE_F, SUM, SUM, PASSING + 1);
    }
    if (rk_chance(&k, 50))
        leave_if(EU_OP_BREAK);
    if (rk_chance(&k, 50))
        binary(EU_OP_ADD, EU_TYPE_F, OTHER, OTHER, PASSING + 1);
    binary(EU_OP_ADD, EU_TYPE_F, PRODUCT, PRODUCT, PASSING);
}

static void
set_all(unsigned d, uint32_t imm)
{
    set(d, imm);
    fields_put(last(), 34, 34, 1);
}

static void
body(unsigned has)
{
    multiply_add(SUM, SUM, FACTOR, OTHER);
    multiply_add(PRODUCT, SUM, PRODUCT, FACTOR);
    if (has & HAS_SCALAR)
        scalar();
    if (has & HAS_IF)
        if_else();
    if (has & HAS_PASSING)
        pass_on();
    if (has & HAS_MATH)
        root();
    if (has & HAS_BREAK)
        leave_if(EU_OP_BREAK);
    if (has & HAS_EXIT)
        exit_loop();
    if (has & HAS_HALF)
        half();
    if (has & HAS_CONT)
        leave_if(EU_OP_CONT);
    if (has & HAS_HALT)
        leave_if(EU_OP_HALT);
    if (has & HAS_SEND)
        rk_add_send(&k, SUM, 2, rk_rnd(&k, 2), false);
    if (has & HAS_FOREIGN)
        foreign();
}

/* do { body; } while (++count < limit), in one of two forms */
static void
loop(unsigned has, unsigned count)
{
    unsigned first = leave_count, out = 0;
    bool with_flag = has & ENDS_WITH_FLAG, counted = has & IS_COUNTED;
    binary(EU_OP_XOR, EU_TYPE_UD, count, count, count);
    if (counted)
        set(count, rk_rnd(&k, 3));
    uint32_t head_B = k.size_B;
    if (!with_flag) {
        compare(rk_chance(&k, 80) ? EU_CMOD_GE : EU_CMOD_G, count, LIMIT);
        if (counted)
            compare_with(1 + rk_rnd(&k, 6));
        out = branch(EU_OP_BREAK, true, false);
    }
    with_imm(EU_OP_ADD, count, count, 1);
    if (has & READS_FLAG)
        choose(SUM, FACTOR, PRODUCT);
    body(has);
    if (has & HAS_INNER)
        loop(has & ~(unsigned)HAS_INNER & rk_rnd(&k, FEATURES), INNER);
    if (with_flag)
        compare(EU_CMOD_L, count, LIMIT);
    uint32_t end_B = k.size_B;
    unsigned at = branch(EU_OP_WHILE, with_flag, false);
    set_targets(at, head_B, 0);
    if (!with_flag)
        set_targets(out, end_B, end_B);
    for (unsigned i = first; i < leave_count; i++) {
        uint32_t *dw = (uint32_t *)(void *)(k.code + k.at_B[leaves[i]]);
        dw[2] = end_B - k.at_B[leaves[i]];
        if (!dw[3])
            dw[3] = dw[2];
    }
    leave_count = first;
}

static void
make(unsigned has, uint64_t seed)
{
    memset(&k, 0, sizeof k);
    k.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    k.gen = EU_GEN9;
    k.mode = RK_WHOLE;
    k.banks = true;
    k.simd = has & IS_NARROW ? 8 : 16;
    leave_count = halt_count = 0;
    with_imm(EU_OP_AND, LIMIT, LIMIT, has & HAS_INNER ? 3 : 7);
    if (has & SHARES_LIMIT) {
        binary(EU_OP_MOV, EU_TYPE_UD, LIMIT, LIMIT, 0);
        fields_put(last(), 80, 88, 0);
        fields_put(last(), 89, 120, 0);
    }
    loop(has, COUNT);
    if (has & HAS_EXIT)
        choose(SUM, FACTOR, PRODUCT); /* the last comparison's result */
    uint32_t end_B = k.size_B;
    for (unsigned i = 0; i < halt_count; i++) {
        uint32_t *dw = (uint32_t *)(void *)(k.code + k.at_B[halts[i]]);
        dw[2] = end_B - k.at_B[halts[i]];
    }
    unsigned at = branch(EU_OP_HALT, false, false);
    set_targets(at, k.size_B, k.size_B);
    set_all(PASSING, 0);
    set_all(PASSING + 2, 0);
    for (unsigned reg = 1; reg < 112; reg += 15)
        rk_add_send(&k, reg, 15, 0, false);
    rk_add_send(&k, 112, 1, 0, true);
}

/* ---- in pieces ---- */

static void
begin(struct eu_thread *t, const struct eu_kernel *kernel, uint64_t seed)
{
    struct rk state = {.random = seed, .banks = true, .simd = k.simd};
    struct eu_start s = rk_start(&state, kernel);
    /* The code does not support other modes. */
    s.alt_mode = s.single_program_flow = false;
    s.rounding = 0;
    eu_thread_init(t, &s);
    rk_fill_registers(&state, t);
    eu_thread_update_mxcsr(t);
}

/* Runs in pieces of this many instructions; 0: interprets. Returns whether the
 * thread finishes. */
static bool
run_on(struct eu_thread *t, const struct eu_jit *jit, unsigned piece)
{
    unsigned patience = 100, step = piece ? piece : BUDGET;
    struct rk_log log = {.lanes = eu_jit_info(jit).lane_independent};
    t->user = &log;
    for (unsigned spent = 0; spent < 2 * BUDGET; spent += step) {
        if (piece)
            eu_jit_execute(jit, t, piece);
        else
            eu_run_reference(t, BUDGET);
        if (t->status != EU_RUNNING && !rk_notify(t, &patience))
            break;
    }
    t->clock = log.hash;
    return t->status == EU_FINISHED;
}

/* The budget ends anywhere in the loop; the code continues there. */
static void
compare_pieces(enum cpu_level cpu, uint64_t seed)
{
    struct eu_kernel *kernel = eu_kernel_build(k.code, k.size_B, k.gen);
    cr_assert_not_null(kernel);
    struct eu_jit *jit = eu_jit_compile(kernel, cpu, EU_JIT_DENORMALS);
    cr_assert_not_null(jit);
    uint32_t mode = fpmode_get();
    struct eu_thread a, b;
    begin(&a, kernel, seed);
    begin(&b, kernel, seed);
    if (run_on(&b, jit, 0)) {
        bool ended = run_on(&a, jit, 1 + (unsigned)(seed % 40));
        cr_expect(ended, "seed %llu", (unsigned long long)seed);
        cr_expect_eq(a.clock, b.clock, "seed %llu", (unsigned long long)seed);
    }
    fpmode_set(mode);
    eu_jit_free(jit);
    eu_kernel_free(kernel);
}

static void
compare_tiers(enum cpu_level cpu)
{
    struct rk_result r;
    unsigned ended = 0;
    char text[512];
    if (cpu > cpu_selected())
        return;
    for (uint64_t n = 1; n <= KERNELS; n++) {
        struct rk random = {.random = n};
        unsigned has = n < 18 ? 1u << (n - 1) : rk_rnd(&random, FEATURES);
        if (n > 18 && n % 4 == 0)
            has = HAS_EXIT | IS_COUNTED | (has & UNPARTED);
        make(has, n);
        for (uint64_t s = 1; s <= STATES; s++) {
            uint64_t seed = n * STATES + s;
            bool same = rk_run(&k, seed, cpu, &r, text, sizeof text);
            cr_assert(r.built, "kernel %llu", (unsigned long long)n);
            cr_expect(same, "kernel %llu with %#x: %s", (unsigned long long)n,
                      has, text);
            ended += r.finished;
        }
        compare_pieces(cpu, n);
    }
    cr_expect_gt(ended, KERNELS * STATES / 2, "%u", ended);
}

Test(jit_loops, avx512)
{
    compare_tiers(CPU_AVX512);
}

Test(jit_loops, avx2)
{
    compare_tiers(CPU_AVX2);
}
