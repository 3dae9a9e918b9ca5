/* listing.h: shows compiled code to profilers and debuggers.
 *
 * SOFTLAKE_PERF=map,jitdump and SOFTLAKE_GDB=1 enable it; otherwise it writes
 * and keeps nothing. Callers: the driver and lockstep/. Any thread. Private to
 * src/eu/jit. */
#ifndef EU_JIT_LISTING_LISTING_H
#define EU_JIT_LISTING_LISTING_H

#include "eu/jit/jit_code.h"

/* A variant of a kernel's code, or its lockstep code. */
struct jit_variant {
    const struct eu_kernel *kernel;
    const uint8_t *code;
    size_t size_B;
    uint32_t text_B;       /* without constants */
    const uint32_t *at;    /* per op: offset of its code */
    const uint32_t *order; /* NULL, or each op's index in the kernel */
    bool masked;
    unsigned threads; /* 0, or the threads of lockstep code */
};

struct gdb_jit;

/* trace(jit, ...) */
void eu_jit_list(const struct eu_jit *jit, const struct jit_variant *copy);

/* Announces the code to profilers and debuggers that SOFTLAKE_PERF and
 * SOFTLAKE_GDB enable. Pass the result, which may be NULL, to
 * eu_code_event_end(). */
struct gdb_jit *eu_code_event_begin(const struct jit_variant *copy);
void eu_code_event_end(struct gdb_jit *code);

#define CODE_EVENT_NAME_B 48
void eu_code_event_name(const struct jit_variant *copy,
                        char name[CODE_EVENT_NAME_B]);
/* Opens a new file, without Softlake's own open(); -1 on failure. */
int eu_code_event_open(const char *path, bool append);

/* code_events.c, jitdump.c, gdb_jit.c */
void eu_perf_map_add(const struct jit_variant *copy);
void eu_jitdump_add(const struct jit_variant *copy);
struct gdb_jit *eu_gdb_add(const struct jit_variant *copy);
void eu_gdb_remove(struct gdb_jit *code);

#endif
