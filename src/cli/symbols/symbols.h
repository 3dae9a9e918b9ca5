/* symbols.h: names and source lines of kernels, found by the kernels' bytes.
 *
 * Sources: what the OpenCL layer wrote (cl-layer/cl_layer_file.h), and files of
 * the user. All of it is checked: damaged data ends in a message, never in a
 * fault. Kernels of equal bytes have all their names, with '|' between.
 *
 * Callers: cli/profile; one thread. The symbols own all results. */
#ifndef CLI_SYMBOLS_SYMBOLS_H
#define CLI_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A source file. text: NULL if it is not known. */
struct symbol_source {
    char *name;
    char *text;
};

struct symbol_launch {
    char *kernel;
    unsigned dims;
    uint64_t global[3], local[3]; /* local 0: chosen by the driver */
    uint64_t count;
};

struct line_table;

/* A kernel that has a name. */
struct symbol {
    char *name;
    const char *from; /* "cl-layer", "cl-driver", "symbols" */
    char *options;    /* of its build; NULL: not known */
    uint8_t *code;
    size_t code_B;
    struct line_table *lines; /* NULL: none */
    unsigned *sources; /* of the files of lines: indices of symbols.sources */
};

/* What Mesa's compiler says of its code. */
struct symbol_mesa {
    bool known;
    uint64_t instructions, cycles, spills, fills;
};

/* A name by the hash of the code: XXH3 or SHA-1, in hexadecimal digits. */
struct symbol_alias {
    char hash[41];
    char *name;       /* NULL: none */
    const char *from; /* "symbols", "mesa-log" */
    struct symbol_mesa mesa;
};

struct symbols {
    struct symbol *symbols;
    unsigned count;
    struct symbol_source *sources;
    unsigned source_count;
    struct symbol_launch *launches;
    unsigned launch_count;
    struct symbol_alias *aliases;
    unsigned alias_count;
    unsigned damaged; /* programs that could not be read */
    const char *why;  /* the last of them could not */
};

void symbols_free(struct symbols *s);
/* cl_layer_read.c: adds what the layer left in the directory. */
void symbols_add_layer(struct symbols *s, const char *dir);
/* One file with a program. NULL, or why it cannot be read. */
const char *symbols_add_layer_program(struct symbols *s, const uint8_t *data,
                                      size_t size_B);

/* A program binary: of clGetProgramInfo() or of ocloc. source, options: NULL if
 * not known. NULL, or why it cannot be read. */
struct symbol_program {
    const void *data;
    size_t size_B;
    const char *source, *options, *from;
};
const char *symbols_add_program(struct symbols *s,
                                const struct symbol_program *p);

/* symbol_alias.c: a file of the user: a program binary, or lines of a hash and
 * a name. Each returns NULL, or why it cannot be read. */
const char *symbols_add_file(struct symbols *s, const char *path);
const char *symbols_add_bytes(struct symbols *s, const void *data,
                              size_t size_B);
/* What Mesa printed with INTEL_DEBUG. */
const char *symbols_add_mesa_log(struct symbols *s, const char *path);
const char *symbols_add_mesa_stream(struct symbols *s, FILE *f);
/* The last one added of those from there; NULL: none. */
const struct symbol_alias *
symbols_find_alias(const struct symbols *s, const char *hash, const char *from);

/* The kernel whose code has these bytes, and where in it; NULL: none. */
const struct symbol *symbols_find(const struct symbols *s, const uint8_t *code,
                                  size_t code_B, uint32_t *at_B);
/* The line of an instruction: 0 if there is none. source: an index of
 * symbols.sources. */
unsigned symbol_line(const struct symbol *y, uint32_t offset_B,
                     unsigned *source);

#endif
