/* sweep_target.c: render targets of every format: clears of parts, masks,
 * constants, blending with every equation and factor, multisampling, blits
 * between formats. The program reads a target before an operation, and computes
 * the expected contents from that. */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE_PX 20
#define AREA_PX (SIDE_PX * SIDE_PX)

/* Kinds: unorm, snorm, float, int, uint. A channel without bits is absent. */
struct format {
    const char *name;
    GLenum internal;
    char kind;
    unsigned bits[4];
    bool srgb;
};

#define F(n, kind, ...)                         \
    {                                           \
#n, GL_##n, kind, {__VA_ARGS__ }, false \
    }
static const struct format formats[] = {
    F(R8, 'n', 8),
    F(RG8, 'n', 8, 8),
    F(RGB8, 'n', 8, 8, 8),
    F(RGBA8, 'n', 8, 8, 8, 8),
    F(RGB565, 'n', 5, 6, 5),
    F(RGBA4, 'n', 4, 4, 4, 4),
    F(RGB5_A1, 'n', 5, 5, 5, 1),
    F(RGB10_A2, 'n', 10, 10, 10, 2),
    {"SRGB8_ALPHA8", GL_SRGB8_ALPHA8, 'n', {8, 8, 8, 8}, true},
    F(R16, 'n', 16),
    F(RG16, 'n', 16, 16),
    F(RGBA16, 'n', 16, 16, 16, 16),
    F(R8_SNORM, 's', 8),
    F(RG8_SNORM, 's', 8, 8),
    F(RGBA8_SNORM, 's', 8, 8, 8, 8),
    F(R16_SNORM, 's', 16),
    F(RGBA16_SNORM, 's', 16, 16, 16, 16),
    F(R16F, 'f', 16),
    F(RG16F, 'f', 16, 16),
    F(RGBA16F, 'f', 16, 16, 16, 16),
    F(R32F, 'f', 32),
    F(RG32F, 'f', 32, 32),
    F(RGBA32F, 'f', 32, 32, 32, 32),
    F(R11F_G11F_B10F, 'f', 11, 11, 10),
    F(R8I, 'i', 8),
    F(RG8I, 'i', 8, 8),
    F(RGBA8I, 'i', 8, 8, 8, 8),
    F(R16I, 'i', 16),
    F(RG16I, 'i', 16, 16),
    F(RGBA16I, 'i', 16, 16, 16, 16),
    F(R32I, 'i', 32),
    F(RG32I, 'i', 32, 32),
    F(RGBA32I, 'i', 32, 32, 32, 32),
    F(R8UI, 'u', 8),
    F(RG8UI, 'u', 8, 8),
    F(RGBA8UI, 'u', 8, 8, 8, 8),
    F(R16UI, 'u', 16),
    F(RG16UI, 'u', 16, 16),
    F(RGBA16UI, 'u', 16, 16, 16, 16),
    F(R32UI, 'u', 32),
    F(RG32UI, 'u', 32, 32),
    F(RGBA32UI, 'u', 32, 32, 32, 32),
    F(RGB10_A2UI, 'u', 10, 10, 10, 2),
};

typedef double pixels[AREA_PX][4];

struct box {
    int x0, y0, x1, y1;
};

static bool
is_integer(const struct format *f)
{
    return f->kind == 'i' || f->kind == 'u';
}

/* ---- values ---- */

/* The value that the format stores. */
static double
clamped(const struct format *f, unsigned c, double v)
{
    double most = (double)((UINT64_C(1) << (f->bits[c] - (f->kind == 'i'))) -
                           1);
    if (!f->bits[c])
        return c == 3;
    switch (f->kind) {
    case 'n': return fmin(fmax(v, 0), 1);
    case 's': return fmin(fmax(v, -1), 1);
    case 'i': return fmin(fmax(v, -most - 1), most);
    case 'u': return fmin(fmax(v, 0), most);
    default: return f->bits[c] < 16 ? fmax(v, 0) : v;
    }
}

static double
tolerance(const struct format *f, unsigned c, double v)
{
    unsigned bits = f->bits[c];
    switch (f->kind) {
    case 'n':
        /* The slope of sRGB is 2.4 / 1.055 at the end. */
        return (f->srgb && c < 3 ? 2.4 : 1.01) / (double)((1ull << bits) - 1);
    case 's': return 1.01 / (double)((1ull << (bits - 1)) - 1);
    case 'f':
        return 1e-5 + fabs(v) * (bits == 32   ? 1e-5
                                 : bits == 16 ? 0x1p-10
                                 : bits == 11 ? 0x1p-6
                                              : 0x1p-5);
    default: return 0;
    }
}

static void
random_color(const struct format *f, float v[4])
{
    for (unsigned c = 0; c < 4; c++)
        switch (f->kind) {
        case 'n': v[c] = sweep_uniform(-0.2f, 1.2f); break;
        case 's': v[c] = sweep_uniform(-1.2f, 1.2f); break;
        case 'f': v[c] = sweep_uniform(-2, 8); break;
        case 'i': v[c] = floorf(sweep_uniform(-100, 100)); break;
        default:
            v[c] = floorf(sweep_uniform(0, f->bits[c] < 8 ? 3 : 200));
            break;
        }
}

static void
read_pixels(const struct format *f, pixels out)
{
    static union {
        float f[4];
        int32_t i[4];
        uint32_t u[4];
    } raw[AREA_PX];
    GLenum type = f->kind == 'i'   ? GL_INT
                  : f->kind == 'u' ? GL_UNSIGNED_INT
                                   : GL_FLOAT;
    glReadPixels(0, 0, SIDE_PX, SIDE_PX,
                 is_integer(f) ? GL_RGBA_INTEGER : GL_RGBA, type, raw);
    for (unsigned i = 0; i < AREA_PX; i++)
        for (unsigned c = 0; c < 4; c++) {
            double v = f->kind == 'i'   ? raw[i].i[c]
                       : f->kind == 'u' ? raw[i].u[c]
                                        : (double)raw[i].f[c];
            out[i][c] = v;
        }
}

static void
judge(const char *name, const struct format *f, pixels seen, pixels want)
{
    unsigned bad = 0, where = 0;
    for (unsigned i = 0; i < AREA_PX; i++)
        for (unsigned c = 0; c < 4; c++) {
            double w = clamped(f, c, want[i][c]);
            double off = fabs(seen[i][c] - w);
            if (!(off <= (f->bits[c] ? tolerance(f, c, w) : 0)) && !bad++)
                where = i;
        }
    const double *s = seen[where], *w = want[where];
    sweep_verdict(name, !bad,
                  "%u values; at %u %u %g %g %g %g, not %g %g %g %g", bad,
                  where % SIDE_PX, where / SIDE_PX, s[0], s[1], s[2], s[3],
                  w[0], w[1], w[2], w[3]);
}

/* ---- drawing ---- */

static struct box
random_box(void)
{
    struct box b = {(int)sweep_random(SIDE_PX), (int)sweep_random(SIDE_PX), 0,
                    0};
    b.x1 = b.x0 + 1 + (int)sweep_random((uint32_t)(SIDE_PX - b.x0));
    b.y1 = b.y0 + 1 + (int)sweep_random((uint32_t)(SIDE_PX - b.y0));
    return b;
}

static void
scissor(struct box b)
{
    glScissor(b.x0, b.y0, b.x1 - b.x0, b.y1 - b.y0);
    glEnable(GL_SCISSOR_TEST);
}

static bool
contains(struct box b, unsigned i)
{
    int x = (int)(i % SIDE_PX), y = (int)(i / SIDE_PX);
    return x >= b.x0 && x < b.x1 && y >= b.y0 && y < b.y1;
}

static void
clear_color(const struct format *f, const float v[4])
{
    GLint i[4];
    GLuint u[4];
    for (unsigned c = 0; c < 4; c++) {
        i[c] = (GLint)v[c];
        u[c] = (GLuint)v[c];
    }
    if (f->kind == 'i')
        glClearBufferiv(GL_COLOR, 0, i);
    else if (f->kind == 'u')
        glClearBufferuiv(GL_COLOR, 0, u);
    else
        glClearBufferfv(GL_COLOR, 0, v);
}

static GLuint programs[3]; /* float, int, uint */
static GLuint dual_program;

static GLuint
use_program(const struct format *f)
{
    GLuint p = programs[f->kind == 'i' ? 1 : f->kind == 'u' ? 2 : 0];
    glUseProgram(p);
    return p;
}

static void
draw_color(const struct format *f, const float v[4])
{
    GLuint p = use_program(f);
    glProgramUniform4fv(p, glGetUniformLocation(p, "k"), 1, v);
    sweep_draw();
}

static void
make_programs(void)
{
    static const char *const prefix[] = {"", "i", "u"};
    for (unsigned i = 0; i < 3; i++)
        programs[i] = sweep_fullscreen(
            sweep_name(GLSL "uniform vec4 k; out %svec4 o;"
                            "void main(){ o = %svec4(k); }",
                       prefix[i], prefix[i]));
    dual_program = sweep_fullscreen(
        GLSL "uniform vec4 k, k1; layout(location = 0, index = 0) out vec4 o;"
             "layout(location = 0, index = 1) out vec4 o1;"
             "void main(){ o = k; o1 = k1; }");
}

/* Fills with pixels that all differ. */
static void
fill(const struct format *f)
{
    glDisable(GL_SCISSOR_TEST);
    for (unsigned i = 0; i < 12; i++) {
        float v[4];
        random_color(f, v);
        if (i)
            scissor(random_box());
        clear_color(f, v);
    }
    glDisable(GL_SCISSOR_TEST);
}

/* ---- cases ---- */

static void
run_clear(const char *name, const struct format *f, bool draws)
{
    static pixels before, after;
    float v[4];
    bool mask[4];
    struct box b = random_box();
    fill(f);
    read_pixels(f, before);
    random_color(f, v);
    for (unsigned c = 0; c < 4; c++)
        mask[c] = sweep_random(3);
    scissor(b);
    glColorMask(mask[0], mask[1], mask[2], mask[3]);
    if (draws)
        draw_color(f, v);
    else
        clear_color(f, v);
    glColorMask(1, 1, 1, 1);
    glDisable(GL_SCISSOR_TEST);
    read_pixels(f, after);
    for (unsigned i = 0; i < AREA_PX; i++)
        for (unsigned c = 0; c < 4; c++)
            if (contains(b, i) && mask[c])
                before[i][c] = f->srgb && c < 3
                                   ? sweep_to_srgb(clamped(f, c, (double)v[c]))
                                   : (double)v[c];
    judge(name, f, after, before);
}

static const GLenum factors[] = {
    GL_ZERO,
    GL_ONE,
    GL_SRC_COLOR,
    GL_ONE_MINUS_SRC_COLOR,
    GL_DST_COLOR,
    GL_ONE_MINUS_DST_COLOR,
    GL_SRC_ALPHA,
    GL_ONE_MINUS_SRC_ALPHA,
    GL_DST_ALPHA,
    GL_ONE_MINUS_DST_ALPHA,
    GL_CONSTANT_COLOR,
    GL_ONE_MINUS_CONSTANT_COLOR,
    GL_CONSTANT_ALPHA,
    GL_ONE_MINUS_CONSTANT_ALPHA,
    GL_SRC_ALPHA_SATURATE,
    GL_SRC1_COLOR,
    GL_ONE_MINUS_SRC1_COLOR,
    GL_SRC1_ALPHA,
    GL_ONE_MINUS_SRC1_ALPHA,
};

struct blend {
    GLenum equation[2], source[2], dest[2]; /* colour, alpha */
    float constant[4], src[4], src1[4];
};

static double
factor(GLenum which, const double s[4], const double d[4], const double k[4],
       const double s1[4], unsigned c)
{
    switch (which) {
    case GL_ZERO: return 0;
    case GL_ONE: return 1;
    case GL_SRC_COLOR: return s[c];
    case GL_ONE_MINUS_SRC_COLOR: return 1 - s[c];
    case GL_DST_COLOR: return d[c];
    case GL_ONE_MINUS_DST_COLOR: return 1 - d[c];
    case GL_SRC_ALPHA: return s[3];
    case GL_ONE_MINUS_SRC_ALPHA: return 1 - s[3];
    case GL_DST_ALPHA: return d[3];
    case GL_ONE_MINUS_DST_ALPHA: return 1 - d[3];
    case GL_CONSTANT_COLOR: return k[c];
    case GL_ONE_MINUS_CONSTANT_COLOR: return 1 - k[c];
    case GL_CONSTANT_ALPHA: return k[3];
    case GL_ONE_MINUS_CONSTANT_ALPHA: return 1 - k[3];
    case GL_SRC_ALPHA_SATURATE: return c == 3 ? 1 : fmin(s[3], 1 - d[3]);
    case GL_SRC1_COLOR: return s1[c];
    case GL_ONE_MINUS_SRC1_COLOR: return 1 - s1[c];
    case GL_SRC1_ALPHA: return s1[3];
    default: return 1 - s1[3];
    }
}

static double
blended(const struct format *f, const struct blend *b, const double d[4],
        unsigned c)
{
    unsigned part = c == 3;
    double s[4], k[4], s1[4];
    for (unsigned i = 0; i < 4; i++) {
        bool fixed = f->kind != 'f';
        double low = f->kind == 's' ? -1 : 0;
        s[i] = (double)b->src[i];
        k[i] = (double)b->constant[i];
        s1[i] = (double)b->src1[i];
        if (!fixed)
            continue;
        s[i] = fmin(fmax(s[i], low), 1);
        k[i] = fmin(fmax(k[i], low), 1);
        s1[i] = fmin(fmax(s1[i], low), 1);
    }
    double fs = factor(b->source[part], s, d, k, s1, c);
    double fd = factor(b->dest[part], s, d, k, s1, c);
    switch (b->equation[part]) {
    case GL_FUNC_ADD: return s[c] * fs + d[c] * fd;
    case GL_FUNC_SUBTRACT: return s[c] * fs - d[c] * fd;
    case GL_FUNC_REVERSE_SUBTRACT: return d[c] * fd - s[c] * fs;
    case GL_MIN: return fmin(s[c], d[c]);
    default: return fmax(s[c], d[c]);
    }
}

static void
run_blend(const char *name, const struct format *f)
{
    static const GLenum equations[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT,
                                       GL_FUNC_REVERSE_SUBTRACT, GL_MIN,
                                       GL_MAX};
    static pixels before, after;
    struct blend b;
    bool dual = sweep_random(3) == 0;
    unsigned choice = COUNT(factors) - (dual ? 0 : 4);
    for (unsigned i = 0; i < 2; i++) {
        b.equation[i] = equations[sweep_random(COUNT(equations))];
        b.source[i] = factors[sweep_random(choice)];
        b.dest[i] = factors[sweep_random(choice)];
    }
    random_color(f, b.src);
    random_color(f, b.src1);
    random_color(f, b.constant);
    /* Observed: drivers take SRC_ALPHA_SATURATE for zero if the target has no
     * alpha. */
    b.src[3] = fabsf(b.src[3]);
    if (f->kind == 'f')
        for (unsigned c = 0; c < 4; c++)
            b.constant[c] = sweep_uniform(0, 1);
    fill(f);
    read_pixels(f, before);
    glBlendEquationSeparate(b.equation[0], b.equation[1]);
    glBlendFuncSeparate(b.source[0], b.dest[0], b.source[1], b.dest[1]);
    glBlendColor(b.constant[0], b.constant[1], b.constant[2], b.constant[3]);
    glEnable(GL_BLEND);
    if (dual) {
        GLuint p = dual_program;
        glUseProgram(p);
        glProgramUniform4fv(p, glGetUniformLocation(p, "k"), 1, b.src);
        glProgramUniform4fv(p, glGetUniformLocation(p, "k1"), 1, b.src1);
        sweep_draw();
    } else {
        draw_color(f, b.src);
    }
    glDisable(GL_BLEND);
    read_pixels(f, after);
    for (unsigned i = 0; i < AREA_PX; i++) {
        double d[4], out[4];
        for (unsigned c = 0; c < 4; c++) {
            d[c] = before[i][c];
            if (f->srgb && c < 3)
                d[c] = sweep_from_srgb(d[c]);
        }
        for (unsigned c = 0; c < 4; c++) {
            out[c] = blended(f, &b, d, c);
            if (f->srgb && c < 3)
                out[c] = sweep_to_srgb(clamped(f, c, out[c]));
        }
        memcpy(before[i], out, sizeof out);
    }
    judge(sweep_name("%s.eq%x_%x.%x_%x.%x_%x", name, b.equation[0],
                     b.equation[1], b.source[0], b.dest[0], b.source[1],
                     b.dest[1]),
          f, after, before);
}

/* Blits this target, flipped and moved, to another of its kind. */
static void
run_blit(const char *name, const struct format *f, const struct format *to,
         GLuint from_fbo)
{
    static pixels source, before, after;
    GLint w = 1 + (GLint)sweep_random(SIDE_PX),
          h = 1 + (GLint)sweep_random(SIDE_PX);
    GLint sx = (GLint)sweep_random((uint32_t)(SIDE_PX - w + 1));
    GLint sy = (GLint)sweep_random((uint32_t)(SIDE_PX - h + 1));
    GLint dx = (GLint)sweep_random((uint32_t)(SIDE_PX - w + 1));
    GLint dy = (GLint)sweep_random((uint32_t)(SIDE_PX - h + 1));
    bool flip_x = sweep_random(2), flip_y = sweep_random(2);
    fill(f);
    read_pixels(f, source);
    GLuint target = sweep_target(to->internal, SIDE_PX, SIDE_PX);
    fill(to);
    read_pixels(to, before);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from_fbo);
    glBlitFramebuffer(sx, sy, sx + w, sy + h, flip_x ? dx + w : dx,
                      flip_y ? dy + h : dy, flip_x ? dx : dx + w,
                      flip_y ? dy : dy + h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    GLint fbo;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)fbo);
    read_pixels(to, after);
    for (GLint y = 0; y < h; y++)
        for (GLint x = 0; x < w; x++) {
            GLint px = flip_x ? w - 1 - x : x, py = flip_y ? h - 1 - y : y;
            const double *s = source[(sy + py) * SIDE_PX + sx + px];
            double *d = before[(dy + y) * SIDE_PX + dx + x];
            for (unsigned c = 0; c < 4; c++) {
                double v = s[c];
                if (f->srgb && c < 3)
                    v = sweep_from_srgb(v);
                if (to->srgb && c < 3)
                    v = sweep_to_srgb(clamped(to, c, v));
                d[c] = v;
            }
        }
    judge(name, to, after, before);
    sweep_free_target(target);
    glBindFramebuffer(GL_FRAMEBUFFER, from_fbo);
}

static GLuint
multisampled(const struct format *f, int samples, GLuint *texture)
{
    GLuint fbo;
    glCreateTextures(GL_TEXTURE_2D_MULTISAMPLE, 1, texture);
    glTextureStorage2DMultisample(*texture, samples, f->internal, SIDE_PX,
                                  SIDE_PX, GL_TRUE);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, *texture, 0);
    return fbo;
}

/* Masks write constants to samples; the resolve is their mean. */
static void
run_resolve(const char *name, const struct format *f, GLuint plain, int samples)
{
    static double sample[16][AREA_PX][4];
    static pixels want, after;
    GLuint texture, fbo = multisampled(f, samples, &texture);
    for (unsigned step = 0; step < 6; step++) {
        float v[4];
        unsigned mask = step ? sweep_random(1u << samples) : ~0u;
        struct box b = step ? random_box()
                            : (struct box){0, 0, SIDE_PX, SIDE_PX};
        random_color(f, v);
        /* Values that the format stores exactly, so that only the mean is
         * rounded. */
        for (unsigned c = 0; c < 4 && f->kind == 'f'; c++)
            v[c] = floorf(v[c] * 4) / 4;
        scissor(b);
        glEnable(GL_SAMPLE_MASK);
        glSampleMaski(0, mask);
        draw_color(f, v);
        for (int s = 0; s < samples; s++)
            for (unsigned i = 0; i < AREA_PX; i++)
                for (unsigned c = 0; c < 4; c++)
                    if (mask >> s & 1 && contains(b, i))
                        sample[s][i][c] = clamped(f, c, (double)v[c]);
    }
    glDisable(GL_SAMPLE_MASK);
    glDisable(GL_SCISSOR_TEST);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, plain);
    glBlitFramebuffer(0, 0, SIDE_PX, SIDE_PX, 0, 0, SIDE_PX, SIDE_PX,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, plain);
    read_pixels(f, after);
    for (unsigned i = 0; i < AREA_PX; i++)
        for (unsigned c = 0; c < 4; c++) {
            double sum = 0;
            for (int s = 0; s < samples; s++)
                sum += sample[s][i][c];
            want[i][c] = is_integer(f) ? sample[0][i][c] : sum / samples;
            if (f->srgb && c < 3)
                want[i][c] = sweep_to_srgb(want[i][c]);
        }
    judge(name, f, after, want);
    glDeleteFramebuffers(1, &fbo);
    glDeleteTextures(1, &texture);
}

static bool
blits(const struct format *from, const struct format *to)
{
    bool floats = !is_integer(from) && !is_integer(to);
    return floats || from->kind == to->kind;
}

static void
run_format(const struct format *f)
{
    unsigned times = sweep_large ? 20 : 2;
    GLuint target = sweep_target(f->internal, SIDE_PX, SIDE_PX);
    GLint fbo;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &fbo);
    for (unsigned i = 0; i < times; i++) {
        run_clear(sweep_name("target.clear.%s.%u", f->name, i), f, false);
        run_clear(sweep_name("target.draw.%s.%u", f->name, i), f, true);
    }
    for (unsigned i = 0; i < 3 * times && !is_integer(f); i++) {
        char name[64];
        snprintf(name, sizeof name, "target.blend.%s.%u", f->name, i);
        run_blend(name, f);
    }
    for (unsigned i = 0; i < COUNT(formats); i++)
        if (blits(f, &formats[i]) && (sweep_large || sweep_random(4) == 0))
            run_blit(sweep_name("target.blit.%s.%s", f->name, formats[i].name),
                     f, &formats[i], (GLuint)fbo);
    for (int samples = 2; samples <= sweep_most_samples(); samples *= 2)
        run_resolve(sweep_name("target.resolve.%s.%d", f->name, samples), f,
                    (GLuint)fbo, samples);
    sweep_free_target(target);
}

void
sweep_target_formats(void)
{
    make_programs();
    glEnable(GL_FRAMEBUFFER_SRGB);
    glClampColor(GL_CLAMP_READ_COLOR, GL_FALSE);
    for (unsigned i = 0; i < COUNT(formats); i++)
        if (sweep_begin(sweep_name("target.%s", formats[i].name)))
            run_format(&formats[i]);
    glDisable(GL_FRAMEBUFFER_SRGB);
}
