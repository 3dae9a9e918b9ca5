/* isa.h: instruction tables, decoder, validator, disassembler.
 *
 * Any thread; no state. All tables are text a hardware person can review
 * (opcodes.csv, messages.csv) turned into C by gen_isa.py; the opcode numbers
 * are enum eu_opcode in the generated eu/isa/eu_opcodes.h. */
#ifndef EU_ISA_H
#define EU_ISA_H

#include <stdio.h>
#include "eu/isa/insn.h"

enum eu_gen { EU_GEN8 = 8, EU_GEN9 = 9 };

/* Decodes the instruction at bytes (avail_B bytes readable). Returns its
 * length (8 or 16), or 0 if it is truncated or no instruction of this
 * generation; *why (may be NULL) then points to a constant string. Every
 * field of a decoded instruction holds a value that insn.h allows; that a
 * region or a message stays inside the register file is eu_validate()'s. */
unsigned eu_decode(struct eu_insn *insn, const void *bytes, size_t avail_B,
                   enum eu_gen gen, const char **why);

/* Expands an 8-byte compact instruction to its 16-byte form. */
bool eu_uncompact(uint32_t native[4], const uint32_t compact[2],
                  enum eu_gen gen);

/* NULL when the instruction obeys the PRM's restrictions, else which rule it
 * breaks (a constant string). */
const char *eu_validate(const struct eu_insn *insn, enum eu_gen gen);

/* The rules in the order in which they are asked; NULL behind the last. */
const char *eu_rule_name(unsigned index);

/* One line, word for word what `iga64 -d -n` writes, without newline. Returns
 * snprintf's count. */
int eu_disasm(char *text, size_t size, const struct eu_insn *insn,
              enum eu_gen gen);
/* The same with branch targets as labels: L and insn->offset_B plus distance.
 */
int eu_disasm_labels(char *text, size_t size, const struct eu_insn *insn,
                     enum eu_gen gen);
/* Where it branches to by immediates, in bytes from where offset_B counts from
 * (JIP, then UIP). Returns how many there are. */
unsigned eu_targets(const struct eu_insn *insn, enum eu_gen gen,
                    int64_t targets_B[2]);
/* A branch of any kind, or the end of the thread. */
bool eu_ends_block(const struct eu_insn *insn, enum eu_gen gen);
/* What that line cannot say: swizzles and channel masks of Align16, the
 * fields of a message. Often empty. */
int eu_disasm_details(char *text, size_t size, const struct eu_insn *insn,
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
/* Mnemonic, or NULL for a number that is no opcode of this generation. */
const char *eu_opcode_name(unsigned opcode, enum eu_gen gen);

#endif
