/* debug_section.h: debug data in NEO's program binaries: one ELF file with
 * DWARF for each kernel that was built with -g. Checks every offset. */
#ifndef CLI_SYMBOLS_DEBUG_SECTION_H
#define CLI_SYMBOLS_DEBUG_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_data {
    const char *dir;      /* of the compilation, or "" */
    const uint8_t *lines; /* .debug_line, in the program's bytes */
    size_t lines_B;
};

/* False: this kernel of the program has none. */
bool debug_find(const void *program, size_t size_B, const char *kernel,
                struct debug_data *debug);

#endif
