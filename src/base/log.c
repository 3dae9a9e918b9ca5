/* log.c: messages, trace topics and their output. */
#include "base/base.h"
#include "base/file_limit.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

uint32_t log_trace_mask;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int out_fd = STDERR_FILENO;

static const struct {
    const char *name, *help;
} tags[TRACE_COUNT] = {
#define X(name, help) {#name, help},
    TRACE_TAGS(X)
#undef X
};

static void
say(const char *fmt, va_list ap)
{
    /* One write per line, so that lines of several threads do not mix. */
    char line[4096];
    int n = vsnprintf(line, sizeof line - 1, fmt, ap);
    if (n < 0)
        return;
    if (n > (int)sizeof line - 2)
        n = sizeof line - 2;
    line[n++] = '\n';
    ssize_t ignored = file_limit_append(out_fd, line, (size_t)n);
    (void)ignored;
}

void
log_printf(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(fmt, ap);
    va_end(ap);
}

static void
parse_tags(const char *list)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        bool known = false;
        for (unsigned i = 0; i < TRACE_COUNT; i++) {
            bool all = n == 3 && !strncmp(list, "all", 3);
            if (all || (strlen(tags[i].name) == n &&
                        !strncmp(list, tags[i].name, n))) {
                log_trace_mask |= UINT32_C(1) << i;
                known = true;
            }
        }
        if (n == 4 && !strncmp(list, "help", 4)) {
            for (unsigned i = 0; i < TRACE_COUNT; i++)
                log_printf("  %-10s %s", tags[i].name, tags[i].help);
            known = true;
        }
        if (!known && n)
            log_printf("softlake: no trace topic '%.*s' (try help)", (int)n,
                       list);
        list += n;
        list += *list == ',';
    }
}

static void
init_once(void)
{
    const char *path = getenv("SOFTLAKE_OUTPUT");
    if (path && *path) {
        /* The raw system call, because inside the shim open() is interposed. */
        int fd = (int)syscall(SYS_openat, AT_FDCWD, path,
                              O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (fd >= 0)
            out_fd = fd;
        else
            log_printf("softlake: cannot write %s: %m", path);
    }
    const char *list = getenv("SOFTLAKE_TRACE");
    if (list)
        parse_tags(list);
}

void
log_init(void)
{
    pthread_once(&once, init_once);
}

void
log_trace(enum trace_tag tag, const char *fmt, ...)
{
    char text[4000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    log_printf("%d %s: %s", (int)syscall(SYS_gettid), tags[tag].name, text);
}

void
log_unimp(struct log_site *site, const char *file, int line, const char *fmt,
          ...)
{
    stats_add(STAT_unimp, 1);
    if (atomic_fetch_add(&site->hits, 1))
        return;
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    log_printf("softlake: unimplemented: %s (%s:%d)", text, file, line);
}

void
log_guest_error(struct log_site *site, const char *fmt, ...)
{
    stats_add(STAT_guest_errors, 1);
    if (atomic_fetch_add(&site->hits, 1))
        return;
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    log_printf("softlake: guest error: %s", text);
}
