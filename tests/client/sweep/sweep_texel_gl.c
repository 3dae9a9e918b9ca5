/* sweep_texel_gl.c: formats, and textures of random texels. */
#include "sweep_texel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Colours: name, channels, kind, range, step. */
#define F(n, c, k, lo, hi, step, draws)              \
    {                                                \
#n, GL_##n, c, k, lo, hi, step, false, draws \
    }
const struct texel_format texel_formats[] = {
    F(R8, 1, 'f', 0, 1, 1 / 255.f, true),
    F(RG8, 2, 'f', 0, 1, 1 / 255.f, true),
    F(RGB8, 3, 'f', 0, 1, 1 / 255.f, true),
    F(RGBA8, 4, 'f', 0, 1, 1 / 255.f, true),
    F(RGBA8_SNORM, 4, 'f', -1, 1, 1 / 127.f, true),
    F(RGB565, 3, 'f', 0, 1, 1 / 31.f, true),
    F(RGBA4, 4, 'f', 0, 1, 1 / 15.f, true),
    F(RGB5_A1, 4, 'f', 0, 1, 1.f, true),
    F(RGB10_A2, 4, 'f', 0, 1, 1 / 3.f, true),
    {"SRGB8_ALPHA8", GL_SRGB8_ALPHA8, 4, 'f', 0, 1, 1 / 100.f, true, true},
    {"SRGB8", GL_SRGB8, 3, 'f', 0, 1, 1 / 100.f, true, false},
    F(R16, 1, 'f', 0, 1, 1 / 65535.f, true),
    F(RGBA16, 4, 'f', 0, 1, 1 / 65535.f, true),
    F(RG16_SNORM, 2, 'f', -1, 1, 1 / 32767.f, true),
    F(R16F, 1, 'f', -4, 4, 1 / 256.f, true),
    F(RGBA16F, 4, 'f', -4, 4, 1 / 256.f, true),
    F(RGB16F, 3, 'f', -4, 4, 1 / 256.f, false),
    F(R32F, 1, 'f', -4, 4, 0, true),
    F(RG32F, 2, 'f', -4, 4, 0, true),
    F(RGB32F, 3, 'f', -4, 4, 0, false),
    F(RGBA32F, 4, 'f', -4, 4, 0, true),
    F(R11F_G11F_B10F, 3, 'f', 0, 4, 1 / 8.f, true),
    F(RGB9_E5, 3, 'f', 0, 4, 1 / 32.f, false),
    F(R8I, 1, 'i', -128, 127, 0, true),
    F(RG8UI, 2, 'u', 0, 255, 0, true),
    F(RGB8I, 3, 'i', -128, 127, 0, false),
    F(RGBA8UI, 4, 'u', 0, 255, 0, true),
    F(RGBA16I, 4, 'i', -32768, 32767, 0, true),
    F(RG16UI, 2, 'u', 0, 65535, 0, true),
    F(R32I, 1, 'i', -8388608, 8388607, 0, true),
    F(RG32UI, 2, 'u', 0, 8388607, 0, true),
    F(RGBA32I, 4, 'i', -8388608, 8388607, 0, true),
    F(RGB10_A2UI, 4, 'u', 0, 3, 0, true),
    F(DEPTH_COMPONENT16, 1, 'd', 0, 1, 1 / 65535.f, true),
    F(DEPTH_COMPONENT24, 1, 'd', 0, 1, 1 / 16777215.f, true),
    F(DEPTH_COMPONENT32F, 1, 'd', 0, 1, 0, true),
};
const unsigned texel_format_count = COUNT(texel_formats);

/* ---- making ---- */

static int
level_size(int size, int level)
{
    return size >> level ? size >> level : 1;
}

static void
fill(const struct texel_format *f, float *rgba, size_t texels)
{
    bool whole = f->kind != 'f' && f->kind != 'd';
    for (size_t i = 0; i < texels; i++)
        for (unsigned c = 0; c < 4; c++) {
            float v = sweep_uniform(f->low, f->high);
            rgba[4 * i + c] = c < f->channels ? whole ? floorf(v) : v : c == 3;
        }
}

/* Data for glTexSubImage: floats, ints, or depth. */
static const void *
transfer(const struct texel_format *f, const float *rgba, size_t texels,
         int32_t *scratch, GLenum *format, GLenum *type)
{
    *format = GL_RGBA;
    *type = GL_FLOAT;
    if (f->kind == 'f')
        return rgba;
    float *depth = (float *)scratch;
    for (size_t i = 0; i < texels; i++)
        for (unsigned c = 0; c < 4; c++) {
            if (f->kind != 'd')
                scratch[4 * i + c] = (int32_t)rgba[4 * i + c];
            else if (!c)
                depth[i] = rgba[4 * i];
        }
    *format = f->kind == 'd' ? GL_DEPTH_COMPONENT : GL_RGBA_INTEGER;
    *type = f->kind == 'd' ? GL_FLOAT : GL_INT;
    return scratch;
}

static void
upload(const struct texel_texture *t, int level)
{
    const struct texel_level *v = &t->level[level];
    size_t texels = (size_t)v->width * (size_t)v->height * (size_t)v->depth;
    int32_t *scratch = malloc(texels * 16);
    GLenum format, type;
    if (!scratch)
        gl_die("upload", "out of memory");
    const void *data = transfer(t->format, v->rgba, texels, scratch, &format,
                                &type);
    if (t->target == GL_TEXTURE_1D)
        glTextureSubImage1D(t->name, level, 0, v->width, format, type, data);
    else if (t->target == GL_TEXTURE_2D)
        glTextureSubImage2D(t->name, level, 0, 0, v->width, v->height, format,
                            type, data);
    else
        glTextureSubImage3D(t->name, level, 0, 0, 0, v->width, v->height,
                            v->depth, format, type, data);
    free(scratch);
}

/* Integer textures are incomplete without it. */
static void
set_nearest(GLuint texture)
{
    glTextureParameteri(texture, GL_TEXTURE_MIN_FILTER,
                        GL_NEAREST_MIPMAP_NEAREST);
    glTextureParameteri(texture, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

void
texel_create(struct texel_texture *t, const struct texel_format *f,
             GLenum target, int width, int height, int depth, int levels)
{
    int largest = width > height ? width : height;
    largest = target == GL_TEXTURE_3D && depth > largest ? depth : largest;
    *t = (struct texel_texture){.format = f, .target = target};
    while (t->levels < TEXEL_LEVELS && largest >> t->levels)
        t->levels++;
    t->levels = levels && levels < t->levels ? levels : t->levels;
    glCreateTextures(target, 1, &t->name);
    if (target == GL_TEXTURE_1D)
        glTextureStorage1D(t->name, t->levels, f->internal, width);
    else if (texel_dims(target) == 2 ? target == GL_TEXTURE_2D
                                     : target == GL_TEXTURE_CUBE_MAP)
        glTextureStorage2D(t->name, t->levels, f->internal, width, height);
    else
        glTextureStorage3D(t->name, t->levels, f->internal, width, height,
                           depth);
    set_nearest(t->name);
    for (int l = 0; l < t->levels; l++) {
        struct texel_level *v = &t->level[l];
        v->width = level_size(width, l);
        v->height = level_size(height, l);
        v->depth = target == GL_TEXTURE_3D ? level_size(depth, l) : depth;
        size_t texels = (size_t)v->width * (size_t)v->height * (size_t)v->depth;
        v->rgba = malloc(texels * 4 * sizeof *v->rgba);
        if (!v->rgba)
            gl_die("texture", "out of memory");
        fill(f, v->rgba, texels);
        upload(t, l);
    }
}

void
texel_free(struct texel_texture *t)
{
    for (int l = 0; l < t->levels; l++)
        free(t->level[l].rgba);
    glDeleteTextures(1, &t->name);
}

/* ---- reading back ---- */

static GLuint
fetch_program(const struct texel_texture *t)
{
    const char *prefix = t->format->kind == 'i'   ? "i"
                         : t->format->kind == 'u' ? "u"
                                                  : "";
    const char *type = t->target == GL_TEXTURE_1D   ? "1D"
                       : t->target == GL_TEXTURE_2D ? "2D"
                       : t->target == GL_TEXTURE_3D ? "3D"
                                                    : "2DArray";
    const char *place = t->target == GL_TEXTURE_1D   ? "p.x"
                        : t->target == GL_TEXTURE_2D ? "p"
                                                     : "ivec3(p, z)";
    char fs[512];
    snprintf(fs, sizeof fs,
             GLSL "uniform %ssampler%s t; uniform int z, level; out vec4 o;"
                  "void main(){ ivec2 p = ivec2(gl_FragCoord);"
                  "o = vec4(texelFetch(t, %s, level)); }",
             prefix, type, place);
    return sweep_fullscreen(fs);
}

static unsigned
read_slice(struct texel_texture *t, int level, int z)
{
    struct texel_level *v = &t->level[level];
    size_t count = (size_t)v->width * (size_t)v->height * 4;
    float *want = v->rgba + (size_t)z * count;
    float *seen = malloc(count * sizeof *seen);
    GLuint target = sweep_target(GL_RGBA32F, v->width, v->height);
    unsigned off = 0;
    bool exact = t->format->kind == 'i' || t->format->kind == 'u';
    sweep_draw();
    glReadPixels(0, 0, v->width, v->height, GL_RGBA, GL_FLOAT, seen);
    sweep_free_target(target);
    for (size_t i = 0; i < count; i++) {
        /* Depth may be rounded down. */
        float half = t->format->kind == 'd' ? 1.01f : 0.51f;
        float slack = exact ? 0 : half * t->format->step + 1e-6f;
        float w = t->format->srgb && i % 4 < 3
                      ? (float)sweep_from_srgb((double)want[i])
                      : want[i];
        off += !(fabsf(seen[i] - w) <= slack);
        want[i] = seen[i];
    }
    free(seen);
    return off;
}

void
texel_read_back(struct texel_texture *t, const char *name)
{
    GLuint view = t->name, program = fetch_program(t);
    unsigned off = 0;
    GLenum target = t->target;
    if (texel_is_cube(t->target)) {
        target = GL_TEXTURE_2D_ARRAY;
        glGenTextures(1, &view);
        glTextureView(view, target, t->name, t->format->internal, 0,
                      (GLuint)t->levels, 0, (GLuint)t->level[0].depth);
        set_nearest(view);
    }
    for (int l = 0; l < t->levels; l++)
        for (int z = 0; z < t->level[l].depth; z++) {
            glProgramUniform1i(program, glGetUniformLocation(program, "z"), z);
            glProgramUniform1i(program, glGetUniformLocation(program, "level"),
                               l);
            glBindTextureUnit(0, view);
            off += read_slice(t, l, z);
        }
    if (view != t->name)
        glDeleteTextures(1, &view);
    glDeleteProgram(program);
    sweep_verdict(name, !off, "%u values are not what was uploaded", off);
}

/* ---- samplers ---- */

void
texel_set_sampler(const struct texel_texture *t, const struct texel_sampler *s)
{
    static const GLenum wraps[] = {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T,
                                   GL_TEXTURE_WRAP_R};
    GLuint n = t->name;
    glTextureParameteri(n, GL_TEXTURE_MIN_FILTER, (GLint)s->min);
    glTextureParameteri(n, GL_TEXTURE_MAG_FILTER, (GLint)s->mag);
    for (unsigned d = 0; d < 3; d++)
        glTextureParameteri(n, wraps[d], (GLint)s->wrap[d]);
    glTextureParameteri(n, GL_TEXTURE_COMPARE_MODE,
                        s->compare ? GL_COMPARE_REF_TO_TEXTURE : GL_NONE);
    if (s->compare)
        glTextureParameteri(n, GL_TEXTURE_COMPARE_FUNC, (GLint)s->compare);
    GLint whole[4];
    for (unsigned c = 0; c < 4; c++)
        whole[c] = (GLint)s->border[c];
    if (t->format->kind == 'i' || t->format->kind == 'u')
        glTextureParameterIiv(n, GL_TEXTURE_BORDER_COLOR, whole);
    else
        glTextureParameterfv(n, GL_TEXTURE_BORDER_COLOR, s->border);
    glTextureParameterf(n, GL_TEXTURE_LOD_BIAS, s->bias);
    glTextureParameterf(n, GL_TEXTURE_MIN_LOD, s->min_lod);
    glTextureParameterf(n, GL_TEXTURE_MAX_LOD, s->max_lod);
    glTextureParameteri(n, GL_TEXTURE_BASE_LEVEL, s->base_level);
    glTextureParameteri(n, GL_TEXTURE_MAX_LEVEL, s->max_level);
}

void
texel_look_up(const struct texel_texture *t, const struct texel_sampler *s,
              const void *in, size_t in_B, int side_px, float (*seen)[4])
{
    glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)in_B, in);
    texel_set_sampler(t, s);
    glBindTextureUnit(0, t->name);
    sweep_draw();
    glReadPixels(0, 0, side_px, side_px, GL_RGBA, GL_FLOAT, seen);
}
