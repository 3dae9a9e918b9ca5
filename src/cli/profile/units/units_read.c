/* units_read.c: reads records of units, and lists of profile.json. */
#include "cli/profile/units/units.h"
#include "cli/profile/values/values.h"
#include "eu/profile/profile_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
units_free(struct units *u)
{
    for (size_t i = 0; i < u->count; i++)
        free(u->list[i].parts);
    free(u->list);
    *u = (struct units){0};
}

/* A new unit with room for so many parts; NULL: no memory. */
static struct unit *
add_unit(struct units *u, size_t parts)
{
    if (!(u->count & (u->count - 1))) {
        size_t capacity = u->count ? 2 * u->count : 1;
        void *more = realloc(u->list, capacity * sizeof *u->list);
        if (!more)
            return NULL;
        u->list = more;
    }
    struct unit *new = &u->list[u->count];
    *new = (struct unit){.parts = calloc(parts + 1, sizeof *new->parts)};
    if (!new->parts)
        return NULL;
    u->count++;
    return new;
}

/* ---- records ------------------------------------------------------------- */

/* The parts lie in the size_B bytes after the record. */
static void
read_parts(struct unit *unit, const struct profile_unit *record, size_t size_B,
           units_sum_fn sum, void *data)
{
    const uint8_t *at = (const uint8_t *)(record + 1), *end = at + size_B;
    for (uint32_t i = 0; i < record->part_count; i++) {
        const struct profile_part *part = (const void *)at;
        if ((size_t)(end - at) < sizeof *part)
            return;
        at += sizeof *part;
        const struct profile_pair *pairs = (const void *)at;
        if ((size_t)(end - at) / sizeof *pairs < part->pair_count)
            return;
        at += part->pair_count * sizeof *pairs;
        struct unit_part *new = &unit->parts[unit->part_count];
        unit->part_count += sum(data, record->process, part, pairs, new);
    }
}

static bool
take_record(struct units *u, const struct profile_unit *r, units_sum_fn sum,
            void *data)
{
    if (r->kind == PROFILE_UNITS_END) {
        u->incomplete = true;
        return true;
    }
    size_t size_B = r->size_B - sizeof *r;
    if (r->part_count > size_B / sizeof(struct profile_part))
        return true;
    struct unit *unit = add_unit(u, r->part_count);
    if (!unit)
        return false;
    unit->is_dispatch = r->kind == PROFILE_DISPATCH;
    unit->pid = r->pid;
    unit->frame = r->frame;
    unit->submit = r->submit;
    unit->number = r->number;
    unit->local = r->local;
    memcpy(unit->size, r->size, sizeof unit->size);
    read_parts(unit, r, size_B, sum, data);
    return true;
}

/* A process that was killed, or found no room, may have left a part of its last
 * record. */
static const char *
read_records(struct units *u, FILE *f, units_sum_fn sum, void *data)
{
    struct profile_unit head, *record = NULL;
    bool ok = true;
    size_t got_B = 0;
    while (ok && (got_B = fread(&head, 1, sizeof head, f)) == sizeof head &&
           head.size_B >= sizeof head) {
        void *more = realloc(record, head.size_B);
        if (!more)
            break;
        record = more;
        *record = head;
        size_t rest_B = head.size_B - sizeof head;
        if (rest_B && fread(record + 1, rest_B, 1, f) != 1)
            break;
        ok = take_record(u, record, sum, data);
    }
    u->incomplete |= got_B != 0;
    free(record);
    return ok ? NULL : "no memory";
}

static int
is_units(const struct dirent *e)
{
    return !strncmp(e->d_name, PROFILE_UNITS_PREFIX,
                    strlen(PROFILE_UNITS_PREFIX));
}

const char *
units_read(struct units *u, const char *dir, units_sum_fn sum, void *data)
{
    struct dirent **files;
    const char *why = NULL;
    int count = scandir(dir, &files, is_units, alphasort);
    if (count < 0)
        return strerror(errno);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", dir, files[i]->d_name);
        FILE *f = why ? NULL : fopen(path, "re");
        if (f)
            why = read_records(u, f, sum, data);
        else if (!why)
            why = strerror(errno);
        if (f)
            fclose(f);
        free(files[i]);
    }
    free(files);
    return why;
}

void
units_select(struct units *u, units_keep_fn keep, void *data)
{
    size_t units = 0;
    for (size_t i = 0; i < u->count; i++) {
        struct unit *unit = &u->list[i];
        unsigned parts = 0;
        for (unsigned n = 0; n < unit->part_count; n++)
            if (keep(data, &unit->parts[n]))
                unit->parts[parts++] = unit->parts[n];
        unit->part_count = parts;
        if (parts)
            u->list[units++] = *unit;
        else
            free(unit->parts);
    }
    u->count = units;
}

/* ---- profile.json -------------------------------------------------------- */

static const char *const stage_names[UNIT_STAGES] = {
#define X(id, name) name,
    PROFILE_STAGES(X)
#undef X
};

static uint64_t
get(const json_t *o, const char *key)
{
    return value_of_json(json_object_get(o, key));
}

static void
set_part(json_t *o, const struct unit_part *part, bool has_lanes)
{
    json_object_set_new(o, "kernel", json_string(part->name));
    json_object_set_new(o, "stage", json_string(stage_names[part->stage]));
    json_object_set_new(o, "simd", value_json(part->simd));
    json_object_set_new(o, "threads", value_json(part->threads));
    json_object_set_new(o, "insn", value_json(part->insn));
    if (!has_lanes)
        return;
    json_object_set_new(o, "lanes", value_json(part->lanes));
    json_object_set_new(o, "channels", value_json(part->channels));
}

static json_t *
unit_json(const struct unit *unit, bool has_lanes)
{
    json_t *o = json_object(), *list = json_array();
    json_object_set_new(o, "process", value_json(unit->pid));
    json_object_set_new(o, "frame", value_json(unit->frame));
    json_object_set_new(o, "submit", value_json(unit->submit));
    json_object_set_new(o, unit->is_dispatch ? "dispatch" : "draw",
                        value_json(unit->number));
    if (unit->is_dispatch) {
        for (unsigned i = 0; i < 3; i++)
            json_array_append_new(list, value_json(unit->size[i]));
        json_object_set_new(o, "groups", list);
        json_object_set_new(o, "local", value_json(unit->local));
        set_part(o, &unit->parts[0], has_lanes);
        return o;
    }
    json_object_set_new(o, "vertices", value_json(unit->size[0]));
    json_object_set_new(o, "instances", value_json(unit->size[1]));
    json_object_set_new(o, "topology", value_json(unit->size[2]));
    for (unsigned i = 0; i < unit->part_count; i++) {
        json_t *part = json_object();
        set_part(part, &unit->parts[i], has_lanes);
        json_array_append_new(list, part);
    }
    json_object_set_new(o, "kernels", list);
    return o;
}

#define DRAWS "draw_kernels"
#define DISPATCHES "dispatches"

void
units_set_json(const struct units *u, json_t *profile)
{
    json_t *draws = json_array(), *dispatches = json_array();
    for (size_t i = 0; i < u->count; i++)
        if (u->list[i].part_count)
            json_array_append_new(u->list[i].is_dispatch ? dispatches : draws,
                                  unit_json(&u->list[i], u->has_lanes));
    if (u->count) {
        json_object_set(profile, DRAWS, draws);
        json_object_set(profile, DISPATCHES, dispatches);
    }
    json_decref(draws);
    json_decref(dispatches);
}

static void
load_part(struct unit *unit, const json_t *o)
{
    struct unit_part *part = &unit->parts[unit->part_count++];
    const char *name = json_string_value(json_object_get(o, "kernel"));
    const char *stage = json_string_value(json_object_get(o, "stage"));
    snprintf(part->name, sizeof part->name, "%s", name ? name : "");
    for (unsigned i = 0; stage && i < UNIT_STAGES; i++)
        if (!strcmp(stage, stage_names[i]))
            part->stage = i;
    part->simd = (unsigned)get(o, "simd");
    part->threads = get(o, "threads");
    part->insn = get(o, "insn");
    part->lanes = get(o, "lanes");
    part->channels = get(o, "channels");
}

static void
load_unit(struct units *u, const json_t *o, bool is_dispatch)
{
    const json_t *kernels = json_object_get(o, "kernels");
    const json_t *groups = json_object_get(o, "groups");
    size_t parts = is_dispatch ? 1 : json_array_size(kernels);
    struct unit *unit = add_unit(u, parts);
    if (!unit)
        return;
    unit->is_dispatch = is_dispatch;
    unit->pid = (uint32_t)get(o, "process");
    unit->frame = (uint32_t)get(o, "frame");
    unit->submit = get(o, "submit");
    unit->number = get(o, is_dispatch ? "dispatch" : "draw");
    unit->local = (uint32_t)get(o, "local");
    for (unsigned i = 0; i < 3 && is_dispatch; i++)
        unit->size[i] = (uint32_t)json_integer_value(json_array_get(groups, i));
    if (!is_dispatch) {
        unit->size[0] = (uint32_t)get(o, "vertices");
        unit->size[1] = (uint32_t)get(o, "instances");
        unit->size[2] = (uint32_t)get(o, "topology");
    }
    for (size_t i = 0; i < parts; i++)
        load_part(unit, is_dispatch ? o : json_array_get(kernels, i));
}

void
units_load_json(struct units *u, const json_t *profile, bool has_lanes)
{
    const json_t *draws = json_object_get(profile, DRAWS);
    const json_t *dispatches = json_object_get(profile, DISPATCHES);
    u->has_lanes = has_lanes;
    for (size_t i = 0; i < json_array_size(draws); i++)
        load_unit(u, json_array_get(draws, i), false);
    for (size_t i = 0; i < json_array_size(dispatches); i++)
        load_unit(u, json_array_get(dispatches, i), true);
}
