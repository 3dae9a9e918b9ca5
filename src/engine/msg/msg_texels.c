/* msg_texels.c: tells profiles which texels a sampler message reads. */
#include "base/fpmode.h"
#include "engine/msg/msg_sampler.h"
#include "engine/pixels/pixels.h"
#include "engine/raster/pixel_group.h"

/* Lanes of the message that are pixels, work items or vertices, and no helper
 * pixels. */
static uint32_t
live_lanes(const struct thread_env *env, const struct eu_message *m)
{
    return env->ps ? env->ps->live >> m->chan_offset : UINT32_MAX;
}

void
sampler_count_texels(struct thread_env *env, const struct eu_message *m)
{
    const struct shader_stage *stage = env->stage;
    const uint32_t *header = m->header ? eu_message_reg(m, 0) : NULL;
    const struct sampler_message *msg = sampler_find_message(
        stage->gen, m->desc >> 12 & 31);
    struct sample_taps taps[SAMPLE_TAPS_MAX];
    struct sample_req req;
    if (!msg || sampler_simd(m) > SIMD_16 || sampler_simd(m) == SIMD_8D)
        return;
    uint32_t before = fpmode_enter(FPMODE_DEFAULT);
    sampler_read_request(msg, m, header, &req);
    const struct surface *s = dataport_surface(env, m);
    const struct sampler *sp = sampler_needs_state(req.op)
                                   ? sampler_find_state(stage, m, header)
                                   : NULL;
    unsigned count = sampler_find_taps(s, sp, &req, taps);
    fpmode_leave(FPMODE_DEFAULT, before);
    pixels_add_texels(stage, msg->name, s, taps, count, live_lanes(env, m));
}
