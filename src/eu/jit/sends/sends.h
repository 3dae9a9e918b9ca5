/* sends.h: messages: sent, answered directly, or compiled as memory accesses;
 * and the captured last messages of chains.
 *
 * Callers: session/, op by op; lockstep/. One compilation belongs to one
 * thread. */
#ifndef EU_JIT_SENDS_SENDS_H
#define EU_JIT_SENDS_SENDS_H

#include "eu/jit/analysis/analysis.h"
#include "eu/jit/operand/operand.h"

/* lower_send.c. False: the form is not compiled. */
bool jit_lower_send(struct jit *j, uint32_t index);
/* lower_memory.c: a jit_is_memory() op. */
void jit_lower_memory(struct jit *j, uint32_t index);
/* Emits the slow paths of memory accesses, after all blocks. */
void jit_memory_slow_paths(struct jit *j);

/* ---- messages ---- */

/* Sends the payload in the register file; eax: enum eu_msg_result. Clobbers all
 * vector registers. */
void jit_pass_send(struct jit *j, const struct eu_op *op,
                   const struct jit_send *s);
/* jit_pass_send(), then returns from compiled code if that fails. */
void jit_call_send(struct jit *j, const struct eu_op *op,
                   const struct jit_send *s);
/* Stores the message's active channels in the thread's message. */
void jit_store_send_mask(struct jit *j, const struct eu_op *op);
/* 1 plus the message's index in eu_start.direct, or 0. */
uint8_t jit_direct_site(const struct jit *j, uint32_t index,
                        const struct jit_send *s);
/* Loads the payload of a message, two or three operands of 16 lanes, into
 * vector registers; returns their number. */
#define JIT_PASSED 6
unsigned jit_read_vectors(struct jit *j, const struct jit_send *s,
                          unsigned reg[JIT_PASSED]);
/* Calls the message's direct answer, in unmasked code: inactive lanes may have
 * any answer. Code after it sends the message if necessary; returns the jump
 * around that code. */
uint32_t jit_call_direct(struct jit *j, const struct jit_send *s);

/* Moves vectors from[0..count - 1] to registers 0..count - 1, as if at once. */
void jit_move_to_first(struct jit *j, unsigned *from, unsigned count);
/* epilogue.c: captures the message, if possible, before it is sent. */
void jit_capture(struct jit *j, const struct eu_op *op,
                 const struct jit_send *s);

/* Calls sample_store for a chain's thread, whose payload is in the register
 * file. Continues after it if the message has to be sent. */
void jit_sample_store(struct jit *j, const struct jit_send *s);

/* A captured payload in vector registers; len_B of each, or 0: part of the
 * register before. */
struct jit_captured {
    unsigned reg[EU_CAPTURE_GRF], len_B[EU_CAPTURE_GRF];
};
void jit_read_captured(struct jit *j, const struct jit_send *s,
                       struct jit_captured *c);
/* Stores the payload at rax. */
void jit_store_captured(struct jit *j, const struct jit_captured *c);
/* Moves payloads to C's argument registers: one thread's, or two threads' in
 * half as many registers. */
void jit_pass_captured(struct jit *j, struct jit_captured *c, unsigned threads);

/* epilogue.c: begins a chain's threads, at the kernel's first instruction. */
void jit_begin_chain(struct jit *j);
/* Binds a chain entry's payload, two vectors of 64 bytes, to the thread's
 * registers. */
void jit_bind_payload(struct jit *j, unsigned low, unsigned high);
/* First register in which threads differ as they begin, or 0. */
unsigned jit_payload_grf(const struct jit *j);

#endif
