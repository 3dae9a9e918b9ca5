/* mad_cl.c: kernels that are chains of dependent MADs, as clpeak's, through
 * stock NEO, for run_model.py.
 *
 * usage: mad_cl
 * Each kernel computes 2048 multiply-adds for each work item, in one chain, in
 * two or in four, or with a constant factor. Prints kernels and work items. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS (168 * 32 * 8) /* eight times all threads of a GT2 */
#define LOCAL 256
#define FACTOR 0.5f
#define ADDEND 0.2f

/* Work items begin with values of their own, or all would be one for the
 * compiler. */
static const char *source =
    "#define FOUR(s) s s s s\n"
    "#define SIXTEEN(s) FOUR(s) FOUR(s) FOUR(s) FOUR(s)\n"
    "#define ROUNDS(n, s) for (int i = 0; i < (n) / 16; i++) { SIXTEEN(s) }\n"
    "#define BEGIN float x = a / (1 + get_local_id(0))\n"
    "kernel void mad_1(global float *o, float a, float c) {\n"
    "    BEGIN;\n"
    "    ROUNDS(2048, x = mad(x, x, c);)\n"
    "    o[get_global_id(0)] = x;\n"
    "}\n"
    "kernel void mad_2(global float *o, float a, float c) {\n"
    "    BEGIN, y = x / 2;\n"
    "    ROUNDS(1024, x = mad(x, x, c); y = mad(y, y, c);)\n"
    "    o[get_global_id(0)] = (x + y) / 2;\n"
    "}\n"
    "kernel void mad_4(global float *o, float a, float c) {\n"
    "    BEGIN, y = x / 2, z = x / 4, w = x / 8;\n"
    "    ROUNDS(512, x = mad(x, x, c); y = mad(y, y, c);\n"
    "                z = mad(z, z, c); w = mad(w, w, c);)\n"
    "    o[get_global_id(0)] = (x + y + z + w) / 4;\n"
    "}\n"
    "kernel void mad_linear(global float *o, float a, float c) {\n"
    "    BEGIN;\n"
    "    ROUNDS(2048, x = mad(a, x, c);)\n"
    "    o[get_global_id(0)] = x;\n"
    "}\n";

/* What the chains end at: the fixed points of x * x + ADDEND and of
 * FACTOR * x + ADDEND. */
static const struct kernel {
    const char *name;
    float result;
} kernels[] = {
    {"mad_1", 0.27639320f},
    {"mad_2", 0.27639320f},
    {"mad_4", 0.27639320f},
    {"mad_linear", 0.4f},
};

static void
check(cl_int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "mad_cl: %s: %d\n", what, error);
    exit(3);
}

static cl_device_id
find_device(void)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    clGetPlatformIDs(8, platforms, &count);
    for (cl_uint i = 0; i < count && i < 8; i++) {
        char name[128] = "";
        cl_device_id device;
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name,
                          NULL);
        if (strstr(name, "Intel") &&
            !clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 1, &device, NULL))
            return device;
    }
    check(-1, "no GPU of Intel's");
    return NULL;
}

static void
run_kernel(cl_command_queue queue, cl_program program, cl_mem o,
           const struct kernel *kernel)
{
    static float out[ITEMS];
    cl_int error;
    size_t global = ITEMS, local = LOCAL;
    float a = FACTOR, c = ADDEND;
    cl_kernel k = clCreateKernel(program, kernel->name, &error);
    check(error, kernel->name);
    clSetKernelArg(k, 0, sizeof o, &o);
    clSetKernelArg(k, 1, sizeof a, &a);
    clSetKernelArg(k, 2, sizeof c, &c);
    check(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL,
                                 NULL),
          kernel->name);
    clEnqueueReadBuffer(queue, o, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    for (int i = 0; i < ITEMS; i++)
        check(fabsf(out[i] - kernel->result) > 1e-5f, "a result is wrong");
    printf("%s %d\n", kernel->name, ITEMS);
    clReleaseKernel(k);
}

int
main(void)
{
    cl_int error;
    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL,
                                                   &error);
    check(error, "program");
    check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "build");
    cl_mem o = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(float),
                              NULL, &error);
    check(error, "buffer");
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        run_kernel(queue, program, o, &kernels[i]);
    clReleaseProgram(program);
    return 0;
}
