/* sweep_image.c: images: loads, stores and atomics of every format and target.
 */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXELS 1024

struct format {
    const char *layout;
    GLenum internal;
    char kind; /* f, n, s, i, u */
    unsigned bits[4];
};

#define F(layout, internal, kind, ...) \
    {                                  \
        layout, GL_##internal, kind,   \
        {                              \
            __VA_ARGS__                \
        }                              \
    }
static const struct format formats[] = {
    F("rgba32f", RGBA32F, 'f', 32, 32, 32, 32),
    F("rgba16f", RGBA16F, 'f', 16, 16, 16, 16),
    F("rg32f", RG32F, 'f', 32, 32),
    F("rg16f", RG16F, 'f', 16, 16),
    F("r11f_g11f_b10f", R11F_G11F_B10F, 'f', 11, 11, 10),
    F("r32f", R32F, 'f', 32),
    F("r16f", R16F, 'f', 16),
    F("rgba16", RGBA16, 'n', 16, 16, 16, 16),
    F("rgb10_a2", RGB10_A2, 'n', 10, 10, 10, 2),
    F("rgba8", RGBA8, 'n', 8, 8, 8, 8),
    F("rg16", RG16, 'n', 16, 16),
    F("rg8", RG8, 'n', 8, 8),
    F("r16", R16, 'n', 16),
    F("r8", R8, 'n', 8),
    F("rgba16_snorm", RGBA16_SNORM, 's', 16, 16, 16, 16),
    F("rgba8_snorm", RGBA8_SNORM, 's', 8, 8, 8, 8),
    F("rg16_snorm", RG16_SNORM, 's', 16, 16),
    F("rg8_snorm", RG8_SNORM, 's', 8, 8),
    F("r16_snorm", R16_SNORM, 's', 16),
    F("r8_snorm", R8_SNORM, 's', 8),
    F("rgba32ui", RGBA32UI, 'u', 32, 32, 32, 32),
    F("rgba16ui", RGBA16UI, 'u', 16, 16, 16, 16),
    F("rgb10_a2ui", RGB10_A2UI, 'u', 10, 10, 10, 2),
    F("rgba8ui", RGBA8UI, 'u', 8, 8, 8, 8),
    F("rg32ui", RG32UI, 'u', 32, 32),
    F("rg16ui", RG16UI, 'u', 16, 16),
    F("rg8ui", RG8UI, 'u', 8, 8),
    F("r32ui", R32UI, 'u', 32),
    F("r16ui", R16UI, 'u', 16),
    F("r8ui", R8UI, 'u', 8),
    F("rgba32i", RGBA32I, 'i', 32, 32, 32, 32),
    F("rgba16i", RGBA16I, 'i', 16, 16, 16, 16),
    F("rgba8i", RGBA8I, 'i', 8, 8, 8, 8),
    F("rg32i", RG32I, 'i', 32, 32),
    F("rg16i", RG16I, 'i', 16, 16),
    F("rg8i", RG8I, 'i', 8, 8),
    F("r32i", R32I, 'i', 32),
    F("r16i", R16I, 'i', 16),
    F("r8i", R8I, 'i', 8),
};
#undef F

static const struct shape {
    const char *name, *image, *sampler;
    GLenum target;
    int width, height, depth;
    const char *coord, *fetch; /* of ivec3 p */
} shapes[] = {
    {"1d", "image1D", "sampler1D", GL_TEXTURE_1D, 37, 1, 1, "p.x", "p.x, 0"},
    {"2d", "image2D", "sampler2D", GL_TEXTURE_2D, 21, 13, 1, "p.xy", "p.xy, 0"},
    {"3d", "image3D", "sampler3D", GL_TEXTURE_3D, 7, 9, 5, "p", "p, 0"},
    {"2d_array", "image2DArray", "sampler2DArray", GL_TEXTURE_2D_ARRAY, 9, 10,
     4, "p", "p, 0"},
    {"cube", "imageCube", "sampler2DArray", GL_TEXTURE_CUBE_MAP, 7, 7, 6, "p",
     "p, 0"},
    {"cube_array", "imageCubeArray", "sampler2DArray",
     GL_TEXTURE_CUBE_MAP_ARRAY, 5, 5, 18, "p", "p, 0"},
    {"buffer", "imageBuffer", "samplerBuffer", GL_TEXTURE_BUFFER, 100, 1, 1,
     "p.x", "p.x"},
};

static const char *
prefix_of(const struct format *f)
{
    return f->kind == 'i' ? "i" : f->kind == 'u' ? "u" : "";
}

static unsigned
texels_of(const struct shape *s)
{
    return (unsigned)(s->width * s->height * s->depth);
}

/* ---- textures ---- */

/* Returns the texture for images; `view` is the texture for samplers. */
static GLuint
make_texture(const struct shape *s, GLenum internal, GLuint *view)
{
    GLuint t;
    glCreateTextures(s->target, 1, &t);
    switch (s->target) {
    case GL_TEXTURE_BUFFER: {
        GLuint b;
        glCreateBuffers(1, &b);
        glNamedBufferData(b, s->width * 16, NULL, GL_STATIC_DRAW);
        glTextureBuffer(t, internal, b);
        glDeleteBuffers(1, &b);
        break;
    }
    case GL_TEXTURE_1D: glTextureStorage1D(t, 1, internal, s->width); break;
    case GL_TEXTURE_2D:
    case GL_TEXTURE_CUBE_MAP:
        glTextureStorage2D(t, 1, internal, s->width, s->height);
        break;
    default:
        glTextureStorage3D(t, 1, internal, s->width, s->height, s->depth);
        break;
    }
    *view = t;
    if (s->target == GL_TEXTURE_CUBE_MAP ||
        s->target == GL_TEXTURE_CUBE_MAP_ARRAY) {
        glGenTextures(1, view);
        glTextureView(*view, GL_TEXTURE_2D_ARRAY, t, internal, 0, 1, 0,
                      (GLuint)s->depth);
    }
    if (s->target != GL_TEXTURE_BUFFER) {
        glTextureParameteri(*view, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTextureParameteri(*view, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    }
    return t;
}

static void
free_texture(GLuint t, GLuint view)
{
    if (view != t)
        glDeleteTextures(1, &view);
    glDeleteTextures(1, &t);
}

/* ---- values ---- */

static double
most_of(const struct format *f, unsigned c)
{
    bool is_signed = f->kind == 'i' || f->kind == 's';
    return (double)((UINT64_C(1) << (f->bits[c] - is_signed)) - 1);
}

static void
random_value(const struct format *f, float v[4])
{
    for (unsigned c = 0; c < 4; c++)
        switch (f->kind) {
        case 'n': v[c] = sweep_uniform(-0.2f, 1.2f); break;
        case 's': v[c] = sweep_uniform(-1.2f, 1.2f); break;
        case 'f': v[c] = sweep_uniform(f->bits[c] < 16 ? 0 : -9, 9); break;
        case 'i': v[c] = floorf(sweep_uniform(-128, 127)); break;
        default:
            v[c] = floorf(sweep_uniform(0, f->bits[c] == 2 ? 3 : 255));
            break;
        }
}

/* Whether a store of `put` may leave `seen`. */
static bool
stored(const struct format *f, const float put[4], const float seen[4])
{
    for (unsigned c = 0; c < 4; c++) {
        double want = (double)put[c], slack = 0;
        if (!f->bits[c])
            want = c == 3;
        else if (f->kind == 'n')
            want = fmin(fmax(want, 0), 1);
        else if (f->kind == 's')
            want = fmin(fmax(want, -1), 1);
        if (f->bits[c] && (f->kind == 'n' || f->kind == 's'))
            slack = 0.51 / most_of(f, c) + 1e-6;
        if (f->bits[c] && f->kind == 'f')
            slack = fabs(want) * (f->bits[c] == 32   ? 0
                                  : f->bits[c] == 16 ? 0x1p-10
                                  : f->bits[c] == 11 ? 0x1p-6
                                                     : 0x1p-5) +
                    (f->bits[c] == 32 ? 0 : 1e-5);
        if (!(fabs((double)seen[c] - want) <= slack))
            return false;
    }
    return true;
}

/* ---- programs ---- */

static GLuint
program(const struct shape *s, const struct format *f, const char *more,
        const char *body)
{
    char cs[2048];
    snprintf(cs, sizeof cs,
             GLSL "layout(local_size_x = 32) in;"
                  "layout(%s, binding = 0) uniform %s%s img;"
                  "layout(binding = 0) uniform %s%s tex;"
                  "layout(std430, binding = 0) buffer A { vec4 a[]; };"
                  "layout(std430, binding = 1) buffer B { vec4 b[]; };"
                  "uniform ivec3 size; %s void main(){"
                  "int i = int(gl_GlobalInvocationID.x);"
                  "if (i >= size.x * size.y * size.z) return;"
                  "ivec3 p = ivec3(i %% size.x, i / size.x %% size.y,"
                  "i / size.x / size.y); %s }",
             f->layout, prefix_of(f), s->image, prefix_of(f), s->sampler, more,
             body);
    GLuint p = gl_compute(cs);
    glUniform3i(glGetUniformLocation(p, "size"), s->width, s->height, s->depth);
    return p;
}

static void
dispatch(const struct shape *s)
{
    glDispatchCompute((texels_of(s) + 31) / 32, 1, 1);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
}

static void
read_floats(GLuint index, float (*out)[4], unsigned count)
{
    GLint buffer;
    glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, index, &buffer);
    glGetNamedBufferSubData((GLuint)buffer, 0, (GLsizeiptr)(count * 16), out);
}

static void
write_floats(GLuint index, float (*in)[4], unsigned count)
{
    GLint buffer;
    glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, index, &buffer);
    glNamedBufferSubData((GLuint)buffer, 0, (GLsizeiptr)(count * 16), in);
}

/* ---- cases ---- */

/* Stores, then reads by samplers and loads. */
static void
run_store(const struct shape *s, const struct format *f)
{
    static float put[MAX_TEXELS][4], fetched[MAX_TEXELS][4],
        loaded[MAX_TEXELS][4];
    char body[512];
    unsigned n = texels_of(s), bad = 0, where = 0;
    GLuint view, t = make_texture(s, f->internal, &view);
    for (unsigned i = 0; i < n; i++)
        random_value(f, put[i]);
    write_floats(0, put, n);
    glBindImageTexture(0, t, 0, GL_TRUE, 0, GL_READ_WRITE, f->internal);
    glBindTextureUnit(0, view);
    snprintf(body, sizeof body, "imageStore(img, %s, %svec4(a[i]));", s->coord,
             prefix_of(f));
    GLuint p = program(s, f, "", body);
    dispatch(s);
    glDeleteProgram(p);
    snprintf(body, sizeof body,
             "a[i] = vec4(texelFetch(tex, %s)); b[i] = vec4(imageLoad(img, "
             "%s));",
             s->fetch, s->coord);
    p = program(s, f, "", body);
    dispatch(s);
    glDeleteProgram(p);
    read_floats(0, fetched, n);
    read_floats(1, loaded, n);
    for (unsigned i = 0; i < n; i++)
        if ((!stored(f, put[i], fetched[i]) || !stored(f, put[i], loaded[i])) &&
            !bad++)
            where = i;
    const float *w = put[where], *a = fetched[where], *b = loaded[where];
    sweep_verdict(sweep_name("image.store.%s.%s", s->name, f->layout), !bad,
                  "%u of %u, the first is %u: stored %g %g %g %g, fetched %g "
                  "%g %g %g, loaded %g %g %g %g",
                  bad, n, where, (double)w[0], (double)w[1], (double)w[2],
                  (double)w[3], (double)a[0], (double)a[1], (double)a[2],
                  (double)a[3], (double)b[0], (double)b[1], (double)b[2],
                  (double)b[3]);
    free_texture(t, view);
}

/* Outside the image loads give zero, and stores have no effect. */
static void
run_outside(const struct shape *s, const struct format *f)
{
    static float put[MAX_TEXELS][4], seen[MAX_TEXELS][4];
    char body[768];
    unsigned n = texels_of(s), bad = 0, where = 0;
    GLuint view, t = make_texture(s, f->internal, &view);
    glBindImageTexture(0, t, 0, GL_TRUE, 0, GL_READ_WRITE, f->internal);
    glBindTextureUnit(0, view);
    for (unsigned i = 0; i < n; i++)
        for (unsigned c = 0; c < 4; c++)
            put[i][c] = c < 3 ? 1 : 0;
    write_floats(0, put, n);
    snprintf(body, sizeof body,
             "imageStore(img, %s, %svec4(1, 1, 1, 0)); memoryBarrierImage();"
             "ivec3 q = p; int far[] = int[](-1, 1 << 20, -1 << 31, 65536);"
             "int d = far[i & 3]; if (i %% 3 != 1) q.x = d < 0 ? d : d + q.x;"
             "else if (size.y > 1) q.y = d; else q.x = d; p = q;"
             "vec4 l = vec4(imageLoad(img, %s));"
             "imageStore(img, %s, %svec4(0)); b[i] = l;",
             s->coord, prefix_of(f), s->coord, s->coord, prefix_of(f));
    GLuint p = program(s, f, "", body);
    dispatch(s);
    glDeleteProgram(p);
    read_floats(1, seen, n);
    for (unsigned i = 0; i < n; i++)
        if ((seen[i][0] != 0 || seen[i][1] != 0 || seen[i][2] != 0) && !bad++)
            where = i;
    sweep_verdict(sweep_name("image.outside_load.%s.%s", s->name, f->layout),
                  !bad, "%u of %u, the first is %u: %g", bad, n, where,
                  (double)seen[where][0]);
    snprintf(body, sizeof body, "a[i] = vec4(texelFetch(tex, %s));", s->fetch);
    p = program(s, f, "", body);
    dispatch(s);
    glDeleteProgram(p);
    read_floats(0, seen, n);
    for (unsigned i = bad = 0; i < n; i++)
        if (seen[i][0] != 1 && !bad++)
            where = i;
    sweep_verdict(sweep_name("image.outside_store.%s.%s", s->name, f->layout),
                  !bad, "%u of %u, the first is %u: %g", bad, n, where,
                  (double)seen[where][0]);
    free_texture(t, view);
}

/* ---- atomics ---- */

static const struct operation {
    const char *name;
    bool float_too;
} operations[] = {{"Add", false},     {"Min", false},     {"Max", false},
                  {"And", false},     {"Or", false},      {"Xor", false},
                  {"Exchange", true}, {"CompSwap", false}};

static uint32_t
applied(const char *name, bool is_signed, uint32_t old, uint32_t v)
{
    bool less = is_signed ? (int32_t)v < (int32_t)old : v < old;
    switch (name[0]) {
    case 'A': return name[1] == 'd' ? old + v : old & v;
    case 'M': return name[1] == 'i' ? (less ? v : old) : (less ? old : v);
    case 'O': return old | v;
    case 'X': return old ^ v;
    case 'E': return v;
    default: return old % 2 ? old : v; /* swaps if even */
    }
}

/* Each invocation has a texel of its own, so that order does not matter. */
static void
run_atomic(const struct shape *s, const struct format *f,
           const struct operation *op)
{
    static uint32_t words[MAX_TEXELS][4], seen[MAX_TEXELS][4],
        after[MAX_TEXELS][4];
    char body[768];
    const char *type = f->kind == 'i'   ? "int"
                       : f->kind == 'u' ? "uint"
                                        : "float";
    const char *cast = f->kind == 'i'   ? "floatBitsToInt"
                       : f->kind == 'u' ? "floatBitsToUint"
                                        : "";
    const char *back = f->kind == 'i'   ? "intBitsToFloat"
                       : f->kind == 'u' ? "uintBitsToFloat"
                                        : "";
    bool swap = !strcmp(op->name, "CompSwap");
    unsigned n = texels_of(s), bad = 0, where = 0;
    GLuint view, t = make_texture(s, f->internal, &view);
    glBindImageTexture(0, t, 0, GL_TRUE, 0, GL_READ_WRITE, f->internal);
    glBindTextureUnit(0, view);
    for (unsigned i = 0; i < n; i++)
        for (unsigned c = 0; c < 4; c++) {
            float v = sweep_uniform(-9, 9);
            words[i][c] = sweep_random(1 << 24) << 8 | sweep_random(256);
            /* Clears bits that a move of floats may change. */
            words[i][c] &= 0xbfffffff;
            if (f->kind == 'f')
                memcpy(&words[i][c], &v, 4);
        }
    write_floats(0, (float(*)[4])words, n);
    snprintf(body, sizeof body,
             "%s x = %s(a[i].x), y = %s(a[i].y);"
             "imageStore(img, %s, %svec4(x)); memoryBarrierImage();"
             "%s o = imageAtomic%s(img, %s, %sy);"
             "b[i] = vec4(%s(o), 0, 0, 0);",
             type, cast, cast, s->coord, prefix_of(f), type, op->name, s->coord,
             swap ? "x % 2 == 0 ? x : x + 1, " : "", back);
    GLuint p = program(s, f, "", body);
    dispatch(s);
    glDeleteProgram(p);
    read_floats(1, (float(*)[4])seen, n);
    snprintf(body, sizeof body, "b[i].x = %s(texelFetch(tex, %s).x);", back,
             s->fetch);
    p = program(s, f, "", body);
    dispatch(s);
    glDeleteProgram(p);
    read_floats(1, (float(*)[4])after, n);
    for (unsigned i = 0; i < n; i++)
        if ((seen[i][0] != words[i][0] ||
             after[i][0] !=
                 applied(op->name, f->kind == 'i', words[i][0], words[i][1])) &&
            !bad++)
            where = i;
    sweep_verdict(
        sweep_name("image.atomic%s.%s.%s", op->name, s->name, f->layout), !bad,
        "%u of %u, the first is %u: %x and %x: was %x, is %x", bad, n, where,
        words[where][0], words[where][1], seen[where][0], after[where][0]);
    free_texture(t, view);
}

/* Whether buffer textures support the format. */
static bool
possible(const struct shape *s, const struct format *f)
{
    return s->target != GL_TEXTURE_BUFFER ||
           (f->kind != 's' && f->bits[0] != 10 && f->bits[0] != 11);
}

static void
run_shape(const struct shape *s)
{
    for (unsigned f = 0; f < COUNT(formats); f++) {
        if (!sweep_large && s->target != GL_TEXTURE_2D && f % 3)
            continue;
        if (!possible(s, &formats[f]))
            continue;
        run_store(s, &formats[f]);
        if (sweep_large || f % 2 == 0)
            run_outside(s, &formats[f]);
    }
    for (unsigned f = 0; f < COUNT(formats); f++)
        for (unsigned op = 0; op < COUNT(operations); op++)
            if (formats[f].bits[0] == 32 && !formats[f].bits[1] &&
                (formats[f].kind != 'f' || operations[op].float_too))
                run_atomic(s, &formats[f], &operations[op]);
}

void
sweep_image(void)
{
    for (GLuint i = 0; i < 2; i++)
        sweep_buffer(GL_SHADER_STORAGE_BUFFER, i, NULL, MAX_TEXELS * 16);
    for (unsigned i = 0; i < COUNT(shapes); i++)
        if (sweep_begin(sweep_name("image.%s", shapes[i].name)))
            run_shape(&shapes[i]);
}
