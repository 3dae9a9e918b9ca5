/* probe.h: probes: one function per driver stack, the child side of --check.
 *
 * Each opens the public loader library (dlopen(), so that none is a
 * dependency), prints "driver: device" on one line of standard output, draws or
 * computes a little, compares the result, and returns an enum probe_status.
 * Called once per process by cmd_check.c; one thread. */
#ifndef CLI_CHECK_PROBE_H
#define CLI_CHECK_PROBE_H

enum probe_status {
    PROBE_OK = 0,
    PROBE_FAILED = 1,
    PROBE_FOREIGN = 2, /* works, but not on Softlake */
    PROBE_ABSENT = 3,  /* loader or driver is missing */
};

int probe_egl(void);
int probe_gbm(void);
int probe_kms(void);
int probe_vulkan(void);
int probe_opencl(void);
int probe_va(void);

#endif
