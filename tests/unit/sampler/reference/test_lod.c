/* test_lod.c: levels of detail and the levels they choose. */
#include <criterion/criterion.h>
#include <math.h>

#include "sample_helper.h"

Test(lod, log2)
{
    for (int e = -126; e < 128; e++)
        cr_expect_eq(lod_log2(ldexpf(1.0f, e)), e);
    for (float x = 1.0f; x < 4.0f; x += 0.001f)
        cr_expect_float_eq(lod_log2(x), log2((double)x), 1e-8);
}

/* Coordinates that change by `step` texels of level 0 per pixel in x. */
static struct sample_req
stepping(float step, float size)
{
    struct sample_req req = make_req(SAMPLE_PLAIN, 0.5f / size, 0.5f, 0);
    req.u.f[1] = req.u.f[3] = 0.5f / size + step / size;
    return req;
}

struct fixture {
    struct surface s;
    struct sampler sp;
};

static struct fixture
make_fixture(unsigned mip)
{
    struct fixture f = {
        make_surface(SURFACE_2D, F_R32_FLOAT, 16, 16, 1, 5, TILING_LINEAR),
        make_sampler(FILTER_NEAREST, mip, GEN9_TCM_CLAMP),
    };
    for (unsigned l = 0; l < 5; l++)
        for (unsigned y = 0; y < 16u >> l; y++)
            for (unsigned x = 0; x < 16u >> l; x++)
                put_texel(&f.s, l, x, y, 0, (float)l, 0, 0, 1);
    return f;
}

static float
level_of(const struct fixture *f, const struct sample_req *req)
{
    return sample_red(&f->s, &f->sp, req);
}

Test(lod, derivatives_choose_the_level)
{
    struct fixture f = make_fixture(MIP_LINEAR);
    struct sample_req req = stepping(1, 16);
    near(level_of(&f, &req), 0.0f);
    req = stepping(2, 16);
    near(level_of(&f, &req), 1.0f);
    req = stepping(8, 16);
    near(level_of(&f, &req), 3.0f);
    /* log2(3) = 1.585 = 405.76 / 256 */
    req = stepping(3, 16);
    near(level_of(&f, &req), 406.0f / 256.0f);
}

Test(lod, the_longer_derivative_counts)
{
    struct fixture f = make_fixture(MIP_LINEAR);
    struct sample_req req = stepping(2, 16);
    req.v.f[2] = req.v.f[3] = 0.5f + 4.0f / 16.0f;
    near(level_of(&f, &req), 2.0f);
    /* 3 and 4 texels along one screen axis are 5 */
    req = stepping(3, 16);
    req.v.f[1] = req.v.f[3] = 0.5f + 4.0f / 16.0f;
    near(level_of(&f, &req), roundf(256 * log2f(5)) / 256.0f);
}

/* All floats within 1/64 of each k + 0.5: below it level k, otherwise level k +
 * 1. */
Test(lod, the_nearest_level_is_the_lods_own)
{
    struct fixture f = make_fixture(MIP_NEAREST);
    for (unsigned k = 0; k < 4; k++) {
        float half = (float)k + 0.5f;
        for (int step = -64; step <= 64; step++) {
            float lod = step ? half + (float)step / 4096.0f : half;
            struct sample_req req = make_req(SAMPLE_LOD, 0.5f, 0.5f, 0);
            req.lod.f[0] = step == -1 ? nextafterf(half, 0.0f) : lod;
            near(level_of(&f, &req), step < 0 ? (float)k : (float)k + 1.0f);
        }
    }
}

Test(lod, quads_use_lanes_that_do_not_execute)
{
    struct fixture f = make_fixture(MIP_NEAREST);
    struct sample_req req = stepping(4, 16);
    for (unsigned lane = 4; lane < 8; lane++)
        req.u.f[lane] = 0.0f;
    req.exec_mask = 0x18; /* lane 3 and, with no gradient, lane 4 */
    uint32_t out[4][SAMPLE_LANES];
    memset(out, 0xcc, sizeof out);
    sampler_sample(&f.s, &f.sp, &req, out);
    near(float_from_bits(out[0][3]), 2.0f);
    near(float_from_bits(out[0][4]), 0.0f);
    cr_expect_eq(out[0][0], 0xcccccccc);
}

Test(lod, nearest_mip_rounds)
{
    struct fixture f = make_fixture(MIP_NEAREST);
    struct sample_req req = make_req(SAMPLE_LOD, 0.5f, 0.5f, 0);
    static const float lod[] = {0.0f, 0.49f, 0.51f, 1.4f, 1.6f, 9.0f};
    static const float level[] = {0, 0, 1, 1, 2, 4};
    for (unsigned i = 0; i < ARRAY_SIZE(lod); i++) {
        req.lod.f[0] = lod[i];
        near(level_of(&f, &req), level[i]);
    }
}

Test(lod, no_mip_filter_reads_the_base)
{
    struct fixture f = make_fixture(MIP_NONE);
    struct sample_req req = stepping(16, 16);
    near(level_of(&f, &req), 0.0f);
}

Test(lod, bias_adds_up)
{
    struct fixture f = make_fixture(MIP_LINEAR);
    f.sp.lod_bias = 0.5f;
    struct sample_req req = stepping(2, 16);
    near(level_of(&f, &req), 1.5f);
    req.op = SAMPLE_BIAS;
    req.lod.f[0] = 1.25f;
    near(level_of(&f, &req), 2.75f);
    req.op = SAMPLE_LOD;
    near(level_of(&f, &req), 1.75f);
    req.op = SAMPLE_LZ;
    near(level_of(&f, &req), 0.5f);
}

Test(lod, sampler_clamps)
{
    struct fixture f = make_fixture(MIP_LINEAR);
    f.sp.min_lod = 1.25f;
    f.sp.max_lod = 2.5f;
    struct sample_req req = make_req(SAMPLE_LOD, 0.5f, 0.5f, 0);
    req.lod.f[0] = -3.0f;
    near(level_of(&f, &req), 1.25f);
    req.lod.f[0] = 7.0f;
    near(level_of(&f, &req), 2.5f);
    f.sp.mip_filter = MIP_NEAREST; /* floor(min), ceil(max) */
    req.lod.f[0] = 7.0f;
    near(level_of(&f, &req), 3.0f);
}

Test(lod, surface_view_is_relative)
{
    struct fixture f = make_fixture(MIP_LINEAR);
    f.s.min_lod = 1;
    f.s.mip_count_minus1 = 2;
    struct sample_req req = make_req(SAMPLE_LOD, 0.5f, 0.5f, 0);
    req.lod.f[0] = 0.0f;
    near(level_of(&f, &req), 1.0f);
    req.lod.f[0] = 14.0f;
    near(level_of(&f, &req), 3.0f);
    /* Two texels of level 0 are one texel of the view's first level. */
    req = stepping(2, 16);
    near(level_of(&f, &req), 1.0f);
}

Test(lod, resource_min_lod_keeps_off_what_is_absent)
{
    struct fixture f = make_fixture(MIP_LINEAR);
    f.s.resource_min_lod = 2.0f;
    struct sample_req req = make_req(SAMPLE_LOD, 0.5f, 0.5f, 0);
    near(level_of(&f, &req), 2.0f);
    f.s.resource_min_lod = 7.0f; /* out of bounds: zero, alpha one */
    union color c = sample_one(&f.s, &f.sp, &req);
    near(c.f[0], 0.0f);
    near(c.f[3], 1.0f);
}

Test(lod, per_pixel_minimum)
{
    struct fixture f = make_fixture(MIP_LINEAR);
    struct sample_req req = make_req(SAMPLE_LOD, 0.5f, 0.5f, 0);
    req.min_lod[0] = 1.5f;
    req.lod.f[0] = 0.5f;
    near(level_of(&f, &req), 1.5f);
    req.lod.f[0] = 0.0f; /* magnified: one level only */
    near(level_of(&f, &req), 1.0f);
}

Test(lod, magnification_selects_the_filter)
{
    struct fixture f = make_fixture(MIP_NONE);
    put_texel(&f.s, 0, 0, 0, 0, 0, 0, 0, 1);
    put_texel(&f.s, 0, 1, 0, 0, 64, 0, 0, 1);
    f.sp.mag_filter = FILTER_LINEAR;
    f.sp.rounding_enable = 0x2a;
    struct sample_req req = make_req(SAMPLE_LOD, 1.0f / 16, 0.5f / 16, 0);
    req.lod.f[0] = 0.0f;
    near(level_of(&f, &req), 32.0f);
    req.lod.f[0] = 0.5f;
    near(level_of(&f, &req), 64.0f);
}

Test(lod, gradients)
{
    struct fixture f = make_fixture(MIP_LINEAR);
    struct sample_req req = make_req(SAMPLE_GRAD, 0.5f, 0.5f, 0);
    req.dvdy[0] = 4.0f / 16.0f;
    near(level_of(&f, &req), 2.0f);
}

Test(lod, gradients_of_volumes)
{
    struct surface s = make_surface(SURFACE_3D, F_R32_FLOAT, 4, 4, 16, 3,
                                    TILING_LINEAR);
    fill_names(&s);
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NEAREST,
                                     GEN9_TCM_CLAMP);
    struct sample_req req = make_req(SAMPLE_GRAD, 0.1f, 0.1f, 0.1f);
    req.drdx[0] = 2.0f / 16.0f;
    near(sample_red(&s, &sp, &req), texel_name(1, 0, 0, 0));
}

Test(lod, cube_faces_are_two_units_wide)
{
    struct surface s = make_surface(SURFACE_CUBE, F_R32_FLOAT, 8, 8, 1, 4,
                                    TILING_LINEAR);
    fill_names(&s);
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NEAREST,
                                     GEN9_TCM_CLAMP);
    struct sample_req req = make_req(SAMPLE_PLAIN, 1.0f, 0.0f, 0.0f);
    /* Two texels of eight: half a unit of direction. */
    req.v.f[1] = req.v.f[3] = 0.5f;
    near(sample_red(&s, &sp, &req), texel_name(1, 2, 2, 0));
}

/* A step of one unit is four texels of eight, on whichever faces the quad's
 * pixels are after the kernel's division by the major axis. */
Test(lod, cube_quads_across_an_edge)
{
    struct surface s = make_surface(SURFACE_CUBE, F_R32_FLOAT, 8, 8, 1, 4,
                                    TILING_LINEAR);
    for (unsigned l = 0; l < 4; l++)
        for (unsigned i = 0; i < 64u >> 2 * l; i++)
            for (unsigned f = 0; f < 6; f++)
                put_texel(&s, l, i % (8 >> l), i / (8 >> l), f, (float)l, 0, 0,
                          1);
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_LINEAR,
                                     GEN9_TCM_CLAMP);
    sp.cube_override = true;
    struct sample_req req = make_req(SAMPLE_PLAIN, 0.0f, 0.0f, 0.0f);
    for (unsigned i = 0; i < 4; i++) {
        float dir[3] = {0.97f + (float)(i & 1), 0.1f + (float)(i >> 1), 1};
        float major = fmaxf(dir[0], fmaxf(dir[1], dir[2]));
        req.u.f[i] = dir[0] / major;
        req.v.f[i] = dir[1] / major;
        req.r.f[i] = dir[2] / major;
    }
    cr_expect_float_eq(sample_red(&s, &sp, &req), 2.0f, 1e-2f);
}

/* Directions of a quad that differ by a ten-thousandth are nearly coplanar with
 * the centre. The directions before the division must be found nevertheless. */
Test(lod, small_cube_quads_across_an_edge)
{
    const double origin[3] = {1, 0.25, 1};
    const double dx[3] = {0.0000915, 0.000244, 0.000244};
    const double dy[3] = {-0.000366, 0.000336, -0.0001526};
    struct surface s = make_surface(SURFACE_CUBE, F_R32_FLOAT, 8, 8, 1, 4,
                                    TILING_LINEAR);
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_LINEAR,
                                     GEN9_TCM_CLAMP);
    struct sample_req req = make_req(SAMPLE_LOD_QUERY, 0.0f, 0.0f, 0.0f);
    unsigned across = 0;
    s.width = s.height = 2048;
    sp.cube_override = true;
    for (int q = 0; q < 32 * 32; q++) {
        unsigned faces = 0;
        for (int i = 0; i < 4; i++) {
            double p[3], x = q % 32 * 2 + (i & 1) - 31.5,
                         y = q / 32 * 2 + (i >> 1) - 31.5;
            for (unsigned k = 0; k < 3; k++)
                p[k] = (double)(float)(origin[k] + x * dx[k] + y * dy[k]);
            faces |= p[0] > p[2] ? 1 : 2;
            req.u.f[i] = (float)(p[0] / fmax(p[0], p[2]));
            req.v.f[i] = (float)(p[1] / fmax(p[0], p[2]));
            req.r.f[i] = (float)(p[2] / fmax(p[0], p[2]));
        }
        across += faces == 3;
        cr_expect_float_eq(sample_one(&s, &sp, &req).f[1], -1.1f, 0.35f,
                           "quad %d: %g", q, sample_one(&s, &sp, &req).f[1]);
    }
    cr_expect_gt(across, 16);
}

Test(lod, query)
{
    struct fixture f = make_fixture(MIP_LINEAR);
    struct sample_req req = stepping(3, 16);
    req.op = SAMPLE_LOD_QUERY;
    union color c = sample_one(&f.s, &f.sp, &req);
    near(c.f[0], 406.0f / 256.0f);
    near(c.f[1], log2f(3.0f));
    req = stepping(64, 16);
    req.op = SAMPLE_LOD_QUERY;
    c = sample_one(&f.s, &f.sp, &req);
    near(c.f[0], 4.0f);
    near(c.f[1], 6.0f);
    f.sp.mip_filter = MIP_NONE;
    near(sample_red(&f.s, &f.sp, &req), 0.0f);
}

Test(lod, anisotropic_takes_the_short_axis)
{
    struct fixture f = make_fixture(MIP_LINEAR);
    f.sp.min_filter = f.sp.mag_filter = FILTER_ANISOTROPIC;
    f.sp.max_anisotropy = 4;
    struct sample_req req = stepping(8, 16);
    req.v.f[2] = req.v.f[3] = 0.5f + 2.0f / 16.0f;
    near(level_of(&f, &req), 1.0f);
    f.sp.anisotropic_ewa = true;
    near(level_of(&f, &req), 1.0f);
    f.sp.max_anisotropy = 2; /* ratio 4 is clamped to 2 */
    near(level_of(&f, &req), 2.0f);
    req.op = SAMPLE_LOD; /* explicit LODs are isotropic */
    near(level_of(&f, &req), 0.0f);
}

Test(lod, hostile_derivatives)
{
    struct fixture f = make_fixture(MIP_LINEAR);
    static const float bad[] = {NAN, INFINITY, -INFINITY, 3e38f};
    for (unsigned filter = 0; filter < 3; filter++)
        for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
            f.sp.min_filter = f.sp.mag_filter = (uint8_t)filter;
            struct sample_req req = make_req(SAMPLE_GRAD, 0.5f, 0.5f, 0);
            req.dudx[0] = bad[i];
            req.lod.f[0] = bad[i];
            float red = level_of(&f, &req);
            cr_expect(red >= 0.0f && red <= 4.0f, "%g", red);
            req.op = SAMPLE_LOD;
            red = level_of(&f, &req);
            cr_expect(red >= 0.0f && red <= 4.0f, "%g", red);
        }
}
