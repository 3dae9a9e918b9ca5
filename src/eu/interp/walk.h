/* walk.h: which bytes of a client's memory are instructions of a kernel.
 *
 * Called by build.c, on the thread that builds the kernel. What the walk
 * allocates belongs to its caller, who takes code and insns out of it (and sets
 * them to NULL) or leaves them to eu_walk_free(). */
#ifndef EU_INTERP_WALK_H
#define EU_INTERP_WALK_H

#include "eu/interp/interp.h"

enum eu_mark {
    EU_MARK_SEEN = 1,   /* queued or decoded */
    EU_MARK_RESUME = 2, /* channels may be parked here */
    EU_MARK_MAYBE = 4,  /* may be no code at all */
    EU_MARK_BROKEN = 8, /* UIP of a BREAK */
};

/* The caller sets client, avail_B and gen, all else is 0. */
struct eu_walk {
    const uint8_t *client;
    size_t avail_B;
    enum eu_gen gen;
    uint8_t *code;     /* what was read so far, and two arrays per 8 bytes: */
    uint8_t *mark;     /* enum eu_mark */
    uint32_t *insn_of; /* index into insns, or EU_NO_OP */
    uint32_t size_B, capacity_B;
    struct eu_insn *insns; /* in the order they were found */
    uint32_t insn_count, insn_capacity;
    uint32_t *todo; /* offsets */
    uint32_t todo_count, todo_capacity;
    bool all_resume; /* a branch's target is known only when it runs */
    bool maybe;      /* what is being followed has EU_MARK_MAYBE */
    bool computed;   /* some jump is computed */
};

/* Copies and decodes all that can be reached. False, with a guest_error(), if
 * some way leads to what is no instruction; false too when memory is short. */
bool eu_walk_code(struct eu_walk *w);

void eu_walk_free(struct eu_walk *w);

static inline bool
eu_insn_is_send(const struct eu_insn *insn)
{
    return insn->opcode >= EU_OP_SEND && insn->opcode <= EU_OP_SENDSC;
}

#endif
