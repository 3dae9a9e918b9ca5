#include "cli/kernel/values.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/half.h"

#define ROUND_NEAREST 0

static const struct {
    const char *name;
    enum value_kind kind;
    unsigned element_B;
} scalars[] = {
    {"char", VALUE_SIGNED, 1},  {"uchar", VALUE_UNSIGNED, 1},
    {"short", VALUE_SIGNED, 2}, {"ushort", VALUE_UNSIGNED, 2},
    {"int", VALUE_SIGNED, 4},   {"uint", VALUE_UNSIGNED, 4},
    {"long", VALUE_SIGNED, 8},  {"ulong", VALUE_UNSIGNED, 8},
    {"half", VALUE_FLOAT, 2},   {"float", VALUE_FLOAT, 4},
    {"double", VALUE_FLOAT, 8}, {"hex", VALUE_HEX, 1},
};

bool
value_type_find(struct value_type *type, const char *name, size_t name_B)
{
    if (name_B >= sizeof type->name)
        return false;
    *type = (struct value_type){.width = 1};
    memcpy(type->name, name, name_B);
    size_t letters = 0;
    while (isalpha((unsigned char)type->name[letters]))
        letters++;
    for (unsigned i = 0; i < ARRAY_SIZE(scalars); i++) {
        if (strlen(scalars[i].name) != letters ||
            strncmp(scalars[i].name, name, letters))
            continue;
        type->kind = scalars[i].kind;
        type->element_B = scalars[i].element_B;
        if (type->name[letters])
            type->width = (unsigned)atoi(type->name + letters);
        bool known = type->width == 1 || type->width == 2 || type->width == 3 ||
                     type->width == 4 || type->width == 8 || type->width == 16;
        type->room_B = type->element_B * (type->width == 3 ? 4 : type->width);
        return known && (type->kind != VALUE_HEX || type->width == 1);
    }
    return false;
}

static bool
parse_one(const struct value_type *type, const char *text, char **end,
          uint8_t *to)
{
    if (type->kind == VALUE_FLOAT) {
        double d = strtod(text, end);
        float f = (float)d;
        uint32_t f_bits;
        memcpy(&f_bits, &f, 4);
        uint16_t h = (uint16_t)half_from_f_bits(f_bits, ROUND_NEAREST);
        const void *from = type->element_B == 8   ? (const void *)&d
                           : type->element_B == 4 ? (const void *)&f
                                                  : (const void *)&h;
        memcpy(to, from, type->element_B);
        return *end != text;
    }
    errno = 0;
    uint64_t value = *text == '-' ? (uint64_t)strtoll(text, end, 0)
                                  : strtoull(text, end, 0);
    memcpy(to, &value, type->element_B);
    return *end != text && !errno;
}

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Fills at most one byte per two characters of text. */
static const char *
parse_hex(const char *text, uint8_t *data, size_t *used_B)
{
    for (; *text; text += 2) {
        int high = hex_digit(text[0]), low = hex_digit(text[1]);
        if (high < 0 || low < 0)
            return "not pairs of hex digits";
        data[(*used_B)++] = (uint8_t)(high << 4 | low);
    }
    return NULL;
}

static const char *
parse_list(const struct value_type *type, const char *text, uint8_t *data,
           size_t *used_B)
{
    char *end = (char *)text;
    for (size_t i = 0; *text; i++) {
        size_t at = i / type->width * type->room_B +
                    i % type->width * type->element_B;
        if (!parse_one(type, text, &end, data + at) || (*end && *end != ','))
            return "not a list of values";
        *used_B = (i / type->width + 1) * type->room_B;
        text = *end ? end + 1 : end;
    }
    return NULL;
}

const char *
values_parse(const struct value_type *type, const char *text, uint8_t **data,
             size_t *size_B)
{
    /* A value takes a character at least, and a comma; vectors of three
     * have holes. */
    size_t room_B = (strlen(text) + 1) * type->element_B * 2 + type->room_B;
    size_t used_B = 0;
    if (*size_B > SIZE_MAX / 4)
        return "too large";
    uint8_t *out = calloc(1, MAX2(room_B, *size_B) + 1);
    if (!out)
        return "out of memory";
    const char *why = type->kind == VALUE_HEX
                          ? parse_hex(text, out, &used_B)
                          : parse_list(type, text, out, &used_B);
    if (why) {
        free(out);
        return why;
    }
    if (!*size_B)
        *size_B = used_B;
    for (size_t i = used_B; used_B && i < *size_B; i++)
        out[i] = out[i - used_B];
    *data = out;
    return NULL;
}

static void
print_one(const struct value_type *type, const uint8_t *data)
{
    uint64_t bits = 0;
    memcpy(&bits, data, type->element_B);
    if (type->kind == VALUE_UNSIGNED) {
        printf("%llu", (unsigned long long)bits);
    } else if (type->kind == VALUE_SIGNED) {
        unsigned shift = 64 - type->element_B * 8;
        printf("%lld", (long long)((int64_t)(bits << shift) >> shift));
    } else if (type->element_B == 8) {
        double d;
        memcpy(&d, &bits, sizeof d);
        printf("%.17g", d);
    } else {
        uint32_t f_bits = type->element_B == 2 ? half_to_f_bits((uint32_t)bits)
                                               : (uint32_t)bits;
        float f;
        memcpy(&f, &f_bits, sizeof f);
        printf("%.9g", (double)f);
    }
}

void
values_print(const struct value_type *type, const uint8_t *data, size_t size_B,
             const char *separator)
{
    if (type->kind == VALUE_HEX) {
        for (size_t i = 0; i < size_B; i++)
            printf("%02x", data[i]);
        return;
    }
    bool first = true;
    for (size_t at = 0; at + type->room_B <= size_B; at += type->room_B)
        for (unsigned i = 0; i < type->width; i++) {
            printf("%s", first ? "" : separator);
            print_one(type, data + at + i * type->element_B);
            first = false;
        }
}
