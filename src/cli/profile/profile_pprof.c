/* profile_pprof.c: pprof's format: a gzip file of one protobuf message. The
 * message has the fields of perftools.profiles.Profile
 * (https://github.com/google/pprof/blob/main/proto/profile.proto).
 *
 * A sample is an instruction; its stack is the kernel, then the stage. Kernels
 * are mappings, one after the other, so that addresses tell instructions. */
#include "cli/profile/profile_data.h"
#include "cli/profile/timeline/protobuf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define PAGE_B 4096u

/* ---- the profile --------------------------------------------------------- */

enum { /* fields of Profile */
       PROFILE_SAMPLE_TYPE = 1,
       PROFILE_SAMPLE = 2,
       PROFILE_MAPPING = 3,
       PROFILE_LOCATION = 4,
       PROFILE_FUNCTION = 5,
       PROFILE_STRING = 6,
       PROFILE_PERIOD_TYPE = 11,
       PROFILE_PERIOD = 12,
       PROFILE_COMMENT = 13,
};

struct writer {
    const struct profile *profile;
    struct proto out, part, line, list;
    uint64_t strings, functions, locations; /* so far */
    uint64_t base_B;                        /* where the next kernel begins */
};

/* Each string is one of the table, whose first is empty. */
static uint64_t
add_string(struct writer *w, const char *text)
{
    proto_bytes(&w->out, PROFILE_STRING, text, strlen(text));
    return w->strings++;
}

static void
put_value_type(struct writer *w, unsigned field, const char *type)
{
    proto_number(&w->part, 1, add_string(w, type));
    proto_number(&w->part, 2, add_string(w, "count"));
    proto_message(&w->out, field, &w->part);
}

/* file: NULL if it is not known. */
static uint64_t
add_function(struct writer *w, const char *name, const char *file)
{
    uint64_t text = add_string(w, name);
    uint64_t file_text = file ? add_string(w, file) : 0;
    proto_number(&w->part, 1, ++w->functions);
    proto_number(&w->part, 2, text);
    proto_number(&w->part, 3, text);
    proto_number(&w->part, 4, file_text);
    proto_message(&w->out, PROFILE_FUNCTION, &w->part);
    return w->functions;
}

/* mapping: 0 for a stage, which has no address. line: 0 if not known. */
static uint64_t
add_location(struct writer *w, uint64_t mapping, uint64_t address,
             uint64_t function, uint32_t line)
{
    proto_number(&w->line, 1, function);
    proto_number(&w->line, 2, line);
    proto_number(&w->part, 1, ++w->locations);
    proto_number(&w->part, 2, mapping);
    proto_number(&w->part, 3, address);
    proto_message(&w->part, 4, &w->line);
    proto_message(&w->out, PROFILE_LOCATION, &w->part);
    return w->locations;
}

static void
add_mapping(struct writer *w, const struct profile_code *k, uint64_t id,
            bool has_lines)
{
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, k->hash);
    proto_number(&w->part, 1, id);
    proto_number(&w->part, 2, w->base_B);
    proto_number(&w->part, 3, w->base_B + k->size_B);
    proto_number(&w->part, 5, add_string(w, k->name));
    proto_number(&w->part, 6, add_string(w, hash));
    proto_number(&w->part, 7, 1); /* has functions */
    proto_number(&w->part, 9, has_lines);
    proto_message(&w->out, PROFILE_MAPPING, &w->part);
}

static void
add_sample(struct writer *w, const struct profile_insn *n, uint64_t location,
           uint64_t stage)
{
    proto_varint(&w->list, location);
    proto_varint(&w->list, stage);
    proto_message(&w->part, 1, &w->list);
    proto_varint(&w->list, n->count);
    if (w->profile->has_lanes)
        proto_varint(&w->list, n->lanes);
    proto_message(&w->part, 2, &w->list);
    proto_message(&w->out, PROFILE_SAMPLE, &w->part);
}

/* The source of most of a kernel: that of its first line. NULL: not known. */
static const struct profile_insn *
find_line(const struct profile_code *k)
{
    for (uint32_t i = 0; i < k->insn_count; i++)
        if (k->insns[i].line)
            return &k->insns[i];
    return NULL;
}

/* A function has one file: lines of others, as of inlined functions, are left
 * out. */
static void
add_kernel(struct writer *w, const struct profile_code *k, uint64_t mapping)
{
    const struct profile_insn *first = find_line(k);
    const char *file = first ? w->profile->sources[first->source].name : NULL;
    uint64_t stage_function = add_function(w, *k->stage ? k->stage : "eu",
                                           NULL);
    uint64_t stage = add_location(w, 0, 0, stage_function, 0);
    uint64_t function = add_function(w, k->name, file);
    add_mapping(w, k, mapping, first);
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct profile_insn *n = &k->insns[i];
        uint32_t line = first && n->source == first->source ? n->line : 0;
        if (!n->count)
            continue;
        uint64_t location = add_location(w, mapping, w->base_B + n->offset_B,
                                         function, line);
        add_sample(w, n, location, stage);
    }
    w->base_B += (k->size_B + PAGE_B - 1) / PAGE_B * PAGE_B;
}

static void
add_comment(struct writer *w, const struct profile_origin *from)
{
    for (char **s = from->command; s && *s; s++) {
        proto_raw(&w->part, s == from->command ? "" : " ", s != from->command);
        proto_raw(&w->part, *s, strlen(*s));
    }
    proto_message(&w->out, PROFILE_STRING, &w->part);
    proto_number(&w->out, PROFILE_COMMENT, w->strings++);
}

static const char *
write_gzip(const struct proto *m, const char *file)
{
    errno = 0;
    gzFile f = m->failed ? NULL : gzopen(file, "wbe");
    if (!f)
        return errno ? strerror(errno) : "no memory";
    size_t at = 0;
    int n = 1;
    for (; n > 0 && at < m->size_B; at += (size_t)n) {
        size_t left_B = m->size_B - at;
        n = gzwrite(f, m->data + at,
                    left_B < 1u << 20 ? (unsigned)left_B : 1u << 20);
        n = n > 0 ? n : 0;
    }
    bool ok = at == m->size_B;
    ok &= gzclose(f) == Z_OK;
    return ok ? NULL : errno ? strerror(errno) : "cannot be written";
}

const char *
profile_write_pprof(const struct profile *p, const struct profile_origin *from,
                    const char *file)
{
    struct writer w = {.profile = p, .base_B = PAGE_B};
    add_string(&w, "");
    put_value_type(&w, PROFILE_SAMPLE_TYPE, "instructions");
    if (p->has_lanes)
        put_value_type(&w, PROFILE_SAMPLE_TYPE, "lanes");
    put_value_type(&w, PROFILE_PERIOD_TYPE, "instructions");
    proto_number(&w.out, PROFILE_PERIOD, 1);
    add_comment(&w, from);
    for (unsigned i = 0; i < p->kernel_count; i++)
        if (p->kernels[i].executed)
            add_kernel(&w, &p->kernels[i], i + 1);
    const char *why = write_gzip(&w.out, file);
    free(w.out.data);
    free(w.part.data);
    free(w.line.data);
    free(w.list.data);
    return why;
}
