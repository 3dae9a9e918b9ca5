/* send_fast.h: the send function of one instruction set: handles the frequent
 * messages and leaves others to msg_send(). Included by x86/gather_scatter_*.c
 * after read_lanes() and write_lanes(), and read_full() and write_full() for
 * sixteen enabled lanes and a constant number of channels.
 *
 * Frequent messages have contiguous operands, surfaces that have been decoded
 * and ranges without a structure. */
#include "engine/msg/dataport/dataport.h"
#include "engine/msg/msg.h"
#include "engine/msg/msg_sampler.h"
#include "engine/msg/sampler_prepared.h"
#include "engine/state/stage_cache.h"
#include "sampler/sampler.h"

static inline const struct surface *
fast_surface(const struct thread_env *env, unsigned bti)
{
    const struct surface *s = atomic_load_explicit(
        &env->stage->cache->surface[bti], memory_order_acquire);
    return s ? s : stage_surface(env->stage, bti);
}

/* The memory range of the descriptor. False: not handled here. */
static inline __attribute__((always_inline)) bool
fast_range(const struct thread_env *env, const struct eu_message *m,
           struct lane_access *a)
{
    unsigned bti = m->desc & 0xff;
    if (bti == BTI_SLM && env->group) {
        a->mem = env->group->slm;
        a->size_B = env->group->slm_B;
        a->keep = ~(uint32_t)(SLM_IGNORED | 3);
        return true;
    }
    if (bti == BTI_BINDLESS || bti == BTI_SLM)
        return false;
    const struct surface *s = fast_surface(env, bti);
    if (s->type == SURFACE_STRBUF)
        return false;
    a->mem = s->mem;
    a->size_B = s->flat_B;
    a->keep = ~3u;
    return true;
}

static inline bool
fast_access(const struct lane_access *a, const struct eu_message *m,
            const uint32_t *offset_B, unsigned data_grf, bool write)
{
    unsigned data_grfs = a->channels * a->lanes / 8u;
    if (!write)
        return m->dst && data_grfs <= m->rlen_grf &&
               read_lanes(a, offset_B, m->dst);
    const uint32_t *data = dataport_operand(m, data_grf, data_grfs);
    return data && write_lanes(a, offset_B, data);
}

/* Lanes and channels of messages with channels x, xy, xyz or xyzw. */
static inline bool
fast_shape(const struct eu_message *m, struct lane_access *a)
{
    unsigned mode = bits_get(m->desc, 12, 13);
    unsigned enabled = ~bits_get(m->desc, 8, 11) & 15;
    if ((mode != 1 && mode != 2) || !enabled || enabled & (enabled + 1))
        return false;
    a->lanes = mode == 1 ? 16 : 8;
    a->channels = (uint8_t)(32 - __builtin_clz(enabled));
    a->mask = dataport_mask(m, a->lanes);
    return true;
}

static inline bool
fast_untyped(const struct thread_env *env, const struct eu_message *m,
             bool write)
{
    struct lane_access a;
    if (m->header || !fast_shape(m, &a) || !fast_range(env, m, &a))
        return false;
    unsigned grfs = a.lanes / 8;
    const uint32_t *offset_B = dataport_operand(m, 0, grfs);
    return offset_B && fast_access(&a, m, offset_B, grfs, write);
}

/* Applies a header to lanes: M0.2 is added to their offsets, and M0.5 is the
 * base of stateless messages. unit_B: of offsets. */
static inline bool
fast_header(const struct thread_env *env, const struct eu_message *m,
            struct lane_access *a, unsigned unit_B, const uint32_t *offset,
            uint32_t offset_B[16])
{
    uint32_t global = m->header ? m->src0[2] : 0;
    if (m->header && (m->desc & 0xff) != BTI_SLM) {
        struct dp_range r = dataport_range(env, m, m->src0[5]);
        a->mem = r.mem;
        a->size_B = r.size_B;
        if (r.vm)
            return false;
    }
    for (unsigned i = 0; i < a->lanes; i++)
        offset_B[i] = (offset[i] + global) * unit_B;
    return true;
}

/* A dword per lane, as in scratch memory. */
static inline bool
fast_scattered(const struct thread_env *env, const struct eu_message *m)
{
    unsigned type = bits_get(m->desc, 14, 18), at = m->header ? 1 : 0;
    bool dwords = (type & ~8u) == 0x3;
    bool bytes = (type & ~8u) == 0x4 && bits_get(m->desc, 10, 11) == 2;
    struct lane_access a = {.lanes = m->desc >> 8 & 1 ? 16 : 8, .channels = 1};
    uint32_t offset_B[16];
    a.mask = dataport_mask(m, a.lanes);
    if ((!dwords && !bytes) || m->mlen_grf < 1 || !a.mask ||
        !fast_range(env, m, &a))
        return false;
    if (bytes || (m->desc & 0xff) != BTI_SLM)
        a.keep = ~0u;
    const uint32_t *offset = dataport_operand(m, at, a.lanes / 8u);
    return offset &&
           fast_header(env, m, &a, dwords ? 4 : 1, offset, offset_B) &&
           fast_access(&a, m, offset_B, at + a.lanes / 8u, type & 8);
}

static inline bool
fast_atomic(const struct thread_env *env, const struct eu_message *m)
{
    unsigned op = bits_get(m->desc, 8, 11);
    unsigned lanes = (m->desc >> 12) & 1 ? 8 : 16, grfs = lanes / 8;
    unsigned operands = atomic_operands(op);
    struct lane_access a = {.lanes = (uint8_t)lanes, .channels = 1};
    if (m->header || op == 0 || !fast_range(env, m, &a))
        return false;
    const uint32_t *offset_B = dataport_operand(m, 0, grfs);
    const uint32_t *src0 = dataport_operand(m, grfs, grfs);
    const uint32_t *src1 = dataport_operand(m, 2 * grfs, grfs);
    bool answers = (m->desc >> 13) & 1;
    if (!offset_B || (operands > 0 && !src0) || (operands > 1 && !src1) ||
        (answers && (!m->dst || m->rlen_grf < grfs)))
        return false;
    a.mask = dataport_mask(m, lanes);
    return atomic_lanes(op, (m->desc & 0xff) != BTI_SLM, &a, offset_B, src0,
                        src1, answers ? m->dst : NULL);
}

/* Converts 64-bit addresses with equal upper halves to offsets. */
static inline bool
fast_a64_place(const struct thread_env *env, const struct eu_message *m,
               struct lane_access *a, uint32_t offset_B[16])
{
    const uint64_t low = 0x7fffffff;
    const uint32_t *operand = dataport_operand(m, 0, a->lanes / 4);
    uint64_t va[16], base, differs = 0;
    if (!operand || !a->mask)
        return false;
    memcpy(va, operand, a->lanes * 8u);
    if (vm_has_moved(env->vm))
        return a64_place_moved(env->vm, va, a, offset_B);
    base = va[__builtin_ctz(a->mask)] & ~low;
    for (unsigned i = 0; i < a->lanes; i++) {
        differs |= a->mask >> i & 1 ? (va[i] & ~low) ^ base : 0;
        offset_B[i] = (uint32_t)(va[i] & low);
    }
    if (differs || (uint64_t)((int64_t)base >> 47) + 1 > 1)
        return false;
    a->mem = vm_ptr(env->vm, base);
    a->size_B = low + 1;
    return true;
}

static inline bool
fast_a64_untyped(const struct thread_env *env, const struct eu_message *m,
                 bool write)
{
    struct lane_access a = {.keep = ~3u};
    uint32_t offset_B[16];
    return !m->header && fast_shape(m, &a) &&
           fast_a64_place(env, m, &a, offset_B) &&
           fast_access(&a, m, offset_B, a.lanes / 4u, write);
}

/* One, two or four dwords per lane, or four bytes. */
static inline bool
fast_a64_scattered(const struct thread_env *env, const struct eu_message *m,
                   bool write)
{
    unsigned kind = bits_get(m->desc, 8, 9), code = bits_get(m->desc, 10, 11);
    struct lane_access a = {.keep = ~0u};
    uint32_t offset_B[16];
    bool dwords = kind == 1 && code < 3, bytes = kind == 0 && code == 2;
    if (m->header || (!dwords && !bytes))
        return false;
    a.lanes = (m->desc >> 12) & 1 ? 16 : 8;
    a.channels = (uint8_t)(dwords ? 1u << code : 1);
    a.mask = dataport_mask(m, a.lanes);
    return fast_a64_place(env, m, &a, offset_B) &&
           fast_access(&a, m, offset_B, a.lanes / 4u, write);
}

static inline bool
fast_dc1(const struct thread_env *env, const struct eu_message *m)
{
    switch (bits_get(m->desc, 14, 18)) {
    case DC1_UNTYPED_READ: return fast_untyped(env, m, false);
    case DC1_UNTYPED_WRITE: return fast_untyped(env, m, true);
    case DC1_UNTYPED_ATOMIC: return fast_atomic(env, m);
    case DC1_A64_UNTYPED_READ: return fast_a64_untyped(env, m, false);
    case DC1_A64_UNTYPED_WRITE: return fast_a64_untyped(env, m, true);
    case DC1_A64_SCATTERED_READ: return fast_a64_scattered(env, m, false);
    case DC1_A64_SCATTERED_WRITE: return fast_a64_scattered(env, m, true);
    default: return false;
    }
}

/* Constant buffers at an offset unknown to the compiler. Observed: the stock
 * driver reads them by `ld` of four dwords at any byte. */
static inline __attribute__((always_inline)) bool
fast_vec4_range(const struct thread_env *env, const struct eu_message *m,
                struct lane_access *a)
{
    unsigned bti = m->desc & 0xff;
    if (bti >= BTI_BINDLESS)
        return false;
    const struct surface *s = fast_surface(env, bti);
    if (!s->vec4_B)
        return false;
    a->mem = s->mem;
    a->size_B = s->vec4_B;
    a->keep = ~0u;
    return true;
}

static inline bool
fast_ld_buffer(const struct thread_env *env, const struct eu_message *m)
{
    uint32_t shape = m->desc & LD_MASK;
    struct lane_access a = {.channels = 4};
    bool eight = shape == LD_SIMD8 || shape == LD_LZ_SIMD8;
    bool sixteen = shape == LD_SIMD16 || shape == LD_LZ_SIMD16;
    if ((!eight && !sixteen) || m->eot || (m->desc & 0xff) >= BTI_BINDLESS)
        return false;
    a.lanes = sixteen ? 16 : 8;
    if (!fast_vec4_range(env, m, &a))
        return typed_lanes_ld(fast_surface(env, m->desc & 0xff), m, a.lanes);
    a.mask = dataport_mask(m, a.lanes);
    const uint32_t *offset_B = dataport_operand(m, 0, a.lanes / 8);
    return offset_B && fast_access(&a, m, offset_B, 0, false);
}

static __attribute__((noinline)) enum eu_msg_result
fast_usual(struct eu_thread *t, const struct eu_message *m)
{
    const struct thread_env *env = t->user;
    bool done = m->sfid == EU_SFID_DC1 && fast_dc1(env, m);
    return done ? EU_MSG_OK : msg_send(t, m);
}

/* Untyped messages of sixteen lanes without a header, of x or xyzw. */
#define FREQUENT_MASK UINT32_C(0x000fff00)
#define FREQUENT(type, disabled) \
    ((uint32_t)(type) << 14 | 1u << 12 | (uint32_t)(disabled) << 8)

static inline bool
fast_all_lanes(const struct eu_message *m)
{
    return (uint16_t)m->exec_mask == 0xffff && m->mlen_grf >= 2;
}

/* Inlined, so that the number of channels is constant. */
static inline __attribute__((always_inline)) bool
fast_frequent(const struct thread_env *env, const struct eu_message *m,
              unsigned channels, bool write)
{
    struct lane_access a;
    if (!fast_all_lanes(m) || !fast_range(env, m, &a))
        return false;
    if (write) {
        const uint32_t *data = dataport_operand(m, 2, 2 * channels);
        return data && write_full(&a, channels, m->src0, data);
    }
    return m->dst && m->rlen_grf >= 2 * channels &&
           read_full(&a, channels, m->src0, m->dst);
}

static inline bool
fast_frequent_ld(const struct thread_env *env, const struct eu_message *m)
{
    struct lane_access a;
    return (m->desc & LD_MASK) == LD_SIMD16 && fast_all_lanes(m) && !m->eot &&
           m->dst && m->rlen_grf >= 8 && fast_vec4_range(env, m, &a) &&
           read_full(&a, 4, m->src0, m->dst);
}

static inline bool
is_typed(const struct eu_message *m)
{
    unsigned type = bits_get(m->desc, 14, 18);
    return m->sfid == EU_SFID_DC1 && !trace_on(TRACE_msg) &&
           (type == DC1_TYPED_READ || type == DC1_TYPED_WRITE ||
            type == DC1_TYPED_ATOMIC);
}

static inline bool
fast_typed(const struct thread_env *env, const struct eu_message *m)
{
    unsigned bti = m->desc & 0xff, type = bits_get(m->desc, 14, 18);
    if (bti == BTI_SLM)
        return false;
    const struct surface *s = bti < BTI_BINDLESS ? fast_surface(env, bti)
                                                 : dataport_surface(env, m);
    switch (type) {
    case DC1_TYPED_READ: return typed_lanes_read(s, m);
    case DC1_TYPED_WRITE: return typed_lanes_write(s, m);
    default: return typed_lanes_atomic(s, m);
    }
}

static inline bool
fast_frequent_dc1(const struct thread_env *env, const struct eu_message *m)
{
    switch (m->desc & FREQUENT_MASK) {
    case FREQUENT(DC1_UNTYPED_READ, 0xe):
        return fast_frequent(env, m, 1, false);
    case FREQUENT(DC1_UNTYPED_READ, 0x0):
        return fast_frequent(env, m, 4, false);
    case FREQUENT(DC1_UNTYPED_WRITE, 0xe):
        return fast_frequent(env, m, 1, true);
    case FREQUENT(DC1_UNTYPED_WRITE, 0x0):
        return fast_frequent(env, m, 4, true);
    default: return false;
    }
}

static __attribute__((noinline)) enum eu_msg_result
fast_other(struct eu_thread *t, const struct eu_message *m)
{
    struct thread_env *env = t->user;
    bool done = false;
    if (trace_on(TRACE_msg))
        return msg_send(t, m);
    switch (m->sfid) {
    case EU_SFID_DC1: done = fast_frequent_dc1(env, m); break;
    case EU_SFID_SAMPLER:
        done = fast_frequent_ld(env, m) || fast_ld_buffer(env, m);
        return done ? EU_MSG_OK : msg_sampler(env, t, m);
    case EU_SFID_SPAWNER: done = m->eot; break;
    case EU_SFID_GATEWAY: return msg_gateway(env, t, m);
    case EU_SFID_DC0:
        return fast_scattered(env, m) ? EU_MSG_OK : msg_dc0(env, t, m);
    }
    return done ? EU_MSG_OK : fast_usual(t, m);
}

static __attribute__((noinline)) enum eu_msg_result
send_typed(struct eu_thread *t, const struct eu_message *m)
{
    return fast_typed(t->user, m) ? EU_MSG_OK : msg_send(t, m);
}

/* Checks for URB and texture messages first: they are short and frequent. */
static enum eu_msg_result
fast_send(struct eu_thread *t, const struct eu_message *m)
{
    struct thread_env *env = t->user;
    if (m->sfid == EU_SFID_URB && !trace_on(TRACE_msg))
        return msg_urb(env, t, m);
    if (m->sfid != EU_SFID_SAMPLER)
        return (is_typed(m) ? send_typed : fast_other)(t, m);
    const struct prepared_message *p = sampler_find_usual(env, m);
    if (!p)
        return fast_other(t, m);
    if (!sampler_answer_found(env, m, p))
        return sampler_answer_generally(env, m);
    sampler_note_direct(env, m, p);
    return EU_MSG_OK;
}
