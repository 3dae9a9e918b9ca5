/* motion.c: NEO offers Intel's motion estimation kernels by the device's
 * number, whatever the device reports. The vectors must be the planted motion,
 * or the program must get an error. TAP. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SIDE_PX 64
#define BLOCKS (SIDE_PX / 16 * SIDE_PX / 16)
#define MOVED_X 2
#define KERNEL "block_motion_estimate_intel"

struct rig {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
};

static bool
open_rig(struct rig *r)
{
    cl_uint n = 0;
    cl_int err;
    if (clGetPlatformIDs(1, &r->platform, &n) || !n ||
        clGetDeviceIDs(r->platform, CL_DEVICE_TYPE_GPU, 1, &r->device, NULL))
        return false;
    r->context = clCreateContext(NULL, 1, &r->device, NULL, NULL, &err);
    r->queue = clCreateCommandQueue(r->context, r->device, 0, &err);
    cl_program p = clCreateProgramWithBuiltInKernels(r->context, 1, &r->device,
                                                     KERNEL, &err);
    if (p && !err)
        r->kernel = clCreateKernel(p, KERNEL, &err);
    return r->kernel && !err;
}

static cl_mem
make_frame(const struct rig *r, int moved_px)
{
    static unsigned char luma[SIDE_PX][SIDE_PX];
    const cl_image_format format = {CL_R, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = SIDE_PX,
                                .image_height = SIDE_PX};
    cl_int err;
    for (int y = 0; y < SIDE_PX; y++)
        for (int x = 0; x < SIDE_PX; x++)
            luma[y][x] = (unsigned char)(((x + moved_px) * 7 + y * 13) ^
                                         ((x + moved_px) * y));
    return clCreateImage(r->context, CL_MEM_COPY_HOST_PTR, &format, &desc, luma,
                         &err);
}

static cl_accelerator_intel
make_accelerator(const struct rig *r)
{
    const cl_motion_estimation_desc_intel desc = {0};
    cl_int err;
    clCreateAcceleratorINTEL_fn make = (clCreateAcceleratorINTEL_fn)
        clGetExtensionFunctionAddressForPlatform(r->platform,
                                                 "clCreateAcceleratorINTEL");
    return make ? make(r->context, CL_ACCELERATOR_TYPE_MOTION_ESTIMATION_INTEL,
                       sizeof desc, &desc, &err)
                : NULL;
}

/* Returns false if the program got an error. */
static bool
estimate(const struct rig *r, short mv[BLOCKS][2])
{
    const size_t global[2] = {SIDE_PX, SIDE_PX};
    cl_int err;
    cl_accelerator_intel a = make_accelerator(r);
    cl_mem from = make_frame(r, 0), to = make_frame(r, MOVED_X);
    cl_mem out = clCreateBuffer(r->context, CL_MEM_COPY_HOST_PTR,
                                sizeof(short[BLOCKS][2]), mv, &err);
    return !clSetKernelArg(r->kernel, 0, sizeof a, &a) &&
           !clSetKernelArg(r->kernel, 1, sizeof from, &from) &&
           !clSetKernelArg(r->kernel, 2, sizeof to, &to) &&
           !clSetKernelArg(r->kernel, 3, sizeof(cl_mem), NULL) &&
           !clSetKernelArg(r->kernel, 4, sizeof out, &out) &&
           !clSetKernelArg(r->kernel, 5, sizeof(cl_mem), NULL) &&
           !clEnqueueNDRangeKernel(r->queue, r->kernel, 2, NULL, global, NULL,
                                   0, NULL, NULL) &&
           !clFinish(r->queue) &&
           !clEnqueueReadBuffer(r->queue, out, CL_TRUE, 0,
                                sizeof(short[BLOCKS][2]), mv, 0, NULL, NULL);
}

int
main(void)
{
    struct rig r = {0};
    short mv[BLOCKS][2] = {{0}};
    printf("1..1\n");
    if (!open_rig(&r)) {
        printf("ok 1 - the kernels are not offered\n");
        return 0;
    }
    bool told = !estimate(&r, mv), right = true;
    /* Quarters of a pixel. Blocks at the right edge read beyond the picture. */
    for (int i = 0; i < BLOCKS; i++)
        if (i % (SIDE_PX / 16) < SIDE_PX / 16 - 1)
            right &= mv[i][0] == -4 * MOVED_X && mv[i][1] == 0;
    printf("%s 1 - vectors are right, or there are none\n",
           told || right ? "ok" : "not ok");
    return !(told || right);
}
