/* refusal.c: reports of exhausted host resources. */
#include "base/refusal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

void
log_refusal(struct log_site *site, const char *fmt, ...)
{
    int saved = errno;
    if (atomic_fetch_add(&site->hits, 1))
        return;
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    errno = saved;
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    log_printf("softlake: %s", text);
    errno = saved;
}
