/* scenes_clear.h: helpers for scenes of surfaces that are cleared repeatedly. A
 * scene is 8x8 cells; each shows one read of a surface. */
#ifndef CLIENT_SCENES_CLEAR_H
#define CLIENT_SCENES_CLEAR_H

#include "scene.h"

#define W 100 /* neither is a multiple of an auxiliary surface's blocks */
#define H 70
#define CELL 16

/* A program that shows a texture in a cell, with the given expression. */
#define SHOW(type, expression)                                    \
    GLSL "in vec2 uv; out vec4 o;"                                \
         "layout(binding=0) uniform " type " t; uniform vec4 at;" \
         "void main(){ o = " expression "; }"

struct shower {
    GLuint program;
    GLenum target;
};

#define CLEAR_COLORS 8
extern const float clear_colors[CLEAR_COLORS][4];
extern const char clear_flat_fs[]; /* uniform vec4 col */
extern GLuint clear_fbo;

struct shower clear_shower(GLenum target, const char *fs);
/* Shows the texture in the cell; a and b are the program's at.xy. */
void clear_show(const struct shower *s, GLuint texture, unsigned cell, float a,
                float b);
/* W x H, of one level, without filters. */
GLuint clear_texture(GLenum format);
/* Draws to the texture from now on: clear_fbo. */
void clear_use_target(GLuint texture);
/* Clears the bound framebuffer's colour to one of clear_colors. */
void clear_to(unsigned color);

#endif
