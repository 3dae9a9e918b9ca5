/* test_format.c: formats: the table, and conversion of plain elements. */
#include <criterion/criterion.h>
#include <math.h>

#include "sampler/format/format_convert.h"
#include "sampler/format/format_ops.h"

enum {
    R32G32B32A32_FLOAT = 0x000,
    R32G32B32A32_SFIXED = 0x020,
    R16G16B16A16_UNORM = 0x080,
    R16G16B16A16_FLOAT = 0x084,
    R32_FLOAT_X8X24 = 0x088,
    X32_G8X24_UINT = 0x089,
    R64_FLOAT = 0x08d,
    B8G8R8A8_UNORM = 0x0c0,
    B8G8R8A8_UNORM_SRGB = 0x0c1,
    R10G10B10A2_UNORM = 0x0c2,
    R10G10B10A2_UINT = 0x0c4,
    R10G10B10_SNORM_A2_UNORM = 0x0c5,
    R8G8B8A8_UNORM = 0x0c7,
    R8G8B8A8_UNORM_SRGB = 0x0c8,
    R8G8B8A8_SNORM = 0x0c9,
    R8G8B8A8_SINT = 0x0ca,
    R8G8B8A8_UINT = 0x0cb,
    R11G11B10_FLOAT = 0x0d3,
    R24_UNORM_X8 = 0x0d9,
    X24_G8_UINT = 0x0da,
    L16A16_UNORM = 0x0df,
    I24X8_UNORM = 0x0e0,
    B8G8R8X8_UNORM = 0x0e9,
    R9G9B9E5 = 0x0ed,
    R8G8B8A8_SSCALED = 0x0f4,
    R16G16_USCALED = 0x0f7,
    B5G6R5_UNORM = 0x100,
    B5G5R5A1_UNORM = 0x102,
    R16_FLOAT = 0x10e,
    L8A8_UNORM = 0x114,
    R8_UNORM = 0x140,
    A8_UNORM = 0x144,
    I8_UNORM = 0x145,
    L8_UNORM_SRGB = 0x14c,
    R10G10B10A2_SINT = 0x1b6,
    B10G10R10A2_SNORM = 0x1b7,
    B10G10R10A2_USCALED = 0x1b8,
    B10G10R10A2_SSCALED = 0x1b9,
    B10G10R10A2_UINT = 0x1ba,
    B10G10R10A2_SINT = 0x1bb,
    RAW = 0x1ff,
    CODES = 0x400,
};

static union color
unpack(unsigned code, const void *src)
{
    union color c;
    memset(&c, 0xa5, sizeof c);
    format_unpack(format_info(code), src, &c);
    return c;
}

static union color
unpack32(unsigned code, uint32_t v)
{
    return unpack(code, &v);
}

static uint32_t
pack32(unsigned code, float r, float g, float b, float a)
{
    union color c = {.f = {r, g, b, a}};
    uint32_t v = 0;
    format_pack(format_info(code), &c, &v);
    return v;
}

static bool
is_color(union color c, float r, float g, float b, float a)
{
    return c.f[0] == r && c.f[1] == g && c.f[2] == b && c.f[3] == a;
}

static bool
is_plain(const struct format_info *fmt)
{
    return fmt && fmt->compression == FORMAT_PLAIN &&
           fmt->unpack != format_unpack_none;
}

Test(format, has_all_266)
{
    unsigned count = 0;
    for (unsigned code = 0; code < CODES; code++) {
        const struct format_info *fmt = format_info(code);
        if (!fmt)
            continue;
        count++;
        cr_assert_eq(fmt->code, code);
        cr_assert(fmt->unpack && fmt->pack, "%s", fmt->name);
        cr_assert_gt(fmt->block_w, 0);
        cr_assert_gt(fmt->block_h, 0);
        cr_assert_gt(fmt->element_B, 0);
    }
    cr_assert_eq(count, 266);
}

Test(format, unknown_codes_are_null)
{
    cr_assert_null(format_info(0x009));
    cr_assert_null(format_info(0x1fe));
    cr_assert_null(format_info(0x3ff));
    cr_assert_null(format_info(0xffffffff));
}

Test(format, channels_lie_within_the_element)
{
    for (unsigned code = 0; code < CODES; code++) {
        const struct format_info *fmt = format_info(code);
        if (!is_plain(fmt))
            continue;
        uint64_t used[4] = {0};
        for (unsigned i = 0; i < 4; i++) {
            const struct format_channel *ch = &fmt->ch[i];
            for (unsigned b = ch->start_bit;
                 ch->kind && b < ch->start_bit + ch->bits; b++) {
                cr_assert_lt(b, fmt->block_bits, "%s", fmt->name);
                cr_assert(!(used[b / 64] >> b % 64 & 1), "%s overlaps",
                          fmt->name);
                used[b / 64] |= UINT64_C(1) << b % 64;
            }
        }
    }
}

Test(format, capabilities)
{
    const struct format_info *fmt = format_info(B8G8R8A8_UNORM);
    cr_assert(fmt->can_sample && fmt->can_filter && fmt->can_render &&
              fmt->can_blend && fmt->can_vertex);
    cr_assert(!fmt->can_shadow);
    cr_assert(format_info(R24_UNORM_X8)->can_shadow);
    cr_assert(!format_info(R24_UNORM_X8)->can_render);
    cr_assert(!format_info(RAW)->can_sample);
}

/* The place of each byte. */
Test(format, channel_order)
{
    cr_assert(is_color(unpack32(R8G8B8A8_UNORM, 0xff000000), 0, 0, 0, 1));
    cr_assert(is_color(unpack32(R8G8B8A8_UNORM, 0x000000ff), 1, 0, 0, 0));
    cr_assert(is_color(unpack32(B8G8R8A8_UNORM, 0x000000ff), 0, 0, 1, 0));
    cr_assert(is_color(unpack32(B8G8R8X8_UNORM, 0x00ff0000), 1, 0, 0, 1));
    cr_assert(is_color(unpack32(B5G6R5_UNORM, 0xf800), 1, 0, 0, 1));
    cr_assert(is_color(unpack32(B5G6R5_UNORM, 0x07e0), 0, 1, 0, 1));
    cr_assert(is_color(unpack32(B5G5R5A1_UNORM, 0x801f), 0, 0, 1, 1));
    cr_assert(
        is_color(unpack32(R10G10B10A2_UNORM, 0x400003ff), 1, 0, 0, 1 / 3.0f));
    cr_assert_eq(pack32(B8G8R8A8_UNORM, 1, 0, 0, 0), 0x00ff0000);
    cr_assert_eq(pack32(B5G6R5_UNORM, 0, 1, 0, 0), 0x07e0);
    cr_assert_eq(pack32(R10G10B10A2_UNORM, 0, 0, 1, 1), 0xfff00000);
}

/* Vertex formats with blue in the low bits. */
Test(format, bgr10_vertices)
{
    const uint32_t v = 1u << 30 | 0x1ffu << 20;
    cr_assert(is_color(unpack32(B10G10R10A2_SNORM, v), 1, 0, 0, 1));
    cr_assert(is_color(unpack32(B10G10R10A2_USCALED, v | 7), 511, 0, 7, 1));
    cr_assert(is_color(unpack32(B10G10R10A2_SSCALED, v | 7), 511, 0, 7, 1));
    cr_assert_eq(unpack32(B10G10R10A2_UINT, v).u[0], 511);
    cr_assert_eq(unpack32(B10G10R10A2_SINT, 0x3ff).i[2], -1);
}

Test(format, luminance_intensity_alpha)
{
    cr_assert(is_color(unpack32(L8A8_UNORM, 0x00ff), 1, 1, 1, 0));
    cr_assert(is_color(unpack32(L8A8_UNORM, 0xff00), 0, 0, 0, 1));
    cr_assert(is_color(unpack32(L16A16_UNORM, 0xffff0000), 0, 0, 0, 1));
    cr_assert(is_color(unpack32(I8_UNORM, 0xff), 1, 1, 1, 1));
    cr_assert(is_color(unpack32(A8_UNORM, 0xff), 0, 0, 0, 1));
    cr_assert(is_color(unpack32(A8_UNORM, 0), 0, 0, 0, 0));
    cr_assert(is_color(unpack32(I24X8_UNORM, 0x00ffffff), 1, 1, 1, 1));
    cr_assert(is_color(unpack32(L8_UNORM_SRGB, 0xff), 1, 1, 1, 1));
}

Test(format, missing_channels_are_0001)
{
    uint64_t zero = 0;
    cr_assert(is_color(unpack(R8_UNORM, &zero), 0, 0, 0, 1));
    union color c = unpack(X24_G8_UINT, &zero);
    cr_assert(c.u[0] == 0 && c.u[1] == 0 && c.u[2] == 0 && c.u[3] == 1);
}

Test(format, depth_and_stencil_views)
{
    uint64_t v = 0xab3f800000;
    cr_assert(is_color(unpack(R32_FLOAT_X8X24, &v), 1, 0, 0, 1));
    cr_assert_eq(unpack(X32_G8X24_UINT, &v).u[1], 0xab);
    cr_assert_eq(unpack32(X24_G8_UINT, 0xcd123456).u[1], 0xcd);
    cr_assert_eq(unpack32(R24_UNORM_X8, 0xcdffffff).f[0], 1.0f);
    cr_assert_eq(unpack32(R24_UNORM_X8, 1).f[0], 1 / 16777215.0f);
}

Test(format, depth24_keeps_the_upper_byte)
{
    uint32_t v = 0xcd000000;
    union color c = {.f = {1, 0, 0, 0}};
    format_pack(format_info(R24_UNORM_X8), &c, &v);
    cr_assert_eq(v, 0xcdffffff);
}

/* Ties go to the even code; out of range saturates; NaN is 0. */
Test(format, unorm8_rounding)
{
    cr_assert_eq(pack32(R8_UNORM, 0.5f, 0, 0, 0), 128); /* 127.5 */
    cr_assert_eq(pack32(R8_UNORM, 0.1f, 0, 0, 0), 26);  /* 25.5000004 */
    cr_assert_eq(pack32(R8_UNORM, 0.3f, 0, 0, 0), 77);  /* 76.500003 */
    cr_assert_eq(pack32(R8_UNORM, nextafterf(0.5f, 0), 0, 0, 0), 127);
    cr_assert_eq(pack32(R8_UNORM, 7, 0, 0, 0), 255);
    cr_assert_eq(pack32(R8_UNORM, INFINITY, 0, 0, 0), 255);
    cr_assert_eq(pack32(R8_UNORM, -1, 0, 0, 0), 0);
    cr_assert_eq(pack32(R8_UNORM, -INFINITY, 0, 0, 0), 0);
    cr_assert_eq(pack32(R8_UNORM, NAN, 0, 0, 0), 0);
    cr_assert_eq(pack32(R8_UNORM, -NAN, 0, 0, 0), 0);
    cr_assert_eq(pack32(R8_UNORM, 1e-40f, 0, 0, 0), 0);
}

Test(format, unorm_is_nearest_even_of_the_product)
{
    static const uint32_t maxima[] = {1,   3,    15,    31,      63,
                                      255, 1023, 65535, 0xffffff};
    for (unsigned m = 0; m < ARRAY_SIZE(maxima); m++) {
        for (uint32_t u = 0x2f000000; u < 0x3f900000; u += 65521) {
            float f = float_from_bits(u);
            double want = nearbyint((double)MIN2(f, 1.0f) * maxima[m]);
            cr_assert_eq(convert_unorm_from_float(f, maxima[m]), (uint32_t)want,
                         "%a * %u", (double)f, maxima[m]);
            cr_assert_eq(convert_snorm_from_float(-f, maxima[m]),
                         -(int32_t)want);
        }
    }
}

/* Render targets: values of recorded frames, and values that typed writes have,
 * too. */
Test(format, render_targets_cut_unorm_off)
{
    static const struct {
        float value;
        uint32_t byte;
    } row[] = {{0.1f, 25},       {0.5f, 128},       {0.3f, 76},
               {0.7f, 178},      {0.9f, 229},       {0.2f, 51},
               {1.0f, 255},      {INFINITY, 255},   {-1.0f, 0},
               {NAN, 0},         {1e-40f, 0},       {-0.0f, 0},
               {0.499999f, 127}, {0.99999994f, 255}};
    for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
        union color c = {.f = {row[i].value, row[i].value, row[i].value, 1}};
        uint32_t v = 0, byte = row[i].byte;
        format_info(R8_UNORM)->rt_pack(format_info(R8_UNORM), &c, &v);
        cr_assert_eq(v, byte, "%a: %u, not %u", (double)row[i].value, v, byte);
        format_info(R8G8B8A8_UNORM)
            ->rt_pack(format_info(R8G8B8A8_UNORM), &c, &v);
        cr_assert_eq(v, byte * 0x010101 | 0xff000000);
    }
}

static double
rt_value(float f, unsigned bits)
{
    double unit = f > 1 ? 1 : f > 0 ? (double)f : 0;
    return floor(floor(unit * 65536) * ((1u << bits) - 1) / 65536 + 0.5);
}

/* All formats: channels that are UNORM of up to 10 bits differ, and no others.
 */
Test(format, render_targets_differ_in_narrow_unorm_only)
{
    unsigned narrow = 0;
    for (unsigned code = 0; code < 512; code++) {
        const struct format_info *f = format_info(code);
        if (!f || !f->can_render || f->compression != FORMAT_PLAIN)
            continue;
        for (uint32_t u = 0x38000000; u < 0x3f900000; u += 65521 * 7) {
            float v = float_from_bits(u);
            union color c = {.f = {v, v, v, v}};
            uint64_t typed[2] = {0}, rt[2] = {0};
            f->pack(f, &c, typed);
            f->rt_pack(f, &c, rt);
            for (unsigned i = 0; i < 4; i++) {
                const struct format_channel *ch = &f->ch[i];
                if (ch->kind == FORMAT_NONE || ch->kind == FORMAT_VOID)
                    continue;
                uint64_t mask = ch->bits > 63 ? ~UINT64_C(0)
                                              : (UINT64_C(1) << ch->bits) - 1;
                uint64_t a = typed[ch->start_bit / 64] >> ch->start_bit % 64 &
                             mask;
                uint64_t b = rt[ch->start_bit / 64] >> ch->start_bit % 64 &
                             mask;
                bool is_narrow = ch->kind == FORMAT_UNORM && ch->bits <= 10 &&
                                 !f->srgb;
                narrow += is_narrow;
                cr_assert_eq(b, is_narrow ? (uint64_t)rt_value(v, ch->bits) : a,
                             "%s, channel %u of %a", f->name, i, (double)v);
            }
        }
    }
    cr_assert_gt(narrow, 1000);
}

Test(format, snorm_has_two_minus_ones)
{
    union color c = unpack32(R8G8B8A8_SNORM, 0x00817f80);
    cr_assert(is_color(c, -1, 1, -1, 0));
    cr_assert_eq(pack32(R8G8B8A8_SNORM, -1, 1, -5, NAN), 0x00817f81);
}

Test(format, mixed_snorm_unorm)
{
    union color c = unpack32(R10G10B10_SNORM_A2_UNORM, 0xc00001ff);
    cr_assert(is_color(c, 1, 0, 0, 1));
}

Test(format, integers_saturate)
{
    union color c = {.i = {-129, 128, -1, 5}};
    uint32_t v;
    format_pack(format_info(R8G8B8A8_SINT), &c, &v);
    cr_assert_eq(v, 0x05ff7f80);
    c = (union color){.u = {256, 255, 0xffffffff, 0}};
    format_pack(format_info(R8G8B8A8_UINT), &c, &v);
    cr_assert_eq(v, 0x00ffffff);
    c = (union color){.u = {1024, 5, 0, 4}};
    format_pack(format_info(R10G10B10A2_UINT), &c, &v);
    cr_assert_eq(v, 0xc00017ff);
    cr_assert_eq(unpack32(R8G8B8A8_SINT, 0xff).i[0], -1);
    cr_assert_eq(unpack32(R10G10B10A2_SINT, 0x80000200).i[0], -512);
    cr_assert_eq(unpack32(R10G10B10A2_SINT, 0x80000200).i[3], -2);
}

Test(format, scaled_and_fixed)
{
    cr_assert(
        is_color(unpack32(R8G8B8A8_SSCALED, 0x01807fff), -1, 127, -128, 1));
    cr_assert(is_color(unpack32(R16G16_USCALED, 0xffff0003), 3, 65535, 0, 1));
    int32_t fixed[4] = {0x18000, -0x8000, 1, 0};
    cr_assert(is_color(unpack(R32G32B32A32_SFIXED, fixed), 1.5f, -0.5f,
                       1 / 65536.0f, 0));
    double d = 0.1;
    cr_assert_eq(unpack(R64_FLOAT, &d).f[0], 0.1f);
}

/* The value of a half float by definition; not for infinity and NaN. */
static double
half_value(uint32_t h)
{
    int exponent = h >> 10 & 31, mantissa = h & 0x3ff;
    double v = exponent ? ldexp(1024 + mantissa, exponent - 25)
                        : ldexp(mantissa, -24);
    return h >> 15 ? -v : v;
}

Test(format, half_floats_by_definition)
{
    for (uint32_t h = 0; h < 0x10000; h++) {
        float got = convert_float_from_half((uint16_t)h);
        cr_assert_eq(signbit(got) != 0, h >> 15 != 0, "%#x", h);
        if ((h & 0x7fff) > 0x7c00)
            cr_assert(isnan(got), "%#x", h);
        else if ((h & 0x7fff) == 0x7c00)
            cr_assert(isinf(got), "%#x", h);
        else
            cr_assert_eq(got, half_value(h), "%#x", h);
    }
}

/* The nearest multiple of the last place, even if halfway between two. */
static double
round_to_half(float f)
{
    int exponent;
    frexp(f, &exponent);
    double place = ldexp(1, MAX2(exponent - 1, -14) - 10);
    double v = nearbyint(f / place) * place;
    return fabs(v) > 65504 ? copysign(INFINITY, f) : v;
}

Test(format, to_half_is_nearest_even)
{
    for (uint64_t u = 0; u < UINT64_C(1) << 32; u += 40009) {
        float f = float_from_bits((uint32_t)u);
        uint16_t got = convert_half_from_float(f);
        if (isnan(f))
            cr_assert_gt(got & 0x7fff, 0x7c00);
        else if (isinf(round_to_half(f)))
            cr_assert_eq(got, f < 0 ? 0xfc00 : 0x7c00, "%a", (double)f);
        else
            cr_assert_eq(half_value(got), round_to_half(f), "%a", (double)f);
    }
    cr_assert_eq(convert_half_from_float(65519.996f), 0x7bff);
    cr_assert_eq(convert_half_from_float(65520.0f), 0x7c00);
    cr_assert_eq(convert_half_from_float(0x1p-25f), 0); /* tie to even */
    cr_assert_eq(convert_half_from_float(0x1.000002p-25f), 1);
    cr_assert_eq(convert_half_from_float(-0.0f), 0x8000);
}

Test(format, r11g11b10)
{
    cr_assert(is_color(unpack32(R11G11B10_FLOAT, 0x3c0), 1, 0, 0, 1));
    cr_assert(is_color(unpack32(R11G11B10_FLOAT, 0x3c0 << 11), 0, 1, 0, 1));
    cr_assert(is_color(unpack32(R11G11B10_FLOAT, 0x1e0u << 22), 0, 0, 1, 1));
    cr_assert(is_color(unpack32(R11G11B10_FLOAT, 1), 0x1p-20f, 0, 0, 1));
    cr_assert_eq(pack32(R11G11B10_FLOAT, -3, 1, 0.5f, 0),
                 0x3c0u << 11 | 0x1c0u << 22);
    cr_assert_eq(pack32(R11G11B10_FLOAT, 65024, 0, 0, 0), 0x7bf);
    cr_assert_eq(pack32(R11G11B10_FLOAT, INFINITY, -INFINITY, 0, 0), 0x7c0);
    cr_assert_gt(pack32(R11G11B10_FLOAT, NAN, 0, 0, 0), 0x7c0);
}

/* From the tables of EXT_texture_shared_exponent. */
Test(format, shared_exponent)
{
    cr_assert(is_color(unpack32(R9G9B9E5, 0), 0, 0, 0, 1));
    cr_assert(is_color(unpack32(R9G9B9E5, 0xffffffff), 65408, 65408, 65408, 1));
    cr_assert(is_color(unpack32(R9G9B9E5, 16u << 27 | 256), 1, 0, 0, 1));
    cr_assert_eq(pack32(R9G9B9E5, 1, 0, 0, 0), 16u << 27 | 256);
    cr_assert_eq(pack32(R9G9B9E5, 1e9f, NAN, -2, 0), 31u << 27 | 511);
    cr_assert_eq(pack32(R9G9B9E5, 0x1p-24f, 0, 0, 0), 1);
    cr_assert_eq(pack32(R9G9B9E5, 0.9999f, 0, 0, 0), 16u << 27 | 256);
}

static double
srgb_to_linear(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double
linear_to_srgb(double v)
{
    return v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

Test(format, srgb_decodes_like_the_formula)
{
    for (uint32_t v = 0; v < 256; v++) {
        union color c = unpack32(B8G8R8A8_UNORM_SRGB, v << 16 | v << 24);
        double want = srgb_to_linear(v / 255.0);
        cr_assert_eq(c.f[0], (float)want, "%u", v);
        cr_assert_eq(c.f[3], v / 255.0f); /* alpha is linear */
    }
}

Test(format, srgb_encodes_like_the_formula)
{
    for (uint32_t u = 0x30000000; u < 0x3f800000; u += 9973) {
        float f = float_from_bits(u);
        double exact = linear_to_srgb(f) * 255;
        if (fabs(exact - floor(exact) - 0.5) < 1e-6)
            continue; /* the reference is not exact either */
        uint32_t v = pack32(R8G8B8A8_UNORM_SRGB, f, 0, 0, f);
        cr_assert_eq(v & 0xff, (uint32_t)floor(exact + 0.5), "%a", (double)f);
        cr_assert_eq(v >> 24, (uint32_t)nearbyint(f * 255.0));
    }
    cr_assert_eq(pack32(R8G8B8A8_UNORM_SRGB, NAN, 2, -1, 0), 0xff00);
    cr_assert_eq(pack32(R8G8B8A8_UNORM_SRGB, INFINITY, -INFINITY, 1, 0),
                 0xff00ff);
}

/* Bits that unpack reads. */
static uint64_t
visible_mask(const struct format_info *fmt)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < 4; i++) {
        const struct format_channel *ch = &fmt->ch[i];
        if (ch->kind != FORMAT_NONE && ch->kind != FORMAT_VOID)
            mask |= ((UINT64_C(1) << ch->bits) - 1) << ch->start_bit;
    }
    return mask;
}

/* NaN payloads and the second -1 of SNORM do not survive. */
static bool
same_value(const union color *a, const union color *b)
{
    for (unsigned i = 0; i < 4; i++) {
        bool both_nan = a->f[i] != a->f[i] && b->f[i] != b->f[i];
        if (a->u[i] != b->u[i] && !both_nan)
            return false;
    }
    return true;
}

static void
check_round_trip(const struct format_info *fmt, uint64_t v)
{
    uint64_t back = 0;
    union color c, again;
    fmt->unpack(fmt, &v, &c);
    fmt->pack(fmt, &c, &back);
    fmt->unpack(fmt, &back, &again);
    cr_assert(same_value(&c, &again), "%s %#lx -> %#lx", fmt->name,
              (unsigned long)v, (unsigned long)back);
    bool ambiguous = false;
    for (unsigned i = 0; i < 4; i++) {
        ambiguous |= fmt->ch[i].kind == FORMAT_SNORM;
        ambiguous |= !fmt->is_int && c.f[i] != c.f[i];
    }
    if (!ambiguous)
        cr_assert_eq(back & visible_mask(fmt), v & visible_mask(fmt),
                     "%s %#lx -> %#lx", fmt->name, (unsigned long)v,
                     (unsigned long)back);
}

Test(format, every_code_of_16_bits_survives)
{
    for (unsigned code = 0; code < CODES; code++) {
        const struct format_info *fmt = format_info(code);
        if (!is_plain(fmt) || fmt->block_bits > 16 || fmt->block_bits < 8)
            continue;
        for (uint32_t v = 0; v < 1u << fmt->block_bits; v++)
            check_round_trip(fmt, v);
    }
}

Test(format, many_codes_of_32_bits_survive)
{
    for (unsigned code = 0; code < CODES; code++) {
        const struct format_info *fmt = format_info(code);
        if (!is_plain(fmt) || fmt->block_bits != 32 || code == R9G9B9E5)
            continue;
        if (fmt->ch[0].kind == FORMAT_USCALED ||
            fmt->ch[0].kind == FORMAT_SSCALED ||
            fmt->ch[0].kind == FORMAT_SFIXED || fmt->ch[0].bits == 32 ||
            fmt->ch[3].bits == 32)
            continue; /* more bits than a float has */
        for (uint64_t v = 0; v < UINT64_C(1) << 32; v += 1000003)
            check_round_trip(fmt, v);
    }
}

static uint32_t
hostile_dword(uint32_t *seed)
{
    static const uint32_t values[] = {
        0,          0x80000000, 1,          0x7f800000, 0xff800000,
        0x7f800001, 0x7fc00000, 0xffffffff, 0x3f800000, 0x80007fff,
    };
    *seed = *seed * 1664525 + 1013904223;
    unsigned i = *seed >> 28;
    return i < 10 ? values[i] : *seed * 2654435761u;
}

static void
put_code(uint32_t element[4], const struct format_channel *ch, uint32_t code)
{
    if (ch->kind == FORMAT_NONE || ch->bits > 16)
        return;
    uint32_t mask = (1u << ch->bits) - 1;
    unsigned at = ch->start_bit / 32, shift = ch->start_bit % 32;
    element[at] = (element[at] & ~(mask << shift)) | (code & mask) << shift;
}

/* Every code of every channel of up to 16 bits, random bits in the others. */
Test(format, same_bits_means_that_all_survive)
{
    unsigned pairs = 0;
    uint32_t seed = 1;
    for (unsigned i = 0; i < CODES * CODES; i++) {
        const struct format_info *from = format_info(i / CODES);
        const struct format_info *to = format_info(i % CODES);
        if (!from || !to || !format_same_bits(from, to))
            continue;
        pairs++;
        for (uint32_t n = 0; n < 1u << 16; n++) {
            uint32_t in[4], out[4] = {0};
            union color c;
            for (unsigned k = 0; k < 4; k++)
                in[k] = n & 1 ? hostile_dword(&seed)
                              : (n * 0x10001u ^ seed) * (2 * k + 1);
            for (unsigned k = 0; k < 4; k++)
                put_code(in, &from->ch[k], n);
            from->unpack(from, in, &c);
            to->pack(to, &c, out);
            cr_assert_eq(memcmp(in, out, to->block_bits / 8), 0,
                         "%s to %s: %08x", from->name, to->name, in[0]);
        }
    }
    cr_assert_gt(pairs, 40);
}

/* The functions for common layouts must match the generic one. */
Test(format, fast_routines_match_the_generic_one)
{
    uint64_t seed = 1;
    for (unsigned code = 0; code < CODES; code++) {
        const struct format_info *fmt = format_info(code);
        if (!is_plain(fmt) || fmt->unpack == format_unpack_generic ||
            fmt->unpack == format_unpack_passthru || code == R9G9B9E5)
            continue;
        for (unsigned n = 0; n < 500; n++) {
            uint64_t src[4], a[4] = {0}, b[4] = {0};
            for (unsigned i = 0; i < 4; i++)
                src[i] = seed = seed * UINT64_C(6364136223846793005) + 12345;
            union color x, y;
            fmt->unpack(fmt, src, &x);
            format_unpack_generic(fmt, src, &y);
            cr_assert_eq(memcmp(&x, &y, sizeof x), 0, "unpack %s", fmt->name);
            for (unsigned i = 0; i < 4 && !fmt->is_int; i++)
                x.f[i] = (float)(int32_t)(src[i] >> 32) / 1.5e9f;
            fmt->pack(fmt, &x, a);
            format_pack_generic(fmt, &x, b);
            if (code == R24_UNORM_X8)
                b[0] &= 0xffffff;
            cr_assert_eq(memcmp(a, b, sizeof a), 0, "pack %s", fmt->name);
        }
    }
}

Test(format, pack_writes_only_its_bytes)
{
    for (unsigned code = 0; code < CODES; code++) {
        const struct format_info *fmt = format_info(code);
        if (!is_plain(fmt))
            continue;
        uint8_t buf[48];
        union color c = {.f = {1, 1, 1, 1}};
        memset(buf, 0x5a, sizeof buf);
        fmt->pack(fmt, &c, buf + 1);
        cr_assert_eq(buf[0], 0x5a, "%s", fmt->name);
        for (unsigned i = 1u + fmt->element_B; i < sizeof buf; i++)
            cr_assert_eq(buf[i], 0x5a, "%s", fmt->name);
    }
}

Test(format, clamp_follows_the_kind)
{
    union color c = {.f = {2, -2, 0.5f, NAN}};
    format_clamp(format_info(R8G8B8A8_UNORM), &c);
    cr_assert(is_color(c, 1, 0, 0.5f, 0));
    c = (union color){.f = {2, -2, 0.5f, -0.5f}};
    format_clamp(format_info(R8G8B8A8_SNORM), &c);
    cr_assert(is_color(c, 1, -1, 0.5f, -0.5f));
    c = (union color){.f = {2, -2, 0.5f, 9}};
    format_clamp(format_info(R16G16B16A16_FLOAT), &c);
    cr_assert(is_color(c, 2, -2, 0.5f, 9));
    /* An alpha that the format lacks still takes part in blending. */
    c = (union color){.f = {2, -2, 0.5f, 9}};
    format_clamp(format_info(R8_UNORM), &c);
    cr_assert(is_color(c, 1, 0, 0.5f, 1));
}
