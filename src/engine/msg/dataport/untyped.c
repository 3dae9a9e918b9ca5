/* untyped.c: untyped messages: reads, writes and atomics of dwords in buffers,
 * shared local memory and stateless memory. KBL PRM vol 2d "DataPort 1
 * messages". */
#include "engine/msg/dataport/dataport.h"

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

uint64_t
untyped_offset_B(const struct dp_range *r, const struct eu_message *m,
                 unsigned at, unsigned grfs, unsigned lane)
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

bool
untyped_shape(const struct eu_message *m, struct untyped_shape *shape)
{
    unsigned mode = bits_get(m->desc, 12, 13);
    if (mode != 1 && mode != 2) {
        unimp("untyped message %#x, SIMD mode %u", m->desc, mode);
        return false;
    }
    shape->lanes = mode == 1 ? 16 : 8;
    shape->disabled = bits_get(m->desc, 8, 11);
    return true;
}

static void
write_channel(const struct eu_message *m, uint8_t *const at[16], unsigned lanes,
              unsigned grf)
{
    uint32_t mask = dataport_mask(m, lanes);
    for (unsigned i = 0; i < lanes; i++) {
        if (!((mask >> i) & 1) || !at[i])
            continue;
        uint32_t v = dataport_lane(m, grf, i);
        memcpy(at[i], &v, 4);
    }
}

static void
read_channel(uint8_t *const at[16], uint32_t mask, uint32_t result[16])
{
    for (unsigned i = 0; i < 16; i++) {
        result[i] = 0;
        if (((mask >> i) & 1) && at[i])
            memcpy(&result[i], at[i], 4);
    }
}

void
untyped_transfer(const struct eu_message *m, const struct untyped_shape *shape,
                 uint8_t *at[4][16], unsigned data_grf, bool write)
{
    unsigned lanes = shape->lanes, grfs = lanes / 8, n = 0;
    uint32_t mask = dataport_mask(m, lanes), result[4][16];
    for (unsigned c = 0; c < 4; c++) {
        if ((shape->disabled >> c) & 1)
            continue;
        if (write)
            write_channel(m, at[c], lanes, data_grf + n * grfs);
        else
            read_channel(at[c], mask, result[n]);
        n++;
    }
    /* Writes the response last, because it may overlap the addresses. */
    for (unsigned c = 0; c < n && !write; c++)
        for (unsigned i = 0; i < lanes; i++)
            if ((mask >> i) & 1)
                dataport_answer(m, c * grfs, i, result[c][i]);
}

enum eu_msg_result
untyped_access(struct thread_env *env, const struct eu_message *m, bool write)
{
    struct untyped_shape shape;
    if (!untyped_shape(m, &shape))
        return EU_MSG_OK;
    unsigned grfs = shape.lanes / 8, at = m->header ? 1 : 0;
    struct dp_range r = dataport_range(env, m, base_of(m));
    uint8_t *p[4][16];
    for (unsigned i = 0; i < shape.lanes; i++) {
        uint64_t offset_B = untyped_offset_B(&r, m, at, grfs, i);
        for (unsigned c = 0; c < 4; c++)
            p[c][i] = dataport_at(&r, offset_B + 4 * c, 4);
    }
    untyped_transfer(m, &shape, p, at + address_grfs(&r, grfs), write);
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
        uint64_t offset_B = untyped_offset_B(&r, m, at, grfs, i);
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
