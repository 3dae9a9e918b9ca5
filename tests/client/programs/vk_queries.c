/* vk_queries.c: VK_KHR_performance_query around work whose counts are known.
 *
 * usage: vk_queries
 *
 * Prints how many counters and passes there are, and the value of each counter
 * in each scene: "SCENE/COUNTER VALUE". See run_queries.py. */
#include "../../vk/vk.h"

#include "vk_queries_shaders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 128
#define GROUPS 16

struct counters {
    uint32_t count;
    VkPerformanceCounterKHR *counter;
    VkPerformanceCounterDescriptionKHR *text;
    VkQueryPool pool;
    uint32_t passes;
};

static PFN_vkVoidFunction
instance_proc(const struct vk *vk, const char *name)
{
    PFN_vkVoidFunction f = vkGetInstanceProcAddr(vk->instance, name);
    if (!f)
        vk_die("no %s", name);
    return f;
}

static void
find_counters(const struct vk *vk, struct counters *c)
{
    PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR list =
        (void *)instance_proc(
            vk, "vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCounters"
                "KHR");
    VK(list(vk->physical, 0, &c->count, NULL, NULL));
    c->counter = calloc(c->count, sizeof *c->counter);
    c->text = calloc(c->count, sizeof *c->text);
    for (uint32_t i = 0; i < c->count; i++) {
        c->counter[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR;
        c->text[i]
            .sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_DESCRIPTION_KHR;
    }
    VK(list(vk->physical, 0, &c->count, c->counter, c->text));
}

/* A pool of one query of all counters. */
static void
make_pool(const struct vk *vk, struct counters *c)
{
    PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR passes =
        (void *)instance_proc(
            vk, "vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR");
    uint32_t *all = calloc(c->count, sizeof *all);
    for (uint32_t i = 0; i < c->count; i++)
        all[i] = i;
    VkQueryPoolPerformanceCreateInfoKHR which = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
        .counterIndexCount = c->count,
        .pCounterIndices = all};
    VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .pNext = &which,
        .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR,
        .queryCount = 1};
    passes(vk->physical, &which, &c->passes);
    VK(vkCreateQueryPool(vk->device, &info, NULL, &c->pool));
    free(all);
}

static void
submit(const struct vk *vk, uint32_t pass)
{
    VkPerformanceQuerySubmitInfoKHR which = {
        .sType = VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR,
        .counterPassIndex = pass};
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .pNext = &which,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &vk->cmd};
    VK(vkQueueSubmit(vk->queue, 1, &info, VK_NULL_HANDLE));
    VK(vkQueueWaitIdle(vk->queue));
}

static double
value_of(VkPerformanceCounterStorageKHR storage,
         const VkPerformanceCounterResultKHR *r)
{
    switch (storage) {
    case VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR: return r->int32;
    case VK_PERFORMANCE_COUNTER_STORAGE_INT64_KHR: return (double)r->int64;
    case VK_PERFORMANCE_COUNTER_STORAGE_UINT32_KHR: return r->uint32;
    case VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR: return (double)r->uint64;
    case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR: return (double)r->float32;
    default: return r->float64;
    }
}

/* Runs what is recorded once for each pass, and prints the counters. */
static void
run(struct vk *vk, const struct counters *c, const char *scene)
{
    VkPerformanceCounterResultKHR *results = calloc(c->count, sizeof *results);
    VK(vkEndCommandBuffer(vk->cmd));
    for (uint32_t i = 0; i < c->passes; i++)
        submit(vk, i);
    VK(vkGetQueryPoolResults(
        vk->device, c->pool, 0, 1, c->count * sizeof *results, results,
        c->count * sizeof *results, VK_QUERY_RESULT_WAIT_BIT));
    for (uint32_t i = 0; i < c->count; i++)
        printf("%s/%s %.6g\n", scene, c->text[i].name,
               value_of(c->counter[i].storage, &results[i]));
    free(results);
    VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VK(vkBeginCommandBuffer(vk->cmd, &info));
    vkCmdResetQueryPool(vk->cmd, c->pool, 0, 1);
    vk_finish(vk);
}

static void
begin(const struct vk *vk, const struct counters *c)
{
    vkCmdBeginQuery(vk->cmd, c->pool, 0, 0);
}

static void
end(const struct vk *vk, const struct counters *c)
{
    vk_barrier(vk);
    vkCmdEndQuery(vk->cmd, c->pool, 0);
}

int
main(void)
{
    struct vk vk;
    struct counters c = {0};
    vk_open(&vk, VK_OPEN_COUNTERS);
    find_counters(&vk, &c);
    make_pool(&vk, &c);
    printf("%u counters, %u passes\n", c.count, c.passes);
    PFN_vkAcquireProfilingLockKHR lock = (void *)vk_proc(
        &vk, "vkAcquireProfilingLockKHR");
    PFN_vkReleaseProfilingLockKHR unlock = (void *)vk_proc(
        &vk, "vkReleaseProfilingLockKHR");
    VkAcquireProfilingLockInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR,
        .timeout = UINT64_MAX};
    VK(lock(vk.device, &info));
    vkCmdResetQueryPool(vk.cmd, c.pool, 0, 1);
    vk_finish(&vk);

    struct vk_buffer buffer = vk_buffer(&vk, 4 + 64 * GROUPS * 4, NULL);
    struct vk_binding binding = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                 .buffer = &buffer};
    struct vk_layout layout = vk_layout(&vk, &binding, 1);
    VkPipeline pipeline = vk_compute(&vk, &layout, &group_comp, NULL);
    begin(&vk, &c);
    vk_dispatch(&vk, &layout, pipeline, GROUPS, 1, 1);
    end(&vk, &c);
    run(&vk, &c, "groups");
    /* Half of the numbers are odd, in each pass. */
    printf("sum %u\n", *(const uint32_t *)buffer.map);

    struct vk_image target = {
        .format = VK_FORMAT_R8G8B8A8_UNORM, .width = SIZE, .height = SIZE};
    vk_image(&vk, &target);
    struct vk_layout none = vk_layout(&vk, NULL, 0);
    struct vk_graphics g = {.shaders = {&full_vert, &plain_frag},
                            .colors = 1,
                            .color = {target.format}};
    VkPipeline graphics = vk_graphics(&vk, &none, &g);
    struct vk_rendering rendering = {
        .colors = 1,
        .color = {{.image = &target, .load = VK_ATTACHMENT_LOAD_OP_DONT_CARE}}};
    vk_to(&vk, &target, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    vk_finish(&vk);
    begin(&vk, &c);
    vk_begin(&vk, &rendering);
    vk_bind(&vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &none, graphics);
    vkCmdDraw(vk.cmd, 3, 1, 0, 0);
    vk_end(&vk);
    end(&vk, &c);
    run(&vk, &c, "triangle");
    unlock(vk.device);
    return 0;
}
