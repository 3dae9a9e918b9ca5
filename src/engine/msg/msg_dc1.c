/* Data cache data port 1: untyped and typed surfaces, atomics, A64.
 * KBL PRM vol 2d "DataPort 1 messages". */
#include "engine/msg/dataport.h"

enum {
    DC1_UNTYPED_READ = 0x01,
    DC1_UNTYPED_ATOMIC = 0x02,
    DC1_TYPED_READ = 0x05,
    DC1_TYPED_ATOMIC = 0x06,
    DC1_UNTYPED_WRITE = 0x09,
    DC1_TYPED_WRITE = 0x0d,
    DC1_A64_SCATTERED_READ = 0x10,
    DC1_A64_UNTYPED_READ = 0x11,
    DC1_A64_ATOMIC = 0x12,
    DC1_A64_BLOCK_READ = 0x14,
    DC1_A64_BLOCK_WRITE = 0x15,
    DC1_A64_UNTYPED_WRITE = 0x19,
    DC1_A64_SCATTERED_WRITE = 0x1a,
    DC1_UNTYPED_ATOMIC_FLOAT = 0x1b,
    DC1_A64_ATOMIC_FLOAT = 0x1d,
};

static uint32_t
base_of(const struct eu_message *m)
{
    return m->header && m->mlen_grf ? m->src0[5] : 0;
}

/* Byte offset that lane i addresses: U, or U * stride + V for structured
 * buffers. The low two bits are ignored. */
static uint64_t
lane_offset_B(const struct dp_range *r, const struct eu_message *m, unsigned at,
              unsigned grfs, unsigned lane)
{
    uint64_t u = dataport_lane(m, at, lane);
    if (r->surf && r->surf->type == SURFACE_STRBUF)
        u = u * r->surf->buffer_stride_B + dataport_lane(m, at + grfs, lane);
    return u & ~UINT64_C(3);
}

static unsigned
address_grfs(const struct dp_range *r, unsigned grfs)
{
    return r->surf && r->surf->type == SURFACE_STRBUF ? grfs * 2 : grfs;
}

static enum eu_msg_result
untyped(struct thread_env *env, const struct eu_message *m, bool write)
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

static enum eu_msg_result
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

enum eu_msg_result
msg_dc1(struct thread_env *env, struct eu_thread *t, const struct eu_message *m)
{
    unsigned type = bits_get(m->desc, 14, 18);
    switch (type) {
    case DC1_UNTYPED_READ: return untyped(env, m, false);
    case DC1_UNTYPED_WRITE: return untyped(env, m, true);
    case DC1_UNTYPED_ATOMIC: return untyped_atomic(env, m, false);
    case DC1_UNTYPED_ATOMIC_FLOAT: return untyped_atomic(env, m, true);
    case DC1_TYPED_READ: return typed_read(env, m);
    case DC1_TYPED_WRITE: return typed_write(env, m);
    case DC1_TYPED_ATOMIC: return typed_atomic(env, m);
    case DC1_A64_SCATTERED_READ: return a64_scattered(env, m, false);
    case DC1_A64_SCATTERED_WRITE: return a64_scattered(env, m, true);
    case DC1_A64_UNTYPED_READ: return a64_untyped(env, m, false);
    case DC1_A64_UNTYPED_WRITE: return a64_untyped(env, m, true);
    case DC1_A64_ATOMIC: return a64_atomic(env, m, false);
    case DC1_A64_ATOMIC_FLOAT: return a64_atomic(env, m, true);
    case DC1_A64_BLOCK_READ: return a64_block(env, m, false);
    case DC1_A64_BLOCK_WRITE: return a64_block(env, m, true);
    default: unimp("data port 1 message type 0x%x", type); return EU_MSG_OK;
    }
}
