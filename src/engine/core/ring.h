/* ring.h: contexts take turns on a ring. Called by queue/ and cs/ in the thread
 * that executes a batch. */
#ifndef ENGINE_CORE_RING_H
#define ENGINE_CORE_RING_H

#include <pthread.h>
#include <stdint.h>

struct ring {
    pthread_mutex_t lock;
    pthread_cond_t free;
    uint64_t turns;   /* so far */
    uint64_t current; /* the turn that others wait for; 0: none */
    int64_t end_ns;   /* when they no longer do */
};

void ring_init(struct ring *ring);
void ring_finish(struct ring *ring);
/* Waits for the ring, but not for longer than a turn for each batch that came
 * before. Returns the turn, for ring_release(). A batch that waits for a
 * semaphore releases the ring meanwhile. */
uint64_t ring_acquire(struct ring *ring);
void ring_release(struct ring *ring, uint64_t turn);

#endif
