/* symbol_alias.c: names by the hash of the code: of a user's table, and of what
 * Mesa prints with INTEL_DEBUG. */
#include "cli/kernel/read_file.h"
#include "cli/symbols/symbols.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_DIGITS 16u   /* XXH3, as of kernels without a name */
#define SHA1_DIGITS 40u /* Mesa's */

static bool
is_hash(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isxdigit((unsigned char)text[i]) ||
            isupper((unsigned char)text[i]))
            return false;
    return length == ID_DIGITS || length == SHA1_DIGITS;
}

/* Takes the name; NULL is for code that keeps its hash. */
static struct symbol_alias *
add_alias(struct symbols *s, const char *hash, size_t hash_B, char *name,
          const char *from)
{
    void *more = realloc(s->aliases, (s->alias_count + 1) * sizeof *s->aliases);
    if (!more) {
        free(name);
        return NULL;
    }
    s->aliases = more;
    struct symbol_alias *a = &s->aliases[s->alias_count++];
    *a = (struct symbol_alias){.name = name, .from = from};
    memcpy(a->hash, hash, hash_B);
    return a;
}

const struct symbol_alias *
symbols_find_alias(const struct symbols *s, const char *hash, const char *from)
{
    for (unsigned i = s->alias_count; i--;)
        if (!strcmp(s->aliases[i].hash, hash) &&
            !strcmp(s->aliases[i].from, from))
            return &s->aliases[i];
    return NULL;
}

/* ---- a table: hash and name in each line --------------------------------- */

static const char *
add_table_line(struct symbols *s, const char *line, size_t length)
{
    while (length && isspace((unsigned char)*line)) {
        line++;
        length--;
    }
    while (length && isspace((unsigned char)line[length - 1]))
        length--;
    if (!length || *line == '#')
        return NULL;
    size_t n = strcspn(line, " \t");
    if (n >= length || !is_hash(line, n))
        return "a line that is not 'HASH NAME'";
    const char *name = line + n + strspn(line + n, " \t");
    char *copy = strndup(name, length - (size_t)(name - line));
    if (!copy || !add_alias(s, line, n, copy, "symbols"))
        return "no memory";
    return NULL;
}

static const char *
add_table(struct symbols *s, const char *text, size_t size_B)
{
    const char *why = NULL;
    while (size_B && !why) {
        const char *end = memchr(text, '\n', size_B);
        size_t length = end ? (size_t)(end - text) : size_B;
        char *line = strndup(text, length);
        why = line ? add_table_line(s, line, strlen(line)) : "no memory";
        free(line);
        length += end != NULL;
        text += length;
        size_B -= length;
    }
    return why;
}

const char *
symbols_add_bytes(struct symbols *s, const void *data, size_t size_B)
{
    if (size_B >= 4 &&
        (!memcmp(data, "\177ELF", 4) || !memcmp(data, "CTNI", 4)))
        return symbols_add_program(
            s, &(struct symbol_program){
                   .data = data, .size_B = size_B, .from = "symbols"});
    return add_table(s, data, size_B);
}

const char *
symbols_add_file(struct symbols *s, const char *path)
{
    size_t size_B;
    uint8_t *data = read_file(path, &size_B);
    const char *why = data ? symbols_add_bytes(s, data, size_B)
                           : "cannot be read";
    free(data);
    return why;
}

/* ---- Mesa's log ---------------------------------------------------------- */

/* Observed: Mesa 22.3.6, INTEL_DEBUG=vs,fs,cs:
 *   Native code for unnamed fragment shader GLSL1 (sha1 c23e...)
 *   SIMD8 shader: 46 instructions. 1 loops. 1846 cycles. 0:0 spills:fills, ...
 * Later releases have more in brackets before the SHA-1. */
#define NATIVE_CODE "Native code for "

static const struct {
    const char *mesa, *stage;
} stages[] = {
    {"vertex", "vs"},
    {"tessellation control", "hs"},
    {"tessellation evaluation", "ds"},
    {"geometry", "gs"},
    {"fragment", "fs"},
    {"compute", "cs"},
};

/* "unnamed fragment shader GLSL1" becomes fs_GLSL1, and a label comes first.
 * NULL: it says nothing but the stage, or there is no memory. */
static char *
make_name(const char *title, size_t length)
{
    char *name = NULL, *copy = strndup(title, length);
    for (unsigned i = 0; copy && i < sizeof stages / sizeof *stages; i++) {
        char word[64];
        snprintf(word, sizeof word, "%s shader ", stages[i].mesa);
        char *found = strstr(copy, word);
        if (!found || (found != copy && found[-1] != ' '))
            continue;
        const char *rest = found + strlen(word);
        *(found == copy ? found : found - 1) = 0;
        bool label = *copy && strcmp(copy, "unnamed");
        bool named = *rest && strcmp(rest, "(null)");
        if ((label || named) &&
            asprintf(&name, "%s%s%s%s%s", stages[i].stage, label ? "_" : "",
                     label ? copy : "", named ? "_" : "",
                     named ? rest : "") < 0)
            name = NULL;
        break;
    }
    free(copy);
    for (char *c = name; c && *c; c++)
        if (isspace((unsigned char)*c) || *c == '|' || *c == ';')
            *c = '_';
    return name;
}

static bool
read_title(struct symbols *s, const char *line)
{
    const char *title = line + strlen(NATIVE_CODE);
    const char *sha1 = strstr(title, "(sha1 ");
    size_t length = strcspn(title, "(");
    /* A name may be "(null)". */
    if (!strncmp(title + length, "(null)", 6))
        length += 6;
    if (!sha1 || !is_hash(sha1 + 6, strcspn(sha1 + 6, ")")))
        return false;
    while (length && title[length - 1] == ' ')
        length--;
    struct symbol_alias *a = add_alias(s, sha1 + 6, strcspn(sha1 + 6, ")"),
                                       make_name(title, length), "mesa-log");
    return a;
}

/* The line after the title. */
static void
read_numbers(struct symbol_alias *a, const char *line)
{
    unsigned simd, instructions, loops;
    unsigned long long cycles, spills, fills;
    char *named;
    if (sscanf(line,
               "SIMD%u shader: %u instructions. %u loops. %llu cycles. "
               "%llu:%llu spills:fills",
               &simd, &instructions, &loops, &cycles, &spills, &fills) != 6)
        return;
    a->mesa = (struct symbol_mesa){true, instructions, cycles, spills, fills};
    if (a->name && asprintf(&named, "%s_simd%u", a->name, simd) >= 0) {
        free(a->name);
        a->name = named;
    }
}

const char *
symbols_add_mesa_stream(struct symbols *s, FILE *f)
{
    char *line = NULL;
    size_t room = 0;
    unsigned before = s->alias_count;
    bool after_title = false;
    while (getline(&line, &room, f) > 0) {
        if (after_title)
            read_numbers(&s->aliases[s->alias_count - 1], line);
        after_title = !strncmp(line, NATIVE_CODE, strlen(NATIVE_CODE)) &&
                      read_title(s, line);
    }
    free(line);
    return s->alias_count > before
               ? NULL
               : "has no shader of INTEL_DEBUG=vs,tcs,tes,gs,fs,cs";
}

const char *
symbols_add_mesa_log(struct symbols *s, const char *path)
{
    FILE *f = fopen(path, "re");
    const char *why = f ? symbols_add_mesa_stream(s, f) : "cannot be read";
    if (f)
        fclose(f);
    return why;
}
