/* media_spawn.c: begins the threads of a family: roots in the order of their
 * commands, and children.
 *
 * The header of a spawn message is the child's R0: Observed: i965's H.264
 * kernels for Ironlake (shaders/h264/ildb). Dword 2 has the interface
 * descriptor, dword 4 the URB data: bits 9:0 are the register before the first
 * one, bits 15:10 their number. Guess: they are as on Ironlake, but for the
 * size of a descriptor; dword 4 of R0 then has the parent's binding table. */
#include "engine/media/media_family.h"

#include <stdlib.h>

#include "engine/media/media_payload.h"

#define DESCRIPTOR_B 32u
/* Guess: a parent that never waits for its children can spawn this many before
 * they run. */
#define MAX_WAITING_B (UINT64_C(16) << 20)

/* ---- children ------------------------------------------------------------ */

bool
media_spawn_child(struct thread_family *shared, const struct thread_env *parent,
                  const uint32_t m0[8])
{
    struct media_family *f = (struct media_family *)shared;
    uint64_t at_B = (bits_get(m0[4], 0, 9) + UINT64_C(1)) * EU_GRF_B;
    uint32_t data_B = bits_get(m0[4], 10, 15) * EU_GRF_B;
    size_t size_B = sizeof(struct media_request) + data_B;
    struct media_request *r = f->waiting_B + size_B <= MAX_WAITING_B
                                  ? calloc(1, size_B)
                                  : NULL;
    if (!r) {
        guest_error("too many child threads wait");
        return false;
    }
    r->descriptor = m0[2] / DESCRIPTOR_B;
    r->parent = parent->stage;
    r->data_B = data_B;
    memcpy(r->r0, m0, sizeof r->r0);
    r->r0[4] = parent->stage->binding_table_offset & ~31u;
    if (at_B < parent->urb.size_B)
        memcpy(r->data, parent->urb.base + at_B,
               MIN2(data_B, parent->urb.size_B - at_B));
    f->waiting_B += size_B;
    *f->last = r;
    f->last = &r->next;
    return true;
}

/* The first request, whose owner the caller becomes. */
static struct media_request *
take_request(struct media_family *f)
{
    struct media_request *r = f->first;
    f->first = r->next;
    if (!f->first)
        f->last = &f->first;
    f->waiting_B -= sizeof *r + r->data_B;
    return r;
}

void
media_requests_free(struct media_family *f)
{
    while (f->first)
        free(take_request(f));
}

/* ---- places -------------------------------------------------------------- */

static unsigned
free_number(const struct media_family *f)
{
    unsigned n = 0;
    while (f->shared.member[n].live)
        n++;
    return n;
}

/* Makes a place ready for a thread of the kernel. NULL: no memory. */
static struct media_place *
take_place(struct media_family *f, struct media_kernel *kernel, unsigned number)
{
    struct media_place **place = &f->place[number];
    if (!*place)
        *place = aligned_alloc(64, sizeof **place);
    if (!*place) {
        guest_error("no memory for media threads");
        return NULL;
    }
    memset(*place, 0, sizeof **place);
    f->shared.member[number] = (struct thread_member){
        .live = true, .thread = &(*place)->thread};
    (*place)->env = (struct thread_env){
        .stage = &kernel->d.stage,
        .vm = kernel->d.stage.vm,
        .urb = {.base = f->urb, .size_B = f->work->urb_B},
        .family = &f->shared,
        .self = &f->shared.member[number],
        .reset = f->work->d->reset,
        .hang = f->work->d->hang,
    };
    return *place;
}

static void
begin_thread(struct media_family *f, struct media_place *place,
             struct media_kernel *kernel, unsigned number)
{
    struct eu_thread *t = &place->thread;
    t->user = &place->env;
    eu_launch_start(&kernel->launch, t, MEDIA_CHANNELS, MEDIA_CHANNELS);
    t->sr0[0] = number; /* other threads name it so */
    f->live++;
    f->threads++;
}

static bool
begin_child(struct media_family *f)
{
    unsigned number = free_number(f);
    struct media_request *r = take_request(f);
    struct media_kernel *kernel = media_kernel_find(f, r->descriptor,
                                                    r->parent);
    struct media_place *place = kernel ? take_place(f, kernel, number) : NULL;
    if (place) {
        uint8_t *grf = place->thread.grf;
        memcpy(grf, r->r0, sizeof r->r0);
        media_append(grf, EU_GRF_B, r->data, r->data_B);
        begin_thread(f, place, kernel, number);
    }
    free(r);
    return place;
}

/* Guess: R0.2[31:5] of a root thread that may have children has its interface
 * descriptor, which VFE keeps at the begin of the URB. */
static bool
begin_root(struct media_family *f, struct media_roots *roots,
           const struct media_source *source)
{
    unsigned number = free_number(f);
    struct media_kernel *kernel = media_kernel_find(f, source->descriptor,
                                                    NULL);
    struct media_place *place = kernel ? take_place(f, kernel, number) : NULL;
    if (!place)
        return false;
    place->is_root = true;
    place->position = roots->next;
    place->uses_scoreboard = source->uses_scoreboard;
    media_fill_payload(&kernel->d, &kernel->launch, &place->thread,
                       &source->object, number);
    media_set_position(&place->thread, &roots->next);
    eu_grf(&place->thread, 0)[2] |= source->descriptor * DESCRIPTOR_B;
    begin_thread(f, place, kernel, number);
    media_roots_take(roots);
    return true;
}

/* ---- which one begins ---------------------------------------------------- */

void
media_release_root(struct thread_family *shared)
{
    ((struct media_family *)shared)->released++;
}

static bool
is_at(const struct media_place *place, int x, int y, uint8_t color)
{
    return place->is_root && place->uses_scoreboard && place->position.x == x &&
           place->position.y == y && place->position.color == color;
}

/* Whether a thread that the next root depends on is in flight. */
static bool
must_wait(const struct media_family *f, const struct media_source *source,
          const struct media_position *p)
{
    if (!source->uses_scoreboard)
        return false;
    for (unsigned n = 0; n < FAMILY_MEMBERS; n++)
        for (unsigned i = 0;
             f->shared.member[n].live && i < MEDIA_SCOREBOARD_DELTAS; i++)
            if (source->scoreboard_mask >> i & 1 &&
                is_at(f->place[n], p->x + f->work->delta[i][0],
                      p->y + f->work->delta[i][1], p->color))
                return true;
    return false;
}

/* Begins the roots that may begin. */
static bool
spawn_roots(struct media_family *f, struct media_roots *roots)
{
    bool some = false;
    const struct media_source *source;
    while (f->live < f->limit && (!roots->synchronized || f->released) &&
           (source = media_roots_peek(roots)) &&
           !must_wait(f, source, &roots->next)) {
        if (!begin_root(f, roots, source)) {
            atomic_store(f->work->d->reset, true);
            return false;
        }
        f->released -= roots->synchronized;
        some = true;
    }
    return some;
}

/* Guess: children first. */
bool
media_spawn_threads(struct media_family *f)
{
    bool some = false;
    while (f->live < f->limit && f->first) {
        if (!begin_child(f)) {
            atomic_store(f->work->d->reset, true);
            return false;
        }
        some = true;
    }
    some |= spawn_roots(f, &f->roots[1]);
    return spawn_roots(f, &f->roots[0]) || some;
}
