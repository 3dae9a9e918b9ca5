/* lower_send.h: messages as compiled code puts them together. */
#ifndef EU_LOWER_SEND_H
#define EU_LOWER_SEND_H

#include "eu/jit/compile.h"

struct jit_send {
    struct eu_message m;
    unsigned src_B[2], dst_B; /* in the register file */
};

/* False: only a running thread knows what it is. */
bool jit_describe_send(struct jit_send *s, const struct eu_op *op);
/* Sends what lies in the register file; eax: enum eu_msg_result. No vector
 * register keeps its value. */
void jit_pass_send(struct jit *j, const struct eu_op *op,
                   const struct jit_send *s);
/* The same, and leaves the code if that fails. */
void jit_call_send(struct jit *j, const struct eu_op *op,
                   const struct jit_send *s);
/* Which of its channels are on goes into the thread's message. */
void jit_store_send_mask(struct jit *j, const struct eu_op *op);
/* One more than the message's place in eu_start.direct, or 0. */
uint8_t jit_direct_site(const struct jit *j, uint32_t index,
                        const struct jit_send *s);
/* The payload of a message of two or three operands of 16 lanes in vector
 * registers; returns how many those are. */
#define JIT_PASSED 6
unsigned jit_read_vectors(struct jit *j, const struct jit_send *s,
                          unsigned reg[JIT_PASSED]);
/* Calls what is there: in code that masks nothing, for lanes that are off may
 * have any answer. Goes on behind it if the message has to be sent; returns the
 * jump from where it has not. */
uint32_t jit_call_direct(struct jit *j, const struct jit_send *s);

/* rows.c: where a register of the payload lies in the register file. */
unsigned jit_payload_B(const struct jit_send *s, unsigned grf);
/* Vectors from[0..count - 1] to registers 0..count - 1, all at once. */
void jit_move_to_first(struct jit *j, unsigned *from, unsigned count);
/* rows.c: what comes before the message is sent, if it may be caught. */
void jit_catch(struct jit *j, const struct eu_op *op, const struct jit_send *s);

/* rows.c: whether this is eu_launch.copied, if there is one. */
bool jit_is_copied(const struct eu_kernel *k, uint32_t index,
                   struct jit_send *s);
/* The same for a row's thread, whose payload is in the register file: goes on
 * behind it if the message has to be sent. */
void jit_copy(struct jit *j, const struct jit_send *s);

/* The payload of such a message in vector registers; len_B of each, 0: it is in
 * the one before. */
struct jit_caught {
    unsigned reg[EU_CATCH_GRF], len_B[EU_CATCH_GRF];
};
void jit_read_caught(struct jit *j, const struct jit_send *s,
                     struct jit_caught *c);
/* To where rax points. */
void jit_store_caught(struct jit *j, const struct jit_caught *c);
/* To where C passes vectors to functions: those of one thread, or of two in
 * half as many registers. */
void jit_pass_caught(struct jit *j, struct jit_caught *c, unsigned threads);

#endif
