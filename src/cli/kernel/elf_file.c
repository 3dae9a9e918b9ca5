/* elf_file.c: finds sections. Source: the ELF-64 object file format. */
#include "cli/kernel/elf_file.h"

#include <elf.h>
#include <string.h>

bool
elf_open(struct elf_file *f, const void *data, size_t size_B)
{
    Elf64_Ehdr header;
    if (size_B < sizeof header || memcmp(data, ELFMAG, SELFMAG))
        return false;
    memcpy(&header, data, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    *f = (struct elf_file){.data = data,
                           .size_B = size_B,
                           .section_count = header.e_shnum,
                           .type = header.e_type,
                           .machine = header.e_machine};
    return true;
}

static bool
read_header(const struct elf_file *f, unsigned index, Elf64_Shdr *section)
{
    Elf64_Ehdr header;
    memcpy(&header, f->data, sizeof header);
    if (index >= header.e_shnum || header.e_shentsize < sizeof *section ||
        header.e_shoff > f->size_B ||
        (f->size_B - header.e_shoff) / header.e_shentsize <= index)
        return false;
    memcpy(section,
           f->data + header.e_shoff + (size_t)index * header.e_shentsize,
           sizeof *section);
    return section->sh_type == SHT_NOBITS ||
           (section->sh_offset <= f->size_B &&
            section->sh_size <= f->size_B - section->sh_offset);
}

/* Terminated inside the name table, or "". */
static const char *
read_name(const struct elf_file *f, const Elf64_Shdr *section)
{
    Elf64_Ehdr header;
    Elf64_Shdr names;
    memcpy(&header, f->data, sizeof header);
    if (!read_header(f, header.e_shstrndx, &names) ||
        names.sh_type == SHT_NOBITS || section->sh_name >= names.sh_size)
        return "";
    const char *name = (const char *)f->data + names.sh_offset +
                       section->sh_name;
    return memchr(name, 0, names.sh_size - section->sh_name) ? name : "";
}

bool
elf_section(const struct elf_file *f, unsigned index,
            struct elf_section *section)
{
    Elf64_Shdr header;
    if (!read_header(f, index, &header))
        return false;
    bool has_bytes = header.sh_type != SHT_NOBITS;
    *section = (struct elf_section){
        .name = read_name(f, &header),
        .type = header.sh_type,
        .data = has_bytes ? f->data + header.sh_offset : f->data,
        .size_B = has_bytes ? header.sh_size : 0};
    return true;
}

bool
elf_find(const struct elf_file *f, const char *name,
         struct elf_section *section)
{
    for (unsigned i = 0; i < f->section_count; i++)
        if (elf_section(f, i, section) && !strcmp(section->name, name))
            return true;
    return false;
}

bool
elf_find_type(const struct elf_file *f, uint32_t type,
              struct elf_section *section)
{
    for (unsigned i = 0; i < f->section_count; i++)
        if (elf_section(f, i, section) && section->type == type)
            return true;
    return false;
}
