/* tier_check_state.c: comparison of thread states, and text for a difference.
 *
 * Registers are compared only while live, so the check also finds liveness
 * errors. An operation may return any NaN: the follower takes over compiled
 * code's NaN. */
#include "eu/jit/driver/tier_check.h"

#include <stdio.h>

bool
eu_check_differs(struct tier_pair *p, const struct eu_op *op, const char *what,
                 uint64_t jit, uint64_t interp)
{
    char insn[256];
    eu_disasm(insn, sizeof insn, op->insn, p->jit->kernel->gen);
    snprintf(p->text, p->text_size,
             "%s is 0x%llx, interpreted 0x%llx, after 0x%x: %s", what,
             (unsigned long long)jit, (unsigned long long)interp, op->ip, insn);
    return false;
}

static bool
both_nan(uint32_t a, uint32_t b)
{
    return (a & 0x7fffffff) > 0x7f800000 && (b & 0x7fffffff) > 0x7f800000;
}

/* The lane of op whose result lies at this byte of the register file, or -1. */
static int
lane_of(const struct eu_op *op, unsigned at_B)
{
    const struct eu_operand *d = &op->insn->dst;
    unsigned first_B = d->reg * EU_GRF_B + d->subreg_B;
    unsigned step_B = eu_type_size_B((enum eu_type)d->type) * d->hstride;
    if (d->file != EU_FILE_GRF || d->indirect || !step_B || at_B < first_B ||
        (at_B - first_B) / step_B >= op->lanes)
        return -1;
    return (int)((at_B - first_B) / step_B);
}

static bool
grf_differs(struct tier_pair *p, const struct eu_op *op, unsigned at_B)
{
    char what[64], lane[32] = "";
    uint32_t a, b;
    unsigned first = at_B;
    while (p->t->grf[first] == p->r.grf[first])
        first++;
    if (lane_of(op, first) >= 0)
        snprintf(lane, sizeof lane, " (lane %d)", lane_of(op, first));
    snprintf(what, sizeof what, "r%u.%u:ud%s", at_B / EU_GRF_B,
             at_B % EU_GRF_B / 4, lane);
    memcpy(&a, p->t->grf + at_B, 4);
    memcpy(&b, p->r.grf + at_B, 4);
    return eu_check_differs(p, op, what, a, b);
}

static bool
is_nan(const uint8_t *p, enum eu_type type)
{
    uint64_t v = 0;
    memcpy(&v, p, eu_type_size_B(type));
    switch (type) {
    case EU_TYPE_HF: return (v & 0x7fff) > 0x7c00;
    case EU_TYPE_F: return (v & 0x7fffffff) > 0x7f800000;
    case EU_TYPE_DF: return v << 1 > UINT64_C(0xffe0000000000000);
    default: return false;
    }
}

/* Whether the byte is part of op's result and NaN in both tiers; then the
 * follower takes it over. Covers every float type, also wider than a dword. */
static bool
took_nan_of(struct tier_pair *p, const struct eu_op *op, unsigned at_B)
{
    const struct eu_operand *d = &op->insn->dst;
    enum eu_type type = (enum eu_type)d->type;
    int lane = lane_of(op, at_B);
    if (lane < 0)
        return false;
    unsigned size_B = eu_type_size_B(type);
    unsigned from = d->reg * EU_GRF_B + d->subreg_B +
                    (unsigned)lane * d->hstride * size_B;
    if (at_B >= from + size_B || from + size_B > EU_GRF_FILE_B ||
        !is_nan(p->t->grf + from, type) || !is_nan(p->r.grf + from, type))
        return false;
    memcpy(p->r.grf + from, p->t->grf + from, size_B);
    return true;
}

/* took_nan_of() for any op of the block that ends with `last`. */
static bool
took_nan(struct tier_pair *p, const struct eu_op *last, unsigned at_B)
{
    for (const struct eu_op *op = last; op >= p->first; op--)
        if (op->fn != eu_op_join && took_nan_of(p, op, at_B))
            return true;
    return false;
}

static bool
same_dword(struct tier_pair *p, const struct eu_op *op, unsigned at_B)
{
    uint32_t a, b;
    memcpy(&a, p->t->grf + at_B, 4);
    memcpy(&b, p->r.grf + at_B, 4);
    if (both_nan(a, b))
        memcpy(p->r.grf + at_B, &a, 4);
    for (unsigned i = at_B; i < at_B + 4; i++)
        if (p->t->grf[i] != p->r.grf[i] && !took_nan(p, op, i))
            return grf_differs(p, op, at_B);
    return true;
}

static bool
same_grf(struct tier_pair *p, const struct eu_op *op, unsigned grf)
{
    unsigned from = grf * EU_GRF_B;
    if (!memcmp(p->t->grf + from, p->r.grf + from, EU_GRF_B))
        return true;
    for (unsigned at = from; at < from + EU_GRF_B; at += 4)
        if (!same_dword(p, op, at))
            return false;
    return true;
}

static bool
same_registers(struct tier_pair *p, const struct eu_op *op)
{
    const struct eu_thread *t = p->t;
    const struct eu_kernel *k = p->jit->kernel;
    bool full = (t->mask & p->jit->required_mask) == p->jit->required_mask;
    if (t->ip / 8 >= k->size_B / 8 || k->op_of[t->ip / 8] == EU_NO_OP)
        return true;
    const struct jit_set *live = &p->jit->places
                                      ->live[!full][k->op_of[t->ip / 8]];
    for (unsigned g = 0; g < EU_GRF_COUNT; g++)
        if (jit_set_has(live, g * EU_GRF_B, EU_GRF_B) && !same_grf(p, op, g))
            return false;
    return true;
}

/* Compares architecture registers, dword by dword; names the lane if they have
 * lanes. */
static bool
same_words(struct tier_pair *p, const struct eu_op *op, const char *name,
           const char *of_what, const void *jit, void *interp, size_t size_B)
{
    if (!memcmp(jit, interp, size_B))
        return true;
    for (unsigned i = 0; i < size_B / 4; i++) {
        uint32_t a, b;
        char what[96];
        memcpy(&a, (const uint8_t *)jit + i * 4, 4);
        memcpy(&b, (const uint8_t *)interp + i * 4, 4);
        if (a != b && !both_nan(a, b)) {
            snprintf(what, sizeof what, "%s (%s %u)", name, of_what, i);
            return eu_check_differs(p, op, what, a, b);
        }
        memcpy((uint8_t *)interp + i * 4, &a, 4);
    }
    return true;
}

/* One bit per channel: reports the first channel that differs. */
static bool
same_channels(struct tier_pair *p, const struct eu_op *op, const char *name,
              uint32_t jit, uint32_t interp)
{
    char what[64];
    if (jit == interp)
        return true;
    snprintf(what, sizeof what, "%s (channel %d)", name,
             __builtin_ctz(jit ^ interp));
    return eu_check_differs(p, op, what, jit, interp);
}

static bool
same_accumulators(struct tier_pair *p, const struct eu_op *op)
{
    const struct eu_thread *t = p->t;
    struct eu_thread *r = &p->r;
    char what[32];
    for (unsigned a = 0; a < ARRAY_SIZE(t->acc); a++) {
        snprintf(what, sizeof what, a < 2 ? "acc%u" : "mme%u",
                 a < 2 ? a : a - 2);
        if (!same_words(p, op, what, "dword", t->acc[a], r->acc[a],
                        sizeof t->acc[a]))
            return false;
    }
    for (unsigned i = 0; i < 32; i++) {
        int64_t jit = t->acc_wide[i / 16][i % 16];
        int64_t interp = r->acc_wide[i / 16][i % 16];
        if (jit == interp)
            continue;
        snprintf(what, sizeof what, "acc%u:q (lane %u)", i / 16, i % 16);
        return eu_check_differs(p, op, what, (uint64_t)jit, (uint64_t)interp);
    }
    return true;
}

static bool
same_flow(struct tier_pair *p, const struct eu_op *op)
{
    const struct eu_thread *t = p->t, *r = &p->r;
    char what[64];
    if (!same_channels(p, op, "live channels", t->live, r->live) ||
        !same_channels(p, op, "execution mask", t->mask, r->mask) ||
        (t->ip != r->ip && !eu_check_differs(p, op, "ip", t->ip, r->ip)))
        return false;
    for (unsigned c = 0; c < 32; c++) {
        if (t->live >> c & 1 || t->chan_ip[c] == r->chan_ip[c])
            continue;
        snprintf(what, sizeof what, "place where channel %u waits", c);
        return eu_check_differs(p, op, what, t->chan_ip[c], r->chan_ip[c]);
    }
    return true;
}

#define SAME(member)                                                 \
    same_words(p, op, #member, "dword", &p->t->member, &p->r.member, \
               sizeof p->t->member)

bool
eu_check_state(struct tier_pair *p, const struct eu_op *op)
{
    const struct eu_thread *t = p->t;
    struct eu_thread *r = &p->r;
    if (t->status != r->status)
        return eu_check_differs(p, op, "status", t->status, r->status);
    if (t->status == EU_FINISHED || t->status == EU_FAILED)
        return true;
    return same_flow(p, op) && same_channels(p, op, "f0", t->f[0], r->f[0]) &&
           same_channels(p, op, "f1", t->f[1], r->f[1]) && SAME(a0) &&
           same_accumulators(p, op) && SAME(cr0) && SAME(sr0) && SAME(n0) &&
           SAME(sp) && SAME(mxcsr) && SAME(clock) && same_registers(p, op);
}

/* ---- messages ---- */

static uint32_t
payload_word(const struct eu_message *m, unsigned i)
{
    const uint32_t *src0 = m->src0, *src1 = m->src1;
    return i < m->mlen_grf * 8u ? src0[i] : src1[i - m->mlen_grf * 8u];
}

static bool
same_payload(struct tier_pair *p, const struct eu_message *m)
{
    const struct eu_message *want = &p->expected.m;
    for (unsigned i = 0; i < (want->mlen_grf + want->ex_mlen_grf) * 8u; i++) {
        uint32_t a = payload_word(m, i), b = p->expected.payload[i];
        char what[64];
        if (a == b || both_nan(a, b))
            continue;
        snprintf(what, sizeof what, "message payload (register %u, dword %u)",
                 i / 8, i % 8);
        return eu_check_differs(p, p->op, what, a, b);
    }
    return true;
}

bool
eu_check_message(struct tier_pair *p, const struct eu_message *m)
{
    const struct eu_message *want = &p->expected.m;
    const struct {
        const char *what;
        uint32_t jit, interp;
    } parts[] = {
        {"message to a function", m->sfid, want->sfid},
        {"message descriptor", m->desc, want->desc},
        {"extended message descriptor", m->ex_desc, want->ex_desc},
        {"end of thread", m->eot, want->eot},
        {"first channel of a message", m->chan_offset, want->chan_offset},
        {"width of a message", m->exec_size, want->exec_size},
        {"payload of a message", m->mlen_grf, want->mlen_grf},
        {"second payload of a message", m->ex_mlen_grf, want->ex_mlen_grf},
        {"answer to a message", m->rlen_grf, want->rlen_grf},
    };
    if (!p->expected.sent)
        return eu_check_differs(p, p->op, "message", 1, 0);
    for (unsigned i = 0; i < ARRAY_SIZE(parts); i++)
        if (parts[i].jit != parts[i].interp)
            return eu_check_differs(p, p->op, parts[i].what, parts[i].jit,
                                    parts[i].interp);
    return same_channels(p, p->op, "message mask", m->exec_mask,
                         want->exec_mask) &&
           same_payload(p, m);
}
