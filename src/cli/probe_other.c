/* Vulkan, OpenCL and VA-API probes, through their loaders. */
#include "cli/probe.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define INTEL_VENDOR 0x8086

/* Structures as the Vulkan 1.0 specification lays them out on x86-64. */
struct vk_instance_info {
    uint32_t type; /* 1: VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO */
    const void *next;
    uint32_t flags;
    const void *application;
    uint32_t layer_count;
    const char *const *layers;
    uint32_t extension_count;
    const char *const *extensions;
};

struct vk_properties {
    uint32_t api_version, driver_version, vendor_id, device_id, device_type;
    char name[256];
    unsigned char rest[2048];
};

int
probe_vulkan(void)
{
    void *lib = dlopen("libvulkan.so.1", RTLD_NOW);
    if (!lib)
        return PROBE_ABSENT;
    int (*create)(const struct vk_instance_info *, const void *, void **);
    int (*enumerate)(void *, uint32_t *, void **);
    void (*properties)(void *, struct vk_properties *);
    *(void **)&create = dlsym(lib, "vkCreateInstance");
    *(void **)&enumerate = dlsym(lib, "vkEnumeratePhysicalDevices");
    *(void **)&properties = dlsym(lib, "vkGetPhysicalDeviceProperties");
    if (!create || !enumerate || !properties)
        return PROBE_ABSENT;
    struct vk_instance_info info = {.type = 1};
    void *instance, *devices[16];
    uint32_t count = 16;
    if (create(&info, NULL, &instance)) {
        puts("no Vulkan driver");
        return PROBE_ABSENT;
    }
    if (enumerate(instance, &count, devices) < 0 || !count) {
        puts("no Vulkan device");
        return PROBE_FAILED;
    }
    char names[512] = "";
    int status = PROBE_FOREIGN;
    for (uint32_t i = 0; i < count; i++) {
        struct vk_properties p = {0};
        properties(devices[i], &p);
        p.name[sizeof p.name - 1] = 0;
        if (p.vendor_id == INTEL_VENDOR) {
            status = PROBE_OK;
            printf("%s, Vulkan %u.%u.%u\n", p.name, p.api_version >> 22,
                   p.api_version >> 12 & 1023, p.api_version & 4095);
            return status;
        }
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                 i ? ", " : "", p.name);
    }
    puts(names);
    return status;
}

#define CL_PLATFORM_NAME_TOKEN 0x0902
#define CL_DEVICE_TYPE_GPU_TOKEN 4
#define CL_DEVICE_NAME_TOKEN 0x102B

int
probe_opencl(void)
{
    void *lib = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!lib)
        return PROBE_ABSENT;
    int (*platform_ids)(uint32_t, void **, uint32_t *);
    int (*platform_info)(void *, uint32_t, size_t, void *, size_t *);
    int (*device_ids)(void *, uint64_t, uint32_t, void **, uint32_t *);
    int (*device_info)(void *, uint32_t, size_t, void *, size_t *);
    *(void **)&platform_ids = dlsym(lib, "clGetPlatformIDs");
    *(void **)&platform_info = dlsym(lib, "clGetPlatformInfo");
    *(void **)&device_ids = dlsym(lib, "clGetDeviceIDs");
    *(void **)&device_info = dlsym(lib, "clGetDeviceInfo");
    void *platforms[16];
    uint32_t count = 0;
    if (!platform_ids || !platform_info || !device_ids || !device_info)
        return PROBE_ABSENT;
    if (platform_ids(16, platforms, &count) || !count)
        return PROBE_ABSENT;
    char names[512] = "";
    for (uint32_t i = 0; i < count && i < 16; i++) {
        char platform[128] = "", device[128] = "";
        void *id;
        platform_info(platforms[i], CL_PLATFORM_NAME_TOKEN, sizeof platform,
                      platform, NULL);
        if (!device_ids(platforms[i], CL_DEVICE_TYPE_GPU_TOKEN, 1, &id, NULL))
            device_info(id, CL_DEVICE_NAME_TOKEN, sizeof device, device, NULL);
        if (strstr(platform, "Intel") && *device) {
            printf("%s, %s\n", platform, device);
            return PROBE_OK;
        }
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                 i ? ", " : "", platform);
    }
    puts(names);
    return strstr(names, "Intel") ? PROBE_FAILED : PROBE_FOREIGN;
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
    printf("%s, VA-API %d.%d\n", name, major, minor);
    return strstr(name, "Intel") ? PROBE_OK : PROBE_FOREIGN;
}
