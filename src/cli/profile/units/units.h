/* units.h: what single draws and dispatches have executed (--per): read from
 * the files "units" of eu/profile/profile_file.h or from profile.json, written
 * as tables and as lists of profile.json.
 *
 * Callers: cli/profile; one thread. The caller owns a struct units and frees it
 * with units_free(). */
#ifndef CLI_PROFILE_UNITS_UNITS_H
#define CLI_PROFILE_UNITS_UNITS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNIT_NAME_B 128
#define UNIT_STAGES 6

/* A kernel of a unit. lanes and channels: of instructions that heed the
 * execution mask. */
struct unit_part {
    char name[UNIT_NAME_B];
    uint64_t hash;
    unsigned stage, simd; /* stage: of PROFILE_STAGES */
    uint64_t threads, insn, lanes, channels;
};

struct unit {
    bool is_dispatch;
    uint32_t pid, frame;
    uint64_t submit, number;
    uint32_t size[3]; /* groups; or vertices, instances, topology */
    uint32_t local;   /* work items of a group */
    struct unit_part *parts;
    unsigned part_count;
};

struct units {
    struct unit *list; /* in the order in which they ended */
    size_t count;
    bool has_lanes;
    bool incomplete; /* there were too many */
};

/* Rows of tables. */
enum units_per {
    PER_KERNEL, /* no units */
    PER_FRAME,
    PER_SUBMIT,
    PER_DRAW,
    PER_DISPATCH,
    PER_SHADER, /* all draws, or dispatches, with the same shaders */
    PER_COUNT
};
/* False: there is no such word. */
bool units_parse_per(const char *word, enum units_per *per);

/* Sums up the counters of one part; count: of its pairs. False: unknown. */
struct profile_part;
struct profile_pair;
typedef bool (*units_sum_fn)(void *data, uint64_t process,
                             const struct profile_part *part,
                             const struct profile_pair *pairs,
                             struct unit_part *sum);
/* Reads what processes left in the directory; NULL, or an error message. */
const char *units_read(struct units *u, const char *dir, units_sum_fn sum,
                       void *data);
void units_free(struct units *u);

/* Names the parts, or drops those for which it is false, and units without
 * parts. */
typedef bool (*units_keep_fn)(void *data, struct unit_part *part);
void units_select(struct units *u, units_keep_fn keep, void *data);

/* Tables of a directory. NULL, or an error message. */
const char *units_write_csv(const struct units *u, enum units_per per,
                            const char *dir);
/* The lists of profile.json, keys of the whole object. */
void units_set_json(const struct units *u, json_t *profile);
void units_load_json(struct units *u, const json_t *profile, bool has_lanes);

#endif
