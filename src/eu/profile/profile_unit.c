/* profile_unit.c: memory in which units of work count, and their records. */
#include "eu/profile/profile_unit.h"

#include "base/file_limit.h"
#include "base/pool.h"
#include "eu/profile/profile_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Of records, in one process. */
#define RECORDS_MAX_B (UINT64_C(1) << 30)

/* Where one host thread after another counts for the unit. */
struct region {
    struct region *next;
    uint64_t *counters;
    const void *owner; /* profile_thread(), or NULL */
};

/* One after another uses it: counters are zero between. */
struct eu_profile_unit {
    struct eu_profile_unit *next;
    struct region *regions;
    bool taken;
};

/* Under the lock of profile_memory.h. */
static struct {
    struct eu_profile_unit *all, *outside;
    uint64_t written_B;
} units;

/* ---- memory -------------------------------------------------------------- */

static struct eu_profile_unit *
take_locked(void)
{
    struct eu_profile_unit *u = units.all;
    while (u && u->taken)
        u = u->next;
    if (!u && (u = calloc(1, sizeof *u))) {
        u->next = units.all;
        units.all = u;
    }
    if (u)
        u->taken = true;
    return u;
}

struct eu_profile_unit *
eu_profile_take_unit(void)
{
    profile_lock();
    struct eu_profile_unit *u = take_locked();
    profile_unlock();
    return u;
}

struct eu_profile_unit *
eu_profile_outside(void)
{
    profile_lock();
    if (!units.outside)
        units.outside = take_locked();
    struct eu_profile_unit *u = units.outside;
    profile_unlock();
    return u;
}

bool
eu_profile_is_outside(void)
{
    if (!pool_tag)
        return false;
    profile_lock();
    bool is = pool_tag == units.outside;
    profile_unlock();
    return is;
}

uint64_t *
profile_unit_counters_locked(void *unit)
{
    struct eu_profile_unit *u = unit;
    struct region *free_one = NULL;
    for (struct region *r = u->regions; r; r = r->next) {
        if (r->owner == profile_thread())
            return r->counters;
        if (!r->owner)
            free_one = r;
    }
    if (!free_one) {
        struct region new = {.next = u->regions,
                             .counters = profile_map_locked(false)};
        free_one = new.counters ? malloc(sizeof *free_one) : NULL;
        if (!free_one)
            return NULL;
        *free_one = new;
        u->regions = free_one;
    }
    free_one->owner = profile_thread();
    return free_one->counters;
}

void
profile_units_leave_locked(void)
{
    for (struct eu_profile_unit *u = units.all; u; u = u->next)
        for (struct region *r = u->regions; r; r = r->next)
            if (r->owner == profile_thread())
                r->owner = NULL;
}

void
profile_units_drop_locked(void)
{
    units.all = units.outside = NULL;
    units.written_B = 0;
}

/* ---- records ------------------------------------------------------------- */

struct buffer {
    uint8_t *data;
    size_t size_B, capacity_B;
    bool failed;
};

static void *
grow(struct buffer *b, size_t size_B)
{
    if (b->size_B + size_B > b->capacity_B && !b->failed) {
        size_t capacity_B = 2 * (b->size_B + size_B);
        void *more = realloc(b->data, capacity_B);
        b->failed = !more;
        if (more) {
            b->data = more;
            b->capacity_B = capacity_B;
        }
    }
    if (b->failed)
        return NULL;
    b->size_B += size_B;
    return b->data + b->size_B - size_B;
}

/* Moves a counter's counts from the unit to the thread's own; returns them. */
static uint64_t
move_counter(const struct eu_profile_unit *u, uint32_t at, uint64_t *own)
{
    uint64_t sum = 0;
    for (struct region *r = u->regions; r; r = r->next) {
        if (!r->counters[at])
            continue;
        sum += r->counters[at];
        r->counters[at] = 0;
    }
    if (sum) /* pages without counts stay holes of the file */
        own[at] += sum;
    return sum;
}

static void
move_part(struct buffer *b, const struct eu_profile_unit *u,
          const struct eu_profile_part *part, uint64_t *own)
{
    size_t at_B = b->size_B;
    uint32_t pairs = 0;
    grow(b, sizeof(struct profile_part));
    for (uint32_t i = 0; i < part->counters; i++) {
        uint64_t n = move_counter(u, part->slot + i, own);
        struct profile_pair *pair = n ? grow(b, sizeof *pair) : NULL;
        if (pair)
            *pair = (struct profile_pair){.index = i, .count = n};
        pairs += pair != NULL;
    }
    if (!b->failed)
        *(struct profile_part *)(b->data + at_B) = (struct profile_part){
            .slot = part->slot,
            .stage = (uint16_t)part->stage,
            .simd = (uint16_t)part->simd,
            .pair_count = pairs};
}

static bool
is_repeated(const struct eu_profile_part *parts, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (parts[i].slot == parts[at].slot)
            return true;
    return false;
}

static void
append_locked(const struct profile_unit *record, const void *data,
              size_t size_B)
{
    char path[4096];
    snprintf(path, sizeof path, PROFILE_UNITS_FORMAT,
             getenv("SOFTLAKE_PROFILE"), record->pid,
             (unsigned long long)record->process);
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || file_limit_append(fd, data, size_B) != (ssize_t)size_B) {
        if (units.written_B < RECORDS_MAX_B)
            log_printf("profile: %s: a draw or dispatch is not listed, nor are "
                       "those after it\n",
                       path);
        units.written_B = RECORDS_MAX_B;
    }
    if (fd >= 0)
        close(fd);
}

/* The last record says that others are missing. */
static void
write_locked(struct buffer *b, struct profile_unit *record)
{
    if (units.written_B >= RECORDS_MAX_B)
        return;
    units.written_B += b->size_B;
    if (b->failed || units.written_B >= RECORDS_MAX_B) {
        log_printf("profile: no more draws and dispatches are listed\n");
        units.written_B = RECORDS_MAX_B;
        record->kind = PROFILE_UNITS_END;
        record->part_count = 0;
        record->size_B = sizeof *record;
        append_locked(record, record, sizeof *record);
        return;
    }
    record->size_B = (uint32_t)b->size_B;
    memcpy(b->data, record, sizeof *record);
    append_locked(record, b->data, b->size_B);
}

void
eu_profile_end_unit(struct eu_profile_unit *unit, struct profile_unit *record,
                    const struct eu_profile_part *parts, unsigned count)
{
    struct buffer b = {.data = NULL};
    profile_lock();
    uint64_t *own = profile_own_counters_locked();
    grow(&b, sizeof *record);
    for (unsigned i = 0; i < count && own; i++) {
        if (!parts[i].slot || is_repeated(parts, i))
            continue;
        move_part(&b, unit, &parts[i], own);
        record->part_count++;
    }
    record->process = profile_process_locked();
    record->pid = (uint32_t)getpid();
    write_locked(&b, record);
    unit->taken = false;
    profile_unlock();
    free(b.data);
}
