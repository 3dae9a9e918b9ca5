/* motion_rig.h: pictures, buffers and sums of differences for the clients of
 * Intel's motion estimation extensions: motion.c, motion_avc.c. */
#ifndef MOTION_RIG_H
#define MOTION_RIG_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 200
#endif
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stddef.h>

#define WIDTH_PX 80
#define HEIGHT_PX 64
#define MB_PX 16
#define MBS_X (WIDTH_PX / MB_PX)
#define MBS_Y (HEIGHT_PX / MB_PX)
#define MBS (MBS_X * MBS_Y)

struct picture {
    unsigned char px[HEIGHT_PX][WIDTH_PX];
};

struct mv {
    short x, y; /* quarter pixels */
};

struct motion_rig {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    int tests, failed;
};

/* False: no such device. */
bool rig_open(struct motion_rig *r);
/* A line of TAP; the plan comes last. */
void rig_report(struct motion_rig *r, bool ok, const char *what);
int rig_finish(struct motion_rig *r);
cl_mem rig_image(const struct motion_rig *r, const struct picture *p);
/* data NULL: zeros. */
cl_mem rig_buffer(const struct motion_rig *r, const void *data, size_t size_B);
bool rig_read(const struct motion_rig *r, cl_mem from, void *data,
              size_t size_B);
/* Sets argument i and counts on. */
bool rig_arg(cl_kernel k, unsigned *i, size_t size_B, const void *value);

/* NEO keeps the pointer to the descriptor. */
cl_accelerator_intel rig_accelerator(const struct motion_rig *r,
                                     const cl_motion_estimation_desc_intel *d);
/* A built-in kernel, or NULL. */
cl_kernel rig_kernel(const struct motion_rig *r, const char *name);
/* Runs a built-in kernel for the whole picture. */
bool rig_run(const struct motion_rig *r, cl_kernel k);

/* Noise, and the same moved: a pixel at (x, y) of `to` is the one at
 * (x + dx, y + dy) of `from`, up to a little more noise. */
void picture_noise(struct picture *p, unsigned seed);
void picture_moved(struct picture *to, const struct picture *from, int dx,
                   int dy, unsigned noise);
/* A pixel; outside the border goes on. */
unsigned picture_at(const struct picture *p, int x, int y);
/* The sum of absolute differences of a block with one moved by whole pixels. */
unsigned picture_sad(const struct picture *source, const struct picture *ref,
                     int x, int y, unsigned width, unsigned height, int dx,
                     int dy);

/* motion_checks.c */
void test_kernel_checks(struct motion_rig *r);

#endif
