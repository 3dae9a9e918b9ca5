/* scenes.c: draws one scene and writes its pixels as raw RGBA8.
 * usage: scenes --list | scenes --driver | scenes NAME FILE */
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct scene *const groups[] = {
    scenes_basic,  scenes_vertex,      scenes_texture,  scenes_pixel,
    scenes_layers, scenes_msaa,        scenes_geometry, scenes_compute,
    scenes_clear,  scenes_clear_depth,
};

GLuint scene_main_fbo;

GLuint
scene_buffer(GLenum target, const void *data, size_t size_B)
{
    GLuint b;
    glGenBuffers(1, &b);
    glBindBuffer(target, b);
    glBufferData(target, (GLsizeiptr)size_B, data, GL_STATIC_DRAW);
    return b;
}

void
scene_attrib(GLuint index, int components, const float *data, size_t count)
{
    scene_buffer(GL_ARRAY_BUFFER, data,
                 count * (size_t)components * sizeof *data);
    glVertexAttribPointer(index, components, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(index);
}

GLuint
scene_target(GLenum color, GLenum depth, int samples)
{
    GLuint fbo, rb[2];
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glGenRenderbuffers(2, rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb[0]);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, color, SCENE_W,
                                     SCENE_H);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                              GL_RENDERBUFFER, rb[0]);
    if (depth) {
        bool both = depth == GL_DEPTH24_STENCIL8 ||
                    depth == GL_DEPTH32F_STENCIL8;
        glBindRenderbuffer(GL_RENDERBUFFER, rb[1]);
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, depth,
                                         SCENE_W, SCENE_H);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER,
                                  both ? GL_DEPTH_STENCIL_ATTACHMENT
                                       : GL_DEPTH_ATTACHMENT,
                                  GL_RENDERBUFFER, rb[1]);
    }
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        gl_die("framebuffer", "incomplete");
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT |
            (depth ? GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT : 0));
    return fbo;
}

void
scene_blit_to_main(GLuint from)
{
    glDisable(GL_SCISSOR_TEST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene_main_fbo);
    glBlitFramebuffer(0, 0, SCENE_W, SCENE_H, 0, 0, SCENE_W, SCENE_H,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
}

GLuint
scene_fullscreen(const char *fs)
{
    return gl_program(GLSL "out vec2 uv; void main(){"
                           "uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);"
                           "gl_Position = vec4(uv * 2 - 1, 0, 1); }",
                      fs);
}

void
scene_draw_fullscreen(void)
{
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

GLuint
scene_texture(GLenum format, int width, int height, bool mipmaps)
{
    GLuint t;
    uint8_t *texels = malloc((size_t)width * (size_t)height * 4);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint8_t *p = texels + ((size_t)y * (size_t)width + (size_t)x) * 4;
            p[0] = (uint8_t)(x * 255 / (width - 1 ? width - 1 : 1));
            p[1] = (uint8_t)(y * 255 / (height - 1 ? height - 1 : 1));
            p[2] = (x / 4 + y / 4) & 1 ? 220 : 40;
            p[3] = (uint8_t)(255 - (x * y * 255) / (width * height));
        }
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, width, height, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                    mipmaps ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
    if (mipmaps)
        glGenerateMipmap(GL_TEXTURE_2D);
    free(texels);
    return t;
}

void
scene_uniform1f(GLuint program, const char *name, float v)
{
    glProgramUniform1f(program, glGetUniformLocation(program, name), v);
}

void
scene_uniform1i(GLuint program, const char *name, int v)
{
    glProgramUniform1i(program, glGetUniformLocation(program, name), v);
}

void
scene_uniform4f(GLuint program, const char *name, float x, float y, float z,
                float w)
{
    glProgramUniform4f(program, glGetUniformLocation(program, name), x, y, z,
                       w);
}

static void
run(const struct scene *s, const char *path)
{
    static uint8_t pixels[SCENE_W * SCENE_H * 4];
    GLuint vao;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glViewport(0, 0, SCENE_W, SCENE_H);
    scene_main_fbo = scene_target(GL_RGBA8, GL_DEPTH24_STENCIL8, 0);
    s->draw();
    if (s->read) {
        s->read(pixels);
    } else {
        glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
        glPixelStorei(GL_PACK_ALIGNMENT, 1);
        glReadPixels(0, 0, SCENE_W, SCENE_H, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    }
    GLenum error = glGetError();
    if (error) {
        fprintf(stderr, "scenes: %s: GL error 0x%x\n", s->name, error);
        exit(1);
    }
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(pixels, sizeof pixels, 1, f) != 1 || fclose(f))
        gl_die(path, "cannot write");
}

static void
list(void)
{
    for (unsigned g = 0; g < COUNT(groups); g++)
        for (const struct scene *s = groups[g]; s->name; s++)
            printf("%s %g %g\n", s->name, s->mean ? s->mean : 1.0,
                   s->percent ? s->percent : 0.5);
}

/* Draws something: the strict launcher fails programs that draw nothing. */
static void
show_driver(void)
{
    gl_open_core();
    printf("%s\n%s\n", (const char *)glGetString(GL_RENDERER),
           (const char *)glGetString(GL_VERSION));
    scene_target(GL_RGBA8, GL_DEPTH24_STENCIL8, 0);
    glClearColor(0.5f, 0.25f, 0.125f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glFinish();
}

int
main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        list();
        return 0;
    }
    if (argc == 2 && !strcmp(argv[1], "--driver")) {
        show_driver();
        return 0;
    }
    if (argc != 3) {
        fputs("usage: scenes --list | --driver | NAME FILE\n", stderr);
        return 2;
    }
    for (unsigned g = 0; g < COUNT(groups); g++)
        for (const struct scene *s = groups[g]; s->name; s++)
            if (!strcmp(s->name, argv[1])) {
                gl_open_core();
                run(s, argv[2]);
                return 0;
            }
    gl_die(argv[1], "no such scene");
}
