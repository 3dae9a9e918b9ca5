/* symbols.h: names and source lines of kernels, found by the kernels' bytes.
 *
 * Sources: what the OpenCL layer wrote (cl-layer/cl_layer_file.h), and files of
 * the user. All of it is checked: damaged data ends in a message, never in a
 * fault. Kernels of equal bytes have all their names, with '|' between.
 *
 * Callers: cli/profile; one thread. What is found belongs to the symbols. */
#ifndef CLI_SYMBOLS_SYMBOLS_H
#define CLI_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    const char *from; /* "cl-layer", "symbols" */
    char *options;    /* of its build; NULL: not known */
    uint8_t *code;
    size_t code_B;
    struct line_table *lines; /* NULL: none */
    unsigned *sources; /* of the files of lines: indices of symbols.sources */
};

struct symbols {
    struct symbol *symbols;
    unsigned count;
    struct symbol_source *sources;
    unsigned source_count;
    struct symbol_launch *launches;
    unsigned launch_count;
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

/* The kernel whose code has these bytes, and where in it; NULL: none. */
const struct symbol *symbols_find(const struct symbols *s, const uint8_t *code,
                                  size_t code_B, uint32_t *at_B);
/* The line of an instruction: 0 if there is none. source: an index of
 * symbols.sources. */
unsigned symbol_line(const struct symbol *y, uint32_t offset_B,
                     unsigned *source);

#endif
