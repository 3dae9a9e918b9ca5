/* test_chroma_key.c: chroma keys. */
#include <criterion/criterion.h>

#include "sample_helper.h"

enum {
    BGRA8 = 0x0c0,
    B5G6R5 = 0x100,
    RG8_SNORM = 0x107,
    YCRCB_NORMAL = 0x182,
};
enum { KILL = 0, BLACK = 1 };

static struct sampler
make_keyed(unsigned filter, unsigned mode, uint32_t low, uint32_t high)
{
    struct sampler sp = make_sampler(filter, MIP_NONE, GEN9_TCM_CLAMP);
    sp.chromakey = true;
    sp.key_mode = (uint8_t)mode;
    sp.key_low = low;
    sp.key_high = high;
    return sp;
}

static void
put_element(const struct surface *s, uint32_t x, uint32_t v)
{
    memcpy(surface_ptr(s, 0, x, 0, 0, 0), &v, s->fmt->element_B);
}

/* Texel x of a row of `width`, with a nearest filter. */
static union color
texel(const struct surface *s, const struct sampler *sp, uint32_t x,
      uint32_t *killed)
{
    struct sample_req req = make_req(
        SAMPLE_LZ, ((float)x + 0.5f) / (float)s->width, 0.5f, 0);
    *killed = 0;
    req.killed = killed;
    return sample_one(s, sp, &req);
}

/* Every channel decides, and both ends belong to the range. */
Test(chroma_key, ranges_are_inclusive)
{
    static const struct {
        uint32_t argb;
        bool hit;
    } row[] = {
        {0x40302010, true},  {0x48382818, true},  {0x44342414, true},
        {0x3f342414, false}, {0x49342414, false}, {0x442f2414, false},
        {0x44392414, false}, {0x44341f14, false}, {0x44342914, false},
        {0x4434240f, false}, {0x44342419, false},
    };
    struct surface s = make_surface(SURFACE_2D, BGRA8, ARRAY_SIZE(row), 1, 1, 1,
                                    TILING_LINEAR);
    for (unsigned mode = KILL; mode <= BLACK; mode++) {
        struct sampler sp = make_keyed(FILTER_NEAREST, mode, 0x40302010,
                                       0x48382818);
        for (uint32_t x = 0; x < ARRAY_SIZE(row); x++) {
            uint32_t killed, v = row[x].argb;
            put_element(&s, x, v);
            union color c = texel(&s, &sp, x, &killed);
            bool black = mode == BLACK && row[x].hit;
            cr_expect_eq(killed, row[x].hit, "texel %u", x);
            near(c.f[0], black ? 0.0f : (float)(v >> 16 & 0xff) / 255.0f);
            near(c.f[3], black ? 0.0f : (float)(v >> 24) / 255.0f);
        }
    }
}

/* 19 of 31 is 10011 100, 42 of 63 is 101010 10, 6 of 31 is 00110 001; the
 * format lacks alpha. */
Test(chroma_key, narrow_channels_repeat_their_high_bits)
{
    struct surface s = make_surface(SURFACE_2D, B5G6R5, 1, 1, 1, 1,
                                    TILING_LINEAR);
    put_element(&s, 0, 19u << 11 | 42u << 5 | 6);
    uint32_t killed, exact = 0x9c << 16 | 0xaa << 8 | 0x31;
    struct sampler sp = make_keyed(FILTER_NEAREST, KILL, exact,
                                   exact | 0xff000000);
    texel(&s, &sp, 0, &killed);
    cr_expect_eq(killed, 1);
    sp.key_low = exact + 1;
    sp.key_high = (exact + 1) | 0xff000000;
    texel(&s, &sp, 0, &killed);
    cr_expect_eq(killed, 0);
}

/* Keys are sign and magnitude, texels two's complement. */
Test(chroma_key, signed_channels)
{
    static const struct {
        int8_t red;
        bool hit;
    } row[] = {{-4, false}, {-3, true}, {0, true},
               {2, true},   {3, false}, {-128, false}};
    struct surface s = make_surface(SURFACE_2D, RG8_SNORM, ARRAY_SIZE(row), 1,
                                    1, 1, TILING_LINEAR);
    /* red -3 to 2, the others everything */
    struct sampler sp = make_keyed(FILTER_NEAREST, KILL, 0xff83ffff,
                                   0x7f027f7f);
    for (uint32_t x = 0; x < ARRAY_SIZE(row); x++) {
        uint32_t killed;
        put_element(&s, x, (uint8_t)row[x].red | 0x55 << 8);
        texel(&s, &sp, x, &killed);
        cr_expect_eq(killed, row[x].hit, "texel %u", x);
    }
}

/* The key applies before the filter: a quarter of the weight becomes black. */
Test(chroma_key, black_is_filtered)
{
    struct surface s = make_surface(SURFACE_2D, BGRA8, 2, 1, 1, 1,
                                    TILING_LINEAR);
    put_element(&s, 0, 0xffff00ff);
    put_element(&s, 1, 0xff336699);
    struct sampler sp = make_keyed(FILTER_LINEAR, BLACK, 0xffff00ff,
                                   0xffff00ff);
    uint32_t killed = 0;
    struct sample_req req = make_req(SAMPLE_LZ, 1.25f / 2, 0.5f, 0);
    req.killed = &killed;
    union color c = sample_one(&s, &sp, &req);
    near(c.f[0], 0.75f * 0x33 / 255.0f);
    near(c.f[1], 0.75f * 0x66 / 255.0f);
    near(c.f[2], 0.75f * 0x99 / 255.0f);
    near(c.f[3], 0.75f);
    cr_expect_eq(killed, 1);
}

/* The second texel of a pair has the mean of both neighbours' chroma. */
Test(chroma_key, video)
{
    struct surface s = make_surface(SURFACE_2D, YCRCB_NORMAL, 4, 1, 1, 1,
                                    TILING_LINEAR);
    /* Y0 Cb Y1 Cr, low byte first */
    put_element(&s, 0, 100u | 60u << 8 | 110u << 16 | 200u << 24);
    put_element(&s, 2, 120u | 80u << 8 | 130u << 16 | 220u << 24);
    /* Cr 210, Y 110, Cb 70: texel 1 and no other */
    uint32_t key = 210u << 16 | 110u << 8 | 70, killed;
    struct sampler sp = make_keyed(FILTER_NEAREST, BLACK, key,
                                   key | 0xff000000);
    for (uint32_t x = 0; x < 4; x++) {
        union color c = texel(&s, &sp, x, &killed);
        cr_expect_eq(killed, x == 1, "texel %u", x);
        near(c.f[3], x == 1 ? 0.0f : 1.0f);
    }
    union color black = texel(&s, &sp, 1, &killed);
    near(black.f[0], 128 / 255.0f);
    near(black.f[1], 16 / 255.0f);
    near(black.f[2], 128 / 255.0f);
}

/* Formats without chroma key ignore it. */
Test(chroma_key, other_formats)
{
    struct surface s = make_surface(SURFACE_2D, F_RGBA8, 1, 1, 1, 1,
                                    TILING_LINEAR);
    put_element(&s, 0, 0x80808080);
    struct sampler sp = make_keyed(FILTER_NEAREST, BLACK, 0, UINT32_MAX);
    uint32_t killed;
    union color c = texel(&s, &sp, 0, &killed);
    cr_expect_eq(killed, 0);
    near(c.f[0], 128 / 255.0f);
}
