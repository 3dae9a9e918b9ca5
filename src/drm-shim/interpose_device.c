/* Using the device: ioctl, mmap, and the ends of the process. */
#undef _FILE_OFFSET_BITS
#include "drm-shim/bo_share.h"
#include "drm-shim/device.h"
#include "drm-shim/finish.h"
#include "drm-shim/interpose.h"
#include "drm-shim/raw.h"
#include "drm-shim/share.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/ioctl.h>

INTERPOSE(int, shim_ioctl, "ioctl", (int fd, unsigned long request, ...))
{
    va_list ap;
    va_start(ap, request);
    void *arg = va_arg(ap, void *);
    va_end(ap);
    /* Callers pass the 32-bit number, some of them sign-extended. */
    unsigned long number = (uint32_t)request;
    int ret;
    switch (_IOC_TYPE(number)) {
    case 'd': {
        struct drm_file *file = device_ioctl_is_frequent(number)
                                    ? device_file_known(fd)
                                    : device_file(fd);
        if (!file)
            break;
        ret = device_ioctl(file, number, arg);
        device_file_unref(file);
        return ret;
    }
    case 'b':
    case '>':
        if (share_ioctl(fd, number, arg, &ret))
            return ret;
        break;
    default: break;
    }
    return raw_ioctl(fd, request, arg);
}

static void *
map(void *addr, size_t length, int prot, int flags, int fd, uint64_t offset)
{
    if (fd >= 0 && !(flags & MAP_ANONYMOUS)) {
        struct drm_file *file = device_file(fd);
        if (file) {
            void *p = device_mmap(file, addr, length, prot, flags, offset);
            device_file_unref(file);
            return p;
        }
    }
    return raw_mmap(addr, length, prot, flags, fd, offset);
}

INTERPOSE(void *, shim_mmap, "mmap",
          (void *addr, size_t length, int prot, int flags, int fd,
           uint64_t offset))
{
    return map(addr, length, prot, flags, fd, offset);
}

INTERPOSE(void *, shim_mmap64, "mmap64",
          (void *addr, size_t length, int prot, int flags, int fd,
           uint64_t offset))
{
    return map(addr, length, prot, flags, fd, offset);
}

/* The end of a shared object is the end of its pages, not of our page
 * behind them. */
static int64_t
seek(int fd, int64_t offset, int whence)
{
    struct stat st;
    uint64_t size_B = 0;
    if (whence == SEEK_END && device_was_opened() && !raw_fstat(fd, &st) &&
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
    return seek(fd, offset, whence);
}

INTERPOSE(int64_t, shim_lseek64, "lseek64",
          (int fd, int64_t offset, int whence))
{
    return seek(fd, offset, whence);
}

/* exit() runs the destructor below; these do not. */
#define EXIT(name, symbol)                                \
    INTERPOSE(_Noreturn void, name, symbol, (int status)) \
    {                                                     \
        finish_process();                                 \
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
    finish_init();
    pthread_atfork(NULL, NULL, finish_after_fork);
}

__attribute__((destructor)) static void
end(void)
{
    finish_process();
}
