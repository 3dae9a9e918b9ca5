/* untyped.c: dwords of buffers, of shared local memory and of stateless
 * memory: reads, writes and atomics by offset. KBL PRM vol 2d "DataPort 1
 * messages". */
#include "engine/msg/dataport.h"

static uint32_t
base_of(const struct eu_message *m)
{
    return m->header && m->mlen_grf ? m->src0[5] : 0;
}

static bool
is_structured(const struct dp_range *r)
{
    return r->surf && r->surf->type == SURFACE_STRBUF;
}

/* Byte offset that lane i addresses: U, or U * stride + V for structured
 * buffers. The low two bits are ignored. */
static uint64_t
lane_offset_B(const struct dp_range *r, const struct eu_message *m, unsigned at,
              unsigned grfs, unsigned lane)
{
    uint64_t u = dataport_lane(m, at, lane);
    if (is_structured(r))
        u = u * r->surf->buffer_stride_B + dataport_lane(m, at + grfs, lane);
    return u & ~UINT64_C(3);
}

static unsigned
address_grfs(const struct dp_range *r, unsigned grfs)
{
    return is_structured(r) ? grfs * 2 : grfs;
}

enum eu_msg_result
untyped_access(struct thread_env *env, const struct eu_message *m, bool write)
{
    unsigned mode = bits_get(m->desc, 12, 13);
    if (mode != 1 && mode != 2) {
        unimp("untyped surface message, SIMD mode %u", mode);
        return EU_MSG_OK;
    }
    unsigned lanes = mode == 1 ? 16 : 8, grfs = lanes / 8;
    unsigned disabled = bits_get(m->desc, 8, 11), at = m->header ? 1 : 0;
    struct dp_range r = dataport_range(env, m, base_of(m));
    uint32_t mask = dataport_mask(m, lanes);
    uint32_t result[4][16];
    unsigned data = at + address_grfs(&r, grfs), n = 0;
    uint64_t offset_B[16];
    for (unsigned i = 0; i < lanes; i++)
        offset_B[i] = lane_offset_B(&r, m, at, grfs, i);
    for (unsigned c = 0; c < 4; c++) {
        if ((disabled >> c) & 1)
            continue;
        for (unsigned i = 0; i < lanes; i++) {
            uint8_t *p = dataport_at(&r, offset_B[i] + 4 * c, 4);
            result[n][i] = 0;
            if (!((mask >> i) & 1) || !p)
                continue;
            if (write) {
                uint32_t v = dataport_lane(m, data + n * grfs, i);
                memcpy(p, &v, 4);
            } else {
                memcpy(&result[n][i], p, 4);
            }
        }
        n++;
    }
    for (unsigned c = 0; c < n && !write; c++)
        for (unsigned i = 0; i < lanes; i++)
            if ((mask >> i) & 1)
                dataport_answer(m, c * grfs, i, result[c][i]);
    return EU_MSG_OK;
}

enum eu_msg_result
untyped_atomic(struct thread_env *env, const struct eu_message *m,
               bool is_float)
{
    unsigned lanes = (m->desc >> 12) & 1 ? 8 : 16, grfs = lanes / 8;
    unsigned op = bits_get(m->desc, 8, is_float ? 10 : 11);
    unsigned at = m->header ? 1 : 0;
    struct dp_range r = dataport_range(env, m, base_of(m));
    unsigned data = at + address_grfs(&r, grfs);
    uint32_t mask = dataport_mask(m, lanes), result[16] = {0};
    if (!is_float && op == 0) {
        unimp("64-bit compare-and-write on a binding table surface");
        return EU_MSG_OK;
    }
    for (unsigned i = 0; i < lanes; i++) {
        uint64_t offset_B = lane_offset_B(&r, m, at, grfs, i);
        uint8_t *p = dataport_at(&r, offset_B, 4);
        if (!((mask >> i) & 1) || !p || (uintptr_t)p & 3)
            continue;
        uint32_t a = dataport_lane(m, data, i);
        uint32_t b = dataport_lane(m, data + grfs, i);
        uint32_t *dw = (uint32_t *)(void *)p;
        result[i] = is_float ? atomic_float32(op, dw, a, b)
                             : atomic_int32(op, dw, a, b);
    }
    if ((m->desc >> 13) & 1)
        for (unsigned i = 0; i < lanes; i++)
            if ((mask >> i) & 1)
                dataport_answer(m, 0, i, result[i]);
    return EU_MSG_OK;
}
