#include "drm-shim/space.h"

#include "drm-shim/bo.h"
#include "drm-shim/device.h"
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>

struct space *
space_create(void)
{
    struct space *space = calloc(1, sizeof *space);
    if (!space)
        return NULL;
    atomic_init(&space->refs, 1);
    space->vm = engine_vm_create(device_engine());
    if (space->vm)
        return space;
    free(space);
    return NULL;
}

struct space *
space_ref(struct space *space)
{
    atomic_fetch_add(&space->refs, 1);
    return space;
}

static void
forget(struct binding *binding)
{
    struct binding **p = &binding->bo->bindings;
    while (*p != binding)
        p = &(*p)->next;
    *p = binding->next;
    free(binding);
}

void
space_unref(struct space *space)
{
    if (!space || atomic_fetch_sub(&space->refs, 1) != 1)
        return;
    device_lock();
    for (unsigned i = 0; i < space->count; i++)
        forget(space->sorted[i]);
    device_unlock();
    engine_vm_unref(space->vm);
    free(space->sorted);
    free(space);
}

static uint64_t
end_of(const struct binding *b)
{
    return b->va + b->bo->size_B;
}

/* Index of the first binding that ends behind va. */
static unsigned
first_behind(const struct space *space, uint64_t va)
{
    unsigned lo = 0, hi = space->count;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (end_of(space->sorted[mid]) > va)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static void
remove_at(struct space *space, unsigned i)
{
    struct binding *b = space->sorted[i];
    engine_vm_unmap(space->vm, b->va, b->bo->size_B);
    space->count--;
    memmove(space->sorted + i, space->sorted + i + 1,
            (space->count - i) * sizeof *space->sorted);
    forget(b);
}

struct binding *
space_find(struct space *space, const struct bo *bo)
{
    for (struct binding *b = bo->bindings; b; b = b->next)
        if (b->space == space)
            return b;
    return NULL;
}

/* Moves out every object in the range, and bo itself from elsewhere. */
static int
clear_range(struct space *space, struct bo *bo, uint64_t va,
            struct fence **busy)
{
    struct binding *self = space_find(space, bo);
    uint64_t end = va + bo->size_B;
    unsigned first = first_behind(space, va);
    for (unsigned i = first; i < space->count && space->sorted[i]->va < end;
         i++) {
        *busy = bo_fence(space->sorted[i]->bo, false);
        if (*busy)
            return -EAGAIN;
    }
    if (self && (*busy = bo_fence(bo, false)))
        return -EAGAIN;
    if (self)
        remove_at(space, first_behind(space, self->va));
    first = first_behind(space, va);
    while (first < space->count && space->sorted[first]->va < end)
        remove_at(space, first);
    return 0;
}

static int
map_object(struct space *space, struct bo *bo, uint64_t va)
{
    if (bo->memfd < 0)
        return engine_vm_map_ptr(space->vm, va, bo->size_B, bo->user);
    int err = engine_vm_map(space->vm, va, bo->size_B, bo->memfd, 0);
    if (!err && bo->exposed)
        engine_vm_expose(space->vm, va, bo->size_B);
    return err;
}

int
space_bind(struct space *space, struct bo *bo, uint64_t va, struct fence **busy)
{
    int err = clear_range(space, bo, va, busy);
    if (err)
        return err;
    if (space->count == space->capacity) {
        unsigned more = space->capacity ? space->capacity * 2 : 64;
        struct binding **p = realloc(space->sorted, more * sizeof *p);
        if (!p)
            return -ENOMEM;
        space->sorted = p;
        space->capacity = more;
    }
    struct binding *b = malloc(sizeof *b);
    if (!b)
        return -ENOMEM;
    err = map_object(space, bo, va);
    if (err) {
        free(b);
        return err;
    }
    *b = (struct binding){space, bo, va, bo->bindings};
    bo->bindings = b;
    unsigned at = first_behind(space, va);
    memmove(space->sorted + at + 1, space->sorted + at,
            (space->count - at) * sizeof *space->sorted);
    space->sorted[at] = b;
    space->count++;
    return 0;
}

uint64_t
space_find_hole(struct space *space, uint64_t size_B, uint64_t align_B,
                uint64_t limit)
{
    uint64_t va = ALIGN_POT(SPACE_FIRST_VA, align_B);
    for (unsigned i = first_behind(space, va); i < space->count; i++) {
        const struct binding *b = space->sorted[i];
        if (b->va >= va && b->va - va >= size_B)
            break;
        va = ALIGN_POT(end_of(b), align_B);
    }
    return va <= limit && limit - va >= size_B ? va : 0;
}

void
space_unbind_all(struct bo *bo)
{
    while (bo->bindings) {
        struct binding *b = bo->bindings;
        remove_at(b->space, first_behind(b->space, b->va));
    }
}
