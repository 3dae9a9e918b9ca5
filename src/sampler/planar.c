/* planar.c: texels of which luma lies at the surface's base and a pair of
 * chroma bytes, for 2x2 texels, in a plane of half the height with the same
 * pitch (NV12). KBL PRM vol 2d, RENDER_SURFACE_STATE, X and Y Offset for U or
 * UV Plane; separate planes of U and V are not supported there. R is Cr, G is
 * Y, B is Cb, without conversion, as in packed formats. Guess: a filter takes
 * chroma to be the same for the four texels, as well. */
#include "sampler/decode.h"
#include "sampler/sample.h"
#include "sampler/tiling.h"

/* Cb, Cr. Both are zero where there is no memory. */
static void
read_chroma(const struct surface *s, uint32_t x, uint32_t y, uint32_t slice,
            uint8_t chroma[2])
{
    chroma[0] = chroma[1] = 0;
    uint32_t row = s->uv_y + y / 2 + slice * s->qpitch_el_rows;
    uint64_t offset_B = tiling_offset_B(s->tiling, s->uv_x_B + (x & ~1u), row,
                                        s->row_pitch_B);
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
