/* random_opencl.c: runs a random program as an OpenCL kernel. */
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <string.h>

#include "random_ast.h"

const enum rp_language rp_device_language = RP_OPENCL;
const char *const rp_device_name = "OpenCL";

static struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
} cl;

bool
rp_device_open(void)
{
    cl_platform_id platform[8];
    cl_uint n = 0;
    cl_int err;
    if (clGetPlatformIDs(8, platform, &n))
        return false;
    for (cl_uint i = 0; i < n && i < 8 && !cl.device; i++) {
        char name[64] = "";
        clGetPlatformInfo(platform[i], CL_PLATFORM_NAME, sizeof name, name,
                          NULL);
        if (!strncmp(name, "Intel", 5))
            clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_GPU, 1, &cl.device,
                           NULL);
    }
    if (!cl.device)
        return false;
    cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &err);
    cl.queue = clCreateCommandQueue(cl.context, cl.device, 0, &err);
    return cl.context && cl.queue;
}

static cl_program
built(const char *source)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(cl.context, 1, &source, NULL,
                                                   &err);
    if (program && clBuildProgram(program, 1, &cl.device, "-w", NULL, NULL)) {
        char log[2000] = "";
        clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG,
                              sizeof log - 1, log, NULL);
        printf("# %s\n", log);
        clReleaseProgram(program);
        return NULL;
    }
    return program;
}

bool
rp_device_run(const struct rp_program *p, const char *source, const int64_t *in,
              int64_t *out)
{
    const size_t in_B = RP_INPUTS * sizeof *in;
    const size_t out_B = RP_INVOCATIONS * RP_OUTPUTS * sizeof *out;
    const size_t global = RP_INVOCATIONS;
    (void)p;
    cl_int err;
    cl_program program = built(source);
    if (!program)
        return false;
    memset(out, 0, out_B);
    cl_mem from = clCreateBuffer(cl.context, CL_MEM_COPY_HOST_PTR, in_B,
                                 (void *)(uintptr_t)in, &err);
    cl_mem to = clCreateBuffer(cl.context, CL_MEM_COPY_HOST_PTR, out_B, out,
                               &err);
    cl_kernel k = clCreateKernel(program, "k", &err);
    bool ok = from && to && k && !clSetKernelArg(k, 0, sizeof from, &from) &&
              !clSetKernelArg(k, 1, sizeof to, &to) &&
              !clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &global, NULL, 0,
                                      NULL, NULL) &&
              !clEnqueueReadBuffer(cl.queue, to, CL_TRUE, 0, out_B, out, 0,
                                   NULL, NULL);
    clReleaseKernel(k);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseProgram(program);
    return ok;
}
