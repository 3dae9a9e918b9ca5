/* glbench_compute.c: compute shaders; each frame waits for its dispatch. */
#include "glbench.h"

#define BUFFER(n, type, name)                                                 \
    "layout(std430, binding = " #n ") buffer B" #n " { " type " " name "[]; " \
    "};"
#define LOCAL(n) "layout(local_size_x = " #n ") in;"

static const char cs_nbody[] = LOCAL(128) BUFFER(0, "vec4", "p") BUFFER(
    1, "vec4",
    "v") "shared vec4 t[128];"
         "void main(){ uint i = gl_GlobalInvocationID.x;"
         " uint l = gl_LocalInvocationID.x;"
         " vec4 me = p[i]; vec3 a = vec3(0);"
         " for (uint b = 0u; b < 4096u; b += 128u){ t[l] = p[b + l]; barrier();"
         " for (uint j = 0u; j < 128u; j++){ vec3 d = t[j].xyz - me.xyz;"
         " float q = dot(d, d) + 0.01; float r = inversesqrt(q);"
         " a += d * (t[j].w * r * r * r); } barrier(); }"
         " v[i] += vec4(a * 0.001, 0); }";
static const char cs_sgemm[] =
    "layout(local_size_x = 16, local_size_y = 16) in;" BUFFER(0, "float", "a")
        BUFFER(1, "float", "b") BUFFER(
            2, "float", "c") "shared float ta[16][16]; shared float tb[16][16];"
                             "void main(){ uint x = gl_GlobalInvocationID.x,"
                             " y = gl_GlobalInvocationID.y;"
                             " uint lx = gl_LocalInvocationID.x, ly = "
                             "gl_LocalInvocationID.y;"
                             " float s = 0.0;"
                             " for (uint k = 0u; k < 256u; k += 16u){"
                             " ta[ly][lx] = a[y * 256u + k + lx];"
                             " tb[ly][lx] = b[(k + ly) * 256u + x]; barrier();"
                             " for (int j = 0; j < 16; j++) s += ta[ly][j] * "
                             "tb[j][lx]; barrier(); }"
                             " c[y * 256u + x] = s; }";
static const char cs_reduce[] = LOCAL(128) BUFFER(0, "float", "a") BUFFER(
    1, "float",
    "o") "shared float t[128];"
         "void main(){ uint l = gl_LocalInvocationID.x, g = gl_WorkGroupID.x;"
         " float s = 0.0;"
         " for (uint i = 0u; i < 32u; i++) s += a[g * 4096u + i * 128u + l];"
         " t[l] = s; barrier();"
         " for (uint k = 64u; k > 0u; k >>= 1){ if (l < k) t[l] += t[l + k];"
         " barrier(); }"
         " if (l == 0u) o[g] = t[0]; }";
static const char cs_copy[] = LOCAL(64) BUFFER(0, "vec4", "a") BUFFER(
    1, "vec4",
    "o") "void main(){ uint i = gl_GlobalInvocationID.x; o[i] = a[i] * 2.0; }";
static const char cs_fma[] = LOCAL(64) BUFFER(0, "vec4", "a")
    BUFFER(1, "vec4", "o") "void main(){ uint i = gl_GlobalInvocationID.x;"
                           " vec4 x = a[i] * 0.5, y = x * 0.5;"
                           " for (int k = 0; k < 128; k++){"
                           " x = x * y + y; y = y * x.yzwx + x; }"
                           " o[i] = fract(x + y); }";
static const char cs_histogram[] = LOCAL(128) BUFFER(0, "uint", "a") BUFFER(
    1, "uint",
    "o") "shared uint h[256];"
         "void main(){ uint l = gl_LocalInvocationID.x, g = gl_WorkGroupID.x;"
         " h[l] = 0u; h[l + 128u] = 0u; barrier();"
         " for (uint i = 0u; i < 32u; i++){"
         " uint v = a[g * 4096u + i * 128u + l];"
         " atomicAdd(h[(v >> 12) & 255u], 1u); } barrier();"
         " atomicAdd(o[l], h[l]); atomicAdd(o[l + 128u], h[l + 128u]); }";
static const char cs_empty[] = LOCAL(64)
    BUFFER(0, "uint", "a") "void main(){ if (gl_GlobalInvocationID.x == "
                           "0xffffffffu) a[0] = 1u; }";

#define M4 (4u << 20)
const struct row rows_compute[] = {
    {"cs_nbody4096", "GFLOP/s", 4096.0 * 4096 * 20, .cs = cs_nbody,
     .groups_x = 32, .buffers = {{.size_B = 4096 * 16}, {.size_B = 4096 * 16}}},
    {"cs_sgemm256_shared", "GFLOP/s", 2.0 * 256 * 256 * 256, .cs = cs_sgemm,
     .groups_x = 16, .groups_y = 16,
     .buffers = {{.size_B = 256 * 256 * 4},
                 {.size_B = 256 * 256 * 4},
                 {.size_B = 256 * 256 * 4}}},
    {"cs_reduce_16MB", "GB/s", 4.0 * M4, .cs = cs_reduce, .groups_x = 1024,
     .buffers = {{.size_B = 4 * M4}, {.size_B = 4096}}},
    {"cs_copy_4MB", "GB/s", 2.0 * M4, .cs = cs_copy, .groups_x = 4096,
     .buffers = {{.size_B = M4}, {.size_B = M4}}},
    {"cs_fma", "GFLOP/s", 65536.0 * 128 * 16, .cs = cs_fma, .groups_x = 1024,
     .buffers = {{.size_B = M4 / 4}, {.size_B = M4 / 4}}},
    {"cs_histogram", "Melem/s", 1 << 20, .cs = cs_histogram, .groups_x = 256,
     .buffers = {{.size_B = M4, .integers = true},
                 {.size_B = 4096, .integers = true}}},
    {"cs_empty_1024wg", "kwg/s", 1024, .cs = cs_empty, .groups_x = 1024,
     .buffers = {{.size_B = 4096, .integers = true}}},
    {"cs_dispatch_roundtrip", "kdisp/s", 1, .cs = cs_empty, .groups_x = 1,
     .buffers = {{.size_B = 4096, .integers = true}}},
    {.name = NULL},
};
