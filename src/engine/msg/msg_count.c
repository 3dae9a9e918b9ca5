/* msg_count.c: counts the messages of draws and dispatches that performance
 * queries watch. */
#include "engine/msg/dataport/dataport.h"
#include "engine/msg/msg.h"
#include "engine/msg/msg_sampler.h"
#include "engine/oa/oa.h"
#include "engine/pixels/pixels.h"

/* KBL PRM vol 2d, SIMD mode and message type of the sampler's descriptor: these
 * answer questions about the surface, and read no texel. */
static bool
samples_texels(uint32_t desc)
{
    enum { LOD = 9, RESINFO = 10, SAMPLEINFO = 11, CACHE_FLUSH = 31 };
    unsigned type = bits_get(desc, 12, 16);
    return type != LOD && type != RESINFO && type != SAMPLEINFO &&
           type != CACHE_FLUSH;
}

static unsigned
count_bits(uint32_t v)
{
    return (unsigned)__builtin_popcount(v);
}

enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC, ACCESS_NONE };

/* A message of a data port: how it accesses memory, and how many bytes if the
 * surface is local memory; 0 for messages that have no such surface. */
struct data_access {
    enum access access;
    unsigned size_B;
};

static struct data_access
access_dc1(uint32_t desc, unsigned lanes)
{
    unsigned channels = count_bits(~bits_get(desc, 8, 11) & 15);
    switch (bits_get(desc, 14, 18)) {
    case DC1_UNTYPED_READ:
        return (struct data_access){ACCESS_READ, lanes * channels * 4};
    case DC1_UNTYPED_WRITE:
        return (struct data_access){ACCESS_WRITE, lanes * channels * 4};
    case DC1_UNTYPED_ATOMIC:
    case DC1_UNTYPED_ATOMIC_FLOAT:
        return (struct data_access){ACCESS_ATOMIC, lanes * 4};
    case DC1_TYPED_ATOMIC:
    case DC1_A64_ATOMIC:
    case DC1_A64_ATOMIC_FLOAT: return (struct data_access){ACCESS_ATOMIC, 0};
    case DC1_TYPED_WRITE:
    case DC1_MEDIA_BLOCK_WRITE:
    case DC1_A64_SCATTERED_WRITE:
    case DC1_A64_UNTYPED_WRITE:
    case DC1_A64_BLOCK_WRITE: return (struct data_access){ACCESS_WRITE, 0};
    default: return (struct data_access){ACCESS_READ, 0};
    }
}

/* Types 8 to 15 are the writes of types 0 to 7. */
static struct data_access
access_dc0(uint32_t desc, unsigned lanes)
{
    enum { OWORD_BLOCK, OWORD_BLOCK_UNALIGNED, DWORDS = 3, BYTES, FENCE = 7 };
    static const uint8_t owords[8] = {1, 1, 2, 4, 8};
    unsigned type = bits_get(desc, 14, 17);
    enum access access = type & 8 ? ACCESS_WRITE : ACCESS_READ;
    if (desc >> 18 & 1) /* scratch block */
        return (struct data_access){desc >> 17 & 1 ? ACCESS_WRITE : ACCESS_READ,
                                    0};
    switch (type & 7) {
    case OWORD_BLOCK:
    case OWORD_BLOCK_UNALIGNED:
        return (struct data_access){access, owords[bits_get(desc, 8, 10)] * 16};
    case DWORDS: return (struct data_access){access, lanes * 4};
    case BYTES:
        return (struct data_access){access, lanes << bits_get(desc, 10, 11)};
    case FENCE: return (struct data_access){ACCESS_NONE, 0};
    default: return (struct data_access){access, 0};
    }
}

static void
count_data(struct oa *oa, unsigned worker, uint32_t desc, struct data_access a)
{
    if (a.access == ACCESS_NONE)
        return;
    if (a.access == ACCESS_ATOMIC)
        oa_add(oa, worker, OA_ATOMIC_MESSAGES, 1);
    if (!a.size_B || (desc & 0xff) != BTI_SLM) {
        oa_add(oa, worker, OA_MEMORY_MESSAGES, 1);
        return;
    }
    if (a.access != ACCESS_WRITE)
        oa_add(oa, worker, OA_SLM_READ_B, a.size_B);
    if (a.access != ACCESS_READ)
        oa_add(oa, worker, OA_SLM_WRITTEN_B, a.size_B);
}

static void
count_message(struct thread_env *env, const struct eu_message *m)
{
    enum { BARRIER = 4 };
    struct oa *oa = env->stage->oa;
    unsigned lanes = count_bits(m->exec_mask);
    switch (m->sfid) {
    case EU_SFID_SAMPLER:
        if (samples_texels(m->desc))
            oa_add(oa, env->worker, OA_TEXELS, lanes);
        if (pixels_has_texels())
            sampler_count_texels(env, m);
        break;
    case EU_SFID_GATEWAY:
        if ((m->desc & 7) == BARRIER)
            oa_add(oa, env->worker, OA_BARRIER_MESSAGES, 1);
        break;
    case EU_SFID_CONST: oa_add(oa, env->worker, OA_MEMORY_MESSAGES, 1); break;
    case EU_SFID_DC0:
        count_data(oa, env->worker, m->desc, access_dc0(m->desc, lanes));
        break;
    case EU_SFID_DC1:
        count_data(oa, env->worker, m->desc, access_dc1(m->desc, lanes));
        break;
    default: break;
    }
}

enum eu_msg_result
msg_send_counted(struct eu_thread *thread, const struct eu_message *msg)
{
    count_message(thread->user, msg);
    return msg_sender()(thread, msg);
}
