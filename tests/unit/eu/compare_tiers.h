/* compare_tiers.h: runs random kernels on both tiers, each from several
 * states. */
#ifndef COMPARE_TIERS_H
#define COMPARE_TIERS_H

#include <criterion/criterion.h>

#include "rk.h"

/* make: makes the kernel of a seed, 1 to `kernels`. */
static inline void
compare_tiers(enum cpu_level cpu, void (*make)(struct rk *k, uint64_t seed),
              unsigned kernels, unsigned states)
{
    static struct rk k;
    unsigned built = 0;
    char text[512];
    struct rk_result r;
    if (cpu > cpu_selected())
        return;
    for (uint64_t seed = 1; seed <= kernels; seed++) {
        make(&k, seed);
        for (unsigned s = 0; s < states; s++) {
            bool same = rk_run(&k, seed * states + s, cpu, &r, text,
                               sizeof text);
            cr_assert(same, "kernel %llu: %s", (unsigned long long)seed, text);
            built += r.built;
        }
    }
    cr_expect_gt(built, kernels);
}

#endif
