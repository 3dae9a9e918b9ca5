#include "drm-shim/report/report.h"

#include "base/clock.h"
#include "drm-shim/core/core.h"

#include <stdlib.h>
#include <sys/prctl.h>

static struct {
    struct shim_report *map;
    atomic_int fd; /* for children that exec; -1 */
    _Atomic pid_t owner;
    /* Counters already added to the report. Exchanged atomically, so that
     * concurrent calls never add one gain twice. */
    _Atomic uint64_t published[STAT_COUNT];
    _Atomic uint64_t work, published_work; /* likewise */
    _Atomic int64_t batch_ns;              /* when a batch was last added */
} report = {.fd = -1};

void
report_open(void)
{
    struct stat st;
    if (report.map)
        return;
    int fd = report_find();
    if (fd < 0)
        return;
    if (!syscall_fstat(fd, &st) && st.st_size >= (off_t)sizeof *report.map) {
        void *p = syscall_mmap(NULL, sizeof *report.map, PROT_READ | PROT_WRITE,
                               MAP_SHARED, fd, 0);
        if (p != MAP_FAILED)
            report.map = p;
    }
    if (report.map && (report.map->magic != SHIM_REPORT_MAGIC ||
                       report.map->counters != STAT_COUNT)) {
        log_printf("softlake: the launcher's report is of another version");
        munmap(report.map, sizeof *report.map);
        report.map = NULL;
    }
    atomic_store(&report.owner, getpid());
    atomic_store(&report.fd, report.map ? fd : -1);
}

/* Adds the part of `now` that the sum lacks. */
static void
add_gain(_Atomic uint64_t *sum, _Atomic uint64_t *published, uint64_t now)
{
    uint64_t before = atomic_load(published);
    while (before < now &&
           !atomic_compare_exchange_weak(published, &before, now))
        ;
    if (before < now)
        atomic_fetch_add(sum, now - before);
}

void
report_publish(void)
{
    if (!report.map)
        return;
    for (unsigned i = 0; i < STAT_COUNT; i++)
        add_gain(&report.map->counter[i], &report.published[i], stats_get(i));
    add_gain(&report.map->work, &report.published_work,
             atomic_load(&report.work));
}

/* Whether a counter that decides the verdict has changed. Such a change is
 * published at once. */
static bool
has_news(void)
{
    static const enum stat_id urgent[] = {STAT_unimp, STAT_guest_errors,
                                          STAT_resets};
    for (unsigned i = 0; i < ARRAY_SIZE(urgent); i++)
        if (stats_get(urgent[i]) != atomic_load(&report.published[urgent[i]]))
            return true;
    return atomic_load(&report.work) && !atomic_load(&report.published_work);
}

void
report_publish_batch(uint64_t work)
{
    if (!report.map)
        return;
    atomic_store(&report.work, work);
    int64_t now_ns = clock_tick_ns();
    if (atomic_exchange(&report.batch_ns, now_ns) != now_ns || has_news())
        report_publish();
}

void
report_after_fork(void)
{
    atomic_store(&report.owner, getpid());
    for (unsigned i = 0; i < STAT_COUNT; i++)
        atomic_store(&report.published[i], stats_get(i));
    atomic_store(&report.published_work, atomic_load(&report.work));
}

void
report_drawer(enum shim_drawer drawer, bool drew)
{
    if (!report.map)
        return;
    int32_t none = 0;
    atomic_compare_exchange_strong(&report.map->drawer[drawer].ready_pid, &none,
                                   getpid());
    none = 0;
    if (drew && atomic_compare_exchange_strong(
                    &report.map->drawer[drawer].drew_pid, &none, getpid()))
        prctl(PR_GET_NAME, report.map->drawer[drawer].process);
}

/* ---- the descriptor ---------------------------------------------------- */

int
report_fd(void)
{
    return atomic_load(&report.fd);
}

bool
report_owns_fd(int fd)
{
    return fd >= 0 && fd == atomic_load(&report.fd);
}

void
report_leave_fd(int fd)
{
    if (!report_owns_fd(fd))
        return;
    int moved = fcntl(fd, F_DUPFD, 3);
    if (moved == fd || moved < 0)
        return;
    /* The child of vfork() has its own descriptors but the memory of its
     * parent. */
    if (getpid() == atomic_load(&report.owner))
        atomic_store(&report.fd, moved);
}
