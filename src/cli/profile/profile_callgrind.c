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
