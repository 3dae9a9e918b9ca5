/* strict_cl.c: runs a kernel on the platform whose name has a word in it, with
 * every platform enumerated before. usage: strict_cl WORD [crash]
 * crash: then the program makes a mistake. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 1000

static void
check(cl_int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "strict_cl: %s: %d\n", what, error);
    exit(3);
}

static cl_device_id
choose_device(const char *word)
{
    cl_platform_id platforms[8];
    cl_device_id chosen = NULL;
    cl_uint count = 0;
    clGetPlatformIDs(8, platforms, &count);
    for (cl_uint i = 0; i < count; i++) {
        char name[128] = "";
        cl_device_id device;
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name,
                          NULL);
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL))
            continue;
        fprintf(stderr, "%s\n", name);
        if (strstr(name, word))
            chosen = device;
    }
    check(chosen ? 0 : -1, "no such platform");
    return chosen;
}

int
main(int argc, char **argv)
{
    static const char *source = "kernel void k(global int *o)"
                                "{ o[get_global_id(0)] = get_global_id(0); }";
    static int out[COUNT];
    size_t global = COUNT;
    cl_int error;
    cl_device_id device = choose_device(argc > 1 ? argv[1] : "Intel");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL,
                                                   &error);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    check(error, "kernel");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL,
                                   &error);
    check(error, "buffer");
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL,
                                 NULL),
          "enqueue");
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0,
                              NULL, NULL),
          "read");
    for (int i = 0; i < COUNT; i++)
        check(out[i] != i, "wrong value");
    volatile uintptr_t nowhere = 16;
    if (argc > 2)
        *(volatile int *)nowhere = 1;
    puts("drawn");
    return 0;
}
