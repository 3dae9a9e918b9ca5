/* report.h: counters of a process that outlive it.
 *
 * The launcher creates a file of sizeof(struct shim_report) bytes with the
 * magic in it, names it in SOFTLAKE_REPORT, and reads it when the command has
 * ended. Every process of the command that loads the library maps the file
 * and adds its counters to it while it runs, so that a process that ends by
 * _exit or a signal is counted too. Any thread. */
#ifndef SHIM_REPORT_H
#define SHIM_REPORT_H

#include "base/base.h"

#define SHIM_REPORT_MAGIC UINT32_C(0x314b4c53) /* "SLK1" */

struct shim_report {
    uint32_t magic;
    uint32_t counters; /* STAT_COUNT of the launcher: must agree */
    _Atomic uint64_t counter[STAT_COUNT]; /* sums over all processes */
};

/* Maps the file that SOFTLAKE_REPORT names. Without one the rest is a no-op. */
void report_open(void);
/* Adds what the counters gained since the last call of this process. */
void report_publish(void);
/* The same after a batch: every few milliseconds, errors at once. */
void report_publish_batch(void);
/* In the child of fork(): what the parent counted is not ours. */
void report_after_fork(void);

#endif
