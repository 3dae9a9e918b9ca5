/* profile_options.h: the command line of softlake profile.
 *
 * Caller: cmd_profile.c; one thread. */
#ifndef CLI_PROFILE_COMMANDS_PROFILE_OPTIONS_H
#define CLI_PROFILE_COMMANDS_PROFILE_OPTIONS_H

#include "cli/profile/profile_data.h"

enum report {
    REPORT_JSON,
    REPORT_JSON_LINES, /* --json=lines */
    REPORT_HTML,
    REPORT_CSV,
    REPORT_CALLGRIND,
    REPORT_PPROF,
    REPORT_PERFETTO,
    REPORT_CHROME,
    REPORT_FOLDED,
    REPORT_SPEEDSCOPE,
    REPORT_OVERDRAW,
    REPORT_COUNT
};

#define MAX_SYMBOLS 16u

/* What options ask for. */
struct profile_options {
    bool wanted[REPORT_COUNT];
    const char *file[REPORT_COUNT]; /* NULL: the default, in dir */
    const char *dir, *from, *kernel, *stage, *fail_if;
    enum profile_sort sort;
    unsigned top;
    bool all, as_run, quiet, timeline, lanes, memory, pixels, texels, source;
    bool trace;
    const char *trace_file; /* NULL: the default, in dir */
    struct cycles_model model;
    struct choice choice;
    enum units_per per;
    unsigned snapshot; /* of this report; 0: none */
    struct {
        const char *file;
        bool mesa_log;
    } symbols[MAX_SYMBOLS]; /* in their order */
    unsigned symbols_count;
};

/* Reads environment variables and options; *first: the index of the command's
 * name, or argc. An exit status, or -1 to go on. */
int profile_take_options(struct profile_options *o, int argc, char **argv,
                         int *first);

#endif
