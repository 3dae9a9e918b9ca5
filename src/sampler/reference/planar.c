/* planar.c: planar 4:2:0 texels (NV12). Luma lies at the surface's base. A
 * second plane with the same pitch and half the height has a pair of chroma
 * bytes for each 2x2 texels. KBL PRM vol 2d, RENDER_SURFACE_STATE, X and Y
 * Offset for U or UV Plane; it does not support separate planes of U and V. R
 * is Cr, G is Y, B is Cb, without conversion, as in packed formats. Guess:
 * filters use the same chroma for the four texels. */
#include "sampler/format/texel_block.h"
#include "sampler/reference/sample.h"
#include "sampler/surface/tiling.h"

#define FORMAT_CODE_R8G8_UNORM 0x106

/* In a standard tiling the pairs are elements of 16 bits, and their plane
 * begins at a tile. Both rules: KBL PRM vol 2d, Tiled Resource Mode and Y
 * Offset for U or UV Plane. */
static uint64_t
chroma_std_B(const struct surface *s, uint32_t x, uint32_t y, uint32_t slice)
{
    struct surface pairs = *s;
    pairs.fmt = format_info(FORMAT_CODE_R8G8_UNORM);
    std_tile_init(&pairs.std_tile, &pairs);
    const struct std_tile *luma = &s->std_tile;
    uint32_t rows = s->uv_y + slice * s->qpitch_el_rows;
    return std_offset_B(luma, s->uv_x_B, rows, 0, s->row_pitch_B) +
           std_offset_B(&pairs.std_tile, x & ~1u, y / 2, 0, s->row_pitch_B);
}

static uint64_t
chroma_B(const struct surface *s, uint32_t x, uint32_t y, uint32_t slice)
{
    if (surface_is_std(s))
        return chroma_std_B(s, x, y, slice);
    uint32_t row = s->uv_y + y / 2 + slice * s->qpitch_el_rows;
    return tiling_offset_B(s->tiling, s->uv_x_B + (x & ~1u), row,
                           s->row_pitch_B);
}

/* Reads Cb and Cr: zero where there is no memory. */
static void
read_chroma(const struct surface *s, uint32_t x, uint32_t y, uint32_t slice,
            uint8_t chroma[2])
{
    chroma[0] = chroma[1] = 0;
    uint64_t offset_B = chroma_B(s, x, y, slice);
    if (offset_B < s->limit_B && s->limit_B - offset_B >= 2)
        memcpy(chroma, s->mem + offset_B, 2);
}

void
planar_decode(const struct surface *s, const uint8_t *luma, uint32_t x,
              uint32_t y, uint32_t slice, union color *out)
{
    uint8_t chroma[2];
    read_chroma(s, x, y, slice, chroma);
    const uint8_t ycc[4] = {chroma[1], *luma, chroma[0], 255};
    decode_store_rgba8(s->fmt, ycc, out);
}
