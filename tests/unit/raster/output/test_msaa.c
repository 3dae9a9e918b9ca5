/* test_msaa.c: multisampling: coverage, MCS, sample masks, per-sample threads.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "rig.h"

enum { RGBA8_UNORM = 0x0c7, R32_FLOAT = 0x0d8 };

static struct rig *
make(unsigned samples)
{
    struct rig *rig = rig_create(0);
    rig_target(rig, 0, RGBA8_UNORM, 4, samples);
    rig->draw.samples = samples;
    rig->draw.raster.dx_multisample_rasterization_enable = true;
    for (unsigned i = 0; i < samples; i++) {
        rig->draw.sample_x[i] = (uint8_t)((i * 7 + 3) & 15);
        rig->draw.sample_y[i] = (uint8_t)((i * 5 + 1) & 15);
    }
    return rig;
}

static bool
is_white(struct rig *rig, unsigned x, unsigned y, unsigned sample)
{
    return rig_texel(rig, 0, x, y, sample)[0] == 255;
}

Test(msaa, samples_are_tested_where_they_lie)
{
    static const unsigned counts[] = {2, 4, 8, 16};
    for (unsigned k = 0; k < 4; k++) {
        struct rig *rig = make(counts[k]);
        /* x < 20 + 9/32: right of sample positions up to 4/16 of column 20 */
        static const float xy[6] = {0, -200, 20.28125f, -200, 20.28125f, 300};
        static const float ab[6] = {0, -200, 20.28125f, 300, 0, 300};
        struct prim p[2] = {rig_triangle(rig, xy, 0), rig_triangle(rig, ab, 0)};
        rig_draw(rig, p, 2);
        for (unsigned s = 0; s < counts[k]; s++) {
            cr_assert(is_white(rig, 19, 50, s));
            cr_assert_eq(is_white(rig, 20, 50, s), rig->draw.sample_x[s] <= 4,
                         "%u sample %u", counts[k], s);
            cr_assert(!is_white(rig, 21, 50, s));
        }
        rig_destroy(rig);
    }
}

Test(msaa, without_the_mode_bit_all_samples_follow_the_centre)
{
    struct rig *rig = make(4);
    rig->draw.raster.dx_multisample_rasterization_enable = false;
    static const float xy[6] = {0, -200, 20.5625f, -200, 20.5625f, 300};
    struct prim p = rig_triangle(rig, xy, 0);
    rig_draw(rig, &p, 1);
    for (unsigned s = 0; s < 4; s++)
        cr_assert(is_white(rig, 20, 50, s));
    rig_destroy(rig);
}

Test(msaa, sample_mask_limits)
{
    struct rig *rig = make(4);
    rig->draw.sample_mask = 0x5;
    struct prim p = rig_rect(rig, 0, 0, 16, 16, 0);
    rig_draw(rig, &p, 1);
    for (unsigned s = 0; s < 4; s++)
        cr_assert_eq(is_white(rig, 3, 3, s), s % 2 == 0);
    cr_assert_eq(rig->stats.ps_depth_count, 2 * 256);
    cr_assert_eq(rig->stats.ps_invocations, 256);
    rig_destroy(rig);
}

Test(msaa, alpha_to_coverage_follows_alpha)
{
    for (unsigned n = 0; n <= 4; n++) {
        struct rig *rig = make(4);
        rig->draw.blend.alpha_to_coverage_enable = true;
        rig->color[3] = (float)n / 4;
        struct prim p = rig_rect(rig, 0, 0, 16, 16, 0);
        rig_draw(rig, &p, 1);
        unsigned got = 0;
        for (unsigned s = 0; s < 4; s++)
            got += is_white(rig, 3, 3, s);
        cr_assert_eq(got, n);
        rig_destroy(rig);
    }
}

/* Each lane writes its sample number, from g1.0, in red. */
static void
shade_sample_id(struct rig *rig, struct eu_thread *t, struct thread_env *env)
{
    alignas(32) uint32_t payload[8][8] = {{0}};
    uint32_t ids = eu_grf(t, 1)[0];
    for (unsigned i = 0; i < 16; i++) {
        float id = (float)(ids >> (i / 4 * 4) & 15) / 255;
        payload[i / 8][i & 7] = bits_from_float(id);
        payload[6 + i / 8][i & 7] = bits_from_float(1);
    }
    rig_rt_write(env, t, 0, false, t->sr0[2] & 0xffff, payload[0], 8);
}

Test(msaa, per_sample_threads_get_their_sample)
{
    struct rig *rig = make(8);
    rig->draw.ps_extra.pixel_shader_is_per_sample = true;
    rig->shader = shade_sample_id;
    struct prim p = rig_rect(rig, 0, 0, 10, 10, 0);
    rig_draw(rig, &p, 1);
    for (unsigned s = 0; s < 8; s++) {
        cr_assert_eq(rig_texel(rig, 0, 9, 9, s)[0], s);
        cr_assert_eq(rig_texel(rig, 0, 9, 9, s)[3], 255);
        cr_assert_eq(rig_texel(rig, 0, 10, 9, s)[3], 0);
    }
    cr_assert_eq(rig->stats.ps_invocations, 800);
    rig_destroy(rig);
}

/* oMask: lane i keeps sample i % 4. */
static void
shade_omask(struct rig *rig, struct eu_thread *t, struct thread_env *env)
{
    alignas(32) uint32_t payload[9][8];
    uint16_t words[16];
    for (unsigned i = 0; i < 16; i++)
        words[i] = (uint16_t)(1u << (i & 3));
    memcpy(payload[0], words, sizeof words);
    for (unsigned i = 0; i < 64; i++)
        payload[1 + i / 8][i & 7] = bits_from_float(1);
    rig_rt_write(env, t, 0, false, t->sr0[2] & 0xffff, payload[0], 9);
}

Test(msaa, shader_sample_mask)
{
    struct rig *rig = make(4);
    rig->draw.ps_extra.omask_present_to_render_target = true;
    rig->shader = shade_omask;
    struct prim p = rig_rect(rig, 0, 0, 4, 4, 0);
    rig_draw(rig, &p, 1);
    for (unsigned y = 0; y < 4; y++) {
        for (unsigned x = 0; x < 4; x++) {
            for (unsigned s = 0; s < 4; s++)
                cr_assert_eq(is_white(rig, x, y, s), s == x % 2 + y % 2 * 2);
        }
    }
    cr_assert_eq(rig->stats.ps_depth_count, 16);
    rig_destroy(rig);
}

Test(msaa, depth_differs_between_samples)
{
    struct rig *rig = make(4);
    rig_depth(rig, R32_FLOAT, 4);
    rig->draw.wm_ds.depth_test_enable = true;
    rig->draw.wm_ds.depth_buffer_write_enable = true;
    static const float xy[6] = {0, 0, 128, 0, 0, 128};
    struct prim p = rig_triangle(rig, xy, 0);
    p.v[1].z = 1;
    rig_draw(rig, &p, 1);
    for (unsigned s = 0; s < 4; s++) {
        float z;
        memcpy(&z, surface_ptr(&rig->draw.depth, 0, 10, 3, 0, s), 4);
        float x = 10 + (float)rig->draw.sample_x[s] / 16;
        cr_assert_float_eq(z, x / 128, 1e-6);
    }
    rig_destroy(rig);
}

static void
use_mcs(struct rig *rig, int fill)
{
    struct surface *s = &rig->target[0];
    s->aux = AUX_MCS;
    s->aux_row_pitch_B = RIG_PX * 8;
    s->aux_qpitch_el_rows = RIG_PX;
    s->aux_limit_B = (uint64_t)s->aux_row_pitch_B * RIG_PX * RIG_LAYERS;
    rig->mcs = malloc(s->aux_limit_B);
    memset(rig->mcs, fill, s->aux_limit_B);
    s->aux_mem = rig->mcs;
}

static uint8_t *
mcs_entry(struct rig *rig, unsigned x, unsigned y, unsigned size)
{
    unsigned x_B = x * size;
    return rig->mcs + x_B / 128 * 4096 + x_B % 128 / 16 * 512 + y * 16 +
           x_B % 16;
}

/* Unwritten pixels of a block stay cleared or get the clear colour. */
Test(msaa, write_to_a_cleared_pixel_spreads_the_clear_color)
{
    static const unsigned counts[] = {2, 4, 8, 16};
    for (unsigned k = 0; k < 4; k++) {
        unsigned n = counts[k];
        struct rig *rig = make(n);
        use_mcs(rig, 0xff);
        memset(rig->memory[0], 0x77, rig->target[0].limit_B);
        const union color c = {.f = {0, 1, 0, 1}};
        rig->target[0].clear_color = c;
        rig->draw.sample_mask = 1;
        struct prim p = rig_rect(rig, 0, 0, 1, 1, 0);
        rig_draw(rig, &p, 1);
        unsigned size = mcs_entry_B(n);
        uint64_t mcs = 0, beside = 0, ones = UINT64_MAX;
        memcpy(&mcs, rig->mcs, size);
        memcpy(&beside, mcs_entry(rig, 1, 0, size), size);
        cr_assert_eq(mcs, mcs_identity(n));
        bool cleared = !memcmp(&beside, &ones, size);
        cr_assert(cleared || beside == mcs_identity(n));
        for (unsigned s = 0; s < n; s++) {
            uint32_t v, w;
            memcpy(&v, rig_texel(rig, 0, 0, 0, s), 4);
            memcpy(&w, rig_texel(rig, 0, 1, 0, s), 4);
            cr_assert_eq(v, s == 0 ? 0xffffffff : 0xff00ff00);
            cr_assert((cleared && w == 0x77777777) || w == 0xff00ff00);
        }
        rig_destroy(rig);
    }
}

/* One cleared pixel among others, at each place in a block. */
Test(msaa, blocks_with_one_cleared_pixel)
{
    static const unsigned counts[] = {2, 4, 8, 16};
    for (unsigned k = 0; k < 64; k++) {
        unsigned n = counts[k / 16], x = 4 + k % 4, y = 4 + k / 4 % 4;
        unsigned size = mcs_entry_B(n);
        uint64_t identity = mcs_identity(n), ones = UINT64_MAX;
        struct rig *rig = make(n);
        use_mcs(rig, 0);
        for (unsigned i = 0; i < 64; i++)
            memcpy(mcs_entry(rig, i % 8, i / 8, size), &identity, size);
        memcpy(mcs_entry(rig, x, y, size), &ones, size);
        memset(rig->memory[0], 0x77, rig->target[0].limit_B);
        rig->target[0].clear_color = (union color){.f = {0, 1, 0, 1}};
        rig->draw.sample_mask = 1;
        struct prim p = rig_rect(rig, 0, 0, 8, 8, 0);
        rig_draw(rig, &p, 1);
        for (unsigned i = 0; i < 64 * n; i++) {
            unsigned px = i % 8, py = i / 8 % 8, sample = i / 64;
            uint32_t want = px == x && py == y ? 0xff00ff00 : 0x77777777, v;
            memcpy(&v, rig_texel(rig, 0, px, py, sample), 4);
            cr_assert_eq(v, sample ? want : 0xffffffff, "%u samples (%u, %u)",
                         n, px, py);
            cr_assert(!memcmp(mcs_entry(rig, px, py, size), &identity, size));
        }
        rig_destroy(rig);
    }
}

/* Every format that has a kernel, plane by plane. */
Test(msaa, covered_blocks_fill_all_samples)
{
    static const unsigned formats[][2] = {
        {0x0c7, 4}, {0x084, 8}, {0x000, 16}, {0x100, 2}, {0x140, 1}};
    for (unsigned k = 0; k < 5; k++) {
        struct rig *rig = make(4);
        rig_target(rig, 0, formats[k][0], formats[k][1], 4);
        struct prim p = rig_rect(rig, 0, 0, 12, 10, 0);
        rig_draw(rig, &p, 1);
        uint8_t white[16], none[16] = {0};
        const union color one = {.f = {1, 1, 1, 1}};
        format_pack(rig->target[0].fmt, &one, white);
        for (unsigned i = 0; i < 16 * 16 * 4; i++) {
            unsigned x = i % 16, y = i / 16 % 16, s = i / 256;
            const uint8_t *want = x < 12 && y < 10 ? white : none;
            cr_assert(!memcmp(rig_texel(rig, 0, x, y, s), want, formats[k][1]),
                      "format %x (%u, %u) sample %u", formats[k][0], x, y, s);
        }
        rig_destroy(rig);
    }
}

Test(msaa, identity_values)
{
    cr_assert_eq(mcs_identity(2), 2);
    cr_assert_eq(mcs_identity(4), 0xe4);
    cr_assert_eq(mcs_identity(8), 0x76543210);
    cr_assert_eq(mcs_identity(16), UINT64_C(0xfedcba9876543210));
}

Test(msaa, zero_means_all_samples_in_plane_0)
{
    struct rig *rig = make(4);
    use_mcs(rig, 0);
    for (unsigned s = 0; s < 4; s++)
        memset(rig_texel(rig, 0, 0, 0, s), 0x10 + (int)s, 4);
    rig->draw.sample_mask = 2;
    struct prim p = rig_rect(rig, 0, 0, 1, 1, 0);
    rig_draw(rig, &p, 1);
    static const uint8_t want[4] = {0x10, 0xff, 0x10, 0x10};
    for (unsigned s = 0; s < 4; s++)
        cr_assert_eq(rig_texel(rig, 0, 0, 0, s)[0], want[s]);
    rig_destroy(rig);
}

/* A sample after its block was overwritten: all samples are in plane 0 or,
 * without vector kernels, still in their own planes. */
static void
expect_sample(struct rig *rig, unsigned x, unsigned y, unsigned sample,
              bool apart, unsigned value)
{
    unsigned n = rig->draw.samples, size = mcs_entry_B(n);
    uint64_t identity = mcs_identity(n), zero = 0;
    apart = apart || cpu_selected() < CPU_AVX2;
    cr_assert(
        !memcmp(mcs_entry(rig, x, y, size), apart ? &identity : &zero, size));
    cr_assert_eq(rig_texel(rig, 0, x, y, sample)[0],
                 sample && !apart ? 0x77u : value);
}

/* A block that is overwritten uses plane 0 alone. It uses several planes again
 * after a write to some of its samples. */
Test(msaa, whole_blocks_take_one_plane)
{
    static const unsigned counts[] = {2, 4, 8, 16};
    for (unsigned k = 0; k < 4; k++) {
        unsigned n = counts[k];
        struct rig *rig = make(n);
        use_mcs(rig, 0xff);
        memset(rig->memory[0], 0x77, rig->target[0].limit_B);
        struct prim p = rig_rect(rig, 0, 0, 8, 8, 0);
        rig_draw(rig, &p, 1);
        for (unsigned i = 0; i < 64 * n; i++)
            expect_sample(rig, i % 8, i / 8 % 8, i / 64, false, 255);
        memset(rig->color, 0, sizeof rig->color);
        rig->draw.sample_mask = 2;
        p = rig_rect(rig, 0, 0, 4, 4, 0);
        rig_draw(rig, &p, 1);
        for (unsigned i = 0; i < 64 * n; i++) {
            unsigned x = i % 8, y = i / 8 % 8, sample = i / 64;
            bool inside = x < 4 && y < 4;
            expect_sample(rig, x, y, sample, inside,
                          inside && sample == 1 ? 0 : 255);
        }
        rig_destroy(rig);
    }
}

static uint64_t
entry_of(struct rig *rig, unsigned x, unsigned y)
{
    unsigned size = mcs_entry_B(rig->draw.samples);
    uint64_t v = 0;
    memcpy(&v, mcs_entry(rig, x, y, size), size);
    return v;
}

/* One of a block's pixels has two planes, the others one: each keeps its own
 * entry, opaque writes end several planes, blending keeps them. */
Test(msaa, each_pixel_of_a_block_has_its_own_entry)
{
    static const unsigned counts[] = {2, 4, 8, 16};
    setenv("SOFTLAKE_PERF", "no_mcs_blocks", 1);
    for (unsigned k = 0; k < 8; k++) {
        unsigned n = counts[k / 2];
        struct rig *rig = make(n);
        uint64_t ones = mcs_entry_B(n) == 8 ? UINT64_MAX
                                            : (1ull << 8 * mcs_entry_B(n)) - 1;
        use_mcs(rig, 0xff);
        struct prim whole = rig_rect(rig, 4, 4, 7, 8, 0);
        rig_draw(rig, &whole, 1);
        rig->draw.sample_mask = 2;
        struct prim some = rig_rect(rig, 5, 5, 6, 6, 0);
        rig_draw(rig, &some, 1);
        cr_assert_eq(entry_of(rig, 5, 5), mcs_identity(n));
        cr_assert_eq(entry_of(rig, 6, 5), 0);
        cr_assert_eq(entry_of(rig, 7, 5), ones);
        rig->draw.sample_mask = 0xffff;
        struct gen9_blend_state_entry *e = &rig->draw.blend_entry[0];
        e->color_buffer_blend_enable = k % 2;
        e->source_blend_factor = GEN9_BLENDFACTOR_ONE;
        e->source_alpha_blend_factor = GEN9_BLENDFACTOR_ONE;
        e->destination_blend_factor = GEN9_BLENDFACTOR_ONE;
        e->destination_alpha_blend_factor = GEN9_BLENDFACTOR_ONE;
        struct prim all = rig_rect(rig, 4, 4, 8, 8, 0);
        rig_draw(rig, &all, 1);
        cr_assert_eq(entry_of(rig, 5, 5), k % 2 ? mcs_identity(n) : 0);
        cr_assert_eq(entry_of(rig, 6, 5), 0);
        cr_assert_eq(entry_of(rig, 7, 5), 0);
        rig_destroy(rig);
    }
}

Test(msaa, fast_clear_sets_mcs_and_memory)
{
    struct rig *rig = make(8);
    use_mcs(rig, 0);
    rig->draw.fast_clear = true;
    const union color c = {.f = {1, 1, 0, 0}};
    rig->target[0].clear_color = c;
    struct prim p = rig_rect(rig, 0, 0, 1, 1, 0);
    rig_draw(rig, &p, 1);
    for (unsigned s = 0; s < 8; s++) {
        uint32_t v;
        memcpy(&v, rig_texel(rig, 0, 100, 100, s), 4);
        cr_assert_eq(v, 0x0000ffff);
    }
    uint32_t mcs;
    memcpy(&mcs, rig->mcs, 4);
    cr_assert_eq(mcs, 0xffffffff);
    rig_destroy(rig);
}
