/* vk_scenes_pass.c: render passes: subpasses, input attachments, views,
 * stencil, blending. */
#include "vk_scene.h"

#include "vk_scenes_pass_shaders.h"

static const float black[4];

/* Two colours and a depth that the second subpass reads in place. */
static VkRenderPass
input_pass(const struct vk *vk, const VkFormat formats[4])
{
    VkAttachmentDescription attachments[4];
    VkAttachmentReference refs[4], reads[3];
    for (uint32_t i = 0; i < 4; i++) {
        VkImageLayout own =
            i == 2 ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
                   : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
        attachments[i] = (VkAttachmentDescription){
            .format = formats[i],
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
            .storeOp = i == 3 ? VK_ATTACHMENT_STORE_OP_STORE
                              : VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .finalLayout = i == 3 ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL : own};
        refs[i] = (VkAttachmentReference){i, own};
        if (i < 3)
            reads[i] = (VkAttachmentReference){
                i, i == 2 ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL
                          : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    }
    VkSubpassDescription subpasses[] = {{.colorAttachmentCount = 2,
                                         .pColorAttachments = refs,
                                         .pDepthStencilAttachment = &refs[2]},
                                        {.inputAttachmentCount = 3,
                                         .pInputAttachments = reads,
                                         .colorAttachmentCount = 1,
                                         .pColorAttachments = &refs[3]}};
    VkSubpassDependency between = {
        0,
        1,
        VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
            VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
        VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
        VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT |
            VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
        VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
        VK_DEPENDENCY_BY_REGION_BIT};
    VkRenderPassCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = 4,
        .pAttachments = attachments,
        .subpassCount = 2,
        .pSubpasses = subpasses,
        .dependencyCount = 1,
        .pDependencies = &between};
    VkRenderPass pass;
    VK(vkCreateRenderPass(vk->device, &info, NULL, &pass));
    return pass;
}

static VkFramebuffer
framebuffer(const struct vk *vk, VkRenderPass pass, const VkImageView *views,
            uint32_t count)
{
    VkFramebufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
        .renderPass = pass,
        .attachmentCount = count,
        .pAttachments = views,
        .width = SCENE_W,
        .height = SCENE_H,
        .layers = 1};
    VkFramebuffer f;
    VK(vkCreateFramebuffer(vk->device, &info, NULL, &f));
    return f;
}

static void
pass_input(struct vk *vk, uint8_t *rgba)
{
    static const VkFormat formats[] = {
        VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_UINT,
        VK_FORMAT_D32_SFLOAT, VK_FORMAT_R8G8B8A8_UNORM};
    struct vk_image images[4];
    VkImageView views[4];
    struct vk_binding b[3];
    for (uint32_t i = 0; i < 4; i++) {
        images[i] = (struct vk_image){
            .format = formats[i],
            .width = SCENE_W,
            .height = SCENE_H,
            .usage = (i == 2 ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                             : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) |
                     (i < 3 ? VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT : 0)};
        vk_image(vk, &images[i]);
        views[i] = images[i].view;
        if (i < 3)
            b[i] = (struct vk_binding){
                .type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
                .image = &images[i]};
    }
    VkRenderPass pass = input_pass(vk, formats);
    struct vk_layout layout = vk_layout(vk, b, 3);
    VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = VK_TRUE,
        .depthWriteEnable = VK_TRUE,
        .depthCompareOp = VK_COMPARE_OP_LESS};
    struct vk_graphics info = {.shaders = {scene_full, &two_frag},
                               .colors = 2,
                               .pass = pass,
                               .depth = &depth};
    VkPipeline first = vk_graphics(vk, &layout, &info);
    info = (struct vk_graphics){.shaders = {scene_full, &input_frag},
                                .colors = 1,
                                .pass = pass,
                                .subpass = 1};
    VkPipeline second = vk_graphics(vk, &layout, &info);
    static const VkClearValue clears[] = {
        {.color.float32 = {0.8f, 0.1f, 0.6f, 1}},
        {.color.uint32 = {9, 0, 0, 0}},
        {.depthStencil = {0.75f, 0}},
        {.color.float32 = {0, 0, 0, 0}}};
    VkRenderPassBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = pass,
        .framebuffer = framebuffer(vk, pass, views, 4),
        .renderArea.extent = {SCENE_W, SCENE_H},
        .clearValueCount = 4,
        .pClearValues = clears};
    vkCmdBeginRenderPass(vk->cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vk_viewport(vk, vk->cmd, SCENE_W, SCENE_H);
    VkRect2D part = {{20, 10}, {70, 100}};
    vkCmdSetScissor(vk->cmd, 0, 1, &part);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, first);
    vkCmdDraw(vk->cmd, 3, 1, 0, 0);
    vkCmdNextSubpass(vk->cmd, VK_SUBPASS_CONTENTS_INLINE);
    vk_viewport(vk, vk->cmd, SCENE_W, SCENE_H);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, second);
    vkCmdDraw(vk->cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(vk->cmd);
    images[3].layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    scene_show(vk, &images[3], rgba);
}

/* Three of four layers are views; the fourth keeps its clear colour. */
static void
pass_multiview(struct vk *vk, uint8_t *rgba)
{
    enum { VIEWS = 0xd };
    struct vk_image picture = scene_picture(vk);
    struct vk_image layers = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                              .width = SCENE_W / 2,
                              .height = SCENE_H / 2,
                              .layers = 4};
    vk_image(vk, &layers);
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipeline = vk_graphics(
        vk, &layout,
        &(struct vk_graphics){.shaders = {&view_vert, &view_frag},
                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                              .colors = 1,
                              .color = {layers.format},
                              .view_mask = VIEWS});
    vk_to(vk, &layers, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkClearColorValue grey = {.float32 = {0.4f, 0.4f, 0.4f, 1}};
    VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 4};
    vkCmdClearColorImage(vk->cmd, layers.image, layers.layout, &grey, 1, &all);
    struct vk_rendering r = {
        .colors = 1,
        .color[0] = {.image = &layers,
                     .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                     .clear.color.float32 = {0.2f, 0, 0.2f, 1}},
        .view_mask = VIEWS};
    vk_begin(vk, &r);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
    vkCmdDraw(vk->cmd, 4, 1, 0, 0);
    vk_end(vk);
    for (uint32_t i = 0; i < 4; i++)
        scene_quarter(vk, &layers, i, &picture, i);
    scene_show(vk, &picture, rgba);
}

struct box {
    float box[4], z, pad[3], color[4];
};

static void
draw_box(const struct vk *vk, const struct vk_layout *layout,
         VkPipeline pipeline, struct box box)
{
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, pipeline);
    vk_push(vk, layout, &box, sizeof box);
    vkCmdDraw(vk->cmd, 4, 1, 0, 0);
}

/* Depth and stencil: the results of each operation are counted, then drawn
 * where the stencil has a value. */
static void
pass_stencil(struct vk *vk, uint8_t *rgba)
{
    static const VkStencilOp ops[] = {
        VK_STENCIL_OP_INCREMENT_AND_WRAP, VK_STENCIL_OP_DECREMENT_AND_WRAP,
        VK_STENCIL_OP_INVERT, VK_STENCIL_OP_REPLACE};
    struct vk_image picture = scene_picture(vk);
    struct vk_image depth = {.format = VK_FORMAT_D32_SFLOAT_S8_UINT,
                             .width = SCENE_W,
                             .height = SCENE_H};
    vk_image(vk, &depth);
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    struct vk_graphics info = {.shaders = {&box_vert, &solid_frag},
                               .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                               .colors = 1,
                               .color = {picture.format},
                               .depth_format = depth.format};
    struct vk_rendering r = {
        .colors = 1,
        .color[0] = {.image = &picture, .load = VK_ATTACHMENT_LOAD_OP_CLEAR},
        .depth = {.image = &depth,
                  .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                  .clear.depthStencil = {0.6f, 2}}};
    vk_begin(vk, &r);
    for (uint32_t i = 0; i < VK_COUNT(ops); i++) {
        VkStencilOpState face = {
            .failOp = VK_STENCIL_OP_KEEP,
            .passOp = ops[i],
            .depthFailOp = VK_STENCIL_OP_INCREMENT_AND_CLAMP,
            .compareOp = VK_COMPARE_OP_NOT_EQUAL,
            .compareMask = 0xff,
            .writeMask = i == 2 ? 0x3f : 0xff,
            .reference = 5};
        VkPipelineDepthStencilStateCreateInfo test = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
            .depthTestEnable = VK_TRUE,
            .depthWriteEnable = i & 1,
            .depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
            .stencilTestEnable = VK_TRUE,
            .front = face,
            .back = face};
        info.depth = &test;
        draw_box(vk, &layout, vk_graphics(vk, &layout, &info),
                 (struct box){.box = {-0.9f + 0.3f * (float)i, -0.8f,
                                      0.1f + 0.3f * (float)i, 0.7f},
                              .z = 0.5f,
                              .color = {0.1f, 0.1f, 0.2f * (float)i, 1}});
    }
    static const uint8_t seen[] = {1, 2, 3, 4, 5, 0x3d, 0x3c, 0xff};
    for (uint32_t value = 0; value < VK_COUNT(seen); value++) {
        VkStencilOpState face = {.compareOp = VK_COMPARE_OP_EQUAL,
                                 .compareMask = 0xff,
                                 .reference = seen[value]};
        VkPipelineDepthStencilStateCreateInfo test = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
            .stencilTestEnable = VK_TRUE,
            .front = face,
            .back = face};
        info.depth = &test;
        draw_box(vk, &layout, vk_graphics(vk, &layout, &info),
                 (struct box){.box = {-1, -1, 1, 1},
                              .color = {(float)value / 8, 0.5f, 0, 1}});
    }
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

/* Blending of two targets with equations of their own; two sources. */
static void
pass_blend(struct vk *vk, uint8_t *rgba)
{
    static const VkPipelineColorBlendAttachmentState two[] = {
        {VK_TRUE, VK_BLEND_FACTOR_SRC_ALPHA,
         VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA, VK_BLEND_OP_ADD,
         VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_MAX, 15},
        {VK_TRUE, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_DST_COLOR,
         VK_BLEND_OP_REVERSE_SUBTRACT, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE,
         VK_BLEND_OP_ADD, 7}};
    static const VkPipelineColorBlendAttachmentState dual = {
        VK_TRUE,
        VK_BLEND_FACTOR_SRC1_COLOR,
        VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR,
        VK_BLEND_OP_ADD,
        VK_BLEND_FACTOR_SRC1_ALPHA,
        VK_BLEND_FACTOR_ONE,
        VK_BLEND_OP_ADD,
        15};
    vk_need(vk->features.core.features.independentBlend &&
                vk->features.core.features.dualSrcBlend,
            "blending of two sources");
    struct vk_image picture = scene_picture(vk), targets[2];
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    struct vk_rendering r = {.colors = 2};
    for (int i = 0; i < 2; i++) {
        targets[i] = scene_picture(vk);
        r.color[i] = (struct vk_target){
            .image = &targets[i],
            .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
            .clear.color.float32 = {0.6f, 0.4f, 0.8f, 0.2f}};
    }
    struct vk_graphics info = {.shaders = {&box_vert, &split_frag},
                               .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                               .colors = 2,
                               .color = {picture.format, picture.format},
                               .blend = two};
    VkPipeline apart = vk_graphics(vk, &layout, &info);
    info.shaders[1] = &dual_frag;
    info.colors = 1;
    info.blend = &dual;
    VkPipeline both = vk_graphics(vk, &layout, &info);
    vk_begin(vk, &r);
    for (int i = 0; i < 4; i++)
        draw_box(
            vk, &layout, apart,
            (struct box){.box = {-1 + 0.3f * (float)i, -1, 0.2f * (float)i, 1},
                         .color = {0.9f, 0.2f * (float)i, 0.3f, 0.3f}});
    vk_end(vk);
    r.colors = 1;
    r.color[0].load = VK_ATTACHMENT_LOAD_OP_LOAD;
    vk_begin(vk, &r);
    draw_box(vk, &layout, both,
             (struct box){.box = {-0.9f, -0.9f, -0.2f, -0.1f},
                          .color = {1, 0.5f, 0.1f, 0.6f}});
    vk_end(vk);
    scene_begin(vk, &picture, black);
    vk_end(vk);
    scene_quarter(vk, &targets[0], 0, &picture, 0);
    scene_quarter(vk, &targets[1], 0, &picture, 3);
    scene_show(vk, &picture, rgba);
}

const struct vk_scene vk_scenes_pass[] = {
    {.name = "pass-input", .draw = pass_input, .mean = 0.6},
    {.name = "pass-multiview",
     .draw = pass_multiview,
     .mean = 0.6,
     .percent = 0.5},
    {.name = "pass-stencil", .draw = pass_stencil, .mean = 0.6, .percent = 0.5},
    {.name = "pass-blend", .draw = pass_blend, .mean = 0.6, .percent = 0.5},
    {.name = NULL},
};
