/* show.h: compiled code that profilers and debuggers can see.
 *
 * SOFTLAKE_PERF=map,jitdump and SOFTLAKE_GDB=1 ask for it; otherwise nothing
 * is written and nothing is kept. Any thread. Private to src/eu/jit. */
#ifndef EU_SHOW_H
#define EU_SHOW_H

#include "eu/jit/code.h"

/* One of a kernel's two copies of code, or that for two threads. */
struct jit_copy {
    const struct eu_kernel *kernel;
    const uint8_t *code;
    size_t size_B;
    uint32_t text_B;       /* without constants */
    const uint32_t *at;    /* per op: offset of its code */
    const uint32_t *order; /* NULL, or which one of the kernel it is */
    bool masked;
    unsigned threads; /* that it is for at a time, if several */
};

struct gdb_code;

/* That of threads with all channels on. */
struct jit_copy eu_jit_full_copy(const struct eu_jit *jit);
/* trace(jit, ...) */
void eu_jit_trace(const struct eu_jit *jit, const struct jit_copy *copy);

/* Tells those who asked; the result is for eu_show_end, NULL is fine. */
struct gdb_code *eu_show_begin(const struct jit_copy *copy);
void eu_show_end(struct gdb_code *code);

#define SHOW_NAME_B 48
void eu_show_name(const struct jit_copy *copy, char name[SHOW_NAME_B]);
/* A new file, not through the library's own open(); -1 on failure. */
int eu_show_open(const char *path, bool append);

/* perf_map.c, jitdump.c, gdb_code.c */
void eu_perf_map_add(const struct jit_copy *copy);
void eu_jitdump_add(const struct jit_copy *copy);
struct gdb_code *eu_gdb_add(const struct jit_copy *copy);
void eu_gdb_remove(struct gdb_code *code);

#endif
