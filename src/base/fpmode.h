/* fpmode.h: the host's floating-point mode register. Used by eu/, sampler/ and
 * engine/; each thread has its own mode.
 *
 * EU arithmetic runs on the host's unit in the mode of cr0, and messages are
 * handled in that mode, too. Code whose results depend on the mode enters the
 * default one while it computes. The engine enters the default mode when the
 * application calls it, and restores the application's before it returns. */
#ifndef BASE_FPMODE_H
#define BASE_FPMODE_H

#include <stdbool.h>
#include <stdint.h>
#include <xmmintrin.h>

#define FPMODE_DEFAULT 0x1f80u /* round to nearest even, no flushing */
#define FPMODE_FLUSH 0x8040u   /* FTZ and DAZ */
#define FPMODE_STATUS 0x3fu    /* exception flags, not mode bits */

static inline uint32_t
fpmode_get(void)
{
    return _mm_getcsr();
}

/* The mode last set on this thread, because reading the register waits for all
 * earlier instructions. */
extern __thread uint32_t fpmode_mine __attribute__((tls_model("initial-exec")));

static inline void
fpmode_set(uint32_t mode)
{
    _mm_setcsr(mode);
    fpmode_mine = mode & ~FPMODE_STATUS;
}

/* EU rounding: 0 nearest even, 1 up, 2 down, 3 zero. */
static inline uint32_t
fpmode_make(unsigned rounding, bool flush)
{
    static const uint8_t rc[4] = {0, 2, 1, 3};
    return FPMODE_DEFAULT | (uint32_t)rc[rounding & 3] << 13 |
           (flush ? FPMODE_FLUSH : 0);
}

static inline bool
fpmode_rounds_to_nearest(uint32_t mode)
{
    return !(mode & 0x6000u);
}

/* Enters a mode, which is cheap if it is current already, and returns the
 * argument of fpmode_leave(). The current mode must have been set by
 * fpmode_set(). */
static inline uint32_t
fpmode_enter(uint32_t mode)
{
    uint32_t before = fpmode_mine;
    if (before != mode)
        fpmode_set(mode);
    return before;
}

static inline void
fpmode_leave(uint32_t mode, uint32_t before)
{
    if (before != mode)
        fpmode_set(before);
}

#endif
