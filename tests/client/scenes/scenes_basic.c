/* scenes_basic.c: clears, topologies, rasterisation rules, viewport and
 * scissor. */
#include "scene.h"

#include <math.h>
#include <stddef.h>

static void
clear_color(void)
{
    glClearColor(0.2f, 0.4f, 0.6f, 0.8f);
    glClear(GL_COLOR_BUFFER_BIT);
}

static void
clear_scissor_mask(void)
{
    clear_color();
    glEnable(GL_SCISSOR_TEST);
    glScissor(17, 33, 50, 41);
    glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
    glClearColor(1, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

static const float tri_pos[] = {-0.8f, -0.7f, 0,    1,     0.9f, -0.3f,
                                0,     1,     0.1f, 0.85f, 0,    1};
static const float tri_col[] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1};

static void
triangle(void)
{
    gl_program(VS_POS, FS_COL);
    scene_attrib(0, 4, tri_pos, 3);
    scene_attrib(1, 4, tri_col, 3);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void
triangle_perspective(void)
{
    static const float pos[] = {-0.8f, -0.8f, 0,     1,    3.2f, -2.4f,
                                0,     4,     -1.5f, 1.7f, 0,    2};
    gl_program(VS_POS, GLSL "in vec4 c; out vec4 o; void main(){"
                            "o = vec4(step(0.5, fract(c.rgb * 8.0)), 1); }");
    scene_attrib(0, 4, pos, 3);
    scene_attrib(1, 4, tri_col, 3);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void
interpolation_modes(void)
{
    static const float pos[] = {-0.9f, -0.9f, 0,     1,    3.6f, -3.6f,
                                0,     4,     -0.9f, 0.9f, 0,    1};
    gl_program(
        GLSL "layout(location=0) in vec4 pos; layout(location=1) in vec4 col;"
             "flat out vec4 f; noperspective out vec4 n; out vec4 s;"
             "void main(){ gl_Position = pos; f = n = s = col; }",
        GLSL "flat in vec4 f; noperspective in vec4 n; in vec4 s; out vec4 o;"
             "void main(){ o = vec4(f.b * 0.5 + n.r * 0.5, n.g, s.r, 1); }");
    scene_attrib(0, 4, pos, 3);
    scene_attrib(1, 4, tri_col, 3);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* Two lines and the outline of a triangle that the far plane cuts. */
static void
setup_cut_lines(void)
{
    static const float pos[] = {-0.8f, -0.8f, 0,    1,    3.2f, -3.1f, 8,
                                4,     -3.2f, 3.2f, 8,    4,    -0.8f, 0.8f,
                                0,     1,     3.2f, 3.0f, 8,    4};
    static const float along[] = {0, 0, 0, 1, 1, 0, 0, 1, 0, 1,
                                  0, 1, 0, 0, 0, 1, 1, 1, 0, 1};
    gl_program(GLSL
               "layout(location=0) in vec4 pos; layout(location=1) in vec4 col;"
               "noperspective out vec4 n; out vec4 s;"
               "void main(){ gl_Position = pos; n = s = col; }",
               GLSL "noperspective in vec4 n; in vec4 s; out vec4 o;"
                    "void main(){ o = vec4(n.rg, s.r, 1); }");
    scene_attrib(0, 4, pos, 5);
    scene_attrib(1, 4, along, 5);
}

static void
interpolation_of_cut_lines(void)
{
    setup_cut_lines();
    glDrawArrays(GL_LINES, 3, 2);
    glDrawArrays(GL_LINES, 0, 2);
}

static void
interpolation_of_cut_outlines(void)
{
    setup_cut_lines();
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

/* 12 vertices on a circle-like path, coloured by index. */
static void
ring(void)
{
    static float pos[12 * 4], col[12 * 4];
    for (int i = 0; i < 12; i++) {
        float a = (float)i * 0.5235988f, r = i & 1 ? 0.45f : 0.9f;
        pos[i * 4 + 0] = r * cosf(a);
        pos[i * 4 + 1] = r * sinf(a);
        pos[i * 4 + 3] = 1;
        col[i * 4 + 0] = (float)i / 11;
        col[i * 4 + 1] = (float)(i % 3) / 2;
        col[i * 4 + 2] = (float)(i % 4) / 3;
        col[i * 4 + 3] = 1;
    }
    gl_program(VS_POS, FS_COL);
    scene_attrib(0, 4, pos, 12);
    scene_attrib(1, 4, col, 12);
}

static void
triangle_strip(void)
{
    ring();
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 12);
}

static void
triangle_fan(void)
{
    ring();
    glDrawArrays(GL_TRIANGLE_FAN, 0, 12);
}

static void
lines(void)
{
    ring();
    glDrawArrays(GL_LINES, 0, 12);
}

static void
line_strip_loop(void)
{
    ring();
    glDrawArrays(GL_LINE_STRIP, 0, 7);
    glDrawArrays(GL_LINE_LOOP, 6, 6);
}

static void
wide_lines(void)
{
    ring();
    glLineWidth(5);
    glDrawArrays(GL_LINES, 0, 12);
}

static void
points(void)
{
    ring();
    glPointSize(7);
    glDrawArrays(GL_POINTS, 0, 12);
}

static void
point_sprites(void)
{
    static const float pos[] = {-0.5f, -0.4f, 0, 1, 0.4f, 0.3f, 0, 1};
    gl_program(GLSL "layout(location=0) in vec4 pos; void main(){"
                    "gl_Position = pos; gl_PointSize = 30 + 20 * pos.x; }",
               GLSL "out vec4 o; void main(){"
                    "o = vec4(gl_PointCoord, 0.5, 1); }");
    scene_attrib(0, 4, pos, 2);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glDrawArrays(GL_POINTS, 0, 2);
}

static void
polygon_mode(void)
{
    ring();
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glDrawArrays(GL_TRIANGLES, 0, 6);
    glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
    glPointSize(5);
    glDrawArrays(GL_TRIANGLES, 6, 6);
}

static void
cull_face(void)
{
    ring();
    glEnable(GL_CULL_FACE);
    glCullFace(GL_BACK);
    glFrontFace(GL_CW);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 12);
}

static void
front_facing(void)
{
    static const float pos[] = {-0.9f, -0.9f, 0, 1, 0,    -0.9f, 0, 1,
                                -0.5f, 0.8f,  0, 1, 0,    0.8f,  0, 1,
                                0.9f,  0.8f,  0, 1, 0.5f, -0.8f, 0, 1};
    gl_program(VS_POS, GLSL "in vec4 c; out vec4 o; void main(){"
                            "o = gl_FrontFacing ? c : 1 - c; o.a = 1; }");
    static const float col[24] = {1, 0.2f, 0, 1, 1, 0.2f, 0, 1, 1, 0.2f, 0, 1,
                                  1, 0.2f, 0, 1, 1, 0.2f, 0, 1, 1, 0.2f, 0, 1};
    scene_attrib(0, 4, pos, 6);
    scene_attrib(1, 4, col, 6);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glFrontFace(GL_CW);
    glDrawArrays(GL_TRIANGLES, 3, 3);
}

static void
viewport_scissor(void)
{
    triangle();
    glViewport(60, 10, 70, 50);
    glEnable(GL_SCISSOR_TEST);
    glScissor(70, 5, 40, 40);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void
clip_planes(void)
{
    gl_program(GLSL
               "layout(location=0) in vec4 pos; layout(location=1) in vec4 col;"
               "out vec4 c; out float gl_ClipDistance[2]; void main(){"
               "gl_Position = pos; c = col; gl_ClipDistance[0] = pos.x + 0.3;"
               "gl_ClipDistance[1] = 0.4 - pos.y; }",
               FS_COL);
    scene_attrib(0, 4, tri_pos, 3);
    scene_attrib(1, 4, tri_col, 3);
    glEnable(GL_CLIP_DISTANCE0);
    glEnable(GL_CLIP_DISTANCE1);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void
frustum_clip(void)
{
    static const float pos[] = {-9,   -3, -2.5f, 1, 7,  -2, 1.8f, 1,
                                0.5f, 6,  0.1f,  1, -1, 0,  0,    -1,
                                2,    0,  0,     3, 0,  2,  0,    0.5f};
    static const float col[] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1,
                                1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    gl_program(VS_POS, FS_COL);
    scene_attrib(0, 4, pos, 6);
    scene_attrib(1, 4, col, 6);
    glDrawArrays(GL_TRIANGLES, 0, 6);
}

static void
frag_coord(void)
{
    static const float pos[] = {-0.9f, -0.9f, -0.5f, 1,    2.7f, -2.7f,
                                1.5f,  3,     -0.9f, 0.9f, 0.2f, 1};
    gl_program(VS_POS, GLSL "in vec4 c; out vec4 o; void main(){"
                            "o = vec4(gl_FragCoord.xy / 128.0, gl_FragCoord.z,"
                            "gl_FragCoord.w); }");
    scene_attrib(0, 4, pos, 3);
    scene_attrib(1, 4, tri_col, 3);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void
small_triangles(void)
{
    gl_program(GLSL
               "out vec4 c; void main(){ int t = gl_VertexID / 3;"
               "vec2 cell = vec2(t % 40, t / 40) / 20.0 - 1.0;"
               "vec2 corner = vec2(gl_VertexID % 3 == 1, gl_VertexID % 3 == 2);"
               "gl_Position = vec4(cell + corner * 0.06, 0, 1);"
               "c = vec4(fract(vec3(t) * vec3(0.13, 0.29, 0.41)), 1); }",
               FS_COL);
    glDrawArrays(GL_TRIANGLES, 0, 40 * 40 * 3);
}

static void
provoking_first(void)
{
    ring();
    gl_program(GLSL
               "layout(location=0) in vec4 pos; layout(location=1) in vec4 col;"
               "flat out vec4 c; void main(){ gl_Position = pos; c = col; }",
               GLSL "flat in vec4 c; out vec4 o; void main(){ o = c; }");
    glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
    glDrawArrays(GL_TRIANGLE_FAN, 0, 6);
    glProvokingVertex(GL_LAST_VERTEX_CONVENTION);
    glDrawArrays(GL_TRIANGLE_STRIP, 5, 7);
}

const struct scene scenes_basic[] = {
    {"clear", clear_color, NULL, 0, 0},
    {"clear-scissor-mask", clear_scissor_mask, NULL, 0, 0},
    {"triangle", triangle, NULL, 0, 0},
    /* Hard edges made from an interpolated value: one step of it flips a
     * pixel from 0 to 255. */
    {"triangle-perspective", triangle_perspective, NULL, 2, 1.5},
    {"interpolation", interpolation_modes, NULL, 0, 0},
    {"interpolation-cut-lines", interpolation_of_cut_lines, NULL, 0, 0},
    /* llvmpipe leaves out one edge of the outline, and the colour of another.
     */
    {"interpolation-cut-outlines", interpolation_of_cut_outlines, NULL, 0, 1},
    {"triangle-strip", triangle_strip, NULL, 0, 0},
    {"triangle-fan", triangle_fan, NULL, 0, 0},
    /* Thin lines: the diamond rule lets implementations differ by a pixel. */
    {"lines", lines, NULL, 3, 3},
    {"line-strip-loop", line_strip_loop, NULL, 3, 3},
    {"wide-lines", wide_lines, NULL, 3, 3},
    {"points", points, NULL, 0, 0},
    {"point-sprites", point_sprites, NULL, 0, 0},
    {"polygon-mode", polygon_mode, NULL, 3, 3},
    {"cull-face", cull_face, NULL, 0, 0},
    {"front-facing", front_facing, NULL, 0, 0},
    {"viewport-scissor", viewport_scissor, NULL, 0, 0},
    {"clip-planes", clip_planes, NULL, 0, 0},
    {"frustum-clip", frustum_clip, NULL, 0, 0},
    {"frag-coord", frag_coord, NULL, 0, 0},
    {"small-triangles", small_triangles, NULL, 0, 0},
    {"provoking-vertex", provoking_first, NULL, 0, 0},
    {NULL, NULL, NULL, 0, 0},
};
