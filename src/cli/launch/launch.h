/* launch.h: runs a command under the preloaded library.
 *
 * Called by main() and by subcommands that run commands; one thread. */
#ifndef CLI_LAUNCH_LAUNCH_H
#define CLI_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The exit codes of env(1), and one for --strict. */
enum {
    CLI_EXIT_STRICT = 120,
    CLI_EXIT_LAUNCHER = 125,
    CLI_EXIT_NOEXEC = 126,
    CLI_EXIT_NOTFOUND = 127
};

/* Prints "softlake: " and the message; returns the status. */
int cli_complain(int status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The variable that stands for an option: PREFIX_START_PAUSED for start-paused;
 * NULL: it is not set. */
const char *cli_option_twin(const char *prefix, const char *option);
/* Replaces this process by the command; returns an exit status if that fails.
 */
int cli_exec(char **argv);
/* Runs the command under the library, in place of this process or, with
 * SOFTLAKE_STRICT, as its child; an exit status. */
int cli_run_command(char **argv);
/* Runs the command and judges it; an exit status. */
int strict_run(char **argv);

/* For a launcher that stays: passes signals on to its child. */
void cli_forward_signals(pid_t child);
/* The exit status for what waitpid() said. */
int cli_exit_status(int wait_status);

/* Writes the path of this program. */
bool cli_self(char *path, size_t size);
/* Adds the library to LD_PRELOAD. Returns NULL or an error message. */
const char *cli_preload(void);
/* Makes the loader of OpenCL load the layer that writes names for a profile.
 * Returns NULL or why it does not. */
const char *cli_add_cl_layer(void);

/* Kinds of executables, which preloading treats differently. */
enum exe_kind {
    EXE_OK,
    EXE_MISSING, /* no such file: 127 */
    EXE_DENIED,  /* cannot be executed: 126 */
    EXE_STATIC,  /* no dynamic loader: nothing can be preloaded */
    EXE_SETUID,  /* the loader ignores LD_PRELOAD */
    EXE_FOREIGN, /* another ELF class or machine than this program */
};

/* Looks the command up in PATH as execvp() does, and follows one `#!` line. On
 * return path holds the file, as far as it was found. */
enum exe_kind exe_classify(const char *command, char *path, size_t path_size);
const char *exe_kind_text(enum exe_kind kind);

#endif
