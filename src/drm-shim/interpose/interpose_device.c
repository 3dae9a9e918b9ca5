/* interpose_device.c: ioctl(), mmap() and lseek() of descriptors of the device,
 * and the start and end of the process. */
#undef _FILE_OFFSET_BITS
#include "base/own_stack.h"
#include "drm-shim/gem/gem.h"
#include "drm-shim/device/device.h"
#include "drm-shim/interpose/process_exit.h"
#include "drm-shim/interpose/interpose.h"
#include "drm-shim/ioctl/ioctl.h"
#include "drm-shim/core/core.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/ioctl.h>

/* A call of the application, for own_stack_call(). */
struct ioctl_call {
    int fd;
    unsigned long request;
    void *arg;
    int ret;
    bool other; /* not of ours */
};

static void
call_device(void *data)
{
    struct ioctl_call *c = data;
    struct drm_file *file = ioctl_is_frequent(c->request)
                                ? device_file_known(c->fd)
                                : device_file(c->fd);
    c->other = !file;
    if (!file)
        return;
    c->ret = ioctl_run(file, c->request, c->arg);
    device_file_unref(file);
}

static void
call_exported(void *data)
{
    struct ioctl_call *c = data;
    c->other = !exported_fd_ioctl(c->fd, c->request, c->arg, &c->ret);
}

INTERPOSE(int, shim_ioctl, "ioctl", (int fd, unsigned long request, ...))
{
    va_list ap;
    va_start(ap, request);
    void *arg = va_arg(ap, void *);
    va_end(ap);
    /* Callers pass the 32-bit number, some of them sign-extended. */
    struct ioctl_call call = {fd, (uint32_t)request, arg, 0, true};
    switch (_IOC_TYPE(call.request)) {
    case 'd': own_stack_call(call_device, &call); break;
    case 'b':
    case 'i':
    case '>': own_stack_call(call_exported, &call); break;
    default: break;
    }
    return call.other ? syscall_ioctl(fd, request, arg) : call.ret;
}

struct map_call {
    void *addr;
    size_t length;
    int prot, flags, fd;
    uint64_t offset;
    void *ret;
    bool other;
};

static void
map_device(void *data)
{
    struct map_call *c = data;
    struct drm_file *file = device_file(c->fd);
    c->other = !file;
    if (!file)
        return;
    c->ret = ioctl_mmap(file, c->addr, c->length, c->prot, c->flags, c->offset);
    device_file_unref(file);
}

static void *
map_file(void *addr, size_t length, int prot, int flags, int fd,
         uint64_t offset)
{
    struct map_call c = {addr, length, prot, flags, fd, offset, NULL, true};
    if (fd >= 0 && !(flags & MAP_ANONYMOUS))
        own_stack_call(map_device, &c);
    return c.other ? syscall_mmap(addr, length, prot, flags, fd, offset)
                   : c.ret;
}

INTERPOSE(void *, shim_mmap, "mmap",
          (void *addr, size_t length, int prot, int flags, int fd,
           uint64_t offset))
{
    return map_file(addr, length, prot, flags, fd, offset);
}

INTERPOSE(void *, shim_mmap64, "mmap64",
          (void *addr, size_t length, int prot, int flags, int fd,
           uint64_t offset))
{
    return map_file(addr, length, prot, flags, fd, offset);
}

/* Hides the shared page: a shared object ends where its own pages end. */
static int64_t
seek_file(int fd, int64_t offset, int whence)
{
    struct stat st;
    uint64_t size_B = 0;
    if (whence == SEEK_END && device_was_opened() && !syscall_fstat(fd, &st) &&
        S_ISREG(st.st_mode)) {
        device_lock();
        const struct bo *bo = bo_find_shared(st.st_dev, st.st_ino);
        size_B = bo ? bo->size_B : 0;
        device_unlock();
    }
    if (size_B)
        return syscall(SYS_lseek, fd, (int64_t)size_B + offset, SEEK_SET);
    return syscall(SYS_lseek, fd, offset, whence);
}

INTERPOSE(int64_t, shim_lseek, "lseek", (int fd, int64_t offset, int whence))
{
    return seek_file(fd, offset, whence);
}

INTERPOSE(int64_t, shim_lseek64, "lseek64",
          (int fd, int64_t offset, int whence))
{
    return seek_file(fd, offset, whence);
}

static void
end_process(void *unused)
{
    process_exit_run();
}

/* _exit() skips the destructor below. */
#define EXIT(name, symbol)                                \
    INTERPOSE(_Noreturn void, name, symbol, (int status)) \
    {                                                     \
        own_stack_call(end_process, NULL);                \
        for (;;)                                          \
            syscall(SYS_exit_group, status);              \
    }
EXIT(shim__exit, "_exit")
EXIT(shim__Exit, "_Exit")
#undef EXIT

__attribute__((constructor)) static void
start(void)
{
    device_init();
    process_exit_init();
    pthread_atfork(NULL, NULL, process_exit_after_fork);
}

__attribute__((destructor)) static void
end(void)
{
    own_stack_call(end_process, NULL);
}
