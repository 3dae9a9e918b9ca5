/* cl_layer.c: a layer of the OpenCL ICD loader, for `softlake profile`: kernel
 * names, sources, build options, device binaries and work sizes.
 *
 * The loader calls clInitLayer() with the functions below this layer; the layer
 * returns a table with its own in place of some. Each calls the function below
 * with the arguments of the application, returns its result, and then asks and
 * writes (cl_record.h). Only Intel's GPUs are looked at. With
 * SOFTLAKE_PROFILE_SOURCE, "-g" is added to the build options.
 *
 * Source: the chapter "Layers" of the OpenCL ICD loader; CL/cl_layer.h. Tried
 * with ocl-icd 2.3.1; Khronos's loader makes the same calls. Any thread. */
#define CL_TARGET_OPENCL_VERSION 300
#include "cl-layer/cl_record.h"

#include "base/base.h"

#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <stdlib.h>

#define LAYER_NAME "softlake"
#define EXPORT __attribute__((visibility("default")))
#define INTEL 0x8086u
#define TEXT_LIMIT_B (64u << 20)

static struct _cl_icd_dispatch mine;
static const struct _cl_icd_dispatch *next;

static bool
is_intel_gpu(cl_device_id device)
{
    cl_device_type type = 0;
    cl_uint vendor = 0;
    return device &&
           !next->clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type,
                                  NULL) &&
           !next->clGetDeviceInfo(device, CL_DEVICE_VENDOR_ID, sizeof vendor,
                                  &vendor, NULL) &&
           type & CL_DEVICE_TYPE_GPU && vendor == INTEL;
}

/* ---- the driver ---------------------------------------------------------- */

/* The library that the device is of: it has kernels of its own. An object of
 * OpenCL begins with the address of a table of functions (cl_khr_icd). */
static void
record_driver(cl_device_id device)
{
    static atomic_bool done;
    Dl_info info;
    if (!is_intel_gpu(device) || atomic_exchange(&done, true))
        return;
    const void *const *const *object = (const void *const *const *)device;
    if (*object && dladdr(**object, &info) && info.dli_fname)
        cl_record_driver(info.dli_fname);
}

/* ---- programs that have been written ------------------------------------- */

#define KNOWN 1024u
static _Atomic(cl_program) known[KNOWN];

static _Atomic(cl_program) *
known_slot(cl_program program)
{
    return &known[((uintptr_t)program >> 4) * UINT64_C(0x9e3779b97f4a7c15) >>
                  54];
}

/* Its binary may change, or another program get its handle. */
static void
forget_program(cl_program program)
{
    cl_program expected = program;
    if (program)
        atomic_compare_exchange_strong(known_slot(program), &expected, NULL);
}

/* ---- what a program consists of ------------------------------------------ */

/* Memory of the caller, NULL if there is none; at most limit_B. */
static void *
get_program_info(cl_program program, cl_program_info what, size_t *size_B)
{
    void *p = NULL;
    *size_B = 0;
    if (!next->clGetProgramInfo(program, what, 0, NULL, size_B) && *size_B &&
        *size_B <= TEXT_LIMIT_B)
        p = malloc(*size_B);
    if (p && next->clGetProgramInfo(program, what, *size_B, p, NULL)) {
        free(p);
        p = NULL;
    }
    if (!p)
        *size_B = 0;
    return p;
}

static char *
get_options(cl_program program, cl_device_id device, size_t *size_B)
{
    char *p = NULL;
    *size_B = 0;
    if (!next->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS,
                                     0, NULL, size_B) &&
        *size_B && *size_B <= TEXT_LIMIT_B)
        p = malloc(*size_B);
    if (p && next->clGetProgramBuildInfo(
                 program, device, CL_PROGRAM_BUILD_OPTIONS, *size_B, p, NULL)) {
        free(p);
        p = NULL;
    }
    if (!p)
        *size_B = 0;
    return p;
}

/* Writes the binaries of the devices that are Intel's GPUs. binaries: one
 * pointer per device; NULL leaves the device out. */
static void
record_binaries(cl_program program, const cl_device_id *devices,
                const size_t *sizes_B, unsigned count,
                const unsigned char **binaries)
{
    struct cl_built built = {0};
    void *source = get_program_info(program, CL_PROGRAM_SOURCE,
                                    &built.source_B);
    built.source = source;
    for (unsigned i = 0; i < count; i++) {
        if (!binaries[i])
            continue;
        void *options = get_options(program, devices[i], &built.options_B);
        built.options = options;
        built.binary = binaries[i];
        built.binary_B = sizes_B[i];
        cl_record_program(&built);
        free(options);
    }
    free(source);
}

static void
record_devices(cl_program program, const cl_device_id *devices,
               const size_t *sizes_B, unsigned count)
{
    unsigned char **binaries = calloc(count, sizeof *binaries);
    bool any = false;
    for (unsigned i = 0; binaries && i < count; i++) {
        if (is_intel_gpu(devices[i]) && sizes_B[i])
            binaries[i] = malloc(sizes_B[i]);
        any |= binaries[i] != NULL;
    }
    if (any && !next->clGetProgramInfo(program, CL_PROGRAM_BINARIES,
                                       count * sizeof *binaries,
                                       (void *)binaries, NULL))
        record_binaries(program, devices, sizes_B, count,
                        (const unsigned char **)binaries);
    for (unsigned i = 0; binaries && i < count; i++)
        free(binaries[i]);
    free((void *)binaries);
}

/* For a program that has kernels, so it is built. */
static void
record_program(cl_program program)
{
    if (!program || atomic_exchange(known_slot(program), program) == program)
        return;
    size_t devices_B, sizes_B;
    cl_device_id *devices = get_program_info(program, CL_PROGRAM_DEVICES,
                                             &devices_B);
    size_t *sizes = get_program_info(program, CL_PROGRAM_BINARY_SIZES,
                                     &sizes_B);
    unsigned count = (unsigned)(devices_B / sizeof(cl_device_id));
    if (devices && sizes && sizes_B / sizeof(size_t) == count)
        record_devices(program, devices, sizes, count);
    free((void *)devices);
    free(sizes);
}

/* ---- "-g" ---------------------------------------------------------------- */

static bool
has_option(const char *options, const char *option)
{
    size_t n = strlen(option);
    for (const char *p = options; (p = strstr(p, option)); p += n)
        if ((p == options || p[-1] == ' ') && (!p[n] || p[n] == ' '))
            return true;
    return false;
}

static bool
builds_on_intel(cl_program program)
{
    size_t size_B;
    bool found = false;
    cl_device_id *devices = get_program_info(program, CL_PROGRAM_DEVICES,
                                             &size_B);
    for (size_t i = 0; devices && i < size_B / sizeof *devices; i++)
        found |= is_intel_gpu(devices[i]);
    free((void *)devices);
    return found;
}

/* The options with "-g", or NULL: they stay as they are. */
static char *
add_debug(cl_program program, const char *options)
{
    const char *wanted = getenv("SOFTLAKE_PROFILE_SOURCE");
    size_t size_B = options ? strlen(options) : 0;
    if (!wanted || !*wanted ||
        (options && (has_option(options, "-g") ||
                     has_option(options, "-gline-tables-only"))) ||
        !builds_on_intel(program))
        return NULL;
    char *more = malloc(size_B + 4);
    if (!more)
        return NULL;
    memcpy(more, options ? options : "", size_B);
    memcpy(more + size_B, size_B ? " -g" : "-g", size_B ? 4 : 3);
    return more;
}

/* ---- the functions of the layer ------------------------------------------ */

static cl_context CL_API_CALL
create_context(const cl_context_properties *properties, cl_uint device_count,
               const cl_device_id *devices,
               void(CL_CALLBACK *notify)(const char *, const void *, size_t,
                                         void *),
               void *data, cl_int *error)
{
    cl_context context = next->clCreateContext(properties, device_count,
                                               devices, notify, data, error);
    for (cl_uint i = 0; context && i < device_count; i++)
        record_driver(devices[i]);
    return context;
}

static cl_int CL_API_CALL
build_program(cl_program program, cl_uint device_count,
              const cl_device_id *devices, const char *options,
              void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    char *more = add_debug(program, options);
    forget_program(program);
    cl_int error = next->clBuildProgram(program, device_count, devices,
                                        more ? more : options, notify, data);
    free(more);
    return error;
}

static cl_int CL_API_CALL
compile_program(cl_program program, cl_uint device_count,
                const cl_device_id *devices, const char *options,
                cl_uint header_count, const cl_program *headers,
                const char **names,
                void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    char *more = add_debug(program, options);
    forget_program(program);
    cl_int error = next->clCompileProgram(program, device_count, devices,
                                          more ? more : options, header_count,
                                          headers, names, notify, data);
    free(more);
    return error;
}

/* The last reference may go, and another program get this handle. */
static cl_int CL_API_CALL
release_program(cl_program program)
{
    forget_program(program);
    return next->clReleaseProgram(program);
}

static cl_kernel CL_API_CALL
create_kernel(cl_program program, const char *name, cl_int *error)
{
    cl_kernel kernel = next->clCreateKernel(program, name, error);
    if (kernel)
        record_program(program);
    return kernel;
}

static cl_int CL_API_CALL
create_kernels(cl_program program, cl_uint count, cl_kernel *kernels,
               cl_uint *count_ret)
{
    cl_int error = next->clCreateKernelsInProgram(program, count, kernels,
                                                  count_ret);
    if (!error && kernels)
        record_program(program);
    return error;
}

static void
record_launch(cl_command_queue queue, cl_kernel kernel, unsigned dims,
              const size_t *global, const size_t *local)
{
    char name[1024];
    cl_device_id device = NULL;
    if (dims < 1 || dims > 3 || !global ||
        next->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device,
                                    (void *)&device, NULL) ||
        !is_intel_gpu(device) ||
        next->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name,
                              name, NULL))
        return;
    name[sizeof name - 1] = 0;
    cl_record_launch(&(struct cl_launched){name, dims, global, local});
}

static cl_int CL_API_CALL
enqueue_range(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
              const size_t *offset, const size_t *global, const size_t *local,
              cl_uint wait_count, const cl_event *wait, cl_event *event)
{
    cl_int error = next->clEnqueueNDRangeKernel(
        queue, kernel, dims, offset, global, local, wait_count, wait, event);
    if (!error)
        record_launch(queue, kernel, dims, global, local);
    return error;
}

static cl_int CL_API_CALL
enqueue_task(cl_command_queue queue, cl_kernel kernel, cl_uint wait_count,
             const cl_event *wait, cl_event *event)
{
    static const size_t one = 1;
    cl_int error = next->clEnqueueTask(queue, kernel, wait_count, wait, event);
    if (!error)
        record_launch(queue, kernel, 1, &one, &one);
    return error;
}

/* ---- the loader's side --------------------------------------------------- */

EXPORT cl_int CL_API_CALL
clGetLayerInfo(cl_layer_info param_name, size_t param_value_size,
               void *param_value, size_t *param_value_size_ret)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void *answer = &version;
    size_t answer_B = sizeof version;
    if (param_name == CL_LAYER_NAME) {
        answer = LAYER_NAME;
        answer_B = sizeof LAYER_NAME;
    } else if (param_name != CL_LAYER_API_VERSION) {
        return CL_INVALID_VALUE;
    }
    if (param_value && param_value_size < answer_B)
        return CL_INVALID_VALUE;
    if (param_value)
        memcpy(param_value, answer, answer_B);
    if (param_value_size_ret)
        *param_value_size_ret = answer_B;
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL
clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target_dispatch,
            cl_uint *num_entries_ret,
            const cl_icd_dispatch **layer_dispatch_ret)
{
    if (!target_dispatch || !num_entries_ret || !layer_dispatch_ret)
        return CL_INVALID_VALUE;
    size_t entries = MIN2(num_entries, sizeof mine / sizeof(void *));
    /* All that is called here is of OpenCL 1.2. */
    if (entries * sizeof(void *) <=
        offsetof(struct _cl_icd_dispatch, clGetKernelArgInfo))
        return CL_INVALID_VALUE;
    memcpy(&mine, target_dispatch, entries * sizeof(void *));
    next = target_dispatch;
    mine.clCreateContext = create_context;
    mine.clBuildProgram = build_program;
    mine.clCompileProgram = compile_program;
    mine.clReleaseProgram = release_program;
    mine.clCreateKernel = create_kernel;
    mine.clCreateKernelsInProgram = create_kernels;
    mine.clEnqueueNDRangeKernel = enqueue_range;
    mine.clEnqueueTask = enqueue_task;
    cl_record_begin();
    *num_entries_ret = (cl_uint)entries;
    *layer_dispatch_ret = &mine;
    return CL_SUCCESS;
}
