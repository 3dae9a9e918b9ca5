/* masks.c: execution masks, predicates and flags.
 *
 * AVX-512 keeps them in mask registers: k1 and k3 are the masks of the two
 * parts of an instruction, k2 is a comparison's result, k4 and k5 are scratch,
 * k6 and k7 keep the thread's mask, or in the full copy flags; so does k3 of
 * four threads in lockstep. Others have vectors (masks_vex.c). */
#include "eu/jit/masks.h"

#include "eu/interp/alu.h"

#define K_PART(index) ((index) ? 3u : 1u)
#define K_SCRATCH 5u

static uint32_t
lane_bits(unsigned lanes)
{
    return lanes == 32 ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
}

bool
jit_masks_fit(const struct eu_op *op)
{
    bool flags = op->pred || op->cmod;
    return op->pred < 2 && op->chan + op->lanes <= 32u &&
           (!flags || op->flag_shift + op->lanes <= 32u);
}

/* k := lanes bits at bit `shift` of the dword at disp. */
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

/* A mask register with the thread's mask for these channels. */
static unsigned
exec_k(struct jit *j, unsigned chan, unsigned lanes)
{
    unsigned slot = chan == 0;
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

/* Of several threads in lockstep each has one, for f0; but for the fourth one.
 */
static inline unsigned
flag_k(const struct jit *j, unsigned reg)
{
    static const uint8_t k[] = {6, 7, K_PART(1)};
    return k[j->threads > 1 ? j->nth : reg];
}

void
jit_forget_flag(struct jit *j, unsigned reg)
{
    j->flag_at[reg] = 0xff;
    if (!j->evex)
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

/* Compiled in parts of eight lanes (lower_double.c). */
static bool
has_double(const struct eu_insn *insn)
{
    return insn->dst.type == EU_TYPE_DF || eu_exec_class(insn) == EXEC_DOUBLE;
}

/* Flag bits of 16 lanes may stay in a register, if all are asked for at once.
 */
static bool
keeps_flags(const struct jit *j, const struct eu_op *op)
{
    return j->full && j->evex && op->lanes == 16 &&
           (j->threads == 1 || (j->nth < 3 && !op->flag_reg)) &&
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

/* The predicate's bits, in k or in a register that keeps them. */
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
        /* Flags that it writes must not change its mask. */
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
        /* load_bits below must not lose it. */
        x86_kop(&j->x, X86_KOR, 4, e, e);
        e = 4;
    }
    pred_k(j, op, p, k);
    if (op->pred_inv)
        x86_kop(&j->x, X86_KANDN, k, k, e);
    else if (exec)
        x86_kop(&j->x, X86_KAND, k, k, e);
    return (struct jit_mask){.k = (uint8_t)k};
}

struct jit_mask
jit_op_mask(struct jit *j, const struct eu_op *op, const struct jit_part *p,
            unsigned index, bool with_pred)
{
    bool exec = !op->no_mask && !j->full && !jit_is_unseen(j, op);
    bool pred = with_pred && op->pred;
    if ((!exec && !pred) || (!j->evex && jit_needs_no_mask(op)))
        return (struct jit_mask){.all = true};
    if (!j->evex)
        return jit_mask_vex(j, op, p, exec, pred);
    j->failed |= index && j->threads > 2; /* has flags in that register */
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
    return j->evex ? mask_evex(j, op, p, false, true, 2)
                   : jit_pred_vex(j, op, p);
}

/* Bits of the comparison to eax, of the mask to ecx. */
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

/* Whether flags outside the part's mask are zero, and stay: they are the
 * predicate, and all channels are on. */
static bool
are_zero_outside(const struct jit *j, const struct eu_op *op)
{
    return op->pred == 1 && !op->pred_inv && (j->full || op->no_mask);
}

void
jit_write_flags(struct jit *j, const struct eu_op *op, const struct jit_part *p,
                unsigned k)
{
    unsigned shift = op->flag_shift + p->first;
    bool whole = p->lanes >= 8 && shift % 8 == 0;
    struct x86_rm at = x86_thread(flag_disp(op) + shift / 8);
    if (!j->evex) {
        jit_write_flags_vex(j, op, p, k);
        return;
    }
    if (whole) {
        if (!p->mask.all && !are_zero_outside(j, op) &&
            !jit_flags_unseen(j, op)) {
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
