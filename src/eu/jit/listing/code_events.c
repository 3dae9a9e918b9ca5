/* code_events.c: announces compiled code to profilers and debuggers; writes
 * perf's map of symbols. */
#include "eu/jit/listing/listing.h"

#include "base/known.h"
#include "base/perf.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EVENT_MAP = 1, EVENT_JITDUMP = 2, EVENT_GDB = 4 };

static int
read_wishes(void)
{
    const char *perf = getenv("SOFTLAKE_PERF"), *gdb = getenv("SOFTLAKE_GDB");
    int wishes = 0;
    while (perf && *perf) {
        size_t n = strcspn(perf, ",");
        if (n == 3 && !strncmp(perf, "map", n))
            wishes |= EVENT_MAP;
        else if (n == 7 && !strncmp(perf, "jitdump", n))
            wishes |= EVENT_JITDUMP;
        else if (n && !perf_is_way(perf, (unsigned)n))
            log_printf("SOFTLAKE_PERF=%.*s: expected map or jitdump", (int)n,
                       perf);
        perf += n;
        perf += *perf == ',';
    }
    if (gdb && *gdb && strcmp(gdb, "0"))
        wishes |= EVENT_GDB;
    return wishes;
}

static int
wished_outputs(void)
{
    static atomic_int known;
    return known_int(&known, read_wishes);
}

struct gdb_jit *
eu_code_event_begin(const struct jit_variant *copy)
{
    int w = wished_outputs();
    if (w & EVENT_MAP)
        eu_perf_map_add(copy);
    if (w & EVENT_JITDUMP)
        eu_jitdump_add(copy);
    return w & EVENT_GDB ? eu_gdb_add(copy) : NULL;
}

void
eu_code_event_end(struct gdb_jit *code)
{
    if (code)
        eu_gdb_remove(code);
}

void
eu_code_event_name(const struct jit_variant *copy, char name[CODE_EVENT_NAME_B])
{
    snprintf(name, CODE_EVENT_NAME_B, "eu:%016llx%s",
             (unsigned long long)copy->kernel->hash,
             copy->masked         ? ":masked"
             : copy->threads == 4 ? ":four"
             : copy->threads == 2 ? ":paired"
                                  : "");
}

int
eu_code_event_open(const char *path, bool append)
{
    /* A raw system call, because open() may be Softlake's own. */
    return (int)syscall(
        SYS_openat, AT_FDCWD, path,
        O_RDWR | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0644);
}

/* /tmp/perf-PID.map, a line per symbol: start and size in hexadecimal, name.
 * perf looks there for code without a file. */
void
eu_perf_map_add(const struct jit_variant *copy)
{
    char path[64], name[CODE_EVENT_NAME_B], line[128];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    eu_code_event_name(copy, name);
    int n = snprintf(line, sizeof line, "%llx %zx %s\n",
                     (unsigned long long)(uintptr_t)copy->code, copy->size_B,
                     name);
    int fd = eu_code_event_open(path, true);
    if (fd < 0)
        return;
    ssize_t ignored = write(fd, line, (size_t)n);
    (void)ignored;
    close(fd);
}
