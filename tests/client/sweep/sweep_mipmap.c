/* sweep_mipmap.c: glGenerateMipmap: makes each level from the one above it. The
 * texels that a texel's area covers limit its value, with weights of eight bits
 * and the format's rounding. The driver draws each level with a linear filter,
 * so that two texels of three count if sizes are odd. */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>

#define MAX_TEXELS (64 * 64 * 18)

static const struct format {
    const char *name;
    GLenum internal;
    unsigned channels;
    double low, high;
    double step[4]; /* between values, of each channel; of floats: relative */
    bool srgb, is_float;
} formats[] = {
#define STEPS(r, g, b, a) \
    {                     \
        r, g, b, a        \
    }
#define UNORM(name, n, bits)                                                   \
    {                                                                          \
#name, GL_##name, n, 0, 1,                                             \
            STEPS(                                                             \
                1 / (double)((1 << bits) - 1), 1 / (double)((1 << bits) - 1),  \
                1 / (double)((1 << bits) - 1), 1 / (double)((1 << bits) - 1)), \
            false, false                                                       \
    }
#define SNORM(name, n, bits)                            \
    {                                                   \
#name, GL_##name, n, -1, 1,                     \
            STEPS(1 / (double)((1 << (bits - 1)) - 1),  \
                  1 / (double)((1 << (bits - 1)) - 1),  \
                  1 / (double)((1 << (bits - 1)) - 1),  \
                  1 / (double)((1 << (bits - 1)) - 1)), \
            false, false                                \
    }
#define FLOATS(name, n, low, relative)                                 \
    {                                                                  \
#name, GL_##name, n, low, 4,                                   \
            STEPS(relative, relative, relative, relative), false, true \
    }
    UNORM(R8, 1, 8),
    UNORM(RG8, 2, 8),
    UNORM(RGB8, 3, 8),
    UNORM(RGBA8, 4, 8),
    UNORM(R16, 1, 16),
    UNORM(RG16, 2, 16),
    UNORM(RGBA16, 4, 16),
    UNORM(RGBA4, 4, 4),
    SNORM(R8_SNORM, 1, 8),
    SNORM(RG8_SNORM, 2, 8),
    SNORM(RGBA8_SNORM, 4, 8),
    SNORM(R16_SNORM, 1, 16),
    SNORM(RGBA16_SNORM, 4, 16),
    FLOATS(R16F, 1, -4, 0x1p-10),
    FLOATS(RG16F, 2, -4, 0x1p-10),
    FLOATS(RGBA16F, 4, -4, 0x1p-10),
    FLOATS(R32F, 1, -4, 0x1p-22),
    FLOATS(RG32F, 2, -4, 0x1p-22),
    FLOATS(RGBA32F, 4, -4, 0x1p-22),
    {"R11F_G11F_B10F", GL_R11F_G11F_B10F, 3, 0, 4,
     STEPS(0x1p-6, 0x1p-6, 0x1p-5, 0), false, true},
    {"RGB565", GL_RGB565, 3, 0, 1, STEPS(1 / 31.0, 1 / 63.0, 1 / 31.0, 0),
     false, false},
    {"RGB5_A1", GL_RGB5_A1, 4, 0, 1, STEPS(1 / 31.0, 1 / 31.0, 1 / 31.0, 1),
     false, false},
    {"RGB10_A2", GL_RGB10_A2, 4, 0, 1,
     STEPS(1 / 1023.0, 1 / 1023.0, 1 / 1023.0, 1 / 3.0), false, false},
    {"SRGB8_ALPHA8", GL_SRGB8_ALPHA8, 4, 0, 1,
     STEPS(1 / 255.0, 1 / 255.0, 1 / 255.0, 1 / 255.0), true, false},
    {"SRGB8", GL_SRGB8, 3, 0, 1, STEPS(1 / 255.0, 1 / 255.0, 1 / 255.0, 0),
     true, false},
};

static const struct shape {
    const char *name;
    GLenum target;
    int w, h, d;
} shapes[] = {
    {"2d", GL_TEXTURE_2D, 32, 16, 1},
    {"2d_npot", GL_TEXTURE_2D, 37, 21, 1},
    {"2d_thin", GL_TEXTURE_2D, 61, 1, 1},
    {"1d", GL_TEXTURE_1D, 45, 1, 1},
    {"1d_array", GL_TEXTURE_1D_ARRAY, 29, 5, 1},
    {"2d_array", GL_TEXTURE_2D_ARRAY, 19, 30, 5},
    {"3d", GL_TEXTURE_3D, 16, 8, 8},
    {"3d_npot", GL_TEXTURE_3D, 11, 7, 5},
    {"cube", GL_TEXTURE_CUBE_MAP, 23, 23, 6},
    {"cube_array", GL_TEXTURE_CUBE_MAP_ARRAY, 16, 16, 12},
};

struct level {
    int size[3]; /* layers are not reduced */
    float (*texel)[4];
};

static unsigned
filtered_axes(GLenum target)
{
    return target == GL_TEXTURE_1D || target == GL_TEXTURE_1D_ARRAY ? 1
           : target == GL_TEXTURE_3D                                ? 3
                                                                    : 2;
}

/* ---- contents of a texture ---- */

static GLuint
make_texture(const struct shape *s, const struct format *f, int *levels)
{
    static float v[MAX_TEXELS][4];
    GLuint t;
    unsigned axes = filtered_axes(s->target);
    int largest = s->w;
    if (axes > 1 && s->h > largest)
        largest = s->h;
    if (axes > 2 && s->d > largest)
        largest = s->d;
    *levels = 1;
    while (largest >> *levels)
        (*levels)++;
    glCreateTextures(s->target, 1, &t);
    for (int i = 0; i < s->w * s->h * s->d; i++)
        for (unsigned c = 0; c < 4; c++)
            v[i][c] = sweep_uniform((float)f->low, (float)f->high);
    if (s->target == GL_TEXTURE_1D) {
        glTextureStorage1D(t, *levels, f->internal, s->w);
        glTextureSubImage1D(t, 0, 0, s->w, GL_RGBA, GL_FLOAT, v);
    } else if (s->d == 1 || s->target == GL_TEXTURE_CUBE_MAP) {
        glTextureStorage2D(t, *levels, f->internal, s->w, s->h);
        if (s->d == 1)
            glTextureSubImage2D(t, 0, 0, 0, s->w, s->h, GL_RGBA, GL_FLOAT, v);
    } else {
        glTextureStorage3D(t, *levels, f->internal, s->w, s->h, s->d);
    }
    if (s->d > 1)
        glTextureSubImage3D(t, 0, 0, 0, 0, s->w, s->h, s->d, GL_RGBA, GL_FLOAT,
                            v);
    return t;
}

static void
read_level(GLuint t, const struct shape *s, int index, struct level *l)
{
    unsigned axes = filtered_axes(s->target);
    const int size[3] = {s->w, s->h, s->d};
    for (unsigned a = 0; a < 3; a++) {
        l->size[a] = a < axes ? size[a] >> index : size[a];
        l->size[a] = l->size[a] ? l->size[a] : 1;
    }
    glGetTextureImage(t, index, GL_RGBA, GL_FLOAT,
                      (GLsizei)(MAX_TEXELS * sizeof *l->texel), l->texel);
}

/* ---- allowed contents ---- */

struct tap {
    int texel[2];
    double weight;
};

/* Place in `from` that a linear filter at the centre of texel i of `to` reads.
 */
static struct tap
find_tap(int i, int to, int from)
{
    if (to == from)
        return (struct tap){.texel = {i, i}};
    double at = (i + 0.5) * from / to - 0.5;
    int first = (int)floor(at);
    struct tap t = {.texel = {first < 0 ? 0 : first,
                              first + 1 >= from ? from - 1 : first + 1},
                    .weight = at - floor(at)};
    return t;
}

static void
expect_texel(const struct format *f, const struct level *from,
             const struct tap tap[3], unsigned c, double *want, double *spread)
{
    double low = INFINITY, high = -INFINITY, sum = 0;
    bool curve = f->srgb && c < 3;
    for (unsigned corner = 0; corner < 8; corner++) {
        double weight = 1;
        int at[3];
        for (unsigned a = 0; a < 3; a++) {
            unsigned upper = corner >> a & 1;
            weight *= upper ? tap[a].weight : 1 - tap[a].weight;
            at[a] = tap[a].texel[upper];
        }
        double v = (double)from
                       ->texel[(at[2] * from->size[1] + at[1]) * from->size[0] +
                               at[0]][c];
        v = curve ? sweep_from_srgb(v) : v;
        sum += weight * v;
        low = fmin(low, v);
        high = fmax(high, v);
    }
    *spread = high - low;
    *want = curve ? sweep_to_srgb(sum) : sum;
    /* For linear values; the curve is steepest at zero. */
    if (curve)
        *spread *= fmin(12.92, *want > 0 ? 1.2 / *want : 12.92);
}

static double
tolerance(const struct format *f, unsigned c, double want, double spread)
{
    double step = f->is_float ? f->step[c] * fmax(fabs(want), 0x1p-14)
                              : f->step[c];
    /* Three weights, each off by half a 256th. */
    return step * 0.51 + spread * 1.5 / 256 + 1e-6;
}

/* Slices of a 3D texture may come from the nearest slice or from two. */
static bool
fits(const struct format *f, const struct level *from, struct tap tap[3],
     bool volume, const float seen[4], double want[4])
{
    for (unsigned c = 0; c < f->channels; c++) {
        double spread;
        bool ok = false;
        const double z = tap[2].weight;
        for (unsigned way = 0; way < (volume ? 3 : 1) && !ok; way++) {
            tap[2].weight = way == 0 ? z : way == 1 ? 0 : 1;
            expect_texel(f, from, tap, c, &want[c], &spread);
            ok = fabs((double)seen[c] - want[c]) <=
                 tolerance(f, c, want[c], spread);
        }
        tap[2].weight = z;
        if (!ok)
            return false;
    }
    for (unsigned c = f->channels; c < 4; c++)
        if (seen[c] != (c == 3 ? 1.0f : 0.0f))
            return false;
    return true;
}

static void
check_level(const char *name, const struct format *f, const struct level *from,
            const struct level *to, bool volume)
{
    unsigned bad = 0;
    int at[3] = {0, 0, 0}, first[3] = {0, 0, 0};
    double want[4] = {0}, first_want[4] = {0};
    float first_seen[4] = {0};
    const float(*seen)[4] = (const float(*)[4])to->texel;
    for (at[2] = 0; at[2] < to->size[2]; at[2]++)
        for (at[1] = 0; at[1] < to->size[1]; at[1]++)
            for (at[0] = 0; at[0] < to->size[0]; at[0]++, seen++) {
                struct tap tap[3];
                for (unsigned a = 0; a < 3; a++)
                    tap[a] = find_tap(at[a], to->size[a], from->size[a]);
                if (fits(f, from, tap, volume, *seen, want) || bad++)
                    continue;
                for (unsigned c = 0; c < 4; c++) {
                    first_want[c] = want[c];
                    first_seen[c] = (*seen)[c];
                }
                for (unsigned a = 0; a < 3; a++)
                    first[a] = at[a];
            }
    sweep_verdict(name, !bad, "%u, (%d %d %d): %g %g %g %g, not %g %g %g %g",
                  bad, first[0], first[1], first[2], (double)first_seen[0],
                  (double)first_seen[1], (double)first_seen[2],
                  (double)first_seen[3], first_want[0], first_want[1],
                  first_want[2], first_want[3]);
}

static void
run_texture(const struct shape *s, const struct format *f)
{
    static float a[MAX_TEXELS][4], b[MAX_TEXELS][4];
    if (!sweep_begin(sweep_name("mipmap.%s.%s", s->name, f->name)))
        return;
    int levels;
    GLuint t = make_texture(s, f, &levels);
    glGenerateTextureMipmap(t);
    struct level from = {.texel = a}, to = {.texel = b};
    read_level(t, s, 0, &from);
    for (int i = 1; i < levels; i++) {
        read_level(t, s, i, &to);
        check_level(sweep_name("mipmap.%s.%s.level%d", s->name, f->name, i), f,
                    &from, &to, s->target == GL_TEXTURE_3D);
        struct level swap = from;
        from = to;
        to = swap;
    }
    glDeleteTextures(1, &t);
}

void
sweep_mipmap(void)
{
    for (unsigned s = 0; s < COUNT(shapes); s++)
        for (unsigned f = 0; f < COUNT(formats); f++)
            if (sweep_large || s == 1 || (s + f) % 5 == 0)
                run_texture(&shapes[s], &formats[f]);
}
