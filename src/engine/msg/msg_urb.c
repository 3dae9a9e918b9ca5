/* msg_urb.c: URB messages: SIMD8 read and write, the forms that scalar kernels
 * use (BDW PRM vol 7, "URB Messages"). */
#include "base/transpose.h"
#include "engine/msg/msg.h"

enum { URB_SIMD8_WRITE = 7, URB_SIMD8_READ = 8 };

/* The bits above hold the instance of an instanced GS. */
#define URB_HANDLE_MASK 0x07ffffffu

struct urb_access {
    uint64_t at_B[8]; /* first OWord of each lane */
    uint8_t mask[8];  /* components to write */
    unsigned next;    /* payload register after the header */
};

static bool
decode(const struct eu_message *m, struct urb_access *a)
{
    const uint32_t *handle = eu_message_reg(m, 0);
    const uint32_t *offset = NULL, *mask = NULL;
    a->next = 1;
    if (bits_get(m->desc, 17, 17))
        offset = eu_message_reg(m, a->next++);
    if (bits_get(m->desc, 15, 15))
        mask = eu_message_reg(m, a->next++);
    if (!handle || (a->next > 1 && !eu_message_reg(m, a->next - 1))) {
        guest_error("URB message 0x%08x without its header", m->desc);
        return false;
    }
    uint64_t global = bits_get(m->desc, 4, 14);
    for (unsigned lane = 0; lane < 8; lane++) {
        a->at_B[lane] = (uint64_t)(handle[lane] & URB_HANDLE_MASK) * 64 +
                        16 * (global + (offset ? offset[lane] : 0));
        a->mask[lane] = mask ? (uint8_t)(mask[lane] >> 16) : 0xff;
    }
    return true;
}

static uint32_t *
component(const struct thread_env *env, const struct urb_access *a,
          unsigned lane, unsigned c)
{
    uint64_t at = a->at_B[lane] + c * 4;
    if (at + 4 > env->urb.size_B)
        return NULL;
    return (uint32_t *)(void *)(env->urb.base + at);
}

static void
write_lanes(struct thread_env *env, const struct eu_message *m,
            const struct urb_access *a)
{
    unsigned count = m->mlen_grf + m->ex_mlen_grf - a->next;
    for (unsigned c = 0; c < MIN2(count, 8); c++) {
        const uint32_t *data = eu_message_reg(m, a->next + c);
        for (unsigned lane = 0; lane < 8; lane++) {
            if (!(m->exec_mask >> lane & 1) || !(a->mask[lane] >> c & 1))
                continue;
            uint32_t *p = component(env, a, lane, c);
            if (p)
                *p = data[lane];
        }
    }
}

/* Transposes four lanes of four registers into four dwords per lane. */
static void
put_square(uint8_t *const out[8], const uint32_t *const reg[4], unsigned lane0)
{
    base_vec4 r[4]; /* raw bits, no arithmetic */
    for (unsigned c = 0; c < 4; c++)
        memcpy(&r[c], reg[c] + lane0, sizeof r[c]);
    transpose_4x4(r);
    for (unsigned i = 0; i < 4; i++)
        memcpy(out[lane0 + i], &r[i], sizeof r[i]);
}

/* Pointers to byte at_B of eight lanes' entries. False: some entry begins after
 * last_B. Handles are compared as signed 32-bit numbers, because vectors can
 * compare these. Addresses are stored complete: a vector load of two separate
 * stores would stall. */
static inline bool
find_entries(const struct thread_env *env, const uint32_t handle[8],
             uint64_t at_B, uint64_t last_B, uint8_t *entry[8])
{
    uint8_t *base = env->urb.base + at_B;
    int32_t last = (int32_t)MIN2(last_B / 64, (uint64_t)URB_HANDLE_MASK);
    int32_t number[8], outside = 0;
    for (unsigned i = 0; i < 8; i++) {
        number[i] = (int32_t)(handle[i] & URB_HANDLE_MASK);
        outside |= number[i] > last;
    }
    for (unsigned i = 0; i < 8; i++)
        entry[i] = base + (size_t)(uint32_t)number[i] * 64;
    return !outside;
}

/* Fast path of vertex shaders: one or two whole slots, at the same offset in
 * each entry. Disabled lanes, as in draws of few vertices, write to a dummy
 * row. */
static bool
write_plain_slots(struct thread_env *env, const struct eu_message *m)
{
    const uint32_t *handle = eu_message_reg(m, 0);
    const uint32_t *first = eu_message_reg(m, 1);
    unsigned count = m->mlen_grf + m->ex_mlen_grf - 1u;
    uint64_t at_B = 16 * (uint64_t)bits_get(m->desc, 4, 14);
    uint64_t end_B = at_B + count * 4, size_B = env->urb.size_B;
    unsigned on = m->exec_mask & 0xff;
    uint32_t handle_on[8];
    uint8_t *row[8], nowhere[32];
    if (bits_get(m->desc, 17, 17) || bits_get(m->desc, 15, 15) ||
        (count != 4 && count != 8) || !on || !handle || !first ||
        eu_message_reg(m, count) != first + (count - 1) * 8 || end_B > size_B)
        return false;
    if (!find_entries(env, handle, at_B, size_B - end_B, row)) {
        for (unsigned i = 0; i < 8; i++)
            handle_on[i] =
                handle[on >> i & 1 ? i : (unsigned)__builtin_ctz(on)];
        if (!find_entries(env, handle_on, at_B, size_B - end_B, row))
            return false;
    }
    for (unsigned i = 0; on != 0xff && i < 8; i++)
        row[i] = on >> i & 1 ? row[i] : nowhere;
    if (count == 8) {
        env->urb.put_columns((const uint32_t(*)[8])(const void *)first, row);
        return true;
    }
    const uint32_t *const reg[4] = {first, first + 8, first + 16, first + 24};
    put_square(row, reg, 0);
    put_square(row, reg, 4);
    return true;
}

/* As write_lanes(), for one or two whole slots of eight enabled lanes, all in
 * bounds. */
static bool
write_slots(struct thread_env *env, const struct eu_message *m,
            const struct urb_access *a)
{
    unsigned count = m->mlen_grf + m->ex_mlen_grf - a->next;
    uint8_t *out[8];
    if ((m->exec_mask & 0xff) != 0xff || (count != 4 && count != 8))
        return false;
    for (unsigned lane = 0; lane < 8; lane++) {
        if (a->mask[lane] != 0xff ||
            a->at_B[lane] + count * 4 > env->urb.size_B)
            return false;
        out[lane] = env->urb.base + a->at_B[lane];
    }
    for (unsigned c = 0; c < count; c += 4) {
        const uint32_t *reg[4];
        for (unsigned i = 0; i < 4; i++)
            reg[i] = eu_message_reg(m, a->next + c + i);
        put_square(out, reg, 0);
        put_square(out, reg, 4);
        for (unsigned lane = 0; lane < 8; lane++)
            out[lane] += 16;
    }
    return true;
}

static void
read_lanes(struct thread_env *env, const struct eu_message *m,
           const struct urb_access *a)
{
    for (unsigned c = 0; c < MIN2(m->rlen_grf, 8); c++) {
        for (unsigned lane = 0; lane < 8; lane++) {
            if (!(m->exec_mask >> lane & 1))
                continue;
            const uint32_t *p = component(env, a, lane, c);
            m->dst[c * 8 + lane] = p ? *p : 0;
        }
    }
}

enum eu_msg_result
msg_urb(struct thread_env *env, struct eu_thread *t, const struct eu_message *m)
{
    struct urb_access a;
    unsigned op = bits_get(m->desc, 0, 3);
    if (op != URB_SIMD8_WRITE && op != URB_SIMD8_READ) {
        unimp("URB message opcode %u, descriptor 0x%08x", op, m->desc);
        return EU_MSG_OK;
    }
    if (op == URB_SIMD8_WRITE && env->urb.put_columns &&
        write_plain_slots(env, m))
        return EU_MSG_OK;
    if (!decode(m, &a))
        return EU_MSG_ERROR;
    if (op == URB_SIMD8_WRITE) {
        if (!write_slots(env, m, &a))
            write_lanes(env, m, &a);
    } else if (m->dst) {
        read_lanes(env, m, &a);
    }
    return EU_MSG_OK;
}
