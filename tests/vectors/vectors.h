/* vectors.h: reads vector files. The format is in README.md. */
#ifndef VECTORS_H
#define VECTORS_H

#include <stdio.h>

#include "eu/eu.h"

#define VECTOR_MAX_WORDS 64
#define VECTOR_TEXT_MAX 256

/* Expectation for one element of a register. */
enum vector_want {
    WANT_SAME, /* as before */
    WANT_BITS,
    WANT_NAN, /* any quiet one */
    WANT_ANY,
};

enum vector_bound { BOUND_EXACT, BOUND_ULP, BOUND_RELATIVE, BOUND_ABSOLUTE };

/* One changed register, in elements of size_B. */
struct vector_reg {
    uint8_t reg, size_B;
    uint8_t bound; /* enum vector_bound */
    double limit;
    uint8_t want[32]; /* enum vector_want */
    uint64_t bits[32];
};

/* A group's registers, as bytes; registers that the file does not name are
 * undefined. */
struct vector_inputs {
    char name[VECTOR_TEXT_MAX];
    enum eu_gen gen;
    uint32_t cr0, dispatch, f[2];
    uint16_t a0[16];
    uint8_t grf[EU_GRF_COUNT * EU_GRF_B];
};

struct vector {
    unsigned line; /* of its first instruction */
    unsigned insn_count, reg_count;
    uint32_t words[VECTOR_MAX_WORDS][4];
    char text[VECTOR_MAX_WORDS][VECTOR_TEXT_MAX];
    uint32_t f[2], f_care[2];
    uint16_t a0[16];
    bool fails; /* the thread ends with a guest error */
    struct vector_reg regs[32];
};

struct vector_file {
    FILE *file;
    char path[4096];
    char line[8192]; /* read ahead */
    unsigned line_number;
    bool ahead;
    struct vector_inputs inputs;
    unsigned group; /* counts groups */
};

bool vector_open(struct vector_file *f, const char *path);
/* False at the end of the file. A malformed line exits the program. */
bool vector_next(struct vector_file *f, struct vector *v);

#endif
