/* scenes_clear_depth.c: depth that is cleared repeatedly, by auxiliary surfaces
 * or by state alone, and objects that reuse other objects' memory. */
#include "scenes_clear.h"

static const char depth_vs[] = GLSL
    "out vec2 uv; uniform vec4 z; void main(){"
    "uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);"
    "gl_Position = vec4(uv * 2 - 1, z.x * 2 - 1, 1); }";

static GLuint depth_program;

/* Draws a box in the target at depth z. */
static void
draw_at(float z, GLenum func, unsigned color, GLint x, GLint y, GLsizei size)
{
    const float *c = clear_colors[color % CLEAR_COLORS];
    glUseProgram(depth_program);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(func);
    scene_uniform4f(depth_program, "z", z, 0, 0, 0);
    scene_uniform4f(depth_program, "col", c[0], c[1], c[2], 1);
    glViewport(x, y, size, size);
    scene_draw_fullscreen();
    glDisable(GL_DEPTH_TEST);
}

static void
clear_depth(float z)
{
    glClearBufferfv(GL_DEPTH, 0, &z);
}

static GLuint
depth_target(GLenum format, GLuint *color)
{
    GLuint z;
    depth_program = gl_program(depth_vs, clear_flat_fs);
    glGenTextures(1, &z);
    glBindTexture(GL_TEXTURE_2D, z);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, W, H);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    *color = clear_texture(GL_RGBA8);
    clear_fbo = 0;
    clear_use_target(*color);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, z, 0);
    return z;
}

static const GLenum depth_formats[] = {
    GL_DEPTH_COMPONENT24,
    GL_DEPTH_COMPONENT32F,
    GL_DEPTH_COMPONENT16,
};

/* Tests against depth that was cleared by state alone, and reads it. */
static void
depth_cells(GLenum format, unsigned cell)
{
    struct shower c = clear_shower(GL_TEXTURE_2D,
                                   SHOW("sampler2D", "texture(t, uv)"));
    struct shower s = clear_shower(
        GL_TEXTURE_2D, SHOW("sampler2D", "vec4(texture(t, uv).xxx, 1)"));
    GLuint color, z = depth_target(format, &color), mine = clear_fbo;
    clear_to(2);
    clear_depth(0.5f);
    draw_at(0.25f, GL_LESS, 1, 0, 0, 40);
    draw_at(0.75f, GL_LESS, 4, 20, 20, 40);
    clear_show(&c, color, cell, 0, 0);
    clear_show(&s, z, cell + 1, 0, 0);
    /* Only tests, between clears without a draw. */
    glBindFramebuffer(GL_FRAMEBUFFER, mine);
    clear_depth(1);
    glDepthMask(0);
    draw_at(0.75f, GL_LESS, 3, 0, 0, 50);
    glDepthMask(1);
    clear_depth(0.25f);
    glDepthMask(0);
    draw_at(0.5f, GL_LESS, 5, 30, 0, 60);
    draw_at(0.125f, GL_LESS, 7, 60, 10, 30);
    glDepthMask(1);
    clear_show(&c, color, cell + 2, 0, 0);
    clear_show(&s, z, cell + 3, 0, 0);
    /* Two clears in a row, a read, another clear, and a draw on top. */
    glBindFramebuffer(GL_FRAMEBUFFER, mine);
    clear_depth(0.75f);
    clear_depth(0.375f);
    clear_show(&s, z, cell + 4, 0, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, mine);
    clear_depth(0.875f);
    draw_at(0.625f, GL_GREATER, 1, 0, 0, 64);
    draw_at(0.625f, GL_LEQUAL, 6, 10, 10, 20);
    clear_show(&s, z, cell + 5, 0, 0);
    clear_show(&c, color, cell + 6, 0, 0);
    /* Clears a part of it, by a scissor. */
    glBindFramebuffer(GL_FRAMEBUFFER, mine);
    glEnable(GL_SCISSOR_TEST);
    glScissor(13, 14, 60, 40);
    clear_depth(0.0625f);
    glDisable(GL_SCISSOR_TEST);
    clear_show(&s, z, cell + 7, 0, 0);
}

static void
depth(void)
{
    for (unsigned i = 0; i < COUNT(depth_formats); i++)
        depth_cells(depth_formats[i], 8 * i);
}

/* Blits and reads of depth that was only cleared. */
static void
depth_copies(void)
{
    struct shower s = clear_shower(
        GL_TEXTURE_2D, SHOW("sampler2D", "vec4(texture(t, uv).xxx, 1)"));
    for (unsigned i = 0; i < COUNT(depth_formats); i++) {
        GLuint color, from = depth_target(depth_formats[i], &color);
        GLuint from_fbo = clear_fbo;
        GLuint to = depth_target(depth_formats[i], &color), to_fbo = clear_fbo;
        clear_depth(0.25f);
        clear_depth(0.75f);
        glBindFramebuffer(GL_FRAMEBUFFER, from_fbo);
        clear_depth(0.5f);
        clear_depth(0.125f);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, from_fbo);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to_fbo);
        glBlitFramebuffer(0, 0, 40, 40, 30, 20, 70, 60, GL_DEPTH_BUFFER_BIT,
                          GL_NEAREST);
        clear_show(&s, to, 16 * i, 0, 0);
        glBindFramebuffer(GL_FRAMEBUFFER, from_fbo);
        clear_depth(0.625f);
        float z[4] = {0};
        glReadPixels(50, 50, 2, 2, GL_DEPTH_COMPONENT, GL_FLOAT, z);
        glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
        glEnable(GL_SCISSOR_TEST);
        for (unsigned k = 0; k < 4; k++) {
            glScissor((GLint)(k + 1) * CELL, (GLint)(2 * i) * CELL, CELL, CELL);
            glClearColor(z[k], z[k], z[k], 1);
            glClear(GL_COLOR_BUFFER_BIT);
        }
        glDisable(GL_SCISSOR_TEST);
        glBindFramebuffer(GL_FRAMEBUFFER, from_fbo);
        draw_at(0.5f, GL_LESS, 1, 8, 8, 40);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, from_fbo);
        glBindTexture(GL_TEXTURE_2D, to);
        glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, 50, 50);
        clear_show(&s, to, 16 * i + 5, 0, 0);
        clear_show(&s, from, 16 * i + 6, 0, 0);
    }
}

/* Layers, each with a depth of its own; and with several samples. */
static void
depth_layers(void)
{
    struct shower s = clear_shower(
        GL_TEXTURE_2D_ARRAY,
        SHOW("sampler2DArray", "vec4(texture(t, vec3(uv, at.x)).xxx, 1)"));
    GLuint color, z;
    depth_target(GL_DEPTH_COMPONENT24, &color);
    glGenTextures(1, &z);
    glBindTexture(GL_TEXTURE_2D_ARRAY, z);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_DEPTH_COMPONENT24, W, H, 8);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 8; i++) {
            glBindFramebuffer(GL_FRAMEBUFFER, clear_fbo);
            glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, z, 0,
                                      (GLint)i);
            if (!round || i % 3 != round)
                clear_depth((float)(i + round + 1) / 16);
            if (i % 4 == round)
                draw_at(0.03125f, GL_LESS, 1, 8, 8, 40);
        }
        for (unsigned i = 0; i < 8; i++)
            clear_show(&s, z, 8 * round + i, (float)i, 0);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, clear_fbo);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, z, 0);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, 0, 0);
    clear_depth(0.75f);
    clear_depth(0.5f);
    for (unsigned i = 0; i < 8; i++)
        clear_show(&s, z, 24 + i, (float)i, 0);
}

static void
depth_samples(void)
{
    for (unsigned i = 0; i < 8; i++) {
        GLuint target = scene_target(
            GL_RGBA8, i & 1 ? GL_DEPTH24_STENCIL8 : GL_DEPTH_COMPONENT32F, 4);
        depth_program = gl_program(depth_vs, clear_flat_fs);
        clear_to(i);
        clear_depth(0.5f);
        clear_depth(i & 2 ? 0.75f : 0.25f);
        if (i & 1) {
            const GLint stencil = (GLint)i * 30;
            glClearBufferiv(GL_STENCIL, 0, &stencil);
        }
        draw_at(0.6f, GL_LESS, i + 1, 0, 0, 100);
        clear_depth(0.125f);
        draw_at(0.375f, GL_GREATER, i + 2, 5, 5, 50);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, target);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene_main_fbo);
        glEnable(GL_SCISSOR_TEST);
        glScissor((GLint)i * CELL, 0, CELL, SCENE_H);
        glBlitFramebuffer(0, 0, SCENE_W, SCENE_H, 0, 0, SCENE_W, SCENE_H,
                          GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glDisable(GL_SCISSOR_TEST);
    }
}

/* Objects that reuse the memory of deleted ones. */
static void
again(void)
{
    struct shower s = clear_shower(GL_TEXTURE_2D,
                                   SHOW("sampler2D", "texture(t, uv)"));
    struct shower d = clear_shower(
        GL_TEXTURE_2D, SHOW("sampler2D", "vec4(texture(t, uv).xxx, 1)"));
    for (unsigned i = 0; i < 16; i++) {
        GLuint t = clear_texture(i % 3 ? GL_RGBA8 : GL_RGBA16F);
        clear_use_target(t);
        clear_to(i);
        clear_to(i + 1);
        clear_show(&s, t, 4 * i, 0, 0);
        glDeleteTextures(1, &t);
        glFinish();
        t = clear_texture(GL_RGBA8);
        clear_use_target(t);
        clear_to(0);
        clear_show(&s, t, 4 * i + 1, 0, 0);
        glDeleteTextures(1, &t);
        GLuint color, z = depth_target(depth_formats[i % 3], &color);
        GLuint mine = clear_fbo;
        clear_depth((float)(i % 5 + 1) / 8);
        clear_show(&d, z, 4 * i + 2, 0, 0);
        glBindFramebuffer(GL_FRAMEBUFFER, mine);
        if (i & 1)
            draw_at(0.0625f, GL_LESS, 1, 0, 0, 50);
        clear_depth((float)(i % 3 + 1) / 4);
        clear_show(&d, z, 4 * i + 3, 0, 0);
        glDeleteTextures(1, &z);
        glDeleteTextures(1, &color);
        glDeleteFramebuffers(1, &mine);
        glFinish();
        clear_fbo = 0;
    }
}

const struct scene scenes_clear_depth[] = {
    {.name = "clear_depth", .draw = depth},
    {.name = "clear_depth_copies", .draw = depth_copies},
    {.name = "clear_depth_layers", .draw = depth_layers},
    {.name = "clear_depth_samples", .draw = depth_samples},
    {.name = "clear_again", .draw = again},
    {0},
};
