/* lockstep_counts.c: profiles of threads in lockstep: adds all counts at the
 * end, because threads that diverge before run again, each alone.
 *
 * Outside loops each thread enters each block once. A loop counts the turns of
 * its head, in the first thread's memory; the last turn ends at the BREAK, and
 * runs the WHILE without lanes. With EU_JIT_LANES all threads have all lanes
 * on. */
#include "eu/jit/lockstep/lockstep_threads.h"

#include "eu/profile/profile.h"

static size_t
turns_at(unsigned loop)
{
    return TURNS_AT + loop * sizeof(uint32_t);
}

static unsigned
number_of(const struct jit *j, const struct jit_loop *l)
{
    return (unsigned)(l - j->loops);
}

static bool
counts_lanes(const struct jit *j)
{
    return j->f->flags & EU_JIT_LANES;
}

bool
jit_lockstep_counts_fit(const struct jit *j)
{
    return !(j->f->flags & EU_JIT_COUNTS) || j->loop_count <= MOST_TURNS;
}

/* Whether all channels are among those that unmasked code requires. */
bool
jit_lockstep_counts_lanes(const struct jit *j)
{
    for (uint32_t i = 0; counts_lanes(j) && i < j->f->k->op_count; i++) {
        const struct eu_op *op = &j->f->k->ops[i];
        uint64_t channels = (uint64_t)op->full << op->chan;
        if (!eu_fixed_lanes(op->insn) &&
            (channels & ~(uint64_t)j->f->required_mask))
            return false;
    }
    return true;
}

/* Chains: threads that are given up send their messages again. */
bool
jit_lockstep_counts_memory(const struct jit *j)
{
    return !(j->f->flags & EU_JIT_MEMORY) || !j->f->in.sfids;
}

/* Gives the current thread up unless all its lanes are on. ecx: its mask. */
void
jit_lockstep_need_lanes(struct jit *j)
{
    x86_alu_imm(&j->x, X86_AND, X86_RCX, j->f->required_mask, false);
    x86_alu_imm(&j->x, X86_CMP, X86_RCX, j->f->required_mask, false);
    jit_lose(j, x86_jump(&j->x, X86_CC_NE));
}

void
jit_lockstep_clear_turns(struct jit *j)
{
    for (unsigned n = 0; j->f->flags & EU_JIT_COUNTS && n < j->loop_count; n++)
        x86_store_imm(&j->x, turns_at(n), 0);
}

void
jit_lockstep_count_turn(struct jit *j, const struct jit_loop *l)
{
    if (j->f->flags & EU_JIT_COUNTS)
        x86_alu_mem_imm(&j->x, X86_ADD, turns_at(number_of(j, l)), 1);
}

/* rax: the counters. */
static void
add_number_at(struct jit *j, size_t at, unsigned n)
{
    x86_add_imm_at(&j->x, X86_RAX, at, (uint8_t)(n * j->f->threads));
}

static void
add_number(struct jit *j, uint32_t ip_B, enum profile_array array, unsigned n)
{
    add_number_at(j, jit_counter_at(j, ip_B, array), n);
}

/* The block's entries, but so many. */
static void
add_turns(struct jit *j, const struct jit_loop *l, uint32_t ip_B,
          enum profile_array array, unsigned but)
{
    struct x86 *x = &j->x;
    assert(j->f->threads == 2);
    x86_load(x, X86_RCX, turns_at(number_of(j, l)), 4);
    if (but)
        x86_alu_imm(x, X86_SUB, X86_RCX, but, true);
    x86_alu_reg(x, X86_ADD, X86_RCX, X86_RCX, true);
    x86_add_at(x, X86_RAX, jit_counter_at(j, ip_B, array), X86_RCX);
}

/* All lanes leave at the BREAK. */
static void
add_exit(struct jit *j, const struct jit_loop *l)
{
    const struct eu_op *out = &j->f->k->ops[l->head + 1];
    uint32_t end_B = j->f->k->ops[l->end].ip;
    add_number(j, out->ip, PROFILE_CONTRARY, 1);
    add_number(j, out->ip, PROFILE_CONTRARY_LANES, out->lanes);
    add_number(j, end_B, PROFILE_RAN, 1);
    add_number_at(j, jit_bins_at(j, end_B, PROFILE_RAN_BINS), 1);
    add_number(j, end_B, PROFILE_CONTRARY, 1);
}

static void
add_block(struct jit *j, uint32_t i, enum profile_array array)
{
    const struct eu_op *ops = j->f->k->ops;
    const struct jit_loop *l = jit_loop_at(j, i);
    if (!l) {
        add_number(j, ops[i].ip, array, 1);
        return;
    }
    bool head = ops[i].ip == ops[l->head].ip, end = ops[i].ip == ops[l->end].ip;
    add_turns(j, l, ops[i].ip, array, !head && !(end && !counts_lanes(j)));
    if (end && counts_lanes(j))
        add_exit(j, l);
}

void
jit_lockstep_count(struct jit *j, uint32_t end)
{
    enum profile_array array = counts_lanes(j) ? PROFILE_ENTERED_FULL
                                               : PROFILE_ENTERED;
    if (!(j->f->flags & EU_JIT_COUNTS))
        return;
    x86_load_tls(&j->x, X86_RAX, eu_profile_tls_B());
    /* Ops move only where there is one block. */
    if (j->f->order) {
        add_number(j, j->f->origin->ops[0].ip, array, 1);
        return;
    }
    for (uint32_t i = 0; i < end; i++)
        if ((j->f->start[i] & JIT_START) && j->f->k->ops[i].fn != eu_op_link)
            add_block(j, i, array);
}
