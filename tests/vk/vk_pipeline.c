/* Descriptors, pipelines, dynamic rendering. */
#include "vk.h"

enum { MAX_BINDINGS = 16, PUSH_B = 128 };

static void
write_set(const struct vk *vk, VkDescriptorSet set, const struct vk_binding *b,
          uint32_t count)
{
    VkDescriptorBufferInfo buffers[MAX_BINDINGS];
    VkDescriptorImageInfo images[MAX_BINDINGS];
    VkWriteDescriptorSet writes[MAX_BINDINGS];
    for (uint32_t i = 0; i < count; i++) {
        bool general = b[i].type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        buffers[i] = (VkDescriptorBufferInfo){
            b[i].buffer ? b[i].buffer->buffer : VK_NULL_HANDLE, 0,
            b[i].range_B ? b[i].range_B : VK_WHOLE_SIZE};
        images[i] = (VkDescriptorImageInfo){
            b[i].sampler,
            b[i].view    ? b[i].view
            : b[i].image ? b[i].image->view
                         : VK_NULL_HANDLE,
            general ? VK_IMAGE_LAYOUT_GENERAL
                    : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        writes[i] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = b[i].type,
            .pImageInfo = &images[i],
            .pBufferInfo = &buffers[i],
            .pTexelBufferView = &b[i].texels};
    }
    vkUpdateDescriptorSets(vk->device, count, writes, 0, NULL);
}

struct vk_layout
vk_layout(const struct vk *vk, const struct vk_binding *b, uint32_t count)
{
    struct vk_layout l;
    VkDescriptorSetLayoutBinding bindings[MAX_BINDINGS];
    if (count > MAX_BINDINGS)
        vk_die("%u bindings", count);
    for (uint32_t i = 0; i < count; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            i, b[i].type, 1,
            b[i].type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT
                ? VK_SHADER_STAGE_FRAGMENT_BIT
                : VK_SHADER_STAGE_ALL,
            NULL};
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = count,
        .pBindings = bindings};
    VK(vkCreateDescriptorSetLayout(vk->device, &set, NULL, &l.set_layout));
    VkPushConstantRange push = {VK_SHADER_STAGE_ALL, 0, PUSH_B};
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &l.set_layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &push};
    VK(vkCreatePipelineLayout(vk->device, &layout, NULL, &l.layout));
    VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = vk->descriptors,
        .descriptorSetCount = 1,
        .pSetLayouts = &l.set_layout};
    VK(vkAllocateDescriptorSets(vk->device, &allocate, &l.set));
    write_set(vk, l.set, b, count);
    return l;
}

VkShaderModule
vk_module(const struct vk *vk, const struct vk_spirv *shader)
{
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = shader->size_B,
        .pCode = shader->code};
    VkShaderModule module;
    VK(vkCreateShaderModule(vk->device, &info, NULL, &module));
    return module;
}

static VkPipelineShaderStageCreateInfo
stage_of(const struct vk *vk, const struct vk_spirv *shader,
         const VkSpecializationInfo *constants)
{
    return (VkPipelineShaderStageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = shader->stage,
        .module = vk_module(vk, shader),
        .pName = "main",
        .pSpecializationInfo = constants};
}

/* Everything of a pipeline that has a usual value. */
struct usual {
    VkPipelineVertexInputStateCreateInfo vertices;
    VkPipelineInputAssemblyStateCreateInfo assembly;
    VkPipelineTessellationStateCreateInfo patches;
    VkPipelineViewportStateCreateInfo viewport;
    VkPipelineRasterizationStateCreateInfo raster;
    VkPipelineMultisampleStateCreateInfo multisample;
    VkPipelineColorBlendAttachmentState blend[VK_MAX_COLORS];
    VkPipelineColorBlendStateCreateInfo blending;
    VkPipelineDynamicStateCreateInfo dynamic;
};

static void
fill_usual(struct usual *u, const struct vk_graphics *info)
{
    static const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT,
                                             VK_DYNAMIC_STATE_SCISSOR};
    static const VkPipelineColorBlendAttachmentState plain = {
        .colorWriteMask = 15};
    *u = (struct usual){
        .vertices
            .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .assembly =
            {.sType =
                 VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
             .topology = info->topology || info->points
                             ? info->topology
                             : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
             .primitiveRestartEnable = info->restart},
        .patches =
            {.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
             .patchControlPoints = info->patch_vertices},
        .viewport =
            {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
             .viewportCount = 1,
             .scissorCount = 1},
        .raster =
            {.sType =
                 VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
             .lineWidth = 1},
        .multisample =
            {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
             .rasterizationSamples = (VkSampleCountFlagBits)(info->samples
                                                                 ? info->samples
                                                                 : 1)},
        .blending =
            {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
             .attachmentCount = info->colors,
             .pAttachments = u->blend},
        .dynamic = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
            .dynamicStateCount = VK_COUNT(dynamic),
            .pDynamicStates = dynamic}};
    for (uint32_t i = 0; i < info->colors; i++)
        u->blend[i] = info->blend ? info->blend[i] : plain;
}

VkPipeline
vk_graphics(const struct vk *vk, const struct vk_layout *layout,
            const struct vk_graphics *info)
{
    struct usual u;
    fill_usual(&u, info);
    VkPipelineShaderStageCreateInfo stages[VK_COUNT(info->shaders)];
    uint32_t count = 0;
    for (uint32_t i = 0; i < VK_COUNT(info->shaders); i++)
        if (info->shaders[i])
            stages[count++] = stage_of(vk, info->shaders[i], info->constants);
    VkFormat depth = info->depth_format;
    bool stencil = depth == VK_FORMAT_D24_UNORM_S8_UINT ||
                   depth == VK_FORMAT_D32_SFLOAT_S8_UINT;
    VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .viewMask = info->view_mask,
        .colorAttachmentCount = info->colors,
        .pColorAttachmentFormats = info->color,
        .depthAttachmentFormat = depth,
        .stencilAttachmentFormat = stencil ? depth : VK_FORMAT_UNDEFINED};
    VkGraphicsPipelineCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = info->pass ? NULL : &rendering,
        .stageCount = count,
        .pStages = stages,
        .pVertexInputState = info->vertices ? info->vertices : &u.vertices,
        .pInputAssemblyState = &u.assembly,
        .pTessellationState = info->patch_vertices ? &u.patches : NULL,
        .pViewportState = &u.viewport,
        .pRasterizationState = info->raster ? info->raster : &u.raster,
        .pMultisampleState = info->multisample ? info->multisample
                                               : &u.multisample,
        .pDepthStencilState = info->depth,
        .pColorBlendState = &u.blending,
        .pDynamicState = &u.dynamic,
        .layout = layout->layout,
        .renderPass = info->pass,
        .subpass = info->subpass};
    VkPipeline pipeline;
    VK(vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &create, NULL,
                                 &pipeline));
    return pipeline;
}

VkPipeline
vk_compute(const struct vk *vk, const struct vk_layout *layout,
           const struct vk_spirv *shader, const VkSpecializationInfo *constants)
{
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = stage_of(vk, shader, constants),
        .layout = layout->layout};
    VkPipeline pipeline;
    VK(vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL,
                                &pipeline));
    return pipeline;
}

void
vk_bind(const struct vk *vk, VkPipelineBindPoint point,
        const struct vk_layout *layout, VkPipeline pipeline)
{
    vkCmdBindPipeline(vk->cmd, point, pipeline);
    vkCmdBindDescriptorSets(vk->cmd, point, layout->layout, 0, 1, &layout->set,
                            0, NULL);
}

void
vk_push(const struct vk *vk, const struct vk_layout *layout, const void *data,
        uint32_t size_B)
{
    vkCmdPushConstants(vk->cmd, layout->layout, VK_SHADER_STAGE_ALL, 0, size_B,
                       data);
}

void
vk_dispatch(const struct vk *vk, const struct vk_layout *layout,
            VkPipeline pipeline, uint32_t x, uint32_t y, uint32_t z)
{
    vk_bind(vk, VK_PIPELINE_BIND_POINT_COMPUTE, layout, pipeline);
    vkCmdDispatch(vk->cmd, x, y, z);
    vk_barrier(vk);
}

void
vk_viewport(const struct vk *vk, VkCommandBuffer cmd, uint32_t width,
            uint32_t height)
{
    VkViewport viewport = {0, 0, (float)width, (float)height, 0, 1};
    VkRect2D scissor = {{0, 0}, {width, height}};
    vkCmdSetViewport(cmd, 0, 1, &viewport);
    vkCmdSetScissor(cmd, 0, 1, &scissor);
}

static VkRenderingAttachmentInfo
attachment(const struct vk *vk, const struct vk_target *t, VkImageLayout layout,
           VkResolveModeFlagBits mode)
{
    if (t->image->layout != layout)
        vk_to(vk, t->image, layout);
    if (t->resolve && t->resolve->layout != layout)
        vk_to(vk, t->resolve, layout);
    return (VkRenderingAttachmentInfo){
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = t->view ? t->view : t->image->view,
        .imageLayout = layout,
        .resolveMode = t->resolve ? mode : VK_RESOLVE_MODE_NONE,
        .resolveImageView = t->resolve ? t->resolve->view : VK_NULL_HANDLE,
        .resolveImageLayout = layout,
        .loadOp = t->load,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .clearValue = t->clear};
}

void
vk_begin(const struct vk *vk, struct vk_rendering *r)
{
    const struct vk_image *first = r->colors ? r->color[0].image
                                             : r->depth.image;
    VkRenderingAttachmentInfo color[VK_MAX_COLORS], depth, stencil;
    for (uint32_t i = 0; i < r->colors; i++)
        color[i] = attachment(
            vk, &r->color[i], VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
            r->color[i].mode ? r->color[i].mode : VK_RESOLVE_MODE_AVERAGE_BIT);
    const struct vk_target *d = &r->depth;
    VkImageAspectFlags aspect = d->image ? d->image->aspect : 0;
    if (d->image) {
        VkImageLayout layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
        VkResolveModeFlagBits usual = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
        depth = attachment(vk, d, layout, d->mode ? d->mode : usual);
        stencil = attachment(vk, d, layout,
                             d->stencil_mode ? d->stencil_mode : usual);
    }
    VkRenderingInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
        .flags = r->flags,
        .renderArea.extent = {first->width, first->height},
        .layerCount = r->layers ? r->layers : 1,
        .viewMask = r->view_mask,
        .colorAttachmentCount = r->colors,
        .pColorAttachments = color,
        .pDepthAttachment = aspect & VK_IMAGE_ASPECT_DEPTH_BIT ? &depth : NULL,
        .pStencilAttachment = aspect & VK_IMAGE_ASPECT_STENCIL_BIT ? &stencil
                                                                   : NULL};
    vkCmdBeginRendering(vk->cmd, &info);
    vk_viewport(vk, vk->cmd, first->width, first->height);
}

void
vk_end(const struct vk *vk)
{
    vkCmdEndRendering(vk->cmd);
}
