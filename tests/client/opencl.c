/* opencl.c: kernels through stock NEO, whose walkers bring their constants as
 * indirect data: scalar arguments, shared local memory with a barrier, two
 * dimensions with local ids. Results are computed again here. TAP. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define COUNT 1000
#define GROUP 100
#define WIDTH 40

static const char *source =
    "__kernel void add(__global const int *a, __global int *c, int k)\n"
    "{ size_t i = get_global_id(0); c[i] = a[i] * k + (int)i; }\n"
    "__kernel void reverse(__global const int *a, __global int *c,\n"
    "                      __local int *t)\n"
    "{ size_t l = get_local_id(0), n = get_local_size(0);\n"
    "  size_t first = get_group_id(0) * n;\n"
    "  t[l] = a[first + l]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  c[first + l] = t[n - 1 - l]; }\n"
    "__kernel void where(__global const int *a, __global int *c)\n"
    "{ c[get_global_id(1) * get_global_size(0) + get_global_id(0)] =\n"
    "  get_group_id(0) + 100 * get_group_id(1) + 10000 * get_local_id(0) +\n"
    "  1000000 * get_local_id(1); }\n";

struct rig {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_mem in, out;
    int a[COUNT], c[COUNT];
};

static bool
find_device(struct rig *r)
{
    cl_platform_id platform[8];
    cl_uint n = 0;
    if (clGetPlatformIDs(8, platform, &n))
        return false;
    for (cl_uint i = 0; i < n && i < 8; i++) {
        char name[64] = "";
        clGetPlatformInfo(platform[i], CL_PLATFORM_NAME, sizeof name, name,
                          NULL);
        if (!strncmp(name, "Intel", 5) &&
            !clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_GPU, 1, &r->device,
                            NULL))
            return true;
    }
    return false;
}

static bool
make_rig(struct rig *r)
{
    for (int i = 0; i < COUNT; i++)
        r->a[i] = i * 7 - 300;
    cl_int err;
    r->context = clCreateContext(NULL, 1, &r->device, NULL, NULL, &err);
    r->queue = clCreateCommandQueue(r->context, r->device, 0, &err);
    r->program = clCreateProgramWithSource(r->context, 1, &source, NULL, &err);
    r->in = clCreateBuffer(r->context, CL_MEM_COPY_HOST_PTR, sizeof r->a, r->a,
                           &err);
    r->out = clCreateBuffer(r->context, 0, sizeof r->c, NULL, &err);
    return r->context && r->queue && r->program && r->in && r->out &&
           !clBuildProgram(r->program, 1, &r->device, "", NULL, NULL);
}

/* Runs a kernel whose third argument, if it has one, is given. */
static bool
run(struct rig *r, const char *name, size_t arg_B, const void *arg,
    unsigned dims, const size_t *global, const size_t *local)
{
    cl_int err;
    cl_kernel k = clCreateKernel(r->program, name, &err);
    if (!k)
        return false;
    memset(r->c, 0x55, sizeof r->c);
    bool ok = !clSetKernelArg(k, 0, sizeof r->in, &r->in) &&
              !clSetKernelArg(k, 1, sizeof r->out, &r->out) &&
              (!arg_B || !clSetKernelArg(k, 2, arg_B, arg)) &&
              !clEnqueueNDRangeKernel(r->queue, k, dims, NULL, global, local, 0,
                                      NULL, NULL) &&
              !clEnqueueReadBuffer(r->queue, r->out, CL_TRUE, 0, sizeof r->c,
                                   r->c, 0, NULL, NULL);
    clReleaseKernel(k);
    return ok;
}

static void
report(unsigned number, const char *name, bool ok)
{
    printf("%s %u - %s\n", ok ? "ok" : "not ok", number, name);
}

int
main(void)
{
    static struct rig r;
    printf("1..4\n");
    bool ok = find_device(&r) && make_rig(&r);
    report(1, "a device of Intel's builds a program", ok);
    if (!ok)
        return 1;

    int factor = 3;
    size_t count = COUNT, group = GROUP;
    ok = run(&r, "add", sizeof factor, &factor, 1, &count, NULL);
    for (int i = 0; i < COUNT; i++)
        ok &= r.c[i] == r.a[i] * factor + i;
    report(2, "scalar arguments", ok);

    ok = run(&r, "reverse", GROUP * sizeof(int), NULL, 1, &count, &group);
    for (int i = 0; i < COUNT; i++)
        ok &= r.c[i] == r.a[i / GROUP * GROUP + GROUP - 1 - i % GROUP];
    report(3, "shared local memory and a barrier", ok);

    const size_t global[2] = {WIDTH, COUNT / WIDTH}, local[2] = {8, 5};
    ok = run(&r, "where", 0, NULL, 2, global, local);
    for (int i = 0; i < COUNT; i++) {
        int x = i % WIDTH, y = i / WIDTH;
        ok &= r.c[i] ==
              x / 8 + 100 * (y / 5) + 10000 * (x % 8) + 1000000 * (y % 5);
    }
    report(4, "group and local ids of two dimensions", ok);
    return 0;
}
