/* fuzz.h: the entry point that libFuzzer calls, or driver.c without it, and
 * what targets share. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

/* For scripts/fuzz: what the executions consist of, as "ioctls" or "batches".
 * Printed when the process ends; one name per target. */
void fuzz_count(const char *what, uint64_t n);

#endif
