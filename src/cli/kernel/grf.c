/* grf.c: an initial register file: 4096 bytes, or lines of
 * `rN[.SUB][:TYPE] VALUE...`, where SUB counts in TYPE's elements and # begins
 * a comment. */
#include "cli/kernel/eu_run.h"
#include "cli/kernel/read_file.h"

#include <stdlib.h>

/* Names of the EU's types. */
static const char *const type_names[][2] = {
    {"ub", "uchar"}, {"b", "char"},  {"uw", "ushort"}, {"w", "short"},
    {"ud", "uint"},  {"d", "int"},   {"uq", "ulong"},  {"q", "long"},
    {"hf", "half"},  {"f", "float"}, {"df", "double"},
};

static bool
find_type(struct value_type *type, const char *name)
{
    for (unsigned i = 0; i < ARRAY_SIZE(type_names); i++)
        if (!strcmp(type_names[i][0], name))
            return value_type_find(type, type_names[i][1],
                                   strlen(type_names[i][1]));
    return false;
}

static bool
read_line(struct eu_thread *t, char *line, const char **why)
{
    char *save, *name = strtok_r(line, " \t\r=", &save), *end;
    if (!name)
        return true;
    struct value_type type;
    char *colon = strchr(name, ':');
    if (colon)
        *colon = 0;
    *why = "an unknown type of register";
    if (!find_type(&type, colon ? colon + 1 : "ud"))
        return false;
    *why = "a line that does not begin with a register";
    if (*name != 'r')
        return false;
    unsigned long reg = strtoul(name + 1, &end, 10), sub = 0;
    if (end == name + 1)
        return false;
    if (*end == '.')
        sub = strtoul(end + 1, &end, 10);
    if (*end || reg >= EU_GRF_COUNT || sub >= EU_GRF_B)
        return false;
    size_t at = reg * EU_GRF_B + sub * type.element_B;
    for (char *word; (word = strtok_r(NULL, " \t\r=,", &save));) {
        uint8_t *data;
        size_t size_B = 0;
        *why = values_parse(&type, word, &data, &size_B);
        if (*why)
            return false;
        bool fits = at + size_B <= sizeof t->grf;
        if (fits)
            memcpy(t->grf + at, data, size_B);
        free(data);
        *why = "values beyond the last register";
        if (!fits)
            return false;
        at += size_B;
    }
    return true;
}

static bool
read_text(struct eu_thread *t, char *text, const char **why)
{
    char *save;
    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        line[strcspn(line, "#")] = 0;
        if (!read_line(t, line, why))
            return false;
    }
    return true;
}

bool
grf_read(struct eu_thread *t, const char *path, const char **why)
{
    size_t size_B;
    uint8_t *data = read_file(path, &size_B);
    *why = "no register file";
    if (!data)
        return false;
    bool ok = true;
    if (size_B == sizeof t->grf) {
        memcpy(t->grf, data, size_B);
    } else {
        char *text = strndup((const char *)data, size_B);
        *why = "out of memory";
        ok = text && read_text(t, text, why);
        free(text);
    }
    free(data);
    return ok;
}
