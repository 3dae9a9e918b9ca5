/* aux_values.c: the values that clear blocks stand for. */
#include "sampler/surface/aux_codes.h"

#include <string.h>

void
aux_repeat(uint8_t value[16], unsigned element_B)
{
    for (unsigned i = element_B; i < 16; i++)
        value[i] = value[i - element_B];
}

void
aux_depth_value(const struct format_info *fmt, float z, uint8_t value[16])
{
    double unit = !(z > 0) ? 0 : z > 1 ? 1 : (double)z;
    uint32_t u;
    if (fmt->block_bits == 16)
        u = (uint32_t)(unit * 65535.0 + 0.5);
    else if (fmt->ch[0].kind == FORMAT_FLOAT)
        memcpy(&u, &z, 4);
    else
        u = (uint32_t)(unit * 16777215.0 + 0.5);
    memset(value, 0, 16);
    memcpy(value, &u, 4);
    aux_repeat(value, fmt->block_bits == 16 ? 2 : 4);
}

/* The linear variant of an sRGB format has the code before it. */
static const struct format_info *
linear_format(const struct surface *s)
{
    const struct format_info *f = s->fmt->srgb ? format_info(s->format - 1u)
                                               : s->fmt;
    bool same = f && f->block_bits == s->fmt->block_bits && !f->srgb;
    return same ? f : s->fmt;
}

/* Observed: the stock driver applies the format's conversion to a clear colour
 * but not the sRGB curve, so that views with and without the curve share it. */
void
aux_clear_value(const struct surface *s, uint8_t value[16])
{
    memset(value, 0, 16);
    if (s->aux == AUX_HIZ) {
        aux_depth_value(s->fmt, s->clear_color.f[0], value);
        return;
    }
    const struct format_info *fmt = linear_format(s);
    fmt->rt_pack(fmt, &s->clear_color, value);
    aux_repeat(value, s->fmt->element_B);
}
