/* busy_kernel.c: a model of how long instructions keep the pipes of the EUs
 * busy.
 *
 * Source of the cycles: Mesa's performance analysis of Gen8 and Gen9, which
 * agrees with the issue rates of Intel's compiler: two cycles for each register
 * of 32-bit operands, four of 64-bit ones, interpolation and functions. An EU
 * has two FPUs; extended math and 64-bit operands are the second one's, and
 * other instructions are taken to be shared by both. */
#include "eu/tiers/kernel.h"

#include "eu/profile/profile.h"

#include <stdlib.h>

/* Which pipe takes an instruction. */
enum { TAKES_FPUS, TAKES_FPU1, TAKES_SEND };

struct busy_insn {
    uint32_t unit; /* of 8 bytes */
    uint8_t takes, shape, cycles;
};

struct busy_kernel {
    struct busy_kernel *next;
    uint32_t slot, units, count;
    atomic_uint stages; /* a bit each */
    struct busy_insn insn[];
};

/* Registers that the widest operand takes. */
static unsigned
size_grf(const struct eu_insn *n)
{
    unsigned size_B = eu_type_size_B((enum eu_type)n->dst.type);
    for (unsigned i = 0; i < n->src_count; i++)
        size_B = MAX2(size_B, eu_type_size_B((enum eu_type)n->src[i].type));
    return DIV_ROUND_UP(n->exec_size * size_B, EU_GRF_B);
}

static bool
is_wide(const struct eu_insn *n)
{
    bool wide = eu_type_size_B((enum eu_type)n->dst.type) == 8;
    for (unsigned i = 0; i < n->src_count; i++)
        wide |= eu_type_size_B((enum eu_type)n->src[i].type) == 8;
    return wide;
}

static unsigned
math_cycles(const struct eu_insn *n)
{
    switch (n->math) {
    case EU_MATH_INT_DIV_BOTH:
    case EU_MATH_INT_DIV_QUOTIENT:
    case EU_MATH_INT_DIV_REMAINDER: return 26;
    case EU_MATH_POW:
    case EU_MATH_FDIV: return 8 * size_grf(n);
    default: return 4 * size_grf(n);
    }
}

static enum eu_shape
shape_of(const struct eu_insn *n)
{
    if (n->src_count == 3)
        return EU_SHAPE_TERNARY;
    if (n->src_count == 2)
        return EU_SHAPE_BINARY;
    return n->opcode == EU_OP_MOV ? EU_SHAPE_MOVE : EU_SHAPE_OTHER;
}

static struct busy_insn
classify(const struct eu_insn *n, enum eu_gen gen)
{
    struct busy_insn b = {.unit = n->offset_B / 8,
                          .shape = (uint8_t)shape_of(n)};
    if (eu_insn_is_send(n)) {
        b.takes = TAKES_SEND;
        b.cycles = 2;
    } else if (n->opcode == EU_OP_MATH) {
        b.takes = TAKES_FPU1;
        b.cycles = (uint8_t)MIN2(math_cycles(n), 255u);
    } else if (eu_ends_block(n, gen) || n->opcode == EU_OP_NOP ||
               n->opcode == EU_OP_WAIT) {
        b.cycles = 0; /* branches have a pipe of their own */
    } else {
        bool slow = is_wide(n) || n->opcode == EU_OP_PLN ||
                    n->opcode == EU_OP_LRP;
        b.takes = is_wide(n) ? TAKES_FPU1 : TAKES_FPUS;
        b.cycles = (uint8_t)((slow ? 4 : 2) * size_grf(n));
    }
    return b;
}

struct busy_kernel *
busy_kernel_add(struct busy_kernel **list, const struct eu_kernel *k)
{
    struct busy_kernel *b = NULL;
    if (k->profile_slot)
        b = calloc(1, sizeof *b + k->insn_count * sizeof b->insn[0]);
    if (!b)
        return NULL;
    b->slot = k->profile_slot;
    b->units = k->size_B / 8;
    b->count = k->insn_count;
    for (uint32_t i = 0; i < b->count; i++)
        b->insn[i] = classify(&k->insns[i], k->gen);
    b->next = *list;
    return *list = b;
}

void
busy_kernel_use(struct busy_kernel *b, unsigned stage)
{
    unsigned bit = 1u << stage;
    if (!(atomic_load_explicit(&b->stages, memory_order_relaxed) & bit))
        atomic_fetch_or(&b->stages, bit);
}

static void
add_insn(uint64_t cycles[EU_PIPES][EU_SHAPES], const struct busy_insn *n,
         uint64_t runs)
{
    switch (n->takes) {
    case TAKES_FPUS:
        cycles[EU_PIPE_FPU0][n->shape] += runs * n->cycles / 2;
        cycles[EU_PIPE_FPU1][n->shape] += runs * n->cycles / 2;
        break;
    case TAKES_FPU1: cycles[EU_PIPE_FPU1][n->shape] += runs * n->cycles; break;
    default: cycles[EU_PIPE_SEND][n->shape] += runs * n->cycles;
    }
}

/* A kernel belongs to its first stage. */
static void
add_kernel(struct eu_busy *busy, const struct busy_kernel *b, uint64_t *counts)
{
    unsigned stages = atomic_load(&b->stages);
    unsigned stage = stages ? (unsigned)__builtin_ctz(stages) : 0;
    eu_profile_counts_of(b->slot, counts, b->units);
    for (uint32_t i = 0; i < b->count; i++)
        add_insn(busy->cycles[MIN2(stage, EU_BUSY_STAGES - 1u)], &b->insn[i],
                 counts[b->insn[i].unit]);
}

void
busy_kernels_read(const struct busy_kernel *list, struct eu_busy *busy)
{
    uint32_t units = 0;
    memset(busy, 0, sizeof *busy);
    for (const struct busy_kernel *b = list; b; b = b->next)
        units = MAX2(units, b->units);
    uint64_t *counts = units ? malloc(units * sizeof *counts) : NULL;
    for (const struct busy_kernel *b = list; b && counts; b = b->next)
        add_kernel(busy, b, counts);
    free(counts);
}
