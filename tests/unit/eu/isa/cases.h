/* cases.h: test data of one case per line, two columns. */
#ifndef EU_TEST_CASES_H
#define EU_TEST_CASES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

struct case_line {
    char text[512];
    const char *second; /* after the tab, without newline */
    uint8_t bytes[16];
    unsigned bytes_B;
};

static inline unsigned
case_parse_hex(uint8_t *bytes, unsigned room_B, const char *hex)
{
    unsigned n = 0;
    unsigned value;
    while (n < room_B && sscanf(hex + n * 2, "%2x", &value) == 1)
        bytes[n++] = (uint8_t)value;
    return n;
}

static inline bool
case_next(struct case_line *c, FILE *file)
{
    if (!fgets(c->text, sizeof c->text, file))
        return false;
    c->text[strcspn(c->text, "\n")] = '\0';
    char *tab = strchr(c->text, '\t');
    if (!tab)
        return false;
    *tab = '\0';
    c->second = tab + 1;
    c->bytes_B = case_parse_hex(c->bytes, sizeof c->bytes, c->text);
    return true;
}

static inline FILE *
case_open(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", EU_TEST_DATA, name);
    return fopen(path, "r");
}

#endif
