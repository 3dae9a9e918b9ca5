/* check.c: both tiers side by side.
 *
 * Compiled code runs on the caller's thread one block at a time; a second
 * thread state follows through the interpreter's general path. A message is
 * sent once: before compiled code may send it, it is compared with what the
 * follower would send; what the answer changed is copied.
 *
 * Threads are not run in rows here, nor two at a time: those have no blocks to
 * stop behind. What follows a beginning and precedes a last message there is
 * made by the same functions; unit tests (eu-rows, eu-row_loops) compare whole
 * rows of random kernels with the same threads one after the other. */
#include "eu/jit/check.h"

#include "base/fpmode.h"

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

/* What the answer leaves of its registers is what the follower has there:
 * compiled code does not store what an answer is to replace. */
static void
take_registers(struct pair *p, const struct eu_message *m)
{
    if (!m->rlen_grf)
        return;
    size_t at_B = (size_t)((uint8_t *)m->dst - p->t->grf);
    memcpy(m->dst, p->r.grf + at_B, m->rlen_grf * (size_t)EU_GRF_B);
    memcpy(p->before->grf + at_B, m->dst, m->rlen_grf * (size_t)EU_GRF_B);
}

/* The compiled code's. The true send function sees its own thread. */
static enum eu_msg_result
relay_message(struct eu_thread *t, const struct eu_message *m)
{
    struct pair *p = t->user;
    t->user = p->user;
    t->send = p->send;
    p->sent = true;
    p->unlike = !eu_check_message(p, m);
    take_registers(p, m);
    p->result = p->unlike ? EU_MSG_ERROR : t->send(t, m);
    return p->result;
}

/* What the follower makes of the message. */
static void
expect_message(struct pair *p, const struct eu_op *op, struct eu_thread *probe)
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
follow_send(struct pair *p, const struct eu_thread *before,
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

/* Channels that wait here join; as eu_op_join, without what follows. */
static void
wake(struct eu_thread *t, uint32_t ip_B)
{
    for (uint32_t waiting = ~t->live; waiting; waiting &= waiting - 1) {
        unsigned c = (unsigned)__builtin_ctz(waiting);
        if (t->chan_ip[c] == ip_B)
            t->live |= UINT32_C(1) << c;
    }
    eu_thread_update_mask(t);
}

static bool
run_send(struct pair *p, const struct eu_op *op)
{
    struct eu_thread before = *p->t, probe;
    int64_t one = 1;
    if (op->fn == eu_op_join)
        wake(&p->r, (op++)->ip);
    expect_message(p, op, &probe);
    p->before = &before;
    p->send = p->t->send;
    p->user = p->t->user;
    p->t->send = relay_message;
    p->t->user = p;
    /* All messages are to be seen. */
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

/* Compiled code does not part channels that all go to one place, where they
 * wait for each other: there the follower has none on, and may be a few steps
 * behind. */
static const struct eu_op *
catch_up(struct pair *p, const struct eu_op *op)
{
    if (!p->t->mask || p->r.mask)
        return op;
    for (unsigned n = 0; n < 4 && op && op->ip != p->t->ip; n++)
        op = op->slow(&p->r, op);
    if (op && op->fn == eu_op_join && !p->r.mask)
        wake(&p->r, op->ip);
    return op;
}

/* The block's ops from index on; returns the last one. */
static const struct eu_op *
follow(struct pair *p, uint32_t index)
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

/* One block in both tiers. LEFT: compiled code does not go on from here. */
static enum outcome
run_block(struct pair *p)
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
        op = follow(p, index);
        fpmode_set(p->t->mxcsr);
    }
    return same && eu_check_state(p, op) ? SAME : DIFFERENT;
}

/* The same block again, instruction by instruction, without messages: those
 * have a block to themselves. */
static void
find_instruction(struct pair *p, const struct eu_thread *t,
                 const struct eu_thread *r, uint32_t end_ip)
{
    struct eu_jit *jit = eu_jit_compile(
        p->jit->kernel, p->jit->cpu,
        EU_JIT_SPLIT | EU_JIT_STEP |
            (p->jit->flags & (EU_JIT_ALT | EU_JIT_DENORMALS)));
    struct eu_thread again = *t;
    struct pair q = {.jit = jit,
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
    struct pair p = {
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
