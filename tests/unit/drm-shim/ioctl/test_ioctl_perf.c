/* Performance counters: metric sets, streams and their errors, as i915 has
 * them. */
#include "shim_rig.h"

#include "base/own_stack.h"
#include "drm-shim/oa/oa.h"

#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>

#define VA UINT64_C(0x10000000)
#define UUID "01234567-89ab-cdef-0123-456789abcdef"
#define OTHER "fedcba98-89ab-cdef-0123-456789abcdef"
#define RECORD_B 264

static const uint32_t mux[] = {0x9888, 0x11111111, 0x9840, 0x22222222};
static const uint32_t boolean[] = {0x2740, 1};
static const uint32_t flex[] = {0xe458, 0x5004, 0xe558, 0x10003, 0xe45c, 0};

static struct drm_i915_perf_oa_config
some_set(const char *uuid)
{
    struct drm_i915_perf_oa_config c = {
        .n_mux_regs = 2,
        .n_boolean_regs = 1,
        .n_flex_regs = 3,
        .mux_regs_ptr = (uintptr_t)mux,
        .boolean_regs_ptr = (uintptr_t)boolean,
        .flex_regs_ptr = (uintptr_t)flex,
    };
    memcpy(c.uuid, uuid, sizeof c.uuid);
    return c;
}

static int
add(const struct rig *rig, struct drm_i915_perf_oa_config c)
{
    return rig_ioctl(rig, DRM_IOCTL_I915_PERF_ADD_CONFIG, &c);
}

static int
remove_set(const struct rig *rig, uint64_t id)
{
    return rig_ioctl(rig, DRM_IOCTL_I915_PERF_REMOVE_CONFIG, &id);
}

/* What sysfs says of a uuid; 0: nothing. */
static int
shown_id(const char *uuid)
{
    char path[200];
    void *block;
    int id = 0;
    snprintf(path, sizeof path, "/sys/class/drm/card0/metrics/%s/id", uuid);
    FILE *f = fopen(devtree_redirect(AT_FDCWD, path, &block), "r");
    own_block_give(block);
    if (!f)
        return 0;
    cr_assert_eq(fscanf(f, "%d", &id), 1);
    fclose(f);
    return id;
}

Test(perf, sets_are_shown_in_sysfs)
{
    struct rig rig = rig_open(128);
    cr_assert_eq(shown_id(UUID), 0);
    cr_assert_eq(remove_set(&rig, UINT64_MAX), -ENOENT);
    cr_assert_eq(add(&rig, some_set(UUID)), 2);
    cr_assert_eq(shown_id(UUID), 2);
    cr_assert_eq(add(&rig, some_set(UUID)), -EADDRINUSE);
    cr_assert_eq(add(&rig, some_set(OTHER)), 3);
    cr_assert_eq(remove_set(&rig, 2), 0);
    cr_assert_eq(remove_set(&rig, 2), -ENOENT);
    cr_assert_eq(shown_id(UUID), 0);
    cr_assert_eq(shown_id(OTHER), 3);
    cr_assert_geq(add(&rig, some_set(UUID)), 2);
}

Test(perf, the_sysctl_lets_everybody_in)
{
    void *block;
    char text[8] = "";
    const char *path = devtree_redirect(
        AT_FDCWD, "/proc/sys/dev/i915/perf_stream_paranoid", &block);
    FILE *f = fopen(path, "r");
    own_block_give(block);
    cr_assert_not_null(f);
    cr_assert_not_null(fgets(text, sizeof text, f));
    fclose(f);
    cr_assert_str_eq(text, "0\n");
}

Test(perf, bad_sets_are_refused)
{
    struct rig rig = rig_open(128);
    static const uint32_t wild[] = {0x2358, 1};
    struct drm_i915_perf_oa_config c = some_set(UUID);
    c.n_mux_regs = c.n_boolean_regs = c.n_flex_regs = 0;
    cr_assert_eq(add(&rig, c), -EINVAL, "no registers");
    c = some_set(UUID);
    c.mux_regs_ptr = c.boolean_regs_ptr = c.flex_regs_ptr = 0;
    cr_assert_eq(add(&rig, c), -EINVAL, "no lists");
    c = some_set(UUID);
    c.uuid[8] = '0';
    cr_assert_eq(add(&rig, c), -EINVAL, "no dash");
    c = some_set(UUID);
    c.uuid[0] = 'g';
    cr_assert_eq(add(&rig, c), -EINVAL, "no digit");
    for (unsigned list = 0; list < 3; list++) {
        c = some_set(UUID);
        __u64 *ptr[] = {&c.mux_regs_ptr, &c.boolean_regs_ptr, &c.flex_regs_ptr};
        __u32 *count[] = {&c.n_mux_regs, &c.n_boolean_regs, &c.n_flex_regs};
        *ptr[list] = (uintptr_t)wild;
        *count[list] = 1;
        cr_assert_eq(add(&rig, c), -EINVAL, "list %u", list);
        *ptr[list] = 8;
        cr_assert_eq(add(&rig, c), -EFAULT, "list %u", list);
    }
    c = some_set(UUID);
    c.n_flex_regs = UINT32_MAX;
    cr_assert_eq(add(&rig, c), -ENOMEM);
    cr_assert_eq(shown_id(UUID), 0);
}

/* ---- queries ------------------------------------------------------------- */

/* struct drm_i915_query_perf_config, and what follows it. */
struct answer {
    struct {
        union {
            uint64_t n_configs, config;
            char uuid[OA_UUID_LENGTH];
        };
        uint32_t flags;
    } head;
    union {
        uint64_t ids[8];
        struct drm_i915_perf_oa_config set;
    };
};

static int
query(const struct rig *rig, uint32_t flags, struct answer *a, int length)
{
    struct drm_i915_query_item item = {.query_id = DRM_I915_QUERY_PERF_CONFIG,
                                       .flags = flags,
                                       .length = length,
                                       .data_ptr = (uintptr_t)a};
    struct drm_i915_query q = {.num_items = 1, .items_ptr = (uintptr_t)&item};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_I915_QUERY, &q), 0);
    return item.length;
}

Test(perf, sets_can_be_queried)
{
    struct rig rig = rig_open(128);
    const int head_B = sizeof(struct drm_i915_query_perf_config);
    const uint32_t list = DRM_I915_QUERY_PERF_CONFIG_LIST;
    const uint32_t by_id = DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID;
    const uint32_t by_uuid = DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID;
    struct answer a = {0};
    cr_assert_eq(query(&rig, 0, &a, 0), -EINVAL);
    cr_assert_eq(query(&rig, list, &a, 0), head_B);
    cr_assert_eq(add(&rig, some_set(UUID)), 2);
    cr_assert_eq(query(&rig, list, &a, 0), head_B + 8);
    cr_assert_eq(query(&rig, list, &a, head_B), -EINVAL);
    cr_assert_eq(query(&rig, list, &a, sizeof a), head_B + 8);
    cr_assert_eq(a.head.n_configs, 1u);
    cr_assert_eq(a.ids[0], 2u);

    const int data_B = head_B + (int)sizeof a.set;
    memset(&a, 0, sizeof a);
    cr_assert_eq(query(&rig, by_id, &a, 0), data_B);
    a.head.config = 7;
    cr_assert_eq(query(&rig, by_id, &a, data_B), -ENOENT);
    a.head.config = 2;
    cr_assert_eq(query(&rig, by_id, &a, data_B), data_B);
    cr_assert_eq(a.set.n_mux_regs, 2u);
    cr_assert_eq(a.set.n_boolean_regs, 1u);
    cr_assert_eq(a.set.n_flex_regs, 3u);
    cr_assert(!memcmp(a.set.uuid, UUID, sizeof a.set.uuid));

    uint32_t read_flex[6] = {0};
    memset(&a, 0, sizeof a);
    memcpy(a.head.uuid, UUID, sizeof a.head.uuid);
    a.set.n_flex_regs = 2;
    a.set.flex_regs_ptr = (uintptr_t)read_flex;
    cr_assert_eq(query(&rig, by_uuid, &a, data_B), -EINVAL, "no room");
    a.set.n_flex_regs = 3;
    cr_assert_eq(query(&rig, by_uuid, &a, data_B), data_B);
    cr_assert(!memcmp(read_flex, flex, sizeof flex));
    a.head.flags = 1;
    cr_assert_eq(query(&rig, by_uuid, &a, data_B), -EINVAL);
}

/* ---- streams ------------------------------------------------------------- */

#define PAIRS_MAX 12

static int
open_with(const struct rig *rig, uint32_t flags, const uint64_t (*pairs)[2],
          unsigned count)
{
    struct drm_i915_perf_open_param p = {.flags = flags,
                                         .num_properties = count,
                                         .properties_ptr = (uintptr_t)pairs};
    return rig_ioctl(rig, DRM_IOCTL_I915_PERF_OPEN, &p);
}

#define QUIET (I915_PERF_FLAG_FD_CLOEXEC | I915_PERF_FLAG_FD_NONBLOCK)

/* A stream of the default context, as the stock GL driver opens it. exponent 0:
 * without a timer. */
static int
open_stream(const struct rig *rig, uint32_t flags, uint64_t set,
            unsigned exponent)
{
    const struct drm_i915_gem_context_param_sseu sseu = {
        .slice_mask = 1,
        .subslice_mask = 7,
        .min_eus_per_subslice = 8,
        .max_eus_per_subslice = 8};
    const uint64_t pairs[][2] = {
        {DRM_I915_PERF_PROP_CTX_HANDLE, 0},
        {DRM_I915_PERF_PROP_SAMPLE_OA, 1},
        {DRM_I915_PERF_PROP_OA_METRICS_SET, set},
        {DRM_I915_PERF_PROP_OA_FORMAT, I915_OA_FORMAT_A32u40_A4u32_B8_C8},
        {DRM_I915_PERF_PROP_GLOBAL_SSEU, (uintptr_t)&sseu},
        {DRM_I915_PERF_PROP_OA_EXPONENT, exponent},
    };
    return open_with(rig, flags, pairs, exponent ? 6 : 5);
}

Test(perf, bad_streams_are_refused)
{
    struct rig rig = rig_open(128);
    uint64_t set = (uint64_t)add(&rig, some_set(UUID));
    const struct drm_i915_gem_context_param_sseu video = {
        .engine = {I915_ENGINE_CLASS_VIDEO, 0},
        .slice_mask = 1,
        .subslice_mask = 7,
        .min_eus_per_subslice = 8,
        .max_eus_per_subslice = 8};
    const struct {
        int err;
        uint32_t flags;
        unsigned at; /* the pair that is replaced */
        uint64_t pair[2];
    } cases[] = {
        {-EINVAL, 8, 9, {0}},
        {-EINVAL, 0, 0, {0, 0}},
        {-EINVAL, 0, 0, {DRM_I915_PERF_PROP_MAX, 0}},
        {-ENOENT, 0, 0, {DRM_I915_PERF_PROP_CTX_HANDLE, 77}},
        {-EINVAL, 0, 0, {DRM_I915_PERF_PROP_HOLD_PREEMPTION, 1}},
        {-EINVAL, 0, 0, {DRM_I915_PERF_PROP_POLL_OA_PERIOD, 99999}},
        {-EINVAL, 0, 0, {DRM_I915_PERF_PROP_OA_EXPONENT, 32}},
        {-EFAULT, 0, 0, {DRM_I915_PERF_PROP_GLOBAL_SSEU, 8}},
        {-EINVAL, 0, 0, {DRM_I915_PERF_PROP_GLOBAL_SSEU, (uintptr_t)&video}},
        {-EINVAL, 0, 1, {DRM_I915_PERF_PROP_SAMPLE_OA, 0}},
        {-EINVAL, 0, 2, {DRM_I915_PERF_PROP_OA_METRICS_SET, 0}},
        {-EINVAL, 0, 2, {DRM_I915_PERF_PROP_OA_METRICS_SET, 1234}},
        {-EINVAL, 0, 3, {DRM_I915_PERF_PROP_OA_FORMAT, 0}},
        {-EINVAL, 0, 3, {DRM_I915_PERF_PROP_OA_FORMAT, I915_OA_FORMAT_A13}},
        {-EINVAL, 0, 3, {DRM_I915_PERF_PROP_OA_FORMAT, 11}},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t pairs[4][2] = {
            {DRM_I915_PERF_PROP_CTX_HANDLE, 0},
            {DRM_I915_PERF_PROP_SAMPLE_OA, 1},
            {DRM_I915_PERF_PROP_OA_METRICS_SET, set},
            {DRM_I915_PERF_PROP_OA_FORMAT, I915_OA_FORMAT_A32u40_A4u32_B8_C8},
        };
        if (cases[i].at < 4)
            memcpy(pairs[cases[i].at], cases[i].pair, sizeof pairs[0]);
        cr_assert_eq(open_with(&rig, cases[i].flags, pairs, 4), cases[i].err,
                     "case %u", i);
    }
    const uint64_t none[DRM_I915_PERF_PROP_MAX][2] = {0};
    cr_assert_eq(open_with(&rig, 0, none, 0), -EINVAL);
    cr_assert_eq(open_with(&rig, 0, none, DRM_I915_PERF_PROP_MAX), -EINVAL);
    cr_assert_eq(open_with(&rig, 0, (const void *)8, 1), -EFAULT);
}

/* A batch with a report at VA; its number. */
static uint32_t
report_batch(const struct rig *rig, uint32_t number)
{
    uint32_t batch = rig_create(rig, 4096);
    uint32_t *dw = rig_map(rig, batch, 4096);
    dw[0] = 0x14000002; /* MI_REPORT_PERF_COUNT */
    dw[1] = (uint32_t)VA;
    dw[2] = (uint32_t)(VA >> 32);
    dw[3] = number;
    dw[4] = 0x05000000; /* MI_BATCH_BUFFER_END */
    dw[5] = 0;
    munmap(dw, 4096);
    return batch;
}

static void
run_report(const struct rig *rig, uint32_t number, uint32_t report[64])
{
    uint32_t target = rig_create(rig, 4096);
    uint32_t batch = report_batch(rig, number);
    struct drm_i915_gem_execbuffer2 eb = {0};
    cr_assert_eq(rig_exec(rig, batch, target, VA, &eb), 0);
    struct drm_i915_gem_wait w = {.bo_handle = target, .timeout_ns = -1};
    cr_assert_eq(rig_ioctl(rig, DRM_IOCTL_I915_GEM_WAIT, &w), 0);
    uint32_t *p = rig_map(rig, target, 4096);
    memcpy(report, p, 64 * sizeof *p);
    munmap(p, 4096);
}

struct record {
    struct drm_i915_perf_record_header header;
    uint32_t report[64];
};

static void
expect_empty(int fd)
{
    struct record r;
    cr_assert_eq(read(fd, &r, sizeof r), -1);
    cr_assert_eq(errno, EAGAIN);
}

/* Reads until the last record; returns how many there were. */
static unsigned
read_all(int fd, struct record *last)
{
    unsigned count = 0;
    char room[10 * RECORD_B];
    for (ssize_t n; (n = read(fd, room, sizeof room)) > 0; count++) {
        cr_assert_eq(n, RECORD_B);
        memcpy(last, room, RECORD_B);
        cr_assert_eq(last->header.type, (uint32_t)DRM_I915_PERF_RECORD_SAMPLE);
        cr_assert_eq(last->header.size, RECORD_B);
    }
    cr_assert_eq(errno, EAGAIN);
    return count;
}

static int
stream_ioctl(int fd, unsigned long request, uintptr_t arg)
{
    int ret;
    if (!exported_fd_ioctl(fd, request, (void *)arg, &ret))
        return -ENOTTY;
    return ret < 0 ? -errno : ret;
}

Test(perf, a_query_ends_with_a_report)
{
    struct rig rig = rig_open(128);
    uint64_t set = (uint64_t)add(&rig, some_set(UUID));
    int fd = open_stream(&rig, QUIET, set, 0);
    cr_assert_geq(fd, 0);
    uint32_t begin[64], end[64];
    struct record r = {0};
    run_report(&rig, 1000, begin);
    read_all(fd, &r);
    run_report(&rig, 1001, end);
    cr_assert_eq(begin[0], 1000u);
    cr_assert_eq(end[0], 1001u);
    cr_assert_gt(end[1], begin[1], "time passes");
    cr_assert_gt(end[3], begin[3], "clocks tick");
    struct pollfd p = {.fd = fd, .events = POLLIN};
    cr_assert_eq(poll(&p, 1, 0), 1);
    cr_assert_eq(p.revents, POLLIN);
    cr_assert_eq(read_all(fd, &r), 1u);
    cr_assert_geq(r.report[1], end[1], "it is newer than the end");
    cr_assert_eq(r.report[2], end[2], "of the same context");
    cr_assert_eq(r.report[0] >> 19 & 63, 8u, "a context switch");
    cr_assert(r.report[0] >> 16 & 1, "the context is valid");
    cr_assert_eq(poll(&p, 1, 0), 0);
    close(fd);
}

Test(perf, a_report_needs_no_stream)
{
    struct rig rig = rig_open(128);
    uint32_t report[64];
    run_report(&rig, 77, report);
    cr_assert_eq(report[0], 77u);
    cr_assert_neq(report[1], 0u);
}

Test(perf, disabled_streams_are_silent)
{
    struct rig rig = rig_open(128);
    uint64_t set = (uint64_t)add(&rig, some_set(UUID));
    int fd = open_stream(&rig, QUIET | I915_PERF_FLAG_DISABLED, set, 0);
    cr_assert_geq(fd, 0);
    uint32_t report[64];
    struct record r;
    run_report(&rig, 1, report);
    expect_empty(fd);
    cr_assert_eq(oa_stream_check_read(fd, sizeof r), -EIO);
    cr_assert_eq(oa_stream_check_read(STDIN_FILENO, sizeof r), 0);
    cr_assert_eq(stream_ioctl(fd, I915_PERF_IOCTL_ENABLE, 0), 0);
    cr_assert_eq(oa_stream_check_read(fd, sizeof r), 0);
    cr_assert_eq(stream_ioctl(fd, I915_PERF_IOCTL_ENABLE, 0), 0);
    run_report(&rig, 3, report);
    cr_assert_geq(read_all(fd, &r), 1u);
    cr_assert_eq(stream_ioctl(fd, I915_PERF_IOCTL_DISABLE, 0), 0);
    cr_assert_eq(stream_ioctl(fd, I915_PERF_IOCTL_DISABLE, 0), 0);
    run_report(&rig, 5, report);
    expect_empty(fd);
    close(fd);
}

Test(perf, a_timer_makes_reports)
{
    struct rig rig = rig_open(128);
    uint64_t set = (uint64_t)add(&rig, some_set(UUID));
    const uint64_t pairs[][2] = {
        {DRM_I915_PERF_PROP_SAMPLE_OA, 1},
        {DRM_I915_PERF_PROP_OA_METRICS_SET, set},
        {DRM_I915_PERF_PROP_OA_FORMAT, I915_OA_FORMAT_A32u40_A4u32_B8_C8},
        {DRM_I915_PERF_PROP_OA_EXPONENT, 15}, /* 5.5 ms */
    };
    int fd = open_with(&rig, 0, pairs, 4);
    struct record r;
    cr_assert_geq(fd, 0);
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(read(fd, &r, sizeof r), RECORD_B);
        cr_assert_eq(r.report[0] >> 19 & 63, 1u, "the timer");
    }
    close(fd);
}

Test(perf, the_device_has_one_stream)
{
    struct rig rig = rig_open(128);
    uint64_t set = (uint64_t)add(&rig, some_set(UUID));
    uint32_t report[64];
    int fd = open_stream(&rig, QUIET, set, 0);
    cr_assert_geq(fd, 0);
    cr_assert_eq(open_stream(&rig, QUIET, set, 0), -EBUSY);
    int copy = dup(fd);
    close(fd);
    cr_assert_eq(open_stream(&rig, QUIET, set, 0), -EBUSY, "still open");
    run_report(&rig, 1, report); /* nobody reads it */
    for (unsigned i = 0; i < 100; i++) {
        close(copy);
        copy = open_stream(&rig, QUIET, set, 0);
        cr_assert_geq(copy, 0, "at once after the last close");
        run_report(&rig, 1, report);
    }
    close(copy);
}

Test(perf, sets_change_within_a_stream)
{
    struct rig rig = rig_open(128);
    int one = add(&rig, some_set(UUID)), two = add(&rig, some_set(OTHER));
    int fd = open_stream(&rig, QUIET, (uint64_t)one, 0);
    cr_assert_geq(fd, 0);
    cr_assert_eq(stream_ioctl(fd, I915_PERF_IOCTL_CONFIG, (uintptr_t)two), one);
    cr_assert_eq(stream_ioctl(fd, I915_PERF_IOCTL_CONFIG, (uintptr_t)two), two);
    cr_assert_eq(stream_ioctl(fd, I915_PERF_IOCTL_CONFIG, 999), -EINVAL);
    cr_assert_eq(stream_ioctl(fd, _IO('i', 9), 0), -EINVAL);
    cr_assert_eq(stream_ioctl(0, I915_PERF_IOCTL_ENABLE, 0), -ENOTTY);
    close(fd);
    cr_assert_eq(stream_ioctl(fd, I915_PERF_IOCTL_ENABLE, 0), -ENOTTY);
}

/* The socket holds some hundred records, the stream some thousand. */
Test(perf, what_nobody_reads_is_lost)
{
    struct rig rig = rig_open(128);
    uint64_t set = (uint64_t)add(&rig, some_set(UUID));
    int fd = open_stream(&rig, QUIET, set, 0);
    uint32_t target = rig_create(&rig, 4096);
    uint32_t batch = report_batch(&rig, 1);
    for (unsigned i = 0; i < 6000; i++) {
        struct drm_i915_gem_execbuffer2 eb = {0};
        cr_assert_eq(rig_exec(&rig, batch, target, VA, &eb), 0);
    }
    unsigned samples = 0, lost = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct record r = {0};
    while (poll(&p, 1, 500) == 1 && read(fd, &r, sizeof r) > 0) {
        samples += r.header.type == DRM_I915_PERF_RECORD_SAMPLE;
        lost += r.header.type == DRM_I915_PERF_RECORD_OA_BUFFER_LOST;
    }
    cr_assert_eq(lost, 1u);
    cr_assert_gt(samples, 4000u);
    cr_assert_lt(samples, 6000u);
    const uint32_t *last = rig_map(&rig, target, 4096);
    cr_assert_geq(r.report[1], last[1], "the newest are kept");
    close(fd);
}

Test(perf, children_have_streams_of_their_own)
{
    struct rig rig = rig_open(128);
    uint64_t set = (uint64_t)add(&rig, some_set(UUID));
    uint32_t report[64];
    struct record r;
    int fd = open_stream(&rig, QUIET, set, 0);
    cr_assert_geq(fd, 0);
    pid_t child = fork();
    if (!child) {
        int own = open_stream(&rig, QUIET, set, 0);
        bool ok = own >= 0 &&
                  stream_ioctl(fd, I915_PERF_IOCTL_DISABLE, 0) == -ENOTTY;
        run_report(&rig, 1, report);
        ok &= read_all(own, &r) >= 1;
        _exit(!ok);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    run_report(&rig, 1, report);
    cr_assert_geq(read_all(fd, &r), 1u);
    close(fd);
    cr_assert_geq(open_stream(&rig, QUIET, set, 0), 0);
}
