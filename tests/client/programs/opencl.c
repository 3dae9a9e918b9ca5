/* opencl.c: kernels through stock NEO, whose walkers pass their constants as
 * indirect data: scalar arguments, shared local memory with a barrier, two
 * dimensions with local ids, blocks of images, private arrays in registers,
 * shared virtual memory. The test recomputes the results. TAP. */
#define CL_TARGET_OPENCL_VERSION 200
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
    "  1000000 * get_local_id(1); }\n"
    "__attribute__((intel_reqd_sub_group_size(8)))\n"
    "__kernel void blocks(read_only image2d_t in, write_only image2d_t out,\n"
    "                     int x, int y)\n"
    "{ int row = 4 * (int)get_group_id(0);\n"
    "  intel_sub_group_block_write4(out, (int2)(12, row + 2),\n"
    "    intel_sub_group_block_read4(in, (int2)(x, y + row))); }\n"
    "__kernel void indexed(__global const int *a, __global int *c)\n"
    "{ int i = get_global_id(0), v = a[i]; short s[8];\n"
    "  for (int k = 0; k < 8; k++) s[k] = (short)(v * (k + 1));\n"
    "  s[v & 7] = 7; c[i] = s[(v >> 3) & 7]; }\n"
    "__kernel void logarithm(__global const int *a, __global int *c)\n"
    "{ int i = get_global_id(0);\n"
    "  c[i] = native_log(0.0f * (float)a[i]) < -1e30f; }\n"
    "__kernel void slow(__global const int *a, __global int *c)\n"
    "{ int i = get_global_id(0), v = a[i];\n"
    "  for (int k = 0; k < 10000; k++) v = v * 3 + k;\n"
    "  c[i] = v; }\n"
    "__kernel void slower(__global const int *a, __global int *c, int turns)\n"
    "{ int i = get_global_id(0); uint v = a[i] + 1;\n"
    "  for (int k = 0; k < turns; k++)\n"
    "  { v ^= v << 13; v ^= v >> 17; v ^= v << 5; }\n"
    "  c[i] = (int)v; }\n"
    "struct node { __global struct node *next; int v; };\n"
    "__kernel void chase(__global const int *a, __global int *c,\n"
    "                    __global struct node *n)\n"
    "{ int sum = 0; for (; n; n = n->next) { sum += n->v; n->v = sum; }\n"
    "  c[0] = sum; }\n";

struct rig {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_mem in, out;
    cl_ulong ran_ns; /* the last kernel, by its event */
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
    r->queue = clCreateCommandQueue(r->context, r->device,
                                    CL_QUEUE_PROFILING_ENABLE, &err);
    r->program = clCreateProgramWithSource(r->context, 1, &source, NULL, &err);
    r->in = clCreateBuffer(r->context, CL_MEM_COPY_HOST_PTR, sizeof r->a, r->a,
                           &err);
    r->out = clCreateBuffer(r->context, 0, sizeof r->c, NULL, &err);
    /* A product with zero may be taken for zero: IGC then emits a logarithm of
     * an immediate. */
    return r->context && r->queue && r->program && r->in && r->out &&
           !clBuildProgram(r->program, 1, &r->device, "-cl-fast-relaxed-math",
                           NULL, NULL);
}

/* Runs a kernel, and passes its third argument if it has one. */
static bool
run(struct rig *r, const char *name, size_t arg_B, const void *arg,
    unsigned dims, const size_t *global, const size_t *local)
{
    cl_int err;
    cl_kernel k = clCreateKernel(r->program, name, &err);
    if (!k)
        return false;
    memset(r->c, 0x55, sizeof r->c);
    cl_event event = NULL;
    cl_ulong start_ns = 0, end_ns = 0;
    bool ok = !clSetKernelArg(k, 0, sizeof r->in, &r->in) &&
              !clSetKernelArg(k, 1, sizeof r->out, &r->out) &&
              (!arg_B || !clSetKernelArg(k, 2, arg_B, arg)) &&
              !clEnqueueNDRangeKernel(r->queue, k, dims, NULL, global, local, 0,
                                      NULL, &event) &&
              !clEnqueueReadBuffer(r->queue, r->out, CL_TRUE, 0, sizeof r->c,
                                   r->c, 0, NULL, NULL) &&
              !clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START,
                                       sizeof start_ns, &start_ns, NULL) &&
              !clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
                                       sizeof end_ns, &end_ns, NULL);
    r->ran_ns = end_ns - start_ns;
    if (event)
        clReleaseEvent(event);
    clReleaseKernel(k);
    return ok;
}

/* ---- blocks of images: by bytes along a row; edges repeat ---- */

#define IMAGE_W 24
#define IMAGE_H 18

static cl_mem
make_image(const struct rig *r, int first)
{
    static int v[IMAGE_W * IMAGE_H];
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = IMAGE_W,
                                .image_height = IMAGE_H};
    cl_int err;
    for (int i = 0; i < IMAGE_W * IMAGE_H; i++)
        v[i] = first + i;
    return clCreateImage(r->context, CL_MEM_COPY_HOST_PTR, &format, &desc, v,
                         &err);
}

static int
clamped(int i, int size)
{
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

/* Two groups read blocks of eight by four texels from (x, y) on. */
static bool
run_blocks(const struct rig *r, int x, int y)
{
    static int seen[IMAGE_W * IMAGE_H];
    const size_t origin[3] = {0, 0, 0}, region[3] = {IMAGE_W, IMAGE_H, 1};
    const size_t global = 16, local = 8;
    int x_B = x * 4;
    cl_int err;
    cl_mem in = make_image(r, 1000), out = make_image(r, 5000);
    cl_kernel k = clCreateKernel(r->program, "blocks", &err);
    bool ok = in && out && k && !clSetKernelArg(k, 0, sizeof in, &in) &&
              !clSetKernelArg(k, 1, sizeof out, &out) &&
              !clSetKernelArg(k, 2, sizeof x_B, &x_B) &&
              !clSetKernelArg(k, 3, sizeof y, &y) &&
              !clEnqueueNDRangeKernel(r->queue, k, 1, NULL, &global, &local, 0,
                                      NULL, NULL) &&
              !clEnqueueReadImage(r->queue, out, CL_TRUE, origin, region, 0, 0,
                                  seen, 0, NULL, NULL);
    for (int i = 0; i < IMAGE_W * IMAGE_H; i++) {
        int px = i % IMAGE_W - 3, py = i / IMAGE_W - 2, want = 5000 + i;
        if (px >= 0 && px < 8 && py >= 0 && py < 8)
            want = 1000 + clamped(y + py, IMAGE_H) * IMAGE_W +
                   clamped(x + px, IMAGE_W);
        ok &= seen[i] == want;
    }
    clReleaseKernel(k);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    return ok;
}

/* ---- shared virtual memory: pointers of the CPU are valid on the GPU ---- */

#define NODES 100

static bool
run_chase(const struct rig *r)
{
    struct node {
        struct node *next;
        int v;
    } *node = clSVMAlloc(r->context, CL_MEM_READ_WRITE, NODES * sizeof *node,
                         0);
    cl_device_svm_capabilities can = 0;
    clGetDeviceInfo(r->device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can,
                    NULL);
    cl_int err;
    cl_kernel k = clCreateKernel(r->program, "chase", &err);
    if (!node || !(can & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) || !k)
        return false;
    bool ok = !clEnqueueSVMMap(r->queue, CL_TRUE, CL_MAP_WRITE, node,
                               NODES * sizeof *node, 0, NULL, NULL);
    for (int i = 0; i < NODES && ok; i++) {
        /* Every second node forward, then the others back. */
        int next = i % 2 ? i - 2 : i + 2 < NODES ? i + 2 : NODES - 1;
        node[i].next = i == 1 ? NULL : &node[next];
        node[i].v = i;
    }
    const size_t one = 1;
    ok = ok && !clEnqueueSVMUnmap(r->queue, node, 0, NULL, NULL) &&
         !clSetKernelArg(k, 0, sizeof r->in, &r->in) &&
         !clSetKernelArg(k, 1, sizeof r->out, &r->out) &&
         !clSetKernelArgSVMPointer(k, 2, node) &&
         !clEnqueueNDRangeKernel(r->queue, k, 1, NULL, &one, NULL, 0, NULL,
                                 NULL) &&
         !clEnqueueSVMMap(r->queue, CL_TRUE, CL_MAP_READ, node,
                          NODES * sizeof *node, 0, NULL, NULL);
    int sum = 0, seen = 0;
    for (struct node *n = node; n && ok; n = n->next, seen++) {
        sum += (int)(n - node);
        ok = n->v == sum;
    }
    ok = ok && seen == NODES &&
         !clEnqueueSVMUnmap(r->queue, node, 0, NULL, NULL) &&
         !clFinish(r->queue);
    clReleaseKernel(k);
    clSVMFree(r->context, node);
    return ok;
}

/* ---- 400 million instructions of each thread of a group, and more ---- */

static bool
run_long(struct rig *r)
{
    const size_t items = 64;
    const int turns = 30000000;
    bool ok = run(r, "slower", sizeof turns, &turns, 1, &items, &items);
    for (unsigned i = 0; i < items; i += 21) {
        unsigned v = (unsigned)r->a[i] + 1;
        for (int k = 0; k < turns; k++) {
            v ^= v << 13;
            v ^= v >> 17;
            v ^= v << 5;
        }
        ok &= r->c[i] == (int)v;
    }
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
    printf("1..10\n");
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

    ok = run_blocks(&r, 5, 3) && run_blocks(&r, -3, -2) &&
         run_blocks(&r, 20, 12) && run_blocks(&r, 100, -50);
    report(5, "blocks of images, across the edges too", ok);

    ok = run(&r, "indexed", 0, NULL, 1, &count, NULL);
    for (int i = 0; i < COUNT; i++) {
        int v = r.a[i], k = v >> 3 & 7;
        ok &= r.c[i] == (k == (v & 7) ? 7 : (short)(v * (k + 1)));
    }
    report(6, "private arrays of words", ok);

    ok = run(&r, "logarithm", 0, NULL, 1, &count, NULL);
    for (int i = 0; i < COUNT; i++)
        ok &= r.c[i] == 1;
    report(7, "the logarithm of an immediate", ok);

    ok = run(&r, "slow", 0, NULL, 1, &count, NULL);
    for (int i = 0; i < COUNT; i++) {
        unsigned v = (unsigned)r.a[i];
        for (unsigned k = 0; k < 10000; k++)
            v = v * 3 + k;
        ok &= r.c[i] == (int)v;
    }
    report(8, "events say how long kernels ran", ok && r.ran_ns > 0);
    report(9, "shared virtual memory", run_chase(&r));
    report(10, "a kernel that takes long", run_long(&r));
    return 0;
}
