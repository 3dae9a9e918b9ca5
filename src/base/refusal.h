/* refusal.h: reports that the host has run out of something (addresses,
 * descriptors, memory). Then a driver's request fails, and the driver may
 * silently fall back to another device. Printed once per site. Any thread. */
#ifndef BASE_REFUSAL_H
#define BASE_REFUSAL_H

#include "base/log.h"

/* Preserves errno. */
void log_refusal(struct log_site *site, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
#define refusal(...)                      \
    do {                                  \
        static struct log_site site_;     \
        log_refusal(&site_, __VA_ARGS__); \
    } while (0)

#endif
