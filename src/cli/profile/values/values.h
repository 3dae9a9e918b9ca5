/* values.h: numbers of profile.json and texts of tables, as all parts of a
 * profile write and read them.
 *
 * Callers: cli/profile; one thread. */
#ifndef CLI_PROFILE_VALUES_VALUES_H
#define CLI_PROFILE_VALUES_VALUES_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* A count. Above 2^53 it is a string, because many readers have doubles only.
 */
json_t *value_json(uint64_t n);
/* The count of value_json(); 0 for NULL. */
uint64_t value_of_json(const json_t *v);

/* A field of CSV (RFC 4180): quotes are doubled. */
void value_put_escaped(FILE *f, const char *text);
/* The same between quotes. */
void value_put_quoted(FILE *f, const char *text);

#endif
