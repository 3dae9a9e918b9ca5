/* block_tmpl.h: texels of compressed blocks of 4x4, decoded on first use and
 * kept in the block cache; a part of sample_tmpl.h.
 *
 * Neighbouring pixels read one block or at most a square of four. So the blocks
 * are looked up once for all lanes, and each lane picks its texels from the
 * decoded blocks. */
#ifndef SAMPLER_PLAN_X86_BLOCK_TMPL_H
#define SAMPLER_PLAN_X86_BLOCK_TMPL_H

#include "sampler/format/texel_block.h"
#include "sampler/plan/x86/texel_tmpl.h"

#ifdef __AVX512VBMI__
#include "sampler/plan/x86/block_bc7.h"
#endif

/* Two columns and two rows of decoded blocks. */
struct lanes_window {
    int32_t x[2], y[2];
    const float *texels[4]; /* x + 2 * y */
};

/* Block columns and rows of the corners' texels. */
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

/* Chooses two columns, or rows, of blocks: the first remaining lane's, and if
 * it reads only one, another lane's. */
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

/* Writes texel i of each channel: entry indices[i] of four. */
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

/* Like put_palette() for one channel and eight entries. */
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

/* Numbers of texels i, i + 1, ... among eight colours: see
 * decode_etc_color_block(). */
INLINE vint
etc_numbers(uint32_t bits, bool rows, unsigned i)
{
    vint texel = v_count() + (int32_t)i, all = v_isplat((int32_t)bits);
    vint n = (texel & 3) << 2 | texel >> 2;
    vint half = rows ? texel >> 1 & 4 : texel << 1 & 4;
    vint low = v_srl_each(all, n), high = v_srl_each(all, n + 16);
    return half | (high & 1) << 1 | (low & 1);
}

/* Returns false if the block has no palette of eight colours. */
INLINE bool
put_etc_colors(const struct format_info *fmt, uint64_t v, float to[64])
{
    struct decode_etc_colors colors;
    if (!decode_etc_color_block(v, fmt->ch[3].bits == 1, &colors))
        return false;
    const float *curve = fmt->srgb ? format_srgb8 : format_unorm8;
    vint number[2] = {etc_numbers((uint32_t)v, colors.rows, 0),
                      etc_numbers((uint32_t)v, colors.rows, 8)};
    for (unsigned c = 0; c < 4; c++) {
        const float *value = c < 3 ? curve : format_unorm8;
        float ramp[8];
        for (unsigned i = 0; i < 8; i++)
            ramp[i] = value[colors.rgba[i][c]];
        for (unsigned i = 0; i < 2; i++)
            _mm256_storeu_si256((__m256i *)(void *)(to + 16 * c + 8 * i),
                                v_of_eight(ramp, number[i]));
    }
    return true;
}

INLINE bool
put_etc(const struct block_cache_key *key, float to[64])
{
    const struct format_info *fmt = key->fmt;
    bool has_alpha = fmt->ch[3].bits == 8;
    if (fmt->ch[0].bits != 8 ||
        !put_etc_colors(fmt, __builtin_bswap64(key->bits[has_alpha]), to))
        return false;
    if (has_alpha) {
        uint64_t v = __builtin_bswap64(key->bits[0]);
        uint8_t alpha[8];
        decode_etc_alpha_block(v, alpha);
        for (unsigned i = 0; i < 16; i++)
            to[48 + i] = format_unorm8[alpha[decode_etc_alpha_index(v, i)]];
    }
    return true;
}

/* Decodes a block to floats. Formats that are cheap to decode have vector code.
 */
static __attribute__((noinline)) void
decode_block(const struct block_cache_key *key, float to[64])
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
    case FORMAT_ETC1:
    case FORMAT_ETC2:
        if (!put_etc(key, to))
            block_cache_decode(key, to);
        break;
    default: block_cache_decode(key, to); break;
    }
}

/* Picks each texel from eight colours. Loads and stores have the sizes of the
 * matching stores and loads elsewhere: other sizes would defeat store
 * forwarding. */
INLINE void
put_etc_texels(const struct decode_etc_colors *colors, uint32_t bits,
               uint32_t to[16])
{
    __m256i eight = _mm256_set_m128i(v_load16(colors->rgba[4]),
                                     v_load16(colors->rgba[0]));
    for (unsigned i = 0; i < 16; i += LANES) {
        vint number = etc_numbers(bits, colors->rows, i);
#if LANES == 16
        v_store(to, v_pick_one((vint)_mm512_castsi256_si512(eight), number));
#else
        v_store(to + i,
                (vint)_mm256_permutevar8x32_epi32(eight, (__m256i)number));
#endif
    }
}

INLINE bool
put_etc_bytes(const struct block_cache_key *key, uint32_t to[16])
{
    struct decode_etc_colors colors;
    const struct format_info *fmt = key->fmt;
    bool has_alpha = fmt->ch[3].bits == 8;
    uint64_t v = __builtin_bswap64(key->bits[has_alpha]);
    if (!decode_etc_color_block(v, fmt->ch[3].bits == 1, &colors))
        return false;
    put_etc_texels(&colors, (uint32_t)v, to);
    if (has_alpha) {
        uint8_t alpha[8];
        v = __builtin_bswap64(key->bits[0]);
        decode_etc_alpha_block(v, alpha);
        for (unsigned i = 0; i < 16; i++)
            to[i] = (to[i] & 0xffffff) |
                    (uint32_t)alpha[decode_etc_alpha_index(v, i)] << 24;
    }
    return true;
}

/* Decodes a SAMPLE_BYTE_BLOCKS block to texels of four bytes. */
static __attribute__((noinline)) void
decode_byte_block(const struct block_cache_key *key, uint32_t to[16])
{
    const uint8_t *block = (const uint8_t *)key->bits;
    uint8_t palette[4][4];
    float four[4];
    switch (key->fmt->compression) {
    case FORMAT_BC1:
        decode_bc_colors(key->fmt, block, true, palette);
        memcpy(four, palette, sizeof four);
        for (unsigned i = 0; i < 16; i += LANES) {
            uint32_t indices = (uint32_t)(key->bits[0] >> (32 + 2 * i));
            vint number = v_srl_each(v_isplat((int32_t)indices), v_count() * 2);
            v_store(to + i, v_of_four(four, number));
        }
        break;
    case FORMAT_ETC1:
    case FORMAT_ETC2:
        if (put_etc_bytes(key, to))
            break;
        block_cache_decode_bytes(key, to);
        break;
#ifdef __AVX512VBMI__
    case FORMAT_BC7: _mm512_store_si512(to, decode_bc7_block(key->bits)); break;
#else
    case FORMAT_BC7: decode_bc7_bytes(block, (uint8_t(*)[4])to); break;
#endif
    default: block_cache_decode_bytes(key, to); break;
    }
}

INLINE const float *
get_block(const struct sample_plan *p, enum sample_texel kind,
          struct block_cache *blocks, uint32_t at_B, const float *const held[4],
          unsigned count)
{
    struct block_cache_key key = {.fmt = p->fmt};
    bool found, bytes = kind == SAMPLE_BYTE_BLOCKS;
    _mm_prefetch(p->mem + at_B + p->ahead_B, _MM_HINT_T0);
    memcpy(&key.bits[0], p->mem + at_B, 8);
    if (p->tiling.element_shift == 4)
        memcpy(&key.bits[1], p->mem + at_B + 8, 8);
    float *texels = block_cache_find(blocks, bytes, &key, held, count, &found);
    if (!found && bytes)
        decode_byte_block(&key, (uint32_t *)(void *)texels);
    else if (!found)
        decode_block(&key, texels);
    return texels;
}

INLINE void
find_blocks(const struct sample_plan *p, enum sample_texel kind,
            struct block_cache *blocks, struct lanes_window *w)
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
            w->texels[i] = get_block(p, kind, blocks, at_B, w->texels, i);
    }
}

/* Dwords of a decoded texel: one of four bytes, or a float for each channel. */
INLINE unsigned
block_channels(enum sample_texel kind)
{
    return kind == SAMPLE_BYTE_BLOCKS ? 1 : 4;
}

/* Picks texel (x, y), 0..3 each, of the block in column `right` and row `low`.
 */
INLINE struct lanes_color
take_texel(enum sample_texel kind, const struct lanes_window *w, vmask right,
           vmask low, vint x, vint y)
{
    struct lanes_color out = no_color();
    vint i = (x & 3) | (y & 3) << 2;
#if LANES == 16
    i = v_iselect(right, i | 16, i);
    for (unsigned c = 0; c < block_channels(kind); c++) {
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
    for (unsigned c = 0; c < block_channels(kind); c++)
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

/* Picks texels for the remaining lanes within a window, and returns these
 * lanes. */
INLINE vmask
take_window(const struct sample_plan *p, enum sample_texel kind,
            struct block_cache *blocks, unsigned taps,
            const struct lanes_corners *at, const struct lanes_corners *block,
            struct lanes_window *w, vmask remaining, struct lanes_color t[4])
{
    find_blocks(p, kind, blocks, w);
    vint xa = v_isplat(w->x[0]), xb = v_isplat(w->x[1]);
    vint ya = v_isplat(w->y[0]), yb = v_isplat(w->y[1]);
    vmask right0 = v_equal(block->x0, xb), right1 = v_equal(block->x1, xb);
    vmask low0 = v_equal(block->y0, yb), low1 = v_equal(block->y1, yb);
    vmask fit_x = v_and(v_or(v_equal(block->x0, xa), right0),
                        v_or(v_equal(block->x1, xa), right1));
    vmask fit_y = v_and(v_or(v_equal(block->y0, ya), low0),
                        v_or(v_equal(block->y1, ya), low1));
    vmask fit = v_and(v_and(fit_x, fit_y), remaining);
    for (unsigned i = 0; i < taps; i++) {
        vmask right = i & 1 ? right1 : right0, low = i & 2 ? low1 : low0;
        vint x = i & 1 ? at->x1 : at->x0, y = i & 2 ? at->y1 : at->y0;
        t[i] = keep_lanes(fit, take_texel(kind, w, right, low, x, y), t[i]);
    }
    return fit;
}

/* Any lanes: window by window. */
static __attribute__((noinline)) void
load_scattered_blocks(const struct sample_plan *p, enum sample_texel kind,
                      struct block_cache *blocks, unsigned taps,
                      const struct lanes_corners *at,
                      const struct lanes_corners *block, vmask live,
                      struct lanes_color t[4])
{
    struct lanes_blocks b;
    __builtin_memcpy(b.x0, &block->x0, sizeof block->x0);
    __builtin_memcpy(b.x1, &block->x1, sizeof block->x1);
    __builtin_memcpy(b.y0, &block->y0, sizeof block->y0);
    __builtin_memcpy(b.y1, &block->y1, sizeof block->y1);
    for (unsigned i = 0; i < taps; i++)
        for (unsigned c = 0; c < 4; c++)
            t[i].c[c] = v_splat(0.0f);
    while (v_any(live)) {
        struct lanes_window w;
        choose_pair(b.x0, b.x1, block->x0, block->x1, live, w.x);
        choose_pair(b.y0, b.y1, block->y0, block->y1, live, w.y);
        vmask done = take_window(p, kind, blocks, taps, at, block, &w, live, t);
        live = v_and(live, v_not(done));
    }
}

#if LANES == 16

/* Lanes within one square of four blocks. Returns false if some lanes are
 * outside. */
INLINE bool
load_near_blocks(const struct sample_plan *p, enum sample_texel kind,
                 struct block_cache *blocks, unsigned taps,
                 const struct lanes_corners *at,
                 const struct lanes_corners *block, vmask live,
                 struct lanes_color t[4])
{
    /* Columns or rows that do not fit 16 bits give an origin that no lane
     * matches. */
    vint first = block->x0 | block->y0 << 16;
    uint32_t origin = v_least_pair(first);
    int32_t x = (int32_t)(origin & 0xffff), y = (int32_t)(origin >> 16);
    vint x0 = block->x0 - x, x1 = block->x1 - x;
    vint y0 = block->y0 - y, y1 = block->y1 - y;
    vint all_x = x0 | x1, all_y = y0 | y1;
    if (v_any(v_and(live, v_test(all_x | all_y, v_isplat(-2)))))
        return false;
    struct lanes_window w = {
        .x = {x, x + v_any(v_and(live, v_test(all_x, v_isplat(1))))},
        .y = {y, y + v_any(v_and(live, v_test(all_y, v_isplat(1))))},
    };
    find_blocks(p, kind, blocks, &w);
    vmask right0 = v_test(x0, v_isplat(1)), right1 = v_test(x1, v_isplat(1));
    vmask low0 = v_test(y0, v_isplat(1)), low1 = v_test(y1, v_isplat(1));
    t[0] = take_texel(kind, &w, right0, low0, at->x0, at->y0);
    if (taps == 1)
        return true;
    t[1] = take_texel(kind, &w, right1, low0, at->x1, at->y0);
    t[2] = take_texel(kind, &w, right0, low1, at->x0, at->y1);
    t[3] = take_texel(kind, &w, right1, low1, at->x1, at->y1);
    return true;
}

#endif

/* Loads the texels of `taps` corners, 1 or 4, in load_corners()' order. */
INLINE void
load_blocks(const struct sample_plan *p, enum sample_texel kind,
            struct block_cache *blocks, unsigned taps,
            const struct lanes_corners *at, vmask live, struct lanes_color t[4])
{
    struct lanes_corners block = {.x0 = at->x0 >> 2, .y0 = at->y0 >> 2};
    block.x1 = taps == 1 ? block.x0 : at->x1 >> 2;
    block.y1 = taps == 1 ? block.y0 : at->y1 >> 2;
#if LANES == 16
    if (load_near_blocks(p, kind, blocks, taps, at, &block, live, t))
        return;
#endif
    load_scattered_blocks(p, kind, blocks, taps, at, &block, live, t);
}

#endif
