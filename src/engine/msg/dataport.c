#include "engine/msg/dataport.h"

const struct surface *
dataport_surface(const struct thread_env *env, const struct eu_message *m)
{
    unsigned bti = m->desc & 0xff;
    if (bti == BTI_BINDLESS)
        return stage_surface_bindless(env->stage, m->ex_desc >> 12 << 6);
    return stage_surface(env->stage, bti);
}

struct dp_range
dataport_range(const struct thread_env *env, const struct eu_message *m,
               uint32_t base_B)
{
    unsigned bti = m->desc & 0xff;
    if (bti == BTI_SLM) {
        struct thread_group *g = env->group;
        return (struct dp_range){g ? g->slm : NULL, g ? g->slm_B : 0, NULL,
                                 SLM_IGNORED};
    }
    if (bti == BTI_STATELESS || bti == BTI_STATELESS_NC) {
        gpu_va base = env->stage->general_base_va + base_B;
        /* A32: offsets are 32 bits from General State Base. */
        return (struct dp_range){vm_ptr(env->vm, base), VM_GUARD_B, NULL, 0};
    }
    const struct surface *s = dataport_surface(env, m);
    return (struct dp_range){s->mem, s->flat_B, s, 0};
}

/* A block of `count` dwords, dword i of the payload at offset_B + 4 i. Each
 * dword is checked by itself: what lies outside reads 0. */
enum eu_msg_result
block_transfer(const struct dp_range *r, uint64_t offset_B,
               const struct eu_message *m, unsigned size_code, bool write,
               unsigned data_grf)
{
    /* Codes 0 and 1: one OWord in the low or high half of the register. */
    static const uint8_t owords[8] = {1, 1, 2, 4, 8, 0, 0, 0};
    unsigned count = owords[size_code & 7] * 4u;
    unsigned first = size_code == 1 ? 4 : 0;
    if (!count) {
        guest_error("OWord block size code %u", size_code);
        return EU_MSG_OK;
    }
    for (unsigned i = 0; i < count; i++) {
        uint8_t *p = dataport_at(r, offset_B + 4 * (uint64_t)i, 4);
        if (!write) {
            uint32_t v = 0;
            if (p)
                memcpy(&v, p, 4);
            dataport_answer(m, 0, first + i, v);
            continue;
        }
        /* Spills keep the instruction's mask, dword i under channel i modulo
         * 16; a scalar send moves the whole block. */
        bool on = m->exec_size == 1 ||
                  (m->exec_mask >> (i % MIN2(m->exec_size, 16u))) & 1;
        if (p && on) {
            uint32_t v = dataport_lane(m, data_grf, first + i);
            memcpy(p, &v, 4);
        }
    }
    return EU_MSG_OK;
}
