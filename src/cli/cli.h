/* cli.h: the subcommands of the launcher. Each is a main() of its own that
 * gets its name as argv[0] and returns the exit status. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int cli_disasm(int argc, char **argv);
int cli_eu_run(int argc, char **argv);

/* The whole file ("-": standard input), at most 64 MiB; NULL with a message
 * otherwise. The caller frees it. */
uint8_t *cli_read_file(const char *path, size_t *size_B);

/* --check: one line per installed driver stack; 0 if all of those answered
 * through Softlake. */
int check_run(void);
/* The child side of --check: opens one stack and prints driver and device. */
int check_probe(const char *stack);

/* What an executable is, as far as preloading cares. */
enum exe_kind {
    EXE_OK,
    EXE_MISSING, /* no such file: 127 */
    EXE_DENIED,  /* cannot be executed: 126 */
    EXE_STATIC,  /* no dynamic loader: nothing can be preloaded */
    EXE_SETUID,  /* the loader ignores LD_PRELOAD */
    EXE_FOREIGN, /* other ELF class or machine than ours */
};

/* Looks the command up in PATH as execvp does, follows one `#!` line. On
 * return path holds the file (as far as it was found). */
enum exe_kind exe_classify(const char *command, char *path, size_t path_size);
const char *exe_kind_text(enum exe_kind kind);

#endif
