/* vk_scenes_sync.c: timeline semaphores, events, fences; queries of samples,
 * statistics, time. */
#include "vk_scene.h"

#include <string.h>
#include <time.h>

#include "vk_scenes_sync_shaders.h"

enum { VALUES = 256, STEPS = 12 };

struct stepping {
    struct vk_buffer values;
    struct vk_layout layout;
    VkPipeline pipeline;
};

static struct stepping
open_stepping(struct vk *vk)
{
    struct stepping s = {.values = vk_buffer(vk, VALUES * 4, NULL)};
    const struct vk_binding b = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                 .buffer = &s.values};
    s.layout = vk_layout(vk, &b, 1);
    s.pipeline = vk_compute(vk, &s.layout, &step_comp, NULL);
    return s;
}

/* Records one step into a command buffer of its own. */
static VkCommandBuffer
record_step(struct vk *vk, const struct stepping *s, uint32_t n)
{
    VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = vk->pool,
        .commandBufferCount = 1};
    VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    struct vk one = *vk;
    VK(vkAllocateCommandBuffers(vk->device, &allocate, &one.cmd));
    VK(vkBeginCommandBuffer(one.cmd, &begin));
    vk_barrier(&one);
    vk_push(&one, &s->layout, &n, sizeof n);
    vk_dispatch(&one, &s->layout, s->pipeline, VALUES / 64, 1, 1);
    VK(vkEndCommandBuffer(one.cmd));
    return one.cmd;
}

static void
check_steps(const struct stepping *s, uint32_t steps, uint8_t *rgba)
{
    const uint32_t *got = s->values.map;
    for (uint32_t i = 0; i < VALUES; i++) {
        uint32_t want = 0;
        for (uint32_t n = 0; n < steps; n++)
            want = want * 5 + n + i;
        if (got[i] != want)
            vk_die("value %u is %x, not %x", i, got[i], want);
    }
    memcpy(rgba, got, VALUES * 4);
}

static VkSemaphore
timeline(const struct vk *vk, uint64_t value)
{
    VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
        .initialValue = value};
    VkSemaphoreCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkSemaphore s;
    VK(vkCreateSemaphore(vk->device, &info, NULL, &s));
    return s;
}

static uint64_t
timeline_value(const struct vk *vk, VkSemaphore s)
{
    uint64_t value;
    VK(vkGetSemaphoreCounterValue(vk->device, s, &value));
    return value;
}

static VkResult
wait_timeline(const struct vk *vk, VkSemaphore s, uint64_t value,
              uint64_t timeout_ns)
{
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &s,
                                .pValues = &value};
    return vkWaitSemaphores(vk->device, &info, timeout_ns);
}

/* A chain of submissions, each of which waits for a value and signals the
 * next; nothing runs before the host signals the first. */
static void
sync_timeline(struct vk *vk, uint8_t *rgba)
{
    vk_need(vk->features.v12.timelineSemaphore, "timeline semaphores");
    struct stepping s = open_stepping(vk);
    VkSemaphore line = timeline(vk, 3);
    for (uint32_t n = 0; n < STEPS; n++) {
        VkCommandBuffer cmd = record_step(vk, &s, n);
        const uint64_t before = 10 + n * 10, after = before + 10;
        VkTimelineSemaphoreSubmitInfo values = {
            .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
            .waitSemaphoreValueCount = 1,
            .pWaitSemaphoreValues = &before,
            .signalSemaphoreValueCount = 1,
            .pSignalSemaphoreValues = &after};
        VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .pNext = &values,
                             .waitSemaphoreCount = 1,
                             .pWaitSemaphores = &line,
                             .pWaitDstStageMask = &stage,
                             .commandBufferCount = 1,
                             .pCommandBuffers = &cmd,
                             .signalSemaphoreCount = 1,
                             .pSignalSemaphores = &line};
        VK(vkQueueSubmit(vk->queue, 1, &info, VK_NULL_HANDLE));
    }
    if (timeline_value(vk, line) != 3 ||
        wait_timeline(vk, line, 20, 20000000) != VK_TIMEOUT ||
        *(const uint32_t *)s.values.map)
        vk_die("something ran before it was signalled");
    VkSemaphoreSignalInfo go = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
        .semaphore = line,
        .value = 10};
    VK(vkSignalSemaphore(vk->device, &go));
    VK(wait_timeline(vk, line, 10 + STEPS * 10, UINT64_MAX));
    if (timeline_value(vk, line) != 10 + STEPS * 10)
        vk_die("the timeline ends at another value");
    check_steps(&s, STEPS, rgba);
}

/* Binary semaphores between submissions, a fence on each. */
static void
sync_fences(struct vk *vk, uint8_t *rgba)
{
    struct stepping s = open_stepping(vk);
    VkSemaphoreCreateInfo plain = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkFenceCreateInfo unsignalled = {
        .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkSemaphore links[STEPS];
    VkFence fences[STEPS];
    VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    for (uint32_t n = 0; n < STEPS; n++) {
        VK(vkCreateSemaphore(vk->device, &plain, NULL, &links[n]));
        VK(vkCreateFence(vk->device, &unsignalled, NULL, &fences[n]));
        VkCommandBuffer cmd = record_step(vk, &s, n);
        VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .waitSemaphoreCount = n > 0,
                             .pWaitSemaphores = n ? &links[n - 1] : NULL,
                             .pWaitDstStageMask = &stage,
                             .commandBufferCount = 1,
                             .pCommandBuffers = &cmd,
                             .signalSemaphoreCount = 1,
                             .pSignalSemaphores = &links[n]};
        VK(vkQueueSubmit(vk->queue, 1, &info, fences[n]));
    }
    VK(vkWaitForFences(vk->device, STEPS, fences, VK_TRUE, UINT64_MAX));
    for (uint32_t n = 0; n < STEPS; n++)
        VK(vkGetFenceStatus(vk->device, fences[n]));
    VK(vkResetFences(vk->device, STEPS, fences));
    if (vkGetFenceStatus(vk->device, fences[3]) != VK_NOT_READY ||
        vkWaitForFences(vk->device, STEPS, fences, VK_FALSE, 1000000) !=
            VK_TIMEOUT)
        vk_die("a fence that was reset is signalled");
    check_steps(&s, STEPS, rgba);
}

/* Events that the device sets and waits for, one that the host sees. */
static void
sync_events(struct vk *vk, uint8_t *rgba)
{
    struct stepping s = open_stepping(vk);
    VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent events[3];
    for (int i = 0; i < 3; i++)
        VK(vkCreateEvent(vk->device, &info, NULL, &events[i]));
    VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                           .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                           .dstAccessMask = VK_ACCESS_SHADER_READ_BIT |
                                            VK_ACCESS_SHADER_WRITE_BIT};
    VK(vkSetEvent(vk->device, events[1]));
    for (uint32_t n = 0; n < 3; n++) {
        vk_bind(vk, VK_PIPELINE_BIND_POINT_COMPUTE, &s.layout, s.pipeline);
        vk_push(vk, &s.layout, &n, sizeof n);
        vkCmdDispatch(vk->cmd, VALUES / 64, 1, 1);
        if (n == 2)
            break;
        vkCmdSetEvent(vk->cmd, events[0], VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
        vkCmdWaitEvents(
            vk->cmd, 1, &events[0], VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 1, &all, 0, NULL, 0, NULL);
        vkCmdResetEvent(vk->cmd, events[0],
                        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
        vkCmdPipelineBarrier(vk->cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &all,
                             0, NULL, 0, NULL);
    }
    vkCmdResetEvent(vk->cmd, events[1], VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    vkCmdSetEvent(vk->cmd, events[2], VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    vk_finish(vk);
    if (vkGetEventStatus(vk->device, events[0]) != VK_EVENT_RESET ||
        vkGetEventStatus(vk->device, events[1]) != VK_EVENT_RESET ||
        vkGetEventStatus(vk->device, events[2]) != VK_EVENT_SET)
        vk_die("an event has another state");
    check_steps(&s, 3, rgba);
}

static VkQueryPool
query_pool(const struct vk *vk, VkQueryType type, uint32_t count,
           VkQueryPipelineStatisticFlags statistics)
{
    VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = type,
        .queryCount = count,
        .pipelineStatistics = statistics};
    VkQueryPool pool;
    VK(vkCreateQueryPool(vk->device, &info, NULL, &pool));
    vkCmdResetQueryPool(vk->cmd, pool, 0, count);
    return pool;
}

struct boxes {
    struct vk_image picture, depth;
    struct vk_layout layout;
    VkPipeline pipeline;
    struct vk_rendering rendering;
};

static void
open_boxes(struct vk *vk, struct boxes *b)
{
    b->picture = scene_picture(vk);
    b->depth = (struct vk_image){
        .format = VK_FORMAT_D32_SFLOAT, .width = SCENE_W, .height = SCENE_H};
    vk_image(vk, &b->depth);
    b->layout = vk_layout(vk, NULL, 0);
    VkPipelineDepthStencilStateCreateInfo test = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = VK_TRUE,
        .depthWriteEnable = VK_TRUE,
        .depthCompareOp = VK_COMPARE_OP_LESS};
    b->pipeline = vk_graphics(
        vk, &b->layout,
        &(struct vk_graphics){.shaders = {&box_vert, &solid_frag},
                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                              .depth = &test,
                              .depth_format = b->depth.format,
                              .colors = 1,
                              .color = {b->picture.format}});
    b->rendering = (struct vk_rendering){
        .colors = 1,
        .color[0] = {.image = &b->picture, .load = VK_ATTACHMENT_LOAD_OP_CLEAR},
        .depth = {.image = &b->depth,
                  .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                  .clear.depthStencil = {1, 0}}};
}

/* A box of whole pixels. */
static void
draw_box(const struct vk *vk, const struct boxes *b, int x, int y, int width,
         int height, float z)
{
    const float push[5] = {(float)x / 64 - 1, (float)y / 64 - 1,
                           (float)(x + width) / 64 - 1,
                           (float)(y + height) / 64 - 1, z};
    vk_push(vk, &b->layout, push, sizeof push);
    vkCmdDraw(vk->cmd, 4, 1, 0, 0);
}

static void
query_occlusion(struct vk *vk, uint8_t *rgba)
{
    vk_need(vk->features.core.features.occlusionQueryPrecise,
            "exact counts of samples");
    static const struct {
        int x, y, width, height;
        float z;
        uint64_t seen;
    } rows[] = {{10, 10, 50, 40, 0.5f, 2000},  {30, 20, 60, 50, 0.7f, 2100},
                {0, 0, 128, 128, 0.9f, 12284}, {12, 12, 10, 10, 0.2f, 100},
                {12, 12, 10, 10, 0.3f, 0},     {-20, -20, 30, 31, 0.1f, 110}};
    enum { QUERIES = VK_COUNT(rows) };
    struct boxes b;
    open_boxes(vk, &b);
    VkQueryPool pool = query_pool(vk, VK_QUERY_TYPE_OCCLUSION, QUERIES + 1, 0);
    struct vk_buffer copied = vk_buffer(vk, (QUERIES + 1) * 16, NULL);
    vk_begin(vk, &b.rendering);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &b.layout, b.pipeline);
    for (uint32_t i = 0; i < QUERIES; i++) {
        vkCmdBeginQuery(vk->cmd, pool, i, VK_QUERY_CONTROL_PRECISE_BIT);
        draw_box(vk, &b, rows[i].x, rows[i].y, rows[i].width, rows[i].height,
                 rows[i].z);
        vkCmdEndQuery(vk->cmd, pool, i);
    }
    vk_end(vk);
    vkCmdCopyQueryPoolResults(vk->cmd, pool, 0, QUERIES, copied.buffer, 0, 16,
                              VK_QUERY_RESULT_64_BIT |
                                  VK_QUERY_RESULT_WAIT_BIT |
                                  VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    scene_show(vk, &b.picture, rgba);
    uint64_t got[QUERIES];
    VK(vkGetQueryPoolResults(vk->device, pool, 0, QUERIES, sizeof got, got, 8,
                             VK_QUERY_RESULT_64_BIT |
                                 VK_QUERY_RESULT_WAIT_BIT));
    const uint64_t *there = copied.map;
    for (uint32_t i = 0; i < QUERIES; i++)
        if (got[i] != rows[i].seen || there[i * 2] != rows[i].seen ||
            !there[i * 2 + 1])
            vk_die("box %u: %d samples, copied %d, not %d", i, (int)got[i],
                   (int)there[i * 2], (int)rows[i].seen);
    /* The last query was never begun. */
    uint32_t nothing[2] = {7, 7};
    VkResult r = vkGetQueryPoolResults(vk->device, pool, QUERIES, 1,
                                       sizeof nothing, nothing, 8,
                                       VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    if (r != VK_NOT_READY || nothing[1])
        vk_die("a query that never began has a result");
}

static void
query_statistics(struct vk *vk, uint8_t *rgba)
{
    vk_need(vk->features.core.features.pipelineStatisticsQuery, "statistics");
    enum { IA_VERTICES, IA_PRIMITIVES, VS, CLIP_IN, CLIP_OUT, PS, CS, COUNTS };
    struct boxes b;
    open_boxes(vk, &b);
    struct stepping s = open_stepping(vk);
    VkQueryPool pool = query_pool(
        vk, VK_QUERY_TYPE_PIPELINE_STATISTICS, 2,
        VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
            VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT |
            VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT |
            VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT |
            VK_QUERY_PIPELINE_STATISTIC_CLIPPING_PRIMITIVES_BIT |
            VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT |
            VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT);
    vk_begin(vk, &b.rendering);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &b.layout, b.pipeline);
    vkCmdBeginQuery(vk->cmd, pool, 0, 0);
    draw_box(vk, &b, 8, 8, 64, 64, 0.5f);
    draw_box(vk, &b, 200, 8, 8, 8, 0.5f); /* outside */
    draw_box(vk, &b, 80, 80, 32, 16, 0.5f);
    vkCmdEndQuery(vk->cmd, pool, 0);
    vk_end(vk);
    uint32_t n = 0;
    vkCmdBeginQuery(vk->cmd, pool, 1, 0);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_COMPUTE, &s.layout, s.pipeline);
    vk_push(vk, &s.layout, &n, sizeof n);
    vkCmdDispatch(vk->cmd, VALUES / 64, 1, 1);
    vkCmdEndQuery(vk->cmd, pool, 1);
    scene_show(vk, &b.picture, rgba);
    uint64_t got[2][COUNTS];
    VK(vkGetQueryPoolResults(
        vk->device, pool, 0, 2, sizeof got, got, sizeof got[0],
        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    /* 4,608 pixels; helpers and groups that a driver adds are allowed. */
    bool good = got[0][IA_VERTICES] == 12 && got[0][IA_PRIMITIVES] == 6 &&
                got[0][VS] >= 12 && got[0][VS] <= 24 && got[0][CLIP_IN] == 6 &&
                got[0][CLIP_OUT] == 4 && got[0][PS] >= 4608 &&
                got[0][PS] <= 4 * 4608 && !got[0][CS] && got[1][CS] == VALUES &&
                !got[1][PS] && !got[1][VS];
    if (!good)
        vk_die("statistics %d %d %d %d %d %d %d, %d %d %d",
               (int)got[0][IA_VERTICES], (int)got[0][IA_PRIMITIVES],
               (int)got[0][VS], (int)got[0][CLIP_IN], (int)got[0][CLIP_OUT],
               (int)got[0][PS], (int)got[0][CS], (int)got[1][CS],
               (int)got[1][PS], (int)got[1][VS]);
}

static double
now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Time advances between two points of a command buffer and of two, and not by
 * more than the host's clock shows. */
static void
query_time(struct vk *vk, uint8_t *rgba)
{
    enum { TIMES = 4 };
    vk_need(vk->properties.limits.timestampComputeAndGraphics, "timestamps");
    struct boxes b;
    open_boxes(vk, &b);
    VkQueryPool pool = query_pool(vk, VK_QUERY_TYPE_TIMESTAMP, TIMES, 0);
    double begin = now_ns();
    vkCmdWriteTimestamp(vk->cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, 0);
    vk_begin(vk, &b.rendering);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &b.layout, b.pipeline);
    for (int i = 0; i < 40; i++)
        draw_box(vk, &b, i, i, 80, 80, 0.9f - (float)i * 0.02f);
    vk_end(vk);
    vkCmdWriteTimestamp(vk->cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
    vk_finish(vk);
    struct timespec pause = {0, 30000000};
    nanosleep(&pause, NULL);
    vkCmdWriteTimestamp(vk->cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, 2);
    vkCmdWriteTimestamp(vk->cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 3);
    scene_show(vk, &b.picture, rgba);
    double limit_ns = now_ns() - begin;
    uint64_t got[TIMES];
    VK(vkGetQueryPoolResults(vk->device, pool, 0, TIMES, sizeof got, got, 8,
                             VK_QUERY_RESULT_64_BIT |
                                 VK_QUERY_RESULT_WAIT_BIT));
    double tick_ns = (double)vk->properties.limits.timestampPeriod;
    double span_ns = (double)(got[3] - got[0]) * tick_ns;
    double pause_ns = (double)(got[2] - got[1]) * tick_ns;
    if (!(got[0] && got[0] < got[1] && got[1] < got[2] && got[2] <= got[3]))
        vk_die("times are out of order");
    if (span_ns > limit_ns || pause_ns < 29e6)
        vk_die("%g ns of %g, a pause of %g", span_ns, limit_ns, pause_ns);
}

const struct vk_scene vk_scenes_sync[] = {
    {.name = "sync-timeline", .draw = sync_timeline},
    {.name = "sync-fences", .draw = sync_fences},
    {.name = "sync-events", .draw = sync_events},
    {.name = "query-occlusion", .draw = query_occlusion, .mean = 0.6},
    {.name = "query-statistics",
     .draw = query_statistics,
     .mean = 0.6,
     .no_reference = "it crashes"},
    {.name = "query-time", .draw = query_time, .mean = 0.6},
    {.name = NULL},
};
