/* memory_cl.c: kernels whose memory accesses are known by hand, through stock
 * NEO, for run_memory.py. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 1024
#define MOST_STRIDE 16
#define TILE 16

static const char *source =
    "#define SIMD16 __attribute__((intel_reqd_sub_group_size(16)))\n"
    "SIMD16 kernel void copy(global float *y, global const float *x)\n"
    "{\n"
    "    y[get_global_id(0)] = x[get_global_id(0)];\n"
    "}\n"
    "SIMD16 kernel void shifted(global float *y, global const float *x)\n"
    "{\n"
    "    y[get_global_id(0)] = x[get_global_id(0) + 1];\n"
    "}\n"
    "SIMD16 kernel void wide(global float4 *y, global const float4 *x)\n"
    "{\n"
    "    y[get_global_id(0)] = x[get_global_id(0)];\n"
    "}\n"
    "SIMD16 kernel void few(global float *y, global const float *x)\n"
    "{\n"
    "    if (get_global_id(0) % 16 < 5)\n"
    "        y[get_global_id(0)] = x[get_global_id(0)];\n"
    "}\n"
    "#define STRIDED(k) \\\n"
    "SIMD16 kernel void strided##k(global float *y, global const float *x)\\\n"
    "{\\\n"
    "    y[get_global_id(0)] = x[get_global_id(0) * k];\\\n"
    "}\n"
    "STRIDED(2) STRIDED(3) STRIDED(7) STRIDED(16)\n"
    "#define TRANSPOSED(name, pad) \\\n"
    "SIMD16 kernel void name(global float *y, global const float *x)\\\n"
    "{\\\n"
    "    local float t[16][16 + pad];\\\n"
    "    int i = get_local_id(0), j = get_local_id(1);\\\n"
    "    int at = get_group_id(0) * 256 + j * 16 + i;\\\n"
    "    t[j][i] = x[at];\\\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\\\n"
    "    y[at] = t[i][j];\\\n"
    "}\n"
    "TRANSPOSED(transposed, 0) TRANSPOSED(padded, 1)\n"
    "SIMD16 kernel void painted(write_only image2d_t y, global uint *x)\n"
    "{\n"
    "    int i = get_global_id(0), j = get_global_id(1);\n"
    "    write_imageui(y, (int2)(i, j), (uint4)(i, j, 3, 4));\n"
    "}\n"
    "SIMD16 kernel void blocks(read_only image2d_t y, global uint *x)\n"
    "{\n"
    "    int i = get_global_id(0), j = get_global_id(1);\n"
    "    x[j * 64 + i] = intel_sub_group_block_read(y,\n"
    "        (int2)(i / 16 * 64, j));\n"
    "}\n";

static void
check(cl_int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "memory_cl: %s: %d\n", what, error);
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

static struct {
    cl_command_queue queue;
    cl_program program;
    cl_mem y, x, image;
} all;

static void
run_with(cl_mem y, const char *name, const size_t global[2],
         const size_t locals[2])
{
    cl_int error;
    cl_kernel k = clCreateKernel(all.program, name, &error);
    check(error, name);
    check(clSetKernelArg(k, 0, sizeof y, &y), name);
    check(clSetKernelArg(k, 1, sizeof all.x, &all.x), name);
    check(clEnqueueNDRangeKernel(all.queue, k, 2, NULL, global, locals, 0, NULL,
                                 NULL),
          name);
    clReleaseKernel(k);
}

static void
run(const char *name, size_t width, size_t height, size_t local)
{
    run_with(all.y, name, (size_t[2]){width, height},
             (size_t[2]){local, height});
}

/* An image of 64x16 texels of four bytes. */
static void
run_images(cl_context context)
{
    static uint32_t x[COUNT];
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = 64,
                                .image_height = 16};
    const size_t global[2] = {64, 16}, local[2] = {64, 1};
    cl_int error;
    all.image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL,
                              &error);
    check(error, "image");
    run_with(all.image, "painted", global, local);
    run_with(all.image, "blocks", global, local);
    clEnqueueReadBuffer(all.queue, all.x, CL_TRUE, 0, sizeof x, x, 0, NULL,
                        NULL);
    for (uint32_t n = 0; n < COUNT; n++)
        check(x[n] != (n % 64 | n / 64 << 8 | 0x04030000), "blocks is wrong");
}

static void
check_transposed(const float *y)
{
    for (int n = 0; n < COUNT; n++) {
        int tile = n / 256 * 256, j = n % 256 / TILE, i = n % TILE;
        check(y[n] != (float)(tile + i * TILE + j), "transposed is wrong");
    }
}

int
main(void)
{
    static float y[4 * COUNT], x[MOST_STRIDE * COUNT];
    cl_int error;
    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "context");
    all.queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "queue");
    all.program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check(error, "program");
    check(clBuildProgram(all.program, 1, &device, NULL, NULL, NULL), "build");
    for (int i = 0; i < MOST_STRIDE * COUNT; i++)
        x[i] = (float)i;
    const cl_mem_flags copy = CL_MEM_COPY_HOST_PTR | CL_MEM_READ_WRITE;
    all.y = clCreateBuffer(context, copy, sizeof y, y, &error);
    check(error, "y");
    all.x = clCreateBuffer(context, copy, sizeof x, x, &error);
    check(error, "x");
    run("copy", COUNT, 1, 64);
    run("shifted", COUNT, 1, 64);
    run("wide", COUNT, 1, 64);
    run("few", COUNT, 1, 64);
    run("strided2", COUNT, 1, 64);
    run("strided3", COUNT, 1, 64);
    run("strided7", COUNT, 1, 64);
    run("strided16", COUNT, 1, 64);
    run("padded", COUNT / TILE, TILE, TILE);
    clEnqueueReadBuffer(all.queue, all.y, CL_TRUE, 0, sizeof y, y, 0, NULL,
                        NULL);
    check_transposed(y);
    run("transposed", COUNT / TILE, TILE, TILE);
    clEnqueueReadBuffer(all.queue, all.y, CL_TRUE, 0, sizeof y, y, 0, NULL,
                        NULL);
    check_transposed(y);
    run_images(context);
    puts("computed");
    return 0;
}
