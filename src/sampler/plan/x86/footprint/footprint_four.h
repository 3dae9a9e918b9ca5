/* footprint_four.h: loads four compressed blocks to decode them at once; a part
 * of footprint_vbmi.c. */
#ifndef SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_FOUR_H
#define SAMPLER_PLAN_X86_FOOTPRINT_FOOTPRINT_FOUR_H

#include "sampler/plan/x86/footprint/footprint_filter.h"

enum palette_of { PALETTE_NONE, PALETTE_BC1, PALETTE_BC3, PALETTE_ETC };

/* Colours of four bytes, red lowest, and the number of each of 8x8 texels, row
 * by row. A number is the place of the red byte. */
struct footprint_palette {
    bits colors[2]; /* the second one only for ETC */
    bits numbers;
    uint32_t special; /* bit per block without such a palette */
};

/* Two columns and two rows of blocks. */
struct four_blocks {
    __m256i bits, more; /* the second eight bytes of 16-byte blocks */
};

/* Blocks that no lane reads may lie past the end of memory: the first block
 * replaces them. */
INLINE struct four_blocks
load_four_blocks(const struct sample_plan *p, struct footprint_corner corner,
                 bits in, bool two)
{
    __mmask32 beyond = _mm512_cmpgt_epu16_mask(in, _mm512_set1_epi16(2));
    int32_t x = (int32_t)corner.bx, y = (int32_t)corner.by;
    int32_t x1 = x + ((beyond & 0x55555555) != 0);
    int32_t y1 = y + ((beyond & 0xaaaaaaaa) != 0);
    struct four_blocks four = {.more = _mm256_setzero_si256()};
    const struct sample_tiling *t = &p->tiling;
    const uint8_t *row0 = p->mem + block_offset_B(t, 0, y);
    const uint8_t *row1 = p->mem + block_offset_B(t, 0, y1);
    uint32_t x0_B = block_offset_B(t, x, 0);
    uint32_t x1_B = block_offset_B(t, x1, 0);
    _mm_prefetch(row0 + x0_B + p->ahead_B, _MM_HINT_T0);
    _mm_prefetch(row1 + x0_B + p->ahead_B, _MM_HINT_T0);
    four.bits = _mm256_set_m128i(v_load8_pair(row1 + x0_B, row1 + x1_B),
                                 v_load8_pair(row0 + x0_B, row0 + x1_B));
    row0 += 8;
    row1 += 8;
    if (two)
        four.more = _mm256_set_m128i(v_load8_pair(row1 + x0_B, row1 + x1_B),
                                     v_load8_pair(row0 + x0_B, row0 + x1_B));
    return four;
}

/* Repeats eight bytes for each block. */
#define EACH4(...)                                         \
    {                                                      \
        __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__ \
    }

/* Loads a table, always from memory, like v_constant(). */
INLINE __m256i
block_table(const uint8_t table[32])
{
    __m256i v;
    __asm__("vmovdqa64 %1, %0"
            : "=v"(v)
            : "m"(*(const __m256i *)(const void *)table));
    return v;
}

INLINE __m256i
block_constant(const int32_t *i)
{
    __m256i v;
    __asm__("vpbroadcastd %1, %0" : "=v"(v) : "m"(*i));
    return v;
}

/* Extracts eight bits of each block from each of these bit places. */
INLINE __m256i
block_fields(const uint8_t from[32], __m256i v)
{
    return _mm256_multishift_epi64_epi8(block_table(from), v);
}

enum { AND_OR = 0xf8 /* a | b & c */, AND_XOR = 0x78 /* a ^ b & c */ };

#endif
