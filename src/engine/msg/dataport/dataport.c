/* dataport.c: address ranges and block transfers of data port messages. */
#include "engine/msg/dataport/dataport.h"

const struct surface *
dataport_surface(const struct thread_env *env, const struct eu_message *m)
{
    unsigned bti = m->desc & 0xff;
    if (bti == BTI_BINDLESS)
        return stage_surface_bindless(env->stage, m->ex_desc >> 12 << 6);
    return stage_surface(env->stage, bti);
}

struct dp_range
dataport_flat_range(const struct thread_env *env, gpu_va va, uint64_t size_B)
{
    struct dp_range r = {vm_ptr(env->vm, va), size_B, NULL, 0, NULL, va};
    if (vm_has_moved(env->vm))
        r.vm = env->vm;
    return r;
}

struct dp_range
dataport_range(const struct thread_env *env, const struct eu_message *m,
               uint32_t base_B)
{
    unsigned bti = m->desc & 0xff;
    if (bti == BTI_SLM) {
        struct thread_group *g = env->group;
        return (struct dp_range){.mem = g ? g->slm : NULL,
                                 .size_B = g ? g->slm_B : 0,
                                 .ignored = SLM_IGNORED};
    }
    if (bti == BTI_STATELESS || bti == BTI_STATELESS_NC) {
        gpu_va base = env->stage->general_base_va + base_B;
        /* A32: 32-bit offsets from General State Base. */
        return dataport_flat_range(env, base, VM_GUARD_B);
    }
    const struct surface *s = dataport_surface(env, m);
    return (struct dp_range){.mem = s->mem, .size_B = s->flat_B, .surf = s};
}

/* Dword i of the payload is at offset_B + 4 i. Each dword is checked
 * separately: out of range, it reads 0. */
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
        /* Spills obey the instruction's mask, dword i under channel i modulo
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
