/* filter_quad.c: fast path for the common case, four lanes at a time: 2D
 * surfaces of plain formats and faces of cubes, nearest or linear, on levels
 * that lie in memory as a whole. All results have the bits of filter.c's
 * (test_filter_quad.c). */
#include <emmintrin.h>

#include "sampler/reference/sample.h"

typedef int32_t ivec4 __attribute__((vector_size(16)));

/* Texels of four lanes along one axis. */
struct quad_axis {
    ivec4 i0, i1, w1;
    ivec4 outside; /* lanes beyond an edge */
};

static bool
is_usable(const struct sample_ctx *ctx)
{
    const struct sample_req *req = ctx->req;
    if (ctx->dims != 2 || ctx->keyed || ctx->compare || ctx->reduction ||
        !ctx->direct || ctx->sp->non_normalized ||
        ctx->texel_kind == TEXEL_BLOCK || req->offset[0] || req->offset[1])
        return false;
    if (ctx->cube && (ctx->s->cube_faces & 0x3f) != 0x3f)
        return false;
    for (unsigned d = 0; d < 2; d++)
        if (ctx->wrap[d] == GEN9_TCM_MIRROR_ONCE)
            return false;
    return true;
}

/* Bytes keep the order of memory until the end. */
static uint8_t
pick_channel(const struct sample_ctx *ctx, unsigned c)
{
    const struct surface *s = ctx->s;
    unsigned scs = s->swizzle[c];
    if (scs == GEN9_SCS_ZERO)
        return SOURCE_ZERO;
    if (scs == GEN9_SCS_ONE)
        return SOURCE_ONE;
    unsigned source = ctx->source[scs & 3];
    if (!ctx->scaled)
        return scs & 3;
    return (uint8_t)(source < 4 ? s->fmt->ch[source].start_bit / 8 : source);
}

void
filter_quad_init(struct sample_ctx *ctx)
{
    ctx->fast = is_usable(ctx);
    for (unsigned c = 0; ctx->fast && c < 4; c++)
        ctx->quad_pick[c] = pick_channel(ctx, c);
    ctx->quad_level[0].level = ctx->quad_level[1].level = UINT32_MAX;
}

/* ---- addresses --------------------------------------------------------- */

static inline vec4
splat_float(float f)
{
    return (vec4){f, f, f, f};
}

static inline ivec4
splat_int(int32_t i)
{
    return (ivec4){i, i, i, i};
}

static inline ivec4
floor_lanes(vec4 v)
{
    ivec4 i = __builtin_convertvector(v, ivec4);
    return i + (ivec4)(v < __builtin_convertvector(i, vec4));
}

static inline ivec4
choose_lanes(ivec4 mask, ivec4 a, ivec4 b)
{
    return (mask & a) | (~mask & b);
}

/* Coordinates that floor_lanes() cannot take go to the generic path. */
static inline bool
is_tame(vec4 u)
{
    ivec4 ok = (u > splat_float(-8388608.0f)) & (u < splat_float(8388608.0f));
    return _mm_movemask_ps((__m128)ok) == 0xf;
}

static inline vec4
scale_coords(unsigned wrap, vec4 u, int32_t size)
{
    vec4 n = splat_float((float)size);
    if (wrap == GEN9_TCM_WRAP) {
        u -= __builtin_convertvector(floor_lanes(u), vec4);
    } else if (wrap == GEN9_TCM_MIRROR) {
        vec4 half = u * splat_float(0.5f);
        u -= splat_float(2.0f) *
             __builtin_convertvector(floor_lanes(half), vec4);
    }
    /* As limit_coord() of address.c: the fraction matters even where both
     * texels are the edge's, because they may be infinite. */
    vec4 limit = splat_float((float)ADDRESS_LIMIT_TEXELS);
    __m128 low = _mm_max_ps((__m128)(u * n), (__m128)-limit);
    return (vec4)_mm_min_ps(low, (__m128)limit);
}

/* With repeat, i is at most one texel outside; mirrored, within -1..2n. */
static inline ivec4
wrap_texels(unsigned wrap, ivec4 i, int32_t size)
{
    ivec4 n = splat_int(size);
    if (wrap == GEN9_TCM_WRAP) {
        i += n & (i < 0);
        return i - (n & (i >= n));
    }
    if (wrap == GEN9_TCM_MIRROR) {
        i -= (n + n) & (i >= n + n);
        i = choose_lanes(i < 0, -1 - i, i);
        return choose_lanes(i >= n, n + n - 1 - i, i);
    }
    i = choose_lanes(i < 0, splat_int(0), i);
    return choose_lanes(i >= n, n - 1, i);
}

static inline void
axis_nearest(unsigned wrap, vec4 u, int32_t size, struct quad_axis *a)
{
    ivec4 i = floor_lanes(scale_coords(wrap, u, size));
    a->i0 = wrap_texels(wrap, i, size);
    a->outside = (i < 0) | (i >= splat_int(size));
}

static inline void
axis_linear(unsigned wrap, vec4 u, int32_t size, bool round,
            struct quad_axis *a)
{
    vec4 x = scale_coords(wrap, u, size) * splat_float(SAMPLE_ONE);
    ivec4 fixed = floor_lanes(round ? x + splat_float(0.5f) : x) -
                  splat_int(SAMPLE_ONE / 2);
    ivec4 i = fixed >> 8;
    a->w1 = fixed & splat_int(SAMPLE_ONE - 1);
    a->i0 = wrap_texels(wrap, i, size);
    a->i1 = wrap_texels(wrap, i + 1, size);
    a->outside = (i < 0) | (i + 1 >= splat_int(size));
}

/* A tiled offset is the sum of one part for x and one for y. */
static inline ivec4
offset_x_B(const struct surface *s, const struct quad_level *lv, ivec4 x)
{
    ivec4 x_B = x * (int32_t)s->fmt->element_B + lv->x_B;
    if (s->tiling == TILING_Y)
        return (x_B >> 7 << 12) + ((x_B & 0x70) << 5) + (x_B & 15);
    if (s->tiling == TILING_X)
        return (x_B >> 9 << 12) + (x_B & 511);
    return x_B;
}

static inline ivec4
offset_y_B(const struct surface *s, const struct quad_level *lv, ivec4 y)
{
    int32_t pitch_B = (int32_t)s->row_pitch_B;
    y += lv->y;
    if (s->tiling == TILING_Y)
        return (y >> 5) * ((pitch_B & ~127) * 32) + ((y & 31) << 4);
    if (s->tiling == TILING_X)
        return (y >> 3) * ((pitch_B & ~511) * 8) + ((y & 7) << 9);
    return y * pitch_B;
}

/* ---- texels ------------------------------------------------------------ */

static inline __m128i
load_bytes(const uint8_t *p, unsigned element_B)
{
    uint32_t v = 0;
    if (element_B == 4)
        memcpy(&v, p, 4);
    else if (element_B == 1)
        v = *p;
    else if (element_B == 2)
        memcpy(&v, p, 2);
    else
        memcpy(&v, p, 3);
    return _mm_cvtsi32_si128((int)v);
}

static inline vec4
nearest_bytes(const uint8_t *p, unsigned element_B)
{
    __m128i zero = _mm_setzero_si128();
    __m128i v = _mm_unpacklo_epi8(load_bytes(p, element_B), zero);
    return (vec4)_mm_cvtepi32_ps(_mm_unpacklo_epi16(v, zero));
}

/* a + (b - a) * w / 256, in units of 1/256: at most 16 bits. */
static inline vec4
mix_bytes(__m128i a, __m128i b, __m128i weights)
{
    __m128i pairs = _mm_unpacklo_epi8(_mm_unpacklo_epi8(a, b),
                                      _mm_setzero_si128());
    return (vec4)_mm_cvtepi32_ps(_mm_madd_epi16(pairs, weights));
}

/* Exact: products have at most 24 bits. */
static inline vec4
linear_bytes(const uint8_t *mem, unsigned element_B, int32_t x0, int32_t x1,
             int32_t y0, int32_t y1, int32_t wx, int32_t wy)
{
    __m128i weights = _mm_set1_epi32(wx << 16 | (SAMPLE_ONE - wx));
    vec4 top = mix_bytes(load_bytes(mem + x0 + y0, element_B),
                         load_bytes(mem + x1 + y0, element_B), weights);
    vec4 low = mix_bytes(load_bytes(mem + x0 + y1, element_B),
                         load_bytes(mem + x1 + y1, element_B), weights);
    vec4 sum = top * splat_float((float)(SAMPLE_ONE - wy)) +
               low * splat_float((float)wy);
    return sum * splat_float(1.0f / (SAMPLE_ONE * SAMPLE_ONE));
}

static inline vec4
unpack_texels(const struct format_info *fmt, const uint8_t *p)
{
    union texel t;
    fmt->unpack(fmt, p, &t.c);
    return t.v;
}

static inline vec4
mix_texels(vec4 a, vec4 b, int32_t w1)
{
    return a + (b - a) * splat_float((float)w1 * (1.0f / SAMPLE_ONE));
}

static inline vec4
linear_unpack(const struct format_info *fmt, const uint8_t *mem, int32_t x0,
              int32_t x1, int32_t y0, int32_t y1, int32_t wx, int32_t wy)
{
    vec4 top = unpack_texels(fmt, mem + x0 + y0);
    if (wx)
        top = mix_texels(top, unpack_texels(fmt, mem + x1 + y0), wx);
    if (!wy)
        return top;
    vec4 low = unpack_texels(fmt, mem + x0 + y1);
    if (wx)
        low = mix_texels(low, unpack_texels(fmt, mem + x1 + y1), wx);
    return mix_texels(top, low, wy);
}

/* ---- quads ------------------------------------------------------------- */

static void
make_level(struct sample_ctx *ctx, uint32_t level, uint32_t slice,
           struct quad_level *lv)
{
    const struct surface *s = ctx->s;
    const struct texel_plane *p = texel_plane(ctx, level, slice);
    *lv = (struct quad_level){
        .mem = p->small ? p->mem : NULL,
        .level = level,
        .slice = slice,
        .x_B = (int32_t)p->x_B,
        .y = (int32_t)p->y,
        .w = (int32_t)surface_level_width(s, level),
        .h = (int32_t)surface_level_height(s, level),
    };
}

static const struct quad_level *
get_level(struct sample_ctx *ctx, int32_t level, uint32_t slice)
{
    struct quad_level *lv = &ctx->quad_level[level & 1];
    if (lv->level != (uint32_t)level || lv->slice != slice)
        make_level(ctx, (uint32_t)level, slice, lv);
    return lv->mem ? lv : NULL;
}

static inline bool
any_lane(ivec4 mask)
{
    return _mm_movemask_ps((__m128)mask);
}

/* Returns false if some lane reads the border. */
static inline bool
quad_nearest(const struct sample_ctx *ctx, const struct quad_level *lv, vec4 u,
             vec4 v, vec4 texel[4])
{
    const struct surface *s = ctx->s;
    struct quad_axis ax, ay;
    axis_nearest(ctx->wrap[0], u, lv->w, &ax);
    axis_nearest(ctx->wrap[1], v, lv->h, &ay);
    if ((ctx->wrap[0] == GEN9_TCM_CLAMP_BORDER && any_lane(ax.outside)) ||
        (ctx->wrap[1] == GEN9_TCM_CLAMP_BORDER && any_lane(ay.outside)))
        return false;
    ivec4 at = offset_x_B(s, lv, ax.i0) + offset_y_B(s, lv, ay.i0);
    if (ctx->scaled)
        for (unsigned i = 0; i < 4; i++)
            texel[i] = nearest_bytes(lv->mem + at[i], s->fmt->element_B);
    else
        for (unsigned i = 0; i < 4; i++)
            texel[i] = unpack_texels(s->fmt, lv->mem + at[i]);
    return true;
}

/* Returns false if some lane reads the border, or the next face of a cube. */
static inline bool
quad_linear(const struct sample_ctx *ctx, const struct quad_level *lv, vec4 u,
            vec4 v, bool mag, vec4 texel[4])
{
    const struct surface *s = ctx->s;
    struct quad_axis ax, ay;
    axis_linear(ctx->wrap[0], u, lv->w, sample_rounds(ctx->sp, 0, mag), &ax);
    axis_linear(ctx->wrap[1], v, lv->h, sample_rounds(ctx->sp, 1, mag), &ay);
    if ((ctx->wrap[0] > GEN9_TCM_CLAMP && any_lane(ax.outside)) ||
        (ctx->wrap[1] > GEN9_TCM_CLAMP && any_lane(ay.outside)))
        return false;
    ivec4 x0 = offset_x_B(s, lv, ax.i0), x1 = offset_x_B(s, lv, ax.i1);
    ivec4 y0 = offset_y_B(s, lv, ay.i0), y1 = offset_y_B(s, lv, ay.i1);
    unsigned element_B = s->fmt->element_B;
    if (ctx->scaled && element_B == 4)
        for (unsigned i = 0; i < 4; i++)
            texel[i] = linear_bytes(lv->mem, 4, x0[i], x1[i], y0[i], y1[i],
                                    ax.w1[i], ay.w1[i]);
    else if (ctx->scaled)
        for (unsigned i = 0; i < 4; i++)
            texel[i] = linear_bytes(lv->mem, element_B, x0[i], x1[i], y0[i],
                                    y1[i], ax.w1[i], ay.w1[i]);
    else
        for (unsigned i = 0; i < 4; i++)
            texel[i] = linear_unpack(s->fmt, lv->mem, x0[i], x1[i], y0[i],
                                     y1[i], ax.w1[i], ay.w1[i]);
    return true;
}

static inline bool
filter_on_level(const struct sample_ctx *ctx, const struct sample_lod *lod,
                const struct quad_level *lv, vec4 u, vec4 v, vec4 texel[4])
{
    if (lod->filter != FILTER_NEAREST && !ctx->integer)
        return quad_linear(ctx, lv, u, v, lod->mag, texel);
    return quad_nearest(ctx, lv, u, v, texel);
}

static inline vec4
quad_channel(const struct sample_ctx *ctx, const vec4 memory[4], unsigned c)
{
    unsigned pick = ctx->quad_pick[c];
    if (pick < 4)
        return ctx->scaled ? memory[pick] / splat_float(255.0f) : memory[pick];
    if (pick == SOURCE_ZERO)
        return splat_float(0.0f);
    return ctx->integer ? (vec4)splat_int(1) : splat_float(1.0f);
}

static inline void
quad_store(const struct sample_ctx *ctx, vec4 texel[4], unsigned quad,
           unsigned mask, uint32_t out[4][SAMPLE_LANES])
{
    __m128 t[4];
    memcpy(t, texel, sizeof t);
    _MM_TRANSPOSE4_PS(t[0], t[1], t[2], t[3]);
    vec4 memory[4];
    memcpy(memory, t, sizeof t);
    for (unsigned c = 0; c < 4; c++) {
        union texel answer = {.v = quad_channel(ctx, memory, c)};
        if (mask == 0xf) {
            memcpy(&out[c][quad], &answer, sizeof answer);
            continue;
        }
        for (unsigned i = 0; i < 4; i++)
            if (mask >> i & 1)
                out[c][quad + i] = answer.c.u[i];
    }
}

/* Finds the slice that all four lanes read. Returns false if they differ. */
static bool
quad_slice(const struct sample_ctx *ctx, unsigned quad, uint32_t *slice)
{
    const struct sample_req *req = ctx->req;
    if (!ctx->s->is_array || ctx->s->depth <= 1 ||
        req->force_array_index_zero) {
        *slice = ctx->s->min_array;
        return true;
    }
    *slice = texel_slice(ctx, req->r.f[quad], 0);
    for (unsigned i = 1; i < 4; i++)
        if (texel_slice(ctx, req->r.f[quad + i], 0) != *slice)
            return false;
    return true;
}

/* Finds the coordinates on the face that all active lanes read. Inactive lanes
 * get its middle. Returns false if faces differ. */
static bool
cube_coords(const struct sample_ctx *ctx, unsigned quad, unsigned mask, vec4 *u,
            vec4 *v, uint32_t *slice)
{
    const struct sample_req *req = ctx->req;
    *u = *v = splat_float(0.5f);
    bool first = true;
    for (unsigned i = 0; i < 4; i++) {
        unsigned lane = quad + i;
        if (!(mask >> i & 1))
            continue;
        const float dir[3] = {req->u.f[lane], req->v.f[lane], req->r.f[lane]};
        float st[2], index = req->force_array_index_zero ? 0 : req->ai.f[lane];
        enum cube_face face = cube_select_face(dir);
        uint32_t z = texel_slice(ctx, index, face);
        if (!first && z != *slice)
            return false;
        first = false;
        *slice = z;
        cube_project(face, dir, st);
        (*u)[i] = st[0];
        (*v)[i] = st[1];
    }
    return true;
}

static bool
plain_coords(const struct sample_ctx *ctx, unsigned quad, vec4 *u, vec4 *v,
             uint32_t *slice)
{
    memcpy(u, &ctx->req->u.f[quad], sizeof *u);
    memcpy(v, &ctx->req->v.f[quad], sizeof *v);
    return quad_slice(ctx, quad, slice);
}

bool
filter_quad(struct sample_ctx *ctx, const struct sample_lod *lod, unsigned quad,
            unsigned mask, uint32_t out[4][SAMPLE_LANES])
{
    vec4 u, v;
    uint32_t slice = 0;
    if (lod->out_of_bounds ||
        (lod->filter == FILTER_ANISOTROPIC && lod->ways > 1) ||
        !(ctx->cube ? cube_coords(ctx, quad, mask, &u, &v, &slice)
                    : plain_coords(ctx, quad, &u, &v, &slice)) ||
        !is_tame(u) || !is_tame(v))
        return false;
    const struct quad_level *lv = get_level(ctx, lod->level, slice);
    vec4 texel[4], second[4];
    if (!lv || !filter_on_level(ctx, lod, lv, u, v, texel))
        return false;
    if (lod->beta && !ctx->integer) {
        lv = get_level(ctx, lod->level + 1, slice);
        if (!lv || !filter_on_level(ctx, lod, lv, u, v, second))
            return false;
        for (unsigned i = 0; i < 4; i++)
            texel[i] = mix_texels(texel[i], second[i], lod->beta);
    }
    bool computed = lod->filter != FILTER_NEAREST || lod->beta;
    for (unsigned i = 0; i < 4 && computed && !ctx->integer; i++)
        texel[i] = sample_settle(texel[i]);
    quad_store(ctx, texel, quad, mask, out);
    return true;
}
