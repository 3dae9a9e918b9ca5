/* vk_scenes_stage.c: tessellation, geometry shaders, transform feedback. */
#include "vk_scene.h"

#include <string.h>

#include "vk_scenes_stage_shaders.h"

static const float black[4];

static void
tess(struct vk *vk, const struct vk_spirv *tese, uint8_t *rgba)
{
    vk_need(vk->features.core.features.tessellationShader, "tessellation");
    static const float levels[4][6] = {{1, 1, 1, 1, 1, 1},
                                       {3, 5, 2, 7, 4, 3},
                                       {4.5f, 3.2f, 6.7f, 2.1f, 5.5f, 9.3f},
                                       {0, 2, 2, 2, 2, 2}};
    struct vk_image picture = scene_picture(vk);
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipeline = vk_graphics(
        vk, &layout,
        &(struct vk_graphics){
            .shaders = {&patch_vert, &quad_tesc, tese, &color_frag},
            .topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST,
            .patch_vertices = 4,
            .colors = 1,
            .color = {picture.format}});
    scene_begin(vk, &picture, black);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
    for (int i = 0; i < 4; i++) {
        VkViewport part = {
            (float)(i % 2 * 64), (float)(i / 2 * 64), 64, 64, 0, 1};
        vkCmdSetViewport(vk->cmd, 0, 1, &part);
        vk_push(vk, &layout, levels[i], sizeof levels[i]);
        vkCmdDraw(vk->cmd, 4, 1, 0, 0);
    }
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

static void
tess_quads(struct vk *vk, uint8_t *rgba)
{
    tess(vk, &quad_tese, rgba);
}

static void
tess_triangles(struct vk *vk, uint8_t *rgba)
{
    tess(vk, &tri_tese, rgba);
}

static void
geometry_points(struct vk *vk, uint8_t *rgba)
{
    vk_need(vk->features.core.features.geometryShader, "geometry shaders");
    struct vk_image picture = scene_picture(vk);
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipeline = vk_graphics(
        vk, &layout,
        &(struct vk_graphics){.shaders = {&point_vert, &star_geom, &color_frag},
                              .points = true,
                              .colors = 1,
                              .color = {picture.format}});
    scene_begin(vk, &picture, black);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
    vkCmdDraw(vk->cmd, 16, 1, 0, 0);
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

static void
geometry_layers(struct vk *vk, uint8_t *rgba)
{
    vk_need(vk->features.core.features.geometryShader, "geometry shaders");
    struct vk_image picture = scene_picture(vk);
    struct vk_image layers = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                              .width = SCENE_W / 2,
                              .height = SCENE_H / 2,
                              .layers = 4};
    vk_image(vk, &layers);
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipeline = vk_graphics(
        vk, &layout,
        &(struct vk_graphics){.shaders = {scene_full, &layer_geom, &color_frag},
                              .colors = 1,
                              .color = {layers.format}});
    struct vk_rendering r = {
        .colors = 1,
        .color[0] = {.image = &layers,
                     .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                     .clear.color.float32 = {0.2f, 0.6f, 0.2f, 1}},
        .layers = 4};
    vk_begin(vk, &r);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
    vkCmdDraw(vk->cmd, 3, 1, 0, 0);
    vk_end(vk);
    for (uint32_t i = 0; i < 4; i++)
        scene_quarter(vk, &layers, i, &picture, i);
    scene_show(vk, &picture, rgba);
}

struct feedback {
    PFN_vkCmdBindTransformFeedbackBuffersEXT bind;
    PFN_vkCmdBeginTransformFeedbackEXT begin;
    PFN_vkCmdEndTransformFeedbackEXT end;
    PFN_vkCmdDrawIndirectByteCountEXT draw;
    struct vk_buffer captured[2], counters;
};

static struct feedback
open_feedback(struct vk *vk)
{
    vk_need(vk->features.feedback.transformFeedback, "transform feedback");
    return (struct feedback){
        .bind = (PFN_vkCmdBindTransformFeedbackBuffersEXT)vk_proc(
            vk, "vkCmdBindTransformFeedbackBuffersEXT"),
        .begin = (PFN_vkCmdBeginTransformFeedbackEXT)vk_proc(
            vk, "vkCmdBeginTransformFeedbackEXT"),
        .end = (PFN_vkCmdEndTransformFeedbackEXT)vk_proc(
            vk, "vkCmdEndTransformFeedbackEXT"),
        .draw = (PFN_vkCmdDrawIndirectByteCountEXT)vk_proc(
            vk, "vkCmdDrawIndirectByteCountEXT"),
        .captured = {vk_buffer(vk, SCENE_B, NULL), vk_buffer(vk, 4096, NULL)},
        .counters = vk_buffer(vk, 16, NULL)};
}

static void
capture(struct vk *vk, const struct feedback *f, bool resume, uint32_t vertices)
{
    const VkBuffer buffers[] = {f->captured[0].buffer, f->captured[1].buffer};
    const VkDeviceSize offsets[] = {64, 0};
    const VkBuffer counters[] = {f->counters.buffer, f->counters.buffer};
    const VkDeviceSize places[] = {0, 4};
    f->bind(vk->cmd, 0, 2, buffers, offsets, NULL);
    f->begin(vk->cmd, 0, resume ? 2 : 0, resume ? counters : NULL,
             resume ? places : NULL);
    vkCmdDraw(vk->cmd, vertices, 2, 1, 0);
    f->end(vk->cmd, 0, 2, counters, places);
}

static void
check_captured(const struct feedback *f)
{
    const float *a = (const float *)((const char *)f->captured[0].map + 64);
    const float *d = f->captured[1].map;
    /* Triangles of 9 vertices twice, then of 6 (the 7th and 8th make none). */
    for (int i = 0, v = 1, instance = 0; i < 30; i++, a += 8, d += 2) {
        int ints[3];
        memcpy(ints, a + 4, sizeof ints);
        if (a[0] != (float)v || a[1] != 0.5f || a[3] != (float)instance ||
            ints[0] != v || ints[1] != -v || ints[2] != 77 ||
            d[0] != (float)v * 0.25f || d[1] != (float)v * 4)
            vk_die("captured vertex %d is not vertex %d of %d", i, v, instance);
        if (++v > (i < 18 ? 9 : 6))
            v = 1, instance ^= 1;
    }
    const uint32_t *counts = f->counters.map;
    if (counts[0] != 30 * 32 || counts[1] != 30 * 8)
        vk_die("counters %u and %u", counts[0], counts[1]);
}

static void
feedback(struct vk *vk, uint8_t *rgba)
{
    struct feedback f = open_feedback(vk);
    struct vk_image picture = scene_picture(vk);
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipelineRasterizationStateCreateInfo off = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .rasterizerDiscardEnable = VK_TRUE,
        .lineWidth = 1};
    VkPipeline capturing = vk_graphics(
        vk, &layout,
        &(struct vk_graphics){.shaders = {&capture_vert},
                              .raster = &off,
                              .colors = 1,
                              .color = {picture.format}});
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
    VkPipeline drawing = vk_graphics(
        vk, &layout,
        &(struct vk_graphics){.shaders = {&captured_vert, &color_frag},
                              .vertices = &vertices,
                              .colors = 1,
                              .color = {picture.format}});
    scene_begin(vk, &picture, black);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, capturing);
    capture(vk, &f, false, 9);
    vk_end(vk);
    vk_barrier(vk);
    scene_begin(vk, &picture, black);
    capture(vk, &f, true, 8);
    vk_end(vk);
    vk_barrier(vk);
    scene_begin(vk, &picture, black);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, drawing);
    vkCmdBindVertexBuffers(vk->cmd, 0, 1, &f.captured[1].buffer,
                           &(VkDeviceSize){0});
    f.draw(vk->cmd, 1, 0, f.counters.buffer, 4, 0, 8);
    vk_end(vk);
    scene_show(vk, &picture, rgba);
    check_captured(&f);
}

const struct vk_scene vk_scenes_stage[] = {
    /* The implementation chooses the diagonal of a square. */
    {.name = "tess-quads", .draw = tess_quads, .mean = 0.6, .percent = 3},
    {.name = "tess-triangles",
     .draw = tess_triangles,
     .mean = 0.6,
     .percent = 0.5},
    {.name = "geometry-points",
     .draw = geometry_points,
     .mean = 0.6,
     .percent = 0.5},
    {.name = "geometry-layers",
     .draw = geometry_layers,
     .mean = 0.6,
     .percent = 0.5},
    {.name = "feedback", .draw = feedback, .mean = 0.6, .percent = 0.5},
    {.name = NULL},
};
