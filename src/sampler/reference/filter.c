/* filter.c: filters within one level, for every surface type.
 * ILK PRM vol 4 part 1, 4.2.3 "Intra-Level Filtering Setup". */
#include "sampler/reference/sample.h"

static uint32_t
level_size(const struct surface *s, uint32_t level, unsigned axis)
{
    return axis == 0   ? surface_level_width(s, level)
           : axis == 1 ? surface_level_height(s, level)
                       : surface_level_depth(s, level);
}

/* Minimum or maximum of two texels, instead of their average. */
static vec4
reduce_texels(const struct sample_ctx *ctx, vec4 a, vec4 b)
{
    union texel x = {.v = a}, y = {.v = b};
    bool sint = ctx->s->fmt->ch[0].kind == FORMAT_SINT;
    bool max = ctx->reduction == REDUCTION_MAX;
    for (unsigned c = 0; c < 4; c++) {
        bool less = !ctx->integer ? y.c.f[c] < x.c.f[c]
                    : sint        ? y.c.i[c] < x.c.i[c]
                                  : y.c.u[c] < x.c.u[c];
        if (less != max)
            x.c.u[c] = y.c.u[c];
    }
    return x.v;
}

vec4
filter_mix(const struct sample_ctx *ctx, vec4 a, vec4 b, int32_t w1)
{
    if (ctx->reduction != REDUCTION_NONE)
        return reduce_texels(ctx, a, b);
    return a + (b - a) * ((float)w1 * (1.0f / SAMPLE_ONE));
}

/* ---- cube faces ------------------------------------------------------- */

/* Bit of Cube Face Enable for each face. */
static const uint8_t face_bit[6] = {4, 5, 2, 3, 0, 1};

static vec4
fetch_face(struct sample_ctx *ctx, uint32_t level, int32_t x, int32_t y,
           uint32_t slice, unsigned from, unsigned face, float ref)
{
    if (!(ctx->s->cube_faces >> face_bit[face] & 1))
        return texel_border(ctx, ref);
    return texel_fetch(ctx, level, x, y, slice - from + face, ref);
}

static vec4
fetch_across(struct sample_ctx *ctx, uint32_t level, int32_t x, int32_t y,
             uint32_t slice, unsigned face, float ref)
{
    int32_t size = (int32_t)surface_level_width(ctx->s, level);
    unsigned to = cube_cross_edge((enum cube_face)face, size, &x, &y);
    return fetch_face(ctx, level, x, y, slice, face, to, ref);
}

/* A texel of a face, or of the face across an edge. Beyond a corner there is no
 * texel: returns the average of the three that meet there. OpenGL 4.6, 8.14.1.
 */
static vec4
fetch_cube(struct sample_ctx *ctx, uint32_t level, int32_t x, int32_t y,
           uint32_t slice, float ref)
{
    int32_t last = (int32_t)surface_level_width(ctx->s, level) - 1;
    unsigned face = (slice - ctx->s->min_array) % 6;
    int32_t in_x = CLAMP(x, 0, last), in_y = CLAMP(y, 0, last);
    if (in_x == x && in_y == y)
        return fetch_face(ctx, level, x, y, slice, face, face, ref);
    if (in_x == x || in_y == y)
        return fetch_across(ctx, level, x, y, slice, face, ref);
    vec4 corner = fetch_face(ctx, level, in_x, in_y, slice, face, face, ref);
    if (ctx->integer)
        return corner;
    vec4 u = fetch_across(ctx, level, x, in_y, slice, face, ref);
    vec4 v = fetch_across(ctx, level, in_x, y, slice, face, ref);
    return (corner + u + v) / 3.0f;
}

/* ---- filters ---------------------------------------------------------- */

static vec4
fetch_texel(struct sample_ctx *ctx, uint32_t level, int32_t x, int32_t y,
            int32_t z, uint32_t slice, float ref)
{
    if (ctx->dims == 3) {
        if (z < 0)
            return texel_border(ctx, ref);
        slice = (uint32_t)z;
    } else if (ctx->seamless) {
        return fetch_cube(ctx, level, x, y, slice, ref);
    }
    return texel_fetch(ctx, level, x, y, slice, ref);
}

static vec4
filter_nearest(struct sample_ctx *ctx, uint32_t level, const float coord[3],
               uint32_t slice, float ref)
{
    int32_t i[3] = {0, 0, 0};
    for (unsigned d = 0; d < ctx->dims; d++)
        i[d] = address_nearest(ctx->seamless ? GEN9_TCM_CLAMP : ctx->wrap[d],
                               coord[d], level_size(ctx->s, level, d),
                               ctx->sp->non_normalized, ctx->req->offset[d]);
    return fetch_texel(ctx, level, i[0], i[1], i[2], slice, ref);
}

/* Texels of weight zero are not read, because they may be infinite. */
static vec4
filter_linear(struct sample_ctx *ctx, uint32_t level, const float coord[3],
              uint32_t slice, bool mag, float ref)
{
    struct address a[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (unsigned d = 0; d < ctx->dims; d++)
        a[d] = address_linear(ctx->wrap[d], coord[d],
                              level_size(ctx->s, level, d),
                              ctx->sp->non_normalized, ctx->req->offset[d],
                              sample_rounds(ctx->sp, d, mag));
    vec4 plane[2];
    for (unsigned k = 0; k <= (a[2].w1 != 0); k++) {
        int32_t z = k ? a[2].i1 : a[2].i0;
        vec4 row[2];
        for (unsigned j = 0; j <= (a[1].w1 != 0); j++) {
            int32_t y = j ? a[1].i1 : a[1].i0;
            row[j] = fetch_texel(ctx, level, a[0].i0, y, z, slice, ref);
            if (a[0].w1)
                row[j] = filter_mix(
                    ctx, row[j],
                    fetch_texel(ctx, level, a[0].i1, y, z, slice, ref),
                    a[0].w1);
        }
        plane[k] = a[1].w1 ? filter_mix(ctx, row[0], row[1], a[1].w1) : row[0];
    }
    return a[2].w1 ? filter_mix(ctx, plane[0], plane[1], a[2].w1) : plane[0];
}

/* A sample of the footprint that leaves its face continues on another face. */
static uint32_t
stay_on_cube(const struct sample_ctx *ctx, float st[3], uint32_t slice)
{
    if (st[0] >= 0.0f && st[0] <= 1.0f && st[1] >= 0.0f && st[1] <= 1.0f)
        return slice;
    unsigned face = (slice - ctx->s->min_array) % 6;
    float dir[3];
    cube_unproject((enum cube_face)face, st, dir);
    enum cube_face to = cube_select_face(dir);
    cube_project(to, dir, st);
    return slice - face + to;
}

/* Rounded weights must not change the ones of channels that the format lacks.
 */
static vec4
restore_ones(const struct sample_ctx *ctx, vec4 v)
{
    for (unsigned c = 0; c < 4; c++)
        if (ctx->source[c] == SOURCE_ONE && !ctx->sp->dx9_border)
            v[c] = ctx->scaled ? 255.0f : 1.0f;
    return v;
}

/* Bilinear samples along the major axis. The outermost two share the remaining
 * weight. ILK PRM vol 4 part 1, 4.2.3.3. */
static vec4
filter_anisotropic(struct sample_ctx *ctx, const struct sample_lod *lod,
                   uint32_t level, const float coord[3], uint32_t slice,
                   float ref)
{
    const struct surface *s = ctx->s;
    float step[2];
    for (unsigned d = 0; d < 2; d++)
        step[d] = lod->axis[d] / (float)level_size(s, (uint32_t)ctx->level0, d);
    unsigned ways = lod->ways;
    float end = 0.5f * (lod->ratio - (float)(ways - 2));
    vec4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (unsigned i = 0; i < ways; i++) {
        float t = (float)i - 0.5f * (float)(ways - 1);
        float at[3] = {coord[0] + step[0] * t, coord[1] + step[1] * t, 0.0f};
        uint32_t on = ctx->cube ? stay_on_cube(ctx, at, slice) : slice;
        vec4 v = filter_linear(ctx, level, at, on, lod->mag, ref);
        if (ctx->reduction != REDUCTION_NONE)
            sum = i ? filter_mix(ctx, sum, v, 0) : v;
        else
            sum += v * (i == 0 || i == ways - 1 ? end : 1.0f);
    }
    if (ctx->reduction != REDUCTION_NONE)
        return sum;
    return restore_ones(ctx, sum / lod->ratio);
}

vec4
filter_level(struct sample_ctx *ctx, const struct sample_lod *lod,
             int32_t level, const float coord[3], uint32_t slice, unsigned lane)
{
    float ref = ctx->req->ref.f[lane];
    uint32_t l = (uint32_t)level;
    if (ctx->mono)
        return filter_mono(ctx, l, coord, slice);
    bool smooth = !ctx->integer || ctx->reduction != REDUCTION_NONE;
    if (lod->filter == FILTER_NEAREST || !smooth)
        return filter_nearest(ctx, l, coord, slice, ref);
    if (lod->filter == FILTER_ANISOTROPIC && lod->ways > 1)
        return filter_anisotropic(ctx, lod, l, coord, slice, ref);
    return filter_linear(ctx, l, coord, slice, lod->mag, ref);
}

/* Level 0 with the footprint of a linear filter. Guess: addresses are rounded
 * whatever the filter's rounding. So a coordinate at a texel's centre, off by
 * the last bit, does not move the footprint. */
void
filter_gather4(struct sample_ctx *ctx, const float coord[3], uint32_t slice,
               unsigned lane, vec4 out[4])
{
    const struct sample_req *req = ctx->req;
    uint32_t level = (uint32_t)ctx->level0;
    int offset[2] = {req->offset[0], req->offset[1]};
    if (req->offsets_per_lane) {
        offset[0] = req->off_u[lane];
        offset[1] = req->off_v[lane];
    }
    struct address a[2] = {{0, 0, 0}, {0, 0, 0}};
    for (unsigned d = 0; d < MIN2(ctx->dims, 2u); d++)
        a[d] = address_linear(ctx->wrap[d], coord[d],
                              level_size(ctx->s, level, d),
                              ctx->sp->non_normalized, offset[d], true);
    float ref = req->ref.f[lane];
    out[0] = fetch_texel(ctx, level, a[0].i0, a[1].i1, 0, slice, ref);
    out[1] = fetch_texel(ctx, level, a[0].i1, a[1].i1, 0, slice, ref);
    out[2] = fetch_texel(ctx, level, a[0].i1, a[1].i0, 0, slice, ref);
    out[3] = fetch_texel(ctx, level, a[0].i0, a[1].i0, 0, slice, ref);
}
