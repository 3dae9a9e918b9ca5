/* masks.c: execution masks, predicates and flags.
 *
 * AVX-512 keeps them in mask registers: k1 and k3 are the masks of an
 * instruction's two parts. k2 is a comparison's result; k4 and k5 are scratch.
 * k6 and k7 hold the thread's mask, or flags in the unmasked variant, where k3
 * holds the channels of a guarded IF; with four threads in lockstep, k3 also
 * holds flags. Hosts without AVX-512 use vectors
 * (masks_vex.c). */
#include "eu/jit/operand/masks.h"

#include "eu/interp/alu.h"
#include "eu/jit/analysis/analysis.h"
#include "eu/jit/x86/encode_gpr.h"

#define K_PART(index) ((index) ? 3u : 1u)
#define K_SCRATCH 5u
#define THREAD_AT(member) offsetof(struct eu_thread, member)

static uint32_t
lane_bits(unsigned lanes)
{
    return lanes == 32 ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
}

/* k := `lanes` bits from bit `shift` of the dword at disp on. */
static void
load_bits(struct jit *j, unsigned k, size_t disp, unsigned shift,
          unsigned lanes)
{
    if (lanes >= 8 && shift % 8 == 0) {
        x86_kload(&j->x, k, x86_thread(disp + shift / 8), lanes == 8);
        return;
    }
    x86_load(&j->x, X86_RAX, disp, 4);
    if (shift)
        x86_shift_imm(&j->x, false, X86_RAX, (uint8_t)shift);
    x86_alu_imm(&j->x, X86_AND, X86_RAX, lane_bits(lanes), false);
    x86_kmov_from_gpr(&j->x, k, X86_RAX, false);
}

/* The channels of the guard. */
static unsigned
guard_k(struct jit *j)
{
    if (j->exec_chan[0] != j->guard)
        load_bits(j, JIT_K_GUARD, jit_guard_at(j->guard), 0, 16);
    j->exec_chan[0] = j->guard;
    return JIT_K_GUARD;
}

/* A mask register with the thread's mask for these channels. */
static unsigned
exec_k(struct jit *j, unsigned chan, unsigned lanes)
{
    unsigned slot = chan == 0;
    if (j->guard)
        return guard_k(j);
    if (lanes < 8 || chan % 8) {
        load_bits(j, K_SCRATCH, offsetof(struct eu_thread, mask), chan, lanes);
        return K_SCRATCH;
    }
    if (j->exec_chan[slot] != chan) {
        load_bits(j, 6 + slot, offsetof(struct eu_thread, mask), chan, 16);
        j->exec_chan[slot] = (uint8_t)chan;
    }
    return 6 + slot;
}

static size_t
flag_disp(const struct eu_op *op)
{
    return offsetof(struct eu_thread, f) + op->flag_reg * 4u;
}

/* In lockstep each thread has one, for f0, except the fourth. */
static inline unsigned
flag_k(const struct jit *j, unsigned reg)
{
    static const uint8_t k[] = {6, 7, K_PART(1)};
    return k[j->f->threads > 1 ? j->nth : reg];
}

void
jit_forget_flag(struct jit *j, unsigned reg)
{
    j->flag_at[reg] = 0xff;
    if (!j->f->evex)
        jit_forget_flags_vex(j, reg * 32, 32);
}

void
jit_reload_flags(struct jit *j)
{
    for (unsigned reg = 0; reg < 2; reg++)
        if (j->flag_at[reg] != 0xff)
            load_bits(j, flag_k(j, reg),
                      offsetof(struct eu_thread, f) + reg * 4, j->flag_at[reg],
                      16);
}

/* Such an op is compiled in parts of eight lanes (lower_f64.c). */
static bool
has_double(const struct eu_insn *insn)
{
    return insn->dst.type == EU_TYPE_DF || eu_exec_class(insn) == EXEC_DOUBLE;
}

/* Whether the flag bits of 16 lanes may stay in a register, if an op reads all
 * of them at once. */
static bool
keeps_flags(const struct jit *j, const struct eu_op *op)
{
    return j->f->unmasked && j->f->evex && op->lanes == 16 &&
           (j->f->threads == 1 || (j->nth < 3 && !op->flag_reg)) &&
           !has_double(op->insn);
}

unsigned
jit_flags_kept(const struct jit *j, const struct eu_op *op)
{
    unsigned reg = op->flag_reg;
    return keeps_flags(j, op) && j->flag_at[reg] == op->flag_shift
               ? flag_k(j, reg)
               : 0;
}

unsigned
jit_flags_for(const struct jit *j, const struct eu_op *op,
              const struct jit_part *p)
{
    return keeps_flags(j, op) && p->mask.all && op->flag_shift % 8 == 0
               ? flag_k(j, op->flag_reg)
               : 0;
}

/* The predicate's bits, in k or in the register that holds the flags. */
static unsigned
pred_k(struct jit *j, const struct eu_op *op, const struct jit_part *p,
       unsigned k)
{
    unsigned at = op->flag_shift + p->first, reg = op->flag_reg;
    if (!keeps_flags(j, op)) {
        load_bits(j, k, flag_disp(op), at, p->lanes);
        return k;
    }
    if (j->flag_at[reg] != at) {
        load_bits(j, flag_k(j, reg), flag_disp(op), at, 16);
        j->flag_at[reg] = (uint8_t)at;
    }
    return flag_k(j, reg);
}

static struct jit_mask
mask_evex(struct jit *j, const struct eu_op *op, const struct jit_part *p,
          bool exec, bool pred, unsigned k)
{
    unsigned e = 0;
    if (exec)
        e = exec_k(j, op->chan + p->first, p->lanes);
    if (!pred)
        return (struct jit_mask){.k = (uint8_t)e};
    if (!exec && keeps_flags(j, op)) {
        unsigned q = pred_k(j, op, p, k);
        if (!op->pred_inv && !op->cmod)
            return (struct jit_mask){.k = (uint8_t)q};
        /* The op's new flags must not change its mask. */
        if (!op->pred_inv) {
            x86_kop(&j->x, X86_KOR, k, q, q);
            return (struct jit_mask){.k = (uint8_t)k};
        }
        x86_kop(&j->x, X86_KXNOR, K_SCRATCH, K_SCRATCH, K_SCRATCH);
        x86_kop(&j->x, X86_KANDN, k, q, K_SCRATCH);
        return (struct jit_mask){.k = (uint8_t)k};
    }
    if (!exec && op->pred_inv) {
        e = K_SCRATCH;
        x86_mov_imm(&j->x, X86_RAX, lane_bits(p->lanes));
        x86_kmov_from_gpr(&j->x, e, X86_RAX, false);
    }
    if (e == K_SCRATCH) {
        /* load_bits() below would clobber it. */
        x86_kop(&j->x, X86_KOR, 4, e, e);
        e = 4;
    }
    unsigned q = pred_k(j, op, p, k);
    if (op->pred_inv)
        x86_kop(&j->x, X86_KANDN, k, q, e);
    else if (exec)
        x86_kop(&j->x, X86_KAND, k, q, e);
    return (struct jit_mask){.k = (uint8_t)k};
}

struct jit_mask
jit_op_mask(struct jit *j, const struct eu_op *op, const struct jit_part *p,
            unsigned index, bool with_pred)
{
    /* The address of a channel that is off may be anywhere. */
    bool exec = !op->no_mask && !jit_all_on(j) &&
                (op->insn->src[0].indirect ||
                 !jit_is_unseen(j->f, j->here, op));
    bool pred = with_pred && op->pred;
    if ((!exec && !pred) || (!j->f->evex && jit_needs_no_mask(op)))
        return (struct jit_mask){.all = true};
    if (!j->f->evex)
        return jit_mask_vex(j, op, p, exec, pred);
    j->failed |= index && j->f->threads > 2; /* flags are in that register */
    struct jit_mask m = mask_evex(j, op, p, exec, pred, K_PART(index));
    if (m.k == K_SCRATCH) {
        x86_kop(&j->x, X86_KOR, K_PART(index), m.k, m.k);
        m.k = (uint8_t)K_PART(index);
    }
    return m;
}

struct jit_mask
jit_op_pred(struct jit *j, const struct eu_op *op, const struct jit_part *p)
{
    if (!op->pred)
        return (struct jit_mask){.all = true};
    if (keeps_flags(j, op))
        return (struct jit_mask){.k = (uint8_t)pred_k(j, op, p, 2),
                                 .inverted = op->pred_inv};
    return j->f->evex ? mask_evex(j, op, p, false, true, 2)
                      : jit_pred_vex(j, op, p);
}

/* eax := the comparison's bits, ecx := the mask's bits. */
static void
bits_to_gpr(struct jit *j, const struct jit_part *p, unsigned k)
{
    x86_kmov_to_gpr(&j->x, X86_RAX, k);
    if (!p->mask.all)
        x86_kmov_to_gpr(&j->x, X86_RCX, p->mask.k);
    if (p->mask.all)
        x86_mov_imm(&j->x, X86_RCX, lane_bits(p->lanes));
    else if (p->lanes < 16)
        x86_alu_imm(&j->x, X86_AND, X86_RCX, lane_bits(p->lanes), false);
}

/* Whether flags outside the part's mask are and stay zero: the flags are the
 * predicate, and all channels are on. */
static bool
are_zero_outside(const struct jit *j, const struct eu_op *op)
{
    return op->pred == 1 && !op->pred_inv && (jit_all_on(j) || op->no_mask);
}

void
jit_write_flags(struct jit *j, const struct eu_op *op, const struct jit_part *p,
                unsigned k)
{
    unsigned shift = op->flag_shift + p->first;
    bool whole = p->lanes >= 8 && shift % 8 == 0;
    struct x86_rm at = x86_thread(flag_disp(op) + shift / 8);
    if (!j->f->evex) {
        jit_write_flags_vex(j, op, p, k);
        return;
    }
    if (whole) {
        if (!p->mask.all && !are_zero_outside(j, op) &&
            !jit_flags_unseen(j->f, j->here, op)) {
            x86_kload(&j->x, K_SCRATCH, at, p->lanes == 8);
            x86_kop(&j->x, X86_KANDN, K_SCRATCH, p->mask.k, K_SCRATCH);
            x86_kop(&j->x, X86_KOR, 4, k, K_SCRATCH);
            k = 4;
        }
        x86_kstore(&j->x, k, at, p->lanes == 8);
        jit_forget_flag(j, op->flag_reg);
        if (keeps_flags(j, op)) {
            if (k != flag_k(j, op->flag_reg))
                x86_kop(&j->x, X86_KOR, flag_k(j, op->flag_reg), k, k);
            j->flag_at[op->flag_reg] = (uint8_t)shift;
        }
        return;
    }
    jit_forget_flag(j, op->flag_reg);
    bits_to_gpr(j, p, k);
    x86_load(&j->x, X86_RDX, flag_disp(op), 4);
    x86_alu_reg(&j->x, X86_AND, X86_RAX, X86_RCX, false);
    if (shift) {
        x86_shift_imm(&j->x, true, X86_RAX, (uint8_t)shift);
        x86_shift_imm(&j->x, true, X86_RCX, (uint8_t)shift);
    }
    x86_not(&j->x, X86_RCX);
    x86_alu_reg(&j->x, X86_AND, X86_RDX, X86_RCX, false);
    x86_alu_reg(&j->x, X86_OR, X86_RDX, X86_RAX, false);
    x86_store(&j->x, X86_RDX, flag_disp(op), 4);
}

void
jit_set_flags(struct jit *j, const struct eu_op *op, const struct jit_part *p)
{
    struct x86 *x = &j->x;
    unsigned shift = op->flag_shift + p->first;
    jit_forget_flag(j, op->flag_reg);
    x86_load(x, X86_RDX, flag_disp(op), 4);
    if (p->mask.all) {
        x86_alu_imm(x, X86_OR, X86_RDX, lane_bits(p->lanes) << shift, false);
    } else {
        x86_alu_imm(x, X86_AND, X86_RCX, lane_bits(p->lanes), false);
        if (shift)
            x86_shift_imm(x, true, X86_RCX, (uint8_t)shift);
        x86_alu_reg(x, X86_OR, X86_RDX, X86_RCX, false);
    }
    x86_store(x, X86_RDX, flag_disp(op), 4);
}

/* gpr := for each group of bits, all ones if any (or all) bits are set. */
static void
reduce_bits(struct x86 *x, unsigned gpr, unsigned group, bool all)
{
    static const uint32_t lowest[6] = {[1] = 0x55555555,
                                       [2] = 0x11111111,
                                       [3] = 0x01010101,
                                       [4] = 0x00010001,
                                       [5] = 0x00000001};
    unsigned log = (unsigned)__builtin_ctz(group);
    for (unsigned by = 1; by < group; by *= 2) {
        x86_gop(x, X86_G_MOV, false, X86_RSI, x86_g(gpr));
        x86_shift_by(x, X86_SHR, false, X86_RSI, by);
        x86_gop(x, all ? X86_G_AND : X86_G_OR, false, gpr, x86_g(X86_RSI));
    }
    x86_alu_imm(x, X86_AND, gpr, lowest[log], false);
    x86_gop(x, X86_G_MOV, false, X86_RSI, x86_g(gpr));
    if (group < 32)
        x86_shift_by(x, X86_SHL, false, gpr, group);
    else
        x86_gop(x, X86_G_XOR, false, gpr, x86_g(gpr));
    x86_gop(x, X86_G_SUB, false, gpr, x86_g(X86_RSI));
}

/* As eu_pred_other(). */
static void
other_pred_bits(struct jit *j, const struct eu_op *op, unsigned gpr)
{
    const struct eu_insn *insn = op->insn;
    struct x86 *x = &j->x;
    unsigned p = insn->pred_ctrl;
    bool vertical = !insn->align16 && (p == 2 || p == 3);
    x86_gop(x, X86_G_MOV, false, gpr,
            x86_g_thread(THREAD_AT(f) + (vertical ? 0 : insn->flag >> 1) * 4u));
    if (vertical)
        x86_gop(x, p == 2 ? X86_G_OR : X86_G_AND, false, gpr,
                x86_g_thread(THREAD_AT(f) + 4));
    if (insn->align16 && p >= 2 && p <= 5) {
        if (p > 2)
            x86_shift_by(x, X86_SHR, false, gpr, p - 2);
        x86_alu_imm(x, X86_AND, gpr, 0x11111111, false);
        x86_gop(x, X86_G_MOV, false, X86_RSI, x86_g(gpr));
        x86_shift_by(x, X86_SHL, false, gpr, 4);
        x86_gop(x, X86_G_SUB, false, gpr, x86_g(X86_RSI));
    } else if (insn->align16 && p >= 2) {
        reduce_bits(x, gpr, 4, p == 7);
    } else if (p >= 4) {
        reduce_bits(x, gpr, 2u << (MIN2(p, 13) - 4) / 2, p & 1);
    }
}

void
jit_load_flags(struct jit *j, const struct eu_op *op, unsigned gpr)
{
    size_t at = THREAD_AT(f) + op->flag_reg * 4u;
    unsigned lanes = op->lanes;
    if (jit_flags_kept(j, op)) {
        x86_kmov_to_gpr(&j->x, gpr, jit_flags_kept(j, op));
    } else if ((lanes == 8 || lanes == 16) && op->flag_shift % 8 == 0 &&
               op->flag_shift + lanes <= 32) {
        /* Does not read the next flag register, which illegal channels
         * reach. */
        x86_load(&j->x, gpr, at + op->flag_shift / 8, lanes / 8);
    } else {
        x86_load(&j->x, gpr, at, 4);
        if (op->flag_shift)
            x86_shift_by(&j->x, X86_SHR, false, gpr, op->flag_shift);
    }
}

void
jit_pred_bits(struct jit *j, const struct eu_op *op, unsigned gpr)
{
    struct x86 *x = &j->x;
    if (op->pred == 1) {
        jit_load_flags(j, op, gpr);
    } else {
        other_pred_bits(j, op, gpr);
        if (op->flag_shift)
            x86_shift_by(x, X86_SHR, false, gpr, op->flag_shift);
    }
    if (op->pred_inv)
        x86_unary(x, X86_NOT, false, gpr);
}
