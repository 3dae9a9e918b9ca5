/* profile_load.c: reads profile.json back. */
#include "cli/profile/profile_data.h"
#include "cli/profile/values/values.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static uint64_t
get_number(const json_t *object, const char *key)
{
    return value_of_json(json_object_get(object, key));
}

static const char *
get_text(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

static enum profile_kind
get_kind(const json_t *insn)
{
    const char *name = get_text(insn, "kind");
    for (unsigned i = 0; i < PROFILE_KIND_COUNT; i++)
        if (!strcmp(name, profile_kind_names[i]))
            return (enum profile_kind)i;
    return PROFILE_KIND_OTHER;
}

/* Instructions name their message by its place in the list. */
static void
load_messages(struct profile_code *k, const json_t *list, const json_t *insns)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *m = json_array_get(list, i);
        profile_add_message(k, get_text(m, "function"), get_text(m, "type"));
    }
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const json_t *place = json_object_get(json_array_get(insns, i),
                                              "message");
        if (place)
            k->insns[i].message = (uint16_t)(json_integer_value(place) + 1);
    }
}

static void
load_branches(struct profile_code *k, const json_t *list)
{
    uint32_t n = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *b = json_array_get(list, i);
        while (n < k->insn_count && k->insns[n].offset_B != get_number(b, "ip"))
            n++;
        if (n == k->insn_count)
            return;
        k->insns[n].has_branch = true;
        k->insns[n].branch = (struct profile_branch){
            get_number(b, "all"), get_number(b, "none"),
            get_number(b, "divergent"), get_number(b, "taken_lanes")};
    }
}

static void
load_mesa(struct profile_code *k, const json_t *kernel)
{
    const json_t *o = json_object_get(kernel, "mesa");
    snprintf(k->sha1, sizeof k->sha1, "%s", get_text(kernel, "sha1"));
    if (o)
        k->mesa = (struct profile_mesa){
            true, get_number(o, "insn"), get_number(o, "cycles"),
            get_number(o, "spills"), get_number(o, "fills")};
}

static void
load_launches(struct profile_code *k, const json_t *list)
{
    size_t n = json_array_size(list);
    k->launches = n ? calloc(n, sizeof *k->launches) : NULL;
    for (size_t i = 0; k->launches && i < n; i++) {
        const json_t *o = json_array_get(list, i);
        const json_t *global = json_object_get(o, "global");
        const json_t *local = json_object_get(o, "local");
        struct profile_launch *l = &k->launches[k->launch_count++];
        l->dims = (unsigned)json_array_size(global);
        l->count = get_number(o, "count");
        if (l->dims > 3)
            l->dims = 3;
        for (unsigned d = 0; d < l->dims; d++) {
            l->global[d] = value_of_json(json_array_get(global, d));
            l->local[d] = value_of_json(json_array_get(local, d));
        }
    }
}

/* Lines of sources that the file does not have are dropped. */
static void
load_sources(struct profile *p, const json_t *list)
{
    size_t n = json_array_size(list);
    p->sources = n ? calloc(n, sizeof *p->sources) : NULL;
    for (size_t i = 0; p->sources && i < n; i++) {
        const json_t *o = json_array_get(list, i);
        const char *text = json_string_value(json_object_get(o, "text"));
        p->sources[i].name = strdup(get_text(o, "name"));
        p->sources[i].text = text ? strdup(text) : NULL;
        p->source_count++;
    }
    for (unsigned i = 0; i < p->kernel_count; i++)
        for (uint32_t k = 0; k < p->kernels[i].insn_count; k++)
            if (p->kernels[i].insns[k].source >= p->source_count)
                p->kernels[i].insns[k].line = 0;
}

static bool
load_kernel(struct profile_code *k, const json_t *o)
{
    const json_t *list = json_object_get(o, "insns");
    snprintf(k->name, sizeof k->name, "%s", get_text(o, "name"));
    snprintf(k->stage, sizeof k->stage, "%s", get_text(o, "stage"));
    const char *from = get_text(o, "name_from");
    const char *options = json_string_value(
        json_object_get(o, "build_options"));
    if (strcmp(from, "none"))
        snprintf(k->name_from, sizeof k->name_from, "%s", from);
    k->options = options ? strdup(options) : NULL;
    load_launches(k, json_object_get(o, "launches"));
    load_mesa(k, o);
    k->hash = strtoull(get_text(o, "id"), NULL, 16);
    k->simd = (unsigned)get_number(o, "simd");
    k->size_B = (uint32_t)get_number(o, "size_B");
    k->live = (struct cycles_live){(uint32_t)get_number(o, "grf_max_live"),
                                   (uint32_t)get_number(o, "grf_max_live_ip")};
    k->insns = calloc(json_array_size(list) + 1, sizeof *k->insns);
    for (size_t i = 0; k->insns && i < json_array_size(list); i++) {
        const json_t *n = json_array_get(list, i);
        uint64_t group = get_number(n, "group");
        k->insns[k->insn_count++] = (struct profile_insn){
            .offset_B = (uint32_t)get_number(n, "ip"),
            .exec_size = (uint8_t)get_number(n, "exec_size"),
            .group = (uint8_t)(group < PROFILE_GROUP_COUNT
                                   ? group
                                   : PROFILE_GROUP_OTHER),
            .kind = (uint8_t)get_kind(n),
            .flops = (uint8_t)get_number(n, "flops"),
            .text = strdup(get_text(n, "text")),
            .count = get_number(n, "count"),
            .lanes = get_number(n, "lanes"),
            .fixed_lanes = (uint8_t)get_number(n, "fixed_lanes"),
            .line = (uint32_t)get_number(n, "line"),
            .source = (uint32_t)get_number(n, "source"),
        };
        k->has_model = cycles_get_costs(k->insns[i].model, n);
    }
    load_branches(k, json_object_get(o, "branches"));
    lanes_load(&k->histograms, json_object_get(o, "lane_histograms"));
    k->sends = sends_load(json_object_get(o, "sends"), &k->send_count);
    load_messages(k, json_object_get(o, "messages"), list);
    return k->insns;
}

static void
load_origin(struct profile_origin *from, const json_t *o)
{
    const json_t *list = json_object_get(o, "command");
    size_t n = json_array_size(list);
    const char *off = get_text(o, "shortcuts_off");
    from->switches = *off ? strdup(off) : NULL;
    from->status = (int)get_number(o, "status");
    const char *platform = get_text(o, "platform");
    from->platform = *platform ? strdup(platform) : NULL;
    from->command = calloc(n + 1, sizeof *from->command);
    for (size_t i = 0; from->command && i < n; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        from->command[i] = strdup(word ? word : "");
    }
}

void
profile_free_origin(struct profile_origin *from)
{
    for (char **s = from->command; s && *s; s++)
        free(*s);
    free(from->command);
    free((char *)from->switches);
    free((char *)from->platform);
    *from = (struct profile_origin){0};
}

/* NULL: the file has none. */
static json_t *
load_list(const json_t *o, const char *key)
{
    json_t *list = json_object_get(o, key);
    return json_is_array(list) ? json_incref(list) : NULL;
}

const char *
profile_load_json(struct profile *p, struct profile_origin *from,
                  const char *file)
{
    static char why[256];
    json_error_t error;
    *p = (struct profile){0};
    if (from)
        *from = (struct profile_origin){0};
    json_t *o = json_load_file(file, 0, &error);
    if (!o) {
        snprintf(why, sizeof why, "%.200s", error.text);
        return why;
    }
    const json_t *list = json_object_get(o, "kernels");
    bool ok = get_number(o, "schema") == PROFILE_SCHEMA && json_is_array(list);
    if (ok) {
        const json_t *totals = json_object_get(o, "totals");
        p->process_count = (unsigned)get_number(totals, "processes");
        p->not_counted = (unsigned)get_number(totals, "not_counted");
        p->lost_pages = get_number(totals, "lost_pages");
        p->has_lanes = json_object_get(totals, "lanes");
        p->has_memory = json_object_get(json_array_get(list, 0), "sends");
        p->kernels = calloc(json_array_size(list) + 1, sizeof *p->kernels);
    }
    if (ok && from)
        load_origin(from, o);
    p->timeline = load_list(o, "timeline");
    p->draws = load_list(o, "draws");
    p->draw_sums = load_list(o, "draw_sums");
    p->targets = load_list(o, "targets");
    p->texels = load_list(o, "sampler");
    for (size_t i = 0; p->kernels && i < json_array_size(list); i++)
        if (load_kernel(&p->kernels[p->kernel_count], json_array_get(list, i)))
            p->kernel_count++;
    load_sources(p, json_object_get(o, "sources"));
    cycles_get_model(&p->model,
                     json_object_get(json_array_get(list, 0), "model"));
    units_load_json(&p->units, o, p->has_lanes);
    json_decref(o);
    profile_finish(p);
    return ok ? NULL : "not a profile of schema 1";
}
