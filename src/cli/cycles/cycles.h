/* cycles.h: how many clocks EU instructions take, by two published tables: a
 * model, not a measurement; and how many registers are live.
 *
 * Table A is that of Mesa's performance analysis for Gen8 and Gen9
 * (intel/compiler/brw_ir_performance.cpp, 22.3.6), whose author measured what
 * arithmetic takes. Its static cycles are repeated exactly, from the bytes of a
 * kernel. Table B is that of IGC's scheduler before Xe (IGC 1.0.12504).
 * Where neither author measured, both are guesses.
 *
 * Callers: cli/kernel and cli/profile, with decoded instructions of a kernel in
 * their order. Any thread; no state. The caller owns all arrays. */
#ifndef CLI_CYCLES_CYCLES_H
#define CLI_CYCLES_CYCLES_H

#include "eu/isa/isa.h"

#include <jansson.h>

enum cycles_table { CYCLES_A, CYCLES_B, CYCLES_TABLES };
/* "A" or "B"; false: neither. */
bool cycles_parse_table(const char *text, enum cycles_table *table);

/* What works beside the front end. */
#define CYCLES_UNITS(X)             \
    X(NONE, "-")                    \
    X(FPU, "FPU")                   \
    X(EM, "extended math")          \
    X(FLOW, "control flow")         \
    X(SAMPLER, "sampler")           \
    X(INTERPOLATOR, "interpolator") \
    X(URB, "URB")                   \
    X(DATA, "data cache")           \
    X(RENDER, "render cache")       \
    X(CONSTANT, "constant cache")   \
    X(GATEWAY, "gateway")           \
    X(SPAWNER, "thread spawner")

enum cycles_unit {
#define X(id, name) CYCLES_UNIT_##id,
    CYCLES_UNITS(X)
#undef X
        CYCLES_UNIT_COUNT
};
extern const char *const cycles_unit_names[CYCLES_UNIT_COUNT];

/* An instruction of a thread that runs alone. Where several instructions do
 * one operation of Mesa's compiler, the one with its result has all. */
struct cycles_cost {
    uint32_t clocks; /* that the front end moves on, waiting included */
    uint32_t busy;   /* clocks that its unit is taken */
    uint32_t weight; /* 10 for each loop around it, in Mesa's sum */
    uint8_t unit;    /* enum cycles_unit */
};

/* Fills costs[count]; returns the sum as Mesa prints it. unknown: NULL, or set
 * to the reason why Mesa's figure cannot be known from the code, a constant
 * string; to NULL if it can. */
uint32_t cycles_schedule(const struct eu_insn *insns, uint32_t count,
                         enum cycles_table table, struct cycles_cost *costs,
                         const char **unknown);

/* ---- cycles_live.c: registers that are live at the same time ------------- */

struct cycles_live {
    uint32_t grf;      /* most registers with a live byte */
    uint32_t offset_B; /* of the first instruction before which they are */
};
/* False: no memory. */
bool cycles_find_live(struct cycles_live *most, const struct eu_insn *insns,
                      uint32_t count, enum eu_gen gen);

/* ---- cycles_bound.c: how long a machine takes at least ------------------- */

/* The parts; key: in profile.json. */
#define CYCLES_LIMITS(X)                  \
    X(FPU, "fpu", "FPU")                  \
    X(EM, "math", "extended math")        \
    X(FLOW, "flow", "control flow")       \
    X(SAMPLER, "sampler", "sampler")      \
    X(PIXELS, "pixels", "pixels written") \
    X(MEMORY, "memory", "memory")         \
    X(LOCAL, "local", "local memory")     \
    X(LATENCY, "latency", "latency")

enum cycles_limit {
#define X(id, key, name) CYCLES_LIMIT_##id,
    CYCLES_LIMITS(X)
#undef X
        CYCLES_LIMIT_COUNT
};
extern const char *const cycles_limit_keys[CYCLES_LIMIT_COUNT];
extern const char *const cycles_limit_names[CYCLES_LIMIT_COUNT];

/* What all threads of a kernel ask for. Starts as zeros. */
struct cycles_work {
    double clocks; /* of all threads, each alone */
    double busy[CYCLES_UNIT_COUNT];
    double branches;
    double sampler_lanes, pixels;
    bool has_memory;     /* these are known: */
    double lines;        /* of 64 bytes, of global memory */
    double local_passes; /* of 64 bytes, bank conflicts included */
};

/* Adds an instruction's executions. */
void cycles_add(struct cycles_work *w, const struct cycles_cost *cost,
                unsigned exec_size, uint64_t count);

struct cycles_bounds {
    double clocks[CYCLES_LIMIT_COUNT]; /* negative: not known */
    enum cycles_limit limit;           /* the largest */
};

/* threads: that can run at the same time. The machine is a Kaby Lake GT2. */
struct cycles_bounds cycles_bound(const struct cycles_work *w, double threads);

/* Which tables are asked, for which clock of the machine. */
struct cycles_model {
    bool tables[CYCLES_TABLES];
    double clock_MHz;
};
#define CYCLES_CLOCK_MHZ 1150.0 /* the most of a Kaby Lake GT2 */

static inline bool
cycles_is_on(const struct cycles_model *m)
{
    return m->tables[CYCLES_A] || m->tables[CYCLES_B];
}

/* "A", "B", "both" or "off". False: none of these. */
bool cycles_parse_model(const char *text, struct cycles_model *m);

/* The least and the most that the tables say; the limit is of the most. */
struct cycles_time {
    double us[2];
    enum cycles_limit limit;
};
/* False: the model is off. */
bool cycles_time(const struct cycles_model *m,
                 const struct cycles_bounds bounds[CYCLES_TABLES],
                 struct cycles_time *time);
#define CYCLES_TIME_B 40
/* As "41..66". */
void cycles_format_time(char text[CYCLES_TIME_B],
                        const struct cycles_time *time);

/* ---- cycles_json.c: the model in profile.json ---------------------------- */

/* Adds the costs to an object, and takes them from there. */
void cycles_put_costs(json_t *insn,
                      const struct cycles_cost costs[CYCLES_TABLES]);
bool cycles_get_costs(struct cycles_cost costs[CYCLES_TABLES],
                      const json_t *insn);
/* A list with an object for each table that is asked. */
json_t *cycles_json(const struct cycles_model *m,
                    const struct cycles_bounds bounds[CYCLES_TABLES]);
/* The model by which such a list was made. */
void cycles_get_model(struct cycles_model *m, const json_t *list);

#endif
