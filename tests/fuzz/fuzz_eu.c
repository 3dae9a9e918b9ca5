/* fuzz_eu.c: any bytes as a kernel.
 *
 * Two bytes choose generation, host instruction set, width, whether the code is
 * repaired, and the initial state; the rest is code. It is decoded, validated
 * and disassembled word by word. Then the interpreter and compiled code run it
 * and must agree after every instruction. A last run is not compared. */
#include <stdlib.h>

#include "fuzz.h"
#include "rk.h"

static void
read_words(const uint8_t *code, size_t size_B, enum eu_gen gen)
{
    for (size_t at = 0; at < size_B; at += 8) {
        struct eu_insn insn;
        char text[256];
        const char *why;
        if (!eu_decode(&insn, code + at, size_B - at, gen, &why))
            continue;
        eu_validate(&insn, gen);
        eu_disasm(text, sizeof text, &insn, gen);
    }
}

/* A kernel with one bad instruction may never run the others. An instruction
 * that does not decode or breaks a rule becomes a NOP, and an end of thread is
 * appended. */
static void
repair(struct rk *k)
{
    uint32_t end_B = MIN2(k->size_B, RK_MAX_B - 32) & ~7u;
    k->size_B = 0;
    while (k->size_B < end_B) {
        const uint8_t *at = k->code + k->size_B;
        struct eu_insn insn;
        const char *why = NULL;
        unsigned length_B = eu_decode(&insn, at, end_B - k->size_B, k->gen,
                                      &why);
        if (length_B && insn.opcode != EU_OP_ILLEGAL &&
            !eu_validate(&insn, k->gen)) {
            k->size_B += length_B;
            continue;
        }
        if (!length_B)
            length_B = at[3] & 0x20 || end_B - k->size_B < 16 ? 8 : 16;
        k->count = 0;
        for (unsigned i = 0; i < length_B; i += 8)
            rk_add_nop(k);
    }
    k->count = 0;
    rk_add_send(k, 112, 1, 0, true);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    static const uint8_t widths[] = {8, 16, 32, 8};
    static struct rk k;
    struct rk_result r;
    char text[512];
    if (size_B < 10 || cpu_selected() == CPU_SSE4)
        return 0;
    memset(&k, 0, offsetof(struct rk, code));
    k.gen = data[0] & 1 ? EU_GEN8 : EU_GEN9;
    k.simd = widths[data[0] >> 2 & 3];
    k.size_B = (uint32_t)MIN2(size_B - 2, RK_MAX_B);
    memcpy(k.code, data + 2, k.size_B);
    read_words(k.code, k.size_B, k.gen);
    if (!(data[0] & 16))
        repair(&k);

    enum cpu_level cpu = data[0] & 2 ? CPU_AVX2 : cpu_selected();
    k.mode = RK_STEPS;
    if (!rk_run(&k, data[1], cpu, &r, text, sizeof text)) {
        log_printf("fuzz_eu: %s", text);
        abort();
    }
    /* Integers may depend on the choice of a NaN: only a crash counts. */
    k.mode = RK_WHOLE;
    rk_run(&k, data[1], cpu, &r, text, sizeof text);
    return 0;
}
