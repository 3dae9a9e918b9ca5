/* blit.h: one blit, decoded and clipped. Data header of blt/: blt_decode.c
 * makes it, blt_pixels.c and blt_rows.c run it. One thread. */
#ifndef ENGINE_BLT_BLIT_H
#define ENGINE_BLT_BLIT_H

#include "engine/vm/vm.h"
#include "sampler/surface/tiling.h"

struct blt_surface {
    gpu_va base;
    int32_t pitch_B;
    struct std_tile tile; /* of any tiling; all 0: linear */
};

static inline bool
blt_is_tiled(const struct blt_surface *s)
{
    return s->tile.size_log2_B;
}

enum blt_source { BLT_SOURCE_NONE, BLT_SOURCE_COLOR, BLT_SOURCE_MONO };

/* Bits of a source that are expanded to two colours, MSB first. */
struct blt_mono {
    gpu_va va;
    const uint8_t *data; /* of the command; NULL: in memory at va */
    uint32_t first_bit;  /* of each row */
    uint32_t row_bits;   /* from row to row */
    int32_t x, y;        /* the first bit's pixel of the destination */
    uint32_t background, foreground;
    bool transparent; /* zeros draw nothing */
};

/* Compares colours of the source or of the destination with a range. */
enum blt_chroma {
    BLT_CHROMA_NONE,
    BLT_CHROMA_SOURCE,      /* draws where the source is out of the range */
    BLT_CHROMA_DESTINATION, /* draws where the destination is in it */
};

struct blit {
    struct engine_vm *vm;
    struct blt_surface dst, src;
    int32_t x1, y1, x2, y2; /* destination; x2 and y2 are outside */
    int32_t src_dx, src_dy; /* from a pixel to its source */
    bool backward_x, backward_y;
    uint8_t depth; /* as in BR13 */
    uint8_t pixel_B;
    uint8_t rop;
    uint32_t write_mask; /* whole bytes of a pixel */
    enum blt_source source;
    struct blt_mono mono;
    /* By the low bits of the destination's row and column. */
    uint32_t pattern[8][8];
    uint8_t pattern_drawn[8]; /* bit per column: not transparent */
    enum blt_chroma chroma;
    bool chroma_alpha;
    bool chroma_pattern; /* the pattern is compared in place of a source */
    uint32_t chroma_low, chroma_high;
};

/* Which operands a raster operation depends on: its bit P << 2 | S << 1 | D is
 * the result. */
static inline bool
blt_rop_uses_pattern(uint8_t rop)
{
    return (rop >> 4 ^ rop) & 0x0f;
}

static inline bool
blt_rop_uses_source(uint8_t rop)
{
    return (rop >> 2 ^ rop) & 0x33;
}

static inline bool
blt_rop_uses_destination(uint8_t rop)
{
    return (rop >> 1 ^ rop) & 0x55;
}

/* Bits of a pixel. */
static inline uint32_t
blt_pixel_mask(unsigned pixel_B)
{
    return UINT32_MAX >> (32 - pixel_B * 8);
}

/* blt_decode.c: false after a guest error. */
bool blt_decode(struct blit *b, const struct engine_context *ctx,
                const uint32_t *dw, unsigned len_dw);

/* blt_operands.c. Seeds are the pattern's column and row at X = 0 and Y = 0 of
 * the destination. Without a pattern nothing of it is read. */
struct blt_seed {
    unsigned x, y;
};

void blt_solid_pattern(struct blit *b, uint32_t color);
/* Colours: background, foreground. */
void blt_mono_pattern(struct blit *b, const uint8_t rows[8],
                      const uint32_t colors[2], uint32_t br13,
                      struct blt_seed seed);
void blt_fixed_pattern(struct blit *b, unsigned number,
                       const uint32_t colors[2], uint32_t br13,
                       struct blt_seed seed);
void blt_color_pattern(struct blit *b, gpu_va va, struct blt_seed seed);
/* False: the packet is too short. */
bool blt_inline_pattern(struct blit *b, const uint32_t *data, unsigned data_dw,
                        struct blt_seed seed);
/* Bits of the whole rectangle, in memory or in the packet, which may be too
 * short. */
bool blt_mono_bits(struct blit *b, uint32_t row_bits, uint32_t first_bit,
                   gpu_va va, const uint32_t *data, unsigned data_dw);

/* blt_tile.c: tilings of XY commands. XY_FAST_COPY_BLT has std_tile_2d(), too.
 */
extern const struct std_tile blt_linear, blt_tile_x, blt_tile_y;
/* Where a byte is. Coordinates may be negative. */
gpu_va blt_address(const struct blt_surface *s, int64_t x_B, int64_t y);
/* Addresses [*begin, *end) with all bytes of the rectangle, in the window.
 * False: they do not lie side by side there. */
bool blt_extent(const struct engine_vm *vm, const struct blt_surface *s,
                const int64_t x_B[2], const int32_t y[2], uint64_t *begin,
                uint64_t *end);

/* blt_pixels.c: the reference: any blit, pixel by pixel. */
uint32_t blt_rop(uint8_t rop, uint32_t pattern, uint32_t source,
                 uint32_t destination);
void blt_row_any(const struct blit *b, int32_t y);

/* blt_rows.c: whole rows of simple blits. */
bool blt_fill_fits(const struct blit *b);
void blt_row_fill(const struct blit *b, int32_t y);
bool blt_copy_fits(const struct blit *b);
void blt_row_copy(const struct blit *b, int32_t y);

#endif
