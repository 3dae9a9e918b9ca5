/* profile_json.c: profile.json, schema 1. What was not measured has no key.
 * Numbers above 2^53 are strings, because many readers have doubles only. */
#include "cli/profile/pixels/pixels.h"
#include "cli/profile/profile_data.h"
#include "cli/profile/report/report.h"
#include "cli/profile/values/values.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
set_hash(json_t *object, const char *key, uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    json_object_set_new(object, key, json_string(text));
}

static json_t *
branches_json(const struct profile_code *k)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct profile_insn *n = &k->insns[i];
        const struct profile_branch *b = &n->branch;
        if (n->has_branch && n->count)
            json_array_append_new(
                list, json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "ip",
                                (int)n->offset_B, "count", value_json(n->count),
                                "all", value_json(b->all), "none",
                                value_json(b->none), "divergent",
                                value_json(b->divergent), "active_lanes",
                                value_json(n->lanes), "taken_lanes",
                                value_json(b->lanes)));
    }
    return list;
}

static json_t *
messages_json(const struct profile_code *k, bool has_lanes)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < k->message_count; i++) {
        const struct profile_message *m = &k->messages[i];
        json_t *o = json_object();
        if (*m->function)
            json_object_set_new(o, "function", json_string(m->function));
        if (*m->type)
            json_object_set_new(o, "type", json_string(m->type));
        json_object_set_new(o, "count", value_json(m->count));
        if (has_lanes)
            json_object_set_new(o, "lanes", value_json(m->lanes));
        json_array_append_new(list, o);
    }
    return list;
}

static void
set_lanes(json_t *insn, const struct profile_insn *n)
{
    json_object_set_new(insn, "lanes", value_json(n->lanes));
    if (n->fixed_lanes)
        json_object_set_new(insn, "fixed_lanes", json_integer(n->fixed_lanes));
}

/* lanes and channels: of instructions that heed the execution mask. */
static void
set_efficiency(json_t *object, uint64_t lanes, uint64_t channels)
{
    double part = profile_efficiency(lanes, channels);
    json_object_set_new(object, "lanes", value_json(lanes));
    json_object_set_new(object, "channels", value_json(channels));
    if (part >= 0)
        json_object_set_new(object, "simd_efficiency", json_real(part));
}

static json_t *
insns_json(const struct profile_code *k, bool has_lanes, bool has_model)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct profile_insn *n = &k->insns[i];
        json_t *o = json_pack("{s:i, s:i, s:s, s:i, s:o}", "ip",
                              (int)n->offset_B, "exec_size", n->exec_size,
                              "text", n->text ? n->text : "", "group", n->group,
                              "count", value_json(n->count));
        if (n->kind)
            json_object_set_new(o, "kind",
                                json_string(profile_kind_names[n->kind]));
        if (n->flops)
            json_object_set_new(o, "flops", json_integer(n->flops));
        if (n->message)
            json_object_set_new(o, "message", json_integer(n->message - 1));
        if (has_lanes)
            set_lanes(o, n);
        if (has_model)
            cycles_put_costs(o, n->model);
        if (n->line) {
            json_object_set_new(o, "source", json_integer(n->source));
            json_object_set_new(o, "line", json_integer(n->line));
        }
        json_array_append_new(list, o);
    }
    return list;
}

/* Text of others: where it is no UTF-8, bytes become '?'. */
static json_t *
text_json(const char *text)
{
    json_t *o = json_string(text);
    char *copy = o ? NULL : strdup(text);
    for (char *s = copy; s && *s; s++)
        if (*s & 128)
            *s = '?';
    if (copy)
        o = json_string(copy);
    free(copy);
    return o;
}

static json_t *
sizes_json(const uint64_t *sizes, unsigned count)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(list, value_json(sizes[i]));
    return list;
}

static json_t *
launches_json(const struct profile_code *k)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < k->launch_count; i++) {
        const struct profile_launch *l = &k->launches[i];
        json_t *o = json_object();
        json_object_set_new(o, "global", sizes_json(l->global, l->dims));
        if (l->local[0])
            json_object_set_new(o, "local", sizes_json(l->local, l->dims));
        json_object_set_new(o, "count", value_json(l->count));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *
sources_json(const struct profile *p)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < p->source_count; i++) {
        json_t *o = json_object();
        json_object_set_new(o, "name", text_json(p->sources[i].name));
        if (p->sources[i].text)
            json_object_set_new(o, "text", text_json(p->sources[i].text));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *
flops_json(const struct profile_code *k)
{
    json_t *o = json_object();
    for (unsigned f = 0; f < PROFILE_FLOAT_COUNT; f++)
        if (k->flops[f])
            json_object_set_new(o, profile_float_names[f],
                                value_json(k->flops[f]));
    return o;
}

static json_t *
kernel_json(const struct profile *p, const struct profile_code *k)
{
    const bool has_lanes = p->has_lanes;
    const bool has_model = k->has_model && cycles_is_on(&p->model);
    json_t *o = json_object(), *mix = json_object();
    set_hash(o, "id", k->hash);
    json_object_set_new(o, "name", json_string(k->name));
    json_object_set_new(o, "name_from",
                        json_string(*k->name_from ? k->name_from : "none"));
    if (*k->sha1)
        json_object_set_new(o, "sha1", json_string(k->sha1));
    if (k->mesa.known)
        json_object_set_new(o, "mesa",
                            json_pack("{s:o, s:o, s:o, s:o}", "insn",
                                      value_json(k->mesa.instructions),
                                      "cycles", value_json(k->mesa.cycles),
                                      "spills", value_json(k->mesa.spills),
                                      "fills", value_json(k->mesa.fills)));
    if (k->options)
        json_object_set_new(o, "build_options", text_json(k->options));
    if (k->launch_count)
        json_object_set_new(o, "launches", launches_json(k));
    if (*k->stage)
        json_object_set_new(o, "stage", json_string(k->stage));
    if (k->simd)
        json_object_set_new(o, "simd", json_integer(k->simd));
    json_object_set_new(o, "size_B", json_integer(k->size_B));
    if (k->live.grf) {
        json_object_set_new(o, "grf_max_live", json_integer(k->live.grf));
        json_object_set_new(o, "grf_max_live_ip",
                            json_integer(k->live.offset_B));
    }
    json_object_set_new(o, "threads", value_json(k->threads));
    json_object_set_new(o, "insn", value_json(k->executed));
    if (p->timeline)
        json_object_set_new(o, "host_ns", value_json(k->host_ns));
    if (p->has_lanes) {
        set_efficiency(o, k->lanes, k->channels);
        json_object_set_new(o, "flops", flops_json(k));
        json_object_set_new(o, "branches", branches_json(k));
        json_object_set_new(o, "lane_histograms", lanes_json(&k->histograms));
    }
    json_object_set_new(o, "spills", value_json(k->spills));
    json_object_set_new(o, "fills", value_json(k->fills));
    for (unsigned i = 0; i < PROFILE_GROUP_COUNT; i++)
        json_object_set_new(mix, profile_group_names[i],
                            value_json(k->group[i]));
    json_object_set_new(o, "mix", mix);
    json_object_set_new(o, "messages", messages_json(k, has_lanes));
    if (p->has_memory)
        json_object_set_new(o, "sends", sends_json(k->sends, k->send_count));
    if (has_model)
        json_object_set_new(o, "model", cycles_json(&p->model, k->model));
    json_object_set_new(o, "insns", insns_json(k, has_lanes, has_model));
    return o;
}

static json_t *
findings_json(const struct profile *p)
{
    struct profile_finding found[PROFILE_FINDINGS];
    json_t *list = json_array();
    unsigned count = profile_find(p, found, PROFILE_FINDINGS);
    for (unsigned i = 0; i < count; i++) {
        const struct profile_finding *n = &found[i];
        json_t *o = json_pack("{s:s, s:s, s:f, s:f, s:s}", "kernel",
                              p->kernels[n->kernel].name, "rule", n->rule,
                              "value", n->value, "limit", n->limit, "text",
                              n->text);
        if (n->has_place)
            json_object_set_new(o, "ip", json_integer(n->offset_B));
        json_array_append_new(list, o);
    }
    return list;
}

/* The whole profile as an object, or NULL. */
static json_t *
profile_json(const struct profile *p, const struct profile_origin *from)
{
    json_t *o = json_object(), *command = json_array(), *list = json_array();
    for (char **s = from->command; s && *s; s++)
        json_array_append_new(command, json_stringn_nocheck(*s, strlen(*s)));
    json_object_set_new(o, "schema", json_integer(PROFILE_SCHEMA));
    json_object_set_new(o, "softlake", json_string(SOFTLAKE_VERSION));
    if (from->platform)
        json_object_set_new(o, "platform", json_string(from->platform));
    json_object_set_new(o, "command", command);
    json_object_set_new(o, "status", json_integer(from->status));
    if (from->switches)
        json_object_set_new(o, "shortcuts_off", json_string(from->switches));
    json_t *totals = json_pack(
        "{s:o, s:i, s:i, s:i}", "insn", value_json(p->executed), "kernels",
        (int)p->kernel_count, "processes", (int)p->process_count, "not_counted",
        (int)p->not_counted);
    if (p->lost_pages)
        json_object_set_new(totals, "lost_pages", value_json(p->lost_pages));
    if (p->has_lanes)
        set_efficiency(totals, p->lanes, p->channels);
    json_object_set_new(o, "totals", totals);
    for (unsigned i = 0; i < p->kernel_count; i++)
        json_array_append_new(list, kernel_json(p, &p->kernels[i]));
    if (p->timeline)
        json_object_set(o, "timeline", p->timeline);
    units_set_json(&p->units, o);
    if (p->draws)
        json_object_set(o, "draws", p->draws);
    if (p->draw_sums)
        json_object_set(o, "draw_sums", p->draw_sums);
    if (p->targets)
        json_object_set(o, "targets", p->targets);
    if (p->texels)
        json_object_set(o, "sampler", p->texels);
    json_object_set_new(o, "findings", findings_json(p));
    json_object_set_new(o, "kernels", list);
    if (p->source_count)
        json_object_set_new(o, "sources", sources_json(p));
    return o;
}

const char *
profile_write_json(const struct profile *p, const struct profile_origin *from,
                   const char *file)
{
    json_t *o = profile_json(p, from);
    bool ok = o && !json_dump_file(o, file, JSON_INDENT(1));
    json_decref(o);
    return ok ? NULL : "cannot be written";
}

/* ---- an object a line ---------------------------------------------------- */

static bool
put_line(FILE *f, const char *table, const json_t *row)
{
    json_t *line = json_pack("{s:s}", "table", table);
    bool ok = line && !json_object_update(line, (json_t *)row) &&
              !json_dumpf(line, f, JSON_COMPACT);
    json_decref(line);
    return ok && putc('\n', f) != EOF;
}

/* The first line has the object without its tables. */
static bool
put_lines(FILE *f, const json_t *o)
{
    json_t *rest = json_copy((json_t *)o), *list, *row;
    const char *name;
    size_t i;
    json_object_foreach((json_t *)o, name, list)
    {
        if (json_is_object(json_array_get(list, 0)))
            json_object_del(rest, name);
    }
    bool ok = put_line(f, "profile", rest);
    json_decref(rest);
    json_object_foreach((json_t *)o, name, list)
    {
        if (!json_is_object(json_array_get(list, 0)))
            continue;
        json_array_foreach(list, i, row) ok &= put_line(f, name, row);
    }
    return ok;
}

const char *
profile_write_json_lines(const struct profile *p,
                         const struct profile_origin *from, const char *file)
{
    FILE *f = fopen(file, "we");
    if (!f)
        return strerror(errno);
    json_t *o = profile_json(p, from);
    bool ok = o && put_lines(f, o);
    json_decref(o);
    return fclose(f) || !ok ? "cannot be written" : NULL;
}

/* ---- the report ---------------------------------------------------------- */

#define PICTURES_B (4u << 20) /* characters */

const char *
profile_write_html(const struct profile *p, const struct profile_origin *from,
                   const char *file)
{
    json_t *o = profile_json(p, from);
    json_t *pictures = p->maps ? pixels_pictures(p->maps, PICTURES_B) : NULL;
    const char *why = report_write_html(o, pictures, file);
    json_decref(pictures);
    json_decref(o);
    return why;
}
