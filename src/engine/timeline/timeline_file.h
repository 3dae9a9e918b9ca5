/* timeline_file.h: the file "timeline" that profiled processes leave in the
 * directory SOFTLAKE_PROFILE if SOFTLAKE_PROFILE_TIMES is set: when batches,
 * draws and dispatches ran. All processes append records.
 *
 * Writer: timeline.c. Reader: cli/profile. Native byte order, one host. */
#ifndef ENGINE_TIMELINE_TIMELINE_FILE_H
#define ENGINE_TIMELINE_TIMELINE_FILE_H

#include <stdint.h>

#define TIMELINE_FORMAT "%s/timeline"
#define TIMELINE_STAGES 6 /* enum stage_kind */

enum timeline_kind {
    TIMELINE_SUBMIT = 1, /* a thread of the application queued a batch */
    TIMELINE_BATCH,
    TIMELINE_DRAW,     /* of its context's batch */
    TIMELINE_DISPATCH, /* likewise */
    TIMELINE_KINDS
};

struct timeline_record {
    uint32_t kind, ring; /* ring: of submissions and batches */
    uint32_t pid, tid;
    uint64_t context;          /* tells contexts of the process apart */
    uint64_t batch;            /* of submissions and batches: from 1 */
    uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
    /* Of draws and dispatches: kernels by stage, XXH3 of their code or 0. */
    uint64_t kernel[TIMELINE_STAGES];
    uint8_t simd[8];
    uint32_t size[3]; /* groups; or vertices, instances, topology */
    char process[20]; /* name */
};

#endif
