/* gl.h: how the GL programs of the tests begin: a context without windows,
 * shaders, programs. Whatever goes wrong ends the process with status 1 and
 * says so on stderr, under the program's name. */
#ifndef TESTS_GL_H
#define TESTS_GL_H

#include <epoxy/egl.h>
#include <epoxy/gl.h>

_Noreturn void gl_die(const char *what, const char *detail);
EGLDisplay gl_display(void);
/* Opens a display and makes a context of these attributes current. */
void gl_open(const EGLint *attributes);
/* OpenGL 4.3 core, what most programs want. */
void gl_open_core(void);
/* The source is what the NULL-terminated parts are together. */
GLuint gl_shader_parts(GLenum stage, const char *const *parts);
GLuint gl_shader(GLenum stage, const char *source);
/* Links, and makes the program current. */
GLuint gl_link(GLuint program);
GLuint gl_program(const char *vs, const char *fs);
/* Stages may be NULL. */
GLuint gl_program5(const char *vs, const char *tcs, const char *tes,
                   const char *gs, const char *fs);
GLuint gl_compute(const char *source);

#endif
