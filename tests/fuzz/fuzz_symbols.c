/* fuzz_symbols.c: any bytes as a file of the OpenCL layer, as a program with
 * debug data, as a table of names, as Mesa's log, and as line numbers of DWARF.
 */
#include <stdlib.h>

#include "cli/symbols/line_table.h"
#include "cli/symbols/symbols.h"
#include "fuzz.h"

/* Each found line has a source, and each kernel is found by its code. */
static void
check_symbols(const struct symbols *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct symbol *y = &s->symbols[i];
        uint32_t at_B;
        for (size_t at = 0; at < y->code_B; at += 8) {
            unsigned source = 0;
            if (symbol_line(y, (uint32_t)at, &source) &&
                source >= s->source_count)
                abort();
        }
        if (!symbols_find(s, y->code, y->code_B, &at_B))
            abort();
    }
}

static void
check_lines(const uint8_t *data, size_t size_B)
{
    struct line_table t;
    const char *why = line_table_read(&t, data, size_B, "dir");
    if (why && (t.rows || t.files))
        abort();
    for (size_t i = 0; i < t.row_count; i++) {
        const struct line_row *row = line_table_find(&t, t.rows[i].address);
        if (row && row->file >= t.file_count)
            abort();
        if (i && t.rows[i].address < t.rows[i - 1].address)
            abort();
    }
    line_table_free(&t);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    struct symbols s = {0};
    symbols_add_layer_program(&s, data, size_B);
    check_symbols(&s);
    symbols_add_program(&s, &(struct symbol_program){.data = data,
                                                     .size_B = size_B,
                                                     .source = "x\n",
                                                     .from = "symbols"});
    check_symbols(&s);
    symbols_add_bytes(&s, data, size_B);
    FILE *f = size_B ? fmemopen((void *)data, size_B, "r") : NULL;
    if (f) {
        symbols_add_mesa_stream(&s, f);
        fclose(f);
    }
    symbols_free(&s);
    check_lines(data, size_B);
    return 0;
}
