/* fuzz_engine.c: see fuzz_engine.h. */
#include "fuzz_engine.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct fuzz_engine
fuzz_engine_create(const struct engine_config *config, uint64_t va,
                   uint32_t size_B)
{
    struct fuzz_engine f;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    log_init();
    f.engine = engine_create(config);
    f.vm = f.engine ? engine_vm_create(f.engine) : NULL;
    if (!f.vm || fd < 0 || ftruncate(fd, size_B) ||
        engine_vm_map(f.vm, va, size_B, fd, 0))
        abort();
    f.mem = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (f.mem == MAP_FAILED)
        abort();
    return f;
}
