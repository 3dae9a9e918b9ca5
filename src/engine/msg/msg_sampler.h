/* msg_sampler.h: what the two halves of the sampler's messages share: the
 * general way, msg_sampler.c, and sampler_prepare.c for messages that come
 * again and again. Internal to engine/msg. */
#ifndef ENGINE_MSG_SAMPLER_H
#define ENGINE_MSG_SAMPLER_H

#include "engine/msg/dataport.h"

#define SAMPLER_PARAMS 12

enum { SIMD_8D = 0, SIMD_8 = 1, SIMD_16 = 2 };

/* M0.2 of the header. */
#define HEADER_CHANNELS_LO 12
#define HEADER_GATHER_LO 16
#define HEADER_SIMD4X2 (1u << 22)

/* One row per message type: parameters in payload order, as places in struct
 * sample_req. A 0 ends them unless it is first (`u` is not the first member).
 */
struct sampler_message {
    const char *name;
    uint8_t op; /* enum sample_op */
    bool compare, offsets_per_lane, ignore_mcs;
    bool killpix; /* a register with the pixels that live follows */
    uint8_t reduction;
    uint16_t param[SAMPLER_PARAMS];
};

/* NULL for a type that the generation lacks. */
const struct sampler_message *sampler_find_message(unsigned gen, unsigned type);
/* The sampler that a message names; `header` is its first register or NULL. */
const struct sampler *sampler_find_state(const struct shader_stage *stage,
                                         const struct eu_message *m,
                                         const uint32_t *header);
/* 16 bits a channel instead of 32. KBL PRM vol 2d, sampler descriptor, Return
 * Format. */
static inline bool
sampler_returns_words(const struct eu_message *m)
{
    return m->desc >> 30 & 1;
}

/* Says unimp of what it rejects. */
bool sampler_is_supported(const struct shader_stage *stage,
                          const struct eu_message *m, uint32_t m02);

/* Answers any message that writes something, lane by lane. */
enum eu_msg_result sampler_answer_generally(struct thread_env *env,
                                            const struct eu_message *m);
/* Answers a message whose plan is known, or becomes known now. False, with
 * nothing done, if there is none for it. */
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

/* Four bits each, signed: u highest. */
static inline void
sampler_header_offsets(uint32_t m02, int8_t offset[3])
{
    for (unsigned i = 0; i < 3; i++)
        offset[i] = (int8_t)((int8_t)(m02 >> (8 - 4 * i) << 4) >> 4);
}

#endif
