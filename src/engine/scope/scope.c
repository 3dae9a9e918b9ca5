/* scope.c: numbers units of work, and judges them by the ranges of
 * SOFTLAKE_PROFILE_FRAMES and the like. */
#include "engine/scope/scope.h"

#include "base/fork_order.h"
#include "base/known.h"
#include "base/pool.h"
#include "engine/scope/control.h"
#include "engine/scope/scope_frame.h"
#include "engine/state/dispatch.h"
#include "engine/state/draw.h"
#include "engine/state/hw_state.h"
#include "eu/profile/profile_unit.h"

#include <pthread.h>
#include <stdlib.h>

struct range {
    bool given;
    uint64_t first, last;
};

enum { FRAMES, SUBMITS, DRAWS, DISPATCHES, RANGES };

/* A submission that has not begun. */
struct waiting {
    struct waiting *next;
    uint64_t number;
    uint32_t frame, snapshot; /* to be taken before; 0: none */
    bool counts;
};

/* Of the process. */
static struct {
    pthread_mutex_t lock;
    struct waiting *waiting; /* under the lock */
    atomic_uint frames;      /* that the client has shown */
    atomic_uint_fast64_t submits, dispatches;
} numbers = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Set once. */
static struct {
    pthread_once_t once;
    struct range range[RANGES];
    bool on;   /* not all units count alike */
    bool each; /* each unit has a record: SOFTLAKE_PROFILE_UNITS */
} scope = {.once = PTHREAD_ONCE_INIT};

static bool
is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

/* "A-B", "A-", "-B" or "A". */
static struct range
read_range(const char *name)
{
    struct range r = {.given = is_set(name), .last = UINT64_MAX};
    if (!r.given)
        return r;
    char *end;
    const char *text = getenv(name);
    r.first = strtoull(text, &end, 10);
    if (*text == '-')
        r.first = 0, end = (char *)text;
    if (!*end)
        r.last = r.first;
    else if (end[1])
        r.last = strtoull(end + 1, NULL, 10);
    return r;
}

static void
read_scope(void)
{
    static const char *const names[RANGES] = {
        [FRAMES] = "SOFTLAKE_PROFILE_FRAMES",
        [SUBMITS] = "SOFTLAKE_PROFILE_SUBMITS",
        [DRAWS] = "SOFTLAKE_PROFILE_DRAWS",
        [DISPATCHES] = "SOFTLAKE_PROFILE_DISPATCHES",
    };
    for (unsigned i = 0; i < RANGES; i++) {
        scope.range[i] = read_range(names[i]);
        scope.on |= scope.range[i].given;
    }
    scope.each = is_set("SOFTLAKE_PROFILE_UNITS");
    scope.on |= scope.each || is_set("SOFTLAKE_PROFILE_FIFO");
}

static int
read_switch(void)
{
    if (!is_set("SOFTLAKE_PROFILE"))
        return 0;
    pthread_once(&scope.once, read_scope);
    return 1;
}

/* Whether this process is profiled, and `scope` has been read. */
static bool
is_profiled(void)
{
    static atomic_int known;
    return known_int(&known, read_switch);
}

static bool
has(unsigned range, uint64_t n)
{
    const struct range *r = &scope.range[range];
    return !r->given || (n >= r->first && n <= r->last);
}

/* ---- submissions --------------------------------------------------------- */

void
engine_note_frame(void)
{
    atomic_fetch_add(&numbers.frames, 1);
}

void
scope_submit(struct engine_submit *submit)
{
    if (!is_profiled())
        return;
    submit->number = atomic_fetch_add(&numbers.submits, 1) + 1;
    struct waiting *w = scope.on ? calloc(1, sizeof *w) : NULL;
    if (!w)
        return;
    w->number = submit->number;
    w->frame = atomic_load(&numbers.frames) + 1;
    w->counts = has(FRAMES, w->frame) && has(SUBMITS, w->number);
    if (is_set("SOFTLAKE_PROFILE_FIFO"))
        w->counts &= control_read(&w->snapshot);
    pthread_mutex_lock(&numbers.lock);
    w->next = numbers.waiting;
    numbers.waiting = w;
    pthread_mutex_unlock(&numbers.lock);
}

static struct waiting *
take_waiting(uint64_t number)
{
    pthread_mutex_lock(&numbers.lock);
    struct waiting **at = &numbers.waiting;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    struct waiting *w = *at;
    if (w)
        *at = w->next;
    pthread_mutex_unlock(&numbers.lock);
    return w;
}

void
scope_batch(struct engine_context *ctx, const struct engine_submit *submit)
{
    if (!is_profiled() || !scope.on)
        return;
    struct waiting *w = take_waiting(submit->number);
    ctx->scope.submit = submit->number;
    ctx->scope.frame = w ? w->frame : 0;
    ctx->scope.counts = w && w->counts;
    if (w && w->snapshot)
        eu_profile_snapshot(w->snapshot);
    free(w);
}

/* ---- draws and dispatches ------------------------------------------------ */

/* Once. */
static void
note_outside_counts(void)
{
    static atomic_bool noted;
    if (!atomic_exchange(&noted, true))
        log_printf("profile: out of memory: work that was to be left out is "
                   "counted, too\n");
}

static struct eu_profile_unit *
begin_unit(bool counts)
{
    if (counts && !scope.each)
        return NULL;
    struct eu_profile_unit *unit = counts ? eu_profile_take_unit()
                                          : eu_profile_outside();
    if (!counts && !unit)
        note_outside_counts();
    pool_tag = unit;
    return unit;
}

static void
add_part(struct eu_profile_part *parts, unsigned *count,
         const struct shader_stage *stage)
{
    if (!stage->enabled || !stage->kernel)
        return;
    struct eu_profile_part *part = &parts[(*count)++];
    part->slot = eu_kernel_counters(stage->kernel, &part->counters);
    part->stage = (unsigned)stage->kind;
    part->simd = stage->simd;
}

static void
end_unit(const struct engine_context *ctx, struct eu_profile_unit *unit,
         struct profile_unit *record, const struct eu_profile_part *parts,
         unsigned count)
{
    pool_tag = NULL;
    if (unit == eu_profile_outside())
        return;
    record->frame = ctx->scope.frame;
    record->submit = ctx->scope.submit;
    eu_profile_end_unit(unit, record, parts, count);
}

/* --dispatches alone leaves out draws. */
struct eu_profile_unit *
scope_begin_draw(const struct engine_context *ctx, const struct draw *draw)
{
    if (!is_profiled() || !scope.on)
        return NULL;
    bool left_out = scope.range[DISPATCHES].given && !scope.range[DRAWS].given;
    return begin_unit(ctx->scope.counts && !left_out && has(DRAWS, draw->id));
}

void
scope_end_draw(const struct engine_context *ctx, const struct draw *draw,
               struct eu_profile_unit *unit)
{
    if (!unit)
        return;
    struct profile_unit record = {
        .kind = PROFILE_DRAW,
        .number = draw->id,
        .size = {draw->vertex_count, draw->instance_count, draw->topology}};
    struct eu_profile_part parts[STAGE_COUNT];
    unsigned count = 0;
    for (unsigned i = STAGE_VS; i <= STAGE_PS; i++)
        add_part(parts, &count, &draw->stage[i]);
    end_unit(ctx, unit, &record, parts, count);
}

/* --draws alone leaves out dispatches. */
struct eu_profile_unit *
scope_begin_dispatch(struct engine_context *ctx)
{
    if (!is_profiled())
        return NULL;
    uint64_t n = atomic_fetch_add(&numbers.dispatches, 1) + 1;
    ctx->scope.dispatch = n;
    if (!scope.on)
        return NULL;
    bool left_out = scope.range[DRAWS].given && !scope.range[DISPATCHES].given;
    return begin_unit(ctx->scope.counts && !left_out && has(DISPATCHES, n));
}

void
scope_end_dispatch(const struct engine_context *ctx, const struct dispatch *d,
                   struct eu_profile_unit *unit)
{
    if (!unit)
        return;
    struct profile_unit record = {.kind = PROFILE_DISPATCH,
                                  .number = ctx->scope.dispatch};
    struct eu_profile_part parts[STAGE_COUNT];
    unsigned count = 0, simd = d->stage.simd;
    uint32_t all = simd >= 32 ? ~0u : (UINT32_C(1) << simd) - 1;
    for (unsigned i = 0; i < 3; i++)
        record.size[i] = d->group_end[i] - d->group_start[i];
    record.local = (d->threads_per_group - 1) * simd +
                   (unsigned)__builtin_popcount(d->right_mask & all);
    add_part(parts, &count, &d->stage);
    end_unit(ctx, unit, &record, parts, count);
}

/* ---- fork() -------------------------------------------------------------- */

/* What waits belongs to the parent. */
static void
drop_in_child_locked(void)
{
    while (numbers.waiting) {
        struct waiting *w = numbers.waiting;
        numbers.waiting = w->next;
        free(w);
    }
}

FORK_LOCK_DROP(FORK_SCOPE, numbers.lock, drop_in_child_locked)
