/* count_memory.c: profiles with EU_JIT_MEMORY: counts accesses of lanes at one
 * place or at neighbours, and with AVX-512 one element per lane anywhere. All
 * others take the slow path, whose message is counted by the send function
 * (profile/memory_use.c). */
#include "eu/jit/sends/lower_memory.h"

#include "eu/jit/x86/encode_gpr.h"
#include "eu/profile/profile.h"

/* Elements in local memory that are not aligned take the slow path: they may
 * conflict. */
static void
count_full(struct jit *j, const struct access *a, struct jit_slow_path *m,
           unsigned array, unsigned size_B)
{
    struct x86 *x = &j->x;
    bool is_slm = a->bti == ACCESS_SLM;
    if (!jit_counts_memory(j))
        return;
    if (is_slm && a->any_byte && a->element_B > 1) {
        x86_mov_reg(x, X86_RDX, X86_RCX);
        x86_alu_imm(x, X86_AND, X86_RDX, a->element_B - 1u, false);
        jit_slow_path_if(j, m, X86_CC_NE);
    }
    jit_count_access(j, j->f->k->ops[j->here].ip, array, size_B, !is_slm);
}

void
jit_count_same(struct jit *j, const struct access *a, struct jit_slow_path *m)
{
    count_full(j, a, m, PROFILE_FULL_SAME, access_step_B(a));
}

void
jit_count_next(struct jit *j, const struct access *a, struct jit_slow_path *m)
{
    count_full(j, a, m, PROFILE_FULL_NEXT, a->lanes * access_step_B(a));
}

/* ---- other places -------------------------------------------------------- */

#define LINE_B 64u
#define PAGE_B 4096u
#define K_LANES 4u
#define BANK_BITS 0x3cu /* of offsets: 16 banks of a dword */

static size_t
counter_at(const struct jit *j, unsigned array)
{
    return jit_counter_at(j, j->f->k->ops[j->here].ip, array);
}

/* ecx := distinct lines beyond the first. Elements that straddle two lines take
 * the slow path. */
static void
count_lines(struct jit *j, const struct access *a, unsigned distance,
            const unsigned t[2], struct jit_slow_path *m)
{
    struct x86 *x = &j->x;
    unsigned len = a->lanes / 8;
    x86_mov_reg(x, X86_RDX, X86_RAX);
    x86_alu_imm(x, X86_AND, X86_RDX, LINE_B - 1, false);
    x86_vop(x, X86_PBROADCASTD_GPR, len, t[0], 0, x86_reg(X86_RDX), 0);
    x86_vop(x, X86_PADDD, len, t[0], t[0], x86_reg(distance), 0);
    x86_vop(x, X86_PAND, len, t[1], t[0], x86_dword_const(x, LINE_B - 1), 0);
    if (a->element_B > 1) {
        x86_vop_imm(x, X86_PCMPUD, len, K_LANES, t[1],
                    x86_dword_const(x, LINE_B - a->element_B), 0, 6);
        x86_kortest(x, K_LANES, K_LANES);
        jit_slow_path_if(j, m, X86_CC_NE);
    }
    x86_vop(x, X86_PAND, len, t[0], t[0], x86_dword_const(x, ~(LINE_B - 1)), 0);
    x86_vop(x, X86_PCONFLICTD, len, t[0], 0, x86_reg(t[0]), 0);
    x86_vop(x, X86_PTESTMD, len, K_LANES, t[0], x86_reg(t[0]), 0);
    x86_kmov_to_gpr(x, X86_RDX, K_LANES);
    x86_gop(x, X86_G_POPCNT, false, X86_RDX, x86_g(X86_RDX));
    x86_mov_imm(x, X86_RCX, a->lanes - 1);
    x86_alu_reg(x, X86_SUB, X86_RCX, X86_RDX, false);
}

/* edi := passes through shared local memory: the lanes of its fullest bank. A
 * pass takes each bank's first remaining lane. Only the first of the lanes that
 * read one dword counts. Clobbers ecx. */
static void
count_passes(struct jit *j, const struct access *a, unsigned offsets,
             const unsigned t[2])
{
    struct x86 *x = &j->x;
    unsigned len = a->lanes / 8;
    x86_mov_imm(x, X86_RCX, (1u << a->lanes) - 1);
    x86_mov_imm(x, X86_RDI, 0);
    if (a->kind == ACCESS_READ) {
        x86_vop(x, X86_PCONFLICTD, len, t[0], 0, x86_reg(offsets), 0);
        x86_vop(x, X86_PTESTMD, len, K_LANES, t[0], x86_reg(t[0]), 0);
        x86_kmov_to_gpr(x, X86_RDX, K_LANES);
        x86_alu_reg(x, X86_XOR, X86_RCX, X86_RDX, false);
    }
    x86_vop(x, X86_PAND, len, t[0], offsets, x86_dword_const(x, BANK_BITS), 0);
    x86_vop(x, X86_PCONFLICTD, len, t[0], 0, x86_reg(t[0]), 0);
    uint32_t pass = x->size;
    x86_alu_imm(x, X86_ADD, X86_RDI, 1, false);
    x86_vop(x, X86_PBROADCASTD_GPR, len, t[1], 0, x86_reg(X86_RCX), 0);
    x86_vop(x, X86_PTESTMD, len, K_LANES, t[0], x86_reg(t[1]), 0);
    x86_kmov_to_gpr(x, X86_RDX, K_LANES);
    x86_alu_reg(x, X86_AND, X86_RCX, X86_RDX, false);
    x86_patch(x, x86_jump(x, X86_CC_NE), pass);
}

/* Counts the stride in ecx, at rsi. */
static void
count_stride(struct jit *j)
{
    static const struct {
        uint32_t below;
        enum profile_stride stride;
    } rows[] = {{1, PROFILE_STRIDE_SAME},
                {LINE_B, PROFILE_STRIDE_SHORT},
                {PAGE_B, PROFILE_STRIDE_LONG}};
    struct x86 *x = &j->x;
    uint32_t done[ARRAY_SIZE(rows)];
    x86_add_at(x, X86_RSI, counter_at(j, PROFILE_STRIDE_B), X86_RCX);
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        x86_alu_imm(x, X86_CMP, X86_RCX, rows[i].below, false);
        uint32_t other = x86_jump(x, X86_CC_AE);
        x86_inc_at(x, X86_RSI, counter_at(j, PROFILE_STRIDES + rows[i].stride));
        done[i] = x86_jump(x, X86_ALWAYS);
        x86_patch(x, other, x->size);
    }
    x86_inc_at(x, X86_RSI, counter_at(j, PROFILE_STRIDES + PROFILE_STRIDE_FAR));
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
        x86_patch(x, done[i], x->size);
}

/* At rsi: the stride between the first two lanes, if all lanes have it. */
static void
count_strides(struct jit *j, const struct access *a, unsigned distance,
              unsigned t)
{
    struct x86 *x = &j->x;
    unsigned len = a->lanes / 8;
    uint32_t number[16];
    for (unsigned i = 0; i < 16; i++)
        number[i] = i;
    x86_vop_imm(x, X86_PEXTRD, 0, distance, 0, x86_reg(X86_RDX), 0, 1);
    x86_vop(x, X86_PBROADCASTD_GPR, len, t, 0, x86_reg(X86_RDX), 0);
    x86_vop(x, X86_PMULLD, len, t, t, x86_const(x, number, a->lanes), 0);
    x86_vop_imm(x, X86_PCMPD, len, K_LANES, t, x86_reg(distance), 0, 4);
    x86_kortest(x, K_LANES, K_LANES);
    uint32_t even = x86_jump(x, X86_CC_E);
    x86_inc_at(x, X86_RSI,
               counter_at(j, PROFILE_STRIDES + PROFILE_STRIDE_MIXED));
    uint32_t done = x86_jump(x, X86_ALWAYS);
    x86_patch(x, even, x->size);
    x86_alu_imm(x, X86_CMP, X86_RDX, a->element_B, false);
    uint32_t other = x86_jump(x, X86_CC_NE);
    x86_inc_at(x, X86_RSI,
               counter_at(j, PROFILE_STRIDES + PROFILE_STRIDE_NEXT));
    uint32_t next = x86_jump(x, X86_ALWAYS);
    x86_patch(x, other, x->size);
    x86_mov_reg(x, X86_RCX, X86_RDX);
    x86_unary(x, X86_NEG, false, X86_RCX);
    x86_cmov(x, X86_CC_S, X86_RCX, X86_RDX);
    count_stride(j);
    x86_patch(x, done, x->size);
    x86_patch(x, next, x->size);
}

static void
add_passes(struct jit *j)
{
    x86_load_tls(&j->x, X86_RSI, eu_profile_tls_B());
    x86_inc_at(&j->x, X86_RSI, counter_at(j, PROFILE_FULL_APART));
    x86_add_at(&j->x, X86_RSI, counter_at(j, PROFILE_SLM_PASSES), X86_RDI);
}

bool
jit_count_apart(struct jit *j, const struct access *a, unsigned distance,
                const unsigned t[3], struct jit_slow_path *m)
{
    struct x86 *x = &j->x;
    unsigned len = a->lanes / 8;
    bool is_slm = a->bti == ACCESS_SLM;
    if (!jit_counts_memory(j))
        return true;
    if (a->channels != 1 || (is_slm && a->any_byte))
        return false;
    if (is_slm) {
        x86_vop(x, X86_PBROADCASTD_GPR, len, t[0], 0, x86_reg(X86_RCX), 0);
        x86_vop(x, X86_PADDD, len, t[0], t[0], x86_reg(distance), 0);
        count_passes(j, a, t[0], &t[1]);
        add_passes(j);
        count_strides(j, a, distance, t[0]);
        return true;
    }
    count_lines(j, a, distance, t, m);
    x86_load_tls(x, X86_RSI, eu_profile_tls_B());
    x86_inc_at(x, X86_RSI, counter_at(j, PROFILE_FULL_APART));
    x86_add_at(x, X86_RSI, counter_at(j, PROFILE_LINES), X86_RCX);
    count_strides(j, a, distance, t[0]);
    return true;
}

void
jit_count_atomic(struct jit *j, const struct access *a, unsigned offsets,
                 const unsigned t[2])
{
    unsigned len = a->lanes / 8;
    count_passes(j, a, offsets, t);
    add_passes(j);
    x86_vop(&j->x, X86_PBROADCASTD, len, t[0], 0, x86_reg(offsets), 0);
    x86_vop(&j->x, X86_PSUBD, len, t[0], offsets, x86_reg(t[0]), 0);
    count_strides(j, a, t[0], t[1]);
}
