/* probe_va.c: VA-API, through its loader: counts the codecs of the driver and
 * decodes a picture. */
#include "cli/check/probe.h"
#include "cli/check/probe_va_picture.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define VA_PROFILE_NONE (-1) /* post-processing */

/* The number of codecs that the driver offers. */
static int
count_profiles(void *va, void *display)
{
    int (*most)(void *);
    int (*query)(void *, int *, int *);
    int profiles[256], count = 0, codecs = 0;
    *(void **)&most = dlsym(va, "vaMaxNumProfiles");
    *(void **)&query = dlsym(va, "vaQueryConfigProfiles");
    if (!most || !query || most(display) > 256 ||
        query(display, profiles, &count))
        return 0;
    for (int i = 0; i < count; i++)
        codecs += profiles[i] != VA_PROFILE_NONE;
    return codecs;
}

int
probe_va(void)
{
    void *va = dlopen("libva.so.2", RTLD_NOW | RTLD_GLOBAL);
    void *drm = dlopen("libva-drm.so.2", RTLD_NOW);
    if (!va || !drm)
        return PROBE_ABSENT;
    void *(*get_display)(int);
    int (*initialize)(void *, int *, int *);
    const char *(*vendor)(void *);
    *(void **)&get_display = dlsym(drm, "vaGetDisplayDRM");
    *(void **)&initialize = dlsym(va, "vaInitialize");
    *(void **)&vendor = dlsym(va, "vaQueryVendorString");
    if (!get_display || !initialize || !vendor)
        return PROBE_ABSENT;
    int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC), major, minor;
    void *display = fd >= 0 ? get_display(fd) : NULL;
    if (!display) {
        puts("no VA display on /dev/dri/renderD128");
        return PROBE_FAILED;
    }
    int status = initialize(display, &major, &minor);
    if (status == 0x0F || status == -1) {
        puts("no VA driver for this device");
        return PROBE_ABSENT;
    }
    const char *name = status ? NULL : vendor(display);
    if (!name) {
        printf("vaInitialize: error %d\n", status);
        return status ? PROBE_ABSENT : PROBE_FAILED;
    }
    if (!strstr(name, "Intel")) {
        printf("%s, VA-API %d.%d\n", name, major, minor);
        return PROBE_FOREIGN;
    }
    const char *what = !count_profiles(va, display) ? "it has no decoder"
                       : probe_va_picture(va, display)
                           ? NULL
                           : "a JPEG of 16x16 is not decoded right";
    printf("%s, VA-API %d.%d: %s\n", name, major, minor,
           what ? what : "JPEG of 16x16 decoded");
    return what ? PROBE_FAILED : PROBE_OK;
}
