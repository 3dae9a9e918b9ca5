/* fpmode.h: the host's floating-point mode register.
 *
 * Arithmetic of the EU runs on the host's own unit in the mode that cr0 asks
 * for. Messages are handled in that mode too: code whose results depend on it
 * asks for the default one while it computes. The engine puts the
 * application's mode back before it returns to it. */
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

static inline void
fpmode_set(uint32_t mode)
{
    _mm_setcsr(mode);
}

/* EU rounding: 0 nearest even, 1 up, 2 down, 3 zero. */
static inline uint32_t
fpmode_make(unsigned rounding, bool flush)
{
    static const uint8_t rc[4] = {0, 2, 1, 3};
    return FPMODE_DEFAULT | (uint32_t)rc[rounding & 3] << 13 |
           (flush ? FPMODE_FLUSH : 0);
}

/* Goes over to a mode, which costs little where it is the mode already, and
 * returns what fpmode_leave() needs to go back. */
static inline uint32_t
fpmode_enter(uint32_t mode)
{
    uint32_t before = fpmode_get();
    if ((before ^ mode) & ~FPMODE_STATUS)
        fpmode_set(mode);
    return before;
}

static inline void
fpmode_leave(uint32_t mode, uint32_t before)
{
    if ((before ^ mode) & ~FPMODE_STATUS)
        fpmode_set(before);
}

#endif
