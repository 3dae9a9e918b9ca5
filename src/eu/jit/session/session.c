/* session.c: compiles a kernel's ops to machine code, in one walk per
 * variant. */
#include "eu/jit/session/session.h"

#include "eu/jit/branch/branch.h"
#include "eu/jit/jit_code.h"
#include "eu/jit/lower/lower.h"
#include "eu/jit/sends/sends.h"

#include <stdlib.h>

struct snapshot {
    uint32_t size, pool_count, fixup_count, trig_count, rescue_count;
    uint32_t outside_count;
    struct jit_reg_cache v;
    uint8_t exec_chan[2], flag_at[2];
    bool keeps_denorms;
};

static void
save_state(const struct jit *j, struct snapshot *s)
{
    s->size = j->x.size;
    s->pool_count = j->x.pool_count;
    s->fixup_count = j->x.fixup_count;
    s->trig_count = j->trig_count;
    s->rescue_count = j->denorm_fixup_count;
    s->outside_count = j->outside_count;
    s->v = j->v;
    s->keeps_denorms = j->keeps_denorms;
    memcpy(s->exec_chan, j->exec_chan, sizeof s->exec_chan);
    memcpy(s->flag_at, j->flag_at, sizeof s->flag_at);
}

static void
restore_state(struct jit *j, const struct snapshot *s)
{
    j->x.size = s->size;
    j->x.pool_count = s->pool_count;
    j->x.fixup_count = s->fixup_count;
    j->trig_count = s->trig_count;
    j->denorm_fixup_count = s->rescue_count;
    j->outside_count = s->outside_count;
    j->v = s->v;
    j->keeps_denorms = s->keeps_denorms;
    memcpy(j->exec_chan, s->exec_chan, sizeof s->exec_chan);
    memcpy(j->flag_at, s->flag_at, sizeof s->flag_at);
    j->out_of_registers = false;
}

static void
leave_for(struct jit *j, enum x86_cc cc, uint32_t op)
{
    uint32_t at = x86_jump(&j->x, cc);
    if (jit_grow(j, (void **)&j->exits, &j->exit_capacity, j->exit_count + 1,
                 sizeof *j->exits))
        j->exits[j->exit_count++] = jit_jump_from(j, at, op);
}

struct counts {
    uint32_t ops, messages;
};

/* Counts a block's ops and messages, up to the thread's end. Only its first op
 * may be a join. Messages compiled as accesses count, too. */
static struct counts
count_block(const struct jit *j, uint32_t first)
{
    const struct eu_op *ops = j->f->k->ops;
    struct counts c = {.messages = j->f->start[first] / JIT_MEMORY & 1};
    uint32_t i = first + 1;
    for (; i < j->f->k->op_count && !(j->f->start[i] & JIT_START); i++) {
        if ((j->f->start[i - 1] & JIT_SEND) && ops[i - 1].insn->eot)
            break;
        c.messages += j->f->start[i] / JIT_MEMORY & 1;
    }
    c.ops = i - first - (ops[first].fn == eu_op_join);
    return c;
}

/* Whether the block is counted where it begins. Otherwise its wait does it; or
 * with lanes the join, once it has woken channels. */
static bool
counts_at_once(const struct jit *j, uint32_t first)
{
    const struct eu_op *op = &j->f->k->ops[first];
    bool joins = op->fn == eu_op_join;
    return !jit_wait_is_native(op + joins) &&
           !(joins && (j->f->flags & EU_JIT_LANES));
}

static void
begin_block(struct jit *j, uint32_t i)
{
    bool checks = (j->f->start[i] & JIT_LOOP) ||
                  (j->f->flags & (EU_JIT_SPLIT | EU_JIT_STEP));
    jit_forget(j);
    jit_begin_guarded(j, i);
    j->label[i] = j->x.size;
    jit_enter_loop(j, i, 0);
    if (checks) {
        x86_test(&j->x, X86_R12);
        leave_for(j, X86_CC_LE, i);
    }
    if (!i)
        jit_begin_chain(j);
    const struct counts c = count_block(j, i);
    x86_alu_imm(&j->x, X86_SUB, X86_R12, c.ops, true);
    if (counts_at_once(j, i))
        jit_count_block(j, i);
    if (j->f->unmasked)
        j->body[i] = j->x.size;
    if (c.messages)
        x86_alu_mem_imm(&j->x, X86_ADD,
                        offsetof(struct eu_thread, message_count), c.messages);
}

/* Makes the interpreter run the op. */
static void
leave_to_interpreter(struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->f->k->ops[i];
    const struct eu_insn *insn = op->insn;
    bool modes = insn->dst.file == EU_FILE_ARF &&
                 ((insn->dst.reg & 0xf0) == EU_ARF_CR ||
                  (insn->dst.reg & 0xf0) == EU_ARF_SR);
    jit_float_mode(j, false);
    if (j->f->start[i] & JIT_MEMORY) {
        jit_lower_memory(j, i);
        return;
    }
    if (jit_is_send(op) && jit_lower_send(j, i))
        return;
    jit_flush(j, &j->f->live[!j->f->unmasked][i]);
    jit_call_op(j, op);
    if (jit_is_send(op) && insn->eot) {
        jit_return(j, X86_ALWAYS);
        return;
    }
    x86_test(&j->x, X86_RAX);
    jit_return(j, X86_CC_E);
    if (modes)
        leave_for(j, X86_ALWAYS, i + 1);
}

static inline struct jit_set
dying_at(const struct jit *j, const struct jit_regs *r,
         const struct jit_set *behind)
{
    jit_bits live = jit_bits_of(behind);
    struct jit_set s;
    if (j->f->unmasked || r->no_mask)
        live &= ~jit_bits_of(&r->kills);
    jit_set_bits(&s, jit_bits_of(&r->uses) & ~live);
    return s;
}

struct jit_set
jit_dying_at(const struct jit *j, uint32_t op)
{
    return dying_at(j, &j->f->regs[op], &j->f->live[!j->f->unmasked][op + 1]);
}

/* Compiles ops that are not plain, or may need more registers than exist. */
static __attribute__((noinline)) bool
compile_hard(struct jit *j, const struct eu_op *op)
{
    struct snapshot s;
    /* 32 vector registers are enough for these; 16 with pinned registers may
     * not be. */
    bool tight = !j->f->evex && j->v.pinned;
    bool roomy = j->f->evex && op->lanes <= 16 && !j->v.pinned &&
                 j->f->threads == 1;
    if (!roomy)
        save_state(j, &s);
    if (tight && op->fn != op->slow && jit_lower_common_op(j, op)) {
        if (!j->out_of_registers)
            return true;
        restore_state(j, &s);
    }
    if (jit_lower_alu(j, op))
        return true;
    j->failed |= roomy && j->out_of_registers;
    if (!roomy)
        restore_state(j, &s);
    return false;
}

bool
jit_compile_alu(struct jit *j, const struct eu_op *op)
{
    bool plain = op->fn != op->slow && (j->f->evex || !j->v.pinned);
    return (plain && jit_lower_common_op(j, op)) || compile_hard(j, op);
}

static void
interpret_alu(struct jit *j, uint32_t i)
{
    /* The interpreter knows no guards. */
    j->failed |= j->guard;
    /* The interpreter would not update counters in inactive lanes. */
    j->failed |= j->f->in.lane_independent && j->f->has_flow &&
                 (j->f->k->ops[i].plain & EU_PLAIN_INT);
    leave_to_interpreter(j, i);
    j->asks = true;
    j->f->start[i] |= JIT_INTERPRETED;
    j->native_count--;
}

/* Compiles a computing op. */
static inline void
compile_general(struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->f->k->ops[i];
    j->native_count++;
    if (jit_counts(j, i, 0))
        return; /* jit_test_counter() of the BREAK does it */
    j->dying = dying_at(j, &j->f->regs[i], &j->f->live[!j->f->unmasked][i + 1]);
    if (!jit_compile_alu(j, op))
        interpret_alu(j, i);
    jit_unlock_but(j, 0);
}

/* Joins, branches, messages, waits and undefined ops. */
static __attribute__((noinline)) void
compile_other(struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->f->k->ops[i];
    if (op->fn == eu_op_join) {
        jit_lower_join(j, i);
        if (!counts_at_once(j, i) && !jit_wait_is_native(op + 1))
            jit_count_block(j, i);
        j->asks = true;
        return;
    }
    j->asks |= !op->insn->eot && op->opcode != EU_OP_NOP;
    j->native_count++;
    if (j->f->start[i] & JIT_FLOW) {
        jit_float_mode(j, false);
        jit_lower_branch(j, i);
    } else if (j->f->start[i] & JIT_SEND) {
        leave_to_interpreter(j, i);
    } else if (jit_wait_is_native(op)) {
        jit_lower_wait(j, i);
    } else if (op->opcode != EU_OP_NOP && !jit_compile_alu(j, op)) {
        interpret_alu(j, i);
    }
    jit_unlock_but(j, 0);
}

/* Ends an op that does not branch, before the next op of the kernel. */
static inline void
end_op(struct jit *j, uint32_t i)
{
    const struct jit_set *live = &j->f->live[!j->f->unmasked][i + 1];
    const struct jit_regs *regs = &j->f->regs[i];
    if (j->f->start[i + 1] & JIT_START) {
        jit_float_mode(j, false);
        jit_end_block(j, live);
    } else if ((regs->all.w[0] & ~live->w[0]) |
               (regs->all.w[1] & ~live->w[1])) {
        jit_drop_dead(j, regs, live);
    }
}

void
jit_compile_blocks(struct jit *j)
{
    uint32_t n = j->f->k->op_count;
    for (uint32_t i = 0; i < n && !j->x.failed; i++) {
        bool general = j->f->k->ops[i].slow == eu_op_general;
        j->at[i] = j->x.size;
        if (!general && jit_is_unreached(j->f, i)) {
            j->native_count++;
            continue;
        }
        j->here = i;
        if (j->f->start[i] & JIT_START)
            begin_block(j, i);
        /* A computing op is never the last. */
        if (general)
            compile_general(j, i);
        else
            compile_other(j, i);
        if (i + 1 < n && !(j->f->start[i] & JIT_FLOW))
            end_op(j, i);
    }
}

void
jit_emit_exits(struct jit *j)
{
    uint32_t from = j->x.size;
    for (uint32_t i = 0; i < j->return_count; i++)
        x86_patch(&j->x, j->returns[i], from);
    x86_vzeroupper(&j->x);
    jit_leave(j);
    for (uint32_t i = 0; i < j->exit_count; i++) {
        const struct eu_op *op = &j->f->k->ops[j->exits[i].op];
        x86_patch(&j->x, j->exits[i].at, j->x.size);
        x86_store_imm(&j->x, offsetof(struct eu_thread, ip), op->ip);
        uint32_t back = x86_jump(&j->x, X86_ALWAYS);
        x86_patch(&j->x, back, from);
    }
}

/* Continues at the op in the other variant. */
static void
emit_stub(struct jit *j, uint32_t op)
{
    j->stub[op] = j->x.size;
    if (!j->f->unmasked) {
        uintptr_t to = (uintptr_t)j->other->code + j->other->places->body[op];
        x86_mov_imm(&j->x, X86_RAX, to);
        x86_jmp_reg(&j->x, X86_RAX);
        return;
    }
    x86_mov_imm(&j->x, X86_RAX, (uintptr_t)&j->variant_exits[op]);
    x86_jmp_at_rax(&j->x);
    atomic_init(&j->variant_exits[op], j->x.size);
    x86_store_imm(&j->x, offsetof(struct eu_thread, ip), j->f->k->ops[op].ip);
    jit_return(j, X86_ALWAYS);
}

/* Allocates variant exits: the code contains their addresses. */
static bool
make_variant_exits(struct jit *j)
{
    for (uint32_t i = 0; i < j->crossing_count; i++)
        j->variant_exit_count = MAX2(j->variant_exit_count,
                                     j->crossings[i].op + 1);
    if (j->f->unmasked && j->variant_exit_count)
        j->variant_exits = calloc(j->variant_exit_count,
                                  sizeof *j->variant_exits);
    return j->variant_exits || !j->f->unmasked || !j->variant_exit_count;
}

void
jit_emit_stubs(struct jit *j)
{
    if (!make_variant_exits(j)) {
        j->failed = true;
        return;
    }
    for (uint32_t i = 0; i < j->crossing_count; i++) {
        const struct jit_jump *c = &j->crossings[i];
        if (!j->stub[c->op])
            emit_stub(j, c->op);
        x86_patch(&j->x, c->at, j->stub[c->op]);
    }
}

void
jit_resolve_jumps(struct jit *j)
{
    for (uint32_t i = 0; i < j->jump_count; i++) {
        const struct jit_jump *jump = &j->jumps[i];
        uint32_t to = (jump->loop ? j->inner : j->label)[jump->op];
        assert(to || j->x.failed);
        x86_patch(&j->x, jump->at, to);
    }
}

void
jit_place_pool(struct jit *j)
{
    j->text_B = j->x.size;
    x86_place_pool(&j->x);
}
