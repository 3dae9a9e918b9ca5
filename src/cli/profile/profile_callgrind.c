/* profile_callgrind.c: callgrind's format, with the files that its readers
 * open: sources, and the code of kernels. Source:
 * https://valgrind.org/docs/manual/cl-format.html */
#include "cli/profile/profile_data.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *
close_file(FILE *f)
{
    bool failed = ferror(f);
    return fclose(f) || failed ? strerror(errno) : NULL;
}

static void
put_costs(FILE *f, const struct profile *p, uint64_t count, uint64_t lanes)
{
    fprintf(f, "%" PRIu64, count);
    if (p->has_lanes)
        fprintf(f, " %" PRIu64, lanes);
    putc('\n', f);
}

/* Text that the application passed has no file: it goes to a directory of this
 * name, for callgrind_annotate to read. */
#define SOURCES_FORMAT "%s.sources"

static const char *
write_sources(const struct profile *p, const char *file)
{
    char path[4096], dir[4096];
    const char *why = NULL;
    snprintf(dir, sizeof dir, SOURCES_FORMAT, file);
    for (unsigned i = 0; i < p->source_count && !why; i++) {
        const struct profile_source *s = &p->sources[i];
        if (!s->text || strchr(s->name, '/'))
            continue;
        mkdir(dir, 0777);
        snprintf(path, sizeof path, "%.2000s/%.2000s", dir, s->name);
        FILE *f = fopen(path, "we");
        if (!f)
            return strerror(errno);
        fputs(s->text, f);
        why = close_file(f);
    }
    return why;
}

/* A line that says of which file the following costs are: "fl" begins a
 * function, "fi" is for code from another file within it. */
static void
put_file(FILE *f, const struct profile *p, const char *key, unsigned source,
         const char *file)
{
    char dir[4096], path[PATH_MAX];
    const struct profile_source *s = &p->sources[source];
    snprintf(dir, sizeof dir, SOURCES_FORMAT, file);
    bool written = s->text && !strchr(s->name, '/') && realpath(dir, path);
    fprintf(f, "%s=%s%s%s\n", key, written ? path : "", written ? "/" : "",
            s->name);
}

/* ---- code: an ELF file for each kernel ----------------------------------- */

#define OBJECTS_FORMAT "%s.objects"
#define EM_INTEL_GT 205 /* elf.h of later releases: EM_INTELGT */
#define TEXT ".text."

/* One section with the code, named as in a zebin. */
static const char *
write_object(const struct profile_code *k, const char *path)
{
    static const char names[] = ".shstrtab";
    const size_t name_B = sizeof TEXT - 1 + strlen(k->name) + 1;
    const Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
                                           ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                               .e_type = ET_REL,
                               .e_machine = EM_INTEL_GT,
                               .e_version = EV_CURRENT,
                               .e_shoff = sizeof header,
                               .e_ehsize = sizeof header,
                               .e_shentsize = sizeof(Elf64_Shdr),
                               .e_shnum = 3,
                               .e_shstrndx = 2};
    const Elf64_Shdr sections[3] = {
        {0},
        {.sh_name = 1,
         .sh_type = SHT_PROGBITS,
         .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
         .sh_offset = sizeof header + sizeof sections,
         .sh_size = k->size_B,
         .sh_addralign = 8},
        {.sh_name = (Elf64_Word)(1 + name_B),
         .sh_type = SHT_STRTAB,
         .sh_offset = sizeof header + sizeof sections + k->size_B,
         .sh_size = 1 + name_B + sizeof names,
         .sh_addralign = 1}};
    FILE *f = fopen(path, "we");
    if (!f)
        return strerror(errno);
    fwrite(&header, sizeof header, 1, f);
    fwrite(sections, sizeof sections, 1, f);
    fwrite(k->code, k->size_B, 1, f);
    putc(0, f);
    fputs(TEXT, f);
    fwrite(k->name, strlen(k->name) + 1, 1, f);
    fwrite(names, sizeof names, 1, f);
    return close_file(f);
}

/* A profile that comes from a file has no code. */
static const char *
write_objects(const struct profile *p, const char *file)
{
    char path[4096], dir[4096];
    const char *why = NULL;
    snprintf(dir, sizeof dir, OBJECTS_FORMAT, file);
    for (unsigned i = 0; i < p->kernel_count && !why; i++) {
        const struct profile_code *k = &p->kernels[i];
        if (!k->code)
            continue;
        mkdir(dir, 0777);
        snprintf(path, sizeof path, "%.4000s/%016" PRIx64 ".elf", dir, k->hash);
        why = write_object(k, path);
    }
    return why;
}

static void
put_object(FILE *f, const struct profile_code *k, const char *file)
{
    char dir[4096], path[PATH_MAX];
    snprintf(dir, sizeof dir, OBJECTS_FORMAT, file);
    bool written = k->code && realpath(dir, path);
    fprintf(f, "\nob=%s/%016" PRIx64 ".elf\n", written ? path : "eu", k->hash);
}

/* ---- jumps --------------------------------------------------------------- */

/* The branches whose jumps follow from the lanes that take them, by the word
 * that the text begins with after the predicate. KBL PRM vol 7: IF jumps if no
 * channel enters, WHILE if any repeats, the others if all active ones leave. */
enum jumps { JUMPS_IF_NONE, JUMPS_IF_ANY, JUMPS_IF_ALL, JUMPS_UNKNOWN };

static enum jumps
kind_of_branch(const struct profile_insn *n)
{
    static const struct {
        const char *word;
        enum jumps jumps;
    } branches[] = {{"if ", JUMPS_IF_NONE},   {"while ", JUMPS_IF_ANY},
                    {"break ", JUMPS_IF_ALL}, {"cont ", JUMPS_IF_ALL},
                    {"halt ", JUMPS_IF_ALL},  {"jmpi ", JUMPS_IF_ALL}};
    const char *word = n->text ? n->text : "";
    if (*word == '(')
        word = strchr(word, ')') ? strchr(word, ')') + 1 : "";
    word += strspn(word, " ");
    for (unsigned i = 0; i < sizeof branches / sizeof *branches; i++)
        if (!strncmp(word, branches[i].word, strlen(branches[i].word)))
            return branches[i].jumps;
    return JUMPS_UNKNOWN;
}

static uint64_t
count_jumps(const struct profile_insn *n)
{
    switch (kind_of_branch(n)) {
    case JUMPS_IF_NONE: return n->branch.none;
    case JUMPS_IF_ANY: return n->branch.all + n->branch.divergent;
    case JUMPS_IF_ALL: return n->branch.all;
    default: return 0;
    }
}

/* The instruction at the first label, "L392", of the text; NULL: none. */
static const struct profile_insn *
find_target(const struct profile_code *k, const struct profile_insn *n)
{
    unsigned long offset_B;
    const char *label = n->text ? strstr(n->text, " L") : NULL;
    if (!label || label[2] < '0' || label[2] > '9')
        return NULL;
    offset_B = strtoul(label + 2, NULL, 10);
    for (uint32_t i = 0; i < k->insn_count; i++)
        if (k->insns[i].offset_B == offset_B)
            return &k->insns[i];
    return NULL;
}

/* An arrow: how often it was followed, of how many executions; then where it
 * begins. */
static void
put_jump(FILE *f, const struct profile_code *k, const struct profile_insn *n)
{
    const struct profile_insn *to = n->has_branch ? find_target(k, n) : NULL;
    uint64_t jumps = to ? count_jumps(n) : 0;
    if (!jumps)
        return;
    if (n->text[0] == '(' || jumps != n->count)
        fprintf(f, "jcnd=%" PRIu64 "/%" PRIu64, jumps, n->count);
    else
        fprintf(f, "jump=%" PRIu64, jumps);
    fprintf(f, " 0x%" PRIx32 " %" PRIu32 "\n0x%" PRIx32 " %" PRIu32 "\n",
            to->offset_B, to->line, n->offset_B, n->line);
}

/* ---- costs --------------------------------------------------------------- */

static void
put_kernel(FILE *f, const struct profile *p, const struct profile_code *k,
           const char *file)
{
    unsigned source = profile_first_source(p, k);
    put_object(f, k, file);
    if (source < p->source_count)
        put_file(f, p, "fl", source, file);
    else
        fputs("fl=???\n", f);
    fprintf(f, "fn=%s\n", k->name);
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct profile_insn *n = &k->insns[i];
        if (!n->count)
            continue;
        if (n->line && n->source != source)
            put_file(f, p, "fi", source = n->source, file);
        fprintf(f, "0x%" PRIx32 " %" PRIu32 " ", n->offset_B, n->line);
        put_costs(f, p, n->count, n->lanes);
        if (p->has_lanes)
            put_jump(f, k, n);
    }
}

const char *
profile_write_callgrind(const struct profile *p,
                        const struct profile_origin *from, const char *file)
{
    const char *why = write_sources(p, file);
    if (!why)
        why = write_objects(p, file);
    FILE *f = why ? NULL : fopen(file, "we");
    if (!f)
        return why ? why : strerror(errno);
    fputs("# callgrind format\nversion: 1\ncreator: softlake " SOFTLAKE_VERSION
          "\ncmd:",
          f);
    for (char **s = from->command; s && *s; s++)
        fprintf(f, " %s", *s);
    fprintf(f,
            "\npositions: instr line\nevent: Insn : EU instructions\n%s"
            "summary: ",
            p->has_lanes ? "event: Lanes : active lanes\nevents: Insn Lanes\n"
                         : "events: Insn\n");
    put_costs(f, p, p->executed, p->all_lanes);
    for (unsigned i = 0; i < p->kernel_count; i++)
        put_kernel(f, p, &p->kernels[i], file);
    fputs("\ntotals: ", f);
    put_costs(f, p, p->executed, p->all_lanes);
    return close_file(f);
}
