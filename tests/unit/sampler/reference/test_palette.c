/* test_palette.c: texels that index a palette, and formats of single bits. A
 * handmade table of the formats gives the expected results. */
#include <criterion/criterion.h>
#include <math.h>

#include "sample_helper.h"

/* The texels of an element, in bits from its lowest one. */
static const struct row {
    unsigned code, texels, index_at, index_bits, alpha_at, alpha_bits;
} rows[] = {
    {0x10f, 1, 8, 8, 0, 8},                         /* A8P8 */
    {0x110, 1, 8, 8, 0, 8}, {0x122, 1, 0, 8, 8, 8}, /* P8A8 */
    {0x123, 1, 0, 8, 8, 8}, {0x147, 1, 0, 4, 4, 4}, /* P4A4 */
    {0x148, 1, 4, 4, 0, 4},                         /* A4P4 */
    {0x14b, 1, 0, 8, 0, 0},                         /* P8 */
    {0x14d, 1, 0, 8, 0, 0}, {0x14e, 1, 0, 4, 4, 4},
    {0x14f, 1, 4, 4, 0, 4}, {0x184, 4, 0, 2, 0, 0}, /* P2 */
    {0x185, 4, 0, 2, 0, 0},
};
static const unsigned second[] = {0x110, 0x123, 0x14d, 0x14e, 0x14f, 0x185};

static uint32_t
noise(uint32_t i)
{
    i = (i + 1) * 0x9e3779b1u;
    return (i ^ i >> 15) * 0x85ebca6bu;
}

static uint32_t colors[SURFACE_COLORS];

static void
fill(struct surface *s)
{
    for (uint32_t i = 0; i < SURFACE_COLORS; i++)
        colors[i] = noise(i) ^ noise(i + 999) >> 16;
    s->palette = colors;
    for (uint64_t i = 0; i < s->limit_B; i++)
        s->mem[i] = (uint8_t)(noise((uint32_t)i) >> 21);
}

/* Channels r, g, b, a of 0..255. */
static void
expect_color(const struct row *row, const struct surface *s, uint32_t x,
             uint32_t y, unsigned rgba[4])
{
    const uint8_t *p = surface_ptr(s, 0, x, y, 0, 0);
    cr_assert_not_null(p);
    uint32_t v = p[0];
    if (row->index_bits + row->alpha_bits == 16)
        v |= (uint32_t)p[1] << 8;
    v >>= x % row->texels * row->index_bits;
    uint32_t c = colors[v >> row->index_at & ((1u << row->index_bits) - 1)];
    rgba[0] = c >> 16 & 0xff;
    rgba[1] = c >> 8 & 0xff;
    rgba[2] = c & 0xff;
    rgba[3] = c >> 24;
    if (row->alpha_bits == 8)
        rgba[3] = v >> row->alpha_at & 0xff;
    if (row->alpha_bits == 4)
        rgba[3] = (v >> row->alpha_at & 0xf) * 0x11;
}

Test(palette, formats_say_which_table)
{
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct format_info *fmt = format_info(rows[i].code);
        bool is_second = false;
        for (unsigned j = 0; j < ARRAY_SIZE(second); j++)
            is_second |= second[j] == rows[i].code;
        cr_expect_eq(fmt->palette, is_second, "%s", fmt->name);
        cr_expect(fmt->can_sample && fmt->can_filter && !fmt->can_render);
    }
}

/* Every texel, loaded and sampled. */
Test(palette, colors_and_alpha)
{
    static const unsigned tilings[] = {TILING_LINEAR, TILING_X, TILING_Y};
    const uint32_t w = 37, h = 9;
    for (unsigned t = 0; t < ARRAY_SIZE(tilings) * ARRAY_SIZE(rows); t++) {
        const struct row *row = &rows[t / ARRAY_SIZE(tilings)];
        struct surface s = make_surface(SURFACE_2D, row->code, w, h, 1, 1,
                                        tilings[t % ARRAY_SIZE(tilings)]);
        fill(&s);
        struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NONE,
                                         GEN9_TCM_CLAMP);
        for (uint32_t i = 0; i < w * h; i++) {
            uint32_t x = i % w, y = i / w;
            unsigned want[4];
            expect_color(row, &s, x, y, want);
            struct sample_req req = make_req(SAMPLE_LZ,
                                             ((float)x + 0.5f) / (float)w,
                                             ((float)y + 0.5f) / (float)h, 0);
            union color c = sample_one(&s, &sp, &req);
            req = make_req(SAMPLE_LD, 0, 0, 0);
            req.u.u[0] = x;
            req.v.u[0] = y;
            union color ld = sample_one(&s, NULL, &req);
            for (unsigned k = 0; k < 4; k++) {
                cr_assert_eq(c.f[k], (float)want[k] / 255.0f, "%s (%u, %u)",
                             s.fmt->name, x, y);
                cr_assert_eq(ld.f[k], c.f[k]);
            }
        }
        free(s.mem);
    }
}

/* The filter blends colours, not indices. */
Test(palette, filter_comes_after_the_table)
{
    for (unsigned r = 0; r < ARRAY_SIZE(rows); r++) {
        struct surface s = make_surface(SURFACE_2D, rows[r].code, 16, 8, 1, 1,
                                        TILING_LINEAR);
        fill(&s);
        struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE,
                                         GEN9_TCM_WRAP);
        for (uint32_t n = 0; n < 200; n++) {
            int u = (int)(noise(n) >> 8) % (16 * 256);
            int v = (int)(noise(n + 7777) >> 8) % (8 * 256);
            struct sample_req req = make_req(SAMPLE_LZ, (float)u / 4096.0f,
                                             (float)v / 2048.0f, 0);
            union color c = sample_one(&s, &sp, &req);
            int at[2] = {(u - 128) >> 8, (v - 128) >> 8};
            int wx = (u - 128) & 255, wy = (v - 128) & 255;
            double want[4] = {0, 0, 0, 0};
            for (int i = 0; i < 4; i++) {
                unsigned rgba[4];
                expect_color(&rows[r], &s, (uint32_t)(at[0] + i % 2) & 15,
                             (uint32_t)(at[1] + i / 2) & 7, rgba);
                int weight = (i % 2 ? wx : 256 - wx) * (i / 2 ? wy : 256 - wy);
                for (unsigned k = 0; k < 4; k++)
                    want[k] += rgba[k] * (double)weight / (65536.0 * 255.0);
            }
            for (unsigned k = 0; k < 4; k++)
                cr_assert_float_eq(c.f[k], want[k], 1e-6, "%s: %d, %d",
                                   s.fmt->name, u, v);
        }
        free(s.mem);
    }
}

Test(palette, elements_of_buffers)
{
    struct surface s = make_surface(SURFACE_2D, 0x122, 16, 1, 1, 1,
                                    TILING_LINEAR);
    fill(&s);
    s.type = SURFACE_BUFFER;
    s.buffer_elements = 16;
    s.buffer_stride_B = 2;
    for (uint32_t x = 0; x < 18; x++) {
        struct sample_req req = make_req(SAMPLE_LD, 0, 0, 0);
        req.u.u[0] = x;
        union color c = sample_one(&s, NULL, &req);
        uint32_t color = colors[s.mem[2 * x]];
        cr_expect_eq(c.f[0],
                     x < 16 ? (float)(color >> 16 & 0xff) / 255.0f : 0.0f);
        cr_expect_eq(c.f[3], x < 16 ? (float)s.mem[2 * x + 1] / 255.0f : 0.0f);
    }
}

/* Without a palette colours are black; alpha is the texel's. */
Test(palette, without_a_table)
{
    struct surface s = make_surface(SURFACE_2D, 0x122, 4, 4, 1, 1,
                                    TILING_LINEAR);
    fill(&s);
    s.palette = NULL;
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NONE, GEN9_TCM_CLAMP);
    struct sample_req req = make_req(SAMPLE_LZ, 0, 0, 0);
    union color c = sample_one(&s, &sp, &req);
    cr_expect_eq(c.f[0], 0.0f);
    cr_expect_eq(c.f[3], (float)s.mem[1] / 255.0f);
}

/* ---- single bits -------------------------------------------------------- */

enum { R1_UNORM = 0x181, MONO8 = 0x18e, BITS_W = 64, BITS_H = 24 };

static struct surface
make_bits(unsigned format)
{
    struct surface s = make_surface(SURFACE_2D, format, BITS_W, BITS_H, 1, 1,
                                    TILING_LINEAR);
    fill(&s);
    return s;
}

static unsigned
bit_at(const struct surface *s, int x, int y)
{
    if (x < 0 || y < 0 || x >= BITS_W || y >= BITS_H)
        return 0;
    return s->mem[(unsigned)y * s->row_pitch_B + (unsigned)x / 8] >> x % 8 & 1;
}

Test(palette, single_bits)
{
    for (unsigned r = 0; r < 2; r++) {
        struct surface s = make_bits(r ? R1_UNORM : MONO8);
        for (int i = 0; i < BITS_W * BITS_H; i++) {
            int x = i % BITS_W, y = i / BITS_W;
            struct sample_req req = make_req(SAMPLE_LD, 0, 0, 0);
            req.u.i[0] = x;
            req.v.i[0] = y;
            union color c = sample_one(&s, NULL, &req);
            float bit = (float)bit_at(&s, x, y);
            cr_assert_eq(c.f[0], bit);
            cr_assert_eq(c.f[1], r ? 0.0f : bit);
            cr_assert_eq(c.f[3], r ? 1.0f : bit);
        }
    }
}

static struct sampler
make_mono(unsigned width, unsigned height)
{
    struct sampler sp = make_sampler(FILTER_MONO, MIP_NONE,
                                     GEN9_TCM_CLAMP_BORDER);
    sp.mono_width = (uint8_t)width;
    sp.mono_height = (uint8_t)height;
    sp.border = (union color){.f = {1, 1, 1, 1}}; /* ignored */
    return sp;
}

/* One of the four sums of the PRM's formula. */
static double
box_sum(const struct surface *s, int x, int y, int w, int h)
{
    unsigned sum = 0;
    for (int j = 0; j < h; j++)
        for (int i = 0; i < w; i++)
            sum += bit_at(s, x + i, y + j);
    return sum;
}

Test(palette, mono_filter_is_the_formula)
{
    struct surface s = make_bits(MONO8);
    unsigned colored = 0;
    for (uint32_t n = 0; n < 49 * 40; n++) {
        int w = (int)n % 7 + 1, h = (int)(n / 7) % 7 + 1;
        int u = (int)(noise(n) >> 8) % (80 * 256) - 8 * 256;
        int v = (int)(noise(n + 5000) >> 8) % (40 * 256) - 8 * 256;
        struct sampler sp = make_mono((unsigned)w, (unsigned)h);
        struct sample_req req = make_req(SAMPLE_PLAIN, (float)u / 256 / BITS_W,
                                         0, 0);
        for (unsigned i = 0; i < 8; i++)
            req.v.f[i] = (float)v / (256 * BITS_H);
        union color c = sample_one(&s, &sp, &req);
        double uf = u / 256.0 - w / 2.0, vf = v / 256.0 - h / 2.0;
        int x = (int)(uf + 100) - 100, y = (int)(vf + 100) - 100;
        double bu = uf - x, bv = vf - y;
        double want = ((1 - bu) * (1 - bv) * box_sum(&s, x, y, w, h) +
                       bu * (1 - bv) * box_sum(&s, x + 1, y, w, h) +
                       (1 - bu) * bv * box_sum(&s, x, y + 1, w, h) +
                       bu * bv * box_sum(&s, x + 1, y + 1, w, h)) /
                      (w * h);
        for (unsigned k = 0; k < 4; k++)
            cr_assert_float_eq(c.f[k], want, 1e-6, "%d x %d at %d, %d", w, h, u,
                               v);
        colored += want > 0.0;
    }
    cr_expect_gt(colored, 1000);
}

Test(palette, hostile_mono_filter)
{
    static const float coords[] = {NAN,    INFINITY, -INFINITY, 1e30f,
                                   -1e30f, 2e9f,     1e-40f,    0.0f};
    struct surface s = make_bits(MONO8);
    struct sampler sp = make_mono(0, 0);
    for (unsigned i = 0; i < 64; i++) {
        struct sample_req req = make_req(SAMPLE_LZ, coords[i % 8],
                                         coords[i / 8], 0);
        float f = sample_one(&s, &sp, &req).f[0];
        cr_expect(f >= 0.0f && f <= 1.0f);
    }
    /* Formats that do not support the filter use the nearest texel. */
    struct surface red = make_surface(SURFACE_2D, F_R32_FLOAT, 4, 4, 1, 1,
                                      TILING_LINEAR);
    fill_names(&red);
    sp = make_mono(3, 3);
    struct sample_req req = make_req(SAMPLE_LZ, 0.6f, 0.3f, 0);
    cr_expect_eq(sample_one(&red, &sp, &req).f[0], texel_name(0, 2, 1, 0));
}
