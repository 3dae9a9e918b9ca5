/* jpeg_huffman.c: Huffman tables from counts of codes by length. T.81 annex C:
 * codes of one length are consecutive numbers, and the first code of the next
 * length is twice the number after the last code. */
#include "engine/mfx/jpeg/jpeg.h"

bool
jpeg_huffman_init(struct jpeg_huffman *h, const uint8_t *counts,
                  unsigned lengths, const uint8_t *values, unsigned value_count)
{
    uint32_t code = 0, at = 0;
    memset(h, 0, sizeof *h);
    for (unsigned length = 1; length <= 16; length++, code <<= 1) {
        unsigned count = length <= lengths ? counts[length - 1] : 0;
        if (at + count > value_count || code + count > 1u << length)
            return false;
        h->first[length] = (int32_t)at - (int32_t)code;
        for (unsigned i = 0; i < count; i++, at++, code++) {
            h->values[at] = values[at];
            if (length > JPEG_FAST_BITS)
                continue;
            unsigned spare = JPEG_FAST_BITS - length;
            for (unsigned j = 0; j < 1u << spare; j++)
                h->fast[(code << spare) + j] = (uint16_t)(length << 8 |
                                                          values[at]);
        }
        h->limit[length] = code;
    }
    return true;
}
