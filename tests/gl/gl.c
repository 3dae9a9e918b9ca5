#include "gl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void
gl_die(const char *what, const char *detail)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
            detail);
    exit(1);
}

EGLDisplay
gl_display(void)
{
    EGLDisplay dpy = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA,
                                              EGL_DEFAULT_DISPLAY, NULL);
    if (!dpy || !eglInitialize(dpy, NULL, NULL))
        gl_die("EGL", "no surfaceless display");
    if (!eglBindAPI(EGL_OPENGL_API))
        gl_die("EGL", "no OpenGL");
    return dpy;
}

void
gl_open(const EGLint *attributes)
{
    EGLDisplay dpy = gl_display();
    EGLContext ctx = eglCreateContext(dpy, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT,
                                      attributes);
    if (!ctx || !eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, ctx))
        gl_die("EGL", "no such context");
}

void
gl_open_core(void)
{
    static const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                        4,
                                        EGL_CONTEXT_MINOR_VERSION,
                                        3,
                                        EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                        EGL_NONE};
    gl_open(attributes);
}

GLuint
gl_shader_parts(GLenum stage, const char *const *parts)
{
    GLuint s = glCreateShader(stage);
    GLsizei count = 0;
    while (parts[count])
        count++;
    glShaderSource(s, count, parts, NULL);
    glCompileShader(s);
    GLint ok;
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[4096] = "";
        glGetShaderInfoLog(s, sizeof log, NULL, log);
        gl_die("compile", log);
    }
    return s;
}

GLuint
gl_shader(GLenum stage, const char *source)
{
    return gl_shader_parts(stage, (const char *const[]){source, NULL});
}

GLuint
gl_link(GLuint program)
{
    glLinkProgram(program);
    GLint ok;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok) {
        char log[4096] = "";
        glGetProgramInfoLog(program, sizeof log, NULL, log);
        gl_die("link", log);
    }
    glUseProgram(program);
    return program;
}

GLuint
gl_program5(const char *vs, const char *tcs, const char *tes, const char *gs,
            const char *fs)
{
    GLuint p = glCreateProgram();
    const struct {
        GLenum stage;
        const char *source;
    } stages[] = {
        {GL_VERTEX_SHADER, vs},           {GL_TESS_CONTROL_SHADER, tcs},
        {GL_TESS_EVALUATION_SHADER, tes}, {GL_GEOMETRY_SHADER, gs},
        {GL_FRAGMENT_SHADER, fs},
    };
    for (unsigned i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (!stages[i].source)
            continue;
        GLuint s = gl_shader(stages[i].stage, stages[i].source);
        glAttachShader(p, s);
        glDeleteShader(s);
    }
    return gl_link(p);
}

GLuint
gl_program(const char *vs, const char *fs)
{
    return gl_program5(vs, NULL, NULL, NULL, fs);
}

GLuint
gl_compute(const char *source)
{
    GLuint p = glCreateProgram(), s = gl_shader(GL_COMPUTE_SHADER, source);
    glAttachShader(p, s);
    glDeleteShader(s);
    return gl_link(p);
}
