/* The device: everything that it offers is enabled. */
#include "vk.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those that the scenes use, enabled where they are offered. */
static const char *const extensions[] = {
    VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
    VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
    VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
    VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
    VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME,
    VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME,
    VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
};

void
vk_die(const char *format, ...)
{
    va_list list;
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(1);
}

void
vk_need(bool offered, const char *what)
{
    if (offered)
        return;
    fprintf(stderr, "%s: the device does not offer %s\n",
            program_invocation_short_name, what);
    exit(VK_STATUS_UNSUPPORTED);
}

void
vk_check(VkResult result, const char *call)
{
    if (result)
        vk_die("%d: %.60s", result, call);
}

bool
vk_has_extension(const struct vk *vk, const char *name)
{
    static VkExtensionProperties all[512];
    uint32_t count = VK_COUNT(all);
    VkResult r = vkEnumerateDeviceExtensionProperties(vk->physical, NULL,
                                                      &count, all);
    if (r && r != VK_INCOMPLETE)
        vk_check(r, "extensions");
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(all[i].extensionName, name))
            return true;
    return false;
}

PFN_vkVoidFunction
vk_proc(const struct vk *vk, const char *name)
{
    PFN_vkVoidFunction f = vkGetDeviceProcAddr(vk->device, name);
    if (!f)
        vk_die("no %s", name);
    return f;
}

static void
choose_device(struct vk *vk)
{
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &app};
    VK(vkCreateInstance(&info, NULL, &vk->instance));
    uint32_t count = 1;
    VkResult r = vkEnumeratePhysicalDevices(vk->instance, &count,
                                            &vk->physical);
    if ((r && r != VK_INCOMPLETE) || count != 1)
        vk_die("no device (%d)", r);
    vkGetPhysicalDeviceProperties(vk->physical, &vk->properties);
}

/* Puts a structure of an extension's features into the chain. */
static void
chain(VkPhysicalDeviceFeatures2 *core, void *structure)
{
    VkBaseOutStructure *s = structure;
    s->pNext = core->pNext;
    core->pNext = s;
}

static void
ask_features(struct vk *vk, unsigned flags)
{
    struct vk_features *f = &vk->features;
    f->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    f->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    f->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    f->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    chain(&f->core, &f->v11);
    chain(&f->core, &f->v12);
    chain(&f->core, &f->v13);
    f->feedback.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT;
    f->conditional.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT;
    if (vk_has_extension(vk, VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME))
        chain(&f->core, &f->feedback);
    if (vk_has_extension(vk, VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME))
        chain(&f->core, &f->conditional);
    f->counters.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR;
    if (flags & VK_OPEN_COUNTERS)
        chain(&f->core, &f->counters);
    vkGetPhysicalDeviceFeatures2(vk->physical, &f->core);
    /* Bounds checks make other shaders; the scene that wants them asks. */
    if (!(flags & VK_OPEN_ROBUST)) {
        f->core.features.robustBufferAccess = VK_FALSE;
        f->v13.robustImageAccess = VK_FALSE;
    }
    f->v12.bufferDeviceAddressCaptureReplay = VK_FALSE;
}

static void
create_device(struct vk *vk, unsigned flags)
{
    const char *names[VK_COUNT(extensions) + 1];
    uint32_t count = 0;
    if (flags & VK_OPEN_COUNTERS)
        names[count++] = VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME;
    for (uint32_t i = 0; i < VK_COUNT(extensions); i++)
        if (vk_has_extension(vk, extensions[i]))
            names[count++] = extensions[i];
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueCount = 1,
        .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &vk->features.core,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = count,
                               .ppEnabledExtensionNames = names};
    VK(vkCreateDevice(vk->physical, &info, NULL, &vk->device));
    vkGetDeviceQueue(vk->device, 0, 0, &vk->queue);
}

static void
create_pools(struct vk *vk)
{
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    VK(vkCreateCommandPool(vk->device, &pool, NULL, &vk->pool));
    static const VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_SAMPLER, 64},
        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 256},
        {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 64},
        {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 64},
        {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 16},
        {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 16},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 64},
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 256},
        {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 16},
    };
    VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .flags = vk->features.v12.descriptorIndexing
                     ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT
                     : 0,
        .maxSets = 128,
        .poolSizeCount = VK_COUNT(sizes),
        .pPoolSizes = sizes};
    VK(vkCreateDescriptorPool(vk->device, &info, NULL, &vk->descriptors));
}

static void
begin_commands(struct vk *vk)
{
    VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VK(vkBeginCommandBuffer(vk->cmd, &info));
}

void
vk_open(struct vk *vk, unsigned flags)
{
    memset(vk, 0, sizeof *vk);
    choose_device(vk);
    if (flags & VK_OPEN_COUNTERS)
        vk_need(vk_has_extension(vk, VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME),
                "performance counters");
    ask_features(vk, flags);
    create_device(vk, flags);
    create_pools(vk);
    VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = vk->pool,
        .commandBufferCount = 1};
    VK(vkAllocateCommandBuffers(vk->device, &info, &vk->cmd));
    begin_commands(vk);
}

void
vk_barrier(const struct vk *vk)
{
    VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                           .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                           .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT |
                                            VK_ACCESS_MEMORY_WRITE_BIT |
                                            VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(vk->cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT |
                             VK_PIPELINE_STAGE_HOST_BIT,
                         0, 1, &all, 0, NULL, 0, NULL);
}

void
vk_finish(struct vk *vk)
{
    vk_barrier(vk);
    VK(vkEndCommandBuffer(vk->cmd));
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &vk->cmd};
    VK(vkQueueSubmit(vk->queue, 1, &info, VK_NULL_HANDLE));
    VK(vkQueueWaitIdle(vk->queue));
    begin_commands(vk);
}
