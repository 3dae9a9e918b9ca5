/* test_sample.c: loads, queries, swizzles and null surfaces. */
#include <criterion/criterion.h>

#include "sample_helper.h"

static struct sample_req
make_load(uint32_t u, uint32_t v, uint32_t r, uint32_t lod)
{
    struct sample_req req = {.op = SAMPLE_LD, .lanes = 8, .exec_mask = 1};
    req.u.u[0] = u;
    req.v.u[0] = v;
    req.r.u[0] = r;
    req.lod.u[0] = lod;
    return req;
}

static float
load_red(const struct surface *s, uint32_t u, uint32_t v, uint32_t r,
         uint32_t lod)
{
    struct sample_req req = make_load(u, v, r, lod);
    return sample_red(s, NULL, &req);
}

Test(sample, load)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 8, 8, 3, 3,
                                    TILING_Y);
    fill_names(&s);
    near(load_red(&s, 5, 6, 2, 0), texel_name(0, 5, 6, 2));
    near(load_red(&s, 1, 0, 1, 2), texel_name(2, 1, 0, 1));
    struct sample_req req = make_load(1, 1, 0, 0);
    req.offset[0] = 3;
    req.offset[1] = -1;
    near(sample_red(&s, NULL, &req), texel_name(0, 4, 0, 0));
    s.min_array = 1;
    s.depth = 2;
    s.min_lod = 1;
    s.mip_count_minus1 = 1;
    near(load_red(&s, 1, 0, 1, 1), texel_name(2, 1, 0, 2));
}

Test(sample, load_out_of_bounds_is_zero)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 8, 8, 2, 2,
                                    TILING_Y);
    fill_names(&s);
    static const uint32_t bad[][4] = {
        {8, 0, 0, 0},          {0, 8, 0, 0},   {0, 0, 2, 0},
        {0, 0, 0, 2},          {4, 0, 0, 1},   {0xffffffff, 0, 0, 0},
        {0, 0x80000000, 0, 0}, {0, 0, ~0u, 0}, {0, 0, 0, ~0u},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        struct sample_req req = make_load(bad[i][0], bad[i][1], bad[i][2],
                                          bad[i][3]);
        union color c = sample_one(&s, NULL, &req);
        cr_expect_eq(c.u[0], 0, "row %u", i);
        near(c.f[3], 1.0f); /* no alpha in the format */
    }
    struct surface t = make_surface(SURFACE_2D, F_RGBA8, 8, 8, 1, 1, TILING_Y);
    struct sample_req req = make_load(9, 0, 0, 0);
    cr_expect_eq(sample_one(&t, NULL, &req).u[3], 0);
}

Test(sample, load_of_one_and_three_dimensions)
{
    struct surface a = make_surface(SURFACE_1D, F_R32_FLOAT, 9, 1, 3, 1,
                                    TILING_LINEAR);
    fill_names(&a);
    near(load_red(&a, 8, 2, 77, 0), texel_name(0, 8, 0, 2));
    struct surface v = make_surface(SURFACE_3D, F_R32_FLOAT, 4, 4, 4, 2,
                                    TILING_Y);
    fill_names(&v);
    near(load_red(&v, 1, 2, 3, 0), texel_name(0, 1, 2, 3));
    near(load_red(&v, 1, 1, 1, 1), texel_name(1, 1, 1, 1));
    near(load_red(&v, 1, 1, 2, 1), 0.0f);
}

Test(sample, load_from_buffers)
{
    static uint32_t memory[16];
    for (unsigned i = 0; i < 16; i++)
        memory[i] = 100 + i;
    struct surface s = {
        .type = SURFACE_BUFFER,
        .fmt = format_info(F_RGBA32_UINT),
        .mem = (uint8_t *)memory,
        .limit_B = sizeof memory,
        .buffer_elements = 3,
        .buffer_stride_B = 16,
        .swizzle = {4, 5, 6, 7},
        .samples = 1,
    };
    struct sample_req req = make_load(2, 0, 0, 0);
    union color c = sample_one(&s, NULL, &req);
    cr_expect_eq(c.u[0], 108);
    cr_expect_eq(c.u[3], 111);
    req.u.u[0] = 3;
    cr_expect_eq(sample_one(&s, NULL, &req).u[0], 0);
}

Test(sample, swizzle)
{
    struct surface s = make_surface(SURFACE_2D, F_RGBA8, 1, 1, 1, 1,
                                    TILING_LINEAR);
    put_texel(&s, 0, 0, 0, 0, 0.2f, 0.4f, 0.6f, 0.8f);
    s.swizzle[0] = GEN9_SCS_ALPHA;
    s.swizzle[1] = GEN9_SCS_ONE;
    s.swizzle[2] = GEN9_SCS_ZERO;
    s.swizzle[3] = GEN9_SCS_RED;
    struct sample_req req = make_load(0, 0, 0, 0);
    union color c = sample_one(&s, NULL, &req);
    near(c.f[0], 0.8f);
    near(c.f[1], 1.0f);
    near(c.f[2], 0.0f);
    near(c.f[3], 0.2f);
    struct sampler sp = make_sampler(FILTER_NEAREST, MIP_NONE, GEN9_TCM_WRAP);
    req = make_req(SAMPLE_LZ, 0.5f, 0.5f, 0);
    near(sample_one(&s, &sp, &req).f[0], 0.8f);
}

Test(sample, one_of_integer_formats)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_UINT, 1, 1, 1, 1,
                                    TILING_LINEAR);
    s.swizzle[1] = GEN9_SCS_ONE;
    struct sample_req req = make_load(0, 0, 0, 0);
    union color c = sample_one(&s, NULL, &req);
    cr_expect_eq(c.u[1], 1);
    cr_expect_eq(c.u[3], 1);
}

Test(sample, integers_are_not_filtered)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_UINT, 2, 1, 1, 1,
                                    TILING_LINEAR);
    uint32_t texel[2] = {0x7fc00001, 0xffffffff};
    memcpy(s.mem, texel, sizeof texel);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_LINEAR, GEN9_TCM_WRAP);
    struct sample_req req = make_req(SAMPLE_LZ, 0.4f, 0.5f, 0);
    cr_expect_eq(sample_one(&s, &sp, &req).u[0], 0x7fc00001);
}

Test(sample, null_surface_reads_zero)
{
    struct surface s = {.type = SURFACE_NULL,
                        .fmt = format_info(F_R32_UINT),
                        .swizzle = {1, 1, 1, 1}};
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_LINEAR, GEN9_TCM_WRAP);
    for (unsigned op = SAMPLE_PLAIN; op <= SAMPLE_SAMPLEINFO; op++) {
        struct sample_req req = make_req((enum sample_op)op, 0.5f, 0.5f, 0);
        union color c = sample_one(&s, &sp, &req);
        for (unsigned i = 0; i < 4; i++)
            cr_expect_eq(c.u[i], 0, "op %u", op);
    }
}

Test(sample, lanes_outside_of_the_mask_are_untouched)
{
    struct surface s = make_surface(SURFACE_2D, F_RGBA8, 4, 4, 1, 1,
                                    TILING_LINEAR);
    struct sampler sp = make_sampler(FILTER_LINEAR, MIP_LINEAR, GEN9_TCM_WRAP);
    for (unsigned op = SAMPLE_PLAIN; op <= SAMPLE_SAMPLEINFO; op++) {
        struct sample_req req = make_req((enum sample_op)op, 0.5f, 0.5f, 0);
        req.lanes = 16;
        req.exec_mask = 0xa5c3;
        uint32_t out[4][SAMPLE_LANES];
        memset(out, 0xcd, sizeof out);
        sampler_sample(&s, &sp, &req, out);
        for (unsigned i = 0; i < 64; i++)
            if (!(req.exec_mask >> i % 16 & 1))
                cr_expect_eq(out[i / 16][i % 16], 0xcdcdcdcd, "op %u", op);
    }
}

/* ---- multisampling ----------------------------------------------------- */

static struct surface
make_ms(unsigned samples)
{
    struct surface s = make_surface(SURFACE_2D, F_R32_FLOAT, 4, 4, 1, 1,
                                    TILING_Y);
    free(s.mem);
    s.samples = (uint8_t)samples;
    s.limit_B *= samples;
    s.mem = calloc(1, s.limit_B);
    for (unsigned i = 0; i < samples; i++) {
        float f = 10.0f + (float)i;
        memcpy(surface_ptr(&s, 0, 1, 2, 0, i), &f, 4);
    }
    s.clear_color.f[0] = 99.0f;
    return s;
}

static void
add_mcs(struct surface *s)
{
    s->aux = AUX_MCS;
    s->aux_row_pitch_B = 128;
    s->aux_qpitch_el_rows = 32;
    s->aux_limit_B = 4096;
    s->aux_mem = malloc(4096);
    memset(s->aux_mem, 0xff, 4096);
}

static struct sample_req
make_load_ms(unsigned sample, uint64_t mcs)
{
    struct sample_req req = make_load(1, 2, 0, 0);
    req.op = SAMPLE_LD_MS;
    req.si.u[0] = sample;
    req.mcs[0].u[0] = (uint32_t)mcs;
    req.mcs[1].u[0] = (uint32_t)(mcs >> 32);
    return req;
}

static const struct {
    unsigned samples;
    uint64_t identity, clear, reversed;
} mcs_table[] = {
    {2, 0x2, 0x3, 0x1},
    {4, 0xe4, 0xff, 0x1b},
    {8, 0x76543210, 0xffffffff, 0x01234567},
    {16, 0xfedcba9876543210, 0xffffffffffffffff, 0x0123456789abcdef},
};

Test(sample, load_ms_without_mcs_takes_the_sample)
{
    for (unsigned i = 0; i < 4; i++) {
        struct surface s = make_ms(mcs_table[i].samples);
        for (unsigned k = 0; k < s.samples; k++) {
            struct sample_req req = make_load_ms(k, 0);
            near(sample_red(&s, NULL, &req), 10.0f + (float)k);
        }
        struct sample_req req = make_load_ms(s.samples, 0);
        near(sample_red(&s, NULL, &req), 0.0f);
    }
}

Test(sample, load_ms_follows_mcs)
{
    for (unsigned i = 0; i < 4; i++) {
        struct surface s = make_ms(mcs_table[i].samples);
        add_mcs(&s);
        for (unsigned k = 0; k < s.samples; k++) {
            struct sample_req req = make_load_ms(k, mcs_table[i].identity);
            near(sample_red(&s, NULL, &req), 10.0f + (float)k);
            req = make_load_ms(k, mcs_table[i].reversed);
            near(sample_red(&s, NULL, &req),
                 10.0f + (float)(s.samples - 1 - k));
            req = make_load_ms(k, 0);
            near(sample_red(&s, NULL, &req), 10.0f);
            req = make_load_ms(k, mcs_table[i].clear);
            union color c = sample_one(&s, NULL, &req);
            near(c.f[0], 99.0f);
            near(c.f[3], 1.0f);
        }
    }
}

Test(sample, load_mcs_identity)
{
    for (unsigned i = 0; i < 4; i++) {
        struct surface s = make_ms(mcs_table[i].samples);
        struct sample_req req = make_load(1, 2, 0, 0);
        req.op = SAMPLE_LD_MCS;
        union color c = sample_one(&s, NULL, &req);
        cr_expect_eq(c.u[0], (uint32_t)mcs_table[i].identity);
        cr_expect_eq(c.u[1], (uint32_t)(mcs_table[i].identity >> 32));
    }
}

Test(sample, load_mcs_reads_memory)
{
    static const uint32_t ones[] = {0xff, 0xff, 0xffffffff, 0xffffffff};
    /* Y tile: row 2 of the first column of 16 bytes, element 1 */
    static const unsigned offset[] = {33, 33, 36, 40};
    for (unsigned i = 0; i < 4; i++) {
        struct surface s = make_ms(mcs_table[i].samples);
        add_mcs(&s);
        struct sample_req req = make_load(1, 2, 0, 0);
        req.op = SAMPLE_LD_MCS;
        cr_expect_eq(sample_one(&s, NULL, &req).u[0], ones[i]);
        s.aux_mem[offset[i]] = 0x42;
        cr_expect_eq(sample_one(&s, NULL, &req).u[0],
                     (ones[i] & ~0xffu) | 0x42);
        req.u.u[0] = 4;
        cr_expect_eq(sample_one(&s, NULL, &req).u[0], 0);
    }
}

/* ---- queries ----------------------------------------------------------- */

static void
expect_info(const struct surface *s, uint32_t lod, uint32_t r, uint32_t g,
            uint32_t b, uint32_t a)
{
    struct sample_req req = {.op = SAMPLE_RESINFO, .lanes = 8, .exec_mask = 1};
    req.lod.u[0] = lod;
    union color c = sample_one(s, NULL, &req);
    cr_expect_eq(c.u[0], r);
    cr_expect_eq(c.u[1], g);
    cr_expect_eq(c.u[2], b);
    cr_expect_eq(c.u[3], a);
}

Test(sample, resinfo)
{
    struct surface s = make_surface(SURFACE_2D, F_RGBA8, 9, 5, 3, 4,
                                    TILING_LINEAR);
    expect_info(&s, 0, 9, 5, 3, 4);
    expect_info(&s, 2, 2, 1, 3, 4);
    expect_info(&s, 4, 0, 0, 0, 4);
    s.min_lod = 1;
    s.mip_count_minus1 = 1;
    expect_info(&s, 0, 4, 2, 3, 2);
    s = make_surface(SURFACE_1D, F_RGBA8, 9, 1, 6, 1, TILING_LINEAR);
    expect_info(&s, 0, 9, 6, 0, 1);
    s = make_surface(SURFACE_3D, F_RGBA8, 8, 4, 6, 3, TILING_LINEAR);
    expect_info(&s, 1, 4, 2, 3, 3);
    s = make_surface(SURFACE_CUBE, F_RGBA8, 4, 4, 2, 1, TILING_LINEAR);
    expect_info(&s, 0, 4, 4, 2, 1);
    s.type = SURFACE_BUFFER;
    s.buffer_elements = 12345;
    expect_info(&s, 0, 12345, 0, 0, 0);
}

Test(sample, sampleinfo)
{
    struct surface s = make_ms(8);
    struct sample_req req = {
        .op = SAMPLE_SAMPLEINFO, .lanes = 8, .exec_mask = 1};
    cr_expect_eq(sample_one(&s, NULL, &req).u[0], 8);
}

/* ---- state, hostile surfaces ------------------------------------------- */

Test(sample, sampler_state)
{
    const struct gen9_sampler_state st = {
        .min_mode_filter = 1,
        .mag_mode_filter = 2,
        .mip_mode_filter = 3,
        .texture_lod_bias = -1.5f,
        .min_lod = 2.25f,
        .max_lod = 13.5f,
        .shadow_function = 5,
        .tcx_address_control_mode = 1,
        .tcy_address_control_mode = 4,
        .tcz_address_control_mode = 6,
        .maximum_anisotropy = 7,
        .u_address_mag_filter_rounding_enable = true,
        .border_color_pointer = 0x1240,
        .lod_preclamp_mode = 2,
        .reduction_type = 3,
        .cube_surface_control_mode = 1,
    };
    uint32_t dw[4] = {0}, border;
    gen9_sampler_state_pack(&st, dw);
    struct sampler sp;
    sampler_decode(&sp, dw, &border, 9);
    cr_expect_eq(sp.min_filter, FILTER_LINEAR);
    cr_expect_eq(sp.mag_filter, FILTER_ANISOTROPIC);
    cr_expect_eq(sp.mip_filter, MIP_LINEAR);
    cr_expect_eq(sp.lod_bias, -1.5f);
    cr_expect_eq(sp.min_lod, 2.25f);
    cr_expect_eq(sp.max_lod, 13.5f);
    cr_expect_eq(sp.wrap[0], 1);
    cr_expect_eq(sp.wrap[1], 4);
    cr_expect_eq(sp.wrap[2], 6);
    cr_expect_eq(sp.max_anisotropy, 16);
    cr_expect_eq(sp.rounding_enable, 0x20);
    cr_expect_eq(sp.shadow_func, 5);
    cr_expect_eq(sp.reduction, 0); /* not enabled */
    cr_expect(sp.cube_override);
    cr_expect_eq(border, 0x1240);
}

/* Random states: nothing outside the memory is read. */
Test(sample, hostile_states)
{
    uint32_t seed = 12345;
    uint8_t *mem = malloc(4096);
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t rss[16], st[4], border;
        for (unsigned k = 0; k < 16; k++)
            rss[k] = seed = seed * 1664525 + 1013904223;
        for (unsigned k = 0; k < 4; k++)
            st[k] = seed = seed * 1664525 + 1013904223;
        rss[0] ^= rss[0] >> 16;
        rss[5] &= ~(3u << 18); /* no standard tiling */
        struct surface s;
        if (!surface_decode(&s, rss, 9))
            continue;
        s.mem = s.aux_mem = mem;
        s.limit_B = s.aux_limit_B = i % 4097;
        struct sampler sp;
        sampler_decode(&sp, st, &border, 9);
        struct sample_req req = make_req(
            (enum sample_op)(i % (SAMPLE_SAMPLEINFO + 1)), 0, 0, 0);
        req.compare = seed >> 30 & 1;
        for (unsigned k = 0; k < 8; k++) {
            req.u.u[k] = seed = seed * 1664525 + 1013904223;
            req.v.u[k] = seed = seed * 1664525 + 1013904223;
            req.lod.u[k] = seed >> (seed & 31);
            req.ai.u[k] = req.r.u[k] = seed >> 5;
        }
        req.exec_mask = 0xff;
        uint32_t out[4][SAMPLE_LANES];
        sampler_sample(&s, &sp, &req, out);
    }
}
