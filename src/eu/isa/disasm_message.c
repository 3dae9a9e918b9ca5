/* disasm_message.c: a send's descriptor in iga64's words, from
 * iga_messages.csv. eu_disasm_details() prints the fields that iga64 omits. */
#include "eu/isa/disasm.h"

struct bit_range {
    uint8_t first, width;
};

struct iga_values {
    struct bit_range bits[2];
    const char *const *names; /* NULL: print the number */
};

struct iga_row {
    uint8_t sfid;
    struct bit_range bits[2];
    uint32_t value;
    const char *text; /* characters above ASCII stand for values */
};

#include "eu/isa/iga_table.h"

enum { CODE_COORDS = 0x80, CODE_COORDS2 = 0x81, CODE_FIRST_VALUE = 0x82 };

static uint32_t
gather_bits(const struct bit_range bits[2], uint32_t desc)
{
    uint32_t value = 0;
    unsigned at = 0;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t mask = (1u << bits[i].width) - 1;
        value |= (desc >> bits[i].first & mask) << at;
        at += bits[i].width;
    }
    return value;
}

static const struct iga_row *
find_row(const struct eu_insn *insn)
{
    for (unsigned i = 0; i < ARRAY_SIZE(iga_rows); i++) {
        const struct iga_row *row = &iga_rows[i];
        if (row->sfid == insn->sfid &&
            gather_bits(row->bits, insn->desc) == row->value)
            return row;
    }
    return NULL;
}

/* Names the coordinates that the payload's length implies. */
static void
put_coords(struct text *t, const struct eu_insn *insn, unsigned grfs_each)
{
    static const char *const names[] = {"", "; u", "; u,v", "; u,v,r",
                                        "; u,v,r,lod"};
    unsigned count = bits_get(insn->desc, 25, 28) / grfs_each;
    text_put(t, "%s", count < ARRAY_SIZE(names) ? names[count] : "");
}

static void
put_row(struct text *t, const struct eu_insn *insn, const struct iga_row *row)
{
    bool simd16 = insn->exec_size > 8 && !bits_get(insn->desc, 12, 12);
    for (const char *s = row->text; *s; s++) {
        uint8_t c = (uint8_t)*s;
        if (c == CODE_COORDS) {
            put_coords(t, insn, 1);
        } else if (c == CODE_COORDS2) {
            put_coords(t, insn, simd16 ? 2 : 1);
        } else if (c >= CODE_FIRST_VALUE) {
            const struct iga_values *v = &iga_values[c - CODE_FIRST_VALUE];
            uint32_t value = gather_bits(v->bits, insn->desc);
            if (v->names)
                text_put(t, "%s", v->names[value]);
            else
                text_put(t, "%u", value);
        } else {
            text_put(t, "%c", c);
        }
    }
}

/* Payload and answer, in registers; h: the payload begins with a header. */
static void
put_lengths(struct text *t, const struct eu_insn *insn)
{
    const struct eu_operand *second = &insn->src[1];
    bool has_second = insn->src_count == 2 && (second->file == EU_FILE_GRF ||
                                               second->reg != EU_ARF_NULL);
    if (insn->desc_is_reg)
        text_put(t, "wr:a0.0[28:25]");
    else
        text_put(t, "wr:%u%s", bits_get(insn->desc, 25, 28),
                 bits_get(insn->desc, 19, 19) ? "h" : "");
    if (!insn->ex_desc_is_reg)
        text_put(t, "+%u", bits_get(insn->ex_desc, 6, 9));
    else if (has_second)
        text_put(t, "+a0.%u[10:6]", insn->ex_desc_subreg / 2);
    else
        text_put(t, "+0");
    if (insn->desc_is_reg)
        text_put(t, ", rd:a0.0[24:20]");
    else
        text_put(t, ", rd:%u", bits_get(insn->desc, 20, 24));
}

const char *
eu_function_name(const struct eu_insn *insn, enum eu_gen gen)
{
    if (!eu_insn_is_send(insn) || insn->ex_desc_is_reg)
        return NULL;
    return sfid_names[insn->sfid & 15][gen >= EU_GEN9];
}

void
disasm_put_message(struct text *t, const struct eu_insn *insn, enum eu_gen gen)
{
    put_lengths(t, insn);
    if (insn->ex_desc_is_reg) {
        text_put(t, "; sfid a0.%u[3:0]%s", insn->ex_desc_subreg / 2,
                 insn->desc_is_reg ? "" : "; ?");
        return;
    }
    text_put(t, "; %s", sfid_names[insn->sfid][gen >= EU_GEN9]);
    if (insn->desc_is_reg)
        return;
    const struct iga_row *row = find_row(insn);
    text_put(t, "; ");
    if (row)
        put_row(t, insn, row);
    else
        text_put(t, "?");
}
