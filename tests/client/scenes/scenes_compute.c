/* scenes_compute.c: compute, images, atomics, shared memory, queries,
 * conditional rendering. */
#include "scene.h"

#include <stddef.h>
#include <string.h>

static GLuint result;

/* The shader storage buffer at binding 0, as bytes. */
static void
read_buffer(uint8_t *rgba)
{
    GLint size;
    memset(rgba, 0, SCENE_W * SCENE_H * 4);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, result);
    glGetBufferParameteriv(GL_SHADER_STORAGE_BUFFER, GL_BUFFER_SIZE, &size);
    const void *data = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, size,
                                        GL_MAP_READ_BIT);
    if (data)
        memcpy(rgba, data, (size_t)size);
}

static void
storage(size_t size_B)
{
    static uint8_t zero[SCENE_W * SCENE_H * 4];
    result = scene_buffer(GL_SHADER_STORAGE_BUFFER, zero, size_B);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, result);
}

static void
compute_ids(void)
{
    storage(16384);
    gl_compute(GLSL
               "layout(local_size_x=5, local_size_y=3, local_size_z=2) in;"
               "layout(std430, binding=0) buffer B { uint v[]; }; void main(){"
               "uvec3 s = gl_NumWorkGroups * gl_WorkGroupSize;"
               "uint i = gl_GlobalInvocationID.x + s.x *"
               "(gl_GlobalInvocationID.y + s.y * gl_GlobalInvocationID.z);"
               "v[i] = gl_LocalInvocationIndex | gl_WorkGroupID.x << 8 |"
               "gl_WorkGroupID.y << 16 | gl_WorkGroupID.z << 24; }");
    glDispatchCompute(4, 5, 3);
}

static void
compute_shared(void)
{
    storage(16384);
    gl_compute(GLSL
               "layout(local_size_x=64) in; layout(std430, binding=0) buffer B"
               "{ uint v[]; }; shared uint s[64]; void main(){"
               "uint l = gl_LocalInvocationIndex; s[l] = l + gl_WorkGroupID.x;"
               "for (uint d = 1u; d < 64u; d <<= 1) { barrier();"
               "uint t = l >= d ? s[l - d] : 0u; barrier(); s[l] += t; }"
               "barrier(); v[gl_GlobalInvocationID.x] = s[63u - l]; }");
    glDispatchCompute(16, 1, 1);
}

static void
compute_atomics(void)
{
    storage(1024);
    gl_compute(
        GLSL "layout(local_size_x=32) in; layout(std430, binding=0) buffer B"
             "{ uint v[]; }; shared int m; void main(){ if"
             "(gl_LocalInvocationIndex == 0u) m = 0; barrier();"
             "uint i = gl_GlobalInvocationID.x;"
             "atomicAdd(v[0], i); atomicMax(v[1], i * 3u % 101u);"
             "atomicMin(v[2], i); atomicXor(v[3], i * i);"
             "atomicOr(v[4], 1u << (i % 32u)); atomicAdd(v[8 + i % 16u], 1u);"
             "atomicMax(m, int(i) % 37); barrier();"
             "if (gl_LocalInvocationIndex == 0u) atomicAdd(v[5], uint(m)); }");
    glDispatchCompute(32, 1, 1);
}

static void
compute_indirect(void)
{
    static const uint32_t groups[] = {3, 2, 1};
    storage(4096);
    gl_compute(GLSL "layout(local_size_x=16) in; layout(std430, binding=0)"
                    "buffer B { uint v[]; }; void main(){ atomicAdd("
                    "v[gl_WorkGroupID.x + 3u * gl_WorkGroupID.y], 1u +"
                    "gl_LocalInvocationIndex); }");
    scene_buffer(GL_DISPATCH_INDIRECT_BUFFER, groups, sizeof groups);
    glDispatchComputeIndirect(0);
}

static void
compute_image(void)
{
    GLuint t = scene_texture(GL_RGBA8, 64, 64, false), u;
    glGenTextures(1, &u);
    glBindTexture(GL_TEXTURE_2D, u);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 64, 64);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindImageTexture(0, t, 0, GL_FALSE, 0, GL_READ_ONLY, GL_RGBA8);
    glBindImageTexture(1, u, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    gl_compute(GLSL
               "layout(local_size_x=8, local_size_y=8) in; layout(rgba8,"
               "binding=0) readonly uniform image2D a; layout(rgba8, binding=1)"
               "writeonly uniform image2D b; void main(){ ivec2 p ="
               "ivec2(gl_GlobalInvocationID.xy); vec4 s = vec4(0); for (int i ="
               "-1; i <= 1; i++) s += imageLoad(a, clamp(p + ivec2(i, -i),"
               "ivec2(0), ivec2(63))); imageStore(b, p.yx, s / 3.0); }");
    glDispatchCompute(8, 8, 1);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    scene_fullscreen(GLSL "uniform sampler2D t; in vec2 uv; out vec4 o;"
                          "void main(){ o = texture(t, uv); }");
    scene_draw_fullscreen();
}

static void
fragment_image_atomics(void)
{
    GLuint t;
    static const uint32_t zero[16 * 16];
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32UI, 16, 16);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 16, 16, GL_RED_INTEGER,
                    GL_UNSIGNED_INT, zero);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindImageTexture(0, t, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
    scene_fullscreen(GLSL "layout(r32ui, binding=0) uniform uimage2D i;"
                          "in vec2 uv; out vec4 o; void main(){"
                          "ivec2 p = ivec2(gl_FragCoord.xy);"
                          "imageAtomicAdd(i, (p * p) / 1024, uint(p.x & 3));"
                          "o = vec4(0); }");
    scene_draw_fullscreen();
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    scene_fullscreen(GLSL "uniform usampler2D t; in vec2 uv; out vec4 o;"
                          "void main(){ uint v = texture(t, uv).r; o ="
                          "vec4(v & 255u, v >> 8, 0, 255) / 255.0; }");
    scene_draw_fullscreen();
}

static void
storage_in_stages(void)
{
    storage(4096);
    glEnable(GL_RASTERIZER_DISCARD);
    gl_program(GLSL "layout(std430, binding=0) buffer B { uvec4 v[]; };"
                    "void main(){ v[gl_VertexID] = uvec4(gl_VertexID *"
                    "gl_VertexID, gl_InstanceID, 7, v.length());"
                    "gl_Position = vec4(0); }",
               GLSL "out vec4 o; void main(){ o = vec4(1); }");
    glDrawArrays(GL_POINTS, 0, 100);
}

static void
robust_storage(void)
{
    storage(64);
    gl_compute(GLSL "layout(local_size_x=16) in; layout(std430, binding=0)"
                    "buffer B { uint v[]; }; void main(){ uint i ="
                    "gl_LocalInvocationIndex; v[i] = i + uint(v.length()) *"
                    "256u; }");
    glDispatchCompute(1, 1, 1);
}

static void
large_private_array(void)
{
    scene_fullscreen(
        GLSL "in vec2 uv; out vec4 o; void main(){ float a[96];"
             "for (int i = 0; i < 96; i++) a[i] = fract(float(i) * 0.37 +"
             "uv.x); int k = int(uv.y * 95.0); a[(k * 7) % 96] += 0.25;"
             "o = vec4(a[k], a[(k * 5) % 96], a[95 - k], 1); }");
    scene_draw_fullscreen();
}

/* ---- queries: the values become bytes ---- */

static uint64_t values[16];

static void
read_values(uint8_t *rgba)
{
    memset(rgba, 0, SCENE_W * SCENE_H * 4);
    memcpy(rgba, values, sizeof values);
}

static void
draw_quarter(float size)
{
    GLuint p = gl_program(
        GLSL "uniform float s; void main(){ gl_Position = vec4("
             "vec2(gl_VertexID & 1, gl_VertexID >> 1) * s - 1.0, 0.2, 1); }",
        GLSL "out vec4 o; void main(){ o = vec4(0.3, 0.6, 0.9, 1); }");
    scene_uniform1f(p, "s", size);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void
occlusion_query(void)
{
    static const GLenum targets[] = {GL_SAMPLES_PASSED, GL_ANY_SAMPLES_PASSED,
                                     GL_SAMPLES_PASSED};
    static const float sizes[] = {1, 0.5f, 2};
    GLuint q[3];
    glGenQueries(3, q);
    for (int i = 0; i < 3; i++) {
        glBeginQuery(targets[i], q[i]);
        draw_quarter(sizes[i]);
        glEndQuery(targets[i]);
        GLuint64 v;
        glGetQueryObjectui64v(q[i], GL_QUERY_RESULT, &v);
        values[i] = v;
    }
}

static void
pipeline_queries(void)
{
    static const GLenum targets[] = {
        GL_VERTICES_SUBMITTED_ARB, GL_PRIMITIVES_SUBMITTED_ARB,
        GL_CLIPPING_INPUT_PRIMITIVES_ARB, GL_PRIMITIVES_GENERATED};
    GLuint q[4];
    glGenQueries(4, q);
    for (int i = 0; i < 4; i++)
        glBeginQuery(targets[i], q[i]);
    draw_quarter(1);
    draw_quarter(2);
    for (int i = 0; i < 4; i++)
        glEndQuery(targets[i]);
    for (int i = 0; i < 4; i++) {
        GLuint64 v;
        glGetQueryObjectui64v(q[i], GL_QUERY_RESULT, &v);
        values[i] = v;
    }
}

static void
timestamps(void)
{
    GLuint q[3];
    GLuint64 t[3];
    glGenQueries(3, q);
    glQueryCounter(q[0], GL_TIMESTAMP);
    glBeginQuery(GL_TIME_ELAPSED, q[2]);
    draw_quarter(2);
    glEndQuery(GL_TIME_ELAPSED);
    glQueryCounter(q[1], GL_TIMESTAMP);
    for (int i = 0; i < 3; i++)
        glGetQueryObjectui64v(q[i], GL_QUERY_RESULT, &t[i]);
    /* Only facts that hold for any clock: it advances, and the parts fit. */
    values[0] = t[1] >= t[0];
    values[1] = t[2] <= t[1] - t[0] + 1000000;
    values[2] = t[0] != 0;
}

static void
conditional_render(void)
{
    GLuint q[2];
    glGenQueries(2, q);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_NEVER);
    glBeginQuery(GL_SAMPLES_PASSED, q[0]);
    draw_quarter(1);
    glEndQuery(GL_SAMPLES_PASSED);
    glDisable(GL_DEPTH_TEST);
    glBeginQuery(GL_SAMPLES_PASSED, q[1]);
    draw_quarter(0.5f);
    glEndQuery(GL_SAMPLES_PASSED);
    glBeginConditionalRender(q[0], GL_QUERY_WAIT);
    draw_quarter(2);
    glEndConditionalRender();
    glBeginConditionalRender(q[1], GL_QUERY_WAIT);
    draw_quarter(1);
    glEndConditionalRender();
}

static void
query_buffer(void)
{
    GLuint q;
    storage(64);
    glGenQueries(1, &q);
    glBeginQuery(GL_SAMPLES_PASSED, q);
    draw_quarter(1);
    glEndQuery(GL_SAMPLES_PASSED);
    GLuint v;
    glGetQueryObjectuiv(q, GL_QUERY_RESULT, &v);
    values[0] = v;
}

static void
buffer_ops(void)
{
    uint32_t data[256];
    for (uint32_t i = 0; i < 256; i++)
        data[i] = i * 0x01010101u;
    scene_buffer(GL_COPY_READ_BUFFER, data, sizeof data);
    storage(4096);
    glBindBuffer(GL_COPY_WRITE_BUFFER, result);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 100, 333 * 4,
                        400);
    static const uint32_t pattern = 0xdeadbeef;
    glClearBufferSubData(GL_COPY_WRITE_BUFFER, GL_R32UI, 64, 512,
                         GL_RED_INTEGER, GL_UNSIGNED_INT, &pattern);
}

const struct scene scenes_compute[] = {
    {"compute-ids", compute_ids, read_buffer, 0, 0},
    {"compute-shared", compute_shared, read_buffer, 0, 0},
    {"compute-atomics", compute_atomics, read_buffer, 0, 0},
    {"compute-indirect", compute_indirect, read_buffer, 0, 0},
    {"compute-image", compute_image, NULL, 0, 0},
    {"image-atomics", fragment_image_atomics, NULL, 0, 0},
    {"storage-vertex", storage_in_stages, read_buffer, 0, 0},
    {"storage-length", robust_storage, read_buffer, 0, 0},
    {"private-array", large_private_array, NULL, 0, 0},
    {"occlusion-query", occlusion_query, read_values, 0, 0},
    {"pipeline-queries", pipeline_queries, read_values, 0, 0},
    {"timestamps", timestamps, read_values, 0, 0},
    {"conditional-render", conditional_render, NULL, 0, 0},
    {"query-result", query_buffer, read_values, 0, 0},
    {"buffer-ops", buffer_ops, read_buffer, 0, 0},
    {NULL, NULL, NULL, 0, 0},
};
