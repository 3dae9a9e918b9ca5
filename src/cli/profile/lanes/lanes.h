/* lanes.h: how many lanes were active in how many executions, as text, JSON and
 * CSV. Between branches the execution mask stays, so instructions of one block
 * with the same channels share a histogram.
 *
 * Callers: cli/profile; one thread. */
#ifndef CLI_PROFILE_LANES_LANES_H
#define CLI_PROFILE_LANES_LANES_H

#include "eu/profile/profile_file.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct lanes_histogram {
    uint32_t offset_B;   /* of the first instruction */
    uint32_t insn_count; /* of the same channels, from there on */
    uint8_t chan_offset, exec_size;
    uint64_t bins[PROFILE_BINS_MAX]; /* executions by active lanes */
};

/* Executions of each instruction; sum of their active lanes. */
uint64_t lanes_executions(const struct lanes_histogram *h);
uint64_t lanes_sum(const struct lanes_histogram *h);

/* A kernel's histograms. The caller frees the list. */
struct lanes_list {
    struct lanes_histogram *items;
    unsigned count, block; /* index of the first one of the last block */
};
/* Adds the histogram of one instruction, unless it never ran. False: no
 * memory. */
bool lanes_add(struct lanes_list *list, const struct lanes_histogram *h,
               bool begins_block);

/* "(16|M0), 5 instructions, 13370 times: 0: 56, 16: 13314". */
#define LANES_TEXT_B 1024
void lanes_format(char text[LANES_TEXT_B], const struct lanes_histogram *h);

/* A list for profile.json, and back. */
json_t *lanes_json(const struct lanes_list *list);
void lanes_load(struct lanes_list *list, const json_t *json);

void lanes_put_csv_head(FILE *f);
/* Lines, each with the kernel's name. */
void lanes_put_csv(FILE *f, const char *name, const struct lanes_histogram *h);

#endif
