/* msg_memory.c: which memory a data port message accesses, for profiles: the
 * addresses are found as its handler finds them, and nothing is accessed. */
#include "engine/msg/dataport/dataport.h"
#include "engine/msg/msg.h"
#include "engine/msg/msg_sampler.h"
#include "eu/memory_use.h"

static uint32_t
header_dw(const struct eu_message *m, unsigned dw)
{
    return m->header && m->mlen_grf ? m->src0[dw] : 0;
}

/* Adds a lane's bytes, as far as whole elements are in range. */
static void
add_piece(struct eu_memory_use *u, const struct dp_range *r, unsigned lane,
          uint64_t offset_B, unsigned size_B, unsigned element_B)
{
    offset_B &= ~r->ignored;
    if (!r->mem || offset_B >= r->size_B || u->count == EU_MEMORY_PIECES)
        return;
    uint64_t rest_B = (r->size_B - offset_B) / element_B * element_B;
    uint64_t base = u->is_slm ? 0 : r->surf ? r->surf->base_va : r->va;
    if (!rest_B)
        return;
    u->piece[u->count++] = (struct eu_memory_piece){
        .at_B = base + offset_B,
        .size_B = (uint16_t)MIN2(size_B, rest_B),
        .lane = (uint8_t)lane};
}

static unsigned
begin_lanes(struct eu_memory_use *u, const struct eu_message *m, unsigned lanes)
{
    uint32_t mask = dataport_mask(m, lanes);
    u->lanes = (unsigned)__builtin_popcount(mask);
    return mask;
}

/* ---- blocks -------------------------------------------------------------- */

/* As block_transfer(): a read takes all dwords, a write those whose channels
 * are on. */
static void
use_block(struct eu_memory_use *u, const struct dp_range *r,
          const struct eu_message *m, uint64_t offset_B, unsigned dwords)
{
    bool whole = !u->is_write || m->exec_size == 1;
    u->is_block = true;
    u->lanes = (unsigned)__builtin_popcount(m->exec_mask);
    if (whole) {
        add_piece(u, r, 0, offset_B, dwords * 4, 4);
        return;
    }
    for (unsigned i = 0; i < dwords; i++)
        if (m->exec_mask >> (i % MIN2(m->exec_size, 16u)) & 1)
            add_piece(u, r, 0, offset_B + 4 * (uint64_t)i, 4, 4);
}

static unsigned
block_dwords(const struct eu_message *m)
{
    static const uint8_t owords[8] = {1, 1, 2, 4, 8, 0, 0, 0};
    return owords[bits_get(m->desc, 8, 10)] * 4u;
}

static void
use_owords(struct eu_memory_use *u, const struct thread_env *env,
           const struct eu_message *m, bool unaligned)
{
    struct dp_range r = dataport_range(env, m, header_dw(m, 5) & 0xfffffc00u);
    uint64_t offset_B = header_dw(m, 2);
    offset_B = unaligned ? offset_B & ~UINT64_C(3) : offset_B * 16;
    use_block(u, &r, m, offset_B, block_dwords(m));
}

static void
use_scratch(struct eu_memory_use *u, const struct thread_env *env,
            const struct eu_message *m)
{
    gpu_va base = env->stage->general_base_va + (header_dw(m, 5) & 0xfffffc00u);
    uint64_t size_B = UINT64_C(1024) << (header_dw(m, 3) & 15);
    struct dp_range r = dataport_flat_range(env, base, size_B);
    u->is_slm = false;
    u->is_write = m->desc >> 17 & 1;
    use_block(u, &r, m, (uint64_t)(m->desc & 0xfff) * 32,
              8u << bits_get(m->desc, 12, 13));
}

/* ---- lanes --------------------------------------------------------------- */

/* unit_B 4: offsets in dwords, or 1: in bytes. */
static void
use_scattered(struct eu_memory_use *u, const struct thread_env *env,
              const struct eu_message *m, unsigned size_B, unsigned unit_B)
{
    unsigned lanes = m->desc >> 8 & 1 ? 16 : 8, at = m->header ? 1 : 0;
    struct dp_range r = dataport_range(env, m, header_dw(m, 5));
    uint32_t mask = begin_lanes(u, m, lanes), global = header_dw(m, 2);
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t offset = (dataport_lane(m, at, i) + global) * unit_B;
        if (mask >> i & 1)
            add_piece(u, &r, i, offset, size_B, size_B);
    }
}

static void
use_dc0(struct eu_memory_use *u, const struct thread_env *env,
        const struct eu_message *m)
{
    enum { OWORDS, OWORDS_UNALIGNED, DWORDS = 3, BYTES };
    unsigned type = bits_get(m->desc, 14, 17);
    u->is_write = type & 8;
    if (m->sfid == EU_SFID_DC0 && m->desc >> 18 & 1) {
        use_scratch(u, env, m);
        return;
    }
    switch (type & 7) {
    case OWORDS:
    case OWORDS_UNALIGNED:
        use_owords(u, env, m, (type & 7) == OWORDS_UNALIGNED);
        return;
    case DWORDS: use_scattered(u, env, m, 4, 4); return;
    case BYTES:
        use_scattered(u, env, m, 1u << bits_get(m->desc, 10, 11), 1);
        return;
    default: return;
    }
}

/* Bytes from the first to the last enabled channel: they touch the lines that
 * the channels touch, because a lane's four dwords take two lines at most. */
static void
use_untyped(struct eu_memory_use *u, const struct thread_env *env,
            const struct eu_message *m, unsigned lanes, unsigned channels)
{
    unsigned at = m->header ? 1 : 0;
    struct dp_range r = dataport_range(env, m, header_dw(m, 5));
    uint32_t mask = begin_lanes(u, m, lanes);
    unsigned first = (unsigned)__builtin_ctz(channels | 16);
    unsigned size_B = (32 - (unsigned)__builtin_clz(channels | 1) - first) * 4;
    for (unsigned i = 0; i < lanes && channels; i++)
        if (mask >> i & 1)
            add_piece(u, &r, i,
                      untyped_offset_B(&r, m, at, lanes / 8, i) + first * 4,
                      size_B, 4);
}

/* size_B: a lane's; align: bits of addresses that are ignored. */
static void
use_a64(struct eu_memory_use *u, const struct eu_message *m, unsigned lanes,
        unsigned size_B, uint64_t align)
{
    unsigned at = m->header ? 1 : 0;
    uint32_t mask = begin_lanes(u, m, lanes);
    u->is_slm = false;
    for (unsigned i = 0; i < lanes; i++) {
        uint64_t va = dataport_lane64(m, at, i) & ~align;
        if (mask >> i & 1 && (uint64_t)((int64_t)va >> 47) + 1 <= 1)
            u->piece[u->count++] = (struct eu_memory_piece){
                .at_B = va, .size_B = (uint16_t)size_B, .lane = (uint8_t)i};
    }
}

static void
use_a64_block(struct eu_memory_use *u, const struct thread_env *env,
              const struct eu_message *m)
{
    uint64_t va = dataport_lane64(m, 0, 0);
    va &= ~(uint64_t)(bits_get(m->desc, 11, 12) == 0 ? 15 : 3);
    struct dp_range r = dataport_flat_range(env, va, VM_GUARD_B);
    u->is_slm = false;
    use_block(u, &r, m, 0, block_dwords(m));
}

static void
use_a64_scattered(struct eu_memory_use *u, const struct eu_message *m)
{
    static const uint8_t element_B[4] = {1, 4, 8, 0};
    unsigned size_B = element_B[bits_get(m->desc, 8, 9)]
                      << bits_get(m->desc, 10, 11);
    if (size_B)
        use_a64(u, m, m->desc >> 12 & 1 ? 16 : 8, size_B, 0);
}

static unsigned
enabled_channels(const struct eu_message *m)
{
    return ~bits_get(m->desc, 8, 11) & 15;
}

/* ---- surfaces with a layout ---------------------------------------------- */

static bool
use_typed(struct eu_memory_use *u, const struct thread_env *env,
          const struct eu_message *m)
{
    struct typed_texels t;
    u->is_slm = false;
    u->is_write |= bits_get(m->desc, 14, 18) == DC1_TYPED_ATOMIC;
    if (!typed_find_texels(env, m, &t))
        return false;
    u->lanes = (unsigned)__builtin_popcount(t.mask);
    for (unsigned i = 0; i < 8; i++)
        if (t.at[i])
            u->piece[u->count++] = (struct eu_memory_piece){
                .at_B = t.s->base_va + (uint64_t)(t.at[i] - t.s->mem),
                .size_B = t.s->fmt->element_B,
                .lane = (uint8_t)i};
    return true;
}

/* Bytes in ascending order are one piece, of 256 at most. */
static void
add_byte(void *data, uint64_t offset_B)
{
    struct eu_memory_use *u = data;
    struct eu_memory_piece *last = &u->piece[u->count ? u->count - 1 : 0];
    if (u->count && last->at_B + last->size_B == offset_B && last->size_B < 256)
        last->size_B++;
    else if (u->count < EU_MEMORY_PIECES)
        u->piece[u->count++] = (struct eu_memory_piece){.at_B = offset_B,
                                                        .size_B = 1};
}

/* More than EU_MEMORY_PIECES have no room: the rest is not counted. */
static bool
use_media_block(struct eu_memory_use *u, const struct thread_env *env,
                const struct eu_message *m)
{
    u->is_slm = false;
    u->is_block = true;
    u->lanes = (unsigned)__builtin_popcount(m->exec_mask);
    const struct surface *s = media_block_walk(env, m, u->is_write, add_byte,
                                               u);
    for (unsigned i = 0; s && i < u->count; i++)
        u->piece[i].at_B += s->base_va;
    return s;
}

/* False: no memory with addresses. */
static bool
use_dc1(struct eu_memory_use *u, const struct thread_env *env,
        const struct eu_message *m)
{
    unsigned lanes = bits_get(m->desc, 12, 13) == 1 ? 16 : 8;
    unsigned channels = enabled_channels(m);
    unsigned last = 32 - (unsigned)__builtin_clz(channels | 1);
    bool wide = m->desc >> 12 & 1;
    u->is_write = m->desc >> 17 & 1;
    switch (bits_get(m->desc, 14, 18)) {
    case DC1_UNTYPED_READ:
    case DC1_UNTYPED_WRITE: use_untyped(u, env, m, lanes, channels); break;
    case DC1_UNTYPED_ATOMIC:
    case DC1_UNTYPED_ATOMIC_FLOAT:
        u->is_write = true;
        use_untyped(u, env, m, wide ? 8 : 16, 1);
        break;
    case DC1_A64_SCATTERED_READ:
    case DC1_A64_SCATTERED_WRITE: use_a64_scattered(u, m); break;
    case DC1_A64_UNTYPED_READ:
    case DC1_A64_UNTYPED_WRITE: use_a64(u, m, lanes, last * 4, 3); break;
    case DC1_A64_ATOMIC: use_a64(u, m, 8, wide ? 8 : 4, wide ? 7 : 3); break;
    case DC1_A64_ATOMIC_FLOAT: use_a64(u, m, 8, 4, 3); break;
    case DC1_A64_BLOCK_READ:
    case DC1_A64_BLOCK_WRITE: use_a64_block(u, env, m); break;
    case DC1_TYPED_READ:
    case DC1_TYPED_WRITE:
    case DC1_TYPED_ATOMIC: return use_typed(u, env, m);
    case DC1_MEDIA_BLOCK_READ:
    case DC1_MEDIA_BLOCK_WRITE: return use_media_block(u, env, m);
    default: return false;
    }
    return true;
}

/* Constant buffers that the sampler reads: four dwords at any byte. */
static bool
use_ld(struct eu_memory_use *u, const struct thread_env *env,
       const struct eu_message *m)
{
    uint32_t shape = m->desc & LD_MASK;
    unsigned lanes = shape == LD_SIMD16 || shape == LD_LZ_SIMD16 ? 16 : 8;
    if ((lanes == 8 && shape != LD_SIMD8 && shape != LD_LZ_SIMD8) || m->eot ||
        (m->desc & 0xff) >= BTI_BINDLESS)
        return false;
    const struct surface *s = stage_surface(env->stage, m->desc & 0xff);
    struct dp_range r = {.mem = s->mem, .size_B = s->vec4_B, .surf = s};
    if (!s->vec4_B)
        return false;
    uint32_t mask = begin_lanes(u, m, lanes);
    for (unsigned i = 0; i < lanes; i++)
        if (mask >> i & 1)
            add_piece(u, &r, i, dataport_lane(m, 0, i), 16, 16);
    return true;
}

static bool
has_memory(const struct eu_message *m)
{
    enum { FENCE = 0x7 };
    return m->sfid == EU_SFID_CONST ||
           (m->sfid == EU_SFID_DC0 && bits_get(m->desc, 14, 18) != FENCE);
}

enum eu_msg_result
msg_send_memory(struct eu_thread *thread, const struct eu_message *m)
{
    const struct thread_env *env = thread->user;
    struct eu_memory_use u;
    u.count = u.lanes = 0;
    u.is_block = u.is_write = false;
    u.is_slm = (m->desc & 0xff) == BTI_SLM;
    bool used = false;
    if (has_memory(m)) {
        use_dc0(&u, env, m);
        used = true;
    } else if (m->sfid == EU_SFID_DC1) {
        used = use_dc1(&u, env, m);
    } else if (m->sfid == EU_SFID_SAMPLER) {
        u.is_slm = false;
        used = use_ld(&u, env, m);
    }
    if (used) {
        eu_count_memory(thread, &u);
        msg_trace_access(thread, m, &u);
    }
    return (env->stage->oa ? msg_send_counted : msg_sender())(thread, m);
}

eu_send_fn
msg_stage_sender(bool watched)
{
    if (eu_counts_memory())
        return msg_send_memory;
    return watched ? msg_send_counted : msg_sender();
}
