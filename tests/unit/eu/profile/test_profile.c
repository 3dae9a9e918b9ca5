/* test_profile.c: compiled code and the interpreter count each instruction
 * alike: in random kernels, in loops that all channels leave at once, in IFs,
 * and where threads wait. */
#include "compare_tiers.h"
#include "if_kernels.h"
#include "loop_kernels.h"

static void
make_counted(struct rk *k, void (*make)(struct rk *k, uint64_t seed),
             uint64_t seed)
{
    make(k, seed);
    k->mode = RK_WHOLE;
    k->counts = true;
}

/* Only whole kernels are counted: the other modes split blocks. */
static void
make_any(struct rk *k, uint64_t seed)
{
    do
        rk_make(k, seed);
    while (k->mode != RK_WHOLE && (seed += UINT64_C(1) << 32));
    k->counts = true;
}

#define COUNTED(name)                                       \
    static void name##_counted(struct rk *k, uint64_t seed) \
    {                                                       \
        make_counted(k, name, seed);                        \
    }
COUNTED(make_loops)
COUNTED(make_circles)
COUNTED(make_sending_loops)
COUNTED(make_ifs)
COUNTED(make_sending_ifs)

#define COMPARED(name, make, kernels)                \
    Test(profile, name)                              \
    {                                                \
        compare_tiers(CPU_AVX512, make, kernels, 3); \
        compare_tiers(CPU_AVX2, make, kernels, 3);   \
    }
COMPARED(random_kernels, make_any, 1000)
COMPARED(loops, make_loops_counted, 300)
COMPARED(circles, make_circles_counted, 300)
COMPARED(sending_loops, make_sending_loops_counted, 300)
COMPARED(ifs, make_ifs_counted, 300)
COMPARED(sending_ifs, make_sending_ifs_counted, 300)
