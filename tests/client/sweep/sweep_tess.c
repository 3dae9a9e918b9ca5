/* sweep_tess.c: tessellation: positions of vertices and connectivity of
 * triangles, for random levels. Checks the promises of the specification: edges
 * are exactly symmetric and do not depend on the other levels, areas add up.
 * The vertices themselves are compared with llvmpipe's. */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VERTICES 40000

struct vertex {
    float at[3];
};

enum domain { TRIANGLES, QUADS, ISOLINES };
static const char *const domains[] = {"triangles", "quads", "isolines"};
static const char *const spacings[] = {
    "equal_spacing", "fractional_even_spacing", "fractional_odd_spacing"};

struct levels {
    float outer[4], inner[2];
};

static GLuint
make_program(enum domain domain, const char *spacing, bool points)
{
    static const char *const varyings[] = {"at"};
    char tes[512];
    snprintf(tes, sizeof tes,
             GLSL "layout(%s, %s, ccw%s) in; out vec3 at;"
                  "void main(){ at = gl_TessCoord; gl_Position = vec4(0); }",
             domains[domain], spacing, points ? ", point_mode" : "");
    GLuint p = glCreateProgram();
    const struct {
        GLenum stage;
        const char *source;
    } stages[] = {
        {GL_VERTEX_SHADER, GLSL "void main(){ gl_Position = vec4(0); }"},
        {GL_TESS_CONTROL_SHADER,
         GLSL "layout(vertices = 1) out; uniform vec4 outer; uniform vec2 "
              "inner; void main(){ gl_TessLevelInner[0] = inner.x;"
              "gl_TessLevelInner[1] = inner.y; gl_TessLevelOuter[0] = outer.x;"
              "gl_TessLevelOuter[1] = outer.y; gl_TessLevelOuter[2] = outer.z;"
              "gl_TessLevelOuter[3] = outer.w; }"},
        {GL_TESS_EVALUATION_SHADER, tes},
    };
    for (unsigned i = 0; i < COUNT(stages); i++) {
        GLuint s = gl_shader(stages[i].stage, stages[i].source);
        glAttachShader(p, s);
        glDeleteShader(s);
    }
    glTransformFeedbackVaryings(p, 1, varyings, GL_INTERLEAVED_ATTRIBS);
    return gl_link(p);
}

static unsigned
tessellate(GLuint program, const struct levels *l, GLenum mode,
           struct vertex *out)
{
    static GLuint query;
    GLuint written;
    if (!query)
        glGenQueries(1, &query);
    glUniform4fv(glGetUniformLocation(program, "outer"), 1, l->outer);
    glUniform2fv(glGetUniformLocation(program, "inner"), 1, l->inner);
    glPatchParameteri(GL_PATCH_VERTICES, 1);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
    glBeginTransformFeedback(mode);
    glDrawArrays(GL_PATCHES, 0, 1);
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &written);
    unsigned count = written * (mode == GL_TRIANGLES ? 3
                                : mode == GL_LINES   ? 2
                                                     : 1);
    if (count > MAX_VERTICES)
        gl_die("tessellation", "too many vertices");
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0,
                       (GLsizeiptr)(count * sizeof *out), out);
    return count;
}

static int
compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Each coordinate is sorted by itself: small errors then do not reorder
 * vertices. */
static void
report_points(const char *name, const struct vertex *v, unsigned count)
{
    static float sorted[3 * MAX_VERTICES];
    for (unsigned c = 0; c < 3; c++) {
        float *one = sorted + c * count;
        for (unsigned i = 0; i < count; i++)
            one[i] = v[i].at[c];
        qsort(one, count, sizeof *one, compare_floats);
    }
    /* llvmpipe's fixed-point steps of 1/65536 add up, to 14 of them within 60
     * segments; a segment is 80 times as long. */
    sweep_values(name, 2.5e-4, 0, sorted, (size_t)count * 3);
}

/* Positions along an edge, in order, each once. */
static unsigned
edge_positions(enum domain domain, unsigned edge, const struct vertex *v,
               unsigned count, float *out)
{
    unsigned n = 0, unique = 0;
    for (unsigned i = 0; i < count; i++) {
        const float *p = v[i].at;
        if (domain == TRIANGLES) {
            if (p[edge] == 0)
                out[n++] = p[(edge + 1) % 3];
        } else {
            static const unsigned char fixed[] = {0, 1, 0, 1};
            static const float at[] = {0, 0, 1, 1};
            if (p[fixed[edge]] == at[edge])
                out[n++] = p[!fixed[edge]];
        }
    }
    qsort(out, n, sizeof *out, compare_floats);
    for (unsigned i = 0; i < n; i++)
        if (!unique || out[unique - 1] != out[i])
            out[unique++] = out[i];
    return unique;
}

static unsigned
segments_of(float level, unsigned spacing)
{
    float low = spacing == 1 ? 2 : 1, high = spacing == 2 ? 63 : 64;
    level = fminf(fmaxf(level, low), high);
    unsigned n = (unsigned)ceilf(level);
    if (spacing == 1)
        n += n & 1;
    if (spacing == 2)
        n += !(n & 1);
    return n;
}

/* The edges of one patch must have the requested segments, and be symmetric. */
static const char *
edge_problem(enum domain domain, unsigned spacing, const struct levels *l,
             const struct vertex *v, unsigned count)
{
    static float at[MAX_VERTICES];
    for (unsigned e = 0; e < (domain == TRIANGLES ? 3 : 4); e++) {
        unsigned n = edge_positions(domain, e, v, count, at);
        if (n != segments_of(l->outer[e], spacing) + 1)
            return sweep_name("edge %u has %u positions", e, n);
        for (unsigned i = 0; i < n; i++)
            if (at[i] != 1 - at[n - 1 - i])
                return sweep_name("edge %u has %.9g, but %.9g", e,
                                  (double)at[i], (double)at[n - 1 - i]);
    }
    return NULL;
}

static const char *
triangles_problem(enum domain domain, const struct vertex *v, unsigned count)
{
    double area = 0;
    for (unsigned i = 0; i + 2 < count; i += 3) {
        const float *a = v[i].at, *b = v[i + 1].at, *c = v[i + 2].at;
        double one = ((double)b[0] - (double)a[0]) *
                         ((double)c[1] - (double)a[1]) -
                     ((double)b[1] - (double)a[1]) *
                         ((double)c[0] - (double)a[0]);
        if (one < 0)
            return sweep_name("triangle %u is turned", i / 3);
        area += one / 2;
    }
    double want = domain == TRIANGLES ? 0.5 : 1;
    if (fabs(area - want) > 1e-5)
        return sweep_name("the area is %g", area);
    for (unsigned i = 0; i < count && domain == TRIANGLES; i++)
        if (v[i].at[0] + v[i].at[1] + v[i].at[2] != 1 &&
            fabsf(v[i].at[0] + v[i].at[1] + v[i].at[2] - 1) > 1e-6f)
            return sweep_name("vertex %u is off the plane", i);
    return NULL;
}

static void
run_case(enum domain domain, unsigned spacing, GLuint program, GLuint points,
         unsigned number)
{
    static struct vertex v[MAX_VERTICES];
    struct levels l;
    bool whole = sweep_random(3) == 0, small = sweep_random(2);
    for (unsigned i = 0; i < 6; i++) {
        float level = sweep_uniform(0.3f, small ? 7 : 66);
        level = whole ? floorf(level) + 1 : level;
        *(i < 4 ? &l.outer[i] : &l.inner[i - 4]) = level;
    }
    /* Less than one and odd: inner vertices that touch the edges. */
    for (unsigned i = 0; i < 2 && spacing == 2; i++)
        l.inner[i] = fmaxf(l.inner[i], 1.25f);
    GLenum mode = domain == ISOLINES ? GL_LINES : GL_TRIANGLES;
    glUseProgram(program);
    unsigned count = tessellate(program, &l, mode, v);
    const char *problem = NULL;
    if (domain != ISOLINES)
        problem = edge_problem(domain, spacing, &l, v, count);
    if (domain != ISOLINES && !problem)
        problem = triangles_problem(domain, v, count);
    char what[200];
    snprintf(what, sizeof what, "%s", problem ? problem : "");
    sweep_verdict(
        sweep_name("tess.%s.%s.%u", domains[domain], spacings[spacing], number),
        !problem, "%s; outer %g %g %g %g inner %g %g", what, (double)l.outer[0],
        (double)l.outer[1], (double)l.outer[2], (double)l.outer[3],
        (double)l.inner[0], (double)l.inner[1]);
    float n = (float)count;
    sweep_values(sweep_name("tess.count.%s.%s.%u", domains[domain],
                            spacings[spacing], number),
                 0, 0, &n, 1);
    glUseProgram(points);
    count = tessellate(points, &l, GL_POINTS, v);
    report_points(sweep_name("tess.points.%s.%s.%u", domains[domain],
                             spacings[spacing], number),
                  v, count);
}

void
sweep_tess(void)
{
    glEnable(GL_RASTERIZER_DISCARD);
    sweep_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 0, NULL,
                 MAX_VERTICES * sizeof(struct vertex));
    for (enum domain d = TRIANGLES; d <= ISOLINES; d++)
        for (unsigned s = 0; s < COUNT(spacings); s++) {
            if (!sweep_begin(sweep_name("tess.%s.%s", domains[d], spacings[s])))
                continue;
            GLuint program = make_program(d, spacings[s], false);
            GLuint points = make_program(d, spacings[s], true);
            for (unsigned i = 0; i < (sweep_large ? 200 : 12); i++)
                run_case(d, s, program, points, i);
            glDeleteProgram(program);
            glDeleteProgram(points);
        }
    glDisable(GL_RASTERIZER_DISCARD);
}
