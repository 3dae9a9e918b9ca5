/* tier_check.c: compares both tiers, block by block.
 *
 * Compiled code runs one block at a time on the caller's thread state. A second
 * state, the follower, runs through the interpreter's general path. Each
 * message is sent once: first, compiled code's message is compared with the
 * follower's. The answer's changes are copied to the follower.
 *
 * Chains and lockstep are not checked: they have no blocks to stop after. Their
 * beginnings and last messages come from the same functions. Unit tests
 * (eu-epilogue, eu-lockstep_loop) compare whole chains of random kernels with
 * single threads. */
#include "eu/jit/driver/tier_check.h"

#include "base/fpmode.h"
#include "eu/jit/analysis/analysis.h"

/* ---- messages ---- */

/* The follower's send function: keeps the message. */
static enum eu_msg_result
keep_message(struct eu_thread *t, const struct eu_message *m)
{
    struct check_message *c = t->user;
    c->sent = true;
    c->m = *m;
    memcpy(c->payload, m->src0, m->mlen_grf * (size_t)EU_GRF_B);
    if (m->src1)
        memcpy(c->payload + m->mlen_grf * 8u, m->src1,
               m->ex_mlen_grf * (size_t)EU_GRF_B);
    return EU_MSG_OK;
}

/* Before the message, gives the answer's registers the follower's values:
 * compiled code need not store registers that an answer replaces. */
static void
take_registers(struct tier_pair *p, const struct eu_message *m)
{
    if (!m->rlen_grf)
        return;
    size_t at_B = (size_t)((uint8_t *)m->dst - p->t->grf);
    memcpy(m->dst, p->r.grf + at_B, m->rlen_grf * (size_t)EU_GRF_B);
    memcpy(p->before->grf + at_B, m->dst, m->rlen_grf * (size_t)EU_GRF_B);
}

/* Compiled code's send function. The real one sees its own thread. */
static enum eu_msg_result
relay_message(struct eu_thread *t, const struct eu_message *m)
{
    struct tier_pair *p = t->user;
    t->user = p->user;
    t->send = p->send;
    p->sent = true;
    p->unlike = !eu_check_message(p, m);
    take_registers(p, m);
    p->result = p->unlike ? EU_MSG_ERROR : t->send(t, m);
    return p->result;
}

/* Runs the follower's send to get the expected message. */
static void
expect_message(struct tier_pair *p, const struct eu_op *op,
               struct eu_thread *probe)
{
    *probe = p->r;
    probe->send = keep_message;
    probe->user = &p->expected;
    p->expected.sent = p->sent = p->unlike = false;
    p->result = EU_MSG_OK;
    p->op = op;
    op->slow(probe, op);
}

static bool
follow_send(struct tier_pair *p, const struct eu_thread *before,
            const struct eu_thread *probe)
{
    const struct eu_thread *t = p->t;
    struct eu_thread *r = &p->r;
    if (p->unlike)
        return false;
    if (p->expected.sent != p->sent)
        return eu_check_differs(p, p->op, "message", p->sent, p->expected.sent);
    for (unsigned i = 0; i < EU_GRF_FILE_B; i++)
        if (t->grf[i] != before->grf[i])
            r->grf[i] = t->grf[i];
    memcpy(r->n0, t->n0, sizeof r->n0);
    r->clock = t->clock;
    r->message_count = t->message_count;
    r->ip = t->ip;
    r->status = p->result == EU_MSG_ERROR ? EU_FAILED : probe->status;
    return true;
}

/* Wakes the channels that wait at ip_B: eu_op_join() without the next op. */
static void
wake_channels(struct eu_thread *t, uint32_t ip_B)
{
    for (uint32_t waiting = ~t->live; waiting; waiting &= waiting - 1) {
        unsigned c = (unsigned)__builtin_ctz(waiting);
        if (t->chan_ip[c] == ip_B)
            t->live |= UINT32_C(1) << c;
    }
    eu_thread_update_mask(t);
}

static bool
run_send(struct tier_pair *p, const struct eu_op *op)
{
    struct eu_thread before = *p->t, probe;
    int64_t one = 1;
    if (op->fn == eu_op_join)
        wake_channels(&p->r, (op++)->ip);
    expect_message(p, op, &probe);
    p->before = &before;
    p->send = p->t->send;
    p->user = p->t->user;
    p->t->send = relay_message;
    p->t->user = p;
    /* The send function must see all messages. */
    p->t->direct = eu_no_direct;
    p->t->arrived = NULL;
    p->t->ends_quietly = false;
    fpmode_set(p->t->mxcsr);
    eu_jit_enter(p->jit, p->t, &one);
    p->t->send = p->send;
    p->t->user = p->user;
    p->t->direct = before.direct;
    p->t->arrived = before.arrived;
    p->t->ends_quietly = before.ends_quietly;
    return follow_send(p, &before, &probe);
}

/* ---- blocks ---- */

/* Compiled code does not park channels that all go to one join. The follower
 * parks them, has no active channel and may be a few steps behind. */
static const struct eu_op *
catch_up(struct tier_pair *p, const struct eu_op *op)
{
    if (!p->t->mask || p->r.mask)
        return op;
    for (unsigned n = 0; n < 4 && op && op->ip != p->t->ip; n++)
        op = op->slow(&p->r, op);
    if (op && op->fn == eu_op_join && !p->r.mask)
        wake_channels(&p->r, op->ip);
    return op;
}

/* Runs the block's ops from index on in the follower; returns the last op. */
static const struct eu_op *
follow_block(struct tier_pair *p, uint32_t index)
{
    const struct eu_kernel *k = p->jit->kernel;
    const struct eu_op *op = &k->ops[index], *now = op;
    uint32_t end = index + 1;
    while (end < k->op_count && !(p->jit->places->start[end] & JIT_START))
        end++;
    do {
        now = op;
        op = now->slow(&p->r, now);
        if (now->fn == eu_op_join)
            now++;
    } while (op && op > now && op < &k->ops[end]);
    if (op)
        op = catch_up(p, op);
    if (op)
        p->r.ip = op->ip;
    return now;
}

enum outcome { LEFT, SAME, DIFFERENT };

/* Runs one block in both tiers. LEFT: compiled code does not continue here. */
static enum outcome
run_block(struct tier_pair *p)
{
    const struct eu_kernel *k = p->jit->kernel;
    if (!eu_jit_enters(p->jit, p->t))
        return LEFT;
    uint32_t index = k->op_of[p->t->ip / 8];
    const struct eu_op *op = &k->ops[index];
    bool same = true, send = jit_is_send(op->fn == eu_op_join ? op + 1 : op);
    p->sent = false;
    p->first = op;
    if (send && p->silent)
        return LEFT;
    if (send) {
        same = run_send(p, op);
        op = p->op;
    } else {
        int64_t one = 1;
        eu_jit_enter(p->jit, p->t, &one);
        fpmode_set(p->r.mxcsr);
        op = follow_block(p, index);
        fpmode_set(p->t->mxcsr);
    }
    return same && eu_check_state(p, op) ? SAME : DIFFERENT;
}

/* Runs the block again, instruction by instruction. It has no messages: a
 * message is a block of its own. */
static void
find_instruction(struct tier_pair *p, const struct eu_thread *t,
                 const struct eu_thread *r, uint32_t end_ip)
{
    struct eu_jit *jit = eu_jit_compile(
        p->jit->kernel, p->jit->cpu,
        EU_JIT_SPLIT | EU_JIT_STEP |
            (p->jit->flags & (EU_JIT_ALT | EU_JIT_DENORMALS)));
    struct eu_thread again = *t;
    struct tier_pair q = {.jit = jit,
                          .t = &again,
                          .r = *r,
                          .text = p->text,
                          .text_size = p->text_size,
                          .silent = true};
    fpmode_set(t->mxcsr);
    for (unsigned n = 0; jit && n < 100000; n++) {
        if (again.status != EU_RUNNING || (n && again.ip == end_ip) ||
            run_block(&q) != SAME)
            break;
    }
    eu_jit_free(jit);
}

bool
eu_jit_agrees(const struct eu_jit *jit, struct eu_thread *t, uint64_t *left,
              char *text, size_t text_size)
{
    struct tier_pair p = {
        .jit = jit, .t = t, .r = *t, .text = text, .text_size = text_size};
    while (t->status == EU_RUNNING && *left) {
        struct eu_thread old_t = *t, old_r = p.r;
        enum outcome outcome = run_block(&p);
        if (outcome == LEFT)
            return true;
        --*left;
        if (outcome == SAME)
            continue;
        if (!p.sent)
            find_instruction(&p, &old_t, &old_r, t->ip);
        return false;
    }
    return true;
}
