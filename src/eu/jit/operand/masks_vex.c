/* masks_vex.c: execution masks, predicates and flags on hosts without AVX-512:
 * vectors, all ones in each active lane.
 *
 * Inside a block they stay in registers, as constants do: execution masks by
 * their first channel, flags by their bits' position. A comparison's result is
 * the vector of the flags that it writes. Under a mask it is valid only for the
 * channels that execute, so only ops with that mask may use it. */
#include "eu/jit/operand/masks.h"

#include "eu/interp/alu.h"
#include "eu/jit/analysis/analysis.h"

#define FLAGS_AT offsetof(struct eu_thread, f)
#define MASK_AT offsetof(struct eu_thread, mask)

/* Lanes of a vector, and of the flag bits in it. */
#define LANES 8u

/* Key of flags: the first flag's bit in f0 and f1, and which lanes are valid:
 * all, or the lanes of the channels from one on. */
#define KEY_INVERTED UINT32_C(0x100)
#define KEY_WITHIN(chan) (((chan) + 1) << 16)

static int
find_mask(struct jit *j, enum jit_kind kind, uint32_t key)
{
    struct jit_reg_cache *v = &j->v;
    for (uint32_t set = v->used & ~v->named; set; set &= set - 1) {
        unsigned r = jit_first(set);
        if (v->reg[r].kind == kind && v->reg[r].value == key) {
            jit_touch(v, r);
            return (int)r;
        }
    }
    return -1;
}

static void
note_mask(struct jit *j, unsigned r, enum jit_kind kind, uint32_t key)
{
    j->v.reg[r].kind = kind;
    j->v.reg[r].value = key;
    j->v.temps &= ~JIT_BIT(r);
}

static void
drop_mask(struct jit_reg_cache *v, unsigned r)
{
    v->reg[r].kind = JIT_TEMP;
    v->temps |= JIT_BIT(r);
    if (!(v->locked & JIT_BIT(r)))
        v->used &= ~JIT_BIT(r);
}

void
jit_forget_masks(struct jit *j)
{
    struct jit_reg_cache *v = &j->v;
    for (uint32_t set = v->used & ~v->named; set; set &= set - 1) {
        unsigned r = jit_first(set);
        if (v->reg[r].kind == JIT_EXEC || v->reg[r].kind == JIT_FLAGS)
            drop_mask(v, r);
    }
}

void
jit_forget_flags_vex(struct jit *j, unsigned bit, unsigned count)
{
    struct jit_reg_cache *v = &j->v;
    for (uint32_t set = v->used & ~v->named; set; set &= set - 1) {
        unsigned r = jit_first(set), at = v->reg[r].value & 0xff;
        if (v->reg[r].kind == JIT_FLAGS && at < bit + count && bit < at + LANES)
            drop_mask(v, r);
    }
}

/* ---- from memory ---- */

/* The dword at disp in all lanes, or at least its bits from *shift on; lowers
 * *shift accordingly. It loads no more than comparisons store: a wider load
 * would wait for the store. */
static unsigned
broadcast_bits(struct jit *j, size_t disp, unsigned *shift, unsigned bits)
{
    enum x86_vop vop = bits == 8    ? X86_PBROADCASTB
                       : bits == 16 ? X86_PBROADCASTW
                                    : X86_PBROADCASTD;
    unsigned r = jit_temp(j), from = *shift / bits * bits;
    x86_vop(&j->x, vop, 1, r, 0, x86_thread(disp + from / 8), 0);
    *shift -= from;
    return r;
}

/* Lanes whose bit at `shift` of the dword at disp is set. */
static unsigned
vector_bits(struct jit *j, size_t disp, unsigned shift, unsigned bits,
            const struct jit_part *p)
{
    uint32_t bit[LANES];
    unsigned r = broadcast_bits(j, disp, &shift, bits);
    for (unsigned i = 0; i < LANES; i++)
        bit[i] = i < p->lanes ? UINT32_C(1) << (shift + i) : 0;
    struct x86_rm mine = x86_const(&j->x, bit, LANES);
    x86_vop(&j->x, X86_PAND, 1, r, r, mine, 0);
    x86_vop(&j->x, X86_PCMPEQD, 1, r, r, mine, 0);
    return r;
}

static unsigned
inverted_mask(struct jit *j, unsigned k)
{
    unsigned d = jit_temp(j);
    x86_vop(&j->x, X86_PXOR, 1, d, k, x86_reg(jit_dword_reg(j, UINT32_MAX)), 0);
    return d;
}

/* Where the bits of the channels that execute are. */
static size_t
exec_at(const struct jit *j)
{
    return j->guard ? jit_guard_at(j->guard) : MASK_AT;
}

static unsigned
exec_vector(struct jit *j, const struct eu_op *op, const struct jit_part *p)
{
    unsigned chan = op->chan + p->first;
    bool kept = p->lanes == LANES;
    int found = kept ? find_mask(j, JIT_EXEC, chan) : -1;
    if (found >= 0)
        return (unsigned)found;
    unsigned r = vector_bits(j, exec_at(j), chan, 32, p);
    if (kept)
        note_mask(j, r, JIT_EXEC, chan);
    return r;
}

/* Whether comparisons write all of the op's flags at once. */
static bool
is_whole(const struct eu_op *op)
{
    return (op->lanes == 8 || op->lanes == 16) && op->flag_shift % 8 == 0;
}

/* The flags of a part; possibly valid only where its channels execute, if that
 * is enough. */
static unsigned
flag_vector(struct jit *j, const struct eu_op *op, const struct jit_part *p,
            bool within)
{
    unsigned at = op->flag_shift + p->first, bit = op->flag_reg * 32u + at;
    bool kept = p->lanes == LANES;
    int found = kept ? find_mask(j, JIT_FLAGS, bit) : -1;
    if (kept && found < 0 && within)
        found = find_mask(j, JIT_FLAGS, bit | KEY_WITHIN(op->chan + p->first));
    if (found >= 0)
        return (unsigned)found;
    bool whole = is_whole(op) && op->flag_shift % op->lanes == 0;
    unsigned r = vector_bits(j, FLAGS_AT + op->flag_reg * 4u, at,
                             whole ? op->lanes : 32, p);
    if (kept)
        note_mask(j, r, JIT_FLAGS, bit);
    return r;
}

/* ---- masks ---- */

struct jit_mask
jit_mask_vex(struct jit *j, const struct eu_op *op, const struct jit_part *p,
             bool exec, bool pred)
{
    unsigned e = exec ? exec_vector(j, op, p) : 0, q, d;
    if (!pred)
        return (struct jit_mask){.k = (uint8_t)e};
    q = flag_vector(j, op, p, exec);
    if (exec) {
        d = jit_temp(j);
        x86_vop(&j->x, op->pred_inv ? X86_PANDN : X86_PAND, 1, d, q, x86_reg(e),
                0);
        return (struct jit_mask){.k = (uint8_t)d};
    }
    if (!op->pred_inv)
        return (struct jit_mask){.k = (uint8_t)q};
    unsigned bit = op->flag_reg * 32u + op->flag_shift + p->first;
    int found = find_mask(j, JIT_FLAGS, bit | KEY_INVERTED);
    if (found >= 0)
        return (struct jit_mask){.k = (uint8_t)found};
    d = inverted_mask(j, q);
    if (p->lanes == LANES)
        note_mask(j, d, JIT_FLAGS, bit | KEY_INVERTED);
    return (struct jit_mask){.k = (uint8_t)d};
}

struct jit_mask
jit_pred_vex(struct jit *j, const struct eu_op *op, const struct jit_part *p)
{
    unsigned k = flag_vector(j, op, p, !jit_all_on(j) && !op->no_mask);
    return (struct jit_mask){.k = (uint8_t)k, .inverted = op->pred_inv};
}

/* ---- flags ---- */

static uint32_t
lane_bits(unsigned lanes)
{
    return lanes == 32 ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
}

/* Merges some of a flag register's bits. */
static void
merge_bits(struct jit *j, const struct eu_op *op, const struct jit_part *p,
           unsigned k)
{
    struct x86 *x = &j->x;
    unsigned shift = op->flag_shift + p->first;
    size_t at = FLAGS_AT + op->flag_reg * 4u;
    x86_vop(x, X86_MOVMSKPS, p->len, X86_RAX, 0, x86_reg(k), 0);
    if (!p->mask.all)
        x86_vop(x, X86_MOVMSKPS, p->len, X86_RCX, 0, x86_reg(p->mask.k), 0);
    else
        x86_mov_imm(x, X86_RCX, lane_bits(p->lanes));
    if (!p->mask.all)
        x86_alu_imm(x, X86_AND, X86_RCX, lane_bits(p->lanes), false);
    x86_load(x, X86_RDX, at, 4);
    x86_alu_reg(x, X86_AND, X86_RAX, X86_RCX, false);
    if (shift) {
        x86_shift_imm(x, true, X86_RAX, (uint8_t)shift);
        x86_shift_imm(x, true, X86_RCX, (uint8_t)shift);
    }
    x86_not(x, X86_RCX);
    x86_alu_reg(x, X86_AND, X86_RDX, X86_RCX, false);
    x86_alu_reg(x, X86_OR, X86_RDX, X86_RAX, false);
    x86_store(x, X86_RDX, at, 4);
}

/* Whether a comparison's last part writes all of its bits. The masks that this
 * needs are in memory. */
static bool
writes_once(const struct eu_op *op)
{
    return op->insn->opcode == EU_OP_CMP && is_whole(op) && op->chan % 8 == 0;
}

bool
jit_needs_no_mask(const struct eu_op *op)
{
    return writes_once(op) && op->insn->dst.file != EU_FILE_GRF &&
           eu_exec_class(op->insn) != EXEC_DOUBLE;
}

/* ecx := the bits that change. */
static void
load_mask(struct jit *j, const struct eu_op *op, bool exec)
{
    struct x86 *x = &j->x;
    if (exec)
        x86_load(x, X86_RCX, exec_at(j) + op->chan / 8u, op->lanes / 8u);
    if (op->pred)
        jit_pred_bits(j, op, exec ? X86_RDX : X86_RCX);
    if (op->pred && exec)
        x86_alu_reg(x, X86_AND, X86_RCX, X86_RDX, false);
}

/* The first part's bits wait in r8. */
static void
write_bits(struct jit *j, const struct eu_op *op, const struct jit_part *p,
           unsigned k, bool exec)
{
    struct x86 *x = &j->x;
    unsigned size_B = op->lanes / 8u;
    size_t at = FLAGS_AT + op->flag_reg * 4u + op->flag_shift / 8u;
    bool first = p->first + p->lanes < op->lanes;
    x86_vop(x, X86_MOVMSKPS, 1, first ? X86_R8 : X86_RAX, 0, x86_reg(k), 0);
    if (first)
        return;
    if (size_B == 2) {
        x86_shift_imm(x, true, X86_RAX, 8);
        x86_alu_reg(x, X86_OR, X86_RAX, X86_R8, false);
    }
    if (exec || op->pred) {
        load_mask(j, op, exec);
        x86_load(x, X86_RDX, at, size_B);
        x86_alu_reg(x, X86_XOR, X86_RAX, X86_RDX, false);
        x86_alu_reg(x, X86_AND, X86_RAX, X86_RCX, false);
        x86_alu_reg(x, X86_XOR, X86_RAX, X86_RDX, false);
    }
    x86_store(x, X86_RAX, at, size_B);
}

void
jit_write_flags_vex(struct jit *j, const struct eu_op *op,
                    const struct jit_part *p, unsigned k)
{
    unsigned bit = op->flag_reg * 32u + op->flag_shift + p->first;
    bool exec = !op->no_mask && !jit_all_on(j) &&
                !jit_is_unseen(j->f, j->here, op);
    jit_forget_flags_vex(j, bit, p->lanes);
    if (!writes_once(op) || p->lanes != LANES) {
        merge_bits(j, op, p, k);
        return;
    }
    write_bits(j, op, p, k, exec && !jit_flags_unseen(j->f, j->here, op));
    if ((j->v.temps & JIT_BIT(k)) && !op->pred)
        note_mask(j, k, JIT_FLAGS,
                  bit | (exec ? KEY_WITHIN(op->chan + p->first) : 0));
}
