/* random_eval.c: evaluates a random program in plain C. */
#include "random_ast.h"

enum leave { STAY, BREAK, CONTINUE };

struct state {
    const struct rp_program *program;
    int64_t var[RP_VARS + 2]; /* and the loops' counters */
    int64_t array[RP_ARRAYS][RP_MAX_ELEMENTS];
};

static int64_t
value(const struct state *s, const struct rp_expr *e)
{
    int64_t v[3] = {0};
    unsigned at;
    switch (e->kind) {
    case RP_CONST: return e->value;
    case RP_VAR: return s->var[e->index];
    case RP_ELEMENT:
        at = (unsigned)value(s, e->arg[0]);
        return s->array[e->index][at & (s->program->array[e->index].count - 1)];
    case RP_CONVERT: return rp_wrap(e->type, (uint64_t)value(s, e->arg[0]));
    case RP_SATURATE:
        return rp_clamp(e->type, rp_expr_type(e->arg[0]), value(s, e->arg[0]));
    case RP_OP: break;
    }
    for (unsigned n = 0; e->op->args[n]; n++)
        v[n] = value(s, e->arg[n]);
    return e->op->eval(e->type, v);
}

static enum leave run_block(struct state *s, const struct rp_stmt *first);

static void
run_loop(struct state *s, const struct rp_stmt *loop)
{
    int64_t count = value(s, loop->a) & 7;
    for (int64_t n = 0; n < count; n++) {
        s->var[RP_VARS + loop->index] = n;
        if (run_block(s, loop->body) == BREAK)
            break;
    }
}

static enum leave
run_stmt(struct state *s, const struct rp_stmt *stmt)
{
    unsigned at;
    switch (stmt->what) {
    case RP_ASSIGN: s->var[stmt->index] = value(s, stmt->a); break;
    case RP_STORE:
        at = (unsigned)value(s, stmt->a) &
             (s->program->array[stmt->index].count - 1);
        s->array[stmt->index][at] = value(s, stmt->b);
        break;
    case RP_IF:
        return run_block(s, value(s, stmt->a) ? stmt->body : stmt->other);
    case RP_FOR: run_loop(s, stmt); break;
    case RP_BREAK: return value(s, stmt->a) ? BREAK : STAY;
    case RP_CONTINUE: return value(s, stmt->a) ? CONTINUE : STAY;
    }
    return STAY;
}

static enum leave
run_block(struct state *s, const struct rp_stmt *first)
{
    for (const struct rp_stmt *stmt = first; stmt; stmt = stmt->next) {
        enum leave leave = stmt->dropped ? STAY : run_stmt(s, stmt);
        if (leave != STAY)
            return leave;
    }
    return STAY;
}

unsigned
rp_eval(const struct rp_program *p, unsigned invocation,
        int64_t out[RP_OUTPUTS])
{
    struct state s = {.program = p};
    unsigned count = 0;
    for (unsigned n = 0; n < p->var_count; n++)
        s.var[n] = rp_input(p, invocation, n);
    for (unsigned n = 0; n < p->array_count; n++)
        for (unsigned k = 0; k < p->array[n].count; k++)
            s.array[n][k] = rp_wrap(p->array[n].type, k * 77 + n);
    run_block(&s, p->first);
    for (unsigned n = 0; n < p->var_count; n++)
        out[count++] = s.var[n];
    for (unsigned n = 0; n < p->array_count; n++)
        for (unsigned k = 0; k < p->array[n].count; k++)
            out[count++] = s.array[n][k];
    return count;
}
