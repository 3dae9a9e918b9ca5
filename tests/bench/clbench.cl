/* Kernels of clbench_rows.c. Each row compiles what comes before the first mark,
 * and what is after the mark with its kernel's name. Kernels that a driver may
 * round in one way only use fma(), so that results compare exactly. */

#define CLAMPED (CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE)
constant sampler_t texels = CLAMPED | CLK_FILTER_NEAREST;
constant sampler_t linear = CLAMPED | CLK_FILTER_LINEAR;

#define REPEATED(name, type, expression)                \
    kernel void name(global const type *a, global type *o) \
    {                                                   \
        uint i = get_global_id(0);                      \
        type x = a[i] + (type)1;                        \
        for (int k = 0; k < 100; k++)                   \
            x = (expression) + (type)0.5;               \
        o[i] = x;                                       \
    }

/* Local arrays, at an index that is known when it runs. */
#define PRIVATE(name, type, size)                                 \
    kernel void name(global uint *o)                              \
    {                                                             \
        uint g = get_global_id(0), sum = 0;                       \
        type t[size];                                             \
        for (uint i = 0; i < size; i++)                           \
            t[i] = (type)((i ^ g) & 63);                          \
        for (uint k = 0; k < 100; k++) {                          \
            uint j = (k * 17 + (g >> 6)) & (size - 1);            \
            t[j] = (type)((uint)t[(j + g) & (size - 1)] + 1 & 127); \
        }                                                         \
        for (uint i = 0; i < size; i++)                           \
            sum += (uint)t[i] << (i & 7);                         \
        o[g] = sum;                                               \
    }

/* -- fma_f32 */
kernel void
fma_f32(global const float4 *a, global float4 *o)
{
    uint i = get_global_id(0);
    float4 m = a[i] * 0.5f, x = m, y = 1.0f - m;
    for (int k = 0; k < 128; k++) {
        x = fma(x, m, y);
        y = fma(y, m, x.yzwx * 0.25f);
    }
    o[i] = fma(x, m, y);
}

/* -- fma_f64 */
kernel void
fma_f64(global const double *a, global double *o)
{
    uint i = get_global_id(0);
    double m = a[i] * 0.5, x = m, y = 1.0 - m;
    for (int k = 0; k < 64; k++) {
        x = fma(x, m, y);
        y = fma(y, m, m);
    }
    o[i] = x + y;
}

/* -- div_f64 */
REPEATED(div_f64, double, a[i] / x)
/* -- sqrt_f64 */
REPEATED(sqrt_f64, double, sqrt(x))
/* -- div_f32 */
REPEATED(div_f32, float, a[i] / x)
/* -- sqrt_f32 */
REPEATED(sqrt_f32, float, sqrt(x))
/* -- math_f32 */
REPEATED(math_f32, float, sin(x) * exp(-x) + log(x + 1.0f))
/* -- pow_f32 */
REPEATED(pow_f32, float, pow(x, 0.7f))

/* -- hash_u32 */
kernel void
hash_u32(global const uint *a, global uint *o)
{
    uint i = get_global_id(0), x = a[i], y = i;
    for (uint k = 0; k < 128; k++) {
        x = rotate(x ^ y, 13u) * 0x85ebca6bu + k;
        y = (y + (x >> 7)) ^ bitselect(x, y, 0x0f0f3355u);
    }
    o[i] = x ^ y;
}

/* -- private16_f32 */
PRIVATE(private16_f32, float, 16)
/* -- private64_f32 */
PRIVATE(private64_f32, float, 64)
/* -- private32_u16 */
PRIVATE(private32_u16, ushort, 32)
/* -- private64_u8 */
PRIVATE(private64_u8, uchar, 64)

/* -- nbody */
kernel void
nbody(global const float4 *p, global float4 *v)
{
    local float4 t[128];
    uint i = get_global_id(0), l = get_local_id(0);
    float4 me = p[i];
    float3 a = 0;
    for (uint b = 0; b < 4096; b += 128) {
        t[l] = p[b + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < 128; j++) {
            float3 d = t[j].xyz - me.xyz;
            float r = rsqrt(dot(d, d) + 0.01f);
            a += d * (t[j].w * r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    v[i] += (float4)(a * 0.001f, 0);
}

/* -- sgemm */
kernel void
sgemm(global const float *a, global const float *b, global float *c)
{
    local float ta[16][16], tb[16][16];
    uint x = get_global_id(0), y = get_global_id(1);
    uint lx = get_local_id(0), ly = get_local_id(1);
    float s = 0;
    for (uint k = 0; k < 256; k += 16) {
        ta[ly][lx] = a[y * 256 + k + lx];
        tb[ly][lx] = b[(k + ly) * 256 + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < 16; j++)
            s = fma(ta[ly][j], tb[j][lx], s);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * 256 + x] = s;
}

/* -- stencil */
kernel void
stencil(global const float *a, global float *o)
{
    uint x = get_global_id(0), y = get_global_id(1);
    uint left = max(x, 1u) - 1, right = min(x + 1, 1023u);
    uint up = max(y, 1u) - 1, down = min(y + 1, 1023u);
    float sum = a[y * 1024 + left] + a[y * 1024 + right] + a[up * 1024 + x] +
                a[down * 1024 + x];
    o[y * 1024 + x] = fma(sum, 0.2f, a[y * 1024 + x] * 0.25f);
}

/* -- reduce */
kernel void
reduce(global const float *a, global float *o)
{
    local float t[128];
    uint l = get_local_id(0), g = get_group_id(0);
    float s = 0;
    for (uint i = 0; i < 32; i++)
        s += a[g * 4096 + i * 128 + l];
    t[l] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 64; k > 0; k >>= 1) {
        if (l < k)
            t[l] += t[l + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        o[g] = t[0];
}

/* -- histogram */
kernel void
histogram(global const uint *a, global uint *o)
{
    local uint h[256];
    uint l = get_local_id(0), g = get_group_id(0);
    h[l] = 0;
    h[l + 128] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 32; i++)
        atomic_inc(&h[a[g * 4096 + i * 128 + l] >> 12 & 255]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&o[l], h[l]);
    atomic_add(&o[l + 128], h[l + 128]);
}

/* -- sort_blocks */
/* Bitonic sort: 512 keys a group. Steps k and j as in the literature. */
static void
exchange(local uint *t, uint base, uint k, uint j)
{
    uint l = get_local_id(0), i = (l / j * 2) * j + l % j;
    uint a = t[i], b = t[i + j];
    bool up = ((base + i) & k) == 0;
    t[i] = up ? min(a, b) : max(a, b);
    t[i + j] = up ? max(a, b) : min(a, b);
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void
sort_blocks(global uint *a, uint first, uint last)
{
    local uint t[512];
    uint l = get_local_id(0), base = get_group_id(0) * 512;
    t[l] = a[base + l];
    t[l + 256] = a[base + l + 256];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = first; k <= last; k *= 2)
        for (uint j = min(k / 2, 256u); j > 0; j /= 2)
            exchange(t, base, k, j);
    a[base + l] = t[l];
    a[base + l + 256] = t[l + 256];
}

kernel void
sort_step(global uint *a, uint k, uint j)
{
    uint g = get_global_id(0), i = (g / j * 2) * j + g % j;
    uint x = a[i], y = a[i + j];
    bool up = (i & k) == 0;
    a[i] = up ? min(x, y) : max(x, y);
    a[i + j] = up ? max(x, y) : min(x, y);
}

/* -- fft */
/* 1024 complex numbers a group of 256, radix 2, in order of time. */
kernel void
fft(global const float2 *a, global const float2 *w, global float2 *o)
{
    local float2 t[2][1024];
    uint l = get_local_id(0), base = get_group_id(0) * 1024, from = 0;
    for (uint i = l; i < 1024; i += 256)
        t[0][i] = a[base + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 1; s < 1024; s *= 2, from ^= 1) {
        for (uint j = l; j < 512; j += 256) {
            uint k = j & (s - 1), to = (j - k) * 2 + k;
            float2 p = t[from][j], q = t[from][j + 512], r = w[k * (512 / s)];
            q = (float2)(q.x * r.x - q.y * r.y, q.x * r.y + q.y * r.x);
            t[from ^ 1][to] = p + q;
            t[from ^ 1][to + s] = p - q;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = l; i < 1024; i += 256)
        o[base + i] = t[from][i];
}

/* -- copy_f32 */
kernel void
copy_f32(global const float4 *a, global float4 *o)
{
    uint i = get_global_id(0);
    o[i] = a[i] * 2.0f;
}

/* -- add_u8 */
kernel void
add_u8(global const uchar *a, global const uchar *b, global uchar *o)
{
    uint i = get_global_id(0);
    o[i] = (uchar)(a[i] * 2 + b[i]);
}

/* -- image_u8 */
kernel void
image_u8(read_only image2d_t a, write_only image2d_t o)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(o, p, read_imageui(a, texels, p).zyxw);
}

/* -- image_f32 */
kernel void
image_f32(read_only image2d_t a, write_only image2d_t o)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(o, p, read_imagef(a, texels, p).zyxw);
}

/* -- image_linear */
kernel void
image_linear(read_only image2d_t a, global float4 *o)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    o[p.y * 1024 + p.x] =
        read_imagef(a, linear, convert_float2(p) * 0.75f + 0.6f);
}

/* -- nothing */
kernel void
nothing(global uint *o)
{
    if (get_global_id(0) == 0xffffffff)
        o[0] = 1;
}
