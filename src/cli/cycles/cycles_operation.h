/* cycles_operation.h: operations of Mesa's compiler, found in instructions;
 * private to cli/cycles. */
#ifndef CLI_CYCLES_CYCLES_OPERATION_H
#define CLI_CYCLES_CYCLES_OPERATION_H

#include "cli/cycles/cycles_table.h"

/* An operation: one instruction, or several that stand together. The last one
 * has the result, the others only prepare. */
struct cycles_operation {
    const struct eu_insn *insns, *last;
    uint32_t count;
    enum cycles_class class;
    enum eu_type exec_type;
    uint32_t desc, ex_desc; /* of a message, as far as constant */
    uint32_t d, c, x, s;    /* registers, as of struct cycles_row */
    uint32_t by_number, by_number_count; /* first register read by number */
    const char *unknown;                 /* NULL, or as of cycles_schedule() */
};

/* Finds the operation that begins at insns[0]; count: instructions from
 * there. */
void cycles_find(struct cycles_operation *op, const struct eu_insn *insns,
                 uint32_t count);

/* cycles_classify.c: the class of an instruction that stands alone. desc: of a
 * message. */
enum cycles_class cycles_classify(const struct eu_insn *insn, uint32_t desc,
                                  enum eu_type exec_type);
enum eu_type cycles_exec_type(const struct eu_insn *insn);
bool cycles_is_long(const struct eu_insn *insn, enum eu_type exec_type);
/* Bytes from the first to the last that a source or the destination covers. */
uint32_t cycles_source_B(const struct eu_insn *insn, unsigned n);
uint32_t cycles_dst_B(const struct eu_insn *insn);

static inline bool
cycles_is_arf(const struct eu_operand *o, enum eu_arf arf)
{
    return o->file == EU_FILE_ARF && !o->indirect && (o->reg & 0xf0) == arf;
}

static inline uint32_t
cycles_regs(uint32_t size_B)
{
    return (size_B + 31) / 32;
}

static inline uint32_t
cycles_mlen(uint32_t desc)
{
    return desc >> 25 & 15;
}

static inline uint32_t
cycles_rlen(uint32_t desc)
{
    return desc >> 20 & 31;
}

static inline uint32_t
cycles_ex_mlen(uint32_t ex_desc)
{
    return ex_desc >> 6 & 15;
}

#endif
