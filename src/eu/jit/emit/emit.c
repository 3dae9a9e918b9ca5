/* emit.c: one variant's code under construction: its arrays, and jumps that are
 * patched at the end. */
#include "eu/jit/emit/emit.h"

#include <stdlib.h>

void
jit_begin(struct jit *j, struct jit_facts *f, const struct eu_kernel *kernel,
          enum cpu_level cpu, unsigned flags)
{
    bool evex = cpu == CPU_AVX512;
    memset(f, 0, sizeof *f);
    f->memory = jit_arena_take();
    f->k = f->origin = kernel;
    f->evex = evex;
    f->flags = flags;
    f->threads = 1;
    f->max_lanes = evex ? 16 : 8;
    memset(j, 0, offsetof(struct jit, ahead.readers));
    j->f = f;
    j->x.evex = evex;
    j->x.memory = f->memory;
    j->v.all = evex ? UINT32_MAX : 0xffff;
}

/* Allocates the per-op arrays in one piece. With checks, finished code keeps
 * them to know the live registers. */
bool
jit_allocate(struct jit *j, struct jit_facts *f)
{
    uint32_t n = ALIGN_POT(f->k->op_count, 2);
    size_t zero_B = n * (sizeof *j->label + sizeof *j->body + sizeof *j->stub +
                         sizeof *f->start);
    size_t rest_B = n *
                    (sizeof *f->regs + 2 * sizeof *f->live[0] + sizeof *j->at);
    uint8_t *p = f->memory ? arena_take(f->memory, rest_B + zero_B, 64) : NULL;
    if (!p)
        return false;
    f->regs = (struct jit_regs *)p;
    f->live[0] = (struct jit_set *)(f->regs + n);
    f->live[1] = f->live[0] + n;
    j->at = (uint32_t *)(f->live[1] + n);
    j->label = j->at + n;
    j->body = j->label + n;
    j->stub = j->body + n;
    f->start = (uint8_t *)(j->stub + n);
    memset(j->label, 0, zero_B);
    return true;
}

void
jit_finish(struct jit *j)
{
    free(j->variant_exits);
    jit_arena_give(j->f->memory);
}

const struct eu_op *
jit_lasting_op(struct jit *j, const struct eu_op *op)
{
    const struct eu_op *there = &j->f->origin->ops[op - j->f->k->ops];
    /* The interpreter would use the wrong predicate, or another op. */
    j->failed |= there->pred != op->pred || j->f->order;
    return there;
}

bool
jit_grow(struct jit *j, void **array, uint32_t *capacity, uint32_t need,
         size_t item_B)
{
    bool ok = jit_arena_grow(j->x.memory, array, capacity, need, item_B);
    j->failed |= !ok;
    return ok;
}

struct jit_jump
jit_jump_from(const struct jit *j, uint32_t at, uint32_t op)
{
    uint32_t loop = j->loop ? (uint32_t)(j->loop - j->loops) + 1 : 0;
    return (struct jit_jump){at, op, j->here, loop};
}

void
jit_cross(struct jit *j, uint32_t at, uint32_t op)
{
    if (jit_grow(j, (void **)&j->crossings, &j->crossing_capacity,
                 j->crossing_count + 1, sizeof *j->crossings))
        j->crossings[j->crossing_count++] = jit_jump_from(j, at, op);
}

void
jit_jump_to(struct jit *j, enum x86_cc cc, uint32_t op, bool masked)
{
    uint32_t at = x86_jump(&j->x, cc);
    assert(j->f->unmasked || masked);
    if (j->f->unmasked && masked) {
        jit_cross(j, at, op);
        return;
    }
    if (jit_grow(j, (void **)&j->jumps, &j->jump_capacity, j->jump_count + 1,
                 sizeof *j->jumps))
        j->jumps[j->jump_count++] = jit_jump_from(j, at, op);
}

void
jit_return(struct jit *j, enum x86_cc cc)
{
    uint32_t at = x86_jump(&j->x, cc);
    if (jit_grow(j, (void **)&j->returns, &j->return_capacity,
                 j->return_count + 1, sizeof *j->returns))
        j->returns[j->return_count++] = at;
}

void
jit_prologue(struct jit *j)
{
    x86_enter(&j->x);
}

void
jit_leave(struct jit *j)
{
    x86_leave(&j->x);
}
