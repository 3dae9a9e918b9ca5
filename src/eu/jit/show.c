/* show.c: who asked to see compiled code; and perf's map of symbols. */
#include "eu/jit/show.h"

#include "base/known.h"
#include "base/perf.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SHOW_MAP = 1, SHOW_JITDUMP = 2, SHOW_GDB = 4 };

static int
read_wishes(void)
{
    const char *perf = getenv("SOFTLAKE_PERF"), *gdb = getenv("SOFTLAKE_GDB");
    int wishes = 0;
    while (perf && *perf) {
        size_t n = strcspn(perf, ",");
        if (n == 3 && !strncmp(perf, "map", n))
            wishes |= SHOW_MAP;
        else if (n == 7 && !strncmp(perf, "jitdump", n))
            wishes |= SHOW_JITDUMP;
        else if (n && !perf_is_way(perf, (unsigned)n))
            log_printf("SOFTLAKE_PERF=%.*s: expected map or jitdump", (int)n,
                       perf);
        perf += n;
        perf += *perf == ',';
    }
    if (gdb && *gdb && strcmp(gdb, "0"))
        wishes |= SHOW_GDB;
    return wishes;
}

static int
wishes(void)
{
    static atomic_int known;
    return known_int(&known, read_wishes);
}

struct gdb_code *
eu_show_begin(const struct jit_copy *copy)
{
    int w = wishes();
    if (w & SHOW_MAP)
        eu_perf_map_add(copy);
    if (w & SHOW_JITDUMP)
        eu_jitdump_add(copy);
    return w & SHOW_GDB ? eu_gdb_add(copy) : NULL;
}

void
eu_show_end(struct gdb_code *code)
{
    if (code)
        eu_gdb_remove(code);
}

void
eu_show_name(const struct jit_copy *copy, char name[SHOW_NAME_B])
{
    snprintf(name, SHOW_NAME_B, "eu:%016llx%s",
             (unsigned long long)copy->kernel->hash,
             copy->masked         ? ":masked"
             : copy->threads == 4 ? ":four"
             : copy->threads == 2 ? ":paired"
                                  : "");
}

int
eu_show_open(const char *path, bool append)
{
    /* The raw system call: open() may be the library's own. */
    return (int)syscall(
        SYS_openat, AT_FDCWD, path,
        O_RDWR | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0644);
}

/* /tmp/perf-PID.map, a line per symbol: start and size in hexadecimal, name.
 * perf looks there for code that belongs to no file. */
void
eu_perf_map_add(const struct jit_copy *copy)
{
    char path[64], name[SHOW_NAME_B], line[128];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    eu_show_name(copy, name);
    int n = snprintf(line, sizeof line, "%llx %zx %s\n",
                     (unsigned long long)(uintptr_t)copy->code, copy->size_B,
                     name);
    int fd = eu_show_open(path, true);
    if (fd < 0)
        return;
    ssize_t ignored = write(fd, line, (size_t)n);
    (void)ignored;
    close(fd);
}
