/* debug_section.c: the section "Intel(R) OpenCL Device Debug".
 *
 * Observed: NEO 22.43 with IGC 1.0.12504. Seven dwords: "CTNI", version, size,
 * device, stepping, size of a pointer, number of kernels. Then for each kernel
 * the size of its name and of two pieces of debug data, for virtual and for Gen
 * code; the name, padded with zeroes; the pieces. The first piece is an ELF
 * file whose .debug_line has offsets in the Gen code, the second is empty. */
#include "cli/symbols/debug_section.h"
#include "cli/kernel/elf_file.h"
#include "cli/symbols/compile_dir.h"

#include <string.h>

#define SHT_OPENCL_DEV_DEBUG 0xff000008u
#define HEADER_DW 7

static bool
take_dwords(const uint8_t **at, size_t *left_B, uint32_t *dw, unsigned count)
{
    if (*left_B < count * sizeof *dw)
        return false;
    memcpy(dw, *at, count * sizeof *dw);
    *at += count * sizeof *dw;
    *left_B -= count * sizeof *dw;
    return true;
}

static bool
find_lines(const uint8_t *elf, size_t size_B, struct debug_data *debug)
{
    struct elf_file f;
    struct elf_section section;
    if (!elf_open(&f, elf, size_B) || !elf_find(&f, ".debug_line", &section))
        return false;
    *debug = (struct debug_data){compile_dir(&f), section.data, section.size_B};
    return true;
}

static bool
find_kernel(const uint8_t *at, size_t left_B, const char *kernel,
            struct debug_data *debug)
{
    uint32_t head[HEADER_DW], size_B[3];
    size_t n = strlen(kernel);
    if (!take_dwords(&at, &left_B, head, HEADER_DW) || memcmp(head, "CTNI", 4))
        return false;
    for (uint32_t i = 0; i < head[6]; i++) {
        if (!take_dwords(&at, &left_B, size_B, 3) ||
            (uint64_t)size_B[0] + size_B[1] + size_B[2] > left_B)
            return false;
        if (n <= size_B[0] && !memcmp(at, kernel, n) &&
            (n == size_B[0] || !at[n])) {
            const uint8_t *first = at + size_B[0];
            return find_lines(first, size_B[1], debug) ||
                   find_lines(first + size_B[1], size_B[2], debug);
        }
        size_t all_B = (size_t)size_B[0] + size_B[1] + size_B[2];
        at += all_B;
        left_B -= all_B;
    }
    return false;
}

bool
debug_find(const void *program, size_t size_B, const char *kernel,
           struct debug_data *debug)
{
    struct elf_file f;
    struct elf_section section;
    return elf_open(&f, program, size_B) &&
           elf_find_type(&f, SHT_OPENCL_DEV_DEBUG, &section) &&
           find_kernel(section.data, section.size_B, kernel, debug);
}
