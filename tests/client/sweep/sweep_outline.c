/* sweep_outline.c: lines and points of every size on targets with samples:
 * coverage and interpolation. With multisampling a line is the rectangle around
 * its segment and a point a square (OpenGL 4.6, 14.4.3 and 14.5.4). Samples
 * closer than a 32nd of a pixel to an edge may be covered or not. */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIDE_PX 32
#define AREA_PX (SIDE_PX * SIDE_PX)
#define MAX_SAMPLES 16
#define SLACK_PX (1.0 / 32)
#define CLEAR (-7.0f)

struct end {
    float x, y, value, unused;
};

/* In pixels. */
struct shape {
    double x[2], y[2], value[2], size;
};

static const struct kind {
    const char *name, *fs;
    GLenum mode;
    bool per_sample;
} kinds[] = {
    {"line", "in float v; out vec4 o; void main(){ o = vec4(v, 0, 0, 1); }",
     GL_LINES, false},
    {"line.sample",
     "sample in float v; out vec4 o; void main(){ o = vec4(v, 0, 0, 1); }",
     GL_LINES, true},
    {"point", "out vec4 o; void main(){ o = vec4(gl_PointCoord, 0, 1); }",
     GL_POINTS, false},
    {"point.sample",
     "out vec4 o; void main(){ o = vec4(gl_PointCoord, 0, 1); }", GL_POINTS,
     true},
};

static double sample_x[MAX_SAMPLES], sample_y[MAX_SAMPLES];
static int samples;
static float seen[MAX_SAMPLES][AREA_PX][4];

/* ---- references ---- */

/* How far inside (> 0) a place is; t, u are the coordinates in the shape. */
static double
inside_line(const struct shape *s, double x, double y, double *t)
{
    double dx = s->x[1] - s->x[0], dy = s->y[1] - s->y[0];
    double length = hypot(dx, dy);
    double along = ((x - s->x[0]) * dx + (y - s->y[0]) * dy) / length;
    double across = fabs((x - s->x[0]) * dy - (y - s->y[0]) * dx) / length;
    *t = along / length;
    return fmin(fmin(along, length - along), s->size / 2 - across);
}

static double
inside_point(const struct shape *s, double x, double y)
{
    return s->size / 2 - fmax(fabs(x - s->x[0]), fabs(y - s->y[0]));
}

/* At the pixel's centre, or at the sample. */
static bool
is_right(const struct kind *k, const struct shape *s, const float *o, double x,
         double y)
{
    if (k->mode == GL_POINTS) {
        double slack = 0.02 / s->size + 1e-3;
        double u = (x - s->x[0]) / s->size + 0.5;
        double v = 0.5 - (y - s->y[0]) / s->size;
        return fabs((double)o[0] - u) < slack && fabs((double)o[1] - v) < slack;
    }
    double t;
    inside_line(s, x, y, &t);
    double want = s->value[0] + t * (s->value[1] - s->value[0]);
    double length = hypot(s->x[1] - s->x[0], s->y[1] - s->y[0]);
    double step = fabs(s->value[1] - s->value[0]) / length;
    return fabs((double)o[0] - want) < 1e-3 + step * SLACK_PX;
}

static void
judge(const char *name, const struct kind *k, const struct shape *s)
{
    unsigned bad = 0;
    int first = 0;
    for (int i = 0; i < AREA_PX * samples; i++) {
        int n = i / AREA_PX, at = i % AREA_PX;
        double px = at % SIDE_PX, py = at / SIDE_PX, t;
        double x = px + sample_x[n], y = py + sample_y[n];
        const float *o = seen[n][at];
        double in = k->mode == GL_POINTS ? inside_point(s, x, y)
                                         : inside_line(s, x, y, &t);
        bool clear = o[0] == CLEAR;
        bool ok = clear ? in < SLACK_PX : in > -SLACK_PX;
        if (!clear)
            ok = ok && is_right(k, s, o, k->per_sample ? x : px + 0.5,
                                k->per_sample ? y : py + 0.5);
        if (!ok && !bad++)
            first = i;
    }
    const float *o = seen[first / AREA_PX][first % AREA_PX];
    sweep_verdict(name, !bad,
                  "%u samples, the first is %d of (%d, %d): %g %g; size %g "
                  "from %g, %g to %g, %g",
                  bad, first / AREA_PX, first % SIDE_PX,
                  first % AREA_PX / SIDE_PX, (double)o[0], (double)o[1],
                  s->size, s->x[0], s->y[0], s->x[1], s->y[1]);
}

/* ---- drawing ---- */

/* Ends at 16ths of a pixel, which no step of the pipeline rounds. */
static struct shape
random_shape(const struct kind *k)
{
    struct shape s;
    do {
        for (unsigned i = 0; i < 2; i++) {
            s.x[i] = sweep_random(SIDE_PX * 16) / 16.0;
            s.y[i] = sweep_random(SIDE_PX * 16) / 16.0;
            s.value[i] = sweep_random(65) / 4.0;
        }
    } while (hypot(s.x[1] - s.x[0], s.y[1] - s.y[0]) < 3);
    if (sweep_random(4) == 0)
        s.x[1] = s.x[0] + (s.x[0] < 16 ? 7 : -7), s.y[1] = s.y[0];
    else if (sweep_random(4) == 0)
        s.y[1] = s.y[0] + (s.y[0] < 16 ? 7 : -7), s.x[1] = s.x[0];
    /* Lines may be 7.375 wide. */
    s.size = 1 + sweep_random(k->mode == GL_POINTS ? 160 : 52) / 8.0;
    return s;
}

static void
draw_shape(const struct kind *k, const struct shape *s, GLuint program)
{
    struct end e[2];
    for (unsigned i = 0; i < 2; i++)
        e[i] = (struct end){(float)(s->x[i] / (SIDE_PX / 2) - 1),
                            (float)(s->y[i] / (SIDE_PX / 2) - 1),
                            (float)s->value[i], 0};
    glBufferData(GL_ARRAY_BUFFER, sizeof e, e, GL_STREAM_DRAW);
    glClearColor(CLEAR, CLEAR, CLEAR, CLEAR);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(program);
    glUniform1f(glGetUniformLocation(program, "size"), (float)s->size);
    if (k->mode == GL_LINES)
        glLineWidth((float)s->size);
    glDrawArrays(k->mode, 0, k->mode == GL_LINES ? 2 : 1);
}

static GLuint
make_program(const struct kind *k)
{
    char vs[300], fs[300];
    snprintf(vs, sizeof vs,
             GLSL "layout(location = 0) in vec4 p; uniform float size;"
                  "%s out float v; void main(){ gl_Position ="
                  " vec4(p.xy, 0, 1); v = p.z; gl_PointSize = size; }",
             k->per_sample ? "sample" : "");
    snprintf(fs, sizeof fs, GLSL "%s", k->fs);
    return gl_program(vs, fs);
}

static void
run_samples(GLuint fetch)
{
    GLuint fbo, color;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glCreateTextures(GL_TEXTURE_2D_MULTISAMPLE, 1, &color);
    glTextureStorage2DMultisample(color, samples, GL_RGBA32F, SIDE_PX, SIDE_PX,
                                  true);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, color, 0);
    for (int s = 0; s < samples; s++) {
        float p[2];
        glGetMultisamplefv(GL_SAMPLE_POSITION, (GLuint)s, p);
        sample_x[s] = (double)p[0];
        sample_y[s] = (double)p[1];
    }
    for (unsigned i = 0; i < COUNT(kinds); i++) {
        const struct kind *k = &kinds[i];
        if (!sweep_begin(sweep_name("outline.%d.%s", samples, k->name)))
            continue;
        GLuint program = make_program(k);
        if (k->per_sample)
            glEnable(GL_SAMPLE_SHADING);
        glMinSampleShading(1);
        for (unsigned n = 0; n < (sweep_large ? 100 : 10); n++) {
            struct shape s = random_shape(k);
            draw_shape(k, &s, program);
            sweep_read_samples(fetch, color, SIDE_PX, samples, seen);
            judge(sweep_name("outline.%d.%s.%u", samples, k->name, n), k, &s);
        }
        glDisable(GL_SAMPLE_SHADING);
        glDeleteProgram(program);
    }
    glDeleteTextures(1, &color);
    glDeleteFramebuffers(1, &fbo);
}

void
sweep_outline(void)
{
    GLint before;
    GLuint ends;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &before);
    glGenBuffers(1, &ends);
    glBindBuffer(GL_ARRAY_BUFFER, ends);
    glVertexAttribPointer(0, 4, GL_FLOAT, false, 0, NULL);
    glEnableVertexAttribArray(0);
    GLuint fetch = sweep_sample_reader();
    glViewport(0, 0, SIDE_PX, SIDE_PX);
    glEnable(GL_PROGRAM_POINT_SIZE);
    for (samples = 2; samples <= sweep_most_samples(); samples *= 2)
        run_samples(fetch);
    glDisable(GL_PROGRAM_POINT_SIZE);
    glLineWidth(1);
    glDisableVertexAttribArray(0);
    glDeleteBuffers(1, &ends);
    glDeleteProgram(fetch);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)before);
}
