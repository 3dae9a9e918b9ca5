/* clbench.c: OpenCL workloads; see serve.h for how it is used. They run on the
 * first device of the first platform: OCL_ICD_VENDORS chooses. */
#include "clbench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve.h"

#define MAX_SOURCE_B 65536

void
cl_check(cl_int error, const char *call)
{
    char text[32];
    if (!error)
        return;
    snprintf(text, sizeof text, "error %d", (int)error);
    serve_die(call, text);
}

static const struct cl_row *
find_row(const char *name)
{
    for (const struct cl_row *row = cl_rows; row->name; row++)
        if (!strcmp(row->name, name))
            return row;
    serve_die(name, "no such row");
}

static void
list(void)
{
    for (const struct cl_row *row = cl_rows; row->name; row++)
        printf("%s %s\n", row->name, row->unit);
}

/* ---- buffers and images ---- */

static bool
is_image(enum cl_kind kind)
{
    return kind >= KIND_TEXELS_U8;
}

static size_t
size_B(const struct cl_memory *m)
{
    switch (m->kind) {
    case KIND_F64:
    case KIND_TWIDDLE: return m->count * 8;
    case KIND_TEXELS_F32: return m->count * 16;
    case KIND_U8: return m->count;
    default: return m->count * 4;
    }
}

static uint32_t
hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352d;
    x = (x ^ x >> 15) * 0x846ca68b;
    return x ^ x >> 16;
}

static void
fill(const struct cl_memory *m, void *to)
{
    size_t bytes = size_B(m);
    const double turn = 6.283185307179586;
    for (size_t i = 0; i < bytes / 4; i++) {
        uint32_t random = hash((uint32_t)i);
        float unit = (float)(random >> 8) * 0x1p-24f;
        double angle = -turn * (double)(i / 2) / (2.0 * (double)m->count);
        if (m->kind == KIND_F32 || m->kind == KIND_TEXELS_F32)
            ((float *)to)[i] = unit;
        else if (m->kind == KIND_TWIDDLE)
            ((float *)to)[i] = (float)(i % 2 ? sin(angle) : cos(angle));
        else if (m->kind == KIND_F64)
            ((double *)to)[i / 2] = (double)unit;
        else
            ((uint32_t *)to)[i] = m->kind == KIND_ZERO ? 0 : random;
    }
}

static cl_mem
make_image(const struct cl_bench *b, enum cl_kind kind)
{
    const cl_image_format format = {CL_RGBA, kind == KIND_TEXELS_F32 ? CL_FLOAT
                                             : kind == KIND_TEXELS_U8
                                                 ? CL_UNSIGNED_INT8
                                                 : CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = CL_IMAGE_PX,
                                .image_height = CL_IMAGE_PX};
    cl_int error;
    cl_mem image = clCreateImage(b->context, CL_MEM_READ_WRITE, &format, &desc,
                                 NULL, &error);
    cl_check(error, "clCreateImage");
    return image;
}

static cl_mem
make_memory(const struct cl_bench *b, const struct cl_memory *m)
{
    if (is_image(m->kind))
        return make_image(b, m->kind);
    cl_int error;
    cl_mem buffer = clCreateBuffer(b->context, CL_MEM_READ_WRITE, size_B(m),
                                   NULL, &error);
    cl_check(error, "clCreateBuffer");
    return buffer;
}

static const size_t origin[3], region[3] = {CL_IMAGE_PX, CL_IMAGE_PX, 1};

/* The contents that all of the row's memory begins with. */
static void
reset(const struct cl_bench *b)
{
    for (unsigned i = 0; i < CL_MAX_MEMORY && b->memory[i]; i++) {
        const struct cl_memory *m = &b->row->memory[i];
        void *data = malloc(size_B(m));
        if (!data)
            serve_die("memory", "out of memory");
        fill(m, data);
        if (is_image(m->kind))
            CL(clEnqueueWriteImage(b->queue, b->memory[i], CL_TRUE, origin,
                                   region, 0, 0, data, 0, NULL, NULL));
        else
            CL(clEnqueueWriteBuffer(b->queue, b->memory[i], CL_TRUE, 0,
                                    size_B(m), data, 0, NULL, NULL));
        free(data);
    }
}

/* ---- frames ---- */

void
cl_launch(const struct cl_bench *b, cl_kernel kernel)
{
    CL(clEnqueueNDRangeKernel(b->queue, kernel, b->row->global[1] ? 2 : 1, NULL,
                              b->row->global, b->row->local, 0, NULL, NULL));
}

static void
run_frame(void *self)
{
    struct cl_bench *b = self;
    if (b->row->frame) {
        b->row->frame(b);
        return;
    }
    cl_launch(b, b->kernel);
    CL(clFinish(b->queue));
}

static void
finish_frames(void *self)
{
    (void)self; /* each frame waits */
}

/* ---- pictures ---- */

/* As floats that lose nothing: two of a double, and of a uint. */
static size_t
to_floats(enum cl_kind kind, const void *data, size_t bytes, float *values)
{
    size_t count = 0;
    if (kind == KIND_F32 || kind == KIND_TEXELS_F32) {
        memcpy(values, data, bytes);
        return bytes / 4;
    }
    if (kind == KIND_F64) {
        const double *d = data;
        for (size_t i = 0; i < bytes / 8; i++) {
            values[count++] = (float)d[i];
            values[count++] = (float)(d[i] - (double)(float)d[i]);
        }
        return count;
    }
    if (kind == KIND_U32 || kind == KIND_ZERO) {
        const uint16_t *u = data;
        for (size_t i = 0; i < bytes / 2; i++)
            values[count++] = u[i];
        return count;
    }
    const uint8_t *u = data;
    for (size_t i = 0; i < bytes; i++)
        values[count++] = u[i];
    return count;
}

static size_t
take_picture(void *self, float *values)
{
    struct cl_bench *b = self;
    size_t count = 0;
    reset(b);
    run_frame(b);
    for (unsigned i = 0; i < CL_MAX_MEMORY && b->memory[i]; i++) {
        const struct cl_memory *m = &b->row->memory[i];
        void *data = m->result ? malloc(size_B(m)) : NULL;
        if (!data)
            continue;
        if (is_image(m->kind))
            CL(clEnqueueReadImage(b->queue, b->memory[i], CL_TRUE, origin,
                                  region, 0, 0, data, 0, NULL, NULL));
        else
            CL(clEnqueueReadBuffer(b->queue, b->memory[i], CL_TRUE, 0,
                                   size_B(m), data, 0, NULL, NULL));
        count += to_floats(m->kind, data, size_B(m), values + count);
        free(data);
    }
    return count;
}

/* ---- setup ---- */

/* Driver: the device; version: of the platform, and of the driver. */
static void
open_device(struct cl_bench *b, char *driver, char *version, size_t text_B)
{
    cl_platform_id platform;
    cl_int error;
    CL(clGetPlatformIDs(1, &platform, NULL));
    CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &b->device, NULL));
    CL(clGetDeviceInfo(b->device, CL_DEVICE_NAME, text_B, driver, NULL));
    CL(clGetPlatformInfo(platform, CL_PLATFORM_NAME, text_B, version, NULL));
    size_t used_B = strlen(version);
    version[used_B++] = ' ';
    CL(clGetDeviceInfo(b->device, CL_DRIVER_VERSION, text_B - used_B,
                       version + used_B, NULL));
    b->context = clCreateContext(NULL, 1, &b->device, NULL, NULL, &error);
    cl_check(error, "clCreateContext");
    b->queue = clCreateCommandQueue(b->context, b->device, 0, &error);
    cl_check(error, "clCreateCommandQueue");
}

/* What clbench.cl has for this kernel; the caller frees it. */
static char *
load_source(const char *kernel)
{
    char *text = calloc(1, MAX_SOURCE_B), mark[64];
    FILE *f = fopen(CLBENCH_KERNELS, "rb");
    if (!text || !f || !fread(text, 1, MAX_SOURCE_B - 1, f))
        serve_die(CLBENCH_KERNELS, "cannot read");
    fclose(f);
    snprintf(mark, sizeof mark, "/* -- %s */", kernel);
    char *common_end = strstr(text, "/* -- "), *own = strstr(text, mark);
    if (!own)
        serve_die(kernel, "clbench.cl has no such mark");
    char *own_end = strstr(own + 1, "/* -- ");
    size_t own_B = own_end ? (size_t)(own_end - own) : strlen(own);
    memmove(common_end, own, own_B);
    common_end[own_B] = '\0';
    return text;
}

static void
build_program(struct cl_bench *b)
{
    char *source = load_source(b->row->kernel), log[2048] = "";
    cl_int error;
    b->program = clCreateProgramWithSource(
        b->context, 1, (const char **)&source, NULL, &error);
    cl_check(error, "clCreateProgramWithSource");
    free(source);
    if (clBuildProgram(b->program, 1, &b->device, b->row->options, NULL,
                       NULL)) {
        clGetProgramBuildInfo(b->program, b->device, CL_PROGRAM_BUILD_LOG,
                              sizeof log, log, NULL);
        serve_die("clBuildProgram", log);
    }
}

static cl_kernel
make_kernel(const struct cl_bench *b, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(b->program, name, &error);
    cl_check(error, name);
    return kernel;
}

static void
set_up(struct cl_bench *b)
{
    build_program(b);
    b->kernel = make_kernel(b, b->row->kernel);
    if (b->row->other_kernel)
        b->other_kernel = make_kernel(b, b->row->other_kernel);
    for (unsigned i = 0; i < CL_MAX_MEMORY && b->row->memory[i].kind; i++) {
        b->memory[i] = make_memory(b, &b->row->memory[i]);
        if (!b->row->frame || i == 0)
            CL(clSetKernelArg(b->kernel, i, sizeof b->memory[i],
                              &b->memory[i]));
    }
    size_t host_B = size_B(&b->row->memory[0]);
    b->host = malloc(host_B);
    if (!b->host)
        serve_die("memory", "out of memory");
    memset(b->host, 0x3f, host_B);
    reset(b);
}

int
main(int argc, char **argv)
{
    static char driver[256], version[256];
    struct cl_bench b = {.row = find_row(serve_arguments(argc, argv, list))};
    open_device(&b, driver, version, sizeof driver);
    set_up(&b);
    serve(&(struct serve){.work = b.row->work,
                          .finishes = true,
                          .self = &b,
                          .driver = driver,
                          .version = version,
                          .frame = run_frame,
                          .finish = finish_frames,
                          .picture = take_picture});
    return 0;
}
