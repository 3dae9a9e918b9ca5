/* soak.h: what the programs of scripts/soak print: lines of figures of the
 * process: before the run, which is after a warm-up, in the middle and at the
 * end. */
#ifndef TESTS_SOAK_SOAK_H
#define TESTS_SOAK_SOAK_H

#include <stdbool.h>

/* Runs step(0), step(1) and so on, until one is wrong. end() is called before
 * the last figures. Returns whether all were good. */
bool soak_run(unsigned count, bool (*step)(unsigned i), void (*end)(void));

#endif
