#include "drm-shim/device/fd_cache.h"

/* Larger descriptors are never cached. */
#define CACHED_FDS 1024

/* State of the library: descriptors belong to the process, and close() takes no
 * context. */
static struct {
    _Atomic(struct drm_file *) file[CACHED_FDS];
    atomic_uint closing; /* calls that are under way */
    atomic_uint closed;  /* calls that are over */
} fd_cache;

void
fd_cache_closing(unsigned first, unsigned last)
{
    atomic_fetch_add(&fd_cache.closing, 1);
    for (unsigned i = first; i <= MIN2(last, CACHED_FDS - 1); i++)
        if (atomic_load(&fd_cache.file[i]))
            atomic_store(&fd_cache.file[i], NULL);
}

void
fd_cache_closed(void)
{
    atomic_fetch_add(&fd_cache.closed, 1);
    atomic_fetch_sub(&fd_cache.closing, 1);
}

struct drm_file *
fd_cache_find(int fd)
{
    if ((unsigned)fd >= CACHED_FDS)
        return NULL;
    return atomic_load(&fd_cache.file[fd]);
}

unsigned
fd_cache_ticket(void)
{
    return atomic_load(&fd_cache.closed);
}

void
fd_cache_learn(int fd, struct drm_file *file, unsigned ticket)
{
    if ((unsigned)fd >= CACHED_FDS)
        return;
    atomic_store(&fd_cache.file[fd], file);
    /* A close that begins after this check finds the entry. */
    if (atomic_load(&fd_cache.closing) ||
        atomic_load(&fd_cache.closed) != ticket)
        atomic_store(&fd_cache.file[fd], NULL);
}

void
fd_cache_forget_file(const struct drm_file *file)
{
    for (unsigned i = 0; i < CACHED_FDS; i++)
        if (atomic_load(&fd_cache.file[i]) == file)
            atomic_store(&fd_cache.file[i], NULL);
}

void
fd_cache_forget(int fd)
{
    if ((unsigned)fd < CACHED_FDS)
        atomic_store(&fd_cache.file[fd], NULL);
}

void
fd_cache_after_fork(void)
{
    atomic_store(&fd_cache.closing, 0);
}
