/* send_counts.h: what the arrays of counters say of a SEND that accesses
 * memory.
 *
 * Callers: cli/profile, tests. Pure. */
#ifndef EU_PROFILE_SEND_COUNTS_H
#define EU_PROFILE_SEND_COUNTS_H

#include "base/base.h"
#include "eu/profile/profile_file.h"

/* Sums over the messages of one instruction. */
struct eu_send_counts {
    uint64_t sent;  /* messages that access memory */
    uint64_t lanes; /* active ones */
    uint64_t bytes; /* that lanes in range access */
    /* Of memory other than local memory: distinct lines of 64 bytes of each
     * message; the least number for so many bytes; messages of one place or of
     * neighbours that take more than that. */
    uint64_t lines, least_lines, misaligned;
    /* Of local memory: dwords of the bank that is used most, and what that
     * would be with all banks in use. */
    uint64_t slm_passes, slm_least_passes;
    uint64_t strides[PROFILE_STRIDE_COUNT];
    uint64_t stride_B; /* sum of the strides of SHORT, LONG and FAR */
};

/* The instruction: descriptor 0 if a register has it. */
struct eu_send_shape {
    uint8_t sfid, exec_size;
    uint32_t desc;
};

/* Adds one host thread's counters. at: the instruction's counter in the first
 * array; units: length of an array. */
void eu_send_counts_add(struct eu_send_counts *c, const uint64_t *at,
                        uint32_t units, struct eu_send_shape send);

#endif
