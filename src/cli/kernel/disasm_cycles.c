/* disasm_cycles.c: softlake disasm --cycles. */
#include "cli/kernel/disasm_cycles.h"

#include <stdlib.h>

/* The instructions up to one that is none; NULL: no memory. */
static struct eu_insn *
decode_kernel(const uint8_t *code, size_t size_B, enum eu_gen gen,
              uint32_t *count, size_t *end_B)
{
    struct eu_insn *insns = calloc(size_B / 8 + 1, sizeof *insns);
    *count = 0;
    *end_B = 0;
    while (insns && *end_B < size_B) {
        struct eu_insn *insn = &insns[*count];
        unsigned length_B = eu_decode(insn, code + *end_B, size_B - *end_B, gen,
                                      NULL);
        if (!length_B)
            break;
        insn->offset_B = (uint32_t)*end_B;
        *end_B += length_B;
        ++*count;
    }
    return insns;
}

bool
disasm_print_cycles(FILE *out, const uint8_t *code, size_t size_B,
                    enum eu_gen gen, enum cycles_table table)
{
    uint32_t count;
    size_t end_B;
    const char *unknown;
    struct eu_insn *insns = decode_kernel(code, size_B, gen, &count, &end_B);
    struct cycles_cost *costs = calloc(count + 1, sizeof *costs);
    if (!insns || !costs) {
        free(insns);
        free(costs);
        fprintf(stderr, "softlake: no memory\n");
        return false;
    }
    uint32_t sum = cycles_schedule(insns, count, table, costs, &unknown);
    for (uint32_t i = 0; i < count; i++) {
        char text[512];
        eu_disasm_labels(text, sizeof text, &insns[i], gen);
        fprintf(out, "[%04x] %5u x%-5u %s\n", insns[i].offset_B,
                costs[i].clocks, costs[i].weight, text);
    }
    if (end_B < size_B)
        fprintf(out, "[%04zx] (illegal)\n", end_B);
    fprintf(out, "// %u instructions, %u cycles%s%s\n", count, sum,
            unknown ? "; Mesa's may differ: " : "", unknown ? unknown : "");
    free(insns);
    free(costs);
    return end_B == size_B;
}
