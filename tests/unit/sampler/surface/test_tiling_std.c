/* test_tiling_std.c: standard tilings and MIP tails against independent tables:
 * the swizzles by the name of every address bit, the slots of MIP tails by
 * their elements. Source: SKL PRM vol 5, "Memory Views", Surface Layout and
 * Tiling; Intel's memory manager agrees (CpuSwizzleBlt, MIP tail slots of
 * Gen9). */
#include <criterion/criterion.h>

#include "sample_helper.h"
#include "sampler/surface/tiling.h"
#include "surface_pack.h"

enum { YF, YS, MODES };

/* By log2 of an element's bytes; bit 15 first. TileYF has the lower 12. */
static const char *const bits_2d[5] = {
    "XYXYXYXYYYYYXXXX", "XYXYXYXYXYYYXXXX", "XYXYXYXYXYYYXXXX",
    "XYXYXYXYXXYYXXXX", "XYXYXYXYXXYYXXXX",
};
static const char *const bits_3d[5] = {
    "XYZXYZYZZZYYXXXX", "XYZXYZYZZZYYXXXX", "XYZXYZXYZZYYXXXX",
    "XYZXYZXXZZYYXXXX", "XYZXYZXXZZYYXXXX",
};

/* R8_UINT, R16_UINT, R32_UINT, R32G32_UINT, R32G32B32A32_UINT. */
static const unsigned format_of[5] = {0x143, 0x10d, 0x0d7, 0x087, 0x002};

struct model {
    char bits[17];               /* '0' for bits that a smaller tile lacks */
    unsigned size_log2, w, h, d; /* w: bytes */
};

static unsigned
count(const char *s, char c)
{
    unsigned n = 0;
    for (; *s; s++)
        n += *s == c;
    return n;
}

static struct model
make_model(bool is_3d, unsigned mode, unsigned size, unsigned samples_log2)
{
    struct model m = {.size_log2 = mode == YS ? 16 : 12};
    memcpy(m.bits, (is_3d ? bits_3d : bits_2d)[size], 17);
    if (mode == YF)
        memset(m.bits, '0', 4);
    else
        memset(m.bits, 'Z', samples_log2);
    if (is_3d)
        memcpy(m.bits, mode == YF ? "0000" : bits_3d[size], 4);
    m.w = 1u << count(m.bits, 'X');
    m.h = 1u << count(m.bits, 'Y');
    m.d = 1u << count(m.bits, 'Z');
    return m;
}

static uint64_t
within(const struct model *m, uint32_t x_B, uint32_t y, uint32_t z)
{
    uint64_t out = 0;
    for (unsigned i = 16; i--;) {
        uint32_t *from = m->bits[i] == 'X'   ? &x_B
                         : m->bits[i] == 'Y' ? &y
                         : m->bits[i] == 'Z' ? &z
                                             : NULL;
        if (!from)
            continue;
        out |= (uint64_t)(*from & 1) << (15 - i);
        *from >>= 1;
    }
    return out;
}

static uint64_t
model_offset(const struct model *m, uint32_t x_B, uint32_t row, uint32_t z,
             uint32_t pitch_B)
{
    uint64_t tile = (uint64_t)(row / m->h) * (pitch_B / m->w) + x_B / m->w;
    return (tile << m->size_log2) + within(m, x_B, row, z);
}

static struct surface
decode(const struct gen9_render_surface_state *rss)
{
    uint32_t dw[16] = {0};
    struct surface s;
    gen9_render_surface_state_pack(rss, dw);
    cr_assert(surface_decode(&s, dw, 9));
    return s;
}

static struct gen9_render_surface_state
state(unsigned type, unsigned mode, unsigned format)
{
    return (struct gen9_render_surface_state){
        .surface_type = type,
        .surface_format = format,
        .tile_mode = type == SURFACE_1D ? TILING_LINEAR : TILING_Y,
        .tiled_resource_mode = mode + 1,
        .mip_tail_start_lod = 15,
        .surface_array = type != SURFACE_3D,
    };
}

/* ---- tiles --------------------------------------------------------------- */

static void
check_2d(unsigned mode, unsigned size, unsigned samples_log2)
{
    const struct model m = make_model(false, mode, size,
                                      mode == YS ? samples_log2 : 0);
    unsigned samples = 1u << samples_log2, pitch_B = 3 * m.w;
    struct gen9_render_surface_state rss = state(SURFACE_2D, mode,
                                                 format_of[size]);
    rss.width = 2 * (m.w >> size);
    rss.height = m.h + 4;
    rss.depth = 2;
    rss.surface_pitch = pitch_B - 1;
    rss.surface_qpitch = 2 * m.h / 4;
    rss.number_of_multisamples = samples_log2;
    struct surface s = decode(&rss);
    for (uint32_t z = 0; z < 3; z++)
        for (unsigned sample = 0; sample < samples; sample++)
            for (uint32_t y = 0; y < s.height; y += 1 + y % 3)
                for (uint32_t x = 0; x < s.width; x += 1 + x % 5) {
                    bool shared = m.d > 1;
                    uint32_t slice = shared ? z : z * samples + sample;
                    uint64_t want = model_offset(&m, x << size,
                                                 y + slice * 2 * m.h,
                                                 shared ? sample : 0, pitch_B);
                    uint64_t got = surface_offset_B(&s, 0, x, y, z, sample);
                    cr_assert_eq(got, want, "%u %u %u: (%u, %u, %u) %u: %lx",
                                 mode, size, samples, x, y, z, sample, got);
                }
}

Test(tiling_std, tiles_of_2d)
{
    for (unsigned mode = 0; mode < MODES; mode++)
        for (unsigned size = 0; size < 5; size++)
            for (unsigned samples_log2 = 0; samples_log2 < 5; samples_log2++)
                check_2d(mode, size, samples_log2);
}

Test(tiling_std, tiles_of_3d)
{
    for (unsigned i = 0; i < MODES * 5; i++) {
        unsigned mode = i / 5, size = i % 5;
        const struct model m = make_model(true, mode, size, 0);
        unsigned pitch_B = 2 * m.w;
        struct gen9_render_surface_state rss = state(SURFACE_3D, mode,
                                                     format_of[size]);
        rss.width = (2 * m.w >> size) - 1;
        rss.height = 2 * m.h - 1;
        rss.depth = 2 * m.d;
        rss.surface_pitch = pitch_B - 1;
        rss.surface_qpitch = 2 * m.h / 4;
        struct surface s = decode(&rss);
        for (uint32_t z = 0; z < s.depth; z++)
            for (uint32_t y = 0; y < s.height; y++)
                for (uint32_t x = 0; x < s.width; x++) {
                    uint32_t row = y + z / m.d * 2 * m.h;
                    uint64_t want = model_offset(&m, x << size, row, z,
                                                 pitch_B);
                    cr_assert_eq(surface_offset_B(&s, 0, x, y, z, 0), want,
                                 "%u %u: (%u, %u, %u)", mode, size, x, y, z);
                }
    }
}

/* Interleaved samples are elements of a tile for one sample. */
Test(tiling_std, interleaved_samples)
{
    const struct model m = make_model(false, YS, 2, 0);
    struct gen9_render_surface_state rss = state(SURFACE_2D, YS, format_of[2]);
    rss.width = 99;
    rss.height = 99;
    rss.surface_pitch = 2 * m.w - 1;
    rss.surface_qpitch = 256 / 4;
    rss.number_of_multisamples = 2;
    rss.multisampled_surface_storage_format = 1;
    struct surface s = decode(&rss);
    for (uint32_t y = 0; y < 100; y++)
        for (uint32_t x = 0; x < 100; x++)
            for (unsigned sample = 0; sample < 4; sample++) {
                uint32_t sx = x, sy = y;
                tiling_interleave(4, sample, &sx, &sy);
                cr_assert_eq(surface_offset_B(&s, 0, x, y, 1, sample),
                             model_offset(&m, sx * 4, sy + 256, 0, 2 * m.w));
            }
}

/* ---- MIP tails ----------------------------------------------------------- */

/* Elements of 128, 64, 32, 16 and 8 bits. */
static const uint8_t slots_2d[15][5][2] = {
    {{32, 0}, {64, 0}, {64, 0}, {128, 0}, {128, 0}},
    {{0, 32}, {0, 32}, {0, 64}, {0, 64}, {0, 128}},
    {{16, 0}, {32, 0}, {32, 0}, {64, 0}, {64, 0}},
    {{0, 16}, {0, 16}, {0, 32}, {0, 32}, {0, 64}},
    {{8, 0}, {16, 0}, {16, 0}, {32, 0}, {32, 0}},
    {{4, 8}, {8, 8}, {8, 16}, {16, 16}, {16, 32}},
    {{0, 12}, {0, 12}, {0, 24}, {0, 24}, {0, 48}},
    {{0, 8}, {0, 8}, {0, 16}, {0, 16}, {0, 32}},
    {{4, 4}, {8, 4}, {8, 8}, {16, 8}, {16, 16}},
    {{4, 0}, {8, 0}, {8, 0}, {16, 0}, {16, 0}},
    {{0, 4}, {0, 4}, {0, 8}, {0, 8}, {0, 16}},
    {{3, 0}, {6, 0}, {4, 4}, {8, 4}, {0, 12}},
    {{2, 0}, {4, 0}, {4, 0}, {8, 0}, {0, 8}},
    {{1, 0}, {2, 0}, {0, 4}, {0, 4}, {0, 4}},
    {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}},
};
static const uint8_t slots_3d[16][5][3] = {
    {{8, 0, 0}, {16, 0, 0}, {16, 0, 0}, {16, 0, 0}, {32, 0, 0}},
    {{0, 8, 0}, {0, 8, 0}, {0, 16, 0}, {0, 16, 0}, {0, 16, 0}},
    {{0, 0, 8}, {0, 0, 8}, {0, 0, 8}, {0, 0, 16}, {0, 0, 16}},
    {{4, 0, 0}, {8, 0, 0}, {8, 0, 0}, {8, 0, 0}, {16, 0, 0}},
    {{0, 4, 0}, {0, 4, 0}, {0, 8, 0}, {0, 8, 0}, {0, 8, 0}},
    {{0, 0, 4}, {0, 0, 4}, {0, 0, 4}, {0, 0, 8}, {0, 0, 8}},
    {{3, 0, 0}, {6, 0, 0}, {4, 4, 0}, {0, 4, 4}, {0, 4, 4}},
    {{2, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 4, 0}, {0, 4, 0}},
    {{1, 0, 3}, {2, 0, 3}, {4, 0, 3}, {0, 0, 7}, {0, 0, 7}},
    {{1, 0, 2}, {2, 0, 2}, {4, 0, 2}, {0, 0, 6}, {0, 0, 6}},
    {{1, 0, 1}, {2, 0, 1}, {4, 0, 1}, {0, 0, 5}, {0, 0, 5}},
    {{1, 0, 0}, {2, 0, 0}, {4, 0, 0}, {0, 0, 4}, {0, 0, 4}},
    {{0, 0, 3}, {0, 0, 3}, {0, 0, 3}, {0, 0, 3}, {0, 0, 3}},
    {{0, 0, 2}, {0, 0, 2}, {0, 0, 2}, {0, 0, 2}, {0, 0, 2}},
    {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}},
    {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
};
/* For elements of 128 bits; smaller elements have proportionally more. */
static const uint16_t slots_1d[16] = {2048, 1024, 512, 256, 128, 64, 48, 32,
                                      28,   24,   20,  16,  12,  8,  4,  0};

/* The level's first element must be at its slot: level 2 begins the tail. */
static void
check_slots(bool is_3d, unsigned mode, unsigned size, unsigned samples_log2)
{
    enum { START = 2 };
    const struct model m = make_model(is_3d, mode, size,
                                      mode == YS ? samples_log2 : 0);
    unsigned first = mode == YF ? 4 : samples_log2, pitch_B = 8 * m.w;
    struct gen9_render_surface_state rss = state(
        is_3d ? SURFACE_3D : SURFACE_2D, mode, format_of[size]);
    rss.mip_tail_start_lod = START;
    rss.width = 2 * (m.w >> size) - 1;
    rss.height = 2 * m.h - 1;
    rss.depth = 2 * m.d - 1;
    rss.surface_pitch = pitch_B - 1;
    rss.surface_qpitch = 3 * m.h / 4;
    rss.number_of_multisamples = samples_log2;
    struct surface s = decode(&rss);
    for (unsigned l = START; l < SURFACE_LEVELS; l++) {
        unsigned slot = MIN2(first + l - START, is_3d ? 15u : 14u);
        const uint8_t *at = is_3d ? slots_3d[slot][4 - size]
                                  : slots_2d[slot][4 - size];
        /* Level 2 is to the right of level 1, below level 0. */
        uint32_t x_B = m.w + ((uint32_t)at[0] << size);
        uint64_t want = model_offset(&m, x_B, 2 * m.h + at[1],
                                     is_3d ? at[2] : 0, pitch_B);
        cr_assert_eq(surface_offset_B(&s, l, 0, 0, 0, 0), want,
                     "%u %u level %u", mode, size, l);
    }
}

Test(tiling_std, slots_of_mip_tails)
{
    for (unsigned i = 0; i < MODES * 5; i++) {
        check_slots(true, i / 5, i % 5, 0);
        for (unsigned samples_log2 = 0; samples_log2 < 5; samples_log2++)
            check_slots(false, i / 5, i % 5, samples_log2);
    }
}

Test(tiling_std, one_dimension)
{
    for (unsigned i = 0; i < MODES * 5; i++) {
        unsigned mode = i / 5, size = i % 5;
        uint32_t tile_el = (mode == YS ? 65536u : 4096u) >> size;
        struct gen9_render_surface_state rss = state(SURFACE_1D, mode,
                                                     format_of[size]);
        rss.width = MIN2(2 * tile_el, 16383u);
        rss.depth = 4;
        rss.mip_tail_start_lod = 3;
        rss.surface_qpitch = 0x4000;
        struct surface s = decode(&rss);
        uint64_t tail_el = 0;
        for (unsigned l = 0; l < 3; l++)
            tail_el += DIV_ROUND_UP(s.width >> l, tile_el) * tile_el;
        cr_expect_eq(surface_offset_B(&s, 0, 5, 0, 3, 0),
                     (uint64_t)(3 * 0x10000 + 5) << size);
        for (unsigned l = 3; l < SURFACE_LEVELS; l++) {
            unsigned slot = MIN2((mode == YS ? 0 : 4) + l - 3, 15u);
            uint32_t at = slots_1d[slot] << (4 - size);
            cr_expect_eq(surface_offset_B(&s, l, 1, 0, 0, 0),
                         (tail_el + at + 1) << size, "%u %u level %u", mode,
                         size, l);
        }
    }
}

/* NV12: luma in tiles for 8 bits, chroma in tiles for 16. */
Test(tiling_std, planar)
{
    enum { W = 100, H = 90, PITCH_B = 512 };
    const struct model y8 = make_model(false, YF, 0, 0);
    const struct model uv16 = make_model(false, YF, 1, 0);
    static uint8_t memory[PITCH_B * 256];
    struct gen9_render_surface_state rss = state(SURFACE_2D, YF, 0x1a5);
    uint32_t dw[16] = {0};
    struct surface s;
    rss.width = W - 1;
    rss.height = H - 1;
    rss.surface_pitch = PITCH_B - 1;
    gen9_render_surface_state_pack(&rss, dw);
    dw[6] = 128; /* rows: two tiles */
    cr_assert(surface_decode(&s, dw, 9));
    s.mem = memory;
    s.limit_B = sizeof memory;
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            memory[model_offset(&y8, x, y, 0, PITCH_B)] = (uint8_t)(x + y);
            memory[128 * PITCH_B + model_offset(&uv16, x, y / 2, 0, PITCH_B)] =
                (uint8_t)(x * 2 + y / 2);
        }
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            union color c;
            struct format_block_cache blocks;
            format_block_cache_init(&blocks, s.fmt);
            texel_decode(&s, surface_ptr(&s, 0, x, y, 0, 0), x, y, 0, &blocks,
                         &c);
            cr_assert_float_eq(c.f[1], (float)((x + y) & 255) / 255, 1e-6);
            cr_assert_float_eq(
                c.f[2], (float)(((x & ~1u) * 2 + y / 2) & 255) / 255, 1e-6);
        }
}

Test(tiling_std, what_has_no_tile_is_refused)
{
    uint32_t dw[16] = {0};
    struct surface s;
    struct gen9_render_surface_state rss = state(SURFACE_2D, YF, 0x040);
    gen9_render_surface_state_pack(&rss, dw); /* R32G32B32_FLOAT: 96 bits */
    cr_expect(!surface_decode(&s, dw, 9));
    rss = state(SURFACE_2D, 2, format_of[2]); /* mode 3 */
    gen9_render_surface_state_pack(&rss, dw);
    cr_expect(!surface_decode(&s, dw, 9));
    cr_expect_eq(s.type, SURFACE_NULL);
}
