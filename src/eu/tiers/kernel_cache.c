/* kernel_cache.c: process-wide cache of kernels by content.
 *
 * Equal bytes give one kernel, wherever they lie. A hash of the kernel's first
 * instructions finds it; a comparison of all its code confirms it. Kernels
 * without references stay until the cache is full. Any thread: one mutex;
 * decoding happens under it, once per content. */
#include "eu/tiers/kernel.h"

#include "base/fork_order.h"
#include "eu/jit/jit.h"
#include "eu/profile/profile.h"
#include "eu/profile/profile_unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <xxhash.h>

#define BUCKETS 1024
#define MAX_KERNELS 4096
#define MAX_B ((size_t)64 << 20)
#define MAX_CODE_B ((size_t)48 << 20)
#define PREFIX_INSNS 16

static struct {
    pthread_mutex_t lock;
    struct eu_kernel *buckets[BUCKETS];
    uint64_t clock;
    unsigned count;
    size_t size_B;
    struct busy_kernel *busy; /* of all counted kernels, even evicted ones */
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};
FORK_LOCK(FORK_KERNELS, cache.lock)

/* Bytes that belong to any kernel starting at code: up to PREFIX_INSNS
 * instructions, but not beyond an EOT. */
static size_t
prefix_B(const uint8_t *code, size_t avail_B)
{
    size_t off = 0;
    for (unsigned n = 0; n < PREFIX_INSNS; n++) {
        if (avail_B - off < 8)
            break;
        bool compact = code[off + 3] & 0x20;
        size_t length = compact ? 8 : 16;
        if (avail_B - off < length)
            break;
        unsigned opcode = code[off] & 0x7f;
        bool eot = !compact && opcode >= EU_OP_SEND && opcode <= EU_OP_SENDSC &&
                   code[off + 15] & 0x80;
        off += length;
        if (eot)
            break;
    }
    return off;
}

static struct eu_kernel *
find_kernel(uint64_t hash, const void *code, size_t avail_B, enum eu_gen gen,
            bool counted)
{
    for (struct eu_kernel *k = cache.buckets[hash % BUCKETS]; k; k = k->next)
        if (k->hash == hash && k->gen == gen && k->size_B <= avail_B &&
            k->counted == counted && !memcmp(k->code, code, k->size_B))
            return k;
    return NULL;
}

static size_t
memory_B(const struct eu_kernel *k)
{
    return sizeof *k + k->size_B + k->insn_count * sizeof *k->insns +
           k->op_count * sizeof *k->ops + k->size_B / 8 * sizeof *k->op_of;
}

/* Evicts the least recently used kernel. False: all are in use. */
static bool
evict_oldest(void)
{
    struct eu_kernel **oldest = NULL;
    for (unsigned b = 0; b < BUCKETS; b++)
        for (struct eu_kernel **p = &cache.buckets[b]; *p; p = &(*p)->next)
            if (!(*p)->refs &&
                (!oldest || (*p)->last_use < (*oldest)->last_use))
                oldest = p;
    if (!oldest)
        return false;
    struct eu_kernel *k = *oldest;
    *oldest = k->next;
    cache.count--;
    cache.size_B -= memory_B(k);
    eu_kernel_free(k);
    return true;
}

static void
insert_kernel(struct eu_kernel *k)
{
    cache.count++;
    cache.size_B += memory_B(k);
    while ((cache.count > MAX_KERNELS || cache.size_B > MAX_B ||
            eu_jit_total_B() > MAX_CODE_B) &&
           evict_oldest())
        ;
    k->next = cache.buckets[k->hash % BUCKETS];
    cache.buckets[k->hash % BUCKETS] = k;
}

/* One more than an instruction has lanes. */
static uint8_t
count_bins(const struct eu_kernel *k)
{
    unsigned most = 0;
    for (uint32_t i = 0; i < k->insn_count; i++)
        if (k->insns[i].exec_size > most && !eu_fixed_lanes(&k->insns[i]))
            most = k->insns[i].exec_size;
    return (uint8_t)(most + 1);
}

/* Gives the kernel counters. */
static void
profile_kernel(struct eu_kernel *k)
{
    uint8_t *begins = calloc(1, k->size_B / 8 + 1);
    uint8_t bins = eu_profile_has_lanes() ? count_bins(k) : 0;
    if (!begins)
        return;
    for (uint32_t i = 0; i < k->insn_count; i++)
        begins[k->insns[i].offset_B / 8] = 1;
    k->profile_slot = eu_profile_add(XXH3_64bits(k->code, k->size_B), k->gen,
                                     k->code, k->size_B, begins, bins);
    k->profile_bins = k->profile_slot ? bins : 0;
    k->profile_memory = k->profile_slot && eu_profile_has_memory();
    free(begins);
}

static struct eu_kernel *
get_locked(const void *code, size_t avail_B, enum eu_gen gen, bool counted)
{
    uint64_t hash = XXH3_64bits(code, prefix_B(code, avail_B));
    struct eu_kernel *k = find_kernel(hash, code, avail_B, gen, counted);
    if (!k) {
        k = eu_kernel_build(code, avail_B, gen);
        if (k) {
            stats_add(STAT_kernels, 1);
            k->hash = hash;
            k->counted = counted;
            if (counted)
                profile_kernel(k);
            insert_kernel(k);
            if (trace_on(TRACE_eu))
                eu_kernel_trace(k);
        }
    }
    if (k) {
        k->refs++;
        k->last_use = ++cache.clock;
    }
    return k;
}

const struct eu_kernel *
eu_kernel_get(const void *code, size_t avail_B, enum eu_gen gen)
{
    pthread_mutex_lock(&cache.lock);
    struct eu_kernel *k = get_locked(code, avail_B, gen, eu_profile_is_on());
    pthread_mutex_unlock(&cache.lock);
    return k;
}

const struct eu_kernel *
eu_kernel_get_counted(const void *code, size_t avail_B, enum eu_gen gen)
{
    eu_profile_begin();
    pthread_mutex_lock(&cache.lock);
    struct eu_kernel *k = get_locked(code, avail_B, gen, true);
    if (k && !k->busy)
        k->busy = busy_kernel_add(&cache.busy, k);
    pthread_mutex_unlock(&cache.lock);
    return k;
}

void
eu_busy_read(struct eu_busy *busy)
{
    pthread_mutex_lock(&cache.lock);
    busy_kernels_read(cache.busy, busy);
    pthread_mutex_unlock(&cache.lock);
}

void
eu_kernel_unref(const struct eu_kernel *kernel)
{
    if (!kernel)
        return;
    /* Only fields of the cache change: the code is immutable. */
    struct eu_kernel *k = (struct eu_kernel *)kernel;
    pthread_mutex_lock(&cache.lock);
    assert(k->refs > 0);
    k->refs--;
    pthread_mutex_unlock(&cache.lock);
}

uint64_t
eu_kernel_content_hash(const struct eu_kernel *k)
{
    return XXH3_64bits(k->code, k->size_B);
}

void
eu_kernel_note_use(const struct eu_kernel *kernel, unsigned stage,
                   unsigned simd)
{
    struct eu_kernel *k = (struct eu_kernel *)kernel;
    uint64_t bit = UINT64_C(1) << (stage * 8 + simd / 8);
    if (k->busy)
        busy_kernel_use(k->busy, stage);
    if (k->profile_slot && !(atomic_fetch_or(&k->profile_uses, bit) & bit))
        eu_profile_use(k->profile_slot, stage, simd);
}

uint32_t
eu_kernel_counters(const struct eu_kernel *k, uint32_t *count)
{
    *count = profile_counters(eu_profile_arrays(), k->profile_bins,
                              k->size_B / 8);
    return k->profile_slot;
}

void
eu_trace_fallbacks(void)
{
    pthread_mutex_lock(&cache.lock);
    for (unsigned b = 0; b < BUCKETS; b++)
        for (struct eu_kernel *k = cache.buckets[b]; k; k = k->next)
            eu_fallback_trace(k);
    pthread_mutex_unlock(&cache.lock);
}
