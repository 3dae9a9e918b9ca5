/* rk_kernel.c: control flow around random instructions.
 *
 * Structured like the output of compilers, so that most kernels end: IF and
 * ELSE, loops, BREAK, CONT and HALT, forward and backward GOTO with JOINs,
 * JMPI, BRD, BRC, calls. KBL PRM vol 7 "Instruction Flow Control". */
#include "rk.h"

#include "base/fields.h"

enum rk_target {
    TO_BLOCK_END, /* jip */
    TO_LOOP_END,  /* uip */
    TO_KERNEL_END,
};

static uint32_t *
words(struct rk *k, unsigned insn)
{
    return (uint32_t *)(void *)(k->code + k->at_B[insn]);
}

static void
set_jip(struct rk *k, unsigned insn, uint32_t target_B)
{
    uint32_t v = target_B - k->at_B[insn];
    memcpy(k->code + k->at_B[insn] + 12, &v, 4);
}

static void
set_uip(struct rk *k, unsigned insn, uint32_t target_B)
{
    uint32_t v = target_B - k->at_B[insn];
    memcpy(k->code + k->at_B[insn] + 8, &v, 4);
}

static unsigned
add_branch(struct rk *k, unsigned opcode, bool predicated)
{
    uint32_t dw[4] = {opcode};
    rk_put_exec(k, dw, k->simd);
    if (predicated) {
        fields_put(dw, 16, 19, rk_chance(k, 85) ? 1 : 2 + rk_rnd(k, 12));
        fields_put(dw, 20, 20, rk_chance(k, 30));
        fields_put(dw, 32, 33, rk_rnd(k, 4));
    }
    return rk_append(k, dw);
}

static void
leave_open(struct rk *k, unsigned insn, enum rk_target what, unsigned depth)
{
    if (k->open_count == ARRAY_SIZE(k->open))
        return;
    k->open[k->open_count++] = (struct rk_open){
        .insn = (uint16_t)insn, .what = (uint8_t)what, .depth = (uint8_t)depth};
}

/* The block (or loop) of this depth ends here. */
static void
close_open(struct rk *k, enum rk_target what, unsigned depth)
{
    unsigned n = 0;
    for (unsigned i = 0; i < k->open_count; i++) {
        struct rk_open o = k->open[i];
        if (o.what != what || o.depth < depth)
            k->open[n++] = o;
        else if (what == TO_BLOCK_END)
            set_jip(k, o.insn, k->size_B);
        else
            set_uip(k, o.insn, k->size_B);
    }
    k->open_count = n;
}

static void add_block(struct rk *k, unsigned want);

static void
add_endif(struct rk *k, unsigned opcode)
{
    unsigned at = add_branch(k, opcode, false);
    set_jip(k, at, k->size_B);
}

static void
add_if(struct rk *k)
{
    unsigned at = add_branch(k, EU_OP_IF, rk_chance(k, 95)), other = 0;
    uint32_t other_B = 0;
    k->depth++;
    add_block(k, 6);
    if (rk_chance(k, 50)) {
        close_open(k, TO_BLOCK_END, k->depth);
        other = add_branch(k, EU_OP_ELSE, false);
        other_B = k->size_B;
        add_block(k, 5);
    }
    close_open(k, TO_BLOCK_END, k->depth);
    uint32_t end_B = k->size_B;
    k->depth--;
    add_endif(k, EU_OP_ENDIF);
    set_jip(k, at, other ? other_B : end_B);
    set_uip(k, at, end_B);
    if (other) {
        set_jip(k, other, end_B);
        set_uip(k, other, end_B);
    }
}

/* INVM or RSQTM of some channels, and the refinement that none of them needs;
 * now and then after something else, with another flag, or in other
 * channels. */
static void
add_macro(struct rk *k)
{
    enum eu_type type = rk_chance(k, 50) ? EU_TYPE_DF : EU_TYPE_F;
    unsigned lanes = type == EU_TYPE_DF ? 4 : 8, simd = k->simd;
    struct rk_channels c = {.first = rk_rnd(k, simd / lanes) * lanes,
                            .count = lanes,
                            .flag = rk_rnd(k, 4)};
    if (c.flag % 2 && c.first + lanes > 16)
        c.flag--;
    rk_add_invm(k, &c, type);
    for (unsigned n = rk_chance(k, 30) ? 1 + rk_rnd(k, 3) : 0; n > 0; n--)
        rk_add_alu(k);
    k->simd = lanes;
    unsigned at = add_branch(k, EU_OP_IF, true);
    k->simd = simd;
    struct rk_channels other = c;
    other.flag = rk_chance(k, 10) ? rk_rnd(k, 4) : c.flag;
    fields_put(words(k, at), 16, 19, 1);
    fields_put(words(k, at), 20, 20, rk_chance(k, 90));
    rk_put_channels(words(k, at), &other);
    for (unsigned n = rk_rnd(k, 8); n > 0; n--)
        rk_add_madm(k, &c, type);
    if (rk_chance(k, 10))
        rk_add_alu(k);
    uint32_t end_B = k->size_B;
    k->simd = lanes;
    unsigned end = add_branch(k, EU_OP_ENDIF, false);
    k->simd = simd;
    rk_put_channels(words(k, end), &c);
    fields_put(words(k, end), 32, 33, 0);
    set_jip(k, end, k->size_B);
    set_jip(k, at, end_B);
    set_uip(k, at, end_B);
}

static void
add_loop(struct rk *k)
{
    bool was_in_loop = k->in_loop;
    unsigned outer_depth = k->loop_depth;
    uint32_t first_B = k->size_B;
    k->in_loop = true;
    k->depth++;
    k->loop_depth = k->depth;
    add_block(k, 7);
    close_open(k, TO_BLOCK_END, k->depth);
    close_open(k, TO_LOOP_END, k->depth);
    k->depth--;
    unsigned at = add_branch(k, EU_OP_WHILE, rk_chance(k, 95));
    set_jip(k, at, first_B);
    k->in_loop = was_in_loop;
    k->loop_depth = outer_depth;
}

static void
add_leave(struct rk *k)
{
    bool halt = !k->in_loop || rk_chance(k, 15);
    unsigned opcode = halt               ? EU_OP_HALT
                      : rk_chance(k, 50) ? EU_OP_BREAK
                                         : EU_OP_CONT;
    /* HALT's target lies outside of a function. */
    if (k->open_count + 2 > ARRAY_SIZE(k->open) || (halt && k->in_call))
        return;
    unsigned at = add_branch(k, opcode, rk_chance(k, 95));
    leave_open(k, at, TO_BLOCK_END, k->depth);
    leave_open(k, at, halt ? TO_KERNEL_END : TO_LOOP_END,
               halt ? 0 : k->loop_depth);
}

/* goto over a block; the channels meet at a join */
static void
add_goto(struct rk *k)
{
    unsigned at = add_branch(k, EU_OP_GOTO, rk_chance(k, 90));
    k->depth++;
    add_block(k, 5);
    close_open(k, TO_BLOCK_END, k->depth);
    k->depth--;
    set_jip(k, at, k->size_B);
    set_uip(k, at, k->size_B);
    add_endif(k, EU_OP_JOIN);
}

/* goto.b: a loop as the other compiler writes it */
static void
add_goto_back(struct rk *k)
{
    uint32_t first_B = k->size_B;
    k->depth++;
    add_block(k, 5);
    close_open(k, TO_BLOCK_END, k->depth);
    k->depth--;
    unsigned at = add_branch(k, EU_OP_GOTO, true);
    fields_put(words(k, at), 28, 28, 1);
    set_uip(k, at, first_B);
    set_jip(k, at, k->size_B);
    add_endif(k, EU_OP_JOIN);
}

static unsigned
add_jump(struct rk *k, unsigned opcode, unsigned place)
{
    bool one = opcode == EU_OP_JMPI;
    unsigned simd = k->simd;
    k->simd = one ? 1 : simd;
    unsigned at = add_branch(k, opcode, rk_chance(k, 70));
    k->simd = simd;
    uint32_t *dw = words(k, at);
    fields_put(dw, 34, 34, one);
    fields_put(dw, place ? 89 : 41, place ? 90 : 42, EU_FILE_IMM);
    fields_put(dw, place ? 91 : 43, place ? 94 : 46, EU_TYPE_D);
    return at;
}

/* Skips a block: by JMPI, or by BRD and BRC, whose channels meet after it. */
static void
add_skip(struct rk *k)
{
    static const uint8_t opcodes[] = {EU_OP_JMPI, EU_OP_JMPI, EU_OP_BRD,
                                      EU_OP_BRC};
    unsigned opcode = opcodes[rk_rnd(k, ARRAY_SIZE(opcodes))];
    unsigned at = add_jump(k, opcode, opcode == EU_OP_JMPI);
    uint32_t next_B = k->size_B;
    k->depth++;
    add_block(k, 4);
    close_open(k, TO_BLOCK_END, k->depth);
    k->depth--;
    set_jip(k, at, k->size_B);
    if (opcode == EU_OP_JMPI) {
        uint32_t distance = k->size_B - next_B;
        memcpy(k->code + k->at_B[at] + 12, &distance, 4);
    } else if (opcode == EU_OP_BRC) {
        set_uip(k, at, k->size_B);
    }
    add_endif(k, EU_OP_JOIN);
}

/* The return address goes to r109 and r110: one register for each nested call.
 */
static void
add_call(struct rk *k)
{
    if (k->calls == ARRAY_SIZE(k->call) || k->in_call)
        return;
    unsigned at = add_jump(k, EU_OP_CALL, 1);
    uint32_t *dw = words(k, at);
    fields_put(dw, 35, 36, EU_FILE_GRF);
    fields_put(dw, 37, 40, EU_TYPE_UD);
    fields_put(dw, 53, 60, 109);
    fields_put(dw, 61, 62, 1);
    k->call[k->calls++] = (uint16_t)at;
}

static void
add_functions(struct rk *k)
{
    k->in_call = true;
    for (unsigned i = 0; i < k->calls; i++) {
        set_jip(k, k->call[i], k->size_B);
        add_block(k, 4);
        close_open(k, TO_BLOCK_END, 0);
        uint32_t dw[4] = {EU_OP_RET};
        rk_put_exec(k, dw, k->simd);
        fields_put(dw, 41, 42, EU_FILE_GRF);
        fields_put(dw, 69, 76, 109);
        rk_append(k, dw);
    }
    k->in_call = false;
}

static void
add_wait(struct rk *k)
{
    uint32_t dw[4] = {EU_OP_WAIT};
    fields_put(dw, 34, 34, 1);
    fields_put(dw, 41, 42, EU_FILE_ARF);
    fields_put(dw, 69, 76, EU_ARF_N);
    fields_put(dw, 64, 68, rk_rnd(k, 3) * 4);
    rk_append(k, dw);
}

static void
add_nested(struct rk *k)
{
    unsigned what = rk_rnd(k, 100);
    if (what < 40)
        add_if(k);
    else if (what < 62)
        add_loop(k);
    else if (k->quiet && k->in_loop)
        add_if(k);
    else if (what < 74)
        add_goto(k);
    else if (what < 82)
        add_goto_back(k);
    else if (what < 94)
        add_skip(k);
    else
        add_call(k);
}

static void
add_block(struct rk *k, unsigned want)
{
    for (unsigned n = 1 + rk_rnd(k, want * 2); n > 0; n--) {
        unsigned what = rk_rnd(k, 200);
        if (k->count + 90 > RK_MAX_INSNS)
            return;
        if (k->quiet && k->in_loop && what >= 22)
            what = 199;
        else if (what < 18 && k->depth < 3)
            add_nested(k);
        else if (what < 22)
            add_leave(k);
        else if (what < 31)
            rk_add_random_send(k);
        else if (what < 35 && !k->plain)
            rk_add_arf(k);
        else if (what < 36 && !k->plain)
            rk_add_private(k);
        else if (what < 37)
            rk_add_nop(k);
        else if (what < 38)
            add_wait(k);
        else if (what < 42 && !(k->quiet && k->in_loop))
            add_macro(k);
        else
            rk_add_alu(k);
    }
}

/* Most kernels send all results. In the others many results are dead, which
 * compiled code may exploit. */
static void
add_end(struct rk *k)
{
    bool all = rk_chance(k, 65);
    for (unsigned reg = 1; reg < 112; reg += 15)
        if (all || rk_chance(k, 25))
            rk_add_send(k, reg, MIN2(15, 128 - reg), 0, false);
    rk_add_send(k, 112, 1 + rk_rnd(k, 3), 0, true);
}

static void
damage(struct rk *k)
{
    for (unsigned i = 1 + rk_rnd(k, 12); i > 0; i--) {
        uint32_t bit = rk_rnd(k, k->size_B * 8);
        k->code[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

void
rk_make(struct rk *k, uint64_t seed)
{
    static const uint8_t modes[] = {RK_BLOCKS, RK_WHOLE, RK_STEPS, RK_WHOLE,
                                    RK_STEPS};
    static const uint8_t simd[] = {8, 8, 8, 16, 16, 16, 16, 32};
    memset(k, 0, offsetof(struct rk, code));
    k->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    rk_rnd(k, 2);
    k->mode = (enum rk_mode)modes[rk_rnd(k, ARRAY_SIZE(modes))];
    if (rk_chance(k, 8))
        k->mode = RK_DAMAGED;
    k->banks = k->mode < RK_STEPS;
    k->plain = rk_chance(k, 40);
    k->quiet = k->plain && rk_chance(k, 50);
    k->gen = rk_chance(k, 90) ? EU_GEN9 : EU_GEN8;
    k->simd = simd[rk_rnd(k, ARRAY_SIZE(simd) - k->plain)];
    k->acc = (enum rk_bank)rk_rnd(k, RK_BANKS);
    k->size_B = 0;
    k->count = k->depth = k->loop_depth = k->calls = k->open_count = 0;
    k->in_loop = k->in_call = false;
    add_block(k, 16);
    close_open(k, TO_BLOCK_END, 0);
    close_open(k, TO_KERNEL_END, 0);
    add_end(k);
    add_functions(k);
    if (k->mode == RK_DAMAGED)
        damage(k);
}
