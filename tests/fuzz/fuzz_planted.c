/* fuzz_planted.c: a target with faults, for test_fuzz.py: a fuzzer that finds
 * none of them would find nothing else. FUZZ_PLANTED chooses the fault. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static char *volatile nowhere;

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    const char *fault = getenv("FUZZ_PLANTED");
    fuzz_count("bytes", size_B);
    if (size_B < 4 || data[1] != 3 || !fault)
        return 0;
    if (!strcmp(fault, "abort"))
        abort();
    if (!strcmp(fault, "segv"))
        *nowhere = 1;
    for (volatile unsigned n = 1; !strcmp(fault, "hang") && n;)
        n = 1;
    return 0;
}
