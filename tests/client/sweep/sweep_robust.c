/* sweep_robust.c: accesses out of bounds, in a context with robust access.
 * Reads give zero (or zero components, if only part of a vector is outside),
 * writes have no effect, and memory around a buffer's range does not change. */
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 256
#define BUFFER_DW 1024
#define RANGE_DW 64 /* of the buffer, from GUARD_DW on */
#define GUARD_DW 256

struct answer {
    uint32_t v[4];
};

static uint32_t memory[BUFFER_DW], back[BUFFER_DW];
static uint32_t index_in[LANES];
static struct answer seen[LANES];

/* Words that are never zero. */
static void
fill_memory(void)
{
    for (unsigned i = 0; i < BUFFER_DW; i++)
        memory[i] = 0x1000000 + i * 3;
}

/* Near the end, far outside, and so that the address wraps around. */
static void
random_indices(uint32_t size)
{
    static const uint32_t far[] = {0x7fffffff, 0x80000000, 0xffffffff,
                                   0x3fffffff, 0x40000000, 0x0fffffff,
                                   0x10000000, 0xfffffff0};
    for (unsigned i = 0; i < LANES; i++)
        switch (sweep_random(4)) {
        case 0: index_in[i] = sweep_random(size); break;
        case 1: index_in[i] = size + sweep_random(16); break;
        case 2: index_in[i] = sweep_random(1 << 24) << sweep_random(8); break;
        default: index_in[i] = far[sweep_random(COUNT(far))];
        }
}

/* ---- buffers in compute shaders ---- */

static const struct access {
    const char *name, *declare, *body; /* uint i, uvec4 r */
    GLenum target;
    unsigned words; /* that one index covers */
    enum { LOAD, STORE, ADD } kind;
} accesses[] = {
    {"ubo.vec4", "layout(std140, binding = 0) uniform A { uvec4 a[16]; };",
     "r = a[i];", GL_UNIFORM_BUFFER, 4, LOAD},
    {"ubo.word", "layout(std140, binding = 0) uniform A { uvec4 a[16]; };",
     "r.x = a[i >> 2][i & 3u];", GL_UNIFORM_BUFFER, 1, LOAD},
    {"ssbo.word", "layout(std430, binding = 0) buffer A { uint a[]; };",
     "r.x = a[i];", GL_SHADER_STORAGE_BUFFER, 1, LOAD},
    {"ssbo.vec2", "layout(std430, binding = 0) buffer A { uvec2 a[]; };",
     "r.xy = a[i];", GL_SHADER_STORAGE_BUFFER, 2, LOAD},
    {"ssbo.vec4", "layout(std430, binding = 0) buffer A { uvec4 a[]; };",
     "r = a[i];", GL_SHADER_STORAGE_BUFFER, 4, LOAD},
    {"ssbo.store", "layout(std430, binding = 0) buffer A { uint a[]; };",
     "a[i] = 7u;", GL_SHADER_STORAGE_BUFFER, 1, STORE},
    {"ssbo.store4", "layout(std430, binding = 0) buffer A { uvec4 a[]; };",
     "a[i] = uvec4(7u);", GL_SHADER_STORAGE_BUFFER, 4, STORE},
    {"ssbo.atomic", "layout(std430, binding = 0) buffer A { uint a[]; };",
     "r.x = atomicAdd(a[i], 0u);", GL_SHADER_STORAGE_BUFFER, 1, ADD},
};

static GLuint
compute(const char *declare, const char *body)
{
    char source[1200];
    snprintf(source, sizeof source,
             GLSL "layout(local_size_x = 64) in; %s"
                  "layout(std430, binding = 6) buffer I { uint n[]; };"
                  "layout(std430, binding = 7) buffer O { uvec4 o[]; };"
                  "void main(){ uint lane = gl_GlobalInvocationID.x;"
                  "uint i = n[lane]; uvec4 r = uvec4(0); %s o[lane] = r; }",
             declare, body);
    return gl_compute(source);
}

/* Returns the buffer of results. */
static void
dispatch(GLuint program)
{
    GLuint b[2] = {
        sweep_buffer(GL_SHADER_STORAGE_BUFFER, 6, index_in, sizeof index_in),
        sweep_buffer(GL_SHADER_STORAGE_BUFFER, 7, NULL, sizeof seen)};
    glUseProgram(program);
    glDispatchCompute(LANES / 64, 1, 1);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetNamedBufferSubData(b[1], 0, sizeof seen, seen);
    glDeleteBuffers(2, b);
}

/* Shaders compute byte addresses in 32 bits. */
static uint32_t
word_of(const struct access *a, unsigned lane, unsigned c)
{
    return (index_in[lane] * a->words * 4) / 4 + c;
}

static bool
is_answer(const struct access *a, unsigned lane)
{
    for (unsigned c = 0; c < 4; c++) {
        uint32_t at = word_of(a, lane, c);
        bool inside = c < a->words && at < RANGE_DW;
        uint32_t want = inside ? memory[GUARD_DW + at] : 0;
        if (a->kind == STORE)
            want = 0;
        if (seen[lane].v[c] != want)
            return false;
    }
    return true;
}

static bool
is_untouched(const struct access *a)
{
    static bool hit[RANGE_DW];
    memset(hit, 0, sizeof hit);
    for (unsigned i = 0; i < LANES && a->kind == STORE; i++)
        for (unsigned c = 0; c < a->words; c++)
            if (word_of(a, i, c) < RANGE_DW)
                hit[word_of(a, i, c)] = true;
    for (unsigned i = 0; i < BUFFER_DW; i++) {
        unsigned at = i - GUARD_DW;
        uint32_t want = at < RANGE_DW && hit[at] ? 7 : memory[i];
        if (back[i] != want)
            return false;
    }
    return true;
}

static void
run_access(const struct access *a)
{
    GLuint program = compute(a->declare, a->body);
    GLuint b = sweep_buffer(a->target, 0, memory, sizeof memory);
    random_indices(RANGE_DW / a->words);
    glBindBufferRange(a->target, 0, b, GUARD_DW * 4, RANGE_DW * 4);
    dispatch(program);
    glGetNamedBufferSubData(b, 0, sizeof back, back);
    unsigned bad = 0, first = 0;
    for (unsigned i = 0; i < LANES; i++)
        if (!is_answer(a, i) && !bad++)
            first = i;
    bool untouched = is_untouched(a);
    sweep_verdict(sweep_name("robust.%s", a->name), !bad && untouched,
                  "%u lanes, the first is %u of index %#x: %#x %#x %#x %#x%s",
                  bad, first, index_in[first], seen[first].v[0],
                  seen[first].v[1], seen[first].v[2], seen[first].v[3],
                  untouched ? "" : "; memory is not what it should be");
    glDeleteBuffers(1, &b);
    glDeleteProgram(program);
}

/* ---- texels ---- */

static const struct lookup {
    const char *name, *declare, *body;
    GLenum target; /* 0: buffer */
    bool image;
} lookups[] = {
    {"fetch.x", "uniform usampler2D t;", "r = texelFetch(t, ivec2(i, 1), 0);",
     GL_TEXTURE_2D, false},
    {"fetch.y", "uniform usampler2D t;", "r = texelFetch(t, ivec2(1, i), 0);",
     GL_TEXTURE_2D, false},
    {"fetch.level", "uniform usampler2D t;",
     "r = texelFetch(t, ivec2(i % 4u), int(i < 4u ? 0u : i));", GL_TEXTURE_2D,
     false},
    {"fetch.layer", "uniform usampler2DArray t;",
     "r = texelFetch(t, ivec3(1, 1, i), 0);", GL_TEXTURE_2D_ARRAY, false},
    {"fetch.3d", "uniform usampler3D t;",
     "r = texelFetch(t, ivec3(1, 1, i), 0);", GL_TEXTURE_3D, false},
    {"fetch.buffer", "uniform usamplerBuffer t;", "r = texelFetch(t, int(i));",
     0, false},
    {"image.x", "layout(rgba32ui) uniform uimage2D t;",
     "r = imageLoad(t, ivec2(i, 1));", GL_TEXTURE_2D, true},
    {"image.y", "layout(rgba32ui) uniform uimage2D t;",
     "r = imageLoad(t, ivec2(1, i));", GL_TEXTURE_2D, true},
    {"image.layer", "layout(rgba32ui) uniform uimage2DArray t;",
     "r = imageLoad(t, ivec3(1, 1, i));", GL_TEXTURE_2D_ARRAY, true},
    {"image.3d", "layout(rgba32ui) uniform uimage3D t;",
     "r = imageLoad(t, ivec3(1, 1, i));", GL_TEXTURE_3D, true},
    {"image.buffer", "layout(rgba32ui) uniform uimageBuffer t;",
     "r = imageLoad(t, int(i));", 0, true},
    {"image.store", "layout(rgba32ui) uniform uimage2D t;",
     "if (i >= 4u) imageStore(t, ivec2(i, i), uvec4(9u));"
     "memoryBarrier(); r = imageLoad(t, ivec2(i, i));",
     GL_TEXTURE_2D, true},
};

/* Four texels along each axis, all of which are 1, 2, 3, 4. */
static GLuint
make_texture(GLenum target, GLuint *buffer)
{
    static uint32_t texels[64][4];
    GLuint t;
    for (unsigned i = 0; i < 64; i++)
        for (unsigned c = 0; c < 4; c++)
            texels[i][c] = c + 1;
    glCreateTextures(target ? target : GL_TEXTURE_BUFFER, 1, &t);
    glGenBuffers(1, buffer);
    if (!target) {
        glBindBuffer(GL_TEXTURE_BUFFER, *buffer);
        glBufferData(GL_TEXTURE_BUFFER, 4 * 16, texels, GL_STATIC_DRAW);
        glTextureBuffer(t, GL_RGBA32UI, *buffer);
    } else if (target == GL_TEXTURE_2D) {
        glTextureStorage2D(t, 1, GL_RGBA32UI, 4, 4);
        glTextureSubImage2D(t, 0, 0, 0, 4, 4, GL_RGBA_INTEGER, GL_UNSIGNED_INT,
                            texels);
    } else {
        glTextureStorage3D(t, 1, GL_RGBA32UI, 4, 4, 4);
        glTextureSubImage3D(t, 0, 0, 0, 0, 4, 4, 4, GL_RGBA_INTEGER,
                            GL_UNSIGNED_INT, texels);
    }
    if (target) {
        glTextureParameteri(t, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTextureParameteri(t, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    }
    return t;
}

/* A missing texel may have an alpha of one. */
static bool
is_texel(const struct answer *a, bool inside)
{
    for (unsigned c = 0; c < 4; c++)
        if (a->v[c] != (inside ? c + 1 : 0) &&
            !(c == 3 && !inside && a->v[c] == 1))
            return false;
    return true;
}

static void
run_lookup(const struct lookup *l)
{
    GLuint b, program = compute(l->declare, l->body);
    GLuint t = make_texture(l->target, &b);
    random_indices(4);
    if (l->image)
        glBindImageTexture(0, t, 0, true, 0, GL_READ_WRITE, GL_RGBA32UI);
    else
        glBindTextureUnit(0, t);
    dispatch(program);
    unsigned bad = 0, first = 0;
    for (unsigned i = 0; i < LANES; i++)
        if (!is_texel(&seen[i], index_in[i] < 4) && !bad++)
            first = i;
    sweep_verdict(sweep_name("robust.%s", l->name), !bad,
                  "%u lanes, the first is %u of index %#x: %u %u %u %u", bad,
                  first, index_in[first], seen[first].v[0], seen[first].v[1],
                  seen[first].v[2], seen[first].v[3]);
    glDeleteTextures(1, &t);
    glDeleteBuffers(1, &b);
    glDeleteProgram(program);
}

/* ---- vertices ---- */

#define VERTICES 40 /* that the buffer has */

static const struct attribute {
    const char *name;
    int size;
    unsigned stride_B, offset_B;
} attributes[] = {
    {"vertex.1", 1, 4, 0},  {"vertex.2", 2, 12, 4},     {"vertex.3", 3, 12, 0},
    {"vertex.4", 4, 16, 0}, {"vertex.4.odd", 4, 20, 4}, {"vertex.0", 4, 0, 8},
};

/* An attribute is fetched whole or not at all. A missing one is 0, 0, 0 and 0
 * or 1. */
static bool
is_vertex(const struct attribute *a, uint32_t index, const uint32_t v[4],
          unsigned words)
{
    uint64_t at = (uint64_t)index * a->stride_B + a->offset_B;
    bool inside = at + 4 * (unsigned)a->size <= 4 * words;
    bool part = at + 4 <= 4 * words && !inside;
    for (int c = 0; c < 4; c++) {
        uint32_t none = c == 3 ? 1 : 0;
        uint32_t there = inside && c < a->size ? memory[at / 4 + (unsigned)c]
                                               : none;
        bool ok = v[c] == there || (!inside && v[c] == 0);
        if (part && c < a->size && at / 4 + (unsigned)c < words)
            ok = ok || v[c] == memory[at / 4 + (unsigned)c];
        if (!ok)
            return false;
    }
    return true;
}

static void
run_attribute(const struct attribute *a)
{
    static const char *const name[] = {"o"};
    unsigned words = a->stride_B ? VERTICES * a->stride_B / 4 : 6;
    GLuint p = glCreateProgram(), b[2];
    glAttachShader(p, gl_shader(GL_VERTEX_SHADER,
                                GLSL "layout(location = 0) in uvec4 a;"
                                     "flat out uvec4 o; void main(){ o = a;"
                                     "gl_Position = vec4(0, 0, 0, 1); }"));
    glTransformFeedbackVaryings(p, 1, name, GL_INTERLEAVED_ATTRIBS);
    gl_link(p);
    glGenBuffers(2, b);
    glBindBuffer(GL_ARRAY_BUFFER, b[0]);
    glBufferData(GL_ARRAY_BUFFER, words * 4, memory, GL_STATIC_DRAW);
    glBindVertexBuffer(0, b[0], 0, (GLsizei)a->stride_B);
    glVertexAttribIFormat(0, a->size, GL_UNSIGNED_INT, a->offset_B);
    glVertexAttribBinding(0, 0);
    glEnableVertexAttribArray(0);
    random_indices(VERTICES);
    for (unsigned i = 0; i < LANES; i++)
        index_in[i] = index_in[i] == UINT32_MAX ? 0 : index_in[i];
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, b[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof index_in, index_in,
                 GL_STATIC_DRAW);
    GLuint tf = sweep_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 0, NULL,
                             sizeof seen);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawElements(GL_POINTS, LANES, GL_UNSIGNED_INT, NULL);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glGetNamedBufferSubData(tf, 0, sizeof seen, seen);
    unsigned bad = 0, first = 0;
    for (unsigned i = 0; i < LANES; i++)
        if (!is_vertex(a, index_in[i], seen[i].v, words) && !bad++)
            first = i;
    sweep_verdict(sweep_name("robust.%s", a->name), !bad,
                  "%u vertices, the first is of index %#x: %#x %#x %#x %#x",
                  bad, index_in[first], seen[first].v[0], seen[first].v[1],
                  seen[first].v[2], seen[first].v[3]);
    glDisableVertexAttribArray(0);
    glDeleteBuffers(2, b);
    glDeleteBuffers(1, &tf);
    glDeleteProgram(p);
}

void
sweep_robust(void)
{
    static const EGLint robust[] = {EGL_CONTEXT_MAJOR_VERSION,
                                    4,
                                    EGL_CONTEXT_MINOR_VERSION,
                                    5,
                                    EGL_CONTEXT_OPENGL_ROBUST_ACCESS,
                                    EGL_TRUE,
                                    EGL_NONE};
    EGLContext before = eglGetCurrentContext();
    EGLDisplay display = eglGetCurrentDisplay();
    gl_open(robust);
    GLuint vao;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    sweep_target(GL_RGBA8, 4, 4);
    fill_memory();
    for (unsigned i = 0; i < COUNT(accesses); i++)
        if (sweep_begin(sweep_name("robust.%s", accesses[i].name)))
            run_access(&accesses[i]);
    for (unsigned i = 0; i < COUNT(lookups); i++)
        if (sweep_begin(sweep_name("robust.%s", lookups[i].name)))
            run_lookup(&lookups[i]);
    for (unsigned i = 0; i < COUNT(attributes); i++)
        if (sweep_begin(sweep_name("robust.%s", attributes[i].name)))
            run_attribute(&attributes[i]);
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, before);
}
