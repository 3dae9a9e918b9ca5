/* adaptive.c: how sharp the adaptive filter is at a pixel. It blends an 8-tap
 * polyphase filter (sharp) and a bilinear one (smooth) by a factor that the
 * samples under the taps give (ILK PRM vol 4 part 1, 4.8). KBL PRM vol 2d,
 * SAMPLER_STATE_8x8_AVS: a "smooth area" of four pixels, and of eight, has
 * steps up to Max Derivative, and a transition area above.
 *
 * Guess: the sharp filter is for edges among the middle four samples, and for
 * areas where all eight are smooth; between, it would ring. A transition is
 * 2^n steps of 8 bits wide. */
#include "engine/enhance/enhance.h"

#include <stdlib.h>

#include "base/base.h"

/* The largest step between neighbours, from tap `first` to tap `last`. */
static int
largest_step(const uint16_t tap[ADAPTIVE_TAPS], unsigned first, unsigned last)
{
    int most = 0;
    for (unsigned i = first; i < last; i++)
        most = MAX2(most, abs(tap[i + 1] - tap[i]));
    return most;
}

/* From 0 at the limit to ADAPTIVE_SHARP at the transition's end. */
static unsigned
above_limit(int step, uint8_t limit, uint8_t transition)
{
    int width = 256 << transition, over = step - limit * 256;
    return (unsigned)(CLAMP(over, 0, width) * ADAPTIVE_SHARP / width);
}

unsigned
adaptive_sharpness(const struct adaptive *a, const uint16_t tap[ADAPTIVE_TAPS])
{
    unsigned edge = above_limit(largest_step(tap, 2, 5), a->max_derivative_4,
                                a->transition_4);
    unsigned rough = above_limit(largest_step(tap, 0, ADAPTIVE_TAPS - 1),
                                 a->max_derivative_8, a->transition_8);
    return MAX2(edge, ADAPTIVE_SHARP - rough);
}
