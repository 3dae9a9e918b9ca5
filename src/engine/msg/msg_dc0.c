/* msg_dc0.c: data cache data port 0 and the read-only constant cache data port.
 * KBL PRM vol 2d "DataPort 0 messages". */
#include "engine/msg/dataport/dataport.h"
#include "engine/msg/msg.h"

enum {
    DC0_OWORD_BLOCK_READ = 0x0,
    DC0_UNALIGNED_OWORD_BLOCK_READ = 0x1,
    DC0_DWORD_SCATTERED_READ = 0x3,
    DC0_BYTE_SCATTERED_READ = 0x4,
    DC0_MEMORY_FENCE = 0x7,
    DC0_OWORD_BLOCK_WRITE = 0x8,
    DC0_DWORD_SCATTERED_WRITE = 0xb,
    DC0_BYTE_SCATTERED_WRITE = 0xc,
};

static uint32_t
header_dw(const struct eu_message *m, unsigned dw)
{
    return m->header && m->mlen_grf ? m->src0[dw] : 0;
}

static enum eu_msg_result
oword_block(struct thread_env *env, const struct eu_message *m, bool write,
            bool byte_offset)
{
    /* Block messages use M0.5[31:10] as the stateless base. */
    struct dp_range r = dataport_range(env, m, header_dw(m, 5) & 0xfffffc00u);
    uint64_t offset_B = header_dw(m, 2);
    offset_B = byte_offset ? offset_B & ~UINT64_C(3) : offset_B * 16;
    return block_transfer(&r, offset_B, m, bits_get(m->desc, 8, 10), write,
                          m->header ? 1 : 0);
}

static enum eu_msg_result
dword_scattered(struct thread_env *env, const struct eu_message *m, bool write)
{
    unsigned lanes = (m->desc >> 8) & 1 ? 16 : 8, grfs = lanes / 8;
    unsigned at = m->header ? 1 : 0;
    struct dp_range r = dataport_range(env, m, header_dw(m, 5));
    uint32_t mask = dataport_mask(m, lanes), global = header_dw(m, 2);
    uint32_t result[16];
    for (unsigned i = 0; i < lanes; i++) {
        uint64_t offset_B = ((uint64_t)dataport_lane(m, at, i) + global) * 4;
        uint8_t *p = dataport_at(&r, offset_B & UINT32_MAX, 4);
        result[i] = 0;
        if (!((mask >> i) & 1) || !p)
            continue;
        if (write) {
            uint32_t v = dataport_lane(m, at + grfs, i);
            memcpy(p, &v, 4);
        } else {
            memcpy(&result[i], p, 4);
        }
    }
    for (unsigned i = 0; i < lanes && !write; i++)
        if ((mask >> i) & 1)
            dataport_answer(m, 0, i, result[i]);
    return EU_MSG_OK;
}

static enum eu_msg_result
byte_scattered(struct thread_env *env, const struct eu_message *m, bool write)
{
    unsigned lanes = (m->desc >> 8) & 1 ? 16 : 8, grfs = lanes / 8;
    unsigned bytes = 1u << bits_get(m->desc, 10, 11);
    unsigned at = m->header ? 1 : 0;
    struct dp_range r = dataport_range(env, m, header_dw(m, 5));
    uint32_t mask = dataport_mask(m, lanes), global = header_dw(m, 2);
    uint32_t result[16];
    if (bytes > 4) {
        guest_error("byte scattered message with data size code 3");
        return EU_MSG_OK;
    }
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t offset_B = dataport_lane(m, at, i) + global;
        uint8_t *p = dataport_at(&r, offset_B, bytes);
        result[i] = 0;
        if (!((mask >> i) & 1) || !p)
            continue;
        if (write) {
            uint32_t v = dataport_lane(m, at + grfs, i);
            memcpy(p, &v, bytes);
        } else {
            memcpy(&result[i], p, bytes);
        }
    }
    for (unsigned i = 0; i < lanes && !write; i++)
        if ((mask >> i) & 1)
            dataport_answer(m, 0, i, result[i]);
    return EU_MSG_OK;
}

/* Scratch block messages, Gen8's spills and fills: whole registers at an offset
 * in units of 32 bytes. */
static enum eu_msg_result
scratch_block(struct thread_env *env, const struct eu_message *m)
{
    bool write = (m->desc >> 17) & 1;
    unsigned count = 8u << bits_get(m->desc, 12, 13);
    gpu_va base = env->stage->general_base_va + (header_dw(m, 5) & 0xfffffc00u);
    uint64_t size_B = UINT64_C(1024) << (header_dw(m, 3) & 15);
    struct dp_range r = dataport_flat_range(env, base, size_B);
    uint64_t offset_B = (uint64_t)(m->desc & 0xfff) * 32;
    for (unsigned i = 0; i < count; i++) {
        uint8_t *p = dataport_at(&r, offset_B + 4 * (uint64_t)i, 4);
        bool on = (m->exec_mask >> (i % MIN2(m->exec_size, 16u))) & 1;
        uint32_t v = 0;
        if (write) {
            v = dataport_lane(m, m->header ? 1 : 0, i);
            if (p && on)
                memcpy(p, &v, 4);
        } else {
            if (p)
                memcpy(&v, p, 4);
            dataport_answer(m, 0, i, v);
        }
    }
    return EU_MSG_OK;
}

static enum eu_msg_result
memory_fence(const struct eu_message *m)
{
    /* Sends of a thread execute in order; the fence is for other workers. */
    atomic_thread_fence(memory_order_seq_cst);
    if (m->dst && m->rlen_grf)
        memset(m->dst, 0, 32);
    return EU_MSG_OK;
}

enum eu_msg_result
msg_dc0(struct thread_env *env, struct eu_thread *t, const struct eu_message *m)
{
    if ((m->desc >> 18) & 1)
        return scratch_block(env, m);
    unsigned type = bits_get(m->desc, 14, 17);
    switch (type) {
    case DC0_OWORD_BLOCK_READ: return oword_block(env, m, false, false);
    case DC0_UNALIGNED_OWORD_BLOCK_READ:
        return oword_block(env, m, false, true);
    case DC0_OWORD_BLOCK_WRITE: return oword_block(env, m, true, false);
    case DC0_DWORD_SCATTERED_READ: return dword_scattered(env, m, false);
    case DC0_DWORD_SCATTERED_WRITE: return dword_scattered(env, m, true);
    case DC0_BYTE_SCATTERED_READ: return byte_scattered(env, m, false);
    case DC0_BYTE_SCATTERED_WRITE: return byte_scattered(env, m, true);
    case DC0_MEMORY_FENCE: return memory_fence(m);
    default: unimp("data port 0 message type 0x%x", type); return EU_MSG_OK;
    }
}

enum eu_msg_result
msg_const(struct thread_env *env, struct eu_thread *t,
          const struct eu_message *m)
{
    unsigned type = bits_get(m->desc, 14, 17);
    switch (type) {
    case DC0_OWORD_BLOCK_READ: return oword_block(env, m, false, false);
    case DC0_UNALIGNED_OWORD_BLOCK_READ:
        return oword_block(env, m, false, true);
    case DC0_DWORD_SCATTERED_READ: return dword_scattered(env, m, false);
    default: unimp("constant cache message type 0x%x", type); return EU_MSG_OK;
    }
}
