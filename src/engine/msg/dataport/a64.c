/* a64.c: A64 messages: every lane has a 64-bit address, without a surface.
 * Non-canonical addresses read 0 and drop writes; unmapped ones access the
 * scratch page. */
#include "engine/msg/dataport/dataport.h"

static bool
is_canonical(uint64_t va)
{
    int64_t sign = (int64_t)va >> 47;
    return sign == 0 || sign == -1;
}

static uint8_t *
at_va(const struct thread_env *env, uint64_t va)
{
    return is_canonical(va) ? vm_ptr(env->vm, va) : NULL;
}

#define PLACE_MAX_B (UINT64_C(1) << 31)

bool
a64_place_moved(const struct engine_vm *vm, const uint64_t va[16],
                struct lane_access *a, uint32_t offset_B[16])
{
    gpu_va lead = va[__builtin_ctz(a->mask)] & VM_VA_MASK;
    struct vm_span span = vm_span_at(vm, lead);
    /* If the span is too long, use a part around the first lane. It is aligned,
     * so that offsets have the low bits of addresses. */
    gpu_va around = lead & ~(PLACE_MAX_B / 2 - 1);
    gpu_va begin = MAX2(span.begin, around - MIN2(around, PLACE_MAX_B / 2));
    gpu_va end = MIN2(span.end, begin + PLACE_MAX_B);
    for (unsigned i = 0; i < a->lanes; i++) {
        gpu_va at = va[i] & VM_VA_MASK;
        if (a->mask >> i & 1 &&
            (!is_canonical(va[i]) || at < begin || at >= end))
            return false;
        offset_B[i] = (uint32_t)(at - begin);
    }
    a->mem = vm->window + (begin + span.shift);
    a->size_B = end - begin;
    return true;
}

enum eu_msg_result
a64_scattered(struct thread_env *env, const struct eu_message *m, bool write)
{
    unsigned lanes = (m->desc >> 12) & 1 ? 16 : 8;
    unsigned kind = bits_get(m->desc, 8, 9);
    unsigned elements = 1u << bits_get(m->desc, 10, 11);
    unsigned at = m->header ? 1 : 0, data = at + lanes / 4;
    uint32_t mask = dataport_mask(m, lanes);
    if (kind == 3) {
        unimp("A64 scattered message with HWord elements");
        return EU_MSG_OK;
    }
    /* Bytes: 1, 2 or 4 in the low end of a dword per lane, or 8 in a qword
     * (Observed: IGC, Gen8). Dwords and qwords: element-major blocks. */
    unsigned el_B = kind == 0 ? elements : kind == 1 ? 4 : 8;
    unsigned blocks = kind == 0 ? 1 : elements;
    unsigned slot_dw = el_B == 8 ? 2 : 1, grfs = lanes * slot_dw / 8;
    uint64_t result[8][16];
    for (unsigned e = 0; e < blocks; e++)
        for (unsigned i = 0; i < lanes; i++) {
            uint64_t va = dataport_lane64(m, at, i) + e * el_B;
            uint8_t *p = at_va(env, va);
            result[e][i] = 0;
            if (!((mask >> i) & 1) || !p)
                continue;
            uint64_t v = slot_dw == 2 ? dataport_lane64(m, data + e * grfs, i)
                                      : dataport_lane(m, data + e * grfs, i);
            if (write)
                memcpy(p, &v, el_B);
            else
                memcpy(&result[e][i], p, el_B);
        }
    for (unsigned e = 0; e < blocks && !write; e++)
        for (unsigned i = 0; i < lanes; i++) {
            if (!((mask >> i) & 1))
                continue;
            for (unsigned d = 0; d < slot_dw; d++)
                dataport_answer(m, e * grfs, i * slot_dw + d,
                                (uint32_t)(result[e][i] >> (32 * d)));
        }
    return EU_MSG_OK;
}

enum eu_msg_result
a64_untyped(struct thread_env *env, const struct eu_message *m, bool write)
{
    struct untyped_shape shape;
    if (!untyped_shape(m, &shape))
        return EU_MSG_OK;
    unsigned at = m->header ? 1 : 0;
    uint32_t mask = dataport_mask(m, shape.lanes);
    uint8_t *p[4][16];
    for (unsigned i = 0; i < shape.lanes; i++) {
        uint64_t va = dataport_lane64(m, at, i) & ~UINT64_C(3);
        for (unsigned c = 0; c < 4; c++)
            p[c][i] = (mask >> i) & 1 ? at_va(env, va + 4 * c) : NULL;
    }
    untyped_transfer(m, &shape, p, at + shape.lanes / 4, write);
    return EU_MSG_OK;
}

enum eu_msg_result
a64_atomic(struct thread_env *env, const struct eu_message *m, bool is_float)
{
    const unsigned lanes = 8;
    unsigned op = bits_get(m->desc, 8, is_float ? 10 : 11);
    bool wide = !is_float && (m->desc >> 12) & 1;
    unsigned at = m->header ? 1 : 0, data = at + 2, step = wide ? 2 : 1;
    uint32_t mask = dataport_mask(m, lanes);
    uint64_t result[8] = {0};
    if (!is_float && op == 0) {
        unimp("A64 double-width compare-and-write");
        return EU_MSG_OK;
    }
    for (unsigned i = 0; i < lanes; i++) {
        uint64_t va = dataport_lane64(m, at, i) & ~(uint64_t)(wide ? 7 : 3);
        uint8_t *p = at_va(env, va);
        if (!((mask >> i) & 1) || !p)
            continue;
        if (wide) {
            uint64_t a = dataport_lane64(m, data, i);
            uint64_t b = dataport_lane64(m, data + step, i);
            result[i] = atomic_int64(op, (uint64_t *)(void *)p, a, b);
        } else {
            uint32_t a = dataport_lane(m, data, i);
            uint32_t b = dataport_lane(m, data + step, i);
            uint32_t *dw = (uint32_t *)(void *)p;
            result[i] = is_float ? atomic_float32(op, dw, a, b)
                                 : atomic_int32(op, dw, a, b);
        }
    }
    if (!((m->desc >> 13) & 1))
        return EU_MSG_OK;
    for (unsigned i = 0; i < lanes; i++)
        for (unsigned d = 0; d < step; d++)
            if ((mask >> i) & 1)
                dataport_answer(m, 0, i * step + d,
                                (uint32_t)(result[i] >> (32 * d)));
    return EU_MSG_OK;
}

enum eu_msg_result
a64_block(struct thread_env *env, const struct eu_message *m, bool write)
{
    unsigned subtype = bits_get(m->desc, 11, 12);
    if (subtype > 1 || !m->mlen_grf) {
        unimp("A64 block message subtype %u", subtype);
        return EU_MSG_OK;
    }
    uint64_t va;
    memcpy(&va, m->src0, 8);
    va &= ~(uint64_t)(subtype == 0 ? 15 : 3);
    struct dp_range r = dataport_flat_range(env, va,
                                            is_canonical(va) ? VM_GUARD_B : 0);
    return block_transfer(&r, 0, m, bits_get(m->desc, 8, 10), write, 1);
}
