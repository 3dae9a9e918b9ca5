/* oa.h: performance counters as i915 offers them: metric sets, which clients
 * add and others find in sysfs, and streams of reports (engine_oa_report()).
 *
 * Metric sets are files of the device tree, so that all processes that share
 * the tree share the sets. tree_fd: an open directory, the root of the tree.
 * The process has one stream at a time, as the device has; the device lock
 * guards it. Any thread. Facts: i915_drm.h, the kernel's documentation of
 * i915-perf. */
#ifndef DRM_SHIM_OA_OA_H
#define DRM_SHIM_OA_OA_H

#include "base/base.h"
#include "engine/engine.h"

/* Lengths of the three lists of registers: mux, boolean, flex. */
enum oa_list { OA_LIST_MUX, OA_LIST_BOOLEAN, OA_LIST_FLEX, OA_LISTS };

#define OA_UUID_LENGTH 36

struct oa_register_value {
    uint32_t address, value;
};

struct oa_metrics {
    char uuid[OA_UUID_LENGTH + 4]; /* ends with 0 */
    uint32_t count[OA_LISTS];
    struct oa_register_value value[]; /* the lists, one after the other */
};

/* The first id; the kernel keeps 1 for a set of its own. */
#define OA_FIRST_ID 2

/* Whether a list may have a register: else the set is refused. */
bool oa_register_is_valid(enum oa_list list, uint32_t address);
bool oa_uuid_is_valid(const char uuid[OA_UUID_LENGTH]);

/* The id of the new set, or -errno: -EADDRINUSE if the uuid is known. */
int oa_metrics_add(int tree_fd, const struct oa_metrics *metrics);
/* 0 or -ENOENT. */
int oa_metrics_remove(int tree_fd, uint64_t id);
/* A set, for the caller to free(); NULL: there is none, or no memory. */
struct oa_metrics *oa_metrics_read(int tree_fd, uint64_t id);
/* The id of a uuid, or 0. */
uint64_t oa_metrics_find(int tree_fd, const char uuid[OA_UUID_LENGTH]);
/* Fills in up to `max` ids; returns how many there are. */
unsigned oa_metrics_list(int tree_fd, uint64_t *ids, unsigned max);

/* A set, as a stream uses it. */
struct oa_chosen {
    uint64_t id;
    struct engine_oa_set set;
};
/* False: there is no such set. */
bool oa_metrics_choose(int tree_fd, uint64_t id, struct oa_chosen *chosen);

struct oa_stream_start {
    uint32_t context_id; /* 0: reports of all contexts */
    struct oa_chosen metrics;
    uint64_t period_ns; /* 0: no reports but those of context switches */
    bool disabled, cloexec, nonblock;
};

/* A new descriptor, or -errno: -EBUSY while another stream is open. */
int oa_stream_open(const struct oa_stream_start *start);
/* Whether a stream is open, and its client has not closed it. */
bool oa_stream_is_open(void);
bool oa_stream_is(int fd);
/* What a read of so many bytes fails with, or 0; also for descriptors that are
 * no stream. No lock. */
int oa_stream_check_read(int fd, size_t size_B);
/* The ioctls of a stream: 0 or -EINVAL. */
int oa_stream_enable(int fd, bool enable);
/* Changes the metric set; returns the id of the set before. */
int oa_stream_configure(int fd, const struct oa_chosen *metrics);
/* In the child of fork(): the stream is the parent's. */
void oa_stream_after_fork(void);

#endif
