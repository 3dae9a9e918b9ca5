/* symbols.c: the collection of names and lines, and the search in it. */
#include "cli/symbols/symbols.h"
#include "cli/kernel/program.h"
#include "cli/symbols/debug_section.h"
#include "cli/symbols/line_table.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#define CODE_ALIGN_B 64u /* of a kernel start pointer */
#define ANYWHERE_B 64u   /* less code is found at the beginning only */
#define SOURCE_MAX_B (4u << 20)
#define STDIN_NAME "<stdin>"

void
symbols_free(struct symbols *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        struct symbol *y = &s->symbols[i];
        if (y->lines)
            line_table_free(y->lines);
        free(y->lines);
        free(y->name);
        free(y->options);
        free(y->code);
        free(y->sources);
    }
    for (unsigned i = 0; i < s->source_count; i++) {
        free(s->sources[i].name);
        free(s->sources[i].text);
    }
    for (unsigned i = 0; i < s->launch_count; i++)
        free(s->launches[i].kernel);
    for (unsigned i = 0; i < s->alias_count; i++)
        free(s->aliases[i].name);
    free(s->aliases);
    free(s->symbols);
    free(s->sources);
    free(s->launches);
    *s = (struct symbols){0};
}

/* ---- sources ------------------------------------------------------------- */

static char *
read_text(const char *path)
{
    struct stat st;
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (f && !fstat(fileno(f), &st) && S_ISREG(st.st_mode) &&
        st.st_size <= (off_t)SOURCE_MAX_B)
        text = calloc(1, (size_t)st.st_size + 1);
    if (text && fread(text, 1, (size_t)st.st_size, f) != (size_t)st.st_size) {
        free(text);
        text = NULL;
    }
    if (f)
        fclose(f);
    return text;
}

/* Adds a source unless it is there; takes text. false: no memory. */
static bool
add_source(struct symbols *s, const char *name, char *text, unsigned *index)
{
    for (*index = 0; *index < s->source_count; ++*index) {
        if (strcmp(s->sources[*index].name, name))
            continue;
        free(text);
        return true;
    }
    struct symbol_source new = {strdup(name), text};
    void *more = realloc(s->sources, (s->source_count + 1) * sizeof new);
    if (more)
        s->sources = more;
    if (!more || !new.name) {
        free(new.name);
        free(text);
        return false;
    }
    s->sources[s->source_count++] = new;
    return true;
}

/* The text that the application passed has no file name. Observed: IGC
 * 1.0.12504 calls it "<stdin>" or, with Debian's opencl-clang, "1". */
static bool
is_passed_text(const char *path)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    return !strcmp(base, STDIN_NAME) || !strcmp(base, "1");
}

/* Passed text is named by its content. Other names are of files on this
 * machine. */
static bool
find_source(struct symbols *s, const struct symbol_program *p, const char *name,
            unsigned *index)
{
    char hash[32];
    if (!is_passed_text(name))
        return add_source(s, name, read_text(name), index);
    if (!p->source)
        return add_source(s, STDIN_NAME, NULL, index);
    snprintf(hash, sizeof hash, "%016" PRIx64 ".cl",
             (uint64_t)XXH3_64bits(p->source, strlen(p->source)));
    return add_source(s, hash, strdup(p->source), index);
}

/* Gives the kernel the lines; takes them. */
static void
set_lines(struct symbols *s, const struct symbol_program *p, struct symbol *y,
          struct line_table lines)
{
    struct line_table *kept = malloc(sizeof *kept);
    unsigned *sources = calloc(lines.file_count + 1, sizeof *sources);
    bool ok = kept && sources && !y->lines;
    for (unsigned i = 0; ok && i < lines.file_count; i++)
        ok = find_source(s, p, lines.files[i], &sources[i]);
    if (!ok) {
        line_table_free(&lines);
        free(sources);
        free(kept);
        return;
    }
    *kept = lines;
    y->lines = kept;
    y->sources = sources;
}

/* ---- kernels ------------------------------------------------------------- */

/* Whether the name is one of several with '|' between. */
static bool
has_name(const char *names, const char *name)
{
    size_t n = strlen(name);
    for (;; names++) {
        if (!strncmp(names, name, n) && (!names[n] || names[n] == '|'))
            return true;
        names = strchr(names, '|');
        if (!names)
            return false;
    }
}

static bool
add_name(struct symbol *y, const char *name)
{
    char *both;
    if (has_name(y->name, name))
        return true;
    if (asprintf(&both, "%s|%s", y->name, name) < 0)
        return false;
    free(y->name);
    y->name = both;
    return true;
}

/* NULL: no memory. */
static struct symbol *
add_kernel(struct symbols *s, const struct symbol_program *p,
           const struct program_kernel *k)
{
    for (unsigned i = 0; i < s->count; i++) {
        struct symbol *y = &s->symbols[i];
        if (y->code_B != k->code_B || memcmp(y->code, k->code, k->code_B))
            continue;
        /* The first kind of names has it. */
        bool same = !strcmp(y->from, p->from);
        return !same || add_name(y, k->name) ? y : NULL;
    }
    void *more = realloc(s->symbols, (s->count + 1) * sizeof *s->symbols);
    if (!more)
        return NULL;
    s->symbols = more;
    struct symbol *y = &s->symbols[s->count];
    *y = (struct symbol){.name = strdup(k->name),
                         .from = p->from,
                         .options = p->options ? strdup(p->options) : NULL,
                         .code = malloc(k->code_B),
                         .code_B = k->code_B};
    if (!y->name || !y->code) {
        free(y->name);
        free(y->options);
        free(y->code);
        return NULL;
    }
    memcpy(y->code, k->code, k->code_B);
    s->count++;
    return y;
}

/* Without lines, or with damaged ones, a kernel still has its name. */
static void
add_lines(struct symbols *s, const struct symbol_program *p, struct symbol *y,
          const char *name)
{
    struct line_table lines;
    struct debug_data debug;
    if (y->lines || !debug_find(p->data, p->size_B, name, &debug))
        return;
    const char *why = line_table_read(&lines, debug.lines, debug.lines_B,
                                      debug.dir);
    if (!why) {
        set_lines(s, p, y, lines);
        return;
    }
    s->damaged++;
    s->why = why;
}

const char *
symbols_add_program(struct symbols *s, const struct symbol_program *p)
{
    struct program program;
    const char *why;
    if (!program_read(&program, p->data, p->size_B, EU_GEN9, &why))
        return why;
    why = program.raw ? "not a program binary" : NULL;
    for (unsigned i = 0; i < program.kernel_count && !why; i++) {
        const struct program_kernel *k = &program.kernels[i];
        if (!k->code_B || !*k->name)
            continue;
        struct symbol *y = add_kernel(s, p, k);
        if (y)
            add_lines(s, p, y, k->name);
        else
            why = "no memory";
    }
    program_free(&program);
    return why;
}

/* ---- search -------------------------------------------------------------- */

const struct symbol *
symbols_find(const struct symbols *s, const uint8_t *code, size_t code_B,
             uint32_t *at_B)
{
    for (size_t at = 0, any = code_B != 0; any; at += CODE_ALIGN_B) {
        any = 0;
        for (unsigned i = 0; i < s->count; i++) {
            const struct symbol *y = &s->symbols[i];
            if (at > y->code_B || code_B > y->code_B - at)
                continue;
            any = code_B >= ANYWHERE_B;
            if (memcmp(y->code + at, code, code_B))
                continue;
            *at_B = (uint32_t)at;
            return y;
        }
    }
    return NULL;
}

unsigned
symbol_line(const struct symbol *y, uint32_t offset_B, unsigned *source)
{
    const struct line_row *row = y->lines ? line_table_find(y->lines, offset_B)
                                          : NULL;
    if (!row)
        return 0;
    *source = y->sources[row->file];
    return row->line;
}
