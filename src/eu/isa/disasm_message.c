/* disasm_message.c: what a send's descriptor asks for, as a comment. */
#include "eu/isa/disasm.h"

struct message_field {
    const char *name;
    uint8_t lo, hi;
    const char *const *values; /* hi - lo + 1 bits' worth, or NULL */
};

struct message_row {
    uint8_t sfid, lo, hi, value;
    const char *name;
    uint8_t fields[6]; /* 1 + index into message_fields, or 0 */
};

#include "eu/isa/message_table.h"

static const char *const sfid_names[16] = {
    "null",    "?",       "sampler", "gateway",  "hdc.dc2", "hdc.rc",
    "hdc.urb", "spawner", "vme",     "hdc.dcro", "hdc.dc0", "pi",
    "hdc.dc1", "cre",     "?",       "?",
};

static void
put_lengths(struct text *t, const struct eu_insn *insn)
{
    if (insn->desc_is_reg)
        text_put(t, "wr:a0.0[28:25]");
    else
        text_put(t, "wr:%u%s", bits_get(insn->desc, 25, 28),
                 bits_get(insn->desc, 19, 19) ? "h" : "");
    if (insn->ex_desc_is_reg)
        text_put(t, "+a0.%u[10:6]", insn->ex_desc_subreg / 2);
    else
        text_put(t, "+%u", bits_get(insn->ex_desc, 6, 9));
    if (insn->desc_is_reg)
        text_put(t, ", rd:a0.0[24:20]");
    else
        text_put(t, ", rd:%u", bits_get(insn->desc, 20, 24));
}

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

void
disasm_put_message(struct text *t, const struct eu_insn *insn)
{
    put_lengths(t, insn);
    if (insn->ex_desc_is_reg && insn->sfid == 0)
        text_put(t, "; sfid a0.%u[3:0]", insn->ex_desc_subreg / 2);
    else
        text_put(t, "; %s", sfid_names[insn->sfid]);
    if (insn->desc_is_reg)
        return;

    const struct message_row *row = find_message(insn->sfid, insn->desc);
    text_put(t, "; %s", row ? row->name : "?");
    for (unsigned i = 0; row && i < ARRAY_SIZE(row->fields); i++)
        if (row->fields[i])
            put_field(t, &message_fields[row->fields[i] - 1], insn->desc);
}
