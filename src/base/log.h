/* log.h: Softlake's messages, always to stderr or the file of -o.
 *
 * Four failures have four mechanisms. A bad ioctl returns an errno. A bad batch
 * or kernel calls guest_error(). A missing feature calls unimp(). A bug of
 * Softlake is an assert; bytes that the client wrote never reach an assert.
 *
 * Any thread. Nothing here allocates after log_init(). */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One row per trace topic: name, help. SOFTLAKE_TRACE=name,name; "help"
 * lists them. */
#define TRACE_TAGS(X)                                     \
    X(ioctl, "every ioctl with its answer")               \
    X(path, "redirected paths")                           \
    X(bo, "buffer objects: create, map, close")           \
    X(sync, "fences, syncobjs, waits")                    \
    X(kms, "modesetting, page flips, vblanks")            \
    X(submit, "submissions: queue, start, end")           \
    X(cs, "every command of a batch")                     \
    X(reg, "register reads and writes")                   \
    X(draw, "every draw with its state in short")         \
    X(dispatch, "every compute dispatch")                 \
    X(geom, "vertices and primitives")                    \
    X(raster, "set-up primitives and tiles")              \
    X(eu, "disassembly of each kernel when first used")   \
    X(eustep, "every instruction executed, with results") \
    X(jit, "compiled code beside EU code")                \
    X(msg, "every message a kernel sends")                \
    X(surf, "surfaces and samplers as decoded")

enum trace_tag {
#define X(name, help) TRACE_##name,
    TRACE_TAGS(X)
#undef X
        TRACE_COUNT
};

extern uint32_t log_trace_mask; /* bit per enum trace_tag; set by log_init */

static inline bool
trace_on(enum trace_tag tag)
{
    return (log_trace_mask >> tag) & 1;
}

/* Reads SOFTLAKE_TRACE, SOFTLAKE_OUTPUT, SOFTLAKE_STRICT. Idempotent. */
void log_init(void);
void log_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_trace(enum trace_tag tag, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#define trace(tag, ...)                                 \
    do {                                                \
        if (__builtin_expect(trace_on(TRACE_##tag), 0)) \
            log_trace(TRACE_##tag, __VA_ARGS__);        \
    } while (0)

/* A missing feature. Always counted, printed once per site; with
 * SOFTLAKE_STRICT the launcher fails the run afterwards. */
struct log_site {
    atomic_uint hits;
};
void log_unimp(struct log_site *site, const char *file, int line,
               const char *fmt, ...) __attribute__((format(printf, 4, 5)));
#define unimp(...)                                          \
    do {                                                    \
        static struct log_site site_;                       \
        log_unimp(&site_, __FILE__, __LINE__, __VA_ARGS__); \
    } while (0)

/* The client sent malformed data. Always counted, printed once per site. */
void log_guest_error(struct log_site *site, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
#define guest_error(...)                      \
    do {                                      \
        static struct log_site site_;         \
        log_guest_error(&site_, __VA_ARGS__); \
    } while (0)

#endif
