/* profile_file.h: the files that profiled processes leave in the directory
 * SOFTLAKE_PROFILE. They outlive a process that is killed.
 *
 * "kernels" holds records, which all processes append. "counts.ID.N" are arrays
 * of counters, one for each host thread that runs at once; ID names the
 * process. A kernel has several arrays of counters from its slot on
 * (enum profile_array), each with one per 8 bytes of code. With lanes, bins
 * follow (profile_bin()).
 *
 * Writers: profile.c. Readers: cli/profile. Native byte order, one host. */
#ifndef EU_PROFILE_PROFILE_FILE_H
#define EU_PROFILE_PROFILE_FILE_H

#include <stdatomic.h>
#include <stdint.h>

#define PROFILE_COUNTERS (64u << 20) /* in one file */
#define PROFILE_COUNTS_FORMAT "%s/counts.%016llx.%u"
#define PROFILE_KERNELS_FORMAT "%s/kernels"

/* Before the first slot: pages of the file that found no room in the file
 * system, whose counts are lost. */
#define PROFILE_LOST_PAGES 0

/* What the counter at an instruction counts. */
enum profile_array {
    PROFILE_RAN,     /* its runs in the interpreter */
    PROFILE_ENTERED, /* entries of the compiled basic block that begins there */
    PROFILE_ARRAYS,

    /* With lanes. Active lanes are set bits of the execution mask among the
     * instruction's channels, predicates apart. */
    PROFILE_ENTERED_FULL = PROFILE_ARRAYS, /* more entries, with all lanes on */
    PROFILE_LANES, /* active lanes, in the interpreter */
    /* Of branches, eu_parts_channels(), in both tiers. Usually all active lanes
     * take the branch, or none does: eu_is_usually_taken(). */
    PROFILE_CONTRARY,       /* runs in which they do the opposite; also runs
                               without active lanes, if it is usually taken */
    PROFILE_DIVERGENT,      /* runs in which some active lanes take it */
    PROFILE_CONTRARY_LANES, /* lanes that do the opposite */
    PROFILE_LANES_ARRAYS,

    /* With memory, at SENDs that access memory: sums over their messages
     * (memory_use.c; struct eu_send_counts says what they mean). */
    PROFILE_SENT = PROFILE_LANES_ARRAYS,
    PROFILE_SENT_LANES,
    PROFILE_SENT_BYTES,
    PROFILE_LINES,
    PROFILE_LEAST_LINES,
    PROFILE_MISALIGNED,
    PROFILE_SLM_PASSES,
    PROFILE_SLM_LEAST_PASSES,
    PROFILE_STRIDE_B,
    PROFILE_STRIDES, /* an array for each enum profile_stride */
    /* Accesses by compiled code with all lanes on: of one place, of neighbours,
     * and of others, one element of at most 64 bytes for all lanes. They are in
     * the arrays above only with lines beyond the first, or the least; the last
     * with its strides and passes, too. */
    PROFILE_FULL_SAME = PROFILE_STRIDES + 6,
    PROFILE_FULL_NEXT,
    PROFILE_FULL_APART,
    PROFILE_MEMORY_ARRAYS
};

/* How the addresses of a message's lanes differ. Messages of one lane, and
 * blocks, have no stride. */
#define PROFILE_STRIDE_NAMES(X)               \
    X(SAME, "same") /* one place */           \
    X(NEXT, "next") /* neighbours */          \
    X(SHORT, "<64") /* other equal strides */ \
    X(LONG, "<4096")                          \
    X(FAR, ">=4096")                          \
    X(MIXED, "mixed") /* of several strides */

enum profile_stride {
#define X(id, name) PROFILE_STRIDE_##id,
    PROFILE_STRIDE_NAMES(X)
#undef X
        PROFILE_STRIDE_COUNT
};
_Static_assert(PROFILE_FULL_SAME - PROFILE_STRIDES == PROFILE_STRIDE_COUNT,
               "an array for each");

/* Of struct profile_kernel: what is counted besides executions. */
enum { PROFILE_HAS_LANES = 1, PROFILE_HAS_MEMORY = 2 };

/* The channels of an instruction, as a bit: blocks keep a set. */
static inline uint64_t
profile_channels(unsigned first, unsigned count)
{
    return UINT64_C(1) << ((first / 4 * 8 + (unsigned)__builtin_ctz(count)) &
                           63);
}

/* Bins: executions with 0, 1, 2 .. active lanes of instructions that heed the
 * execution mask. The interpreter has those of each instruction. Compiled code
 * has those other than PROFILE_ENTERED_FULL, at the first instruction of a
 * basic block that uses these channels (profile_channels()). */
enum profile_bins { PROFILE_RAN_BINS, PROFILE_BLOCK_BINS, PROFILE_BIN_SETS };
#define PROFILE_BINS_MAX 33u

/* Where the first bin of an instruction is, from the kernel's slot on. arrays,
 * bins: the kernel's; units: length of an array; u: the instruction's place. */
static inline uint32_t
profile_bin(enum profile_bins set, uint32_t arrays, uint32_t bins,
            uint32_t units, uint32_t u)
{
    return units * (arrays + set * bins) + u * bins;
}

/* All counters of a kernel. */
static inline uint32_t
profile_counters(uint32_t arrays, uint32_t bins, uint32_t units)
{
    return profile_bin(PROFILE_BIN_SETS, arrays, bins, units, 0);
}

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
    uint32_t arrays; /* PROFILE_ARRAYS or another PROFILE_*_ARRAYS */
    uint32_t has;    /* PROFILE_HAS_* */
    uint32_t bins;   /* of an instruction; 0: without lanes */
    uint32_t unused;
};

/* The files "units.PID.ID": what single draws and dispatches of a process have
 * counted, if SOFTLAKE_PROFILE_UNITS is set. Then the unit's parts, each with
 * its counters that are not zero. */
#define PROFILE_UNITS_PREFIX "units."
#define PROFILE_UNITS_FORMAT "%s/" PROFILE_UNITS_PREFIX "%010u.%016llx"

enum profile_unit_kind {
    PROFILE_DRAW = 1,
    PROFILE_DISPATCH,
    PROFILE_UNITS_END, /* no more of this process are listed */
};

struct profile_unit {
    uint32_t size_B; /* with its parts */
    uint32_t kind;   /* enum profile_unit_kind */
    uint64_t process;
    uint32_t pid, frame;     /* frame: from 1, as the next two */
    uint64_t submit, number; /* of the process; draws and dispatches apart */
    uint32_t size[3];        /* groups; or vertices, instances, topology */
    uint32_t local;          /* work items of a group */
    uint32_t part_count, unused;
};

struct profile_part {
    uint32_t slot;
    uint16_t stage, simd;
    uint32_t pair_count, unused;
};

struct profile_pair {
    uint32_t index, unused; /* from the slot on */
    uint64_t count;
};

/* The file "control", if SOFTLAKE_PROFILE_FIFO names a FIFO with commands.
 * The launcher makes it; processes that read commands change it. */
#define PROFILE_CONTROL_FORMAT "%s/control"

enum profile_state { PROFILE_COUNTING, PROFILE_PAUSED, PROFILE_STOPPED };

struct profile_control {
    _Atomic uint32_t state;     /* enum profile_state */
    _Atomic uint32_t snapshots; /* asked for */
};

/* A snapshot is a copy of all "counts.ID.N" of the process that has read the
 * command, then an empty file that says that they are whole. */
#define PROFILE_SNAPSHOT_FORMAT "%s/snapshot.%u.%016llx.%u"
#define PROFILE_SNAPSHOT_END_FORMAT "%s/snapshot.%u"

/* Stages of PROFILE_USE: the engine's enum stage_kind. */
#define PROFILE_STAGES(X) \
    X(VS, "vs") X(HS, "hs") X(DS, "ds") X(GS, "gs") X(PS, "fs") X(CS, "cs")

#endif
