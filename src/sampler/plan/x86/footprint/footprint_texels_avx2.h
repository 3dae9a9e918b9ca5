/* footprint_texels_avx2.h: picks one texel of four bytes for each lane; a part
 * of footprint_avx2.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TEXELS_AVX2_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_TEXELS_AVX2_H

#include "sampler/plan/x86/footprint/footprint_bytes1_avx2.h"
#include "sampler/plan/x86/footprint/footprint_grid_bytes.h"

/* Loads a texel for each lane, at any distance. */
INLINE vint
take_scattered(const struct sample_plan *p, const struct footprint_level *lv,
               vint place)
{
    vint x = (place & 0xffff) + (int32_t)lv->x_el;
    vint y = v_srl(place, 16) + (int32_t)lv->y_el;
    vint at_B = offset_x_B(&p->tiling, x) + offset_y_B(&p->tiling, y);
    return v_gather(p->mem, at_B);
}

/* Picks texels of one line or decoded block. */
INLINE vint
take_of_line(const uint8_t *line, vint in)
{
    vint i = (vint)_mm256_madd_epi16((__m256i)in,
                                     _mm256_set1_epi32(4 << 16 | 1));
    const __m256i *half = (const __m256i *)(const void *)line;
    __m256i low = _mm256_permutevar8x32_epi32(half[0], (__m256i)i);
    __m256i high = _mm256_permutevar8x32_epi32(half[1], (__m256i)i);
    return (vint)_mm256_blendv_ps((__m256)low, (__m256)high, (__m256)(i << 28));
}

INLINE vint
take_of_copy(const struct copy *c, vint in)
{
    alignas(32) int32_t from[LANES];
    find_offsets(in, from);
    vint t = (vint)_mm256_set_m128i(v_load4(c->row[0], from + 4),
                                    v_load4(c->row[0], from));
    return t ^ (int32_t)0x80808080;
}

/* Finds the texels at `place`, four bytes each. Returns false if it cannot. */
INLINE bool
take_texels(const struct sample_plan *p, enum sample_texel kind,
            struct block_cache *blocks, const struct footprint_level *lv,
            struct both place, struct both *out)
{
    if (kind == SAMPLE_BYTES1)
        return take_bytes(p, lv, place, out);
    if (!all_inside(lv, place, 0))
        return false;
    if (kind == SAMPLE_BYTES4 && take_grid(p, lv, place, out))
        return true;
    struct near n = find_near(lv, place, 0);
    if (n.columns == 1 && n.rows == 1) {
        const uint8_t *line;
        if (kind == SAMPLE_BYTE_BLOCKS) {
            uint32_t at_B = block_offset_B(&p->tiling, (int32_t)n.corner.bx,
                                           (int32_t)n.corner.by);
            line = (const uint8_t *)get_block(p, kind, blocks, at_B, NULL, 0);
        } else {
            struct footprint_lines l = find_lines(p, n.corner, 1);
            line = l.row[0] + l.column_B[0];
        }
        out->low = take_of_line(line, n.in.low);
        out->high = take_of_line(line, n.in.high);
        return true;
    }
    if (kind != SAMPLE_BYTE_BLOCKS) {
        out->low = take_scattered(p, lv, place.low);
        out->high = take_scattered(p, lv, place.high);
        return true;
    }
    struct copy copy;
    if (!copy_texels(p, kind, blocks, &n, &copy))
        return false;
    out->low = take_of_copy(&copy, n.in.low);
    out->high = take_of_copy(&copy, n.in.high);
    return true;
}

#endif
