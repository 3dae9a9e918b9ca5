/* sweep_view.c: texture views: other formats of the same size, parts of the
 * levels and layers, other targets, channels in any order, base and maximum
 * levels; and stencil read as a texture. This program decodes the random words
 * of the texels. */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIDE_PX 16
#define LEVELS 5
#define LAYERS 12
#define LOOKUPS 256

static uint32_t texel[LEVELS][LAYERS][SIDE_PX * SIDE_PX];

struct lookup {
    uint32_t x, y, layer, level; /* of the view */
};

static struct lookup lookups[LOOKUPS];
static union {
    uint32_t u[4];
    float f[4];
} seen[LOOKUPS];

static const struct format {
    const char *name;
    GLenum internal;
    char kind; /* u, i, n, s, g (sRGB), f */
    unsigned channels, bits[4];
} formats[] = {
    {"r32ui", GL_R32UI, 'u', 1, {32}},
    {"r32i", GL_R32I, 'i', 1, {32}},
    {"r32f", GL_R32F, 'f', 1, {32}},
    {"rg16ui", GL_RG16UI, 'u', 2, {16, 16}},
    {"rg16i", GL_RG16I, 'i', 2, {16, 16}},
    {"rg16", GL_RG16, 'n', 2, {16, 16}},
    {"rg16_snorm", GL_RG16_SNORM, 's', 2, {16, 16}},
    {"rgba8ui", GL_RGBA8UI, 'u', 4, {8, 8, 8, 8}},
    {"rgba8i", GL_RGBA8I, 'i', 4, {8, 8, 8, 8}},
    {"rgba8", GL_RGBA8, 'n', 4, {8, 8, 8, 8}},
    {"rgba8_snorm", GL_RGBA8_SNORM, 's', 4, {8, 8, 8, 8}},
    {"srgb8_alpha8", GL_SRGB8_ALPHA8, 'g', 4, {8, 8, 8, 8}},
    {"rgb10_a2", GL_RGB10_A2, 'n', 4, {10, 10, 10, 2}},
    {"rgb10_a2ui", GL_RGB10_A2UI, 'u', 4, {10, 10, 10, 2}},
};

static const struct shape {
    const char *name, *sampler, *read; /* of uvec4 p: x, y, layer, level */
    GLenum target;
    unsigned layers; /* 0: any number */
} shapes[] = {
    {"2d", "sampler2D", "texelFetch(t, ivec2(p.xy), int(p.w))", GL_TEXTURE_2D,
     1},
    {"2d_array", "sampler2DArray", "texelFetch(t, ivec3(p.xyz), int(p.w))",
     GL_TEXTURE_2D_ARRAY, 0},
    {"cube", "samplerCube", "textureLod(t, towards(p), float(p.w))",
     GL_TEXTURE_CUBE_MAP, 6},
    {"cube_array", "samplerCubeArray",
     "textureLod(t, vec4(towards(p), p.z / 6u), float(p.w))",
     GL_TEXTURE_CUBE_MAP_ARRAY, 12},
};

static bool
is_integer(char kind)
{
    return kind == 'u' || kind == 'i';
}

/* ---- the reference ---- */

static double
channel(const struct format *f, uint32_t word, unsigned c)
{
    unsigned at = 0, bits = f->bits[c];
    for (unsigned i = 0; i < c; i++)
        at += f->bits[i];
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1, v = word >> at & mask;
    int32_t s = (int32_t)(v << (32 - bits)) >> (32 - bits);
    float real;
    switch (f->kind) {
    case 'u': return v;
    case 'i': return s;
    case 'n': return (double)v / mask;
    case 's': return fmax((double)s / (mask >> 1), -1);
    case 'f': memcpy(&real, &v, 4); return (double)real;
    default: break;
    }
    double n = (double)v / mask;
    if (c == 3)
        return n;
    return n <= 0.04045 ? n / 12.92 : pow((n + 0.055) / 1.055, 2.4);
}

/* 0..3: a channel; 4, 5: zero and one. */
static double
swizzled(const struct format *f, uint32_t word, unsigned from)
{
    if (from >= 4)
        return from - 4;
    return from < f->channels ? channel(f, word, from) : from == 3;
}

struct view {
    unsigned first_level, levels, first_layer, layers;
    unsigned base, max; /* levels of the view */
    unsigned swizzle[4];
};

static bool
is_right(const struct format *f, const struct view *v, unsigned i)
{
    const struct lookup *l = &lookups[i];
    unsigned level = v->first_level + v->base + l->level;
    unsigned size = SIDE_PX >> level;
    uint32_t word = texel[level][v->first_layer + l->layer][l->y * size + l->x];
    for (unsigned c = 0; c < 4; c++) {
        double want = swizzled(f, word, v->swizzle[c]);
        double got = f->kind == 'u'   ? seen[i].u[c]
                     : f->kind == 'i' ? (int32_t)seen[i].u[c]
                                      : (double)seen[i].f[c];
        double slack = is_integer(f->kind) || f->kind == 'f' ? 0
                       : f->kind == 'g'                      ? 2e-4
                                                             : 1e-6;
        if (!(fabs(got - want) <= slack))
            return false;
    }
    return true;
}

/* ---- textures ---- */

/* Numbers that are finite as floats, too. */
static GLuint
make_texture(void)
{
    GLuint t;
    glCreateTextures(GL_TEXTURE_2D_ARRAY, 1, &t);
    glTextureStorage3D(t, LEVELS, GL_R32UI, SIDE_PX, SIDE_PX, LAYERS);
    for (int l = 0; l < LEVELS; l++)
        for (int z = 0; z < LAYERS; z++) {
            int size = SIDE_PX >> l;
            for (int i = 0; i < size * size; i++)
                texel[l][z][i] = (sweep_random(1 << 24) << 8 ^
                                  sweep_random(1 << 16)) &
                                 0xbfffffff;
            glTextureSubImage3D(t, l, 0, 0, z, size, size, 1, GL_RED_INTEGER,
                                GL_UNSIGNED_INT, texel[l][z]);
        }
    return t;
}

static void
random_view(struct view *v, const struct shape *s)
{
    v->first_level = sweep_random(LEVELS);
    v->levels = 1 + sweep_random(LEVELS - v->first_level);
    v->base = sweep_random(v->levels);
    v->max = v->base + sweep_random(v->levels - v->base);
    v->layers = s->layers ? s->layers : 1 + sweep_random(LAYERS);
    v->first_layer = sweep_random(LAYERS - v->layers + 1);
    for (unsigned c = 0; c < 4; c++)
        v->swizzle[c] = sweep_random(2) ? c : sweep_random(6);
}

static GLuint
make_view(GLuint texture, const struct format *f, const struct shape *s,
          const struct view *v)
{
    static const GLint names[] = {GL_RED,   GL_GREEN, GL_BLUE,
                                  GL_ALPHA, GL_ZERO,  GL_ONE};
    GLuint t;
    GLint swizzle[4];
    for (unsigned c = 0; c < 4; c++)
        swizzle[c] = names[v->swizzle[c]];
    glGenTextures(1, &t);
    glTextureView(t, s->target, texture, f->internal, v->first_level, v->levels,
                  v->first_layer, v->layers);
    glTextureParameteri(t, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glTextureParameteri(t, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTextureParameteri(t, GL_TEXTURE_BASE_LEVEL, (GLint)v->base);
    glTextureParameteri(t, GL_TEXTURE_MAX_LEVEL, (GLint)v->max);
    glTextureParameteriv(t, GL_TEXTURE_SWIZZLE_RGBA, swizzle);
    return t;
}

/* ---- lookups ---- */

static GLuint
make_program(const char *sampler, const char *read, char kind, unsigned size)
{
    char source[1700];
    const char *prefix = kind == 'u' ? "u" : kind == 'i' ? "i" : "";
    snprintf(source, sizeof source,
             GLSL "layout(local_size_x = 64) in; uniform %s%s t;"
                  "layout(std430, binding = 0) buffer I { uvec4 i[]; };"
                  "layout(std430, binding = 1) buffer O { uvec4 o[]; };"
                  "vec3 towards(uvec4 p) {"
                  "vec2 s = (vec2(p.xy) + 0.5) * exp2(float(p.w)) / %u.0 * 2.0"
                  " - 1.0; switch (p.z %% 6u) {"
                  "case 0u: return vec3(1, -s.y, -s.x);"
                  "case 1u: return vec3(-1, -s.y, s.x);"
                  "case 2u: return vec3(s.x, 1, s.y);"
                  "case 3u: return vec3(s.x, -1, -s.y);"
                  "case 4u: return vec3(s.x, -s.y, 1);"
                  "default: return vec3(-s.x, -s.y, -1); } }"
                  "void main(){ uint n = gl_GlobalInvocationID.x;"
                  "uvec4 p = i[n]; o[n] = %s(%s); }",
             prefix, sampler, size,
             is_integer(kind) ? "uvec4" : "floatBitsToUint", read);
    return gl_compute(source);
}

static void
look_up(GLuint program, GLuint texture)
{
    GLuint b[2] = {
        sweep_buffer(GL_SHADER_STORAGE_BUFFER, 0, lookups, sizeof lookups),
        sweep_buffer(GL_SHADER_STORAGE_BUFFER, 1, NULL, sizeof seen)};
    glUseProgram(program);
    glBindTextureUnit(0, texture);
    glDispatchCompute(LOOKUPS / 64, 1, 1);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetNamedBufferSubData(b[1], 0, sizeof seen, seen);
    glDeleteBuffers(2, b);
}

static void
random_lookups(unsigned size, unsigned levels, unsigned layers)
{
    for (unsigned i = 0; i < LOOKUPS; i++) {
        unsigned level = sweep_random(levels), side = size >> level;
        lookups[i] = (struct lookup){sweep_random(side), sweep_random(side),
                                     sweep_random(layers), level};
    }
}

static void
run_view(const char *name, GLuint texture, const struct format *f,
         const struct shape *s)
{
    struct view v;
    random_view(&v, s);
    unsigned size = SIDE_PX >> (v.first_level + v.base);
    GLuint program = make_program(s->sampler, s->read, f->kind, size);
    GLuint t = make_view(texture, f, s, &v);
    random_lookups(size, v.max - v.base + 1, v.layers);
    look_up(program, t);
    unsigned bad = 0, first = 0;
    for (unsigned i = 0; i < LOOKUPS; i++)
        if (!is_right(f, &v, i) && !bad++)
            first = i;
    const struct lookup *l = &lookups[first];
    sweep_verdict(name, !bad,
                  "%u lookups, the first at (%u, %u) of layer %u, level %u: "
                  "%#x %#x %#x %#x; levels %u + %u..%u, layers from %u",
                  bad, l->x, l->y, l->layer, l->level, seen[first].u[0],
                  seen[first].u[1], seen[first].u[2], seen[first].u[3],
                  v.first_level, v.base, v.max, v.first_layer);
    glDeleteTextures(1, &t);
    glDeleteProgram(program);
}

/* ---- stencil ---- */

static void
run_stencil(const char *name, GLenum internal)
{
    static uint32_t data[LAYERS][SIDE_PX * SIDE_PX][2];
    bool wide = internal == GL_DEPTH32F_STENCIL8;
    GLuint t, program = make_program("sampler2DArray",
                                     "texelFetch(t, ivec3(p.xyz), int(p.w))",
                                     'u', SIDE_PX);
    glCreateTextures(GL_TEXTURE_2D_ARRAY, 1, &t);
    glTextureStorage3D(t, 1, internal, SIDE_PX, SIDE_PX, LAYERS);
    for (unsigned z = 0; z < LAYERS; z++)
        for (unsigned i = 0; i < SIDE_PX * SIDE_PX; i++) {
            uint32_t word = sweep_random(1 << 24) << 8 | sweep_random(256);
            if (wide) {
                data[z][i][0] = 0x3f000000;
                data[z][i][1] = word & 255;
            } else {
                data[z][i / 2][i % 2] = word;
            }
            texel[0][z][i] = word & 255;
            if (i != SIDE_PX * SIDE_PX - 1)
                continue;
            glTextureSubImage3D(
                t, 0, 0, 0, (GLint)z, SIDE_PX, SIDE_PX, 1, GL_DEPTH_STENCIL,
                wide ? GL_FLOAT_32_UNSIGNED_INT_24_8_REV : GL_UNSIGNED_INT_24_8,
                data[z]);
        }
    glTextureParameteri(t, GL_DEPTH_STENCIL_TEXTURE_MODE, GL_STENCIL_INDEX);
    glTextureParameteri(t, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTextureParameteri(t, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    random_lookups(SIDE_PX, 1, LAYERS);
    look_up(program, t);
    unsigned bad = 0;
    for (unsigned i = 0; i < LOOKUPS; i++) {
        const struct lookup *l = &lookups[i];
        bad += seen[i].u[0] != texel[0][l->layer][l->y * SIDE_PX + l->x] ||
               seen[i].u[1] || seen[i].u[2] || seen[i].u[3] != 1;
    }
    sweep_verdict(name, !bad, "%u lookups", bad);
    glDeleteTextures(1, &t);
    glDeleteProgram(program);
}

void
sweep_view(void)
{
    for (unsigned s = 0; s < COUNT(shapes); s++)
        for (unsigned i = 0; i < COUNT(formats); i++) {
            char name[64];
            snprintf(name, sizeof name, "view.%s.%s", shapes[s].name,
                     formats[i].name);
            if (!sweep_begin(name))
                continue;
            GLuint texture = make_texture();
            for (unsigned n = 0; n < (sweep_large ? 20 : 2); n++)
                run_view(sweep_name("%s.%u", name, n), texture, &formats[i],
                         &shapes[s]);
            glDeleteTextures(1, &texture);
        }
    if (sweep_begin("view.stencil")) {
        run_stencil("view.stencil.24", GL_DEPTH24_STENCIL8);
        run_stencil("view.stencil.32f", GL_DEPTH32F_STENCIL8);
    }
}
