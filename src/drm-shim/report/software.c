#include "drm-shim/report/software.h"

#include "drm-shim/core/core.h"
#include "drm-shim/report/report.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unwind.h>

/* Sleeps of a llvmpipe thread since it got its name. Observed: 1 or 2 while it
 * is idle, and 2 more for every frame. */
#define IDLE_SLEEPS 3
#define THREADS 128
#define FRAMES 64

/* Software rasterisers by a part of the library's file name. Libraries of
 * Gallium hold hardware drivers, too. */
static const struct {
    const char *part;
    enum shim_drawer drawer;
    bool hardware_too;
} objects[] = {
    {"libvulkan_lvp", DRAWER_LAVAPIPE, false},
    {"libvk_swiftshader", DRAWER_SWIFTSHADER, false},
    {"_dri.so", DRAWER_LLVMPIPE, true},
    {"libgallium", DRAWER_LLVMPIPE, true},
    {"libOSMesa", DRAWER_LLVMPIPE, true},
    {"libRusticlOpenCL", DRAWER_LLVMPIPE, true},
    {"libMesaOpenCL", DRAWER_LLVMPIPE, true},
    {"pipe_swrast", DRAWER_LLVMPIPE, true},
};

static struct {
    /* The Gallium library that set llvmpipe up: code that it compiles is
     * llvmpipe's, not a vertex stage for glRasterPos(). */
    _Atomic(const struct link_map *) screen;
    struct {
        atomic_bool used;
        pid_t id;
        long sleeps; /* at the start */
        enum shim_drawer drawer;
    } thread[THREADS];
    pthread_once_t once;
    pthread_key_t key; /* value: index + 1 */
} software = {.once = PTHREAD_ONCE_INIT};

/* Takes no lock, unlike dladdr(). */
static const struct link_map *
object_of(const void *address)
{
    struct dl_find_object found;
    return _dl_find_object((void *)address, &found) ? NULL
                                                    : found.dlfo_link_map;
}

static int
row_of(const struct link_map *object)
{
    const char *slash = object ? strrchr(object->l_name, '/') : NULL;
    for (unsigned i = 0; slash && i < ARRAY_SIZE(objects); i++)
        if (strstr(slash, objects[i].part))
            return (int)i;
    return -1;
}

/* ---- threads ------------------------------------------------------------ */

static long
own_sleeps(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nvcsw;
}

/* Sleeps of another thread; 0: unknown. */
static long
sleeps_of(pid_t id)
{
    static const char field[] = "\nvoluntary_ctxt_switches:";
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)id);
    int fd = syscall_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        syscall(SYS_close, fd);
    if (n < 0)
        return 0;
    text[n] = 0;
    const char *at = strstr(text, field);
    return at ? strtol(at + sizeof field - 1, NULL, 10) : 0;
}

static void
settle_thread(unsigned i, long sleeps)
{
    if (sleeps - software.thread[i].sleeps > IDLE_SLEEPS)
        report_drawer(software.thread[i].drawer, true);
}

static void
on_thread_end(void *index)
{
    unsigned i = (unsigned)(uintptr_t)index - 1;
    settle_thread(i, own_sleeps());
    atomic_store(&software.thread[i].used, false);
}

static void
make_key(void)
{
    pthread_key_create(&software.key, on_thread_end);
}

void
software_thread_named(const char *name, const void *caller)
{
    if (strncmp(name, "llvmpipe-", 9))
        return;
    int row = row_of(object_of(caller));
    enum shim_drawer drawer = row < 0 ? DRAWER_LLVMPIPE : objects[row].drawer;
    report_drawer(drawer, false);
    pthread_once(&software.once, make_key);
    for (unsigned i = 0; i < THREADS; i++) {
        if (atomic_exchange(&software.thread[i].used, true))
            continue;
        software.thread[i].id = (pid_t)syscall(SYS_gettid);
        software.thread[i].sleeps = own_sleeps();
        software.thread[i].drawer = drawer;
        pthread_setspecific(software.key, (void *)(uintptr_t)(i + 1));
        return;
    }
}

/* ---- compiled code ------------------------------------------------------ */

/* A walk up the stack: to the rasteriser's library, then to its caller. */
struct walk {
    int row; /* -1: not there yet */
    const struct link_map *object, *caller;
    unsigned frames;
};

static _Unwind_Reason_Code
look_at_frame(struct _Unwind_Context *context, void *data)
{
    struct walk *walk = data;
    const struct link_map *object = object_of((void *)_Unwind_GetIP(context));
    if (walk->row < 0) {
        walk->object = object;
        walk->row = row_of(object);
    } else if (object != walk->object) {
        walk->caller = object;
        return _URC_END_OF_STACK;
    }
    return ++walk->frames == FRAMES ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* EGL and GLX call the library to make a context, a program calls it to draw.
 * Observed: Mesa 25 compiles shaders of its own for each context. */
static bool
makes_context(const struct link_map *caller)
{
    return caller && (strstr(caller->l_name, "/libEGL") ||
                      strstr(caller->l_name, "/libGLX"));
}

void
software_code_made(const void *caller)
{
    const struct link_map *object = object_of(caller);
    struct walk walk = {.row = -1};
    if (row_of(object) >= 0 || (object && strstr(object->l_name, "libLLVM")))
        _Unwind_Backtrace(look_at_frame, &walk);
    if (walk.row < 0 || makes_context(walk.caller))
        return;
    if (!objects[walk.row].hardware_too ||
        walk.object == atomic_load(&software.screen))
        report_drawer(objects[walk.row].drawer, true);
}

void
software_option_read(const char *name, const void *caller)
{
    if (!strcmp(name, "LP_NUM_THREADS"))
        atomic_store(&software.screen, object_of(caller));
    else if (!strcmp(name, "SOFTPIPE_DEBUG"))
        report_drawer(DRAWER_SOFTPIPE, true);
}

/* ---- the end ------------------------------------------------------------ */

/* PoCL compiles each kernel into a library in its cache. */
static int
look_for_kernels(struct dl_phdr_info *info, size_t size_B, void *data)
{
    const char *cache = data;
    if (strstr(info->dlpi_name, "/pocl/kcache/") ||
        (cache && *cache && strstr(info->dlpi_name, cache)))
        report_drawer(DRAWER_POCL, true);
    return 0;
}

void
software_finish(void)
{
    for (unsigned i = 0; i < THREADS; i++)
        if (atomic_load(&software.thread[i].used))
            settle_thread(i, sleeps_of(software.thread[i].id));
    if (dlopen("libOpenCL.so.1", RTLD_NOLOAD | RTLD_LAZY))
        dl_iterate_phdr(look_for_kernels, getenv("POCL_CACHE_DIR"));
}
