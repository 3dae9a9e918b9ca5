/* exec_mem.c: memory that is written once and then executed.
 *
 * Private anonymous pages, never writable and executable at once, so a fork
 * of the application keeps its own. The sum is bounded; kernels that find no
 * room are interpreted. Any thread. */
#include "eu/jit/compile.h"

#include <sys/mman.h>

#define MAX_CODE_B ((size_t)256 << 20)
#define PAGE_B 4096u

static atomic_size_t used_B;

void *
eu_exec_publish(const void *code, size_t size_B)
{
    size_t map_B = ALIGN_POT(size_B, PAGE_B);
    if (atomic_fetch_add(&used_B, map_B) + map_B > MAX_CODE_B) {
        atomic_fetch_sub(&used_B, map_B);
        return NULL;
    }
    void *p = mmap(NULL, map_B, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        atomic_fetch_sub(&used_B, map_B);
        return NULL;
    }
    memcpy(p, code, size_B);
    if (mprotect(p, map_B, PROT_READ | PROT_EXEC)) {
        eu_exec_release(p, size_B);
        return NULL;
    }
    return p;
}

void
eu_exec_release(void *code, size_t size_B)
{
    size_t map_B = ALIGN_POT(size_B, PAGE_B);
    munmap(code, map_B);
    atomic_fetch_sub(&used_B, map_B);
}
