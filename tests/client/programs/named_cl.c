/* named_cl.c: two kernels whose counts are known by hand, through stock NEO,
 * for run_names.py.
 *
 * usage: named_cl [BUILD-OPTIONS [SOURCE-FILE|- [copy]]]
 * SOURCE-FILE: where to leave the source; copy: buffers are copied, too. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 1024
#define ROUNDS 7

/* The lines' numbers are in run_names.py, too. */
static const char *source =
    "__attribute__((intel_reqd_sub_group_size(16)))\n"
    "kernel void my_saxpy_kernel(global float *y, global const float *x,\n"
    "                            float a)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    y[i] = a * x[i] + y[i];\n"
    "}\n"
    "__attribute__((intel_reqd_sub_group_size(8)))\n"
    "kernel void my_count_kernel(global int *o, int n)\n"
    "{\n"
    "    for (int j = 0; j < n; j++)\n"
    "        atomic_inc(o);\n"
    "}\n";

static void
check(cl_int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "named_cl: %s: %d\n", what, error);
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
run_saxpy(cl_command_queue queue, cl_program program, cl_mem y, cl_mem x)
{
    cl_int error;
    size_t global = COUNT, local = 64;
    float a = 2;
    cl_kernel k = clCreateKernel(program, "my_saxpy_kernel", &error);
    check(error, "my_saxpy_kernel");
    clSetKernelArg(k, 0, sizeof y, &y);
    clSetKernelArg(k, 1, sizeof x, &x);
    clSetKernelArg(k, 2, sizeof a, &a);
    for (int i = 0; i < 2; i++)
        check(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0,
                                     NULL, NULL),
              "my_saxpy_kernel runs");
    clReleaseKernel(k);
}

static void
run_count(cl_command_queue queue, cl_program program, cl_mem o)
{
    cl_int error, n = ROUNDS;
    size_t global[2] = {40, 2}, local[2] = {8, 1};
    cl_kernel k = clCreateKernel(program, "my_count_kernel", &error);
    check(error, "my_count_kernel");
    clSetKernelArg(k, 0, sizeof o, &o);
    clSetKernelArg(k, 1, sizeof n, &n);
    check(
        clEnqueueNDRangeKernel(queue, k, 2, NULL, global, local, 0, NULL, NULL),
        "my_count_kernel runs");
    clReleaseKernel(k);
}

int
main(int argc, char **argv)
{
    static float y[COUNT], x[COUNT];
    cl_int error, sum = 0;
    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "queue");
    if (argc > 2 && strcmp(argv[2], "-")) {
        FILE *f = fopen(argv[2], "w");
        check(!f || fputs(source, f) < 0 || fclose(f), argv[2]);
    }
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL,
                                                   &error);
    check(error, "program");
    check(clBuildProgram(program, 1, &device, argc > 1 ? argv[1] : NULL, NULL,
                         NULL),
          "build");
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)i;
    const cl_mem_flags copy = CL_MEM_COPY_HOST_PTR | CL_MEM_READ_WRITE;
    cl_mem my = clCreateBuffer(context, copy, sizeof y, y, &error);
    cl_mem mx = clCreateBuffer(context, copy, sizeof x, x, &error);
    cl_mem mo = clCreateBuffer(context, copy, sizeof sum, &sum, &error);
    check(error, "buffers");
    run_saxpy(queue, program, my, mx);
    run_count(queue, program, mo);
    if (argc > 3)
        check(clEnqueueCopyBuffer(queue, my, mx, 0, 0, sizeof x, 0, NULL, NULL),
              "copy");
    clEnqueueReadBuffer(queue, my, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, mo, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL);
    for (int i = 0; i < COUNT; i++)
        check(y[i] != 4 * x[i], "my_saxpy_kernel is wrong");
    check(sum != 80 * ROUNDS, "my_count_kernel is wrong");
    clReleaseProgram(program);
    puts("computed");
    return 0;
}
