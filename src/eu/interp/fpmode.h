/* fpmode.h: the host's floating-point mode register.
 *
 * Arithmetic of the EU runs on the host's own unit in the mode that cr0 asks
 * for; the application's mode is put back whenever other code runs. */
#ifndef EU_FPMODE_H
#define EU_FPMODE_H

#include <stdbool.h>
#include <stdint.h>
#include <xmmintrin.h>

#define FPMODE_DEFAULT 0x1f80u /* round to nearest even, nothing flushed */
#define FPMODE_FLUSH 0x8040u   /* FTZ and DAZ */

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

#endif
