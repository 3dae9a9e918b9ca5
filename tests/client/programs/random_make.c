/* random_make.c: builds a random program from its seed. */
#include "random_ast.h"

#include <stdlib.h>

#define MAX_EXPRS 6000
#define MAX_STMTS 200

static uint64_t
mixed(uint64_t v)
{
    v += UINT64_C(0x9e3779b97f4a7c15);
    v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
    return v ^ v >> 31;
}

static unsigned
below(struct rp_program *p, unsigned n)
{
    p->random = mixed(p->random);
    return (unsigned)((p->random >> 33) % n);
}

static bool
chance(struct rp_program *p, unsigned percent)
{
    return below(p, 100) < percent;
}

/* Values at which integers wrap, clamp and change sign. */
static int64_t
hostile(enum rp_type type, uint64_t random)
{
    unsigned bits = rp_bits(type);
    uint64_t top = UINT64_C(1) << (bits - 1);
    uint64_t rest = random >> 8;
    switch (random % 14) {
    case 0: return rp_wrap(type, top);
    case 1: return rp_wrap(type, top - 1);
    case 2: return rp_wrap(type, UINT64_MAX);
    case 3: return 0;
    case 4: return 1;
    case 5: return rp_wrap(type, top + rest % 5);
    case 6: return rp_wrap(type, top - 1 - rest % 5);
    case 7: return rp_wrap(type, UINT64_C(1) << rest % bits);
    case 8: return rp_wrap(type, ~(UINT64_C(1) << rest % bits));
    case 9:
    case 10: return rp_wrap(type, rest % 200);
    case 11: return rp_wrap(type, 0 - rest % 200);
    default: return rp_wrap(type, mixed(rest));
    }
}

int64_t
rp_input(const struct rp_program *p, unsigned invocation, unsigned index)
{
    uint64_t n = p->uniform[index] ? 0 : invocation;
    return hostile(p->var[index], mixed(p->seed * 8191 + n * RP_VARS + index));
}

/* ---- types ---- */

static enum rp_type
any_type(struct rp_program *p)
{
    static const uint8_t gl[] = {RP_I32, RP_I32, RP_I32, RP_U32, RP_U32};
    if (p->language == RP_OPENCL)
        return chance(p, 40) ? (chance(p, 60) ? RP_I32 : RP_U32)
                             : RP_I8 + below(p, RP_U64);
    if (p->wide && chance(p, 25))
        return chance(p, 60) ? RP_I64 : RP_U64;
    return gl[below(p, sizeof gl)];
}

/* ---- expressions ---- */

static struct rp_expr *
new_expr(struct rp_program *p, enum rp_kind kind, enum rp_type type)
{
    struct rp_expr *e = &p->exprs[p->expr_used++];
    e->kind = kind;
    e->type = type;
    return e;
}

static bool
crowded(const struct rp_program *p)
{
    return p->expr_used > MAX_EXPRS - 64;
}

static struct rp_expr *make_expr(struct rp_program *p, enum rp_type type,
                                 unsigned depth);

static struct rp_expr *
constant(struct rp_program *p, enum rp_type type)
{
    struct rp_expr *e = new_expr(p, RP_CONST, type);
    e->value = hostile(type, ((uint64_t)below(p, 1u << 30) << 30) ^
                                 below(p, 1u << 30));
    return e;
}

/* A variable of the type, or a constant. Counters come after variables. */
static struct rp_expr *
leaf(struct rp_program *p, enum rp_type type)
{
    unsigned count = p->var_count, first = below(p, count);
    bool rare = chance(p, 18);
    if (type == RP_I32 && p->counters && chance(p, 20)) {
        struct rp_expr *e = new_expr(p, RP_VAR, type);
        e->index = RP_VARS + below(p, p->counters);
        return e;
    }
    for (unsigned n = 0; n < count && !rare; n++) {
        unsigned index = (first + n) % count;
        if (p->var[index] != type)
            continue;
        struct rp_expr *e = new_expr(p, RP_VAR, type);
        e->index = index;
        return e;
    }
    return constant(p, type);
}

static struct rp_expr *
element(struct rp_program *p, enum rp_type type, unsigned depth)
{
    for (unsigned n = 0; n < p->array_count; n++) {
        if (p->array[n].type != type)
            continue;
        struct rp_expr *e = new_expr(p, RP_ELEMENT, type);
        e->index = n;
        e->arg[0] = make_expr(p, RP_U32, depth - 1);
        return e;
    }
    return leaf(p, type);
}

static struct rp_expr *
conversion(struct rp_program *p, enum rp_type type, unsigned depth)
{
    enum rp_type from = any_type(p);
    bool saturates = p->language == RP_OPENCL && chance(p, 40);
    if (!saturates && chance(p, 15))
        from = RP_BOOL;
    struct rp_expr *e = new_expr(p, saturates ? RP_SATURATE : RP_CONVERT, type);
    e->arg[0] = make_expr(p, from, depth - 1);
    return e;
}

/* Whether the operation with type t has a result of that type. */
static bool
gives(const struct rp_program *p, const struct rp_op *op, enum rp_type t,
      enum rp_type type)
{
    unsigned types = p->language == RP_GLSL ? op->glsl_types : op->opencl_types;
    if (!(types >> t & 1) ||
        (p->language == RP_GLSL && rp_bits(t) == 64 && !p->wide))
        return false;
    switch (op->result) {
    case 'T': return t == type;
    case 'U': return rp_unsigned(t) == type;
    case 'i': return type == RP_I32;
    default: return type == RP_BOOL;
    }
}

static struct rp_expr *
operation(struct rp_program *p, enum rp_type type, unsigned depth)
{
    for (unsigned tries = 0; tries < 200; tries++) {
        const struct rp_op *op = &rp_ops[below(p, rp_op_count)];
        enum rp_type t = type;
        if (below(p, 12) >= op->weight)
            continue;
        if (op->result == 'U' && type != RP_BOOL && chance(p, 50))
            t = type - 1;
        if (op->result == 'b' || op->result == 'i')
            t = any_type(p);
        if (!gives(p, op, t, type))
            continue;
        struct rp_expr *e = new_expr(p, RP_OP, t);
        e->op = op;
        for (unsigned n = 0; op->args[n]; n++) {
            enum rp_type a = rp_arg_type(op->args[n], t);
            e->arg[n] = op->args[n] == 'l' ? leaf(p, a)
                                           : make_expr(p, a, depth - 1);
        }
        return e;
    }
    return type == RP_BOOL ? constant(p, type) : leaf(p, type);
}

static struct rp_expr *
make_expr(struct rp_program *p, enum rp_type type, unsigned depth)
{
    if (type != RP_BOOL && (!depth || crowded(p) || chance(p, 12)))
        return leaf(p, type);
    if (crowded(p) || (!depth && chance(p, 10)))
        return constant(p, RP_BOOL);
    if (!depth)
        return operation(p, RP_BOOL, 1);
    if (type != RP_BOOL && chance(p, 10))
        return element(p, type, depth);
    if (type != RP_BOOL && chance(p, 12))
        return conversion(p, type, depth);
    return operation(p, type, depth);
}

/* A condition that is certainly an operation. */
static struct rp_expr *
condition(struct rp_program *p)
{
    return operation(p, RP_BOOL, 3);
}

/* ---- statements ---- */

static struct rp_stmt *make_block(struct rp_program *p, unsigned count,
                                  unsigned depth, bool in_loop);

static struct rp_stmt *
make_loop(struct rp_program *p, struct rp_stmt *s, unsigned depth)
{
    s->what = RP_FOR;
    s->index = p->counters;
    /* At most 8 times; the data decide. */
    s->a = chance(p, 50) ? make_expr(p, RP_U32, 2) : constant(p, RP_U32);
    p->counters++;
    s->body = make_block(p, 1 + below(p, 4), depth - 1, true);
    p->counters--;
    return s;
}

static struct rp_stmt *
make_stmt(struct rp_program *p, unsigned depth, bool in_loop)
{
    struct rp_stmt *s = &p->stmts[p->stmt_count++];
    if (depth && chance(p, 18)) {
        s->what = RP_IF;
        s->a = condition(p);
        s->body = make_block(p, 1 + below(p, 3), depth - 1, in_loop);
        if (chance(p, 50))
            s->other = make_block(p, 1 + below(p, 3), depth - 1, in_loop);
        return s;
    }
    if (depth && chance(p, 14) && p->counters < 2)
        return make_loop(p, s, depth);
    if (in_loop && chance(p, 12)) {
        s->what = chance(p, 50) ? RP_BREAK : RP_CONTINUE;
        s->a = condition(p);
        return s;
    }
    if (p->array_count && chance(p, 25)) {
        s->what = RP_STORE;
        s->index = below(p, p->array_count);
        s->a = make_expr(p, RP_U32, 2);
        s->b = make_expr(p, p->array[s->index].type, 3);
        return s;
    }
    s->what = RP_ASSIGN;
    s->index = below(p, p->var_count);
    s->a = operation(p, p->var[s->index], 4);
    return s;
}

static struct rp_stmt *
make_block(struct rp_program *p, unsigned count, unsigned depth, bool in_loop)
{
    struct rp_stmt *first = NULL, **last = &first;
    for (unsigned n = 0; n < count && p->stmt_count < MAX_STMTS - 1; n++) {
        *last = make_stmt(p, depth, in_loop);
        last = &(*last)->next;
    }
    return first;
}

static bool
begin(struct rp_program *p, enum rp_language language, uint64_t seed)
{
    *p = (struct rp_program){
        .language = language, .seed = seed, .random = mixed(seed)};
    p->exprs = calloc(MAX_EXPRS, sizeof *p->exprs);
    p->stmts = calloc(MAX_STMTS, sizeof *p->stmts);
    return p->exprs && p->stmts;
}

/* The variables are the result and the arguments. A condition is an integer
 * below zero. */
static void
make_single(struct rp_program *p, const struct rp_op *op, enum rp_type t)
{
    struct rp_stmt *s = &p->stmts[p->stmt_count++];
    struct rp_expr *e = new_expr(p, RP_OP, t);
    enum rp_type result = rp_arg_type(op->result, t);
    e->op = op;
    p->var[p->var_count++] = result == RP_BOOL ? RP_I32 : result;
    for (unsigned n = 0; op->args[n]; n++) {
        enum rp_type a = rp_arg_type(op->args[n], t);
        e->arg[n] = new_expr(p, RP_VAR, a == RP_BOOL ? RP_I32 : a);
        e->arg[n]->index = p->var_count;
        p->var[p->var_count++] = e->arg[n]->type;
        if (a == RP_BOOL) {
            struct rp_expr *test = new_expr(p, RP_OP, RP_I32);
            test->op = rp_is_negative;
            test->arg[0] = e->arg[n];
            e->arg[n] = test;
        }
    }
    if (result == RP_BOOL) {
        struct rp_expr *number = new_expr(p, RP_CONVERT, RP_I32);
        number->arg[0] = e;
        e = number;
    }
    s->what = RP_ASSIGN;
    s->a = e;
    p->first = s;
}

bool
rp_make_single(struct rp_program *p, enum rp_language language, unsigned n)
{
    unsigned at = 0;
    for (unsigned i = 0; i < rp_op_count; i++) {
        const struct rp_op *op = &rp_ops[i];
        unsigned types = language == RP_GLSL ? op->glsl_types & RP_GLSL_TYPES
                                             : op->opencl_types;
        for (enum rp_type t = RP_I8; t < RP_TYPES; t++) {
            if (!(types >> t & 1) || at++ != n)
                continue;
            if (!begin(p, language, n))
                return false;
            p->wide = rp_bits(t) == 64;
            make_single(p, op, t);
            return true;
        }
    }
    return false;
}

bool
rp_make(struct rp_program *p, enum rp_language language, uint64_t seed)
{
    if (!begin(p, language, seed))
        return false;
    p->stage = chance(p, 60) ? RP_COMPUTE : 1 + below(p, RP_STAGES - 1);
    p->wide = chance(p, 25);
    p->simd = chance(p, 40) ? 8u << below(p, 3) : 0;
    p->var_count = 4 + below(p, RP_VARS - 3);
    for (unsigned n = 0; n < p->var_count; n++) {
        p->var[n] = any_type(p);
        p->uniform[n] = chance(p, 15);
    }
    p->array_count = below(p, RP_ARRAYS + 1);
    for (unsigned n = 0; n < p->array_count; n++)
        p->array[n] = (struct rp_array){any_type(p), 4u << below(p, 3)};
    p->first = make_block(p, 5 + below(p, 10), 3, false);
    return true;
}

void
rp_free(struct rp_program *p)
{
    free(p->exprs);
    free(p->stmts);
}
