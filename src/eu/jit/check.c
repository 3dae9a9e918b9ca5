/* check.c: both tiers side by side.
 *
 * Compiled code runs on the caller's thread one block at a time; a second
 * thread state follows through the interpreter's general path. Messages are
 * sent once: what an answer changed is copied. Registers are compared where
 * they are still needed, so an error in that knowledge shows as well. Which
 * NaN an operation gives is unspecified: one is as good as another. */
#include "eu/jit/code.h"

#include <stdio.h>

#include "eu/interp/fpmode.h"

struct pair {
    const struct eu_jit *jit;
    struct eu_thread *t; /* runs compiled code */
    struct eu_thread r;  /* follows */
    char *text;
    size_t text_size;
};

static void
describe_op(const struct pair *p, const struct eu_op *op, char *text,
            size_t size)
{
    eu_disasm(text, size, op->insn, p->jit->kernel->gen);
}

static bool
differs(struct pair *p, const struct eu_op *op, const char *what,
        unsigned index, uint64_t jit, uint64_t interp)
{
    char insn[256];
    describe_op(p, op, insn, sizeof insn);
    snprintf(p->text, p->text_size,
             "%s[%u] is 0x%llx, interpreted 0x%llx, after 0x%x: %s", what,
             index, (unsigned long long)jit, (unsigned long long)interp, op->ip,
             insn);
    return false;
}

static bool
both_nan(uint32_t a, uint32_t b)
{
    return (a & 0x7fffffff) > 0x7f800000 && (b & 0x7fffffff) > 0x7f800000;
}

/* The follower takes over other NaNs. */
static bool
same_words(struct pair *p, const struct eu_op *op, const char *what,
           const void *jit, void *interp, size_t size_B)
{
    for (unsigned i = 0; i < size_B / 4; i++) {
        uint32_t a, b;
        memcpy(&a, (const uint8_t *)jit + i * 4, 4);
        memcpy(&b, (const uint8_t *)interp + i * 4, 4);
        if (a != b && !both_nan(a, b))
            return differs(p, op, what, i, a, b);
        memcpy((uint8_t *)interp + i * 4, &a, 4);
    }
    return true;
}

#define SAME(member) \
    same_words(p, op, #member, &t->member, &r->member, sizeof t->member)

static bool
same_registers(struct pair *p, const struct eu_op *op)
{
    const struct eu_thread *t = p->t;
    struct eu_thread *r = &p->r;
    const struct eu_kernel *k = p->jit->kernel;
    bool full = (t->mask & p->jit->need) == p->jit->need;
    if (t->ip / 8 >= k->size_B / 8 || k->op_of[t->ip / 8] == EU_NO_OP)
        return true;
    const struct jit_set *live = &p->jit->live[!full][k->op_of[t->ip / 8]];
    for (unsigned g = 0; g < EU_GRF_COUNT; g++) {
        unsigned at = g * EU_GRF_B;
        const struct eu_operand *d = &op->insn->dst;
        if (!jit_set_has(live, at, EU_GRF_B) ||
            !memcmp(t->grf + at, r->grf + at, EU_GRF_B))
            continue;
        char name[64];
        unsigned i = 0;
        while (t->grf[at + i] == r->grf[at + i])
            i++;
        unsigned size_B = eu_type_size_B((enum eu_type)d->type);
        int lane = -1;
        if (d->file == EU_FILE_GRF && !d->indirect && d->hstride)
            lane = (int)(at + i - d->reg * EU_GRF_B - d->subreg_B) /
                   (int)(size_B * d->hstride);
        snprintf(name, sizeof name, "lane %d: r%u dword", lane, g);
        if (!same_words(p, op, name, t->grf + at, r->grf + at, EU_GRF_B))
            return false;
    }
    return true;
}

static bool
same_state(struct pair *p, const struct eu_op *op)
{
    const struct eu_thread *t = p->t;
    struct eu_thread *r = &p->r;
    if (t->status != r->status)
        return differs(p, op, "status", 0, t->status, r->status);
    if (t->status == EU_FINISHED || t->status == EU_FAILED)
        return true;
    for (unsigned c = 0; c < 32; c++)
        if (!(t->live >> c & 1) && t->chan_ip[c] != r->chan_ip[c])
            return differs(p, op, "chan_ip", c, t->chan_ip[c], r->chan_ip[c]);
    return SAME(live) && SAME(mask) && SAME(ip) && SAME(f) && SAME(a0) &&
           SAME(acc) && SAME(acc_wide) && SAME(cr0) && SAME(sr0) && SAME(n0) &&
           SAME(sp) && SAME(clock) && same_registers(p, op);
}

/* ---- following ---- */

static void
follow_send(struct pair *p, const struct eu_thread *before)
{
    const struct eu_thread *t = p->t;
    struct eu_thread *r = &p->r;
    for (unsigned i = 0; i < EU_GRF_FILE_B; i++)
        if (t->grf[i] != before->grf[i])
            r->grf[i] = t->grf[i];
    memcpy(r->n0, t->n0, sizeof r->n0);
    r->clock = t->clock;
    r->status = t->status;
    r->ip = t->ip;
}

/* The block's ops from index on; returns the last one. */
static const struct eu_op *
follow(struct pair *p, uint32_t index)
{
    const struct eu_kernel *k = p->jit->kernel;
    const struct eu_op *op = &k->ops[index], *now = op;
    uint32_t end = index + 1;
    while (end < k->op_count && !(p->jit->start[end] & JIT_START))
        end++;
    do {
        now = op;
        op = now->slow(&p->r, now);
        if (now->fn == eu_op_join)
            now++;
    } while (op && op > now && op < &k->ops[end]);
    if (op)
        p->r.ip = op->ip;
    return now;
}

static bool
run_block(struct pair *p, const struct eu_op **last)
{
    const struct eu_kernel *k = p->jit->kernel;
    struct eu_thread before = *p->t;
    uint32_t index = k->op_of[p->t->ip / 8];
    const struct eu_op *op = &k->ops[index];
    int64_t one = 1;
    if (!eu_jit_enter(p->jit, p->t, &one))
        return false;
    if (op->fn == eu_op_join && jit_is_send(op + 1)) {
        eu_jit_wake(&p->r, op->ip);
        op++;
    }
    if (jit_is_send(op)) {
        follow_send(p, &before);
        *last = op;
    } else {
        fpmode_set(p->r.mxcsr);
        *last = follow(p, index);
        fpmode_set(p->t->mxcsr);
    }
    return true;
}

/* The same block again, instruction by instruction. */
static void
find_instruction(struct pair *p, const struct eu_thread *t,
                 const struct eu_thread *r, uint32_t end_ip)
{
    struct eu_jit *jit = eu_jit_compile(p->jit->kernel, p->jit->cpu,
                                        EU_JIT_SPLIT | EU_JIT_STEP);
    struct eu_thread again = *t;
    struct pair q = {.jit = jit,
                     .t = &again,
                     .r = *r,
                     .text = p->text,
                     .text_size = p->text_size};
    const struct eu_op *last;
    fpmode_set(t->mxcsr);
    for (unsigned n = 0; jit && n < 100000; n++) {
        if (again.status != EU_RUNNING || (n && again.ip == end_ip) ||
            !run_block(&q, &last) || !same_state(&q, last))
            break;
    }
    eu_jit_free(jit);
}

bool
eu_jit_agrees(const struct eu_jit *jit, struct eu_thread *t, uint64_t *left,
              char *text, size_t text_size)
{
    struct pair p = {
        .jit = jit, .t = t, .r = *t, .text = text, .text_size = text_size};
    const struct eu_op *last;
    while (t->status == EU_RUNNING && *left) {
        struct eu_thread old_t = *t, old_r = p.r;
        if (!run_block(&p, &last))
            return true;
        --*left;
        if (!same_state(&p, last)) {
            find_instruction(&p, &old_t, &old_r, t->ip);
            return false;
        }
    }
    return true;
}
