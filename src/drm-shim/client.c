#include "drm-shim/client.h"

#include "drm-shim/device.h"
#include "engine/engine.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE_B 4096

/* Seccomp filters of containers may refuse the call that checks. */
static int
copied(ssize_t n, size_t size_B, void *dst, const void *src)
{
    if (n == (ssize_t)size_B)
        return 0;
    if (n < 0 && (errno == ENOSYS || errno == EPERM)) {
        memcpy(dst, src, size_B);
        return 0;
    }
    return -EFAULT;
}

/* Whether the page of that address can be read. The kernel fetches the mask
 * before it refuses what is to be done with it: a tenth of the cost of
 * process_vm_readv(). */
static bool
is_readable(uintptr_t at)
{
    const int no_such_thing = -1;
    return syscall(SYS_rt_sigprocmask, no_such_thing, at & ~(uintptr_t)7, NULL,
                   sizeof(uint64_t)) == 0 ||
           errno != EFAULT;
}

int
client_read(void *dst, uint64_t src, size_t size_B)
{
    if (!size_B)
        return 0;
    uintptr_t at = (uintptr_t)src, last = at + size_B - 1;
    /* At address 0 the probe would mean something else. */
    if (at < PAGE_B || last < at)
        return -EFAULT;
    if (size_B <= PAGE_B && device_engine_if_any())
        return engine_copy(dst, (const void *)at, size_B) ? 0 : -EFAULT;
    int saved = errno;
    bool readable = is_readable(at);
    for (uintptr_t page = at / PAGE_B + 1; readable && page <= last / PAGE_B;
         page++)
        readable = is_readable(page * PAGE_B);
    errno = saved;
    if (!readable)
        return -EFAULT;
    memcpy(dst, (const void *)at, size_B);
    return 0;
}

int
client_write(uint64_t dst, const void *src, size_t size_B)
{
    if (!size_B)
        return 0;
    struct iovec from = {(void *)(uintptr_t)src, size_B};
    struct iovec to = {(void *)(uintptr_t)dst, size_B};
    ssize_t n = process_vm_writev(getpid(), &from, 1, &to, 1, 0);
    return copied(n, size_B, to.iov_base, src);
}

void *
client_read_array(uint64_t src, uint64_t count, size_t element_B, int *err)
{
    if (count > (UINT64_C(1) << 20)) {
        *err = -EINVAL;
        return NULL;
    }
    void *p = calloc(count ? count : 1, element_B);
    *err = p ? client_read(p, src, (size_t)count * element_B) : -ENOMEM;
    if (*err) {
        free(p);
        return NULL;
    }
    return p;
}

void *
client_read_list(uint64_t src, uint64_t count, size_t element_B, void *few,
                 size_t few_B, int *err)
{
    if (!count || count > few_B / element_B)
        return client_read_array(src, count, element_B, err);
    *err = client_read(few, src, (size_t)count * element_B);
    return *err ? NULL : few;
}

void
client_list_free(void *list, void *few)
{
    if (list != few)
        free(list);
}
