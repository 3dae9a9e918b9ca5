/* kernel_report.c: prints the results of a run, as text and as JSON. */
#include "cli/kernel/eu_run.h"

#include <stdio.h>

#define OPCODES 128

/* Calls fn for every instruction of the kernel, in order. */
static void
each_insn(const struct eu_run *run,
          void (*fn)(void *ctx, const struct eu_insn *insn, size_t at_B,
                     uint64_t count),
          void *ctx)
{
    const struct program_kernel *k = run->launch.kernel;
    for (size_t at_B = 0; at_B < k->code_B;) {
        struct eu_insn insn;
        unsigned length_B = eu_decode(&insn, k->code + at_B, k->code_B - at_B,
                                      run->gen, NULL);
        if (!length_B)
            break;
        fn(ctx, &insn, at_B, run->launch.counts[at_B / 8]);
        at_B += length_B;
    }
}

static void
add_opcode(void *ctx, const struct eu_insn *insn, size_t at_B, uint64_t count)
{
    uint64_t *sums = ctx;
    sums[insn->opcode % OPCODES] += count;
}

static void
print_insn(void *ctx, const struct eu_insn *insn, size_t at_B, uint64_t count)
{
    const struct eu_run *run = ctx;
    char text[512];
    eu_disasm(text, sizeof text, insn, run->gen);
    printf("%10llu  [%04zx] %s\n", (unsigned long long)count, at_B, text);
}

static void
print_counts(const struct eu_run *run)
{
    uint64_t sums[OPCODES] = {0};
    each_insn(run, add_opcode, sums);
    printf("executions by opcode:\n");
    for (unsigned i = 0; i < OPCODES; i++)
        if (sums[i])
            printf("%10llu  %s\n", (unsigned long long)sums[i],
                   eu_opcode_name(i, run->gen));
    printf("executions by instruction:\n");
    each_insn(run, print_insn, (void *)run);
}

static bool
register_shown(const struct eu_run *run, unsigned grf)
{
    return run->all_registers ||
           memcmp(run->launch.thread->grf + grf * EU_GRF_B,
                  run->before->grf + grf * EU_GRF_B, EU_GRF_B);
}

static void
print_registers(const struct eu_run *run)
{
    struct eu_thread *t = run->launch.thread;
    if (strcmp(run->tier, "interp")) {
        printf("registers: only known under --tier interp\n");
        return;
    }
    for (unsigned i = 0; i < EU_GRF_COUNT; i++) {
        if (!register_shown(run, i))
            continue;
        printf("r%u:", i);
        for (unsigned j = 0; j < EU_GRF_B / 4; j++)
            printf(" %08x", eu_grf(t, i)[j]);
        printf("\n");
    }
    printf("f0: %08x\nf1: %08x\na0:", t->f[0], t->f[1]);
    for (unsigned i = 0; i < ARRAY_SIZE(t->a0); i++)
        printf(" %04x", t->a0[i]);
    printf("\n");
}

static void
print_memory(const struct launch_memory *m)
{
    for (size_t at = 0; at < m->size_B; at += 16) {
        printf("%010llx:", (unsigned long long)m->va + at);
        for (size_t i = at; i < MIN2(at + 16, m->size_B); i++)
            printf("%s%02x", i % 4 ? "" : " ", m->data[i]);
        printf("\n");
    }
}

static uint64_t
count_executed(const struct launch *l)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < l->kernel->code_B / 8; i++)
        sum += l->counts[i];
    return sum;
}

void
report_text(const struct eu_run *run)
{
    const struct launch *l = &run->launch;
    printf("%s%s%llu thread%s", l->kernel->name, *l->kernel->name ? ": " : "",
           (unsigned long long)l->thread_count,
           l->thread_count == 1 ? "" : "s");
    if (l->counts)
        printf(", %llu instructions", (unsigned long long)count_executed(l));
    printf("%s%s\n", run->problem ? ", " : "",
           run->problem ? run->problem : "");
    for (unsigned i = 0; i < l->arg_count; i++) {
        const struct launch_arg *a = &l->args[i];
        if (a->kind != ARG_BUFFER || run->out[i])
            continue;
        printf("arg %u %s[%zu]: ", i, run->type[i].name,
               a->size_B / run->type[i].room_B);
        values_print(&run->type[i], a->data, a->size_B, " ");
        printf("\n");
    }
    if (l->thread)
        print_registers(run);
    for (unsigned i = 0; i < l->memory_count; i++)
        print_memory(&l->memory[i]);
    if (run->want_counts)
        print_counts(run);
}

/* ---- JSON -------------------------------------------------------------- */

static void
json_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20) {
            printf("\\u%04x", (unsigned char)*text);
            continue;
        }
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void
json_args(const struct eu_run *run)
{
    const struct launch *l = &run->launch;
    const char *comma = "";
    printf(", \"args\": [");
    for (unsigned i = 0; i < l->arg_count; i++) {
        if (l->args[i].kind != ARG_BUFFER)
            continue;
        /* JSON has no infinities and NaNs: bytes are always safe. */
        struct value_type hex;
        value_type_find(&hex, "hex", 3);
        printf("%s{\"index\": %u, \"hex\": \"", comma, i);
        values_print(&hex, l->args[i].data, l->args[i].size_B, "");
        printf("\"}");
        comma = ", ";
    }
    printf("]");
}

static void
json_insn(void *ctx, const struct eu_insn *insn, size_t at_B, uint64_t count)
{
    const struct eu_run *run = ctx;
    char text[512];
    eu_disasm(text, sizeof text, insn, run->gen);
    printf("%s{\"offset\": %zu, \"count\": %llu, \"text\": ", at_B ? ", " : "",
           at_B, (unsigned long long)count);
    json_string(text);
    printf("}");
}

static void
json_counts(const struct eu_run *run)
{
    uint64_t sums[OPCODES] = {0};
    const char *comma = "";
    each_insn(run, add_opcode, sums);
    printf(", \"opcodes\": {");
    for (unsigned i = 0; i < OPCODES; i++) {
        if (!sums[i])
            continue;
        printf("%s\"%s\": %llu", comma, eu_opcode_name(i, run->gen),
               (unsigned long long)sums[i]);
        comma = ", ";
    }
    printf("}, \"listing\": [");
    each_insn(run, json_insn, (void *)run);
    printf("]");
}

static void
json_registers(const struct eu_run *run)
{
    struct eu_thread *t = run->launch.thread;
    if (strcmp(run->tier, "interp"))
        return;
    printf(", \"grf\": [");
    for (unsigned i = 0; i < EU_GRF_COUNT; i++) {
        printf("%s[", i ? ", " : "");
        for (unsigned j = 0; j < EU_GRF_B / 4; j++)
            printf("%s%u", j ? ", " : "", eu_grf(t, i)[j]);
        printf("]");
    }
    printf("], \"f\": [%u, %u]", t->f[0], t->f[1]);
}

void
report_json(const struct eu_run *run)
{
    const struct launch *l = &run->launch;
    printf("{\"kernel\": ");
    json_string(l->kernel->name);
    printf(", \"problem\": ");
    if (run->problem)
        json_string(run->problem);
    else
        printf("null");
    printf(", \"threads\": %llu", (unsigned long long)l->thread_count);
    if (l->counts)
        printf(", \"instructions\": %llu",
               (unsigned long long)count_executed(l));
    json_args(run);
    if (l->thread)
        json_registers(run);
    if (l->counts)
        json_counts(run);
    printf("}\n");
}
