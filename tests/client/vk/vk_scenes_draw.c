/* vk_scenes_draw.c: draws: push and specialisation constants, instances,
 * indirect parameters, secondary command buffers, conditions. */
#include "vk_scene.h"

#include <string.h>

#include "vk_scenes_draw_shaders.h"

static const float black[4];

static VkPipeline
simple_pipeline(struct vk *vk, const struct vk_layout *layout,
                const struct vk_spirv *vs, const struct vk_spirv *fs,
                const VkSpecializationInfo *constants)
{
    return vk_graphics(
        vk, layout,
        &(struct vk_graphics){.shaders = {vs, fs},
                              .constants = constants,
                              .colors = 1,
                              .color = {VK_FORMAT_R8G8B8A8_UNORM}});
}

static void
draw_push(struct vk *vk, uint8_t *rgba)
{
    struct vk_image picture = scene_picture(vk);
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipeline = simple_pipeline(vk, &layout, &push_vert, &push_frag,
                                          NULL);
    scene_begin(vk, &picture, (const float[]){0.1f, 0.1f, 0.1f, 1});
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
    for (int i = 0; i < 25; i++) {
        float at[4] = {(float)(i % 5) * 0.4f - 1, (float)(i / 5) * 0.4f - 1,
                       0.3f, 0.35f};
        float color[8] = {(float)i / 25, 1, 0, 1, 0, (float)i / 25, 1, 0.5f};
        /* Sometimes one of the two constants does not change. */
        vkCmdPushConstants(vk->cmd, layout.layout, VK_SHADER_STAGE_ALL, 0, 16,
                           at);
        if (i % 3 != 2)
            vkCmdPushConstants(vk->cmd, layout.layout, VK_SHADER_STAGE_ALL,
                               i % 2 ? 112 : 96, 16, color + i % 2 * 4);
        if (!i)
            vkCmdPushConstants(vk->cmd, layout.layout, VK_SHADER_STAGE_ALL, 112,
                               16, color + 4);
        vkCmdDraw(vk->cmd, 6, 1, 0, 0);
    }
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

static void
draw_constants(struct vk *vk, uint8_t *rgba)
{
    static const VkSpecializationMapEntry map[] = {
        {0, 0, 4}, {1, 4, 4}, {7, 8, 4}};
    struct vk_image picture = scene_picture(vk);
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipelines[4];
    for (int i = 0; i < 4; i++) {
        struct {
            int32_t mode;
            float scale;
            VkBool32 flip;
        } values = {i, 0.5f + (float)i, i & 1};
        VkSpecializationInfo info = {i ? VK_COUNT(map) : 0, map, sizeof values,
                                     &values};
        pipelines[i] = simple_pipeline(vk, &layout, scene_full, &switch_frag,
                                       &info);
    }
    scene_begin(vk, &picture, black);
    for (int i = 0; i < 4; i++) {
        VkRect2D part = {{i % 2 * 64, i / 2 * 64}, {60, 60}};
        vkCmdSetScissor(vk->cmd, 0, 1, &part);
        vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipelines[i]);
        vkCmdDraw(vk->cmd, 3, 1, 0, 0);
    }
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

/* Every kind of indirect draw, each into rows of its own. */
static void
draw_indirect(struct vk *vk, uint8_t *rgba)
{
    vk_need(vk->features.v12.drawIndirectCount, "drawIndirectCount");
    static const VkDrawIndirectCommand plain[] = {
        {6, 3, 0, 1}, {6, 8, 6, 0}, {12, 2, 0, 4}, {6, 0, 0, 0}, {6, 1, 0, 7}};
    static const VkDrawIndexedIndirectCommand indexed[] = {
        {6, 2, 0, 0, 3}, {6, 5, 3, 0, 1}, {6, 3, 0, 6, 2}};
    static const uint32_t counts[] = {99, 2, 1, 9};
    uint16_t indices[18];
    for (uint16_t i = 0; i < VK_COUNT(indices); i++)
        indices[i] = i % 6;
    struct vk_buffer a = vk_buffer(vk, sizeof plain, plain);
    struct vk_buffer b = vk_buffer(vk, sizeof indexed, indexed);
    struct vk_buffer n = vk_buffer(vk, sizeof counts, counts);
    struct vk_buffer list = vk_buffer(vk, sizeof indices, indices);
    struct vk_image picture = scene_picture(vk);
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipeline = simple_pipeline(vk, &layout, &grid_vert, &color_frag,
                                          NULL);
    scene_begin(vk, &picture, black);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
    vkCmdBindIndexBuffer(vk->cmd, list.buffer, 0, VK_INDEX_TYPE_UINT16);
    int base = 0;
    vk_push(vk, &layout, &base, sizeof base);
    vkCmdDrawIndirect(vk->cmd, a.buffer, 0, 3, sizeof *plain);
    vkCmdDrawIndirect(vk->cmd, a.buffer, 4 * sizeof *plain, 1, 0);
    base = 24;
    vk_push(vk, &layout, &base, sizeof base);
    vkCmdDrawIndirectCount(vk->cmd, a.buffer, 0, n.buffer, 4, 3, sizeof *plain);
    base = 40;
    vk_push(vk, &layout, &base, sizeof base);
    vkCmdDrawIndexedIndirectCount(vk->cmd, b.buffer, sizeof *indexed, n.buffer,
                                  8, 2, sizeof *indexed);
    base = 48;
    vk_push(vk, &layout, &base, sizeof base);
    /* The count is more than the limit. */
    vkCmdDrawIndexedIndirectCount(vk->cmd, b.buffer, 0, n.buffer, 12, 2,
                                  sizeof *indexed);
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

/* Attributes of a vertex, an instance, and of every third instance. */
static void
draw_instances(struct vk *vk, uint8_t *rgba)
{
    float at[64][2];
    uint8_t color[64][4], tint[64];
    for (int i = 0; i < 64; i++) {
        at[i][0] = (float)(i % 8) / 4 - 1;
        at[i][1] = (float)(i / 8) / 4 - 1;
        for (int c = 0; c < 4; c++)
            color[i][c] = (uint8_t)(i * (c + 1) * 3);
        tint[i] = (uint8_t)(255 - i * 4);
    }
    struct vk_buffer buffers[] = {vk_buffer(vk, sizeof at, at),
                                  vk_buffer(vk, sizeof color, color),
                                  vk_buffer(vk, sizeof tint, tint)};
    static const VkVertexInputBindingDescription bindings[] = {
        {0, 8, VK_VERTEX_INPUT_RATE_INSTANCE},
        {1, 4, VK_VERTEX_INPUT_RATE_VERTEX},
        {2, 1, VK_VERTEX_INPUT_RATE_INSTANCE}};
    static const VkVertexInputAttributeDescription attributes[] = {
        {0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
        {1, 1, VK_FORMAT_R8G8B8A8_UNORM, 0},
        {2, 2, VK_FORMAT_R8_UINT, 0}};
    VkPipelineVertexInputStateCreateInfo vertices = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = VK_COUNT(bindings),
        .pVertexBindingDescriptions = bindings,
        .vertexAttributeDescriptionCount = VK_COUNT(attributes),
        .pVertexAttributeDescriptions = attributes};
    struct vk_image picture = scene_picture(vk);
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipeline = vk_graphics(
        vk, &layout,
        &(struct vk_graphics){.shaders = {&instance_vert, &color_frag},
                              .vertices = &vertices,
                              .colors = 1,
                              .color = {VK_FORMAT_R8G8B8A8_UNORM}});
    scene_begin(vk, &picture, black);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
    for (uint32_t i = 0; i < VK_COUNT(buffers); i++)
        vkCmdBindVertexBuffers(vk->cmd, i, 1, &buffers[i].buffer,
                               &(VkDeviceSize){0});
    vkCmdDraw(vk->cmd, 6, 20, 0, 0);
    vkCmdDraw(vk->cmd, 6, 30, 12, 25);
    vkCmdDraw(vk->cmd, 6, 4, 54, 60);
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

/* Triangle strips with restarts, by 16 and 32 bits, with a vertex offset. */
static void
draw_restart(struct vk *vk, uint8_t *rgba)
{
    enum { STRIPS = 8, EACH = 10 };
    float at[STRIPS * EACH][2];
    uint16_t shorts[STRIPS * (EACH + 1)];
    uint32_t words[VK_COUNT(shorts)];
    for (uint32_t i = 0; i < STRIPS * EACH; i++) {
        at[i][0] = (float)(i % EACH) * 0.2f - 0.9f;
        at[i][1] = (float)(i / EACH) * 0.25f - 1 +
                   (float)(i & 1) * (i % 3 ? 0.2f : 0.1f);
    }
    for (uint32_t i = 0; i < VK_COUNT(words); i++) {
        bool end = i % (EACH + 1) == EACH;
        uint32_t v = i / (EACH + 1) * EACH + i % (EACH + 1);
        words[i] = end ? 0xffffffff : v - EACH;
        shorts[i] = (uint16_t)(end ? 0xffff : v);
    }
    struct vk_buffer positions = vk_buffer(vk, sizeof at, at);
    struct vk_buffer s = vk_buffer(vk, sizeof shorts, shorts);
    struct vk_buffer w = vk_buffer(vk, sizeof words, words);
    static const VkVertexInputBindingDescription binding = {
        0, 8, VK_VERTEX_INPUT_RATE_VERTEX};
    static const VkVertexInputAttributeDescription attribute = {
        0, 0, VK_FORMAT_R32G32_SFLOAT, 0};
    VkPipelineVertexInputStateCreateInfo vertices = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = 1,
        .pVertexBindingDescriptions = &binding,
        .vertexAttributeDescriptionCount = 1,
        .pVertexAttributeDescriptions = &attribute};
    struct vk_image picture = scene_picture(vk);
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipeline = vk_graphics(
        vk, &layout,
        &(struct vk_graphics){.shaders = {&strip_vert, &color_frag},
                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                              .restart = true,
                              .vertices = &vertices,
                              .colors = 1,
                              .color = {VK_FORMAT_R8G8B8A8_UNORM}});
    scene_begin(vk, &picture, black);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
    vkCmdBindVertexBuffers(vk->cmd, 0, 1, &positions.buffer,
                           &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(vk->cmd, s.buffer, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(vk->cmd, 4 * (EACH + 1), 1, 0, 0, 0);
    vkCmdBindIndexBuffer(vk->cmd, w.buffer, 4 * (EACH + 1) * 4,
                         VK_INDEX_TYPE_UINT32);
    vkCmdDrawIndexed(vk->cmd, 4 * (EACH + 1) - 3, 1, 0, EACH, 0);
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

/* Two secondary command buffers inside, one of them run twice. */
static void
draw_secondary(struct vk *vk, uint8_t *rgba)
{
    struct vk_image picture = scene_picture(vk);
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipeline = simple_pipeline(vk, &layout, &push_vert, &push_frag,
                                          NULL);
    VkCommandBuffer inner[2];
    VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = vk->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
        .commandBufferCount = 2};
    VK(vkAllocateCommandBuffers(vk->device, &allocate, inner));
    static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkCommandBufferInheritanceInfo inherit = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
        .pNext = &rendering};
    VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT |
                 VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
        .pInheritanceInfo = &inherit};
    for (int i = 0; i < 2; i++) {
        const float push[32] = {i ? 0.0f : -0.9f,
                                -0.5f,
                                0.8f,
                                1.2f,
                                [24] = 1,
                                (float)i,
                                0,
                                1,
                                0,
                                0.5f,
                                1,
                                1};
        VK(vkBeginCommandBuffer(inner[i], &begin));
        vkCmdBindPipeline(inner[i], VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        vk_viewport(vk, inner[i], SCENE_W, i ? SCENE_H / 2 : SCENE_H);
        vkCmdPushConstants(inner[i], layout.layout, VK_SHADER_STAGE_ALL, 0,
                           sizeof push, push);
        vkCmdDraw(inner[i], 6, 1, 0, 0);
        VK(vkEndCommandBuffer(inner[i]));
    }
    struct vk_rendering r = {
        .colors = 1,
        .color[0] = {.image = &picture, .load = VK_ATTACHMENT_LOAD_OP_CLEAR},
        .flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT};
    vk_begin(vk, &r);
    const VkCommandBuffer order[] = {inner[0], inner[1], inner[0]};
    vkCmdExecuteCommands(vk->cmd, 3, order);
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

static void
draw_conditional(struct vk *vk, uint8_t *rgba)
{
    vk_need(vk->features.conditional.conditionalRendering,
            "conditional rendering");
    PFN_vkCmdBeginConditionalRenderingEXT begin =
        (PFN_vkCmdBeginConditionalRenderingEXT)vk_proc(
            vk, "vkCmdBeginConditionalRenderingEXT");
    PFN_vkCmdEndConditionalRenderingEXT end =
        (PFN_vkCmdEndConditionalRenderingEXT)vk_proc(
            vk, "vkCmdEndConditionalRenderingEXT");
    static const uint32_t values[] = {0, 1, 0x80000000, 0x100};
    struct vk_buffer conditions = vk_buffer(vk, sizeof values, values);
    static const VkDrawIndirectCommand command = {6, 1, 0, 0};
    struct vk_buffer indirect = vk_buffer(vk, sizeof command, &command);
    struct vk_image picture = scene_picture(vk);
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipeline = simple_pipeline(vk, &layout, &push_vert, &push_frag,
                                          NULL);
    scene_begin(vk, &picture, (const float[]){0, 0, 0.3f, 1});
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
    for (int i = 0; i < 24; i++) {
        const float push[32] = {(float)(i % 4) * 0.5f - 1,
                                (float)(i / 4) * 0.3f - 1,
                                0.4f,
                                0.2f,
                                [24] = 1,
                                (float)i / 24,
                                0,
                                1,
                                0,
                                (float)i / 24,
                                1,
                                1};
        VkConditionalRenderingBeginInfoEXT info = {
            .sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
            .buffer = conditions.buffer,
            .offset = (VkDeviceSize)(i % 4) * 4,
            .flags = i / 4 & 1 ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0};
        vk_push(vk, &layout, push, sizeof push);
        begin(vk->cmd, &info);
        VkClearAttachment what = {
            VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color.float32 = {0, 1, 0, 1}}};
        VkClearRect rect = {{{i % 4 * 32, i / 4 * 20}, {8, 8}}, 0, 1};
        if (i / 8 == 0)
            vkCmdDraw(vk->cmd, 6, 1, 0, 0);
        else if (i / 8 == 1)
            vkCmdDrawIndirect(vk->cmd, indirect.buffer, 0, 1, 0);
        else
            vkCmdClearAttachments(vk->cmd, 1, &what, 1, &rect);
        end(vk->cmd);
    }
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

const struct vk_scene vk_scenes_draw[] = {
    {.name = "draw-push", .draw = draw_push, .mean = 0.6},
    {.name = "draw-constants",
     .draw = draw_constants,
     .mean = 0.6,
     .percent = 0.5},
    {.name = "draw-indirect", .draw = draw_indirect, .mean = 0.6},
    {.name = "draw-instances", .draw = draw_instances, .mean = 0.6},
    {.name = "draw-restart", .draw = draw_restart, .mean = 0.6, .percent = 0.5},
    {.name = "draw-secondary", .draw = draw_secondary, .mean = 0.6},
    {.name = "draw-conditional", .draw = draw_conditional, .mean = 0.6},
    {.name = NULL},
};
