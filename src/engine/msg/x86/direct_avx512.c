/* direct_avx512.c: sampler messages that compiled code answers by a direct call
 * and that need the worker's block cache. */
#include "engine/msg/x86/direct.h"
#include "sampler/plan/kernel_types.h"

static bool
answer(const struct prepared_message *p, uint32_t *out, const int16_t at_dw[4],
       struct thread_env *env, __m512 a, __m512 b, __m512 c)
{
    struct block_cache *blocks = made_blocks(env);
    return blocks && ((sample_in_registers_avx512_fn)p->plan.in_registers)(
                         &p->plan, out, at_dw, blocks, a, b, c);
}

void (*const sampler_direct_avx512)(void) = (void (*)(void))answer;
