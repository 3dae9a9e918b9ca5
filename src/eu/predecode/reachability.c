/* reachability.c: follows a client's code from its first instruction along
 * every path. */
#include "eu/predecode/predecode.h"

#include <stdlib.h>

/* Limit for kernels in which we must guess where code is. */
#define MAX_GUESSED 16384u

static bool
grow_array(void **array, uint32_t *capacity, uint32_t need, size_t item_B)
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

/* Makes room in the private copy and its arrays, up to end_B. */
static bool
reserve_code(struct eu_reachability *w, uint32_t end_B)
{
    uint32_t old_units = w->capacity_B / 8, capacity = w->capacity_B;
    if (!grow_array((void **)&w->code, &capacity, ALIGN_POT(end_B, 8), 1))
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
copy_client(struct eu_reachability *w, uint32_t end_B)
{
    if (end_B > w->size_B) {
        memcpy(w->code + w->size_B, w->client + w->size_B, end_B - w->size_B);
        w->size_B = end_B;
    }
}

static bool
target_ok(const struct eu_reachability *w, int64_t target)
{
    return target >= 0 && !(target & 7) && target < (int64_t)w->avail_B &&
           target < EU_KERNEL_MAX_B;
}

/* Does not follow targets outside the kernel; such a branch fails when it
 * runs. */
static bool
visit_target(struct eu_reachability *w, int64_t target, unsigned marks)
{
    if (!target_ok(w, target))
        return true;
    uint32_t off = (uint32_t)target;
    if (!reserve_code(w, off + 16))
        return false;
    unsigned old = w->mark[off / 8];
    w->mark[off / 8] = (uint8_t)(old |
                                 (marks & (EU_MARK_RESUME | EU_MARK_BROKEN)) |
                                 EU_MARK_SEEN);
    if (old & EU_MARK_SEEN)
        return true;
    if (w->maybe || (marks & EU_MARK_MAYBE))
        w->mark[off / 8] |= EU_MARK_MAYBE;
    if (!grow_array((void **)&w->todo, &w->todo_capacity, w->todo_count + 1,
                    sizeof *w->todo))
        return false;
    w->todo[w->todo_count++] = off;
    return true;
}

static bool
writes_ip(const struct eu_insn *insn)
{
    return insn->dst.file == EU_FILE_ARF && (insn->dst.reg & 0xf0) == EU_ARF_IP;
}

/* Whether the jump's target is known only at run time. */
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
    default: return !(eu_insn_is_send(insn) && insn->eot) && !writes_ip(insn);
    }
}

static bool
visit_successors(struct eu_reachability *w, const struct eu_insn *insn)
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
        ok = visit_target(w, next, 0);
    }

    switch (insn->opcode) {
    case EU_OP_IF:
    case EU_OP_ELSE:
        ok = ok && visit_target(w, jip, EU_MARK_RESUME);
        if (insn->branch_ctrl)
            ok = ok && visit_target(w, uip, EU_MARK_RESUME);
        break;
    case EU_OP_ENDIF:
    case EU_OP_JOIN: ok = ok && visit_target(w, jip, 0); break;
    case EU_OP_WHILE:
        ok = ok && visit_target(w, jip, 0) &&
             visit_target(w, next, EU_MARK_RESUME);
        break;
    case EU_OP_BREAK:
        ok = ok && visit_target(w, jip, 0) &&
             visit_target(w, uip, EU_MARK_BROKEN);
        break;
    case EU_OP_CONT:
    case EU_OP_HALT:
        ok = ok && visit_target(w, jip, 0) &&
             visit_target(w, uip, EU_MARK_RESUME);
        break;
    case EU_OP_GOTO:
        ok = ok && visit_target(w, jip, 0) &&
             visit_target(w, uip, EU_MARK_RESUME) &&
             visit_target(w, next, EU_MARK_RESUME);
        break;
    case EU_OP_JMPI:
        if (!is_reg)
            ok = ok && visit_target(w, next + insn->jip, 0);
        break;
    case EU_OP_CALL:
    case EU_OP_CALLA:
        if (!is_reg)
            ok = ok &&
                 visit_target(w, insn->opcode == EU_OP_CALLA ? insn->jip : jip,
                              EU_MARK_RESUME);
        ok = ok && visit_target(w, next, EU_MARK_RESUME);
        break;
    case EU_OP_BRD:
    case EU_OP_BRC:
        w->all_resume |= is_reg;
        if (!is_reg)
            ok = ok && visit_target(w, jip, EU_MARK_RESUME) &&
                 visit_target(w, insn->opcode == EU_OP_BRD ? next : uip,
                              EU_MARK_RESUME);
        break;
    default: break;
    }
    return ok;
}

/* Reports why there is no instruction; false ends the walk. */
static bool
no_instruction(const struct eu_reachability *w, uint32_t off, const char *why)
{
    if (!w->maybe)
        guest_error("kernel: instruction at 0x%x: %s", off, why);
    return w->maybe;
}

/* Observed: iHD links kernels of parts with 128 bytes of zeros after each, and
 * runs through them: illegal opcodes do nothing unless their exception is
 * enabled. Guess: others are mistakes. */
#define PADDING_B 128u

static bool
is_padding(const struct eu_reachability *w, uint32_t off,
           const uint8_t bytes[16])
{
    static const uint8_t zeros[PADDING_B];
    uint32_t begin = off;
    if (memcmp(bytes, zeros, 16))
        return false;
    while (begin >= 16 && off - begin < PADDING_B &&
           !memcmp(w->code + begin - 16, zeros, 16))
        begin -= 16;
    /* The first 16 bytes decide. */
    if (begin < off)
        return begin && off - begin < PADDING_B;
    return begin && w->avail_B - off >= PADDING_B &&
           !memcmp(w->client + off, zeros, PADDING_B);
}

/* False ends the walk. *out is NULL if there is no instruction. */
static bool
decode_one(struct eu_reachability *w, uint32_t off, struct eu_insn **out)
{
    *out = NULL;
    if (!grow_array((void **)&w->insns, &w->insn_capacity, w->insn_count + 1,
                    sizeof *w->insns))
        return false;

    /* Read the client's memory once, and decode the copy. */
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

    if (length == 16 && avail == 16 && is_padding(w, off, bytes))
        bytes[0] = EU_OP_NOP;
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
follow_code(struct eu_reachability *w)
{
    while (w->todo_count) {
        uint32_t off = w->todo[--w->todo_count];
        struct eu_insn *insn;
        w->maybe = w->mark[off / 8] & EU_MARK_MAYBE;
        if (!decode_one(w, off, &insn))
            return false;
        if (insn && !visit_successors(w, insn))
            return false;
    }
    return true;
}

bool
eu_find_reachable(struct eu_reachability *w)
{
    bool ok = visit_target(w, 0, 0) && follow_code(w);
    /* A computed jump's target is known only at run time: it may be code that
     * no other path reaches. */
    for (uint32_t i = 0; ok && w->computed && i < w->insn_count; i++) {
        const struct eu_insn *insn = &w->insns[i];
        int64_t next = (int64_t)insn->offset_B + insn->length_B;
        if (w->insn_count < MAX_GUESSED)
            ok = visit_target(w, next, EU_MARK_MAYBE) && follow_code(w);
    }
    return ok;
}

void
eu_reachability_free(struct eu_reachability *w)
{
    free(w->code);
    free(w->insns);
    free(w->mark);
    free(w->insn_of);
    free(w->todo);
}
