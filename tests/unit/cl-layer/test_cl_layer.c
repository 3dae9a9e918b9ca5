/* test_cl_layer.c: the layer above a driver that is not there: each question
 * may fail, each call is passed on as it came, files are whole, and threads
 * count together. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cl-layer/cl_layer_file.h"

#define ENTRIES (sizeof(cl_icd_dispatch) / sizeof(void *))
#define BINARY_B 3000u
#define SOURCE "kernel void k() {}"
#define NAME "a_kernel"

static void *no_functions[1];
static void **object = no_functions; /* what an object begins with */
#define OBJECT(type) ((type)(void *)&object)

static atomic_int asked; /* questions so far */
static int failing;      /* the question that fails; 0: none does */
static char built_with[64];

static bool
fails(void)
{
    return ++asked == failing;
}

static cl_int
answer(const void *data, size_t data_B, size_t size_B, void *value,
       size_t *size_ret_B)
{
    if (fails() || (value && size_B < data_B))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, data, data_B);
    if (size_ret_B)
        *size_ret_B = data_B;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL
get_device_info(cl_device_id device, cl_device_info what, size_t size_B,
                void *value, size_t *size_ret_B)
{
    const cl_device_type type = CL_DEVICE_TYPE_GPU;
    const cl_uint vendor = 0x8086;
    return what == CL_DEVICE_TYPE
               ? answer(&type, sizeof type, size_B, value, size_ret_B)
               : answer(&vendor, sizeof vendor, size_B, value, size_ret_B);
}

static cl_int CL_API_CALL
get_program_info(cl_program program, cl_program_info what, size_t size_B,
                 void *value, size_t *size_ret_B)
{
    const cl_device_id device = OBJECT(cl_device_id);
    const size_t binary_B = BINARY_B;
    switch (what) {
    case CL_PROGRAM_DEVICES:
        return answer(&device, sizeof device, size_B, value, size_ret_B);
    case CL_PROGRAM_BINARY_SIZES:
        return answer(&binary_B, sizeof binary_B, size_B, value, size_ret_B);
    case CL_PROGRAM_SOURCE:
        return answer(SOURCE, sizeof SOURCE, size_B, value, size_ret_B);
    case CL_PROGRAM_BINARIES:
        memset(*(void **)value, 'b', BINARY_B);
        return fails() ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
    default: return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL
get_build_info(cl_program program, cl_device_id device,
               cl_program_build_info what, size_t size_B, void *value,
               size_t *size_ret_B)
{
    return answer("-DX", 4, size_B, value, size_ret_B);
}

static cl_int CL_API_CALL
get_kernel_info(cl_kernel kernel, cl_kernel_info what, size_t size_B,
                void *value, size_t *size_ret_B)
{
    return answer(NAME, sizeof NAME, size_B, value, size_ret_B);
}

static cl_int CL_API_CALL
get_queue_info(cl_command_queue queue, cl_command_queue_info what,
               size_t size_B, void *value, size_t *size_ret_B)
{
    const cl_device_id device = OBJECT(cl_device_id);
    return answer(&device, sizeof device, size_B, value, size_ret_B);
}

static cl_int CL_API_CALL
build_program(cl_program program, cl_uint count, const cl_device_id *devices,
              const char *options,
              void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    cr_assert(program == OBJECT(cl_program) && count == 1 && !devices &&
              !notify && data == &built_with);
    snprintf(built_with, sizeof built_with, "%s", options ? options : "NULL");
    return -1234;
}

static cl_kernel CL_API_CALL
create_kernel(cl_program program, const char *name, cl_int *error)
{
    cr_assert_str_eq(name, NAME);
    *error = CL_SUCCESS;
    return OBJECT(cl_kernel);
}

static cl_int CL_API_CALL
enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
        const size_t *offset, const size_t *global, const size_t *local,
        cl_uint wait_count, const cl_event *wait, cl_event *event)
{
    return dims ? CL_SUCCESS : CL_INVALID_WORK_DIMENSION;
}

static char dir[] = "/tmp/test-cl-layer-XXXXXX";

/* The layer's table above the driver's. */
static const cl_icd_dispatch *
begin(void)
{
    static cl_icd_dispatch driver;
    const cl_icd_dispatch *layer = NULL;
    cl_uint count = 0;
    driver.clGetDeviceInfo = get_device_info;
    driver.clGetProgramInfo = get_program_info;
    driver.clGetProgramBuildInfo = get_build_info;
    driver.clGetKernelInfo = get_kernel_info;
    driver.clGetCommandQueueInfo = get_queue_info;
    driver.clBuildProgram = build_program;
    driver.clCreateKernel = create_kernel;
    driver.clEnqueueNDRangeKernel = enqueue;
    cr_assert(mkdtemp(dir));
    setenv("SOFTLAKE_PROFILE", dir, 1);
    cr_assert_eq(clInitLayer(ENTRIES, &driver, &count, &layer), CL_SUCCESS);
    cr_assert_eq(count, ENTRIES);
    return layer;
}

/* Files with the prefix; the last one's path. */
static unsigned
find_files(const char *prefix, char path[512])
{
    unsigned n = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; (e = readdir(d));) {
        if (strncmp(e->d_name, prefix, strlen(prefix)))
            continue;
        snprintf(path, 512, "%s/%s", dir, e->d_name);
        n++;
    }
    closedir(d);
    return n;
}

static void
end(void)
{
    char path[512];
    while (find_files("cl-", path))
        unlink(path);
    rmdir(dir);
}

static uint64_t
sum_launches(unsigned *rows)
{
    static struct cl_layer_launch all[CL_LAYER_ROWS];
    char path[512];
    uint64_t sum = 0;
    cr_assert_eq(find_files(CL_LAYER_LAUNCHES_PREFIX, path), 1);
    int fd = open(path, O_RDONLY);
    cr_assert_eq(read(fd, all, sizeof all), (ssize_t)sizeof all);
    close(fd);
    *rows = 0;
    for (unsigned i = 0; i < CL_LAYER_ROWS; i++) {
        if (all[i].state != CL_LAYER_READY)
            continue;
        cr_assert_str_eq(all[i].kernel, NAME);
        sum += all[i].count;
        ++*rows;
    }
    return sum;
}

Test(cl_layer, tables)
{
    const cl_icd_dispatch *layer;
    static cl_icd_dispatch driver;
    cl_uint count;
    char name[16];
    size_t size_B;
    cr_assert_neq(clInitLayer(10, &driver, &count, &layer), CL_SUCCESS);
    cr_assert_neq(clInitLayer(ENTRIES, NULL, &count, &layer), CL_SUCCESS);
    cr_assert_eq(clGetLayerInfo(CL_LAYER_NAME, sizeof name, name, &size_B),
                 CL_SUCCESS);
    cr_assert_eq(size_B, strlen(name) + 1);
    cr_assert_neq(clGetLayerInfo(CL_LAYER_NAME, 1, name, NULL), CL_SUCCESS);
    cr_assert_neq(clGetLayerInfo(1, sizeof name, name, NULL), CL_SUCCESS);
}

static const char *
build(const cl_icd_dispatch *layer, const char *options)
{
    cr_assert_eq(layer->clBuildProgram(OBJECT(cl_program), 1, NULL, options,
                                       NULL, &built_with),
                 -1234);
    return built_with;
}

static void
launch(const cl_icd_dispatch *layer, const size_t *global, const size_t *local)
{
    cr_assert_eq(layer->clEnqueueNDRangeKernel(OBJECT(cl_command_queue),
                                               OBJECT(cl_kernel), 1, NULL,
                                               global, local, 0, NULL, NULL),
                 CL_SUCCESS);
}

static void
make_kernel(const cl_icd_dispatch *layer)
{
    cl_int error = -1;
    cr_assert(layer->clCreateKernel(OBJECT(cl_program), NAME, &error) &&
              error == CL_SUCCESS);
}

/* Whether there is a program, which is whole then. */
static bool
take_program(void)
{
    char path[512];
    static char file[BINARY_B * 2];
    struct cl_layer_program head;
    cr_assert_eq(find_files("cl-new", path), 0);
    if (!find_files(CL_LAYER_PROGRAM_PREFIX, path))
        return false;
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, file, sizeof file);
    close(fd);
    unlink(path);
    memcpy(&head, file, sizeof head);
    cr_assert(!memcmp(head.magic, CL_LAYER_MAGIC, sizeof head.magic) &&
              head.binary_B == BINARY_B);
    cr_assert_eq(n, (ssize_t)(sizeof head + head.source_B + head.options_B +
                              head.binary_B));
    return true;
}

/* Whatever question fails, the application gets its kernel, and a file is whole
 * or not there. */
Test(cl_layer, failing_questions)
{
    const cl_icd_dispatch *layer = begin();
    const size_t global = 64;
    bool program = false;
    for (failing = 1; failing < 100; failing++) {
        asked = 0;
        build(layer, "");
        make_kernel(layer);
        launch(layer, &global, NULL);
        program = take_program();
        if (asked < failing)
            break;
    }
    cr_assert(failing > 10 && failing < 100 && program, "%d", failing);
    end();
}

Test(cl_layer, options)
{
    const cl_icd_dispatch *layer = begin();
    cr_assert_str_eq(build(layer, NULL), "NULL");
    cr_assert_str_eq(build(layer, "-DX"), "-DX");
    setenv("SOFTLAKE_PROFILE_SOURCE", "1", 1);
    cr_assert_str_eq(build(layer, NULL), "-g");
    cr_assert_str_eq(build(layer, ""), "-g");
    cr_assert_str_eq(build(layer, "-DX=-g -DY"), "-DX=-g -DY -g");
    cr_assert_str_eq(build(layer, "-DX -g"), "-DX -g");
    cr_assert_str_eq(build(layer, "-gline-tables-only -DX"),
                     "-gline-tables-only -DX");
    end();
}

/* A program is asked once, until it is built again. */
Test(cl_layer, asks_once)
{
    const cl_icd_dispatch *layer = begin();
    make_kernel(layer);
    cr_assert(take_program());
    int before = asked;
    make_kernel(layer);
    cr_assert(asked == before && !take_program());
    build(layer, "");
    make_kernel(layer);
    cr_assert(take_program());
    end();
}

/* Files beyond the limit would end the application. */
Test(cl_layer, small_files)
{
    const cl_icd_dispatch *layer;
    const struct rlimit limit = {1024, 1024};
    const size_t global = 64;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    layer = begin();
    make_kernel(layer);
    launch(layer, &global, NULL);
    cr_assert_not(take_program());
    end();
}

/* More work sizes than rows: the first ones are counted. */
Test(cl_layer, many_sizes)
{
    const cl_icd_dispatch *layer = begin();
    unsigned rows;
    for (size_t global = 1; global <= 2 * CL_LAYER_ROWS; global++)
        launch(layer, &global, &global);
    cr_assert_eq(sum_launches(&rows), CL_LAYER_ROWS);
    cr_assert_eq(rows, CL_LAYER_ROWS);
    end();
}

#define THREADS 4
#define ROUNDS 2000

static void *
launch_many(void *layer)
{
    for (size_t i = 0; i < ROUNDS; i++) {
        const size_t global = 1 + i % 100;
        launch(layer, &global, NULL);
    }
    return NULL;
}

/* A row may be there twice, but no launch is lost. */
Test(cl_layer, threads)
{
    const cl_icd_dispatch *layer = begin();
    pthread_t threads[THREADS];
    unsigned rows;
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, launch_many, (void *)layer);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(sum_launches(&rows), (uint64_t)THREADS * ROUNDS);
    cr_assert(rows >= 100 && rows <= 100 * THREADS);
    end();
}
