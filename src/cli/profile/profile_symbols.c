/* profile_symbols.c: gives kernels the names, lines and work sizes that
 * cli/symbols has found. */
#include "cli/profile/profile_data.h"
#include "cli/symbols/sha1.h"
#include "cli/symbols/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
copy_sources(struct profile *p, const struct symbols *s)
{
    p->sources = calloc(s->source_count + 1, sizeof *p->sources);
    for (unsigned i = 0; p->sources && i < s->source_count; i++) {
        struct profile_source *to = &p->sources[i];
        to->name = strdup(s->sources[i].name);
        to->text = s->sources[i].text ? strdup(s->sources[i].text) : NULL;
        p->source_count++;
        if (!to->name)
            return false;
    }
    return p->sources;
}

/* Two programs may have kernels of one name, of which launches do not tell. */
static bool
is_only_one(const struct symbols *s, const char *name)
{
    unsigned n = 0;
    for (unsigned i = 0; i < s->count; i++)
        n += !strcmp(s->symbols[i].name, name);
    return n == 1;
}

static bool
copy_launches(struct profile_code *k, const struct symbols *s,
              const struct symbol *y)
{
    if (!is_only_one(s, y->name) || k->launches)
        return true;
    k->launches = calloc(s->launch_count + 1, sizeof *k->launches);
    for (unsigned i = 0; k->launches && i < s->launch_count; i++) {
        const struct symbol_launch *from = &s->launches[i];
        unsigned n = 0;
        if (strcmp(from->kernel, y->name))
            continue;
        struct profile_launch new = {.dims = from->dims};
        memcpy(new.global, from->global, sizeof new.global);
        memcpy(new.local, from->local, sizeof new.local);
        while (n < k->launch_count &&
               (memcmp(k->launches[n].global, new.global, sizeof new.global) ||
                memcmp(k->launches[n].local, new.local, sizeof new.local) ||
                k->launches[n].dims != new.dims))
            n++;
        if (n == k->launch_count)
            k->launches[k->launch_count++] = new;
        k->launches[n].count += from->count;
    }
    return k->launches;
}

static bool
set_symbol(struct profile_code *k, const struct symbols *s,
           const struct symbol *y, uint32_t at_B)
{
    snprintf(k->name, sizeof k->name, "%s", y->name);
    snprintf(k->name_from, sizeof k->name_from, "%s", y->from);
    if (y->options && !k->options && !(k->options = strdup(y->options)))
        return false;
    for (uint32_t i = 0; i < k->insn_count; i++) {
        struct profile_insn *n = &k->insns[i];
        unsigned source = 0;
        n->line = symbol_line(y, at_B + n->offset_B, &source);
        n->source = source;
    }
    return copy_launches(k, s, y);
}

/* Observed: Mesa 22.3.6 ends code that is no multiple of 16 bytes with a
 * compacted NOP, which its hash includes and no thread reaches. */
static void
set_sha1(struct profile_code *k)
{
    static const uint8_t nop[8] = {0x7e, 0, 0, 0x20};
    const bool odd = k->size_B % 16 == sizeof nop;
    uint8_t *code = malloc(k->size_B + sizeof nop);
    if (!code)
        return;
    memcpy(code, k->code, k->size_B);
    memcpy(code + k->size_B, nop, sizeof nop);
    sha1_text(k->sha1, code, k->size_B + (odd ? sizeof nop : 0));
    free(code);
}

/* Names by hash: the user's own go before all others. */
static void
set_alias(struct profile_code *k, const struct symbols *s)
{
    char id[17];
    snprintf(id, sizeof id, "%016" PRIx64, k->hash);
    set_sha1(k);
    const struct symbol_alias *mesa = symbols_find_alias(s, k->sha1,
                                                         "mesa-log");
    const struct symbol_alias *a = symbols_find_alias(s, id, "symbols");
    if (!a)
        a = symbols_find_alias(s, k->sha1, "symbols");
    if (mesa && mesa->mesa.known)
        k->mesa = (struct profile_mesa){true, mesa->mesa.instructions,
                                        mesa->mesa.cycles, mesa->mesa.spills,
                                        mesa->mesa.fills};
    if (!a)
        a = mesa;
    if (!a || !a->name)
        return;
    snprintf(k->name, sizeof k->name, "%s", a->name);
    snprintf(k->name_from, sizeof k->name_from, "%s", a->from);
}

/* Kernels of one name and different code get a part of their hash, too. */
static void
tell_apart(struct profile *p)
{
    for (unsigned i = 0; i < p->kernel_count; i++) {
        struct profile_code *k = &p->kernels[i];
        char name[PROFILE_NAME_B];
        bool twice = false;
        if (!*k->name_from)
            continue;
        snprintf(name, sizeof name, "%s", k->name);
        for (unsigned n = i + 1; n < p->kernel_count; n++) {
            struct profile_code *l = &p->kernels[n];
            if (strcmp(l->name, name))
                continue;
            snprintf(l->name, sizeof l->name, "%.100s~%08" PRIx32, name,
                     (uint32_t)(l->hash >> 32));
            twice = true;
        }
        if (twice)
            snprintf(k->name, sizeof k->name, "%.100s~%08" PRIx32, name,
                     (uint32_t)(k->hash >> 32));
    }
}

const char *
profile_set_symbols(struct profile *p, const struct symbols *s)
{
    bool ok = copy_sources(p, s);
    for (unsigned i = 0; ok && i < p->kernel_count; i++) {
        struct profile_code *k = &p->kernels[i];
        uint32_t at_B;
        const struct symbol *y = k->code ? symbols_find(s, k->code, k->size_B,
                                                        &at_B)
                                         : NULL;
        if (y)
            ok = set_symbol(k, s, y, at_B);
        if (k->code)
            set_alias(k, s);
    }
    tell_apart(p);
    profile_finish(p);
    return ok ? NULL : "no memory";
}

const char *
profile_source_line(const struct profile *p, unsigned source, uint32_t line,
                    size_t *size_B)
{
    const char *at = source < p->source_count ? p->sources[source].text : NULL;
    for (; at && *at && line > 1; line--) {
        at = strchr(at, '\n');
        at += at != NULL;
    }
    if (!at || !*at || !line)
        return NULL;
    *size_B = strcspn(at, "\r\n");
    return at;
}

unsigned
profile_first_source(const struct profile *p, const struct profile_code *k)
{
    for (uint32_t i = 0; i < k->insn_count; i++)
        if (k->insns[i].line)
            return k->insns[i].source;
    return p->source_count;
}
