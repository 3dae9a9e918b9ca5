/* rects.c: random uploads, blits, copies, clears and resolves between textures,
 * as stock drivers do them with shaders of their own. Prints one line per
 * operation, with a checksum of the texture that it wrote. The output must not
 * depend on the way in which rectangles are drawn; see run_rects.py.
 *
 * usage: rects SEED COUNT */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../gl/gl.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_PX 300

struct format {
    const char *name;
    GLenum internal, format, type;
    unsigned pixel_B;
    char kind; /* f, u, i */
};

static const struct format formats[] = {
    {"rgba8", GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 'f'},
    {"rgb8", GL_RGB8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 'f'},
    {"srgb8_a8", GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 'f'},
    {"rgb10_a2", GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, 4, 'f'},
    {"rgb565", GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2, 'f'},
    {"r8", GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1, 'f'},
    {"rg8_snorm", GL_RG8_SNORM, GL_RG, GL_BYTE, 2, 'f'},
    {"rgba8_snorm", GL_RGBA8_SNORM, GL_RGBA, GL_BYTE, 4, 'f'},
    {"rg16", GL_RG16, GL_RG, GL_UNSIGNED_SHORT, 4, 'f'},
    {"rgba16", GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, 8, 'f'},
    {"rgba16f", GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, 8, 'f'},
    {"r32f", GL_R32F, GL_RED, GL_FLOAT, 4, 'f'},
    {"rgba32f", GL_RGBA32F, GL_RGBA, GL_FLOAT, 16, 'f'},
    {"r11g11b10f", GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV,
     4, 'f'},
    {"rgba8ui", GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, 4, 'u'},
    {"rgba16i", GL_RGBA16I, GL_RGBA_INTEGER, GL_SHORT, 8, 'i'},
    {"r32ui", GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 4, 'u'},
    {"rgba32ui", GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16, 'u'},
};

struct texture {
    const struct format *f;
    GLuint name, fbo;
    int width, height, samples;
};

static uint32_t seed;

static uint32_t
next_random(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static uint8_t *
random_bytes(size_t size_B)
{
    uint8_t *p = malloc(size_B);
    for (size_t i = 0; i < size_B; i++)
        p[i] = (uint8_t)next_random(256);
    return p;
}

static void
upload(const struct texture *t, int x, int y, int w, int h)
{
    uint8_t *data = random_bytes((size_t)w * (size_t)h * t->f->pixel_B);
    glTextureSubImage2D(t->name, 0, x, y, w, h, t->f->format, t->f->type, data);
    free(data);
}

static void
make_texture(struct texture *t, const struct format *f, int samples)
{
    t->f = f;
    t->samples = samples;
    t->width = 1 + (int)next_random(MAX_PX);
    t->height = 1 + (int)next_random(MAX_PX);
    if (samples > 1) {
        glCreateTextures(GL_TEXTURE_2D_MULTISAMPLE, 1, &t->name);
        glTextureStorage2DMultisample(t->name, samples, f->internal, t->width,
                                      t->height, GL_TRUE);
    } else {
        glCreateTextures(GL_TEXTURE_2D, 1, &t->name);
        glTextureStorage2D(t->name, 1, f->internal, t->width, t->height);
    }
    glCreateFramebuffers(1, &t->fbo);
    glNamedFramebufferTexture(t->fbo, GL_COLOR_ATTACHMENT0, t->name, 0);
    if (samples == 1)
        upload(t, 0, 0, t->width, t->height);
}

static void
finish_texture(struct texture *t)
{
    glDeleteFramebuffers(1, &t->fbo);
    glDeleteTextures(1, &t->name);
}

static bool
can_draw(const struct texture *t)
{
    return glCheckNamedFramebufferStatus(t->fbo, GL_FRAMEBUFFER) ==
           GL_FRAMEBUFFER_COMPLETE;
}

static uint64_t
checksum_as(const struct texture *t, GLenum format, GLenum type,
            unsigned pixel_B)
{
    size_t size_B = (size_t)t->width * (size_t)t->height * pixel_B;
    uint8_t *p = calloc(1, size_B);
    glGetTextureImage(t->name, 0, format, type, (GLsizei)size_B, p);
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < size_B; i++)
        h = (h ^ p[i]) * 1099511628211u;
    free(p);
    return h;
}

static uint64_t
checksum(const struct texture *t)
{
    return checksum_as(t, t->f->format, t->f->type, t->f->pixel_B);
}

/* Blocks of 4x4, which the driver decodes by a draw for the read back. */
static void
read_compressed(unsigned i)
{
    static const GLenum formats_4x4[] = {
        GL_COMPRESSED_RGB_S3TC_DXT1_EXT,  GL_COMPRESSED_RGBA_S3TC_DXT3_EXT,
        GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, GL_COMPRESSED_RG_RGTC2,
        GL_COMPRESSED_RGBA_BPTC_UNORM,    GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC,
    };
    GLenum internal = formats_4x4[i % COUNT(formats_4x4)];
    struct texture t = {.width = 1 + (int)next_random(MAX_PX),
                        .height = 1 + (int)next_random(MAX_PX)};
    glCreateTextures(GL_TEXTURE_2D, 1, &t.name);
    glTextureStorage2D(t.name, 1, internal, t.width, t.height);
    GLint size_B = 0;
    glGetTextureLevelParameteriv(t.name, 0, GL_TEXTURE_COMPRESSED_IMAGE_SIZE,
                                 &size_B);
    uint8_t *data = random_bytes((size_t)size_B);
    glCompressedTextureSubImage2D(t.name, 0, 0, 0, t.width, t.height, internal,
                                  size_B, data);
    free(data);
    printf("%u read %x %016llx\n", i, internal,
           (unsigned long long)checksum_as(&t, GL_RGBA, GL_UNSIGNED_BYTE, 4));
    glDeleteTextures(1, &t.name);
}

struct box {
    int x0, y0, x1, y1;
};

static struct box
random_box(const struct texture *t)
{
    struct box b = {(int)next_random((uint32_t)t->width),
                    (int)next_random((uint32_t)t->height), 0, 0};
    if (!next_random(3))
        b.x0 = b.y0 = 0;
    b.x1 = b.x0 + 1 + (int)next_random((uint32_t)(t->width - b.x0));
    b.y1 = b.y0 + 1 + (int)next_random((uint32_t)(t->height - b.y0));
    return b;
}

static void
clear_box(const struct texture *t, struct box b)
{
    union {
        float f[4];
        int32_t i[4];
        uint32_t u[4];
    } c;
    for (unsigned k = 0; k < 4; k++) {
        if (t->f->kind == 'f')
            c.f[k] = (float)next_random(1024) / 1023.0f;
        else
            c.u[k] = next_random(120);
    }
    glScissor(b.x0, b.y0, b.x1 - b.x0, b.y1 - b.y0);
    glEnable(GL_SCISSOR_TEST);
    if (t->f->kind == 'f')
        glClearNamedFramebufferfv(t->fbo, GL_COLOR, 0, c.f);
    else if (t->f->kind == 'i')
        glClearNamedFramebufferiv(t->fbo, GL_COLOR, 0, c.i);
    else
        glClearNamedFramebufferuiv(t->fbo, GL_COLOR, 0, c.u);
    glDisable(GL_SCISSOR_TEST);
}

/* Boxes to draw to and from; false if there are none. Within one texture they
 * do not even touch, because a draw that reads texels that it writes has
 * undefined results. */
static bool
random_boxes(const struct texture *to, const struct texture *from,
             struct box *d, struct box *s)
{
    *d = random_box(to);
    *s = random_box(from);
    if (to != from)
        return true;
    d->x0 = s->x1 + 2;
    d->x1 = d->x1 > d->x0 ? d->x1 : d->x0 + 1;
    return d->x1 <= to->width;
}

/* Unscaled, mirrored, scaled or beyond an edge. */
static void
blit(const struct texture *to, const struct texture *from)
{
    struct box d, s;
    if (!random_boxes(to, from, &d, &s))
        return;
    unsigned how = next_random(8);
    GLenum filter = GL_NEAREST;
    if (how < 5) {
        d.x1 = d.x0 + s.x1 - s.x0;
        d.y1 = d.y0 + s.y1 - s.y0;
    } else if (how < 7 && to->f->kind == 'f') {
        filter = GL_LINEAR;
    }
    if (how == 4) {
        int x = d.x0;
        d.x0 = d.x1;
        d.x1 = x;
    }
    glBlitNamedFramebuffer(from->fbo, to->fbo, s.x0, s.y0, s.x1, s.y1, d.x0,
                           d.y0, d.x1, d.y1, GL_COLOR_BUFFER_BIT, filter);
}

static void
copy_image(const struct texture *to, const struct texture *from)
{
    struct box d, s;
    if (!random_boxes(to, from, &d, &s))
        return;
    int w = d.x1 - d.x0 < s.x1 - s.x0 ? d.x1 - d.x0 : s.x1 - s.x0;
    int h = d.y1 - d.y0 < s.y1 - s.y0 ? d.y1 - d.y0 : s.y1 - s.y0;
    glCopyImageSubData(from->name, GL_TEXTURE_2D, 0, s.x0, s.y0, 0, to->name,
                       GL_TEXTURE_2D, 0, d.x0, d.y0, 0, w, h, 1);
}

static void
resolve(const struct texture *to, const struct format *f)
{
    struct texture ms;
    make_texture(&ms, f, 2 << next_random(3));
    if (!can_draw(&ms) || !can_draw(to)) {
        finish_texture(&ms);
        return;
    }
    glNamedFramebufferTexture(ms.fbo, GL_COLOR_ATTACHMENT0, ms.name, 0);
    unsigned clears = next_random(4);
    clear_box(&ms, (struct box){0, 0, ms.width, ms.height});
    for (unsigned i = 0; i < clears; i++) {
        /* Some samples only, so that they differ within a pixel. */
        glEnable(GL_SAMPLE_MASK);
        glSampleMaski(0, next_random(256));
        clear_box(&ms, random_box(&ms));
    }
    glDisable(GL_SAMPLE_MASK);
    int w = ms.width < to->width ? ms.width : to->width;
    int h = ms.height < to->height ? ms.height : to->height;
    glBlitNamedFramebuffer(ms.fbo, to->fbo, 0, 0, w, h, 0, 0, w, h,
                           GL_COLOR_BUFFER_BIT, GL_NEAREST);
    finish_texture(&ms);
}

static const char *
one_operation(struct texture *to, struct texture *from)
{
    struct box b = random_box(to);
    switch (next_random(6)) {
    case 0: upload(to, b.x0, b.y0, b.x1 - b.x0, b.y1 - b.y0); return "upload";
    case 1:
        if (!can_draw(to))
            return "none";
        clear_box(to, b);
        return "clear";
    case 2:
        if (to->f->pixel_B != from->f->pixel_B)
            from = to;
        copy_image(to, from);
        return "copy";
    case 3: resolve(to, to->f); return "resolve";
    default:
        if (to->f->kind != from->f->kind || !can_draw(to) || !can_draw(from))
            return "none";
        if (next_random(2))
            glEnable(GL_FRAMEBUFFER_SRGB);
        blit(to, from);
        glDisable(GL_FRAMEBUFFER_SRGB);
        return "blit";
    }
}

int
main(int argc, char **argv)
{
    if (argc != 3)
        gl_die("usage", "rects SEED COUNT");
    seed = (uint32_t)strtoul(argv[1], NULL, 0);
    unsigned count = (unsigned)strtoul(argv[2], NULL, 0);
    static const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 4,
                                        EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
    gl_open(attributes);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    for (unsigned i = 0; i < count; i++) {
        struct texture a, b;
        const struct format *f = &formats[next_random(COUNT(formats))];
        make_texture(&a, f, 1);
        make_texture(
            &b, next_random(2) ? f : &formats[next_random(COUNT(formats))], 1);
        for (unsigned k = 0; k < 4; k++) {
            const char *what = one_operation(&a, next_random(5) ? &b : &a);
            printf("%u.%u %s %s from %s %016llx\n", i, k, what, a.f->name,
                   b.f->name, (unsigned long long)checksum(&a));
        }
        finish_texture(&a);
        finish_texture(&b);
        read_compressed(i);
    }
    return 0;
}
