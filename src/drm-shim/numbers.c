#include "drm-shim/numbers.h"

/* Larger numbers are asked about each time. */
#define NUMBERS 1024

/* Descriptors belong to the process, and close() cannot be handed anything:
 * so this is the library's, as the device is. */
static struct {
    _Atomic(struct drm_file *) file[NUMBERS];
    atomic_uint closing; /* calls that are under way */
    atomic_uint closed;  /* calls that are over */
} numbers;

void
numbers_closing(unsigned first, unsigned last)
{
    atomic_fetch_add(&numbers.closing, 1);
    for (unsigned i = first; i <= MIN2(last, NUMBERS - 1); i++)
        if (atomic_load(&numbers.file[i]))
            atomic_store(&numbers.file[i], NULL);
}

void
numbers_closed(void)
{
    atomic_fetch_add(&numbers.closed, 1);
    atomic_fetch_sub(&numbers.closing, 1);
}

struct drm_file *
numbers_find(int fd)
{
    if ((unsigned)fd >= NUMBERS)
        return NULL;
    return atomic_load(&numbers.file[fd]);
}

unsigned
numbers_ticket(void)
{
    return atomic_load(&numbers.closed);
}

void
numbers_learn(int fd, struct drm_file *file, unsigned ticket)
{
    if ((unsigned)fd >= NUMBERS)
        return;
    atomic_store(&numbers.file[fd], file);
    /* Whoever begins to close after this look finds the entry. */
    if (atomic_load(&numbers.closing) || atomic_load(&numbers.closed) != ticket)
        atomic_store(&numbers.file[fd], NULL);
}

void
numbers_forget_file(const struct drm_file *file)
{
    for (unsigned i = 0; i < NUMBERS; i++)
        if (atomic_load(&numbers.file[i]) == file)
            atomic_store(&numbers.file[i], NULL);
}

void
numbers_forget(int fd)
{
    if ((unsigned)fd < NUMBERS)
        atomic_store(&numbers.file[fd], NULL);
}

void
numbers_after_fork(void)
{
    atomic_store(&numbers.closing, 0);
}
