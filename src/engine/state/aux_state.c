/* aux_state.c: remembers the clear values that auxiliary surfaces stand for,
 * and fills clear blocks of main surfaces with them. */
#include "engine/state/aux_state.h"

#include "base/clock.h"
#include "engine/core/core.h"

#include <stdlib.h>
#include <unistd.h>

#define SURFACES 64
#define SLICES 32
/* Guess: no auxiliary surface is larger. */
#define AUX_MAX_B (UINT64_C(1) << 28)

/* All clear blocks of the slice hold the value. */
struct known_slice {
    unsigned level, slice;
    uint8_t value[16];
};

/* Knowledge about one auxiliary surface. It ends when another buffer is mapped
 * at its memory. With HiZ it ends when the stamp in the surface has changed:
 * the driver has zeroed it, or another engine has cleared it. If other
 * processes may share the surface it ends with the batch. */
struct known_surface {
    uint64_t batch, stamp;
    uint64_t used; /* last use, by aux_table.clock */
    unsigned count, next;
    struct known_slice slice[SLICES];
};

struct aux_table {
    pthread_mutex_t lock;
    atomic_uint_fast64_t generation;
    uint64_t clock, stamps;
    const uint8_t *mem[SURFACES]; /* start of each surface, or NULL */
    struct known_surface surface[SURFACES];
};

struct aux_table *
aux_table_create(void)
{
    struct aux_table *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    t->generation = 1;
    return t;
}

void
aux_table_destroy(struct aux_table *t)
{
    if (!t)
        return;
    pthread_mutex_destroy(&t->lock);
    free(t);
}

void
aux_before_fork(struct engine *engine)
{
    if (engine->aux)
        pthread_mutex_lock(&engine->aux->lock);
}

void
aux_after_fork(struct engine *engine)
{
    if (engine->aux)
        pthread_mutex_unlock(&engine->aux->lock);
}

uint64_t
aux_generation(const struct engine_vm *vm)
{
    const struct aux_table *t = vm->engine->aux;
    return t ? atomic_load_explicit(&t->generation, memory_order_acquire) : 0;
}

/* ---- surfaces; the lock is held ------------------------------------------ */

static uint64_t
new_stamp(struct aux_table *t)
{
    return (uint64_t)getpid() << 40 ^ (uint64_t)(uintptr_t)t << 8 ^ ++t->stamps;
}

static bool
still_holds(const struct known_surface *k, const struct engine_vm *vm,
            const struct surface *s, bool shared)
{
    const void *at = aux_stamp(s);
    uint64_t stamp = k->stamp;
    if (at) /* the client may place it at any byte */
        memcpy(&stamp, at, sizeof stamp);
    return (!shared || k->batch == atomic_load(&vm->engine->batches)) &&
           stamp == k->stamp;
}

static void
start_surface(struct aux_table *t, struct known_surface *k,
              const struct engine_vm *vm, const struct surface *s)
{
    void *stamp = aux_stamp(s);
    t->mem[k - t->surface] = s->aux_mem;
    k->batch = atomic_load(&vm->engine->batches);
    k->count = k->next = 0;
    if (stamp) {
        k->stamp = new_stamp(t);
        memcpy(stamp, &k->stamp, sizeof k->stamp);
    }
}

static struct known_surface *
find_surface(struct aux_table *t, const struct engine_vm *vm,
             const struct surface *s, bool shared)
{
    struct known_surface *k = NULL;
    for (unsigned i = 0; i < SURFACES && !k; i++)
        if (t->mem[i] == s->aux_mem)
            k = &t->surface[i];
    bool known = k && still_holds(k, vm, s, shared);
    for (unsigned i = 0; i < SURFACES && !k; i++)
        if (!t->mem[i])
            k = &t->surface[i];
    if (!k) {
        k = t->surface;
        for (unsigned i = 1; i < SURFACES; i++)
            if (t->surface[i].used < k->used)
                k = &t->surface[i];
    }
    if (!known)
        start_surface(t, k, vm, s);
    k->used = ++t->clock;
    return k;
}

void
aux_forget(struct engine *engine, const void *ptr, uint64_t size_B)
{
    struct aux_table *t = engine->aux;
    const uint8_t *begin = ptr;
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    for (unsigned i = 0; i < SURFACES; i++) {
        if (t->mem[i] < begin || t->mem[i] >= begin + size_B)
            continue;
        t->mem[i] = NULL;
        atomic_fetch_add(&t->generation, 1);
    }
    pthread_mutex_unlock(&t->lock);
}

static struct known_slice *
find_slice(struct known_surface *k, unsigned level, unsigned slice)
{
    for (unsigned i = 0; i < k->count; i++)
        if (k->slice[i].level == level && k->slice[i].slice == slice)
            return &k->slice[i];
    return NULL;
}

static void
set_slice(struct known_surface *k, unsigned level, unsigned slice,
          const uint8_t value[16])
{
    struct known_slice *e = find_slice(k, level, slice);
    if (!e)
        e = k->count < SLICES ? &k->slice[k->count++]
                              : &k->slice[k->next++ % SLICES];
    e->level = level;
    e->slice = slice;
    memcpy(e->value, value, sizeof e->value);
}

/* ---- binding ------------------------------------------------------------- */

struct binding {
    struct aux_table *table;
    struct engine_vm *vm;
    struct surface surf; /* its codes end where mapped memory does */
    unsigned gen;
    bool shared;
    struct known_surface *known;
    uint8_t value[16];
    int64_t begun_ns; /* clock_tick_ns() */
};

static unsigned
engine_gen(const struct engine_vm *vm)
{
    return vm->engine->config.gen;
}

/* The surface, its codes cut off where mapped memory ends. */
static struct surface
mapped_codes(const struct engine_vm *vm, const struct surface *s)
{
    struct surface surf = *s;
    uint64_t limit_B = MIN2(s->aux_limit_B, AUX_MAX_B);
    surf.aux_limit_B = vm_mapped_B(vm, s->aux_va, limit_B);
    return surf;
}

static bool
begin_binding(struct binding *b, struct engine_vm *vm, const struct surface *s)
{
    if (!aux_codes_exist(s) || !vm->engine->aux)
        return false;
    b->table = vm->engine->aux;
    b->vm = vm;
    b->gen = engine_gen(vm);
    b->surf = mapped_codes(vm, s);
    b->shared = vm_is_shared(vm, s->aux_mem);
    b->begun_ns = clock_tick_ns();
    pthread_mutex_lock(&b->table->lock);
    b->known = find_surface(b->table, vm, &b->surf, b->shared);
    return true;
}

static uint64_t
end_binding(struct binding *b)
{
    uint64_t generation = atomic_load(&b->table->generation);
    pthread_mutex_unlock(&b->table->lock);
    return b->shared ? 0 : generation;
}

/* Invalidates other knowledge about the memory that has been written. */
static void
note_change(struct binding *b)
{
    atomic_fetch_add(&b->table->generation, 1);
    atomic_fetch_add(&b->vm->engine->epoch, 1);
}

/* Fills clear blocks where memory is mapped: a few codes in it may stand for
 * terabytes where none is. */
static bool
fill_slice(const struct binding *b, unsigned level, unsigned slice)
{
    struct surface surf = b->surf;
    surf.limit_B = vm_mapped_B(b->vm, surf.base_va, surf.limit_B);
    return aux_codes_fill(&surf, b->gen, level, slice, b->value);
}

/* Whether filling has taken so long that hardware would be reset. Slices may
 * share their memory, so the size of it does not bound the time. */
static bool
is_late(const struct binding *b)
{
    unsigned limit_ms = b->vm->engine->config.hang_limit_ms;
    if (clock_tick_ns() - b->begun_ns < limit_ms * INT64_C(1000000))
        return false;
    guest_error("blocks of fast clears are filled for more than %u ms",
                limit_ms);
    return true;
}

/* False: this slice and those after it have no codes, or it takes too long. */
static bool
bind_slice(struct binding *b, unsigned level, unsigned slice)
{
    struct aux_codes codes;
    const struct known_slice *e = find_slice(b->known, level, slice);
    if (e && !memcmp(e->value, b->value, sizeof b->value))
        return true;
    if (!aux_codes_init(&codes, &b->surf, b->gen, level, slice))
        return false;
    if (fill_slice(b, level, slice)) {
        trace(surf, "level %u slice %u: clear blocks filled", level, slice);
        note_change(b);
    }
    set_slice(b->known, level, slice, b->value);
    return !is_late(b);
}

uint64_t
aux_bind_slices(struct engine_vm *vm, const struct surface *s, unsigned level,
                unsigned first, unsigned count)
{
    struct binding b;
    if (!begin_binding(&b, vm, s))
        return 0;
    aux_clear_value(s, b.value);
    for (unsigned i = 0; i < count && bind_slice(&b, level, first + i); i++)
        ;
    return end_binding(&b);
}

/* Without a QPitch all slices are one. */
static unsigned
slices_to_bind(const struct surface *s, unsigned level)
{
    unsigned slices = surface_level_slices(s, level);
    return s->aux_qpitch_el_rows ? slices : MIN2(slices, 1u);
}

uint64_t
aux_bind(struct engine_vm *vm, const struct surface *s)
{
    struct binding b;
    if (!begin_binding(&b, vm, s))
        return 0;
    aux_clear_value(s, b.value);
    /* A render target has its level in the field for the number of levels, and
     * views of it begin at level 0. */
    unsigned last = MIN2(s->min_lod + s->mip_count_minus1, SURFACE_LEVELS - 1u);
    for (unsigned level = s->min_lod; level <= last; level++) {
        unsigned slices = slices_to_bind(&b.surf, level);
        unsigned slice = s->type == SURFACE_3D ? 0 : s->min_array;
        if (slice >= slices)
            slice = 0;
        while (slice < slices && bind_slice(&b, level, slice))
            slice++;
    }
    return end_binding(&b);
}

/* ---- operations ---------------------------------------------------------- */

void
aux_cleared(struct engine_vm *vm, const struct surface *s, unsigned level,
            unsigned slice, const struct aux_rect *r, const uint8_t value[16])
{
    struct binding b;
    struct aux_codes codes;
    if (!begin_binding(&b, vm, s))
        return;
    if (aux_codes_init(&codes, &b.surf, b.gen, level, slice)) {
        /* Fill blocks outside the rectangle that stand for an earlier clear
         * value. */
        const struct known_slice *e = find_slice(b.known, level, slice);
        bool whole = !r->x0 && !r->y0 && r->x1 >= codes.width_px &&
                     r->y1 >= codes.height_px;
        memcpy(b.value, value, sizeof b.value);
        if (!whole && !(e && !memcmp(e->value, value, sizeof b.value)) &&
            fill_slice(&b, level, slice))
            note_change(&b);
        aux_codes_clear(&codes, r);
        set_slice(b.known, level, slice, value);
        atomic_fetch_add(&b.table->generation, 1);
    }
    end_binding(&b);
}

void
aux_end_slice(const struct engine_vm *vm, const struct surface *s,
              unsigned level, unsigned slice)
{
    struct aux_codes codes;
    const struct aux_rect all = {0, 0, UINT32_MAX / 2, UINT32_MAX / 2};
    if (!aux_codes_exist(s))
        return;
    struct surface surf = mapped_codes(vm, s);
    if (aux_codes_init(&codes, &surf, engine_gen(vm), level, slice))
        aux_codes_end(&codes, &all);
}
