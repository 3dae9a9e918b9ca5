/* any_request.h: hostile random surfaces, samplers and requests. */
#ifndef TEST_ANY_REQUEST_H
#define TEST_ANY_REQUEST_H

#include <math.h>

#include "sample_helper.h"

/* One sequence per program. */
static uint32_t seed = 1;

static inline uint32_t
any(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static inline float
any_coord(void)
{
    static const float special[] = {
        0.0f,   -0.0f,       1.0f,   -1.0f,   2.0f,  0.5f,
        NAN,    INFINITY,    3e38f,  -3e38f,  1e7f,  -1e-9f,
        -1e-3f, 0.99999994f, 1e-40f, -1e-40f, 2e-38f};
    switch (any(8)) {
    case 0: return special[any(ARRAY_SIZE(special))];
    case 1: return (float)any(2000) / 100.0f - 10.0f;
    case 2: return (float)any(64) / 16.0f - 2.0f;
    default: return (float)any(1 << 20) / (1 << 20);
    }
}

/* Eight bytes at a time: single bytes take longer than the whole test. */
static inline void
fill_with_any_bytes(const struct surface *s)
{
    uint64_t state = any(1 << 24), i = 0;
    for (; i + 8 <= s->limit_B; i += 8) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint64_t v = state ^ state >> 32;
        memcpy(s->mem + i, &v, sizeof v);
    }
    for (; i < s->limit_B; i++)
        s->mem[i] = (uint8_t)any(256);
}

/* Elements that are 0, 1 or 2. */
static inline void
fill_with_few_numbers(const struct surface *s)
{
    memset(s->mem, 0, s->limit_B);
    for (uint64_t i = 0; i < s->limit_B; i += s->fmt->element_B)
        s->mem[i] = (uint8_t)any(3);
}

static inline struct surface
any_surface(void)
{
    static const unsigned format[] = {
        F_RGBA8,
        F_BGRX8,
        F_R8_UNORM,
        F_R32_FLOAT,
        F_R32_UINT,
        F_RGBA32F,
        0x0c8 /* RGBA8 sRGB */,
        0x0c0 /* BGRA8 */,
        0x084 /* RGBA16F */,
        0x106 /* R8G8 */,
        0x144 /* A8 */,
        0x114 /* L8A8 */,
        0x193 /* R8G8B8 */,
        0x100 /* B5G6R5 */,
        0x0ea /* BGRX8 sRGB */,
        0x0d3 /* R11G11B10F */,
        0x0d9 /* R24_UNORM_X8 */,
        0x10a /* R16_UNORM */,
        0x085 /* RG32F */,
        0x10e /* R16F */,
        0x0d0 /* RG16F */,
        0x088 /* R32F_X8X24 */,
        0x186 /* BC1 */,
        0x18d /* BC3 sRGB */,
        0x18a /* BC5 */,
        0x1a2 /* BC7 */,
        0x1aa /* ETC2 */,
        0x1a9 /* ETC1 */,
        0x1c1 /* ETC2 sRGB with punch-through alpha */,
        0x1c2 /* ETC2 with EAC alpha */,
        0x0c9 /* RGBA8 SNORM */,
        0x0c2 /* R10G10B10A2 */,
        0x0cc /* RG16 */,
        0x0ca /* RGBA8 SINT */,
        0x104 /* B4G4R4A4 */,
        0x102 /* B5G5R5A1 */,
        0x10d /* R16 UINT */,
        0x143 /* R8 UINT */,
        F_RGBA32_UINT,
    };
    static const unsigned tiling[] = {TILING_LINEAR, TILING_X, TILING_Y};
    unsigned type = any(4) ? SURFACE_2D : any(2) ? SURFACE_CUBE : SURFACE_3D;
    uint32_t w = 1 + any(37);
    struct surface s = make_surface(type, format[any(ARRAY_SIZE(format))], w,
                                    type == SURFACE_CUBE ? w : 1 + any(37),
                                    1 + any(3), 1 + any(4), tiling[any(3)]);
    fill_with_any_bytes(&s);
    if (type == SURFACE_2D && s.depth > 1 && any(2)) {
        s.min_array = 1;
        s.depth--;
    }
    if (any(8) == 0)
        s.limit_B = any((uint32_t)s.limit_B);
    for (unsigned i = 0; i < 4; i++)
        s.swizzle[i] = (uint8_t)(any(4) ? 4 + i : any(8));
    return s;
}

static inline struct sampler
any_sampler(void)
{
    struct sampler sp = make_sampler(any(3), any(2) ? any(2) : MIP_LINEAR, 0);
    sp.cube_override = any(2);
    sp.mag_filter = (uint8_t)any(3);
    sp.max_anisotropy = (uint8_t)(2 + 2 * any(8));
    sp.anisotropic_ewa = any(4);
    sp.rounding_enable = any(3) ? 0x3f : (uint8_t)any(64);
    for (unsigned i = 0; i < 3; i++)
        sp.wrap[i] = (uint8_t)(any(3) ? any(3) : any(8));
    sp.border = (union color){.f = {0.1f, 0.2f, 0.3f, 0.4f}};
    sp.lod_bias = any(4) ? 0.0f : (float)any(512) / 256.0f - 1.0f;
    return sp;
}

static inline struct sample_req
any_req(void)
{
    struct sample_req req = {.lanes = any(2) ? 16 : 8};
    req.op = (enum sample_op)any(SAMPLE_GRAD + 1);
    req.exec_mask = any(2) ? 0xffff : any(65536);
    bool smooth = any(2), same_lod = any(2), same_face = any(2);
    float u = any_coord(), v = any_coord(), step = (float)any(64) / 256.0f;
    for (unsigned i = 0; i < 16; i++) {
        req.u.f[i] = smooth ? u + step * (float)(i & 1) : any_coord();
        req.v.f[i] = smooth ? v + step * (float)(i >> 1 & 1) : any_coord();
        req.r.f[i] = (float)(any(4) ? 1 : any(4));
        if (same_face)
            req.r.f[i] = i ? req.r.f[0] : (float)any(40) - 20.0f;
        req.ai.f[i] = (float)(any(8) ? 1 : any(2));
        req.lod.f[i] = i && same_lod ? req.lod.f[0]
                                     : (float)any(1024) / 200.0f - 1.0f;
        req.dudx[i] = req.dvdy[i] = step;
    }
    if (any(8) == 0)
        req.offset[0] = (int8_t)(any(16) - 8);
    return req;
}

static inline uint64_t
bits_of(uint64_t v, unsigned hi, unsigned lo)
{
    return v >> lo & ((UINT64_C(1) << (hi - lo + 1)) - 1);
}

/* An ETC block in mode H with two equal colours, because mode H depends on
 * their order. Bit 33 is set, a sum of red is within 0..31 and one of green is
 * not. */
static inline uint64_t
any_equal_block(void)
{
    for (;;) {
        uint64_t v = (uint64_t)any(1 << 16) << 47 | (uint64_t)any(2) << 63 |
                     any(1 << 24) | UINT64_C(1) << 33;
        v |= (uint64_t)any(8) << 32;
        uint64_t g = bits_of(v, 58, 56) << 1 | bits_of(v, 52, 52);
        uint64_t b = bits_of(v, 51, 51) << 3 | bits_of(v, 49, 47);
        v |= bits_of(v, 62, 59) << 43 | g << 39 | b << 35;
        int red = (int)bits_of(v, 63, 59) + (int)(bits_of(v, 58, 56) ^ 4) - 4;
        int green = (int)bits_of(v, 55, 51) + (int)(bits_of(v, 50, 48) ^ 4) - 4;
        if (red >= 0 && red <= 31 && (green < 0 || green > 31))
            return v;
    }
}

static inline void
fill_with_equal_blocks(struct surface *s)
{
    for (uint64_t at = 0; at + 8 <= s->limit_B; at += 8) {
        uint64_t v = __builtin_bswap64(any_equal_block());
        memcpy(s->mem + at, &v, sizeof v);
    }
}

#endif
