/* program.c: reads containers of kernels: raw code, ELF around patch tokens,
 * zebin. */
#include "cli/kernel/program.h"
#include "cli/kernel/elf_file.h"

#include <elf.h>
#include <stdlib.h>

/* Observed: ocloc 22.43; Intel's compute-runtime names them. */
#define SHT_OPENCL_DEV_BINARY 0xff000005u
#define ET_ZEBIN_REL 0xff11u
#define ET_ZEBIN_EXE 0xff12u
#define EM_INTEL_GT 205u
#define TEXT_PREFIX ".text."

struct program_kernel *
program_add_kernel(struct program *program, const char *name, size_t name_B)
{
    unsigned n = program->kernel_count;
    struct program_kernel *grown = realloc(program->kernels,
                                           (n + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    program->kernels = grown;
    grown[n] = (struct program_kernel){
        .name = strndup(name, name_B),
    };
    if (!grown[n].name)
        return NULL;
    program->kernel_count = n + 1;
    return &grown[n];
}

/* A zebin has one section of code per kernel. It describes the payload in YAML,
 * which is not read here. */
static bool
read_zebin(struct program *program, const struct elf_file *f, const char **why)
{
    struct elf_section section;
    for (unsigned i = 0; i < f->section_count; i++) {
        if (!elf_section(f, i, &section) || section.type != SHT_PROGBITS)
            continue;
        const char *name = section.name;
        if (strncmp(name, TEXT_PREFIX, strlen(TEXT_PREFIX)))
            continue;
        name += strlen(TEXT_PREFIX);
        struct program_kernel *k = program_add_kernel(program, name,
                                                      strlen(name));
        if (!k)
            return false;
        k->code = section.data;
        k->code_B = section.size_B;
        k->unsupported = "payload of a zebin";
    }
    *why = "a zebin without kernels";
    return program->kernel_count > 0;
}

static bool
read_elf(struct program *program, const uint8_t *data, size_t size_B,
         const char **why)
{
    struct elf_file f;
    struct elf_section section;
    if (!elf_open(&f, data, size_B)) {
        *why = "not a 64-bit ELF file";
        return false;
    }
    if (f.type == ET_ZEBIN_REL || f.type == ET_ZEBIN_EXE ||
        f.machine == EM_INTEL_GT)
        return read_zebin(program, &f, why);
    for (unsigned i = 0; i < f.section_count; i++) {
        if (!elf_section(&f, i, &section)) {
            *why = "ELF section outside of the file";
            return false;
        }
        if (section.type == SHT_OPENCL_DEV_BINARY)
            return program_read_tokens(program, section.data, section.size_B,
                                       why);
    }
    *why = "ELF file without a device binary";
    return false;
}

bool
program_read(struct program *program, const void *data, size_t size_B,
             enum eu_gen gen, const char **why)
{
    *program = (struct program){.gen = gen};
    *why = "out of memory";
    bool ok;
    if (size_B >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG)) {
        ok = read_elf(program, data, size_B, why);
    } else if (size_B >= 4 && !memcmp(data, "CTNI", 4)) {
        ok = program_read_tokens(program, data, size_B, why);
    } else {
        struct program_kernel *k = program_add_kernel(program, "", 0);
        ok = k != NULL;
        if (ok) {
            k->code = data;
            k->code_B = size_B;
        }
        program->raw = true;
    }
    if (!ok)
        program_free(program);
    return ok;
}

void
program_free(struct program *program)
{
    for (unsigned i = 0; i < program->kernel_count; i++) {
        free(program->kernels[i].name);
        free(program->kernels[i].params);
    }
    free(program->kernels);
    *program = (struct program){0};
}

const struct program_kernel *
program_find(const struct program *program, const char *name)
{
    if (!name)
        return program->kernel_count == 1 ? program->kernels : NULL;
    for (unsigned i = 0; i < program->kernel_count; i++)
        if (!strcmp(program->kernels[i].name, name))
            return &program->kernels[i];
    return NULL;
}
