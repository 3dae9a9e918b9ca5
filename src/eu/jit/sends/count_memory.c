/* count_memory.c: profiles with EU_JIT_MEMORY: counts accesses of lanes at one
 * place or at neighbours. All others take the slow path, whose message is
 * counted by the send function. */
#include "eu/jit/sends/lower_memory.h"

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
