/* details.c: disassembly that iga64's syntax leaves out: swizzles and channel
 * masks of Align16, and every field of a message. */
#include "eu/isa/disasm.h"

struct message_field {
    const char *name;
    uint8_t lo, hi;
    const char *const *values; /* 2^(hi - lo + 1) names, or NULL */
};

struct message_row {
    uint8_t sfid, lo, hi, value;
    const char *name;
    uint8_t fields[6]; /* 1 + index into message_fields, or 0 */
};

#include "eu/isa/message_table.h"

#define SWIZZLE_XYZW 0xe4

static void
put_field(struct text *t, const struct message_field *field, uint32_t desc)
{
    uint32_t value = bits_get(desc, field->lo, field->hi);
    if (field->values && field->values[value])
        text_put(t, " %s=%s", field->name, field->values[value]);
    else if (field->lo != field->hi)
        text_put(t, " %s=%u", field->name, value);
    else if (value)
        text_put(t, " %s", field->name);
}

static const struct message_row *
find_message(unsigned sfid, uint32_t desc)
{
    for (unsigned i = 0; i < ARRAY_SIZE(message_rows); i++) {
        const struct message_row *row = &message_rows[i];
        if (row->sfid == sfid && bits_get(desc, row->lo, row->hi) == row->value)
            return row;
    }
    return NULL;
}

bool
isa_message_known(unsigned sfid, uint32_t desc)
{
    bool listed = false;
    for (unsigned i = 0; i < ARRAY_SIZE(message_rows); i++)
        listed |= message_rows[i].sfid == sfid;
    return !listed || find_message(sfid, desc);
}

const char *
eu_message_name(const struct eu_insn *insn)
{
    if (!eu_insn_is_send(insn) || insn->desc_is_reg || insn->ex_desc_is_reg)
        return NULL;
    const struct message_row *row = find_message(insn->sfid, insn->desc);
    return row ? row->name : NULL;
}

static void
put_message(struct text *t, const struct eu_insn *insn)
{
    const struct message_row *row = find_message(insn->sfid, insn->desc);
    if (insn->desc_is_reg || insn->ex_desc_is_reg)
        return;
    text_put(t, "%s", row ? row->name : "unknown message");
    for (unsigned i = 0; row && i < ARRAY_SIZE(row->fields); i++)
        if (row->fields[i])
            put_field(t, &message_fields[row->fields[i] - 1], insn->desc);
}

static void
put_align16(struct text *t, const struct eu_insn *insn)
{
    const char *separator = "";
    if (insn->dst.writemask != 0xf) {
        text_put(t, "dst.");
        for (unsigned i = 0; i < 4; i++)
            if (insn->dst.writemask >> i & 1)
                text_put(t, "%c", "xyzw"[i]);
        separator = " ";
    }
    for (unsigned i = 0; i < insn->src_count; i++) {
        const struct eu_operand *o = &insn->src[i];
        if (o->file == EU_FILE_IMM || o->rep_ctrl || o->swizzle == SWIZZLE_XYZW)
            continue;
        text_put(t, "%ssrc%u.%c%c%c%c", separator, i, "xyzw"[o->swizzle & 3],
                 "xyzw"[o->swizzle >> 2 & 3], "xyzw"[o->swizzle >> 4 & 3],
                 "xyzw"[o->swizzle >> 6 & 3]);
        separator = " ";
    }
}

int
eu_disasm_details(char *buf, size_t size, const struct eu_insn *insn,
                  enum eu_gen gen)
{
    struct text t = {.buf = buf, .size = size};
    const struct isa_op *op = isa_op(insn->opcode, gen);
    if (size)
        buf[0] = '\0';
    if (op && (op->form == ISA_SEND || op->form == ISA_SENDS))
        put_message(&t, insn);
    else if (op && insn->align16 &&
             (op->form == ISA_BASIC || op->form == ISA_TERNARY ||
              op->form == ISA_MATH))
        put_align16(&t, insn);
    return (int)t.len;
}
