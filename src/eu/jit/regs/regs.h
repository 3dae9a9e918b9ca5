/* regs.h: register cache: parts of the register file in vector registers; spill
 * choice and pinned registers.
 *
 * Callers: all sub-rooms that emit code; the inline functions are called
 * several times for each instruction. reg_cache.c says what is cached and when
 * it is stored. One compilation belongs to one thread. */
#ifndef EU_JIT_REGS_REGS_H
#define EU_JIT_REGS_REGS_H

#include "eu/jit/emit/emit.h"

#define JIT_BIT(r) (UINT32_C(1) << (r))

/* The lowest register of a non-empty set. */
static inline unsigned
jit_first(uint32_t set)
{
    return (unsigned)__builtin_ctz(set);
}

/* Memory operands are thread n's from here on. */
static inline void
jit_address(struct jit *j, unsigned n)
{
    j->nth = n;
    j->x.bias = (int32_t)(n * sizeof(struct eu_thread));
}

/* Frees a register when none is free. */
unsigned jit_spill(struct jit *j);
/* spill.c: chooses a register of a non-empty set. */
unsigned jit_spill_choice(struct jit *j, uint32_t set);

static inline unsigned
jit_temp(struct jit *j)
{
    struct jit_reg_cache *v = &j->v;
    uint32_t set = v->all & ~v->pinned & ~v->used;
    unsigned r = set ? jit_first(set) : jit_spill(j);
    v->used |= JIT_BIT(r);
    v->locked |= JIT_BIT(r);
    v->temps |= JIT_BIT(r);
    v->recent |= JIT_BIT(r);
    v->normal &= ~JIT_BIT(r);
    v->reg[r].kind = JIT_TEMP;
    return r;
}

static inline void
jit_touch(struct jit_reg_cache *v, unsigned r)
{
    v->locked |= JIT_BIT(r);
    v->recent |= JIT_BIT(r);
}

/* Registers that may hold part of these bytes. */
static inline uint32_t
jit_touching(const struct jit_reg_cache *v, unsigned off_B, unsigned len_B)
{
    unsigned g = off_B / EU_GRF_B, last = (off_B + len_B - 1) / EU_GRF_B;
    uint32_t set = 0;
    for (; g <= last; g++)
        set |= v->touch[g & (EU_GRF_COUNT - 1)];
    return set;
}

static inline int
jit_find(struct jit *j, enum jit_kind kind, unsigned off_B, unsigned len_B)
{
    for (uint32_t set = jit_touching(&j->v, off_B, 1); set; set &= set - 1) {
        unsigned r = jit_first(set);
        const struct jit_cached_reg *v = &j->v.reg[r];
        if (v->off_B == off_B && v->kind == kind && v->len_B >= len_B) {
            jit_touch(&j->v, r);
            return (int)r;
        }
    }
    return -1;
}

/* Loads the vector into a register. */
unsigned jit_new_vec(struct jit *j, unsigned off_B, unsigned len_B);

static inline unsigned
jit_vec(struct jit *j, unsigned off_B, unsigned len_B)
{
    int found = jit_find(j, JIT_GRF, off_B, len_B);
    return found >= 0 ? (unsigned)found : jit_new_vec(j, off_B, len_B);
}

/* jit_vec() with a register of exactly this length, for merging. */
unsigned jit_vec_exact(struct jit *j, unsigned off_B, unsigned len_B);

/* The register has the result of an F instruction. If the thread flushes
 * denormals it holds none, and later instructions may rely on it. */
static inline void
jit_note_normal(struct jit *j, unsigned reg)
{
    if (!(j->f->flags & EU_JIT_DENORMALS) && !j->f->has_modes)
        j->v.normal |= JIT_BIT(reg);
}

static inline bool
jit_is_normal(struct jit *j, unsigned reg)
{
    bool normal = j->v.normal & JIT_BIT(reg);
    j->needs_flush |= normal;
    return normal;
}

/* Length of a broadcast that any op can read. */
static inline unsigned
jit_full_len(const struct jit *j)
{
    return j->f->evex && j->f->has_wide ? 2 : 1;
}

/* PBROADCASTD takes a plain memory operand. */
static inline struct x86_rm
jit_as_memory(struct x86_rm rm)
{
    return x86_bcast(rm, false);
}

/* ---- threads in lockstep: sides.c ---- */

/* Compiler state of the current thread. */
void jit_get_side(const struct jit *j, struct jit_side *s);
void jit_set_side(struct jit *j, const struct jit_side *s);
/* Makes the next thread the current one, in a circle. */
void jit_turn(struct jit *j);
/* Takes a register of the other thread for one instruction. Returns -1 if it
 * can spare none. */
int jit_borrow(struct jit *j);
void jit_give_back(struct jit *j);

unsigned jit_new_reg(struct jit *j, struct x86_rm rm, unsigned len);

static inline unsigned
jit_in_reg(struct jit *j, struct x86_rm rm, unsigned len)
{
    return x86_kind(rm) == X86_REG ? x86_reg_of(rm) : jit_new_reg(j, rm, len);
}

/* For reading only: a dword that must be in a register comes from one that is
 * cached. */
unsigned jit_read_memory(struct jit *j, struct x86_rm rm, unsigned len);

static inline unsigned
jit_read(struct jit *j, struct x86_rm rm, unsigned len)
{
    return x86_kind(rm) == X86_REG ? x86_reg_of(rm)
                                   : jit_read_memory(j, rm, len);
}

/* A dword in all lanes: memory operand or register. */
struct x86_rm jit_bcast(struct jit *j, unsigned off_B);
/* A constant in a cached register. */
unsigned jit_dword_reg(struct jit *j, uint32_t value);

static inline struct x86_rm
jit_dword(struct jit *j, uint32_t value)
{
    return j->f->evex ? x86_dword_const(&j->x, value)
                      : x86_reg(jit_dword_reg(j, value));
}

static inline void
jit_note(struct jit *j, unsigned reg, enum jit_kind kind, unsigned off_B,
         unsigned len_B)
{
    unsigned g = off_B / EU_GRF_B, last = (off_B + len_B - 1) / EU_GRF_B;
    struct jit_reg_cache *v = &j->v;
    for (; g <= last; g++)
        v->touch[g & (EU_GRF_COUNT - 1)] |= JIT_BIT(reg);
    v->named |= JIT_BIT(reg);
    v->temps &= ~JIT_BIT(reg);
    v->reg[reg].kind = kind;
    v->reg[reg].off_B = (uint16_t)off_B;
    v->reg[reg].len_B = (uint16_t)len_B;
    v->next[reg] = 0;
}

static inline void
jit_forget_name(struct jit_reg_cache *v, unsigned r)
{
    unsigned g = v->reg[r].off_B / EU_GRF_B;
    unsigned last = (v->reg[r].off_B + v->reg[r].len_B - 1u) / EU_GRF_B;
    for (; g <= last; g++)
        v->touch[g & (EU_GRF_COUNT - 1)] &= ~JIT_BIT(r);
    v->named &= ~JIT_BIT(r);
    v->dirty &= ~JIT_BIT(r);
}

/* Stores the registers of the set that hold part of the range. */
void jit_store_those(struct jit *j, uint32_t set, unsigned off_B,
                     unsigned len_B);

/* Stores dirty registers in the range: memory is up to date. */
static inline void
jit_sync(struct jit *j, unsigned off_B, unsigned len_B)
{
    uint32_t set = jit_touching(&j->v, off_B, len_B) & j->v.dirty;
    if (set)
        jit_store_those(j, set, off_B, len_B);
}

/* jit_sync(), and drops registers in the range, which is about to be
 * written. */
void jit_sync_drop(struct jit *j, unsigned off_B, unsigned len_B);
/* Makes the register the new value of these dwords. */
void jit_bind(struct jit *j, unsigned reg, unsigned off_B, unsigned len_B);

static inline bool
jit_dies(const struct jit *j, unsigned off_B, unsigned len_B)
{
    struct jit_set lives = {{~j->dying.w[0], ~j->dying.w[1]}};
    return !jit_set_has(&lives, off_B, len_B);
}

/* Makes a dying operand a temporary, which may be overwritten. */
static inline bool
jit_take_over(struct jit *j, unsigned reg)
{
    struct jit_cached_reg *v = &j->v.reg[reg];
    if (v->kind != JIT_GRF || (j->v.pinned & JIT_BIT(reg)) ||
        !jit_dies(j, v->off_B, v->len_B))
        return false;
    jit_forget_name(&j->v, reg);
    v->kind = JIT_TEMP;
    j->v.temps |= JIT_BIT(reg);
    return true;
}

/* Drops cached values other than plain vectors (JIT_GRF); stores dirty ones. */
void jit_drop_derived(struct jit *j);
void jit_flush(struct jit *j, const struct jit_set *live);
/* jit_flush() without these registers. */
void jit_flush_but(struct jit *j, const struct jit_set *live, uint32_t without);
void jit_drop_dead(struct jit *j, const struct jit_regs *regs,
                   const struct jit_set *live);
void jit_forget(struct jit *j);

/* Frees a temporary. */
static inline void
jit_release(struct jit *j, unsigned reg)
{
    uint32_t gone = JIT_BIT(reg) & j->v.temps;
    j->v.used &= ~gone;
    j->v.locked &= ~gone;
}

/* Unlocks an instruction's operands, except these registers. */
static inline void
jit_unlock_but(struct jit *j, uint32_t keep)
{
    struct jit_reg_cache *v = &j->v;
    v->used &= ~(v->locked & ~keep & v->temps);
    v->locked &= keep;
}

/* Vector length for x86_vop(). */
static inline unsigned
jit_len(unsigned len_B)
{
    return (len_B > 32) + (len_B > 16);
}

void jit_load_len(struct jit *j, unsigned reg, unsigned off_B, unsigned len_B);
/* PLN's U or V (JIT_PLANE_U, ..._V) of 16 channels from four GRFs. */
void jit_load_plane(struct jit *j, unsigned reg, enum jit_kind kind,
                    unsigned off_B);
void jit_store_len(struct jit *j, unsigned reg, unsigned off_B, unsigned len_B);

/* A register with the operand that may be overwritten. */
unsigned jit_owned(struct jit *j, unsigned len, struct x86_rm rm);

static inline unsigned
jit_copy_reg(struct jit *j, unsigned len, struct x86_rm rm)
{
    if (x86_kind(rm) != X86_REG)
        return jit_in_reg(j, rm, len);
    unsigned d = jit_temp(j);
    x86_vop(&j->x, X86_MOVAPS, len, d, 0, rm, 0);
    return d;
}

static inline unsigned
jit_binary(struct jit *j, enum x86_vop op, unsigned len, struct x86_rm a,
           struct x86_rm b)
{
    unsigned ra = jit_read(j, a, len), d = jit_temp(j);
    x86_vop(&j->x, op, len, d, ra, b, 0);
    return d;
}

/* ---- pinned registers: loop_pins.c ---- */

bool jit_pin_loops(struct jit *j);
/* The op's loop, if it has pinned registers; or NULL. */
const struct jit_loop *jit_loop_at(const struct jit *j, uint32_t op);
/* Begins a block with only the pins of `there`, as bits, in registers; loads
 * the others at a loop's head. */
void jit_enter_loop(struct jit *j, uint32_t op, uint32_t there);
/* The register that is pinned to exactly this vector, or -1. */
int jit_pin_of(const struct jit *j, unsigned off_B, unsigned len_B);
/* Makes live values be in memory, or in their pinned registers. */
void jit_end_block(struct jit *j, const struct jit_set *live);
/* Code for jumps out of loops and into loops, after all blocks. */
void jit_leave_loops(struct jit *j);
void jit_enter_loops(struct jit *j);

/* Whether the op is the comparison of a counted loop, for which no code is
 * made; offset 1: the BREAK after it. */
static inline bool
jit_counts(const struct jit *j, uint32_t op, uint32_t offset)
{
    return j->loop && j->loop->counter.len_B && op == j->loop->head + offset;
}

#endif
