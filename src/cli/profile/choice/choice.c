/* choice.c: ranges in the environment, and the FIFO of --control. */
#include "cli/profile/choice/choice.h"

#include "eu/profile/profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
choice_is_range(const char *text)
{
    char *end = (char *)text;
    unsigned long long first = 1, last = ULLONG_MAX;
    if (*text >= '0' && *text <= '9')
        first = strtoull(text, &end, 10);
    if (!*end)
        return end != text && first > 0;
    if (*end != '-')
        return false;
    const char *second = end + 1;
    if (!*second)
        return end != text && first > 0;
    if (*second < '0' || *second > '9')
        return false;
    last = strtoull(second, &end, 10);
    return !*end && first > 0 && last >= first;
}

bool
choice_is_made(const struct choice *c)
{
    return c->each || c->range[CHOICE_DRAWS] || c->range[CHOICE_DISPATCHES] ||
           c->range[CHOICE_FRAMES] || c->range[CHOICE_SUBMITS] || c->control;
}

static const char *
write_state(const struct choice *c, const char *dir)
{
    char path[4096];
    const struct profile_control state = {
        .state = c->paused ? PROFILE_PAUSED : PROFILE_COUNTING};
    snprintf(path, sizeof path, PROFILE_CONTROL_FORMAT, dir);
    FILE *f = fopen(path, "we");
    bool ok = f && fwrite(&state, sizeof state, 1, f) == 1;
    if (f)
        ok &= !fclose(f);
    return ok ? NULL : strerror(errno);
}

/* This end stays open, so that writers need not wait for a reader, nor readers
 * for a writer. */
const char *
choice_begin(struct choice *c, const char *dir)
{
    struct stat st;
    c->fd = -1;
    if (!c->control)
        return NULL;
    c->made_fifo = !mkfifo(c->control, 0600);
    if (!c->made_fifo && errno != EEXIST)
        return strerror(errno);
    c->fd = open(c->control, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (c->fd < 0)
        return strerror(errno);
    if (fstat(c->fd, &st) || !S_ISFIFO(st.st_mode))
        return "not a FIFO";
    return write_state(c, dir);
}

static void
export_text(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

void
choice_export(const struct choice *c)
{
    static const char *const names[CHOICE_RANGES] = {
        [CHOICE_FRAMES] = "SOFTLAKE_PROFILE_FRAMES",
        [CHOICE_SUBMITS] = "SOFTLAKE_PROFILE_SUBMITS",
        [CHOICE_DRAWS] = "SOFTLAKE_PROFILE_DRAWS",
        [CHOICE_DISPATCHES] = "SOFTLAKE_PROFILE_DISPATCHES",
    };
    char path[PATH_MAX];
    for (unsigned i = 0; i < CHOICE_RANGES; i++)
        export_text(names[i], c->range[i]);
    /* The command may change directory. These names are no options': the
     * command may have a softlake profile of its own. */
    export_text("SOFTLAKE_PROFILE_FIFO",
                c->control ? realpath(c->control, path) : NULL);
    export_text("SOFTLAKE_PROFILE_UNITS", c->each ? "1" : NULL);
    unsetenv("SOFTLAKE_PROFILE_CONTROL");
    unsetenv("SOFTLAKE_PROFILE_PER");
    unsetenv("SOFTLAKE_PROFILE_START_PAUSED");
}

void
choice_end(struct choice *c)
{
    if (c->fd >= 0)
        close(c->fd);
    if (c->made_fifo)
        unlink(c->control);
    c->fd = -1;
    c->made_fifo = false;
}

bool
choice_has_snapshot(const char *dir, unsigned number)
{
    char path[4096];
    snprintf(path, sizeof path, PROFILE_SNAPSHOT_END_FORMAT, dir, number);
    return !access(path, F_OK);
}
