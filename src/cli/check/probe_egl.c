/* probe_egl.c: EGL without a surface and on GBM: draws a triangle in OpenGL ES
 * 2. Values of the public headers. */
#include "cli/check/probe.h"
#include "cli/check/probe_functions.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SIZE_PX 16
#define EGL_PLATFORM_GBM 0x31D7
#define EGL_PLATFORM_SURFACELESS 0x31DD
#define EGL_NONE 0x3038
#define EGL_OPENGL_ES_API 0x30A0
#define EGL_CONTEXT_VERSION 0x3098

#define EGL_FUNCTIONS(X)                                                 \
    X(void *, GetPlatformDisplay,                                        \
      (unsigned platform, void *native, const intptr_t *))               \
    X(unsigned, Initialize, (void *display, int *major, int *minor))     \
    X(unsigned, BindAPI, (unsigned api))                                 \
    X(void *, CreateContext,                                             \
      (void *display, void *config, void *share, const int *attributes)) \
    X(unsigned, MakeCurrent,                                             \
      (void *display, void *draw, void *read, void *context))            \
    X(void *, GetProcAddress, (const char *name))

struct egl {
    EGL_FUNCTIONS(PROBE_MEMBER)
};

static bool
load_egl(struct egl *egl)
{
    void *lib = dlopen("libEGL.so.1", RTLD_NOW);
    return lib && PROBE_LOOK_UP(egl, EGL_FUNCTIONS, "egl", dlsym, lib);
}

/* ---- the triangle ------------------------------------------------------ */

enum {
    TRIANGLES = 0x0004,
    UNSIGNED_BYTE = 0x1401,
    FLOAT_TYPE = 0x1406,
    RGBA = 0x1908,
    RENDERER = 0x1F01,
    VERSION = 0x1F02,
    FRAGMENT_SHADER = 0x8B30,
    VERTEX_SHADER = 0x8B31,
    LINK_STATUS = 0x8B82,
    TEXTURE_2D = 0x0DE1,
    COLOR_ATTACHMENT0 = 0x8CE0,
    FRAMEBUFFER_COMPLETE = 0x8CD5,
    FRAMEBUFFER = 0x8D40,
};

#define GL_FUNCTIONS(X)                                                       \
    X(const char *, GetString, (unsigned what))                               \
    X(unsigned, CreateShader, (unsigned kind))                                \
    X(void, ShaderSource,                                                     \
      (unsigned shader, int count, const char *const *text, const int *size)) \
    X(void, CompileShader, (unsigned shader))                                 \
    X(unsigned, CreateProgram, (void))                                        \
    X(void, AttachShader, (unsigned program, unsigned shader))                \
    X(void, LinkProgram, (unsigned program))                                  \
    X(void, GetProgramiv, (unsigned program, unsigned what, int *value))      \
    X(void, UseProgram, (unsigned program))                                   \
    X(void, GenTextures, (int count, unsigned *names))                        \
    X(void, BindTexture, (unsigned target, unsigned name))                    \
    X(void, TexImage2D,                                                       \
      (unsigned target, int level, int internal, int width, int height,       \
       int border, unsigned format, unsigned type, const void *data))         \
    X(void, GenFramebuffers, (int count, unsigned *names))                    \
    X(void, BindFramebuffer, (unsigned target, unsigned name))                \
    X(void, FramebufferTexture2D,                                             \
      (unsigned target, unsigned attachment, unsigned kind, unsigned name,    \
       int level))                                                            \
    X(unsigned, CheckFramebufferStatus, (unsigned target))                    \
    X(void, Viewport, (int x, int y, int width, int height))                  \
    X(void, VertexAttribPointer,                                              \
      (unsigned index, int size, unsigned type, unsigned char normalized,     \
       int stride, const void *data))                                         \
    X(void, EnableVertexAttribArray, (unsigned index))                        \
    X(void, DrawArrays, (unsigned mode, int first, int count))                \
    X(void, ReadPixels,                                                       \
      (int x, int y, int width, int height, unsigned format, unsigned type,   \
       void *data))

struct gl {
    GL_FUNCTIONS(PROBE_MEMBER)
};

/* from: eglGetProcAddress(). */
static void *
find_gl(void *from, const char *name)
{
    void *(*const *get_proc)(const char *) = from;
    return (*get_proc)(name);
}

static bool
make_program(const struct gl *gl)
{
    static const char *const text[2] = {
        "attribute vec2 at; void main() { gl_Position = vec4(at, 0, 1); }",
        "void main() { gl_FragColor = vec4(0.2, 0.4, 0.6, 1.0); }"};
    static const unsigned kinds[2] = {VERTEX_SHADER, FRAGMENT_SHADER};
    unsigned program = gl->CreateProgram();
    int linked = 0;
    for (unsigned i = 0; i < 2; i++) {
        unsigned shader = gl->CreateShader(kinds[i]);
        gl->ShaderSource(shader, 1, &text[i], NULL);
        gl->CompileShader(shader);
        gl->AttachShader(program, shader);
    }
    gl->LinkProgram(program);
    gl->GetProgramiv(program, LINK_STATUS, &linked);
    gl->UseProgram(program);
    return linked;
}

static bool
make_target(const struct gl *gl)
{
    unsigned texture, fbo;
    gl->GenTextures(1, &texture);
    gl->BindTexture(TEXTURE_2D, texture);
    gl->TexImage2D(TEXTURE_2D, 0, RGBA, SIZE_PX, SIZE_PX, 0, RGBA,
                   UNSIGNED_BYTE, NULL);
    gl->GenFramebuffers(1, &fbo);
    gl->BindFramebuffer(FRAMEBUFFER, fbo);
    gl->FramebufferTexture2D(FRAMEBUFFER, COLOR_ATTACHMENT0, TEXTURE_2D,
                             texture, 0);
    gl->Viewport(0, 0, SIZE_PX, SIZE_PX);
    return gl->CheckFramebufferStatus(FRAMEBUFFER) == FRAMEBUFFER_COMPLETE;
}

/* Draws a triangle in the current context and compares it. Returns NULL or an
 * error message. */
static const char *
try_triangle(const struct gl *gl)
{
    static const float at[] = {-1, -1, 3, -1, -1, 3};
    static const unsigned char right[4] = {51, 102, 153, 255};
    unsigned char pixels[SIZE_PX * SIZE_PX][4];
    if (!make_target(gl) || !make_program(gl))
        return "no target or shader";
    /* Attribute 0: the only one. */
    gl->VertexAttribPointer(0, 2, FLOAT_TYPE, 0, 0, at);
    gl->EnableVertexAttribArray(0);
    gl->DrawArrays(TRIANGLES, 0, 3);
    memset(pixels, 0, sizeof pixels);
    gl->ReadPixels(0, 0, SIZE_PX, SIZE_PX, RGBA, UNSIGNED_BYTE, pixels);
    for (unsigned i = 0; i < SIZE_PX * SIZE_PX; i++)
        if (memcmp(pixels[i], right, sizeof right))
            return "a frame has wrong pixels";
    return NULL;
}

/* ---- the probes --------------------------------------------------------- */

static int
report_gl(const struct egl *egl, unsigned platform, void *native)
{
    void *dpy = egl->GetPlatformDisplay(platform, native, NULL);
    if (!dpy || !egl->Initialize(dpy, NULL, NULL)) {
        puts("eglInitialize failed");
        return PROBE_FAILED;
    }
    egl->BindAPI(EGL_OPENGL_ES_API);
    const int attributes[] = {EGL_CONTEXT_VERSION, 2, EGL_NONE};
    void *ctx = egl->CreateContext(dpy, NULL, NULL, attributes);
    if (!ctx || !egl->MakeCurrent(dpy, NULL, NULL, ctx)) {
        puts("no GL context");
        return PROBE_FAILED;
    }
    struct gl gl;
    if (!PROBE_LOOK_UP(&gl, GL_FUNCTIONS, "gl", find_gl,
                       (void *)&egl->GetProcAddress)) {
        puts("functions of OpenGL ES 2 are missing");
        return PROBE_FAILED;
    }
    const char *renderer = gl.GetString(RENDERER);
    const char *version = gl.GetString(VERSION);
    if (!renderer || !version) {
        puts("glGetString failed");
        return PROBE_FAILED;
    }
    bool ours = strstr(renderer, "Intel");
    const char *why = ours ? try_triangle(&gl) : NULL;
    printf("%s, %s%s%s\n", renderer, version, why ? ": " : "", why ? why : "");
    return why ? PROBE_FAILED : ours ? PROBE_OK : PROBE_FOREIGN;
}

int
probe_egl(void)
{
    struct egl egl;
    if (!load_egl(&egl))
        return PROBE_ABSENT;
    return report_gl(&egl, EGL_PLATFORM_SURFACELESS, NULL);
}

int
probe_gbm(void)
{
    struct egl egl;
    void *lib = dlopen("libgbm.so.1", RTLD_NOW);
    void *(*create_device)(int) = NULL;
    if (lib)
        *(void **)&create_device = dlsym(lib, "gbm_create_device");
    if (!create_device || !load_egl(&egl))
        return PROBE_ABSENT;
    int fd = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    void *device = fd >= 0 ? create_device(fd) : NULL;
    if (!device) {
        puts("no GBM device on /dev/dri/card0");
        return PROBE_FAILED;
    }
    return report_gl(&egl, EGL_PLATFORM_GBM, device);
}
