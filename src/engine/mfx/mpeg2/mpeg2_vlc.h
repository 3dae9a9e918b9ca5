/* mpeg2_vlc.h: variable length codes of MPEG-2. Tables are generated from
 * mpeg2_vlc.csv. */
#ifndef ENGINE_MFX_MPEG2_VLC_H
#define ENGINE_MFX_MPEG2_VLC_H

#include "engine/mfx/mfx_bits.h"

/* Values of coefficient codes. */
#define MPEG2_RUN_LEVEL(run, level) ((run) << 6 | (level))
#define MPEG2_END 0x7ffe
#define MPEG2_ESCAPE 0x7fff
/* Value of macroblock_escape. */
#define MPEG2_INCREMENT_ESCAPE 34

struct mpeg2_vlc {
    int16_t value;  /* or the index of further entries */
    uint8_t length; /* bits of the code; 0: there is none */
    uint8_t more;   /* whether codes are longer than 8 bits */
};

extern const struct mpeg2_vlc mpeg2_vlc_increment[], mpeg2_vlc_type_i[],
    mpeg2_vlc_type_p[], mpeg2_vlc_type_b[], mpeg2_vlc_pattern[],
    mpeg2_vlc_motion[], mpeg2_vlc_dc_luma[], mpeg2_vlc_dc_chroma[],
    mpeg2_vlc_coefficient_0[], mpeg2_vlc_coefficient_1[];

/* Reads one code; -1: there is none like it. */
static inline int
mpeg2_vlc_get(struct mfx_bits *b, const struct mpeg2_vlc *table)
{
    uint32_t next = mfx_bits_peek(b, 16);
    const struct mpeg2_vlc *e = table + (next >> 8);
    if (e->more)
        e = table + e->value + (next & 0xff);
    mfx_bits_skip(b, e->length);
    return e->length ? e->value : -1;
}

#endif
