/* sweep_slope.c: differences of neighbouring pixels: results of dFdx, dFdy and
 * fwidth, and the long footprints of anisotropic filters. */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE_PX 32
#define PIXELS (SIDE_PX * SIDE_PX)

static float seen[PIXELS][4];

/* ---- derivatives ---------------------------------------------------------
 *
 * Of a number that each pixel computes from its place, with few enough bits
 * that differences are exact. */

enum grain { ANY, FINE, COARSE, GRAINS };
static const char *const grain_suffix[] = {"", "Fine", "Coarse"};

static uint32_t salt;

static float
noise(int x, int y)
{
    uint32_t h = (uint32_t)x * 2654435761u ^ (uint32_t)y * 2246822519u ^ salt;
    h ^= h >> 15;
    h *= 3266489917u;
    h ^= h >> 13;
    return (float)(h & 0xffff) / 256 - 128;
}

static GLuint
make_difference_program(enum grain grain)
{
    char fs[1024];
    const char *s = grain_suffix[grain];
    snprintf(fs, sizeof fs,
             GLSL "uniform uint salt; out vec4 o;"
                  "float noise(uvec2 p){ uint h = p.x * 2654435761u ^"
                  " p.y * 2246822519u ^ salt; h ^= h >> 15; h *= 3266489917u;"
                  "h ^= h >> 13; return float(h & 0xffffu) / 256 - 128; }"
                  "void main(){ float v = noise(uvec2(gl_FragCoord.xy));"
                  "o = vec4(dFdx%s(v), dFdy%s(v), fwidth%s(v), 1); }",
             s, s, s);
    return gl_program(GLSL "uniform vec2 at[3]; void main(){"
                           "gl_Position = vec4(at[gl_VertexID], 0, 1); }",
                      fs);
}

/* The row or column of a quad that the result comes from: bits for both. */
static unsigned
ways_of(float answer, const float difference[2])
{
    return (answer == difference[0]) | (answer == difference[1]) << 1;
}

static bool
quad_fits(enum grain grain, int x, int y, unsigned *pixels)
{
    unsigned in_x = 3, in_y = 3;
    float v[4], dx[2], dy[2];
    for (int i = 0; i < 4; i++)
        v[i] = noise(x + i % 2, y + i / 2);
    for (int i = 0; i < 2; i++) {
        dx[i] = v[2 * i + 1] - v[2 * i];
        dy[i] = v[2 + i] - v[i];
    }
    for (int i = 0; i < 4; i++) {
        const float *o = seen[(y + i / 2) * SIDE_PX + x + i % 2];
        if (o[3] == 0)
            continue;
        ++*pixels;
        unsigned wx = ways_of(o[0], dx), wy = ways_of(o[1], dy);
        if (grain == FINE) {
            wx &= 1u << i / 2;
            wy &= 1u << i % 2;
        }
        if (!wx || !wy || o[2] != fabsf(o[0]) + fabsf(o[1]))
            return false;
        in_x &= wx;
        in_y &= wy;
    }
    return grain != COARSE || (in_x && in_y);
}

static void
run_differences(enum grain grain)
{
    if (!sweep_begin(sweep_name("slope.difference%s", grain_suffix[grain])))
        return;
    GLuint target = sweep_target(GL_RGBA32F, SIDE_PX, SIDE_PX);
    GLuint program = make_difference_program(grain);
    for (unsigned n = 0; n < (sweep_large ? 1000 : 30); n++) {
        float at[3][2];
        for (unsigned i = 0; i < 6; i++)
            at[i / 2][i % 2] = sweep_uniform(-1.5f, 1.5f);
        salt = sweep_random(1 << 24);
        glUniform1ui(glGetUniformLocation(program, "salt"), salt);
        glUniform2fv(glGetUniformLocation(program, "at"), 3, at[0]);
        glClear(GL_COLOR_BUFFER_BIT);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glReadPixels(0, 0, SIDE_PX, SIDE_PX, GL_RGBA, GL_FLOAT, seen);
        unsigned bad = 0, pixels = 0, first = 0;
        for (int q = 0; q < PIXELS / 4; q++) {
            int x = q % (SIDE_PX / 2) * 2, y = q / (SIDE_PX / 2) * 2;
            if (!quad_fits(grain, x, y, &pixels) && !bad++)
                first = (unsigned)(y * SIDE_PX + x);
        }
        const float *o = seen[first];
        sweep_verdict(
            sweep_name("slope.difference%s.%u", grain_suffix[grain], n), !bad,
            "%u quads, %u pixels drawn; at %u: %g %g %g", bad, pixels, first,
            (double)o[0], (double)o[1], (double)o[2]);
    }
    glDeleteProgram(program);
    sweep_free_target(target);
}

/* Derivatives of a linear value: a fraction of the slope, and the error that
 * eight more bits than the target's would show. */
static void
run_planes(void)
{
    if (!sweep_begin("slope.plane"))
        return;
    GLuint target = sweep_target(GL_RGBA32F, SIDE_PX, SIDE_PX);
    GLuint program = gl_program(
        GLSL "uniform vec4 plane; out float v; void main(){ vec2 p ="
             " vec2(gl_VertexID & 1, gl_VertexID >> 1);"
             "v = dot(plane.xyz, vec3(p, 1));"
             "gl_Position = vec4(p * 2 - 1, 0, 1) * plane.w; }",
        GLSL "in float v; out vec4 o;"
             "void main(){ o = vec4(dFdx(v), dFdy(v), fwidth(v), v); }");
    for (unsigned n = 0; n < (sweep_large ? 2000 : 50); n++) {
        float scale = exp2f(sweep_uniform(-12, 12));
        const float plane[4] = {
            sweep_uniform(-1, 1) * scale, sweep_uniform(-1, 1) * scale,
            sweep_uniform(-1, 1) * scale, exp2f(sweep_uniform(-2, 2))};
        glUniform4fv(glGetUniformLocation(program, "plane"), 1, plane);
        sweep_draw();
        glReadPixels(0, 0, SIDE_PX, SIDE_PX, GL_RGBA, GL_FLOAT, seen);
        double size = fabs((double)plane[0]) + fabs((double)plane[1]) +
                      fabs((double)plane[2]);
        double want[2] = {(double)plane[0] / SIDE_PX,
                          (double)plane[1] / SIDE_PX};
        double slack = size * 0x1p-21, worst = 0;
        for (unsigned i = 0; i < PIXELS; i++) {
            const float *o = seen[i];
            worst = fmax(worst, fabs((double)o[0] - want[0]));
            worst = fmax(worst, fabs((double)o[1] - want[1]));
            double sum = fabs(want[0]) + fabs(want[1]);
            worst = fmax(worst, fabs((double)o[2] - sum) / 2);
        }
        sweep_verdict(sweep_name("slope.plane.%u", n), worst <= slack,
                      "off by %g, %g allowed, of %g %g %g", worst, slack,
                      (double)plane[0], (double)plane[1], (double)plane[2]);
    }
    glDeleteProgram(program);
    sweep_free_target(target);
}

/* ---- anisotropic filters ------------------------------------------------- */

#define TEXTURE_PX 256
#define LEVELS 9

/* Contents of texels. */
enum content { LEVEL, PLACE, STEP, CONTENTS };
static const char *const content_names[] = {"level", "place", "step"};

static GLuint
make_texture(enum content content)
{
    static float v[TEXTURE_PX * TEXTURE_PX];
    GLuint t;
    glCreateTextures(GL_TEXTURE_2D, 1, &t);
    glTextureStorage2D(t, LEVELS, GL_R32F, TEXTURE_PX, TEXTURE_PX);
    for (int l = 0; l < LEVELS; l++) {
        int side = TEXTURE_PX >> l;
        for (int i = 0; i < side * side; i++) {
            float place = ((float)(i % side) + 0.5f) * (float)(1 << l);
            v[i] = content == LEVEL   ? (float)l
                   : content == PLACE ? place
                                      : place >= TEXTURE_PX / 2;
        }
        glTextureSubImage2D(t, l, 0, 0, side, side, GL_RED, GL_FLOAT, v);
    }
    glTextureParameteri(t, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTextureParameteri(t, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(t, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return t;
}

/* A footprint: axes in texels, an angle, and the limit of their ratio. */
struct footprint {
    double major, minor, angle;
    float most;
    bool swapped;
};

/* Distance of pixel x's coordinate from the texture's middle, in texels along
 * its width. */
static double
offset_of(const struct footprint *f, unsigned pixel)
{
    return ((double)(pixel % SIDE_PX) - SIDE_PX / 2.0 + 0.5) / (SIDE_PX / 2.0) *
           (f->major + 8);
}

static void
draw_footprint(GLuint program, GLuint texture, const struct footprint *f)
{
    const float ax[2] = {(float)(f->major * cos(f->angle)) / TEXTURE_PX,
                         (float)(f->major * sin(f->angle)) / TEXTURE_PX};
    const float ay[2] = {(float)(f->minor * -sin(f->angle)) / TEXTURE_PX,
                         (float)(f->minor * cos(f->angle)) / TEXTURE_PX};
    const float *dx = f->swapped ? ay : ax, *dy = f->swapped ? ax : ay;
    glTextureParameterf(texture, GL_TEXTURE_MAX_ANISOTROPY, f->most);
    glBindTextureUnit(0, texture);
    glUniform4f(glGetUniformLocation(program, "slope"), dx[0], dx[1], dy[0],
                dy[1]);
    glUniform1f(glGetUniformLocation(program, "reach"),
                (float)(f->major + 8) / TEXTURE_PX);
    sweep_draw();
    glReadPixels(0, 0, SIDE_PX, SIDE_PX, GL_RGBA, GL_FLOAT, seen);
}

/* The level comes from the minor axis, or from the major axis divided by the
 * largest ratio. */
static double
lod_of(const struct footprint *f)
{
    double ratio = fmin(f->major / f->minor, (double)f->most);
    return fmax(log2(f->major / ratio), 0);
}

/* Symmetry keeps the mean place in the middle. An edge is as wide as the
 * footprint, with a texel of the level more at both ends. */
static bool
pixel_fits(enum content content, const struct footprint *f, unsigned pixel,
           double *want, double *slack)
{
    double off = offset_of(f, pixel), texel = exp2(ceil(lod_of(f)));
    *want = lod_of(f);
    *slack = 0.07;
    if (content == PLACE) {
        *want = TEXTURE_PX / 2.0 + off;
        *slack = texel / 64 + 0.02;
    } else if (content == STEP) {
        double half = f->major / 2 * fabs(cos(f->angle));
        *want = fmin(fmax(0.5 + 0.5 * off / (half + texel / 2), 0), 1);
        *slack = 0.13 + 0.25 * texel / (half + texel);
        if (fabs(off) > half + 1.5 * texel)
            *slack = 1e-4;
    }
    return fabs((double)seen[pixel][0] - *want) <= *slack;
}

static void
run_footprint(const char *name, enum content content, const struct footprint *f)
{
    unsigned bad = 0, first = 0;
    double want = 0, slack = 0, w, s;
    for (unsigned i = 0; i < SIDE_PX; i++)
        if (!pixel_fits(content, f, i, &w, &s) && !bad++) {
            first = i;
            want = w;
            slack = s;
        }
    sweep_verdict(
        name, !bad,
        "%u pixels; %g by %g at %g, at most %g to 1, %g away: %g, not "
        "%g, %g allowed",
        bad, f->major, f->minor, f->angle, (double)f->most, offset_of(f, first),
        (double)seen[first][0], want, slack);
}

static void
run_anisotropy(enum content content)
{
    if (!sweep_begin(sweep_name("slope.anisotropy.%s", content_names[content])))
        return;
    GLuint target = sweep_target(GL_RGBA32F, SIDE_PX, SIDE_PX);
    GLuint texture = make_texture(content);
    GLuint program = sweep_fullscreen(
        GLSL
        "uniform sampler2D t; uniform vec4 slope; uniform float reach;"
        "in vec2 uv; out vec4 o; void main(){ o = textureGrad(t,"
        " vec2(0.5 + (uv.x * 2 - 1) * reach, 0.5), slope.xy, slope.zw); }");
    for (unsigned n = 0; n < (sweep_large ? 3000 : 150); n++) {
        struct footprint f = {.most = (float)(2 * (1 + n % 8)),
                              .swapped = sweep_random(2)};
        f.minor = exp2((double)sweep_uniform(-0.5f, 2));
        f.major = f.minor * (double)sweep_uniform(1.05f, 24);
        f.major = fmin(f.major, 48);
        f.minor = fmin(f.minor, f.major);
        f.angle = content == STEP ? (double)sweep_uniform(-0.4f, 0.4f)
                                  : (double)sweep_uniform(0, 6.28f);
        draw_footprint(program, texture, &f);
        run_footprint(
            sweep_name("slope.anisotropy.%s.%u", content_names[content], n),
            content, &f);
    }
    glDeleteProgram(program);
    glDeleteTextures(1, &texture);
    sweep_free_target(target);
}

void
sweep_slope(void)
{
    for (enum grain grain = ANY; grain < GRAINS; grain++)
        run_differences(grain);
    run_planes();
    for (enum content content = LEVEL; content < CONTENTS; content++)
        run_anisotropy(content);
}
