/* isa.h: instruction tables, decoder, validator, disassembler.
 *
 * Callers: the interpreter, the JIT, cli and tests. Any thread; no state.
 * gen_isa.py turns opcodes.csv and messages.csv into C. The opcode numbers are
 * enum eu_opcode in the generated eu/isa/eu_opcodes.h. Source: KBL PRM vol
 * 2d. */
#ifndef EU_ISA_H
#define EU_ISA_H

#include <stdio.h>
#include "eu/isa/insn.h"

enum eu_gen { EU_GEN8 = 8, EU_GEN9 = 9 };

/* Decodes the instruction at bytes, of which avail_B are readable. Returns its
 * length (8 or 16), or 0 if it is truncated or no instruction of this
 * generation. Then *why, unless why is NULL, points to a constant string. Every
 * field of a decoded instruction has a value that insn.h allows. eu_validate()
 * checks that regions and messages stay inside the register file. */
unsigned eu_decode(struct eu_insn *insn, const void *bytes, size_t avail_B,
                   enum eu_gen gen, const char **why);

/* Expands an 8-byte compact instruction to its 16-byte form. */
bool eu_uncompact(uint32_t native[4], const uint32_t compact[2],
                  enum eu_gen gen);

/* Returns NULL if the instruction obeys the PRM's restrictions, otherwise the
 * name of the broken rule, a constant string. */
const char *eu_validate(const struct eu_insn *insn, enum eu_gen gen);

/* Names of the rules in checking order; NULL after the last. */
const char *eu_rule_name(unsigned index);

/* Writes one line without newline, exactly as `iga64 -d -n` does. Returns
 * snprintf()'s count. */
int eu_disasm(char *buf, size_t size, const struct eu_insn *insn,
              enum eu_gen gen);
/* eu_disasm() with branch targets as labels: L and the target's offset in the
 * kernel. */
int eu_disasm_labels(char *buf, size_t size, const struct eu_insn *insn,
                     enum eu_gen gen);
/* Immediate branch targets (JIP, then UIP), in bytes on the scale of
 * insn->offset_B. Returns how many there are. */
unsigned eu_targets(const struct eu_insn *insn, enum eu_gen gen,
                    int64_t targets_B[2]);
/* Whether the instruction is a branch or ends the thread. */
bool eu_ends_block(const struct eu_insn *insn, enum eu_gen gen);
bool eu_insn_is_send(const struct eu_insn *insn);
/* Names of a send's shared function, as in eu_disasm(), and of its message;
 * NULL: not a send, known only at run time, or unknown. */
const char *eu_function_name(const struct eu_insn *insn, enum eu_gen gen);
const char *eu_message_name(const struct eu_insn *insn);
/* Whether the instruction may send some channels another way than others: a
 * branch other than ELSE, ENDIF and JOIN. */
bool eu_parts_channels(const struct eu_insn *insn);
/* Whether most channels take such a branch: IF, WHILE, any without predicate.
 * Channels leave by the others. */
bool eu_is_usually_taken(const struct eu_insn *insn);
/* How many lanes the instruction always has, because it ignores the execution
 * mask; or 0. */
unsigned eu_fixed_lanes(const struct eu_insn *insn);
/* Details that eu_disasm() omits: swizzles and channel masks of Align16, and
 * message fields. Often empty. */
int eu_disasm_details(char *buf, size_t size, const struct eu_insn *insn,
                      enum eu_gen gen);

static inline unsigned
eu_type_size_B(enum eu_type type)
{
    /* The packed immediates behave as vectors of W, UW and F. */
    static const uint8_t size_B[EU_TYPE_COUNT] = {
        [EU_TYPE_UD] = 4, [EU_TYPE_D] = 4,  [EU_TYPE_UW] = 2, [EU_TYPE_W] = 2,
        [EU_TYPE_UB] = 1, [EU_TYPE_B] = 1,  [EU_TYPE_DF] = 8, [EU_TYPE_F] = 4,
        [EU_TYPE_UQ] = 8, [EU_TYPE_Q] = 8,  [EU_TYPE_HF] = 2, [EU_TYPE_UV] = 2,
        [EU_TYPE_V] = 2,  [EU_TYPE_VF] = 4,
    };
    return size_B[type];
}

const char *eu_type_name(enum eu_type type);
/* Mnemonic, or NULL if the generation has no such opcode. */
const char *eu_opcode_name(unsigned opcode, enum eu_gen gen);

#endif
