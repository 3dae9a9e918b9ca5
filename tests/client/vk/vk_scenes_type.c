/* vk_scenes_type.c: numbers of 8, 16 and 64 bits, compared with C. */
#include "vk_scene.h"

#include <math.h>
#include <string.h>

#include "vk_scenes_type_shaders.h"

enum { THREADS = 512 };

static uint32_t
hash(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352d;
    x ^= x >> 15;
    x *= 0x846ca68b;
    return x ^ x >> 16;
}

static void
run(struct vk *vk, const struct vk_spirv *shader, const struct vk_buffer *out,
    uint32_t count, const struct vk_buffer *uniform)
{
    struct vk_binding b[4];
    for (uint32_t i = 0; i < count; i++)
        b[i] = (struct vk_binding){.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                   .buffer = &out[i]};
    if (uniform)
        b[count] = (struct vk_binding){
            .type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .buffer = uniform};
    struct vk_layout layout = vk_layout(vk, b, count + (uniform != NULL));
    vk_dispatch(vk, &layout, vk_compute(vk, &layout, shader, NULL),
                THREADS / 64, 1, 1);
    vk_finish(vk);
}

static void
check_int64(const int64_t *got, uint32_t i)
{
    uint64_t a = (uint64_t)hash(i) << 32 | hash(i + 1000);
    uint64_t b = (uint64_t)hash(i + 2000) << i % 32 | 1;
    int64_t sa = (int64_t)a, sb = (int64_t)b;
    int64_t na = (int64_t)-a, nb = (int64_t)-b;
    const int64_t want[8] = {(int64_t)(a + b),
                             (int64_t)(a - b),
                             (int64_t)(a * b),
                             sa >> i % 64,
                             (int64_t)(a >> i % 64 ^ b << i % 64),
                             sa < sb ? (sa < nb ? sa : nb)
                                     : (na > sb ? na : sb),
                             (int64_t)(a / b),
                             0};
    for (int k = 0; k < 7; k++)
        if (got[k] != want[k])
            vk_die("64 bits, %u: result %d is %llx, not %llx", i, k,
                   (unsigned long long)got[k], (unsigned long long)want[k]);
    /* The remainder of a negative number is undefined. */
    if (sa >= 0 && sb > 0 && got[7] != sa % sb)
        vk_die("64 bits, %u: remainder", i);
}

static void
type_int64(struct vk *vk, uint8_t *rgba)
{
    vk_need(vk->features.core.features.shaderInt64, "integers of 64 bits");
    struct vk_buffer out = vk_buffer(vk, THREADS * 64, NULL);
    run(vk, &int64_comp, &out, 1, NULL);
    int64_t *rows = out.map;
    for (uint32_t i = 0; i < THREADS; i++) {
        check_int64(rows + i * 8, i);
        rows[i * 8 + 7] = 0;
    }
    memcpy(rgba, out.map, out.size_B);
}

static void
type_float64(struct vk *vk, uint8_t *rgba)
{
    vk_need(vk->features.core.features.shaderFloat64, "floats of 64 bits");
    struct vk_buffer out = vk_buffer(vk, THREADS * 64, NULL);
    run(vk, &float64_comp, &out, 1, NULL);
    double *rows = out.map;
    for (uint32_t i = 0; i < THREADS; i++) {
        double a = (double)hash(i) * 1.5 - 2.0e9;
        double b = (double)(int32_t)hash(i + 99) / 1048576.0;
        float rounded = (float)a;
        uint32_t rounded_bits;
        memcpy(&rounded_bits, &rounded, sizeof rounded);
        const double want[8] = {a + b,
                                a - b * 3.0,
                                a * b,
                                floor(b),
                                a < b ? a : b,
                                fabs(b),
                                (double)(int32_t)b,
                                a < b ? (double)rounded_bits : -a};
        for (int k = 0; k < 8; k++) {
            double got = rows[i * 8 + (uint32_t)k];
            if (got != want[k])
                vk_die("%u: result %d is %a, not %a", i, k, got, want[k]);
            /* The driver chooses the sign of zero after an int in between. */
            rows[i * 8 + (uint32_t)k] = got + 0.0;
        }
    }
    memcpy(rgba, out.map, out.size_B);
}

/* The half of a number that it holds exactly. */
static float
half_value(uint16_t h)
{
    int exponent = h >> 10 & 31, mantissa = h & 0x3ff;
    float f = exponent ? ldexpf((float)(mantissa | 0x400), exponent - 25)
                       : ldexpf((float)mantissa, -24);
    return h & 0x8000 ? -f : f;
}

static void
check_small(const struct vk_buffer *out, const int16_t *block, uint32_t i)
{
    const uint8_t *bytes = (const uint8_t *)out[0].map + i * 3;
    const int16_t *shorts = (const int16_t *)out[1].map + i * 2;
    const uint16_t *halves = (const uint16_t *)out[2].map + i * 2;
    uint8_t a = (uint8_t)hash(i), b = (uint8_t)(hash(i) >> 8);
    int16_t c = (int16_t)(hash(i) >> 8), d = block[i % 8 * 8 + i / 8 % 4];
    int16_t odd = (int16_t)(d | 1);
    uint8_t most = a > b ? a : b;
    if (bytes[0] != (uint8_t)(a + b) || bytes[1] != (uint8_t)(a * b) >> 1 ||
        bytes[2] != (((int8_t)a < (int8_t)b) | (most & 0xfe)))
        vk_die("bytes of %u: %x %x %x", i, bytes[0], bytes[1], bytes[2]);
    if (shorts[0] != (int16_t)(c + d) ||
        shorts[1] != (int16_t)((int16_t)(c * d) ^ (int16_t)(c / odd)))
        vk_die("shorts of %u: %x %x", i, shorts[0], shorts[1]);
    /* A number of 11 bits plus a half. */
    float h = (float)(c / 16);
    if (fabsf(half_value(halves[0]) - (h + 0.5f)) > (fabsf(h) >= 1024) * 0.5f ||
        fabsf(half_value(halves[1]) - (2 * h + 1)) > (fabsf(h) >= 1023))
        vk_die("halves of %u: %g %g of %g", i, half_value(halves[0]),
               half_value(halves[1]), h);
}

static void
type_small(struct vk *vk, uint8_t *rgba)
{
    const struct vk_features *f = &vk->features;
    vk_need(f->v12.shaderInt8 && f->v12.shaderFloat16 &&
                f->v12.storageBuffer8BitAccess &&
                f->v11.storageBuffer16BitAccess &&
                f->v11.uniformAndStorageBuffer16BitAccess &&
                f->core.features.shaderInt16,
            "numbers of 8 and 16 bits");
    int16_t block[64];
    for (uint32_t i = 0; i < 64; i++)
        block[i] = (int16_t)(hash(i + 5000) >> 7);
    struct vk_buffer uniform = vk_buffer(vk, sizeof block, block);
    struct vk_buffer out[] = {vk_buffer(vk, THREADS * 3, NULL),
                              vk_buffer(vk, THREADS * 4, NULL),
                              vk_buffer(vk, THREADS * 4, NULL)};
    run(vk, &small_comp, out, 3, &uniform);
    for (uint32_t i = 0; i < THREADS; i++)
        check_small(out, block, i);
    for (int i = 0; i < 2; i++)
        memcpy(rgba + i * 4096, out[i].map, out[i].size_B);
}

const struct vk_scene vk_scenes_type[] = {
    {.name = "type-int64", .draw = type_int64},
    {.name = "type-float64",
     .draw = type_float64,
     .mean = 0.01,
     .percent = 0.1},
    {.name = "type-small", .draw = type_small},
    {.name = NULL},
};
