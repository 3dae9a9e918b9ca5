/* motion_rig.c: see motion_rig.h. */
#include "motion_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
rig_open(struct motion_rig *r)
{
    cl_uint n = 0;
    cl_int err;
    memset(r, 0, sizeof *r);
    if (clGetPlatformIDs(1, &r->platform, &n) || !n ||
        clGetDeviceIDs(r->platform, CL_DEVICE_TYPE_GPU, 1, &r->device, NULL))
        return false;
    r->context = clCreateContext(NULL, 1, &r->device, NULL, NULL, &err);
    r->queue = clCreateCommandQueueWithProperties(r->context, r->device, NULL,
                                                  &err);
    return r->context && r->queue;
}

void
rig_report(struct motion_rig *r, bool ok, const char *what)
{
    printf("%s %d - %s\n", ok ? "ok" : "not ok", ++r->tests, what);
    r->failed += !ok;
    fflush(stdout);
}

int
rig_finish(struct motion_rig *r)
{
    printf("1..%d\n", r->tests);
    return r->failed != 0;
}

cl_mem
rig_image(const struct motion_rig *r, const struct picture *p)
{
    const cl_image_format format = {CL_R, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = WIDTH_PX,
                                .image_height = HEIGHT_PX};
    struct picture copy = *p;
    cl_int err;
    return clCreateImage(r->context, CL_MEM_COPY_HOST_PTR, &format, &desc,
                         copy.px, &err);
}

cl_mem
rig_buffer(const struct motion_rig *r, const void *data, size_t size_B)
{
    void *copy = calloc(1, size_B);
    cl_int err;
    if (!copy)
        return NULL;
    if (data)
        memcpy(copy, data, size_B);
    cl_mem m = clCreateBuffer(r->context, CL_MEM_COPY_HOST_PTR, size_B, copy,
                              &err);
    free(copy);
    return m;
}

bool
rig_read(const struct motion_rig *r, cl_mem from, void *data, size_t size_B)
{
    return !clFinish(r->queue) &&
           !clEnqueueReadBuffer(r->queue, from, CL_TRUE, 0, size_B, data, 0,
                                NULL, NULL);
}

bool
rig_arg(cl_kernel k, unsigned *i, size_t size_B, const void *value)
{
    return !clSetKernelArg(k, (*i)++, size_B, value);
}

cl_accelerator_intel
rig_accelerator(const struct motion_rig *r,
                const cl_motion_estimation_desc_intel *desc)
{
    cl_int err;
    clCreateAcceleratorINTEL_fn make = (clCreateAcceleratorINTEL_fn)
        clGetExtensionFunctionAddressForPlatform(r->platform,
                                                 "clCreateAcceleratorINTEL");
    return make ? make(r->context, CL_ACCELERATOR_TYPE_MOTION_ESTIMATION_INTEL,
                       sizeof *desc, desc, &err)
                : NULL;
}

cl_kernel
rig_kernel(const struct motion_rig *r, const char *name)
{
    cl_int err;
    cl_program p = clCreateProgramWithBuiltInKernels(r->context, 1, &r->device,
                                                     name, &err);
    return p && !err ? clCreateKernel(p, name, &err) : NULL;
}

bool
rig_run(const struct motion_rig *r, cl_kernel k)
{
    const size_t global[2] = {WIDTH_PX, HEIGHT_PX};
    return !clEnqueueNDRangeKernel(r->queue, k, 2, NULL, global, NULL, 0, NULL,
                                   NULL) &&
           !clFinish(r->queue);
}

void
picture_noise(struct picture *p, unsigned seed)
{
    srand(seed);
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++)
            p->px[y][x] = (unsigned char)(rand() >> 8);
}

unsigned
picture_at(const struct picture *p, int x, int y)
{
    x = x < 0 ? 0 : x >= WIDTH_PX ? WIDTH_PX - 1 : x;
    y = y < 0 ? 0 : y >= HEIGHT_PX ? HEIGHT_PX - 1 : y;
    return p->px[y][x];
}

void
picture_moved(struct picture *to, const struct picture *from, int dx, int dy,
              unsigned noise)
{
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++) {
            unsigned px = picture_at(from, x + dx, y + dy);
            px += noise ? (unsigned)rand() % noise : 0;
            to->px[y][x] = (unsigned char)(px > 255 ? 255 : px);
        }
}

unsigned
picture_sad(const struct picture *source, const struct picture *ref, int x,
            int y, unsigned width, unsigned height, int dx, int dy)
{
    unsigned sum = 0;
    for (int j = y; j < y + (int)height; j++)
        for (int i = x; i < x + (int)width; i++)
            sum += (unsigned)abs((int)picture_at(source, i, j) -
                                 (int)picture_at(ref, i + dx, j + dy));
    return sum;
}
