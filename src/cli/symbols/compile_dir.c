/* compile_dir.c: reads the first entry of .debug_info. Source: DWARF Debugging
 * Information Format, version 4, sections 7.5.1 to 7.5.4. */
#include "cli/symbols/compile_dir.h"
#include "cli/kernel/elf_file.h"
#include "cli/symbols/dwarf_bytes.h"

#define AT_COMP_DIR 0x1b

enum form {
    FORM_ADDR = 0x01,
    FORM_BLOCK2 = 0x03,
    FORM_BLOCK4,
    FORM_DATA2,
    FORM_DATA4,
    FORM_DATA8,
    FORM_STRING,
    FORM_BLOCK,
    FORM_BLOCK1,
    FORM_DATA1,
    FORM_FLAG,
    FORM_SDATA,
    FORM_STRP,
    FORM_UDATA,
    FORM_SEC_OFFSET = 0x17,
    FORM_EXPRLOC,
    FORM_FLAG_PRESENT,
};

/* Text of .debug_str, or "". */
static const char *
find_text(const struct elf_file *f, uint64_t offset_B)
{
    struct elf_section s;
    if (!elf_find(f, ".debug_str", &s) || offset_B >= s.size_B)
        return "";
    const char *text = (const char *)s.data + offset_B;
    return memchr(text, 0, s.size_B - offset_B) ? text : "";
}

/* The attribute's value if it is text; "" for others, which are passed over.
 * Fails for forms that are not known here. */
static const char *
take_attribute(const struct elf_file *f, struct bytes *b, uint64_t form,
               unsigned address_B)
{
    switch (form) {
    case FORM_STRING: return take_text(b);
    case FORM_STRP: return find_text(f, take(b, 4));
    case FORM_ADDR: take(b, address_B); break;
    case FORM_DATA1:
    case FORM_FLAG: take(b, 1); break;
    case FORM_DATA2: take(b, 2); break;
    case FORM_DATA4:
    case FORM_SEC_OFFSET: take(b, 4); break;
    case FORM_DATA8: take(b, 8); break;
    case FORM_SDATA:
    case FORM_UDATA: take_leb(b, false); break;
    case FORM_BLOCK1: take_part(b, take(b, 1)); break;
    case FORM_BLOCK2: take_part(b, take(b, 2)); break;
    case FORM_BLOCK4: take_part(b, take(b, 4)); break;
    case FORM_BLOCK:
    case FORM_EXPRLOC: take_part(b, take_leb(b, false)); break;
    case FORM_FLAG_PRESENT: break;
    default: b->failed = true;
    }
    return "";
}

/* Moves to the attributes of the declaration with the code. */
static bool
find_declaration(struct bytes *b, uint64_t code)
{
    while (!b->failed && b->at < b->end) {
        uint64_t this = take_leb(b, false);
        take_leb(b, false); /* tag */
        take(b, 1);         /* children */
        if (this == code)
            return !b->failed;
        uint64_t name, form;
        do {
            name = take_leb(b, false);
            form = take_leb(b, false);
        } while ((name || form) && !b->failed);
    }
    return false;
}

const char *
compile_dir(const struct elf_file *f)
{
    struct elf_section s, a;
    if (!elf_find(f, ".debug_info", &s) || !elf_find(f, ".debug_abbrev", &a))
        return "";
    struct bytes info = {s.data, s.data + s.size_B, false};
    take(&info, 4); /* length; 64-bit DWARF is not written for kernels */
    uint64_t version = take(&info, 2);
    uint64_t offset_B = take(&info, 4);
    unsigned address_B = (unsigned)take(&info, 1);
    uint64_t code = take_leb(&info, false);
    if (info.failed || version < 2 || version > 4 || address_B > 8 ||
        offset_B > a.size_B)
        return "";
    struct bytes list = {a.data + offset_B, a.data + a.size_B, false};
    if (!find_declaration(&list, code))
        return "";
    while (!list.failed && !info.failed) {
        uint64_t name = take_leb(&list, false);
        uint64_t form = take_leb(&list, false);
        if (!name && !form)
            break;
        const char *text = take_attribute(f, &info, form, address_B);
        if (name == AT_COMP_DIR && !info.failed)
            return text;
    }
    return "";
}
