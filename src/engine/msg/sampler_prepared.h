/* sampler_prepared.h: finds the cached plan of a sampler message and answers
 * the message in few steps. Internal to engine/msg: sampler_prepare.c makes the
 * plans, send_fast.h looks them up first. */
#ifndef ENGINE_MSG_SAMPLER_PREPARED_H
#define ENGINE_MSG_SAMPLER_PREPARED_H

#include "base/fpmode.h"
#include "engine/msg/msg_sampler.h"
#include "engine/state/stage_cache.h"
#include "sampler/plan/plan.h"

/* All that a plan depends on besides the stage. */
struct message_key {
    uint32_t desc;
    uint32_t header; /* M0.2, and the payload's lengths in bits 31:24 */
    uint32_t samplers, surface; /* if they are not the binding table's */
};

enum { PARAM_U, PARAM_V, PARAM_R, PARAM_LOD, PARAM_REF, PARAM_COUNT };

/* Sources of parameters. */
enum { IN_SRC0, IN_SRC1, IN_ZEROS };

/* Source and offset of a parameter. */
struct message_place {
    uint8_t in; /* IN_* */
    bool present;
    uint16_t at_dw;
};

/* The fields of a message before ex_desc, without the site. ex_desc matters
 * only for bindless surfaces. */
struct message_shape {
    uint64_t part[2];
};
static_assert(sizeof(struct message_shape) ==
                  offsetof(struct eu_message, ex_desc),
              "a message is compared in whole parts");

struct prepared_message {
    struct message_shape shape;
    struct message_key key;
    bool usual; /* found by its shape: stage_cache.usual */
    bool pair;  /* 16 lanes of u and v, and of ref if the plan compares */
    struct prepared_message *next;
    bool usable;
    bool complete; /* the response has 16 lanes of four channels */
    uint8_t lanes;
    uint32_t all_lanes;
    struct message_place param[PARAM_COUNT];
    int16_t out_dw[4];       /* per channel; negative: absent */
    struct eu_direct direct; /* fn NULL: compiled code may not call it */
    struct sample_plan plan;
};

/* The worker's block cache, created on first use. NULL: out of memory. */
struct block_cache *sampler_own_blocks(struct thread_env *env);

/* x86/direct_*.c: eu_direct.fn of plans that need a block cache; its argument
 * is the prepared message. Returns false until the worker has one; then the
 * message is sent. */
extern void (*const sampler_direct_avx2)(void);
extern void (*const sampler_direct_avx512)(void);
/* Answers by the plan, with any lanes enabled. */
bool sampler_answer_planned(struct thread_env *env, const struct eu_message *m,
                            const struct prepared_message *p);

static inline struct message_shape
sampler_shape(const struct eu_message *m)
{
    struct message_shape shape;
    struct eu_message here = {.site = 0xff};
    uint64_t site;
    memcpy(&shape, m, sizeof shape);
    memcpy(&site, (const uint8_t *)&here + sizeof site, sizeof site);
    shape.part[1] &= ~site;
    return shape;
}

/* Hash of a message. Textures differ by surface. Messages for one surface
 * differ by number of channels, one or two payloads, and offsets. */
static inline unsigned
sampler_usual_slot(const struct eu_message *m, const uint32_t *header)
{
    uint32_t slot = m->desc ^ m->desc >> 12 ^ m->desc >> 21 ^
                    m->ex_mlen_grf * 10u;
    if (header)
        slot ^= header[2] ^ header[2] >> 3 ^ header[2] >> 6;
    return slot & (STAGE_CACHE_USUAL - 1);
}

/* Whether a routine may run in the current float mode. Changing the mode twice
 * takes as long as some messages. */
static inline bool
sampler_may_run(bool any_denormals, uint32_t mode)
{
    return mode == FPMODE_DEFAULT ||
           (any_denormals && mode == (FPMODE_DEFAULT | FPMODE_FLUSH));
}

static inline const uint32_t *
sampler_pair_operand(const struct eu_message *m,
                     const struct message_place *place)
{
    return (place->in == IN_SRC1 ? m->src1 : m->src0) + place->at_dw;
}

static inline bool
sampler_answer_found(struct thread_env *env, const struct eu_message *m,
                     const struct prepared_message *p)
{
    if ((uint16_t)m->exec_mask != 0xffff || !p->pair || !p->plan.footprint ||
        !sampler_may_run(p->plan.footprint_any_denormals, fpmode_mine))
        return sampler_answer_planned(env, m, p);
    struct sample_pair in = {
        .u = sampler_pair_operand(m, &p->param[PARAM_U]),
        .v = sampler_pair_operand(m, &p->param[PARAM_V]),
        .ref = sampler_pair_operand(m, &p->param[PARAM_REF]),
    };
    if (p->plan.blocks && !(in.blocks = sampler_own_blocks(env)))
        return false;
    return p->plan.footprint(&p->plan, &in, m->dst, p->out_dw) ||
           sampler_answer_planned(env, m, p);
}

/* Lets compiled code answer the message of this site directly from now on. */
static inline void
sampler_note_direct(struct thread_env *env, const struct eu_message *m,
                    const struct prepared_message *p)
{
    if (m->site && p->direct.fn)
        atomic_store_explicit(&env->stage->cache->direct[m->site - 1],
                              &p->direct, memory_order_release);
}

/* The plan of a message that was seen before with a surface of the binding
 * table, or NULL. */
static inline const struct prepared_message *
sampler_find_usual(const struct thread_env *env, const struct eu_message *m)
{
    const uint32_t *header = m->header ? eu_message_reg(m, 0) : NULL;
    const struct prepared_message *p = atomic_load_explicit(
        &env->stage->cache->usual[sampler_usual_slot(m, header)],
        memory_order_acquire);
    struct message_shape shape = sampler_shape(m);
    if (!p || shape.part[0] != p->shape.part[0] ||
        shape.part[1] != p->shape.part[1])
        return NULL;
    bool same = !header ||
                ((header[2] & 0xffffff) == (p->key.header & 0xffffff) &&
                 (header[3] & ~31u) == p->key.samplers);
    return same ? p : NULL;
}

#endif
