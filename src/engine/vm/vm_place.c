/* vm_place.c: chooses the place of a mapping in the window.
 *
 * Buffers whose addresses differ only in the bits above the window's size share
 * one home, and a buffer across the window's end has none. These are moved to a
 * free place (vm_moved.c). */
#include "engine/core/core.h"
#include "engine/vm/vm_private.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A move keeps the low bits of addresses, because tiled surfaces need their
 * alignment. */
#define HOLE_ALIGN_B (UINT64_C(1) << 16)
/* Keeps accesses near null pointers away from moved buffers. */
#define HOLE_FIRST (UINT64_C(1) << 20)

static uint64_t
home_shift(const struct engine_vm *vm, gpu_va va)
{
    return 0 - (va & ~vm->mask);
}

/* Whether, with this shift, the range lies in the window and overlaps no
 * addresses of another shift. */
static bool
is_free(const struct vm_private *priv, gpu_va va, uint64_t size_B,
        uint64_t shift)
{
    uint64_t at = va + shift, window_B = priv->vm->mask + 1;
    if (at >= window_B || size_B > window_B - at)
        return false;
    for (unsigned i = vm_range_find(priv, at);
         i < priv->range_count && priv->ranges[i].at < at + size_B; i++)
        if (priv->ranges[i].at - priv->ranges[i].va != shift)
            return false;
    return true;
}

/* The next place from `at` on with the low bits of va. */
static uint64_t
align_hole(uint64_t at, gpu_va va)
{
    return at + ((va - at) & (HOLE_ALIGN_B - 1));
}

static bool
find_hole(const struct vm_private *priv, uint64_t from, uint64_t to, gpu_va va,
          uint64_t size_B, uint64_t *shift)
{
    uint64_t at = align_hole(from, va);
    for (unsigned i = vm_range_find(priv, at); i < priv->range_count; i++) {
        const struct vm_range *r = &priv->ranges[i];
        if (r->at >= at && r->at - at >= size_B)
            break;
        at = align_hole(r->at + r->size_B, va);
    }
    *shift = at - va;
    return at <= to && size_B <= to - at;
}

/* Prefers the upper half of the window, where fewer homes are. */
static bool
find_any_hole(const struct vm_private *priv, gpu_va va, uint64_t size_B,
              uint64_t *shift)
{
    uint64_t end = priv->vm->mask + 1;
    return find_hole(priv, end / 2, end, va, size_B, shift) ||
           find_hole(priv, HOLE_FIRST, end, va, size_B, shift);
}

bool
vm_place_stays(const struct vm_private *priv, gpu_va va, uint64_t size_B)
{
    struct vm_span now = vm_span_at(priv->vm, va);
    return now.end >= va + size_B && is_free(priv, va, size_B, now.shift);
}

int
vm_place_take(struct vm_private *priv, struct vm_range *want)
{
    const struct engine_vm *vm = priv->vm;
    gpu_va va = want->va, end = va + want->size_B;
    uint64_t shift = vm_span_at(vm, va).shift;
    if (!vm_place_stays(priv, va, want->size_B)) {
        /* Prefer the shift of a neighbour, so that the two stay adjacent. */
        shift = va ? vm_span_at(vm, va - 1).shift : shift;
        if (!is_free(priv, va, want->size_B, shift))
            shift = vm_span_at(vm, end).shift;
        if (!is_free(priv, va, want->size_B, shift))
            shift = home_shift(vm, va);
        if (!is_free(priv, va, want->size_B, shift) &&
            !find_any_hole(priv, va, want->size_B, &shift))
            return -ENOSPC;
    }
    want->at = va + shift;
    return vm_moved_set(priv, va, want->size_B, shift) ? 0 : -ENOMEM;
}

void
vm_place_leave(struct vm_private *priv, gpu_va va, uint64_t size_B)
{
    /* Out of memory: the span stays moved, which only costs time. */
    while (size_B) {
        uint64_t home_B = MIN2(size_B,
                               priv->vm->mask + 1 - (va & priv->vm->mask));
        vm_moved_set(priv, va, home_B, home_shift(priv->vm, va));
        va += home_B;
        size_B -= home_B;
    }
}

/* ---- side by side ---- */

bool
engine_vm_has_moved(const struct engine_vm *vm)
{
    return vm_has_moved(vm);
}

bool
engine_vm_is_straight(const struct engine_vm *vm, uint64_t va, uint64_t size_B)
{
    return vm_span_at(vm, va).end >= va + size_B;
}

/* A shift that suits the whole range: one of its spans' or a new one. */
static bool
choose_common_shift(const struct vm_private *priv, gpu_va va, uint64_t size_B,
                    uint64_t *shift)
{
    for (gpu_va at = va; at < va + size_B;) {
        struct vm_span span = vm_span_at(priv->vm, at);
        *shift = span.shift;
        if (is_free(priv, va, size_B, span.shift))
            return true;
        at = span.end;
    }
    return find_any_hole(priv, va, size_B, shift);
}

/* Duplicates the mapping (old size 0; all listed mappings are shared) before it
 * clears the old place. A plain mremap() would leave the old place free for a
 * moment, and another thread could map there. */
static bool
move_range(struct vm_private *priv, const struct vm_range *range,
           uint64_t shift)
{
    struct vm_range r = *range, to = r;
    uint8_t *window = priv->vm->window;
    to.at = r.va + shift;
    if (!vm_moved_set(priv, r.va, r.size_B, shift))
        return false;
    if (syscall(SYS_mremap, window + r.at, 0, r.size_B,
                MREMAP_MAYMOVE | MREMAP_FIXED, window + to.at) == -1 ||
        !vm_range_replace(priv, to.at, to.size_B, &to)) {
        vm_moved_set(priv, r.va, r.size_B, r.at - r.va);
        return false;
    }
    struct vm_user *user = vm_user_find(priv, r.at);
    if (user)
        user->at = to.at;
    vm_range_replace(priv, r.at, r.size_B, NULL);
    vm_window_clear(priv, r.at, r.size_B);
    return true;
}

static const struct vm_range *
find_other_shift(const struct vm_private *priv, gpu_va va, uint64_t size_B,
                 uint64_t shift)
{
    for (unsigned i = 0; i < priv->range_count; i++) {
        const struct vm_range *r = &priv->ranges[i];
        if (r->va >= va && r->va - va < size_B &&
            r->size_B <= size_B - (r->va - va) && r->at - r->va != shift)
            return r;
    }
    return NULL;
}

static void
forget_pieces(struct engine_vm *vm, gpu_va va, uint64_t size_B)
{
    for (gpu_va at = va; at < va + size_B;) {
        struct vm_span span = vm_span_at(vm, at);
        uint64_t part_B = MIN2(span.end, va + size_B) - at;
        vm->engine->before_unmap(vm, vm_ptr(vm, at), part_B);
        vm->engine->after_change(vm->engine, vm_ptr(vm, at), part_B);
        at += part_B;
    }
}

bool
engine_vm_straighten(struct engine_vm *vm, uint64_t va, uint64_t size_B)
{
    struct vm_private *priv = vm->priv;
    uint64_t shift;
    forget_pieces(vm, va, size_B);
    atomic_fetch_add(&vm->engine->epoch, 1);
    pthread_mutex_lock(&priv->lock);
    bool ok = choose_common_shift(priv, va, size_B, &shift);
    const struct vm_range *r;
    while (ok && (r = find_other_shift(priv, va, size_B, shift)))
        ok = move_range(priv, r, shift);
    pthread_mutex_unlock(&priv->lock);
    return ok;
}
