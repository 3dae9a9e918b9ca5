/* sweep_sample.c: multisampling: random triangles whose attributes are known
 * everywhere. Tests coverage and positions of samples, the shader's inputs
 * about them, the places of interpolation, sample masks, and the depth of each
 * sample. */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE_PX 24
#define AREA_PX (SIDE_PX * SIDE_PX)
#define MAX_SAMPLES 16
#define UNITS 256 /* to a pixel; vertices are at multiples of 16 */
#define CLEAR (-7.0f)

struct vertex {
    float x, y, z, w; /* clip space */
    float a, b;
};

struct corner {
    int x, y; /* units */
    double w, z;
    double a, b;
};

static struct corner corners[3];
static int sample_x[MAX_SAMPLES], sample_y[MAX_SAMPLES]; /* units */
static int samples;
static float seen[MAX_SAMPLES][AREA_PX][4];

/* ---- the triangle ---- */

static int64_t
edge(unsigned i, int x, int y)
{
    const struct corner *p = &corners[i], *q = &corners[(i + 1) % 3];
    return (int64_t)(q->x - p->x) * (y - p->y) -
           (int64_t)(q->y - p->y) * (x - p->x);
}

/* 1 inside, -1 outside, 0 on an edge. */
static int
side_of(int x, int y)
{
    int64_t area = edge(0, corners[2].x, corners[2].y);
    int side = 1;
    for (unsigned i = 0; i < 3; i++) {
        int64_t e = area > 0 ? edge(i, x, y) : -edge(i, x, y);
        if (e < 0)
            return -1;
        if (e == 0)
            side = 0;
    }
    return side;
}

/* Perspective; for depth, which is linear on the screen, all w are one. */
static double
interpolate(const double value[3], const double w[3], double x, double y)
{
    double sum = 0, weight = 0;
    for (unsigned i = 0; i < 3; i++) {
        const struct corner *p = &corners[(i + 1) % 3],
                            *q = &corners[(i + 2) % 3];
        double e = (q->x - p->x) * (y - p->y) - (q->y - p->y) * (x - p->x);
        sum += e * value[i] / w[i];
        weight += e / w[i];
    }
    return sum / weight;
}

static void
attributes(double x, double y, double out[3])
{
    double a[3], b[3], z[3], w[3], one[3] = {1, 1, 1};
    for (unsigned i = 0; i < 3; i++) {
        a[i] = corners[i].a;
        b[i] = corners[i].b;
        z[i] = corners[i].z;
        w[i] = corners[i].w;
    }
    out[0] = interpolate(a, w, x, y);
    out[1] = interpolate(b, w, x, y);
    out[2] = interpolate(z, one, x, y);
}

static void
random_triangle(struct vertex v[3], bool all)
{
    int64_t area;
    do {
        for (unsigned i = 0; i < 3; i++) {
            struct corner *c = &corners[i];
            c->x = (int)sweep_random(SIDE_PX * 16 + 1) * 16;
            c->y = (int)sweep_random(SIDE_PX * 16 + 1) * 16;
            if (all) {
                c->x = (i == 1 ? 3 * SIDE_PX : -SIDE_PX) * UNITS;
                c->y = (i == 2 ? 3 * SIDE_PX : -SIDE_PX) * UNITS;
            }
            c->w = 1 + sweep_random(4) / 2.0;
            c->z = 0.25 + sweep_random(5) / 8.0;
            c->a = sweep_random(17);
            c->b = (int)sweep_random(17) - 8;
        }
        area = edge(0, corners[2].x, corners[2].y);
    } while (llabs(area) < 40ll * UNITS * UNITS);
    for (unsigned i = 0; i < 3; i++) {
        const struct corner *c = &corners[i];
        v[i].w = (float)c->w;
        v[i].x = (float)((2.0 * c->x / (SIDE_PX * UNITS) - 1) * c->w);
        v[i].y = (float)((2.0 * c->y / (SIDE_PX * UNITS) - 1) * c->w);
        v[i].z = (float)((2 * c->z - 1) * c->w);
        v[i].a = (float)c->a;
        v[i].b = (float)c->b;
    }
}

/* ---- results of shaders ---- */

enum place { AT_CENTRE, AT_SAMPLE, AT_OTHER, AT_OFFSET, ANYWHERE, NO_PLACE };

static const struct mode {
    const char *name, *in, *body;
    enum place place; /* of o.xy */
    bool all;         /* the triangle covers everything */
} modes[] = {
    {"centre", "", "o = vec4(v, gl_FragCoord.xy);", AT_CENTRE, false},
    {"sample", "sample", "o = vec4(v, 0, 0);", AT_SAMPLE, false},
    {"centroid", "centroid", "o = vec4(v, 0, 0);", ANYWHERE, false},
    {"centroid.whole", "centroid", "o = vec4(v, gl_FragCoord.xy);", AT_CENTRE,
     true},
    {"at_centroid", "", "o = vec4(interpolateAtCentroid(v), 0, 0);", ANYWHERE,
     false},
    {"at_sample", "",
     "o = vec4(interpolateAtSample(v, int(gl_FragCoord.x) % samples), 0, 0);",
     AT_OTHER, false},
    {"at_offset", "",
     "o = vec4(interpolateAtOffset(v, vec2(ivec2(gl_FragCoord.xy) % 16 - 8) "
     "/ 16.0), 0, 0);",
     AT_OFFSET, false},
    {"at_offset.sample", "sample",
     "o = vec4(interpolateAtOffset(v, vec2(ivec2(gl_FragCoord.xy) % 16 - 8) "
     "/ 16.0), 0, 0);",
     AT_OFFSET, false},
    {"position", "",
     "o = vec4(gl_SamplePosition, gl_SampleID, gl_SampleMaskIn[0]);", NO_PLACE,
     false},
    {"mask_in", "", "o = vec4(0, 0, 0, gl_SampleMaskIn[0]);", NO_PLACE, false},
    {"mask_out", "",
     "o = vec4(v, 0, 0); gl_SampleMask[0] = int(gl_FragCoord.x) * 5 + 1;",
     AT_CENTRE, false},
};

static GLuint
make_program(const struct mode *m)
{
    char vs[500], fs[900];
    snprintf(vs, sizeof vs,
             GLSL "layout(location = 0) in vec4 p; layout(location = 1) in "
                  "vec2 a; %s out vec2 v; void main(){ gl_Position = p;"
                  "v = a; }",
             m->in);
    snprintf(fs, sizeof fs,
             GLSL "%s in vec2 v; const int samples = %d; out vec4 o;"
                  "void main(){ %s }",
             m->in, samples, m->body);
    return gl_program(vs, fs);
}

/* ---- judging ---- */

static bool
is_close(double a, double b)
{
    return fabs(a - b) < 2e-3;
}

/* Anywhere in the pixel: attributes are monotonic enough for their range. */
static bool
is_within_pixel(const float o[4], int x, int y)
{
    double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
    for (int s = 0; s < samples; s++) {
        double t[3];
        int sx = x + sample_x[s], sy = y + sample_y[s];
        if (side_of(sx, sy) < 0)
            continue;
        attributes(sx, sy, t);
        for (unsigned c = 0; c < 2; c++) {
            low[c] = fmin(low[c], t[c]);
            high[c] = fmax(high[c], t[c]);
        }
    }
    for (unsigned c = 0; c < 2; c++)
        if (!(o[c] > low[c] - 2e-3 && o[c] < high[c] + 2e-3))
            return false;
    return true;
}

static unsigned
covered(int x, int y, int side)
{
    unsigned mask = 0;
    for (int s = 0; s < samples; s++)
        if (side_of(x + sample_x[s], y + sample_y[s]) >= side)
            mask |= 1u << s;
    return mask;
}

static bool
is_right(const struct mode *m, const float o[4], int px, int py, int s)
{
    double t[3];
    int x = px * UNITS, y = py * UNITS, half = UNITS / 2;
    switch (m->place) {
    case AT_CENTRE: attributes(x + half, y + half, t); break;
    case AT_SAMPLE: attributes(x + sample_x[s], y + sample_y[s], t); break;
    case AT_OTHER:
        attributes(x + sample_x[px % samples], y + sample_y[px % samples], t);
        break;
    case AT_OFFSET:
        attributes(x + half + (px % 16 - 8) * 16, y + half + (py % 16 - 8) * 16,
                   t);
        break;
    case ANYWHERE: return is_within_pixel(o, x, y);
    case NO_PLACE: {
        unsigned sure = covered(x, y, 1), may = covered(x, y, 0);
        unsigned mask = (unsigned)o[3];
        if (!strcmp(m->name, "mask_in"))
            return (mask & sure) == sure && !(mask & ~may);
        return o[0] * UNITS == (float)sample_x[s] &&
               o[1] * UNITS == (float)sample_y[s] && o[2] == (float)s &&
               mask == 1u << s;
    }
    }
    if (!is_close(o[0], t[0]) || !is_close(o[1], t[1]))
        return false;
    return !strstr(m->body, "gl_FragCoord.xy);") ||
           (o[2] == (float)px + 0.5f && o[3] == (float)py + 0.5f);
}

static void
judge(const char *name, const struct mode *m)
{
    unsigned bad = 0;
    int bx = 0, by = 0, bs = 0;
    for (int y = 0; y < SIDE_PX; y++)
        for (int x = 0; x < SIDE_PX; x++)
            for (int s = 0; s < samples; s++) {
                const float *o = seen[s][y * SIDE_PX + x];
                int side = side_of(x * UNITS + sample_x[s],
                                   y * UNITS + sample_y[s]);
                if (!strcmp(m->name, "mask_out") && !((x * 5 + 1) >> s & 1))
                    side = -1;
                bool clear = o[0] == CLEAR;
                if ((side == 0 && clear) || (side < 0 && clear) ||
                    (side >= 0 && !clear && is_right(m, o, x, y, s)))
                    continue;
                if (bad++)
                    continue;
                bx = x;
                by = y;
                bs = s;
            }
    const float *o = seen[bs][by * SIDE_PX + bx];
    double t[3];
    attributes((bx + 0.5) * UNITS, (by + 0.5) * UNITS, t);
    sweep_verdict(name, !bad,
                  "%u samples, the first is %d of (%d, %d): %g %g %g %g; "
                  "centre %g %g",
                  bad, bs, bx, by, (double)o[0], (double)o[1], (double)o[2],
                  (double)o[3], t[0], t[1]);
}

/* Steps of a 24-bit depth buffer, and of the arithmetic. */
static void
judge_depth(const char *name)
{
    unsigned bad = 0;
    double worst = 0;
    for (int i = 0; i < AREA_PX * samples; i++) {
        int s = i / AREA_PX, x = i % SIDE_PX, y = i % AREA_PX / SIDE_PX;
        int sx = x * UNITS + sample_x[s], sy = y * UNITS + sample_y[s];
        double t[3] = {0, 0, 1};
        if (side_of(sx, sy) == 0)
            continue;
        if (side_of(sx, sy) > 0)
            attributes(sx, sy, t);
        double off = fabs((double)seen[s][i % AREA_PX][0] - t[2]);
        bad += off > 1e-6;
        worst = fmax(worst, off);
    }
    sweep_verdict(name, !bad, "%u depths, by up to %g", bad, worst);
}

/* ---- drawing ---- */

static void
run_mode(const struct mode *m, GLuint fetch, GLuint color, GLuint depth)
{
    struct vertex v[3];
    GLuint program = make_program(m);
    for (unsigned n = 0; n < (sweep_large ? 20 : 2); n++) {
        random_triangle(v, m->all);
        glBufferData(GL_ARRAY_BUFFER, sizeof v, v, GL_STREAM_DRAW);
        glClearColor(CLEAR, CLEAR, CLEAR, CLEAR);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        glUseProgram(program);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        sweep_read_samples(fetch, color, SIDE_PX, samples, seen);
        judge(sweep_name("sample.%d.%s.%u", samples, m->name, n), m);
        if (m->place != AT_CENTRE || m->all || strstr(m->body, "Mask"))
            continue;
        sweep_read_samples(fetch, depth, SIDE_PX, samples, seen);
        judge_depth(sweep_name("sample.%d.%s.%u.depth", samples, m->name, n));
    }
    glDeleteProgram(program);
}

static GLuint
attach(GLenum attachment, GLenum format)
{
    GLuint t;
    glCreateTextures(GL_TEXTURE_2D_MULTISAMPLE, 1, &t);
    glTextureStorage2DMultisample(t, samples, format, SIDE_PX, SIDE_PX, true);
    glFramebufferTexture(GL_FRAMEBUFFER, attachment, t, 0);
    return t;
}

static void
run_samples(GLuint fetch)
{
    GLuint fbo;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    GLuint t[2] = {attach(GL_COLOR_ATTACHMENT0, GL_RGBA32F),
                   attach(GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT24)};
    for (int s = 0; s < samples; s++) {
        float p[2];
        glGetMultisamplefv(GL_SAMPLE_POSITION, (GLuint)s, p);
        sample_x[s] = (int)(p[0] * UNITS);
        sample_y[s] = (int)(p[1] * UNITS);
    }
    for (unsigned i = 0; i < COUNT(modes); i++)
        if (sweep_begin(sweep_name("sample.%d.%s", samples, modes[i].name)))
            run_mode(&modes[i], fetch, t[0], t[1]);
    glDeleteTextures(2, t);
    glDeleteFramebuffers(1, &fbo);
}

void
sweep_sample(void)
{
    GLint before;
    GLuint vertices;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &before);
    glGenBuffers(1, &vertices);
    glBindBuffer(GL_ARRAY_BUFFER, vertices);
    glVertexAttribPointer(0, 4, GL_FLOAT, false, sizeof(struct vertex), NULL);
    glVertexAttribPointer(1, 2, GL_FLOAT, false, sizeof(struct vertex),
                          (void *)offsetof(struct vertex, a));
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    GLuint fetch = sweep_sample_reader();
    glViewport(0, 0, SIDE_PX, SIDE_PX);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    for (samples = 2; samples <= sweep_most_samples(); samples *= 2)
        run_samples(fetch);
    glDisable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glDisableVertexAttribArray(0);
    glDisableVertexAttribArray(1);
    glDeleteBuffers(1, &vertices);
    glDeleteProgram(fetch);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)before);
}
