/* leftovers.c: files that a process makes for the device: they are there as
 * long as somebody needs them, and no longer. */
#include "raw.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char runtime_dir[] = "/dev/shm/softlake-leftovers-XXXXXX";

static unsigned
count_trees(void)
{
    DIR *d = opendir(runtime_dir);
    struct dirent *e;
    unsigned n = 0;
    while (d && (e = readdir(d)))
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

static bool
device_is_there(void)
{
    struct stat st;
    int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return false;
    close(fd);
    return !stat("/dev/dri/card0", &st) && S_ISCHR(st.st_mode) &&
           !access("/sys/class/drm/card0/device/vendor", R_OK);
}

/* Runs a function in a process that has not looked for the device. */
static bool
run(bool (*function)(void))
{
    fflush(stdout);
    pid_t pid = fork();
    int status = -1;
    if (!pid)
        _exit(!function());
    waitpid(pid, &status, 0);
    return !status;
}

/* The daemon tells over the pipe whether it finds the device after the death of
 * its parent. */
static bool
run_daemon(bool close_all, bool kill_parent)
{
    int result[2], parent[2];
    char answer = 0;
    if (pipe(result) || pipe(parent))
        return false;
    pid_t pid = fork();
    if (!pid) {
        device_is_there();
        if (fork()) {
            if (kill_parent)
                raise(SIGKILL);
            exit(0);
        }
        dup2(result[1], 0);
        dup2(parent[0], 1);
        if (close_all)
            closefrom(3);
        close(parent[1]);
        while (read(1, &answer, 1) > 0) /* until main() knows of the death */
            ;
        answer = device_is_there() ? 'y' : 'n';
        exit(write(0, &answer, 1) != 1);
    }
    waitpid(pid, NULL, 0);
    close(parent[1]);
    close(parent[0]);
    close(result[1]);
    bool good = read(result[0], &answer, 1) == 1 && answer == 'y';
    while (read(result[0], &answer, 1) > 0)
        ;
    close(result[0]);
    return good;
}

static void
test_daemons(void)
{
    ok(run_daemon(false, false), "a daemon whose parent has ended");
    ok(run_daemon(true, false), "one that closes all its descriptors");
    ok(run_daemon(false, true), "one whose parent was killed");
    ok(run_daemon(true, true), "one of both");
    ok(run(device_is_there), "another process");
    for (unsigned i = 0; i < 50 && count_trees(); i++)
        sleep_ms(20); /* the daemons end */
    ok(!count_trees(), "the last one removes the tree: %u are left",
       count_trees());
}

static bool
change_user(void)
{
    bool before = device_is_there();
    return before && !setgid(65534) && !setuid(65534) && device_is_there();
}

static bool
remove_tree_and_look(void)
{
    char command[128];
    bool before = device_is_there();
    snprintf(command, sizeof command, "rm -r %s/softlake-*", runtime_dir);
    return before && !system(command) && device_is_there();
}

static bool
die_with_tree(void)
{
    device_is_there();
    raise(SIGKILL);
    return true;
}

static void
test_killed(void)
{
    char path[64], counts[64], used[64];
    snprintf(path, sizeof path, "/dev/shm/softlake-screen-%d",
             1000000000 + (int)getpid());
    snprintf(counts, sizeof counts, "/tmp/softlake-counts-%d", (int)getpid());
    snprintf(used, sizeof used, "/tmp/softlake-counts-used%d", (int)getpid());
    int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    mkdir(counts, 0700);
    mkdir(used, 0700);
    int lock = open(used, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    flock(lock, LOCK_SH);
    for (unsigned i = 0; i < 20; i++)
        run(die_with_tree);
    ok(count_trees() > 0, "killed processes leave %u trees", count_trees());
    ok(fd >= 0 && run(device_is_there), "the next process");
    ok(!count_trees(), "removes them: %u are left", count_trees());
    ok(access(path, F_OK) < 0, "and screens");
    ok(access(counts, F_OK) < 0, "and directories of counters");
    ok(!access(used, F_OK), "but nothing that is in use");
    close(lock);
    rmdir(used);
    close(fd);
    unlink(path);
}

static void
test_crowd(void)
{
    enum { CROWD = 24, ROUNDS = 4 };
    bool good = true;
    for (unsigned round = 0; round < ROUNDS; round++) {
        pid_t pid[CROWD];
        int status;
        for (unsigned i = 0; i < CROWD; i++)
            if (!(pid[i] = fork()))
                _exit(i % 3 ? !device_is_there() : die_with_tree());
        for (unsigned i = 0; i < CROWD; i++)
            good &= waitpid(pid[i], &status, 0) == pid[i] &&
                    (!status || i % 3 == 0);
    }
    ok(good, "processes that start and die at the same time");
    ok(run(device_is_there), "the next process");
    ok(!count_trees(), "finds nothing of them: %u trees", count_trees());
}

int
main(void)
{
    if (!mkdtemp(runtime_dir))
        return 1;
    setenv("XDG_RUNTIME_DIR", runtime_dir, 1);
    test_daemons();
    ok(run(remove_tree_and_look), "a tree that somebody has removed");
    ok(geteuid() || run(change_user), "a process that changes its user");
    test_killed();
    test_crowd();
    rmdir(runtime_dir);
    return done_testing();
}
