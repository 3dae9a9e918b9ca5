/* format_ops.h: the conversion functions that the generated format table refers
 * to. Internal to the room; gen_formats.py chooses them per format. */
#ifndef SAMPLER_FORMAT_FORMAT_OPS_H
#define SAMPLER_FORMAT_FORMAT_OPS_H

#include "sampler/format/format.h"

extern const struct format_info *const format_by_code[];
extern const unsigned format_code_count;

#define FORMAT_UNPACK(name)                                                   \
    void format_unpack_##name(const struct format_info *fmt, const void *src, \
                              union color *out)
#define FORMAT_PACK(name)                                  \
    void format_pack_##name(const struct format_info *fmt, \
                            const union color *in, void *dst)
#define FORMAT_OPS(name) \
    FORMAT_UNPACK(name); \
    FORMAT_PACK(name)
/* n equal channels in the order r, g, b, a */
#define FORMAT_ARRAY_OPS(kind) \
    FORMAT_OPS(kind##x1);      \
    FORMAT_OPS(kind##x2);      \
    FORMAT_OPS(kind##x3);      \
    FORMAT_OPS(kind##x4)

FORMAT_OPS(generic); /* any plain layout, by the channel table */
FORMAT_PACK(rt_generic);
FORMAT_OPS(none); /* not a plain format: unimp */
FORMAT_OPS(rgb9e5);
FORMAT_OPS(passthru); /* first four dwords, raw */
FORMAT_ARRAY_OPS(un8);
FORMAT_ARRAY_OPS(sn8);
FORMAT_ARRAY_OPS(ui8);
FORMAT_ARRAY_OPS(si8);
FORMAT_ARRAY_OPS(un16);
FORMAT_ARRAY_OPS(sn16);
FORMAT_ARRAY_OPS(ui16);
FORMAT_ARRAY_OPS(si16);
FORMAT_ARRAY_OPS(sf16);
FORMAT_ARRAY_OPS(ui32);
FORMAT_ARRAY_OPS(si32);
FORMAT_ARRAY_OPS(sf32);
FORMAT_OPS(bgra8);
FORMAT_OPS(bgrx8);
FORMAT_OPS(rgba8_srgb);
FORMAT_OPS(bgra8_srgb);
FORMAT_OPS(bgrx8_srgb);
FORMAT_OPS(rgb10a2);
FORMAT_OPS(bgr10a2);
FORMAT_OPS(bgr565);
FORMAT_PACK(rt_un8x1);
FORMAT_PACK(rt_un8x2);
FORMAT_PACK(rt_un8x3);
FORMAT_PACK(rt_un8x4);
FORMAT_PACK(rt_bgra8);
FORMAT_PACK(rt_bgrx8);
FORMAT_PACK(rt_rgb10a2);
FORMAT_PACK(rt_bgr10a2);
FORMAT_PACK(rt_bgr565);
FORMAT_OPS(r11g11b10);
FORMAT_OPS(r24x8);

/* sRGB to linear for a channel of `bits` (4, 5, 6, 8 or 10), and the inverse.
 */
float format_decode_srgb(uint32_t v, unsigned bits);
uint32_t format_encode_srgb(float linear, unsigned bits);

/* Generated tables. */
extern const float format_unorm8[256];
extern const float format_srgb8[256];
/* The two tables above begin at [4], so that four floats may be loaded before
 * and after each entry. */
extern const float format_unorm8_room[264], format_srgb8_room[264];
/* Upper and lower halves of the floats of format_srgb8; aligned to 64 bytes. */
extern const uint16_t format_srgb8_high[256], format_srgb8_low[256];
/* Bytes of the floats of format_srgb8, lowest first; aligned to 64 bytes. */
extern const uint8_t format_srgb8_byte[4][256];
/* The least float that encodes to k; [256] and [257] are infinity. */
extern const float format_srgb8_threshold[258];
/* Code of the first float of each of 64 steps per octave, from 2^-12 to 1. */
extern const uint8_t format_srgb8_start[12 * 64];

#endif
