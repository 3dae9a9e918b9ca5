/* fpmode.h: the host's floating-point mode register.
 *
 * Arithmetic of the EU runs on the host's own unit in the mode that cr0 asks
 * for. Messages are handled in that mode too: code whose results depend on it
 * asks for the default one while it computes. The engine enters the default
 * mode when the application calls it, and puts the application's back before
 * it returns. */
#ifndef BASE_FPMODE_H
#define BASE_FPMODE_H

#include <stdbool.h>
#include <stdint.h>
#include <xmmintrin.h>

#define FPMODE_DEFAULT 0x1f80u /* round to nearest even, nothing flushed */
#define FPMODE_FLUSH 0x8040u   /* FTZ and DAZ */
#define FPMODE_STATUS 0x3fu    /* what happened so far: no mode */

static inline uint32_t
fpmode_get(void)
{
    return _mm_getcsr();
}

/* What was last set on the calling thread: to read the register takes until
 * everything before it is done. */
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

/* Goes over to a mode, which costs little where it is the mode already, and
 * returns what fpmode_leave() needs to go back. The mode so far is one that was
 * set here. */
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
