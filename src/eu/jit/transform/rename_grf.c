/* rename_grf.c: renames registers, so that ops may move (sink.c).
 *
 * Compilers reuse a register soon after the last read of its value, so a moved
 * op would read another value. A value and its readers are a web if one op
 * writes it whole, and all its readers are in the block and read it whole. A
 * web may be in any free registers. Other values stay: values that cross
 * blocks, and values that messages, scalars or partial vectors read. */
#include "eu/jit/transform/rename_grf.h"

#define MOST_WEBS (UINT16_MAX - EU_GRF_COUNT)
/* Registers of a web. */
#define SIZE 2u

/* Per register, the web whose value it holds, or 0. */
struct now {
    uint16_t of[EU_GRF_COUNT];
};

static void
make_stay(struct jit_webs *w, const struct now *now, struct jit_set s)
{
    while (!jit_is_empty(&s))
        w->web[now->of[jit_take_grf(&s)]].stays = true;
}

/* Makes all values stay: another block begins. */
static void
stay_all(struct jit_webs *w, struct now *now)
{
    for (unsigned g = 0; g < EU_GRF_COUNT; g++)
        w->web[now->of[g]].stays = true;
    memset(now, 0, sizeof *now);
}

/* Whether the interpreter's fast path describes all operands and registers. */
static bool
is_known(const struct eu_op *op)
{
    return (op->plain & EU_PLAIN_GRFS) && op->fn != op->slow &&
           (op->opcode != EU_OP_MATH || (op->plain & EU_PLAIN_FLOAT));
}

static inline bool
is_vector(const struct eu_op_src *src)
{
    return src->cls != EU_SRC_IMM && src->cls != EU_SRC_SCALAR;
}

/* Registers that the source covers. */
static struct jit_set
read_by(const struct eu_op *op, const struct eu_op_src *src)
{
    unsigned first = src->off_B / EU_GRF_B;
    unsigned len_B = is_vector(src) ? op->lanes * 4u : 4;
    unsigned end = DIV_ROUND_UP(src->off_B + len_B, EU_GRF_B);
    return jit_grfs(first, end - first);
}

static uint16_t
read_web(struct jit_webs *w, const struct now *now, const struct eu_op *op,
         const struct eu_op_src *src)
{
    unsigned g = src->off_B / EU_GRF_B;
    uint16_t web = now->of[g % EU_GRF_COUNT];
    if (src->cls == EU_SRC_IMM)
        return 0;
    if (web && is_vector(src) && src->off_B % EU_GRF_B == 0 &&
        op->lanes == SIZE * 8 && w->web[web].grf == g && now->of[g + 1] == web)
        return web;
    make_stay(w, now, read_by(op, src));
    return 0;
}

/* Whether the op writes all lanes of two registers. */
static bool
makes_web(const struct jit_facts *f, uint32_t i)
{
    const struct eu_op *op = &f->k->ops[i];
    return is_known(op) && op->lanes == SIZE * 8 &&
           op->dst_off_B / EU_GRF_B + SIZE <= EU_GRF_COUNT &&
           !jit_is_empty(&f->regs[i].kills);
}

static void
write_webs(const struct jit_facts *f, struct jit_webs *w, struct now *now,
           uint32_t i)
{
    const struct eu_op *op = &f->k->ops[i];
    struct jit_set all = jit_written(&f->regs[i], op), part = all;
    unsigned g = op->dst_off_B / EU_GRF_B;
    if (makes_web(f, i)) {
        w->web[w->count].grf = (uint8_t)g;
        now->of[g] = now->of[g + 1] = (uint16_t)w->count;
        w->op[i].dst = (uint16_t)w->count++;
        return;
    }
    for (unsigned n = 0; n < 2; n++)
        part.w[n] &= ~f->regs[i].kills.w[n];
    make_stay(w, now, part);
    while (!jit_is_empty(&all))
        now->of[jit_take_grf(&all)] = 0;
}

bool
jit_find_webs(const struct jit_facts *f, struct jit_webs *w)
{
    uint32_t n = f->k->op_count;
    struct now now = {{0}};
    w->web = arena_alloc(f->memory, (n + 1) * sizeof *w->web, 64);
    w->op = arena_alloc(f->memory, n * sizeof *w->op, 64);
    w->count = 1;
    if (!w->web || !w->op || n >= MOST_WEBS)
        return false;
    for (uint32_t i = 0; i < n && f->sinks; i++) {
        const struct eu_op *op = &f->k->ops[i];
        if (f->start[i] & JIT_START)
            stay_all(w, &now);
        if (!is_known(op))
            make_stay(w, &now, f->regs[i].uses);
        for (unsigned s = 0; s < op->src_count && is_known(op); s++)
            w->op[i].src[s] = read_web(w, &now, op, &op->src[s]);
        write_webs(f, w, &now, i);
    }
    return true;
}

/* ---- registers ---- */

/* A web's register, and the op that reads it last. */
struct place {
    uint8_t grf;
    uint32_t last;
};

static bool
may_move(const struct jit_webs *w, uint16_t web)
{
    return web && !w->web[web].stays;
}

static void
find_last(const struct jit_webs *w, const uint32_t *of, uint32_t n,
          struct place *place)
{
    for (uint32_t at = 0; at < n; at++) {
        const struct jit_op_webs *op = &w->op[of[at]];
        place[op->dst].last = at;
        for (unsigned s = 0; s < 3; s++)
            place[op->src[s]].last = at;
    }
}

/* Free pairs of registers, from even ones on: a pair across two cache lines is
 * stored and loaded in halves (reg_cache.c). */
static uint64_t
free_pairs(const struct jit_set *taken)
{
    uint64_t pairs = 0;
    for (unsigned g = 0; g < EU_GRF_COUNT; g += SIZE)
        if (!(taken->w[g / 64] >> g % 64 & 3))
            pairs |= UINT64_C(1) << g / SIZE;
    return pairs;
}

static void
move_dst(struct eu_op *op, struct eu_insn *insn, unsigned grf)
{
    op->dst_off_B = (uint16_t)(grf * EU_GRF_B);
    insn->dst.reg = (uint8_t)grf;
}

static void
move_src(struct eu_op *op, struct eu_insn *insn, unsigned s, unsigned grf)
{
    op->src[s].off_B = (uint16_t)(grf * EU_GRF_B);
    insn->src[s].reg = (uint8_t)grf;
}

static void
find_regs(const struct eu_op *op, struct jit_regs *regs)
{
    unsigned g = op->dst_off_B / EU_GRF_B, n = DIV_ROUND_UP(op->lanes, 8);
    struct jit_set dst = {{0}};
    if (!(op->post & EU_POST_NULL))
        dst = jit_grfs(g, n);
    if (!jit_is_empty(&regs->kills))
        regs->kills = dst;
    regs->uses = (struct jit_set){{0}};
    for (unsigned s = 0; s < op->src_count; s++) {
        struct jit_set src = read_by(op, &op->src[s]);
        for (unsigned w = 0; w < 2 && op->src[s].cls != EU_SRC_IMM; w++)
            regs->uses.w[w] |= src.w[w];
    }
    for (unsigned w = 0; w < 2; w++)
        regs->all.w[w] = regs->uses.w[w] | dst.w[w];
}

/* Renames the registers of an op whose new index is `at`. */
static bool
place_op(const struct jit_webs *w, const struct jit_op_webs *webs,
         struct place *place, uint64_t *pairs, uint32_t at, struct eu_op *op,
         struct eu_insn *insn)
{
    for (unsigned s = 0; s < op->src_count; s++) {
        const struct place *p = &place[webs->src[s]];
        if (!may_move(w, webs->src[s]))
            continue;
        move_src(op, insn, s, p->grf);
        if (p->last == at)
            *pairs |= UINT64_C(1) << p->grf / SIZE;
    }
    if (!may_move(w, webs->dst))
        return true;
    if (!*pairs)
        return false;
    struct place *p = &place[webs->dst];
    p->grf = (uint8_t)((unsigned)__builtin_ctzll(*pairs) * SIZE);
    if (p->last > at)
        *pairs &= *pairs - 1;
    move_dst(op, insn, p->grf);
    return true;
}

static bool
is_moved(const struct jit_webs *w, const struct jit_op_webs *op)
{
    return may_move(w, op->dst) || may_move(w, op->src[0]) ||
           may_move(w, op->src[1]) || may_move(w, op->src[2]);
}

bool
jit_place_webs(struct jit_facts *f, const struct jit_webs *w,
               const struct jit_set *taken, const uint32_t *of,
               struct eu_op *ops, struct jit_regs *regs)
{
    uint32_t n = f->k->op_count;
    uint64_t pairs = free_pairs(taken);
    struct place *place = arena_alloc(f->memory, w->count * sizeof *place, 64);
    struct eu_insn *insns = arena_take(f->memory, n * sizeof *insns, 64);
    if (!place || !insns)
        return false;
    find_last(w, of, n, place);
    for (uint32_t at = 0; at < n; at++) {
        struct eu_op *op = &ops[at];
        if (!is_moved(w, &w->op[of[at]]))
            continue;
        insns[at] = *op->insn;
        op->insn = &insns[at];
        if (!place_op(w, &w->op[of[at]], place, &pairs, at, op, &insns[at]))
            return false;
        find_regs(op, &regs[at]);
    }
    return true;
}
