/* many_vms.c: 1,000 address spaces alive, each used by a batch; then many that
 * live one after the other, and files that are closed after one batch. */
#include "raw.h"

#define ALIVE 1000
#define CYCLES 1500

static uint32_t
create_vm(int fd)
{
    struct drm_i915_gem_vm_control vm = {0};
    return ioctl(fd, DRM_IOCTL_I915_GEM_VM_CREATE, &vm) ? 0 : vm.vm_id;
}

static int
destroy_vm(int fd, uint32_t id)
{
    struct drm_i915_gem_vm_control vm = {.vm_id = id};
    return ioctl(fd, DRM_IOCTL_I915_GEM_VM_DESTROY, &vm) ? -errno : 0;
}

/* Runs a batch in the address space. 0 or -errno. */
static int
use_vm(int fd, uint32_t vm, uint32_t value)
{
    uint32_t context = raw_context(fd);
    struct drm_i915_gem_context_param p = {
        .ctx_id = context, .param = I915_CONTEXT_PARAM_VM, .value = vm};
    if (!context || ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p))
        return -errno;
    int err = raw_use(fd, context, value);
    raw_context_end(fd, context);
    return err;
}

int
main(void)
{
    static uint32_t vms[ALIVE];
    int fd = raw_open(), err = 0;
    unsigned n = 0;
    while (n < ALIVE && (vms[n] = create_vm(fd)))
        n++;
    printf("# %u address spaces\n", n);
    raw_ok(n == ALIVE, "1000 address spaces at a time");
    for (unsigned i = 0; i < n && !err; i++)
        err = use_vm(fd, vms[i], i);
    raw_ok(!err, "each executes");
    for (unsigned i = 0; i < n; i++)
        err |= destroy_vm(fd, vms[i]);
    raw_ok(!err, "each is given back");
    for (unsigned i = 0; i < CYCLES && !err; i++) {
        uint32_t vm = create_vm(fd);
        err = vm ? use_vm(fd, vm, i) : -errno;
        destroy_vm(fd, vm);
    }
    raw_ok(!err, "one after the other");
    for (unsigned i = 0; i < CYCLES && !err; i++) {
        int own = raw_open();
        err = raw_use(own, 0, i);
        close(own);
    }
    raw_ok(!err, "files one after the other");
    if (err)
        printf("# %s\n", strerror(-err));
    return raw_end();
}
