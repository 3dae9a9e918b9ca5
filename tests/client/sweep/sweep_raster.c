/* sweep_raster.c: rasterisation: meshes without cracks or double hits;
 * triangles, lines and points against the rules of the specification;
 * interpolation against exact planes. Pixels within a 128th of a pixel from an
 * edge may be covered or not. */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE_PX 64
#define AREA_PX (SIDE_PX * SIDE_PX)
#define SLACK_PX (1.0 / 128)

struct vertex {
    float pos[4], value[4];
};

struct view {
    float x, y, width, height;
};

static const char vs[] = GLSL
    "layout(location = 0) in vec4 pos; layout(location = 1) in vec4 value;"
    "out vec4 s; noperspective out vec4 n; centroid out vec4 c;"
    "uniform float size;"
    "void main(){ gl_Position = pos; s = value; n = value; c = value;"
    "gl_PointSize = size; }";
static const char fs_one[] = GLSL "out vec4 o; void main(){ o = vec4(1); }";
static const char fs_smooth[] = GLSL
    "in vec4 s; out vec4 o; void main(){ o = s; }";
static const char fs_straight[] = GLSL
    "noperspective in vec4 n; out vec4 o; void main(){ o = n; }";
static const char fs_coord[] = GLSL
    "out vec4 o; void main(){ o = gl_FragCoord; }";

static void
draw(GLenum mode, const struct vertex *v, unsigned count)
{
    static GLuint buffer;
    if (!buffer) {
        glGenBuffers(1, &buffer);
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof *v, NULL);
        glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof *v,
                              (const void *)offsetof(struct vertex, value));
        glEnableVertexAttribArray(0);
        glEnableVertexAttribArray(1);
    }
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *v), v,
                 GL_STREAM_DRAW);
    glDrawArrays(mode, 0, (GLsizei)count);
}

static void
clear(void)
{
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
}

static void
to_window(const struct view *view, const struct vertex *v, double out[4])
{
    double w = (double)v->pos[3];
    out[0] = ((double)v->pos[0] / w * 0.5 + 0.5) * (double)view->width +
             (double)view->x;
    out[1] = ((double)v->pos[1] / w * 0.5 + 0.5) * (double)view->height +
             (double)view->y;
    out[2] = (double)v->pos[2] / w * 0.5 + 0.5;
    out[3] = 1 / w;
}

/* ---- meshes ---- */

#define CELLS 9

/* Covers more than the viewport, in any order and winding. */
static unsigned
make_mesh(struct vertex *out, float scale, bool perspective)
{
    struct vertex grid[CELLS + 1][CELLS + 1];
    unsigned n = 0;
    for (int y = 0; y <= CELLS; y++)
        for (int x = 0; x <= CELLS; x++) {
            struct vertex *v = &grid[y][x];
            bool inner = x && y && x < CELLS && y < CELLS;
            float jitter = inner ? 0.24f : 0;
            float w = perspective ? sweep_uniform(0.2f, 5) : 1;
            *v = (struct vertex){.pos = {0}};
            v->pos[0] = ((float)x + sweep_uniform(-jitter, jitter)) / CELLS * 2;
            v->pos[1] = ((float)y + sweep_uniform(-jitter, jitter)) / CELLS * 2;
            v->pos[0] = (v->pos[0] - 1) * scale * w;
            v->pos[1] = (v->pos[1] - 1) * scale * w;
            v->pos[3] = w;
        }
    for (int y = 0; y < CELLS; y++)
        for (int x = 0; x < CELLS; x++) {
            const struct vertex *q[4] = {&grid[y][x], &grid[y][x + 1],
                                         &grid[y + 1][x], &grid[y + 1][x + 1]};
            static const int corners[2][6] = {{0, 1, 2, 2, 3, 1},
                                              {0, 1, 3, 2, 0, 3}};
            unsigned which = sweep_random(2), turn = sweep_random(3);
            for (unsigned i = 0; i < 6; i++)
                out[n++] = *q[corners[which][i / 3 * 3 + (i + turn) % 3]];
        }
    return n;
}

static void
run_mesh(const char *name, float scale, bool perspective, int samples)
{
    static float seen[AREA_PX][4];
    struct vertex mesh[CELLS * CELLS * 6];
    GLuint fbo, texture, target = sweep_target(GL_RGBA32F, SIDE_PX, SIDE_PX);
    unsigned bad = 0, where = 0, count = make_mesh(mesh, scale, perspective);
    GLint plain;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &plain);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glCreateTextures(GL_TEXTURE_2D_MULTISAMPLE, 1, &texture);
    glTextureStorage2DMultisample(texture, samples, GL_R16F, SIDE_PX, SIDE_PX,
                                  GL_TRUE);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
    clear();
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    GLuint program = gl_program(vs, fs_one);
    draw(GL_TRIANGLES, mesh, count);
    glDisable(GL_BLEND);
    glDeleteProgram(program);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)plain);
    program = sweep_fullscreen(
        GLSL "uniform sampler2DMS t; uniform int n; out vec4 o; void main(){"
             "float low = 9, high = 0; for (int i = 0; i < n; i++) {"
             "float v = texelFetch(t, ivec2(gl_FragCoord), i).x;"
             "low = min(low, v); high = max(high, v); }"
             "o = vec4(low, high, 0, 0); }");
    glUniform1i(glGetUniformLocation(program, "n"), samples);
    glBindTextureUnit(0, texture);
    sweep_draw();
    glReadPixels(0, 0, SIDE_PX, SIDE_PX, GL_RGBA, GL_FLOAT, seen);
    for (unsigned i = 0; i < AREA_PX; i++)
        if ((seen[i][0] != 1 || seen[i][1] != 1) && !bad++)
            where = i;
    sweep_verdict(name, !bad, "%u pixels, the first at %u %u: %g to %g times",
                  bad, where % SIDE_PX, where / SIDE_PX, (double)seen[where][0],
                  (double)seen[where][1]);
    glDeleteProgram(program);
    glDeleteFramebuffers(1, &fbo);
    glDeleteTextures(1, &texture);
    sweep_free_target(target);
}

static void
run_meshes(void)
{
    static const float scales[] = {1.0625f, 1.5f, 7, 60, 400};
    for (unsigned s = 0; s < COUNT(scales); s++)
        for (int samples = 1; samples <= sweep_most_samples(); samples *= 2)
            for (unsigned p = 0; p < 2; p++)
                for (unsigned i = 0; i < (sweep_large ? 20 : 2); i++)
                    run_mesh(sweep_name("raster.mesh.x%g.%dms.%s.%u",
                                        (double)scales[s], samples,
                                        p ? "perspective" : "affine", i),
                             scales[s], p, samples);
}

/* ---- triangles ---- */

struct triangle {
    double at[3][4]; /* window coordinates, 1/w */
    double area;
};

/* Barycentric coordinates on the screen. */
static void
barycentric(const struct triangle *t, double x, double y, double b[3])
{
    for (unsigned i = 0; i < 3; i++) {
        const double *p = t->at[(i + 1) % 3], *q = t->at[(i + 2) % 3];
        b[i] = ((q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])) /
               t->area;
    }
}

/* 1: inside, 0: outside, -1: undecided. */
static int
covers(const struct triangle *t, double x, double y)
{
    int inside = 1;
    for (unsigned i = 0; i < 3; i++) {
        const double *p = t->at[(i + 1) % 3], *q = t->at[(i + 2) % 3];
        double length = hypot(q[0] - p[0], q[1] - p[1]);
        double off = ((q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])) /
                     length * (t->area < 0 ? -1 : 1);
        if (off < -SLACK_PX)
            return 0;
        if (off < SLACK_PX)
            inside = -1;
    }
    return inside;
}

static double
value_at(const struct triangle *t, const struct vertex *v, unsigned c,
         bool perspective, double x, double y)
{
    double b[3], sum = 0, weight = 0;
    barycentric(t, x, y, b);
    for (unsigned i = 0; i < 3; i++) {
        double w = perspective ? b[i] * t->at[i][3] : b[i];
        sum += w * (double)v[i].value[c];
        weight += w;
    }
    return sum / weight;
}

static bool
value_fits(const struct triangle *t, const struct vertex *v, bool perspective,
           double x, double y, const float seen[4], double *want)
{
    for (unsigned c = 0; c < 4; c++) {
        double low = INFINITY, high = -INFINITY;
        for (unsigned i = 0; i < 9; i++) {
            double at = value_at(t, v, c, perspective,
                                 x + ((int)(i % 3) - 1) * SLACK_PX,
                                 y + ((int)(i / 3) - 1) * SLACK_PX);
            low = fmin(low, at);
            high = fmax(high, at);
        }
        double slack = 2e-5 + (high - low) * 0.5;
        *want = (low + high) / 2;
        if (!((double)seen[c] >= low - slack &&
              (double)seen[c] <= high + slack))
            return false;
    }
    return true;
}

enum kind { SMOOTH, STRAIGHT, COORD };
static const char *const kind_names[] = {"smooth", "noperspective", "coord"};

static void
random_triangle(struct vertex v[3], const struct view *view, struct triangle *t,
                bool perspective)
{
    do {
        for (unsigned i = 0; i < 3; i++) {
            float w = perspective ? sweep_uniform(0.3f, 4) : 1;
            v[i].pos[0] = sweep_uniform(-1.6f, 1.6f) * w;
            v[i].pos[1] = sweep_uniform(-1.6f, 1.6f) * w;
            v[i].pos[2] = sweep_uniform(-0.95f, 0.95f) * w;
            v[i].pos[3] = w;
            for (unsigned c = 0; c < 4; c++)
                v[i].value[c] = sweep_uniform(0, 1);
            to_window(view, &v[i], t->at[i]);
        }
        const double(*p)[4] = t->at;
        t->area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) -
                  (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
    } while (fabs(t->area) < 20);
}

static void
run_triangle(const char *name, enum kind kind, bool perspective)
{
    static float seen[AREA_PX][4];
    struct view view = {sweep_uniform(-9, 9), sweep_uniform(-9, 9),
                        sweep_uniform(30, 90), sweep_uniform(30, 90)};
    struct vertex v[3];
    struct triangle t;
    unsigned cover = 0, value = 0, where = 0;
    double want = 0, w;
    random_triangle(v, &view, &t, perspective);
    glViewportIndexedf(0, view.x, view.y, view.width, view.height);
    glClearColor(-7, -7, -7, -7);
    glClear(GL_COLOR_BUFFER_BIT);
    draw(GL_TRIANGLES, v, 3);
    glReadPixels(0, 0, SIDE_PX, SIDE_PX, GL_RGBA, GL_FLOAT, seen);
    for (unsigned i = 0; i < 3 && kind == COORD; i++) {
        const double *at = t.at[i];
        v[i].value[0] = (float)at[0];
        v[i].value[1] = (float)at[1];
        v[i].value[2] = (float)at[2];
        v[i].value[3] = (float)at[3];
    }
    for (unsigned i = 0; i < AREA_PX; i++) {
        double x = i % SIDE_PX + 0.5, y = i / SIDE_PX + 0.5;
        bool in_view = x - 0.5 > (double)view.x && y - 0.5 > (double)view.y &&
                       x + 0.5 < (double)(view.x + view.width) &&
                       y + 0.5 < (double)(view.y + view.height);
        int inside = covers(&t, x, y);
        bool drawn = seen[i][0] != -7;
        /* The specification leaves open which of the pixels on the viewport's
         * edges are inside. */
        if (!in_view)
            continue;
        if (inside >= 0 && drawn != inside) {
            cover++;
            where = i;
        }
        if (drawn && inside > 0 &&
            !value_fits(&t, v, kind == SMOOTH, x, y, seen[i], &w) && !value++) {
            where = i;
            want = w;
        }
    }
    sweep_verdict(name, !cover && !value,
                  "%u pixels of cover, %u values, at %u %u: %.9g %.9g %.9g "
                  "%.9g, one is not %.9g",
                  cover, value, where % SIDE_PX, where / SIDE_PX,
                  (double)seen[where][0], (double)seen[where][1],
                  (double)seen[where][2], (double)seen[where][3], want);
}

static void
run_triangles(void)
{
    const char *const sources[] = {fs_smooth, fs_straight, fs_coord};
    for (enum kind kind = 0; kind <= COORD; kind++) {
        GLuint program = gl_program(vs, sources[kind]);
        for (unsigned i = 0; i < (sweep_large ? 1000 : 60); i++)
            run_triangle(
                sweep_name("raster.triangle.%s.%u", kind_names[kind], i), kind,
                i % 2);
        glDeleteProgram(program);
    }
}

/* ---- lines and points ---- */

/* L1 distance of a pixel's centre from the segment. */
static double
diamond_distance(const double a[2], const double b[2], double x, double y)
{
    double dx = b[0] - a[0], dy = b[1] - a[1], least = INFINITY;
    const double stops[] = {0, 1, dx != 0 ? (x - a[0]) / dx : 0,
                            dy != 0 ? (y - a[1]) / dy : 0};
    for (unsigned i = 0; i < COUNT(stops); i++) {
        double t = fmin(fmax(stops[i], 0), 1);
        least = fmin(least, fabs(a[0] + t * dx - x) + fabs(a[1] + t * dy - y));
    }
    return least;
}

/* 1: the line leaves the diamond of the pixel, 0: it does not, -1: undecided.
 */
static int
line_covers(const double a[2], const double b[2], double x, double y)
{
    double near = diamond_distance(a, b, x, y) - 0.5;
    double end = fabs(b[0] - x) + fabs(b[1] - y) - 0.5;
    if (near > SLACK_PX)
        return 0;
    if (near > -SLACK_PX || fabs(end) < SLACK_PX)
        return -1;
    return end > 0;
}

/* Wide lines are columns or rows of pixels around the thin line. Which one is
 * last depends on the hardware. */
static int
wide_line_covers(const double a[2], const double b[2], double x, double y,
                 int width)
{
    bool x_major = fabs(b[0] - a[0]) >= fabs(b[1] - a[1]);
    int minor = x_major ? 1 : 0, all = 0;
    double along = x_major ? x : y;
    if (width > 1 &&
        (fabs(along - a[1 - minor]) < 1 || fabs(along - b[1 - minor]) < 1))
        return -1;
    double shift = (width - 1) / 2.0;
    const double a2[] = {a[0] - (minor == 0 ? shift : 0),
                         a[1] - (minor == 1 ? shift : 0)};
    const double b2[] = {b[0] - (minor == 0 ? shift : 0),
                         b[1] - (minor == 1 ? shift : 0)};
    for (int i = 0; i < width; i++) {
        int one = line_covers(a2, b2, x - (minor == 0 ? i : 0),
                              y - (minor == 1 ? i : 0));
        if (one == 1)
            return 1;
        if (one < 0)
            all = -1;
    }
    return all;
}

static int
point_covers(const double at[2], double x, double y, double size)
{
    double off = fmax(fabs(at[0] - x), fabs(at[1] - y)) - size / 2;
    return off > SLACK_PX ? 0 : off > -SLACK_PX ? -1 : 1;
}

static void
run_thin(const char *name, GLenum mode, float size, GLuint program)
{
    static float seen[AREA_PX][4];
    const struct view view = {0, 0, SIDE_PX, SIDE_PX};
    struct vertex v[2] = {{.pos = {0, 0, 0, 1}}, {.pos = {0, 0, 0, 1}}};
    double at[2][4];
    unsigned bad = 0, where = 0, grain = sweep_random(2) ? 2 : 256;
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned d = 0; d < 2; d++)
            v[i].pos[d] = (float)((int)sweep_random(SIDE_PX * grain) -
                                  (int)(SIDE_PX * grain / 2)) /
                          (float)(SIDE_PX * grain / 2) * 0.9f;
        to_window(&view, &v[i], at[i]);
    }
    glLineWidth(size);
    glProgramUniform1f(program, glGetUniformLocation(program, "size"), size);
    clear();
    draw(mode, v, mode == GL_POINTS ? 1 : 2);
    glReadPixels(0, 0, SIDE_PX, SIDE_PX, GL_RGBA, GL_FLOAT, seen);
    for (unsigned i = 0; i < AREA_PX; i++) {
        double x = i % SIDE_PX + 0.5, y = i / SIDE_PX + 0.5;
        int inside = mode == GL_POINTS
                         ? point_covers(at[0], x, y, (double)size)
                         : wide_line_covers(at[0], at[1], x, y, (int)size);
        if (inside >= 0 && (seen[i][0] != 0) != inside && !bad++)
            where = i;
    }
    sweep_verdict(name, !bad,
                  "%u pixels, the first at %u %u is %g; (%.9g %.9g) (%.9g "
                  "%.9g)",
                  bad, where % SIDE_PX, where / SIDE_PX, (double)seen[where][0],
                  at[0][0], at[0][1], at[1][0], at[1][1]);
}

static void
run_lines_and_points(void)
{
    static const float sizes[] = {1, 1.5f, 2, 3.25f, 5, 16};
    GLuint program = gl_program(vs, fs_one);
    glEnable(GL_PROGRAM_POINT_SIZE);
    for (unsigned i = 0; i < (sweep_large ? 2000 : 60); i++) {
        run_thin(sweep_name("raster.line.1.%u", i), GL_LINES, 1, program);
        if (i % 2)
            run_thin(sweep_name("raster.line.%u.%u", 2 + i % 4, i), GL_LINES,
                     (float)(2 + i % 4), program);
        float size = sizes[i % COUNT(sizes)];
        run_thin(sweep_name("raster.point.%g.%u", (double)size, i), GL_POINTS,
                 size, program);
    }
    glLineWidth(1);
    glDeleteProgram(program);
}

void
sweep_raster(void)
{
    if (sweep_begin("raster.mesh"))
        run_meshes();
    GLuint target = sweep_target(GL_RGBA32F, SIDE_PX, SIDE_PX);
    if (sweep_begin("raster.triangle"))
        run_triangles();
    glViewport(0, 0, SIDE_PX, SIDE_PX);
    if (sweep_begin("raster.thin"))
        run_lines_and_points();
    sweep_free_target(target);
}
