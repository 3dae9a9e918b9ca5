/* validate.h: shared by the validator's files. A rule is a predicate, true for
 * an instruction that breaks it, and its name. */
#ifndef EU_ISA_VALIDATE_H
#define EU_ISA_VALIDATE_H

#include "eu/isa/tables.h"

struct checked {
    const struct eu_insn *insn;
    const struct isa_op *op;
    enum eu_gen gen;
    unsigned exec_B; /* size of the execution type */
};

struct rule {
    bool (*breaks)(const struct checked *c);
    const char *why;
};

struct rule_list {
    const struct rule *rules;
    unsigned count;
};

/* In checking order. */
struct rule_list validate_operand_rules(void);
struct rule_list validate_flow_rules(void);

static inline bool
is_alu(const struct checked *c)
{
    return c->op->form == ISA_BASIC || c->op->form == ISA_TERNARY ||
           c->op->form == ISA_MATH;
}

static inline bool
is_send(const struct checked *c)
{
    return c->op->form == ISA_SEND || c->op->form == ISA_SENDS;
}

static inline bool
is_arf(const struct eu_operand *o, enum eu_arf kind)
{
    return o->file == EU_FILE_ARF && (o->reg & 0xf0) == kind;
}

static inline bool
any_source(const struct checked *c,
           bool (*breaks)(const struct checked *, const struct eu_operand *))
{
    for (unsigned i = 0; is_alu(c) && i < c->insn->src_count; i++)
        if (c->insn->src[i].file != EU_FILE_IMM && breaks(c, &c->insn->src[i]))
            return true;
    return false;
}

#endif
