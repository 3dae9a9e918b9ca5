/* fuzz_program.c: any bytes as a kernel file, for `softlake disasm` and its
 * like: raw code, ocloc's ELF with patch tokens, zebin. */
#include <stdlib.h>

#include "cli/kernel/program.h"
#include "fuzz.h"

/* Reads every byte. */
static uint8_t
sum_of(const uint8_t *p, size_t size_B)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < size_B; i++)
        sum ^= p[i];
    return sum;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    struct program program;
    const char *why = NULL;
    if (!program_read(&program, data, size_B, EU_GEN9, &why)) {
        if (!why)
            abort();
        return 0;
    }
    for (unsigned i = 0; i < program.kernel_count; i++) {
        const struct program_kernel *k = &program.kernels[i];
        uint8_t sum = sum_of(k->code, k->code_B) ^
                      sum_of(k->surfaces, k->surfaces_B);
        __asm__ volatile("" : : "r"(sum));
        if (k->name && program_find(&program, k->name) == NULL)
            abort();
    }
    program_free(&program);
    return 0;
}
