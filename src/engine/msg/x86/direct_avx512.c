/* direct_avx512.c: messages that compiled code answers without asking, and that
 * need the worker's blocks. */
#include "engine/msg/x86/direct.h"
#include "sampler/pixels.h"

static bool
answer(const struct prepared_message *p, uint32_t *out, const int16_t at_dw[4],
       struct thread_env *env, __m512 a, __m512 b, __m512 c)
{
    struct sample_blocks *blocks = made_blocks(env);
    return blocks && ((sample_vectors_avx512_fn)p->plan.vectors)(
                         &p->plan, out, at_dw, blocks, a, b, c);
}

void (*const sampler_direct_avx512)(void) = (void (*)(void))answer;
