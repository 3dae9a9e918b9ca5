/* user_signal.c: a client polls a value that its batch writes at the end: what
 * the batch has written into the client's private memory (userptr) is there,
 * too. OpenCL waits in this way. */
#include "commands.h"

#include <stddef.h>
#include <sys/mman.h>

#define USER_VA UINT64_C(0x30000000)
#define USER_B (UINT64_C(32) << 20) /* copying it takes milliseconds */
#define ROUNDS 20

static uint32_t
make_user(int fd, void *memory)
{
    struct drm_i915_gem_userptr u = {.user_ptr = (uintptr_t)memory,
                                     .user_size = USER_B};
    return call(fd, DRM_IOCTL_I915_GEM_USERPTR, &u) ? 0 : u.handle;
}

static int
submit(int fd, uint32_t context, uint32_t commands, uint32_t tag, uint32_t user)
{
    struct drm_i915_gem_exec_object2 o[3] = {
        {.handle = commands, .offset = COMMANDS_VA},
        {.handle = tag, .offset = OTHER_VA, .flags = EXEC_OBJECT_WRITE},
        {.handle = user, .offset = USER_VA, .flags = EXEC_OBJECT_WRITE}};
    for (unsigned i = 0; i < 3; i++)
        o[i].flags |= EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
    struct drm_i915_gem_execbuffer2 eb = {.buffers_ptr = (uintptr_t)o,
                                          .buffer_count = 3,
                                          .flags = I915_EXEC_RENDER |
                                                   I915_EXEC_BATCH_FIRST,
                                          .rsvd1 = context};
    return call(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
}

/* PIPE_CONTROL with a post-sync write of an immediate. */
static uint32_t *
put_signal(uint32_t *dw, uint64_t va, uint32_t value)
{
    *dw++ = 0x7a000004;
    *dw++ = 0x00104000;
    *dw++ = (uint32_t)va;
    *dw++ = (uint32_t)(va >> 32);
    *dw++ = value;
    *dw++ = 0;
    return dw;
}

int
main(void)
{
    int fd = open_render();
    uint32_t context = context_create(fd), tag = bo_create(fd, 4096);
    volatile uint32_t *seen = bo_map(fd, tag, 4096);
    volatile uint32_t *memory = mmap(NULL, USER_B, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t user = make_user(fd, (void *)(uintptr_t)memory);
    const unsigned last = USER_B / 4 - 1;
    unsigned early = 0, failed = !user;
    for (uint32_t n = 1; n <= ROUNDS && !failed; n++) {
        uint32_t commands = bo_create(fd, 4096);
        uint32_t *dw = bo_map(fd, commands, 4096), *map = dw;
        dw = put_store(dw, USER_VA + last * 4, n);
        put_end(put_signal(dw, OTHER_VA, n));
        failed |= submit(fd, context, commands, tag, user) != 0;
        int64_t limit_ms = now_ms() + 20000;
        while (!failed && *seen != n)
            failed |= now_ms() > limit_ms;
        early += memory[last] != n;
        bo_wait(fd, commands, 20000);
        munmap(map, 4096);
        bo_close(fd, commands);
    }
    ok(!failed, "batches write into private memory and signal");
    ok(!early, "the results are there when the signal is (%u of %u late)",
       early, ROUNDS);
    return done_testing();
}
