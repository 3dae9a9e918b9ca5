/* opencl_apart.c: buffers whose addresses are multiples of 1 TiB apart, in one
 * kernel: NEO has application memory at the processor's addresses. Kernels
 * access them by surfaces and by pointers; the test recomputes their results.
 * Then buffers of 20 GiB together, of which little is touched. TAP. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST UINT64_C(0x600000000000)
#define APART (UINT64_C(1) << 40)
#define BUFFERS 4
#define COUNT 1000 /* work-items */
#define PAGE_B 4096
#define MEM_B (64 * PAGE_B)
#define WORDS (MEM_B / 4)

/* The buffers are arguments a, b, c and d of each kernel. */
static const char *code =
    "#pragma OPENCL EXTENSION cl_intel_subgroups : enable\n"
    "#define ARGS global uint *a, global uint *b, global uint *c, "
    "global uint *d\n"
    "kernel void words(ARGS)\n"
    "{ size_t i = get_global_id(0);\n"
    "  c[i] = a[i] * 3 + b[i]; d[i * 2] = a[i] ^ b[i * 5]; }\n"
    "kernel void vectors(ARGS)\n"
    "{ size_t i = get_global_id(0);\n"
    "  vstore4(vload4(i, a) + vload4(i, b).wzyx, i, c);\n"
    "  vstore2(vload2(i, a) * 7u, i, d); }\n"
    "kernel void strides(ARGS, global uint *e, global uint *f, ulong step)\n"
    "{ size_t i = get_global_id(0) * step;\n"
    "  a[i] = i + 1; b[i] = i + 2; c[i] = i + 3;\n"
    "  d[i] = i + 4; e[i] = i + 5; f[i] = i + 6; }\n"
    "kernel void bytes(ARGS)\n"
    "{ size_t i = get_global_id(0);\n"
    "  ((global uchar *)c)[i * 3] = ((global uchar *)a)[i + 1];\n"
    "  ((global ushort *)d)[i] = ((global ushort *)b)[i * 3]; }\n"
    "kernel void longs(ARGS)\n"
    "{ size_t i = get_global_id(0);\n"
    "  ((global ulong *)c)[i] = ((global ulong *)a)[i] + "
    "((global ulong *)b)[i]; }\n"
    "kernel void atomics(ARGS)\n"
    "{ uint i = get_global_id(0);\n"
    "  atomic_add(&c[i % 7], a[i]); atomic_xor(&d[i % 13], b[i]);\n"
    "  c[100 + i] = atomic_xchg(&d[100 + i], i); }\n"
    "kernel void choice(ARGS)\n"
    "{ uint i = get_global_id(0), k = i * 7 % 3;\n"
    "  global uint *from = k == 0 ? a : k == 1 ? b : d;\n"
    "  global uint *to = i % 5 < 2 ? c : d + 2000;\n"
    "  to[i] = from[i] + k; }\n"
    "__attribute__((intel_reqd_sub_group_size(16)))\n"
    "kernel void blocks(ARGS)\n"
    "{ size_t at = get_global_id(0) / 16 * 16;\n"
    "  intel_sub_group_block_write(c + at, intel_sub_group_block_read(a + at) "
    "+ intel_sub_group_block_read(b + at)); }\n";

struct rig {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_mem buffer[BUFFERS];
    uint32_t *mem[BUFFERS], want[BUFFERS][WORDS];
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
take_memory(struct rig *r)
{
    for (unsigned i = 0; i < BUFFERS; i++) {
        void *at = (void *)(uintptr_t)(FIRST + i * APART);
        r->mem[i] = mmap(at, MEM_B, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
                         0);
        if (r->mem[i] != at)
            return false;
    }
    return true;
}

static bool
make_rig(struct rig *r)
{
    cl_int err;
    r->context = clCreateContext(NULL, 1, &r->device, NULL, NULL, &err);
    r->queue = clCreateCommandQueue(r->context, r->device, 0, &err);
    return r->context && r->queue;
}

static bool
build(struct rig *r, const char *options)
{
    cl_int err;
    if (r->program)
        clReleaseProgram(r->program);
    r->program = clCreateProgramWithSource(r->context, 1, &code, NULL, &err);
    return r->program &&
           !clBuildProgram(r->program, 1, &r->device, options, NULL, NULL);
}

/* ---- kernels ---- */

static void
words(struct rig *r, uint32_t i)
{
    uint32_t(*w)[WORDS] = r->want;
    w[2][i] = w[0][i] * 3 + w[1][i];
    w[3][i * 2] = w[0][i] ^ w[1][i * 5];
}

static void
vectors(struct rig *r, uint32_t i)
{
    uint32_t(*w)[WORDS] = r->want;
    for (unsigned k = 0; k < 4; k++)
        w[2][i * 4 + k] = w[0][i * 4 + k] + w[1][i * 4 + 3 - k];
    for (unsigned k = 0; k < 2; k++)
        w[3][i * 2 + k] = w[0][i * 2 + k] * 7;
}

static void
bytes(struct rig *r, uint32_t i)
{
    ((uint8_t *)r->want[2])[i * 3] = ((uint8_t *)r->want[0])[i + 1];
    memcpy((uint8_t *)r->want[3] + i * 2, (uint8_t *)r->want[1] + i * 6, 2);
}

static void
longs(struct rig *r, uint32_t i)
{
    uint64_t a, b;
    memcpy(&a, r->want[0] + i * 2, 8);
    memcpy(&b, r->want[1] + i * 2, 8);
    a += b;
    memcpy(r->want[2] + i * 2, &a, 8);
}

static void
atomics(struct rig *r, uint32_t i)
{
    uint32_t(*w)[WORDS] = r->want;
    w[2][i % 7] += w[0][i];
    w[3][i % 13] ^= w[1][i];
    w[2][100 + i] = w[3][100 + i];
    w[3][100 + i] = i;
}

static void
choice(struct rig *r, uint32_t i)
{
    uint32_t(*w)[WORDS] = r->want, k = i * 7 % 3;
    uint32_t v = w[k == 2 ? 3 : k][i] + k;
    if (i % 5 < 2)
        w[2][i] = v;
    else
        w[3][2000 + i] = v;
}

static void
blocks(struct rig *r, uint32_t i)
{
    r->want[2][i] = r->want[0][i] + r->want[1][i];
}

static const struct {
    const char *name;
    void (*item)(struct rig *r, uint32_t i);
    size_t count;
} kernels[] = {
    {"words", words, COUNT},     {"vectors", vectors, COUNT},
    {"bytes", bytes, COUNT},     {"longs", longs, COUNT},
    {"atomics", atomics, COUNT}, {"choice", choice, COUNT},
    {"blocks", blocks, 960},
};
#define KERNELS (sizeof kernels / sizeof kernels[0])

static void
fill(struct rig *r)
{
    uint32_t seed = 1;
    for (unsigned b = 0; b < BUFFERS; b++)
        for (unsigned i = 0; i < WORDS; i++) {
            seed = seed * 1664525 + 1013904223;
            r->mem[b][i] = r->want[b][i] = seed ^ seed >> 15;
        }
}

static bool
make_buffers(struct rig *r)
{
    cl_int err = 0;
    for (unsigned i = 0; i < BUFFERS && !err; i++)
        r->buffer[i] = clCreateBuffer(r->context, CL_MEM_USE_HOST_PTR, MEM_B,
                                      r->mem[i], &err);
    return !err;
}

static void
drop_buffers(struct rig *r)
{
    for (unsigned i = 0; i < BUFFERS; i++)
        clReleaseMemObject(r->buffer[i]);
}

static bool
is_as_wanted(struct rig *r)
{
    bool ok = true;
    for (unsigned i = 0; i < BUFFERS; i++) {
        cl_int err;
        void *p = clEnqueueMapBuffer(r->queue, r->buffer[i], CL_TRUE,
                                     CL_MAP_READ, 0, MEM_B, 0, NULL, NULL,
                                     &err);
        ok &= p == r->mem[i] && !memcmp(p, r->want[i], MEM_B);
        if (p)
            clEnqueueUnmapMemObject(r->queue, r->buffer[i], p, 0, NULL, NULL);
    }
    return ok && !clFinish(r->queue);
}

static bool
run(struct rig *r, unsigned n)
{
    cl_int err;
    cl_kernel k = clCreateKernel(r->program, kernels[n].name, &err);
    fill(r);
    bool ok = k && make_buffers(r);
    for (unsigned i = 0; i < BUFFERS && ok; i++)
        ok = !clSetKernelArg(k, i, sizeof r->buffer[i], &r->buffer[i]);
    ok = ok && !clEnqueueNDRangeKernel(r->queue, k, 1, NULL, &kernels[n].count,
                                       NULL, 0, NULL, NULL);
    for (uint32_t i = 0; i < kernels[n].count; i++)
        kernels[n].item(r, i);
    ok = ok && is_as_wanted(r);
    clReleaseKernel(k);
    drop_buffers(r);
    return ok;
}

/* ---- copies from and to memory that is not aligned ---- */

#define COPY_B (3 * PAGE_B)
#define COPY_AT (3 * PAGE_B + 100)

/* The library itself makes the copies that must block. */
static bool
copy(struct rig *r, cl_mem b, bool write, size_t first_B, uint8_t *mem)
{
    size_t size_B = COPY_B - first_B;
    return !(write ? clEnqueueWriteBuffer(r->queue, b, CL_FALSE, first_B,
                                          size_B, mem, 0, NULL, NULL)
                   : clEnqueueReadBuffer(r->queue, b, CL_FALSE, first_B, size_B,
                                         mem, 0, NULL, NULL)) &&
           !clFinish(r->queue);
}

/* NEO has three objects: for the first page, for the last one and for the pages
 * between. Only the last two have the buffer's address modulo 1 TiB. */
static bool
run_copies(struct rig *r)
{
    uint8_t *mem[BUFFERS], *want[BUFFERS];
    cl_int err;
    fill(r);
    for (unsigned i = 0; i < BUFFERS; i++) {
        mem[i] = (uint8_t *)r->mem[i] + COPY_AT;
        want[i] = (uint8_t *)r->want[i] + COPY_AT;
    }
    uint8_t *source = (uint8_t *)r->want[0] + 4 * PAGE_B;
    cl_mem b = clCreateBuffer(r->context, CL_MEM_USE_HOST_PTR, COPY_B,
                              (uint8_t *)r->mem[0] + 4 * PAGE_B, &err);
    bool ok = b && copy(r, b, false, 0, mem[1]) &&
              copy(r, b, true, 8, mem[2] + 50) && copy(r, b, false, 0, mem[3]);
    memcpy(want[1], source, COPY_B);
    memcpy(source + 8, want[2] + 50, COPY_B - 8);
    memcpy(want[3], source, COPY_B);
    ok = ok && !memcmp(r->mem[1], r->want[1], MEM_B) &&
         !memcmp(r->mem[3], r->want[3], MEM_B);
    clReleaseMemObject(b);
    return ok;
}

/* ---- many large ones ---- */

#define LARGE 6
#define LARGE_B (UINT64_C(3400) << 20)
#define STEPS 64

static bool
run_large(struct rig *r)
{
    const cl_ulong step = LARGE_B / 4 / STEPS;
    const size_t items = STEPS;
    cl_int err;
    cl_mem b[LARGE];
    cl_kernel k = clCreateKernel(r->program, "strides", &err);
    bool ok = k && !clSetKernelArg(k, LARGE, sizeof step, &step);
    for (unsigned i = 0; i < LARGE; i++) {
        b[i] = clCreateBuffer(r->context, 0, LARGE_B, NULL, &err);
        ok = ok && b[i] && !clSetKernelArg(k, i, sizeof b[i], &b[i]);
    }
    ok = ok && !clEnqueueNDRangeKernel(r->queue, k, 1, NULL, &items, NULL, 0,
                                       NULL, NULL);
    for (cl_ulong i = 0; i < LARGE * STEPS && ok; i++) {
        cl_ulong at = i / LARGE * step;
        cl_uint v = 0;
        ok = !clEnqueueReadBuffer(r->queue, b[i % LARGE], CL_TRUE, at * 4, 4,
                                  &v, 0, NULL, NULL) &&
             v == (cl_uint)(at + 1 + i % LARGE);
    }
    for (unsigned i = 0; i < LARGE; i++)
        if (b[i])
            clReleaseMemObject(b[i]);
    clReleaseKernel(k);
    return ok;
}

/* Only if the device has enough memory. */
static bool
has_large(const struct rig *r)
{
    cl_ulong max_B = 0;
    clGetDeviceInfo(r->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof max_B,
                    &max_B, NULL);
    return max_B >= LARGE_B;
}

static void
report(unsigned number, const char *how, const char *name, bool ok)
{
    printf("%s %u - %s%s\n", ok ? "ok" : "not ok", number, name, how);
}

int
main(void)
{
    static const char *const options[2] = {
        "", "-cl-intel-greater-than-4GB-buffer-required"};
    static const char *const how[2] = {" by surfaces", " by pointers"};
    static struct rig r;
    unsigned number = 1;
    printf("1..%u\n", (unsigned)(3 + 2 * KERNELS));
    bool ok = take_memory(&r) && find_device(&r) && make_rig(&r);
    report(number++, "", "a device of Intel's", ok);
    if (!ok)
        return 1;
    for (unsigned o = 0; o < 2; o++) {
        ok = build(&r, options[o]);
        for (unsigned n = 0; n < KERNELS; n++)
            report(number++, how[o], kernels[n].name, ok && run(&r, n));
    }
    report(number++, "", "copies of what is not aligned", run_copies(&r));
    if (has_large(&r))
        report(number, "", "20 GiB", run_large(&r));
    else
        printf("ok %u - 20 GiB # SKIP the device has less\n", number);
    return 0;
}
