/* test_decode.c: compressed blocks, with texels worked out by hand from the
 * specifications (D3D11 functional spec; Khronos Data Format Specification). */
#include <criterion/criterion.h>
#include <math.h>

#include "sampler/sampler.h"

enum {
    DXT1_RGB = 0x191,
    BC1 = 0x186,
    BC1_SRGB = 0x18b,
    BC2 = 0x187,
    BC3 = 0x188,
    BC4 = 0x189,
    BC4_SNORM = 0x199,
    BC5 = 0x18a,
    BC6H_SF16 = 0x1a1,
    BC6H_UF16 = 0x1a4,
    BC7 = 0x1a2,
    ETC1 = 0x1a9,
    ETC2 = 0x1aa,
    EAC_R11 = 0x1ab,
    EAC_RG11 = 0x1ac,
    EAC_SIGNED_R11 = 0x1ad,
    ETC2_PTA = 0x1c0,
    ETC2_RGBA8 = 0x1c2,
    FXT1 = 0x192,
    YUYV = 0x182,
    VYUY = 0x183,
    YVYU = 0x18f,
    UYVY = 0x190,
    ASTC_4X4_SRGB = 0x200,
    ASTC_4X4 = 0x240,
    ASTC_12X12 = 0x27f,
    CODES = 0x400,
};

static union color
texel(unsigned code, const uint8_t *block, unsigned x, unsigned y)
{
    union color c;
    format_decode_block(format_info(code), block, x, y, &c);
    return c;
}

/* r, g, b, a in 1/255. */
static void
expect8(union color c, int r, int g, int b, int a, int line)
{
    int want[4] = {r, g, b, a};
    for (unsigned i = 0; i < 4; i++)
        cr_assert_float_eq(c.f[i] * 255.0f, (float)want[i], 1e-3,
                           "line %d channel %u: %g, not %d", line, i,
                           (double)c.f[i] * 255, want[i]);
}
#define EXPECT8(c, r, g, b, a) expect8(c, r, g, b, a, __LINE__)

/* Red, blue, and the two in between. */
static const uint8_t bc1_red_blue[8] = {0x00, 0xf8, 0x1f, 0x00, 0xe4};

Test(decode, bc1_four_colours)
{
    EXPECT8(texel(BC1, bc1_red_blue, 0, 0), 255, 0, 0, 255);
    EXPECT8(texel(BC1, bc1_red_blue, 1, 0), 0, 0, 255, 255);
    EXPECT8(texel(BC1, bc1_red_blue, 2, 0), 170, 0, 85, 255);
    EXPECT8(texel(BC1, bc1_red_blue, 3, 0), 85, 0, 170, 255);
    EXPECT8(texel(BC1, bc1_red_blue, 3, 3), 255, 0, 0, 255);
}

Test(decode, bc1_three_colours_and_a_hole)
{
    static const uint8_t block[8] = {0x1f, 0x00, 0x00, 0xf8, 0xe4};
    EXPECT8(texel(BC1, block, 0, 0), 0, 0, 255, 255);
    EXPECT8(texel(BC1, block, 2, 0), 127, 0, 127, 255);
    EXPECT8(texel(BC1, block, 3, 0), 0, 0, 0, 0);
    EXPECT8(texel(DXT1_RGB, block, 3, 0), 0, 0, 0, 255);
}

Test(decode, bc1_srgb_is_linear_light)
{
    union color c = texel(BC1_SRGB, bc1_red_blue, 2, 0);
    cr_assert_float_eq(c.f[0], pow((170 / 255.0 + 0.055) / 1.055, 2.4), 1e-6);
    cr_assert_eq(c.f[3], 1.0f);
}

Test(decode, bc2_alpha_is_explicit)
{
    uint8_t block[16] = {0x50, 0x00, 0xf0};
    memcpy(block + 8, bc1_red_blue, 8);
    EXPECT8(texel(BC2, block, 0, 0), 255, 0, 0, 0);
    EXPECT8(texel(BC2, block, 1, 0), 0, 0, 255, 85);
    EXPECT8(texel(BC2, block, 1, 1), 255, 0, 0, 255);
}

/* A colour block of BC3 has four colours in any order of its end points. */
Test(decode, bc3_alpha_ramps)
{
    uint8_t block[16] = {255, 0, 0x88, 0xc6, 0xfa};
    static const uint8_t reversed[8] = {0x1f, 0x00, 0x00, 0xf8, 0xe4};
    memcpy(block + 8, reversed, 8);
    /* 24 bits 0xfac688 from the low end: 0 1 2 3 4 5 6... in 3 bits each. */
    cr_assert_float_eq(texel(BC3, block, 0, 0).f[3], 1.0f, 0);
    cr_assert_float_eq(texel(BC3, block, 1, 0).f[3], 0.0f, 0);
    cr_assert_float_eq(texel(BC3, block, 2, 0).f[3], 6 / 7.0, 1e-6);
    cr_assert_float_eq(texel(BC3, block, 3, 0).f[3], 5 / 7.0, 1e-6);
    cr_assert_float_eq(texel(BC3, block, 3, 1).f[3], 1 / 7.0, 1e-6);
    cr_assert_float_eq(texel(BC3, block, 3, 0).f[0] * 255, 170, 1e-3);
}

Test(decode, bc4_six_steps_and_the_ends)
{
    static const uint8_t block[8] = {0, 255, 0x88, 0xc6, 0xfa};
    cr_assert_float_eq(texel(BC4, block, 2, 0).f[0], 1 / 5.0, 1e-6);
    cr_assert_float_eq(texel(BC4, block, 1, 1).f[0], 4 / 5.0, 1e-6);
    cr_assert_eq(texel(BC4, block, 2, 1).f[0], 0.0f);
    cr_assert_eq(texel(BC4, block, 3, 1).f[0], 1.0f);
    cr_assert_eq(texel(BC4, block, 3, 1).f[3], 1.0f);
}

Test(decode, bc4_signed)
{
    static const uint8_t block[8] = {0x80, 127, 0x88, 0xc6, 0xfa};
    cr_assert_eq(texel(BC4_SNORM, block, 0, 0).f[0], -1.0f);
    cr_assert_eq(texel(BC4_SNORM, block, 1, 0).f[0], 1.0f);
    cr_assert_float_eq(texel(BC4_SNORM, block, 2, 0).f[0], -0.6, 1e-6);
    cr_assert_eq(texel(BC4_SNORM, block, 2, 1).f[0], -1.0f);
}

Test(decode, bc5_has_two_channels)
{
    static const uint8_t block[16] = {10, 0, 0, 0, 0, 0, 0, 0, 20};
    EXPECT8(texel(BC5, block, 2, 2), 10, 20, 0, 255);
}

/* Little-endian bit writer for long blocks. */
static void
put(uint8_t block[16], unsigned *at, unsigned bits, uint32_t v)
{
    for (unsigned i = 0; i < bits; i++, ++*at)
        block[*at / 8] |= (uint8_t)((v >> i & 1) << *at % 8);
}

/* Mode 6: one subset, 7 bits and a P bit per end, 4-bit indices. */
Test(decode, bc7_mode_6)
{
    uint8_t block[16] = {0};
    unsigned at = 0;
    put(block, &at, 7, 1 << 6);
    static const uint32_t ends[8] = {0, 127, 10, 20, 127, 0, 127, 127};
    for (unsigned i = 0; i < 8; i++)
        put(block, &at, 7, ends[i]);
    put(block, &at, 2, 2); /* P of end 1 */
    put(block, &at, 3, 0);
    put(block, &at, 4, 15);
    put(block, &at, 4, 8);
    EXPECT8(texel(BC7, block, 0, 0), 0, 20, 254, 254);
    EXPECT8(texel(BC7, block, 1, 0), 255, 41, 1, 255);
    /* weight 34/64 */
    EXPECT8(texel(BC7, block, 2, 0), (255 * 34 + 32) / 64,
            (20 * 30 + 41 * 34 + 32) / 64, (254 * 30 + 34 + 32) / 64,
            (254 * 30 + 255 * 34 + 32) / 64);
}

/* Mode 5 with rotation 1: swaps red and alpha. */
Test(decode, bc7_rotation)
{
    uint8_t block[16] = {0};
    unsigned at = 0;
    put(block, &at, 6, 1 << 5);
    put(block, &at, 2, 1);
    for (unsigned i = 0; i < 6; i++)
        put(block, &at, 7, i < 2 ? 127 : 0);
    put(block, &at, 8, 17);
    put(block, &at, 8, 17);
    EXPECT8(texel(BC7, block, 0, 0), 17, 0, 0, 255);
}

/* Mode 1, partition 0: the right two columns are subset 1. */
Test(decode, bc7_two_subsets)
{
    uint8_t block[16] = {0};
    unsigned at = 0;
    put(block, &at, 2, 2);
    put(block, &at, 6, 0);
    for (unsigned i = 0; i < 4; i++)
        put(block, &at, 6, i < 2 ? 63 : 0); /* red: subset 0 only */
    for (unsigned i = 0; i < 4; i++)
        put(block, &at, 6, i < 2 ? 0 : 63); /* green: subset 1 only */
    at += 24;
    put(block, &at, 2, 3);
    EXPECT8(texel(BC7, block, 1, 3), 255, 2, 2, 255);
    EXPECT8(texel(BC7, block, 2, 0), 2, 255, 2, 255);
}

Test(decode, bc7_reserved_mode_is_zero)
{
    static const uint8_t block[16] = {0, 1, 2, 3};
    EXPECT8(texel(BC7, block, 0, 0), 0, 0, 0, 0);
}

/* Mode 11 (code 3): one subset, 10-bit ends stored directly. */
Test(decode, bc6h_unsigned_direct)
{
    uint8_t block[16] = {0};
    unsigned at = 0;
    put(block, &at, 5, 3);
    static const uint32_t ends[6] = {0, 1023, 512, 0, 1023, 512};
    for (unsigned i = 0; i < 6; i++)
        put(block, &at, 10, ends[i]);
    union color c = texel(BC6H_UF16, block, 0, 0);
    cr_assert_eq(c.f[0], 0.0f);
    /* 1023 is 0xffff, times 31/64 is 0x7bff, the largest half. */
    cr_assert_eq(c.f[1], 65504.0f);
    /* 512: (512 << 16 + 0x8000) >> 10 = 0x8020; * 31 / 64 = 0x3e0f. */
    cr_assert_eq(c.f[2], 1.0f + 0x20f / 1024.0f);
    cr_assert_eq(c.f[3], 1.0f);
}

Test(decode, bc6h_signed_direct)
{
    uint8_t block[16] = {0};
    unsigned at = 0;
    put(block, &at, 5, 3);
    static const uint32_t ends[6] = {0x200, 0x1ff, 0, 0, 0, 0};
    for (unsigned i = 0; i < 6; i++)
        put(block, &at, 10, ends[i]);
    union color c = texel(BC6H_SF16, block, 0, 0);
    cr_assert_eq(c.f[0], -65504.0f);
    cr_assert_eq(c.f[1], 65504.0f);
    cr_assert_eq(c.f[2], 0.0f);
}

Test(decode, bc6h_reserved_mode_is_black)
{
    static const uint8_t block[16] = {0x13, 0xff, 0xff, 0xff};
    EXPECT8(texel(BC6H_UF16, block, 1, 1), 0, 0, 0, 255);
}

/* Individual mode: left half 0xf,0,0, right half 0,0xf,0; tables 0 and 7. */
Test(decode, etc1_individual)
{
    static const uint8_t block[8] = {0xf0, 0x0f, 0x00, 0x1c,
                                     0x00, 0x01, 0x80, 0x01};
    /* Pixel 0 (top left): msb 1, lsb 1 -> -8. Pixel 15: lsb 1 -> +183. */
    EXPECT8(texel(ETC1, block, 0, 0), 247, 0, 0, 255);
    EXPECT8(texel(ETC1, block, 0, 1), 255, 2, 2, 255);
    EXPECT8(texel(ETC1, block, 3, 3), 183, 255, 183, 255);
    EXPECT8(texel(ETC1, block, 2, 0), 47, 255, 47, 255);
}

/* Differential, flipped: 16 + (-1) for red below. */
Test(decode, etc1_differential_flipped)
{
    static const uint8_t block[8] = {0x87, 0x00, 0x00, 0x03};
    EXPECT8(texel(ETC1, block, 3, 1), 132 + 2, 2, 2, 255);
    EXPECT8(texel(ETC1, block, 0, 2), 123 + 2, 2, 2, 255);
}

/* Blue overflows: planar. O = (63, 0, 0), H = (0, 127, 0), V = (0, 0, 63).
 * Bits (Data Format Specification, "planar"): RO 62:57, BO1 48, BO2 44:43,
 * BO3 41:39, RH 38:34 and 32, GH 31:25, BH 24:19, RV 18:13, GV 12:6, BV 5:0.
 * Bits 44:43 of blue are 0 and the difference 42..40 must make it negative,
 * so bit 42 is set. Red and green must stay in range. */
Test(decode, etc2_planar)
{
    uint64_t v = UINT64_C(63) << 57 | UINT64_C(1) << 42 | UINT64_C(1) << 33 |
                 UINT64_C(127) << 25 | 63;
    /* Red 63:59 = 15, 58:56 = 6 - 8: fine. */
    uint8_t block[8];
    for (unsigned i = 0; i < 8; i++)
        block[i] = (uint8_t)(v >> (56 - 8 * i));
    EXPECT8(texel(ETC2, block, 0, 0), 255, 0, 0, 255);
    EXPECT8(texel(ETC2, block, 2, 0), (2 * -255 + 4 * 255 + 2) >> 2,
            (2 * 255 + 2) >> 2, 0, 255);
    EXPECT8(texel(ETC2, block, 1, 3), 0, (255 + 2) >> 2, (3 * 255 + 2) >> 2,
            255);
}

/* Red overflows: T. Colours 0x0 and 0xf, distance 3. */
Test(decode, etc2_t_mode)
{
    /* R1: bits 60:59 = 0, 57:56 = 0; 63:61 and 58 chosen so that
     * 0 + (-4) underflows: bit 58 set. R2 G2 B2 (47:36) = 8. */
    uint64_t v = UINT64_C(1) << 58 | UINT64_C(0x888) << 36 | UINT64_C(1) << 33 |
                 UINT64_C(0x00020003);
    uint8_t block[8];
    for (unsigned i = 0; i < 8; i++)
        block[i] = (uint8_t)(v >> (56 - 8 * i));
    EXPECT8(texel(ETC2, block, 0, 0), 139, 139, 139, 255); /* index 1 */
    EXPECT8(texel(ETC2, block, 0, 1), 133, 133, 133, 255); /* index 3 */
    EXPECT8(texel(ETC2, block, 0, 2), 0, 0, 0, 255);       /* index 0 */
}

Test(decode, etc2_punch_through)
{
    /* Not opaque: index 2 is a hole and index 0 adds nothing. */
    static const uint8_t block[8] = {0x80, 0x80, 0x80, 0x00,
                                     0x00, 0x01, 0x00, 0x02};
    EXPECT8(texel(ETC2_PTA, block, 0, 0), 0, 0, 0, 0);
    EXPECT8(texel(ETC2_PTA, block, 0, 1), 140, 140, 140, 255);
    EXPECT8(texel(ETC2_PTA, block, 0, 2), 132, 132, 132, 255);
}

Test(decode, eac_alpha_and_r11)
{
    /* Base 100, multiplier 2, table 0; first index 7 (+14), others 0 (-3). */
    static const uint8_t block[16] = {100, 0x20, 0xe0};
    cr_assert_float_eq(texel(ETC2_RGBA8, block, 0, 0).f[3] * 255, 128, 1e-3);
    cr_assert_float_eq(texel(ETC2_RGBA8, block, 3, 3).f[3] * 255, 94, 1e-3);
    cr_assert_float_eq(texel(EAC_R11, block, 0, 0).f[0],
                       (804 + 14 * 16) / 2047.0, 1e-6);
    cr_assert_float_eq(texel(EAC_SIGNED_R11, block, 0, 0).f[0], 1.0f, 0);
    cr_assert_float_eq(texel(EAC_SIGNED_R11, block, 1, 1).f[0],
                       (800 - 48) / 1023.0, 1e-6);
    cr_assert_float_eq(texel(EAC_RG11, block, 0, 0).f[1], (4 - 3) / 2047.0,
                       1e-6); /* multiplier 0 means 1/8 */
}

Test(decode, eac_signed_minus_128)
{
    static const uint8_t block[8] = {0x80, 0x10};
    cr_assert_eq(texel(EAC_SIGNED_R11, block, 0, 0).f[0], -1.0f);
}

/* CC_HI: white to black in six steps, then a hole. */
Test(decode, fxt1_hi)
{
    uint8_t block[16] = {0};
    unsigned at = 0;
    for (unsigned i = 0; i < 32; i++)
        put(block, &at, 3, i == 16 ? 7 : i % 8 == 3 ? 2 : 6);
    put(block, &at, 15, 0x7fff);
    EXPECT8(texel(FXT1, block, 3, 0), 170, 170, 170, 255);
    EXPECT8(texel(FXT1, block, 4, 0), 0, 0, 0, 0);
    EXPECT8(texel(FXT1, block, 7, 3), 0, 0, 0, 255);
}

/* CC_MIXED, opaque. The left square goes from blue to green. Their sixth bits
 * are 1 for the second and, flipped by the first texel's index, 0 for the
 * first. The right square is black. */
Test(decode, fxt1_mixed)
{
    uint8_t block[16] = {0};
    unsigned at = 0;
    put(block, &at, 2, 3);
    put(block, &at, 2, 0);
    put(block, &at, 2, 1);
    at = 64;
    put(block, &at, 15, 31);
    put(block, &at, 15, 31 << 5);
    at = 125;
    put(block, &at, 3, 1 | 4);
    EXPECT8(texel(FXT1, block, 0, 0), 0, 255, 0, 255);
    EXPECT8(texel(FXT1, block, 1, 0), 0, 0, 255, 255);
    EXPECT8(texel(FXT1, block, 2, 0), 0, 85, 170, 255);
    EXPECT8(texel(FXT1, block, 4, 0), 0, 0, 0, 255);
}

Test(decode, packed_yuv_orders)
{
    static const uint8_t block[4] = {10, 20, 30, 40};
    EXPECT8(texel(YUYV, block, 0, 0), 40, 10, 20, 255); /* Cr, Y, Cb */
    EXPECT8(texel(YUYV, block, 1, 0), 40, 30, 20, 255);
    EXPECT8(texel(YVYU, block, 0, 0), 20, 10, 40, 255);
    EXPECT8(texel(UYVY, block, 1, 0), 30, 40, 10, 255);
    EXPECT8(texel(VYUY, block, 0, 0), 10, 20, 30, 255);
}

/* Void extent: one 16-bit colour, no extent. */
Test(decode, astc_void_extent)
{
    uint8_t block[16] = {0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                         0xff, 0xff, 0x00, 0x80, 0x34, 0x12, 0x00, 0x00};
    union color c = texel(ASTC_12X12, block, 11, 11);
    cr_assert_eq(c.f[0], 1.0f);
    cr_assert_eq(c.f[1], 0.5f);
    cr_assert_eq(c.f[2], (0x1234 & ~1) / 65536.0f); /* eleven bits */
    cr_assert_eq(c.f[3], 0.0f);
    c = texel(ASTC_4X4_SRGB, block, 0, 0);
    cr_assert_float_eq(c.f[1], pow((128 / 255.0 + 0.055) / 1.055, 2.4), 1e-6);
    block[1] |= 2; /* HDR */
    EXPECT8(texel(ASTC_4X4, block, 0, 0), 255, 0, 255, 255);
}

/* 4x4 grid of 2-bit weights (32 bits), one partition, luminance (CEM 0) with
 * two 8-bit values at bit 17: the remaining 79 bits are ample. Block mode: bits
 * 1:0 = 2 with bit 4 = 0 are R = 4 (0..3); W = B + 4 with bits 8:7 = 0; H = A +
 * 2 with bits 6:5 = 2. */
Test(decode, astc_luminance_ramp)
{
    uint8_t block[16] = {0};
    unsigned at = 0;
    put(block, &at, 11, 2 | 2 << 5);
    put(block, &at, 2, 0);
    put(block, &at, 4, 0);
    put(block, &at, 8, 0);
    put(block, &at, 8, 255);
    /* Weights go down from bit 127: texel 1 has 3, 2 has 1, 3 has 2. */
    block[15] |= 1 << 5 | 1 << 4; /* bits 125, 124: texel 1 */
    block[15] |= 1 << 3;          /* bit 123: low bit of texel 2 */
    block[15] |= 1 << 0;          /* bit 120: high bit of texel 3 */
    cr_assert_eq(texel(ASTC_4X4, block, 0, 0).f[0], 0.0f);
    cr_assert_eq(texel(ASTC_4X4, block, 1, 0).f[0], 1.0f);
    /* 1 of 3 is weight 21 of 64, 2 of 3 is 43. */
    cr_assert_float_eq(texel(ASTC_4X4, block, 2, 0).f[1], 21 / 64.0, 1e-3);
    cr_assert_float_eq(texel(ASTC_4X4, block, 3, 0).f[2], 43 / 64.0, 1e-3);
    cr_assert_eq(texel(ASTC_4X4, block, 0, 3).f[3], 1.0f);
}

Test(decode, astc_illegal_is_magenta)
{
    static const uint8_t zero[16] = {0};
    EXPECT8(texel(ASTC_4X4, zero, 2, 2), 255, 0, 255, 255);
}

/* Any bytes decode to finite values, or at least within the block. */
Test(decode, random_blocks_stay_inside)
{
    uint64_t seed = 3;
    for (unsigned code = 0; code < CODES; code++) {
        const struct format_info *fmt = format_info(code);
        if (!fmt || fmt->compression == FORMAT_PLAIN)
            continue;
        for (unsigned n = 0; n < 2000; n++) {
            uint64_t block[2];
            union color out[FORMAT_BLOCK_TEXELS + 1];
            for (unsigned i = 0; i < 2; i++)
                block[i] = seed = seed * UINT64_C(6364136223846793005) + 99991;
            block[0] ^= block[1] >> 40;
            unsigned count = fmt->block_w * fmt->block_h;
            memset(&out[count], 0x77, sizeof *out);
            format_decode_texels(fmt, block, out);
            cr_assert_eq(out[count].u[0], 0x77777777, "%s", fmt->name);
            for (unsigned i = 0; i < count; i++)
                cr_assert(isfinite(out[i].f[n % 4]), "%s", fmt->name);
        }
    }
}

Test(decode, cache_answers_like_the_decoder)
{
    struct format_block_cache *cache = malloc(sizeof *cache);
    const struct format_info *fmt = format_info(BC1);
    uint8_t blocks[8][8];
    for (unsigned i = 0; i < 8; i++) {
        memcpy(blocks[i], bc1_red_blue, 8);
        blocks[i][4] = (uint8_t)(i * 37);
    }
    format_block_cache_init(cache, fmt);
    for (unsigned n = 0; n < 64; n++) {
        unsigned i = n * 5 % 8;
        union color want[16];
        format_decode_texels(fmt, blocks[i], want);
        const union color *got = format_block_cache_get(cache, blocks[i]);
        cr_assert_eq(memcmp(got, want, sizeof want), 0);
    }
    free(cache);
}
