/* serve.h: what glbench, clbench and vkbench share: one workload a process,
 * timed on command.
 *
 * usage of each: PROGRAM --list         rows, their units
 *                PROGRAM --compare A B  mean difference of two pictures, and
 *                                       how many percent of their values are
 *                                       far off
 *                PROGRAM ROW            takes commands from standard input
 * commands: time SECONDS   frames for about that long
 *                          -> time FRAMES WALL_S CPU_S WORK_PER_FRAME
 *           picture FILE   one frame from the beginning, as raw floats
 *                          -> picture VALUES
 *           memory         -> memory PEAK_KB
 * The caller alternates between drivers: each has a process that is set up
 * once and sleeps while another is timed. The first answer is
 * `ready DRIVER; VERSION`. scripts/bench is that caller.
 *
 * Whatever goes wrong ends the process with status 1 and says so on stderr. */
#ifndef SERVE_H
#define SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVE_MAX_VALUES ((size_t)1024 * 1024 * 4) /* of a picture */

/* A row that has been set up; the hooks get `self`. */
struct serve {
    double work;   /* in units per frame, without the prefix */
    bool finishes; /* a frame waits for its work: none is in flight */
    void *self;
    const char *driver, *version;
    void (*frame)(void *self);
    void (*finish)(void *self); /* waits for all frames */
    /* One frame from the beginning; returns the number of values. */
    size_t (*picture)(void *self, float *values);
    void (*check)(void *self); /* after each command; NULL: nothing */
};

_Noreturn void serve_die(const char *what, const char *detail);
/* Handles --list, which `list` prints, and --compare; else returns the name of
 * the row. */
const char *serve_arguments(int argc, char **argv, void (*list)(void));
/* Until standard input ends. */
void serve(const struct serve *s);

#endif
