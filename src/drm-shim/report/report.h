/* report.h: the report: counters that the processes of a command leave to the
 * launcher.
 *
 * The launcher makes a file without a name (memfd) of sizeof(struct
 * shim_report) bytes and passes its descriptor on to the command. Every process
 * of the command that loads the library finds the descriptor (report_find.c),
 * maps the file and adds its counters while it runs. So a process that ends by
 * _exit or a signal is counted, too. No path is involved: processes may see
 * another file system, or run as another user.
 *
 * The header of the sub-room: software.h notices software rasterisers,
 * png_write.h writes the last picture. Any thread. */
#ifndef DRM_SHIM_REPORT_REPORT_H
#define DRM_SHIM_REPORT_REPORT_H

#include "base/base.h"
#include "drm-shim/report/png_write.h"
#include "drm-shim/report/software.h"

#define SHIM_REPORT_MAGIC UINT32_C(0x324b4c53) /* "SLK2" */

/* SOFTLAKE_REPORT: descriptor, inode of the file, name of the launcher's socket
 * (abstract, SOCK_SEQPACKET). The launcher sends each client that connects one
 * byte with a descriptor of the file. */
#define SHIM_REPORT_FORMAT "%d:%llu:%63s"

/* Software rasterisers that may draw or compute in a process. */
#define SHIM_DRAWERS(X)     \
    X(LLVMPIPE, "llvmpipe") \
    X(LAVAPIPE, "lavapipe") \
    X(SOFTPIPE, "softpipe") \
    X(POCL, "PoCL")         \
    X(SWIFTSHADER, "SwiftShader")

enum shim_drawer {
#define X(id, name) DRAWER_##id,
    SHIM_DRAWERS(X)
#undef X
        DRAWER_COUNT
};

struct shim_report {
    uint32_t magic;
    uint32_t counters; /* STAT_COUNT of the launcher: must agree */
    _Atomic uint64_t counter[STAT_COUNT]; /* sums over all processes */
    _Atomic uint64_t work; /* commands that drew, dispatched or copied */
    struct {
        /* The first process where it was ready to draw, and the first where it
         * drew; 0: none. */
        _Atomic int32_t ready_pid, drew_pid;
        char process[16]; /* name of the process that drew */
    } drawer[DRAWER_COUNT];
};

/* Maps the report. Without one all other calls do nothing. */
void report_open(void);
/* Adds the counters' increments since this process's last call. */
void report_publish(void);
/* Publishes after a batch: every few milliseconds, but errors and the first
 * work at once. work: the engine's total so far. */
void report_publish_batch(uint64_t work);
/* In the child of fork(): drops the counts of the parent. */
void report_after_fork(void);
/* A software rasteriser was set up in this process, or (drew) has drawn. Safe
 * in signal handlers. */
void report_drawer(enum shim_drawer drawer, bool drew);

/* Whether the descriptor is the report's. close() then leaves it open: children
 * inherit it, and it must survive a client that closes all descriptors that it
 * does not know. */
bool report_owns_fd(int fd);
/* The client wants the number for itself: moves the report to another. */
void report_leave_fd(int fd);
/* -1: none. */
int report_fd(void);

/* report_find.c: the report's descriptor from SOFTLAKE_REPORT, inherited or
 * from the launcher's socket; -1 if there is none. */
int report_find(void);

#endif
