/* clbench.h: one OpenCL workload per row: a kernel of clbench.cl, its buffers,
 * and the work of one frame. clbench.c sets a row up and runs it; hooks launch
 * what is more than one kernel. */
#ifndef CLBENCH_H
#define CLBENCH_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CL_MAX_MEMORY 3
#define CL_IMAGE_PX 1024 /* width and height of every image */

/* Type of a buffer's elements or of an image's texels, and what it holds at
 * first: numbers that look random, floating-point ones from 0 to 1. */
enum cl_kind {
    KIND_NONE,
    KIND_F32,
    KIND_F64,
    KIND_U32,
    KIND_U8,
    KIND_ZERO,    /* uint */
    KIND_TWIDDLE, /* the first half of the complex roots of one */
    KIND_TEXELS_U8,
    KIND_TEXELS_UNORM8,
    KIND_TEXELS_F32,
};

struct cl_memory {
    enum cl_kind kind;
    size_t count; /* of elements */
    bool result;  /* it is in the picture */
};

struct cl_bench;

struct cl_row {
    const char *name, *unit; /* unit: its first letter is the prefix */
    double work;             /* in units per frame, without the prefix */
    const char *kernel;
    size_t global[2], local[2];             /* global[1] 0: one dimension */
    struct cl_memory memory[CL_MAX_MEMORY]; /* the arguments, in order */
    const char *options;                    /* of the compiler; may be NULL */
    const char *other_kernel;
    /* NULL: the kernel, and a wait. */
    void (*frame)(struct cl_bench *b);
};

struct cl_bench {
    const struct cl_row *row;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel, other_kernel;
    cl_mem memory[CL_MAX_MEMORY];
    void *host; /* as large as the first buffer */
};

extern const struct cl_row cl_rows[];

/* Ends the process with status 1 and the call. */
#define CL(call) cl_check((call), #call)
void cl_check(cl_int error, const char *call);
/* Enqueues a kernel over the row's range. */
void cl_launch(const struct cl_bench *b, cl_kernel kernel);

#endif
