/* msg_sampler.c: sampler messages, the general path: decodes the payload into
 * struct sample_req and writes the response. Message types and payloads: ILK
 * PRM vol 4 part 1, 4.11, with the order of parameters of Gen8 and Gen9. */
#include "engine/msg/msg_sampler.h"
#include "engine/msg/media_sampler/media_sampler.h"
#include "base/fpmode.h"
#include "base/perf.h"
#include "base/half.h"

#define SAMPLER_STATE_B 16

#define AT(member) ((uint16_t)offsetof(struct sample_req, member))
#define U AT(u)
#define V AT(v)
#define R AT(r)
#define AI AT(ai)
#define LOD AT(lod)
#define REF AT(ref)
#define SI AT(si)
#define MCS0 AT(mcs[0])
#define MCS1 AT(mcs[1])
#define OFFU AT(off_u)
#define OFFV AT(off_v)
#define MLOD AT(min_lod)
#define GRADIENTS                                                            \
    U, AT(dudx), AT(dudy), V, AT(dvdx), AT(dvdy), R, AT(drdx), AT(drdy), AI, \
        MLOD

static_assert(offsetof(struct sample_req, u) != 0, "0 ends a parameter list");

#define MESSAGE_LD                                 \
    {                                              \
        "ld", SAMPLE_LD, .param = { U, V, LOD, R } \
    }

static const struct sampler_message sampler_message[32] = {
    [0] = {"sample", SAMPLE_PLAIN, .param = {U, V, R, AI, MLOD}},
    [1] = {"sample_b", SAMPLE_BIAS, .param = {LOD, U, V, R, AI, MLOD}},
    [2] = {"sample_l", SAMPLE_LOD, .param = {LOD, U, V, R, AI}},
    [3] = {"sample_c", SAMPLE_PLAIN, .compare = true,
           .param = {REF, U, V, R, AI, MLOD}},
    [4] = {"sample_d", SAMPLE_GRAD, .param = {GRADIENTS}},
    [5] = {"sample_b_c", SAMPLE_BIAS, .compare = true,
           .param = {REF, LOD, U, V, R, AI, MLOD}},
    [6] = {"sample_l_c", SAMPLE_LOD, .compare = true,
           .param = {REF, LOD, U, V, R, AI}},
    [7] = MESSAGE_LD,
    [8] = {"gather4", SAMPLE_GATHER4, .param = {U, V, R, AI}},
    [9] = {"lod", SAMPLE_LOD_QUERY, .param = {U, V, R, AI}},
    [10] = {"resinfo", SAMPLE_RESINFO, .param = {LOD}},
    [11] = {"sampleinfo", SAMPLE_SAMPLEINFO, .param = {0}},
    [12] = {"sample+killpix", SAMPLE_PLAIN, .killpix = true,
            .param = {U, V, R}},
    [16] = {"gather4_c", SAMPLE_GATHER4, .compare = true,
            .param = {REF, U, V, R, AI}},
    [17] = {"gather4_po", SAMPLE_GATHER4, .offsets_per_lane = true,
            .param = {U, V, OFFU, OFFV, R}},
    [18] = {"gather4_po_c", SAMPLE_GATHER4, .compare = true,
            .offsets_per_lane = true, .param = {REF, U, V, OFFU, OFFV, R}},
    [20] = {"sample_d_c", SAMPLE_GRAD, .compare = true,
            .param = {REF, GRADIENTS}},
    [22] = {"sample_min", SAMPLE_PLAIN, .reduction = 2,
            .param = {U, V, R, AI, MLOD}},
    [23] = {"sample_max", SAMPLE_PLAIN, .reduction = 3,
            .param = {U, V, R, AI, MLOD}},
    [24] = {"sample_lz", SAMPLE_LZ, .param = {U, V, R, AI}},
    [25] = {"sample_c_lz", SAMPLE_LZ, .compare = true,
            .param = {REF, U, V, R, AI}},
    [26] = {"ld_lz", SAMPLE_LD, .param = {U, V, R}},
    [28] = {"ld2dms_w", SAMPLE_LD_MS, .param = {SI, MCS0, MCS1, U, V, R}},
    [29] = {"ld_mcs", SAMPLE_LD_MCS, .param = {U, V, R, LOD}},
    [30] = {"ld2dms", SAMPLE_LD_MS, .param = {SI, MCS0, U, V, R, LOD}},
    [31] = {"ld2dss", SAMPLE_LD_MS, .ignore_mcs = true,
            .param = {SI, U, V, R, LOD}},
};

/* Gen8's ld has the LOD before v, and Gen8 lacks some messages of Gen9. */
static const struct sampler_message gen8_ld = {"ld", SAMPLE_LD,
                                               .param = {U, LOD, V, R}};

const struct sampler_message *
sampler_find_message(unsigned gen, unsigned type)
{
    const struct sampler_message *msg = &sampler_message[type];
    if (gen < 9 && type == 7)
        return &gen8_ld;
    if (gen < 9 && ((type >= 22 && type <= 26) || type == 28))
        return NULL;
    return msg->name ? msg : NULL;
}

static void
read_header(struct sample_req *req, uint32_t m02)
{
    sampler_header_offsets(m02, req->offset);
    req->gather_channel = m02 >> HEADER_GATHER_LO & 3;
}

/* Parameters after the end of the payload stay zero. */
static void
read_params(struct sample_req *req, const struct sampler_message *msg,
            const struct eu_message *m)
{
    unsigned grf = m->header;
    for (unsigned i = 0; i < SAMPLER_PARAMS && msg->param[i]; i++) {
        uint8_t *to = (uint8_t *)req + msg->param[i];
        for (unsigned half = 0; half < req->lanes / 8; half++, grf++) {
            const uint32_t *from = eu_message_reg(m, grf);
            if (!from)
                return;
            memcpy(to + half * 32, from, 32);
        }
    }
}

/* Offsets of gather4_po have six significant bits. */
static void
fix_offsets(struct sample_req *req)
{
    for (unsigned lane = 0; lane < SAMPLE_LANES; lane++) {
        req->off_u[lane] = (int32_t)((uint32_t)req->off_u[lane] << 26) >> 26;
        req->off_v[lane] = (int32_t)((uint32_t)req->off_v[lane] << 26) >> 26;
    }
}

/* A header has its own sampler table pointer. Kernels add 256 bytes to it per
 * 16 samplers, or replace it by a bindless sampler's pointer. */
const struct sampler *
sampler_find_state(const struct shader_stage *stage, const struct eu_message *m,
                   const uint32_t *header)
{
    unsigned index = m->desc >> 8 & 15;
    uint32_t table = header ? header[3] & ~31u : stage->sampler_offset;
    if (table == (stage->sampler_offset & ~31u))
        return stage_sampler(stage, index);
    return stage_sampler_at(stage, table + index * SAMPLER_STATE_B);
}

/* Leaves out channels that the header disables; later channels move down. */
static void
write_back(const struct eu_message *m, unsigned lanes, uint32_t exec_mask,
           uint32_t disabled, uint32_t out[4][SAMPLE_LANES])
{
    unsigned width = lanes / 8, grf = 0;
    uint32_t all = lanes == 16 ? 0xffff : 0xff;
    for (unsigned c = 0; c < 4; c++) {
        if (disabled >> c & 1)
            continue;
        if (exec_mask == all && grf + width <= m->rlen_grf) {
            memcpy(m->dst + grf * 8, out[c], lanes * 4);
        } else {
            for (unsigned lane = 0; lane < lanes; lane++)
                if (exec_mask >> lane & 1)
                    dataport_answer(m, grf, lane, out[c][lane]);
        }
        grf += width;
    }
}

/* As write_back(), with one register of words per channel; eight lanes use half
 * of it. OpenCL's half images return half floats, narrow integer types the low
 * bits. */
static void
write_back_words(const struct eu_message *m, const struct sample_req *req,
                 uint32_t disabled, bool is_int, uint32_t out[4][SAMPLE_LANES])
{
    unsigned grf = 0;
    for (unsigned c = 0; c < 4; c++) {
        if (disabled >> c & 1)
            continue;
        if (grf >= m->rlen_grf)
            return;
        uint8_t *to = (uint8_t *)(m->dst + grf * 8);
        for (unsigned lane = 0; lane < req->lanes; lane++) {
            uint32_t v = out[c][lane];
            uint16_t word = (uint16_t)(is_int ? v : half_from_f_bits(v, 0));
            if (req->exec_mask >> lane & 1)
                memcpy(to + lane * 2, &word, 2);
        }
        grf++;
    }
}

/* The active pixel mask follows the channels, for eight lanes only. ILK PRM vol
 * 4 part 1, 4.11.2.2, "Active Pixel Mask". */
static void
write_active_pixels(const struct eu_message *m, uint32_t disabled,
                    uint32_t killed)
{
    unsigned grf = 4 - (unsigned)__builtin_popcount(disabled);
    if (grf < m->rlen_grf)
        m->dst[grf * 8] = 0xffffff00 | (~killed & 0xff);
}

bool
sampler_is_supported(const struct shader_stage *stage,
                     const struct eu_message *m, uint32_t m02)
{
    unsigned simd = sampler_simd(m);
    bool simd4x2 = simd == SIMD_8D && (stage->gen < 9 || m02 & HEADER_SIMD4X2);
    if (simd4x2 || simd > SIMD_16)
        unimp("sampler message in SIMD mode %u%s", simd,
              simd4x2 ? " (SIMD4x2)" : "");
    else if (m->eot)
        unimp("sampler message that ends the thread");
    else
        return true;
    return false;
}

static void
sample_white(uint32_t out[4][SAMPLE_LANES])
{
    const float one = 1;
    for (unsigned i = 0; i < 4 * SAMPLE_LANES; i++)
        memcpy(&out[i / SAMPLE_LANES][i % SAMPLE_LANES], &one, 4);
}

void
sampler_read_request(const struct sampler_message *msg,
                     const struct eu_message *m, const uint32_t *header,
                     struct sample_req *req)
{
    memset(req, 0, sizeof *req);
    req->op = (enum sample_op)msg->op;
    req->compare = msg->compare;
    req->offsets_per_lane = msg->offsets_per_lane;
    req->ignore_mcs = msg->ignore_mcs;
    req->reduction = msg->reduction;
    req->lanes = sampler_simd(m) == SIMD_16 ? 16 : 8;
    req->exec_mask = m->exec_mask & (req->lanes == 16 ? 0xffff : 0xff);
    read_header(req, header ? header[2] : 0);
    read_params(req, msg, m);
    if (req->offsets_per_lane)
        fix_offsets(req);
}

static void
answer_message(struct thread_env *env, const struct sampler_message *msg,
               const struct eu_message *m, const uint32_t *header)
{
    uint32_t m02 = header ? header[2] : 0;
    struct sample_req req;
    sampler_read_request(msg, m, header, &req);
    const struct sampler *sp = NULL;
    if (sampler_needs_state(req.op))
        sp = sampler_find_state(env->stage, m, header);
    uint32_t out[4][SAMPLE_LANES], killed = 0;
    req.killed = &killed;
    if (sp && perf_leaves_out(PERF_TEX))
        sample_white(out);
    else
        sampler_sample(dataport_surface(env, m), sp, &req, out);
    uint32_t disabled = m02 >> HEADER_CHANNELS_LO & 15;
    if (sampler_returns_words(m))
        write_back_words(m, &req, disabled,
                         dataport_surface(env, m)->fmt->is_int, out);
    else
        write_back(m, req.lanes, req.exec_mask, disabled, out);
    if (msg->killpix && req.lanes == 8)
        write_active_pixels(m, disabled, killed);
}

static enum eu_msg_result
answer(struct thread_env *env, const struct eu_message *m,
       const uint32_t *header)
{
    const struct shader_stage *stage = env->stage;
    unsigned type = m->desc >> 12 & 31;
    if (sampler_simd(m) == SIMD_32_64)
        return media_sampler_message(env, m, header);
    const struct sampler_message *msg = sampler_find_message(stage->gen, type);
    if (!msg)
        unimp("sampler message of type %u", type);
    else if (sampler_is_supported(stage, m, header ? header[2] : 0))
        answer_message(env, msg, m, header);
    return EU_MSG_OK;
}

enum eu_msg_result
sampler_answer_generally(struct thread_env *env, const struct eu_message *m)
{
    uint32_t before = fpmode_enter(FPMODE_DEFAULT);
    enum eu_msg_result result = answer(env, m,
                                       m->header ? eu_message_reg(m, 0) : NULL);
    fpmode_leave(FPMODE_DEFAULT, before);
    return result;
}

enum eu_msg_result
msg_sampler(struct thread_env *env, struct eu_thread *t,
            const struct eu_message *m)
{
    const uint32_t *header = m->header ? eu_message_reg(m, 0) : NULL;
    if (!m->dst)
        return EU_MSG_OK;
    if (sampler_simd(m) != SIMD_32_64 &&
        sampler_answer_prepared(env, m, header))
        return EU_MSG_OK;
    return sampler_answer_generally(env, m);
}
