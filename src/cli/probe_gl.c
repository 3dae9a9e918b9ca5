/* EGL (surfaceless and GBM) and KMS probes. Only entry points and token
 * values of the public headers are used. */
#include "cli/probe.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>
#include <xf86drmMode.h>

#define EGL_PLATFORM_GBM 0x31D7
#define EGL_PLATFORM_SURFACELESS 0x31DD
#define EGL_NONE_TOKEN 0x3038
#define EGL_OPENGL_ES_API_TOKEN 0x30A0
#define EGL_CONTEXT_VERSION 0x3098
#define GL_RENDERER_TOKEN 0x1F01
#define GL_VERSION_TOKEN 0x1F02

struct egl {
    void *lib;
    void *(*get_platform_display)(unsigned, void *, const intptr_t *);
    unsigned (*initialize)(void *, int *, int *);
    unsigned (*bind_api)(unsigned);
    void *(*create_context)(void *, void *, void *, const int *);
    unsigned (*make_current)(void *, void *, void *, void *);
    void *(*get_proc)(const char *);
};

static bool
load_egl(struct egl *egl)
{
    egl->lib = dlopen("libEGL.so.1", RTLD_NOW);
    if (!egl->lib)
        return false;
    *(void **)&egl->get_platform_display = dlsym(egl->lib,
                                                 "eglGetPlatformDisplay");
    *(void **)&egl->initialize = dlsym(egl->lib, "eglInitialize");
    *(void **)&egl->bind_api = dlsym(egl->lib, "eglBindAPI");
    *(void **)&egl->create_context = dlsym(egl->lib, "eglCreateContext");
    *(void **)&egl->make_current = dlsym(egl->lib, "eglMakeCurrent");
    *(void **)&egl->get_proc = dlsym(egl->lib, "eglGetProcAddress");
    return egl->get_platform_display && egl->initialize && egl->bind_api &&
           egl->create_context && egl->make_current && egl->get_proc;
}

static int
report_gl(const struct egl *egl, unsigned platform, void *native)
{
    void *dpy = egl->get_platform_display(platform, native, NULL);
    if (!dpy || !egl->initialize(dpy, NULL, NULL)) {
        puts("eglInitialize failed");
        return PROBE_FAILED;
    }
    egl->bind_api(EGL_OPENGL_ES_API_TOKEN);
    const int attributes[] = {EGL_CONTEXT_VERSION, 2, EGL_NONE_TOKEN};
    void *ctx = egl->create_context(dpy, NULL, NULL, attributes);
    if (!ctx || !egl->make_current(dpy, NULL, NULL, ctx)) {
        puts("no GL context");
        return PROBE_FAILED;
    }
    const unsigned char *(*get_string)(unsigned);
    *(void **)&get_string = egl->get_proc("glGetString");
    const char *renderer = get_string
                               ? (const char *)get_string(GL_RENDERER_TOKEN)
                               : NULL;
    const char *version = get_string
                              ? (const char *)get_string(GL_VERSION_TOKEN)
                              : NULL;
    if (!renderer || !version) {
        puts("glGetString failed");
        return PROBE_FAILED;
    }
    printf("%s, %s\n", renderer, version);
    return strstr(renderer, "Intel") ? PROBE_OK : PROBE_FOREIGN;
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

int
probe_kms(void)
{
    int fd = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        puts("/dev/dri/card0 does not open");
        return PROBE_FAILED;
    }
    drmVersionPtr version = drmGetVersion(fd);
    drmModeResPtr res = drmModeGetResources(fd);
    if (!version || !res) {
        puts("no modesetting");
        return PROBE_FAILED;
    }
    drmModeConnectorPtr connector = res->count_connectors
                                        ? drmModeGetConnector(
                                              fd, res->connectors[0])
                                        : NULL;
    bool connected = connector && connector->connection == DRM_MODE_CONNECTED &&
                     connector->count_modes;
    if (connected)
        printf("%s, %d connector(s), %s\n", version->name,
               res->count_connectors, connector->modes[0].name);
    else
        puts("no connected display");
    if (!connected)
        return PROBE_FAILED;
    return strcmp(version->name, "i915") ? PROBE_FOREIGN : PROBE_OK;
}
