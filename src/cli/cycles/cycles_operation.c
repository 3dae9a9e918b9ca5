/* cycles_operation.c: finds the operations of Mesa's compiler.
 *
 * Most are an instruction each. Observed: the code generator of Mesa 22.3.6
 * makes several of the others, which stand together, because nothing reorders
 * instructions after it. */
#include "cli/cycles/cycles_operation.h"
#include "eu/isa/eu_opcodes.h"

static bool
writes_address(const struct eu_insn *insn)
{
    return !eu_insn_is_send(insn) && cycles_is_arf(&insn->dst, EU_ARF_A);
}

static bool
reads_indirectly(const struct eu_insn *insn)
{
    return !eu_insn_is_send(insn) && insn->src_count &&
           insn->src[0].file == EU_FILE_GRF && insn->src[0].indirect;
}

static bool
is_mov(const struct eu_insn *insn)
{
    return insn->opcode == EU_OP_MOV;
}

/* ---- addresses ----------------------------------------------------------- */

/* A copy by a register number that is computed. MOV of a constant to a0 comes
 * first where each channel has its own, then ADD, or SHL and ADD. */
static enum cycles_class
class_of_copy(const struct eu_insn *insns, uint32_t count)
{
    bool has_shift = false;
    for (uint32_t i = 0; i < count; i++)
        has_shift |= insns[i].opcode == EU_OP_SHL;
    if (!is_mov(&insns[0]) || insns[0].src[0].file != EU_FILE_IMM)
        return CYCLES_BROADCAST;
    return has_shift ? CYCLES_SHUFFLE : CYCLES_MOV_INDIRECT;
}

/* The first register that it may read is the constant part of the number. How
 * many, Mesa knows of its copy with an array's size only. */
static void
find_base(struct cycles_operation *op)
{
    int base_B = op->last->src[0].addr_imm_B;
    for (const struct eu_insn *i = op->insns; i < op->last; i++)
        if (i->opcode == EU_OP_ADD && i->src[1].file == EU_FILE_IMM)
            base_B += (int)i->src[1].imm;
    unsigned type_B = eu_type_size_B((enum eu_type)op->last->src[0].type);
    op->by_number = (uint32_t)base_B / 32;
    op->by_number_count = cycles_regs((uint32_t)base_B % 32 +
                                      op->last->exec_size * type_B);
    if (op->class == CYCLES_MOV_INDIRECT)
        op->unknown = "it reads an array of registers, whose size is not in "
                      "the code";
}

/* The constant part of a descriptor that instructions compute in a0. */
static void
find_descriptors(struct cycles_operation *op)
{
    for (const struct eu_insn *i = op->insns; i < op->last; i++) {
        unsigned n = i->src_count - 1u;
        if (i->opcode != EU_OP_OR || i->src[n].file != EU_FILE_IMM)
            continue;
        if (i->dst.subreg_B && op->last->ex_desc_is_reg)
            op->ex_desc = (uint32_t)i->src[n].imm;
        else if (op->last->desc_is_reg)
            op->desc = (uint32_t)i->src[n].imm;
    }
}

static bool find_address_user(struct cycles_operation *op,
                              const struct eu_insn *insns, uint32_t count);

/* A shuffle of 32 channels is two of 16. */
static void
join_halves(struct cycles_operation *op, uint32_t count)
{
    struct cycles_operation other = {.class = CYCLES_CLASSES};
    if (op->count == count || op->class != CYCLES_SHUFFLE ||
        !find_address_user(&other, op->last + 1, count - op->count))
        return;
    if (other.class != CYCLES_SHUFFLE || other.by_number != op->by_number ||
        op->last->exec_size != 16 || op->last->chan_offset != 0 ||
        other.last->chan_offset != 16)
        return;
    op->last = other.last;
    op->count += other.count;
    op->by_number_count += other.by_number_count;
}

static bool
find_address_user(struct cycles_operation *op, const struct eu_insn *insns,
                  uint32_t count)
{
    uint32_t n = 0;
    while (n < count && writes_address(&insns[n]))
        n++;
    if (!n || n == count)
        return false;
    const struct eu_insn *last = &insns[n];
    bool is_send = eu_insn_is_send(last) &&
                   (last->desc_is_reg || last->ex_desc_is_reg);
    if (!is_send && !reads_indirectly(last))
        return false;
    op->insns = insns;
    op->last = last;
    op->count = n + 1;
    if (is_send) {
        find_descriptors(op);
    } else {
        op->class = class_of_copy(insns, n);
        find_base(op);
        join_halves(op, count);
    }
    return true;
}

/* ---- other groups -------------------------------------------------------- */

/* Rounding and denormals: AND and OR of cr0. */
static uint32_t
count_mode(const struct eu_insn *insns, uint32_t count)
{
    uint32_t n = 0;
    while (n < count && !eu_insn_is_send(&insns[n]) &&
           cycles_is_arf(&insns[n].dst, EU_ARF_CR))
        n++;
    return n;
}

/* A barrier's message and the WAIT for its end. */
static uint32_t
count_barrier(const struct eu_insn *insns, uint32_t count)
{
    bool is_barrier = eu_insn_is_send(insns) && !insns->desc_is_reg &&
                      cycles_classify(insns, insns->desc, EU_TYPE_UD) ==
                          CYCLES_BARRIER;
    return is_barrier && count > 1 && insns[1].opcode == EU_OP_WAIT ? 2 : 0;
}

/* A header for scratch memory: zeros, then two fields that are known not to
 * depend on each other. */
static uint32_t
count_header(const struct eu_insn *insns, uint32_t count)
{
    bool fits = count >= 3 && is_mov(insns) && insns->no_mask &&
                insns->src[0].file == EU_FILE_IMM && !insns->src[0].imm &&
                insns[0].dep_ctrl == 1;
    for (unsigned i = 1; fits && i < 3; i++)
        fits = insns[i].opcode == EU_OP_AND && insns[i].dep_ctrl & 2 &&
               insns[i].dst.reg == insns->dst.reg;
    return fits ? 3 : 0;
}

static bool
is_same_dst(const struct eu_insn *a, const struct eu_insn *b)
{
    return a->dst.file == EU_FILE_GRF && b->dst.file == EU_FILE_GRF &&
           !a->dst.indirect && !b->dst.indirect && a->dst.reg == b->dst.reg &&
           a->dst.subreg_B == b->dst.subreg_B &&
           eu_type_size_B((enum eu_type)a->dst.type) ==
               eu_type_size_B((enum eu_type)b->dst.type) &&
           a->exec_size == b->exec_size;
}

/* A value for idle channels, then one for active ones. */
static uint32_t
count_select(const struct eu_insn *insns, uint32_t count)
{
    bool fits = count >= 2 && is_mov(&insns[0]) && is_mov(&insns[1]) &&
                insns[0].no_mask && !insns[1].no_mask && !insns[1].pred_ctrl &&
                insns->exec_size > 1 && is_same_dst(&insns[0], &insns[1]);
    return fits ? 2 : 0;
}

static bool
converts_to_half(const struct eu_insn *insn)
{
    return is_mov(insn) && insn->dst.file == EU_FILE_GRF &&
           insn->dst.type == EU_TYPE_HF && insn->dst.hstride == 2;
}

/* Two half floats into the halves of a register's channels: the upper one, a
 * shift, the lower one. */
static uint32_t
count_pack(const struct eu_insn *insns, uint32_t count)
{
    bool fits = count >= 3 && converts_to_half(&insns[0]) &&
                insns[1].opcode == EU_OP_SHL &&
                insns[1].src[1].file == EU_FILE_IMM &&
                insns[1].src[1].imm == 16 && converts_to_half(&insns[2]) &&
                insns[0].dst.reg == insns[1].dst.reg &&
                insns[0].dst.reg == insns[2].dst.reg;
    return fits ? 3 : 0;
}

static bool
find_group(struct cycles_operation *op, const struct eu_insn *insns,
           uint32_t count)
{
    static const struct {
        uint32_t (*count)(const struct eu_insn *insns, uint32_t count);
        enum cycles_class class;
        bool first; /* its result is the first instruction's */
    } groups[] = {
        {count_mode, CYCLES_MODE, false},
        {count_barrier, CYCLES_BARRIER, true},
        {count_header, CYCLES_ALU, true},
        {count_select, CYCLES_SEL_EXEC, false},
        {count_pack, CYCLES_PACK_HALF, false},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(groups); i++) {
        uint32_t n = groups[i].count(insns, count);
        if (!n)
            continue;
        op->count = n;
        op->last = groups[i].first ? insns : &insns[n - 1];
        op->class = groups[i].class;
        return true;
    }
    return false;
}

/* ---- sizes --------------------------------------------------------------- */

/* Banks: even and odd registers, below and above 64. Hardware hides a conflict
 * of equal registers. */
static bool
has_bank_conflict(const struct eu_insn *insn)
{
    const struct eu_operand *s = insn->src;
    if (insn->src_count != 3 || s[1].file != EU_FILE_GRF ||
        s[2].file != EU_FILE_GRF || ((s[1].reg ^ s[2].reg) & 0x41))
        return false;
    if (s[1].reg == s[2].reg)
        return false;
    return s[0].file != EU_FILE_GRF ||
           (s[0].reg != s[1].reg && s[0].reg != s[2].reg);
}

static void
measure(struct cycles_operation *op)
{
    const struct eu_insn *insn = op->last;
    uint32_t dst_B = insn->exec_size *
                     eu_type_size_B((enum eu_type)insn->dst.type) *
                     MAX2(insn->src_count == 3 ? 1u : insn->dst.hstride, 1u);
    uint32_t width_B = insn->exec_size * eu_type_size_B(op->exec_type);
    op->x = cycles_regs(width_B);
    op->d = eu_insn_is_send(insn) ? cycles_rlen(op->desc) : cycles_regs(dst_B);
    op->c = has_bank_conflict(insn) ? op->d : 0;
    if (eu_insn_is_send(insn))
        op->s = cycles_mlen(op->desc) + cycles_ex_mlen(op->ex_desc);
}

/* A MOV to the null register makes the thread wait for a fence. */
static bool
only_waits(const struct eu_insn *insn)
{
    return is_mov(insn) && !insn->cmod &&
           cycles_is_arf(&insn->dst, EU_ARF_NULL);
}

void
cycles_find(struct cycles_operation *op, const struct eu_insn *insns,
            uint32_t count)
{
    *op = (struct cycles_operation){.insns = insns,
                                    .last = insns,
                                    .count = 1,
                                    .class = CYCLES_CLASSES,
                                    .desc = insns->desc,
                                    .ex_desc = insns->ex_desc};
    if (find_address_user(op, insns, count)) {
        op->desc |= op->last->desc;
        op->ex_desc |= op->last->ex_desc;
    } else {
        find_group(op, insns, count);
    }
    op->exec_type = cycles_exec_type(op->last);
    if (op->class == CYCLES_CLASSES)
        op->class = only_waits(op->last)
                        ? CYCLES_NOTHING
                        : cycles_classify(op->last, op->desc, op->exec_type);
    measure(op);
}
