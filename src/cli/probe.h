/* probe.h: opens one driver stack through its public loader library (dlopen,
 * so none of them is a dependency), prints "driver: device" on one line of
 * standard output and returns a probe_status as exit code. Child of --check;
 * called once per process. */
#ifndef CLI_PROBE_H
#define CLI_PROBE_H

enum probe_status {
    PROBE_OK = 0,
    PROBE_FAILED = 1,
    PROBE_FOREIGN = 2, /* works, but not on our device */
    PROBE_ABSENT = 3,  /* loader or driver is not installed */
};

int probe_egl(void);
int probe_gbm(void);
int probe_kms(void);
int probe_vulkan(void);
int probe_opencl(void);
int probe_va(void);

#endif
