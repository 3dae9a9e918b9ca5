/* strict_gl.c: draws a triangle on the default or the software device of EGL,
 * in ways in which programs behave; see run_strict.py.
 * usage: strict_gl STEP...
 *
 * Each STEP is done in turn. Prints "drawn" once all pixels were right. */
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <drm.h>

#define SIZE_PX 64

static const char *const vertex = "#version 150\n"
                                  "in vec4 at; void main()"
                                  "{ gl_Position = at; }";
static const char
    *const fragment = "#version 150\n"
                      "out vec4 c; void main() { c = vec4(0.2, 0.4, 0.6, 1); }";

static void
die(const char *what)
{
    fprintf(stderr, "strict_gl: %s\n", what);
    exit(3);
}

static GLuint
make_shader(GLenum kind, const char *text)
{
    GLint ok;
    GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok)
        die("shader");
    return shader;
}

static void
make_current(EGLDisplay display)
{
    static const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3,
                                        EGL_CONTEXT_MINOR_VERSION, 2, EGL_NONE};
    if (!display || !eglInitialize(display, NULL, NULL))
        die("eglInitialize");
    eglBindAPI(EGL_OPENGL_API);
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, NULL,
                                          attributes);
    if (!context || !eglMakeCurrent(display, NULL, NULL, context))
        die("no context");
    fprintf(stderr, "%s\n", (const char *)glGetString(GL_RENDERER));
}

static void
make_target(void)
{
    GLuint name;
    glGenFramebuffers(1, &name);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    glGenRenderbuffers(1, &name);
    glBindRenderbuffer(GL_RENDERBUFFER, name);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE_PX, SIZE_PX);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                              GL_RENDERBUFFER, name);
    glViewport(0, 0, SIZE_PX, SIZE_PX);
}

static void
draw_triangle(void)
{
    static const float at[] = {-1, -1, 3, -1, -1, 3};
    GLuint name, program = glCreateProgram();
    make_target();
    glAttachShader(program, make_shader(GL_VERTEX_SHADER, vertex));
    glAttachShader(program, make_shader(GL_FRAGMENT_SHADER, fragment));
    glBindAttribLocation(program, 0, "at");
    glLinkProgram(program);
    glUseProgram(program);
    glGenVertexArrays(1, &name);
    glBindVertexArray(name);
    glGenBuffers(1, &name);
    glBindBuffer(GL_ARRAY_BUFFER, name);
    glBufferData(GL_ARRAY_BUFFER, sizeof at, at, GL_STATIC_DRAW);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(0);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    unsigned char pixel[4] = {0};
    glReadPixels(SIZE_PX / 2, SIZE_PX / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                 pixel);
    static const unsigned char right[4] = {51, 102, 153, 255};
    if (memcmp(pixel, right, sizeof right))
        die("wrong pixel");
}

static void
draw(void)
{
    make_current(
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL));
    draw_triangle();
}

/* The device that has no node: Mesa's rasteriser. */
static EGLDisplay
software_display(void)
{
    EGLDeviceEXT devices[8];
    EGLint count = 0;
    eglQueryDevicesEXT(8, devices, &count);
    for (EGLint i = 0; i < count; i++) {
        const char *has = eglQueryDeviceStringEXT(devices[i], EGL_EXTENSIONS);
        if (has && strstr(has, "EGL_MESA_device_software"))
            return eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[i],
                                            NULL);
    }
    return NULL;
}

static void
draw_software(void)
{
    make_current(software_display());
    draw_triangle();
}

/* A context without any work. */
static void
idle_software(void)
{
    make_current(software_display());
}

static void
clear_software(void)
{
    make_current(software_display());
    make_target();
    for (int i = 0; i < 20; i++) {
        unsigned char pixel[4];
        glClearColor((float)i / 20, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    }
}

/* Lists the software device as well, as EGL does for programs that enumerate.
 */
static void
enumerate(void)
{
    if (!software_display())
        die("no software device");
}

static void
open_device(void)
{
    struct drm_version version = {0};
    int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    if (fd < 0 || ioctl(fd, DRM_IOCTL_VERSION, &version))
        die("the device does not open");
    close(fd);
}

static void
close_all(void)
{
    for (int fd = 2; fd < 4096; fd++)
        if (fd != STDOUT_FILENO)
            close(fd);
}

static void
close_range_all(void)
{
    close_range(3, ~0u, 0);
}

/* By a direct system call, which bypasses the library. */
static void
close_raw(void)
{
    for (int fd = 3; fd < 4096; fd++)
        syscall(SYS_close, fd);
}

#define TEXTURES 1500
#define TEXTURE_PX 256

/* Many objects: each is too large to share one. */
static void
draw_textures(void)
{
    static GLuint names[TEXTURES];
    GLuint fbo;
    glGenTextures(TEXTURES, names);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < TEXTURES; i++) {
            unsigned char pixel[4], right[4] = {i & 255, i >> 8, 0, 255};
            glBindTexture(GL_TEXTURE_2D, names[i]);
            if (!pass)
                glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, TEXTURE_PX, TEXTURE_PX,
                             0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
            glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                   GL_TEXTURE_2D, names[i], 0);
            glClearColor((float)right[0] / 255, (float)right[1] / 255, 0, 1);
            if (!pass)
                glClear(GL_COLOR_BUFFER_BIT);
            glReadPixels(TEXTURE_PX - 1, TEXTURE_PX - 1, 1, 1, GL_RGBA,
                         GL_UNSIGNED_BYTE, pixel);
            if (memcmp(pixel, right, sizeof right))
                die("wrong texture");
        }
}

static void
say_report(int sig)
{
    static const char text[] = "report\n";
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0)
        _exit(4);
}

static void
handle_once(void)
{
    struct sigaction sa = {.sa_handler = say_report,
                           .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
    sigaction(SIGSEGV, &sa, NULL);
}

static void
crash(void)
{
    alarm(20);
    volatile uintptr_t nowhere = 16;
    *(volatile int *)nowhere = 1;
}

static void
end_at_once(void)
{
    puts("drawn");
    fflush(stdout);
    syscall(SYS_exit_group, 0);
}

static const struct {
    const char *name;
    void (*run)(void);
} steps[] = {
    {"draw", draw},
    {"draw-software", draw_software},
    {"idle-software", idle_software},
    {"clear-software", clear_software},
    {"enumerate", enumerate},
    {"open", open_device},
    {"close-all", close_all},
    {"close-range", close_range_all},
    {"close-raw", close_raw},
    {"end-at-once", end_at_once},
    {"textures", draw_textures},
    {"handle-once", handle_once},
    {"crash", crash},
};

static void run_step(char **argv);

/* "fork STEP": the child does the step and calls exit(). */
static void
run_in_child(char **argv)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        run_step(argv);
        exit(0);
    }
    if (waitpid(pid, &status, 0) != pid || status)
        die("the child failed");
}

static void
run_step(char **argv)
{
    if (!argv[0])
        return;
    if (!strcmp(argv[0], "exec")) {
        argv[0] = "/proc/self/exe";
        execv(argv[0], argv);
        die("exec");
    }
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (!strcmp(argv[0], steps[i].name)) {
            steps[i].run();
            return;
        }
    die(argv[0]);
}

int
main(int argc, char **argv)
{
    for (argv++; *argv; argv++) {
        if (!strcmp(*argv, "fork"))
            run_in_child(++argv);
        else
            run_step(argv);
    }
    puts("drawn");
    return 0;
}
