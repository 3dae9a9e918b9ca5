/* sampler_prepare.c: caches plans of sampler messages (sampler/plan/plan.h).
 * The first message of a form decides all that descriptor and header determine.
 * Later ones only find the plan and point it to the registers.
 *
 * Plans live in the stage's cache, together with the surfaces and samplers that
 * they refer to. All workers share them. */
#include "base/cpu.h"
#include "base/perf.h"
#include "engine/msg/sampler_prepared.h"

/* Limits memory: kernels may compute many descriptors. */
#define MESSAGES_MAX 256

static const uint32_t absent[SAMPLE_LANES];

static struct message_key
make_key(const struct eu_message *m, const uint32_t *header)
{
    struct message_key key = {.desc = m->desc};
    if (header) {
        key.header = header[2] & 0xffffff;
        key.samplers = header[3] & ~31u;
    }
    key.header |= (uint32_t)(m->ex_mlen_grf & 15) << 28 |
                  (uint32_t)(m->mlen_grf & 15) << 24;
    if ((m->desc & 0xff) == BTI_BINDLESS)
        key.surface = m->ex_desc;
    return key;
}

static bool
same_key(const struct message_key *a, const struct message_key *b)
{
    return a->desc == b->desc && a->header == b->header &&
           a->samplers == b->samplers && a->surface == b->surface;
}

static unsigned
bucket(const struct message_key *key)
{
    uint32_t h = key->desc ^ key->samplers << 3 ^ key->surface ^
                 key->header << 7;
    return h * 2654435761u >> 26;
}

/* ---- making one ---- */

/* False: part of the operand is missing, or it is split. */
static bool
place_param(const struct eu_message *m, unsigned grf, unsigned width,
            struct message_place *out)
{
    unsigned first = m->mlen_grf, all = first + m->ex_mlen_grf;
    bool second = grf >= first;
    *out = (struct message_place){.in = IN_ZEROS};
    if (grf >= all)
        return true;
    out->present = true;
    out->in = second ? IN_SRC1 : IN_SRC0;
    out->at_dw = (uint16_t)((second ? grf - first : grf) * 8);
    return grf + width <= (second ? all : first);
}

/* Parameters that plans support; others must be absent. */
static bool
find_param(uint16_t offset, unsigned *param)
{
    switch (offset) {
    case offsetof(struct sample_req, u): *param = PARAM_U; return true;
    case offsetof(struct sample_req, v): *param = PARAM_V; return true;
    case offsetof(struct sample_req, r): *param = PARAM_R; return true;
    case offsetof(struct sample_req, lod): *param = PARAM_LOD; return true;
    case offsetof(struct sample_req, ref): *param = PARAM_REF; return true;
    default: return false;
    }
}

static bool
place_params(const struct sampler_message *msg, const struct eu_message *m,
             unsigned width, struct prepared_message *p)
{
    unsigned grf = m->header;
    for (unsigned i = 0; i < PARAM_COUNT; i++)
        p->param[i].in = IN_ZEROS;
    for (unsigned i = 0; i < SAMPLER_PARAMS && msg->param[i]; i++) {
        struct message_place place;
        unsigned param;
        if (!place_param(m, grf, width, &place))
            return false;
        if (find_param(msg->param[i], &param))
            p->param[param] = place;
        else if (place.present &&
                 msg->param[i] != offsetof(struct sample_req, ai))
            return false;
        grf += width;
    }
    return true;
}

/* Leaves out channels that the header disables; later channels move down. */
static bool
place_answer(const struct eu_message *m, uint32_t disabled, unsigned width,
             struct prepared_message *p)
{
    unsigned grf = 0;
    for (unsigned c = 0; c < 4; c++) {
        p->out_dw[c] = -1;
        if (disabled >> c & 1)
            continue;
        bool present = grf < m->rlen_grf;
        if (present)
            p->out_dw[c] = (int16_t)(grf * 8);
        if (present && grf + width > m->rlen_grf)
            return false;
        grf += width;
    }
    p->complete = width == 2 && p->out_dw[0] >= 0 && p->out_dw[1] >= 0 &&
                  p->out_dw[2] >= 0 && p->out_dw[3] >= 0;
    return true;
}

static bool
is_pair(const struct prepared_message *p)
{
    return p->lanes == 16 && p->param[PARAM_U].present &&
           p->param[PARAM_V].present && p->param[PARAM_R].in == IN_ZEROS &&
           p->param[PARAM_LOD].in == IN_ZEROS &&
           p->param[PARAM_REF].present == p->plan.compare;
}

/* Whether compiled code may call the plan's routine with the payload in
 * registers. The vectors must be in the routine's order, and the routine must
 * be independent of denormal modes. */
static bool
is_direct(const struct eu_message *m, const struct prepared_message *p)
{
    const struct message_place *at = p->param;
    unsigned first = p->plan.compare ? PARAM_REF : PARAM_U;
    unsigned order[] = {first, PARAM_U, PARAM_V}, expected_dw = 0;
    for (unsigned i = first == PARAM_U; i < ARRAY_SIZE(order); i++) {
        const struct message_place *place = &at[order[i]];
        unsigned from_dw = place->in == IN_SRC1 ? m->mlen_grf * 8u : 0;
        if (place->at_dw + from_dw != expected_dw)
            return false;
        expected_dw += SAMPLE_LANES;
    }
    return p->usual && p->pair && p->plan.in_registers &&
           p->plan.footprint_any_denormals &&
           expected_dw == (m->mlen_grf + m->ex_mlen_grf) * 8u;
}

/* Sets the routine that compiled code calls. */
static void
note_routine(struct prepared_message *p)
{
    p->direct.fn = p->plan.in_registers;
    if (p->plan.blocks)
        p->direct.fn = cpu_selected() == CPU_AVX512 ? sampler_direct_avx512
                                                    : sampler_direct_avx2;
}

static bool
prepare(struct thread_env *env, const struct eu_message *m,
        const uint32_t *header, struct prepared_message *p)
{
    const struct shader_stage *stage = env->stage;
    uint32_t m02 = header ? header[2] : 0;
    const struct sampler_message *msg = sampler_find_message(
        stage->gen, m->desc >> 12 & 31);
    if (!msg || msg->killpix || sampler_returns_words(m) ||
        !sampler_is_supported(stage, m, m02) ||
        (!sampler_needs_state((enum sample_op)msg->op) && msg->op != SAMPLE_LD))
        return false;
    struct sample_shape shape = {
        .op = (enum sample_op)msg->op,
        .compare = msg->compare,
        .reduction = msg->reduction,
    };
    sampler_header_offsets(m02, shape.offset);
    p->lanes = sampler_simd(m) == SIMD_16 ? 16 : 8;
    p->all_lanes = p->lanes == 16 ? 0xffff : 0xff;
    if (!place_params(msg, m, p->lanes / 8, p) ||
        !place_answer(m, m02 >> HEADER_CHANNELS_LO & 15, p->lanes / 8, p))
        return false;
    const struct sampler *sp = NULL;
    if (sampler_needs_state(shape.op))
        sp = sampler_find_state(stage, m, header);
    if (sp && perf_leaves_out(PERF_TEX))
        sample_plan_init_white(&p->plan);
    else
        sample_plan_init(&p->plan, dataport_surface(env, m), sp, &shape);
    p->usual = (m->desc & 0xff) != BTI_BINDLESS && m->rlen_grf &&
               !trace_on(TRACE_msg);
    p->pair = is_pair(p);
    p->shape = sampler_shape(m);
    if (is_direct(m, p))
        note_routine(p);
    return p->plan.run;
}

/* ---- finding it again ---- */

static const struct prepared_message *
find(struct stage_cache *cache, const struct message_key *key)
{
    const struct prepared_message *p = atomic_load_explicit(
        &cache->message[bucket(key)], memory_order_acquire);
    while (p && !same_key(&p->key, key))
        p = p->next;
    return p;
}

/* Prepares without the lock, because finding surfaces takes it. Two workers may
 * prepare the same message; both results are valid. */
static __attribute__((noinline)) const struct prepared_message *
add(struct thread_env *env, const struct eu_message *m, const uint32_t *header,
    const struct message_key *key)
{
    struct stage_cache *cache = env->stage->cache;
    struct prepared_message made = {.key = *key}, *p;
    if (atomic_fetch_add_explicit(&cache->message_count, 1,
                                  memory_order_relaxed) >= MESSAGES_MAX) {
        atomic_fetch_sub_explicit(&cache->message_count, 1,
                                  memory_order_relaxed);
        return NULL;
    }
    made.usable = prepare(env, m, header, &made);
    pthread_mutex_lock(&cache->common->lock);
    cache->used = true;
    p = arena_alloc(&cache->arena, sizeof *p, alignof(struct prepared_message));
    if (p) {
        *p = made;
        p->direct.arg = p->plan.blocks ? (const void *)p : &p->plan;
        p->direct.more = p->out_dw;
        p->next = atomic_load_explicit(&cache->message[bucket(key)],
                                       memory_order_relaxed);
        atomic_store_explicit(&cache->message[bucket(key)], p,
                              memory_order_release);
        if (p->usable && p->usual)
            atomic_store_explicit(&cache->usual[sampler_usual_slot(m, header)],
                                  p, memory_order_release);
    }
    pthread_mutex_unlock(&cache->common->lock);
    return p;
}

struct block_cache *
sampler_own_blocks(struct thread_env *env)
{
    if (env->worker >= STAGE_CACHE_WORKERS)
        return NULL;
    struct block_cache **blocks = &env->stage->cache->common
                                       ->blocks[env->worker];
    if (!*blocks)
        *blocks = block_cache_new();
    return *blocks;
}

static inline bool
run(const struct sample_plan *plan, const struct sample_lanes *in)
{
    uint32_t mode = fpmode_mine;
    if (sampler_may_run(plan->any_denormals, mode))
        return sample_plan_run(plan, in);
    fpmode_set(FPMODE_DEFAULT);
    bool done = sample_plan_run(plan, in);
    fpmode_set(mode);
    return done;
}

bool
sampler_answer_planned(struct thread_env *env, const struct eu_message *m,
                       const struct prepared_message *p)
{
    const uint32_t *const from[] = {m->src0, m->src1, absent};
    const struct message_place *at = p->param;
    struct sample_lanes in = {
        .u = from[at[PARAM_U].in] + at[PARAM_U].at_dw,
        .v = from[at[PARAM_V].in] + at[PARAM_V].at_dw,
        .r = from[at[PARAM_R].in] + at[PARAM_R].at_dw,
        .lod = from[at[PARAM_LOD].in] + at[PARAM_LOD].at_dw,
        .ref = from[at[PARAM_REF].in] + at[PARAM_REF].at_dw,
        .lanes = p->lanes,
        .exec_mask = m->exec_mask & p->all_lanes,
    };
    for (unsigned c = 0; c < 4; c++)
        in.out[c] = p->out_dw[c] >= 0 ? m->dst + p->out_dw[c] : NULL;
    if (p->plan.blocks && !(in.blocks = sampler_own_blocks(env)))
        return false;
    in.whole = p->complete && in.exec_mask == 0xffff;
    return run(&p->plan, &in);
}

bool
sampler_answer_prepared(struct thread_env *env, const struct eu_message *m,
                        const uint32_t *header)
{
    struct message_key key = make_key(m, header);
    const struct prepared_message *p = find(env->stage->cache, &key);
    if (!p)
        p = add(env, m, header, &key);
    return p && p->usable && sampler_answer_found(env, m, p);
}

/* Whether u and v are the first and second vector of the payload. */
static bool
has_pair_first(const struct eu_message *m, const struct prepared_message *p)
{
    const struct message_place *u = &p->param[PARAM_U], *v = u + 1;
    unsigned v_dw = v->at_dw + (v->in == IN_SRC1 ? m->mlen_grf * 8u : 0);
    return p->pair && p->complete && u->at_dw == 0 && v_dw == 16;
}

struct stage_pixels
msg_find_pixels(struct thread_env *env, const struct eu_message *m)
{
    struct stage_pixels none = {NULL, NULL}, out = none;
    const struct prepared_message *p = sampler_find_usual(env, m);
    if (!p || !has_pair_first(m, p) || !p->plan.to_unorm8 ||
        !sampler_may_run(p->plan.footprint_any_denormals, fpmode_mine))
        return none;
    out.plan = &p->plan;
    if (p->plan.blocks && !(out.blocks = sampler_own_blocks(env)))
        return none;
    return out;
}
