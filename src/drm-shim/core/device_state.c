#include "drm-shim/core/device_state.h"

#include "base/base.h"
#include "base/os_thread.h"
#include "drm-shim/core/handle.h"
#include "drm-shim/core/platform.h"
#include "engine/engine.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

/* State of the library: a process has one device. */
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
init_lock(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&device.lock, &attr);
    pthread_mutexattr_destroy(&attr);
}

/* Valgrind caches its translation of code, and the JIT rewrites code through
 * another mapping of its memory: interprets kernels instead. */
static void
adapt_to_valgrind(void)
{
    const char *preload = getenv("LD_PRELOAD");
    if (preload && strstr(preload, "vgpreload"))
        setenv("SOFTLAKE_EU", "interp", 0);
}

static void
init_once(void)
{
    init_lock();
    adapt_to_valgrind();
    log_init();
    device.platform = platform_from_env();
}

void
device_state_init(void)
{
    pthread_once(&device.once, init_once);
}

void
device_locks_after_fork(void)
{
    /* A recursive mutex remembers the parent's thread id. */
    init_lock();
    pthread_mutex_init(&device.submit_lock, NULL);
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
    device_state_init();
    return device.platform;
}

int
device_start_thread(pthread_t *thread, void *(*run)(void *), void *data)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    int err = thread_start(thread, false, run, data);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return err;
}

/* One worker per processor; none on a single one, where the submitting thread
 * runs the batches. */
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

/* The hang limit of SOFTLAKE_HANG_S; 0: the engine's default. */
static unsigned
hang_limit_ms(bool complain)
{
    const char *text = getenv("SOFTLAKE_HANG_S");
    if (!text || !*text)
        return 0;
    char *end;
    double s = strtod(text, &end);
    if (*end || !(s > 0)) {
        if (complain)
            log_printf("SOFTLAKE_HANG_S=%s: expected seconds\n", text);
        return 0;
    }
    return (unsigned)CLAMP(s * 1000, 1, 1e9);
}

int64_t
device_foreign_limit_ns(void)
{
    const unsigned usual_ms = 10000, more_ms = 2000;
    unsigned hang_ms = hang_limit_ms(false);
    return (int64_t)((hang_ms ? hang_ms : usual_ms) + more_ms) * 1000000;
}

struct engine *
device_engine(void)
{
    device_lock();
    struct engine *engine = atomic_load(&device.engine);
    if (!engine) {
        const struct platform *p = device.platform;
        const char *noop = getenv("SOFTLAKE_NOOP");
        const char *picture = getenv("SOFTLAKE_FRAMEBUFFER");
        struct engine_config config = {
            .gen = p->gen,
            .threads = thread_count(),
            .noop = noop && *noop && *noop != '0',
            .keep_target = picture && *picture,
            .timestamp_hz = p->timestamp_hz,
            .eu_threads_per_subslice = p->eus_per_subslice * 7u,
            .subslices = (unsigned)p->slices * p->subslices,
            .hang_limit_ms = hang_limit_ms(true),
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

struct kms **
device_kms_slot(void)
{
    return &device.kms;
}

bool
device_was_opened(void)
{
    return atomic_load(&device.opened);
}

void
device_note_opened(void)
{
    atomic_store(&device.opened, true);
}

struct drm_file **
device_files(void)
{
    return &device.files;
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

unsigned
device_new_serial(void)
{
    return atomic_fetch_add(&device.serial, 1);
}
