/* direct_avx2.c: sampler messages that compiled code answers by a direct call
 * and that need the worker's block cache. */
#include "engine/msg/x86/direct.h"
#include "sampler/plan/kernel_types.h"

static bool
answer(const struct prepared_message *p, uint32_t *out, const int16_t at_dw[4],
       struct thread_env *env, __m256 a0, __m256 a1, __m256 b0, __m256 b1,
       __m256 c0, __m256 c1)
{
    struct block_cache *blocks = made_blocks(env);
    return blocks && ((sample_in_registers_avx2_fn)p->plan.in_registers)(
                         &p->plan, out, at_dw, blocks, a0, a1, b0, b1, c0, c1);
}

void (*const sampler_direct_avx2)(void) = (void (*)(void))answer;
