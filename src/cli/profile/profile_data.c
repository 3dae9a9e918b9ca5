/* profile_data.c: sums, names and choice of kernels. */
#include "cli/profile/pixels/pixels.h"
#include "cli/profile/profile_data.h"
#include "eu/profile/profile_file.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const profile_group_names[PROFILE_GROUP_COUNT] = {
#define X(id, name) name,
    PROFILE_GROUPS(X)
#undef X
};

const char *const profile_kind_names[PROFILE_KIND_COUNT] = {
#define X(id, name) name,
    PROFILE_KINDS(X)
#undef X
};

const char *const profile_float_names[PROFILE_FLOAT_COUNT] = {
#define X(id, name, group) name,
    PROFILE_FLOATS(X)
#undef X
};

static void
free_kernel(struct profile_code *k)
{
    for (uint32_t i = 0; i < k->insn_count; i++)
        free(k->insns[i].text);
    free(k->insns);
    free(k->bins);
    free(k->histograms.items);
    free(k->messages);
    free(k->sends);
    free(k->code);
    free(k->options);
    free(k->launches);
}

void
profile_free(struct profile *p)
{
    for (unsigned i = 0; i < p->kernel_count; i++)
        free_kernel(&p->kernels[i]);
    for (unsigned i = 0; i < p->source_count; i++) {
        free(p->sources[i].name);
        free(p->sources[i].text);
    }
    free(p->sources);
    units_free(&p->units);
    json_decref(p->timeline);
    json_decref(p->draws);
    json_decref(p->draw_sums);
    json_decref(p->targets);
    json_decref(p->texels);
    pixels_free_maps(p->maps);
    free(p->kernels);
    *p = (struct profile){0};
}

static const char *const sort_names[PROFILE_SORT_COUNT] = {
    [PROFILE_BY_INSN] = "insn",       [PROFILE_BY_LANES] = "lanes",
    [PROFILE_BY_THREADS] = "threads", [PROFILE_BY_SIZE] = "size",
    [PROFILE_BY_NAME] = "name",       [PROFILE_BY_STAGE] = "stage",
    [PROFILE_BY_BYTES] = "bytes",     [PROFILE_BY_MODEL] = "model",
    [PROFILE_BY_TIME] = "time",
};

/* The most clocks that a table of the model says; 0 without a model. */
static uint64_t
model_clocks(const struct profile_code *k)
{
    double most = 0;
    for (unsigned t = 0; t < CYCLES_TABLES && k->has_model; t++)
        most = fmax(most, k->model[t].clocks[k->model[t].limit]);
    return (uint64_t)most;
}

/* Large numbers and small words first; equal ones by instructions, then in an
 * order that every run has. */
static int
compare(const void *a, const void *b, void *key)
{
    const struct profile_code *k = a, *l = b;
    uint64_t n[2] = {0, 0};
    int order = 0;
    switch (*(enum profile_sort *)key) {
    case PROFILE_BY_LANES: n[0] = k->all_lanes, n[1] = l->all_lanes; break;
    case PROFILE_BY_THREADS: n[0] = k->threads, n[1] = l->threads; break;
    case PROFILE_BY_SIZE: n[0] = k->size_B, n[1] = l->size_B; break;
    case PROFILE_BY_BYTES:
        n[0] = k->memory.bytes, n[1] = l->memory.bytes;
        break;
    case PROFILE_BY_MODEL:
        n[0] = model_clocks(k), n[1] = model_clocks(l);
        break;
    case PROFILE_BY_TIME: n[0] = k->host_ns, n[1] = l->host_ns; break;
    case PROFILE_BY_NAME: order = strcmp(k->name, l->name); break;
    case PROFILE_BY_STAGE: order = strcmp(k->stage, l->stage); break;
    default: break;
    }
    if (order || n[0] != n[1])
        return order ? order : n[0] < n[1] ? 1 : -1;
    if (k->executed != l->executed)
        return k->executed < l->executed ? 1 : -1;
    if (k->hash != l->hash)
        return k->hash < l->hash ? -1 : 1;
    return k->simd < l->simd ? -1 : k->simd > l->simd;
}

void
profile_sort(struct profile *p, enum profile_sort key)
{
    if (p->kernel_count)
        qsort_r(p->kernels, p->kernel_count, sizeof *p->kernels, compare, &key);
}

bool
profile_parse_sort(const char *text, enum profile_sort *key)
{
    for (unsigned i = 0; i < PROFILE_SORT_COUNT; i++) {
        if (strcmp(text, sort_names[i]))
            continue;
        *key = (enum profile_sort)i;
        return true;
    }
    return false;
}

/* Stage, hash and width, as GTPin names kernels without a name. */
static void
name_kernel(struct profile_code *k)
{
    if (*k->name)
        return;
    int n = snprintf(k->name, sizeof k->name, "%s_%016" PRIx64,
                     *k->stage ? k->stage : "eu", k->hash);
    if (k->simd)
        snprintf(k->name + n, sizeof k->name - (size_t)n, "_simd%u", k->simd);
}

uint16_t
profile_add_message(struct profile_code *k, const char *function,
                    const char *type)
{
    struct profile_message new = {.count = 0};
    snprintf(new.function, sizeof new.function, "%s", function ? function : "");
    snprintf(new.type, sizeof new.type, "%s", type ? type : "");
    for (unsigned i = 0; i < k->message_count; i++)
        if (!strcmp(k->messages[i].function, new.function) &&
            !strcmp(k->messages[i].type, new.type))
            return (uint16_t)(i + 1);
    if (k->message_count == UINT16_MAX)
        return 0;
    void *more = realloc(k->messages,
                         (k->message_count + 1) * sizeof *k->messages);
    if (!more)
        return 0;
    k->messages = more;
    k->messages[k->message_count] = new;
    return (uint16_t)++k->message_count;
}

static void
sum_messages(struct profile_code *k)
{
    for (unsigned i = 0; i < k->message_count; i++)
        k->messages[i].count = k->messages[i].lanes = 0;
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct profile_insn *n = &k->insns[i];
        if (!n->message || n->message > k->message_count)
            continue;
        k->messages[n->message - 1].count += n->count;
        k->messages[n->message - 1].lanes += n->lanes;
    }
}

const struct profile_send *
profile_find_send(const struct profile_code *k, const struct profile_insn *n)
{
    for (unsigned i = 0; n->message && i < k->send_count; i++)
        if (k->sends[i].offset_B == n->offset_B)
            return k->sends[i].n.sent ? &k->sends[i] : NULL;
    return NULL;
}

static void
add_flops(struct profile_code *k, const struct profile_insn *n)
{
    static const uint8_t groups[PROFILE_FLOAT_COUNT] = {
#define X(id, name, group) PROFILE_##group,
        PROFILE_FLOATS(X)
#undef X
    };
    for (unsigned f = 0; f < PROFILE_FLOAT_COUNT; f++)
        if (n->group == groups[f])
            k->flops[f] += n->lanes * n->flops;
}

static void
sum_up(struct profile_code *k)
{
    k->executed = k->all_lanes = k->lanes = k->channels = 0;
    k->spills = k->fills = 0;
    memset(k->group, 0, sizeof k->group);
    memset(k->flops, 0, sizeof k->flops);
    k->threads = k->insn_count ? k->insns[0].count : 0;
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct profile_insn *n = &k->insns[i];
        k->executed += n->count;
        k->all_lanes += n->lanes;
        k->group[n->group] += n->count;
        add_flops(k, n);
        k->spills += n->kind == PROFILE_KIND_SPILL ? n->count : 0;
        k->fills += n->kind == PROFILE_KIND_FILL ? n->count : 0;
        if (n->fixed_lanes)
            continue;
        k->lanes += n->lanes;
        k->channels += n->count * n->exec_size;
    }
    sum_messages(k);
    k->memory = (struct eu_send_counts){0};
    for (unsigned i = 0; i < k->send_count; i++)
        sends_add(&k->memory, &k->sends[i].n);
}

/* Of one launch, as far as launches are known. */
static double
threads_at_once(const struct profile_code *k)
{
    uint64_t launches = 0;
    for (unsigned i = 0; i < k->launch_count; i++)
        launches += k->launches[i].count;
    return (double)k->threads / (double)(launches ? launches : 1);
}

static void
sum_model(const struct profile *p, struct profile_code *k)
{
    for (unsigned t = 0; t < CYCLES_TABLES; t++) {
        struct cycles_work w = {.has_memory = p->has_memory,
                                .lines = (double)k->memory.lines,
                                .local_passes = (double)k->memory.slm_passes};
        for (uint32_t i = 0; i < k->insn_count; i++)
            cycles_add(&w, &k->insns[i].model[t], k->insns[i].exec_size,
                       k->insns[i].count);
        k->model[t] = cycles_bound(&w, threads_at_once(k));
    }
}

void
profile_finish(struct profile *p)
{
    p->executed = p->all_lanes = p->lanes = p->channels = 0;
    profile_sum_timeline(p);
    p->memory = (struct eu_send_counts){0};
    for (unsigned i = 0; i < p->kernel_count; i++) {
        struct profile_code *k = &p->kernels[i];
        name_kernel(k);
        sum_up(k);
        sum_model(p, k);
        p->executed += k->executed;
        p->all_lanes += k->all_lanes;
        p->lanes += k->lanes;
        p->channels += k->channels;
        sends_add(&p->memory, &k->memory);
    }
    profile_sort(p, PROFILE_BY_INSN);
}

/* Whether a comma-separated list has the word. */
static bool
has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (;; list++) {
        if (!strncmp(list, word, n) && (!list[n] || list[n] == ','))
            return true;
        list = strchr(list, ',');
        if (!list)
            return false;
    }
}

/* Kernels of units that are loaded from a file have names. */
static bool
name_part(void *data, struct unit_part *part)
{
    static const char *const stages[] = {
#define X(id, name) name,
        PROFILE_STAGES(X)
#undef X
    };
    const struct profile *p = data;
    for (unsigned i = 0; i < p->kernel_count; i++) {
        const struct profile_code *k = &p->kernels[i];
        bool is = *part->name ? !strcmp(k->name, part->name)
                              : k->hash == part->hash && k->simd == part->simd;
        if (!is || (k->simd && strcmp(k->stage, stages[part->stage])))
            continue;
        snprintf(part->name, sizeof part->name, "%s", k->name);
        return true;
    }
    return false;
}

void
profile_name_units(struct profile *p)
{
    units_select(&p->units, name_part, p);
}

void
profile_select(struct profile *p, const char *kernels, const char *stages)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < p->kernel_count; i++) {
        struct profile_code *k = &p->kernels[i];
        if ((kernels && fnmatch(kernels, k->name, 0)) ||
            (stages && !has_word(stages, k->stage)))
            free_kernel(k);
        else
            p->kernels[kept++] = *k;
    }
    p->kernel_count = kept;
    profile_finish(p);
    profile_name_units(p);
}
