/* disasm_cycles.h: a listing with the clocks of the cycle model.
 *
 * Caller: cmd_disasm.c. One thread. */
#ifndef CLI_KERNEL_DISASM_CYCLES_H
#define CLI_KERNEL_DISASM_CYCLES_H

#include <stdio.h>

#include "cli/cycles/cycles.h"

/* Prints each instruction's offset, clocks, and its weight in Mesa's sum; then
 * the sum. False if part of the kernel is no instruction. */
bool disasm_print_cycles(FILE *out, const uint8_t *code, size_t size_B,
                         enum eu_gen gen, enum cycles_table table);

#endif
