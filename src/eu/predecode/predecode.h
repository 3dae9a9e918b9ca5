/* predecode.h: predecodes a client's bytes into ops: finds the bytes that are a
 * kernel's instructions, and selects the functions that run each of them.
 *
 * Caller: eu/tiers/kernel.c, on the thread that builds the kernel; the JIT asks
 * about single ops. The caller owns the results of eu_find_reachable(): it
 * takes code and insns (and sets them to NULL), or leaves them to
 * eu_reachability_free(). */
#ifndef EU_PREDECODE_PREDECODE_H
#define EU_PREDECODE_PREDECODE_H

#include "eu/interp/interp.h"

/* ---- one op ---- */

/* predecode.c: fills everything but the jump targets. */
void eu_op_predecode(struct eu_op *op, const struct eu_insn *insn);
/* Whether the instruction writes every active channel. */
bool eu_writes_all(const struct eu_insn *insn);
/* fast_select.c: sets op->fn and its operands if a fast function covers the
 * instruction completely. */
void eu_fast_select(struct eu_op *op);
/* undefined_ops.c: the reason why the instruction is undefined, or NULL. */
const char *eu_undefined(const struct eu_insn *insn);

/* initial_modes.c: for a kernel that already has its ops. */
void eu_initial_modes(struct eu_kernel *kernel);
/* Whether the op is the NOP that replaced the setting of initial_cr0. */
bool eu_op_is_initial_mode(const struct eu_op *op);

/* ---- reachability.c: the bytes of memory that are the kernel ---- */

enum eu_mark {
    EU_MARK_SEEN = 1,   /* queued or decoded */
    EU_MARK_RESUME = 2, /* channels may be parked here */
    EU_MARK_MAYBE = 4,  /* may not be code */
    EU_MARK_BROKEN = 8, /* UIP of a BREAK */
};

/* The caller sets client, avail_B and gen, and zeroes the rest. */
struct eu_reachability {
    const uint8_t *client;
    size_t avail_B;
    enum eu_gen gen;
    uint8_t *code;     /* copied so far, with two arrays per 8 bytes: */
    uint8_t *mark;     /* enum eu_mark */
    uint32_t *insn_of; /* index into insns, or EU_NO_OP */
    uint32_t size_B, capacity_B;
    struct eu_insn *insns; /* in the order they were found */
    uint32_t insn_count, insn_capacity;
    uint32_t *todo; /* offsets */
    uint32_t todo_count, todo_capacity;
    bool all_resume; /* a branch's target is known only at run time */
    bool maybe;      /* the walk follows an EU_MARK_MAYBE place */
    bool computed;   /* some jump is computed */
};

/* Copies and decodes all reachable code. False: no memory, or, after a
 * guest_error(), some path leads to bytes that are no instruction. */
bool eu_find_reachable(struct eu_reachability *w);

void eu_reachability_free(struct eu_reachability *w);

#endif
