/* avc_cavlc.c: residual blocks of CAVLC. ITU-T H.264, 9.2. */
#include "engine/mfx/avc/entropy/entropy.h"

#define PREFIX_MAX 25 /* zeros of a level_prefix, for 8 bits a sample */

/* One code, -1: there is none like it. */
static inline int
vlc_get(struct avc_bits *b, const struct avc_vlc *table)
{
    uint32_t next = avc_bits_peek(b, 16);
    const struct avc_vlc *e = table + (next >> 8);
    if (e->more)
        e = table + e->value + (next & 0xff);
    avc_bits_skip(b, e->length);
    return e->length ? e->value : -1;
}

/* coeff_token, table 9-5. */
static int
read_token(struct avc_bits *b, int nc)
{
    if (nc < 0)
        return vlc_get(b, avc_vlc_token_dc);
    if (nc < 8)
        return vlc_get(b, avc_vlc_tokens[nc < 2 ? 0 : nc < 4 ? 1 : 2]);
    uint32_t code = avc_bits_get(b, 6);
    if (code == 3)
        return AVC_TOKEN(0, 0);
    return AVC_TOKEN((int)(code & 3), (int)(code >> 2) + 1);
}

/* A level that is no trailing one, 9.2.2.1. */
static bool
read_level(struct avc_bits *b, unsigned suffix_length, bool add_2, int *level)
{
    uint32_t next = avc_bits_peek(b, 32);
    unsigned prefix = next ? (unsigned)__builtin_clz(next) : 32;
    if (prefix > PREFIX_MAX)
        return false;
    avc_bits_skip(b, prefix + 1);
    unsigned size = suffix_length;
    if (prefix == 14 && !suffix_length)
        size = 4;
    else if (prefix >= 15)
        size = prefix - 3;
    int code = (int)(MIN2(prefix, 15u) << suffix_length);
    if (size)
        code += (int)avc_bits_get(b, size);
    if (prefix >= 15 && !suffix_length)
        code += 15;
    if (prefix >= 16)
        code += (1 << (prefix - 3)) - 4096;
    if (add_2)
        code += 2;
    *level = code & 1 ? (-code - 1) >> 1 : (code + 2) >> 1;
    return true;
}

static bool
read_levels(struct avc_bits *b, unsigned total, unsigned ones, int *levels)
{
    for (unsigned i = 0; i < ones; i++)
        levels[i] = avc_bits_get(b, 1) ? -1 : 1;
    unsigned suffix_length = total > 10 && ones < 3;
    for (unsigned i = ones; i < total; i++) {
        if (!read_level(b, suffix_length, i == ones && ones < 3, &levels[i]))
            return false;
        int size = levels[i] < 0 ? -levels[i] : levels[i];
        if (!suffix_length)
            suffix_length = 1;
        if (size > 3 << (suffix_length - 1) && suffix_length < 6)
            suffix_length++;
    }
    return true;
}

int
avc_cavlc_block(struct avc_bits *b, int nc, unsigned max,
                struct avc_levels *out)
{
    int token = read_token(b, nc);
    if (token <= 0)
        return token;
    unsigned ones = (unsigned)token & 3, total = (unsigned)token >> 2;
    int levels[16];
    if (total > max || !read_levels(b, total, ones, levels))
        return -1;
    int left = 0;
    if (total < max)
        left = vlc_get(b,
                       nc < 0 ? avc_vlc_dc_zeros[total] : avc_vlc_zeros[total]);
    if (left < 0 || total + (unsigned)left > max)
        return -1;
    unsigned at = total + (unsigned)left - 1;
    for (unsigned i = 0; i < total; i++) {
        out->at[i] = (uint8_t)at;
        out->level[i] = (int16_t)levels[i];
        if (i + 1 == total)
            break;
        int run = left ? vlc_get(b, avc_vlc_runs[MIN2(left, 7)]) : 0;
        if (run < 0 || run > left)
            return -1;
        left -= run;
        at -= 1 + (unsigned)run;
    }
    return (int)total;
}
