/* lower_common_ops.c: short code for the most frequent instructions, from the
 * fast path's description of an op alone. */
#include "eu/jit/lower/lower_ops.h"

#include "eu/jit/analysis/analysis.h"

struct plain {
    uint8_t f, i; /* enum x86_vop; 0: none */
};

/* MOV and MAD have their own code. */
static const struct plain rows[128] = {
    [EU_OP_ADD] = {X86_ADDPS, X86_PADDD}, [EU_OP_MUL] = {X86_MULPS, X86_PMULLD},
    [EU_OP_AND] = {0, X86_PAND},          [EU_OP_OR] = {0, X86_POR},
    [EU_OP_XOR] = {0, X86_PXOR},
};

#define TYPE(name) (1u << EU_TYPE_##name)

/* Whether some lanes keep their old value. */
static inline bool
merges_result(const struct jit *j, const struct eu_op *op)
{
    return op->pred || (!jit_all_on(j) && !op->no_mask &&
                        !jit_is_unseen(j->f, j->here, op));
}

/* Whether the host's instruction can merge. */
static bool
can_merge(const struct jit *j, const struct eu_op *op)
{
    return j->f->evex && jit_masks_fit(op) && op->opcode != EU_OP_SEL &&
           op->opcode != EU_OP_MATH && op->opcode != EU_OP_LRP;
}

static inline bool
is_plain(const struct jit *j, const struct eu_op *op, bool *is_float)
{
    *is_float = op->plain & EU_PLAIN_FLOAT;
    return (op->plain & (EU_PLAIN_FLOAT | EU_PLAIN_INT)) &&
           !(*is_float && (j->f->flags & EU_JIT_ALT)) &&
           !(merges_result(j, op) && (op->post || !can_merge(j, op)));
}

/* A float with bits masked and flipped. */
static struct x86_rm
modified_source(struct jit *j, const struct eu_op_src *src, unsigned len,
                struct x86_rm rm)
{
    bool abs = ~src->and_mask, negate = src->xor_mask;
    unsigned r = jit_read(j, rm, len), d = jit_temp(j);
    x86_vop(&j->x,
            !abs     ? X86_XORPS
            : negate ? X86_ORPS
                     : X86_ANDPS,
            len, d, r, jit_dword(j, negate ? 0x80000000 : 0x7fffffff), 0);
    return x86_reg(d);
}

/* AVX2 loops have no spare registers: vectors that are not in one are read from
 * memory each time. */
static bool
stays_in_memory(struct jit *j, const struct eu_op *op, unsigned s,
                unsigned off_B, unsigned len_B, struct x86_rm *rm)
{
    if (j->f->evex || !j->v.pinned || op->src[s].cls != EU_SRC_VEC ||
        len_B != EU_GRF_B)
        return false;
    for (unsigned i = 0; i < op->src_count; i++)
        if (i != s && op->src[i].off_B == op->src[s].off_B &&
            op->src[i].cls != EU_SRC_IMM)
            return false;
    jit_sync(j, off_B, len_B);
    *rm = x86_thread(offsetof(struct eu_thread, grf) + off_B);
    return true;
}

static inline struct x86_rm
vector_source(struct jit *j, const struct eu_op *op, unsigned s,
              const struct jit_part *p)
{
    unsigned off_B = op->src[s].off_B + p->first * 4, len_B = p->lanes * 4;
    int found = jit_find(j, JIT_GRF, off_B, len_B);
    struct x86_rm rm;
    if (found < 0 && (jit_src_once(j, op, s, p, &rm) ||
                      stays_in_memory(j, op, s, off_B, len_B, &rm)))
        return rm;
    return x86_reg(found < 0 ? jit_vec(j, off_B, len_B) : (unsigned)found);
}

/* A negated vector is often negated again, so it stays in a register. */
static struct x86_rm
negative_source(struct jit *j, const struct eu_op *op, unsigned s,
                const struct jit_part *p)
{
    const struct eu_op_src *src = &op->src[s];
    unsigned off_B = src->off_B + p->first * 4, len_B = p->lanes * 4;
    int found = jit_find(j, JIT_NEG, off_B, len_B);
    if (found >= 0)
        return x86_reg((unsigned)found);
    struct x86_rm rm = modified_source(j, src, p->len,
                                       vector_source(j, op, s, p));
    if (!jit_dies(j, off_B, len_B))
        jit_note(j, x86_reg_of(rm), JIT_NEG, off_B, len_B);
    return rm;
}

static __attribute__((noinline)) struct x86_rm
any_source(struct jit *j, const struct eu_op *op, unsigned s,
           const struct jit_part *p)
{
    const struct eu_op_src *src = &op->src[s];
    struct x86_rm rm;
    if (src->cls == EU_SRC_IMM)
        return jit_dword(j, src->imm);
    if (src->cls == EU_SRC_SCALAR)
        rm = jit_bcast(j, src->off_B);
    else if (src->xor_mask && src->and_mask == UINT32_MAX)
        return negative_source(j, op, s, p);
    else
        rm = vector_source(j, op, s, p);
    if (~src->and_mask | src->xor_mask)
        return modified_source(j, src, p->len, rm);
    return rm;
}

/* Most sources are in a register. */
static struct x86_rm
load_source(struct jit *j, const struct eu_op *op, unsigned s,
            const struct jit_part *p)
{
    const struct eu_op_src *src = &op->src[s];
    int found = src->cls == EU_SRC_VEC
                    ? jit_find(j, JIT_GRF, src->off_B + p->first * 4,
                               p->lanes * 4)
                    : -1;
    return found >= 0 ? x86_reg((unsigned)found) : any_source(j, op, s, p);
}

/* d := a, in lanes k. */
static void
move_into(struct jit *j, unsigned d, unsigned len, struct x86_rm a, unsigned k)
{
    enum x86_vop vop = x86_kind(a) == X86_REG ? X86_MOVAPS
                       : x86_is_bcast(a)      ? X86_PBROADCASTD
                                              : X86_MOVUPS_LD;
    if (x86_kind(a) != X86_REG || x86_reg_of(a) != d)
        x86_vop(&j->x, vop, len, d, 0, jit_as_memory(a), k);
}

/* a + b * c in register d, lanes k, in the order of jit_fused(). */
static void
fused_into(struct jit *j, unsigned d, unsigned len, struct x86_rm a,
           struct x86_rm b, struct x86_rm c, unsigned k)
{
    struct x86 *x = &j->x;
    if (x86_kind(c) == X86_REG && x86_reg_of(c) == d) {
        x86_vop(x, X86_FMADD132PS, len, d, jit_read(j, a, len), b, k);
        return;
    }
    unsigned rc = jit_read(j, c, len);
    if (x86_kind(b) == X86_REG && x86_reg_of(b) == d) {
        x86_vop(x, X86_FMADD213PS, len, d, rc, a, k);
        return;
    }
    move_into(j, d, len, a, k);
    x86_vop(x, X86_FMADD231PS, len, d, rc, b, k);
}

/* Registers that a part of the op reads. */
static struct jit_set
read_by(const struct eu_op *op, unsigned first, unsigned lanes)
{
    struct jit_set all = {{0}};
    for (unsigned i = 0; i < op->src_count; i++) {
        const struct eu_op_src *src = &op->src[i];
        bool scalar = src->cls == EU_SRC_SCALAR;
        unsigned from_B = src->off_B + (scalar ? 0 : first * 4);
        unsigned g = from_B / EU_GRF_B;
        unsigned end = DIV_ROUND_UP(from_B + (scalar ? 4 : lanes * 4),
                                    EU_GRF_B);
        struct jit_set s = jit_grfs(g, end - g);
        for (unsigned w = 0; w < 2 && src->cls != EU_SRC_IMM; w++)
            all.w[w] |= s.w[w];
    }
    return all;
}

/* The register that must hold the result, because it is pinned or because lanes
 * outside mask k keep their value; or -1. */
static inline int
place_of(struct jit *j, const struct eu_op *op, const struct jit_part *p,
         unsigned *k)
{
    *k = 0;
    if (!p->mask.all) {
        *k = p->mask.k;
        return (int)jit_vec_exact(j, op->dst_off_B, op->lanes * 4u);
    }
    unsigned at_B = op->dst_off_B + p->first * 4, len_B = p->lanes * 4;
    if (!j->loop || jit_set_has(&p->others, at_B, len_B))
        return -1;
    return jit_pin_of(j, at_B, len_B);
}

/* x * 2.0 equals x + x bit by bit, and additions use another pipe. */
static inline bool
is_doubled(const struct eu_op *op)
{
    const struct eu_op_src *b = &op->src[1];
    return op->opcode == EU_OP_MUL && b->cls == EU_SRC_IMM &&
           b->imm == 0x40000000 && b->and_mask == UINT32_MAX && !b->xor_mask;
}

/* Returns the result's register: place_of(), if no other part of the op reads
 * it. */
static unsigned
compute_part(struct jit *j, const struct eu_op *op, const struct jit_part *p,
             bool is_float)
{
    unsigned opcode = op->opcode, len = p->len, d, k;
    bool twice = is_float && is_doubled(op);
    int place = place_of(j, op, p, &k);
    int bare = is_float && opcode == EU_OP_ADD ? jit_subtracted(op) : -1;
    struct x86_rm a = load_source(j, op, !bare, p), b, t;
    if (opcode == EU_OP_MOV && (k || (place >= 0 && x86_kind(a) == X86_REG))) {
        move_into(j, (unsigned)place, len, a, k);
        return (unsigned)place;
    }
    if (opcode == EU_OP_MOV)
        return jit_owned(j, len, a);
    if (twice)
        b = a = x86_reg(jit_read(j, a, len));
    else
        b = bare < 0 ? load_source(j, op, 1, p)
                     : vector_source(j, op, (unsigned)bare, p);
    if (opcode == EU_OP_MAD && place >= 0) {
        fused_into(j, (unsigned)place, len, a, b, load_source(j, op, 2, p), k);
        return (unsigned)place;
    }
    if (opcode == EU_OP_MAD)
        return jit_fused(j, len, b, load_source(j, op, 2, p), a);
    if (!is_float && x86_kind(a) != X86_REG) {
        t = a;
        a = b;
        b = t;
    }
    unsigned ra = jit_read(j, a, len);
    d = place >= 0 ? (unsigned)place : jit_temp(j);
    enum x86_vop vop = bare >= 0  ? X86_SUBPS
                       : twice    ? X86_ADDPS
                       : is_float ? rows[opcode].f
                                  : rows[opcode].i;
    x86_vop(&j->x, vop, len, d, ra, b, k);
    return d;
}

static unsigned
lower_part(struct jit *j, const struct eu_op *op, struct jit_part *p,
           bool is_float)
{
    p->lanes = MIN2(op->lanes - p->first, j->f->max_lanes);
    p->len = jit_len(p->lanes * 4);
    p->mask = merges_result(j, op) ? jit_op_mask(j, op, p, 0, true)
                                   : (struct jit_mask){.all = true};
    unsigned r = compute_part(j, op, p, is_float);
    return op->post ? jit_saturate(j, p->len, r) : r;
}

/* mov (1|M0) r90.0<1>:d 1065353216:d {NoMask}: compilers load constants so. */
static bool
is_constant(const struct jit *j, const struct eu_op *op)
{
    const struct eu_insn *insn = op->insn;
    const unsigned ints = TYPE(D) | TYPE(UD);
    unsigned dst = 1u << insn->dst.type, src = 1u << insn->src[0].type;
    return insn->opcode == EU_OP_MOV && !op->pred && !op->post &&
           (jit_all_on(j) || op->no_mask) && op->src[0].cls == EU_SRC_IMM &&
           (dst == TYPE(F) ? src == TYPE(F) && !(j->f->flags & EU_JIT_ALT)
                           : (dst & ints) && (src & ints));
}

/* Floats that need several host instructions, if masks, destinations and
 * registers need no checks. */
static bool
lower_function(struct jit *j, const struct eu_op *op)
{
    struct jit_part p = {.lanes = op->lanes,
                         .len = jit_len(op->lanes * 4u),
                         .mask = {.all = true}};
    unsigned opcode = op->opcode;
    if (!j->f->evex || j->v.pinned || !jit_float_ok(j, op) ||
        (opcode == EU_OP_SEL && !op->insn->cmod))
        return false;
    unsigned r = jit_lower_float(j, op, &p);
    jit_store_dst(j, op, &p, r);
    if (opcode == EU_OP_LRP)
        jit_note_normal(j, r);
    return true;
}

/* Makes the part's result the value of its registers. */
static inline void
bind_part(struct jit *j, const struct eu_op *op, const struct jit_part *p,
          unsigned reg, bool is_float)
{
    jit_bind(j, reg, op->dst_off_B + p->first * 4, p->lanes * 4);
    if (is_float && op->opcode != EU_OP_MOV && p->mask.all)
        jit_note_normal(j, reg);
}

static void
lower_two(struct jit *j, const struct eu_op *op, bool is_float)
{
    struct jit_part part[2] = {{.first = 0}, {.first = j->f->max_lanes}};
    const struct jit_set dying = j->dying;
    unsigned reg[2];
    /* One part may read the registers that the other overwrites. */
    part[1].others = read_by(op, 0, j->f->max_lanes);
    for (unsigned w = 0; w < 2; w++)
        j->dying.w[w] &= ~part[1].others.w[w];
    reg[1] = lower_part(j, op, &part[1], is_float);
    jit_unlock_but(j, UINT32_C(1) << reg[1]);
    j->dying = dying;
    reg[0] = lower_part(j, op, &part[0], is_float);
    for (unsigned i = 0; i < 2; i++)
        bind_part(j, op, &part[i], reg[i], is_float);
}

bool
jit_lower_common_op(struct jit *j, const struct eu_op *op)
{
    const struct plain *row = &rows[op->opcode & 127];
    unsigned opcode = op->opcode;
    bool is_float;
    if (op->lanes == 1 && is_constant(j, op)) {
        jit_sync_drop(j, op->dst_off_B, 4);
        x86_store_imm(&j->x, offsetof(struct eu_thread, grf) + op->dst_off_B,
                      op->src[0].imm);
        return true;
    }
    if (!is_plain(j, op, &is_float))
        return false;
    if (is_float && j->keeps_denorms)
        jit_float_mode(j, false);
    if (is_float &&
        (opcode == EU_OP_MATH || opcode == EU_OP_SEL || opcode == EU_OP_LRP))
        return lower_function(j, op);
    if (!(is_float ? row->f : row->i) && opcode != EU_OP_MOV &&
        (opcode != EU_OP_MAD || !is_float))
        return false;
    if (op->lanes > j->f->max_lanes) {
        lower_two(j, op, is_float);
    } else {
        struct jit_part p = {.first = 0};
        unsigned reg = lower_part(j, op, &p, is_float);
        bind_part(j, op, &p, reg, is_float);
    }
    return true;
}
