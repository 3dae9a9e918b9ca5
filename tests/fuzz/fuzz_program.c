/* fuzz_program: any bytes as a kernel file, for `softlake disasm` and its
 * like: raw code, ocloc's ELF with patch tokens, zebin. */
#include <stdlib.h>

#include "cli/program.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    struct program program;
    const char *why = NULL;
    volatile uint8_t sum = 0;
    if (!program_read(&program, data, size_B, EU_GEN9, &why)) {
        if (!why)
            abort();
        return 0;
    }
    for (unsigned i = 0; i < program.kernel_count; i++) {
        const struct program_kernel *k = &program.kernels[i];
        for (size_t at = 0; at < k->code_B; at++)
            sum ^= k->code[at];
        for (uint32_t at = 0; at < k->surfaces_B; at++)
            sum ^= k->surfaces[at];
        if (k->name && program_find(&program, k->name) == NULL)
            abort();
    }
    program_free(&program);
    return 0;
}
