/* media_sampler_bench.h: a rig with one media surface and one AVS state, and a
 * scalar model that finds each sample by itself. For one test file each. */
#ifndef TEST_MEDIA_SAMPLER_BENCH_H
#define TEST_MEDIA_SAMPLER_BENCH_H

#include "rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "engine/msg/media_sampler/media_sampler.h"
#include "engine/state/stage_cache.h"

#define TABLE_VA (RIG_VA + 0x1000)
#define SURFACE_B 0x2000u
#define STATE_B 0x3000u
#define PICTURE_B 0x10000u
#define PITCH_B 512u
#define W 64
#define H 32
/* Where chroma planes begin. */
#define CB_ROW 64u
#define CR_ROW 128u

enum { LINEAR = 0, X_TILED = 2, Y_TILED = 3 };
enum { SHUFFLE = 1 << 11 };

static struct rig rig;
static struct stage_cache cache;
static struct shader_stage stage;
static struct thread_env env;
static uint32_t payload[2][8], answer[16][8];
static bool enhances; /* messages do not pass the enhancement filter */

static inline void
set_up(void)
{
    rig_init(&rig, &(struct engine_config){.gen = 9});
    stage_cache_init(&cache, NULL);
    stage = (struct shader_stage){.kind = STAGE_CS,
                                  .enabled = true,
                                  .gen = 9,
                                  .vm = rig.vm,
                                  .surface_base_va = RIG_VA,
                                  .dynamic_base_va = RIG_VA,
                                  .binding_table_offset = 0x1000,
                                  .sampler_offset = STATE_B,
                                  .cache = &cache};
    env = (struct thread_env){.stage = &stage, .vm = rig.vm};
    *rig_dw(&rig, TABLE_VA) = SURFACE_B;
    srand(7);
    for (unsigned i = 0; i < 0x40000; i++)
        rig.mem[PICTURE_B + i] = (uint8_t)rand();
}

static inline void
tear_down(void)
{
    stage_cache_finish(&cache);
    rig_finish(&rig);
}

/* ---- the model ---- */

static inline uint8_t
byte_of(unsigned tiling, unsigned x_B, unsigned row)
{
    unsigned at = row * PITCH_B + x_B;
    if (tiling == X_TILED)
        at = (row / 8 * (PITCH_B / 512) + x_B / 512) * 4096 + row % 8 * 512 +
             x_B % 512;
    if (tiling == Y_TILED)
        at = (row / 32 * (PITCH_B / 128) + x_B / 128) * 4096 +
             x_B % 128 / 16 * 512 + row % 32 * 16 + x_B % 16;
    return rig.mem[PICTURE_B + at];
}

/* Where channels are: byte of a pixel or pair; rows of a plane. */
struct format {
    const char *name;
    unsigned code, pixel_B;
    int at_B[4]; /* R, G, B, A; -1: none */
    bool pairs, nv12, planes;
};

static const struct format formats[] = {
    {"YUYV", 0, 2, {3, 0, 1, -1}, true, false, false},
    {"VYUY", 1, 2, {0, 1, 2, -1}, true, false, false},
    {"YVYU", 2, 2, {1, 0, 3, -1}, true, false, false},
    {"UYVY", 3, 2, {2, 1, 0, -1}, true, false, false},
    {"NV12", 4, 1, {1, 0, 0, -1}, false, true, false},
    {"I420", 4, 1, {0, 0, 0, -1}, false, true, true},
    {"RGBA", 9, 4, {0, 1, 2, 3}, false, false, false},
    {"R8B8", 10, 2, {0, -1, 1, -1}, false, false, false},
    {"R8", 11, 1, {0, -1, -1, -1}, false, false, false},
    {"Y8", 12, 1, {-1, 0, -1, -1}, false, false, false},
    {"AYUV", 13, 4, {0, 2, 1, 3}, false, false, false},
    {"BGRA", 14, 4, {2, 1, 0, 3}, false, false, false},
};

static inline bool
is_sub(const struct format *f, unsigned channel)
{
    return (f->pairs || f->nv12) && channel != 1;
}

static inline unsigned
sample_of(const struct format *f, unsigned tiling, unsigned channel, int x,
          int y)
{
    bool sub = is_sub(f, channel);
    int w = sub ? W / 2 : W, h = sub && f->nv12 ? H / 2 : H;
    x = CLAMP(x, 0, w - 1);
    y = CLAMP(y, 0, h - 1);
    unsigned at_B = (unsigned)f->at_B[channel], pixel_B = f->pixel_B;
    unsigned row = (unsigned)y;
    if (f->pairs && sub)
        pixel_B = 4;
    if (f->nv12 && sub) {
        pixel_B = f->planes ? 1 : 2;
        row += f->planes && channel == 0 ? CR_ROW : CB_ROW;
    }
    return byte_of(tiling, (unsigned)x * pixel_B + at_B, row);
}

static inline void
put_surface(const struct format *f, unsigned tiling)
{
    uint32_t *dw = rig_dw(&rig, RIG_VA + SURFACE_B);
    memset(dw, 0, 32);
    dw[1] = (W - 1) << 4 | (H - 1) << 18;
    dw[2] = f->code << 27 | (uint32_t)(f->nv12 && !f->planes) << 26 |
            (PITCH_B - 1) << 3 | tiling;
    dw[3] = f->nv12 ? CB_ROW : 0;
    dw[4] = f->planes ? CR_ROW : 0;
    dw[6] = (uint32_t)(RIG_VA + PICTURE_B);
}

/* ---- the filter's state ---- */

static inline int8_t *
phase(unsigned n)
{
    return (int8_t *)(rig.mem + STATE_B +
                      (n < 17 ? 64 + n * 32 : 640 + (n - 17) * 32));
}

/* dw 3: mode; dw 4: layout of replies; sharp, without adaption. */
static inline void
put_state(unsigned mode, uint32_t dw4)
{
    uint32_t *dw = rig_dw(&rig, RIG_VA + STATE_B);
    memset(dw, 0, 1120);
    dw[3] = mode << 28;
    dw[4] = dw4;
    dw[152] = 255u << 24;
    dw[153] = 3u << 21;
}

static inline void
put_copy(void)
{
    for (unsigned n = 0; n < 32; n++) {
        memset(phase(n), 0, 32);
        phase(n)[6] = phase(n)[7] = 64;
        phase(n)[19] = phase(n)[27] = 64;
    }
}

static inline uint32_t
bits_of(float f)
{
    uint32_t dw;
    memcpy(&dw, &f, 4);
    return dw;
}

static inline void
send(float u, float v, float du, float dv, unsigned block, unsigned shape,
     unsigned disabled, unsigned rlen)
{
    memset(payload, 0, sizeof payload);
    memset(answer, 0xcc, sizeof answer);
    payload[0][2] = disabled << 12;
    payload[0][3] = STATE_B;
    payload[1][1] = block;
    payload[1][2] = bits_of(u);
    payload[1][3] = bits_of(v);
    payload[1][4] = bits_of(du);
    payload[1][5] = bits_of(dv);
    payload[1][7] = (enhances ? 0 : 1u << 27) | shape << 25;
    struct eu_message m = {.header = true,
                           .mlen_grf = 2,
                           .rlen_grf = (uint8_t)rlen,
                           .desc = 11u << 12 | 3u << 17,
                           .src0 = payload[0],
                           .dst = answer[0]};
    cr_assert_eq(media_sampler_message(&env, &m, payload[0]), EU_MSG_OK);
}

/* Word of pixel (x, y) of the channel with `before` enabled ones before it. */
static inline unsigned
answered(unsigned before, unsigned enabled, unsigned x, unsigned y, bool halves)
{
    const uint16_t *words = (const uint16_t *)answer;
    if (!halves)
        return words[before * 64 + y * 16 + x];
    return words[x / 8 * enabled * 32 + before * 32 + y * 8 + x % 8];
}

#endif
