/* sweep_layers.c: layers, viewports and distances. A geometry or vertex shader
 * sends random triangles to layers of an array and to viewports with scissors
 * of their own. Random distances clip and cull them. Every pixel must show the
 * last triangle that covers it. Within a 64th of a pixel from an edge both
 * results are correct. */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIDE_PX 24
#define AREA_PX (SIDE_PX * SIDE_PX)
#define LAYERS 5
#define VIEWPORTS 6
#define PRIMS 24
#define SLACK_PX (1.0 / 64)

struct vertex {
    float x, y, clip[2], cull[2], layer, viewport;
};

static struct vertex vertices[PRIMS * 3];
static float viewport[VIEWPORTS][4];
static int scissor[VIEWPORTS][4];
static uint32_t seen[LAYERS][AREA_PX];

static const struct kind {
    const char *name, *stage; /* stage: writes layer and viewport */
    bool clips, culls;
} kinds[] = {
    {"geometry", "gs", false, false},    {"geometry.clip", "gs", true, false},
    {"geometry.cull", "gs", true, true}, {"vertex", "vs", false, false},
    {"vertex.clip", "vs", true, false},  {"vertex.cull", "vs", true, true},
    {"evaluation", "tes", true, true},
};

/* ---- the reference ---- */

/* Linear over the triangle: value and change per pixel at a place. */
static double
plane_at(const double x[3], const double y[3], const double v[3], double px,
         double py, double *step)
{
    double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    double dx = ((v[1] - v[0]) * (y[2] - y[0]) -
                 (v[2] - v[0]) * (y[1] - y[0])) /
                area;
    double dy = ((v[2] - v[0]) * (x[1] - x[0]) -
                 (v[1] - v[0]) * (x[2] - x[0])) /
                area;
    *step = hypot(dx, dy);
    return v[0] + dx * (px - x[0]) + dy * (py - y[0]);
}

/* 1 inside, 0 near an edge, -1 outside. */
static int
side(double inside, double step)
{
    double near = step * SLACK_PX + 1e-9;
    return inside > near ? 1 : inside < -near ? -1 : 0;
}

static int
covers(const struct kind *k, unsigned prim, double px, double py)
{
    const struct vertex *v = &vertices[prim * 3];
    const float *view = viewport[(int)v->viewport];
    double x[3], y[3], step;
    int all = 1;
    for (unsigned i = 0; i < 3; i++) {
        x[i] = (double)view[0] + ((double)v[i].x + 1) / 2 * (double)view[2];
        y[i] = (double)view[1] + ((double)v[i].y + 1) / 2 * (double)view[3];
    }
    for (unsigned i = 0; i < 3 + (k->clips ? 2 : 0); i++) {
        double corner[3] = {i == 0, i == 1, i == 2};
        if (i >= 3)
            for (unsigned c = 0; c < 3; c++)
                corner[c] = (double)v[c].clip[i - 3];
        double inside = plane_at(x, y, corner, px, py, &step);
        int s = side(inside, step);
        all = s < all ? s : all;
    }
    /* The view volume. */
    double border = fmin(
        fmin(px - (double)view[0], (double)view[0] + (double)view[2] - px),
        fmin(py - (double)view[1], (double)view[1] + (double)view[3] - py));
    int s = side(border, 1);
    all = s < all ? s : all;
    for (unsigned d = 0; d < 2 && k->culls; d++)
        if (v[0].cull[d] < 0 && v[1].cull[d] < 0 && v[2].cull[d] < 0)
            return -1;
    return all;
}

/* Bits of the triangles that a pixel may show; bit 31: none. */
static uint32_t
candidates(const struct kind *k, unsigned layer, int x, int y)
{
    uint32_t set = 1u << 31;
    for (unsigned p = 0; p < PRIMS; p++) {
        const int *s = scissor[(int)vertices[p * 3].viewport];
        if ((unsigned)vertices[p * 3].layer != layer || x < s[0] || y < s[1] ||
            x >= s[0] + s[2] || y >= s[1] + s[3])
            continue;
        int c = covers(k, p, x + 0.5, y + 0.5);
        if (c > 0)
            set = 1u << p;
        else if (c == 0)
            set |= 1u << p;
    }
    return set;
}

static void
judge(const char *name, const struct kind *k)
{
    unsigned bad = 0, at = 0;
    uint32_t want = 0;
    for (unsigned i = 0; i < LAYERS * AREA_PX; i++) {
        unsigned l = i / AREA_PX, px = i % AREA_PX;
        uint32_t set = candidates(k, l, (int)(px % SIDE_PX),
                                  (int)(px / SIDE_PX));
        uint32_t v = seen[l][px];
        if (v < 32 && (set >> v & 1))
            continue;
        if (bad++)
            continue;
        at = i;
        want = set;
    }
    sweep_verdict(name, !bad,
                  "%u pixels, the first is (%u, %u) of layer %u: %u, not one "
                  "of %#x",
                  bad, at % SIDE_PX, at % AREA_PX / SIDE_PX, at / AREA_PX,
                  seen[at / AREA_PX][at % AREA_PX], want);
}

/* ---- drawing ---- */

static void
random_scene(void)
{
    for (unsigned i = 0; i < VIEWPORTS; i++) {
        viewport[i][0] = (float)((int)sweep_random(40) - 16) / 4;
        viewport[i][1] = (float)((int)sweep_random(40) - 16) / 4;
        viewport[i][2] = (float)(4 + sweep_random(100)) / 4;
        viewport[i][3] = (float)(4 + sweep_random(100)) / 4;
        for (unsigned c = 0; c < 4; c++)
            scissor[i][c] = (int)sweep_random(c < 2 ? 10 : SIDE_PX + 4);
    }
    for (unsigned p = 0; p < PRIMS; p++) {
        unsigned layer = sweep_random(LAYERS), view = sweep_random(VIEWPORTS);
        double area;
        struct vertex *v = &vertices[p * 3];
        do {
            for (unsigned i = 0; i < 3; i++) {
                v[i].x = sweep_uniform(-1.2f, 1.2f);
                v[i].y = sweep_uniform(-1.2f, 1.2f);
            }
            area = fabs((double)((v[1].x - v[0].x) * (v[2].y - v[0].y) -
                                 (v[2].x - v[0].x) * (v[1].y - v[0].y)));
        } while (area < 0.3);
        for (unsigned i = 0; i < 3; i++) {
            for (unsigned d = 0; d < 2; d++) {
                v[i].clip[d] = sweep_uniform(-0.6f, 1);
                v[i].cull[d] = sweep_uniform(-1, 0.6f);
            }
            v[i].layer = (float)layer;
            v[i].viewport = (float)view;
        }
    }
}

#define OUTPUTS "out float gl_ClipDistance[2], gl_CullDistance[2];"
#define SET_DISTANCES(d)            \
    "gl_ClipDistance[0] = " d ".x;" \
    "gl_ClipDistance[1] = " d ".y;" \
    "gl_CullDistance[0] = " d ".z;" \
    "gl_CullDistance[1] = " d ".w;"
#define VS_INPUTS                                              \
    "layout(location = 0) in vec2 p; layout(location = 1) in " \
    "vec4 d; layout(location = 2) in vec2 t;"

static GLuint
make_program(const struct kind *k)
{
    static const char fs[] = GLSL
        "flat in int id; out uint o; void main(){ o = uint(id); }";
    /* Distances that are not tested are positive. */
    const char *distances = k->culls   ? "dist = d;"
                            : k->clips ? "dist = vec4(d.xy, 1, 1);"
                                       : "dist = vec4(1);";
    char vs[1200];
    bool own = k->stage[0] == 'v';
    snprintf(
        vs, sizeof vs,
        GLSL
        "#extension GL_ARB_shader_viewport_layer_array : require\n" VS_INPUTS
        "%s void main(){ gl_Position = vec4(p, 0, 1);"
        "vec4 %s %s }",
        own ? "flat out int id;" OUTPUTS
            : "out vec4 dist_v; out vec2 t_v; flat out int id_v;",
        distances,
        own ? SET_DISTANCES(
                  "dist") "id = gl_VertexID / 3;"
                          "gl_Layer = int(t.x); gl_ViewportIndex = int(t.y);"
            : "dist_v = dist; t_v = t; id_v = gl_VertexID / 3;");
    if (own)
        return gl_program(vs, fs);
    if (k->stage[0] == 'g')
        return gl_program5(
            vs, NULL, NULL,
            GLSL "layout(triangles) in; layout(triangle_strip,"
                 " max_vertices = 3) out; in vec4 dist_v[];"
                 "in vec2 t_v[]; flat in int id_v[];"
                 "flat out int id;" OUTPUTS "void main(){"
                 "for (int i = 0; i < 3; i++) {"
                 "gl_Position = gl_in[i].gl_Position;" SET_DISTANCES(
                     "dist_v[i]") "id = id_v[0]; gl_Layer = int(t_v[0].x);"
                                  "gl_ViewportIndex = int(t_v[0].y);"
                                  "EmitVertex(); } }",
            fs);
    return gl_program5(
        vs,
        GLSL "layout(vertices = 3) out; in vec4 dist_v[]; in vec2 t_v[];"
             "flat in int id_v[]; out vec4 dist_t[]; out vec2 t_t[];"
             "out int id_t[]; void main(){"
             "gl_out[gl_InvocationID].gl_Position ="
             " gl_in[gl_InvocationID].gl_Position;"
             "dist_t[gl_InvocationID] = dist_v[gl_InvocationID];"
             "t_t[gl_InvocationID] = t_v[gl_InvocationID];"
             "id_t[gl_InvocationID] = id_v[gl_InvocationID];"
             "gl_TessLevelOuter[0] = gl_TessLevelOuter[1] ="
             " gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 1; }",
        GLSL "#extension GL_ARB_shader_viewport_layer_array : require\n"
             "layout(triangles) in; in vec4 dist_t[]; in vec2 t_t[];"
             "in int id_t[]; flat out int id;" OUTPUTS "void main(){"
             "vec3 w = gl_TessCoord; gl_Position = w.x * gl_in[0].gl_Position +"
             " w.y * gl_in[1].gl_Position + w.z * gl_in[2].gl_Position;"
             "vec4 d = w.x * dist_t[0] + w.y * dist_t[1] + w.z * "
             "dist_t[2];" SET_DISTANCES(
                 "d") "id = id_t[0]; gl_Layer = int(t_t[0].x);"
                      "gl_ViewportIndex = int(t_t[0].y); }",
        NULL, fs);
}

static void
run_case(const char *name, const struct kind *k, GLuint texture)
{
    static const GLuint none[4] = {31, 31, 31, 31};
    random_scene();
    glBufferData(GL_ARRAY_BUFFER, sizeof vertices, vertices, GL_STREAM_DRAW);
    glDisable(GL_SCISSOR_TEST);
    glClearBufferuiv(GL_COLOR, 0, none);
    glEnable(GL_SCISSOR_TEST);
    glViewportArrayv(0, VIEWPORTS, viewport[0]);
    glScissorArrayv(0, VIEWPORTS, scissor[0]);
    glPatchParameteri(GL_PATCH_VERTICES, 3);
    glDrawArrays(k->stage[0] == 't' ? GL_PATCHES : GL_TRIANGLES, 0, PRIMS * 3);
    glGetTextureImage(texture, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, sizeof seen,
                      seen);
    judge(name, k);
}

static void
attribute(GLuint index, GLint size, size_t at_B)
{
    glVertexAttribPointer(index, size, GL_FLOAT, false, sizeof(struct vertex),
                          (const void *)at_B);
    glEnableVertexAttribArray(index);
}

static void
reset_state(void)
{
    glDisable(GL_SCISSOR_TEST);
    for (unsigned i = 0; i < 2; i++)
        glDisable(GL_CLIP_DISTANCE0 + i);
    for (GLuint i = 0; i < 3; i++)
        glDisableVertexAttribArray(i);
}

void
sweep_layers(void)
{
    GLint before;
    GLuint texture, fbo, buffer;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &before);
    glCreateTextures(GL_TEXTURE_2D_ARRAY, 1, &texture);
    glTextureStorage3D(texture, 1, GL_R32UI, SIDE_PX, SIDE_PX, LAYERS);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    attribute(0, 2, offsetof(struct vertex, x));
    attribute(1, 4, offsetof(struct vertex, clip));
    attribute(2, 2, offsetof(struct vertex, layer));
    for (unsigned i = 0; i < COUNT(kinds); i++) {
        const struct kind *k = &kinds[i];
        if (!sweep_begin(sweep_name("layers.%s", k->name)))
            continue;
        GLuint program = make_program(k);
        for (unsigned d = 0; d < 2; d++)
            glEnable(GL_CLIP_DISTANCE0 + d);
        for (unsigned n = 0; n < (sweep_large ? 200 : 12); n++) {
            char name[64];
            snprintf(name, sizeof name, "layers.%s.%u", k->name, n);
            run_case(name, k, texture);
        }
        glDeleteProgram(program);
    }
    reset_state();
    glDeleteBuffers(1, &buffer);
    glDeleteTextures(1, &texture);
    glDeleteFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)before);
}
