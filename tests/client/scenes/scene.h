/* scene.h: small pictures, one feature each, drawn by stock GL on whatever
 * driver the loader finds. The runner compares the driver under test with
 * llvmpipe, and with itself for other thread counts. */
#ifndef CLIENT_SCENE_H
#define CLIENT_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "../../gl/gl.h"

#define SCENE_W 128
#define SCENE_H 128

struct scene {
    const char *name;
    /* Draws into the bound framebuffer (SCENE_W x SCENE_H RGBA8, cleared to
     * 0). */
    void (*draw)(void);
    /* NULL, or a function to read instead of the framebuffer: fills SCENE_W *
     * SCENE_H RGBA8 texels. */
    void (*read)(uint8_t *rgba);
    /* Tolerance against llvmpipe where it differs from the common one (mean
     * 1/255, 0.5 % of the pixels off by more than 8/255), with its reason. */
    double mean, percent;
};

extern const struct scene scenes_basic[], scenes_vertex[], scenes_texture[],
    scenes_pixel[], scenes_layers[], scenes_msaa[], scenes_geometry[],
    scenes_compute[], scenes_clear[], scenes_clear_depth[];

/* These end the process with a message on any GL error. */
GLuint scene_buffer(GLenum target, const void *data, size_t size_B);
/* Float attribute `index` of `components` from a new buffer. */
void scene_attrib(GLuint index, int components, const float *data,
                  size_t count);
/* A framebuffer with one colour target (and depth/stencil format, or 0). */
GLuint scene_target(GLenum color, GLenum depth, int samples);
void scene_blit_to_main(GLuint from);
/* Draws two triangles over the whole target with this fragment shader:
 * `in vec2 uv` 0..1. Uniforms may be set on the returned program first. */
GLuint scene_fullscreen(const char *fs);
void scene_draw_fullscreen(void);
/* 2D texture with a smooth, asymmetric pattern. */
GLuint scene_texture(GLenum format, int width, int height, bool mipmaps);
void scene_uniform1f(GLuint program, const char *name, float v);
void scene_uniform1i(GLuint program, const char *name, int v);
void scene_uniform4f(GLuint program, const char *name, float x, float y,
                     float z, float w);
extern GLuint scene_main_fbo;

/* Prefix of most shaders. */
#define GLSL "#version 430 core\n"
#define VS_POS                                                             \
    GLSL "layout(location=0) in vec4 pos; layout(location=1) in vec4 col;" \
         "out vec4 c; void main(){ gl_Position = pos; c = col; }"
#define FS_COL GLSL "in vec4 c; out vec4 o; void main(){ o = c; }"
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#endif
