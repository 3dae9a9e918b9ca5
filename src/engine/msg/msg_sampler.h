/* msg_sampler.h: shared by the general path of sampler messages, msg_sampler.c,
 * and the path with cached plans, sampler_prepare.c. Internal to engine/msg. */
#ifndef ENGINE_MSG_SAMPLER_H
#define ENGINE_MSG_SAMPLER_H

#include "engine/msg/dataport/dataport.h"
#include "engine/msg/msg.h"

#define SAMPLER_PARAMS 12

enum { SIMD_8D = 0, SIMD_8 = 1, SIMD_16 = 2, SIMD_32_64 = 3 };

/* Sampler messages `ld` and `ld_lz` without a header, with full precision; u is
 * their first parameter. */
#define LD_MASK UINT32_C(0x600ff000)
#define LD_SIMD8 UINT32_C(0x00027000)
#define LD_SIMD16 UINT32_C(0x00047000)
#define LD_LZ_SIMD8 UINT32_C(0x0003a000)
#define LD_LZ_SIMD16 UINT32_C(0x0005a000)

/* M0.2 of the header. */
#define HEADER_CHANNELS_LO 12
#define HEADER_GATHER_LO 16
#define HEADER_SIMD4X2 (1u << 22)

/* One row per message type. param: parameters in payload order, as offsets in
 * struct sample_req; 0 ends them, because `u` is not the first member. */
struct sampler_message {
    const char *name;
    uint8_t op; /* enum sample_op */
    bool compare, offsets_per_lane, ignore_mcs;
    bool killpix; /* the active pixel mask follows */
    uint8_t reduction;
    uint16_t param[SAMPLER_PARAMS];
};

/* NULL: the generation lacks the type. */
const struct sampler_message *sampler_find_message(unsigned gen, unsigned type);
/* The payload and what the descriptor says, for any generation's message. */
void sampler_read_request(const struct sampler_message *msg,
                          const struct eu_message *m, const uint32_t *header,
                          struct sample_req *req);
/* msg_texels.c: for profiles that count texels. */
void sampler_count_texels(struct thread_env *env, const struct eu_message *m);
/* The sampler of a message; `header` is its first register or NULL. */
const struct sampler *sampler_find_state(const struct shader_stage *stage,
                                         const struct eu_message *m,
                                         const uint32_t *header);
/* Whether channels return 16 bits instead of 32. KBL PRM vol 2d, sampler
 * descriptor, Return Format. */
static inline bool
sampler_returns_words(const struct eu_message *m)
{
    return m->desc >> 30 & 1;
}

/* False: unsupported, which it reports by unimp(). */
bool sampler_is_supported(const struct shader_stage *stage,
                          const struct eu_message *m, uint32_t m02);

/* Answers any message with a response, lane by lane. */
enum eu_msg_result sampler_answer_generally(struct thread_env *env,
                                            const struct eu_message *m);
/* Answers a message by its plan, which it makes if needed. False, with nothing
 * done: no plan fits the message. */
bool sampler_answer_prepared(struct thread_env *env, const struct eu_message *m,
                             const uint32_t *header);

static inline unsigned
sampler_simd(const struct eu_message *m)
{
    return (m->desc >> 17 & 3) | (m->desc >> 27 & 4);
}

static inline bool
sampler_needs_state(enum sample_op op)
{
    switch (op) {
    case SAMPLE_LD:
    case SAMPLE_LD_MS:
    case SAMPLE_LD_MCS:
    case SAMPLE_RESINFO:
    case SAMPLE_SAMPLEINFO: return false;
    default: return true;
    }
}

/* Four bits each, signed; u is highest. */
static inline void
sampler_header_offsets(uint32_t m02, int8_t offset[3])
{
    for (unsigned i = 0; i < 3; i++)
        offset[i] = (int8_t)((int8_t)(m02 >> (8 - 4 * i) << 4) >> 4);
}

#endif
