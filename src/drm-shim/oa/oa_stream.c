/* oa_stream.c: the stream of reports that a client reads.
 *
 * The descriptor is one end of a socket pair, so that poll(), dup(), fork() and
 * reads with success are the kernel's. A read returns one record. Records that
 * the socket has no room for wait in the stream, the oldest are dropped. A
 * thread sends them when the client has read some, makes the reports of the
 * timer, and ends the stream when the client's last descriptor is closed. */
#include "drm-shim/oa/oa.h"

#include "base/clock.h"
#include "drm-shim/core/core.h"
#include "engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

struct record {
    struct drm_i915_perf_record_header header;
    uint32_t report[ENGINE_OA_REPORT_DW];
};
static_assert(sizeof(struct record) == 264, "as the kernel's, without padding");

#define RECORDS 4096u
/* The shortest period: i915's default limit is 10 us, which no thread of the
 * host keeps. */
#define PERIOD_MIN_NS INT64_C(500000)

struct oa_stream {
    ino_t ino; /* of the client's end */
    int fd;    /* the other end */
    int wake;  /* of the thread */
    bool enabled, over;
    uint32_t context_id;      /* 0: all contexts */
    uint32_t last_context_id; /* of the batch that ran last; 0: none */
    bool inside;              /* the last report was of a wanted context */
    bool lost;                /* records were dropped */
    struct oa_chosen metrics;
    int64_t period_ns, next_ns; /* 0: no timer */
    int64_t idle_ns; /* when the last context counts as left; 0: it runs */
    unsigned first, count; /* records that wait */
    struct record *record; /* RECORDS */
};

/* The open stream, or NULL. Device lock. */
static struct oa_stream *current;
/* Of the open stream, for oa_stream_check_read(); ino 0: none is open. */
static struct {
    _Atomic ino_t ino;
    atomic_bool enabled, periodic;
} readable;

static void
set_current(struct oa_stream *s)
{
    current = s;
    atomic_store(&readable.periodic, s && s->period_ns);
    atomic_store(&readable.ino, s ? s->ino : 0);
}

/* ---- records ------------------------------------------------------------- */

static bool
send_record(struct oa_stream *s, const void *data, size_t size_B)
{
    return send(s->fd, data, size_B, MSG_DONTWAIT | MSG_NOSIGNAL) ==
           (ssize_t)size_B;
}

/* Sends what the socket has room for. False: some is left. */
static bool
flush_locked(struct oa_stream *s)
{
    const struct drm_i915_perf_record_header lost = {
        .type = DRM_I915_PERF_RECORD_OA_BUFFER_LOST, .size = sizeof lost};
    if (s->lost && !send_record(s, &lost, sizeof lost))
        return false;
    s->lost = false;
    while (s->count) {
        const struct record *r = &s->record[s->first % RECORDS];
        if (!send_record(s, r, sizeof *r))
            return false;
        s->first++;
        s->count--;
    }
    return true;
}

static void
wake(const struct oa_stream *s)
{
    eventfd_write(s->wake, 1);
}

/* The reasons of a report, and whether its context is known. */
enum { REASON_TIMER = 1, REASON_CONTEXT_SWITCH = 8 };
#define NO_CONTEXT UINT32_MAX

static uint32_t
reason_dword(unsigned reason, uint32_t context_id)
{
    const unsigned ratio = 69; /* of 50/3 MHz: 1150 MHz */
    bool gen8 = device_platform()->gen == 8;
    uint32_t dw = reason << 19 | (gen8 ? 0 : ratio << 25 | ratio);
    if (context_id != NO_CONTEXT)
        dw |= 1u << (gen8 ? 25 : 16);
    return dw;
}

static void
push_locked(struct oa_stream *s, unsigned reason, uint32_t context_id)
{
    if (s->count == RECORDS) {
        s->first++;
        s->count--;
        s->lost = true;
    }
    struct record *r = &s->record[(s->first + s->count++) % RECORDS];
    r->header = (struct drm_i915_perf_record_header){
        .type = DRM_I915_PERF_RECORD_SAMPLE, .size = sizeof *r};
    engine_oa_report(device_engine_if_any(), reason_dword(reason, context_id),
                     context_id, r->report);
    if (!flush_locked(s))
        wake(s);
}

static bool
wants(const struct oa_stream *s, uint32_t context_id)
{
    return !s->context_id || s->context_id == context_id;
}

/* The context that runs changes; 0: to none. A stream of one context gets the
 * first report of the next one, too, which ends the interval. */
static void
switch_locked(struct oa_stream *s, uint32_t context_id)
{
    bool inside = context_id && wants(s, context_id);
    if (s->enabled && inside)
        push_locked(s, REASON_CONTEXT_SWITCH, context_id);
    else if (s->enabled && (s->inside || !s->context_id))
        push_locked(s, REASON_CONTEXT_SWITCH,
                    context_id && !s->context_id ? context_id : NO_CONTEXT);
    s->inside = inside;
    s->last_context_id = context_id;
    s->idle_ns = 0;
}

/* i915 leaves a context some time after its last batch. Long, because a busy
 * machine must not divide the queries of a client that waits for each batch. */
#define IDLE_NS INT64_C(200000000)

/* The hardware reports when it switches contexts. Clients wait for a report
 * that is newer than their batch, so the end of a query makes one at once;
 * other batches make none as long as their context goes on soon, because
 * reports divide a query. */
static void
sample(uint32_t context_id, enum engine_oa_moment moment)
{
    device_lock();
    struct oa_stream *s = current;
    if (s && s->last_context_id != context_id)
        switch_locked(s, context_id);
    else if (s && moment == ENGINE_OA_ENDS_QUERY && s->enabled && s->inside)
        push_locked(s, REASON_CONTEXT_SWITCH, context_id);
    if (s)
        s->idle_ns = moment == ENGINE_OA_BEGINS
                         ? 0
                         : clock_ns(CLOCK_MONOTONIC) + IDLE_NS;
    device_unlock();
}

static void
tick_locked(struct oa_stream *s)
{
    int64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    if (!s->enabled)
        return;
    if (s->idle_ns && now_ns >= s->idle_ns)
        switch_locked(s, 0);
    if (!s->period_ns || now_ns < s->next_ns)
        return;
    s->next_ns = MAX2(s->next_ns + s->period_ns, now_ns);
    if (s->inside)
        push_locked(s, REASON_TIMER, s->last_context_id);
    else if (!s->context_id)
        push_locked(s, REASON_TIMER, NO_CONTEXT);
}

/* ---- the thread ---------------------------------------------------------- */

static void
enable_locked(struct oa_stream *s, bool enable)
{
    if (s->enabled == enable)
        return;
    s->enabled = enable;
    atomic_store(&readable.enabled, enable);
    s->inside = false;
    s->last_context_id = 0;
    s->idle_ns = 0;
    s->next_ns = clock_ns(CLOCK_MONOTONIC) + s->period_ns;
    if (enable && engine_oa_configure(device_engine_if_any(), &s->metrics.set))
        engine_oa_start(device_engine_if_any(), sample);
    else
        engine_oa_stop(device_engine_if_any());
    wake(s);
}

static void
end_locked(struct oa_stream *s)
{
    enable_locked(s, false);
    s->over = true;
    if (current == s)
        set_current(NULL);
    wake(s);
}

/* When the thread looks again, from now; -1: when it is woken. */
static int64_t
sleep_ns(const struct oa_stream *s)
{
    if (!s->enabled)
        return -1;
    if (!s->period_ns)
        return IDLE_NS;
    int64_t left_ns = s->next_ns - clock_ns(CLOCK_MONOTONIC);
    return CLAMP(left_ns, 0, IDLE_NS);
}

static void
wait_for_client(struct oa_stream *s, bool full, int64_t ns)
{
    struct pollfd p[2] = {{.fd = s->fd, .events = full ? POLLOUT : 0},
                          {.fd = s->wake, .events = POLLIN}};
    struct timespec t = {ns / 1000000000, ns % 1000000000};
    eventfd_t value;
    if (ppoll(p, 2, ns < 0 ? NULL : &t, NULL) < 0)
        return;
    if (p[1].revents)
        eventfd_read(s->wake, &value);
    if (p[0].revents & (POLLHUP | POLLERR)) {
        device_lock();
        end_locked(s);
        device_unlock();
    }
}

static void *
stream_main(void *data)
{
    struct oa_stream *s = data;
    for (;;) {
        device_lock();
        bool over = s->over, full = false;
        if (!over) {
            tick_locked(s);
            full = !flush_locked(s);
        }
        int64_t ns = sleep_ns(s);
        device_unlock();
        if (over)
            break;
        wait_for_client(s, full, ns);
    }
    close(s->fd);
    close(s->wake);
    free(s->record);
    free(s);
    return NULL;
}

/* ---- open ---------------------------------------------------------------- */

/* ECONNRESET: closed with records that nobody has read. */
static bool
is_hung_up(const struct oa_stream *s)
{
    char byte;
    ssize_t n = recv(s->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return !n || (n < 0 && errno != EAGAIN);
}

static struct oa_stream *
create(const struct oa_stream_start *start, int fd, ino_t ino)
{
    struct oa_stream *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->ino = ino;
    s->fd = fd;
    s->context_id = start->context_id;
    s->metrics = start->metrics;
    if (start->period_ns)
        s->period_ns = MAX2((int64_t)start->period_ns, PERIOD_MIN_NS);
    s->wake = syscall_fd_up(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    s->record = calloc(RECORDS, sizeof *s->record);
    if (s->wake >= 0 && s->record)
        return s;
    if (s->wake >= 0)
        close(s->wake);
    free(s->record);
    free(s);
    return NULL;
}

/* Takes over fd, the other end. */
static int
start_locked(const struct oa_stream_start *start, int fd, ino_t ino)
{
    pthread_t thread;
    struct oa_stream *s = create(start, fd, ino);
    if (!s || device_start_thread(&thread, stream_main, s)) {
        if (s) {
            close(s->wake);
            free(s->record);
        }
        free(s);
        close(fd);
        return -ENOMEM;
    }
    pthread_detach(thread);
    set_current(s);
    enable_locked(s, !start->disabled);
    return 0;
}

static bool
is_open_locked(void)
{
    if (current && is_hung_up(current))
        end_locked(current);
    return current;
}

bool
oa_stream_is_open(void)
{
    device_lock();
    bool is = is_open_locked();
    device_unlock();
    return is;
}

static int
open_locked(const struct oa_stream_start *start)
{
    int pair[2];
    struct stat st;
    if (is_open_locked())
        return -EBUSY;
    int type = SOCK_SEQPACKET | (start->cloexec ? SOCK_CLOEXEC : 0) |
               (start->nonblock ? SOCK_NONBLOCK : 0);
    if (!device_engine() || socketpair(AF_UNIX, type, 0, pair) < 0)
        return device_engine() ? -errno : -ENOMEM;
    int fd = syscall_fd_up(pair[1]);
    int err = syscall_fstat(pair[0], &st) < 0 ? -errno : 0;
    if (err)
        close(fd);
    else
        err = start_locked(start, fd, st.st_ino);
    if (err)
        close(pair[0]);
    return err ? err : pair[0];
}

int
oa_stream_open(const struct oa_stream_start *start)
{
    device_lock();
    int fd = open_locked(start);
    device_unlock();
    return fd;
}

/* ---- ioctls -------------------------------------------------------------- */

static bool
is_stream(int fd, ino_t ino)
{
    struct stat st;
    int saved = errno;
    bool is = !syscall_fstat(fd, &st) && st.st_ino == ino &&
              S_ISSOCK(st.st_mode);
    errno = saved;
    return is;
}

static struct oa_stream *
find_locked(int fd)
{
    return current && is_stream(fd, current->ino) ? current : NULL;
}

bool
oa_stream_is(int fd)
{
    device_lock();
    bool is = find_locked(fd);
    device_unlock();
    return is;
}

/* Whether there is a record that does not fit. */
static bool
is_too_small(int fd, size_t size_B)
{
    char byte;
    int saved = errno;
    ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
    errno = saved;
    return n > 0 && (size_t)n > size_B;
}

/* A blocking read waits for the timer, says i915. */
int
oa_stream_check_read(int fd, size_t size_B)
{
    ino_t ino = atomic_load(&readable.ino);
    if (!ino || !is_stream(fd, ino))
        return 0;
    if (!atomic_load(&readable.enabled))
        return -EIO;
    if (!atomic_load(&readable.periodic) && !(fcntl(fd, F_GETFL) & O_NONBLOCK))
        return -EIO;
    return is_too_small(fd, size_B) ? -ENOSPC : 0;
}

int
oa_stream_enable(int fd, bool enable)
{
    device_lock();
    struct oa_stream *s = find_locked(fd);
    if (s)
        enable_locked(s, enable);
    device_unlock();
    return s ? 0 : -EINVAL;
}

int
oa_stream_configure(int fd, const struct oa_chosen *metrics)
{
    device_lock();
    struct oa_stream *s = find_locked(fd);
    uint64_t before = s ? s->metrics.id : 0;
    if (s) {
        s->metrics = *metrics;
        engine_oa_configure(device_engine_if_any(), &metrics->set);
    }
    device_unlock();
    return s ? (int)before : -EINVAL;
}

void
oa_stream_after_fork(void)
{
    struct oa_stream *s = current;
    set_current(NULL);
    if (!s)
        return;
    close(s->fd);
    close(s->wake);
    free(s->record);
    free(s);
}
