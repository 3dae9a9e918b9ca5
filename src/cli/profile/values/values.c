/* values.c: see values.h. */
#include "cli/profile/values/values.h"

#include <inttypes.h>
#include <stdlib.h>

json_t *
value_json(uint64_t n)
{
    char text[24];
    if (n < UINT64_C(1) << 53)
        return json_integer((json_int_t)n);
    snprintf(text, sizeof text, "%" PRIu64, n);
    return json_string(text);
}

uint64_t
value_of_json(const json_t *v)
{
    if (json_is_string(v))
        return strtoull(json_string_value(v), NULL, 10);
    return (uint64_t)json_integer_value(v);
}

void
value_put_escaped(FILE *f, const char *text)
{
    for (; *text; text++) {
        if (*text == '"')
            putc('"', f);
        putc(*text, f);
    }
}

void
value_put_quoted(FILE *f, const char *text)
{
    putc('"', f);
    value_put_escaped(f, text);
    putc('"', f);
}
