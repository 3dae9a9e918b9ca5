/* fuzz_eu: any bytes as a kernel.
 *
 * Two bytes choose generation, host instruction set, width and the state to
 * start in; the rest is code. It is decoded, validated and disassembled word
 * by word, then built and run by the interpreter and by compiled code, which
 * must agree after every instruction, and once more unwatched. */
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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    static const uint8_t widths[] = {8, 16, 32, 8};
    static struct rk k;
    struct rk_result r;
    char text[512];
    if (size_B < 10 || eu_cpu_selected() == EU_CPU_SSE4)
        return 0;
    memset(&k, 0, offsetof(struct rk, code));
    k.gen = data[0] & 1 ? EU_GEN8 : EU_GEN9;
    k.simd = widths[data[0] >> 2 & 3];
    k.size_B = (uint32_t)MIN2(size_B - 2, RK_MAX_B);
    memcpy(k.code, data + 2, k.size_B);
    read_words(k.code, k.size_B, k.gen);

    enum eu_cpu cpu = data[0] & 2 ? EU_CPU_AVX2 : eu_cpu_selected();
    k.mode = RK_STEPS;
    if (!rk_run(&k, data[1], cpu, &r, text, sizeof text)) {
        log_printf("fuzz_eu: %s", text);
        abort();
    }
    /* Integers may depend on which NaN there is: only that it runs counts. */
    k.mode = RK_WHOLE;
    rk_run(&k, data[1], cpu, &r, text, sizeof text);
    return 0;
}
