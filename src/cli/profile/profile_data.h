/* profile_data.h: a profile in memory: kernels, and counts of their
 * instructions.
 *
 * Callers: the commands of this sub-room; one thread. The caller owns a struct
 * profile and frees it with profile_free(). */
#ifndef CLI_PROFILE_PROFILE_DATA_H
#define CLI_PROFILE_PROFILE_DATA_H

#include "cli/cycles/cycles.h"
#include "cli/profile/choice/choice.h"
#include "cli/profile/lanes/lanes.h"
#include "cli/profile/sends/sends.h"
#include "cli/profile/units/units.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_NAME_B 128

/* Groups of instructions, as VTune's. */
#define PROFILE_GROUPS(X)           \
    X(CONTROL, "control flow")      \
    X(SEND, "send and wait")        \
    X(16, "int16 and half float")   \
    X(32, "int32 and float")        \
    X(64, "int64 and double float") \
    X(OTHER, "other")

enum profile_group {
#define X(id, name) PROFILE_GROUP_##id,
    PROFILE_GROUPS(X)
#undef X
        PROFILE_GROUP_COUNT
};
extern const char *const profile_group_names[PROFILE_GROUP_COUNT];

/* Instructions that rules ask for. */
#define PROFILE_KINDS(X)                                           \
    X(OTHER, "other")                                              \
    X(MOV, "mov")                                                  \
    X(MATH, "math")                                                \
    X(MUL32, "mul32") /* whose factors are both 32-bit integers */ \
    X(SPILL, "spill") /* a register to scratch memory */           \
    X(FILL, "fill")   /* and back */

enum profile_kind {
#define X(id, name) PROFILE_KIND_##id,
    PROFILE_KINDS(X)
#undef X
        PROFILE_KIND_COUNT
};
extern const char *const profile_kind_names[PROFILE_KIND_COUNT];

/* Precisions, by the groups of instructions that compute in them. */
#define PROFILE_FLOATS(X)   \
    X(F16, "f16", GROUP_16) \
    X(F32, "f32", GROUP_32) \
    X(F64, "f64", GROUP_64)

enum profile_float {
#define X(id, name, group) PROFILE_##id,
    PROFILE_FLOATS(X)
#undef X
        PROFILE_FLOAT_COUNT
};
extern const char *const profile_float_names[PROFILE_FLOAT_COUNT];

/* Executions of a branch, by the active lanes that take it, and the sum of
 * these lanes. none: also executions without active lanes. */
struct profile_branch {
    uint64_t all, none, divergent, lanes;
};

/* Messages of a kernel with one shared function and type. */
#define PROFILE_MESSAGE_B 40
struct profile_message {
    char function[PROFILE_MESSAGE_B], type[PROFILE_MESSAGE_B]; /* "": unknown */
    uint64_t count;                                            /* sent */
    uint64_t lanes; /* active lanes, if the profile has lanes */
};

struct profile_insn {
    uint32_t offset_B;
    uint8_t exec_size; /* channels */
    uint8_t chan_offset;
    uint8_t fixed_lanes;            /* 0: heeds the execution mask */
    uint8_t group;                  /* enum profile_group */
    uint8_t kind;                   /* enum profile_kind */
    uint8_t flops;                  /* float operations of a lane */
    bool has_branch, usually_taken; /* of eu/isa/isa.h */
    bool begins_block;
    uint16_t message; /* 1 + index of the kernel's message; 0: none */
    char *text;       /* disassembly */
    struct cycles_cost model[CYCLES_TABLES]; /* if the kernel has a model */
    uint64_t count;                          /* executions */
    /* Only of a profile that has lanes: */
    uint64_t lanes; /* sum of active lanes, predicates apart */
    struct profile_branch branch;
    uint32_t line;   /* 0: not known */
    uint32_t source; /* index of the profile's sources */
};

/* A source file. text: NULL if it is not known. */
struct profile_source {
    char *name, *text;
};

/* What Mesa's compiler said of its code. */
struct profile_mesa {
    bool known;
    uint64_t instructions, cycles, spills, fills;
};

/* Work sizes with which a kernel was started. */
struct profile_launch {
    unsigned dims;
    uint64_t global[3], local[3]; /* local 0: chosen by the driver */
    uint64_t count;
};

struct profile_code {
    char name[PROFILE_NAME_B];
    /* "cl-layer", "cl-driver", "symbols", "mesa-log"; "": stage, hash and width
     */
    char name_from[12];
    uint64_t hash;
    char sha1[41]; /* of the code, as Mesa prints it; "": not known */
    struct profile_mesa mesa;
    char stage[8];
    unsigned simd; /* 0: not known */
    uint32_t size_B;
    uint8_t *code; /* NULL: not known */
    char *options; /* of its build; NULL: not known */
    struct profile_launch *launches;
    unsigned launch_count;
    struct profile_insn *insns;
    uint32_t insn_count;
    uint64_t *bins; /* PROFILE_BINS_MAX of each, while a profile is read */
    struct lanes_list histograms; /* if the profile has lanes */
    struct profile_message *messages;
    unsigned message_count;
    /* If the profile has memory: SENDs, in the order of their instructions, and
     * the sum of their counts. */
    struct profile_send *sends;
    unsigned send_count;
    struct eu_send_counts memory;
    /* If the profile has a timeline: how long this host worked on draws and
     * dispatches whose last kernel it is. */
    uint64_t host_ns;
    uint64_t threads;   /* executions of the first instruction */
    uint64_t executed;  /* instructions */
    uint64_t all_lanes; /* of all instructions */
    /* Of instructions that heed the execution mask: active lanes, channels. */
    uint64_t lanes, channels;
    uint64_t group[PROFILE_GROUP_COUNT];
    uint64_t spills, fills; /* executed messages */
    /* Float operations of active lanes by precision, if the profile has lanes.
     */
    uint64_t flops[PROFILE_FLOAT_COUNT];
    struct cycles_live live; /* registers; 0: not known */
    bool has_model;
    struct cycles_bounds model[CYCLES_TABLES];
};

/* What limits a kernel: a rule whose threshold it passes. */
struct profile_finding {
    unsigned kernel; /* index */
    const char *rule;
    double value, limit;
    bool has_place;
    uint32_t offset_B; /* of the instruction that counts most */
    char text[256];
};

struct profile {
    struct profile_code *kernels; /* most executed instructions first */
    unsigned kernel_count;
    struct profile_source *sources;
    unsigned source_count;
    unsigned process_count;
    unsigned not_counted; /* kernels that found no counters */
    uint64_t lost_pages;  /* of counters, without room in the file system */
    json_t *timeline;     /* timeline/timeline.h; NULL: not measured */
    struct units units;   /* draws and dispatches, if they were told apart */
    json_t *draws, *draw_sums; /* pixels/pixels.h; likewise */
    json_t *targets, *texels;  /* likewise */
    struct pixels_maps *maps;  /* of the targets; NULL: only of a run */
    bool has_lanes;            /* lanes and branches were counted */
    bool has_memory;           /* memory accesses were counted */
    struct cycles_model model;
    uint64_t executed;
    uint64_t all_lanes, lanes, channels; /* as of a kernel */
    struct eu_send_counts memory;
};

/* SIMD efficiency: the part of the channels that was active, or a negative
 * number if there was none. */
static inline double
profile_efficiency(uint64_t lanes, uint64_t channels)
{
    return channels ? (double)lanes / (double)channels : -1;
}

void profile_free(struct profile *p);
/* The number of such a message in profile_insn.message; 0: no memory. The names
 * may be NULL. */
uint16_t profile_add_message(struct profile_code *k, const char *function,
                             const char *type);
/* The memory accesses of an instruction, or NULL. */
const struct profile_send *profile_find_send(const struct profile_code *k,
                                             const struct profile_insn *n);
/* Sums up the kernels, names and sorts them. */
void profile_finish(struct profile *p);
/* Another order of the kernels: a key of --sort. False: there is no such key.
 */
enum profile_sort {
    PROFILE_BY_INSN,
    PROFILE_BY_LANES,
    PROFILE_BY_THREADS,
    PROFILE_BY_SIZE,
    PROFILE_BY_NAME,
    PROFILE_BY_STAGE,
    PROFILE_BY_BYTES,
    PROFILE_BY_MODEL,
    PROFILE_BY_TIME,
    PROFILE_SORT_COUNT
};
bool profile_parse_sort(const char *text, enum profile_sort *key);
void profile_sort(struct profile *p, enum profile_sort key);
/* profile_symbols.c: names kernels and instructions' lines. NULL, or an error
 * message. */
struct symbols;
const char *profile_set_symbols(struct profile *p, const struct symbols *s);
/* The text of a line, and its length; NULL: not known. */
const char *profile_source_line(const struct profile *p, unsigned source,
                                uint32_t line, size_t *size_B);
/* The source of the first instruction that has one, or source_count. */
unsigned profile_first_source(const struct profile *p,
                              const struct profile_code *k);
/* Drops the kernels that match no pattern of names, or another stage than those
 * of a list; NULL: all match. */
void profile_select(struct profile *p, const char *kernels, const char *stages);

struct profile_kernel; /* eu/profile/profile_file.h */
/* profile_decode.c: the instructions of the kernel. False: no memory. */
bool profile_decode(struct profile_code *c, const struct profile_kernel *k);
/* profile_read.c: reads what processes left in the directory, or a snapshot by
 * its number, from 1. NULL, or why it cannot be read. */
const char *profile_read(struct profile *p, const char *dir, unsigned snapshot);
/* profile_data.c: gives the kernels of units the names that the profile has. */
void profile_name_units(struct profile *p);

#define PROFILE_SCHEMA 1
/* profile_json.c, profile_load.c. Each returns NULL, or an error message. */
struct profile_origin {
    char **command;       /* NULL-terminated */
    const char *switches; /* the shortcuts that were off, or NULL */
    const char *platform; /* as --platform names it, or NULL */
    int status;
};
const char *profile_write_json(const struct profile *p,
                               const struct profile_origin *from,
                               const char *file);
/* An object a line: the profile without its tables, then each row of them. */
const char *profile_write_json_lines(const struct profile *p,
                                     const struct profile_origin *from,
                                     const char *file);
const char *profile_write_html(const struct profile *p,
                               const struct profile_origin *from,
                               const char *file);
/* from: NULL, or set to what the file says; the caller frees it. */
const char *profile_load_json(struct profile *p, struct profile_origin *from,
                              const char *file);
void profile_free_origin(struct profile_origin *from);

#define PROFILE_FINDINGS 64 /* listed */
/* profile_rules.c: finds what limits kernels; at most max. */
unsigned profile_find(const struct profile *p, struct profile_finding *found,
                      unsigned max);

/* Parses an expression of --fail-if, 'insn>N'. False: wrong syntax. p: NULL to
 * check that alone. A value that was not measured is neither above nor below.
 */
bool profile_judge(const char *expr, const struct profile *p, bool *is_true);

/* profile_summary.c: prints the first kernels. switches: the shortcuts that are
 * off for exact counts, or NULL. */
void profile_print_summary(const struct profile *p, unsigned top,
                           const char *switches);

/* profile_export.c: other formats. Each returns NULL, or an error message. */
const char *profile_write_csv(const struct profile *p, const char *dir,
                              enum units_per per);
/* profile_callgrind.c. The files that callgrind's readers open go to
 * directories beside it. */
const char *profile_write_callgrind(const struct profile *p,
                                    const struct profile_origin *from,
                                    const char *file);
const char *profile_write_folded(const struct profile *p, const char *file);
const char *profile_write_speedscope(const struct profile *p, const char *file);

/* profile_timeline.c: what processes left in the directory. */
void profile_read_timeline(struct profile *p, const char *dir);
/* Sums up the host's time by kernels. */
void profile_sum_timeline(struct profile *p);
void profile_read_pixels(struct profile *p, const char *dir, bool overdraw);
const char *profile_write_overdraw(const struct profile *p, const char *dir);
const char *profile_write_perfetto(const struct profile *p, const char *file);
const char *profile_write_chrome(const struct profile *p, const char *file);

/* profile_pprof.c. */
const char *profile_write_pprof(const struct profile *p,
                                const struct profile_origin *from,
                                const char *file);

/* profile_child.c: runs the command with counters in a new directory, whose
 * path it writes; an exit status. The caller removes the directory with
 * profile_remove(). */
struct profile_run {
    char dir[64];
    const char *switches; /* SOFTLAKE_PERF for exact counts, or NULL */
    bool lanes;           /* counts lanes and branches, too */
    bool memory;          /* and memory accesses */
    bool accesses;        /* writes down each of them */
    bool times;           /* tells when work ran */
    bool pixels;          /* counts what becomes of pixels of draws */
    bool overdraw;        /* and how often each pixel is written */
    bool texels;          /* and which texels are read */
    bool debug_info;      /* OpenCL programs are built with -g */
    struct choice *choice;
    /* Called again and again while the command runs; NULL: not needed. */
    void (*look)(void *data);
    void *data;
};
int profile_run(struct profile_run *run, char **argv);
void profile_remove(const struct profile_run *run);

#endif
