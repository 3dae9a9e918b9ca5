/* Arguments made of small numbers, extremes and pointers into one page of the
 * same stuff, for every ioctl that cannot wait for ever. The library must
 * answer with a number; what it does is not looked at. */
#include "shim_rig.h"

#include "base/base.h"
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "drm-shim/ioctl/ioctl_table.h"

#include <drm_mode.h>

static const unsigned long requests[] = {
#define X(access, request, function) request,
    IOCTL_TABLE(X)
#undef X
};

static uint64_t state;

static uint32_t
next(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 33);
}

static bool
may_block(unsigned long request)
{
    switch (request) {
    case DRM_IOCTL_SYNCOBJ_WAIT:
    case DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT:
    case DRM_IOCTL_SYNCOBJ_TRANSFER:
    case DRM_IOCTL_WAIT_VBLANK: return true;
    default: return false;
    }
}

static void
fill(uint64_t *words, size_t count, uint64_t *page)
{
    static const uint64_t palette[] = {
        0,          0,          1,          2,       3,          4,
        8,          31,         41,         61,      62,         128,
        201,        202,        4096,       65536,   0x100000,   0xfffffff8,
        UINT32_MAX, UINT64_MAX, 1ull << 32, 1 << 30, 1ull << 47, 0xfffff000,
    };
    for (size_t i = 0; i < count; i++) {
        uint32_t r = next();
        uint64_t lo = palette[r % ARRAY_SIZE(palette)];
        uint64_t hi = palette[(r >> 8) % ARRAY_SIZE(palette)];
        switch (r >> 29) {
        case 0: words[i] = (uintptr_t)page + (r >> 3) % 4096; break;
        case 1:
        case 2: words[i] = 0; break;
        case 3: words[i] = (r >> 8) % 8; break;
        case 4: words[i] = lo; break;
        case 5: words[i] = (r >> 8) % 8 | (uint64_t)(r >> 11) % 8 << 32; break;
        default: words[i] = (uint32_t)lo | hi << 32; break;
        }
    }
}

static void
fuzz(int minor, uint64_t seed)
{
    /* Descriptors that get handed out are not closed. */
    struct rig rig = rig_open(minor);
    /* Answers may be longer than the page: nothing must be behind it. */
    uint64_t *page = mmap(NULL, 1 << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                          -1, 0);
    mprotect(page, 8192, PROT_READ | PROT_WRITE);
    uint64_t arg[64];
    struct drm_set_client_cap cap = {DRM_CLIENT_CAP_ATOMIC, 1};
    rig_ioctl(&rig, DRM_IOCTL_SET_CLIENT_CAP, &cap);
    for (int i = 0; i < 4; i++) {
        rig_create(&rig, 16384);
        rig_syncobj(&rig, 0);
    }
    state = seed;
    for (int i = 0; i < 6000; i++) {
        unsigned long request = requests[next() % ARRAY_SIZE(requests)];
        if (may_block(request))
            continue;
        fill(page, 512, page);
        fill(arg, ARRAY_SIZE(arg), page);
        cr_assert_gt(rig_ioctl(&rig, request, arg), -4096);
        if (next() % 16 == 0)
            for (int fd = 600; fd < 900; fd++)
                close(fd);
    }
}

Test(fuzz, card, .timeout = 60)
{
    fuzz(0, 1);
}

Test(fuzz, card_again, .timeout = 60)
{
    fuzz(0, 2);
}

Test(fuzz, render_node, .timeout = 60)
{
    fuzz(128, 3);
}

Test(fuzz, render_node_with_worker, .timeout = 60)
{
    setenv("SOFTLAKE_THREADS", "1", 1);
    fuzz(128, 4);
}
