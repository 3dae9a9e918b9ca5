/* profile_child.c: runs the profiled command as a child, in whose environment
 * SOFTLAKE_PROFILE names a new directory. The counters lie in files there, so
 * that they outlive children that are killed. */
#include "cli/launch/launch.h"
#include "cli/profile/profile_data.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* A lock tells the next process that the directory is in use; without one it is
 * a leftover (drm-shim/core/leftover.h). The launcher keeps it to its end. */
static bool
lock_dir(const char *dir)
{
    struct stat st;
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && !flock(fd, LOCK_SH) && !fstat(fd, &st) && st.st_nlink)
        return true;
    if (fd >= 0)
        close(fd);
    return false;
}

static uint64_t
free_B(const char *place)
{
    struct statvfs fs;
    return statvfs(place, &fs) ? 0 : (uint64_t)fs.f_bavail * fs.f_frsize;
}

/* Of the counts of a large application. */
#define ROOM_B (UINT64_C(256) << 20)

/* Memory if there is enough: counters are written often. */
static bool
make_dir(char dir[64])
{
    static const char *const places[] = {"/dev/shm", "/tmp"};
    unsigned first = free_B(places[0]) < ROOM_B &&
                     free_B(places[1]) > free_B(places[0]);
    for (unsigned i = 0; i < 2; i++) {
        snprintf(dir, 64, "%s/softlake-counts-XXXXXX", places[i ^ first]);
        if (mkdtemp(dir) && lock_dir(dir))
            return true;
    }
    return false;
}

/* Adds the switches to SOFTLAKE_PERF. */
static void
set_switches(const char *switches)
{
    const char *old = getenv("SOFTLAKE_PERF");
    char value[1024];
    snprintf(value, sizeof value, "%s%s%s", switches, old && *old ? "," : "",
             old ? old : "");
    setenv("SOFTLAKE_PERF", value, 1);
}

/* False: there is no such child. */
static bool
wait_for(const struct profile_run *run, pid_t child, int *status)
{
    for (;;) {
        pid_t got = waitpid(child, status, run->look ? WNOHANG : 0);
        if (got == child) {
            if (run->look)
                run->look(run->data);
            return true;
        }
        if (got < 0 && errno != EINTR)
            return false;
        if (!got)
            usleep(50000);
        if (run->look)
            run->look(run->data);
    }
}

static void
set_flag(const char *name, bool is_on)
{
    if (is_on)
        setenv(name, "1", 1);
    else
        unsetenv(name);
}

int
profile_run(struct profile_run *run, char **argv)
{
    int status;
    if (!make_dir(run->dir))
        return cli_complain(CLI_EXIT_LAUNCHER,
                            "cannot make a directory for counters: %s",
                            strerror(errno));
    const char *why = choice_begin(run->choice, run->dir);
    if (why) {
        choice_end(run->choice);
        profile_remove(run);
        *run->dir = 0;
        return cli_complain(CLI_EXIT_LAUNCHER, "profile: %s: %s",
                            run->choice->control, why);
    }
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        choice_end(run->choice);
        return cli_complain(CLI_EXIT_LAUNCHER, "fork: %s", strerror(errno));
    }
    if (child == 0) {
        setenv("SOFTLAKE_PROFILE", run->dir, 1);
        set_flag("SOFTLAKE_PROFILE_LANES", run->lanes);
        set_flag("SOFTLAKE_PROFILE_MEMORY", run->memory);
        set_flag("SOFTLAKE_PROFILE_ACCESSES", run->accesses);
        if (run->accesses) /* the interpreter sends all messages */
            setenv("SOFTLAKE_EU", "interp", 1);
        set_flag("SOFTLAKE_PROFILE_TIMES", run->times);
        set_flag("SOFTLAKE_PROFILE_PIXELS", run->pixels);
        set_flag("SOFTLAKE_PROFILE_OVERDRAW", run->overdraw);
        set_flag("SOFTLAKE_PROFILE_SAMPLER", run->texels);
        if (run->switches)
            set_switches(run->switches);
        if (run->debug_info)
            setenv("SOFTLAKE_PROFILE_SOURCE", "1", 1);
        choice_export(run->choice);
        cli_add_cl_layer();
        _exit(cli_run_command(argv));
    }
    /* The report is written in any case. */
    cli_forward_signals(child);
    bool ended = wait_for(run, child, &status);
    choice_end(run->choice);
    return ended ? cli_exit_status(status) : CLI_EXIT_LAUNCHER;
}

void
profile_remove(const struct profile_run *run)
{
    char path[512];
    DIR *d = *run->dir ? opendir(run->dir) : NULL;
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", run->dir, e->d_name);
        unlink(path);
    }
    closedir(d);
    rmdir(run->dir);
}
