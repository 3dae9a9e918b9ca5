/* test_filter.c: filtered samples with results computed by hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "sample_helper.h"

static struct surface
two_by_two(unsigned format)
{
    struct surface s = make_surface(SURFACE_2D, format, 2, 2, 1, 1,
                                    TILING_LINEAR);
    put_texel(&s, 0, 0, 0, 0, 0.0f, 1.0f, 0.0f, 1.0f);
    put_texel(&s, 0, 1, 0, 0, 1.0f, 1.0f, 0.0f, 0.0f);
    put_texel(&s, 0, 0, 1, 0, 0.0f, 0.0f, 1.0f, 0.0f);
    put_texel(&s, 0, 1, 1, 0, 1.0f, 0.0f, 0.0f, 0.0f);
    return s;
}

Test(filter, nearest)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 5, 3, 1, 1,
                                    TILING_Y);
    fill_names(&s);
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NONE, GEN9_TCM_WRAP);
    struct sample_req req = make_req(SAMPLE_LZ, 0, 0, 0);
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 5; x++) {
            req.u.f[0] = ((float)x + 0.3f) / 5.0f;
            req.v.f[0] = ((float)y + 0.8f) / 3.0f;
            near(sample_red(&s, &sp, &req),
                 texel_name(0, (uint32_t)x, (uint32_t)y, 0));
        }
}

Test(filter, bilinear_in_the_middle)
{
    struct surface s = two_by_two(F_RGBA8);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE, GEN9_TCM_CLAMP);
    struct sample_req req = make_req(SAMPLE_LZ, 0.5f, 0.5f, 0);
    union color c = sample_one(&s, &sp, &req);
    near(c.f[0], 0.5f);
    near(c.f[1], 0.5f);
    near(c.f[2], 0.25f);
    near(c.f[3], 0.25f);
}

Test(filter, bilinear_weights)
{
    static const unsigned format[] = {F_RGBA8, F_RGBA32F};
    for (unsigned i = 0; i < 2; i++) {
        struct surface s = two_by_two(format[i]);
        struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE,
                                         GEN9_TCM_CLAMP);
        /* u: 0.25 between the texels, v: 0.75 */
        struct sample_req req = make_req(SAMPLE_LZ, 0.375f, 0.625f, 0);
        union color c = sample_one(&s, &sp, &req);
        near(c.f[0], 0.25f);
        near(c.f[1], 0.25f);
        near(c.f[2], 0.75f * 0.75f);
        near(c.f[3], 0.75f * 0.25f);
    }
}

Test(filter, weights_are_multiples_of_one_256th)
{
    struct surface s = two_by_two(F_RGBA32F);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE, GEN9_TCM_CLAMP);
    for (float u = 0.25f; u < 0.75f; u += 0.0137f) {
        struct sample_req req = make_req(SAMPLE_LZ, u, 0.25f, 0);
        float red = sample_red(&s, &sp, &req);
        cr_expect_eq(red * 256.0f, floorf(red * 256.0f));
        cr_expect_float_eq(red, u * 2.0f - 0.5f, 0.5f / 256.0f + 1e-6f);
    }
}

Test(filter, equal_texels_stay_exact)
{
    struct surface s = make_surface(SURFACE_2D, F_RGBA8, 4, 4, 1, 3, TILING_Y);
    float v = 77.0f / 255.0f;
    for (unsigned l = 0; l < 3; l++)
        for (unsigned y = 0; y < 4u >> l; y++)
            for (unsigned x = 0; x < 4u >> l; x++)
                put_texel(&s, l, x, y, 0, v, v, v, v);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_LINEAR, GEN9_TCM_WRAP);
    struct sample_req req = make_req(SAMPLE_LOD, 0.123f, 0.456f, 0);
    req.lod.f[0] = 0.77f;
    cr_expect_eq(sample_red(&s, &sp, &req), v);
}

Test(filter, infinite_neighbours_of_weight_zero)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 4, 1, 1, 1,
                                    TILING_LINEAR);
    put_texel(&s, 0, 1, 0, 0, 5.0f, 0, 0, 1);
    put_texel(&s, 0, 2, 0, 0, INFINITY, 0, 0, 1);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE, GEN9_TCM_CLAMP);
    struct sample_req req = make_req(SAMPLE_LZ, 1.5f / 4, 0.5f, 0);
    near(sample_red(&s, &sp, &req), 5.0f);
}

Test(filter, trilinear_blends_levels)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 2, 2, 1, 2,
                                    TILING_LINEAR);
    for (unsigned i = 0; i < 4; i++)
        put_texel(&s, 0, i & 1, i >> 1, 0, 10, 0, 0, 1);
    put_texel(&s, 1, 0, 0, 0, 20, 0, 0, 1);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_LINEAR, GEN9_TCM_WRAP);
    struct sample_req req = make_req(SAMPLE_LOD, 0.3f, 0.3f, 0);
    req.lod.f[0] = 0.25f;
    near(sample_red(&s, &sp, &req), 12.5f);
}

Test(filter, linear_in_one_dimension)
{
    struct surface s = make_surface(SURFACE_1D, F_R32_FLOAT, 4, 1, 3, 1,
                                    TILING_LINEAR);
    fill_names(&s);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE, GEN9_TCM_CLAMP);
    struct sample_req req = make_req(SAMPLE_LZ, 2.0f / 4.0f, 2.0f, 0);
    near(sample_red(&s, &sp, &req),
         0.5f * (texel_name(0, 1, 0, 2) + texel_name(0, 2, 0, 2)));
}

Test(filter, linear_in_three_dimensions)
{
    struct surface s = make_surface(SURFACE_3D, F_R32_FLOAT, 2, 2, 4, 1,
                                    TILING_Y);
    fill_names(&s);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE, GEN9_TCM_CLAMP);
    /* z: a quarter from slice 1 to slice 2; x: half; y: texel 1 */
    struct sample_req req = make_req(SAMPLE_LZ, 0.5f, 0.75f, 1.75f / 4.0f);
    near(sample_red(&s, &sp, &req), 100.0f + 25.0f + 10.0f + 0.5f);
}

Test(filter, array_index_rounds_to_even_and_clamps)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 1, 1, 5, 1,
                                    TILING_LINEAR);
    fill_names(&s);
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NONE, GEN9_TCM_WRAP);
    static const float index[] = {-3, 0.5f, 1.5f, 2.5f, 2.6f, 99, NAN};
    static const uint32_t layer[] = {0, 0, 2, 2, 3, 4, 0};
    for (unsigned i = 0; i < ARRAY_SIZE(index); i++) {
        struct sample_req req = make_req(SAMPLE_LZ, 0.5f, 0.5f, index[i]);
        near(sample_red(&s, &sp, &req), texel_name(0, 0, 0, layer[i]));
    }
}

Test(filter, minimum_array_element)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 1, 1, 5, 1,
                                    TILING_LINEAR);
    fill_names(&s);
    s.min_array = 2;
    s.depth = 3;
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NONE, GEN9_TCM_WRAP);
    struct sample_req req = make_req(SAMPLE_LZ, 0.5f, 0.5f, 1.0f);
    near(sample_red(&s, &sp, &req), texel_name(0, 0, 0, 3));
}

Test(filter, texel_offsets)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 8, 8, 1, 1,
                                    TILING_LINEAR);
    fill_names(&s);
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NONE, GEN9_TCM_WRAP);
    struct sample_req req = make_req(SAMPLE_LZ, 3.5f / 8, 3.5f / 8, 0);
    req.offset[0] = 2;
    req.offset[1] = -4;
    near(sample_red(&s, &sp, &req), texel_name(0, 5, 7, 0));
}

Test(filter, texel_coordinates)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 8, 8, 1, 1,
                                    TILING_LINEAR);
    fill_names(&s);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE, GEN9_TCM_CLAMP);
    sp.non_normalized = true;
    struct sample_req req = make_req(SAMPLE_LZ, 3.0f, 5.5f, 0);
    near(sample_red(&s, &sp, &req), 52.5f);
}

/* ---- border colours --------------------------------------------------- */

Test(filter, border_mixes_with_the_edge)
{
    struct surface s = two_by_two(F_RGBA8);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE,
                                     GEN9_TCM_CLAMP_BORDER);
    sp.border = (union color){.f = {0.5f, 0.25f, 1.0f, 0.75f}};
    struct sample_req req = make_req(SAMPLE_LZ, -5.0f, 0.25f, 0);
    union color c = sample_one(&s, &sp, &req);
    near(c.f[0], 0.5f);
    near(c.f[3], 0.75f);
    /* On the left edge of texel (0, 0): half of each. */
    req = make_req(SAMPLE_LZ, 0.0f, 0.25f, 0);
    c = sample_one(&s, &sp, &req);
    near(c.f[0], 0.25f);
    near(c.f[1], 0.625f);
    /* GL_CLAMP never gets further outside than this. */
    sp.wrap[0] = GEN9_TCM_HALF_BORDER;
    req = make_req(SAMPLE_LZ, -5.0f, 0.25f, 0);
    near(sample_one(&s, &sp, &req).f[1], 0.625f);
}

static union color
border_of(unsigned format, union color border)
{
    struct surface s = make_surface(SURFACE_2D, format, 1, 1, 1, 1,
                                    TILING_LINEAR);
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NONE,
                                     GEN9_TCM_CLAMP_BORDER);
    sp.border = border;
    struct sample_req req = make_req(SAMPLE_LZ, 2.0f, 0.5f, 0);
    return sample_one(&s, &sp, &req);
}

Test(filter, border_channels_follow_the_format)
{
    const union color in = {.f = {0.1f, 0.2f, 0.3f, 0.4f}};
    static const struct {
        unsigned format;
        float out[4];
    } row[] = {
        {F_RGBA8, {0.1f, 0.2f, 0.3f, 0.4f}},
        {F_BGRX8, {0.1f, 0.2f, 0.3f, 1.0f}},
        {F_R32_FLOAT, {0.1f, 0.0f, 0.0f, 1.0f}},
        {0x144 /* A8_UNORM */, {0.0f, 0.0f, 0.0f, 0.4f}},
        {0x145 /* I8_UNORM */, {0.1f, 0.1f, 0.1f, 0.1f}},
        {0x146 /* L8_UNORM */, {0.1f, 0.1f, 0.1f, 1.0f}},
        {0x114 /* L8A8_UNORM */, {0.1f, 0.1f, 0.1f, 0.4f}},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
        union color c = border_of(row[i].format, in);
        for (unsigned k = 0; k < 4; k++)
            cr_expect_float_eq(c.f[k], row[i].out[k], 1e-6f,
                               "format %x channel %u: %g", row[i].format, k,
                               c.f[k]);
    }
}

Test(filter, border_is_clamped_to_the_format)
{
    const union color in = {.f = {1.5f, -1.5f, 0.5f, 2.0f}};
    union color c = border_of(F_RGBA8, in);
    near(c.f[0], 1.0f);
    near(c.f[1], 0.0f);
    near(c.f[3], 1.0f);
    c = border_of(F_RGBA32F, in);
    near(c.f[0], 1.5f);
    near(c.f[1], -1.5f);
}

Test(filter, integer_border)
{
    const union color in = {.u = {7, 0xffffffff, 3, 5}};
    union color c = border_of(F_RGBA32_UINT, in);
    cr_expect_eq(c.u[0], 7);
    cr_expect_eq(c.u[1], 0xffffffff);
    cr_expect_eq(c.u[3], 5);
    c = border_of(F_R32_UINT, in);
    cr_expect_eq(c.u[0], 7);
    cr_expect_eq(c.u[1], 0);
    cr_expect_eq(c.u[3], 1);
}

/* Colours that no texel can have. */
Test(filter, integer_border_is_not_clamped)
{
    const union color in = {.i = {-1000, 100000, 300, 1 << 30}};
    static const struct {
        unsigned format, channels;
    } row[] = {
        {0x142 /* R8_SINT */, 1},
        {0x143 /* R8_UINT, also stencil */, 1},
        {0x10d /* R16_UINT */, 1},
        {0x0ca /* R8G8B8A8_SINT */, 4},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
        union color c = border_of(row[i].format, in);
        for (unsigned k = 0; k < row[i].channels; k++)
            cr_expect_eq(c.i[k], in.i[k], "format %x channel %u: %d",
                         row[i].format, k, c.i[k]);
    }
}

/* ---- comparisons ------------------------------------------------------ */

/* Answers of sample_c for a texel of 0.5, by function: zero if texel OP ref
 * holds. Columns: ref 0.25, 0.5, 0.75. */
static const float shadow_table[8][3] = {
    [GEN9_COMPAREFUNCTION_ALWAYS] = {0, 0, 0},
    [GEN9_COMPAREFUNCTION_NEVER] = {1, 1, 1},
    [GEN9_COMPAREFUNCTION_LESS] = {1, 1, 0},
    [GEN9_COMPAREFUNCTION_EQUAL] = {1, 0, 1},
    [GEN9_COMPAREFUNCTION_LEQUAL] = {1, 0, 0},
    [GEN9_COMPAREFUNCTION_GREATER] = {0, 1, 1},
    [GEN9_COMPAREFUNCTION_NOTEQUAL] = {0, 1, 0},
    [GEN9_COMPAREFUNCTION_GEQUAL] = {0, 0, 1},
};

Test(filter, shadow_functions)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 1, 1, 1, 1,
                                    TILING_LINEAR);
    put_texel(&s, 0, 0, 0, 0, 0.5f, 0, 0, 1);
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NONE, GEN9_TCM_WRAP);
    static const float ref[] = {0.25f, 0.5f, 0.75f};
    for (unsigned f = 0; f < 8; f++)
        for (unsigned r = 0; r < 3; r++) {
            struct sample_req req = make_req(SAMPLE_LZ, 0.5f, 0.5f, 0);
            req.compare = true;
            req.ref.f[0] = ref[r];
            sp.shadow_func = (uint8_t)f;
            union color c = sample_one(&s, &sp, &req);
            cr_expect_eq(c.f[0], shadow_table[f][r], "%u %g", f, ref[r]);
            cr_expect_eq(c.f[3], 1.0f);
        }
}

Test(filter, shadow_is_compared_before_filtering)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 2, 1, 1, 1,
                                    TILING_LINEAR);
    put_texel(&s, 0, 0, 0, 0, 0.2f, 0, 0, 1);
    put_texel(&s, 0, 1, 0, 0, 0.8f, 0, 0, 1);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE, GEN9_TCM_CLAMP);
    sp.shadow_func = GEN9_COMPAREFUNCTION_LESS; /* GL_LEQUAL */
    struct sample_req req = make_req(SAMPLE_LZ, 0.375f, 0.5f, 0);
    req.compare = true;
    req.ref.f[0] = 0.5f;
    near(sample_red(&s, &sp, &req), 0.25f);
}

/* A fixed-point depth buffer never holds more than one. */
Test(filter, shadow_reference_is_clamped_for_unorm)
{
    struct surface s = make_surface(SURFACE_2D, F_R8_UNORM, 1, 1, 1, 1,
                                    TILING_LINEAR);
    put_texel(&s, 0, 0, 0, 0, 1.0f, 0, 0, 1);
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NONE, GEN9_TCM_CLAMP);
    sp.shadow_func = GEN9_COMPAREFUNCTION_EQUAL;
    struct sample_req req = make_req(SAMPLE_LZ, 0.5f, 0.5f, 0);
    req.compare = true;
    req.ref.f[0] = 1.5f;
    near(sample_red(&s, &sp, &req), 0.0f);
}

/* ---- cubes ------------------------------------------------------------ */

Test(filter, cube_faces)
{
    struct surface s = make_surface(SURFACE_CUBE, F_R32_FLOAT, 2, 2, 2, 1,
                                    TILING_LINEAR);
    fill_names(&s);
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NONE, GEN9_TCM_CLAMP);
    sp.cube_override = true;
    static const float dir[6][3] = {{1, 0.5f, 0.5f}, {-1, 0.5f, 0.5f},
                                    {0.5f, 1, 0.5f}, {0.5f, -1, 0.5f},
                                    {0.5f, 0.5f, 1}, {0.5f, 0.5f, -1}};
    /* texel by table 8.19: s and t above or below one half */
    static const uint32_t x[6] = {0, 1, 1, 1, 1, 0};
    static const uint32_t y[6] = {0, 0, 1, 0, 0, 0};
    for (unsigned f = 0; f < 6; f++) {
        struct sample_req req = make_req(SAMPLE_LZ, dir[f][0], dir[f][1],
                                         dir[f][2]);
        near(sample_red(&s, &sp, &req), texel_name(0, x[f], y[f], f));
        req.ai.f[0] = 1.0f;
        near(sample_red(&s, &sp, &req), texel_name(0, x[f], y[f], f + 6));
    }
}

Test(filter, seamless_edge_and_corner)
{
    struct surface s = make_surface(SURFACE_CUBE, F_R32_FLOAT, 2, 2, 1, 1,
                                    TILING_LINEAR);
    for (unsigned f = 0; f < 6; f++)
        for (unsigned i = 0; i < 4; i++)
            put_texel(&s, 0, i & 1, i >> 1, f, (float)(1 << f), 0, 0, 1);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE, GEN9_TCM_CLAMP);
    sp.cube_override = true;
    /* Right on the edge of +X and +Y. */
    struct sample_req req = make_req(SAMPLE_LZ, 1.0f, 1.0f, 0.0f);
    near(sample_red(&s, &sp, &req), 0.5f * 1 + 0.5f * 4);
    /* The corner of +X, +Y, +Z: each of the three faces contributes a third. */
    req = make_req(SAMPLE_LZ, 1.0f, 1.0f, 1.0f);
    near(sample_red(&s, &sp, &req), (1 + 4 + 16) / 3.0f);
    /* Without seamless filtering faces are independent. */
    sp.cube_override = false;
    near(sample_red(&s, &sp, &req), 1.0f);
}

/* ---- gather ----------------------------------------------------------- */

Test(filter, gather4_order)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 4, 4, 1, 1,
                                    TILING_LINEAR);
    fill_names(&s);
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NONE, GEN9_TCM_WRAP);
    struct sample_req req = make_req(SAMPLE_GATHER4, 0.5f, 0.5f, 0);
    union color c = sample_one(&s, &sp, &req);
    near(c.f[0], 21.0f); /* (1, 2) */
    near(c.f[1], 22.0f); /* (2, 2) */
    near(c.f[2], 12.0f); /* (2, 1) */
    near(c.f[3], 11.0f); /* (1, 1) */
    req.offset[0] = 2;
    c = sample_one(&s, &sp, &req);
    near(c.f[0], 23.0f);
    near(c.f[1], 20.0f);
}

Test(filter, gather4_offsets_per_lane)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 8, 8, 1, 1,
                                    TILING_LINEAR);
    fill_names(&s);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE, GEN9_TCM_CLAMP);
    struct sample_req req = make_req(SAMPLE_GATHER4, 0.5f, 0.5f, 0);
    req.offsets_per_lane = true;
    req.off_u[0] = -32;
    req.off_v[0] = 2;
    union color c = sample_one(&s, &sp, &req);
    near(c.f[3], 50.0f); /* (0, 5) */
    near(c.f[1], 60.0f); /* (0, 6) */
}

Test(filter, gather4_selects_through_the_swizzle)
{
    struct surface s = two_by_two(F_RGBA8);
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NONE, GEN9_TCM_CLAMP);
    struct sample_req req = make_req(SAMPLE_GATHER4, 0.5f, 0.5f, 0);
    s.swizzle[2] = GEN9_SCS_GREEN;
    s.swizzle[3] = GEN9_SCS_ONE;
    req.gather_channel = 2;
    union color c = sample_one(&s, &sp, &req);
    near(c.f[0], 0.0f);
    near(c.f[1], 0.0f);
    near(c.f[2], 1.0f);
    near(c.f[3], 1.0f);
    req.gather_channel = 3;
    near(sample_one(&s, &sp, &req).f[0], 1.0f);
}

Test(filter, gather4_compares)
{
    struct surface s = two_by_two(F_R32_FLOAT);
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NONE, GEN9_TCM_CLAMP);
    sp.shadow_func = GEN9_COMPAREFUNCTION_LESS;
    struct sample_req req = make_req(SAMPLE_GATHER4, 0.5f, 0.5f, 0);
    req.compare = true;
    req.ref.f[0] = 0.5f;
    union color c = sample_one(&s, &sp, &req);
    near(c.f[0], 0.0f);
    near(c.f[1], 1.0f);
    near(c.f[2], 1.0f);
    near(c.f[3], 0.0f);
}

/* ---- reductions, anisotropy ------------------------------------------- */

Test(filter, minimum_and_maximum)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 4, 4, 1, 1,
                                    TILING_LINEAR);
    fill_names(&s);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_NONE, GEN9_TCM_CLAMP);
    struct sample_req req = make_req(SAMPLE_LZ, 0.5f, 0.5f, 0);
    sp.reduction = REDUCTION_MIN;
    near(sample_red(&s, &sp, &req), 11.0f);
    sp.reduction = REDUCTION_MAX;
    near(sample_red(&s, &sp, &req), 22.0f);
    sp.reduction = 0;
    req.reduction = REDUCTION_MIN;
    near(sample_red(&s, &sp, &req), 11.0f);
}

/* Over a ramp every symmetric filter gives the value in the middle. */
Test(filter, anisotropic_samples_lie_around_the_centre)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 64, 4, 1, 1,
                                    TILING_LINEAR);
    for (unsigned y = 0; y < 4; y++)
        for (unsigned x = 0; x < 64; x++)
            put_texel(&s, 0, x, y, 0, (float)x, 0, 0, 1);
    struct sampler sp = make_sampler(FILTER_ANISOTROPIC, MIP_NONE,
                                     GEN9_TCM_CLAMP);
    sp.max_anisotropy = 16;
    for (float ratio = 1.0f; ratio < 20.0f; ratio += 0.7f) {
        struct sample_req req = make_req(SAMPLE_GRAD, 0.5f, 0.5f, 0);
        req.dudx[0] = 2.0f * ratio / 64.0f;
        req.dvdy[0] = 2.0f / 4.0f;
        cr_expect_float_eq(sample_red(&s, &sp, &req), 31.5f, 0.05f, "%g",
                           ratio);
    }
}

/* A stripe one texel wide with a footprint of 8:1: about an eighth of it
 * remains. */
Test(filter, anisotropic_averages_along_the_axis)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 64, 8, 1, 1,
                                    TILING_LINEAR);
    for (unsigned y = 0; y < 8; y++)
        put_texel(&s, 0, 32, y, 0, 1.0f, 0, 0, 1);
    struct sampler sp = make_sampler(FILTER_ANISOTROPIC, MIP_NONE,
                                     GEN9_TCM_CLAMP);
    sp.max_anisotropy = 16;
    struct sample_req req = make_req(SAMPLE_GRAD, 0.5f, 0.5f, 0);
    req.dudx[0] = 8.0f / 64.0f;
    req.dvdy[0] = 1.0f / 8.0f;
    for (unsigned ewa = 0; ewa < 2; ewa++) {
        sp.anisotropic_ewa = ewa;
        cr_expect_float_eq(sample_red(&s, &sp, &req), 0.125f, 1e-3f);
    }
    req.dvdy[0] = 8.0f / 8.0f; /* isotropic: bilinear */
    near(sample_red(&s, &sp, &req), 0.5f);
}
