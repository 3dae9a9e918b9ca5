#include "drm-shim/report.h"

#include "base/clock.h"
#include "drm-shim/raw.h"

#include <stdlib.h>

static struct {
    struct shim_report *map;
    /* What was added already. Exchanged, so that concurrent calls never add
     * the same gain twice. */
    _Atomic uint64_t published[STAT_COUNT];
    _Atomic int64_t batch_ns; /* when a batch was last added */
} report;

void
report_open(void)
{
    const char *path = getenv("SOFTLAKE_REPORT");
    struct stat st;
    if (!path || !*path || report.map)
        return;
    int fd = raw_openat(AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (fd < 0)
        return;
    if (!raw_fstat(fd, &st) && st.st_size >= (off_t)sizeof *report.map) {
        void *p = raw_mmap(NULL, sizeof *report.map, PROT_READ | PROT_WRITE,
                           MAP_SHARED, fd, 0);
        if (p != MAP_FAILED)
            report.map = p;
    }
    close(fd);
    if (report.map && (report.map->magic != SHIM_REPORT_MAGIC ||
                       report.map->counters != STAT_COUNT)) {
        log_printf("softlake: %s is not a report file of this version", path);
        munmap(report.map, sizeof *report.map);
        report.map = NULL;
    }
}

void
report_publish(void)
{
    if (!report.map)
        return;
    for (unsigned i = 0; i < STAT_COUNT; i++) {
        uint64_t now = stats_get(i);
        uint64_t before = atomic_load(&report.published[i]);
        while (before < now && !atomic_compare_exchange_weak(
                                   &report.published[i], &before, now))
            ;
        if (before < now)
            atomic_fetch_add(&report.map->counter[i], now - before);
    }
}

/* Nothing that decides how the command is judged may wait. */
static bool
has_news(void)
{
    static const enum stat_id urgent[] = {STAT_unimp, STAT_guest_errors,
                                          STAT_resets};
    for (unsigned i = 0; i < ARRAY_SIZE(urgent); i++)
        if (stats_get(urgent[i]) != atomic_load(&report.published[urgent[i]]))
            return true;
    return false;
}

void
report_publish_batch(void)
{
    if (!report.map)
        return;
    int64_t now_ns = clock_tick_ns();
    if (atomic_exchange(&report.batch_ns, now_ns) != now_ns || has_news())
        report_publish();
}

void
report_after_fork(void)
{
    for (unsigned i = 0; i < STAT_COUNT; i++)
        atomic_store(&report.published[i], stats_get(i));
}
