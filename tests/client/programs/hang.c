/* hang.c: shaders that never end, and draws and dispatches that end too late.
 * The application must survive, learn of the reset through its robustness
 * status, and be able to draw in a new context. Long work must finish.
 *
 * usage: SOFTLAKE_HANG_S=1 softlake hang [inline]    prints TAP
 *   inline: there are no workers, threads execute what they submit */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../gl/gl.h"

#define SIDE_PX 32
#define GLSL "#version 430 core\n"
/* The uniform is always 0, which the compiler cannot know. */
#define FOREVER                                                            \
    "uniform uint stop; layout(std430, binding = 0) buffer B { uint b; };" \
    "void spin() { while (stop == 0u) atomicAdd(b, 1u); }"

static const char vs_plain[] = GLSL
    "void main() { gl_Position = vec4((gl_VertexID & 1) * 4 - 1,"
    " (gl_VertexID >> 1) * 4 - 1, 0, 1); }";
/* More instructions than a thread executes at a time, fewer than a hang. */
#define LONG_TURNS 20000000u
static const char fs_long[] = GLSL
    "uniform uint turns; out vec4 o; void main() { uint n = 0u;"
    " for (uint i = 0u; i < turns; i++) n = (n ^ i) * 3u;"
    " o = unpackUnorm4x8(n); }";
static const char fs_green[] = GLSL
    "out vec4 o; void main() { o = vec4(0, 1, 0, 1); }";

static const struct endless {
    const char *name, *vs, *fs, *cs;
    GLuint groups[3];            /* 0: 4, 1, 1 */
    GLsizei vertices, instances; /* 0: 3, 1 */
} endless[] = {
    {.name = "vertex shader",
     .vs = GLSL FOREVER
     "void main() { spin(); gl_Position = vec4(0, 0, 0, 1); }",
     .fs = fs_green},
    /* The other half is shaded, and has triangles to clip. */
    {.name = "vertex shader on half of a mesh",
     .vs = GLSL FOREVER
     "void main() { if (gl_VertexID >= 1500) spin();"
     " float f = float(gl_VertexID);"
     " gl_Position = vec4(sin(f) * 3, cos(f * 1.7) * 3, sin(f * .3), 1); }",
     .fs = fs_green,
     .vertices = 3000,
     .instances = 1},
    {.name = "fragment shader",
     .vs = vs_plain,
     .fs = GLSL FOREVER "out vec4 o; void main() { spin(); o = vec4(1); }"},
    /* Its threads are identical: one of them is run for many. */
    {.name = "fragment shader without inputs",
     .vs = vs_plain,
     .fs = GLSL "uniform uint stop; out vec4 o; void main() { uint n = 1u;"
                " while (stop == 0u) n = n * 3u + 1u; o = vec4(n); }"},
    {.name = "compute shader",
     .cs = GLSL FOREVER
     "layout(local_size_x = 64) in; void main() { spin(); }"},
    /* Work that would finish, but after years. */
    {.name = "dispatch of too many groups",
     .cs = GLSL "layout(local_size_x = 64) in;"
                "layout(std430, binding = 0) buffer B { uint b; };"
                "void main() { if (gl_GlobalInvocationID.x == 12345678u)"
                " b = 1u; }",
     .groups = {65535, 65535, 65535}},
    {.name = "draw of too many vertices",
     .vs = GLSL "void main() { gl_Position = vec4(float(gl_VertexID) * 1e-9,"
                " 2, 0, 1); }",
     .fs = fs_green,
     .vertices = 0x7ffffffe,
     .instances = 31},
    {.name = "draw of too many pixels",
     .vs = vs_plain,
     .fs = GLSL "layout(std430, binding = 0) buffer B { float b; };"
                "out vec4 o; void main() { float f = b + gl_FragCoord.x;"
                " for (int i = 0; i < 100000; i++) f = sin(f) + 0.1;"
                " o = vec4(f); }",
     .vertices = 3,
     .instances = 1000000},
    /* All invocations of a group, endlessly. */
    {.name = "compute shader with an endless row of barriers",
     .cs = GLSL FOREVER "layout(local_size_x = 64) in; void main() {"
                        " while (stop == 0u) { barrier(); } b = 1u; }"},
    /* Half of the group waits for the other half. */
    {.name = "compute shader with a barrier",
     .cs = GLSL FOREVER "layout(local_size_x = 64) in;"
                        "shared uint s; void main() {"
                        " if (gl_LocalInvocationIndex < 32u) spin();"
                        " s = 1u; barrier(); b = s; }"},
};

static unsigned tests, failed;

static void
check(bool ok, const char *shader, const char *what)
{
    printf("%sok %u - %s: %s\n", ok ? "" : "not ", ++tests, shader, what);
    failed += !ok;
}

static void
make_target(void)
{
    GLuint rb, fb, va;
    glGenRenderbuffers(1, &rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIDE_PX, SIDE_PX);
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                              GL_RENDERBUFFER, rb);
    glViewport(0, 0, SIDE_PX, SIDE_PX);
    glGenVertexArrays(1, &va);
    glBindVertexArray(va);
}

static EGLContext
make_context(EGLDisplay dpy)
{
    static const EGLint attribs[] = {
        EGL_CONTEXT_MAJOR_VERSION,
        4,
        EGL_CONTEXT_MINOR_VERSION,
        3,
        EGL_CONTEXT_OPENGL_ROBUST_ACCESS,
        EGL_TRUE,
        EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
        EGL_LOSE_CONTEXT_ON_RESET,
        EGL_NONE};
    EGLContext c = eglCreateContext(dpy, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT,
                                    attribs);
    if (c == EGL_NO_CONTEXT ||
        !eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, c))
        return EGL_NO_CONTEXT;
    make_target();
    return c;
}

static bool
draws(const uint8_t color[4])
{
    glClearColor(1, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    uint8_t px[SIDE_PX * SIDE_PX][4] = {{0}};
    glReadPixels(0, 0, SIDE_PX, SIDE_PX, GL_RGBA, GL_UNSIGNED_BYTE, px);
    for (unsigned i = 0; i < SIDE_PX * SIDE_PX; i++)
        if (memcmp(px[i], color, sizeof px[i]) != 0)
            return false;
    return glGetError() == GL_NO_ERROR;
}

static bool
draws_green(void)
{
    static const uint8_t green[4] = {0, 255, 0, 255};
    gl_program(vs_plain, fs_green);
    return draws(green);
}

static void
submit_endless(const struct endless *e)
{
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
    glBufferData(GL_SHADER_STORAGE_BUFFER, 64, NULL, GL_STATIC_DRAW);
    if (e->groups[0])
        glDispatchCompute(e->groups[0], e->groups[1], e->groups[2]);
    else if (e->cs)
        glDispatchCompute(4, 1, 1);
    else if (e->vertices)
        glDrawArraysInstanced(GL_TRIANGLES, 0, e->vertices, e->instances);
    else
        glDrawArrays(GL_TRIANGLES, 0, 3);
    glFlush();
}

static void
test_endless(EGLDisplay dpy, const struct endless *e)
{
    EGLContext other = make_context(dpy);
    EGLContext guilty = make_context(dpy);
    check(other != EGL_NO_CONTEXT && guilty != EGL_NO_CONTEXT, e->name,
          "two robust contexts");
    if (e->cs)
        gl_compute(e->cs);
    else
        gl_program(e->vs, e->fs);
    check(glGetGraphicsResetStatus() == GL_NO_ERROR, e->name,
          "no reset before");
    submit_endless(e);
    glFinish();
    check(glGetGraphicsResetStatus() == GL_GUILTY_CONTEXT_RESET, e->name,
          "ends, and the context is guilty");
    eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, other);
    check(glGetGraphicsResetStatus() == GL_NO_ERROR, e->name,
          "a context without work is not told");
    check(draws_green(), e->name, "and draws");
    EGLContext fresh = make_context(dpy);
    check(fresh != EGL_NO_CONTEXT && draws_green(), e->name,
          "so does a new one");
    eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(dpy, fresh);
    eglDestroyContext(dpy, guilty);
    eglDestroyContext(dpy, other);
}

static void
test_long(EGLDisplay dpy)
{
    EGLContext context = make_context(dpy);
    GLuint program = gl_program(vs_plain, fs_long);
    glUniform1ui(glGetUniformLocation(program, "turns"), LONG_TURNS);
    uint32_t n = 0;
    for (uint32_t i = 0; i < LONG_TURNS; i++)
        n = (n ^ i) * 3;
    const uint8_t color[4] = {(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16),
                              (uint8_t)(n >> 24)};
    check(draws(color), "long fragment shader", "comes to its end");
    check(glGetGraphicsResetStatus() == GL_NO_ERROR, "long fragment shader",
          "no reset");
    eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(dpy, context);
}

/* Draws in a context and thread of its own until told to stop. */
struct neighbour {
    EGLDisplay dpy;
    pthread_t thread;
    atomic_bool stop;
    atomic_uint frames, bad;
};

static void *
run_neighbour(void *data)
{
    struct neighbour *n = data;
    eglBindAPI(EGL_OPENGL_API);
    EGLContext context = make_context(n->dpy);
    gl_program(vs_plain, fs_green);
    while (!atomic_load(&n->stop)) {
        static const uint8_t green[4] = {0, 255, 0, 255};
        atomic_fetch_add(&n->bad, !draws(green));
        atomic_fetch_add(&n->frames, 1);
    }
    atomic_fetch_add(&n->bad, glGetGraphicsResetStatus() != GL_NO_ERROR);
    eglMakeCurrent(n->dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(n->dpy, context);
    eglReleaseThread();
    return NULL;
}

/* A context that hangs does not keep others from drawing. Without workers it
 * does, in the same process: iris holds a lock of all its contexts while it
 * submits, and the batch executes there. (robust/turns has no such lock.) They
 * go on after the reset. */
static void
test_neighbour(EGLDisplay dpy, const struct endless *e, bool workers)
{
    struct neighbour n = {.dpy = dpy};
    pthread_create(&n.thread, NULL, run_neighbour, &n);
    while (!atomic_load(&n.frames))
        usleep(1000);
    EGLContext guilty = make_context(dpy);
    if (e->cs)
        gl_compute(e->cs);
    else
        gl_program(e->vs, e->fs);
    submit_endless(e);
    unsigned before = atomic_load(&n.frames);
    glFinish();
    unsigned meanwhile = atomic_load(&n.frames) - before;
    check(glGetGraphicsResetStatus() == GL_GUILTY_CONTEXT_RESET, e->name,
          "ends beside another thread");
    /* It draws afterwards, or the test never ends. */
    for (unsigned end = atomic_load(&n.frames); n.frames - end < 3;)
        usleep(1000);
    atomic_store(&n.stop, true);
    pthread_join(n.thread, NULL);
    if (workers)
        check(meanwhile > 2, e->name, "which draws meanwhile");
    check(!n.bad, e->name, "and what it should");
    eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(dpy, guilty);
}

int
main(int argc, char **argv)
{
    bool workers = argc < 2 || strcmp(argv[1], "inline") != 0;
    EGLDisplay dpy = gl_display();
    test_long(dpy);
    for (unsigned i = 0; i < sizeof endless / sizeof endless[0]; i += 3)
        test_neighbour(dpy, &endless[i], workers);
    for (unsigned i = 0; i < sizeof endless / sizeof endless[0]; i++)
        test_endless(dpy, &endless[i]);
    printf("1..%u\n", tests);
    eglTerminate(dpy);
    return failed != 0;
}
