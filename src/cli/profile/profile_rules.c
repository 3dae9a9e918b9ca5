/* profile_rules.c: what limits kernels, in words.
 *
 * Clocks: Mesa's performance analysis for Gen8 and Gen9
 * (intel/compiler/brw_ir_performance.cpp). Thresholds are rules of thumb. */
#include "cli/profile/pixels/pixels.h"
#include "cli/profile/profile_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kernels below are not worth a word. */
#define LEAST_SHARE 0.01
/* Of all instructions, where a rule is about the kernel as a whole. */
#define MAIN_SHARE 0.1
/* KBL GT2: 24 EUs of 7 threads; twice as many hide the end of a dispatch. */
#define MACHINE_THREADS 168
#define LEAST_EFFICIENCY 0.60
/* Lines of memory, and passes through local memory, by the least number. */
#define LEAST_LINES 1.5
#define LEAST_PASSES 1.2
/* Of an atomic message. */
#define LANES_PER_LINE 4

/* ---- shares of executed instructions ------------------------------------- */

static bool
is_mov(const struct profile_insn *n)
{
    return n->kind == PROFILE_KIND_MOV;
}

static bool
is_math(const struct profile_insn *n)
{
    return n->kind == PROFILE_KIND_MATH;
}

static bool
is_mul32(const struct profile_insn *n)
{
    return n->kind == PROFILE_KIND_MUL32;
}

static bool
is_send(const struct profile_insn *n)
{
    return n->group == PROFILE_GROUP_SEND;
}

static bool
is_control(const struct profile_insn *n)
{
    return n->group == PROFILE_GROUP_CONTROL;
}

static bool
is_64bit(const struct profile_insn *n)
{
    return n->group == PROFILE_GROUP_64;
}

static bool
is_scalar(const struct profile_insn *n)
{
    return n->exec_size == 1 && !is_send(n) && !is_control(n) &&
           n->group != PROFILE_GROUP_OTHER;
}

static const struct share_rule {
    const char *name;
    bool (*fits)(const struct profile_insn *n);
    double limit;
    const char *text;
} share_rules[] = {
    {"mov", is_mov, 0.30,
     "are copies (mov). Look for vectors that are packed and unpacked, and for "
     "conversions of types."},
    {"send", is_send, 0.15,
     "are messages: memory and sampler limit, not arithmetic. Load more at "
     "once, and keep in registers what is used again."},
    {"control flow", is_control, 0.15,
     "are control flow, which takes 8 clocks each, arithmetic 2 to 4. Unroll "
     "short loops; select instead of short branches."},
    {"64-bit", is_64bit, 0.10,
     "are of 64 bits: half the rate and half the channels per register. Use 32 "
     "bits where they suffice."},
    {"int32 multiply", is_mul32, 0.10,
     "multiply 32-bit integers, at half the rate. Use shifts, factors of 16 "
     "bits, or float."},
    {"extended math", is_math, 0.25,
     "are extended math, which one of two FPUs has, at half the rate. Use "
     "cheaper functions, or compute values once."},
    {"scalar", is_scalar, 0.15,
     "have one channel, and take the time of eight. Move uniform work out of "
     "the loop, or to the host."},
};

/* The share of the instructions that fit; place: the one with most executions,
 * NULL if none fits. */
static double
share_of(const struct profile_code *k, const struct share_rule *rule,
         const struct profile_insn **place)
{
    uint64_t sum = 0;
    *place = NULL;
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct profile_insn *n = &k->insns[i];
        if (!rule->fits(n))
            continue;
        sum += n->count;
        if (!*place || n->count > (*place)->count)
            *place = n;
    }
    return k->executed ? (double)sum / (double)k->executed : 0;
}

static bool
apply_share(struct profile_finding *f, const struct profile_code *k,
            const struct share_rule *rule)
{
    const struct profile_insn *place;
    f->value = share_of(k, rule, &place);
    f->limit = rule->limit;
    if (!place || f->value <= rule->limit)
        return false;
    f->rule = rule->name;
    f->has_place = true;
    f->offset_B = place->offset_B;
    snprintf(f->text, sizeof f->text,
             "%.0f%% of its instructions (more than %.0f%%) %s", 100 * f->value,
             100 * f->limit, rule->text);
    return true;
}

/* ---- the kernel as a whole ----------------------------------------------- */

static bool
runs_grids(const struct profile_code *k)
{
    return !strcmp(k->stage, "fs") || !strcmp(k->stage, "cs");
}

static bool
apply_simd8(struct profile_finding *f, const struct profile_code *k)
{
    if (k->simd != 8 || !runs_grids(k))
        return false;
    f->rule = "SIMD8";
    f->value = 8;
    f->limit = 16;
    snprintf(f->text, sizeof f->text,
             "It runs with 8 channels (less than 16): twice the threads and "
             "instructions. The compiler usually had too few registers: keep "
             "fewer values alive.");
    return true;
}

static bool
apply_threads(struct profile_finding *f, const struct profile_code *k)
{
    if (k->threads >= 2 * MACHINE_THREADS || !runs_grids(k))
        return false;
    f->rule = "few threads";
    f->value = (double)k->threads;
    f->limit = 2 * MACHINE_THREADS;
    snprintf(f->text, sizeof f->text,
             "It ran %.0f threads in all (less than %.0f): the %u hardware "
             "threads of a GT2 are never full for long. Make more, smaller "
             "pieces of work.",
             f->value, f->limit, MACHINE_THREADS);
    return true;
}

static bool
apply_spills(struct profile_finding *f, const struct profile_code *k)
{
    f->value = (double)(k->spills + k->fills);
    if (f->value <= 0)
        return false;
    f->rule = "spills";
    char live[64] = ""; /* profiles of earlier releases do not tell */
    if (k->live.grf)
        snprintf(live, sizeof live, ", at 0x%04x %u are live", k->live.offset_B,
                 k->live.grf);
    snprintf(f->text, sizeof f->text,
             "It executed %" PRIu64 " spills and %" PRIu64
             " fills (more than 0): the compiler had too few registers%s. Keep "
             "fewer values alive, or make fewer in one work item.",
             k->spills, k->fills, live);
    return true;
}

/* The branch whose lanes most often part, or NULL. */
static const struct profile_insn *
most_divergent(const struct profile_code *k)
{
    const struct profile_insn *most = NULL;
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct profile_insn *n = &k->insns[i];
        if (n->branch.divergent &&
            (!most || n->branch.divergent > most->branch.divergent))
            most = n;
    }
    return most;
}

static bool
apply_lanes(struct profile_finding *f, const struct profile_code *k)
{
    const struct profile_insn *place = most_divergent(k);
    f->value = profile_efficiency(k->lanes, k->channels);
    f->limit = LEAST_EFFICIENCY;
    if (!k->all_lanes || f->value < 0 || f->value >= f->limit)
        return false;
    f->rule = "SIMD efficiency";
    f->has_place = place;
    f->offset_B = place ? place->offset_B : 0;
    snprintf(f->text, sizeof f->text,
             "%.0f%% of its lanes are active (less than %.0f%%): %" PRIu64
             " idle. Give the lanes of a thread work that takes the same way, "
             "and fill the last thread.",
             100 * f->value, 100 * f->limit, k->channels - k->lanes);
    return true;
}

/* The send with most lines beyond the least, or passes likewise; NULL: none. */
static const struct profile_send *
worst_send(const struct profile_code *k, bool is_slm)
{
    const struct profile_send *worst = NULL;
    uint64_t most = 0;
    for (unsigned i = 0; i < k->send_count; i++) {
        const struct eu_send_counts *n = &k->sends[i].n;
        uint64_t more = is_slm ? n->slm_passes - n->slm_least_passes
                               : n->lines - n->least_lines;
        if (more <= most)
            continue;
        most = more;
        worst = &k->sends[i];
    }
    return worst;
}

static bool
apply_lines(struct profile_finding *f, const struct profile_code *k)
{
    const struct profile_send *worst = worst_send(k, false);
    f->value = sends_lines_ratio(&k->memory);
    f->limit = LEAST_LINES;
    if (!worst || f->value <= f->limit)
        return false;
    f->rule = "memory lines";
    f->has_place = true;
    f->offset_B = worst->offset_B;
    snprintf(
        f->text, sizeof f->text,
        "Its messages take %.2f times the lines of 64 bytes that they need "
        "(more than %.1f). Let neighbouring work items access neighbouring "
        "addresses, and align rows.",
        f->value, f->limit);
    return true;
}

static bool
apply_banks(struct profile_finding *f, const struct profile_code *k)
{
    const struct profile_send *worst = worst_send(k, true);
    f->value = sends_slm_ratio(&k->memory);
    f->limit = LEAST_PASSES;
    if (!worst || f->value <= f->limit)
        return false;
    f->rule = "bank conflicts";
    f->has_place = true;
    f->offset_B = worst->offset_B;
    snprintf(
        f->text, sizeof f->text,
        "Local memory takes %.2f times the passes that it needs (more than "
        "%.1f): lanes use the same of 16 banks of 32 bits. Pad rows by a "
        "dword.",
        f->value, f->limit);
    return true;
}

static bool
is_atomic(const struct profile_send *s)
{
    return strstr(s->type, "atomic") != NULL;
}

/* Lanes whose atomics go to one line wait for each other. */
static bool
apply_atomics(struct profile_finding *f, const struct profile_code *k)
{
    const struct profile_send *worst = NULL;
    uint64_t lanes = 0, lines = 0;
    for (unsigned i = 0; i < k->send_count; i++) {
        const struct eu_send_counts *n = &k->sends[i].n;
        if (!is_atomic(&k->sends[i]) || !n->lines)
            continue;
        lanes += n->lanes;
        lines += n->lines;
        if (!worst || n->lanes > worst->n.lanes)
            worst = &k->sends[i];
    }
    f->value = lines ? (double)lanes / (double)lines : 0;
    f->limit = LANES_PER_LINE;
    if (!worst || f->value <= f->limit)
        return false;
    f->rule = "atomics";
    f->has_place = true;
    f->offset_B = worst->offset_B;
    snprintf(f->text, sizeof f->text,
             "%.1f lanes of its atomics use one line of memory (more than "
             "%.0f), one after the other. Add up in registers or in local "
             "memory first.",
             f->value, f->limit);
    return true;
}

/* Work items of a group that are not a multiple of the SIMD width leave lanes
 * of its last thread idle. */
static bool
apply_groups(struct profile_finding *f, const struct profile_code *k)
{
    for (unsigned i = 0; i < k->launch_count && k->simd; i++) {
        const struct profile_launch *l = &k->launches[i];
        uint64_t items = 1;
        for (unsigned d = 0; d < l->dims; d++)
            items *= l->local[d];
        if (!items || items % k->simd == 0)
            continue;
        f->rule = "group size";
        f->value = (double)items;
        f->limit = k->simd;
        snprintf(f->text, sizeof f->text,
                 "A group of %" PRIu64 " work items is no multiple of %u: "
                 "%" PRIu64 " lanes of its last thread are idle. Choose a "
                 "multiple.",
                 items, k->simd, k->simd - items % k->simd);
        return true;
    }
    return false;
}

/* Findings about draws belong to the last kernel of their pipeline. */
static unsigned
find_in_draws(const struct profile *p, struct profile_finding *found,
              unsigned max)
{
    struct pixels_finding draws[PROFILE_FINDINGS];
    unsigned count = 0;
    unsigned n = pixels_find(p->draw_sums, draws, PROFILE_FINDINGS);
    n += pixels_find_texels(p->texels, draws + n, PROFILE_FINDINGS - n);
    for (unsigned i = 0; i < n && count < max; i++) {
        unsigned k = 0;
        while (k < p->kernel_count &&
               strcmp(p->kernels[k].name, draws[i].kernel))
            k++;
        if (k == p->kernel_count)
            continue;
        struct profile_finding *f = &found[count++];
        *f = (struct profile_finding){.kernel = k,
                                      .rule = draws[i].rule,
                                      .value = draws[i].value,
                                      .limit = draws[i].limit};
        memcpy(f->text, draws[i].text, sizeof f->text);
    }
    return count;
}

unsigned
profile_find(const struct profile *p, struct profile_finding *found,
             unsigned max)
{
    static bool (*const whole[])(struct profile_finding *,
                                 const struct profile_code *) = {
        apply_lanes,  apply_lines, apply_banks,   apply_atomics,
        apply_spills, apply_simd8, apply_threads, apply_groups};
    unsigned count = 0;
    for (unsigned i = 0; i < p->kernel_count; i++) {
        const struct profile_code *k = &p->kernels[i];
        double share = (double)k->executed /
                       (double)(p->executed + !p->executed);
        for (unsigned r = 0; share >= LEAST_SHARE && count < max &&
                             r < sizeof share_rules / sizeof *share_rules;
             r++) {
            found[count] = (struct profile_finding){.kernel = i};
            count += apply_share(&found[count], k, &share_rules[r]);
        }
        for (unsigned r = 0; share >= MAIN_SHARE && count < max &&
                             r < sizeof whole / sizeof *whole;
             r++) {
            found[count] = (struct profile_finding){.kernel = i};
            count += whole[r](&found[count], k);
        }
    }
    if (p->draw_sums || p->texels)
        count += find_in_draws(p, found + count, max - count);
    return count;
}

/* ---- --fail-if ----------------------------------------------------------- */

/* A value of --fail-if, negative if it was not measured. */
static double
value_of(const struct profile *p, const char *name)
{
    double threads = 0, spills = 0, fills = 0;
    if (!strcmp(name, "insn"))
        return (double)p->executed;
    if (!strcmp(name, "simd_efficiency"))
        return p->has_lanes ? profile_efficiency(p->lanes, p->channels) : -1;
    if (!strcmp(name, "bytes"))
        return p->has_memory ? (double)p->memory.bytes : -1;
    if (!strcmp(name, "lines"))
        return p->has_memory ? (double)p->memory.lines : -1;
    for (unsigned i = 0; i < p->kernel_count; i++) {
        threads += (double)p->kernels[i].threads;
        spills += (double)p->kernels[i].spills;
        fills += (double)p->kernels[i].fills;
    }
    return !strcmp(name, "spills")  ? spills
           : !strcmp(name, "fills") ? fills
                                    : threads;
}

bool
profile_judge(const char *expr, const struct profile *p, bool *is_true)
{
    static const char *const names[] = {"insn",   "threads", "simd_efficiency",
                                        "spills", "fills",   "bytes",
                                        "lines"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        char *end;
        if (strncmp(expr, names[i], n) || (expr[n] != '>' && expr[n] != '<'))
            continue;
        double limit = strtod(expr + n + 1, &end);
        double value = p ? value_of(p, names[i]) : -1;
        *is_true = value >= 0 &&
                   (expr[n] == '>' ? value > limit : value < limit);
        return end != expr + n + 1 && !*end;
    }
    return false;
}
