/* cache.c: kernels by content, for the whole process.
 *
 * The same bytes give the same kernel, wherever they lie. Found by a hash of
 * the kernel's first instructions, confirmed by comparing all of it. Kernels
 * nobody refers to stay until the cache is full.
 * Any thread: one mutex; decoding happens inside it, once per content. */
#include "eu/interp/interp.h"

#include <pthread.h>
#include <stdlib.h>
#include <xxhash.h>

#define BUCKETS 1024
#define MAX_KERNELS 4096
#define MAX_B (64u << 20)
#define PREFIX_INSNS 16

static struct {
    pthread_mutex_t lock;
    struct eu_kernel *buckets[BUCKETS];
    uint64_t clock;
    unsigned count;
    size_t size_B;
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* How many bytes at code belong to any kernel that starts there: up to
 * PREFIX_INSNS instructions, but not beyond an EOT. */
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
find(uint64_t hash, const void *code, size_t avail_B, enum eu_gen gen)
{
    for (struct eu_kernel *k = cache.buckets[hash % BUCKETS]; k; k = k->next)
        if (k->hash == hash && k->gen == gen && k->size_B <= avail_B &&
            !memcmp(k->code, code, k->size_B))
            return k;
    return NULL;
}

static size_t
memory_B(const struct eu_kernel *k)
{
    return sizeof *k + k->size_B + k->insn_count * sizeof *k->insns +
           k->op_count * sizeof *k->ops;
}

/* Drops the kernel that was not used for the longest time. False when all
 * are in use. */
static bool
evict(void)
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
insert(struct eu_kernel *k)
{
    cache.count++;
    cache.size_B += memory_B(k);
    while ((cache.count > MAX_KERNELS || cache.size_B > MAX_B) && evict())
        ;
    k->next = cache.buckets[k->hash % BUCKETS];
    cache.buckets[k->hash % BUCKETS] = k;
}

const struct eu_kernel *
eu_kernel_get(const void *code, size_t avail_B, enum eu_gen gen)
{
    uint64_t hash = XXH3_64bits(code, prefix_B(code, avail_B));
    pthread_mutex_lock(&cache.lock);
    struct eu_kernel *k = find(hash, code, avail_B, gen);
    if (!k) {
        k = eu_kernel_build(code, avail_B, gen);
        if (k) {
            stats_add(STAT_kernels, 1);
            k->hash = hash;
            insert(k);
            if (trace_on(TRACE_eu))
                eu_kernel_trace(k);
        }
    }
    if (k) {
        k->refs++;
        k->last_use = ++cache.clock;
    }
    pthread_mutex_unlock(&cache.lock);
    return k;
}

void
eu_kernel_unref(const struct eu_kernel *kernel)
{
    if (!kernel)
        return;
    /* Only the cache's own members change: the code stays as it was built. */
    struct eu_kernel *k = (struct eu_kernel *)kernel;
    pthread_mutex_lock(&cache.lock);
    assert(k->refs > 0);
    k->refs--;
    pthread_mutex_unlock(&cache.lock);
}

void
eu_trace_coverage(void)
{
    pthread_mutex_lock(&cache.lock);
    for (unsigned b = 0; b < BUCKETS; b++)
        for (struct eu_kernel *k = cache.buckets[b]; k; k = k->next)
            eu_coverage_trace(k);
    pthread_mutex_unlock(&cache.lock);
}

size_t
eu_kernel_size_B(const struct eu_kernel *kernel)
{
    return kernel->size_B;
}

bool
eu_kernel_is_pure(const struct eu_kernel *kernel)
{
    return !kernel->impure;
}

bool
eu_kernel_surfaces(const struct eu_kernel *kernel, uint32_t used[8])
{
    memcpy(used, kernel->surfaces, sizeof kernel->surfaces);
    return !kernel->any_surface;
}
