/* probe_opencl.c: OpenCL, through its loader: runs a kernel on the first Intel
 * GPU. Values of the public headers. */
#include "cli/check/probe.h"
#include "cli/check/probe_functions.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 256
#define CL_PLATFORM_NAME_TOKEN 0x0902
#define CL_DEVICE_TYPE_GPU_TOKEN 4
#define CL_DEVICE_NAME_TOKEN 0x102B

/* OpenCL 1.2; an int is an error code. */
#define CL_FUNCTIONS(X)                                                     \
    X(int, GetPlatformIDs, (uint32_t, void **, uint32_t *))                 \
    X(int, GetPlatformInfo, (void *, uint32_t, size_t, void *, size_t *))   \
    X(int, GetDeviceIDs, (void *, uint64_t, uint32_t, void **, uint32_t *)) \
    X(int, GetDeviceInfo, (void *, uint32_t, size_t, void *, size_t *))     \
    X(void *, CreateContext,                                                \
      (const void *, uint32_t, void *const *, void *, void *, int *))       \
    X(void *, CreateCommandQueue, (void *, void *, uint64_t, int *))        \
    X(void *, CreateProgramWithSource,                                      \
      (void *, uint32_t, const char **, const size_t *, int *))             \
    X(int, BuildProgram,                                                    \
      (void *, uint32_t, void *const *, const char *, void *, void *))      \
    X(void *, CreateKernel, (void *, const char *, int *))                  \
    X(void *, CreateBuffer, (void *, uint64_t, size_t, void *, int *))      \
    X(int, SetKernelArg, (void *, uint32_t, size_t, const void *))          \
    X(int, EnqueueNDRangeKernel,                                            \
      (void *, void *, uint32_t, const size_t *, const size_t *,            \
       const size_t *, uint32_t, const void *, void *))                     \
    X(int, EnqueueReadBuffer,                                               \
      (void *, void *, uint32_t, size_t, size_t, void *, uint32_t,          \
       const void *, void *))

struct cl {
    CL_FUNCTIONS(PROBE_MEMBER)
};

/* Compiles and runs a kernel, and compares its result. Returns NULL or an error
 * message. */
static const char *
try_kernel(const struct cl *cl, void *device)
{
    const char *source = "kernel void k(global int *o)"
                         "{ o[get_global_id(0)] = 3 * get_global_id(0); }";
    const size_t global = COUNT;
    int out[COUNT] = {0}, error = 0;
    void *context = cl->CreateContext(NULL, 1, &device, NULL, NULL, &error);
    void *queue = error ? NULL
                        : cl->CreateCommandQueue(context, device, 0, &error);
    if (error)
        return "no context";
    void *program = cl->CreateProgramWithSource(context, 1, &source, NULL,
                                                &error);
    if (error || cl->BuildProgram(program, 1, &device, "", NULL, NULL))
        return "a kernel is not compiled";
    void *kernel = cl->CreateKernel(program, "k", &error);
    void *buffer = error
                       ? NULL
                       : cl->CreateBuffer(context, 1, sizeof out, NULL, &error);
    if (error || cl->SetKernelArg(kernel, 0, sizeof buffer, &buffer) ||
        cl->EnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL,
                                 NULL) ||
        cl->EnqueueReadBuffer(queue, buffer, 1, 0, sizeof out, out, 0, NULL,
                              NULL))
        return "a kernel does not run";
    for (int i = 0; i < COUNT; i++)
        if (out[i] != 3 * i)
            return "a kernel has wrong results";
    return NULL;
}

/* Whether the loader is told of Intel's driver: one that finds no device is not
 * among the platforms. */
static bool
has_intel_driver(void)
{
    const char *vendors = getenv("OCL_ICD_VENDORS");
    DIR *dir = opendir(vendors ? vendors : "/etc/OpenCL/vendors");
    const struct dirent *entry;
    bool found = false;
    while (dir && (entry = readdir(dir)))
        found |= strcasestr(entry->d_name, "intel") != NULL;
    if (dir)
        closedir(dir);
    return found;
}

int
probe_opencl(void)
{
    void *lib = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!lib)
        return PROBE_ABSENT;
    struct cl cl;
    void *platforms[16];
    uint32_t count = 0;
    if (!PROBE_LOOK_UP(&cl, CL_FUNCTIONS, "cl", dlsym, lib) ||
        cl.GetPlatformIDs(16, platforms, &count) || !count)
        return PROBE_ABSENT;
    char names[512] = "";
    for (uint32_t i = 0; i < count && i < 16; i++) {
        char platform[128] = "", device[128] = "";
        void *id;
        cl.GetPlatformInfo(platforms[i], CL_PLATFORM_NAME_TOKEN,
                           sizeof platform, platform, NULL);
        if (!cl.GetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU_TOKEN, 1, &id,
                             NULL))
            cl.GetDeviceInfo(id, CL_DEVICE_NAME_TOKEN, sizeof device, device,
                             NULL);
        if (strstr(platform, "Intel") && *device) {
            const char *why = try_kernel(&cl, id);
            printf("%s, %s%s%s\n", platform, device, why ? ": " : "",
                   why ? why : "");
            return why ? PROBE_FAILED : PROBE_OK;
        }
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                 i ? ", " : "", platform);
    }
    bool listed = strstr(names, "Intel") != NULL;
    if (!listed && !has_intel_driver()) {
        printf("no Intel driver, only %s\n", names);
        return PROBE_ABSENT;
    }
    puts(names);
    return listed ? PROBE_FAILED : PROBE_FOREIGN;
}
