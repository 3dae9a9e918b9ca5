#include "drm-shim/gem/ppgtt.h"

#include "drm-shim/gem/bo.h"
#include "drm-shim/core/core.h"
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>

struct ppgtt *
ppgtt_create(void)
{
    struct ppgtt *ppgtt = calloc(1, sizeof *ppgtt);
    if (!ppgtt)
        return NULL;
    atomic_init(&ppgtt->refs, 1);
    struct engine *engine = device_engine();
    ppgtt->vm = engine ? engine_vm_create(engine) : NULL;
    if (ppgtt->vm)
        return ppgtt;
    free(ppgtt);
    return NULL;
}

struct ppgtt *
ppgtt_ref(struct ppgtt *ppgtt)
{
    atomic_fetch_add(&ppgtt->refs, 1);
    return ppgtt;
}

static void
forget_binding(struct binding *binding)
{
    struct binding **p = &binding->bo->bindings;
    while (*p != binding)
        p = &(*p)->next;
    *p = binding->next;
    free(binding);
}

void
ppgtt_unref(struct ppgtt *ppgtt)
{
    if (!ppgtt || atomic_fetch_sub(&ppgtt->refs, 1) != 1)
        return;
    device_lock();
    for (unsigned i = 0; i < ppgtt->count; i++)
        forget_binding(ppgtt->sorted[i]);
    device_unlock();
    engine_vm_unref(ppgtt->vm);
    free(ppgtt->sorted);
    free(ppgtt);
}

static uint64_t
end_of(const struct binding *b)
{
    return b->va + b->bo->size_B;
}

/* Index of the first binding that ends after va. */
static unsigned
first_after(const struct ppgtt *ppgtt, uint64_t va)
{
    unsigned lo = 0, hi = ppgtt->count;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (end_of(ppgtt->sorted[mid]) > va)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static void
remove_at(struct ppgtt *ppgtt, unsigned i)
{
    struct binding *b = ppgtt->sorted[i];
    engine_vm_unmap(ppgtt->vm, b->va, b->bo->size_B);
    ppgtt->count--;
    memmove(ppgtt->sorted + i, ppgtt->sorted + i + 1,
            (ppgtt->count - i) * sizeof *ppgtt->sorted);
    forget_binding(b);
}

struct binding *
ppgtt_find(struct ppgtt *ppgtt, const struct bo *bo)
{
    for (struct binding *b = bo->bindings; b; b = b->next)
        if (b->ppgtt == ppgtt)
            return b;
    return NULL;
}

/* Unbinds every object in the range, and bo itself elsewhere. */
static int
clear_range(struct ppgtt *ppgtt, struct bo *bo, uint64_t va,
            struct fence **busy)
{
    struct binding *self = ppgtt_find(ppgtt, bo);
    uint64_t end = va + bo->size_B;
    unsigned first = first_after(ppgtt, va);
    for (unsigned i = first; i < ppgtt->count && ppgtt->sorted[i]->va < end;
         i++) {
        *busy = bo_fence(ppgtt->sorted[i]->bo, false);
        if (*busy)
            return -EAGAIN;
    }
    if (self && (*busy = bo_fence(bo, false)))
        return -EAGAIN;
    if (self)
        remove_at(ppgtt, first_after(ppgtt, self->va));
    first = first_after(ppgtt, va);
    while (first < ppgtt->count && ppgtt->sorted[first]->va < end)
        remove_at(ppgtt, first);
    return 0;
}

static int
map_object(struct ppgtt *ppgtt, struct bo *bo, uint64_t va)
{
    if (bo->memfd < 0)
        return engine_vm_map_ptr(ppgtt->vm, va, bo->size_B, bo->user);
    int err = engine_vm_map(ppgtt->vm, va, bo->size_B, bo->memfd, bo->offset_B);
    if (!err && bo->exposed)
        engine_vm_expose(ppgtt->vm, va, bo->size_B, bo->share);
    return err;
}

int
ppgtt_bind(struct ppgtt *ppgtt, struct bo *bo, uint64_t va, struct fence **busy)
{
    if (va >= ENGINE_VA_END || bo->size_B > ENGINE_VA_END - va)
        return -EINVAL;
    int err = clear_range(ppgtt, bo, va, busy);
    if (err)
        return err;
    if (ppgtt->count == ppgtt->capacity) {
        unsigned more = ppgtt->capacity ? ppgtt->capacity * 2 : 64;
        struct binding **p = realloc(ppgtt->sorted, more * sizeof *p);
        if (!p)
            return -ENOMEM;
        ppgtt->sorted = p;
        ppgtt->capacity = more;
    }
    struct binding *b = malloc(sizeof *b);
    if (!b)
        return -ENOMEM;
    err = map_object(ppgtt, bo, va);
    if (err) {
        free(b);
        return err;
    }
    *b = (struct binding){ppgtt, bo, va, bo->bindings};
    bo->bindings = b;
    unsigned at = first_after(ppgtt, va);
    memmove(ppgtt->sorted + at + 1, ppgtt->sorted + at,
            (ppgtt->count - at) * sizeof *ppgtt->sorted);
    ppgtt->sorted[at] = b;
    ppgtt->count++;
    return 0;
}

uint64_t
ppgtt_find_hole(struct ppgtt *ppgtt, uint64_t size_B, uint64_t align_B,
                uint64_t limit)
{
    uint64_t va = ALIGN_POT(PPGTT_FIRST_VA, align_B);
    for (unsigned i = first_after(ppgtt, va); i < ppgtt->count; i++) {
        const struct binding *b = ppgtt->sorted[i];
        if (b->va >= va && b->va - va >= size_B)
            break;
        va = ALIGN_POT(end_of(b), align_B);
    }
    return va <= limit && limit - va >= size_B ? va : 0;
}

int
ppgtt_unbind_idle(struct ppgtt *ppgtt, struct fence **busy)
{
    while (ppgtt->count) {
        *busy = bo_fence(ppgtt->sorted[ppgtt->count - 1]->bo, false);
        if (*busy)
            return -EAGAIN;
        remove_at(ppgtt, ppgtt->count - 1);
    }
    return 0;
}

/* NEO covers memory that is not aligned to pages with up to three objects, and
 * with one surface. */
int
ppgtt_straighten(struct ppgtt *ppgtt, const struct bo *bo, struct fence **busy)
{
    if (!engine_vm_has_moved(ppgtt->vm))
        return 0;
    struct binding **b = ppgtt->sorted;
    unsigned first = first_after(ppgtt, ppgtt_find(ppgtt, bo)->va);
    unsigned last = first;
    while (first > 0 && b[first - 1]->bo->user &&
           end_of(b[first - 1]) == b[first]->va)
        first--;
    while (last + 1 < ppgtt->count && b[last + 1]->bo->user &&
           end_of(b[last]) == b[last + 1]->va)
        last++;
    uint64_t va = b[first]->va, size_B = end_of(b[last]) - va;
    if (engine_vm_is_straight(ppgtt->vm, va, size_B))
        return 0;
    for (unsigned i = first; i <= last; i++)
        if ((*busy = bo_fence(b[i]->bo, false)))
            return -EAGAIN;
    engine_vm_straighten(ppgtt->vm, va, size_B);
    return 0;
}

void
ppgtt_unbind_all(struct bo *bo)
{
    while (bo->bindings) {
        struct binding *b = bo->bindings;
        remove_at(b->ppgtt, first_after(b->ppgtt, b->va));
    }
}
