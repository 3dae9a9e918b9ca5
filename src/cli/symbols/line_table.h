/* line_table.h: which source line each address comes from: the section
 * .debug_line of DWARF, versions 2 to 4.
 *
 * The reader trusts nothing. The table is the caller's. */
#ifndef CLI_SYMBOLS_LINE_TABLE_H
#define CLI_SYMBOLS_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_row {
    uint64_t address;
    uint32_t line; /* 0: of no line */
    uint32_t file; /* index of files */
    uint32_t order;
    bool end; /* addresses from here on have no line */
};

struct line_table {
    struct line_row *rows; /* by address */
    size_t row_count, row_capacity;
    char **files;
    unsigned file_count;
};

/* dir: of the compilation, or "". NULL, or why it cannot be read; then the
 * table is empty. */
const char *line_table_read(struct line_table *t, const uint8_t *data,
                            size_t size_B, const char *dir);
void line_table_free(struct line_table *t);
/* NULL: the address has no line. */
const struct line_row *line_table_find(const struct line_table *t,
                                       uint64_t address);

#endif
