/* vm.c: maps buffers into the window of an address space and lists them.
 *
 * Maps by raw system calls only: this library is preloaded and interposes
 * mmap() and the like, so libc would call back into the library. */
#include "engine/vm/vm.h"

#include "engine/core/core.h"
#include "engine/vm/vm_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_MASK UINT64_C(4095)

static void *
raw_mmap(void *addr, uint64_t size_B, int prot, int flags, int fd,
         uint64_t offset_B)
{
    return (void *)syscall(SYS_mmap, addr, size_B, prot, flags, fd, offset_B);
}

struct engine_vm *
engine_vm_create(struct engine *engine)
{
    struct engine_vm *vm = calloc(1, sizeof *vm);
    struct vm_private *priv = calloc(1, sizeof *priv);
    if (!vm || !priv)
        goto fail;
    vm->priv = priv;
    vm->engine = engine;
    vm->refs = 1;
    priv->vm = vm;
    if (!vm_window_open(priv))
        goto fail;
    pthread_mutex_init(&priv->lock, NULL);
    atomic_fetch_add(&engine->refs, 1);
    return vm;
fail:
    free(priv);
    free(vm);
    return NULL;
}

void
engine_vm_ref(struct engine_vm *vm)
{
    atomic_fetch_add(&vm->refs, 1);
}

void
engine_vm_unref(struct engine_vm *vm)
{
    if (!vm || atomic_fetch_sub(&vm->refs, 1) != 1)
        return;
    struct vm_private *priv = vm->priv;
    vm_window_close(priv);
    vm_window_count(-(int)priv->range_count);
    vm_users_drop(priv, 0, engine_vm_size_B(vm));
    vm_moved_free(priv);
    free(priv->users);
    free(priv->ranges);
    pthread_mutex_destroy(&priv->lock);
    engine_unref(vm->engine);
    free(priv);
    free(vm);
}

uint64_t
engine_vm_size_B(const struct engine_vm *vm)
{
    return vm->mask + 1;
}

/* ---- what is mapped where -------------------------------------------- */

unsigned
vm_range_find(const struct vm_private *priv, uint64_t at)
{
    unsigned lo = 0, hi = priv->range_count;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (priv->ranges[mid].at + priv->ranges[mid].size_B <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

uint64_t
vm_mapped_B(const struct engine_vm *vm, gpu_va va, uint64_t size_B)
{
    struct vm_private *priv = vm->priv;
    uint64_t at = vm_place(vm, va), end = at + size_B;
    const uint64_t shift = at - (va & VM_VA_MASK);
    pthread_mutex_lock(&priv->lock);
    unsigned i = vm_range_find(priv, at);
    const struct vm_range *r = priv->ranges + i;
    while (at < end && i < priv->range_count && r->at <= at &&
           r->at - r->va == shift) {
        at = r->at + r->size_B;
        i++;
        r++;
    }
    pthread_mutex_unlock(&priv->lock);
    return MIN2(at, end) - (end - size_B);
}

/* Replaces ranges [first, last) by `insert`. The caller has reserved
 * capacity. */
static void
ranges_splice(struct vm_private *priv, unsigned first, unsigned last,
              const struct vm_range *insert, unsigned count)
{
    memmove(priv->ranges + first + count, priv->ranges + last,
            (priv->range_count - last) * sizeof *priv->ranges);
    if (count)
        memcpy(priv->ranges + first, insert, count * sizeof *insert);
    priv->range_count += count - (last - first);
    vm_window_count((int)count - (int)(last - first));
}

/* The range without its first first_B and last less_B bytes. */
static struct vm_range
part_of(const struct vm_range *r, uint64_t first_B, uint64_t less_B)
{
    struct vm_range part = *r;
    part.at += first_B;
    part.va += first_B;
    part.offset_B += first_B;
    part.size_B -= first_B + less_B;
    return part;
}

bool
vm_range_replace(struct vm_private *priv, uint64_t at, uint64_t size_B,
                 const struct vm_range *range)
{
    if (!vm_reserve((void **)&priv->ranges, &priv->range_capacity,
                    priv->range_count + 2, sizeof *priv->ranges))
        return false;
    uint64_t end = at + size_B;
    unsigned first = vm_range_find(priv, at), last = first;
    struct vm_range insert[3];
    unsigned n = 0;
    struct vm_range *r = priv->ranges;
    if (first < priv->range_count && r[first].at < at)
        insert[n++] = part_of(&r[first], 0, r[first].at + r[first].size_B - at);
    if (range)
        insert[n++] = *range;
    while (last < priv->range_count && r[last].at < end) {
        if (r[last].at + r[last].size_B > end)
            insert[n++] = part_of(&r[last], end - r[last].at, 0);
        last++;
    }
    ranges_splice(priv, first, last, insert, n);
    return true;
}

static bool
span_valid(gpu_va va, uint64_t size_B)
{
    return size_B && !((va | size_B) & PAGE_MASK) && va <= VM_VA_MASK &&
           size_B <= VM_VA_MASK + 1 - va;
}

bool
vm_is_ours(const struct engine_vm *vm, const void *ptr, uint64_t size_B,
           uint64_t *epoch)
{
    struct vm_private *priv = vm->priv;
    uint64_t at = (uint64_t)((const uint8_t *)ptr - vm->window);
    *epoch = atomic_load(&vm->engine->epoch);
    pthread_mutex_lock(&priv->lock);
    unsigned i = vm_range_find(priv, at);
    const struct vm_range *r = &priv->ranges[i];
    bool ours = i < priv->range_count && r->at <= at &&
                at + size_B <= r->at + r->size_B && !r->no_identity &&
                !r->exposed;
    pthread_mutex_unlock(&priv->lock);
    return ours && !atomic_load(&vm->engine->forked);
}

bool
vm_is_shared(const struct engine_vm *vm, const void *ptr)
{
    struct vm_private *priv = vm->priv;
    uint64_t at = (uint64_t)((const uint8_t *)ptr - vm->window);
    pthread_mutex_lock(&priv->lock);
    unsigned i = vm_range_find(priv, at);
    const struct vm_range *r = &priv->ranges[i];
    bool shared = i < priv->range_count && r->at <= at &&
                  (r->no_identity || r->shared);
    pthread_mutex_unlock(&priv->lock);
    return shared;
}

static bool
already_mapped(const struct vm_private *priv, const struct vm_range *want)
{
    unsigned i = vm_range_find(priv, want->at);
    if (i == priv->range_count || want->no_identity)
        return false;
    const struct vm_range *r = &priv->ranges[i];
    return !r->no_identity && r->dev == want->dev && r->ino == want->ino &&
           r->at <= want->at && r->at + r->size_B >= want->at + want->size_B &&
           r->offset_B + (want->at - r->at) == want->offset_B;
}

/* Forgets a range whose mapping failed. */
static void
drop_locked(struct vm_private *priv, const struct vm_range *want)
{
    vm_range_replace(priv, want->at, want->size_B, NULL);
    vm_place_leave(priv, want->va, want->size_B);
}

/* fd -1: new memory, shared with forked children only. */
static int
map_locked(struct vm_private *priv, const struct vm_range *want, int fd)
{
    vm_users_drop(priv, want->at, want->size_B);
    vm_scratch_forget(priv, want->at, want->size_B);
    if (!vm_range_replace(priv, want->at, want->size_B, want))
        return -ENOMEM;
    int anonymous = fd < 0 ? MAP_ANONYMOUS | MAP_NORESERVE : 0;
    void *p = raw_mmap(priv->vm->window + want->at, want->size_B,
                       PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_FIXED | anonymous, fd, want->offset_B);
    return p == MAP_FAILED ? -errno : 0;
}

/* Unmaps the range first if a mapping there keeps it from its place. */
static void
make_way(struct engine_vm *vm, const struct vm_range *want)
{
    struct vm_private *priv = vm->priv;
    pthread_mutex_lock(&priv->lock);
    bool stays = vm_place_stays(priv, want->va, want->size_B);
    pthread_mutex_unlock(&priv->lock);
    if (!stays)
        engine_vm_unmap(vm, want->va, want->size_B);
}

static int
take_place(struct vm_private *priv, struct vm_range *want)
{
    return vm_window_is_crowded(priv) ? -ENOSPC : vm_place_take(priv, want);
}

int
engine_vm_map(struct engine_vm *vm, uint64_t va, uint64_t size_B, int fd,
              uint64_t offset_B)
{
    struct vm_private *priv = vm->priv;
    if (!span_valid(va, size_B) || offset_B & PAGE_MASK)
        return -EINVAL;
    struct vm_range want = {.va = va, .size_B = size_B, .offset_B = offset_B};
    struct stat st;
    if (syscall(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH))
        return -errno;
    /* A mapping keeps its inode alive, so the number cannot be reused while
     * the range is listed. */
    want.dev = st.st_dev;
    want.ino = st.st_ino;
    make_way(vm, &want);
    pthread_mutex_lock(&priv->lock);
    if (atomic_exchange(&priv->holes_plugged, false))
        priv->remap_all = true;
    int err = take_place(priv, &want);
    bool again = !err && !priv->remap_all && already_mapped(priv, &want);
    if (!err && !again) {
        atomic_fetch_add(&vm->engine->epoch, 1);
        err = map_locked(priv, &want, fd);
        if (err)
            drop_locked(priv, &want);
    }
    pthread_mutex_unlock(&priv->lock);
    if (!again)
        vm->engine->after_change(vm->engine, vm->window + want.at, size_B);
    return err;
}

/* Clears the places [at, end), except where addresses of another shift are
 * mapped. */
static void
clear_places_locked(struct vm_private *priv, uint64_t at, uint64_t end,
                    uint64_t shift)
{
    while (at < end) {
        unsigned i = vm_range_find(priv, at);
        struct vm_range r = {.at = end};
        while (i < priv->range_count && priv->ranges[i].at < end &&
               priv->ranges[i].at - priv->ranges[i].va == shift)
            i++;
        if (i < priv->range_count && priv->ranges[i].at < end)
            r = priv->ranges[i];
        if (r.at > at) {
            vm_users_drop(priv, at, r.at - at);
            vm_range_replace(priv, at, r.at - at, NULL);
            vm_window_clear(priv, at, r.at - at);
        }
        at = r.at + r.size_B;
    }
}

void
engine_vm_unmap(struct engine_vm *vm, uint64_t va, uint64_t size_B)
{
    struct vm_private *priv = vm->priv;
    if (!span_valid(va, size_B))
        return;
    for (gpu_va first = va, end; first < va + size_B; first = end) {
        struct vm_span span = vm_span_at(vm, first);
        end = MIN2(span.end, va + size_B);
        void *ptr = vm_ptr(vm, first);
        vm->engine->before_unmap(vm, ptr, end - first);
        pthread_mutex_lock(&priv->lock);
        clear_places_locked(priv, first + span.shift, end + span.shift,
                            span.shift);
        pthread_mutex_unlock(&priv->lock);
        vm->engine->after_change(vm->engine, ptr, end - first);
    }
    atomic_fetch_add(&vm->engine->epoch, 1);
    pthread_mutex_lock(&priv->lock);
    vm_place_leave(priv, va, size_B);
    pthread_mutex_unlock(&priv->lock);
}

void
engine_vm_expose(struct engine_vm *vm, uint64_t va, uint64_t size_B,
                 bool shared)
{
    struct vm_private *priv = vm->priv;
    uint64_t at = vm_place(vm, va);
    pthread_mutex_lock(&priv->lock);
    for (unsigned i = vm_range_find(priv, at);
         i < priv->range_count && priv->ranges[i].at < at + size_B; i++) {
        priv->ranges[i].exposed = true;
        priv->ranges[i].shared |= shared;
    }
    pthread_mutex_unlock(&priv->lock);
    if (shared)
        vm->engine->after_change(vm->engine, vm->window + at, size_B);
}

/* ---- memory of the application --------------------------------------- */

/* Private memory cannot be mapped twice: the window has memory of its own, and
 * batches copy changes (vm_userptr.c). */
static int
map_copied(struct vm_private *priv, const struct vm_range *want, void *ptr)
{
    int err = map_locked(priv, want, -1);
    return err ? err : vm_user_add(priv, want->at, want->size_B, ptr);
}

static bool
already_user(struct vm_private *priv, const struct vm_range *want)
{
    unsigned i = vm_range_find(priv, want->at);
    if (i >= priv->range_count)
        return false;
    const struct vm_range *r = &priv->ranges[i];
    return r->no_identity && r->at == want->at && r->size_B == want->size_B &&
           r->ptr == want->ptr && vm_user_find(priv, want->at);
}

static int
map_user_locked(struct vm_private *priv, const struct vm_range *want)
{
    /* mremap() with an old size of 0 duplicates a shared mapping and refuses
     * private ones with EINVAL. */
    void *p = (void *)syscall(SYS_mremap, want->ptr, 0, want->size_B,
                              MREMAP_MAYMOVE | MREMAP_FIXED,
                              priv->vm->window + want->at);
    /* It goes on in the file behind the first mapping. */
    if (p == MAP_FAILED || !vm_is_one_mapping(want->ptr, want->size_B))
        return map_copied(priv, want, want->ptr);
    vm_scratch_forget(priv, want->at, want->size_B);
    vm_users_drop(priv, want->at, want->size_B);
    return vm_range_replace(priv, want->at, want->size_B, want) ? 0 : -ENOMEM;
}

int
engine_vm_map_ptr(struct engine_vm *vm, uint64_t va, uint64_t size_B, void *ptr)
{
    struct vm_private *priv = vm->priv;
    if (!span_valid(va, size_B) || (uintptr_t)ptr & PAGE_MASK)
        return -EINVAL;
    struct vm_range want = {
        .va = va, .size_B = size_B, .no_identity = true, .ptr = ptr};
    make_way(vm, &want);
    pthread_mutex_lock(&priv->lock);
    int err = take_place(priv, &want);
    if (!err && !already_user(priv, &want)) {
        atomic_fetch_add(&vm->engine->epoch, 1);
        err = map_user_locked(priv, &want);
        if (err)
            drop_locked(priv, &want);
    }
    pthread_mutex_unlock(&priv->lock);
    return err;
}
