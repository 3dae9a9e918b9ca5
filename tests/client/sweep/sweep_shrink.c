/* sweep_shrink.c: blits of multisampled framebuffers to another size, with the
 * filters of EXT_framebuffer_multisample_blit_scaled. The extension does not
 * define the filter. A result must lie between the samples near the place; if
 * samples hold their own place, the result must be the pixel's place. */
#include "sweep.h"

#include <math.h>
#include <string.h>

#define FROM_PX 24
#define MOST_PX 64

static float from[16 * FROM_PX * FROM_PX][4];
static float seen[MOST_PX * MOST_PX][4];

/* In pixels; x1 < x0 mirrors. */
struct rect {
    int x0, y0, x1, y1;
};

static GLuint
make_source(int samples, bool places)
{
    GLuint t, fbo;
    glCreateTextures(GL_TEXTURE_2D_MULTISAMPLE, 1, &t);
    glTextureStorage2DMultisample(t, samples, GL_RGBA32F, FROM_PX, FROM_PX,
                                  true);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0);
    glViewport(0, 0, FROM_PX, FROM_PX);
    GLuint p = sweep_fullscreen(
        places ? GLSL "out vec4 o; void main(){ o = vec4(floor(gl_FragCoord.xy)"
                      " + gl_SamplePosition, 0, gl_SampleID); }"
               : GLSL "out vec4 o; void main(){ uvec2 p = uvec2(gl_FragCoord);"
                      "uint h = p.x * 2654435761u ^ p.y * 2246822519u ^"
                      " uint(gl_SampleID) * 3266489917u; h ^= h >> 15;"
                      "h *= 2246822519u; o = vec4(h & 255u, h >> 8 & 255u,"
                      "h >> 16 & 255u, h >> 24) / 255; }");
    sweep_draw();
    glDeleteProgram(p);
    return t;
}

/* The source coordinate of the middle of a target's pixel. */
static double
place_of(int pixel, int to0, int to1, int from0, int from1)
{
    return from0 + (pixel + 0.5 - to0) * (from1 - from0) / (to1 - to0);
}

/* Whether the result is between the samples up to two pixels away. */
static bool
between(const double at[2], int samples, const float *s)
{
    for (unsigned c = 0; c < 4; c++) {
        float low = INFINITY, high = -INFINITY;
        for (int y = (int)at[1] - 2; y <= (int)at[1] + 2; y++)
            for (int x = (int)at[0] - 2; x <= (int)at[0] + 2; x++)
                for (int i = 0; i < samples; i++) {
                    if (x < 0 || y < 0 || x >= FROM_PX || y >= FROM_PX)
                        continue;
                    float v = from[(i * FROM_PX + y) * FROM_PX + x][c];
                    low = fminf(low, v);
                    high = fmaxf(high, v);
                }
        if (s[c] < low - 1e-5f || s[c] > high + 1e-5f)
            return false;
    }
    return true;
}

static bool
pixel_fits(const double at[2], int samples, bool places, const float *s)
{
    if (!places)
        return between(at, samples, s);
    for (unsigned d = 0; d < 2; d++) {
        /* Places beyond the outermost samples are clamped to them. */
        double want = fmin(fmax(at[d], 0.5), FROM_PX - 0.5);
        if (fabs((double)s[d] - want) > 0.75)
            return false;
    }
    return true;
}

static void
run_blit(const char *name, int samples, bool places, GLenum filter)
{
    int w = 1 + (int)sweep_random(MOST_PX), h = 1 + (int)sweep_random(MOST_PX);
    struct rect f = {0, 0, FROM_PX, FROM_PX}, t = {0, 0, w, h};
    if (sweep_random(2)) {
        f.x0 = (int)sweep_random(FROM_PX / 2);
        f.y1 = FROM_PX - (int)sweep_random(FROM_PX / 2);
    }
    if (sweep_random(4) == 0)
        t = (struct rect){w, 0, 0, h};
    memset(seen, 0, sizeof seen);
    glBlitFramebuffer(f.x0, f.y0, f.x1, f.y1, t.x0, t.y0, t.x1, t.y1,
                      GL_COLOR_BUFFER_BIT, filter);
    GLint fbo;
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &fbo);
    GLint drawn;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &drawn);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)drawn);
    glReadPixels(0, 0, w, h, GL_RGBA, GL_FLOAT, seen);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)fbo);
    unsigned bad = 0;
    int first[2] = {0, 0};
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const double at[2] = {place_of(x, t.x0, t.x1, f.x0, f.x1),
                                  place_of(y, t.y0, t.y1, f.y0, f.y1)};
            if (!pixel_fits(at, samples, places, seen[y * w + x]) && !bad++) {
                first[0] = x;
                first[1] = y;
            }
        }
    const float *s = seen[first[1] * w + first[0]];
    sweep_verdict(name, !bad,
                  "%u pixels; (%d, %d): %g %g %g %g; from %d %d %d %d to %d %d "
                  "%d %d",
                  bad, first[0], first[1], (double)s[0], (double)s[1],
                  (double)s[2], (double)s[3], f.x0, f.y0, f.x1, f.y1, t.x0,
                  t.y0, t.x1, t.y1);
}

static void
run_samples(GLuint reader, int samples, bool places)
{
    const char *what = places ? "places" : "noise";
    if (!sweep_begin(sweep_name("shrink.%s.%d", what, samples)))
        return;
    GLuint source = make_source(samples, places);
    GLint fbo;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &fbo);
    sweep_read_samples(reader, source, FROM_PX, samples, from);
    GLuint target = sweep_target(GL_RGBA32F, MOST_PX, MOST_PX);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)fbo);
    for (unsigned i = 0; i < (sweep_large ? 300 : 20); i++)
        run_blit(sweep_name("shrink.%s.%d.%u", what, samples, i), samples,
                 places,
                 i % 2 ? GL_SCALED_RESOLVE_NICEST_EXT
                       : GL_SCALED_RESOLVE_FASTEST_EXT);
    sweep_free_target(target);
    GLuint name = (GLuint)fbo;
    glDeleteFramebuffers(1, &name);
    glDeleteTextures(1, &source);
}

void
sweep_shrink(void)
{
    GLuint reader = sweep_sample_reader();
    for (int samples = 2; samples <= sweep_most_samples(); samples *= 2)
        for (unsigned places = 0; places < 2; places++)
            run_samples(reader, samples, places);
    glDeleteProgram(reader);
}
