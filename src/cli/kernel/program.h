/* program.h: a kernel file as a list of kernels: raw EU code, the output of
 * ocloc and NEO (an ELF file around a program of patch tokens), or a zebin.
 *
 * The reader trusts nothing: every offset is checked against the file, so that
 * arbitrary bytes end in a message, never in a fault. Values that are only used
 * when a kernel runs (offsets into its payload) are checked there. The file's
 * bytes stay the caller's and must outlive the program. */
#ifndef CLI_KERNEL_PROGRAM_H
#define CLI_KERNEL_PROGRAM_H

#include "base/base.h"
#include "eu/isa/isa.h"

/* Data that the runtime puts into the payload, or binds as a surface. */
enum program_param_kind {
    PARAM_VALUE,        /* bytes of a by-value argument */
    PARAM_BUFFER,       /* pointer and surface of a buffer argument */
    PARAM_LOCAL,        /* offset in shared local memory of an argument */
    PARAM_BUFFER_START, /* offset of a buffer in its surface */
    PARAM_LOCAL_SIZE,
    PARAM_ENQUEUED_LOCAL_SIZE,
    PARAM_GLOBAL_SIZE,
    PARAM_GLOBAL_OFFSET,
    PARAM_GROUP_COUNT,
    PARAM_WORK_DIM,
    PARAM_PRIVATE, /* memory of source_B bytes per lane (or thread) */
    PARAM_CONSTANTS,
    PARAM_GLOBALS,
    PARAM_PRINTF,
    PARAM_IMAGE,
    PARAM_SAMPLER,
    PARAM_UNKNOWN,
};

#define PROGRAM_NONE UINT32_MAX

struct program_param {
    enum program_param_kind kind;
    uint32_t arg;
    uint32_t offset_B, size_B; /* in the cross-thread data; size 0: nowhere */
    uint32_t source_B;         /* in the argument; 4 * dimension; alignment */
    uint32_t surface_B;        /* in the surface heap, or PROGRAM_NONE */
    bool per_thread;           /* PARAM_PRIVATE: not per lane */
};

struct program_kernel {
    char *name;
    const uint8_t *code;
    size_t code_B;
    unsigned simd; /* 0: unknown (a raw kernel) */
    uint32_t cross_thread_B;
    bool local_id[3];
    bool unused_per_thread; /* an unused register replaces local ids */
    bool has_barriers;
    uint32_t slm_B;
    uint32_t scratch_B; /* per thread */
    uint32_t required_local[3];
    const uint8_t *surfaces; /* templates of surface states, binding table */
    uint32_t surfaces_B, binding_table_B, binding_count;
    const char *unsupported; /* why the payload cannot be built, or NULL */
    struct program_param *params;
    unsigned param_count;
};

struct program {
    enum eu_gen gen;
    bool raw;
    const uint8_t *constants, *globals; /* initial contents */
    uint32_t constants_B, globals_B;
    struct program_kernel *kernels;
    unsigned kernel_count;
};

/* False with the reason in *why. gen is used for files that do not specify it.
 */
bool program_read(struct program *program, const void *data, size_t size_B,
                  enum eu_gen gen, const char **why);
void program_free(struct program *program);
/* The kernel of that name, or the only one if name is NULL. */
const struct program_kernel *program_find(const struct program *program,
                                          const char *name);

/* program_tokens.c, for program.c: NEO's patch tokens. */
bool program_read_tokens(struct program *program, const uint8_t *data,
                         size_t size_B, const char **why);
struct program_kernel *program_add_kernel(struct program *program,
                                          const char *name, size_t name_B);

#endif
