/* profile.c: counters of host threads, and the records about kernels. */
#include "eu/profile/profile.h"

#include "base/fork_order.h"
#include "base/pool.h"
#include "eu/eu.h"
#include "eu/profile/profile_memory.h"
#include "eu/profile/profile_unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define FIRST_SLOT 8u /* 0: none */

/* Counters whose thread has ended: the next one goes on counting there. */
struct region {
    struct region *next;
    uint64_t *counters;
};

/* Where the basic blocks of a compiled kernel begin. */
struct blocks {
    struct blocks *next;
    uint32_t slot, units;
    uint8_t begins[];
};

static struct {
    pthread_mutex_t lock;
    atomic_bool begun; /* eu_profile_begin() */
    struct blocks *blocks;
    uint64_t process;
    uint32_t slots;
    uint64_t *first; /* for threads without memory of their own */
    struct region *free;
    pthread_key_t key;
    bool has_key, complained;
} profile = {.lock = PTHREAD_MUTEX_INITIALIZER, .slots = FIRST_SLOT};

static __thread uint64_t *counters __attribute__((tls_model("initial-exec")));
static __thread struct region *mine __attribute__((tls_model("initial-exec")));
/* The unit that the counters belong to: profile_unit.h. */
static __thread void *unit __attribute__((tls_model("initial-exec")));

void
profile_lock(void)
{
    pthread_mutex_lock(&profile.lock);
}

void
profile_unlock(void)
{
    pthread_mutex_unlock(&profile.lock);
}

const void *
profile_thread(void)
{
    return &mine;
}

void
eu_profile_begin(void)
{
    atomic_store(&profile.begun, true);
}

static bool
may_count(void)
{
    return eu_profile_is_on() ||
           atomic_load_explicit(&profile.begun, memory_order_relaxed);
}

void
profile_complain_locked(const char *what)
{
    if (!profile.complained)
        log_printf("profile: %s: %s; some counts are lost\n", what,
                   strerror(errno));
    profile.complained = true;
    profile_note_lost();
}

static void
begin_process_locked(void)
{
    struct timespec now;
    if (profile.process)
        return;
    if (getrandom(&profile.process, sizeof profile.process, GRND_NONBLOCK) <
        0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        profile.process = (uint64_t)getpid() << 32 ^ (uint64_t)now.tv_nsec;
    }
    profile.process |= 1;
}

uint64_t
profile_process_locked(void)
{
    begin_process_locked();
    return profile.process;
}

uint32_t
profile_slots_locked(void)
{
    return profile.slots;
}

/* ---- records ------------------------------------------------------------- */

/* Appends a record, in one write(): other processes append, too. */
static void
append_locked(struct profile_record *r, const struct iovec *parts,
              unsigned count)
{
    static const uint8_t zeroes[8];
    char path[4096];
    struct iovec v[5] = {{r, sizeof *r}};
    size_t size_B = sizeof *r;
    if (!eu_profile_is_on())
        return;
    begin_process_locked();
    for (unsigned i = 0; i < count; i++) {
        v[i + 1] = parts[i];
        size_B += parts[i].iov_len;
    }
    v[count + 1] = (struct iovec){(void *)zeroes, -size_B & 7};
    r->size_B = (uint32_t)ALIGN_POT(size_B, 8);
    r->process = profile.process;
    r->pid = (uint32_t)getpid();
    snprintf(path, sizeof path, PROFILE_KERNELS_FORMAT,
             getenv("SOFTLAKE_PROFILE"));
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    ssize_t n = fd < 0 ? -1 : writev(fd, v, (int)count + 2);
    if (n != (ssize_t)r->size_B) {
        errno = n < 0 ? errno : ENOSPC;
        profile_complain_locked(path);
    }
    if (fd >= 0)
        close(fd);
}

uint32_t
eu_profile_add(uint64_t hash, unsigned gen, const void *code, uint32_t code_B,
               const uint8_t *begins, uint32_t bins)
{
    uint32_t units = code_B / 8;
    uint32_t arrays = eu_profile_arrays();
    uint32_t counters = profile_counters(arrays, bins, units);
    struct profile_kernel k = {
        .record = {.kind = PROFILE_KERNEL, .value = hash},
        .gen = gen,
        .code_B = code_B,
        .arrays = arrays,
        .bins = bins,
        .has = (eu_profile_has_lanes() ? PROFILE_HAS_LANES : 0u) |
               (eu_profile_has_memory() ? PROFILE_HAS_MEMORY : 0u)};
    const struct iovec parts[] = {
        {&k.gen, sizeof k - offsetof(struct profile_kernel, gen)},
        {(void *)begins, units},
        {(void *)code, code_B},
    };
    if (!may_count())
        return 0;
    pthread_mutex_lock(&profile.lock);
    if (!profile.first)
        profile.first = profile_map_locked(true);
    if (profile.first && counters <= PROFILE_COUNTERS - profile.slots) {
        k.record.slot = profile.slots;
        profile.slots += counters;
        append_locked(&k.record, parts, ARRAY_SIZE(parts));
    } else {
        k.record.kind = PROFILE_FULL;
        append_locked(&k.record, NULL, 0);
    }
    pthread_mutex_unlock(&profile.lock);
    return k.record.slot;
}

static const struct blocks *
find_blocks_locked(uint32_t slot)
{
    const struct blocks *b = profile.blocks;
    while (b && b->slot != slot)
        b = b->next;
    return b;
}

/* For eu_profile_counts_of(). All variants of a kernel have the same. */
static void
keep_blocks_locked(uint32_t slot, const uint8_t *begins, uint32_t units)
{
    struct blocks *b = NULL;
    if (atomic_load(&profile.begun) && !find_blocks_locked(slot))
        b = malloc(sizeof *b + units);
    if (!b)
        return;
    b->next = profile.blocks;
    b->slot = slot;
    b->units = units;
    memcpy(b->begins, begins, units);
    profile.blocks = b;
}

static void
add_counts(const uint64_t *own, const struct blocks *b, uint64_t *counts,
           uint32_t units)
{
    uint64_t entries = 0;
    for (uint32_t u = 0; u < units; u++) {
        if (b && u < b->units && b->begins[u]) {
            entries = own[PROFILE_ENTERED * units + u];
            if (eu_profile_has_lanes())
                entries += own[PROFILE_ENTERED_FULL * units + u];
        }
        counts[u] += own[PROFILE_RAN * units + u] + entries;
    }
}

void
eu_profile_counts_of(uint32_t slot, uint64_t *counts, uint32_t units)
{
    memset(counts, 0, units * sizeof *counts);
    pthread_mutex_lock(&profile.lock);
    const struct blocks *b = find_blocks_locked(slot);
    for (const struct profile_map *m = profile_maps(); m; m = m->next)
        add_counts(m->counters + slot, b, counts, units);
    pthread_mutex_unlock(&profile.lock);
}

void
eu_profile_blocks(uint32_t slot, const uint8_t *begins, uint32_t units)
{
    struct profile_record r = {.kind = PROFILE_BLOCKS, .slot = slot};
    const struct iovec part = {(void *)begins, units};
    if (!may_count())
        return;
    pthread_mutex_lock(&profile.lock);
    append_locked(&r, &part, 1);
    keep_blocks_locked(slot, begins, units);
    pthread_mutex_unlock(&profile.lock);
}

void
eu_profile_use(uint32_t slot, unsigned stage, unsigned simd)
{
    struct profile_record r = {
        .kind = PROFILE_USE, .slot = slot, .value = simd * 8 + stage};
    pthread_mutex_lock(&profile.lock);
    append_locked(&r, NULL, 0);
    pthread_mutex_unlock(&profile.lock);
}

/* ---- counters ------------------------------------------------------------ */

static void
give_back(void *region)
{
    struct region *r = region;
    pthread_mutex_lock(&profile.lock);
    r->next = profile.free;
    profile.free = r;
    profile_units_leave_locked();
    pthread_mutex_unlock(&profile.lock);
    counters = NULL;
    mine = NULL;
}

static struct region *
take_region_locked(void)
{
    struct region *r = profile.free;
    if (r) {
        profile.free = r->next;
        return r;
    }
    r = malloc(sizeof *r);
    if (r && !(r->counters = profile_map_locked(true))) {
        free(r);
        return NULL;
    }
    return r;
}

uint64_t *
profile_own_counters_locked(void)
{
    if (!profile.has_key)
        profile.has_key = !pthread_key_create(&profile.key, give_back);
    if (!mine && (mine = take_region_locked()))
        pthread_setspecific(profile.key, mine);
    return mine ? mine->counters : profile.first;
}

void
eu_profile_enter_counted(void)
{
    if ((counters && unit == pool_tag) || !may_count())
        return;
    pthread_mutex_lock(&profile.lock);
    uint64_t *own = profile_own_counters_locked();
    counters = pool_tag ? profile_unit_counters_locked(pool_tag) : own;
    if (!counters)
        counters = own;
    unit = pool_tag;
    pthread_mutex_unlock(&profile.lock);
}

uint64_t *
eu_profile_counters(void)
{
    return counters;
}

void
eu_profile_count_at(uint64_t *array)
{
    counters = array;
}

int32_t
eu_profile_tls_B(void)
{
    /* volatile: folded into one instruction, the difference is one that
     * linkers of executables do not know. */
    uint64_t **volatile at = &counters;
    return (int32_t)((intptr_t)at - (intptr_t)__builtin_thread_pointer());
}

/* ---- fork() -------------------------------------------------------------- */

/* The parent goes on with its files, the child begins with files of its own. It
 * keeps the kernels that the parent has described. */
static void
drop_in_child_locked(void)
{
    uint64_t parent = profile.process;
    profile.process = 0;
    profile_maps_drop_locked();
    profile.free = NULL;
    profile_units_drop_locked();
    if (parent) {
        struct profile_record r = {.kind = PROFILE_CHILD, .value = parent};
        append_locked(&r, NULL, 0);
    }
    counters = NULL;
    mine = NULL;
    unit = NULL;
}

FORK_LOCK_DROP(FORK_PROFILE, profile.lock, drop_in_child_locked)
