/* test_surface_std.c: whole surfaces of standard tilings. No two elements share
 * a byte, a sampler reads the texels of an equal linear surface, and invalid
 * states access nothing outside the memory. */
#include <criterion/criterion.h>
#include <sys/mman.h>

#include "sample_helper.h"
#include "sampler/surface/tiling.h"
#include "surface_pack.h"

/* Zeros that only take memory when touched: malloc would fill all pages if it
 * is set to. */
static uint8_t *
map_zeros(uint64_t size_B)
{
    void *p = mmap(NULL, size_B, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(p, MAP_FAILED);
    return p;
}

/* No two elements of a level and slice share bytes. */
static void
check_apart(struct surface *s, unsigned levels, uint32_t layers)
{
    uint8_t *seen = map_zeros(s->limit_B);
    for (unsigned l = 0; l < levels; l++) {
        uint32_t slices = s->type == SURFACE_3D ? surface_level_depth(s, l)
                                                : layers;
        for (uint32_t z = 0; z < slices; z++)
            for (uint32_t y = 0; y < surface_level_height(s, l);
                 y += s->fmt->block_h)
                for (uint32_t x = 0; x < surface_level_width(s, l);
                     x += s->fmt->block_w) {
                    uint64_t at = surface_offset_B(s, l, x, y, z, 0);
                    cr_assert_leq(at + s->fmt->element_B, s->limit_B);
                    for (unsigned b = 0; b < s->fmt->element_B; b++)
                        cr_assert(!seen[at + b]++, "level %u (%u, %u, %u)", l,
                                  x, y, z);
                }
    }
    munmap(seen, s->limit_B);
}

Test(surface_std, levels_and_slices_are_apart)
{
    static const unsigned formats[] = {0x143, 0x10d,           0x0d7, 0x087,
                                       0x002, 0x186 /* BC1 */, 0x1a2 /* BC7 */};
    for (unsigned i = 0; i < ARRAY_SIZE(formats) * 4; i++) {
        bool is_3d = i & 1;
        bool is_yf = i & 2;
        struct surface s = {
            .type = is_3d ? SURFACE_3D : SURFACE_2D,
            .fmt = format_info(formats[i / 4]),
            .tiling = is_yf ? TILING_YF : TILING_YS,
            .width = is_3d ? 37 : 300,
            .height = is_3d ? 40 : 131,
            .depth = is_3d ? 33 : 3,
            .samples = 1,
            .mip_tail_start = 15,
        };
        surface_layout(&s);
        uint32_t tile_h = 1u << s.std_tile.height_log2;
        uint32_t tile_w_B = 1u << s.std_tile.width_log2_B;
        uint32_t rows = s.height / s.fmt->block_h;
        s.row_pitch_B = 4096 * 4;
        s.qpitch_el_rows = ALIGN_POT(rows, tile_h) * 2 + 8 * tile_h;
        s.limit_B = (uint64_t)s.row_pitch_B * 64 * s.qpitch_el_rows;
        s.limit_B = MIN2(s.limit_B, UINT64_C(1) << 30);
        /* The first level that fits, as drivers choose it. */
        uint32_t x_B, y, z;
        std_tail_origin(&s, 0, &x_B, &y, &z);
        for (unsigned l = 8; l-- > 0;) {
            uint32_t w = surface_level_width(&s, l) / s.fmt->block_w;
            uint32_t h = surface_level_height(&s, l) / s.fmt->block_h;
            uint32_t d = surface_level_depth(&s, l);
            if (w * s.fmt->element_B < tile_w_B - x_B && h < tile_h - y &&
                (!is_3d || d < (1u << s.std_tile.depth_log2) - z))
                s.mip_tail_start = (uint8_t)l;
        }
        surface_layout(&s);
        check_apart(&s, is_3d ? 6 : 9, 3);
    }
}

/* ---- sampling ------------------------------------------------------------ */

static void
expect_same(const struct surface *a, const struct surface *b,
            const struct sampler *sp, const struct sample_req *req)
{
    uint32_t want[4][SAMPLE_LANES] = {{0}}, got[4][SAMPLE_LANES] = {{0}};
    sampler_sample(a, sp, req, want);
    sampler_sample(b, sp, req, got);
    cr_assert_arr_eq(got, want, sizeof want,
                     "type %u, format 0x%x, tiling %u, filter %u", b->type,
                     b->format, b->tiling, sp->min_filter);
}

static struct surface
standard_copy(const struct surface *from, unsigned tiling, unsigned tail)
{
    struct surface s = *from;
    s.tiling = (uint8_t)tiling;
    s.mip_tail_start = (uint8_t)tail;
    surface_layout(&s);
    s.row_pitch_B = 2048;
    s.qpitch_el_rows = 512;
    s.limit_B = UINT64_C(1) << 26;
    s.mem = map_zeros(s.limit_B);
    uint32_t slices = s.type == SURFACE_CUBE ? s.depth * 6 : s.depth;
    for (unsigned l = 0; l <= s.mip_count_minus1; l++)
        for (uint32_t z = 0; z < slices; z++)
            for (uint32_t y = 0; y < surface_level_height(&s, l); y++)
                for (uint32_t x = 0; x < surface_level_width(&s, l); x++) {
                    const uint8_t *p = surface_ptr(from, l, x, y, z, 0);
                    if (p)
                        memcpy(surface_ptr(&s, l, x, y, z, 0), p,
                               s.fmt->element_B);
                }
    return s;
}

Test(surface_std, samples_what_a_linear_surface_has)
{
    static const unsigned types[] = {SURFACE_2D, SURFACE_3D, SURFACE_CUBE};
    static const unsigned formats[] = {F_RGBA8, F_RGBA32F, F_R8_UNORM};
    for (unsigned i = 0; i < 3 * 3 * 2; i++) {
        unsigned type = types[i % 3];
        uint32_t size = 40, depth = type == SURFACE_3D ? 20 : 2;
        struct surface plain = make_surface(type, formats[i / 3 % 3], size,
                                            size, depth, 6, TILING_LINEAR);
        fill_names(&plain);
        for (uint64_t at = 0; plain.fmt->element_B < 16 && at < plain.limit_B;
             at++)
            plain.mem[at] ^= (uint8_t)(at * 37);
        /* The general path for both, with the same bits. The tail has the
         * levels that fit for any element. */
        plain.has_layout = false;
        struct surface s = i / 9 ? standard_copy(&plain, TILING_YS, 3)
                                 : standard_copy(&plain, TILING_YF, 4);
        for (unsigned n = 0; n < 64; n++) {
            struct sampler sp = make_sampler(n & 1 ? FILTER_LINEAR
                                                   : FILTER_NEAREST,
                                             n >> 1 & 1 ? 3 : 1, n >> 2 & 1);
            struct sample_req req = make_req(SAMPLE_LOD, 0, 0, 0);
            req.exec_mask = 0xff;
            for (unsigned k = 0; k < 8; k++) {
                req.u.f[k] = (float)(n * 8 + k) * 0.037f - 2.0f;
                req.v.f[k] = (float)k * 0.29f - 0.7f;
                req.r.f[k] = (float)n * 0.05f - 1.0f;
                req.ai.f[k] = (float)(k & 1);
                req.lod.f[k] = (float)(n % 11) * 0.4f;
            }
            expect_same(&plain, &s, &sp, &req);
        }
        free(plain.mem);
        munmap(s.mem, s.limit_B);
    }
}

/* ---- hostile states ------------------------------------------------------ */

/* R8_UINT, R16_UINT, R32_UINT, R32G32_UINT, R32G32B32A32_UINT. */
static const unsigned format_of[5] = {0x143, 0x10d, 0x0d7, 0x087, 0x002};

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

/* With any fields, pointers are inside the memory or NULL. */
Test(surface_std, pointers_stay_inside)
{
    static uint8_t memory[1 << 16];
    uint32_t seed = 1;
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t r[8];
        for (unsigned k = 0; k < 8; k++)
            r[k] = seed = seed * 1664525 + 1013904223;
        struct gen9_render_surface_state rss = state(r[0] >> 30, r[0] >> 29 & 1,
                                                     format_of[r[1] % 5]);
        rss.width = r[1] >> 18;
        rss.height = r[2] >> 18;
        rss.depth = r[3] >> 21;
        rss.surface_pitch = r[4] >> 14;
        rss.surface_qpitch = r[5] >> 17;
        rss.mip_tail_start_lod = r[6] >> 28;
        rss.number_of_multisamples = (r[6] >> 8) % 5;
        rss.multisampled_surface_storage_format = r[6] >> 7 & 1;
        struct surface s = decode(&rss);
        s.mem = memory;
        s.limit_B = sizeof memory;
        uint8_t *p = surface_ptr(&s, r[7] >> 28, r[0] % s.width,
                                 r[1] % s.height, r[2] % (s.depth * 6),
                                 r[3] % s.samples);
        if (p)
            cr_assert(p >= memory &&
                      p + s.fmt->element_B <= memory + sizeof memory);
    }
}
