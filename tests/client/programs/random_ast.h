/* random_ast.h: random integer programs, in GLSL and in OpenCL C.
 *
 * A seed defines a program. Its tree is printed as source text for a stock
 * driver and evaluated here, in plain C, for every invocation; the results must
 * agree. All operations are total: shift counts are masked, divisors are never
 * 0 or -1, and signed arithmetic of OpenCL goes through unsigned types. So no
 * compiler may assume anything. Nothing here knows the GPU. No state but the
 * caller's struct rp_program. */
#ifndef CLIENT_RANDOM_AST_H
#define CLIENT_RANDOM_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define RP_VARS 12
#define RP_ARRAYS 3
#define RP_MAX_ELEMENTS 16
#define RP_INVOCATIONS 64
#define RP_INPUTS (RP_INVOCATIONS * RP_VARS + 1) /* and a zero */
#define RP_OUTPUTS (RP_VARS + RP_ARRAYS * RP_MAX_ELEMENTS)

enum rp_type {
    RP_BOOL, /* of conditions only */
    RP_I8,
    RP_U8,
    RP_I16,
    RP_U16,
    RP_I32,
    RP_U32,
    RP_I64,
    RP_U64,
    RP_TYPES
};

enum rp_language { RP_GLSL, RP_OPENCL };
enum rp_stage { RP_COMPUTE, RP_FRAGMENT, RP_VERTEX, RP_STAGES };

enum rp_kind { RP_CONST, RP_VAR, RP_ELEMENT, RP_CONVERT, RP_SATURATE, RP_OP };

struct rp_op;

struct rp_expr {
    enum rp_kind kind;
    enum rp_type type;
    unsigned index; /* of a variable or an array */
    int64_t value;  /* of a constant */
    const struct rp_op *op;
    struct rp_expr *arg[3];
};

enum rp_what { RP_ASSIGN, RP_STORE, RP_IF, RP_FOR, RP_BREAK, RP_CONTINUE };

struct rp_stmt {
    enum rp_what what;
    bool dropped;   /* while a failing program is made smaller */
    unsigned index; /* of a variable, an array or a counter */
    struct rp_expr *a, *b;
    struct rp_stmt *body, *other, *next;
};

struct rp_array {
    enum rp_type type;
    unsigned count; /* a power of two */
};

struct rp_program {
    enum rp_language language;
    enum rp_stage stage;
    uint64_t seed, random;
    bool wide;     /* GLSL: has 64-bit integers */
    unsigned simd; /* OpenCL: the sub-group's size, or 0 */
    unsigned var_count, array_count, stmt_count;
    enum rp_type var[RP_VARS];
    bool uniform[RP_VARS]; /* all invocations begin with the same value */
    struct rp_array array[RP_ARRAYS];
    unsigned counters; /* of loops */
    struct rp_stmt *first;
    struct rp_expr *exprs;
    struct rp_stmt *stmts;
    unsigned expr_used;
};

/* An operation: its source text and its evaluation. */
struct rp_op {
    /* One letter per argument: T the operation's type, U its unsigned type, u a
     * 32-bit unsigned type, b a condition, l a T that is no expression, h and H
     * the halves that upsample() joins. */
    const char *args;
    /* The result: T, U, b, or i for a 32-bit signed type. */
    char result;
    uint16_t glsl_types, opencl_types; /* one bit per T */
    unsigned weight;
    /* $a $b $c the arguments, $T the type, $U the unsigned type, $W a type in
     * which arithmetic wraps, $M the type's bits less one, $N " + z" of narrow
     * signed types; z is 0, which the compiler does not know. */
    const char *glsl, *opencl;
    int64_t (*eval)(enum rp_type type, const int64_t v[3]);
};

extern const struct rp_op rp_ops[];
extern const unsigned rp_op_count;
/* x < 0, an entry of the table. */
extern const struct rp_op *const rp_is_negative;
#define RP_GLSL_TYPES \
    (1u << RP_I32 | 1u << RP_U32 | 1u << RP_I64 | 1u << RP_U64)

/* random_ops.c. Values are extended to 64 bits as their types demand. */
unsigned rp_bits(enum rp_type type);
bool rp_is_signed(enum rp_type type);
enum rp_type rp_unsigned(enum rp_type type);
int64_t rp_wrap(enum rp_type type, uint64_t v);
/* The nearest value of the type. */
int64_t rp_clamp(enum rp_type to, enum rp_type from, int64_t v);
bool rp_less(enum rp_type type, int64_t a, int64_t b);
/* Types of an operation's arguments, and of an expression's result. */
enum rp_type rp_arg_type(char letter, enum rp_type type);
enum rp_type rp_expr_type(const struct rp_expr *e);

/* random_make.c. False: no memory. */
bool rp_make(struct rp_program *p, enum rp_language language, uint64_t seed);
/* Makes operation number n alone, on variables. False: there are no more. */
bool rp_make_single(struct rp_program *p, enum rp_language language,
                    unsigned n);
void rp_free(struct rp_program *p);
/* Initial value of variable `index` of an invocation. */
int64_t rp_input(const struct rp_program *p, unsigned invocation,
                 unsigned index);

/* random_eval.c: variables, then elements. Returns their number. */
unsigned rp_eval(const struct rp_program *p, unsigned invocation,
                 int64_t out[RP_OUTPUTS]);

/* random_print.c */
void rp_print(const struct rp_program *p, FILE *to);

/* The device that runs programs: random_glsl.c or random_opencl.c. */
extern const enum rp_language rp_device_language;
extern const char *const rp_device_name;
bool rp_device_open(void);
/* One value per output, RP_OUTPUTS per invocation. Returns false if the program
 * did not compile or run. */
bool rp_device_run(const struct rp_program *p, const char *source,
                   const int64_t *in, int64_t *out);

#endif
