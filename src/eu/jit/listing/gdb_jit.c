/* gdb_jit.c: kernels in gdb's backtraces, through gdb's JIT interface.
 *
 * A breakpoint on __jit_debug_register_code makes gdb read the list of small
 * ELF files at __jit_debug_descriptor. gdb finds both in the library's symbol
 * table, so they need not be exported; a stripped library shows no kernels.
 * Each file names one variant of a kernel's code and describes how to unwind
 * it. */
#include "eu/jit/listing/listing.h"

#include "base/fork_order.h"

#include <elf.h>
#include <pthread.h>
#include <stdlib.h>

struct jit_code_entry {
    struct jit_code_entry *next, *previous;
    const void *file;
    uint64_t size_B;
};

enum { JIT_NOACTION, JIT_REGISTER, JIT_UNREGISTER };

struct jit_descriptor {
    uint32_t version, action;
    struct jit_code_entry *relevant, *first;
};

void __jit_debug_register_code(void);
extern struct jit_descriptor __jit_debug_descriptor;

struct jit_descriptor __jit_debug_descriptor = {.version = 1};

__attribute__((noinline)) void
__jit_debug_register_code(void)
{
    /* gdb stops here; keeps the compiler from dropping the call. */
    __asm__ volatile("" ::: "memory");
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
FORK_LOCK(FORK_GDB, lock)

/* ---- the ELF file ---- */

enum {
    SECTION_NONE,
    SECTION_TEXT,
    SECTION_FRAME,
    SECTION_SYMBOLS,
    SECTION_STRINGS,
    SECTIONS
};

static const char strings[] = "\0.text\0.debug_frame\0.symtab\0.strtab";
enum { NAME_TEXT = 1, NAME_FRAME = 7, NAME_SYMBOLS = 20, NAME_STRINGS = 28 };

#define FRAME_B 88

struct image {
    Elf64_Ehdr header;
    Elf64_Shdr section[SECTIONS];
    Elf64_Sym symbol[2];
    uint8_t frame[FRAME_B];
    char strings[sizeof strings + CODE_EVENT_NAME_B];
};

struct gdb_jit {
    struct jit_code_entry entry;
    struct image image;
};

/* DWARF call frame information, DWARF 4 section 6.4: the code pushes rbx, r12
 * and r13, then leaves rsp alone. */
static void
write_frame(uint8_t *p, const struct jit_variant *c)
{
    static const uint8_t cie[] = {
        28,   0,    0, 0, 0xff, 0xff, 0xff, 0xff, /* length, id */
        4,    0,    8, 0,                         /* version, addresses */
        1,    0x78,                               /* factors: code 1, data -8 */
        16,            /* the return address's column */
        0x0c, 7,    8, /* def_cfa rsp + 8 */
        0x90, 1,       /* rip at cfa - 8 */
        0,    0,    0, 0, 0,    0,    0,    0,    0, 0, 0, 0, /* nop */
    };
    static const uint8_t pushes[] = {
        0x41, 0x0e, 16, 0x83, 2, /* push rbx: 1 byte; rbx at cfa - 16 */
        0x42, 0x0e, 24, 0x8c, 3, /* push r12: 2 bytes */
        0x42, 0x0e, 32, 0x8d, 4, /* push r13 */
    };
    uint32_t length = FRAME_B - sizeof cie - 4, of_cie = 0;
    uint64_t address = (uintptr_t)c->code, size_B = c->size_B;
    memset(p, 0, FRAME_B);
    memcpy(p, cie, sizeof cie);
    p += sizeof cie;
    memcpy(p, &length, 4);
    memcpy(p + 4, &of_cie, 4);
    memcpy(p + 8, &address, 8);
    memcpy(p + 16, &size_B, 8);
    memcpy(p + 24, pushes, sizeof pushes);
}

static void
write_sections(struct image *f, const struct jit_variant *c)
{
    f->section[SECTION_TEXT] = (Elf64_Shdr){.sh_name = NAME_TEXT,
                                            .sh_type = SHT_NOBITS,
                                            .sh_flags = SHF_ALLOC |
                                                        SHF_EXECINSTR,
                                            .sh_addr = (uintptr_t)c->code,
                                            .sh_size = c->size_B,
                                            .sh_addralign = 16};
    f->section[SECTION_FRAME] = (Elf64_Shdr){
        .sh_name = NAME_FRAME,
        .sh_type = SHT_PROGBITS,
        .sh_offset = offsetof(struct image, frame),
        .sh_size = FRAME_B,
        .sh_addralign = 8};
    f->section[SECTION_SYMBOLS] = (Elf64_Shdr){
        .sh_name = NAME_SYMBOLS,
        .sh_type = SHT_SYMTAB,
        .sh_offset = offsetof(struct image, symbol),
        .sh_size = sizeof f->symbol,
        .sh_link = SECTION_STRINGS,
        .sh_info = 1,
        .sh_addralign = 8,
        .sh_entsize = sizeof(Elf64_Sym)};
    f->section[SECTION_STRINGS] = (Elf64_Shdr){
        .sh_name = NAME_STRINGS,
        .sh_type = SHT_STRTAB,
        .sh_offset = offsetof(struct image, strings),
        .sh_size = sizeof f->strings,
        .sh_addralign = 1};
}

static void
write_image(struct image *f, const struct jit_variant *c)
{
    *f = (struct image){
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
                               ELFDATA2LSB, EV_CURRENT},
                   .e_type = ET_EXEC,
                   .e_machine = EM_X86_64,
                   .e_version = EV_CURRENT,
                   .e_shoff = offsetof(struct image, section),
                   .e_ehsize = sizeof f->header,
                   .e_shentsize = sizeof f->section[0],
                   .e_shnum = SECTIONS,
                   .e_shstrndx = SECTION_STRINGS},
        .symbol[1] = {.st_name = sizeof strings,
                      .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                      .st_shndx = SECTION_TEXT,
                      .st_value = (uintptr_t)c->code,
                      .st_size = c->size_B},
    };
    memcpy(f->strings, strings, sizeof strings);
    eu_code_event_name(c, f->strings + sizeof strings);
    write_sections(f, c);
    write_frame(f->frame, c);
}

/* ---- gdb's list ---- */

struct gdb_jit *
eu_gdb_add(const struct jit_variant *copy)
{
    struct gdb_jit *code = calloc(1, sizeof *code);
    struct jit_descriptor *d = &__jit_debug_descriptor;
    if (!code)
        return NULL;
    write_image(&code->image, copy);
    code->entry.file = &code->image;
    code->entry.size_B = sizeof code->image;
    pthread_mutex_lock(&lock);
    code->entry.next = d->first;
    if (d->first)
        d->first->previous = &code->entry;
    d->first = d->relevant = &code->entry;
    d->action = JIT_REGISTER;
    __jit_debug_register_code();
    pthread_mutex_unlock(&lock);
    return code;
}

void
eu_gdb_remove(struct gdb_jit *code)
{
    struct jit_descriptor *d = &__jit_debug_descriptor;
    struct jit_code_entry *e = &code->entry;
    pthread_mutex_lock(&lock);
    if (e->previous)
        e->previous->next = e->next;
    else
        d->first = e->next;
    if (e->next)
        e->next->previous = e->previous;
    d->relevant = e;
    d->action = JIT_UNREGISTER;
    __jit_debug_register_code();
    pthread_mutex_unlock(&lock);
    free(code);
}
