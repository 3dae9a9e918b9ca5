/* build.c: from a client's bytes to a struct eu_kernel.
 *
 * Follows the code from its first instruction along every way it can go and
 * copies exactly what it decodes: what lies behind the last reachable EOT is
 * never looked at, and later changes by the client have no effect. */
#include "eu/jit/jit.h"

#include <stdlib.h>

/* Instructions of a kernel that makes us guess where code is. */
#define MAX_GUESSED 16384u

enum mark {
    MARK_SEEN = 1,   /* queued or decoded */
    MARK_RESUME = 2, /* channels may be parked here */
    MARK_MAYBE = 4,  /* may be no code at all */
    MARK_BROKEN = 8, /* UIP of a BREAK */
};

struct walk {
    const uint8_t *client;
    size_t avail_B;
    enum eu_gen gen;
    uint8_t *code; /* what was read so far, and two arrays per 8 bytes */
    uint8_t *mark;
    uint32_t *insn_of;
    uint32_t size_B, capacity_B;
    struct eu_insn *insns;
    uint32_t insn_count, insn_capacity;
    uint32_t *todo; /* offsets */
    uint32_t todo_count, todo_capacity;
    bool all_resume; /* a branch's target is known only when it runs */
    bool maybe;      /* what is being followed has MARK_MAYBE */
    bool computed;   /* some jump is computed */
};

static bool
grow(void **array, uint32_t *capacity, uint32_t need, size_t item_B)
{
    if (need <= *capacity)
        return true;
    uint32_t want = MAX2(need, *capacity * 2);
    want = MAX2(want, 64);
    void *p = realloc(*array, want * item_B);
    if (!p)
        return false;
    *array = p;
    *capacity = want;
    return true;
}

/* Makes the bytes before end_B part of the private copy. */
static bool
reserve(struct walk *w, uint32_t end_B)
{
    uint32_t old_units = w->capacity_B / 8, capacity = w->capacity_B;
    if (!grow((void **)&w->code, &capacity, ALIGN_POT(end_B, 8), 1))
        return false;
    capacity &= ~7u;
    uint32_t units = capacity / 8;
    if (units != old_units) {
        uint8_t *mark = realloc(w->mark, units);
        if (mark)
            w->mark = mark;
        uint32_t *insn_of = realloc(w->insn_of, units * sizeof *insn_of);
        if (insn_of)
            w->insn_of = insn_of;
        if (!mark || !insn_of)
            return false;
        memset(mark + old_units, 0, units - old_units);
        memset(insn_of + old_units, 0xff,
               (units - old_units) * sizeof *insn_of);
        w->capacity_B = capacity;
    }
    return true;
}

static void
copy_client(struct walk *w, uint32_t end_B)
{
    if (end_B > w->size_B) {
        memcpy(w->code + w->size_B, w->client + w->size_B, end_B - w->size_B);
        w->size_B = end_B;
    }
}

static bool
target_ok(const struct walk *w, int64_t target)
{
    return target >= 0 && !(target & 7) && target < (int64_t)w->avail_B &&
           target < EU_KERNEL_MAX_B;
}

/* Targets outside the kernel are not followed; the branch fails if it runs. */
static bool
visit(struct walk *w, int64_t target, unsigned marks)
{
    if (!target_ok(w, target))
        return true;
    uint32_t off = (uint32_t)target;
    if (!reserve(w, off + 16))
        return false;
    unsigned old = w->mark[off / 8];
    w->mark[off / 8] = (uint8_t)(old | (marks & (MARK_RESUME | MARK_BROKEN)) |
                                 MARK_SEEN);
    if (old & MARK_SEEN)
        return true;
    if (w->maybe || (marks & MARK_MAYBE))
        w->mark[off / 8] |= MARK_MAYBE;
    if (!grow((void **)&w->todo, &w->todo_capacity, w->todo_count + 1,
              sizeof *w->todo))
        return false;
    w->todo[w->todo_count++] = off;
    return true;
}

static bool
is_send(const struct eu_insn *insn)
{
    return insn->opcode >= EU_OP_SEND && insn->opcode <= EU_OP_SENDSC;
}

static bool
writes_ip(const struct eu_insn *insn)
{
    return insn->dst.file == EU_FILE_ARF && (insn->dst.reg & 0xf0) == EU_ARF_IP;
}

/* A jump whose target is known only when it runs. */
static bool
is_computed_jump(const struct eu_insn *insn)
{
    switch (insn->opcode) {
    case EU_OP_JMPI:
    case EU_OP_BRD:
    case EU_OP_BRC:
    case EU_OP_CALL:
    case EU_OP_CALLA: return insn->src_count > 0;
    default: return writes_ip(insn);
    }
}

static bool
falls_through(const struct eu_insn *insn)
{
    switch (insn->opcode) {
    case EU_OP_JMPI:
    case EU_OP_RET: return insn->pred_ctrl != 0;
    default: return !(is_send(insn) && insn->eot) && !writes_ip(insn);
    }
}

static bool
visit_successors(struct walk *w, const struct eu_insn *insn)
{
    int64_t ip = insn->offset_B, next = ip + insn->length_B;
    int64_t jip = ip + insn->jip, uip = ip + insn->uip;
    bool is_reg = insn->src_count > 0, ok = true;

    w->computed |= is_computed_jump(insn);
    if (falls_through(insn)) {
        if (!target_ok(w, next)) {
            if (!w->maybe)
                guest_error("kernel: no EOT before the end of memory");
            return w->maybe;
        }
        ok = visit(w, next, 0);
    }

    switch (insn->opcode) {
    case EU_OP_IF:
    case EU_OP_ELSE:
        ok = ok && visit(w, jip, MARK_RESUME);
        if (insn->branch_ctrl)
            ok = ok && visit(w, uip, MARK_RESUME);
        break;
    case EU_OP_ENDIF:
    case EU_OP_JOIN: ok = ok && visit(w, jip, 0); break;
    case EU_OP_WHILE:
        ok = ok && visit(w, jip, 0) && visit(w, next, MARK_RESUME);
        break;
    case EU_OP_BREAK:
        ok = ok && visit(w, jip, 0) && visit(w, uip, MARK_BROKEN);
        break;
    case EU_OP_CONT:
    case EU_OP_HALT:
        ok = ok && visit(w, jip, 0) && visit(w, uip, MARK_RESUME);
        break;
    case EU_OP_GOTO:
        ok = ok && visit(w, jip, 0) && visit(w, uip, MARK_RESUME) &&
             visit(w, next, MARK_RESUME);
        break;
    case EU_OP_JMPI:
        if (!is_reg)
            ok = ok && visit(w, next + insn->jip, 0);
        break;
    case EU_OP_CALL:
    case EU_OP_CALLA:
        if (!is_reg)
            ok = ok && visit(w, insn->opcode == EU_OP_CALLA ? insn->jip : jip,
                             MARK_RESUME);
        ok = ok && visit(w, next, MARK_RESUME);
        break;
    case EU_OP_BRD:
    case EU_OP_BRC:
        w->all_resume |= is_reg;
        if (!is_reg)
            ok = ok && visit(w, jip, MARK_RESUME) &&
                 visit(w, insn->opcode == EU_OP_BRD ? next : uip, MARK_RESUME);
        break;
    default: break;
    }
    return ok;
}

/* Says why there is no instruction; false ends the walk. */
static bool
no_instruction(const struct walk *w, uint32_t off, const char *why)
{
    if (!w->maybe)
        guest_error("kernel: instruction at 0x%x: %s", off, why);
    return w->maybe;
}

/* False ends the walk; *insn is NULL where no instruction is. */
static bool
decode_one(struct walk *w, uint32_t off, struct eu_insn **out)
{
    *out = NULL;
    if (!grow((void **)&w->insns, &w->insn_capacity, w->insn_count + 1,
              sizeof *w->insns))
        return false;

    /* One read of the client's memory: decode the copy. */
    uint8_t bytes[16];
    size_t avail = MIN2(w->avail_B - off, 16);
    if (avail < 8)
        return no_instruction(w, off, "no EOT before the end of memory");
    memcpy(bytes, off + 8 <= w->size_B ? w->code + off : w->client + off, 8);
    size_t length = bytes[3] & 0x20 ? 8 : 16; /* CmptCtrl */
    if (length <= avail) {
        copy_client(w, off + (uint32_t)length);
        memcpy(bytes, w->code + off, length);
    }

    struct eu_insn *insn = &w->insns[w->insn_count];
    const char *why = NULL;
    if (!eu_decode(insn, bytes, MIN2(length, avail), w->gen, &why) ||
        insn->length_B > length)
        return no_instruction(w, off, why ? why : "changed while it was read");
    if (insn->opcode == EU_OP_ILLEGAL)
        return no_instruction(w, off, "illegal");
    insn->offset_B = off;
    w->insn_of[off / 8] = w->insn_count++;
    *out = insn;
    return true;
}

static bool
follow(struct walk *w)
{
    while (w->todo_count) {
        uint32_t off = w->todo[--w->todo_count];
        struct eu_insn *insn;
        w->maybe = w->mark[off / 8] & MARK_MAYBE;
        if (!decode_one(w, off, &insn))
            return false;
        if (insn && !visit_successors(w, insn))
            return false;
    }
    return true;
}

static bool
walk_code(struct walk *w)
{
    bool ok = visit(w, 0, 0) && follow(w);
    /* Where a computed jump goes only its run will tell: code that nothing
     * else leads to may be meant. */
    for (uint32_t i = 0; ok && w->computed && i < w->insn_count; i++) {
        const struct eu_insn *insn = &w->insns[i];
        int64_t next = (int64_t)insn->offset_B + insn->length_B;
        if (w->insn_count < MAX_GUESSED)
            ok = visit(w, next, MARK_MAYBE) && follow(w);
    }
    return ok;
}

/* ---- ops ---- */

struct layout {
    struct eu_kernel *k;
    struct walk *w;
    uint32_t bad; /* index of the op that ends in an error */
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

    /* Broken channels wait behind the WHILE that UIP names: a WHILE without
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

/* Broken channels wait behind a WHILE, see set_targets(). */
static bool
resumes(const struct eu_insn *insn, unsigned mark)
{
    return (mark & MARK_RESUME) ||
           ((mark & MARK_BROKEN) && insn->opcode != EU_OP_WHILE);
}

static bool
make_ops(struct eu_kernel *k, struct walk *w)
{
    uint32_t units = w->size_B / 8, count = 0;
    /* At most a join before and a link after each, and the bad op. */
    k->ops = aligned_alloc(
        64, ALIGN_POT((w->insn_count * 3 + 1) * sizeof *k->ops, 64));
    k->op_of = malloc(units * sizeof *k->op_of);
    if (!k->ops || !k->op_of)
        return false;
    memset(k->op_of, 0xff, units * sizeof *k->op_of);

    for (uint32_t u = 0; u < units; u++) {
        if (w->insn_of[u] == EU_NO_OP)
            continue;
        const struct eu_insn *insn = &k->insns[w->insn_of[u]];
        k->op_of[u] = count;
        if (w->all_resume || resumes(insn, w->mark[u])) {
            k->ops[count++] = (struct eu_op){
                .fn = eu_op_join,
                .slow = eu_op_join_slow,
                .insn = insn,
                .ip = insn->offset_B,
            };
        }
        eu_op_lower(&k->ops[count++], insn);

        uint32_t next = u + insn->length_B / 8, after = u + 1;
        while (after < units && w->insn_of[after] == EU_NO_OP)
            after++;
        if (after != next || after >= units)
            k->ops[count++] = (struct eu_op){
                .fn = eu_op_link,
                .slow = eu_op_link,
                .insn = insn,
                .ip = next * 8,
            };
    }

    struct layout l = {.k = k, .w = w, .bad = count};
    k->ops[count++] = (struct eu_op){
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

static void
note_surfaces(struct eu_kernel *k)
{
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct eu_insn *insn = &k->insns[i];
        if (!is_send(insn))
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
        if (!is_send(insn))
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
    struct walk w = {.client = code, .avail_B = avail_B, .gen = gen};
    struct eu_kernel *k = calloc(1, sizeof *k);
    bool ok = k && avail_B >= 8 && walk_code(&w);
    if (ok) {
        k->gen = gen;
        k->code = w.code;
        k->size_B = w.size_B;
        k->insns = w.insns;
        k->insn_count = w.insn_count;
        w.code = NULL;
        w.insns = NULL;
        ok = make_ops(k, &w);
    } else if (avail_B < 8) {
        guest_error("kernel: no memory behind its start");
    }
    free(w.code);
    free(w.insns);
    free(w.mark);
    free(w.insn_of);
    free(w.todo);
    if (!ok) {
        eu_kernel_free(k);
        return NULL;
    }
    note_surfaces(k);
    note_effects(k);
    eu_coverage_init(k);
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
    eu_coverage_trace(k);
    free(k->interpreted);
    free(k->code);
    free(k->insns);
    free(k->ops);
    free(k->op_of);
    free(k);
}
