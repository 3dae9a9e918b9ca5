/* elf_file.h: sections of a 64-bit little-endian ELF file that nobody vouches
 * for: every offset is checked, and a section is inside the file or not there.
 *
 * Callers: readers of kernels and of their debug data. The bytes stay the
 * caller's. */
#ifndef CLI_KERNEL_ELF_FILE_H
#define CLI_KERNEL_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_section {
    const char *name; /* "" if it has none */
    uint32_t type;
    const uint8_t *data;
    size_t size_B;
};

struct elf_file {
    const uint8_t *data;
    size_t size_B;
    unsigned section_count;
    uint16_t type, machine;
};

/* False: not such a file. */
bool elf_open(struct elf_file *f, const void *data, size_t size_B);
/* False: it lies outside of the file. */
bool elf_section(const struct elf_file *f, unsigned index,
                 struct elf_section *section);
/* The first section with the name; false: there is none. */
bool elf_find(const struct elf_file *f, const char *name,
              struct elf_section *section);
/* The first section of the type. */
bool elf_find_type(const struct elf_file *f, uint32_t type,
                   struct elf_section *section);

#endif
