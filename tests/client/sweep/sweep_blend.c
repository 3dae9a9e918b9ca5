/* sweep_blend.c: the advanced blend equations, by the formulas of
 * KHR_blend_equation_advanced in double precision, on targets with and without
 * samples, and shaders that read the framebuffer themselves. */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIDE_PX 32
#define AREA_PX (SIDE_PX * SIDE_PX)

typedef double (*channel_fn)(double s, double d);

static double
multiply(double s, double d)
{
    return s * d;
}

static double
screen(double s, double d)
{
    return s + d - s * d;
}

static double
hardlight(double s, double d)
{
    return s <= 0.5 ? 2 * s * d : 1 - 2 * (1 - s) * (1 - d);
}

static double
overlay(double s, double d)
{
    return hardlight(d, s);
}

static double
darken(double s, double d)
{
    return fmin(s, d);
}

static double
lighten(double s, double d)
{
    return fmax(s, d);
}

static double
colordodge(double s, double d)
{
    return d <= 0 ? 0 : s < 1 ? fmin(1, d / (1 - s)) : 1;
}

static double
colorburn(double s, double d)
{
    return d >= 1 ? 1 : s > 0 ? 1 - fmin(1, (1 - d) / s) : 0;
}

static double
softlight(double s, double d)
{
    if (s <= 0.5)
        return d - (1 - 2 * s) * d * (1 - d);
    double k = d <= 0.25 ? ((16 * d - 12) * d + 4) * d : sqrt(d);
    return d + (2 * s - 1) * (k - d);
}

static double
difference(double s, double d)
{
    return fabs(d - s);
}

static double
exclusion(double s, double d)
{
    return s + d - 2 * s * d;
}

/* ---- hue of one colour, saturation of another ---- */

static double
luminosity(const double c[3])
{
    return 0.30 * c[0] + 0.59 * c[1] + 0.11 * c[2];
}

static double
least(const double c[3])
{
    return fmin(fmin(c[0], c[1]), c[2]);
}

static double
most(const double c[3])
{
    return fmax(fmax(c[0], c[1]), c[2]);
}

/* With the luminosity of `lum`, and less saturation if that leaves the range.
 */
static void
set_luminosity(const double base[3], const double lum[3], double out[3])
{
    double move = luminosity(lum) - luminosity(base);
    for (unsigned c = 0; c < 3; c++)
        out[c] = base[c] + move;
    double l = luminosity(out), low = least(out), high = most(out);
    for (unsigned c = 0; c < 3; c++) {
        if (low < 0)
            out[c] = l + (out[c] - l) * l / (l - low);
        if (high > 1)
            out[c] = l + (out[c] - l) * (1 - l) / (high - l);
    }
}

static void
set_saturation(const double base[3], const double from[3], const double lum[3],
               double out[3])
{
    double low = least(base), range = most(base) - low, v[3] = {0, 0, 0};
    double want = most(from) - least(from);
    for (unsigned c = 0; c < 3 && range > 0; c++)
        v[c] = (base[c] - low) * want / range;
    set_luminosity(v, lum, out);
}

static const struct equation {
    const char *name;
    GLenum equation;
    channel_fn channel; /* NULL: of the four that see all channels */
} equations[] = {
    {"multiply", GL_MULTIPLY_KHR, multiply},
    {"screen", GL_SCREEN_KHR, screen},
    {"overlay", GL_OVERLAY_KHR, overlay},
    {"darken", GL_DARKEN_KHR, darken},
    {"lighten", GL_LIGHTEN_KHR, lighten},
    {"colordodge", GL_COLORDODGE_KHR, colordodge},
    {"colorburn", GL_COLORBURN_KHR, colorburn},
    {"hardlight", GL_HARDLIGHT_KHR, hardlight},
    {"softlight", GL_SOFTLIGHT_KHR, softlight},
    {"difference", GL_DIFFERENCE_KHR, difference},
    {"exclusion", GL_EXCLUSION_KHR, exclusion},
    {"hue", GL_HSL_HUE_KHR, NULL},
    {"saturation", GL_HSL_SATURATION_KHR, NULL},
    {"color", GL_HSL_COLOR_KHR, NULL},
    {"luminosity", GL_HSL_LUMINOSITY_KHR, NULL},
};

static void
mix_colors(const struct equation *e, const double s[3], const double d[3],
           double out[3])
{
    switch (e->equation) {
    case GL_HSL_HUE_KHR: set_saturation(s, d, d, out); return;
    case GL_HSL_SATURATION_KHR: set_saturation(d, s, d, out); return;
    case GL_HSL_COLOR_KHR: set_luminosity(s, d, out); return;
    case GL_HSL_LUMINOSITY_KHR: set_luminosity(d, s, out); return;
    default:
        for (unsigned c = 0; c < 3; c++)
            out[c] = e->channel(s[c], d[c]);
    }
}

/* Both are premultiplied. */
static void
blend(const struct equation *e, const float src[4], const float dst[4],
      double out[4])
{
    double s[3], d[3], f[3], sa = src[3], da = dst[3];
    for (unsigned c = 0; c < 3; c++) {
        s[c] = sa > 0 ? src[c] / sa : 0;
        d[c] = da > 0 ? dst[c] / da : 0;
    }
    mix_colors(e, s, d, f);
    for (unsigned c = 0; c < 3; c++)
        out[c] = f[c] * sa * da + s[c] * sa * (1 - da) + d[c] * da * (1 - sa);
    out[3] = sa + da - sa * da;
}

/* ---- targets ---- */

static const struct target {
    const char *name;
    GLenum internal;
    int samples;
    double tolerance;
} targets[] = {
    {"rgba8", GL_RGBA8, 0, 1.6 / 255},
    {"rgba16f", GL_RGBA16F, 0, 3e-3},
    {"rgba32f", GL_RGBA32F, 0, 2e-4},
    {"rgba8.4", GL_RGBA8, 4, 1.6 / 255},
};

static float source[AREA_PX][4], before[AREA_PX][4], after[AREA_PX][4];

/* Multiples of 1/255 so that no target rounds them; the ends are frequent. */
static void
random_colors(float to[AREA_PX][4])
{
    for (unsigned i = 0; i < AREA_PX; i++) {
        unsigned k = sweep_random(4);
        unsigned a = k == 0 ? 255 : k == 1 ? 0 : sweep_random(256);
        for (unsigned c = 0; c < 3; c++)
            to[i][c] = (float)(sweep_random(5) ? sweep_random(a + 1) : a) / 255;
        to[i][3] = (float)a / 255;
    }
}

static GLuint
make_target(const struct target *t, GLuint *texture)
{
    GLuint fbo;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glCreateTextures(t->samples ? GL_TEXTURE_2D_MULTISAMPLE : GL_TEXTURE_2D, 1,
                     texture);
    if (t->samples)
        glTextureStorage2DMultisample(*texture, t->samples, t->internal,
                                      SIDE_PX, SIDE_PX, true);
    else
        glTextureStorage2D(*texture, 1, t->internal, SIDE_PX, SIDE_PX);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, *texture, 0);
    return fbo;
}

static void
read_target(const struct target *t, GLuint fbo, GLuint plain)
{
    if (t->samples) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, plain);
        glBlitFramebuffer(0, 0, SIDE_PX, SIDE_PX, 0, 0, SIDE_PX, SIDE_PX,
                          GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, plain);
    }
    glReadPixels(0, 0, SIDE_PX, SIDE_PX, GL_RGBA, GL_FLOAT, after);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
}

static void
judge(const char *name, const struct target *t, const struct equation *e)
{
    unsigned bad = 0, first = 0;
    double want[4], shown[4] = {0, 0, 0, 0};
    for (unsigned i = 0; i < AREA_PX; i++) {
        bool ok = true;
        if (e)
            blend(e, source[i], before[i], want);
        for (unsigned c = 0; c < 4; c++) {
            if (!e) /* the shader's own equation */
                want[c] = 0.25 * (double)before[i][3 - c] +
                          0.75 * (double)source[i][c];
            ok = ok && fabs((double)after[i][c] - want[c]) <= t->tolerance;
        }
        if (ok || bad++)
            continue;
        first = i;
        memcpy(shown, want, sizeof shown);
    }
    const float *s = source[first], *d = before[first], *a = after[first];
    sweep_verdict(name, !bad,
                  "%u pixels; %g %g %g %g over %g %g %g %g is %g %g %g %g, not "
                  "%g %g %g %g",
                  bad, (double)s[0], (double)s[1], (double)s[2], (double)s[3],
                  (double)d[0], (double)d[1], (double)d[2], (double)d[3],
                  (double)a[0], (double)a[1], (double)a[2], (double)a[3],
                  shown[0], shown[1], shown[2], shown[3]);
}

#define FETCH "texelFetch(t, ivec2(gl_FragCoord.xy), 0)"
#define FETCH_MAIN         \
    "uniform sampler2D t;" \
    "void main(){ o = o.abgr * 0.25 + " FETCH " * 0.75; }"

static void
paint(GLuint program, GLuint texture, float colors[AREA_PX][4])
{
    random_colors(colors);
    glTextureSubImage2D(texture, 0, 0, 0, SIDE_PX, SIDE_PX, GL_RGBA, GL_FLOAT,
                        colors);
    glBindTextureUnit(0, texture);
    glUseProgram(program);
    /* The shader reads the target, on some GPUs as a texture. */
    glBlendBarrierKHR();
    sweep_draw();
}

static GLuint
fetch_program(void)
{
    return sweep_fullscreen(
        epoxy_has_gl_extension("GL_EXT_shader_framebuffer_fetch") ? GLSL
            "#extension GL_EXT_shader_framebuffer_fetch : require\n"
            "layout(location = 0) inout vec4 o;" FETCH_MAIN
                                                                  : GLSL
            "#extension GL_EXT_shader_framebuffer_fetch_non_coherent :"
            " require\n"
            "layout(location = 0, noncoherent) inout vec4 o;" FETCH_MAIN);
}

static void
run_target(const struct target *t, const GLuint programs[3], GLuint texture)
{
    struct target single = *t;
    GLuint color, plain_color;
    single.samples = 0;
    GLuint plain = make_target(&single, &plain_color);
    GLuint fbo = make_target(t, &color);
    glViewport(0, 0, SIDE_PX, SIDE_PX);
    for (unsigned i = 0; i <= COUNT(equations); i++) {
        const struct equation *e = i < COUNT(equations) ? &equations[i] : NULL;
        const char *name = sweep_name("blend.%s.%s", t->name,
                                      e ? e->name : "fetch");
        if (!sweep_begin(name))
            continue;
        glDisable(GL_BLEND);
        paint(programs[0], texture, before);
        if (e) {
            glEnable(GL_BLEND);
            glBlendEquation(e->equation);
        }
        paint(programs[e ? 1 : 2], texture, source);
        glDisable(GL_BLEND);
        glBlendEquation(GL_FUNC_ADD);
        read_target(t, fbo, plain);
        judge(sweep_name("blend.%s.%s", t->name, e ? e->name : "fetch"), t, e);
    }
    glDeleteTextures(1, &color);
    glDeleteTextures(1, &plain_color);
    glDeleteFramebuffers(1, &fbo);
    glDeleteFramebuffers(1, &plain);
}

void
sweep_blend(void)
{
    GLint bound;
    GLuint texture,
        programs[3] = {
            sweep_fullscreen(GLSL "uniform sampler2D t; out vec4 o;"
                                  "void main(){ o = " FETCH "; }"),
            sweep_fullscreen(
                GLSL "#extension GL_KHR_blend_equation_advanced : require\n"
                     "layout(blend_support_all_equations) out;"
                     "uniform sampler2D t; layout(location = 0) out vec4 o;"
                     "void main(){ o = " FETCH "; }"),
            fetch_program(),
        };
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
    glCreateTextures(GL_TEXTURE_2D, 1, &texture);
    glTextureStorage2D(texture, 1, GL_RGBA32F, SIDE_PX, SIDE_PX);
    for (unsigned i = 0; i < COUNT(targets); i++)
        run_target(&targets[i], programs, texture);
    for (unsigned i = 0; i < 3; i++)
        glDeleteProgram(programs[i]);
    glDeleteTextures(1, &texture);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
}
