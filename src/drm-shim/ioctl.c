#include "drm-shim/ioctl.h"

#include "drm-shim/ioctl_table.h"
#include "drm-shim/raw.h"

#include <drm.h>
#include <errno.h>
#include <i915_drm.h>
#include <pthread.h>

/* Indexed by the ioctl's number; the compiler refuses a number twice. */
static const struct {
    const char *name;
    int (*handler)(struct drm_file *file, void *arg);
    uint16_t size_B;
    uint8_t access;
} rows[256] = {
#define X(access, request, function)                                       \
    [_IOC_NR(request)] = {#function, ioctl_##function, _IOC_SIZE(request), \
                          access},
    IOCTL_TABLE(X)
#undef X
};

/* Larger than every struct of the table. */
#define ARGUMENT_MAX_B 256
#define X(access, request, function) \
    _Static_assert(_IOC_SIZE(request) <= ARGUMENT_MAX_B, #function);
IOCTL_TABLE(X)
#undef X

bool
device_ioctl_is_frequent(unsigned long request)
{
    return rows[_IOC_NR(request)].access & IOCTL_FREQUENT;
}

static int
check_access(const struct drm_file *file, unsigned access)
{
    if (file->minor == 128)
        return access & IOCTL_RENDER ? 0 : -EACCES;
    if (access & IOCTL_MASTER && !file->master)
        return -EACCES;
    if (access & IOCTL_AUTH && !file->authenticated)
        return -EACCES;
    return 0;
}

static int
dispatch(struct drm_file *file, uint32_t request, void *arg)
{
    unsigned nr = _IOC_NR(request);
    _Alignas(16) uint8_t buf[ARGUMENT_MAX_B] = {0};
    if (!rows[nr].handler) {
        unimp("drm ioctl %#x (%u bytes)", nr, _IOC_SIZE(request));
        return -EINVAL;
    }
    int err = check_access(file, rows[nr].access);
    if (err)
        return err;
    size_t size_B = MIN2(_IOC_SIZE(request), rows[nr].size_B);
    if (size_B && (uintptr_t)arg < 4096)
        return -EFAULT;
    /* As the kernel does: a shorter struct is an older one and reads as
     * zeros behind its end, a longer one is a newer one. */
    if (size_B)
        memcpy(buf, arg, size_B);
    err = rows[nr].handler(file, buf);
    if (size_B && _IOC_DIR(request) & _IOC_READ)
        memcpy(arg, buf, size_B);
    return err;
}

/* ioctl(2) is no cancellation point, but waiting and printing are: a thread
 * that ends in here would keep our locks. */
int
device_ioctl(struct drm_file *file, unsigned long request, void *arg)
{
    int saved = errno, cancel;
    int ret;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    stats_add(STAT_ioctls, 1);
    if (_IOC_TYPE(request) == 'd')
        ret = dispatch(file, (uint32_t)request, arg);
    else
        ret = -ENOTTY;
    if (trace_on(TRACE_ioctl)) {
        const char *name = rows[_IOC_NR(request)].name;
        log_trace(TRACE_ioctl, "%s(%#lx) = %d", name ? name : "?", request,
                  ret);
    }
    errno = ret < 0 ? -ret : saved;
    pthread_setcancelstate(cancel, NULL);
    return ret < 0 ? -1 : ret;
}
