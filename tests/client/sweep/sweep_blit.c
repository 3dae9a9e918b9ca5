/* sweep_blit.c: blits: random rectangles, enlarged, reduced, mirrored, partly
 * outside of either framebuffer, through a scissor, with both filters, of
 * colours, depth and stencil. If a pixel's centre falls on a texel's edge,
 * either texel is correct. */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FROM_W 37
#define FROM_H 29
#define TO_W 45
#define TO_H 31
#define MAX_PX (64 * 64)
#define EDGE (1.0 / 128)

static const struct format {
    const char *name;
    GLenum internal;
    GLenum attachment, format, type;
    GLbitfield mask;
    unsigned channels;
    unsigned steps; /* of random values */
    bool linear, integer;
    float tolerance;
} formats[] = {
#define COLOR GL_COLOR_ATTACHMENT0
#define COLOR_BIT GL_COLOR_BUFFER_BIT
    {"rgba8", GL_RGBA8, COLOR, GL_RGBA, GL_FLOAT, COLOR_BIT, 4, 255, true,
     false, 0.6f / 255},
    {"rgba16f", GL_RGBA16F, COLOR, GL_RGBA, GL_FLOAT, COLOR_BIT, 4, 256, true,
     false, 1.0f / 1024},
    {"rg32f", GL_RG32F, COLOR, GL_RG, GL_FLOAT, COLOR_BIT, 2, 1000, true, false,
     1e-5f},
    {"r8", GL_R8, COLOR, GL_RED, GL_FLOAT, COLOR_BIT, 1, 255, true, false,
     0.6f / 255},
    {"rgb565", GL_RGB565, COLOR, GL_RGB, GL_FLOAT, COLOR_BIT, 3, 1, true, false,
     0.6f / 31},
    {"rgba16", GL_RGBA16, COLOR, GL_RGBA, GL_FLOAT, COLOR_BIT, 4, 65535, true,
     false, 0.6f / 65535},
    {"rgba8ui", GL_RGBA8UI, COLOR, GL_RGBA_INTEGER, GL_UNSIGNED_INT, COLOR_BIT,
     4, 255, false, true, 0},
    {"rg32i", GL_RG32I, COLOR, GL_RG_INTEGER, GL_INT, COLOR_BIT, 2, 1 << 20,
     false, true, 0},
    {"depth16", GL_DEPTH_COMPONENT16, GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT,
     GL_FLOAT, GL_DEPTH_BUFFER_BIT, 1, 255, false, false, 1e-6f},
    {"depth32f", GL_DEPTH_COMPONENT32F, GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT,
     GL_FLOAT, GL_DEPTH_BUFFER_BIT, 1, 1000, false, false, 0},
    {"stencil", GL_STENCIL_INDEX8, GL_STENCIL_ATTACHMENT, GL_STENCIL_INDEX,
     GL_UNSIGNED_BYTE, GL_STENCIL_BUFFER_BIT, 1, 255, false, true, 0},
};

/* As doubles, whatever the format is. */
static double from[MAX_PX][4], before[MAX_PX][4], after[MAX_PX][4];

static void
random_texels(const struct format *f, double to[][4], unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned c = 0; c < f->channels; c++) {
            unsigned v = sweep_random(f->steps + 1);
            to[i][c] = f->integer ? v : (double)((float)v / (float)f->steps);
        }
}

/* ---- framebuffers ---- */

static void
put(const struct format *f, GLuint texture, double v[][4], int w, int h)
{
    static float floats[MAX_PX * 4];
    static uint32_t words[MAX_PX * 4];
    static uint8_t bytes[MAX_PX];
    unsigned n = (unsigned)(w * h);
    for (unsigned i = 0; i < n * f->channels; i++) {
        double d = v[i / f->channels][i % f->channels];
        floats[i] = (float)d;
        words[i] = f->integer ? (uint32_t)d : 0;
        if (i < MAX_PX)
            bytes[i] = (uint8_t)words[i];
    }
    glTextureSubImage2D(texture, 0, 0, 0, w, h, f->format, f->type,
                        f->type == GL_FLOAT           ? (void *)floats
                        : f->type == GL_UNSIGNED_BYTE ? (void *)bytes
                                                      : (void *)words);
}

static void
get(const struct format *f, double v[][4], int w, int h)
{
    static float floats[MAX_PX * 4];
    static int32_t words[MAX_PX * 4];
    static uint8_t bytes[MAX_PX];
    unsigned n = (unsigned)(w * h);
    glReadPixels(0, 0, w, h, f->format, f->type,
                 f->type == GL_FLOAT           ? (void *)floats
                 : f->type == GL_UNSIGNED_BYTE ? (void *)bytes
                                               : (void *)words);
    for (unsigned i = 0; i < n * f->channels; i++)
        v[i / f->channels][i % f->channels] = f->type == GL_FLOAT
                                                  ? (double)floats[i]
                                              : f->type == GL_UNSIGNED_BYTE
                                                  ? bytes[i]
                                                  : words[i];
}

static GLuint
make_framebuffer(const struct format *f, int w, int h, GLuint *texture)
{
    GLuint fbo;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glCreateTextures(GL_TEXTURE_2D, 1, texture);
    glTextureStorage2D(*texture, 1, f->internal, w, h);
    glFramebufferTexture(GL_FRAMEBUFFER, f->attachment, *texture, 0);
    if (f->attachment != GL_COLOR_ATTACHMENT0) {
        glDrawBuffer(GL_NONE);
        glReadBuffer(GL_NONE);
    }
    return fbo;
}

/* ---- the reference ---- */

struct blit {
    int from[4], to[4]; /* x0, y0, x1, y1 */
    int scissor[4];     /* x, y, width, height */
    bool has_scissor, linear;
};

/* The source coordinate, along an axis, of the centre of pixel i. */
static double
source_of(const struct blit *b, unsigned axis, int i)
{
    double from0 = b->from[axis], from1 = b->from[2 + axis];
    double to0 = b->to[axis], to1 = b->to[2 + axis];
    return from0 + (i + 0.5 - to0) * (from1 - from0) / (to1 - to0);
}

static bool
is_between(int i, int a, int b)
{
    return a < b ? i >= a && i < b : i >= b && i < a;
}

static double
texel(int x, int y, unsigned c)
{
    x = x < 0 ? 0 : x >= FROM_W ? FROM_W - 1 : x;
    y = y < 0 ? 0 : y >= FROM_H ? FROM_H - 1 : y;
    return from[y * FROM_W + x][c];
}

static double
filtered(double x, double y, unsigned c, bool linear)
{
    if (!linear)
        return texel((int)floor(x), (int)floor(y), c);
    double fx = floor(x - 0.5), fy = floor(y - 0.5);
    double wx = x - 0.5 - fx, wy = y - 0.5 - fy;
    int ix = (int)fx, iy = (int)fy;
    return (1 - wy) *
               ((1 - wx) * texel(ix, iy, c) + wx * texel(ix + 1, iy, c)) +
           wy * ((1 - wx) * texel(ix, iy + 1, c) +
                 wx * texel(ix + 1, iy + 1, c));
}

/* Whether the value is between the extremes of a small box around the place.
 * The extremes are at the box's corners or at texel centres. */
static bool
is_filtered(const struct format *f, const struct blit *b, double x, double y,
            const double seen[4])
{
    double low[4], high[4];
    for (unsigned k = 0; k < 9; k++)
        for (unsigned c = 0; c < f->channels; c++) {
            double v = filtered(x + ((int)(k % 3) - 1) * EDGE,
                                y + ((int)(k / 3) - 1) * EDGE, c, b->linear);
            low[c] = k && low[c] < v ? low[c] : v;
            high[c] = k && high[c] > v ? high[c] : v;
        }
    for (unsigned c = 0; c < f->channels; c++)
        if (seen[c] < low[c] - (double)f->tolerance ||
            seen[c] > high[c] + (double)f->tolerance)
            return false;
    return true;
}

/* 1: yes, 0: on an edge, -1: no. */
static int
is_read(double v, int size)
{
    if (v > EDGE && v < size - EDGE)
        return 1;
    return v < -EDGE || v > size + EDGE ? -1 : 0;
}

static bool
is_right(const struct format *f, const struct blit *b, int x, int y)
{
    const double *old = before[y * TO_W + x], *new = after[y * TO_W + x];
    bool same = true;
    for (unsigned c = 0; c < f->channels; c++)
        same = same && fabs(new[c] - old[c]) <= (double)f->tolerance;
    const int *s = b->scissor;
    if (!is_between(x, b->to[0], b->to[2]) ||
        !is_between(y, b->to[1], b->to[3]) ||
        (b->has_scissor &&
         (x < s[0] || x >= s[0] + s[2] || y < s[1] || y >= s[1] + s[3])))
        return same;
    double sx = source_of(b, 0, x), sy = source_of(b, 1, y);
    int rx = is_read(sx, FROM_W), ry = is_read(sy, FROM_H);
    if (rx < 0 || ry < 0)
        return same;
    return is_filtered(f, b, sx, sy, new) || (same && (!rx || !ry));
}

static void
judge(const char *name, const struct format *f, const struct blit *b)
{
    unsigned bad = 0;
    int first = 0;
    for (int i = 0; i < TO_W * TO_H; i++)
        if (!is_right(f, b, i % TO_W, i / TO_W) && !bad++)
            first = i;
    const double *a = after[first], *o = before[first];
    double x = source_of(b, 0, first % TO_W), y = source_of(b, 1, first / TO_W);
    double cx = x < 0 ? 0 : x > FROM_W ? FROM_W : x;
    double cy = y < 0 ? 0 : y > FROM_H ? FROM_H : y;
    sweep_verdict(name, !bad,
                  "%u pixels, the first is (%d, %d) from (%g, %g): %g, was %g, "
                  "should be %g; (%d, %d, %d, %d) to (%d, %d, %d, %d)%s%s",
                  bad, first % TO_W, first / TO_W, x, y, a[0], o[0],
                  filtered(cx, cy, 0, b->linear), b->from[0], b->from[1],
                  b->from[2], b->from[3], b->to[0], b->to[1], b->to[2],
                  b->to[3], b->linear ? ", linear" : "",
                  b->has_scissor ? ", scissor" : "");
}

/* ---- cases ---- */

/* Mostly inside, sometimes beyond; integers of scale are frequent. */
static void
random_axis(int from_size, int to_size, int *from0, int *from1, int *to0,
            int *to1)
{
    bool beyond = sweep_random(4) == 0;
    int margin = beyond ? 9 : 0;
    do {
        *from0 = (int)sweep_random((uint32_t)from_size);
        *from1 = (int)sweep_random((uint32_t)from_size + 1);
        *to0 = (int)sweep_random((uint32_t)(to_size + 2 * margin)) - margin;
        *to1 = (int)sweep_random((uint32_t)(to_size + 2 * margin + 1)) - margin;
        int size = *from1 - *from0;
        switch (sweep_random(5)) {
        case 0: *to1 = *to0 + size; break;
        case 1: *to1 = *to0 - size; break;
        case 2: *to1 = *to0 + 2 * size; break;
        default: break;
        }
    } while (*from0 == *from1 || *to0 == *to1);
}

static void
random_blit(struct blit *b, const struct format *f)
{
    random_axis(FROM_W, TO_W, &b->from[0], &b->from[2], &b->to[0], &b->to[2]);
    random_axis(FROM_H, TO_H, &b->from[1], &b->from[3], &b->to[1], &b->to[3]);
    b->linear = f->linear && sweep_random(2);
    b->has_scissor = sweep_random(4) == 0;
    for (unsigned i = 0; i < 4; i++)
        b->scissor[i] = (int)sweep_random(i < 2 ? 20 : 30);
}

static void
run_case(const char *name, const struct format *f, const GLuint fbo[2],
         const GLuint texture[2])
{
    struct blit b;
    random_texels(f, from, FROM_W * FROM_H);
    random_texels(f, before, TO_W * TO_H);
    put(f, texture[0], from, FROM_W, FROM_H);
    put(f, texture[1], before, TO_W, TO_H);
    /* As stored in the formats. */
    glBindFramebuffer(GL_FRAMEBUFFER, fbo[0]);
    get(f, from, FROM_W, FROM_H);
    random_blit(&b, f);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, fbo[1]);
    if (b.has_scissor)
        glEnable(GL_SCISSOR_TEST);
    glScissor(b.scissor[0], b.scissor[1], b.scissor[2], b.scissor[3]);
    glBlitFramebuffer(b.from[0], b.from[1], b.from[2], b.from[3], b.to[0],
                      b.to[1], b.to[2], b.to[3], f->mask,
                      b.linear ? GL_LINEAR : GL_NEAREST);
    glDisable(GL_SCISSOR_TEST);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo[1]);
    get(f, after, TO_W, TO_H);
    judge(name, f, &b);
}

static void
run_format(const struct format *f)
{
    GLuint texture[2], fbo[2];
    fbo[0] = make_framebuffer(f, FROM_W, FROM_H, &texture[0]);
    fbo[1] = make_framebuffer(f, TO_W, TO_H, &texture[1]);
    for (unsigned n = 0; n < (sweep_large ? 400 : 30); n++) {
        char name[64];
        snprintf(name, sizeof name, "blit.%s.%u", f->name, n);
        run_case(name, f, fbo, texture);
    }
    glDeleteTextures(2, texture);
    glDeleteFramebuffers(2, fbo);
}

void
sweep_blit(void)
{
    GLint bound;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
    for (unsigned i = 0; i < COUNT(formats); i++)
        if (sweep_begin(sweep_name("blit.%s", formats[i].name)))
            run_format(&formats[i]);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
}
