/* apart.h: follows the instructions one by one, in their order, to find out
 * whether their lanes keep to themselves (apart.c). */
#ifndef EU_APART_H
#define EU_APART_H

#include "eu/jit/compile.h"

/* What a register holds: the same whatever channels are on; or in dword i the
 * value of channel home + i, rubbish if that is off; or rubbish anywhere. */
enum { JIT_SAME = -1000, JIT_ANYWHERE = -1001 };

struct jit_apart {
    const struct eu_op *op;
    const struct jit_regs *regs;
    int16_t grf[EU_GRF_COUNT + 1];
    int16_t flag[2][2]; /* per 16 bits; dword i is bit i of 32 */
    bool quads;         /* lanes of a quad may see each other */
    bool rubbish;       /* of the instruction now followed: it reads some */
    bool ended;         /* and all went well */
};

void jit_apart_begin(struct jit_apart *f);
/* False: no more. */
bool jit_apart_follow(struct jit_apart *f, const struct eu_op *op,
                      const struct jit_regs *regs);

/* What this register and the next one hold. */
static inline uint32_t
jit_homes(int home, int next)
{
    return (uint32_t)(uint16_t)home | (uint32_t)next << 16;
}

/* Most instructions: whole registers of eight or sixteen channels, scalars and
 * immediates, to whole registers. False: look closer. Only for ops that are
 * EU_PLAIN_GRFS, by their fast function. */
static inline bool
jit_apart_follow_plain(struct jit_apart *f, const struct eu_op *op,
                       const struct jit_regs *regs)
{
    const uint32_t all_same = jit_homes(JIT_SAME, JIT_SAME);
    bool pair = op->lanes == 16;
    uint32_t home = jit_homes(op->chan, op->chan + 8), now;
    uint32_t mask = pair ? UINT32_MAX : 0xffff, changed = !op->no_mask;
    unsigned g = op->dst_off_B / EU_GRF_B;
    if (!(op->plain & EU_PLAIN_ALIGNED) || op->pred || op->cmod ||
        (!pair && op->lanes != 8) || (op->post & ~EU_POST_SAT) ||
        !(regs->kills.w[g / 64] >> g % 64 & 1))
        return false;
    const struct eu_op_src *end = op->src + op->src_count;
    for (const struct eu_op_src *src = op->src; src < end; src++) {
        if (src->cls == EU_SRC_IMM)
            continue;
        memcpy(&now, &f->grf[src->off_B / EU_GRF_B], sizeof now);
        if (src->cls == EU_SRC_SCALAR) {
            if ((now ^ all_same) & 0xffff)
                return false;
            continue;
        }
        if (!((now ^ all_same) & mask))
            continue;
        if ((now ^ home) & mask)
            return false;
        changed = 1;
    }
    now = changed ? home : all_same;
    if (pair) /* read as a whole, too */
        memcpy(&f->grf[g], &now, sizeof now);
    else
        f->grf[g] = (int16_t)now;
    return true;
}

#endif
