/* scenes_clear.c: surfaces that are cleared repeatedly with different values,
 * and read in every possible way. Drivers clear by auxiliary surfaces, and skip
 * redundant clears. */
#include "scenes_clear.h"

#include <string.h>

const float clear_colors[CLEAR_COLORS][4] = {
    {0, 0, 0, 0},          {1, 0, 0, 1},          {0.2f, 0.4f, 0.6f, 0.8f},
    {0, 1, 1, 0},          {1, 1, 1, 1},          {0.6f, 0.2f, 0.8f, 1},
    {0.8f, 0.8f, 0, 0.4f}, {0.4f, 0.6f, 0.2f, 1},
};

GLuint clear_fbo;

/* ---- reading ------------------------------------------------------------- */

static void
cell_viewport(unsigned cell)
{
    glViewport(cell % 8 * CELL, cell / 8 * CELL, CELL, CELL);
}

struct shower
clear_shower(GLenum target, const char *fs)
{
    return (struct shower){scene_fullscreen(fs), target};
}

void
clear_show(const struct shower *s, GLuint texture, unsigned cell, float a,
           float b)
{
    glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(s->program);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(s->target, texture);
    scene_uniform4f(s->program, "at", a, b, 0, 0);
    cell_viewport(cell);
    scene_draw_fullscreen();
}

static void
show_blit(unsigned cell)
{
    GLint x = cell % 8 * CELL, y = cell / 8 * CELL;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, clear_fbo);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene_main_fbo);
    glBlitFramebuffer(0, 0, W, H, x, y, x + CELL, y + CELL, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, clear_fbo);
}

GLuint
clear_texture(GLenum format)
{
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, W, H);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return t;
}

void
clear_use_target(GLuint texture)
{
    if (!clear_fbo)
        glGenFramebuffers(1, &clear_fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, clear_fbo);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
    glViewport(0, 0, W, H);
}

void
clear_to(unsigned color)
{
    glClearBufferfv(GL_COLOR, 0, clear_colors[color % CLEAR_COLORS]);
}

const char clear_flat_fs[] = GLSL "in vec2 uv; out vec4 o; uniform vec4 col;"
                                  "void main(){ o = col; }";

/* Draws one corner of the target. */
static void
draw_corner(GLuint program, GLint x, GLint y, GLsizei w, GLsizei h)
{
    glUseProgram(program);
    glViewport(x, y, w, h);
    scene_uniform4f(program, "col", 0.4f, 0, 0.2f, 1);
    scene_draw_fullscreen();
    glViewport(0, 0, W, H);
}

/* ---- colours ------------------------------------------------------------- */

static const GLenum formats[] = {
    GL_RGBA8, GL_RGBA16F, GL_RGBA32F,      GL_RGB10_A2, GL_RG16F,
    GL_R32F,  GL_RGBA16,  GL_SRGB8_ALPHA8, GL_RGB8,     GL_R8,
    GL_RG8,   GL_RGB565,  GL_RG32F,
};

/* Clears twice, and once more after a read, without a draw between. */
static void
twice(void)
{
    struct shower s = clear_shower(GL_TEXTURE_2D,
                                   SHOW("sampler2D", "texture(t, uv)"));
    for (unsigned i = 0; i < COUNT(formats); i++) {
        bool srgb = formats[i] == GL_SRGB8_ALPHA8;
        GLuint t = clear_texture(formats[i]);
        clear_use_target(t);
        if (srgb)
            glEnable(GL_FRAMEBUFFER_SRGB);
        clear_to(i);
        clear_to(i + 2);
        clear_show(&s, t, 4 * i, 0, 0);
        clear_use_target(t);
        clear_to(i + 5);
        show_blit(4 * i + 1);
        clear_to(i + 6);
        clear_to(i + 4);
        show_blit(4 * i + 2);
        glDisable(GL_FRAMEBUFFER_SRGB);
        clear_show(&s, t, 4 * i + 3, 0, 0);
    }
}

/* Draws cover a part between clears; a clear of a part comes last. */
static void
partly(void)
{
    struct shower s = clear_shower(GL_TEXTURE_2D,
                                   SHOW("sampler2D", "texture(t, uv)"));
    GLuint flat = scene_fullscreen(clear_flat_fs);
    for (unsigned i = 0; i < 8; i++) {
        GLuint t = clear_texture(formats[i % 4]);
        clear_use_target(t);
        clear_to(i + 1);
        draw_corner(flat, 3, 5, 40, 20);
        clear_show(&s, t, 8 * i, 0, 0);
        clear_use_target(t);
        clear_to(i + 2);
        clear_show(&s, t, 8 * i + 1, 0, 0);
        clear_use_target(t);
        draw_corner(flat, 64, 0, 36, 70);
        show_blit(8 * i + 2);
        clear_to(i + 3);
        clear_to(i + 4);
        draw_corner(flat, 0, 64, 9, 6);
        draw_corner(flat, 70, 33, 1, 1);
        clear_show(&s, t, 8 * i + 3, 0, 0);
        clear_use_target(t);
        glEnable(GL_SCISSOR_TEST);
        glScissor(10, 10, 50, 51);
        clear_to(i + 7);
        glDisable(GL_SCISSOR_TEST);
        clear_show(&s, t, 8 * i + 4, 0, 0);
        clear_use_target(t);
        /* Blending reads clear pixels. */
        clear_to(i + 5);
        clear_to(i + 6);
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE);
        draw_corner(flat, 20, 20, 60, 30);
        glDisable(GL_BLEND);
        show_blit(8 * i + 5);
        glColorMask(0, 1, 0, 1);
        draw_corner(flat, 0, 0, 50, 70);
        glColorMask(1, 1, 1, 1);
        clear_show(&s, t, 8 * i + 6, 0, 0);
        /* Upload and download. */
        static uint8_t texels[W * H * 4];
        clear_use_target(t);
        clear_to(i);
        clear_to(i + 3);
        glReadPixels(0, 0, W, H, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        memset(texels, 90, 30 * 30 * 4);
        glBindTexture(GL_TEXTURE_2D, t);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 50, 11, 30, 30, GL_RGBA,
                        GL_UNSIGNED_BYTE, texels);
        clear_show(&s, t, 8 * i + 7, 0, 0);
    }
}

/* Every level and layer has a colour of its own. */
static void
attach(GLenum target, GLuint t, GLint level, GLint layer)
{
    if (!clear_fbo)
        glGenFramebuffers(1, &clear_fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, clear_fbo);
    if (target == GL_TEXTURE_CUBE_MAP)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                               GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)layer,
                               t, level);
    else
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t,
                                  level, layer);
}

static GLuint
texture_layered(GLenum target, GLenum format)
{
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(target, t);
    if (target == GL_TEXTURE_CUBE_MAP)
        glTexStorage2D(target, 3, format, 96, 96);
    else
        glTexStorage3D(target, 3, format, W, H, 8);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return t;
}

static void
slices(GLenum target, const char *fs, unsigned cell)
{
    struct shower s = clear_shower(target, fs);
    GLuint t = texture_layered(target, GL_RGBA8);
    GLuint flat = scene_fullscreen(clear_flat_fs);
    unsigned layers = target == GL_TEXTURE_CUBE_MAP ? 6 : 8;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned level = 0; level < 3; level++) {
            unsigned n = target == GL_TEXTURE_3D ? layers >> level : layers;
            for (unsigned i = 0; i < n; i++) {
                attach(target, t, (GLint)level, (GLint)i);
                glViewport(0, 0, W >> level, H >> level);
                if (!round || (level + i) % 3 != round)
                    clear_to(i * 3 + level + round);
                if ((level + i) % 4 == round)
                    draw_corner(flat, 5, 5, 9, 9);
            }
        }
    }
    for (unsigned level = 0; level < 3; level++) {
        unsigned n = target == GL_TEXTURE_3D ? layers >> level : layers;
        for (unsigned i = 0; i < n; i++)
            clear_show(&s, t, cell + (level * layers + i) % 24, (float)i,
                       (float)level);
    }
}

static void
layers(void)
{
    slices(GL_TEXTURE_2D_ARRAY,
           SHOW("sampler2DArray", "textureLod(t, vec3(uv, at.x), at.y)"), 0);
    slices(GL_TEXTURE_3D,
           SHOW("sampler3D", "texelFetch(t, ivec3(uv * vec2(textureSize(t,"
                             "int(at.y)).xy), at.x), int(at.y))"),
           24);
    slices(
        GL_TEXTURE_CUBE_MAP,
        SHOW("samplerCube",
             "textureLod(t, int(at.x) == 0 ? vec3(1, uv - .5) :"
             "int(at.x) == 1 ? vec3(-1, uv - .5) : int(at.x) == 2 ?"
             "vec3(uv - .5, 1).xzy : int(at.x) == 3 ? vec3(uv - .5, -1).xzy :"
             "int(at.x) == 4 ? vec3(uv - .5, 1) : vec3(uv - .5, -1), at.y)"),
        44);
}

/* Clears all layers of a target at once, then one of them, then all again. */
static void
layered(void)
{
    struct shower s = clear_shower(
        GL_TEXTURE_2D_ARRAY,
        SHOW("sampler2DArray", "textureLod(t, vec3(uv, at.x), at.y)"));
    GLuint t = texture_layered(GL_TEXTURE_2D_ARRAY, GL_RGBA8);
    for (unsigned round = 0; round < 4; round++) {
        clear_use_target(t);
        clear_to(round + 1);
        clear_to(round + 3);
        attach(GL_TEXTURE_2D_ARRAY, t, 0, 2);
        clear_to(round + 5);
        attach(GL_TEXTURE_2D_ARRAY, t, 0, 5);
        clear_to(round + 6);
        for (unsigned i = 0; i < 8; i++)
            clear_show(&s, t, 16 * round + i, (float)i, 0);
        clear_use_target(t);
        clear_to(round + 2);
        for (unsigned i = 0; i < 8; i++)
            clear_show(&s, t, 16 * round + 8 + i, (float)i, 0);
    }
}

/* ---- several samples ----------------------------------------------------- */

static void
samples(void)
{
    struct shower s = clear_shower(
        GL_TEXTURE_2D_MULTISAMPLE,
        SHOW("sampler2DMS", "texelFetch(t, ivec2(uv * 70), int(at.x))"));
    GLuint flat = scene_fullscreen(clear_flat_fs);
    GLint most;
    glGetIntegerv(GL_MAX_COLOR_TEXTURE_SAMPLES, &most);
    for (unsigned i = 0; i < 4; i++) {
        GLuint t;
        glGenTextures(1, &t);
        glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, t);
        glTexStorage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, most >= 4 ? 4 : 2,
                                  formats[i % 2], W, H, GL_TRUE);
        clear_use_target(t);
        clear_to(i);
        clear_show(&s, t, 16 * i, 0, 0);
        clear_use_target(t);
        clear_to(i + 1);
        clear_to(i + 2);
        clear_show(&s, t, 16 * i + 1, 3, 0);
        clear_use_target(t);
        draw_corner(flat, 4, 4, 30, 30);
        clear_show(&s, t, 16 * i + 2, 1, 0);
        clear_use_target(t);
        clear_to(i + 6);
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE);
        draw_corner(flat, 20, 20, 60, 30);
        glDisable(GL_BLEND);
        clear_show(&s, t, 16 * i + 3, 2, 0);
        clear_use_target(t);
        clear_to(i + 3);
        clear_to(i + 7);
        /* Source and target of a resolve must have one size. */
        GLint x = (GLint)(4 + 16 * i) % 8 * CELL, y = (GLint)(2 * i) * CELL;
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene_main_fbo);
        glEnable(GL_SCISSOR_TEST);
        glScissor(x, y, CELL, CELL);
        glBlitFramebuffer(0, 0, W, H, 0, 0, W, H, GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
        glDisable(GL_SCISSOR_TEST);
    }
}

/* ---- contexts ------------------------------------------------------------ */

/* Two contexts take turns in clearing and reading. */
static void
contexts(void)
{
    struct shower s = clear_shower(GL_TEXTURE_2D,
                                   SHOW("sampler2D", "texture(t, uv)"));
    EGLDisplay display = eglGetCurrentDisplay();
    EGLContext first = eglGetCurrentContext();
    static const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 4,
                                     EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    EGLContext second = eglCreateContext(display, EGL_NO_CONFIG_KHR, first,
                                         version);
    if (second == EGL_NO_CONTEXT)
        gl_die("context", "cannot share");
    GLuint t = clear_texture(GL_RGBA8);
    GLuint first_fbo, second_fbo = 0;
    clear_use_target(t);
    first_fbo = clear_fbo;
    for (unsigned i = 0; i < 16; i++) {
        glBindFramebuffer(GL_FRAMEBUFFER, first_fbo);
        clear_to(i + 1);
        if (i & 1)
            clear_to(i + 2);
        glFinish();
        if (i & 2)
            clear_show(&s, t, 4 * i, 0, 0);
        glFinish();
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, second);
        clear_fbo = second_fbo;
        clear_use_target(t);
        second_fbo = clear_fbo;
        uint8_t texel[4];
        glReadPixels(50, 50, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, texel);
        clear_to(i + 4);
        glFinish();
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, first);
        glBindTexture(GL_TEXTURE_2D, t);
        clear_show(&s, t, 4 * i + 1, 0, 0);
        glBindFramebuffer(GL_FRAMEBUFFER, first_fbo);
        clear_to(i + 2);
        clear_show(&s, t, 4 * i + 2, 0, 0);
        glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
        glEnable(GL_SCISSOR_TEST);
        glScissor((GLint)(4 * i + 3) % 8 * CELL, (GLint)(4 * i + 3) / 8 * CELL,
                  CELL, CELL);
        glClearColor(texel[0] / 255.0f, texel[1] / 255.0f, texel[2] / 255.0f,
                     texel[3] / 255.0f);
        glClear(GL_COLOR_BUFFER_BIT);
        glDisable(GL_SCISSOR_TEST);
    }
}

const struct scene scenes_clear[] = {
    {.name = "clear_twice", .draw = twice},
    {.name = "clear_partly", .draw = partly},
    {.name = "clear_slices", .draw = layers},
    {.name = "clear_layered", .draw = layered},
    {.name = "clear_samples", .draw = samples},
    {.name = "clear_contexts", .draw = contexts},
    {0},
};
