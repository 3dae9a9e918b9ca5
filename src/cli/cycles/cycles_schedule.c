/* cycles_schedule.c: the schedule of a thread that runs alone.
 *
 * It follows the rules of Mesa's performance analysis: instructions leave in
 * order; each waits until its sources and its destination are ready, then for
 * its unit. */
#include "cli/cycles/cycles_operation.h"
#include "eu/isa/eu_opcodes.h"

#include <stdlib.h>

#define GRFS 128u
#define ACCUMULATORS 12u
#define FLAG_BYTES 8u
#define LOOP_WEIGHT 10
#define MOST_LOOPS 9 /* whose weight a counter holds */

/* Sets of what an operation reads or writes. */
struct places {
    uint64_t grf[GRFS / 64];
    uint32_t acc, flag; /* flag: a bit per byte of f0 and f1 */
    bool address;
};

struct schedule {
    uint32_t front_end; /* the time that it has reached */
    uint32_t unit_free[CYCLES_UNIT_COUNT];
    uint32_t grf[GRFS], acc[ACCUMULATORS], flag[FLAG_BYTES], address;
    unsigned loops; /* around the instruction */
};

/* ---- places -------------------------------------------------------------- */

static void
add_registers(struct places *p, unsigned first, uint32_t count)
{
    for (unsigned r = first; r < first + count && r < GRFS; r++)
        p->grf[r / 64] |= UINT64_C(1) << r % 64;
}

/* Bits first to first + count - 1, as far as there are any. */
static uint32_t
bit_range(unsigned first, unsigned count)
{
    if (!count || first > 31)
        return 0;
    count = MIN2(count, 32);
    return ((2u << (count - 1)) - 1) << first;
}

static void
add_operand(struct places *p, const struct eu_operand *o, uint32_t size_B)
{
    if (o->indirect || o->file == EU_FILE_IMM || !size_B)
        return;
    uint32_t count = cycles_regs(o->subreg_B % 32 + size_B);
    if (o->file == EU_FILE_GRF)
        add_registers(p, o->reg, count);
    else if (cycles_is_arf(o, EU_ARF_ACC))
        p->acc |= bit_range(o->reg & 15, count) & ((1u << ACCUMULATORS) - 1);
    else if (cycles_is_arf(o, EU_ARF_A))
        p->address = true;
}

/* The bytes of a flag register that are an operand. */
static uint32_t
flags_of_operand(const struct eu_operand *o, uint32_t size_B)
{
    if (!cycles_is_arf(o, EU_ARF_F) || !size_B)
        return 0;
    return bit_range((o->reg & 15) * 4u + o->subreg_B % 4, MIN2(size_B, 4)) &
           ((1u << FLAG_BYTES) - 1);
}

/* The bytes of the flag that belong to the channels, in groups of width. */
static uint32_t
flags_of_channels(const struct eu_insn *insn, unsigned width)
{
    unsigned first = (insn->flag * 16u + insn->chan_offset) & ~(width - 1);
    unsigned end = first + (insn->exec_size + width - 1) / width * width;
    return bit_range(first / 8, (end + 7) / 8 - first / 8) &
           ((1u << FLAG_BYTES) - 1);
}

/* Predicate control: 2, 3 of both flags; 4 to 13 of 2 to 32 channels. */
static uint32_t
flags_read(const struct eu_insn *insn)
{
    unsigned control = insn->pred_ctrl;
    if (control == 2 || control == 3)
        return (flags_of_channels(insn, 1) | flags_of_channels(insn, 1) << 4) &
               ((1u << FLAG_BYTES) - 1);
    if (control)
        return flags_of_channels(insn,
                                 control < 4 ? 1 : 1u << (control / 2 - 1));
    uint32_t flags = 0;
    for (unsigned i = 0; i < insn->src_count && !eu_insn_is_send(insn); i++)
        flags |= flags_of_operand(&insn->src[i], cycles_source_B(insn, i));
    return flags;
}

static uint32_t
flags_written(const struct eu_insn *insn)
{
    if (eu_insn_is_send(insn))
        return 0;
    if (insn->cmod && insn->opcode != EU_OP_SEL && insn->opcode != EU_OP_CSEL)
        return flags_of_channels(insn, 1);
    return flags_of_operand(&insn->dst, cycles_dst_B(insn));
}

/* The accumulators that belong to the channels; integers have 64 bits. */
static uint32_t
channel_accumulators(const struct cycles_operation *op)
{
    const struct eu_insn *insn = op->last;
    enum eu_type t = op->exec_type;
    bool is_float = t == EU_TYPE_F || t == EU_TYPE_HF || t == EU_TYPE_DF;
    unsigned size_B = is_float                  ? eu_type_size_B(t)
                      : cycles_is_long(insn, t) ? 16
                                                : 2 * eu_type_size_B(t);
    uint32_t all = 0;
    for (unsigned i = 0; i < insn->exec_size; i++)
        all |= 1u << (insn->chan_offset + i) * size_B / 32 % 2;
    return all;
}

static void
add_payload(struct places *p, const struct cycles_operation *op)
{
    const struct eu_insn *insn = op->last;
    if (insn->src[0].file == EU_FILE_GRF)
        add_registers(p, insn->src[0].reg, cycles_mlen(op->desc));
    if (insn->src_count > 1 && insn->src[1].file == EU_FILE_GRF)
        add_registers(p, insn->src[1].reg, cycles_ex_mlen(op->ex_desc));
}

static struct places
find_sources(const struct cycles_operation *op)
{
    struct places p = {0};
    for (uint32_t i = 0; i < op->count; i++) {
        const struct eu_insn *insn = &op->insns[i];
        p.flag |= flags_read(insn);
        if (eu_insn_is_send(insn)) {
            add_payload(&p, op);
            continue;
        }
        for (unsigned n = 0; n < insn->src_count; n++)
            add_operand(&p, &insn->src[n], cycles_source_B(insn, n));
        if (insn->opcode == EU_OP_MAC || insn->opcode == EU_OP_MACH ||
            insn->opcode == EU_OP_SADA2)
            p.acc |= channel_accumulators(op);
    }
    add_registers(&p, op->by_number, op->by_number_count);
    /* An address that the operation itself computes. */
    if (op->count > 1)
        p.address = false;
    return p;
}

static struct places
find_results(const struct cycles_operation *op)
{
    struct places p = {.flag = flags_written(op->last)};
    if (!eu_insn_is_send(op->last))
        add_operand(&p, &op->last->dst, cycles_dst_B(op->last));
    else if (op->last->dst.file == EU_FILE_GRF)
        add_registers(&p, op->last->dst.reg, op->d);
    for (uint32_t i = 0; op->class == CYCLES_SHUFFLE && i < op->count; i++)
        if (op->insns[i].src[0].indirect)
            add_operand(&p, &op->insns[i].dst, cycles_dst_B(&op->insns[i]));
    if (op->last->acc_wr)
        p.acc |= channel_accumulators(op);
    return p;
}

/* ---- time ---------------------------------------------------------------- */

static void
wait_for(struct schedule *s, const struct places *p)
{
    for (unsigned i = 0; i < GRFS; i++)
        if (p->grf[i / 64] >> i % 64 & 1)
            s->front_end = MAX2(s->front_end, s->grf[i]);
    for (unsigned i = 0; i < ACCUMULATORS; i++)
        if (p->acc >> i & 1)
            s->front_end = MAX2(s->front_end, s->acc[i]);
    for (unsigned i = 0; i < FLAG_BYTES; i++)
        if (p->flag >> i & 1)
            s->front_end = MAX2(s->front_end, s->flag[i]);
    if (p->address)
        s->front_end = MAX2(s->front_end, s->address);
}

static void
set_ready(struct schedule *s, const struct places *p, uint32_t grf,
          uint32_t acc, uint32_t flag)
{
    for (unsigned i = 0; i < GRFS; i++)
        if (p->grf[i / 64] >> i % 64 & 1)
            s->grf[i] = s->front_end + grf;
    for (unsigned i = 0; i < ACCUMULATORS; i++)
        if (p->acc >> i & 1)
            s->acc[i] = s->front_end + acc;
    for (unsigned i = 0; i < FLAG_BYTES; i++)
        if (p->flag >> i & 1)
            s->flag[i] = s->front_end + flag;
    if (p->address)
        s->address = s->front_end + grf;
}

/* Returns how long the unit is taken. */
static uint32_t
run_operation(struct schedule *s, const struct cycles_operation *op,
              const struct cycles_row *row)
{
    struct places sources = find_sources(op), results = find_results(op);
    int issue = row->issue + row->issue_d * (int)op->d +
                row->issue_c * (int)op->c + row->issue_x * (int)op->x;
    uint32_t busy = (uint32_t)(row->busy + row->busy_x * (int)op->x);
    wait_for(s, &sources);
    if (op->count > 1 || !(op->last->dep_ctrl & 2))
        wait_for(s, &results);
    s->front_end += (uint32_t)MAX2(issue, 0);
    if (row->unit != CYCLES_UNIT_NONE) {
        s->front_end = MAX2(s->front_end, s->unit_free[row->unit]);
        s->unit_free[row->unit] = s->front_end + busy;
    }
    if (eu_insn_is_send(op->last)) {
        struct places payload = {0};
        add_payload(&payload, op);
        set_ready(s, &payload,
                  (uint32_t)(row->read + row->latency_s * (int)op->s), 0, 0);
    }
    set_ready(s, &results,
              (uint32_t)(row->grf + row->latency_s * (int)op->s +
                         row->latency_d * (int)op->d),
              (uint32_t)row->acc, (uint32_t)row->flag);
    return busy;
}

/* ---- loops --------------------------------------------------------------- */

/* The last instruction up to `end` that begins at or before a place; or 0. */
static uint32_t
last_before(const struct eu_insn *insns, uint32_t end, int64_t at_B)
{
    uint32_t first = 0;
    while (first < end) {
        uint32_t middle = first + (end - first + 1) / 2;
        if (insns[middle].offset_B > at_B)
            end = middle - 1;
        else
            first = middle;
    }
    return first;
}

/* How many loops begin at each instruction. */
static uint32_t *
find_loops(const struct eu_insn *insns, uint32_t count)
{
    uint32_t *loops = calloc(count + 1, sizeof *loops);
    for (uint32_t i = 0; loops && i < count; i++) {
        if (insns[i].opcode != EU_OP_WHILE)
            continue;
        int64_t target_B = (int64_t)insns[i].offset_B + insns[i].jip;
        uint32_t n = last_before(insns, i, target_B);
        loops[n] += insns[n].offset_B == target_B;
    }
    return loops;
}

/* Exact, and the same in both directions, up to the most. */
static float
weight_of(const struct schedule *s)
{
    float weight = 1;
    for (unsigned n = 0; n < s->loops && n < MOST_LOOPS; n++)
        weight *= LOOP_WEIGHT;
    return weight;
}

uint32_t
cycles_schedule(const struct eu_insn *insns, uint32_t count,
                enum cycles_table table, struct cycles_cost *costs,
                const char **unknown)
{
    struct schedule s = {.loops = 0};
    uint32_t sum = 0, *loops = find_loops(insns, count);
    const char *why = loops ? NULL : "no memory";
    for (uint32_t i = 0; loops && i < count;) {
        struct cycles_operation op;
        cycles_find(&op, &insns[i], count - i);
        const struct cycles_row *row = &cycles_tables[table][op.class];
        uint32_t before = s.front_end, end = i + op.count;
        for (; i < end; i++) {
            s.loops += loops[i];
            costs[i] = (struct cycles_cost){.weight = (uint32_t)weight_of(&s)};
        }
        struct cycles_cost *cost = &costs[op.last - insns];
        cost->busy = run_operation(&s, &op, row);
        cost->clocks = s.front_end - before;
        cost->unit = row->unit;
        why = why ? why : op.unknown;
        /* As Mesa adds: in single precision. */
        float all = (float)sum + (float)cost->clocks * weight_of(&s);
        sum = all < 4e9f ? (uint32_t)all : UINT32_MAX;
        s.loops -= op.last->opcode == EU_OP_WHILE && s.loops;
    }
    free(loops);
    if (unknown)
        *unknown = why;
    return sum;
}
