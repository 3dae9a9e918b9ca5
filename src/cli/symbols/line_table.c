/* line_table.c: runs line number programs. Source: DWARF Debugging Information
 * Format, version 4, section 6.2. */
#include "cli/symbols/dwarf_bytes.h"
#include "cli/symbols/line_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of section 7.21. */
enum {
    LNS_EXTENDED,
    LNS_COPY,
    LNS_ADVANCE_PC,
    LNS_ADVANCE_LINE,
    LNS_SET_FILE,
    LNS_SET_COLUMN,
    LNS_NEGATE_STMT,
    LNS_BASIC_BLOCK,
    LNS_CONST_ADD_PC,
    LNS_FIXED_ADVANCE_PC,
    LNS_PROLOGUE_END,
    LNS_EPILOGUE_BEGIN,
    LNS_SET_ISA,
};
enum { LNE_END_SEQUENCE = 1, LNE_SET_ADDRESS, LNE_DEFINE_FILE };

/* ---- the header ---------------------------------------------------------- */

/* A line number program and the registers of its machine. */
struct program {
    struct line_table *table;
    const char *dir; /* of the compilation */
    struct bytes code;
    unsigned version, min_insn_B, line_range, opcode_base;
    int line_base;
    uint8_t operands[256];
    unsigned first_file; /* of this program, in the table */
    uint64_t address;
    uint64_t file; /* from 1, within this program */
    uint32_t line;
    bool no_memory;
};

static bool
add_file(struct program *p, const char *dir, const char *name)
{
    struct line_table *t = p->table;
    char *path = NULL;
    void *more = realloc(t->files, (t->file_count + 1) * sizeof *t->files);
    if (more)
        t->files = more;
    if (!more || asprintf(&path, "%s%s%s", *name == '/' ? "" : dir,
                          *dir && *name != '/' ? "/" : "", name) < 0) {
        p->no_memory = true;
        return false;
    }
    t->files[t->file_count++] = path;
    return true;
}

/* The directory of that number, from 1; 0 is the one of the compilation. */
static const char *
find_dir(const struct program *p, struct bytes dirs, uint64_t number)
{
    while (number && dirs.at < dirs.end) {
        const char *dir = take_text(&dirs);
        if (!*dir)
            break;
        if (!--number)
            return dir;
    }
    return p->dir;
}

static void
take_file(struct program *p, struct bytes *b, const char *name,
          struct bytes dirs)
{
    uint64_t dir = take_leb(b, false);
    take_leb(b, false); /* time */
    take_leb(b, false); /* size */
    if (!b->failed)
        add_file(p, find_dir(p, dirs, dir), name);
}

static const char *
read_header(struct program *p, struct bytes *unit, unsigned offset_B)
{
    p->version = (unsigned)take(unit, 2);
    if (p->version < 2 || p->version > 4)
        return "line numbers of another version of DWARF than 2 to 4";
    struct bytes head = take_part(unit, take(unit, offset_B));
    bool cut = unit->failed;
    p->code = *unit;
    p->min_insn_B = (unsigned)take(&head, 1);
    if (p->version == 4)
        take(&head, 1); /* operations per instruction: 1 */
    take(&head, 1);     /* default_is_stmt */
    p->line_base = (int8_t)take(&head, 1);
    p->line_range = (unsigned)take(&head, 1);
    p->opcode_base = (unsigned)take(&head, 1);
    for (unsigned i = 1; i < p->opcode_base; i++)
        p->operands[i] = (uint8_t)take(&head, 1);
    struct bytes dirs = head;
    while (*take_text(&head))
        ;
    p->first_file = p->table->file_count;
    for (const char *name; *(name = take_text(&head));)
        take_file(p, &head, name, dirs);
    if (cut || head.failed || !p->line_range || !p->opcode_base)
        return "damaged header of line numbers";
    return p->no_memory ? "no memory" : NULL;
}

/* ---- the program --------------------------------------------------------- */

static bool
add_row(struct program *p, bool end)
{
    struct line_table *t = p->table;
    if (t->row_count == t->row_capacity) {
        size_t n = t->row_capacity ? 2 * t->row_capacity : 64;
        void *more = realloc(t->rows, n * sizeof *t->rows);
        p->no_memory |= !more;
        if (!more)
            return false;
        t->rows = more;
        t->row_capacity = n;
    }
    bool known = p->file >= 1 && p->file <= t->file_count - p->first_file;
    t->rows[t->row_count] = (struct line_row){
        .address = p->address,
        .line = known ? p->line : 0,
        .file = known ? p->first_file + (unsigned)p->file - 1 : 0,
        .order = (uint32_t)t->row_count,
        .end = end};
    t->row_count++;
    return true;
}

static void
reset(struct program *p)
{
    p->address = 0;
    p->file = 1;
    p->line = 1;
}

static void
run_extended(struct program *p, struct bytes *b)
{
    struct bytes body = take_part(b, take_leb(b, false));
    unsigned op = (unsigned)take(&body, 1);
    if (op == LNE_END_SEQUENCE) {
        add_row(p, true);
        reset(p);
    } else if (op == LNE_SET_ADDRESS) {
        size_t size_B = (size_t)(body.end - body.at);
        p->address = take(&body, size_B < 8 ? (unsigned)size_B : 8);
    } else if (op == LNE_DEFINE_FILE) {
        const char *name = take_text(&body);
        take_file(p, &body, name, (struct bytes){0});
    }
    b->failed |= body.failed;
}

static void
run_standard(struct program *p, struct bytes *b, unsigned op)
{
    switch (op) {
    case LNS_EXTENDED: run_extended(p, b); return;
    case LNS_COPY: add_row(p, false); return;
    case LNS_ADVANCE_PC:
        p->address += take_leb(b, false) * p->min_insn_B;
        return;
    case LNS_ADVANCE_LINE: p->line += (uint32_t)take_leb(b, true); return;
    case LNS_SET_FILE: p->file = take_leb(b, false); return;
    case LNS_CONST_ADD_PC:
        p->address += (255 - p->opcode_base) / p->line_range *
                      (uint64_t)p->min_insn_B;
        return;
    case LNS_FIXED_ADVANCE_PC: p->address += take(b, 2); return;
    default: /* columns, statements, blocks; opcodes of the future */
        for (unsigned i = 0; i < p->operands[op]; i++)
            take_leb(b, false);
        return;
    }
}

static const char *
run_program(struct program *p)
{
    struct bytes *b = &p->code;
    reset(p);
    while (b->at < b->end && !b->failed && !p->no_memory) {
        unsigned op = (unsigned)take(b, 1);
        if (op < p->opcode_base) {
            run_standard(p, b, op);
            continue;
        }
        op -= p->opcode_base;
        p->address += op / p->line_range * (uint64_t)p->min_insn_B;
        p->line += (uint32_t)(p->line_base + (int)(op % p->line_range));
        add_row(p, false);
    }
    return p->no_memory ? "no memory"
           : b->failed  ? "damaged line numbers"
                        : NULL;
}

/* ---- the table ----------------------------------------------------------- */

static int
compare_rows(const void *a, const void *b)
{
    const struct line_row *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->end != y->end)
        return x->end ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

const char *
line_table_read(struct line_table *t, const uint8_t *data, size_t size_B,
                const char *dir)
{
    struct bytes section = {data, data + size_B, false};
    const char *why = NULL;
    *t = (struct line_table){0};
    while (section.at < section.end && !why) {
        struct program p = {.table = t, .dir = dir};
        uint64_t unit_B = take(&section, 4);
        bool wide = unit_B == UINT32_MAX; /* 64-bit DWARF, section 7.4 */
        if (wide)
            unit_B = take(&section, 8);
        struct bytes unit = take_part(&section, unit_B);
        why = section.failed ? "cut line numbers"
                             : read_header(&p, &unit, wide ? 8 : 4);
        if (!why)
            why = run_program(&p);
    }
    if (why)
        line_table_free(t);
    else if (t->row_count)
        qsort(t->rows, t->row_count, sizeof *t->rows, compare_rows);
    return why;
}

void
line_table_free(struct line_table *t)
{
    for (unsigned i = 0; i < t->file_count; i++)
        free(t->files[i]);
    free(t->files);
    free(t->rows);
    *t = (struct line_table){0};
}

const struct line_row *
line_table_find(const struct line_table *t, uint64_t address)
{
    size_t first = 0, count = t->row_count;
    while (count) {
        size_t half = count / 2;
        if (t->rows[first + half].address <= address) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    const struct line_row *row = first ? &t->rows[first - 1] : NULL;
    return row && !row->end && row->line ? row : NULL;
}
