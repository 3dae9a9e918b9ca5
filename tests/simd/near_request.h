/* near_request.h: hostile messages whose lanes mostly lie near each other, and
 * surfaces and samplers that footprint kernels take. */
#ifndef TEST_SIMD_NEAR_REQUEST_H
#define TEST_SIMD_NEAR_REQUEST_H

#include "sampler/any_request.h"

static inline float
any_reference(const struct surface *s)
{
    static const float special[] = {NAN,   -NAN, INFINITY, -INFINITY,
                                    -0.0f, 0.0f, 1e-40f,   -1e-40f,
                                    1.0f,  1.5f, -0.5f,    5.9604645e-8f};
    uint32_t n = any(4);
    switch (any(3)) {
    case 0: return special[any(ARRAY_SIZE(special))];
    case 1: return (float)n / (s->fmt->element_B == 2 ? 65535.0f : 16777215.0f);
    default: return (float)any(1 << 16) / (1 << 16);
    }
}

/* A random block of 4x4 pixels on a surface: rotated, mirrored, stretched, and
 * sometimes with a lane elsewhere. */
static inline struct sample_req
any_block(const struct surface *s)
{
    struct sample_req req = {
        .op = any(4)   ? SAMPLE_PLAIN
              : any(2) ? SAMPLE_LZ
                       : SAMPLE_LD,
        .lanes = 16,
        .exec_mask = 0xffff,
    };
    float at[2], d[4];
    for (unsigned i = 0; i < 2; i++)
        at[i] = any(16) ? (float)any(1 << 16) / (1 << 15) - 0.5f : any_coord();
    for (unsigned i = 0; i < 4; i++)
        d[i] = any(3) ? ((float)any(256) - 128.0f) / 128.0f
                      : (float)any(3) - 1.0f;
    /* A texel per pixel. */
    for (unsigned i = 0, one = any(8) == 0; i < 4 && one; i++)
        d[i] = i % 3 ? 0.0f : 1.0f;
    /* A minified or magnified picture. */
    for (unsigned i = 0, upright = any(6) == 0; i < 4 && upright; i++)
        d[i] = i % 3 ? 0.0f : (float)any(256) / 64.0f;
    if (any(4) == 0)
        at[0] = floorf(at[0] * 64.0f) / 64.0f;
    for (unsigned i = 0; i < 16; i++) {
        float x = (float)((i >> 2 & 1) * 2 + (i & 1));
        float y = (float)((i >> 3) * 2 + (i >> 1 & 1));
        float tx = d[0] * x + d[1] * y, ty = d[2] * x + d[3] * y;
        req.u.f[i] = at[0] + tx / (float)s->width;
        req.v.f[i] = at[1] + ty / (float)s->height;
        if (req.op == SAMPLE_LD) {
            req.u.i[i] = sample_floor(at[0] * 64.0f + tx);
            req.v.i[i] = sample_floor(at[1] * 64.0f + ty);
        }
    }
    if (any(16) == 0)
        req.u.f[any(16)] = any_coord();
    if (any(16) == 0)
        req.v.f[any(16)] = any_coord();
    return req;
}

/* All modes of BC7 equally often, and the reserved one. */
static inline void
fill_with_all_modes(struct surface *s)
{
    for (uint64_t i = 0; i < s->limit_B; i += 16) {
        unsigned mode = any(9);
        s->mem[i] = (uint8_t)((s->mem[i] | 1) << mode);
    }
}

/* Formats of every kind of texel that footprint kernels read. */
#define NEAR_FORMATS                                                         \
    F_RGBA8, 0x0c0 /* BGRA8 */, F_BGRX8, 0x186 /* BC1 */, 0x1a2 /* BC7 */,   \
        0x1aa /* ETC2 */, 0x1a9 /* ETC1 */, 0x191 /* DXT1_RGB */,            \
        0x18b /* BC1 sRGB */, 0x188 /* BC3 */, 0x18d /* BC3 sRGB */,         \
        0x199 /* BC4 signed */, 0x1a1 /* BC6H signed */, 0x1a4 /* BC6H */,   \
        0x1af /* ETC2 sRGB */, 0x1c0 /* ETC2 with punch-through alpha */,    \
        0x1c2 /* ETC2 with EAC alpha */, 0x1ab /* EAC R11 */, F_RGBA32F,     \
        0x084 /* RGBA16F */, 0x0c8 /* RGBA8_SRGB */, 0x0c1 /* BGRA8_SRGB */, \
        F_R8_UNORM, 0x144 /* A8 */, F_R32_FLOAT, F_R32_UINT,                 \
        0x0d3 /* R11G11B10F */, 0x0d9 /* R24_UNORM_X8 */
static const uint16_t near_format[] = {NEAR_FORMATS};

/* In one of these formats. */
static inline struct surface
any_near_surface(const uint16_t *format, unsigned formats)
{
    struct surface s = make_surface(SURFACE_2D, format[any(formats)],
                                    8 + any(120), 8 + any(120), 1, 1 + any(5),
                                    TILING_Y);
    bool few = any(4) == 0;
    if (few)
        fill_with_few_numbers(&s);
    else
        fill_with_any_bytes(&s);
    if (few && (s.fmt->compression == FORMAT_ETC1 ||
                s.fmt->compression == FORMAT_ETC2))
        fill_with_equal_blocks(&s);
    if (s.fmt->compression == FORMAT_BC7)
        fill_with_all_modes(&s);
    for (unsigned i = 0; i < 4 && any(4) == 0; i++)
        s.swizzle[i] = (uint8_t)any(8);
    return s;
}

static inline struct sampler
any_near_sampler(void)
{
    struct sampler sp = make_sampler(any(2), any(2) ? any(2) : MIP_LINEAR, 0);
    for (unsigned i = 0; i < 2; i++)
        sp.wrap[i] = any(2) ? GEN9_TCM_WRAP : GEN9_TCM_CLAMP;
    sp.rounding_enable = any(4) ? 0x3f : (uint8_t)any(64);
    sp.shadow_func = (uint8_t)any(8);
    if (any(6) == 0) {
        sp.min_filter = FILTER_ANISOTROPIC;
        sp.mag_filter = any(2) ? FILTER_ANISOTROPIC : FILTER_LINEAR;
        sp.max_anisotropy = (uint8_t)(2 + 2 * any(8));
        sp.anisotropic_ewa = true;
    }
    return sp;
}

static inline struct sample_req
any_near_request(const struct surface *s)
{
    struct sample_req req = any_block(s);
    bool depth = s->fmt->can_shadow && req.op != SAMPLE_LD;
    req.compare = depth && any(2);
    for (unsigned i = 0; i < 16 && req.compare; i++)
        req.ref.f[i] = any_reference(s);
    return req;
}

#endif
