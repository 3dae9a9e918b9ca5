/* os_thread.h: starts threads of Softlake in the application's process. Any
 * thread. */
#ifndef BASE_OS_THREAD_H
#define BASE_OS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* pthread_create() with a small stack: in the child of fork() glibc keeps 40
 * MiB of stacks of the parent's threads, and Mesa's exit handlers join threads
 * there. Returns 0 or an errno. */
int thread_start(pthread_t *thread, bool detached, void *(*run)(void *),
                 void *data);

#endif
