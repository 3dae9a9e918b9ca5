/* sweep_sync.c: synchronisation: fences of one context as seen by a context
 * that shares with it, as sync objects and as file descriptors. Draws before a
 * fence must be visible after a wait, and a signalled fence stays signalled. */
#include "sweep.h"

#include <poll.h>
#include <unistd.h>

#define SIDE_PX 64
#define SECOND_NS UINT64_C(1000000000)
#define MANY 64

/* The program's context, and one that shares its objects. */
static struct {
    EGLDisplay dpy;
    EGLContext ctx[2];
    GLuint program[2], fbo[2], vao;
    GLuint from, to; /* textures: drawn by the first, by the second */
} both;

static void
enter(unsigned which)
{
    if (!eglMakeCurrent(both.dpy, EGL_NO_SURFACE, EGL_NO_SURFACE,
                        both.ctx[which]))
        gl_die("EGL", "cannot change contexts");
}

static GLuint
make_texture(void)
{
    GLuint t;
    glCreateTextures(GL_TEXTURE_2D, 1, &t);
    glTextureStorage2D(t, 1, GL_R32UI, SIDE_PX, SIDE_PX);
    glTextureParameteri(t, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTextureParameteri(t, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return t;
}

static GLuint
make_framebuffer(GLuint texture)
{
    GLuint fbo;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
    glViewport(0, 0, SIDE_PX, SIDE_PX);
    return fbo;
}

/* The first context draws a number after some work; the second copies it. */
static void
open_both(void)
{
    static const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                        4,
                                        EGL_CONTEXT_MINOR_VERSION,
                                        3,
                                        EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                        EGL_NONE};
    both.dpy = eglGetCurrentDisplay();
    both.ctx[0] = eglGetCurrentContext();
    both.ctx[1] = eglCreateContext(both.dpy, EGL_NO_CONFIG_KHR, both.ctx[0],
                                   attributes);
    if (!both.ctx[1])
        gl_die("EGL", "no second context");
    both.from = make_texture();
    both.to = make_texture();
    both.fbo[0] = make_framebuffer(both.from);
    both.program[0] = sweep_fullscreen(
        GLSL "uniform uint value, steps; out uint o; void main(){ uint n ="
             " value; for (uint i = 0u; i < steps; i++) n = n * 1664525u +"
             " 1013904223u; o = n; }");
    glFinish();
    enter(1);
    both.fbo[1] = make_framebuffer(both.to);
    both.program[1] = sweep_fullscreen(
        GLSL "uniform usampler2D t; out uint o; void main(){"
             "o = texelFetch(t, ivec2(gl_FragCoord.xy), 0).x; }");
    glGenVertexArrays(1, &both.vao);
    glBindVertexArray(both.vao);
    enter(0);
}

static void
close_both(void)
{
    enter(0);
    eglDestroyContext(both.dpy, both.ctx[1]);
    glDeleteTextures(1, &both.from);
    glDeleteTextures(1, &both.to);
    glDeleteProgram(both.program[0]);
    glDeleteProgram(both.program[1]);
}

static void
draw_value(uint32_t value, uint32_t steps)
{
    glUseProgram(both.program[0]);
    glUniform1ui(glGetUniformLocation(both.program[0], "value"), value);
    glUniform1ui(glGetUniformLocation(both.program[0], "steps"), steps);
    sweep_draw();
}

static uint32_t
value_of(uint32_t value, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++)
        value = value * 1664525u + 1013904223u;
    return value;
}

/* Number of pixels of the second context's copy that differ from `value`. */
static unsigned
copy_and_count(uint32_t value)
{
    static uint32_t seen[SIDE_PX * SIDE_PX];
    unsigned bad = 0;
    glUseProgram(both.program[1]);
    /* Binding again makes the other context's changes visible. */
    glBindTexture(GL_TEXTURE_2D, both.from);
    sweep_draw();
    glReadPixels(0, 0, SIDE_PX, SIDE_PX, GL_RED_INTEGER, GL_UNSIGNED_INT, seen);
    for (unsigned i = 0; i < SIDE_PX * SIDE_PX; i++)
        bad += seen[i] != value;
    return bad;
}

/* ---- kinds of fences ----------------------------------------------------- */

enum kind { SERVER, CLIENT, EGL_SERVER, EGL_CLIENT, NATIVE, KINDS };
static const char *const kind_names[] = {"server", "client", "egl_server",
                                         "egl_client", "native"};

/* A fence as a file descriptor, which the first context flushes. */
static int
make_fd(void)
{
    const EGLint none[] = {EGL_SYNC_NATIVE_FENCE_FD_ANDROID,
                           EGL_NO_NATIVE_FENCE_FD_ANDROID, EGL_NONE};
    EGLSyncKHR sync = eglCreateSyncKHR(both.dpy, EGL_SYNC_NATIVE_FENCE_ANDROID,
                                       none);
    glFlush();
    int fd = sync ? eglDupNativeFenceFDANDROID(both.dpy, sync) : -1;
    if (sync)
        eglDestroySyncKHR(both.dpy, sync);
    return fd;
}

static bool
wait_for_fd(int fd)
{
    /* From now on the sync object owns the descriptor. */
    const EGLint with[] = {EGL_SYNC_NATIVE_FENCE_FD_ANDROID, fd, EGL_NONE};
    EGLSyncKHR sync = eglCreateSyncKHR(both.dpy, EGL_SYNC_NATIVE_FENCE_ANDROID,
                                       with);
    if (!sync)
        return false;
    bool ok = eglWaitSyncKHR(both.dpy, sync, 0);
    eglDestroySyncKHR(both.dpy, sync);
    return ok;
}

static bool
hand_over_gl(bool client)
{
    GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glFlush();
    enter(1);
    bool ok = true;
    if (client) {
        GLenum got = glClientWaitSync(sync, 0, 20 * SECOND_NS);
        ok = got == GL_ALREADY_SIGNALED || got == GL_CONDITION_SATISFIED;
    } else {
        glWaitSync(sync, 0, GL_TIMEOUT_IGNORED);
    }
    glDeleteSync(sync);
    return ok;
}

static bool
hand_over_egl(bool client)
{
    EGLSyncKHR sync = eglCreateSyncKHR(both.dpy, EGL_SYNC_FENCE_KHR, NULL);
    glFlush();
    enter(1);
    bool ok = client
                  ? eglClientWaitSyncKHR(both.dpy, sync, 0, 20 * SECOND_NS) ==
                        EGL_CONDITION_SATISFIED_KHR
                  : eglWaitSyncKHR(both.dpy, sync, 0) == EGL_TRUE;
    return eglDestroySyncKHR(both.dpy, sync) && ok;
}

/* From the first context to the second, which waits. */
static bool
hand_over(enum kind kind)
{
    if (kind == SERVER || kind == CLIENT)
        return hand_over_gl(kind == CLIENT);
    if (kind != NATIVE)
        return hand_over_egl(kind == EGL_CLIENT);
    int fd = make_fd();
    enter(1);
    return fd >= 0 && wait_for_fd(fd);
}

static void
run_handing_over(enum kind kind)
{
    if (!sweep_begin(sweep_name("sync.%s", kind_names[kind])))
        return;
    for (unsigned i = 0; i < (sweep_large ? 300 : 12); i++) {
        uint32_t value = sweep_random(1 << 24), steps = sweep_random(3000);
        draw_value(value, steps);
        bool ok = hand_over(kind);
        unsigned bad = copy_and_count(value_of(value, steps));
        sweep_verdict(sweep_name("sync.%s.%u", kind_names[kind], i), ok && !bad,
                      "%s, %u pixels are old", ok ? "waited" : "did not wait",
                      bad);
        /* The first context must not draw before the second has read. */
        GLsync back = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        glFlush();
        enter(0);
        glWaitSync(back, 0, GL_TIMEOUT_IGNORED);
        glDeleteSync(back);
    }
}

/* ---- queries of fences ---- */

static GLint
status_of(GLsync sync)
{
    GLint status = 0;
    glGetSynciv(sync, GL_SYNC_STATUS, 1, NULL, &status);
    return status;
}

/* When the last fence is signalled, all earlier ones are. */
static void
run_many(void)
{
    if (!sweep_begin("sync.many"))
        return;
    GLsync sync[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        draw_value(i, 200);
        sync[i] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        if (i % 5 == 0)
            glFlush();
    }
    GLenum got = glClientWaitSync(sync[MANY - 1], GL_SYNC_FLUSH_COMMANDS_BIT,
                                  20 * SECOND_NS);
    unsigned bad = 0;
    for (unsigned i = 0; i < MANY; i++)
        bad += status_of(sync[i]) != GL_SIGNALED ||
               glClientWaitSync(sync[i], 0, 0) != GL_ALREADY_SIGNALED;
    sweep_verdict(
        "sync.many",
        !bad && (got == GL_CONDITION_SATISFIED || got == GL_ALREADY_SIGNALED),
        "answer %x, %u are not signalled", got, bad);
    for (unsigned i = 0; i < MANY; i++)
        glDeleteSync(sync[i]);
}

/* A descriptor becomes readable and stays so; its copies, too. */
static void
run_descriptor(void)
{
    if (!sweep_begin("sync.descriptor"))
        return;
    for (unsigned i = 0; i < (sweep_large ? 200 : 10); i++) {
        draw_value(i, sweep_random(3000));
        int fd = make_fd(), copy = dup(fd);
        struct pollfd p[2] = {{.fd = fd, .events = POLLIN},
                              {.fd = copy, .events = POLLIN}};
        int first = poll(p, 1, 20000), second = poll(p, 2, 0);
        sweep_verdict(sweep_name("sync.descriptor.%u", i),
                      fd >= 0 && first == 1 && second == 2 &&
                          p[0].revents == POLLIN && p[1].revents == POLLIN,
                      "descriptor %d: %d, then %d, events %x %x", fd, first,
                      second, p[0].revents, p[1].revents);
        close(fd);
        close(copy);
    }
}

/* A fence without earlier work, and one that is not flushed: a wait with
 * timeout 0 returns at once, a wait that flushes ends. */
static void
run_waits(void)
{
    if (!sweep_begin("sync.waits"))
        return;
    glFinish();
    GLsync idle = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    GLenum got = glClientWaitSync(idle, GL_SYNC_FLUSH_COMMANDS_BIT,
                                  20 * SECOND_NS);
    sweep_verdict("sync.waits.idle",
                  got == GL_CONDITION_SATISFIED || got == GL_ALREADY_SIGNALED,
                  "answer %x", got);
    glDeleteSync(idle);
    draw_value(1, 100);
    GLsync held = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    GLenum now = glClientWaitSync(held, 0, 0);
    GLenum then = glClientWaitSync(held, GL_SYNC_FLUSH_COMMANDS_BIT,
                                   20 * SECOND_NS);
    sweep_verdict(
        "sync.waits.held",
        (now == GL_TIMEOUT_EXPIRED || now == GL_ALREADY_SIGNALED) &&
            (then == GL_CONDITION_SATISFIED || then == GL_ALREADY_SIGNALED) &&
            status_of(held) == GL_SIGNALED,
        "answers %x, %x, status %x", now, then, status_of(held));
    glDeleteSync(held);
}

void
sweep_sync(void)
{
    open_both();
    for (enum kind kind = SERVER; kind < KINDS; kind++)
        run_handing_over(kind);
    run_many();
    run_descriptor();
    run_waits();
    close_both();
}
