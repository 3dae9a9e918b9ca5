/* typed.c: typed surface messages: image load, store and atomics. Each is
 * SIMD8; the slot group selects half of a SIMD16 thread. */
#include "engine/msg/dataport/dataport.h"

#define LANES 8

/* Number of address operands U, V, R, LOD in the message. */
static unsigned
operand_count(const struct eu_message *m, unsigned data_grf)
{
    unsigned total = m->mlen_grf + m->ex_mlen_grf - (m->header ? 1 : 0);
    return total > data_grf ? total - data_grf : 0;
}

/* The texel of a lane. NULL: out of bounds. */
static uint8_t *
locate(const struct surface *s, const struct eu_message *m, unsigned coords,
       unsigned lane)
{
    unsigned at = m->header ? 1 : 0;
    uint32_t c[4] = {0};
    for (unsigned i = 0; i < MIN2(coords, 4u); i++)
        c[i] = dataport_lane(m, at + i, lane);
    unsigned level = s->min_lod;
    switch (s->type) {
    case SURFACE_BUFFER: return surface_buffer_ptr(s, c[0]);
    case SURFACE_1D:
        /* Coordinate 1 is the array index. */
        if (c[1] > s->view_extent_minus1)
            return NULL;
        return surface_ptr(s, level, c[0], 0, c[1] + s->min_array, 0);
    case SURFACE_2D:
    case SURFACE_3D:
    case SURFACE_CUBE:
        if (c[2] > s->view_extent_minus1)
            return NULL;
        return surface_ptr(s, level, c[0], c[1], c[2] + s->min_array, 0);
    default: return NULL;
    }
}

/* Enabled lanes; with a header, M0.7 masks the slot group's half. */
static uint32_t
live_lanes(const struct eu_message *m, bool high)
{
    uint32_t mask = dataport_mask(m, LANES);
    if (m->header && m->mlen_grf)
        mask &= m->src0[7] >> (high ? 8 : 0);
    return mask;
}

/* Unpacks a texel. A format without typed reads returns the element's words
 * unconverted, with the alpha of a format that has none (Guess: no driver reads
 * it). Observed: anv of Mesa 25 and 26 reads R8G8B8A8_UNORM and the like
 * through the surface that it writes to. It splits the bytes of the first
 * channel. */
static void
read_texel(const struct format_info *fmt, const uint8_t *p, union color *texel)
{
    if (fmt->can_typed_read) {
        format_unpack(fmt, p, texel);
        return;
    }
    texel->u[3] = fmt->is_int ? 1 : bits_from_float(1.0f);
    memcpy(texel->u, p, MIN2(fmt->element_B, sizeof texel->u));
}

bool
typed_find_texels(const struct thread_env *env, const struct eu_message *m,
                  struct typed_texels *texels)
{
    unsigned group = bits_get(m->desc, 12, 13), data_grf = 0;
    bool high = group == 2;
    switch (bits_get(m->desc, 14, 18)) {
    case DC1_TYPED_READ: break;
    case DC1_TYPED_WRITE:
        data_grf = 4u - (unsigned)__builtin_popcount(bits_get(m->desc, 8, 11));
        break;
    case DC1_TYPED_ATOMIC:
        data_grf = atomic_operands(bits_get(m->desc, 8, 11));
        high = group & 1;
        group = 1;
        break;
    default: return false;
    }
    unsigned coords = operand_count(m, data_grf);
    texels->s = dataport_surface(env, m);
    texels->mask = live_lanes(m, high);
    for (unsigned i = 0; i < LANES; i++)
        texels->at[i] = texels->mask >> i & 1 ? locate(texels->s, m, coords, i)
                                              : NULL;
    return group != 0;
}

enum eu_msg_result
typed_read(struct thread_env *env, const struct eu_message *m)
{
    const struct surface *s = dataport_surface(env, m);
    unsigned group = bits_get(m->desc, 12, 13);
    unsigned disabled = bits_get(m->desc, 8, 11), n = 0;
    unsigned coords = operand_count(m, 0);
    uint32_t mask = live_lanes(m, group == 2);
    union color texel[LANES];
    if (group == 0) {
        unimp("typed surface read, SIMD4x2");
        return EU_MSG_OK;
    }
    for (unsigned i = 0; i < LANES; i++) {
        if (!((mask >> i) & 1))
            continue;
        uint8_t *p = locate(s, m, coords, i);
        texel[i] = (union color){.u = {0, 0, 0, 0}};
        if (p)
            read_texel(s->fmt, p, &texel[i]);
    }
    for (unsigned c = 0; c < 4; c++) {
        if ((disabled >> c) & 1)
            continue;
        for (unsigned i = 0; i < LANES; i++)
            if ((mask >> i) & 1)
                dataport_answer(m, n, i, texel[i].u[c]);
        n++;
    }
    return EU_MSG_OK;
}

enum eu_msg_result
typed_write(struct thread_env *env, const struct eu_message *m)
{
    const struct surface *s = dataport_surface(env, m);
    unsigned group = bits_get(m->desc, 12, 13);
    unsigned disabled = bits_get(m->desc, 8, 11);
    unsigned channels = 4u - (unsigned)__builtin_popcount(disabled);
    unsigned coords = operand_count(m, channels);
    unsigned data = coords + (m->header ? 1 : 0);
    uint32_t mask = live_lanes(m, group == 2);
    if (group == 0) {
        unimp("typed surface write, SIMD4x2");
        return EU_MSG_OK;
    }
    for (unsigned i = 0; i < LANES; i++) {
        uint8_t *p = (mask >> i) & 1 ? locate(s, m, coords, i) : NULL;
        if (!p)
            continue;
        union color c = {.u = {0, 0, 0, 0}};
        unsigned n = 0;
        if (disabled)
            format_unpack(s->fmt, p, &c);
        for (unsigned k = 0; k < 4; k++)
            if (!((disabled >> k) & 1))
                c.u[k] = dataport_lane(m, data + n++, i);
        format_pack(s->fmt, &c, p);
    }
    return EU_MSG_OK;
}

enum eu_msg_result
typed_atomic(struct thread_env *env, const struct eu_message *m)
{
    const struct surface *s = dataport_surface(env, m);
    unsigned op = bits_get(m->desc, 8, 11);
    unsigned operands = atomic_operands(op);
    unsigned coords = operand_count(m, operands);
    unsigned data = coords + (m->header ? 1 : 0);
    uint32_t mask = live_lanes(m, (m->desc >> 12) & 1), result[LANES] = {0};
    if (op == 0 || (s->type != SURFACE_NULL && s->fmt->block_bits != 32)) {
        unimp("typed atomic %u on %s", op, s->fmt->name);
        return EU_MSG_OK;
    }
    for (unsigned i = 0; i < LANES; i++) {
        uint8_t *p = (mask >> i) & 1 ? locate(s, m, coords, i) : NULL;
        if (!p || (uintptr_t)p & 3)
            continue;
        uint32_t a = dataport_lane(m, data, i);
        uint32_t b = dataport_lane(m, data + 1, i);
        result[i] = atomic_int32(op, (uint32_t *)(void *)p, a, b);
    }
    if ((m->desc >> 13) & 1)
        for (unsigned i = 0; i < LANES; i++)
            if ((mask >> i) & 1)
                dataport_answer(m, 0, i, result[i]);
    return EU_MSG_OK;
}
