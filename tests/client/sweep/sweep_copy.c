/* sweep_copy.c: compressed formats: random blocks decoded as llvmpipe decodes
 * them. Copies of bits between formats of the same size, including compressed
 * ones. */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

struct format {
    const char *name;
    GLenum internal, format, type; /* format 0: compressed */
    unsigned block_B, block_w, block_h;
    float tolerance;
};

#define C(n, bytes, tol)                   \
    {                                      \
#n, GL_##n, 0, 0, bytes, 4, 4, tol \
    }
#define ASTC(w, h)                                                            \
    {                                                                         \
        "ASTC_" #w "x" #h, GL_COMPRESSED_RGBA_ASTC_##w##x##h##_KHR, 0, 0, 16, \
            w, h, 1.01f / 255                                                 \
    }
static const struct format formats[] = {
    {"RGBA32UI", GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16, 1, 1, 0},
    {"RGBA32I", GL_RGBA32I, GL_RGBA_INTEGER, GL_INT, 16, 1, 1, 0},
    {"RG32UI", GL_RG32UI, GL_RG_INTEGER, GL_UNSIGNED_INT, 8, 1, 1, 0},
    {"RGBA16UI", GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, 8, 1, 1, 0},
    {"RGBA16", GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, 8, 1, 1, 0},
    {"RGB8UI", GL_RGB8UI, GL_RGB_INTEGER, GL_UNSIGNED_BYTE, 3, 1, 1, 0},
    {"RGB32UI", GL_RGB32UI, GL_RGB_INTEGER, GL_UNSIGNED_INT, 12, 1, 1, 0},
    {"RGBA8", GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 1, 1, 0},
    {"SRGB8_ALPHA8", GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 1, 1, 0},
    {"R32UI", GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 4, 1, 1, 0},
    {"RG16I", GL_RG16I, GL_RG_INTEGER, GL_SHORT, 4, 1, 1, 0},
    {"RGB10_A2", GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, 4, 1, 1,
     0},
    {"R16UI", GL_R16UI, GL_RED_INTEGER, GL_UNSIGNED_SHORT, 2, 1, 1, 0},
    {"RG8", GL_RG8, GL_RG, GL_UNSIGNED_BYTE, 2, 1, 1, 0},
    {"R8UI", GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1, 1, 1, 0},
    C(COMPRESSED_RGB_S3TC_DXT1_EXT, 8, 2.01f / 255),
    C(COMPRESSED_RGBA_S3TC_DXT1_EXT, 8, 2.01f / 255),
    C(COMPRESSED_RGBA_S3TC_DXT3_EXT, 16, 2.01f / 255),
    C(COMPRESSED_RGBA_S3TC_DXT5_EXT, 16, 2.01f / 255),
    C(COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT, 16, 4.01f / 255),
    C(COMPRESSED_RED_RGTC1, 8, 2.01f / 255),
    C(COMPRESSED_SIGNED_RED_RGTC1, 8, 2.01f / 127),
    C(COMPRESSED_RG_RGTC2, 16, 2.01f / 255),
    C(COMPRESSED_SIGNED_RG_RGTC2, 16, 2.01f / 127),
    C(COMPRESSED_RGBA_BPTC_UNORM, 16, 1e-4f),
    C(COMPRESSED_SRGB_ALPHA_BPTC_UNORM, 16, 1e-3f),
    C(COMPRESSED_RGB_BPTC_SIGNED_FLOAT, 16, 1e-4f),
    C(COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT, 16, 1e-4f),
    C(COMPRESSED_RGB8_ETC2, 8, 1e-4f),
    C(COMPRESSED_SRGB8_ETC2, 8, 2e-3f),
    C(COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2, 8, 1e-4f),
    C(COMPRESSED_RGBA8_ETC2_EAC, 16, 1e-4f),
    C(COMPRESSED_SRGB8_ALPHA8_ETC2_EAC, 16, 2e-3f),
    C(COMPRESSED_R11_EAC, 8, 1e-3f),
    C(COMPRESSED_SIGNED_R11_EAC, 8, 1e-3f),
    C(COMPRESSED_RG11_EAC, 16, 1e-3f),
    C(COMPRESSED_SIGNED_RG11_EAC, 16, 1e-3f),
    ASTC(4, 4),
    ASTC(5, 4),
    ASTC(6, 6),
    ASTC(8, 5),
    ASTC(10, 8),
    ASTC(12, 12),
};

static const struct shape {
    const char *name;
    GLenum target;
    int depth;
} shapes[] = {
    {"2d", GL_TEXTURE_2D, 1},
    {"2d_array", GL_TEXTURE_2D_ARRAY, 4},
    {"3d", GL_TEXTURE_3D, 4},
    {"cube", GL_TEXTURE_CUBE_MAP, 6},
};

#define MAX_B (1 << 20)

/* Sizes in blocks. */
struct texture {
    const struct format *f;
    const struct shape *shape;
    GLuint name;
    int columns, rows, level;
};

static uint8_t *
random_bytes(size_t size_B)
{
    uint8_t *p = malloc(size_B);
    if (!p)
        gl_die("copy", "out of memory");
    for (size_t i = 0; i < size_B; i++)
        p[i] = (uint8_t)sweep_random(256);
    return p;
}

static size_t
layer_B(const struct texture *t)
{
    return (size_t)t->columns * (size_t)t->rows * t->f->block_B;
}

static void
upload(const struct texture *t, const uint8_t *data)
{
    const struct format *f = t->f;
    int w = t->columns * (int)f->block_w, h = t->rows * (int)f->block_h;
    int d = t->shape->depth;
    GLsizei size_B = (GLsizei)layer_B(t);
    if (t->shape->target == GL_TEXTURE_2D) {
        if (f->format)
            glTextureSubImage2D(t->name, t->level, 0, 0, w, h, f->format,
                                f->type, data);
        else
            glCompressedTextureSubImage2D(t->name, t->level, 0, 0, w, h,
                                          f->internal, size_B, data);
    } else if (f->format) {
        glTextureSubImage3D(t->name, t->level, 0, 0, 0, w, h, d, f->format,
                            f->type, data);
    } else {
        glCompressedTextureSubImage3D(t->name, t->level, 0, 0, 0, w, h, d,
                                      f->internal, size_B * d, data);
    }
}

static void
download(const struct texture *t, uint8_t *data)
{
    if (t->f->format)
        glGetTextureImage(t->name, t->level, t->f->format, t->f->type, MAX_B,
                          data);
    else
        glGetCompressedTextureImage(t->name, t->level, MAX_B, data);
}

static void
create(struct texture *t, const struct format *f, const struct shape *shape)
{
    bool cube = shape->target == GL_TEXTURE_CUBE_MAP;
    *t = (struct texture){.f = f, .shape = shape};
    t->level = (int)sweep_random(3);
    t->columns = 1 + (int)sweep_random(9);
    t->rows = 1 + (int)sweep_random(9);
    if (cube) {
        int side = t->columns * (int)(f->block_w * f->block_h);
        t->columns = side / (int)f->block_w;
        t->rows = side / (int)f->block_h;
    }
    GLsizei w = (GLsizei)(t->columns * (int)f->block_w) << t->level;
    GLsizei h = (GLsizei)(t->rows * (int)f->block_h) << t->level;
    GLsizei d = shape->target == GL_TEXTURE_3D ? shape->depth << t->level
                                               : shape->depth;
    glCreateTextures(shape->target, 1, &t->name);
    if (shape->target == GL_TEXTURE_2D || cube)
        glTextureStorage2D(t->name, t->level + 1, f->internal, w, h);
    else
        glTextureStorage3D(t->name, t->level + 1, f->internal, w, h, d);
}

/* ---- decoding ---- */

static void
run_decode(const struct format *f)
{
    static float seen[144 * 144][4];
    struct texture t;
    create(&t, f, &shapes[0]);
    uint8_t *data = random_bytes(layer_B(&t));
    upload(&t, data);
    free(data);
    int w = t.columns * (int)f->block_w, h = t.rows * (int)f->block_h;
    GLuint target = sweep_target(GL_RGBA32F, w, h);
    GLuint p = sweep_fullscreen(
        GLSL "uniform sampler2D t; uniform int level; out vec4 o;"
             "void main(){ o = texelFetch(t, ivec2(gl_FragCoord), level); }");
    glUniform1i(glGetUniformLocation(p, "level"), t.level);
    glBindTextureUnit(0, t.name);
    sweep_draw();
    glReadPixels(0, 0, w, h, GL_RGBA, GL_FLOAT, seen);
    bool half = strstr(f->name, "FLOAT");
    sweep_values(sweep_name("copy.decode.%s", f->name),
                 half ? 1e-6 : (double)f->tolerance, half ? 1e-4 : 0, seen[0],
                 (size_t)(w * h) * 4);
    glDeleteProgram(p);
    sweep_free_target(target);
    glDeleteTextures(1, &t.name);
}

/* ---- copies ---- */

static size_t
block_at(const struct texture *t, int x, int y, int z)
{
    return (size_t)z * layer_B(t) +
           ((size_t)y * (size_t)t->columns + (size_t)x) * t->f->block_B;
}

static bool
is_es(const struct format *f)
{
    return strstr(f->name, "ETC") || strstr(f->name, "EAC") ||
           strstr(f->name, "ASTC");
}

/* OpenGL allows few compressed formats in three dimensions. */
static const struct shape *
random_shape(const struct format *f)
{
    unsigned i = sweep_random(COUNT(shapes));
    return &shapes[shapes[i].target == GL_TEXTURE_3D && !f->format ? 0 : i];
}

static int
smaller(int a, int b)
{
    return a < b ? a : b;
}

static void
run_copy(const struct format *from, const struct format *to)
{
    static uint8_t before[MAX_B], after[MAX_B];
    struct texture a, b;
    create(&a, from, random_shape(from));
    create(&b, to, random_shape(to));
    uint8_t *source = random_bytes(layer_B(&a) * (size_t)a.shape->depth);
    uint8_t *dest = random_bytes(layer_B(&b) * (size_t)b.shape->depth);
    upload(&a, source);
    upload(&b, dest);
    download(&b, before);
    int w = 1 + (int)sweep_random((uint32_t)smaller(a.columns, b.columns));
    int h = 1 + (int)sweep_random((uint32_t)smaller(a.rows, b.rows));
    int d = 1 + (int)sweep_random(
                    (uint32_t)smaller(a.shape->depth, b.shape->depth));
    int ax = (int)sweep_random((uint32_t)(a.columns - w + 1));
    int ay = (int)sweep_random((uint32_t)(a.rows - h + 1));
    int az = (int)sweep_random((uint32_t)(a.shape->depth - d + 1));
    int bx = (int)sweep_random((uint32_t)(b.columns - w + 1));
    int by = (int)sweep_random((uint32_t)(b.rows - h + 1));
    int bz = (int)sweep_random((uint32_t)(b.shape->depth - d + 1));
    glCopyImageSubData(a.name, a.shape->target, a.level,
                       ax * (int)from->block_w, ay * (int)from->block_h, az,
                       b.name, b.shape->target, b.level, bx * (int)to->block_w,
                       by * (int)to->block_h, bz, w * (int)from->block_w,
                       h * (int)from->block_h, d);
    download(&b, after);
    for (int z = 0; z < d; z++)
        for (int y = 0; y < h; y++)
            memcpy(before + block_at(&b, bx, by + y, bz + z),
                   source + block_at(&a, ax, ay + y, az + z),
                   (size_t)w * from->block_B);
    size_t size_B = layer_B(&b) * (size_t)b.shape->depth, bad = 0, where = 0;
    for (size_t i = 0; i < size_B; i++)
        if (before[i] != after[i] && !bad++)
            where = i;
    sweep_verdict(sweep_name("copy.%s_%s.%s_%s.%dx%dx%d", from->name, to->name,
                             a.shape->name, b.shape->name, w, h, d),
                  !bad, "%zu of %zu bytes, the first is %zu: %02x, not %02x",
                  bad, size_B, where, after[where], before[where]);
    free(source);
    free(dest);
    glDeleteTextures(1, &a.name);
    glDeleteTextures(1, &b.name);
}

/* OpenGL has no views of ETC and ASTC. */
static bool
copies(const struct format *a, const struct format *b)
{
    bool es = is_es(a) || is_es(b);
    if (a == b)
        return true;
    return a->block_B == b->block_B && !es && (a->format || b->format);
}

void
sweep_copy(void)
{
    for (unsigned i = 0; i < COUNT(formats); i++) {
        if (!sweep_begin(sweep_name("copy.%s", formats[i].name)))
            continue;
        for (unsigned n = 0; !formats[i].format && n < (sweep_large ? 20 : 1);
             n++)
            run_decode(&formats[i]);
        for (unsigned k = 0; k < COUNT(formats); k++)
            for (unsigned n = 0;
                 copies(&formats[i], &formats[k]) && n < (sweep_large ? 10 : 1);
                 n++)
                run_copy(&formats[i], &formats[k]);
    }
}
