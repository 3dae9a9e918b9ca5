/* reg_cache.c: register cache: parts of the register file in vector registers.
 *
 * Values are keyed by byte offset, because operands start anywhere. A computed
 * value is dirty until it is stored. It is stored when other code reads its
 * bytes from memory, when its register is needed, or at the block's end. A
 * value that is overwritten first is never stored. */
#include "eu/jit/regs/regs.h"

#define GRF_AT(off_B) (offsetof(struct eu_thread, grf) + (off_B))

/* A store across two cache lines is not forwarded to loads: such vectors are
 * stored and loaded in halves. */
static bool
is_split(unsigned off_B, unsigned len_B)
{
    return len_B == 64 && off_B % 64;
}

void
jit_load_len(struct jit *j, unsigned reg, unsigned off_B, unsigned len_B)
{
    bool split = is_split(off_B, len_B);
    enum x86_vop op = len_B == 4   ? X86_MOVSS_LD
                      : len_B == 8 ? X86_MOVQ_LD
                                   : X86_MOVUPS_LD;
    x86_vop(&j->x, op, split ? 1 : jit_len(len_B), reg, 0,
            x86_thread(GRF_AT(off_B)), 0);
    if (split)
        x86_vop_imm(&j->x, X86_INSERTF64X4, 2, reg, reg,
                    x86_thread(GRF_AT(off_B + 32)), 0, 1);
}

void
jit_store_len(struct jit *j, unsigned reg, unsigned off_B, unsigned len_B)
{
    bool split = is_split(off_B, len_B);
    enum x86_vop op = len_B == 4   ? X86_MOVSS_ST
                      : len_B == 8 ? X86_MOVQ_ST
                                   : X86_MOVUPS_ST;
    x86_vop(&j->x, op, split ? 1 : jit_len(len_B), reg, 0,
            x86_thread(GRF_AT(off_B)), 0);
    if (split)
        x86_vop_imm(&j->x, X86_EXTRACTF64X4, 2, reg, 0,
                    x86_thread(GRF_AT(off_B + 32)), 0, 1);
}

/* The first of the plane's two GRFs; the second is two GRFs after it. */
static unsigned
plane_B(enum jit_kind kind, unsigned off_B)
{
    return off_B + (kind == JIT_PLANE_V ? EU_GRF_B : 0);
}

void
jit_load_plane(struct jit *j, unsigned reg, enum jit_kind kind, unsigned off_B)
{
    unsigned at_B = plane_B(kind, off_B);
    jit_load_len(j, reg, at_B, EU_GRF_B);
    x86_vop_imm(&j->x, X86_INSERTF64X4, 2, reg, reg,
                x86_thread(GRF_AT(at_B + 2 * EU_GRF_B)), 0, 1);
}

static void
store_plane(struct jit *j, unsigned reg, enum jit_kind kind, unsigned off_B)
{
    unsigned at_B = plane_B(kind, off_B);
    jit_store_len(j, reg, at_B, EU_GRF_B);
    x86_vop_imm(&j->x, X86_EXTRACTF64X4, 2, reg, 0,
                x86_thread(GRF_AT(at_B + 2 * EU_GRF_B)), 0, 1);
}

static void
store_register(struct jit *j, unsigned reg)
{
    const struct jit_cached_reg *v = &j->v.reg[reg];
    if (v->kind == JIT_PLANE_U || v->kind == JIT_PLANE_V)
        store_plane(j, reg, v->kind, v->off_B);
    else
        jit_store_len(j, reg, v->off_B, v->len_B);
    j->v.dirty &= ~JIT_BIT(reg);
}

static bool
overlaps_range(const struct jit_cached_reg *v, unsigned off_B, unsigned len_B)
{
    return v->off_B < off_B + len_B && off_B < v->off_B + v->len_B;
}

unsigned
jit_spill(struct jit *j)
{
    struct jit_reg_cache *v = &j->v;
    uint32_t set = v->all & ~v->pinned & ~v->locked;
    if (!set) {
        int other = jit_borrow(j);
        j->out_of_registers |= other < 0;
        return other < 0 ? 0 : (unsigned)other;
    }
    if (!(set & ~v->recent))
        v->recent = 0;
    unsigned r = jit_spill_choice(j, set);
    if (v->dirty & JIT_BIT(r)) {
        store_register(j, r);
        j->spills++;
    }
    if (v->named & JIT_BIT(r))
        jit_forget_name(v, r);
    return r;
}

static int
find_dirty_half(struct jit *j, unsigned off_B)
{
    int found = jit_find(j, JIT_GRF, off_B, EU_GRF_B);
    return found >= 0 && (j->v.dirty & JIT_BIT(found)) ? found : -1;
}

/* Two registers with eight lanes each become one with sixteen, or -1. Stored
 * and loaded again, they would wait: hosts do not forward two stores to one
 * load. */
static int
join_halves(struct jit *j, unsigned off_B, unsigned len_B)
{
    if (!j->f->evex || len_B != 2 * EU_GRF_B)
        return -1;
    int low = find_dirty_half(j, off_B);
    int high = low < 0 ? -1 : find_dirty_half(j, off_B + EU_GRF_B);
    if (high < 0)
        return -1;
    unsigned r = jit_temp(j);
    x86_vop_imm(&j->x, X86_INSERTF64X4, 2, r, (unsigned)low,
                x86_reg((unsigned)high), 0, 1);
    return (int)r;
}

unsigned
jit_new_vec(struct jit *j, unsigned off_B, unsigned len_B)
{
    int joined = join_halves(j, off_B, len_B);
    if (joined >= 0) {
        jit_note(j, (unsigned)joined, JIT_GRF, off_B, len_B);
        return (unsigned)joined;
    }
    jit_sync(j, off_B, len_B);
    unsigned r = jit_temp(j);
    jit_load_len(j, r, off_B, len_B);
    jit_note(j, r, JIT_GRF, off_B, len_B);
    return r;
}

unsigned
jit_vec_exact(struct jit *j, unsigned off_B, unsigned len_B)
{
    int found = jit_find(j, JIT_GRF, off_B, len_B);
    if (found >= 0 && j->v.reg[found].len_B == len_B)
        return (unsigned)found;
    jit_sync(j, off_B, len_B);
    unsigned r = jit_temp(j);
    jit_load_len(j, r, off_B, len_B);
    return r;
}

struct x86_rm
jit_bcast(struct jit *j, unsigned off_B)
{
    jit_sync(j, off_B, 4);
    int found = jit_find(j, JIT_BCAST, off_B, 4);
    if (found >= 0)
        return x86_reg((unsigned)found);
    if (j->f->evex)
        return x86_thread_bcast(GRF_AT(off_B));
    unsigned r = jit_temp(j);
    x86_vop(&j->x, X86_PBROADCASTD, 1, r, 0, x86_thread(GRF_AT(off_B)), 0);
    jit_note(j, r, JIT_BCAST, off_B, 4);
    return x86_reg(r);
}

unsigned
jit_read_memory(struct jit *j, struct x86_rm rm, unsigned len)
{
    if (x86_kind(rm) != X86_THREAD || !x86_is_bcast(rm))
        return jit_new_reg(j, rm, len);
    unsigned r = jit_new_reg(j, rm, jit_full_len(j));
    jit_note(j, r, JIT_BCAST, (unsigned)x86_disp(rm) - GRF_AT(0), 4);
    return r;
}

unsigned
jit_dword_reg(struct jit *j, uint32_t value)
{
    struct jit_reg_cache *v = &j->v;
    for (uint32_t set = v->used & ~v->named; set; set &= set - 1) {
        unsigned r = jit_first(set);
        if (v->reg[r].kind == JIT_CONST && v->reg[r].value == value) {
            jit_touch(v, r);
            return r;
        }
    }
    unsigned r = jit_temp(j);
    x86_vop(&j->x, X86_PBROADCASTD, jit_full_len(j), r, 0,
            jit_as_memory(x86_dword_const(&j->x, value)), 0);
    v->reg[r].kind = JIT_CONST;
    v->temps &= ~JIT_BIT(r);
    v->reg[r].value = value;
    return r;
}

void
jit_store_those(struct jit *j, uint32_t set, unsigned off_B, unsigned len_B)
{
    for (; set; set &= set - 1) {
        unsigned r = jit_first(set);
        if (overlaps_range(&j->v.reg[r], off_B, len_B))
            store_register(j, r);
    }
}

/* Drops the value's name; the register stays locked while it is an operand. */
static void
drop_register(struct jit_reg_cache *v, unsigned r)
{
    jit_forget_name(v, r);
    v->reg[r].kind = JIT_TEMP;
    v->temps |= JIT_BIT(r);
    if (!(v->locked & JIT_BIT(r)))
        v->used &= ~JIT_BIT(r);
}

void
jit_sync_drop(struct jit *j, unsigned off_B, unsigned len_B)
{
    jit_sync(j, off_B, len_B);
    uint32_t set = jit_touching(&j->v, off_B, len_B);
    for (; set; set &= set - 1) {
        unsigned r = jit_first(set);
        if (overlaps_range(&j->v.reg[r], off_B, len_B))
            drop_register(&j->v, r);
    }
}

void
jit_drop_derived(struct jit *j)
{
    for (uint32_t set = j->v.named; set; set &= set - 1) {
        unsigned r = jit_first(set);
        if (j->v.reg[r].kind == JIT_GRF)
            continue;
        if (j->v.dirty & JIT_BIT(r))
            store_register(j, r);
        drop_register(&j->v, r);
    }
}

void
jit_bind(struct jit *j, unsigned reg, unsigned off_B, unsigned len_B)
{
    int pin = j->loop ? jit_pin_of(j, off_B, len_B) : -1;
    if (pin >= 0 && (unsigned)pin != reg) {
        x86_vop(&j->x, X86_MOVAPS, jit_len(len_B), (unsigned)pin, 0,
                x86_reg(reg), 0);
        reg = (unsigned)pin;
    }
    uint32_t set = jit_touching(&j->v, off_B, len_B) & ~JIT_BIT(reg);
    for (; set; set &= set - 1) {
        unsigned r = jit_first(set);
        const struct jit_cached_reg *v = &j->v.reg[r];
        if (!overlaps_range(v, off_B, len_B))
            continue;
        bool covered = v->off_B >= off_B &&
                       v->off_B + v->len_B <= off_B + len_B;
        if ((j->v.dirty & JIT_BIT(r)) && !covered)
            store_register(j, r);
        drop_register(&j->v, r);
    }
    if (j->v.named & JIT_BIT(reg))
        jit_forget_name(&j->v, reg);
    jit_note(j, reg, JIT_GRF, off_B, len_B);
    j->v.dirty |= JIT_BIT(reg);
    j->v.recent |= JIT_BIT(reg);
    j->v.normal &= ~JIT_BIT(reg);
}

void
jit_flush_but(struct jit *j, const struct jit_set *live, uint32_t without)
{
    for (uint32_t set = j->v.dirty & ~without; set; set &= set - 1) {
        unsigned r = jit_first(set);
        if (jit_set_has(live, j->v.reg[r].off_B, j->v.reg[r].len_B))
            store_register(j, r);
    }
    j->v.dirty &= without;
}

void
jit_flush(struct jit *j, const struct jit_set *live)
{
    jit_flush_but(j, live, 0);
}

/* Drops values that the instruction read or wrote for the last time. */
void
jit_drop_dead(struct jit *j, const struct jit_regs *regs,
              const struct jit_set *live)
{
    uint32_t set = 0;
    for (unsigned w = 0; w < 2; w++) {
        const uint32_t *touch = j->v.touch + w * 64;
        for (uint64_t dead = regs->all.w[w] & ~live->w[w]; dead;
             dead &= dead - 1)
            set |= touch[__builtin_ctzll(dead)];
    }
    for (; set; set &= set - 1) {
        unsigned r = jit_first(set);
        const struct jit_cached_reg *v = &j->v.reg[r];
        if (!jit_set_has(live, v->off_B, v->len_B))
            drop_register(&j->v, r);
    }
}

void
jit_forget(struct jit *j)
{
    struct jit_reg_cache *v = &j->v;
    for (uint32_t set = v->named; set; set &= set - 1)
        jit_forget_name(v, jit_first(set));
    v->used = v->locked = v->recent = v->normal = 0;
    j->exec_chan[0] = j->exec_chan[1] = 0xff;
    j->flag_at[0] = j->flag_at[1] = 0xff;
}

unsigned
jit_owned(struct jit *j, unsigned len, struct x86_rm rm)
{
    unsigned r = x86_reg_of(rm);
    if (x86_kind(rm) == X86_REG &&
        (j->v.reg[r].kind == JIT_TEMP || jit_take_over(j, r)))
        return r;
    return jit_copy_reg(j, len, rm);
}

unsigned
jit_new_reg(struct jit *j, struct x86_rm rm, unsigned len)
{
    unsigned r = jit_temp(j);
    enum x86_vop op = x86_is_bcast(rm) ? X86_PBROADCASTD : X86_MOVUPS_LD;
    x86_vop(&j->x, op, len, r, 0, jit_as_memory(rm), 0);
    return r;
}
