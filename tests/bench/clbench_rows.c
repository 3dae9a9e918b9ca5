/* clbench_rows.c: the rows, and frames that are more than one kernel. */
#include "clbench.h"

#define KEYS 65536
#define BLOCK 512 /* keys that sort_blocks keeps in local memory */
#define LAUNCHES 1000
#define M1 ((size_t)1 << 20)
#define EXACT "-cl-fp32-correctly-rounded-divide-sqrt"

static void
set_steps(cl_kernel kernel, cl_uint first, cl_uint second)
{
    CL(clSetKernelArg(kernel, 1, sizeof first, &first));
    CL(clSetKernelArg(kernel, 2, sizeof second, &second));
}

/* The second buffer has the keys; the first is sorted. */
static void
frame_sort(struct cl_bench *b)
{
    CL(clEnqueueCopyBuffer(b->queue, b->memory[1], b->memory[0], 0, 0, KEYS * 4,
                           0, NULL, NULL));
    CL(clSetKernelArg(b->other_kernel, 0, sizeof(cl_mem), &b->memory[0]));
    CL(clSetKernelArg(b->kernel, 0, sizeof(cl_mem), &b->memory[0]));
    set_steps(b->kernel, 2, BLOCK);
    cl_launch(b, b->kernel);
    for (cl_uint k = 2 * BLOCK; k <= KEYS; k *= 2) {
        for (cl_uint j = k / 2; j >= BLOCK; j /= 2) {
            set_steps(b->other_kernel, k, j);
            cl_launch(b, b->other_kernel);
        }
        set_steps(b->kernel, k, k);
        cl_launch(b, b->kernel);
    }
    CL(clFinish(b->queue));
}

static void
frame_launches(struct cl_bench *b)
{
    for (unsigned i = 0; i < LAUNCHES; i++)
        cl_launch(b, b->kernel);
    CL(clFinish(b->queue));
}

static void
frame_write(struct cl_bench *b)
{
    CL(clEnqueueWriteBuffer(b->queue, b->memory[0], CL_TRUE, 0, 4 * M1, b->host,
                            0, NULL, NULL));
}

static void
frame_read(struct cl_bench *b)
{
    CL(clEnqueueReadBuffer(b->queue, b->memory[0], CL_TRUE, 0, 4 * M1, b->host,
                           0, NULL, NULL));
}

#define SMALL 16384
#define LINEAR(n, l) .global = {(n), 0}, .local = {(l), 0}
#define PLANE(n, x, y) .global = {(n), (n)}, .local = {(x), (y)}
#define IN_OUT(kind, n) .memory = {{(kind), (n), false}, {(kind), (n), true}}
#define REPEATED(kernel_, unit_, kind, options_)                     \
    {                                                                \
        .name = "cl_" kernel_, .unit = unit_, .work = SMALL * 100.0, \
        .kernel = kernel_, LINEAR(SMALL, 64), .options = options_,   \
        IN_OUT(kind, SMALL)                                          \
    }
#define PRIVATE(kernel_)                                         \
    {                                                            \
        .name = "cl_" kernel_, .unit = "Mitem/s", .work = SMALL, \
        .kernel = kernel_, LINEAR(SMALL, 64), .memory = {        \
            {KIND_ZERO, SMALL, true}                             \
        }                                                        \
    }
#define IMAGES(kernel_, kind)                                          \
    {                                                                  \
        .name = "cl_" kernel_, .unit = "Mpix/s", .work = M1,           \
        .kernel = kernel_, PLANE(CL_IMAGE_PX, 16, 8), IN_OUT(kind, M1) \
    }

const struct cl_row cl_rows[] = {
    {"cl_fma_f32", "GFLOP/s", 65536.0 * 128 * 16, "fma_f32", LINEAR(65536, 64),
     IN_OUT(KIND_F32, 65536 * 4)},
    {"cl_fma_f64", "GFLOP/s", SMALL * 64 * 4.0, "fma_f64", LINEAR(SMALL, 64),
     IN_OUT(KIND_F64, SMALL)},
    REPEATED("div_f64", "Mop/s", KIND_F64, NULL),
    REPEATED("sqrt_f64", "Mop/s", KIND_F64, NULL),
    REPEATED("div_f32", "Mop/s", KIND_F32, EXACT),
    REPEATED("sqrt_f32", "Mop/s", KIND_F32, EXACT),
    REPEATED("math_f32", "Mop/s", KIND_F32, NULL),
    REPEATED("pow_f32", "Mop/s", KIND_F32, NULL),
    {"cl_hash_u32", "Gop/s", 65536.0 * 128 * 9, "hash_u32", LINEAR(65536, 64),
     IN_OUT(KIND_U32, 65536)},
    PRIVATE("private16_f32"),
    PRIVATE("private64_f32"),
    PRIVATE("private32_u16"),
    PRIVATE("private64_u8"),
    {"cl_nbody", "GFLOP/s", 4096.0 * 4096 * 20, "nbody", LINEAR(4096, 128),
     IN_OUT(KIND_F32, 4096 * 4)},
    {"cl_sgemm", "GFLOP/s", 2.0 * 256 * 256 * 256, "sgemm", PLANE(256, 16, 16),
     .memory = {{KIND_F32, 65536, false},
                {KIND_F32, 65536, false},
                {KIND_F32, 65536, true}}},
    {"cl_stencil", "Mpix/s", M1, "stencil", PLANE(1024, 64, 1),
     IN_OUT(KIND_F32, M1)},
    {"cl_reduce", "GB/s", 16.0 * M1, "reduce", LINEAR(1024 * 128, 128),
     .memory = {{KIND_F32, 4 * M1, false}, {KIND_F32, 1024, true}}},
    {"cl_histogram", "Melem/s", M1, "histogram", LINEAR(256 * 128, 128),
     .memory = {{KIND_U32, M1, false}, {KIND_ZERO, 256, true}}},
    {"cl_sort", "Melem/s", KEYS, "sort_blocks", LINEAR(KEYS / 2, 256),
     .memory = {{KIND_ZERO, KEYS, true}, {KIND_U32, KEYS, false}},
     .other_kernel = "sort_step", .frame = frame_sort},
    {"cl_fft", "GFLOP/s", 64 * 5.0 * 1024 * 10, "fft", LINEAR(64 * 256, 256),
     .memory = {{KIND_F32, 65536 * 2, false},
                {KIND_TWIDDLE, 512, false},
                {KIND_F32, 65536 * 2, true}}},
    {"cl_copy_f32", "GB/s", 8.0 * M1, "copy_f32", LINEAR(M1 / 4, 64),
     IN_OUT(KIND_F32, M1)},
    {"cl_add_u8", "GB/s", 3.0 * M1, "add_u8", LINEAR(M1, 64),
     .memory = {{KIND_U8, M1, false},
                {KIND_U8, M1, false},
                {KIND_U8, M1, true}}},
    IMAGES("image_u8", KIND_TEXELS_U8),
    IMAGES("image_f32", KIND_TEXELS_F32),
    {"cl_image_linear", "Mpix/s", M1, "image_linear", PLANE(CL_IMAGE_PX, 16, 8),
     .memory = {{KIND_TEXELS_UNORM8, M1, false}, {KIND_F32, 4 * M1, true}}},
    {"cl_write_4MB", "GB/s", 4.0 * M1, "nothing", LINEAR(64, 64),
     .memory = {{KIND_F32, M1, true}}, .frame = frame_write},
    {"cl_read_4MB", "GB/s", 4.0 * M1, "nothing", LINEAR(64, 64),
     .memory = {{KIND_F32, M1, true}}, .frame = frame_read},
    {"cl_launch_wait", "klaunch/s", 1, "nothing", LINEAR(64, 64),
     .memory = {{KIND_ZERO, 64, true}}},
    {"cl_launch_1k", "klaunch/s", LAUNCHES, "nothing", LINEAR(64, 64),
     .memory = {{KIND_ZERO, 64, true}}, .frame = frame_launches},
    {.name = NULL},
};
