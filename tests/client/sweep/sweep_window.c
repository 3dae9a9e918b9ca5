/* sweep_window.c: the targets of conformance suites: a surface of the window
 * system, where y points down, in OpenGL ES 3.2, with and without samples. */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#define SIDE_PX 48
#define AREA_PX (SIDE_PX * SIDE_PX)
#define ES "#version 320 es\nprecision highp float; precision highp int;\n"

static const struct config {
    const char *name;
    EGLint red, green, blue, alpha, depth, stencil, samples;
} configs[] = {
    {"rgba8888d24s8", 8, 8, 8, 8, 24, 8, 0},
    {"rgba8888d24s8ms4", 8, 8, 8, 8, 24, 8, 4},
    {"rgb565d0s0", 5, 6, 5, 0, 0, 0, 0},
};

/* llvmpipe's surfaces have no samples. With samples, pictures with edges are
 * not compared, and pictures about samples have one colour. */
enum where { SOME, EDGES, ALL };

struct picture {
    const char *name, *fs;
    void (*draw)(void);
    enum where where;
    uint8_t want[4];
};

static const char vs_window[] = ES
    "layout(location = 0) in vec4 pos; out vec2 uv; centroid out vec2 cuv;"
    "flat out vec2 fuv;"
    "void main(){ gl_Position = pos; uv = pos.xy / pos.w; cuv = fuv = uv;"
    "gl_PointSize = 17.5; }";
#define FS(body)                                                         \
    ES "in vec2 uv; centroid in vec2 cuv; flat in vec2 fuv; out vec4 o;" \
       "void main(){ " body " }"
static void
draw(GLenum mode, const float (*v)[4], GLsizei count)
{
    glBufferData(GL_ARRAY_BUFFER, count * 16, v, GL_STREAM_DRAW);
    glDrawArrays(mode, 0, count);
}

static void
quad(void)
{
    static const float v[][4] = {
        {-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}};
    draw(GL_TRIANGLE_STRIP, v, 4);
}

static void
draw_quad(void)
{
    quad();
}

/* Edges that no sample is near to. */
static void
draw_part(void)
{
    static const float v[][4] = {{-0.51f, -0.76f, 0.3f, 1},
                                 {0.72f, -0.76f, 0.3f, 1},
                                 {-0.51f, 0.41f, -0.5f, 1},
                                 {0.72f, 0.41f, -0.5f, 1}};
    draw(GL_TRIANGLE_STRIP, v, 4);
}

static void
draw_points(void)
{
    static const float v[][4] = {{-0.4f, 0.3f, 0, 1}, {0.5f, -0.2f, 0, 1}};
    draw(GL_POINTS, v, 2);
}

static void
draw_lines(void)
{
    static const float v[][4] = {
        {-0.93f, -0.81f, 0, 1}, {0.67f, -0.33f, 0, 1}, {0.71f, 0.91f, 0, 1},
        {-0.27f, 0.05f, 0, 1},  {0.13f, 0.93f, 0, 1},  {-0.83f, -0.05f, 0, 1}};
    draw(GL_LINES, v, 6);
}

static void
draw_facing(void)
{
    static const float v[][4] = {{-0.9f, -0.9f, 0, 1}, {0, -0.9f, 0, 1},
                                 {-0.9f, 0.9f, 0, 1},  {0.9f, -0.9f, 0, 1},
                                 {0, 0.9f, 0, 1},      {0.9f, 0.9f, 0, 1}};
    draw(GL_TRIANGLES, v, 6);
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT);
    draw(GL_TRIANGLES, v, 6);
    glDisable(GL_CULL_FACE);
}

static void
draw_scissored(void)
{
    glEnable(GL_SCISSOR_TEST);
    glScissor(5, 9, 21, 30);
    glViewport(-7, 3, SIDE_PX, SIDE_PX - 11);
    quad();
    glDisable(GL_SCISSOR_TEST);
    glViewport(0, 0, SIDE_PX, SIDE_PX);
}

static void
draw_depth(void)
{
    static const float slope[][4] = {{-1, -1, -0.9f, 1},
                                     {1, -1, 0.3f, 1},
                                     {-1, 1, 0.2f, 1},
                                     {1, 1, 0.9f, 1}};
    static const float flat[][4] = {
        {-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}};
    glEnable(GL_DEPTH_TEST);
    draw(GL_TRIANGLE_STRIP, slope, 4);
    glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_FALSE);
    draw(GL_TRIANGLE_STRIP, flat, 4);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDisable(GL_DEPTH_TEST);
}

static void
draw_stencil(void)
{
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 0, 255);
    glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
    draw_part();
    glStencilFunc(GL_EQUAL, 0, 255);
    quad();
    glDisable(GL_STENCIL_TEST);
}

static void
draw_blended(void)
{
    draw_part();
    glEnable(GL_BLEND);
    glBlendFunc(GL_DST_COLOR, GL_ONE_MINUS_SRC_ALPHA);
    quad();
    glDisable(GL_BLEND);
}

static GLuint
copy_target(GLuint *texture)
{
    GLuint fbo;
    glGenTextures(1, texture);
    glBindTexture(GL_TEXTURE_2D, *texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIDE_PX, SIDE_PX);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                           GL_TEXTURE_2D, *texture, 0);
    return fbo;
}

/* Blits to a texture that is the right way up, and back, flipped. */
static void
draw_blitted(void)
{
    GLuint texture;
    draw_part();
    draw_points();
    GLuint fbo = copy_target(&texture);
    glClear(GL_COLOR_BUFFER_BIT);
    glBlitFramebuffer(0, 0, SIDE_PX, SIDE_PX, 0, 0, SIDE_PX, SIDE_PX,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    GLint samples;
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glGetIntegerv(GL_SAMPLES, &samples);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo);
    if (!samples)
        glBlitFramebuffer(3, 5, 33, 45, 40, 2, 10, 42, GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
    if (!samples)
        glBlitFramebuffer(0, 0, 20, 10, 1, 47, 43, 21, GL_COLOR_BUFFER_BIT,
                          GL_LINEAR);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDeleteFramebuffers(1, &fbo);
    glDeleteTextures(1, &texture);
}

static void
draw_copied(void)
{
    GLuint texture;
    GLint samples;
    draw_part();
    draw_points();
    glGetIntegerv(GL_SAMPLES, &samples);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 4, 7, 33, 29, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 3, 2, 20, 11, 17, 25);
    const char *const fs = ES "uniform sampler2D t; in vec2 uv; out vec4 o;"
                              "void main(){ o = texture(t, uv * 0.5 + 0.5); }";
    GLuint p = gl_program(vs_window, fs);
    quad();
    glDeleteProgram(p);
    glDeleteTextures(1, &texture);
}

static const struct picture pictures[] = {
    {"frag_coord", FS("o = gl_FragCoord / 48.0;"), draw_quad, SOME, {0}},
    {"frag_coord_low",
     FS("o = vec4(ivec2(gl_FragCoord.xy * 2.0) & 3, 0, 3) / 3.0;"),
     draw_quad,
     SOME,
     {0}},
    {"frag_depth",
     FS("o = vec4(gl_FragCoord.z, gl_FragCoord.w / 2.0, 0, 1);"),
     draw_part,
     EDGES,
     {0}},
    {"derivative",
     FS("o = vec4(dFdx(uv), dFdy(uv)) * 8.0 + 0.5;"),
     draw_quad,
     SOME,
     {0}},
    {"derivative_width",
     FS("o = vec4(fwidth(uv.x), fwidth(uv.y * 2.0), 0, 1) * 5.0;"),
     draw_quad,
     SOME,
     {0}},
    {"point_coord",
     FS("o = vec4(gl_PointCoord, 0, 1);"),
     draw_points,
     EDGES,
     {0}},
    {"front_facing",
     FS("o = gl_FrontFacing ? vec4(1, 0, 0, 1) : vec4(0, 1, 1, 0);"),
     draw_facing,
     EDGES,
     {0}},
    {"flat",
     FS("o = vec4(fuv * 0.5 + 0.5, 0.25, 1);"),
     draw_facing,
     EDGES,
     {0}},
    {"lines", FS("o = vec4(uv * 0.5 + 0.5, 0.25, 1);"), draw_lines, EDGES, {0}},
    {"scissor",
     FS("o = vec4(uv * 0.5 + 0.5, 0.25, 1);"),
     draw_scissored,
     EDGES,
     {0}},
    {"depth", FS("o = vec4(uv * 0.5 + 0.5, 0.25, 1);"), draw_depth, EDGES, {0}},
    {"stencil",
     FS("o = vec4(uv * 0.5 + 0.5, 0.25, 1);"),
     draw_stencil,
     EDGES,
     {0}},
    {"blend",
     FS("o = vec4(uv * 0.5 + 0.5, 0.25, 0.7);"),
     draw_blended,
     EDGES,
     {0}},
    {"blit",
     FS("o = vec4(uv * 0.5 + 0.5, 0.25, 0.7);"),
     draw_blitted,
     EDGES,
     {0}},
    {"copy",
     FS("o = vec4(uv * 0.5 + 0.5, 0.25, 0.7);"),
     draw_copied,
     EDGES,
     {0}},
    {"offset",
     FS("o = vec4(interpolateAtOffset(uv, vec2(0.4375, -0.25)) - uv,"
        "interpolateAtOffset(uv, vec2(-0.5, 0.375)) - uv) * 10.0 + "
        "0.5;"),
     draw_quad,
     SOME,
     {0}},
    {"centroid",
     FS("o = vec4(cuv * 0.5 + 0.5, interpolateAtCentroid(uv) * 0.5 "
        "+ 0.5);"),
     draw_quad,
     SOME,
     {0}},
    {"sample_id",
     FS("o = vec4(1 << gl_SampleID) / 8.0;"),
     draw_quad,
     ALL,
     {120, 120, 120, 120}},
    /* The second sample of four, upside down. */
    {"sample_position",
     FS("o = gl_SampleID == 1 ? vec4(gl_SamplePosition, 0, 1) : vec4(0);"),
     draw_quad,
     ALL,
     {56, 40, 0, 64}},
    {"at_sample",
     FS("vec2 p = interpolateAtSample(uv, 1) - interpolateAtSample(uv, 2);"
        "o = vec4(p * 10.0 + 0.5, 0, 1);"),
     draw_quad,
     ALL,
     {207, 154, 0, 255}},
    {"mask_out",
     FS("gl_SampleMask[0] = 5 << (int(gl_FragCoord.y) & 1); o = vec4(1);"),
     draw_quad,
     ALL,
     {128, 159, 191, 255}},
};

static void
judge(const char *name, const struct picture *p, uint8_t (*seen)[4])
{
    unsigned bad = 0, where = 0;
    for (unsigned i = 0; i < AREA_PX; i++)
        for (unsigned c = 0; c < 4; c++)
            if (abs(seen[i][c] - p->want[c]) > 1 && !bad++)
                where = i;
    sweep_verdict(name, !bad, "%u values, the first at %u %u: %u %u %u %u", bad,
                  where % SIDE_PX, where / SIDE_PX, seen[where][0],
                  seen[where][1], seen[where][2], seen[where][3]);
}

static void
run_picture(const struct config *c, const struct picture *p)
{
    static uint8_t seen[AREA_PX][4];
    static float values[AREA_PX * 4];
    GLuint program = gl_program(vs_window, p->fs);
    glClearColor(0, 0.25f, 0.5f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    p->draw();
    glReadPixels(0, 0, SIDE_PX, SIDE_PX, GL_RGBA, GL_UNSIGNED_BYTE, seen);
    const char *name = sweep_name("window.%s.%s", c->name, p->name);
    for (unsigned i = 0; i < AREA_PX * 4; i++)
        values[i] = (float)seen[i / 4][i % 4];
    if (p->where == ALL)
        judge(name, p, seen);
    else
        sweep_values(name, c->red == 8 ? 2 : 9, 0, values, AREA_PX * 4);
    glDeleteProgram(program);
}

static void
open_window(EGLDisplay dpy, const struct config *c)
{
    const EGLint wish[] = {EGL_RED_SIZE,
                           c->red,
                           EGL_GREEN_SIZE,
                           c->green,
                           EGL_BLUE_SIZE,
                           c->blue,
                           EGL_ALPHA_SIZE,
                           c->alpha,
                           EGL_DEPTH_SIZE,
                           c->depth,
                           EGL_STENCIL_SIZE,
                           c->stencil,
                           EGL_SAMPLES,
                           c->samples,
                           EGL_SURFACE_TYPE,
                           EGL_PBUFFER_BIT,
                           EGL_RENDERABLE_TYPE,
                           EGL_OPENGL_ES3_BIT,
                           EGL_NONE};
    static const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3,
                                     EGL_CONTEXT_MINOR_VERSION, 2, EGL_NONE};
    static const EGLint size[] = {EGL_WIDTH, SIDE_PX, EGL_HEIGHT, SIDE_PX,
                                  EGL_NONE};
    EGLConfig all[256];
    EGLint count = 0, red;
    if (!eglChooseConfig(dpy, wish, all, COUNT(all), &count))
        count = 0;
    for (EGLint i = 0; i < count; i++) {
        if (!eglGetConfigAttrib(dpy, all[i], EGL_RED_SIZE, &red) ||
            red != c->red)
            continue;
        EGLSurface s = eglCreatePbufferSurface(dpy, all[i], size);
        eglBindAPI(EGL_OPENGL_ES_API);
        EGLContext ctx = eglCreateContext(dpy, all[i], NULL, version);
        if (s && ctx && eglMakeCurrent(dpy, s, s, ctx))
            return;
    }
    gl_die(c->name, "no such surface");
}

static void
run_config(EGLDisplay dpy, const struct config *c)
{
    GLuint buffer, vao;
    open_window(dpy, c);
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(0);
    glViewport(0, 0, SIDE_PX, SIDE_PX);
    glDisable(GL_DITHER);
    for (unsigned i = 0; i < COUNT(pictures); i++)
        if (c->samples ? pictures[i].where != EDGES : pictures[i].where != ALL)
            run_picture(c, &pictures[i]);
}

void
sweep_window(void)
{
    EGLDisplay dpy = eglGetCurrentDisplay();
    EGLContext before = eglGetCurrentContext();
    for (unsigned i = 0; i < COUNT(configs); i++)
        if (sweep_begin(sweep_name("window.%s", configs[i].name)))
            run_config(dpy, &configs[i]);
    eglBindAPI(EGL_OPENGL_API);
    eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, before);
}
