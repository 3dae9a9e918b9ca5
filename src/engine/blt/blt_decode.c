/* blt_decode.c: packets and setup state to one struct blit.
 *
 * Layouts: KBL PRM vol 2d, BR00 to BR30. Since Gen8 an address takes two
 * dwords, so what follows it has moved on; xf86-video-intel submits these
 * lengths. commands.csv checks the lengths of packets without inline data. */
#include "engine/blt/blit.h"
#include "engine/blt/blt.h"

enum source_kind { SRC_NONE, SRC_COLOR, SRC_MONO, SRC_MONO_INLINE };

enum pattern_kind {
    PAT_NONE,
    PAT_SOLID,
    PAT_COLOR,
    PAT_COLOR_INLINE,
    PAT_MONO,
    PAT_FIXED,
};

/* Operands of the XY commands that need no setup. Each begins at a dword of the
 * packet; data that is inline begins after all of them. */
struct xy_layout {
    uint8_t source, source_at;
    uint8_t pattern, pattern_at;
    uint8_t chroma_at; /* 0: none */
    uint8_t inline_at;
};

#define XY_FIRST 0x50
static const struct xy_layout xy_layouts[0x78 - XY_FIRST] = {
#define XY(opcode, ...) [opcode - XY_FIRST] = {__VA_ARGS__}
#define SRC(kind, at) .source = kind, .source_at = at
#define PAT(kind, at) .pattern = kind, .pattern_at = at
    XY(0x50, PAT(PAT_SOLID, 6)),                     /* XY_COLOR_BLT */
    XY(0x51, PAT(PAT_COLOR, 6)),                     /* XY_PAT_BLT */
    XY(0x52, PAT(PAT_MONO, 6)),                      /* XY_MONO_PAT_BLT */
    XY(0x53, SRC(SRC_COLOR, 6)),                     /* XY_SRC_COPY_BLT */
    XY(0x54, SRC(SRC_MONO, 6)),                      /* XY_MONO_SRC_COPY_BLT */
    XY(0x55, SRC(SRC_COLOR, 6), PAT(PAT_COLOR, 10)), /* XY_FULL_BLT */
    /* XY_FULL_: MONO_SRC, MONO_PATTERN, MONO_PATTERN_MONO_SRC */
    XY(0x56, SRC(SRC_MONO, 6), PAT(PAT_COLOR, 10)),
    XY(0x57, SRC(SRC_COLOR, 6), PAT(PAT_MONO, 10)),
    XY(0x58, SRC(SRC_MONO, 6), PAT(PAT_MONO, 10)),
    XY(0x59, PAT(PAT_FIXED, 6)), /* XY_MONO_PAT_FIXED_BLT */
    /* XY_MONO_SRC_COPY_IMMEDIATE_BLT, XY_PAT_BLT_IMMEDIATE */
    XY(0x71, SRC(SRC_MONO_INLINE, 6), .inline_at = 8),
    XY(0x72, PAT(PAT_COLOR_INLINE, 6), .inline_at = 6),
    XY(0x73, SRC(SRC_COLOR, 6), .chroma_at = 10), /* XY_SRC_COPY_CHROMA_BLT */
    /* XY_FULL_: IMMEDIATE_PATTERN, MONO_SRC_IMMEDIATE_PATTERN */
    XY(0x74, SRC(SRC_COLOR, 6), PAT(PAT_COLOR_INLINE, 10), .inline_at = 10),
    XY(0x75, SRC(SRC_MONO, 6), PAT(PAT_COLOR_INLINE, 10), .inline_at = 10),
    /* XY_PAT_CHROMA_BLT, XY_PAT_CHROMA_BLT_IMMEDIATE */
    XY(0x76, PAT(PAT_COLOR, 6), .chroma_at = 8),
    XY(0x77, PAT(PAT_COLOR_INLINE, 8), .chroma_at = 6, .inline_at = 8),
#undef PAT
#undef SRC
#undef XY
};

/* BCS_SWCTRL: which tiled surfaces are TileY. */
#define SWCTRL_SOURCE_Y (1u << 0)
#define SWCTRL_DESTINATION_Y (1u << 1)

static int32_t
low_half(uint32_t dw)
{
    return (int16_t)(dw & 0xffff);
}

static int32_t
high_half(uint32_t dw)
{
    return (int16_t)(dw >> 16);
}

static gpu_va
read_va(const uint32_t *dw)
{
    return (uint64_t)(dw[1] & 0xffff) << 32 | dw[0];
}

/* ---- common parts ------------------------------------------------------- */

/* Tiled surfaces begin at a tile; their pitch is in dwords. */
static struct blt_surface
make_surface(gpu_va base, int32_t pitch, struct std_tile tile)
{
    struct blt_surface s = {base, pitch, tile};
    if (blt_is_tiled(&s)) {
        s.base &= ~((UINT64_C(1) << tile.size_log2_B) - 1);
        s.pitch_B *= 4;
    }
    return s;
}

static struct std_tile
choose_tile(const struct engine_context *ctx, bool tiled, uint32_t y_bit)
{
    if (!tiled)
        return blt_linear;
    return ctx->hw->reg[REG_BCS_SWCTRL / 4] & y_bit ? blt_tile_y : blt_tile_x;
}

/* Depth, raster operation and byte mask. The mask counts for 32 bits only. */
static void
read_pixel(struct blit *b, uint32_t br00, uint32_t br13)
{
    static const uint8_t sizes_B[4] = {1, 2, 2, 4};
    b->depth = bits_get(br13, 24, 25);
    b->pixel_B = sizes_B[b->depth];
    b->rop = bits_get(br13, 16, 23);
    b->write_mask = blt_pixel_mask(b->pixel_B);
    if (b->depth == 3)
        b->write_mask = (br00 >> 21 & 1 ? 0xff000000 : 0) |
                        (br00 >> 20 & 1 ? 0x00ffffff : 0);
}

static void
read_rectangle(struct blit *b, const uint32_t *dw)
{
    b->x1 = low_half(dw[0]);
    b->y1 = high_half(dw[0]);
    b->x2 = low_half(dw[1]);
    b->y2 = high_half(dw[1]);
}

/* Observed: xf86-video-intel passes the right and bottom edges as outside. */
static void
clip_rectangle(struct blit *b, const uint32_t setup[HW_BLT_SETUP_DW])
{
    b->x1 = MAX2(b->x1, low_half(setup[2]));
    b->y1 = MAX2(b->y1, high_half(setup[2]));
    b->x2 = MIN2(b->x2, low_half(setup[3]));
    b->y2 = MIN2(b->y2, high_half(setup[3]));
}

/* The order of a copy within one surface. Guess: the hardware compares base
 * addresses and corners and does not look for an overlap, in XY_FAST_COPY_BLT,
 * too. */
static void
choose_order(struct blit *b)
{
    if (b->source != BLT_SOURCE_COLOR || b->dst.base != b->src.base)
        return;
    b->backward_x = b->src_dx < 0;
    b->backward_y = b->src_dy < 0;
}

/* ---- patterns ------------------------------------------------------------ */

static struct blt_seed
read_seed(uint32_t br00)
{
    return (struct blt_seed){bits_get(br00, 12, 14), bits_get(br00, 8, 10)};
}

static bool
read_pattern(struct blit *b, const struct xy_layout *l, const uint32_t *dw,
             unsigned len_dw)
{
    struct blt_seed seed = read_seed(dw[0]);
    const uint32_t *at = dw + l->pattern_at;
    switch (l->pattern) {
    case PAT_SOLID: blt_solid_pattern(b, at[0]); break;
    case PAT_COLOR: blt_color_pattern(b, read_va(at), seed); break;
    case PAT_COLOR_INLINE:
        return blt_inline_pattern(b, dw + l->inline_at, len_dw - l->inline_at,
                                  seed);
    case PAT_MONO:
        blt_mono_pattern(b, (const uint8_t *)(at + 2), at, dw[1], seed);
        break;
    case PAT_FIXED:
        blt_fixed_pattern(b, bits_get(dw[0], 15, 18), at, dw[1], seed);
        break;
    }
    return true;
}

/* ---- sources ------------------------------------------------------------- */

static void
read_color_source(struct blit *b, const uint32_t *at, struct std_tile tile)
{
    b->source = BLT_SOURCE_COLOR;
    b->src = make_surface(read_va(at + 2), low_half(at[1]), tile);
    b->src_dx = low_half(at[0]) - b->x1;
    b->src_dy = high_half(at[0]) - b->y1;
}

static uint32_t
rectangle_width(const struct blit *b)
{
    return (uint32_t)MAX2(b->x2 - b->x1, 0);
}

/* Rows begin at words; each leaves out its first bits (BR00, Monochrome Source
 * Start). */
static bool
read_mono_source(struct blit *b, const uint32_t *dw, const uint32_t *colors,
                 gpu_va va, const uint32_t *data, unsigned data_dw)
{
    uint32_t first = bits_get(dw[0], 17, 19);
    uint32_t row_bits = (first + rectangle_width(b) + 15) & ~15u;
    b->mono.background = colors[0];
    b->mono.foreground = colors[1];
    b->mono.transparent = dw[1] >> 29 & 1;
    return blt_mono_bits(b, row_bits, first, va, data, data_dw);
}

static bool
read_source(struct blit *b, const struct engine_context *ctx,
            const struct xy_layout *l, const uint32_t *dw, unsigned len_dw)
{
    const uint32_t *at = dw + l->source_at;
    switch (l->source) {
    case SRC_COLOR:
        read_color_source(b, at,
                          choose_tile(ctx, dw[0] >> 15 & 1, SWCTRL_SOURCE_Y));
        return true;
    case SRC_MONO: return read_mono_source(b, dw, at + 2, read_va(at), NULL, 0);
    case SRC_MONO_INLINE:
        return read_mono_source(b, dw, at, 0, dw + l->inline_at,
                                len_dw - l->inline_at);
    default: return true;
    }
}

/* BR00, Transparency Range Mode. Guess: without a source the pattern is
 * compared. */
static void
read_chroma(struct blit *b, const struct xy_layout *l, const uint32_t *dw)
{
    unsigned mode = bits_get(dw[0], 17, 19);
    if (!l->chroma_at || !(mode & 1))
        return;
    b->chroma = mode & 4 ? BLT_CHROMA_DESTINATION : BLT_CHROMA_SOURCE;
    b->chroma_alpha = mode == 3 || mode == 5;
    b->chroma_pattern = l->source == SRC_NONE;
    b->chroma_low = dw[l->chroma_at];
    b->chroma_high = dw[l->chroma_at + 1];
}

/* ---- commands ------------------------------------------------------------ */

static bool
decode_xy(struct blit *b, const struct engine_context *ctx, const uint32_t *dw,
          unsigned len_dw)
{
    const struct xy_layout *l = &xy_layouts[bits_get(dw[0], 22, 28) - XY_FIRST];
    read_pixel(b, dw[0], dw[1]);
    read_rectangle(b, dw + 2);
    b->dst = make_surface(
        read_va(dw + 4), low_half(dw[1]),
        choose_tile(ctx, dw[0] >> 11 & 1, SWCTRL_DESTINATION_Y));
    read_chroma(b, l, dw);
    if (!read_source(b, ctx, l, dw, len_dw) || !read_pattern(b, l, dw, len_dw))
        return false;
    if (dw[1] >> 30 & 1)
        clip_rectangle(b, ctx->hw->blt_setup);
    choose_order(b);
    return true;
}

/* Rows of packed bytes begin at bytes. Observed: drivers pack bytes. Guess:
 * rows of packed bits follow bit by bit. BR00 says that a monochrome source is
 * aligned to words, and does not say whether that is so for text. */
static bool
decode_text(struct blit *b, const uint32_t *setup, const uint32_t *dw,
            unsigned len_dw, bool is_inline)
{
    uint32_t row_bits = rectangle_width(b);
    if (dw[0] >> 16 & 1)
        row_bits = (row_bits + 7) & ~7u;
    b->mono.background = setup[6];
    b->mono.foreground = setup[7];
    b->mono.transparent = setup[1] >> 29 & 1;
    if (is_inline)
        return blt_mono_bits(b, row_bits, 0, 0, dw + 3, len_dw - 3);
    return blt_mono_bits(b, row_bits, 0, read_va(dw + 3), NULL, 0);
}

static void
read_setup_pattern(struct blit *b, const uint32_t *setup, uint32_t br00)
{
    struct blt_seed seed = read_seed(br00);
    bool is_mono = bits_get(setup[0], 22, 28) == HW_BLT_SETUP_MONO;
    if (is_mono)
        blt_mono_pattern(b, (const uint8_t *)(setup + 8), setup + 6, setup[1],
                         seed);
    else
        blt_color_pattern(b, read_va(setup + 8), seed);
}

/* Commands that draw with the state of XY_SETUP_BLT. Observed: drivers set the
 * tiling bit in them, and the byte mask in the setup. */
static bool
decode_setup(struct blit *b, const struct engine_context *ctx,
             const uint32_t *dw, unsigned len_dw)
{
    const uint32_t *setup = ctx->hw->blt_setup;
    bool ok = true;
    read_pixel(b, setup[0], setup[1]);
    b->dst = make_surface(
        read_va(setup + 4), low_half(setup[1]),
        choose_tile(ctx, dw[0] >> 11 & 1, SWCTRL_DESTINATION_Y));
    switch (bits_get(dw[0], 22, 28)) {
    case 0x24: /* XY_PIXEL_BLT: the background is its pattern (BR05) */
        b->x1 = low_half(dw[1]);
        b->y1 = high_half(dw[1]);
        b->x2 = b->x1 + 1;
        b->y2 = b->y1 + 1;
        blt_solid_pattern(b, setup[6]);
        break;
    case 0x25: /* XY_SCANLINES_BLT */
        read_rectangle(b, dw + 1);
        read_setup_pattern(b, setup, dw[0]);
        break;
    case 0x26: /* XY_TEXT_BLT */
        read_rectangle(b, dw + 1);
        ok = decode_text(b, setup, dw, len_dw, false);
        break;
    default: /* XY_TEXT_IMMEDIATE_BLT */
        read_rectangle(b, dw + 1);
        ok = decode_text(b, setup, dw, len_dw, true);
        break;
    }
    if (setup[1] >> 30 & 1)
        clip_rectangle(b, setup);
    return ok;
}

/* COLOR_BLT and SRC_COPY_BLT: rows of bytes at an address. From right to left
 * the address is that of the last byte, the first to be written. Guess: bytes
 * that are no whole pixel are left out. */
static void
decode_bytes(struct blit *b, const uint32_t *dw, bool copies)
{
    bool backward = copies && dw[1] >> 30 & 1;
    gpu_va back_B = 0;
    read_pixel(b, dw[0], dw[1]);
    b->x2 = (int32_t)(dw[2] & 0xffff) / b->pixel_B;
    b->y2 = (int32_t)(dw[2] >> 16);
    if (backward && b->x2)
        back_B = (gpu_va)b->x2 * b->pixel_B - 1;
    b->dst = make_surface(read_va(dw + 3) - back_B, low_half(dw[1]),
                          blt_linear);
    if (!copies) {
        blt_solid_pattern(b, dw[5]);
        return;
    }
    b->source = BLT_SOURCE_COLOR;
    b->src = make_surface(read_va(dw + 6) - back_B, low_half(dw[5]),
                          blt_linear);
    b->backward_x = backward;
}

/* Tiling of XY_FAST_COPY_BLT: 0 linear, 1 X, 2 Y or Yf, 3 Ys. */
static struct std_tile
fast_tile(unsigned mode, bool is_yf, unsigned log2_B)
{
    switch (mode) {
    case 1: return blt_tile_x;
    case 2: return is_yf ? std_tile_2d(log2_B, false) : blt_tile_y;
    case 3: return std_tile_2d(log2_B, true);
    default: return blt_linear;
    }
}

/* Pixels of 64 and 128 bits are moved as dwords. */
static bool
decode_fast_copy(struct blit *b, const uint32_t *dw)
{
    static const int8_t log2_of_depth[8] = {0, 1, -1, 2, 3, 4, -1, -1};
    int log2_B = log2_of_depth[bits_get(dw[1], 24, 26)];
    if (log2_B < 0) {
        guest_error("XY_FAST_COPY_BLT of an unknown depth");
        return false;
    }
    unsigned log2 = (unsigned)log2_B, dwords = log2 > 2 ? 1u << (log2 - 2) : 1;
    static const uint8_t depths[3] = {0, 1, 3};
    read_pixel(b, 3u << 20, 0xcc0000u | depths[MIN2(log2, 2u)] << 24);
    read_rectangle(b, dw + 2);
    b->dst = make_surface(
        read_va(dw + 4), low_half(dw[1]),
        fast_tile(bits_get(dw[0], 13, 14), dw[1] >> 30 & 1, log2));
    read_color_source(b, dw + 6,
                      fast_tile(bits_get(dw[0], 20, 21), dw[1] >> 31, log2));
    b->x1 *= (int32_t)dwords;
    b->x2 *= (int32_t)dwords;
    b->src_dx *= (int32_t)dwords;
    choose_order(b);
    return true;
}

bool
blt_decode(struct blit *b, const struct engine_context *ctx, const uint32_t *dw,
           unsigned len_dw)
{
    *b = (struct blit){.vm = ctx->vm};
    blt_solid_pattern(b, 0); /* commands without a pattern */
    switch (bits_get(dw[0], 22, 28)) {
    case 0x24:
    case 0x25:
    case 0x26:
    case 0x31: return decode_setup(b, ctx, dw, len_dw);
    case 0x40: decode_bytes(b, dw, false); return true;
    case 0x43: decode_bytes(b, dw, true); return true;
    case 0x42: return decode_fast_copy(b, dw);
    default: return decode_xy(b, ctx, dw, len_dw);
    }
}
