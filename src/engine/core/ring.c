/* ring.c: contexts take turns on a ring.
 *
 * A ring executes one batch at a time, as long as batches are short: they share
 * the worker pool and what it has in its caches. A batch that runs for longer
 * than a turn, or hangs, must not hold up other contexts: they go on beside it,
 * as i915 would preempt it. Contexts share only what has locks of its own. */
#include "engine/core/ring.h"

#include "base/clock.h"

#define TURN_NS INT64_C(50000000)

void
ring_init(struct ring *ring)
{
    pthread_mutex_init(&ring->lock, NULL);
    pthread_cond_init(&ring->free, NULL);
    ring->current = 0;
}

void
ring_finish(struct ring *ring)
{
    pthread_mutex_destroy(&ring->lock);
    pthread_cond_destroy(&ring->free);
}

/* Waits until the current turn is released or over. */
static void
wait_locked(struct ring *ring)
{
    struct timespec end = {ring->end_ns / 1000000000,
                           ring->end_ns % 1000000000};
    pthread_cond_clockwait(&ring->free, &ring->lock, CLOCK_MONOTONIC, &end);
}

uint64_t
ring_acquire(struct ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    int64_t now_ns = clock_tick_ns();
    while (ring->current && now_ns < ring->end_ns) {
        wait_locked(ring);
        now_ns = clock_ns(CLOCK_MONOTONIC);
    }
    uint64_t turn = ring->current = ++ring->turns;
    ring->end_ns = now_ns + TURN_NS;
    pthread_mutex_unlock(&ring->lock);
    return turn;
}

void
ring_release(struct ring *ring, uint64_t turn)
{
    pthread_mutex_lock(&ring->lock);
    if (ring->current == turn) {
        ring->current = 0;
        pthread_cond_signal(&ring->free);
    }
    pthread_mutex_unlock(&ring->lock);
}
