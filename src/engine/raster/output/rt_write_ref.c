/* rt_write_ref.c: render target writes lane by lane: conversion, blending,
 * masks, stores. The reference of the kernels in x86/. */
#include "engine/raster/output/output.h"
#include "engine/raster/pixel_group.h"
#include "engine/raster/tile_view.h"
#include "sampler/format/rt_unorm.h"

#include <math.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A render target write in progress: lanes of up to four quads. */
struct write {
    struct worker *w;
    struct ps_group *g;
    struct target *t;
    const struct blend_state *b;
    unsigned base, count;
    bool blend;
    const uint32_t (*color)[16], (*src1)[16];
    uint8_t *at[16];                     /* per lane, of one sample */
    alignas(64) uint8_t packed[16 * 16]; /* element_B apart */
};

/* rt_unorm_from_float() to 8 bits. */
#ifdef __SSE2__
static inline __m128i
unorm8(const uint32_t *c)
{
    /* MAXPS returns its second operand if the first is NaN. */
    __m128 f = _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)c));
    f = _mm_min_ps(_mm_max_ps(f, _mm_setzero_ps()), _mm_set1_ps(1));
    __m128i x = _mm_cvttps_epi32(_mm_mul_ps(f, _mm_set1_ps(65536)));
    __m128i product = _mm_sub_epi32(_mm_slli_epi32(x, 8), x);
    return _mm_srli_epi32(_mm_add_epi32(product, _mm_set1_epi32(32768)), 16);
}

static void
pack_8888(const uint32_t c[4][16], bool bgra, uint8_t *to)
{
    const uint32_t *r = bgra ? c[2] : c[0], *b = bgra ? c[0] : c[2];
    for (unsigned i = 0; i < 16; i += 4) {
        __m128i low = _mm_or_si128(unorm8(r + i),
                                   _mm_slli_epi32(unorm8(c[1] + i), 8));
        __m128i high = _mm_or_si128(_mm_slli_epi32(unorm8(b + i), 16),
                                    _mm_slli_epi32(unorm8(c[3] + i), 24));
        _mm_storeu_si128((__m128i *)(to + i * 4), _mm_or_si128(low, high));
    }
}

static inline void
unpack_channel(__m128i v, unsigned shift, float *out)
{
    __m128i u = _mm_and_si128(_mm_srli_epi32(v, (int)shift),
                              _mm_set1_epi32(255));
    _mm_storeu_ps(out, _mm_div_ps(_mm_cvtepi32_ps(u), _mm_set1_ps(255)));
}

static void
unpack_8888(const uint32_t px[16], bool bgra, float dst[4][16])
{
    unsigned r = bgra ? 16 : 0;
    for (unsigned i = 0; i < 16; i += 4) {
        __m128i v = _mm_loadu_si128((const __m128i *)(px + i));
        unpack_channel(v, r, &dst[0][i]);
        unpack_channel(v, 8, &dst[1][i]);
        unpack_channel(v, 16 - r, &dst[2][i]);
        unpack_channel(v, 24, &dst[3][i]);
    }
}
#else
static inline uint32_t
unorm8(uint32_t bits)
{
    return rt_unorm_from_float(float_from_bits(bits), 255);
}

static void
pack_8888(const uint32_t c[4][16], bool bgra, uint8_t *to)
{
    const uint32_t *r = bgra ? c[2] : c[0], *b = bgra ? c[0] : c[2];
    uint32_t out[16];
    for (unsigned i = 0; i < 16; i++)
        out[i] = unorm8(r[i]) | unorm8(c[1][i]) << 8 | unorm8(b[i]) << 16 |
                 unorm8(c[3][i]) << 24;
    memcpy(to, out, sizeof out);
}

static void
unpack_8888(const uint32_t px[16], bool bgra, float dst[4][16])
{
    unsigned r = bgra ? 16 : 0;
    for (unsigned i = 0; i < 16; i++) {
        dst[0][i] = (float)(px[i] >> r & 255) / 255.0f;
        dst[1][i] = (float)(px[i] >> 8 & 255) / 255.0f;
        dst[2][i] = (float)(px[i] >> (16 - r) & 255) / 255.0f;
        dst[3][i] = (float)(px[i] >> 24) / 255.0f;
    }
}
#endif

static void
pack(struct write *wr, const uint32_t c[4][16], uint32_t mask)
{
    const struct target *t = wr->t;
    if (t->pack != PACK_GENERIC) {
        pack_8888(c, t->pack == PACK_BGRA8, wr->packed);
        return;
    }
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask);
        const union color v = {.u = {c[0][i], c[1][i], c[2][i], c[3][i]}};
        t->fmt->rt_pack(t->fmt, &v, wr->packed + i * t->element_B);
    }
}

/* Loads the target's colours; lanes outside of the mask get zero. */
static void
unpack(const struct write *wr, uint32_t mask, float dst[4][16])
{
    const struct target *t = wr->t;
    if (t->pack != PACK_GENERIC) {
        uint32_t px[16] = {0};
        for (; mask; mask &= mask - 1) {
            unsigned i = (unsigned)__builtin_ctz(mask);
            memcpy(&px[i], wr->at[i], 4);
        }
        unpack_8888(px, t->pack == PACK_BGRA8, dst);
        return;
    }
    memset(dst, 0, 4 * 16 * sizeof(float));
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask);
        union color v;
        t->fmt->unpack(t->fmt, wr->at[i], &v);
        for (unsigned c = 0; c < 4; c++)
            dst[c][i] = v.f[c];
    }
}

/* Fills at[]; returns the lanes that lie in the surface. */
static uint32_t
find_addresses(struct write *wr, unsigned sample, uint32_t mask)
{
    const struct worker *w = wr->w;
    const struct view *v = target_view(wr->w, wr->t, sample);
    for (unsigned i = 0; i < wr->count; i += 4) {
        unsigned bits = mask >> i & 15;
        const struct quad *q = &wr->g->quad[(wr->base + i) / 4];
        unsigned x = (unsigned)(q->x - w->tile_x);
        unsigned y = (unsigned)(q->y - w->tile_y);
        if (!bits)
            continue;
        if (v->safe && x + 1 < v->width && y + 1 < v->height) {
            uint8_t *row0 = v->mem + v->y_B[y], *row1 = v->mem + v->y_B[y + 1];
            wr->at[i] = row0 + v->x_B[x];
            wr->at[i + 1] = row0 + v->x_B[x + 1];
            wr->at[i + 2] = row1 + v->x_B[x];
            wr->at[i + 3] = row1 + v->x_B[x + 1];
            continue;
        }
        for (; bits; bits &= bits - 1) {
            unsigned p = (unsigned)__builtin_ctz(bits);
            wr->at[i + p] = view_at(v, x + (p & 1), y + (p >> 1));
            if (!wr->at[i + p])
                mask &= ~(1u << (i + p));
        }
    }
    return mask;
}

static void
store_masked(const struct write *wr, uint8_t *at, const uint8_t *packed)
{
    const struct target *t = wr->t;
    for (unsigned i = 0; i < t->element_B; i++) {
        uint8_t v = packed[i];
        if (wr->b->logic_op)
            v = (uint8_t)blend_logic_op(wr->b->logic_func, v, at[i]);
        at[i] = (uint8_t)((at[i] & ~t->mask[i]) | (v & t->mask[i]));
    }
}

/* Stores whole 4-byte elements, two at once if the pixels are adjacent in
 * memory. */
static void
store_words(const struct write *wr, uint32_t mask)
{
    for (unsigned i = 0; i < wr->count; i += 2) {
        const uint8_t *from = wr->packed + i * 4;
        unsigned bits = mask >> i & 3;
        if (bits == 3 && wr->at[i + 1] == wr->at[i] + 4) {
            memcpy(wr->at[i], from, 8);
            continue;
        }
        if (bits & 1)
            memcpy(wr->at[i], from, 4);
        if (bits & 2)
            memcpy(wr->at[i + 1], from + 4, 4);
    }
}

static void
store(const struct write *wr, uint32_t mask)
{
    const struct target *t = wr->t;
    bool whole = t->mask_all && !wr->b->logic_op;
    if (whole && t->element_B == 4) {
        store_words(wr, mask);
        return;
    }
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask);
        const uint8_t *from = wr->packed + i * t->element_B;
        if (whole)
            memcpy(wr->at[i], from, t->element_B);
        else
            store_masked(wr, wr->at[i], from);
    }
}

static void
write_sample(struct write *wr, unsigned sample, uint32_t mask)
{
    mask = find_addresses(wr, sample, mask);
    if (wr->blend && mask) {
        struct blend_lanes in;
        alignas(64) union {
            float f[4][16];
            uint32_t u[4][16];
        } out;
        memcpy(in.src, wr->color, sizeof in.src);
        memcpy(in.src1, wr->src1, sizeof in.src1);
        unpack(wr, mask, in.dst);
        blend_run(wr->b, &wr->t->range, &in, out.f);
        pack(wr, (const uint32_t(*)[16])out.u, mask);
    }
    store(wr, mask);
}

static void
write_samples(struct write *wr, uint32_t mask)
{
    uint32_t of[MAX_SAMPLES] = {0};
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m), lane = wr->base + i;
        const struct quad *q = &wr->g->quad[lane / 4];
        const uint16_t cover = q->cover[lane & 3];
        if (wr->t->has_mcs)
            mcs_prepare_pixel(wr->w, wr->t, q->x + (int32_t)(i & 1),
                              q->y + (int32_t)(i >> 1 & 1),
                              cover != wr->w->scene->all_samples);
        for (uint16_t c = cover; c; c &= (uint16_t)(c - 1))
            of[__builtin_ctz(c)] |= 1u << i;
    }
    for (unsigned s = 0; s < wr->t->samples; s++) {
        if (of[s])
            write_sample(wr, s, of[s]);
    }
}

/* Alpha to one, and alpha scaled by the coverage of smooth points and lines. */
static void
change_alpha(struct write *wr, uint32_t color[4][16])
{
    bool one = wr->w->draw->blend.alpha_to_one_enable;
    memcpy(color, wr->color, 4 * 16 * sizeof color[0][0]);
    for (unsigned i = 0; i < wr->count; i++) {
        unsigned lane = wr->base + i;
        float a = one ? 1 : float_from_bits(color[3][i]);
        if (wr->g->setup->smooth)
            a *= wr->g->quad[lane / 4].aa[lane & 3];
        color[3][i] = bits_from_float(a);
    }
    wr->color = (const uint32_t(*)[16])color;
}

/* For pictures of overdraw. */
static void
count_pixels(const struct write *wr, uint32_t mask)
{
    const struct target *t = wr->t;
    for (; mask; mask &= mask - 1) {
        unsigned lane = wr->base + (unsigned)__builtin_ctz(mask);
        const struct quad *q = &wr->g->quad[lane / 4];
        uint32_t x = (uint32_t)q->x + (lane & 1);
        uint32_t y = (uint32_t)q->y + (lane >> 1 & 1);
        if (x >= t->map_width || y >= t->map_height)
            continue;
        uint16_t
            *n = &t->map[((uint64_t)(unsigned)t->layer * t->map_height + y) *
                             t->map_width +
                         x];
        *n = (uint16_t)(*n + (*n != UINT16_MAX));
    }
}

/* For performance queries and profiles. */
static void
count_samples(const struct write *wr, uint32_t mask)
{
    unsigned samples = count_bits(mask);
    if (wr->t->map)
        count_pixels(wr, mask);
    if (wr->t->samples > 1) {
        samples = 0;
        for (; mask; mask &= mask - 1) {
            unsigned lane = wr->base + (unsigned)__builtin_ctz(mask);
            samples += count_bits(wr->g->quad[lane / 4].cover[lane & 3]);
        }
    }
    wr->w->oa[OA_SAMPLES_WRITTEN] += samples;
    wr->w->oa[OA_SAMPLES_BLENDED] += wr->blend ? samples : 0;
}

void
target_write(struct ps_group *g, const struct rt_colors *rt, unsigned bti,
             unsigned entry)
{
    struct worker *w = g->worker;
    uint32_t mask = rt->mask & g->alive >> rt->base;
    struct target *t = mask ? target_get(w, bti, g->setup->layer) : NULL;
    if (!t)
        return;
    entry &= DRAW_MAX_RT - 1;
    const struct blend_state *b = &w->scene->blend[entry];
    target_use_entry(t, b, entry);
    if (t->mask_none)
        return;
    struct write wr;
    wr.w = w;
    wr.g = g;
    wr.t = t;
    wr.b = b;
    wr.base = rt->base;
    wr.count = rt->count;
    wr.blend = b->enabled && !b->logic_op && !t->fmt->is_int;
    wr.src1 = rt->src1;
    wr.color = rt->c;
    uint32_t changed[4][16];
    if (!t->fmt->is_int &&
        (g->setup->smooth || w->draw->blend.alpha_to_one_enable))
        change_alpha(&wr, changed);
    w->pixels += count_bits(mask);
    if (w->draw->oa)
        count_samples(&wr, mask);
    if (!wr.blend)
        pack(&wr, wr.color, mask);
    if (t->samples == 1)
        write_sample(&wr, 0, mask);
    else
        write_samples(&wr, mask);
}
