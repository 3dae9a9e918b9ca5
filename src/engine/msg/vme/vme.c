/* vme.c: messages of VME and CRE: payload, source macroblock, answer. Source of
 * the descriptor: IGC, VMEDescriptor: type 14:13, stream-out 15, stream-in 16.
 */
#include "engine/msg/vme/vme.h"

#include "engine/msg/msg.h"

/* Phases that a message needs. */
static const uint8_t phases_in[] = {
    [VME_IDM] = 5, [VME_SIC] = 8, [VME_IME] = 6, [VME_FBR] = 8};

static void
read_payload(const struct eu_message *m, struct vme_call *v)
{
    for (unsigned i = 0; i < VME_IN_PHASES; i++) {
        const uint32_t *reg = eu_message_reg(m, i);
        if (reg)
            memcpy(v->in[i], reg, 32);
    }
    v->x_px = (int)(v->in[0][2] & 0xffff);
    v->y_px = (int)(v->in[0][2] >> 16);
}

static bool
read_source(struct vme_call *v)
{
    struct vme_picture p;
    if (bits_get(v->in[0][3], 0, 1))
        unimp("VME with source blocks of size %u: 16x16 is taken",
              bits_get(v->in[0][3], 0, 1));
    if (!vme_source_find(v, &p))
        return false;
    vme_fetch(&p, p.luma, v->x_px, v->y_px, VME_MB_PX, VME_MB_PX, v->source[0]);
    return true;
}

static void
run_message(struct vme_call *v)
{
    switch (v->type) {
    case VME_IME: vme_ime(v); break;
    case VME_FBR: vme_fbr(v); break;
    case VME_SIC: vme_sic(v); break;
    default: unimp("distortion mesh of VME (IDM): its answer is 0");
    }
}

enum eu_msg_result
msg_vme(struct thread_env *env, struct eu_thread *t, const struct eu_message *m)
{
    (void)t;
    struct vme_call v = {.env = env,
                         .type = (enum vme_type)bits_get(m->desc, 13, 14),
                         .bti = m->desc & 0xff,
                         .stream_out = m->desc >> 15 & 1,
                         .stream_in = m->desc >> 16 & 1};
    unsigned phases = (unsigned)m->mlen_grf + m->ex_mlen_grf;
    if (!m->dst || phases < phases_in[v.type]) {
        guest_error("VME message of type %u with %u phases", v.type, phases);
        return EU_MSG_ERROR;
    }
    read_payload(m, &v);
    trace(msg, "vme type %u at %d,%d: %08x %08x, %08x %08x %08x %08x", v.type,
          v.x_px, v.y_px, v.in[0][0], v.in[0][3], v.in[1][0], v.in[1][1],
          v.in[1][2], v.in[1][7]);
    if (read_source(&v))
        run_message(&v);
    memcpy(m->dst, v.out, MIN2(m->rlen_grf, VME_OUT_PHASES) * 32u);
    return EU_MSG_OK;
}
