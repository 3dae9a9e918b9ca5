/* cycles_table.c: the two tables. */
#include "cli/cycles/cycles_table.h"

#include <string.h>

const char *const cycles_unit_names[CYCLES_UNIT_COUNT] = {
#define X(id, name) name,
    CYCLES_UNITS(X)
#undef X
};

bool
cycles_parse_table(const char *text, enum cycles_table *table)
{
    *table = *text == 'B' || *text == 'b' ? CYCLES_B : CYCLES_A;
    return strchr("ABab", *text) && strlen(text) == 1;
}

#define FPU .unit = CYCLES_UNIT_FPU
#define EM .unit = CYCLES_UNIT_EM
#define TO(u) .unit = CYCLES_UNIT_##u

/* Arithmetic: times per register of the destination and of the execution
 * size. */
#define PER_REG(n) .issue_d = (n), .busy_x = (n)
/* Table B has times per pass of eight lanes. */
#define PER_PASS(n) .issue_x = (n), .busy_x = (n)
#define WRITES(g, a, f) .grf = (g), .acc = (a), .flag = (f)

const struct cycles_row cycles_tables[CYCLES_TABLES][CYCLES_CLASSES] =
    {
        /* Mesa 22.3.6. Its author marks as guesses what messages take, and the
         * latencies of accumulators and flags in most rows. */
        [CYCLES_A] =
            {
                [CYCLES_NOTHING] = {.unit = CYCLES_UNIT_NONE},
                [CYCLES_ALU] = {FPU, PER_REG(2), WRITES(8, 4, 12)},
                [CYCLES_ALU64] = {FPU, PER_REG(4), WRITES(12, 8, 16)},
                [CYCLES_SLOW] = {FPU, PER_REG(2), WRITES(8, 4, 12)},
                [CYCLES_MAD] = {FPU, PER_REG(2), .issue_c = 1,
                                WRITES(8, 4, 12)},
                [CYCLES_MAD64] = {FPU, PER_REG(4), .issue_c = 1,
                                  WRITES(12, 8, 16)},
                [CYCLES_LRP] = {FPU, PER_REG(4), .issue_c = 1,
                                WRITES(12, 8, 16)},
                [CYCLES_PLN] = {FPU, PER_REG(4), WRITES(12, 8, 16)},
                [CYCLES_DOT] = {FPU, PER_REG(2), WRITES(12, 8, 16)},
                [CYCLES_MATH] = {EM, PER_REG(4), .issue = -2, .grf = 16},
                [CYCLES_POW] = {EM, .issue = -2, .issue_d = 4, .busy_x = 8,
                                .grf = 24},
                [CYCLES_INT_DIV] = {EM, .issue = 2, .busy = 26, .grf = 28},
                [CYCLES_FLOW] = {TO(FLOW), .issue = 8},
                [CYCLES_SAMPLE] = {TO(SAMPLER), .issue = 2, .busy_x = 16,
                                   .read = 8, .grf = 750, .latency_s = 2},
                [CYCLES_MEMORY] = {TO(DATA), .issue = 2, .busy_x = 20,
                                   .read = 10, .grf = 100},
                [CYCLES_ATOMIC] = {TO(DATA), .issue = 2, .busy = 30,
                                   .busy_x = 400, .read = 10, .grf = 100,
                                   .latency_d = 400},
                [CYCLES_PULL] = {TO(CONSTANT), .issue = 2, .busy_x = 16,
                                 .read = 10, .grf = 100},
                [CYCLES_SCRATCH] = {TO(DATA), .issue = 2, .busy_x = 8,
                                    .read = 10, .grf = 100},
                [CYCLES_RT] = {TO(RENDER), .issue = 2,
                               .busy_x = 450, .read = 10, .grf = 300},
                [CYCLES_URB] = {TO(URB), .issue = 2, .busy_x = 6, .read = 32,
                                .grf = 200},
                [CYCLES_INTERPOLATE] = {TO(INTERPOLATOR), .issue = 2,
                                        .busy = 14, .grf = 90},
                [CYCLES_FENCE] = {TO(DATA), .issue = 2, .busy = 30, .read = 10,
                                  .grf = 100},
                [CYCLES_RT_FENCE] = {TO(RENDER), .issue = 2,
                                     .busy = 30, .read = 10, .grf = 300},
                [CYCLES_BARRIER] = {TO(GATEWAY), .issue = 90},
                [CYCLES_END] = {TO(SPAWNER), .issue = 2, .read = 10},
                [CYCLES_MOV_INDIRECT] = {FPU, .issue = 34, .busy = 34,
                                         WRITES(8, 4, 12)},
                [CYCLES_BROADCAST] = {FPU, .issue = 18, .busy = 4,
                                      WRITES(8, 4, 12)},
                [CYCLES_MODE] = {FPU, .issue = 20, .busy = 4},
                [CYCLES_SHUFFLE] = {FPU, .issue = 42, .busy = 42,
                                    WRITES(8, 4, 12)},
                [CYCLES_SWIZZLE] = {FPU, PER_REG(8), WRITES(8, 4, 12)},
                [CYCLES_SEL_EXEC] = {FPU,
                                     .issue = 8, PER_REG(4), WRITES(8, 4, 12)},
                [CYCLES_PACK_HALF] = {FPU, .issue = 16,
                                      PER_REG(6), WRITES(8, 4, 12)},
            },
        /* IGC 1.0.12504: no time for the issue of messages, and one latency for
         * all results of an instruction. What it does not have is as in table
         * A. */
        [CYCLES_B] =
            {
                [CYCLES_NOTHING] = {.unit = CYCLES_UNIT_NONE},
                [CYCLES_ALU] = {FPU, PER_PASS(2), WRITES(14, 14, 14)},
                [CYCLES_ALU64] = {FPU, PER_PASS(4), WRITES(14, 14, 14)},
                [CYCLES_SLOW] = {FPU, PER_PASS(4), WRITES(14, 14, 14)},
                [CYCLES_MAD] = {FPU, PER_PASS(2), WRITES(14, 14, 14)},
                [CYCLES_MAD64] = {FPU, PER_PASS(4), WRITES(14, 14, 14)},
                [CYCLES_LRP] = {FPU, PER_PASS(4), WRITES(14, 14, 14)},
                [CYCLES_PLN] = {FPU, PER_PASS(4), WRITES(14, 14, 14)},
                [CYCLES_DOT] = {FPU, PER_PASS(4), WRITES(14, 14, 14)},
                [CYCLES_MATH] = {EM, PER_PASS(4), .grf = 22},
                [CYCLES_POW] = {EM, PER_PASS(8), .grf = 30},
                [CYCLES_INT_DIV] = {EM, PER_PASS(8), .grf = 30},
                [CYCLES_FLOW] = {TO(FLOW), .issue = 8},
                [CYCLES_SAMPLE] = {TO(SAMPLER), .issue = 2, .busy_x = 16,
                                   .read = 36, .grf = 300},
                [CYCLES_MEMORY] = {TO(DATA), .issue = 2, .busy_x = 20,
                                   .read = 36, .grf = 400},
                [CYCLES_ATOMIC] = {TO(DATA), .issue = 2, .busy = 30,
                                   .busy_x = 400, .read = 36, .grf = 400},
                [CYCLES_PULL] = {TO(CONSTANT), .issue = 2, .busy_x = 16,
                                 .read = 36, .grf = 60},
                [CYCLES_SCRATCH] = {TO(DATA), .issue = 2, .busy_x = 8,
                                    .read = 36, .grf = 400},
                [CYCLES_RT] = {TO(RENDER), .issue = 2,
                               .busy_x = 450, .read = 36, .grf = 200},
                [CYCLES_URB] = {TO(URB), .issue = 2, .busy_x = 6, .read = 36,
                                .grf = 50},
                [CYCLES_INTERPOLATE] = {TO(INTERPOLATOR), .issue = 2,
                                        .busy = 14, .read = 36, .grf = 50},
                [CYCLES_FENCE] = {TO(DATA), .issue = 2, .busy = 30, .read = 36,
                                  .grf = 400},
                [CYCLES_RT_FENCE] = {TO(RENDER), .issue = 2, .busy = 30,
                                     .read = 36, .grf = 200},
                [CYCLES_BARRIER] = {TO(GATEWAY), .issue = 200},
                [CYCLES_END] = {TO(SPAWNER), .issue = 2, .read = 36},
                [CYCLES_MOV_INDIRECT] = {FPU, .issue = 34,
                                         .busy = 34, WRITES(14, 14, 14)},
                [CYCLES_BROADCAST] = {FPU, .issue = 18, .busy = 4,
                                      WRITES(14, 14, 14)},
                [CYCLES_MODE] = {FPU, .issue = 20, .busy = 4},
                [CYCLES_SHUFFLE] = {FPU, .issue = 42, .busy = 42,
                                    WRITES(14, 14, 14)},
                [CYCLES_SWIZZLE] = {FPU, PER_PASS(8), WRITES(14, 14, 14)},
                [CYCLES_SEL_EXEC] = {FPU, .issue = 8, PER_PASS(4),
                                     WRITES(14, 14, 14)},
                [CYCLES_PACK_HALF] = {FPU, .issue = 16, PER_PASS(6),
                                      WRITES(14, 14, 14)},
            },
};
