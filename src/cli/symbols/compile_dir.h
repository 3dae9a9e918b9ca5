/* compile_dir.h: the directory in which a file with DWARF was compiled. */
#ifndef CLI_SYMBOLS_COMPILE_DIR_H
#define CLI_SYMBOLS_COMPILE_DIR_H

struct elf_file;

/* Of the first compile unit, in the file's bytes; "": not known. */
const char *compile_dir(const struct elf_file *f);

#endif
