/* choice.h: which work a profile counts, as the user has chosen it: ranges of
 * frames, submissions, draws and dispatches, and the FIFO of --control.
 *
 * Caller: cli/profile; one thread. Texts belong to the caller. */
#ifndef CLI_PROFILE_CHOICE_CHOICE_H
#define CLI_PROFILE_CHOICE_CHOICE_H

#include <stdbool.h>

enum choice_range {
    CHOICE_FRAMES,
    CHOICE_SUBMITS,
    CHOICE_DRAWS,
    CHOICE_DISPATCHES,
    CHOICE_RANGES
};

struct choice {
    const char *range[CHOICE_RANGES]; /* NULL: all */
    const char *control;              /* a FIFO, or NULL */
    bool paused;                      /* at the beginning */
    bool each;                        /* each draw and dispatch is counted */
    int fd;                           /* of the FIFO; -1: none */
    bool made_fifo;
};

/* Whether the text is "A-B", "A-", "-B" or "A", from 1. */
bool choice_is_range(const char *text);
/* Whether single draws and dispatches are told apart. */
bool choice_is_made(const struct choice *c);
/* Before the command: prepares the directory and the FIFO. NULL, or an error
 * message. */
const char *choice_begin(struct choice *c, const char *dir);
/* In the child: tells the library, by the environment. */
void choice_export(const struct choice *c);
/* After the command. */
void choice_end(struct choice *c);
/* Whether the snapshot with this number is whole. */
bool choice_has_snapshot(const char *dir, unsigned number);

#endif
