/* strict_vk.c: fills a buffer on a Vulkan device of a type ("gpu" or "cpu"),
 * and frees everything. usage: strict_vk gpu|cpu [COUNT]
 *
 * COUNT: all of as many devices at the same time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define COUNT 1024

static void
check(VkResult result, const char *what)
{
    if (result == VK_SUCCESS)
        return;
    fprintf(stderr, "strict_vk: %s: %d\n", what, result);
    exit(3);
}

struct rig {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkBuffer buffer;
    VkDeviceMemory memory;
};

static void
choose_device(struct rig *r, int cpu)
{
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkPhysicalDevice all[16];
    uint32_t count = 16;
    check(vkCreateInstance(&info, NULL, &r->instance), "instance");
    vkEnumeratePhysicalDevices(r->instance, &count, all);
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties p;
        vkGetPhysicalDeviceProperties(all[i], &p);
        if ((p.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) == cpu) {
            r->physical = all[i];
            fprintf(stderr, "%s\n", p.deviceName);
            return;
        }
    }
    check(VK_ERROR_INITIALIZATION_FAILED, "no such device");
}

static void
make_device(struct rig *r)
{
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueCount = 1,
        .pQueuePriorities = &priority};
    VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queue};
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    check(vkCreateDevice(r->physical, &device, NULL, &r->device), "device");
    vkGetDeviceQueue(r->device, 0, 0, &r->queue);
    check(vkCreateCommandPool(r->device, &pool, NULL, &r->pool), "pool");
}

static uint32_t
visible_memory(const struct rig *r, uint32_t bits)
{
    VkPhysicalDeviceMemoryProperties p;
    const VkMemoryPropertyFlags want = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    vkGetPhysicalDeviceMemoryProperties(r->physical, &p);
    for (uint32_t i = 0; i < p.memoryTypeCount; i++)
        if (bits >> i & 1 && (p.memoryTypes[i].propertyFlags & want) == want)
            return i;
    return 0;
}

static void
make_buffer(struct rig *r)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = COUNT * 4,
                               .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements need;
    check(vkCreateBuffer(r->device, &info, NULL, &r->buffer), "buffer");
    vkGetBufferMemoryRequirements(r->device, r->buffer, &need);
    VkMemoryAllocateInfo memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = need.size,
        .memoryTypeIndex = visible_memory(r, need.memoryTypeBits)};
    check(vkAllocateMemory(r->device, &memory, NULL, &r->memory), "memory");
    check(vkBindBufferMemory(r->device, r->buffer, r->memory, 0), "bind");
}

static void
fill_buffer(struct rig *r)
{
    VkCommandBuffer cmd;
    VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = r->pool,
        .commandBufferCount = 1};
    VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &cmd};
    check(vkAllocateCommandBuffers(r->device, &allocate, &cmd), "commands");
    vkBeginCommandBuffer(cmd, &begin);
    vkCmdFillBuffer(cmd, r->buffer, 0, VK_WHOLE_SIZE, 0x12345678);
    check(vkEndCommandBuffer(cmd), "end");
    check(vkQueueSubmit(r->queue, 1, &submit, VK_NULL_HANDLE), "submit");
    check(vkQueueWaitIdle(r->queue), "wait");
}

static void
check_values(const struct rig *r)
{
    void *data;
    check(vkMapMemory(r->device, r->memory, 0, VK_WHOLE_SIZE, 0, &data), "map");
    for (unsigned i = 0; i < COUNT; i++)
        if (((uint32_t *)data)[i] != 0x12345678)
            check(VK_INCOMPLETE, "wrong value");
}

static void
free_all(const struct rig *r)
{
    vkDestroyBuffer(r->device, r->buffer, NULL);
    vkFreeMemory(r->device, r->memory, NULL);
    vkDestroyCommandPool(r->device, r->pool, NULL);
    vkDestroyDevice(r->device, NULL);
}

int
main(int argc, char **argv)
{
    struct rig first;
    int count = argc > 2 ? atoi(argv[2]) : 1;
    struct rig *r = calloc((size_t)count, sizeof *r);
    if (!r)
        return 3;
    choose_device(&first, argc > 1 && !strcmp(argv[1], "cpu"));
    for (int i = 0; i < count; i++) {
        r[i] = first;
        make_device(&r[i]);
        make_buffer(&r[i]);
        fill_buffer(&r[i]);
    }
    for (int i = 0; i < count; i++) {
        check_values(&r[i]);
        free_all(&r[i]);
    }
    vkDestroyInstance(first.instance, NULL);
    puts("drawn");
    return 0;
}
