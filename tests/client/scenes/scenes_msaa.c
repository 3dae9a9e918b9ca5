/* scenes_msaa.c: multisampling: 2, 4, 8, 16 samples, resolve, per-sample
 * shading. */
#include "scene.h"

#include <stddef.h>

static const float tri_pos[] = {-0.8f, -0.7f, 0,    1,     0.9f, -0.3f,
                                0,     1,     0.1f, 0.85f, 0,    1};
static const float tri_col[] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1};

static void
tri(const char *fs)
{
    gl_program(VS_POS, fs);
    scene_attrib(0, 4, tri_pos, 3);
    scene_attrib(1, 4, tri_col, 3);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void
msaa(int samples)
{
    /* llvmpipe has 4 samples at most. */
    GLint most;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    GLuint fbo = scene_target(GL_RGBA8, GL_DEPTH24_STENCIL8,
                              samples < most ? samples : most);
    glEnable(GL_MULTISAMPLE);
    glEnable(GL_DEPTH_TEST);
    tri(FS_COL);
    scene_blit_to_main(fbo);
}

static void
msaa2(void)
{
    msaa(2);
}

static void
msaa4(void)
{
    msaa(4);
}

static void
msaa8(void)
{
    msaa(8);
}

static void
msaa16(void)
{
    msaa(16);
}

static void
msaa_sample_shading(void)
{
    GLuint fbo = scene_target(GL_RGBA8, 0, 4);
    gl_program(VS_POS, GLSL "in vec4 c; out vec4 o; void main(){"
                            "o = vec4(gl_SampleID * 0.3, gl_SamplePosition.x,"
                            "c.g, 1); }");
    scene_attrib(0, 4, tri_pos, 3);
    scene_attrib(1, 4, tri_col, 3);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    scene_blit_to_main(fbo);
}

static void
msaa_alpha_to_coverage(void)
{
    GLuint fbo = scene_target(GL_RGBA8, 0, 4);
    glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
    scene_fullscreen(GLSL "in vec2 uv; out vec4 o; void main(){"
                          "o = vec4(1, uv.y, 0, floor(uv.x * 5.0) / 4.0); }");
    scene_draw_fullscreen();
    scene_blit_to_main(fbo);
}

static void
msaa_sample_mask(void)
{
    GLuint fbo = scene_target(GL_RGBA8, 0, 4);
    glEnable(GL_SAMPLE_MASK);
    glSampleMaski(0, 0x5);
    tri(FS_COL);
    glDisable(GL_SAMPLE_MASK);
    tri(GLSL "in vec4 c; out vec4 o; void main(){ gl_SampleMask[0] ="
             "gl_FragCoord.x < 64.0 ? 2 : 8; o = c.bgra; }");
    scene_blit_to_main(fbo);
}

static void
msaa_texel_fetch(void)
{
    GLuint t, fbo;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, t);
    glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, 128, 128,
                            GL_TRUE);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                           GL_TEXTURE_2D_MULTISAMPLE, t, 0);
    glClearColor(0.1f, 0.2f, 0.3f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    tri(FS_COL);
    glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
    scene_fullscreen(GLSL "uniform sampler2DMS t; in vec2 uv; out vec4 o;"
                          "void main(){ ivec2 p = ivec2(gl_FragCoord.xy);"
                          "o = texelFetch(t, p, p.x & 3); }");
    scene_draw_fullscreen();
}

/* Clears to zero a buffer that another clear used before. The driver drops such
 * a clear, so the picture relies on the clear state. */
static void
msaa_recycled_clear(void)
{
    for (int i = 0; i < 3; i++) {
        GLuint fbo, rb;
        glGenFramebuffers(1, &fbo);
        glBindFramebuffer(GL_FRAMEBUFFER, fbo);
        glGenRenderbuffers(1, &rb);
        glBindRenderbuffer(GL_RENDERBUFFER, rb);
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, SCENE_W,
                                         SCENE_H);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                  GL_RENDERBUFFER, rb);
        float v = i < 2 ? 0.5f : 0;
        glClearColor(v, v, v, v);
        glClear(GL_COLOR_BUFFER_BIT);
        if (i == 2)
            tri(FS_COL);
        glFinish();
        if (i == 2)
            scene_blit_to_main(fbo);
        glDeleteFramebuffers(1, &fbo);
        glDeleteRenderbuffers(1, &rb);
        glFinish();
    }
}

static void
centroid(void)
{
    GLuint fbo = scene_target(GL_RGBA8, 0, 4);
    gl_program(
        GLSL "layout(location=0) in vec4 pos; layout(location=1) in vec4 col;"
             "centroid out vec4 c; void main(){ gl_Position = pos; c = col; }",
        GLSL "centroid in vec4 c; out vec4 o; void main(){ o = vec4("
             "greaterThanEqual(c.rgb, vec3(-0.001)), 1) * 0.5 + c * 0.5; }");
    scene_attrib(0, 4, tri_pos, 3);
    scene_attrib(1, 4, tri_col, 3);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    scene_blit_to_main(fbo);
}

static void
interpolate_at(void)
{
    GLuint fbo = scene_target(GL_RGBA8, 0, 4);
    tri(GLSL "in vec4 c; out vec4 o; void main(){"
             "o = (interpolateAtOffset(c, vec2(0.25, -0.25)) +"
             "interpolateAtSample(c, 1) + interpolateAtCentroid(c)) / 3.0; }");
    scene_blit_to_main(fbo);
}

/* Rectangles of 1 to 9 pixels a side on whole pixels, with a linear colour over
 * each. Most blocks are partly covered, and sample positions do not matter.
 * Half of the rectangles are blended. Without depth, colours of many primitives
 * go to the target together. */
static void
msaa_small(void)
{
    enum { RECTS = 600, FLOATS = RECTS * 6 * 4 };
    static float pos[FLOATS], col[FLOATS];
    static const int corner[6][2] = {{0, 0}, {1, 0}, {0, 1},
                                     {0, 1}, {1, 0}, {1, 1}};
    uint32_t seed = 1;
    for (int i = 0; i < RECTS; i++) {
        int at[2], size[2];
        for (int k = 0; k < 2; k++) {
            seed = seed * 1664525 + 1013904223;
            at[k] = (int)(seed >> 25) % (SCENE_W - 9);
            size[k] = 1 + (int)(seed >> 16) % 9;
        }
        for (int v = 0; v < 6; v++) {
            float *p = pos + (i * 6 + v) * 4, *c = col + (i * 6 + v) * 4;
            for (int k = 0; k < 2; k++) {
                p[k] = (float)(at[k] + corner[v][k] * size[k]) / 64 - 1;
                c[k] = corner[v][k] ? 0.9f : 0.1f;
            }
            p[2] = 0;
            p[3] = 1;
            c[2] = (float)(i % 8) / 8;
            c[3] = 0.5f;
        }
    }
    GLuint fbo = scene_target(GL_RGBA8, 0, 4);
    gl_program(VS_POS, FS_COL);
    scene_attrib(0, 4, pos, FLOATS / 4);
    scene_attrib(1, 4, col, FLOATS / 4);
    glDrawArrays(GL_TRIANGLES, 0, RECTS * 3);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDrawArrays(GL_TRIANGLES, RECTS * 3, RECTS * 3);
    scene_blit_to_main(fbo);
}

/* Clears with a channel mask are draws to all layers at once. Tiles get blocks
 * of one layer, then of the next, partly covered along the diagonal. The
 * picture is the average of the samples. */
static void
msaa_array(void)
{
    GLuint t, fbo;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, t);
    glTexImage3DMultisample(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, 4, GL_RGBA8, 100,
                            60, 3, GL_TRUE);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0);
    glViewport(0, 0, 100, 60);
    glClearColor(0.1f, 0.2f, 0.3f, 0.4f);
    glClear(GL_COLOR_BUFFER_BIT);
    glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_FALSE);
    glClearColor(0, 0.5f, 0.66f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
    glViewport(0, 0, SCENE_W, SCENE_H);
    scene_fullscreen(GLSL "uniform sampler2DMSArray t; out vec4 o;"
                          "void main(){ ivec2 p = ivec2(gl_FragCoord.xy);"
                          "ivec3 at = ivec3(min(p.x, 99), p.y % 60,"
                          "min(p.y / 60 + (p.x & 1), 2)); o = vec4(0);"
                          "for (int i = 0; i < 4; i++)"
                          "o += texelFetch(t, at, i) * 0.25; }");
    scene_draw_fullscreen();
}

const struct scene scenes_msaa[] = {
    /* Sample positions depend on the implementation: edges differ a little. */
    {"msaa2", msaa2, NULL, 1.5, 3},
    {"msaa4", msaa4, NULL, 1, 2},
    {"msaa8", msaa8, NULL, 1, 3},
    {"msaa16", msaa16, NULL, 1, 3},
    {"msaa-sample-shading", msaa_sample_shading, NULL, 3, 3},
    {"msaa-alpha-to-coverage", msaa_alpha_to_coverage, NULL, 0, 0},
    {"msaa-sample-mask", msaa_sample_mask, NULL, 1.5, 3},
    {"msaa-texel-fetch", msaa_texel_fetch, NULL, 2, 3},
    {"msaa-recycled-clear", msaa_recycled_clear, NULL, 1, 2},
    {"msaa-small", msaa_small, NULL, 0, 0},
    /* Every sample counts. */
    {"msaa-array", msaa_array, NULL, 0.0002, 0.001},
    {"centroid", centroid, NULL, 1.5, 3},
    {"interpolate-at", interpolate_at, NULL, 1.5, 3},
    {NULL, NULL, NULL, 0, 0},
};
