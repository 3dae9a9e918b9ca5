/* block_tmpl.h: texels of compressed blocks of 4x4, decoded when a lane first
 * looks at them and kept for the next ones; a part of sample_tmpl.h.
 *
 * Pixels next to each other look at one block or at most a square of four, so
 * the blocks are found once for all lanes, and texels are taken out of the
 * decoded ones lane by lane. */
#ifndef SAMPLER_BLOCK_TMPL_H
#define SAMPLER_BLOCK_TMPL_H

#include "sampler/decode.h"
#include "sampler/x86/texel_tmpl.h"

/* Two columns and two rows of blocks. */
struct lanes_window {
    int32_t x[2], y[2];
    const float *texels[4]; /* x + 2 * y */
};

/* The blocks of the corners' texels. */
struct lanes_blocks {
    alignas(64) int32_t x0[LANES], x1[LANES], y0[LANES], y1[LANES];
};

INLINE uint32_t
block_offset_B(const struct sample_tiling *t, int32_t x, int32_t y)
{
    uint32_t x_B = (uint32_t)x << t->element_shift;
    uint32_t keep = (uint32_t)t->x_keep;
    uint32_t row = (uint32_t)(y >> t->y_shift) * (uint32_t)t->y_pitch_B;
    return ((x_B & keep) | (x_B & ~keep) << t->x_shift) + row +
           ((uint32_t)(y & t->y_keep) << t->y_keep_shift);
}

/* The pair of columns, or rows, that the first of the remaining lanes and as
 * many others as possible look at. */
INLINE void
choose_pair(const int32_t at0[LANES], const int32_t at1[LANES], vint v0,
            vint v1, vmask remaining, int32_t pair[2])
{
    unsigned first = (unsigned)__builtin_ctz(v_bits(remaining));
    pair[0] = at0[first];
    pair[1] = at1[first];
    if (pair[1] != pair[0])
        return;
    vint a = v_isplat(pair[0]);
    vmask other = v_not(v_and(v_equal(v0, a), v_equal(v1, a)));
    uint32_t rest = v_bits(v_and(remaining, other));
    if (!rest)
        return;
    unsigned next = (unsigned)__builtin_ctz(rest);
    pair[1] = at0[next] != pair[0] ? at0[next] : at1[next];
}

/* Texel i of each channel: number indices[i] of the palette's four. */
INLINE void
put_palette(const union color palette[4], uint32_t indices, float to[64])
{
    for (unsigned i = 0; i < 16; i += LANES) {
        vint number = v_srl_each(v_isplat((int32_t)(indices >> 2 * i)),
                                 v_count() * 2);
        for (unsigned c = 0; c < 4; c++) {
            const float p[4] = {palette[0].f[c], palette[1].f[c],
                                palette[2].f[c], palette[3].f[c]};
            v_store((uint32_t *)to + 16 * c + i, v_of_four(p, number));
        }
    }
}

/* The same for one channel, of eight. */
INLINE void
put_ramp(const float ramp[8], uint64_t indices, float to[16])
{
    for (unsigned i = 0; i < 16; i += 8) {
        vint number = v_srl_each(
            v_isplat((int32_t)(indices >> 3 * i & 0xffffff)),
            (v_count() & 7) * 3);
        __m256i eight = v_of_eight(ramp, number);
        _mm256_storeu_si256((__m256i *)(void *)(to + i), eight);
    }
}

/* The formats that do not take longer to decode than to filter. */
static __attribute__((noinline)) void
decode_block(const struct sample_block_key *key, float to[64])
{
    union color palette[4];
    float ramp[8];
    const uint8_t *block = (const uint8_t *)key->bits;
    switch (key->fmt->compression) {
    case FORMAT_BC1:
        decode_bc_palette(key->fmt, block, true, palette);
        put_palette(palette, (uint32_t)(key->bits[0] >> 32), to);
        break;
    case FORMAT_BC3:
        decode_bc_palette(key->fmt, block + 8, false, palette);
        put_palette(palette, (uint32_t)(key->bits[1] >> 32), to);
        decode_bc_ramp(block, false, ramp);
        put_ramp(ramp, key->bits[0] >> 16, to + 48);
        break;
    default: sample_block_decode(key, to); break;
    }
}

INLINE const float *
get_block(const struct sample_plan *p, struct sample_blocks *blocks,
          uint32_t at_B, const float *const held[4], unsigned count)
{
    struct sample_block_key key = {.fmt = p->fmt};
    bool found;
    memcpy(&key.bits[0], p->mem + at_B, 8);
    if (p->tiling.element_shift == 4)
        memcpy(&key.bits[1], p->mem + at_B + 8, 8);
    float *texels = sample_block_find(blocks, &key, held, count, &found);
    if (!found)
        decode_block(&key, texels);
    return texels;
}

INLINE void
find_blocks(const struct sample_plan *p, struct sample_blocks *blocks,
            struct lanes_window *w)
{
    const struct sample_tiling *t = &p->tiling;
    for (unsigned i = 0; i < 4; i++) {
        bool same_x = i & 1 && w->x[1] == w->x[0];
        bool same_y = i & 2 && w->y[1] == w->y[0];
        uint32_t at_B = block_offset_B(t, w->x[i & 1], w->y[i >> 1]);
        if (same_x)
            w->texels[i] = w->texels[i - 1];
        else if (same_y)
            w->texels[i] = w->texels[i - 2];
        else
            w->texels[i] = get_block(p, blocks, at_B, w->texels, i);
    }
}

/* Texel (x, y) of the blocks in column `right` and row `low`. */
INLINE struct lanes_color
take_texel(const struct lanes_window *w, vmask right, vmask low, vint x, vint y)
{
    struct lanes_color out;
    vint i = (x & 3) | (y & 3) << 2;
#if LANES == 16
    i = v_iselect(right, i | 16, i);
    for (unsigned c = 0; c < 4; c++) {
        const uint8_t *line[4];
        for (unsigned k = 0; k < 4; k++)
            line[k] = (const uint8_t *)(w->texels[k] + 16 * c);
        vint top = v_pick(v_line(line[0]), v_line(line[1]), i);
        vint bottom = v_pick(v_line(line[2]), v_line(line[3]), i);
        out.c[c] = (vfloat)v_iselect(low, bottom, top);
    }
#else
    const uint8_t *base = (const uint8_t *)w->texels[0];
    vint from[4];
    for (unsigned k = 0; k < 4; k++)
        from[k] = v_isplat((int32_t)((const uint8_t *)w->texels[k] - base));
    vint at = v_iselect(low, v_iselect(right, from[3], from[2]),
                        v_iselect(right, from[1], from[0]));
    at += i << 2;
    for (unsigned c = 0; c < 4; c++)
        out.c[c] = (vfloat)v_gather(base + 64 * c, at);
#endif
    return out;
}

INLINE struct lanes_color
keep_lanes(vmask m, struct lanes_color a, struct lanes_color b)
{
    for (unsigned c = 0; c < 4; c++)
        a.c[c] = v_select(m, a.c[c], b.c[c]);
    return a;
}

/* The texels of `taps` corners, 1 or 4, in load_corners()' order. */
INLINE void
load_blocks(const struct sample_plan *p, struct sample_blocks *blocks,
            unsigned taps, const struct lanes_corners *at, vmask live,
            struct lanes_color t[4])
{
    struct lanes_blocks b;
    vint x0 = at->x0 >> 2, y0 = at->y0 >> 2;
    vint x1 = taps == 1 ? x0 : at->x1 >> 2, y1 = taps == 1 ? y0 : at->y1 >> 2;
    __builtin_memcpy(b.x0, &x0, sizeof x0);
    __builtin_memcpy(b.x1, &x1, sizeof x1);
    __builtin_memcpy(b.y0, &y0, sizeof y0);
    __builtin_memcpy(b.y1, &y1, sizeof y1);
    for (unsigned i = 0; i < taps; i++)
        for (unsigned c = 0; c < 4; c++)
            t[i].c[c] = v_splat(0.0f);
    vmask remaining = live;
    while (v_any(remaining)) {
        struct lanes_window w;
        choose_pair(b.x0, b.x1, x0, x1, remaining, w.x);
        choose_pair(b.y0, b.y1, y0, y1, remaining, w.y);
        find_blocks(p, blocks, &w);
        vint xa = v_isplat(w.x[0]), xb = v_isplat(w.x[1]);
        vint ya = v_isplat(w.y[0]), yb = v_isplat(w.y[1]);
        vmask left0 = v_equal(x0, xa), right0 = v_equal(x0, xb);
        vmask left1 = v_equal(x1, xa), right1 = v_equal(x1, xb);
        vmask top0 = v_equal(y0, ya), low0 = v_equal(y0, yb);
        vmask top1 = v_equal(y1, ya), low1 = v_equal(y1, yb);
        vmask fit = v_and(v_and(v_or(left0, right0), v_or(left1, right1)),
                          v_and(v_or(top0, low0), v_or(top1, low1)));
        fit = v_and(fit, remaining);
        t[0] = keep_lanes(fit, take_texel(&w, right0, low0, at->x0, at->y0),
                          t[0]);
        if (taps == 4) {
            t[1] = keep_lanes(fit, take_texel(&w, right1, low0, at->x1, at->y0),
                              t[1]);
            t[2] = keep_lanes(fit, take_texel(&w, right0, low1, at->x0, at->y1),
                              t[2]);
            t[3] = keep_lanes(fit, take_texel(&w, right1, low1, at->x1, at->y1),
                              t[3]);
        }
        remaining = v_and(remaining, v_not(fit));
    }
}

#endif
