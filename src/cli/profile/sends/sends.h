/* sends.h: SENDs that access memory, as text, JSON and CSV.
 *
 * Callers: cli/profile; one thread. */
#ifndef CLI_PROFILE_SENDS_H
#define CLI_PROFILE_SENDS_H

#include "eu/profile/send_counts.h"

#include <jansson.h>
#include <stdio.h>

struct profile_send {
    uint32_t offset_B; /* of the instruction */
    struct eu_send_shape shape;
    char type[40]; /* of its message; "": not known */
    struct eu_send_counts n;
};

/* Lines by the least number of lines, or passes through local memory likewise.
 * Negative: there was no such access. */
double sends_lines_ratio(const struct eu_send_counts *n);
double sends_slm_ratio(const struct eu_send_counts *n);
/* Bytes that lanes access by bytes of the lines; more than 1 where lanes share
 * them. Negative: likewise. */
double sends_used(const struct eu_send_counts *n);
void sends_add(struct eu_send_counts *sum, const struct eu_send_counts *n);

/* "64 sent: 16.0 lanes, 64 B, 1.00 lines (1.00x), 100% used, stride next". */
#define SENDS_TEXT_B 256
void sends_format(char text[SENDS_TEXT_B], const struct eu_send_counts *n);

/* A list for profile.json. Sends without messages are left out. */
json_t *sends_json(const struct profile_send *sends, unsigned count);
/* The list that sends_json() made; the caller frees it. */
struct profile_send *sends_load(const json_t *list, unsigned *count);

void sends_put_csv_head(FILE *f);
/* After the kernel's name. */
void sends_put_csv(FILE *f, const struct profile_send *s);

/* trace_copy.c: writes the trace of a profile's directory. NULL, or an error
 * message. */
const char *sends_write_trace(const char *dir, const char *file);

#endif
