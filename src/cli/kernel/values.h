/* values.h: lists of typed values as text, for kernels' arguments. */
#ifndef CLI_KERNEL_VALUES_H
#define CLI_KERNEL_VALUES_H

#include "base/base.h"

enum value_kind { VALUE_SIGNED, VALUE_UNSIGNED, VALUE_FLOAT, VALUE_HEX };

struct value_type {
    char name[16];
    enum value_kind kind;
    unsigned element_B;
    unsigned width;  /* elements of a vector */
    unsigned room_B; /* of one vector: three elements take the room of four */
};

/* "int", "float4", ...; "hex" is bytes. name_B characters of name. */
bool value_type_find(struct value_type *type, const char *name, size_t name_B);

/* Reads values that are separated by commas (or pairs of hex digits) into
 * size_B bytes, and repeats them if there are fewer. size 0: as many as there
 * are. The caller frees *data. Returns NULL or an error message. */
const char *values_parse(const struct value_type *type, const char *text,
                         uint8_t **data, size_t *size_B);

void values_print(const struct value_type *type, const uint8_t *data,
                  size_t size_B, const char *separator);

#endif
