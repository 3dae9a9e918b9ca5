/* eu_run.h: one run of `softlake eu-run`: its request, and the output of its
 * results. One thread. */
#ifndef CLI_KERNEL_EU_RUN_H
#define CLI_KERNEL_EU_RUN_H

#include "cli/kernel/kernel_launch.h"
#include "cli/kernel/values.h"

struct eu_run {
    const char *file, *kernel, *grf, *tier;
    enum eu_gen gen;
    bool json, want_counts, all_registers;
    bool in_batch; /* counts only on request, because counting is slow */
    struct launch launch;
    struct value_type type[LAUNCH_MAX_ARGS]; /* of buffers: how to print */
    const char *out[LAUNCH_MAX_ARGS];        /* file to write, or NULL */
    struct eu_thread *before; /* registers at the start (raw kernels) */
    const char *problem;      /* why the run failed, or NULL */
};

/* grf.c: reads registers from 4096 bytes or text; false with the reason. */
bool grf_read(struct eu_thread *thread, const char *path, const char **why);

void report_text(const struct eu_run *run);
void report_json(const struct eu_run *run);

#endif
