/* vm_moved.c: translation of addresses that are not at their home.
 *
 * The table is sorted by address and read without a lock, while the shim may
 * change it for a later batch. Its version is a sequence lock: a reader retries
 * if the version changed meanwhile. Addresses in use by a batch do not move, so
 * both versions agree about them. A table that is too small is replaced, and
 * freed with the address space. */
#include "engine/vm/vm_private.h"

#include <stdlib.h>

struct vm_moved {
    atomic_uint version; /* odd: a change is in progress */
    atomic_uint count;
    unsigned capacity;
    struct vm_moved *outgrown; /* threads may still look at it */
    struct {
        _Atomic gpu_va begin, end;
        _Atomic uint64_t shift;
    } span[];
};

/* ---- looking ------------------------------------------------------------- */

static struct vm_span
home_span(const struct engine_vm *vm, gpu_va va)
{
    gpu_va begin = va & ~vm->mask;
    return (struct vm_span){begin, begin + vm->mask + 1, 0 - begin};
}

/* Index of the first span that ends after va. */
static unsigned
find_entry(const struct vm_moved *m, gpu_va va)
{
    unsigned lo = 0;
    unsigned hi = atomic_load_explicit(&m->count, memory_order_acquire);
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (atomic_load_explicit(&m->span[mid].end, memory_order_acquire) <= va)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static struct vm_span
look(const struct engine_vm *vm, const struct vm_moved *m, gpu_va va)
{
    const memory_order order = memory_order_acquire;
    struct vm_span home = home_span(vm, va);
    unsigned i = find_entry(m, va);
    if (i < atomic_load_explicit(&m->count, order)) {
        gpu_va begin = atomic_load_explicit(&m->span[i].begin, order);
        gpu_va end = atomic_load_explicit(&m->span[i].end, order);
        uint64_t shift = atomic_load_explicit(&m->span[i].shift, order);
        if (begin <= va)
            return (struct vm_span){begin, end, shift};
        home.end = MIN2(home.end, begin);
    }
    if (i > 0)
        home.begin = MAX2(home.begin,
                          atomic_load_explicit(&m->span[i - 1].end, order));
    return home;
}

struct vm_span
vm_span_at(const struct engine_vm *vm, gpu_va va)
{
    const struct vm_moved *m = atomic_load_explicit(&vm->moved,
                                                    memory_order_acquire);
    va &= VM_VA_MASK;
    if (!m)
        return home_span(vm, va);
    for (;;) {
        unsigned version = atomic_load_explicit(&m->version,
                                                memory_order_acquire);
        struct vm_span span = look(vm, m, va);
        if (!(version & 1) &&
            version == atomic_load_explicit(&m->version, memory_order_acquire))
            return span;
    }
}

uint64_t
vm_place(const struct engine_vm *vm, gpu_va va)
{
    return (va & VM_VA_MASK) + vm_span_at(vm, va).shift;
}

void *
vm_moved_ptr(const struct engine_vm *vm, gpu_va va)
{
    return vm->window + vm_place(vm, va);
}

uint64_t
vm_moved_limit_B(const struct engine_vm *vm, gpu_va va)
{
    return vm_span_at(vm, va).end - (va & VM_VA_MASK);
}

/* ---- changing; the lock is held ------------------------------------------ */

/* Reserves room in the list and in a table for `count` spans. */
static bool
reserve_spans(struct vm_private *priv, unsigned count)
{
    struct vm_moved *old = priv->table;
    if (!vm_reserve((void **)&priv->moved, &priv->moved_capacity, count,
                    sizeof *priv->moved))
        return false;
    if (old && count <= old->capacity)
        return true;
    unsigned capacity = priv->moved_capacity;
    struct vm_moved *m = calloc(1, sizeof *m + capacity * sizeof m->span[0]);
    if (!m)
        return false;
    m->capacity = capacity;
    m->outgrown = old;
    priv->table = m;
    return true;
}

/* Publishes the list to readers. */
static void
publish(struct vm_private *priv)
{
    const memory_order order = memory_order_release;
    struct engine_vm *vm = priv->vm;
    struct vm_moved *m = priv->table;
    unsigned version = atomic_load(&m->version);
    atomic_store(&m->version, version + 1);
    for (unsigned i = 0; i < priv->moved_count; i++) {
        const struct vm_span *s = &priv->moved[i];
        atomic_store_explicit(&m->span[i].begin, s->begin, order);
        atomic_store_explicit(&m->span[i].end, s->end, order);
        atomic_store_explicit(&m->span[i].shift, s->shift, order);
    }
    atomic_store_explicit(&m->count, priv->moved_count, order);
    atomic_store(&m->version, version + 2);
    atomic_store(&vm->moved, priv->moved_count ? m : NULL);
    atomic_fetch_add(&vm->places, 1);
}

/* Appends a span, or extends the last one if they join. */
static unsigned
append_span(struct vm_span *to, unsigned n, const struct vm_span *s)
{
    if (s->begin >= s->end)
        return n;
    if (n && to[n - 1].end == s->begin && to[n - 1].shift == s->shift)
        to[n - 1].end = s->end;
    else
        to[n++] = *s;
    return n;
}

/* Removes [begin, end) from the list and inserts `new` unless it is NULL.
 * False: out of memory. */
static bool
replace_span(struct vm_private *priv, gpu_va begin, gpu_va end,
             const struct vm_span *new)
{
    unsigned count = priv->moved_count, first = 0;
    if (!reserve_spans(priv, count + 2))
        return false;
    struct vm_span *list = priv->moved;
    while (first < count && list[first].end < begin)
        first++;
    unsigned last = first, n = 0;
    struct vm_span insert[4];
    while (last < count && list[last].begin <= end)
        last++;
    if (first < last) {
        struct vm_span s = list[first];
        s.end = MIN2(s.end, begin);
        n = append_span(insert, n, &s);
    }
    if (new)
        n = append_span(insert, n, new);
    if (first < last) {
        struct vm_span s = list[last - 1];
        s.begin = MAX2(s.begin, end);
        n = append_span(insert, n, &s);
    }
    memmove(list + first + n, list + last, (count - last) * sizeof *list);
    memcpy(list + first, insert, n * sizeof *list);
    priv->moved_count = count - (last - first) + n;
    publish(priv);
    return true;
}

bool
vm_moved_set(struct vm_private *priv, gpu_va va, uint64_t size_B,
             uint64_t shift)
{
    struct vm_span home = home_span(priv->vm, va);
    struct vm_span now = vm_span_at(priv->vm, va);
    struct vm_span new = {va, va + size_B, shift};
    if (now.shift == shift && now.end >= new.end)
        return true;
    return replace_span(priv, new.begin, new.end,
                        shift == home.shift ? NULL : &new);
}

void
vm_moved_free(struct vm_private *priv)
{
    while (priv->table) {
        struct vm_moved *m = priv->table;
        priv->table = m->outgrown;
        free(m);
    }
    free(priv->moved);
}
