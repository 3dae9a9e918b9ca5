/* kernel.c: builds a struct eu_kernel from a client's bytes.
 *
 * It copies exactly the bytes that reachability.c decodes. Bytes after the last
 * reachable EOT are never read; later changes by the client have no effect. */
#include "eu/tiers/kernel.h"

#include "eu/predecode/predecode.h"
#include "eu/jit/jit.h"

#include <stdlib.h>

struct layout {
    struct eu_kernel *k;
    struct eu_reachability *w;
    uint32_t bad; /* index of the op that reports an error */
};

static uint32_t
op_at(const struct layout *l, int64_t offset)
{
    if (offset < 0 || (offset & 7) || offset >= l->k->size_B)
        return l->bad;
    uint32_t index = l->k->op_of[offset / 8];
    return index == EU_NO_OP ? l->bad : index;
}

static void
set_targets(const struct layout *l, struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    int64_t ip = insn->offset_B, next = ip + insn->length_B;
    int64_t jip = ip + insn->jip, uip = ip + insn->uip;
    uint32_t self = (uint32_t)(op - l->k->ops);
    eu_op_fn flow = eu_flow_fn(insn->opcode);

    op->next_B = (uint32_t)next;
    if (!flow && op->fn != eu_op_set_ip)
        return;
    if (insn->opcode == EU_OP_JMPI)
        jip = next + insn->jip;
    if (insn->opcode == EU_OP_CALLA)
        jip = insn->jip;
    uint32_t jip_op = op_at(l, jip), uip_op = op_at(l, uip);
    op->jip = (int32_t)jip_op - (int32_t)self;
    op->uip = (int32_t)uip_op - (int32_t)self;

    /* Channels that break wait after the WHILE that UIP names: a WHILE without
     * predicate would catch them again. */
    if (insn->opcode == EU_OP_BREAK && uip_op != l->bad) {
        const struct eu_op *target = &l->k->ops[uip_op];
        if (target->insn->opcode == EU_OP_WHILE)
            uip += target->insn->length_B;
    }
    op->jip_B = (uint32_t)jip;
    op->uip_B = (uint32_t)uip;

    bool has_jip = insn->src_count == 0 || insn->opcode == EU_OP_BRC;
    bool has_uip = insn->opcode == EU_OP_BREAK || insn->opcode == EU_OP_CONT ||
                   insn->opcode == EU_OP_HALT || insn->opcode == EU_OP_GOTO ||
                   insn->branch_ctrl;
    if (flow && insn->opcode != EU_OP_NOP &&
        ((has_jip && jip_op == l->bad) || (has_uip && uip_op == l->bad)))
        op->fn = op->slow = eu_op_bad;
}

/* Channels that break wait after a WHILE, see set_targets(). */
static bool
may_resume(const struct eu_insn *insn, unsigned mark)
{
    return (mark & EU_MARK_RESUME) ||
           ((mark & EU_MARK_BROKEN) && insn->opcode != EU_OP_WHILE);
}

/* The ops of the instruction at a unit: itself, perhaps a join before it and a
 * link to the unit after it. Writes them unless ops is NULL; returns their
 * number. */
static uint32_t
make_unit_ops(const struct eu_kernel *k, const struct eu_reachability *w,
              uint32_t u, struct eu_op *ops)
{
    const struct eu_insn *insn = &k->insns[w->insn_of[u]];
    uint32_t units = w->size_B / 8, count = 0;
    uint32_t next = u + insn->length_B / 8, after = u + 1;
    bool joins = w->all_resume || may_resume(insn, w->mark[u]);
    while (after < units && w->insn_of[after] == EU_NO_OP)
        after++;
    bool links = after != next || after >= units;
    if (joins && ops)
        ops[count] = (struct eu_op){
            .fn = eu_op_join,
            .slow = eu_op_join_slow,
            .insn = insn,
            .ip = insn->offset_B,
        };
    count += joins;
    if (ops)
        eu_op_predecode(&ops[count], insn);
    count++;
    if (links && ops)
        ops[count] = (struct eu_op){
            .fn = eu_op_link,
            .slow = eu_op_link,
            .insn = insn,
            .ip = next * 8,
        };
    return count + links;
}

/* Makes all ops but the last, or counts them. */
static uint32_t
make_all_ops(struct eu_kernel *k, const struct eu_reachability *w, bool make)
{
    uint32_t units = w->size_B / 8, count = 0;
    for (uint32_t u = 0; u < units; u++) {
        if (w->insn_of[u] == EU_NO_OP)
            continue;
        if (make)
            k->op_of[u] = count;
        count += make_unit_ops(k, w, u, make ? &k->ops[count] : NULL);
    }
    return count;
}

static bool
make_ops(struct eu_kernel *k, struct eu_reachability *w)
{
    uint32_t units = w->size_B / 8, count = make_all_ops(k, w, false) + 1;
    k->ops = aligned_alloc(64, count * sizeof *k->ops);
    k->op_of = malloc(units * sizeof *k->op_of);
    if (!k->ops || !k->op_of)
        return false;
    memset(k->op_of, 0xff, units * sizeof *k->op_of);
    make_all_ops(k, w, true);

    struct layout l = {.k = k, .w = w, .bad = count - 1};
    k->ops[count - 1] = (struct eu_op){
        .fn = eu_op_bad, .slow = eu_op_bad, .insn = &k->insns[0]};
    k->op_count = count;
    for (uint32_t i = 0; i + 1 < count; i++) {
        struct eu_op *op = &k->ops[i];
        if (op->fn == eu_op_link)
            op->jip = (int32_t)op_at(&l, op->ip) - (int32_t)i;
        else if (op->fn != eu_op_join)
            set_targets(&l, op);
    }
    return true;
}

/* Gives back what the array has grown too much. Without memory it stays. */
static void
trim_insns(struct eu_kernel *k)
{
    void *p = realloc(k->insns, k->insn_count * sizeof *k->insns);
    if (p)
        k->insns = p;
}

static void
note_surfaces(struct eu_kernel *k)
{
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct eu_insn *insn = &k->insns[i];
        if (!eu_insn_is_send(insn))
            continue;
        switch (insn->sfid) {
        case EU_SFID_NULL: k->any_surface |= insn->ex_desc_is_reg; break;
        case EU_SFID_SAMPLER:
        case EU_SFID_DC2:
        case EU_SFID_RENDER:
        case EU_SFID_CONST:
        case EU_SFID_DC0:
        case EU_SFID_DC1:
            if (insn->desc_is_reg)
                k->any_surface = true;
            else
                k->surfaces[(insn->desc & 0xff) / 32] |= UINT32_C(1)
                                                         << (insn->desc & 31);
            break;
        default: break;
        }
    }
}

static void
note_effects(struct eu_kernel *k)
{
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct eu_insn *insn = &k->insns[i];
        if (!eu_insn_is_send(insn))
            continue;
        switch (insn->sfid) {
        case EU_SFID_SAMPLER:
        case EU_SFID_CONST:
        case EU_SFID_URB:
        case EU_SFID_SPAWNER: break;
        default: k->impure = true;
        }
    }
}

void
eu_kernel_trace(const struct eu_kernel *k)
{
    trace(eu, "kernel %016llx: %u instructions, %u bytes",
          (unsigned long long)k->hash, k->insn_count, k->size_B);
    for (uint32_t u = 0; u < k->size_B / 8; u++) {
        if (k->op_of[u] == EU_NO_OP)
            continue;
        char text[256];
        const struct eu_op *op = &k->ops[k->op_of[u]];
        eu_disasm(text, sizeof text, op->insn, k->gen);
        trace(eu, "%6x: %s", op->ip, text);
    }
}

struct eu_kernel *
eu_kernel_build(const void *code, size_t avail_B, enum eu_gen gen)
{
    struct eu_reachability w = {.client = code, .avail_B = avail_B, .gen = gen};
    struct eu_kernel *k = calloc(1, sizeof *k);
    bool ok = k && avail_B >= 8 && eu_find_reachable(&w);
    if (ok) {
        k->gen = gen;
        k->code = w.code;
        k->size_B = w.size_B;
        k->insns = w.insns;
        k->insn_count = w.insn_count;
        w.code = NULL;
        w.insns = NULL;
        trim_insns(k);
        ok = make_ops(k, &w);
    } else if (avail_B < 8) {
        guest_error("kernel: no memory behind its start");
    }
    eu_reachability_free(&w);
    if (!ok) {
        eu_kernel_free(k);
        return NULL;
    }
    eu_initial_modes(k);
    note_surfaces(k);
    note_effects(k);
    eu_fallback_init(k);
    return k;
}

void
eu_kernel_free(struct eu_kernel *k)
{
    if (!k)
        return;
    eu_jit_free(k->jit);
    eu_jit_free(k->jit_alt);
    free(k->live_in);
    eu_fallback_trace(k);
    free(k->interpreted);
    free(k->code);
    free(k->insns);
    free(k->ops);
    free(k->op_of);
    free(k);
}

size_t
eu_kernel_size_B(const struct eu_kernel *kernel)
{
    return kernel->size_B;
}

bool
eu_kernel_is_pure(const struct eu_kernel *kernel)
{
    return !kernel->impure;
}

bool
eu_kernel_surfaces(const struct eu_kernel *kernel, uint32_t used[8])
{
    memcpy(used, kernel->surfaces, sizeof kernel->surfaces);
    return !kernel->any_surface;
}
