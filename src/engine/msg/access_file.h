/* access_file.h: the file of memory accesses that profiled processes leave in
 * the directory SOFTLAKE_PROFILE, for softlake profile --memory=trace.
 * docs/profiling.md describes the same format, which is that of users, too.
 *
 * Writers: msg_trace.c. Readers: cli/profile. Little endian. */
#ifndef ENGINE_MSG_ACCESS_FILE_H
#define ENGINE_MSG_ACCESS_FILE_H

#include <stdint.h>

#define ACCESS_FILE_FORMAT "%s/accesses"
/* What the user's file begins with, before the records. */
#define ACCESS_FILE_MAGIC "SLKTRAC1"

enum { ACCESS_WRITES = 1, ACCESS_IS_SLM = 2, ACCESS_IS_BLOCK = 4 };
#define ACCESS_NO_THREAD UINT32_MAX

/* A message. Then count words of 64 bits: the bytes that a lane accesses. */
struct access_record {
    uint32_t size_B;   /* of the record, words included */
    uint32_t offset_B; /* of the instruction */
    uint64_t kernel;   /* XXH3 of its code */
    uint64_t process;  /* ID of the process */
    uint32_t work;     /* number of the draw's stage, or of the dispatch */
    uint32_t group[3]; /* of compute; otherwise 0 */
    uint32_t thread;   /* number in the group, or ACCESS_NO_THREAD */
    uint32_t desc;
    uint32_t exec_mask;
    uint8_t sfid, stage, flags, count; /* stage: enum stage_kind */
};

/* Address, or offset in shared local memory; lane; bytes. */
static inline uint64_t
access_word(uint64_t at_B, unsigned lane, unsigned size_B)
{
    return (at_B & 0xffffffffffff) | (uint64_t)lane << 48 |
           (uint64_t)(size_B - 1) << 56;
}

#endif
