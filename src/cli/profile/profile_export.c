/* profile_export.c: CSV, callgrind, folded stacks and speedscope. */
#include "cli/profile/pixels/pixels.h"
#include "cli/profile/profile_data.h"
#include "cli/profile/values/values.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *
close_file(FILE *f)
{
    bool failed = ferror(f);
    return fclose(f) || failed ? strerror(errno) : NULL;
}

/* ---- CSV (RFC 4180): one file per table ---- */

static FILE *
open_table(const char *dir, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.csv", dir, name);
    return fopen(path, "we");
}

static bool
has_mesa(const struct profile *p)
{
    for (unsigned i = 0; i < p->kernel_count; i++)
        if (p->kernels[i].mesa.known)
            return true;
    return false;
}

static void
put_mesa(FILE *f, const struct profile_mesa *m)
{
    if (m->known)
        fprintf(f, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                m->instructions, m->cycles, m->spills, m->fills);
    else
        fputs(",-,-,-,-", f);
}

/* The least and the most microseconds by the cycle model, and the limit. */
static void
put_model(FILE *f, const struct profile *p, const struct profile_code *k)
{
    struct cycles_time time = {.limit = CYCLES_LIMIT_LATENCY};
    if (k->has_model && cycles_time(&p->model, k->model, &time))
        fprintf(f, ",%.3f,%.3f,%s", time.us[0], time.us[1],
                cycles_limit_names[time.limit]);
    else
        fputs(",-,-,-", f);
}

static const char *
write_kernels(const struct profile *p, FILE *f)
{
    if (!f)
        return strerror(errno);
    const bool mesa = has_mesa(p);
    fputs("name,id,stage,simd,size_bytes,threads,insn", f);
    if (p->has_lanes)
        fputs(",lanes,channels", f);
    for (unsigned g = 0; g < PROFILE_GROUP_COUNT; g++)
        fprintf(f, ",%s", profile_group_names[g]);
    fputs(",spills,fills,name_from,sha1", f);
    if (mesa)
        fputs(",mesa_insn,mesa_cycles,mesa_spills,mesa_fills", f);
    if (cycles_is_on(&p->model))
        fputs(",model_least_us,model_most_us,model_limit", f);
    fputs("\r\n", f);
    for (unsigned i = 0; i < p->kernel_count; i++) {
        const struct profile_code *k = &p->kernels[i];
        value_put_quoted(f, k->name);
        fprintf(f, ",%016" PRIx64 ",%s,", k->hash, *k->stage ? k->stage : "-");
        fprintf(f, k->simd ? "%u" : "-", k->simd);
        fprintf(f, ",%" PRIu32 ",%" PRIu64 ",%" PRIu64, k->size_B, k->threads,
                k->executed);
        if (p->has_lanes)
            fprintf(f, ",%" PRIu64 ",%" PRIu64, k->lanes, k->channels);
        for (unsigned g = 0; g < PROFILE_GROUP_COUNT; g++)
            fprintf(f, ",%" PRIu64, k->group[g]);
        fprintf(f, ",%" PRIu64 ",%" PRIu64, k->spills, k->fills);
        fprintf(f, ",%s,%s", *k->name_from ? k->name_from : "-",
                *k->sha1 ? k->sha1 : "-");
        if (mesa)
            put_mesa(f, &k->mesa);
        if (cycles_is_on(&p->model))
            put_model(f, p, k);
        fputs("\r\n", f);
    }
    return close_file(f);
}

static void
put_lanes(FILE *f, const struct profile_insn *n)
{
    const struct profile_branch *b = &n->branch;
    fprintf(f, "%" PRIu64 ",", n->lanes);
    if (n->has_branch && n->count)
        fprintf(f, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", b->all,
                b->none, b->divergent, b->lanes);
    else
        fputs("-,-,-,-,", f);
}

static const char *
write_insns(const struct profile *p, FILE *f)
{
    if (!f)
        return strerror(errno);
    fprintf(f, "name,offset_bytes,exec_size,count%s,text\r\n",
            p->has_lanes ? ",lanes,branch_all,branch_none,branch_divergent,"
                           "branch_lanes"
                         : "");
    for (unsigned i = 0; i < p->kernel_count; i++) {
        const struct profile_code *k = &p->kernels[i];
        for (uint32_t n = 0; n < k->insn_count; n++) {
            value_put_quoted(f, k->name);
            fprintf(f, ",%" PRIu32 ",%u,%" PRIu64 ",", k->insns[n].offset_B,
                    k->insns[n].exec_size, k->insns[n].count);
            if (p->has_lanes)
                put_lanes(f, &k->insns[n]);
            value_put_quoted(f, k->insns[n].text ? k->insns[n].text : "");
            fputs("\r\n", f);
        }
    }
    return close_file(f);
}

static const char *
write_messages(const struct profile *p, FILE *f)
{
    if (!f)
        return strerror(errno);
    fprintf(f, "name,function,type,count%s\r\n", p->has_lanes ? ",lanes" : "");
    for (unsigned i = 0; i < p->kernel_count; i++) {
        const struct profile_code *k = &p->kernels[i];
        for (unsigned n = 0; n < k->message_count; n++) {
            const struct profile_message *m = &k->messages[n];
            value_put_quoted(f, k->name);
            fprintf(f, ",%s,%s,%" PRIu64, *m->function ? m->function : "-",
                    *m->type ? m->type : "-", m->count);
            if (p->has_lanes)
                fprintf(f, ",%" PRIu64, m->lanes);
            fputs("\r\n", f);
        }
    }
    return close_file(f);
}

static const char *
write_sends(const struct profile *p, FILE *f)
{
    if (!f)
        return strerror(errno);
    sends_put_csv_head(f);
    for (unsigned i = 0; i < p->kernel_count; i++) {
        const struct profile_code *k = &p->kernels[i];
        for (unsigned n = 0; n < k->send_count; n++) {
            if (!k->sends[n].n.sent)
                continue;
            value_put_quoted(f, k->name);
            sends_put_csv(f, &k->sends[n]);
        }
    }
    return close_file(f);
}

static const char *
write_lanes(const struct profile *p, FILE *f)
{
    if (!f)
        return strerror(errno);
    lanes_put_csv_head(f);
    for (unsigned i = 0; i < p->kernel_count; i++) {
        const struct profile_code *k = &p->kernels[i];
        for (unsigned n = 0; n < k->histograms.count; n++)
            lanes_put_csv(f, k->name, &k->histograms.items[n]);
    }
    return close_file(f);
}

static void
put_sizes(FILE *f, const uint64_t *sizes, unsigned dims)
{
    for (unsigned i = 0; i < 3; i++) {
        if (i < dims && sizes[0])
            fprintf(f, ",%" PRIu64, sizes[i]);
        else
            fputs(",-", f);
    }
}

static const char *
write_launches(const struct profile *p, FILE *f)
{
    if (!f)
        return strerror(errno);
    fputs("name,count,global_x,global_y,global_z,local_x,local_y,local_z\r\n",
          f);
    for (unsigned i = 0; i < p->kernel_count; i++) {
        const struct profile_code *k = &p->kernels[i];
        for (unsigned n = 0; n < k->launch_count; n++) {
            value_put_quoted(f, k->name);
            fprintf(f, ",%" PRIu64, k->launches[n].count);
            put_sizes(f, k->launches[n].global, k->launches[n].dims);
            put_sizes(f, k->launches[n].local, k->launches[n].dims);
            fputs("\r\n", f);
        }
    }
    return close_file(f);
}

/* A table of pixels/. */
static const char *
write_rows(FILE *f, void (*put)(FILE *f, const json_t *rows),
           const json_t *rows)
{
    if (!f)
        return strerror(errno);
    put(f, rows);
    return close_file(f);
}

const char *
profile_write_csv(const struct profile *p, const char *dir, enum units_per per)
{
    if (mkdir(dir, 0777) && errno != EEXIST)
        return strerror(errno);
    const char *why = write_kernels(p, open_table(dir, "kernels"));
    if (!why)
        why = write_insns(p, open_table(dir, "insns"));
    if (!why)
        why = write_messages(p, open_table(dir, "messages"));
    if (!why && p->has_lanes)
        why = write_lanes(p, open_table(dir, "lanes"));
    if (!why && p->has_memory)
        why = write_sends(p, open_table(dir, "sends"));
    if (!why)
        why = write_launches(p, open_table(dir, "launches"));
    if (!why && p->units.count)
        why = units_write_csv(&p->units, per, dir);
    if (!why && p->draws)
        why = write_rows(open_table(dir, "draws"), pixels_put_csv, p->draws);
    if (!why && p->texels)
        why = write_rows(open_table(dir, "sampler"), pixels_put_texels_csv,
                         p->texels);
    return why;
}

/* ---- stacks: stage, kernel, group of instructions ---- */

/* With the line between kernel and group. Readers add up equal stacks. */
static void
fold_lines(FILE *f, const struct profile *p, const struct profile_code *k)
{
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct profile_insn *n = &k->insns[i];
        if (!n->count)
            continue;
        fprintf(f, "%s;%s;", *k->stage ? k->stage : "eu", k->name);
        if (n->line)
            fprintf(f, "%s:%" PRIu32, p->sources[n->source].name, n->line);
        else
            fputs("no line", f);
        fprintf(f, ";%s %" PRIu64 "\n", profile_group_names[n->group],
                n->count);
    }
}

const char *
profile_write_folded(const struct profile *p, const char *file)
{
    FILE *f = fopen(file, "we");
    if (!f)
        return strerror(errno);
    for (unsigned i = 0; i < p->kernel_count; i++) {
        const struct profile_code *k = &p->kernels[i];
        if (profile_first_source(p, k) < p->source_count) {
            fold_lines(f, p, k);
            continue;
        }
        for (unsigned g = 0; g < PROFILE_GROUP_COUNT; g++)
            if (k->group[g])
                fprintf(f, "%s;%s;%s %" PRIu64 "\n",
                        *k->stage ? k->stage : "eu", k->name,
                        profile_group_names[g], k->group[g]);
    }
    return close_file(f);
}

/* Frames: the kernels, then the groups. */
const char *
profile_write_speedscope(const struct profile *p, const char *file)
{
    json_t *frames = json_array(), *samples = json_array();
    json_t *weights = json_array();
    for (unsigned i = 0; i < p->kernel_count; i++)
        json_array_append_new(frames,
                              json_pack("{s:s}", "name", p->kernels[i].name));
    for (unsigned g = 0; g < PROFILE_GROUP_COUNT; g++)
        json_array_append_new(
            frames, json_pack("{s:s}", "name", profile_group_names[g]));
    for (unsigned i = 0; i < p->kernel_count; i++) {
        for (unsigned g = 0; g < PROFILE_GROUP_COUNT; g++) {
            if (!p->kernels[i].group[g])
                continue;
            json_array_append_new(
                samples,
                json_pack("[i, i]", (int)i, (int)(p->kernel_count + g)));
            json_array_append_new(weights,
                                  json_real((double)p->kernels[i].group[g]));
        }
    }
    json_t *o = json_pack(
        "{s:s, s:s, s:{s:o}, s:[{s:s, s:s, s:s, s:i, s:f, s:o, s:o}]}",
        "$schema", "https://www.speedscope.app/file-format-schema.json",
        "exporter", "softlake " SOFTLAKE_VERSION, "shared", "frames", frames,
        "profiles", "type", "sampled", "name", "EU instructions", "unit",
        "none", "startValue", 0, "endValue", (double)p->executed, "samples",
        samples, "weights", weights);
    bool ok = o && !json_dump_file(o, file, JSON_COMPACT);
    json_decref(o);
    return ok ? NULL : "cannot be written";
}
