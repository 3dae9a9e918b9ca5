/* sweep_adjacency.c: primitives with adjacency: lines, triangles and strips of
 * them, with any number of vertices, restarts, several instances, with a
 * geometry shader that sees all vertices and without one. The results come back
 * through transform feedback and must follow OpenGL 4.6, 10.1.11 to 10.1.14 and
 * table 10.1. */
#include "sweep.h"

#include <stdio.h>
#include <string.h>

#define MAX_INDICES 64
#define MAX_PRIMS 256
#define RESTART 0xffffu

static const struct mode {
    const char *name;
    GLenum draw;
    unsigned seen;   /* vertices a geometry shader gets */
    unsigned corner; /* vertices without adjacent ones */
} modes[] = {
    {"lines", GL_LINES_ADJACENCY, 4, 2},
    {"line_strip", GL_LINE_STRIP_ADJACENCY, 4, 2},
    {"triangles", GL_TRIANGLES_ADJACENCY, 6, 3},
    {"triangle_strip", GL_TRIANGLE_STRIP_ADJACENCY, 6, 3},
};

/* Vertex indices in the order of gl_in, then number and instance. */
struct prim {
    int32_t v[6], id, instance;
};

static struct prim want[MAX_PRIMS], seen[MAX_PRIMS];
static unsigned wanted;

/* ---- expected results ---- */

static void
add(const uint16_t *run, const int *order, unsigned count, int id, int instance)
{
    if (wanted >= MAX_PRIMS)
        gl_die("adjacency", "too many primitives");
    struct prim *p = &want[wanted++];
    *p = (struct prim){.id = id, .instance = instance};
    for (unsigned i = 0; i < count; i++)
        p->v[i] = run[order[i]];
}

/* Table 10.1, counted from zero. */
static void
strip_order(int i, int n, int order[6])
{
    bool odd = i % 2, last = i == n - 1;
    order[0] = odd ? 2 * i + 2 : 2 * i;
    order[2] = odd ? 2 * i : 2 * i + 2;
    order[4] = 2 * i + 4;
    order[1] = i == 0 ? 1 : 2 * i - 2;
    int onward = last ? 2 * i + 5 : 2 * i + 6;
    order[3] = odd ? 2 * i + 3 : onward;
    order[5] = odd ? onward : 2 * i + 3;
}

/* Between two restarts; returns the number of primitives. */
static int
expect_run(const struct mode *m, const uint16_t *run, int count, int id,
           int instance)
{
    int n = 0;
    switch (m->draw) {
    case GL_LINES_ADJACENCY:
    case GL_TRIANGLES_ADJACENCY: n = count / (int)m->seen; break;
    case GL_LINE_STRIP_ADJACENCY: n = count - 3; break;
    default: n = (count - 4) / 2;
    }
    for (int i = 0; i < n; i++) {
        int order[6] = {0, 1, 2, 3, 4, 5};
        if (m->draw == GL_TRIANGLE_STRIP_ADJACENCY) {
            strip_order(i, n, order);
        } else {
            int step = m->draw == GL_LINE_STRIP_ADJACENCY ? 1 : (int)m->seen;
            for (unsigned k = 0; k < 6; k++)
                order[k] += i * step;
        }
        add(run, order, m->seen, id + i, instance);
    }
    return n > 0 ? n : 0;
}

static void
expect_all(const struct mode *m, const uint16_t *index, int count,
           int instances)
{
    wanted = 0;
    for (int instance = 0; instance < instances; instance++) {
        int begin = 0, id = 0;
        for (int i = 0; i <= count; i++)
            if (i == count || index[i] == RESTART) {
                id += expect_run(m, index + begin, i - begin, id, instance);
                begin = i + 1;
            }
    }
}

/* ---- actual results ---- */

static const char *const vs = GLSL
    "flat out int id, instance; void main(){ id = gl_VertexID;"
    "instance = gl_InstanceID; gl_Position = vec4(0, 0, 0, 1); }";

static GLuint
make_program(const struct mode *m)
{
    static const char *const varyings[] = {"v0", "v1", "v2",   "v3",
                                           "v4", "v5", "prim", "of"};
    char text[1024];
    snprintf(text, sizeof text,
             GLSL "layout(%s) in; layout(points, max_vertices = 1) out;"
                  "flat in int id[], instance[];"
                  "flat out int v0, v1, v2, v3, v4, v5, prim, of;"
                  "void main(){ v0 = id[0]; v1 = id[1]; v2 = id[2];"
                  "v3 = id[3]; v4 = %s; v5 = %s; prim = gl_PrimitiveIDIn;"
                  "of = instance[0]; gl_Position = vec4(0, 0, 0, 1);"
                  "EmitVertex(); }",
             m->seen == 4 ? "lines_adjacency" : "triangles_adjacency",
             m->seen == 4 ? "0" : "id[4]", m->seen == 4 ? "0" : "id[5]");
    GLuint p = glCreateProgram();
    glAttachShader(p, gl_shader(GL_VERTEX_SHADER, vs));
    glAttachShader(p, gl_shader(GL_GEOMETRY_SHADER, text));
    glTransformFeedbackVaryings(p, 8, varyings, GL_INTERLEAVED_ATTRIBS);
    return gl_link(p);
}

/* Returns the number of primitives. */
static unsigned
draw(const struct mode *m, int count, int instances)
{
    GLuint query, written = 0;
    memset(seen, 0xcc, sizeof seen);
    glBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof seen, seen);
    glGenQueries(1, &query);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
    glBeginTransformFeedback(GL_POINTS);
    glDrawElementsInstanced(m->draw, count, GL_UNSIGNED_SHORT, NULL, instances);
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &written);
    glDeleteQueries(1, &query);
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof seen, seen);
    return written;
}

static void
make_indices(uint16_t index[MAX_INDICES], int count, bool restart)
{
    for (int i = 0; i < count; i++)
        index[i] = restart && sweep_random(9) == 0
                       ? (uint16_t)RESTART
                       : (uint16_t)sweep_random(1000);
}

static void
run_feedback(const struct mode *m, int count, bool restart, int instances,
             unsigned number)
{
    uint16_t index[MAX_INDICES];
    make_indices(index, count, restart);
    glBufferSubData(GL_ELEMENT_ARRAY_BUFFER, 0, sizeof index, index);
    expect_all(m, index, count, instances);
    unsigned written = draw(m, count, instances), bad = 0, first = 0;
    for (unsigned i = 0; i < wanted; i++)
        if (memcmp(&seen[i], &want[i], sizeof want[i]) && !bad++)
            first = i;
    const int32_t *s = seen[first].v, *w = want[first].v;
    sweep_verdict(sweep_name("adjacency.%s.gs%s.%dx%d.%u", m->name,
                             restart ? ".restart" : "", count, instances,
                             number),
                  !bad && written == wanted,
                  "%u primitives, not %u; %u differ, the first is %u: "
                  "%d %d %d %d %d %d id %d of %d, not %d %d %d %d %d %d id %d "
                  "of %d",
                  written, wanted, bad, first, s[0], s[1], s[2], s[3], s[4],
                  s[5], seen[first].id, seen[first].instance, w[0], w[1], w[2],
                  w[3], w[4], w[5], want[first].id, want[first].instance);
}

/* ---- without a geometry shader -------------------------------------------
 *
 * The picture is the one of the lines and triangles alone. */

#define SIDE_PX 48
static float pictures[2][SIDE_PX * SIDE_PX][4];

static GLuint
make_picture_program(void)
{
    return gl_program(
        GLSL "flat out vec4 color; void main(){ uint h ="
             " uint(gl_VertexID) * 2654435761u ^ uint(gl_VertexID) << 7;"
             "h ^= h >> 15; h *= 2246822519u;"
             "gl_Position = vec4(vec2(h & 1023u, h >> 10 & 1023u) / 512 - 1,"
             " 0, 1); color = vec4(gl_VertexID, h >> 20 & 255u, 1, 0); }",
        GLSL "flat in vec4 color; out vec4 o; void main(){ o = color; }");
}

static void
draw_picture(GLenum mode, const uint16_t *index, int count, float to[][4])
{
    glBufferSubData(GL_ELEMENT_ARRAY_BUFFER, 0, count * 2, index);
    glClear(GL_COLOR_BUFFER_BIT);
    glDrawElements(mode, count, GL_UNSIGNED_SHORT, NULL);
    glReadPixels(0, 0, SIDE_PX, SIDE_PX, GL_RGBA, GL_FLOAT, to);
}

static void
run_picture(const struct mode *m, int count, bool restart, unsigned number)
{
    uint16_t index[MAX_INDICES], corners[MAX_PRIMS * 3];
    make_indices(index, count, restart);
    expect_all(m, index, count, 1);
    int n = 0;
    for (unsigned i = 0; i < wanted; i++)
        for (unsigned k = 0; k < m->corner; k++)
            corners[n++] = (uint16_t)want[i].v[m->corner == 2 ? k + 1 : 2 * k];
    draw_picture(m->draw, index, count, pictures[0]);
    draw_picture(m->corner == 2 ? GL_LINES : GL_TRIANGLES, corners, n,
                 pictures[1]);
    unsigned bad = 0, drawn = 0;
    for (unsigned i = 0; i < SIDE_PX * SIDE_PX; i++) {
        bad += memcmp(pictures[0][i], pictures[1][i], sizeof pictures[0][i]) !=
               0;
        drawn += pictures[1][i][2] > 0;
    }
    sweep_verdict(sweep_name("adjacency.%s.plain%s.%d.%u", m->name,
                             restart ? ".restart" : "", count, number),
                  !bad, "%u of %u pixels differ, %u primitives", bad, drawn,
                  wanted);
}

/* ---- cases ---- */

static void
run_mode(const struct mode *m)
{
    unsigned most = sweep_large ? 2000 : 40;
    if (sweep_begin(sweep_name("adjacency.%s.gs", m->name))) {
        glEnable(GL_RASTERIZER_DISCARD);
        GLuint program = make_program(m);
        for (int count = 0; count <= 20; count++)
            run_feedback(m, count, false, 1, 0);
        for (unsigned i = 0; i < most; i++)
            run_feedback(m, (int)sweep_random(MAX_INDICES + 1), true,
                         1 + (int)sweep_random(3), i);
        glDeleteProgram(program);
        glDisable(GL_RASTERIZER_DISCARD);
    }
    if (sweep_begin(sweep_name("adjacency.%s.plain", m->name))) {
        GLuint program = make_picture_program();
        for (int count = 0; count <= 20; count++)
            run_picture(m, count, false, 0);
        for (unsigned i = 0; i < most / 2; i++)
            run_picture(m, (int)sweep_random(MAX_INDICES + 1), true, i);
        glDeleteProgram(program);
    }
}

void
sweep_adjacency(void)
{
    sweep_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 0, NULL, sizeof seen);
    GLuint elements, target = sweep_target(GL_RGBA32F, SIDE_PX, SIDE_PX);
    glGenBuffers(1, &elements);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, elements);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, MAX_PRIMS * 3 * 2, NULL,
                 GL_STREAM_DRAW);
    glEnable(GL_PRIMITIVE_RESTART);
    glPrimitiveRestartIndex(RESTART);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    for (unsigned i = 0; i < COUNT(modes); i++)
        run_mode(&modes[i]);
    sweep_free_target(target);
}
