/* vregs.c: which vector register holds which part of the register file.
 *
 * Values are keyed by byte offset, because operands start anywhere. A value
 * that was computed is dirty until it is stored: when something else reads
 * those bytes from memory, when its register is needed, or at the block's
 * end. If it is overwritten before that, it is never stored. */
#include "eu/jit/compile.h"

#define GRF_AT(off_B) (offsetof(struct eu_thread, grf) + (off_B))

unsigned
jit_len(unsigned len_B)
{
    return len_B > 32 ? 2 : len_B > 16 ? 1 : 0;
}

void
jit_load_len(struct jit *j, unsigned reg, unsigned off_B, unsigned len_B)
{
    enum x86_vop op = len_B == 4   ? X86_MOVSS_LD
                      : len_B == 8 ? X86_MOVQ_LD
                                   : X86_MOVUPS_LD;
    x86_vop(&j->x, op, jit_len(len_B), reg, 0, x86_thread(GRF_AT(off_B)), 0);
}

static void
store(struct jit *j, unsigned reg)
{
    struct jit_vreg *v = &j->v[reg];
    enum x86_vop op = v->len_B == 4   ? X86_MOVSS_ST
                      : v->len_B == 8 ? X86_MOVQ_ST
                                      : X86_MOVUPS_ST;
    x86_vop(&j->x, op, jit_len(v->len_B), reg, 0,
            x86_thread(GRF_AT(v->off_B)), 0);
    v->dirty = false;
}

static bool
overlaps(const struct jit_vreg *v, unsigned off_B, unsigned len_B)
{
    return v->kind >= JIT_GRF && v->kind < JIT_CONST &&
           v->off_B < off_B + len_B && off_B < v->off_B + v->len_B;
}

/* A free register, or that of the value not used for the longest time. */
static unsigned
take(struct jit *j)
{
    int best = -1;
    for (unsigned r = 0; r < j->vreg_count; r++) {
        const struct jit_vreg *v = &j->v[r];
        if (v->locked)
            continue;
        if (v->kind == JIT_FREE)
            return r;
        if (best < 0 || v->stamp < j->v[best].stamp)
            best = (int)r;
    }
    if (best < 0) {
        j->crowded = true;
        return 0;
    }
    if (j->v[best].dirty)
        store(j, (unsigned)best);
    return (unsigned)best;
}

unsigned
jit_temp(struct jit *j)
{
    unsigned r = take(j);
    j->v[r] = (struct jit_vreg){
        .kind = JIT_TEMP, .locked = true, .stamp = ++j->stamp};
    return r;
}

int
jit_find(struct jit *j, enum jit_kind kind, unsigned off_B, unsigned len_B)
{
    for (unsigned r = 0; r < j->vreg_count; r++) {
        struct jit_vreg *v = &j->v[r];
        if (v->kind == kind && v->off_B == off_B && v->len_B >= len_B) {
            v->locked = true;
            v->stamp = ++j->stamp;
            return (int)r;
        }
    }
    return -1;
}

void
jit_note(struct jit *j, unsigned reg, enum jit_kind kind, unsigned off_B,
         unsigned len_B)
{
    j->v[reg].kind = kind;
    j->v[reg].off_B = (uint16_t)off_B;
    j->v[reg].len_B = (uint16_t)len_B;
}

unsigned
jit_vec(struct jit *j, unsigned off_B, unsigned len_B)
{
    int found = jit_find(j, JIT_GRF, off_B, len_B);
    if (found >= 0)
        return (unsigned)found;
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
    if (found >= 0 && j->v[found].len_B == len_B)
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
    if (j->evex)
        return x86_thread_bcast(GRF_AT(off_B));
    int found = jit_find(j, JIT_BCAST, off_B, 4);
    if (found >= 0)
        return x86_reg((unsigned)found);
    unsigned r = jit_temp(j);
    x86_vop(&j->x, X86_BROADCASTSS, 1, r, 0, x86_thread(GRF_AT(off_B)), 0);
    jit_note(j, r, JIT_BCAST, off_B, 4);
    return x86_reg(r);
}

struct x86_rm
jit_dword(struct jit *j, uint32_t value)
{
    if (j->evex)
        return x86_const(&j->x, &value, 1);
    for (unsigned r = 0; r < j->vreg_count; r++) {
        struct jit_vreg *v = &j->v[r];
        if (v->kind == JIT_CONST && v->value == value) {
            v->locked = true;
            v->stamp = ++j->stamp;
            return x86_reg(r);
        }
    }
    unsigned r = jit_temp(j);
    x86_vop(&j->x, X86_BROADCASTSS, 1, r, 0, x86_const(&j->x, &value, 1), 0);
    j->v[r].kind = JIT_CONST;
    j->v[r].value = value;
    return x86_reg(r);
}

void
jit_sync(struct jit *j, unsigned off_B, unsigned len_B)
{
    for (unsigned r = 0; r < j->vreg_count; r++)
        if (j->v[r].dirty && overlaps(&j->v[r], off_B, len_B))
            store(j, r);
}

/* The register stays locked, as a nameless value, while it is an operand. */
static void
drop(struct jit_vreg *v)
{
    v->kind = v->locked ? JIT_TEMP : JIT_FREE;
    v->dirty = false;
}

void
jit_sync_drop(struct jit *j, unsigned off_B, unsigned len_B)
{
    jit_sync(j, off_B, len_B);
    for (unsigned r = 0; r < j->vreg_count; r++)
        if (overlaps(&j->v[r], off_B, len_B))
            drop(&j->v[r]);
}

void
jit_bind(struct jit *j, unsigned reg, unsigned off_B, unsigned len_B)
{
    for (unsigned r = 0; r < j->vreg_count; r++) {
        struct jit_vreg *v = &j->v[r];
        if (r == reg || !overlaps(v, off_B, len_B))
            continue;
        bool covered =
            v->off_B >= off_B && v->off_B + v->len_B <= off_B + len_B;
        if (v->dirty && !covered)
            store(j, r);
        drop(v);
    }
    jit_note(j, reg, JIT_GRF, off_B, len_B);
    j->v[reg].dirty = true;
    j->v[reg].stamp = ++j->stamp;
}

void
jit_flush(struct jit *j, const struct jit_set *live)
{
    for (unsigned r = 0; r < j->vreg_count; r++) {
        struct jit_vreg *v = &j->v[r];
        if (v->dirty && jit_set_has(live, v->off_B, v->len_B))
            store(j, r);
        v->dirty = false;
    }
}

void
jit_drop_dead(struct jit *j, const struct jit_set *live)
{
    for (unsigned r = 0; r < j->vreg_count; r++) {
        struct jit_vreg *v = &j->v[r];
        if (v->kind == JIT_GRF && !jit_set_has(live, v->off_B, v->len_B))
            drop(v);
    }
}

void
jit_forget(struct jit *j)
{
    for (unsigned r = 0; r < j->vreg_count; r++)
        j->v[r] = (struct jit_vreg){0};
    j->exec_chan[0] = j->exec_chan[1] = 0xff;
}

void
jit_unlock_but(struct jit *j, uint32_t keep)
{
    for (unsigned r = 0; r < j->vreg_count; r++) {
        if (keep >> r & 1)
            continue;
        j->v[r].locked = false;
        if (j->v[r].kind == JIT_TEMP)
            j->v[r].kind = JIT_FREE;
    }
}
