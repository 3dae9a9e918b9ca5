#include "drm-shim/device.h"

#include "drm-shim/bo_share.h"
#include "drm-shim/job.h"
#include "drm-shim/hwctx.h"
#include "drm-shim/fence.h"
#include "drm-shim/kms.h"
#include "drm-shim/numbers.h"
#include "drm-shim/platform.h"
#include "drm-shim/raw.h"
#include "drm-shim/report.h"
#include "drm-shim/space.h"
#include "drm-shim/syncobj.h"
#include "drm-shim/tree.h"
#include "engine/engine.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The process has one device: this is the state of the library. */
static struct {
    pthread_once_t once;
    pthread_mutex_t lock;
    pthread_mutex_t submit_lock;
    const struct platform *platform;
    _Atomic(struct engine *) engine; /* made under the lock */
    struct kms *kms;
    struct drm_file *files;
    struct bo *shared_bos;
    uint64_t kept_B;
    struct handle_table names;
    uint32_t last_magic;
    atomic_uint serial; /* of socket names */
    atomic_bool opened;
} device = {.once = PTHREAD_ONCE_INIT,
            .submit_lock = PTHREAD_MUTEX_INITIALIZER};

static void
before_fork(void)
{
    pthread_mutex_lock(&device.submit_lock);
    pthread_mutex_lock(&device.lock);
    fence_before_fork();
}

static void
after_fork_parent(void)
{
    fence_after_fork_parent();
    if (device.engine)
        engine_after_fork_parent(device.engine);
    pthread_mutex_unlock(&device.lock);
    pthread_mutex_unlock(&device.submit_lock);
}

static void
init_lock(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&device.lock, &attr);
    pthread_mutexattr_destroy(&attr);
}

static void
after_fork_child(void)
{
    fence_after_fork_child();
    numbers_after_fork();
    /* A recursive mutex remembers the parent's thread id. */
    init_lock();
    pthread_mutex_init(&device.submit_lock, NULL);
    job_after_fork();
    syncobj_after_fork();
    tree_after_fork();
    bo_share_after_fork(device.shared_bos);
    report_after_fork();
    if (device.kms)
        kms_after_fork(device.kms);
    if (device.engine)
        engine_after_fork(device.engine);
}

static void
init_once(void)
{
    init_lock();
    log_init();
    device.platform = platform_from_env();
    report_open();
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

void
device_init(void)
{
    pthread_once(&device.once, init_once);
}

void
device_lock(void)
{
    pthread_mutex_lock(&device.lock);
}

void
device_unlock(void)
{
    pthread_mutex_unlock(&device.lock);
}

void
device_submit_lock(void)
{
    pthread_mutex_lock(&device.submit_lock);
}

void
device_submit_unlock(void)
{
    pthread_mutex_unlock(&device.submit_lock);
}

const struct platform *
device_platform(void)
{
    device_init();
    return device.platform;
}

int
device_start_thread(pthread_t *thread, void *(*run)(void *), void *data)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    int err = pthread_create(thread, NULL, run, data);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return err;
}

/* One worker less than there are processors: the streamer works too. */
static unsigned
thread_count(void)
{
    const char *text = getenv("SOFTLAKE_THREADS");
    cpu_set_t set;
    if (text && *text) {
        long n = strtol(text, NULL, 10);
        return (unsigned)CLAMP(n, 0, 256);
    }
    if (sched_getaffinity(0, sizeof set, &set) < 0)
        return 1;
    return CPU_COUNT(&set) > 1 ? (unsigned)MIN2(CPU_COUNT(&set), 64) : 0;
}

struct engine *
device_engine(void)
{
    device_lock();
    struct engine *engine = atomic_load(&device.engine);
    if (!engine) {
        const struct platform *p = device.platform;
        const char *noop = getenv("SOFTLAKE_NOOP");
        struct engine_config config = {
            .gen = p->gen,
            .threads = thread_count(),
            .noop = noop && *noop && *noop != '0',
            .timestamp_hz = p->timestamp_hz,
            .eu_threads_per_subslice = p->eus_per_subslice * 7u,
            .subslices = (unsigned)p->slices * p->subslices,
        };
        engine = engine_create(&config);
        atomic_store(&device.engine, engine);
    }
    device_unlock();
    return engine;
}

struct engine *
device_engine_if_any(void)
{
    return atomic_load(&device.engine);
}

struct kms *
device_kms(void)
{
    if (!device.kms)
        device.kms = kms_create();
    return device.kms;
}

bool
device_was_opened(void)
{
    return atomic_load(&device.opened);
}

struct drm_file *
device_first_file(void)
{
    return device.files;
}

struct bo **
device_shared_bos(void)
{
    return &device.shared_bos;
}

uint64_t *
device_kept_B(void)
{
    return &device.kept_B;
}

uint32_t
device_add_name(struct bo *bo)
{
    return handle_add(&device.names, bo);
}

struct bo *
device_find_name(uint32_t name)
{
    return handle_get(&device.names, name);
}

void
device_forget_name(uint32_t name)
{
    handle_remove(&device.names, name);
}

uint32_t
device_new_magic(void)
{
    return ++device.last_magic;
}

/* ------------------------------------------------------------------------
 * Open files */

#define FD_LIMIT 32768
#define NAME_FORMAT "softlake-drm-%d-"

static int
bind_name(int fd, int minor)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    int n = snprintf(sa.sun_path + 1, sizeof sa.sun_path - 1,
                     NAME_FORMAT "%d-%u-%llx", minor, (int)getpid(),
                     atomic_fetch_add(&device.serial, 1),
                     (unsigned long long)fence_now_ns());
    return bind(
        fd, (struct sockaddr *)&sa,
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n));
}

/* The minor in the name of a socket, -1 if it is not one of ours. */
static int
read_name(int fd)
{
    struct sockaddr_un sa;
    socklen_t len = sizeof sa;
    int minor, saved = errno;
    if (getsockname(fd, (struct sockaddr *)&sa, &len) < 0) {
        errno = saved;
        return -1;
    }
    size_t head = offsetof(struct sockaddr_un, sun_path);
    if (sa.sun_family != AF_UNIX || len <= head + 1 || sa.sun_path[0])
        return -1;
    char name[sizeof sa.sun_path + 1] = {0};
    memcpy(name, sa.sun_path + 1, len - head - 1);
    if (sscanf(name, NAME_FORMAT, &minor) != 1)
        return -1;
    return minor == 0 || minor == 128 ? minor : -1;
}

/* Each object is a descriptor. The usual soft limit of 1024 is for programs
 * that use select(); ours lie above and bother nobody. */
static void
raise_fd_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= FD_LIMIT)
        return;
    limit.rlim_cur = MIN2(limit.rlim_max, (rlim_t)FD_LIMIT);
    setrlimit(RLIMIT_NOFILE, &limit);
}

static struct drm_file *
add_file(ino_t ino, int minor, int peer)
{
    struct drm_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    atomic_init(&file->refs, 1);
    file->ino = ino;
    file->minor = minor;
    file->peer = peer;
    device_lock();
    /* The first to open the card becomes its master. */
    file->master = minor == 0;
    for (struct drm_file *f = device.files; f; f = f->next)
        if (f->master)
            file->master = false;
    file->authenticated = file->master || minor == 128;
    file->next = device.files;
    device.files = file;
    device_unlock();
    stats_add(STAT_opens, 1);
    atomic_store(&device.opened, true);
    report_publish();
    return file;
}

int
device_open(int minor, int flags)
{
    int pair[2];
    struct stat st;
    device_init();
    device_collect();
    raise_fd_limit();
    int type = SOCK_SEQPACKET | (flags & O_CLOEXEC ? SOCK_CLOEXEC : 0) |
               (flags & O_NONBLOCK ? SOCK_NONBLOCK : 0);
    if (socketpair(AF_UNIX, type, 0, pair) < 0)
        return -1;
    int peer = raw_fd_up(pair[1]);
    /* Events must never block us. */
    fcntl(peer, F_SETFL, O_NONBLOCK);
    if (bind_name(pair[0], minor) < 0 || raw_fstat(pair[0], &st) < 0 ||
        !add_file(st.st_ino, minor, peer)) {
        close(pair[0]);
        close(peer);
        errno = ENOMEM;
        return -1;
    }
    trace(ioctl, "open minor %d -> %d", minor, pair[0]);
    return pair[0];
}

static struct drm_file *
find_file(ino_t ino)
{
    for (struct drm_file *f = device.files; f; f = f->next)
        if (f->ino == ino)
            return f;
    return NULL;
}

int
device_minor_of_inode(int fd, ino_t ino)
{
    device_init();
    device_lock();
    struct drm_file *file = find_file(ino);
    int minor = file ? file->minor : -1;
    device_unlock();
    return file ? minor : read_name(fd);
}

struct drm_file *
device_file(int fd)
{
    struct stat st;
    int saved = errno;
    unsigned ticket = numbers_ticket();
    if (fd < 0 || raw_fstat(fd, &st) < 0) {
        errno = saved;
        return NULL;
    }
    if (!S_ISSOCK(st.st_mode)) {
        numbers_forget(fd);
        return NULL;
    }
    device_init();
    device_lock();
    struct drm_file *file = find_file(st.st_ino);
    if (!file) {
        int minor = read_name(fd);
        if (minor >= 0)
            file = add_file(st.st_ino, minor, -1);
    }
    if (file) {
        atomic_fetch_add(&file->refs, 1);
        numbers_learn(fd, file, ticket);
    } else {
        numbers_forget(fd);
    }
    device_unlock();
    return file;
}

struct drm_file *
device_file_known(int fd)
{
    device_init();
    device_lock();
    struct drm_file *file = numbers_find(fd);
    if (file)
        atomic_fetch_add(&file->refs, 1);
    device_unlock();
    return file ? file : device_file(fd);
}

static void
release_handles(struct drm_file *file)
{
    for (uint32_t h = 0; (h = handle_next(&file->contexts, h));)
        hwctx_unref(handle_remove(&file->contexts, h));
    hwctx_unref(file->default_context);
    for (uint32_t h = 0; (h = handle_next(&file->spaces, h));)
        space_unref(handle_remove(&file->spaces, h));
    space_unref(file->space);
    for (uint32_t h = 0; (h = handle_next(&file->bos, h));)
        bo_unref(handle_remove(&file->bos, h));
    for (uint32_t h = 0; (h = handle_next(&file->syncobjs, h));)
        syncobj_unref(handle_remove(&file->syncobjs, h));
    handle_finish(&file->contexts);
    handle_finish(&file->spaces);
    handle_finish(&file->bos);
    handle_finish(&file->syncobjs);
}

void
device_file_unref(struct drm_file *file)
{
    if (atomic_fetch_sub(&file->refs, 1) != 1)
        return;
    device_lock();
    if (device.kms)
        kms_drop_file(device.kms, file);
    device_unlock();
    release_handles(file);
    if (file->peer >= 0)
        close(file->peer);
    free(file);
}

static bool
is_closed(const struct drm_file *file)
{
    char byte;
    return file->peer >= 0 &&
           recv(file->peer, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void
device_collect(void)
{
    int saved = errno;
    struct drm_file *dead = NULL;
    device_lock();
    for (struct drm_file **p = &device.files; *p;) {
        struct drm_file *file = *p;
        if (!is_closed(file)) {
            p = &file->next;
            continue;
        }
        *p = file->next;
        numbers_forget_file(file);
        file->next = dead;
        dead = file;
    }
    device_unlock();
    while (dead) {
        struct drm_file *next = dead->next;
        trace(ioctl, "last close of minor %d", dead->minor);
        device_file_unref(dead);
        dead = next;
    }
    errno = saved;
}

void
device_send_event(struct drm_file *file, const void *event, size_t size_B)
{
    if (file->peer < 0)
        return;
    ssize_t n = send(file->peer, event, size_B, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0)
        trace(kms, "event lost: %m");
}
