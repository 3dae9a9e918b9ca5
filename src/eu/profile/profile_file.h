/* profile_file.h: the files that profiled processes leave in the directory
 * SOFTLAKE_PROFILE. They outlive a process that is killed.
 *
 * "kernels" holds records, which all processes append. "counts.ID.N" are arrays
 * of counters, one for each host thread that runs at once; ID names the
 * process. A kernel has two counters per 8 bytes of code, from its slot on:
 * first how often the interpreter ran the instruction there, then how often
 * compiled code entered the basic block that begins there.
 *
 * Writers: profile.c. Readers: cli/profile. Native byte order, one host. */
#ifndef EU_PROFILE_PROFILE_FILE_H
#define EU_PROFILE_PROFILE_FILE_H

#include <stdint.h>

#define PROFILE_COUNTERS (16u << 20) /* in one file */
#define PROFILE_COUNTS_FORMAT "%s/counts.%016llx.%u"
#define PROFILE_KERNELS_FORMAT "%s/kernels"

enum profile_record_kind {
    PROFILE_KERNEL = 1, /* struct profile_kernel */
    PROFILE_BLOCKS,     /* its basic blocks: one byte per 8 bytes of code */
    PROFILE_USE,        /* value: 8 * SIMD width + stage */
    PROFILE_CHILD,      /* value: ID of a process that has this one's slots */
    PROFILE_FULL,       /* value: hash of a kernel without counters */
};

struct profile_record {
    uint32_t kind, size_B; /* of the record; a multiple of 8 */
    uint64_t process;
    uint32_t slot, pid;
    uint64_t value;
};

/* Then one byte per 8 bytes of code, 1 where an instruction begins, then the
 * code, then zeroes. */
struct profile_kernel {
    struct profile_record record; /* value: XXH3 of the code */
    uint32_t gen, code_B;
};

/* Stages of PROFILE_USE: the engine's enum stage_kind. */
#define PROFILE_STAGES(X) \
    X(VS, "vs") X(HS, "hs") X(DS, "ds") X(GS, "gs") X(PS, "fs") X(CS, "cs")

#endif
