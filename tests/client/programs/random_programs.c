/* random_programs.c: random integer programs through a stock driver, against
 * the same program evaluated on the host; see random_ast.h.
 *
 *   random_glsl|random_opencl [--count N] [--seed N] [--dump] [--reduce]
 *                              [--operations] [--single N]
 *
 * A program that differs is printed with its seed; --reduce removes parts
 * that the difference does not need, with a build for each. TAP. */
#include "random_ast.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PER_LINE 50 /* programs of one line of the report */

struct buffers {
    int64_t in[RP_INPUTS];
    int64_t out[RP_INVOCATIONS * RP_OUTPUTS];
};

struct options {
    uint64_t count, seed;
    bool dump, reduce;
    bool operations; /* each by itself, first */
    bool single;     /* the seed is an operation's number */
};

enum verdict { SAME, DIFFERS, FAILED };

static char *
text_of(const struct rp_program *p)
{
    char *text = NULL;
    size_t size_B;
    FILE *to = open_memstream(&text, &size_B);
    if (!to)
        return NULL;
    rp_print(p, to);
    fclose(to);
    return text;
}

/* The device's representation of output n: GLSL has one word of 32 bits. */
static uint64_t
stored(const struct rp_program *p, unsigned n, int64_t v)
{
    enum rp_type type = RP_U64;
    unsigned at = p->var_count;
    if (n < at)
        type = p->var[n];
    for (unsigned a = 0; a < p->array_count; at += p->array[a++].count)
        if (n >= at && n < at + p->array[a].count)
            type = p->array[a].type;
    bool one_word = p->language == RP_GLSL && rp_bits(type) == 32;
    return one_word ? (uint32_t)v : (uint64_t)v;
}

static enum verdict
compare(const struct rp_program *p, const struct buffers *b, bool say)
{
    unsigned bad = 0;
    for (unsigned g = 0; g < RP_INVOCATIONS; g++) {
        int64_t want[RP_OUTPUTS];
        unsigned count = rp_eval(p, g, want);
        for (unsigned n = 0; n < count; n++) {
            uint64_t w = stored(p, n, want[n]);
            uint64_t got = (uint64_t)b->out[g * RP_OUTPUTS + n];
            if (got == w)
                continue;
            if (say && bad < 6)
                printf("# invocation %u, output %u: %" PRIx64 " instead of "
                       "%" PRIx64 "\n",
                       g, n, got, w);
            bad++;
        }
    }
    if (say && bad)
        printf("# %u values differ\n", bad);
    return bad ? DIFFERS : SAME;
}

static enum verdict
run(const struct rp_program *p, struct buffers *b, bool say)
{
    char *text = text_of(p);
    bool ok = text && rp_device_run(p, text, b->in, b->out);
    free(text);
    if (!ok)
        return FAILED;
    return compare(p, b, say);
}

/* Whether the program still differs, and is a new one. A change in a statement
 * that was left out makes no new program, and needs no build. */
static bool
still_differs(const struct rp_program *p, struct buffers *b, const char *before)
{
    char *text = text_of(p);
    bool changed = text && before && strcmp(text, before);
    free(text);
    return changed && run(p, b, false) == DIFFERS;
}

/* Replaces expressions by constants if the difference does not need them. */
static void
reduce_exprs(struct rp_program *p, struct buffers *b)
{
    for (unsigned n = 0; n < p->expr_used; n++) {
        struct rp_expr *e = &p->exprs[n], old = *e;
        if (e->kind == RP_CONST)
            continue;
        char *before = text_of(p);
        *e = (struct rp_expr){.type = rp_expr_type(e), .value = 1};
        if (!still_differs(p, b, before))
            *e = old;
        free(before);
    }
}

/* Removes statements that the difference does not need. */
static void
reduce(struct rp_program *p, struct buffers *b)
{
    for (bool again = true; again;) {
        again = false;
        for (unsigned n = 0; n < p->stmt_count; n++) {
            if (p->stmts[n].dropped)
                continue;
            char *before = text_of(p);
            p->stmts[n].dropped = true;
            if (still_differs(p, b, before))
                again = true;
            else
                p->stmts[n].dropped = false;
            free(before);
        }
    }
    reduce_exprs(p, b);
}

static void
print_source(const struct rp_program *p)
{
    char *text = text_of(p);
    for (char *line = text ? strtok(text, "\n") : NULL; line;
         line = strtok(NULL, "\n"))
        printf("#   %s\n", line);
    free(text);
}

static bool
check(const struct options *o, uint64_t seed, struct buffers *b)
{
    struct rp_program p;
    enum verdict verdict = FAILED;
    if (o->single ? rp_make_single(&p, rp_device_language, (unsigned)seed)
                  : rp_make(&p, rp_device_language, seed)) {
        for (unsigned g = 0; g < RP_INVOCATIONS; g++)
            for (unsigned n = 0; n < p.var_count; n++)
                b->in[g * RP_VARS + n] = rp_input(&p, g, n);
        if (o->dump)
            print_source(&p);
        verdict = run(&p, b, false);
    }
    if (verdict == DIFFERS && o->reduce)
        reduce(&p, b);
    if (verdict != SAME) {
        printf("# seed %" PRIu64 " %s\n", seed,
               verdict == DIFFERS ? "differs:" : "does not run:");
        print_source(&p);
        if (verdict == DIFFERS)
            run(&p, b, true);
    }
    rp_free(&p);
    return verdict == SAME;
}

static bool
parse(struct options *o, int argc, char **argv)
{
    static const struct option known[] = {
        {"count", 1, NULL, 'c'},  {"seed", 1, NULL, 's'},
        {"dump", 0, NULL, 'd'},   {"reduce", 0, NULL, 'r'},
        {"single", 1, NULL, 'o'}, {"operations", 0, NULL, 'e'},
        {NULL, 0, NULL, 0},
    };
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (c) {
        case 'c': o->count = strtoull(optarg, NULL, 0); break;
        case 's': o->seed = strtoull(optarg, NULL, 0); break;
        case 'd': o->dump = true; break;
        case 'o':
            o->seed = strtoull(optarg, NULL, 0);
            o->count = 1;
            o->single = true;
            break;
        case 'e': o->operations = true; break;
        case 'r': o->reduce = true; break;
        default: return false;
        }
    }
    return true;
}

/* One line of the report. Returns the number of programs that differ. */
static uint64_t
check_some(const struct options *o, uint64_t first, struct buffers *b)
{
    uint64_t bad = 0, n = first;
    for (; n < first + PER_LINE && n < o->count; n++)
        bad += !check(o, o->seed + n, b);
    printf("%s - %s, programs %" PRIu64 " to %" PRIu64 ": %" PRIu64 " differ\n",
           bad ? "not ok" : "ok", rp_device_name, o->seed + first,
           o->seed + n - 1, bad);
    fflush(stdout);
    return bad;
}

/* Every operation alone. Returns the number of programs that differ. */
static uint64_t
check_singles(const struct options *o, struct buffers *b)
{
    struct options singles = *o;
    struct rp_program p;
    uint64_t bad = 0, n = 0;
    singles.single = true;
    for (; rp_make_single(&p, rp_device_language, (unsigned)n); n++) {
        rp_free(&p);
        bad += !check(&singles, n, b);
    }
    printf("%s - %s, %" PRIu64 " single operations: %" PRIu64 " differ\n",
           bad ? "not ok" : "ok", rp_device_name, n, bad);
    fflush(stdout);
    return bad;
}

int
main(int argc, char **argv)
{
    struct options o = {.count = 100, .seed = 1};
    if (!parse(&o, argc, argv))
        return 2;
    struct buffers *b = calloc(1, sizeof *b);
    uint64_t lines = (o.count + PER_LINE - 1) / PER_LINE, bad = 0;
    printf("1..%" PRIu64 "\n", lines + (o.operations ? 2 : 1));
    bool open = b && rp_device_open();
    printf("%s 1 - %s device\n", open ? "ok" : "not ok", rp_device_name);
    if (open && o.operations)
        bad = check_singles(&o, b);
    for (uint64_t n = 0; open && n < o.count; n += PER_LINE)
        bad += check_some(&o, n, b);
    free(b);
    return open && !bad ? 0 : 1;
}
