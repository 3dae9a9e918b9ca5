/* sample_helper.h: small textures for the sampling tests. */
#ifndef TEST_SAMPLE_HELPER_H
#define TEST_SAMPLE_HELPER_H

#include <assert.h>
#include <stdlib.h>

#include "sampler/reference/sample.h"

#define F_RGBA32F 0x000
#define F_RGBA8 0x0c7
#define F_R32_FLOAT 0x0d8
#define F_R32_UINT 0x0d7
#define F_RGBA32_UINT 0x002
#define F_BGRX8 0x0e9
#define F_R8_UNORM 0x140

static inline struct surface
make_surface(unsigned type, unsigned format, uint32_t w, uint32_t h,
             uint32_t depth, unsigned levels, unsigned tiling)
{
    struct surface s = {
        .type = (uint8_t)type,
        .format = (uint16_t)format,
        .fmt = format_info(format),
        .tiling = (uint8_t)tiling,
        .is_array = type != SURFACE_3D,
        .halign_el = 4,
        .valign_el = 4,
        .width = w,
        .height = h,
        .depth = depth,
        .samples = 1,
        .mip_count_minus1 = (uint8_t)(levels - 1),
        .swizzle = {4, 5, 6, 7},
        .cube_faces = 0x3f,
    };
    assert(s.fmt);
    s.row_pitch_B = ALIGN_POT(w * 2 * s.fmt->element_B, 512);
    s.qpitch_el_rows = ALIGN_POT(h * 2 + 32, 32);
    uint32_t slices = type == SURFACE_CUBE ? depth * 6 : depth;
    s.limit_B = (uint64_t)s.row_pitch_B * s.qpitch_el_rows * slices;
    s.mem = aligned_alloc(4096, ALIGN_POT(s.limit_B, 4096));
    assert(s.mem);
    memset(s.mem, 0, s.limit_B);
    surface_layout(&s);
    return s;
}

static inline void
put_texel(const struct surface *s, unsigned level, uint32_t x, uint32_t y,
          uint32_t z, float r, float g, float b, float a)
{
    union color c = {.f = {r, g, b, a}};
    uint8_t *p = surface_ptr(s, level, x, y, z, 0);
    assert(p);
    format_pack(s->fmt, &c, p);
}

/* A red value that encodes a texel's place. */
static inline float
texel_name(unsigned level, uint32_t x, uint32_t y, uint32_t z)
{
    return (float)(level * 1000 + z * 100 + y * 10 + x);
}

static inline void
fill_names(const struct surface *s)
{
    uint32_t slices = s->type == SURFACE_CUBE ? s->depth * 6 : 0;
    for (unsigned l = 0; l <= s->mip_count_minus1; l++) {
        uint32_t n = slices ? slices : surface_level_depth(s, l);
        for (uint32_t z = 0; z < n; z++)
            for (uint32_t y = 0; y < surface_level_height(s, l); y++)
                for (uint32_t x = 0; x < surface_level_width(s, l); x++)
                    put_texel(s, l, x, y, z, texel_name(l, x, y, z), 0, 0, 1);
    }
}

static inline struct sampler
make_sampler(unsigned filter, unsigned mip, unsigned wrap)
{
    return (struct sampler){
        .min_filter = (uint8_t)filter,
        .mag_filter = (uint8_t)filter,
        .mip_filter = (uint8_t)mip,
        .wrap = {(uint8_t)wrap, (uint8_t)wrap, (uint8_t)wrap},
        .max_lod = 14.0f,
        .lod_preclamp = 2,
        .max_anisotropy = 2,
        .rounding_enable = filter != FILTER_NEAREST ? 0x3f : 0,
    };
}

static inline struct sample_req
make_req(enum sample_op op, float u, float v, float r)
{
    struct sample_req req = {.op = op, .lanes = 8, .exec_mask = 1};
    for (unsigned i = 0; i < 8; i++) {
        req.u.f[i] = u;
        req.v.f[i] = v;
        req.r.f[i] = r;
    }
    return req;
}

static inline union color
sample_one(const struct surface *s, const struct sampler *sp,
           const struct sample_req *req)
{
    uint32_t out[4][SAMPLE_LANES];
    memset(out, 0xcc, sizeof out);
    sampler_sample(s, sp, req, out);
    union color c;
    for (unsigned i = 0; i < 4; i++)
        c.u[i] = out[i][0];
    return c;
}

static inline float
sample_red(const struct surface *s, const struct sampler *sp,
           const struct sample_req *req)
{
    return sample_one(s, sp, req).f[0];
}

/* For tests that include criterion. */
#define near(a, b) cr_assert_float_eq(a, b, 1e-5f, "%g is not %g", a, b)

#endif
