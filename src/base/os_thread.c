/* os_thread.c: threads with a small stack. */
#include "base/os_thread.h"

#include <errno.h>
#include <stddef.h>

/* Observed: drawing takes less than 128 KiB of stack. */
#ifdef __SANITIZE_ADDRESS__
#define STACK_B ((size_t)4 << 20)
#else
#define STACK_B ((size_t)512 << 10)
#endif

int
thread_start(pthread_t *thread, bool detached, void *(*run)(void *), void *data)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    if (detached)
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    size_t usual_B = STACK_B;
    pthread_attr_getstacksize(&attr, &usual_B);
    pthread_attr_setstacksize(&attr, STACK_B);
    int err = pthread_create(thread, &attr, run, data);
    /* The stack also holds the program's thread-local variables. */
    if (err == EINVAL && usual_B > STACK_B) {
        pthread_attr_setstacksize(&attr, usual_B);
        err = pthread_create(thread, &attr, run, data);
    }
    pthread_attr_destroy(&attr);
    return err;
}
