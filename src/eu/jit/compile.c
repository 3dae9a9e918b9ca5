/* compile.c: a kernel's ops to machine code, in one walk per copy. */
#include "eu/jit/show.h"

#include <stdlib.h>

struct snapshot {
    uint32_t size, pool_count, fixup_count, trig_count, rescue_count;
    struct jit_vregs v;
    uint8_t exec_chan[2], flag_at[2];
    bool keeps_denorms;
};

static void
save(const struct jit *j, struct snapshot *s)
{
    s->size = j->x.size;
    s->pool_count = j->x.pool_count;
    s->fixup_count = j->x.fixup_count;
    s->trig_count = j->trig_count;
    s->rescue_count = j->rescue_count;
    s->v = j->v;
    s->keeps_denorms = j->keeps_denorms;
    memcpy(s->exec_chan, j->exec_chan, sizeof s->exec_chan);
    memcpy(s->flag_at, j->flag_at, sizeof s->flag_at);
}

static void
restore(struct jit *j, const struct snapshot *s)
{
    j->x.size = s->size;
    j->x.pool_count = s->pool_count;
    j->x.fixup_count = s->fixup_count;
    j->trig_count = s->trig_count;
    j->rescue_count = s->rescue_count;
    j->v = s->v;
    j->keeps_denorms = s->keeps_denorms;
    memcpy(j->exec_chan, s->exec_chan, sizeof s->exec_chan);
    memcpy(j->flag_at, s->flag_at, sizeof s->flag_at);
    j->crowded = false;
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

/* What a block comes to, up to the thread's end. Only its first op may be a
 * join. Messages that are not sent count all the same. */
static struct counts
count_block(const struct jit *j, uint32_t first)
{
    const struct eu_op *ops = j->k->ops;
    struct counts c = {.messages = j->start[first] / JIT_MEMORY & 1};
    uint32_t i = first + 1;
    for (; i < j->k->op_count && !(j->start[i] & JIT_START); i++) {
        if ((j->start[i - 1] & JIT_SEND) && ops[i - 1].insn->eot)
            break;
        c.messages += j->start[i] / JIT_MEMORY & 1;
    }
    c.ops = i - first - (ops[first].fn == eu_op_join);
    return c;
}

static void
begin_block(struct jit *j, uint32_t i)
{
    bool checks = (j->start[i] & JIT_LOOP) ||
                  (j->flags & (EU_JIT_SPLIT | EU_JIT_STEP));
    jit_forget(j);
    j->label[i] = j->x.size;
    jit_enter_loop(j, i, 0);
    if (checks) {
        x86_test(&j->x, X86_R12);
        leave_for(j, X86_CC_LE, i);
    }
    if (!i)
        jit_begin_row(j);
    const struct counts c = count_block(j, i);
    x86_alu_imm(&j->x, X86_SUB, X86_R12, c.ops, true);
    if (j->full)
        j->body[i] = j->x.size;
    if (c.messages)
        x86_alu_mem_imm(&j->x, X86_ADD,
                        offsetof(struct eu_thread, message_count), c.messages);
}

/* Leaves the op to the interpreter. */
static void
interpret(struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->k->ops[i];
    const struct eu_insn *insn = op->insn;
    bool modes = insn->dst.file == EU_FILE_ARF &&
                 ((insn->dst.reg & 0xf0) == EU_ARF_CR ||
                  (insn->dst.reg & 0xf0) == EU_ARF_SR);
    jit_float_mode(j, false);
    if (j->start[i] & JIT_MEMORY) {
        jit_lower_memory(j, i);
        return;
    }
    if (jit_is_send(op) && jit_lower_send(j, i))
        return;
    jit_flush(j, &j->live[!j->full][i]);
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
    if (j->full || r->no_mask)
        live &= ~jit_bits_of(&r->kills);
    jit_set_bits(&s, jit_bits_of(&r->uses) & ~live);
    return s;
}

struct jit_set
jit_dying_at(const struct jit *j, uint32_t op)
{
    return dying_at(j, &j->regs[op], &j->live[!j->full][op + 1]);
}

/* What is not plain, or may need more registers than there are. */
static __attribute__((noinline)) bool
compile_hard(struct jit *j, const struct eu_op *op)
{
    struct snapshot s;
    /* Hosts with 32 vector registers have enough for these; with 16 and a loop
     * that has some of them nothing is sure. */
    bool tight = !j->evex && j->v.pinned;
    bool roomy = j->evex && op->lanes <= 16 && !j->v.pinned && j->threads == 1;
    if (!roomy)
        save(j, &s);
    if (tight && op->fn != op->slow && jit_lower_plain(j, op)) {
        if (!j->crowded)
            return true;
        restore(j, &s);
    }
    if (jit_lower_alu(j, op))
        return true;
    j->failed |= roomy && j->crowded;
    if (!roomy)
        restore(j, &s);
    return false;
}

bool
jit_compile_alu(struct jit *j, const struct eu_op *op)
{
    bool plain = op->fn != op->slow && (j->evex || !j->v.pinned);
    return (plain && jit_lower_plain(j, op)) || compile_hard(j, op);
}

static void
interpret_alu(struct jit *j, uint32_t i)
{
    /* Lanes that are off would not count. */
    j->failed |= j->in.apart && j->has_flow &&
                 (j->k->ops[i].plain & EU_PLAIN_INT);
    interpret(j, i);
    j->asks = true;
    j->start[i] |= JIT_INTERPRETED;
    j->native_count--;
}

/* What computes. */
static inline void
compile_general(struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->k->ops[i];
    j->native_count++;
    if (jit_counts(j, i, 0))
        return; /* what the BREAK asks for itself */
    j->dying = dying_at(j, &j->regs[i], &j->live[!j->full][i + 1]);
    if (!jit_compile_alu(j, op))
        interpret_alu(j, i);
    jit_unlock_but(j, 0);
}

/* Joins, branches, messages, waiting, and what is undefined. */
static __attribute__((noinline)) void
compile_other(struct jit *j, uint32_t i)
{
    const struct eu_op *op = &j->k->ops[i];
    if (op->fn == eu_op_join) {
        jit_lower_join(j, i);
        j->asks = true;
        return;
    }
    j->asks |= !op->insn->eot && op->opcode != EU_OP_NOP;
    j->native_count++;
    if (j->start[i] & JIT_FLOW) {
        jit_float_mode(j, false);
        jit_lower_flow(j, i);
    } else if (j->start[i] & JIT_SEND) {
        interpret(j, i);
    } else if (op->fn == eu_op_wait && jit_lower_wait(j, i)) {
        /* Done. */
    } else if (op->opcode != EU_OP_NOP && !jit_compile_alu(j, op)) {
        interpret_alu(j, i);
    }
    jit_unlock_but(j, 0);
}

/* The op is not the last one and does not branch: what the next one finds. */
static inline void
end_op(struct jit *j, uint32_t i)
{
    const struct jit_set *live = &j->live[!j->full][i + 1];
    const struct jit_regs *regs = &j->regs[i];
    if (j->start[i + 1] & JIT_START) {
        jit_float_mode(j, false);
        jit_end_block(j, live);
    } else if ((regs->all.w[0] & ~live->w[0]) |
               (regs->all.w[1] & ~live->w[1])) {
        jit_drop_dead(j, regs, live);
    }
}

static void
compile_copy(struct jit *j)
{
    uint32_t n = j->k->op_count;
    for (uint32_t i = 0; i < n && !j->x.failed; i++) {
        bool general = j->k->ops[i].slow == eu_op_general;
        j->at[i] = j->x.size;
        if (!general && jit_is_unreached(j, i)) {
            j->native_count++;
            continue;
        }
        j->here = i;
        if (j->start[i] & JIT_START)
            begin_block(j, i);
        /* One that computes is never the last. */
        if (general)
            compile_general(j, i);
        else
            compile_other(j, i);
        if (i + 1 < n && !(j->start[i] & JIT_FLOW))
            end_op(j, i);
    }
}

void
jit_prologue(struct jit *j)
{
    x86_enter(&j->x);
}

void
jit_leave(struct jit *j)
{
    x86_leave(&j->x);
}

static void
epilogue(struct jit *j)
{
    uint32_t from = j->x.size;
    for (uint32_t i = 0; i < j->return_count; i++)
        x86_patch(&j->x, j->returns[i], from);
    x86_vzeroupper(&j->x);
    jit_leave(j);
    for (uint32_t i = 0; i < j->exit_count; i++) {
        const struct eu_op *op = &j->k->ops[j->exits[i].op];
        x86_patch(&j->x, j->exits[i].at, j->x.size);
        x86_store_imm(&j->x, offsetof(struct eu_thread, ip), op->ip);
        uint32_t back = x86_jump(&j->x, X86_ALWAYS);
        x86_patch(&j->x, back, from);
    }
}

/* Goes on at the op in the other copy. */
static void
emit_stub(struct jit *j, uint32_t op)
{
    j->stub[op] = j->x.size;
    if (!j->full) {
        uintptr_t to = (uintptr_t)j->other->code + j->other->places->body[op];
        x86_mov_imm(&j->x, X86_RAX, to);
        x86_jmp_reg(&j->x, X86_RAX);
        return;
    }
    x86_mov_imm(&j->x, X86_RAX, (uintptr_t)&j->doors[op]);
    x86_jmp_at_rax(&j->x);
    atomic_init(&j->doors[op], j->x.size);
    x86_store_imm(&j->x, offsetof(struct eu_thread, ip), j->k->ops[op].ip);
    jit_return(j, X86_ALWAYS);
}

/* Code knows where they are. */
static bool
make_doors(struct jit *j)
{
    for (uint32_t i = 0; i < j->crossing_count; i++)
        j->door_count = MAX2(j->door_count, j->crossings[i].op + 1);
    if (j->full && j->door_count)
        j->doors = calloc(j->door_count, sizeof *j->doors);
    return j->doors || !j->full || !j->door_count;
}

static void
emit_stubs(struct jit *j)
{
    if (!make_doors(j)) {
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

static void
resolve(struct jit *j)
{
    for (uint32_t i = 0; i < j->jump_count; i++) {
        const struct jit_jump *jump = &j->jumps[i];
        uint32_t to = (jump->loop ? j->inner : j->label)[jump->op];
        assert(to || j->x.failed);
        x86_patch(&j->x, jump->at, to);
    }
}

void
jit_take_ops(struct jit *j, struct eu_op *ops)
{
    const struct eu_kernel *k = j->k;
    j->changed = (struct eu_kernel){.hash = k->hash,
                                    .size_B = k->size_B,
                                    .op_of = k->op_of,
                                    .ops = ops,
                                    .op_count = k->op_count};
    j->k = &j->changed;
}

const struct eu_op *
jit_lasting_op(struct jit *j, const struct eu_op *op)
{
    const struct eu_op *there = &j->origin->ops[op - j->k->ops];
    /* The interpreter would not know its predicate. */
    j->failed |= there->pred != op->pred || j->order;
    return there;
}

void
jit_begin(struct jit *j, const struct eu_kernel *kernel, enum cpu_level cpu,
          unsigned flags)
{
    memset(j, 0, offsetof(struct jit, ahead.readers));
    j->x.evex = j->evex = cpu == CPU_AVX512;
    j->x.memory = jit_scratch_take();
    j->k = j->origin = kernel;
    j->flags = flags;
    j->threads = 1;
    j->max_lanes = j->evex ? 16 : 8;
    j->v.all = j->evex ? UINT32_MAX : 0xffff;
}

/* What is per op, in one piece; with checks code takes all of it along, so that
 * they know what is live later. */
bool
jit_allocate(struct jit *j)
{
    uint32_t n = ALIGN_POT(j->k->op_count, 2);
    size_t zero_B = n * (sizeof *j->label + sizeof *j->body + sizeof *j->stub +
                         sizeof *j->start);
    size_t rest_B = n *
                    (sizeof *j->regs + 2 * sizeof *j->live[0] + sizeof *j->at);
    uint8_t *p = j->x.memory ? arena_take(j->x.memory, rest_B + zero_B, 64)
                             : NULL;
    if (!p)
        return false;
    j->regs = (struct jit_regs *)p;
    j->live[0] = (struct jit_set *)(j->regs + n);
    j->live[1] = j->live[0] + n;
    j->at = (uint32_t *)(j->live[1] + n);
    j->label = j->at + n;
    j->body = j->label + n;
    j->stub = j->body + n;
    j->start = (uint8_t *)(j->stub + n);
    memset(j->label, 0, zero_B);
    return true;
}

void
jit_finish(struct jit *j)
{
    free(j->doors);
    jit_scratch_give(j->x.memory);
}

void *
jit_make_code(struct jit *j)
{
    bool whole = j->full && !(j->flags & (EU_JIT_SPLIT | EU_JIT_STEP));
    if (!jit_allocate(j) || !jit_analyse(j, whole) || !jit_find_loops(j))
        return NULL;
    jit_prologue(j);
    compile_copy(j);
    jit_lower_colds(j);
    jit_memory_misses(j);
    jit_leave_loops(j);
    jit_enter_loops(j);
    emit_stubs(j);
    epilogue(j);
    resolve(j);
    jit_math_helpers(j);
    jit_math_rescues(j);
    j->text_B = j->x.size;
    x86_place_pool(&j->x);
    if (j->x.failed || j->failed)
        return NULL;
    return eu_exec_publish(j->x.code, j->x.size);
}
