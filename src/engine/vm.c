/* vm.c: windows of address space and what is mapped in them.
 *
 * All mapping is by raw system calls: this library is preloaded and interposes
 * mmap() and friends for the client, so going through libc would end up in
 * ourselves. */
#include "engine/vm.h"

#include "engine/state.h"
#include "engine/vm_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_MASK UINT64_C(4095)
#define WINDOW_B (ENGINE_VM_SIZE_B + VM_GUARD_B)

static void *
raw_mmap(void *addr, uint64_t size_B, int prot, int flags, int fd,
         uint64_t offset_B)
{
    return (void *)syscall(SYS_mmap, addr, size_B, prot, flags, fd, offset_B);
}

static void
raw_close(int fd)
{
    syscall(SYS_close, fd);
}

struct engine_vm *
engine_vm_create(struct engine *engine)
{
    struct engine_vm *vm = calloc(1, sizeof *vm);
    struct vm_private *priv = calloc(1, sizeof *priv);
    if (!vm || !priv)
        goto fail;
    void *window = raw_mmap(NULL, WINDOW_B, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (window == MAP_FAILED)
        goto fail;
    vm->window = window;
    vm->priv = priv;
    vm->engine = engine;
    vm->refs = 1;
    priv->vm = vm;
    pthread_mutex_init(&priv->lock, NULL);
    if (!vm_fault_register(priv)) {
        syscall(SYS_munmap, vm->window, WINDOW_B);
        pthread_mutex_destroy(&priv->lock);
        goto fail;
    }
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
    vm_fault_unregister(priv);
    syscall(SYS_munmap, vm->window, WINDOW_B);
    vm_users_drop(priv, 0, ENGINE_VM_SIZE_B);
    free(priv->users);
    free(priv->ranges);
    pthread_mutex_destroy(&priv->lock);
    engine_unref(vm->engine);
    free(priv);
    free(vm);
}

/* ---- what is mapped where -------------------------------------------- */

unsigned
vm_range_find(const struct vm_private *priv, gpu_va va)
{
    unsigned lo = 0, hi = priv->range_count;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (priv->ranges[mid].va + priv->ranges[mid].size_B <= va)
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
    gpu_va at = va & (ENGINE_VM_SIZE_B - 1), end = at + size_B;
    pthread_mutex_lock(&priv->lock);
    unsigned i = vm_range_find(priv, at);
    while (at < end && i < priv->range_count && priv->ranges[i].va <= at) {
        at = priv->ranges[i].va + priv->ranges[i].size_B;
        i++;
    }
    pthread_mutex_unlock(&priv->lock);
    return MIN2(at, end) - (end - size_B);
}

bool
vm_reserve(void **array, unsigned *capacity, unsigned count, size_t each_B)
{
    if (count <= *capacity)
        return true;
    unsigned want = MAX2(count, *capacity * 2 + 16);
    void *p = realloc(*array, want * each_B);
    if (!p)
        return false;
    *array = p;
    *capacity = want;
    return true;
}

/* Makes room for `insert` ranges in place of those from `first` to before
 * `last`. Capacity has been reserved. */
static void
ranges_splice(struct vm_private *priv, unsigned first, unsigned last,
              const struct vm_range *insert, unsigned count)
{
    memmove(priv->ranges + first + count, priv->ranges + last,
            (priv->range_count - last) * sizeof *priv->ranges);
    if (count)
        memcpy(priv->ranges + first, insert, count * sizeof *insert);
    priv->range_count += count - (last - first);
}

/* Forgets [va, va + size_B), cutting ranges that stick out, and puts `range`
 * there unless it is NULL. */
static bool
ranges_replace(struct vm_private *priv, gpu_va va, uint64_t size_B,
               const struct vm_range *range)
{
    if (!vm_reserve((void **)&priv->ranges, &priv->range_capacity,
                    priv->range_count + 2, sizeof *priv->ranges))
        return false;
    gpu_va end = va + size_B;
    unsigned first = vm_range_find(priv, va), last = first;
    struct vm_range insert[3];
    unsigned n = 0;
    struct vm_range *r = priv->ranges;
    if (first < priv->range_count && r[first].va < va) {
        insert[n] = r[first];
        insert[n++].size_B = va - r[first].va;
    }
    if (range)
        insert[n++] = *range;
    while (last < priv->range_count && r[last].va < end) {
        gpu_va r_end = r[last].va + r[last].size_B;
        if (r_end > end) {
            insert[n] = r[last];
            insert[n].offset_B += end - r[last].va;
            insert[n].size_B = r_end - end;
            insert[n++].va = end;
        }
        last++;
    }
    ranges_splice(priv, first, last, insert, n);
    return true;
}

static bool
span_valid(gpu_va va, uint64_t size_B)
{
    return size_B && !((va | size_B) & PAGE_MASK) && va < ENGINE_VM_SIZE_B &&
           size_B <= ENGINE_VM_SIZE_B - va;
}

bool
vm_is_ours(const struct engine_vm *vm, const void *ptr, uint64_t size_B,
           uint64_t *epoch)
{
    struct vm_private *priv = vm->priv;
    gpu_va va = (gpu_va)((const uint8_t *)ptr - vm->window);
    *epoch = atomic_load(&vm->engine->epoch);
    pthread_mutex_lock(&priv->lock);
    unsigned i = vm_range_find(priv, va);
    const struct vm_range *r = &priv->ranges[i];
    bool ours = i < priv->range_count && r->va <= va &&
                va + size_B <= r->va + r->size_B && !r->no_identity &&
                !r->exposed;
    pthread_mutex_unlock(&priv->lock);
    return ours && !atomic_load(&vm->engine->forked);
}

static bool
already_mapped(const struct vm_private *priv, const struct vm_range *want)
{
    unsigned i = vm_range_find(priv, want->va);
    if (i == priv->range_count || want->no_identity)
        return false;
    const struct vm_range *r = &priv->ranges[i];
    return !r->no_identity && r->dev == want->dev && r->ino == want->ino &&
           r->va <= want->va && r->va + r->size_B >= want->va + want->size_B &&
           r->offset_B + (want->va - r->va) == want->offset_B;
}

static int
map_locked(struct vm_private *priv, const struct vm_range *want, int fd)
{
    vm_users_drop(priv, want->va, want->size_B);
    if (!ranges_replace(priv, want->va, want->size_B, want))
        return -ENOMEM;
    void *p = raw_mmap(priv->vm->window + want->va, want->size_B,
                       PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                       want->offset_B);
    if (p != MAP_FAILED)
        return 0;
    int err = errno;
    ranges_replace(priv, want->va, want->size_B, NULL);
    return -err;
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
    int err = 0;
    pthread_mutex_lock(&priv->lock);
    if (atomic_exchange(&priv->holes_plugged, false))
        priv->remap_all = true;
    if (priv->remap_all || !already_mapped(priv, &want)) {
        atomic_fetch_add(&vm->engine->epoch, 1);
        err = map_locked(priv, &want, fd);
    }
    pthread_mutex_unlock(&priv->lock);
    return err;
}

void
engine_vm_unmap(struct engine_vm *vm, uint64_t va, uint64_t size_B)
{
    struct vm_private *priv = vm->priv;
    if (!span_valid(va, size_B))
        return;
    atomic_fetch_add(&vm->engine->epoch, 1);
    pthread_mutex_lock(&priv->lock);
    vm_users_drop(priv, va, size_B);
    ranges_replace(priv, va, size_B, NULL);
    raw_mmap(vm->window + va, size_B, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    pthread_mutex_unlock(&priv->lock);
}

void
engine_vm_expose(struct engine_vm *vm, uint64_t va, uint64_t size_B)
{
    struct vm_private *priv = vm->priv;
    pthread_mutex_lock(&priv->lock);
    for (unsigned i = vm_range_find(priv, va);
         i < priv->range_count && priv->ranges[i].va < va + size_B; i++)
        priv->ranges[i].exposed = true;
    pthread_mutex_unlock(&priv->lock);
}

/* ---- memory of the application --------------------------------------- */

/* Private memory cannot be mapped twice: a memfd stands in for it in the
 * window, and batches copy what has changed (vm_user.c). */
static int
map_copied(struct vm_private *priv, const struct vm_range *want, void *ptr)
{
    int fd = (int)syscall(SYS_memfd_create, "softlake-userptr", MFD_CLOEXEC);
    int err = fd < 0 ? -errno : 0;
    if (!err && syscall(SYS_ftruncate, fd, want->size_B))
        err = -errno;
    if (!err)
        err = map_locked(priv, want, fd);
    if (fd >= 0)
        raw_close(fd);
    return err ? err : vm_user_add(priv, want->va, want->size_B, ptr);
}

int
engine_vm_map_ptr(struct engine_vm *vm, uint64_t va, uint64_t size_B, void *ptr)
{
    struct vm_private *priv = vm->priv;
    if (!span_valid(va, size_B) || (uintptr_t)ptr & PAGE_MASK)
        return -EINVAL;
    struct vm_range want = {.va = va, .size_B = size_B, .no_identity = true};
    int err = 0;
    pthread_mutex_lock(&priv->lock);
    unsigned at = vm_range_find(priv, va);
    if (at < priv->range_count && priv->ranges[at].no_identity &&
        priv->ranges[at].va == va && priv->ranges[at].size_B == size_B &&
        priv->ranges[at].ptr == ptr && vm_user_find(priv, va)) {
        pthread_mutex_unlock(&priv->lock);
        return 0;
    }
    want.ptr = ptr;
    atomic_fetch_add(&vm->engine->epoch, 1);
    /* An old size of 0 makes mremap() duplicate a shared mapping; private
     * ones are refused with EINVAL. */
    void *p = (void *)syscall(SYS_mremap, ptr, 0, size_B,
                              MREMAP_MAYMOVE | MREMAP_FIXED, vm->window + va);
    if (p != MAP_FAILED) {
        vm_users_drop(priv, va, size_B);
        if (!ranges_replace(priv, va, size_B, &want))
            err = -ENOMEM;
    } else {
        err = map_copied(priv, &want, ptr);
    }
    pthread_mutex_unlock(&priv->lock);
    return err;
}
