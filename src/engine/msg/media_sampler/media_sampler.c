/* media_sampler.c: payloads and replies of sample_unorm and sample_8x8 in the
 * media form. Observed: kernels of i965 and iHD build M1 so and unpack replies
 * so; the message itself is in no public manual of Gen9. */
#include "engine/msg/media_sampler/media_sampler.h"

#include <math.h>

enum { SAMPLE_8X8 = 11, SAMPLE_UNORM = 12 };
enum { FUNCTION_AVS = 0 };

#define SAMPLER_STATE_B 16
/* Distance of AVS states: KBL PRM vol 2d; Observed. */
#define AVS_STATE_STEP_B 2048
#define UNORM_WIDTH 8
#define UNORM_HEIGHT 4
#define LANES 16

/* M1 of both. */
enum { M1_DDV, M1_BLOCK, M1_U, M1_V, M1_DU, M1_DV, M1_DDU, M1_CONTROL };

/* A block of pixels of each enabled channel. */
struct reply {
    const struct eu_message *m;
    unsigned at_B;
    bool bytes, halves; /* 8 bits a channel; left half first */
    uint32_t disabled;
};

static float
as_float(uint32_t dw)
{
    float f;
    memcpy(&f, &dw, 4);
    return f;
}

static void
put_value(struct reply *r, uint16_t v)
{
    uint8_t low_high[2] = {(uint8_t)v, (uint8_t)(v >> 8)};
    unsigned size_B = r->bytes ? 1 : 2;
    if (r->at_B + size_B <= r->m->rlen_grf * 32u)
        memcpy((uint8_t *)r->m->dst + r->at_B,
               r->bytes ? &low_high[1] : low_high, size_B);
    r->at_B += size_B;
}

/* Columns [from, end), row after row. */
static void
put_channel(struct reply *r, uint16_t values[AVS_HEIGHT][AVS_WIDTH],
            unsigned from, unsigned end, unsigned height)
{
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = from; x < end; x++)
            put_value(r, values[y][x]);
    r->at_B = (r->at_B + 31) / 32 * 32;
}

static uint32_t
sampler_table(const struct shader_stage *stage, const uint32_t *header)
{
    return header ? header[3] & ~31u : stage->sampler_offset;
}

/* ---- rotation ------------------------------------------------------------
 * KBL PRM vol 2d, RENDER_SURFACE_STATE ("rotation of the data returned") and
 * MEDIA_SURFACE_STATE: clockwise quarter turns. Observed: kernels of iHD that
 * flip and turn frames. A block with quarter turns has as many columns as its
 * reply has rows. */

/* Which pixel of the block, unturned, is at (x, y) of the reply. */
static void
unturn(unsigned rotation, unsigned width, unsigned height, unsigned *x,
       unsigned *y)
{
    unsigned to_x = *x, to_y = *y;
    if (rotation == 1)
        *x = to_y, *y = width - 1 - to_x;
    else if (rotation == 2)
        *x = width - 1 - to_x, *y = height - 1 - to_y;
    else if (rotation == 3)
        *x = height - 1 - to_y, *y = to_x;
}

/* ---- sample_8x8 ---------------------------------------------------------- */

static void
read_block(const uint32_t *m1, struct avs_block *b)
{
    static const struct {
        uint8_t width, height;
    } size[4] = {{16, 4}, {8, 4}, {16, 8}, {4, 4}};
    unsigned shape = bits_get(m1[M1_CONTROL], 25, 26);
    b->width = size[shape].width;
    b->height = size[shape].height;
    b->column = 0;
    b->row = (int)((m1[M1_BLOCK] & 0xffff) * b->height);
    b->u = as_float(m1[M1_U]);
    b->v = as_float(m1[M1_V]);
    b->du = as_float(m1[M1_DU]);
    b->dv = as_float(m1[M1_DV]);
    b->ddu = as_float(m1[M1_DDU]);
    b->ddv = as_float(m1[M1_DDV]);
}

/* Channels that the reply has, and those that they need. */
static void
filter_block(const struct media_surface *s, const struct avs_block *b,
             bool enhance, uint32_t disabled,
             uint16_t values[4][AVS_HEIGHT][AVS_WIDTH])
{
    enhance = enhance && !(disabled >> 1 & 1);
    unsigned extra = enhance ? avs_enhance_needs(s, b) : 0;
    for (unsigned c = 0; c < 4; c++)
        if (!(disabled >> c & 1) || extra >> c & 1)
            avs_filter(s, c, b, values[c]);
    if (extra)
        avs_enhance(s, b, values);
}

/* Guess: the block number counts along the reply's rows. */
static void
turn_block(struct avs_block *b, unsigned rotation)
{
    unsigned width = b->width;
    if (!(rotation & 1))
        return;
    b->width = b->height;
    b->height = width;
    b->column = b->row;
    b->row = 0;
}

/* width, height: of the reply. */
static void
turn_values(uint16_t values[AVS_HEIGHT][AVS_WIDTH], unsigned rotation,
            unsigned width, unsigned height)
{
    uint16_t from[AVS_HEIGHT][AVS_WIDTH];
    if (!rotation)
        return;
    memcpy(from, values, sizeof from);
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
            unsigned at_x = x, at_y = y;
            unturn(rotation, width, height, &at_x, &at_y);
            values[y][x] = from[at_y][at_x];
        }
}

static void
sample_8x8(struct thread_env *env, const struct eu_message *m,
           const uint32_t *header, const uint32_t *m1)
{
    const struct shader_stage *stage = env->stage;
    struct media_surface s;
    struct avs_block b;
    uint8_t state[AVS_STATE_B];
    uint16_t values[4][AVS_HEIGHT][AVS_WIDTH];
    unsigned format = header ? bits_get(header[2], 18, 19) : 0;
    struct reply r = {.m = m,
                      .bytes = format >= 2,
                      .disabled = header ? bits_get(header[2], 12, 15) : 0};
    trace(msg, "sample_8x8 %08x: %g %g step %g %g, block %u, %08x, state %x",
          header ? header[2] : 0, (double)as_float(m1[M1_U]),
          (double)as_float(m1[M1_V]), (double)as_float(m1[M1_DU]),
          (double)as_float(m1[M1_DV]), m1[M1_BLOCK], m1[M1_CONTROL],
          sampler_table(stage, header));
    if (bits_get(m1[M1_CONTROL], 28, 31) != FUNCTION_AVS) {
        analytics_message(env, m, header, m1, sampler_table(stage, header));
        return;
    }
    read_block(m1, &b);
    if (!media_surface_find(stage, m->desc & 0xff, &s))
        return;
    unsigned width = b.width, height = b.height;
    turn_block(&b, s.rotation);
    memcpy(state,
           vm_ptr(stage->vm, stage->dynamic_base_va +
                                 sampler_table(stage, header) +
                                 bits_get(m->desc, 8, 11) * AVS_STATE_STEP_B),
           sizeof state);
    b.state = state;
    filter_block(&s, &b, !bits_get(m1[M1_CONTROL], 27, 27), r.disabled, values);
    /* Shuffle_OutputWriteback: two replies of eight columns, as of
     * sample_unorm. */
    bool halves = width == 16 && state[4 * 4 + 1] & 8;
    for (unsigned c = 0; c < 4; c++)
        if (!(r.disabled >> c & 1))
            turn_values(values[c], s.rotation, width, height);
    for (unsigned half = 0; half < (halves ? 2u : 1u); half++)
        for (unsigned c = 0; c < 4; c++)
            if (!(r.disabled >> c & 1))
                put_channel(&r, values[c], half * 8,
                            halves ? half * 8 + 8 : width, height);
}

/* ---- sample_unorm -------------------------------------------------------- */

/* Of the surface's state, which no other message looks at. */
static unsigned
unorm_rotation(const struct shader_stage *stage, unsigned bti)
{
    gpu_va entry = stage->surface_base_va + stage->binding_table_offset +
                   bti * 4;
    uint32_t offset_B = vm_read32(stage->vm, entry) & ~63u;
    if (bti >= BTI_BINDLESS)
        return 0;
    return bits_get(
        vm_read32(stage->vm, stage->surface_base_va + offset_B + 16), 29, 30);
}

/* Two rows of pixels. LOD 0: such surfaces have no other. */
static void
sample_rows(const struct surface *s, const struct sampler *sampler,
            const uint32_t *m1, unsigned row, unsigned rotation,
            uint16_t values[4][AVS_HEIGHT][AVS_WIDTH])
{
    struct sample_req req = {
        .op = SAMPLE_LZ, .lanes = LANES, .exec_mask = 0xffff};
    uint32_t out[4][LANES], killed = 0;
    req.killed = &killed;
    for (unsigned i = 0; i < LANES; i++) {
        unsigned x = i % 8, y = row + i / 8;
        unturn(rotation, UNORM_WIDTH, UNORM_HEIGHT, &x, &y);
        req.u.f[i] = as_float(m1[M1_U]) + as_float(m1[M1_DU]) * (float)x;
        req.v.f[i] = as_float(m1[M1_V]) + as_float(m1[M1_DV]) * (float)y;
    }
    sampler_sample(s, sampler, &req, out);
    for (unsigned c = 0; c < 4; c++)
        for (unsigned i = 0; i < LANES; i++) {
            float v = as_float(out[c][i]);
            v = v > 0 ? MIN2(v, 1.0f) : 0;
            values[c][row + i / 8][i % 8] = (uint16_t)lrintf(v * 0xff00);
        }
}

static void
sample_unorm(struct thread_env *env, const struct eu_message *m,
             const uint32_t *header, const uint32_t *m1)
{
    const struct surface *s = dataport_surface(env, m);
    const struct sampler *sampler = stage_sampler_at(
        env->stage, sampler_table(env->stage, header) +
                        bits_get(m->desc, 8, 11) * SAMPLER_STATE_B);
    uint16_t values[4][AVS_HEIGHT][AVS_WIDTH];
    unsigned rotation = unorm_rotation(env->stage, m->desc & 0xff);
    struct reply r = {.m = m,
                      .disabled = header ? bits_get(header[2], 12, 15) : 0};
    trace(msg, "sample_unorm %08x: %08x %08x %08x %08x %08x %08x %08x %08x",
          header ? header[2] : 0, m1[0], m1[1], m1[2], m1[3], m1[4], m1[5],
          m1[6], m1[7]);
    for (unsigned row = 0; row < UNORM_HEIGHT; row += 2)
        sample_rows(s, sampler, m1, row, rotation, values);
    for (unsigned c = 0; c < 4; c++)
        if (!(r.disabled >> c & 1))
            put_channel(&r, values[c], 0, UNORM_WIDTH, UNORM_HEIGHT);
}

enum eu_msg_result
media_sampler_message(struct thread_env *env, const struct eu_message *m,
                      const uint32_t *header)
{
    const uint32_t *m1 = eu_message_reg(m, m->header);
    unsigned type = bits_get(m->desc, 12, 16);
    if (!m1 || !m->dst) {
        guest_error("media sampler message without payload or reply");
        return EU_MSG_ERROR;
    }
    if (type == SAMPLE_8X8)
        sample_8x8(env, m, header, m1);
    else if (type == SAMPLE_UNORM)
        sample_unorm(env, m, header, m1);
    else
        unimp("media sampler message of type %u", type);
    return EU_MSG_OK;
}
