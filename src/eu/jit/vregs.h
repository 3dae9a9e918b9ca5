/* vregs.h: which vector register holds which part of the register file: the
 * short functions that each instruction calls several times; vregs.c has the
 * others, and says what is kept and when it is stored. */
#ifndef EU_VREGS_H
#define EU_VREGS_H

#include "eu/jit/state.h"

#define JIT_BIT(r) (UINT32_C(1) << (r))

/* The lowest register of a set that is not empty. */
static inline unsigned
jit_first(uint32_t set)
{
    return (unsigned)__builtin_ctz(set);
}

/* What is in memory is thread n's from here on. */
static inline void
jit_address(struct jit *j, unsigned n)
{
    j->nth = n;
    j->x.bias = (int32_t)(n * sizeof(struct eu_thread));
}

/* When none is free. */
unsigned jit_evict(struct jit *j);
/* evict.c: one of the set, which is not empty. */
unsigned jit_farthest(struct jit *j, uint32_t set);

static inline unsigned
jit_temp(struct jit *j)
{
    struct jit_vregs *v = &j->v;
    uint32_t set = v->all & ~v->pinned & ~v->used;
    unsigned r = set ? jit_first(set) : jit_evict(j);
    v->used |= JIT_BIT(r);
    v->locked |= JIT_BIT(r);
    v->temps |= JIT_BIT(r);
    v->recent |= JIT_BIT(r);
    v->normal &= ~JIT_BIT(r);
    v->reg[r].kind = JIT_TEMP;
    return r;
}

static inline void
jit_touch(struct jit_vregs *v, unsigned r)
{
    v->locked |= JIT_BIT(r);
    v->recent |= JIT_BIT(r);
}

/* Registers that may hold part of these bytes. */
static inline uint32_t
jit_touching(const struct jit_vregs *v, unsigned off_B, unsigned len_B)
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
        const struct jit_vreg *v = &j->v.reg[r];
        if (v->off_B == off_B && v->kind == kind && v->len_B >= len_B) {
            jit_touch(&j->v, r);
            return (int)r;
        }
    }
    return -1;
}

/* Loads it. */
unsigned jit_new_vec(struct jit *j, unsigned off_B, unsigned len_B);

static inline unsigned
jit_vec(struct jit *j, unsigned off_B, unsigned len_B)
{
    int found = jit_find(j, JIT_GRF, off_B, len_B);
    return found >= 0 ? (unsigned)found : jit_new_vec(j, off_B, len_B);
}

/* Like jit_vec, but the register is exactly this long: for merging. */
unsigned jit_vec_exact(struct jit *j, unsigned off_B, unsigned len_B);

/* The register has the result of an F instruction that flushes denormals, if
 * all do; later ones may ask. */
static inline void
jit_note_normal(struct jit *j, unsigned reg)
{
    if (!(j->flags & EU_JIT_DENORMALS) && !j->has_modes)
        j->v.normal |= JIT_BIT(reg);
}

static inline bool
jit_is_normal(struct jit *j, unsigned reg)
{
    bool normal = j->v.normal & JIT_BIT(reg);
    j->needs_flush |= normal;
    return normal;
}

/* Of values in all lanes, whatever op they are for. */
static inline unsigned
jit_full_len(const struct jit *j)
{
    return j->evex && j->has_wide ? 2 : 1;
}

unsigned jit_new_reg(struct jit *j, struct x86_rm rm, unsigned len);

static inline unsigned
jit_in_reg(struct jit *j, struct x86_rm rm, unsigned len)
{
    return x86_kind(rm) == X86_REG ? x86_reg_of(rm) : jit_new_reg(j, rm, len);
}

/* To be read only: a dword that has to be in a register is found there. */
unsigned jit_read_memory(struct jit *j, struct x86_rm rm, unsigned len);

static inline unsigned
jit_read(struct jit *j, struct x86_rm rm, unsigned len)
{
    return x86_kind(rm) == X86_REG ? x86_reg_of(rm)
                                   : jit_read_memory(j, rm, len);
}

/* A dword in all lanes: memory operand or register. */
struct x86_rm jit_bcast(struct jit *j, unsigned off_B);
/* In a register that later instructions find. */
unsigned jit_dword_reg(struct jit *j, uint32_t value);

static inline struct x86_rm
jit_dword(struct jit *j, uint32_t value)
{
    return j->evex ? x86_dword_const(&j->x, value)
                   : x86_reg(jit_dword_reg(j, value));
}

static inline void
jit_note(struct jit *j, unsigned reg, enum jit_kind kind, unsigned off_B,
         unsigned len_B)
{
    unsigned g = off_B / EU_GRF_B, last = (off_B + len_B - 1) / EU_GRF_B;
    struct jit_vregs *v = &j->v;
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
jit_forget_name(struct jit_vregs *v, unsigned r)
{
    unsigned g = v->reg[r].off_B / EU_GRF_B;
    unsigned last = (v->reg[r].off_B + v->reg[r].len_B - 1u) / EU_GRF_B;
    for (; g <= last; g++)
        v->touch[g & (EU_GRF_COUNT - 1)] &= ~JIT_BIT(r);
    v->named &= ~JIT_BIT(r);
    v->dirty &= ~JIT_BIT(r);
}

/* Those of these registers that hold part of the range. */
void jit_store_those(struct jit *j, uint32_t set, unsigned off_B,
                     unsigned len_B);

/* Memory in the range is up to date. */
static inline void
jit_sync(struct jit *j, unsigned off_B, unsigned len_B)
{
    uint32_t set = jit_touching(&j->v, off_B, len_B) & j->v.dirty;
    if (set)
        jit_store_those(j, set, off_B, len_B);
}

/* ... and nothing caches it: it is about to be written. */
void jit_sync_drop(struct jit *j, unsigned off_B, unsigned len_B);
/* The register is the new value of these dwords. */
void jit_bind(struct jit *j, unsigned reg, unsigned off_B, unsigned len_B);

static inline bool
jit_dies(const struct jit *j, unsigned off_B, unsigned len_B)
{
    struct jit_set lives = {{~j->dying.w[0], ~j->dying.w[1]}};
    return !jit_set_has(&lives, off_B, len_B);
}

/* Makes an operand that dies a temporary, which may be overwritten. */
static inline bool
jit_take_over(struct jit *j, unsigned reg)
{
    struct jit_vreg *v = &j->v.reg[reg];
    if (v->kind != JIT_GRF || (j->v.pinned & JIT_BIT(reg)) ||
        !jit_dies(j, v->off_B, v->len_B))
        return false;
    jit_forget_name(&j->v, reg);
    v->kind = JIT_TEMP;
    j->v.temps |= JIT_BIT(reg);
    return true;
}

/* Nothing is in a register but what is in the register file. */
void jit_drop_derived(struct jit *j);
void jit_flush(struct jit *j, const struct jit_set *live);
/* The same without these registers. */
void jit_flush_but(struct jit *j, const struct jit_set *live, uint32_t without);
void jit_drop_dead(struct jit *j, const struct jit_regs *regs,
                   const struct jit_set *live);
void jit_forget(struct jit *j);

/* A temporary is needed no longer. */
static inline void
jit_release(struct jit *j, unsigned reg)
{
    uint32_t gone = JIT_BIT(reg) & j->v.temps;
    j->v.used &= ~gone;
    j->v.locked &= ~gone;
}

/* Ends the life of an instruction's operands, but for these registers. */
static inline void
jit_unlock_but(struct jit *j, uint32_t keep)
{
    struct jit_vregs *v = &j->v;
    v->used &= ~(v->locked & ~keep & v->temps);
    v->locked &= keep;
}

/* Of a vector instruction. */
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

#endif
