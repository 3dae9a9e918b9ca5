#include "drm-shim/ioctl/ioctl.h"

#include "base/own_stack.h"
#include "base/refusal.h"
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "drm-shim/kms/kms.h"
#include "drm-shim/core/core.h"

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
                          IOCTL_ACCESS_##access},
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
ioctl_is_frequent(unsigned long request)
{
    return rows[_IOC_NR(request)].access & IOCTL_FREQUENT;
}

static int
check_access(const struct drm_file *file, unsigned access)
{
    if (file->minor == 128)
        return access & IOCTL_RENDER ? 0 : -EACCES;
    if (access & IOCTL_MASTER && !lease_is_master(file))
        return -EACCES;
    if (access & IOCTL_AUTH && !file->authenticated)
        return -EACCES;
    return 0;
}

/* Reports a refused call: a driver may silently fall back to software after
 * it. */
static void
report_refusal(unsigned nr, int err)
{
    static struct log_site sites[ARRAY_SIZE(rows)];
    if (err == -ENOMEM || err == -EMFILE || err == -ENFILE ||
        err == -ETOOMANYREFS)
        log_refusal(&sites[nr],
                    "the driver's %s failed (%s): it may fall back to software",
                    rows[nr].name, strerror(-err));
}

/* Arguments are usually on the page of the caller's frame, which is there. */
static bool
is_near(const void *frame, const void *arg, size_t size_B)
{
    const uintptr_t page = ~(uintptr_t)4095, at = (uintptr_t)arg;
    return size_B && (at & page) == ((uintptr_t)frame & page) &&
           ((at + size_B - 1) & page) == (at & page);
}

static int
call_handler(struct drm_file *file, uint32_t request, void *arg)
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
    bool near = is_near(own_stack_outside(), arg, size_B);
    /* Like the kernel, accepts a shorter (older) struct, whose rest reads as
     * zero, and a longer (newer) one. */
    if (near)
        memcpy(buf, arg, size_B);
    else
        err = client_read(buf, (uintptr_t)arg, size_B);
    if (!err)
        err = lease_check(file, nr, buf);
    if (err)
        return err;
    err = rows[nr].handler(file, buf);
    if (err < 0)
        report_refusal(nr, err);
    if (!(_IOC_DIR(request) & _IOC_READ))
        return err;
    if (near)
        memcpy(arg, buf, size_B);
    else if (client_write((uintptr_t)arg, buf, size_B))
        return -EFAULT;
    return err;
}

/* Disables cancellation: ioctl(2) is no cancellation point, but waiting and
 * printing are. A thread cancelled here would keep the locks of the library. */
int
ioctl_run(struct drm_file *file, unsigned long request, void *arg)
{
    int saved = errno, cancel;
    int ret;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    stats_add(STAT_ioctls, 1);
    if (_IOC_TYPE(request) == 'd')
        ret = call_handler(file, (uint32_t)request, arg);
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
