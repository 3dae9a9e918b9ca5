/* eu_run.h: one run of `softlake eu-run`: what was asked for, and printing
 * what came out. */
#ifndef CLI_EU_RUN_H
#define CLI_EU_RUN_H

#include "cli/launch.h"
#include "cli/values.h"

struct eu_run {
    const char *file, *kernel, *grf, *tier;
    enum eu_gen gen;
    bool json, want_counts, all_registers;
    bool in_batch; /* counting makes it slow: only when asked for */
    struct launch launch;
    struct value_type type[LAUNCH_MAX_ARGS]; /* of buffers: how to print */
    const char *out[LAUNCH_MAX_ARGS];        /* file to write, or NULL */
    struct eu_thread *before; /* registers at the start (raw kernels) */
    const char *problem;      /* why it failed, or NULL */
};

/* grf.c: registers from 4096 bytes or text; false with what is wrong. */
bool grf_read(struct eu_thread *thread, const char *path, const char **why);

void report_text(const struct eu_run *run);
void report_json(const struct eu_run *run);

#endif
