/* filter_mono.c: box filter of single bits. ILK PRM vol 4 part 1, 4.2.3.4
 * MAPFILTER_MONO: averages a box of N_u by N_v texels around the coordinate.
 * Texels at the edges of the box count by the part that it covers. No stock
 * driver uses it. */
#include "sampler/reference/sample.h"

/* KBL PRM vol 2d, SAMPLER_STATE, Mag Mode Filter: with MONO8 on 2D surfaces
 * only. Guess: other surfaces use the nearest texel. */
bool
filter_is_mono(const struct sampler *sp, const struct surface *s)
{
    return sp->min_filter == FILTER_MONO && sp->mag_filter == FILTER_MONO &&
           s->fmt->compression == FORMAT_MONO && s->fmt->intensity &&
           s->type == SURFACE_2D;
}

/* First texel of the box, and the covered parts of it and of the texel after
 * the last. A coordinate that is NaN or too large reaches no texel. */
struct span {
    int32_t first, count;
    unsigned cover_first, cover_end; /* in 1/256 */
};

static struct span
make_span(const struct sample_ctx *ctx, float coord, uint32_t size,
          unsigned count, int offset)
{
    float at = ctx->sp->non_normalized ? coord : coord * (float)size;
    float limit = (float)(size + 16);
    at = at >= -16.0f && at <= limit ? at : -16.0f;
    int32_t corner = sample_floor(at * SAMPLE_ONE + 0.5f) -
                     (int32_t)count * SAMPLE_ONE / 2;
    unsigned fraction = (unsigned)corner & (SAMPLE_ONE - 1);
    return (struct span){.first = (corner >> 8) + offset,
                         .count = (int32_t)count,
                         .cover_first = SAMPLE_ONE - fraction,
                         .cover_end = fraction};
}

static unsigned
texel_coverage(const struct span *s, int32_t i)
{
    return i == 0 ? s->cover_first : i == s->count ? s->cover_end : SAMPLE_ONE;
}

/* Texels outside are zero, whatever the border colour. */
static bool
is_set(struct sample_ctx *ctx, uint32_t level, int32_t x, int32_t y,
       uint32_t slice)
{
    const struct surface *s = ctx->s;
    if (x < 0 || y < 0 || (uint32_t)x >= surface_level_width(s, level) ||
        (uint32_t)y >= surface_level_height(s, level))
        return false;
    return texel_fetch(ctx, level, x, y, slice, 0.0f)[0] != 0.0f;
}

vec4
filter_mono(struct sample_ctx *ctx, uint32_t level, const float coord[3],
            uint32_t slice)
{
    const struct surface *s = ctx->s;
    unsigned w = MAX2(ctx->sp->mono_width, 1u);
    unsigned h = MAX2(ctx->sp->mono_height, 1u);
    const int8_t *offset = ctx->req->offset;
    struct span u = make_span(ctx, coord[0], surface_level_width(s, level), w,
                              offset[0]);
    struct span v = make_span(ctx, coord[1], surface_level_height(s, level), h,
                              offset[1]);
    unsigned sum = 0;
    for (int32_t j = 0; j <= v.count; j++)
        for (int32_t i = 0; i <= u.count; i++)
            if (is_set(ctx, level, u.first + i, v.first + j, slice))
                sum += texel_coverage(&u, i) * texel_coverage(&v, j);
    float f = (float)sum / (float)(w * h * SAMPLE_ONE * SAMPLE_ONE);
    return (vec4){f, f, f, f};
}
