#include "drm-shim/core/client_memory.h"

#include "drm-shim/core/device_state.h"
#include "engine/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE_B 4096
/* From here on one call of the kernel is cheaper than two per page. */
#define MANY_B (4 * PAGE_B)

static size_t
rest_of_page_B(uint64_t at)
{
    return PAGE_B - at % PAGE_B;
}

/* Whether the page of an address is readable. rt_sigprocmask() with an invalid
 * operation reads the mask before it fails, and costs a tenth of
 * process_vm_readv(). */
static bool
is_readable(uint64_t at)
{
    const int no_such_thing = -1;
    return at >= PAGE_B && /* a null mask is not read */
           (syscall(SYS_rt_sigprocmask, no_such_thing, at & ~UINT64_C(7), NULL,
                    sizeof(uint64_t)) == 0 ||
            errno != EFAULT);
}

static bool
write_by_kernel(uint64_t dst, const void *src, size_t size_B)
{
    struct iovec from = {(void *)(uintptr_t)src, size_B};
    struct iovec to = {(void *)(uintptr_t)dst, size_B};
    ssize_t n = process_vm_writev(getpid(), &from, 1, &to, 1, 0);
    return n == (ssize_t)size_B;
}

/* Whether size_B bytes, within a page, are writable; they are about to be
 * overwritten. The kernel writes the old mask there. */
static bool
is_writable(uint64_t at, const void *src, size_t size_B)
{
    if (size_B < sizeof(uint64_t))
        return write_by_kernel(at, src, size_B) || errno == ENOSYS ||
               errno == EPERM;
    return at >= PAGE_B &&
           !syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, at, sizeof(uint64_t));
}

/* Both ends have just been there. If another thread has unmapped one since,
 * the engine's handler ends the copy. */
static bool
copy(void *dst, const void *src, size_t size_B, bool caught)
{
    if (caught || device_engine_if_any())
        return engine_copy(dst, src, size_B);
    memcpy(dst, src, size_B);
    return true;
}

/* Asks for the pages where they may be bad, unless their faults are caught. */
static int
copy_pages(uint64_t dst, uint64_t src, size_t size_B, bool ask_dst,
           bool ask_src)
{
    int saved = errno;
    bool good = dst + size_B >= dst && src + size_B >= src;
    bool caught = engine_catches_faults();
    ask_dst &= !caught;
    ask_src &= !caught;
    while (size_B && good) {
        size_t n = MIN2(rest_of_page_B(dst), rest_of_page_B(src));
        n = caught ? size_B : MIN2(n, size_B);
        const void *from = (const void *)(uintptr_t)src;
        good = (!ask_src || is_readable(src)) &&
               (!ask_dst || is_writable(dst, from, n)) &&
               copy((void *)(uintptr_t)dst, from, n, caught);
        dst += n;
        src += n;
        size_B -= n;
    }
    errno = saved;
    return good ? 0 : -EFAULT;
}

int
client_read(void *dst, uint64_t src, size_t size_B)
{
    return copy_pages((uintptr_t)dst, src, size_B, false, true);
}

int
client_write(uint64_t dst, const void *src, size_t size_B)
{
    return copy_pages(dst, (uintptr_t)src, size_B, true, false);
}

int
client_copy(uint64_t dst, uint64_t src, size_t size_B)
{
    int saved = errno;
    bool done = size_B > MANY_B &&
                write_by_kernel(dst, (void *)(uintptr_t)src, size_B);
    errno = saved;
    return done ? 0 : copy_pages(dst, src, size_B, true, true);
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
