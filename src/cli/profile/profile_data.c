/* profile_data.c: sums, names and choice of kernels. */
#include "cli/profile/profile_data.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const profile_group_names[PROFILE_GROUP_COUNT] = {
#define X(id, name) name,
    PROFILE_GROUPS(X)
#undef X
};

static void
free_kernel(struct profile_code *k)
{
    for (uint32_t i = 0; i < k->insn_count; i++)
        free(k->insns[i].text);
    free(k->insns);
}

void
profile_free(struct profile *p)
{
    for (unsigned i = 0; i < p->kernel_count; i++)
        free_kernel(&p->kernels[i]);
    free(p->kernels);
    *p = (struct profile){0};
}

static int
compare(const void *a, const void *b)
{
    const struct profile_code *k = a, *l = b;
    if (k->executed != l->executed)
        return k->executed < l->executed ? 1 : -1;
    return k->hash < l->hash ? -1 : k->hash > l->hash;
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

static void
sum_up(struct profile_code *k)
{
    k->executed = 0;
    memset(k->group, 0, sizeof k->group);
    k->threads = k->insn_count ? k->insns[0].count : 0;
    for (uint32_t i = 0; i < k->insn_count; i++) {
        k->executed += k->insns[i].count;
        k->group[k->insns[i].group] += k->insns[i].count;
    }
}

void
profile_finish(struct profile *p)
{
    p->executed = 0;
    for (unsigned i = 0; i < p->kernel_count; i++) {
        name_kernel(&p->kernels[i]);
        sum_up(&p->kernels[i]);
        p->executed += p->kernels[i].executed;
    }
    if (p->kernel_count)
        qsort(p->kernels, p->kernel_count, sizeof *p->kernels, compare);
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
}
