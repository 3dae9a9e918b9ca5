/* media_sampler.h: sampler messages that answer a block of pixels (SIMD32/64):
 * sample_unorm and sample_8x8 with the adaptive video scaler (AVS). Called by
 * the general path of sampler messages, on any worker. KBL PRM vol 2d,
 * MEDIA_SURFACE_STATE and SAMPLER_STATE_8x8_AVS; ILK PRM vol 4 part 1, 4.8 and
 * 4.11. */
#ifndef ENGINE_MSG_MEDIA_SAMPLER_H
#define ENGINE_MSG_MEDIA_SAMPLER_H

#include "engine/msg/dataport/dataport.h"

/* `header` is the message's first register, or NULL. */
enum eu_msg_result media_sampler_message(struct thread_env *env,
                                         const struct eu_message *m,
                                         const uint32_t *header);

/* ---- media_surface.c ----------------------------------------------------- */

/* Where a channel's samples are. A sample has up to 16 bits, and 1.0 is `one`:
 * channels of 8 bits have zeros below. */
struct media_channel {
    bool exists; /* or colours are 0, and alpha is `one` */
    uint8_t pixel_B, at_bit, bits;
    bool sub_x, sub_y; /* one sample for two pixels each way */
    uint32_t x_B, row; /* of the first sample */
    uint16_t one;
    int width, height; /* in samples */
    float x_px, y_px;  /* of the first sample: chroma siting */
};

/* A decoded MEDIA_SURFACE_STATE. */
struct media_surface {
    const uint8_t *mem;
    uint64_t limit_B;
    enum surface_tiling tiling; /* linear, X or Y */
    uint32_t pitch_B;
    uint32_t width, height;
    uint8_t row_step, first_row; /* fields: 2, and 0 or 1 */
    bool mirror;                 /* outside, or the edge goes on */
    bool is_yuv;
    uint8_t rotation; /* of AVS: clockwise quarter turns */
    bool is_boolean;  /* a bit for each pixel, eight to a sample */
    struct media_channel channel[4]; /* R or Cr, G or Y, B or Cb, A */
};

/* False: unsupported, which it reports by unimp(), or without memory. */
bool media_surface_find(const struct shader_stage *stage, unsigned bti,
                        struct media_surface *s);
/* Offsets that, added, are the sample's at (x, y), wherever that is. */
uint64_t media_surface_x_B(const struct media_surface *s,
                           const struct media_channel *c, int x);
uint64_t media_surface_y_B(const struct media_surface *s,
                           const struct media_channel *c, int y);
/* The sample there; 0 outside of memory. */
static inline uint32_t
media_surface_read(const struct media_surface *s, const struct media_channel *c,
                   uint64_t offset_B)
{
    uint32_t pixel = 0;
    unsigned size_B = (c->at_bit % 8u + c->bits + 7u) / 8u;
    offset_B += c->at_bit / 8u;
    if (offset_B + size_B > s->limit_B)
        return 0;
    memcpy(&pixel, s->mem + offset_B, size_B);
    pixel >>= c->at_bit % 8u;
    return (pixel & ((1u << c->bits) - 1)) << (16 - c->bits);
}

/* ---- avs.c --------------------------------------------------------------- */

/* Of the largest block, turned or not, with what the enhancement filter needs
 * around. */
#define AVS_MARGIN 2
#define AVS_WIDTH (16 + 2 * AVS_MARGIN)
#define AVS_HEIGHT (16 + 2 * AVS_MARGIN)

/* A block of pixels on the surface, and its state in memory. */
struct avs_block {
    const uint8_t *state; /* AVS_STATE_B bytes */
    unsigned width, height;
    int column, row;              /* of the first pixel, from u and v */
    float u, v, du, dv, ddu, ddv; /* normalized */
};

#define AVS_STATE_B 1120u /* 280 dwords */

/* Filters one channel. */
void avs_filter(const struct media_surface *s, unsigned channel,
                const struct avs_block *b, uint16_t out[AVS_HEIGHT][AVS_WIDTH]);

/* ---- avs_enhance.c ------------------------------------------------------- */

/* Channels (by bit) of which avs_enhance() needs values. */
unsigned avs_enhance_needs(const struct media_surface *s,
                           const struct avs_block *b);
/* The image enhancement filter over luma of a block; not of RGB. values: of the
 * channels. */
void avs_enhance(const struct media_surface *s, const struct avs_block *b,
                 uint16_t values[4][AVS_HEIGHT][AVS_WIDTH]);

/* ---- analytics.c --------------------------------------------------------- */

/* Answers sample_8x8 with a function other than AVS. */
void analytics_message(struct thread_env *env, const struct eu_message *m,
                       const uint32_t *header, const uint32_t *m1,
                       uint32_t sampler_table);

#endif
