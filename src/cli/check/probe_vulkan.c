/* probe_vulkan.c: Vulkan, through its loader: fills a buffer on the first Intel
 * device. Structures have the layout of the Vulkan 1.0 specification on x86-64,
 * values are the public headers'. */
#include "cli/check/probe.h"
#include "cli/check/probe_functions.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define INTEL_VENDOR 0x8086
#define COUNT 256
#define PATTERN UINT32_C(0x12345678)

enum {
    VK_TYPE_INSTANCE_INFO = 1,
    VK_TYPE_SUBMIT_INFO = 4,
    VK_TYPE_QUEUE_INFO = 2,
    VK_TYPE_DEVICE_INFO = 3,
    VK_TYPE_MEMORY_INFO = 5,
    VK_TYPE_BUFFER_INFO = 12,
    VK_TYPE_POOL_INFO = 39,
    VK_TYPE_COMMANDS_INFO = 40,
    VK_TYPE_BEGIN_INFO = 42,
    VK_USAGE_TRANSFER_DST = 2,
    VK_HOST_VISIBLE_COHERENT = 2 | 4,
};

struct vk_instance_info {
    uint32_t type;
    const void *next;
    uint32_t flags;
    const void *application;
    uint32_t layer_count;
    const char *const *layers;
    uint32_t extension_count;
    const char *const *extensions;
};

struct vk_properties {
    uint32_t api_version, driver_version, vendor_id, device_id, device_type;
    char name[256];
    unsigned char rest[2048];
};

struct vk_queue_info {
    uint32_t type;
    const void *next;
    uint32_t flags, family, count;
    const float *priorities;
};

struct vk_device_info {
    uint32_t type;
    const void *next;
    uint32_t flags, queue_count;
    const struct vk_queue_info *queues;
    uint32_t layer_count;
    const void *layers;
    uint32_t extension_count;
    const void *extensions;
    const void *features;
};

struct vk_buffer_info {
    uint32_t type;
    const void *next;
    uint32_t flags;
    uint64_t size;
    uint32_t usage, sharing, family_count;
    const void *families;
};

struct vk_requirements {
    uint64_t size, alignment;
    uint32_t type_bits;
};

struct vk_memory_properties {
    uint32_t type_count;
    struct {
        uint32_t flags, heap;
    } types[32];
    uint32_t heap_count;
    struct {
        uint64_t size;
        uint32_t flags;
    } heaps[16];
};

struct vk_memory_info {
    uint32_t type;
    const void *next;
    uint64_t size;
    uint32_t index;
};

struct vk_pool_info {
    uint32_t type;
    const void *next;
    uint32_t flags, family;
};

struct vk_commands_info {
    uint32_t type;
    const void *next;
    uint64_t pool;
    uint32_t level, count;
};

struct vk_begin_info {
    uint32_t type;
    const void *next;
    uint32_t flags;
    const void *inheritance;
};

struct vk_submit_info {
    uint32_t type;
    const void *next;
    uint32_t wait_count;
    const void *waits, *stages;
    uint32_t command_count;
    void *const *commands;
    uint32_t signal_count;
    const void *signals;
};

/* Vulkan 1.0; an int is a VkResult. */
#define VK_FUNCTIONS(X)                                                      \
    X(int, CreateInstance,                                                   \
      (const struct vk_instance_info *, const void *, void **))              \
    X(int, EnumeratePhysicalDevices, (void *, uint32_t *, void **))          \
    X(void, GetPhysicalDeviceProperties, (void *, struct vk_properties *))   \
    X(int, CreateDevice,                                                     \
      (void *, const struct vk_device_info *, void *, void **))              \
    X(void, GetDeviceQueue, (void *, uint32_t, uint32_t, void **))           \
    X(int, CreateBuffer,                                                     \
      (void *, const struct vk_buffer_info *, void *, uint64_t *))           \
    X(void, GetBufferMemoryRequirements,                                     \
      (void *, uint64_t, struct vk_requirements *))                          \
    X(void, GetPhysicalDeviceMemoryProperties,                               \
      (void *, struct vk_memory_properties *))                               \
    X(int, AllocateMemory,                                                   \
      (void *, const struct vk_memory_info *, void *, uint64_t *))           \
    X(int, BindBufferMemory, (void *, uint64_t, uint64_t, uint64_t))         \
    X(int, MapMemory,                                                        \
      (void *, uint64_t, uint64_t, uint64_t, uint32_t, void **))             \
    X(int, CreateCommandPool,                                                \
      (void *, const struct vk_pool_info *, void *, uint64_t *))             \
    X(int, AllocateCommandBuffers,                                           \
      (void *, const struct vk_commands_info *, void **))                    \
    X(int, BeginCommandBuffer, (void *, const struct vk_begin_info *))       \
    X(void, CmdFillBuffer, (void *, uint64_t, uint64_t, uint64_t, uint32_t)) \
    X(int, EndCommandBuffer, (void *))                                       \
    X(int, QueueSubmit,                                                      \
      (void *, uint32_t, const struct vk_submit_info *, uint64_t))           \
    X(int, QueueWaitIdle, (void *))

struct vk {
    VK_FUNCTIONS(PROBE_MEMBER)
    void *physical, *device, *queue;
    uint64_t buffer, memory;
};

static bool
make_device(struct vk *vk)
{
    const float priority = 1;
    struct vk_queue_info queue = {
        .type = VK_TYPE_QUEUE_INFO, .count = 1, .priorities = &priority};
    struct vk_device_info device = {
        .type = VK_TYPE_DEVICE_INFO, .queue_count = 1, .queues = &queue};
    if (vk->CreateDevice(vk->physical, &device, NULL, &vk->device))
        return false;
    vk->GetDeviceQueue(vk->device, 0, 0, &vk->queue);
    return true;
}

static bool
make_buffer(struct vk *vk)
{
    struct vk_buffer_info buffer = {.type = VK_TYPE_BUFFER_INFO,
                                    .size = COUNT * 4,
                                    .usage = VK_USAGE_TRANSFER_DST};
    struct vk_memory_info memory = {.type = VK_TYPE_MEMORY_INFO};
    struct vk_requirements need = {0};
    struct vk_memory_properties p = {0};
    if (vk->CreateBuffer(vk->device, &buffer, NULL, &vk->buffer))
        return false;
    vk->GetBufferMemoryRequirements(vk->device, vk->buffer, &need);
    vk->GetPhysicalDeviceMemoryProperties(vk->physical, &p);
    for (uint32_t i = p.type_count; i-- > 0;)
        if (need.type_bits >> i & 1 &&
            (p.types[i].flags & VK_HOST_VISIBLE_COHERENT) ==
                VK_HOST_VISIBLE_COHERENT)
            memory.index = i;
    memory.size = need.size;
    return !vk->AllocateMemory(vk->device, &memory, NULL, &vk->memory) &&
           !vk->BindBufferMemory(vk->device, vk->buffer, vk->memory, 0);
}

static bool
fill_buffer(struct vk *vk)
{
    void *commands;
    struct vk_pool_info pool = {.type = VK_TYPE_POOL_INFO};
    struct vk_commands_info allocate = {.type = VK_TYPE_COMMANDS_INFO,
                                        .count = 1};
    struct vk_begin_info begin = {.type = VK_TYPE_BEGIN_INFO};
    struct vk_submit_info submit = {
        .type = VK_TYPE_SUBMIT_INFO, .command_count = 1, .commands = &commands};
    if (vk->CreateCommandPool(vk->device, &pool, NULL, &allocate.pool) ||
        vk->AllocateCommandBuffers(vk->device, &allocate, &commands) ||
        vk->BeginCommandBuffer(commands, &begin))
        return false;
    vk->CmdFillBuffer(commands, vk->buffer, 0, COUNT * 4, PATTERN);
    return !vk->EndCommandBuffer(commands) &&
           !vk->QueueSubmit(vk->queue, 1, &submit, 0) &&
           !vk->QueueWaitIdle(vk->queue);
}

/* Fills a buffer and compares it. Returns NULL or an error message. */
static const char *
try_fill(struct vk *vk)
{
    void *data;
    if (!make_device(vk))
        return "no device";
    if (!make_buffer(vk) || !fill_buffer(vk) ||
        vk->MapMemory(vk->device, vk->memory, 0, COUNT * 4, 0, &data))
        return "a fill failed";
    for (unsigned i = 0; i < COUNT; i++)
        if (((uint32_t *)data)[i] != PATTERN)
            return "a fill has wrong values";
    return NULL;
}

int
probe_vulkan(void)
{
    void *lib = dlopen("libvulkan.so.1", RTLD_NOW);
    if (!lib)
        return PROBE_ABSENT;
    struct vk vk = {0};
    if (!PROBE_LOOK_UP(&vk, VK_FUNCTIONS, "vk", dlsym, lib))
        return PROBE_ABSENT;
    struct vk_instance_info info = {.type = VK_TYPE_INSTANCE_INFO};
    void *instance, *devices[16];
    uint32_t count = 16;
    if (vk.CreateInstance(&info, NULL, &instance)) {
        puts("no Vulkan driver");
        return PROBE_ABSENT;
    }
    if (vk.EnumeratePhysicalDevices(instance, &count, devices) < 0 || !count) {
        puts("no Vulkan device");
        return PROBE_FAILED;
    }
    char names[512] = "";
    int status = PROBE_FOREIGN;
    for (uint32_t i = 0; i < count; i++) {
        struct vk_properties p = {0};
        vk.GetPhysicalDeviceProperties(devices[i], &p);
        p.name[sizeof p.name - 1] = 0;
        if (p.vendor_id == INTEL_VENDOR) {
            vk.physical = devices[i];
            const char *why = try_fill(&vk);
            printf("%s, Vulkan %u.%u.%u%s%s\n", p.name, p.api_version >> 22,
                   p.api_version >> 12 & 1023, p.api_version & 4095,
                   why ? ": " : "", why ? why : "");
            return why ? PROBE_FAILED : PROBE_OK;
        }
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                 i ? ", " : "", p.name);
    }
    puts(names);
    return status;
}
