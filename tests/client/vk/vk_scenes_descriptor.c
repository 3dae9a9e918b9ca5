/* vk_scenes_descriptor.c: descriptors: an array with an index that differs from
 * pixel to pixel, written after it was bound; sets that are part of the command
 * buffer. */
#include "vk_scene.h"

#include <string.h>

#include "vk_scenes_descriptor_shaders.h"

static const float black[4];

static VkPipeline
simple_pipeline(struct vk *vk, const struct vk_layout *layout,
                const struct vk_spirv *fs)
{
    return vk_graphics(
        vk, layout,
        &(struct vk_graphics){.shaders = {scene_full, fs},
                              .colors = 1,
                              .color = {VK_FORMAT_R8G8B8A8_UNORM}});
}

enum { TEXTURES = 64 };

/* A set of textures that may be written after it was bound. */
static struct vk_layout
texture_set(struct vk *vk)
{
    VkDescriptorSetLayoutBinding binding = {
        0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, TEXTURES + 8,
        VK_SHADER_STAGE_FRAGMENT_BIT, NULL};
    VkDescriptorBindingFlags flags =
        VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT |
        VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT |
        VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
    VkDescriptorSetLayoutBindingFlagsCreateInfo with = {
        .sType =
            VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = 1,
        .pBindingFlags = &flags};
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .pNext = &with,
        .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
        .bindingCount = 1,
        .pBindings = &binding};
    struct vk_layout l;
    VK(vkCreateDescriptorSetLayout(vk->device, &info, NULL, &l.set_layout));
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &l.set_layout};
    VK(vkCreatePipelineLayout(vk->device, &layout, NULL, &l.layout));
    const uint32_t count = TEXTURES + 3;
    VkDescriptorSetVariableDescriptorCountAllocateInfo variable = {
        .sType =
            VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
        .descriptorSetCount = 1,
        .pDescriptorCounts = &count};
    VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .pNext = &variable,
        .descriptorPool = vk->descriptors,
        .descriptorSetCount = 1,
        .pSetLayouts = &l.set_layout};
    VK(vkAllocateDescriptorSets(vk->device, &allocate, &l.set));
    return l;
}

/* The colour of texture `i`, which has one texel. */
static void
texture_color(uint32_t i, uint8_t rgba[4])
{
    rgba[0] = (uint8_t)(i * 4);
    rgba[1] = (uint8_t)(255 - i * 3);
    rgba[2] = (uint8_t)(i * 37);
    rgba[3] = 255;
}

static void
descriptor_indexing(struct vk *vk, uint8_t *rgba)
{
    const VkPhysicalDeviceVulkan12Features *f = &vk->features.v12;
    vk_need(f->descriptorIndexing && f->runtimeDescriptorArray &&
                f->shaderSampledImageArrayNonUniformIndexing &&
                f->descriptorBindingVariableDescriptorCount &&
                f->descriptorBindingSampledImageUpdateAfterBind,
            "descriptor indexing");
    struct vk_layout layout = texture_set(vk);
    struct vk_image picture = scene_picture(vk), textures[TEXTURES];
    VkSampler sampler = vk_sampler(vk, VK_FILTER_NEAREST,
                                   VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
    for (uint32_t i = 0; i < TEXTURES; i++) {
        uint8_t texel[4];
        texture_color(i, texel);
        textures[i] = (struct vk_image){
            .format = VK_FORMAT_R8G8B8A8_UNORM, .width = 1, .height = 1};
        vk_image(vk, &textures[i]);
        vk_write_image(vk, &textures[i], 0, 0, texel);
        vk_to(vk, &textures[i], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    }
    VkPipeline pipeline = simple_pipeline(vk, &layout, &many_frag);
    scene_begin(vk, &picture, black);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
    for (uint32_t i = 0; i < TEXTURES; i++) {
        VkDescriptorImageInfo image = {
            sampler, textures[i].view,
            VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = layout.set,
            .dstArrayElement = i,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
            .pImageInfo = &image};
        vkUpdateDescriptorSets(vk->device, 1, &write, 0, NULL);
    }
    vkCmdDraw(vk->cmd, 3, 1, 0, 0);
    vk_end(vk);
    scene_show(vk, &picture, rgba);
    for (uint32_t i = 0; i < SCENE_TEXELS; i++) {
        uint8_t want[4];
        texture_color((i % SCENE_W * 7 + i / SCENE_W * 13) % 64, want);
        if (memcmp(want, rgba + i * 4, 4))
            vk_die("texel %u is %02x %02x %02x, not %02x %02x %02x", i,
                   rgba[i * 4], rgba[i * 4 + 1], rgba[i * 4 + 2], want[0],
                   want[1], want[2]);
    }
}

/* Descriptors that are part of the command buffer. */
static void
descriptor_push(struct vk *vk, uint8_t *rgba)
{
    vk_need(vk_has_extension(vk, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME),
            "push descriptors");
    PFN_vkCmdPushDescriptorSetKHR push = (PFN_vkCmdPushDescriptorSetKHR)vk_proc(
        vk, "vkCmdPushDescriptorSetKHR");
    static const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
         VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT,
         NULL}};
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
        .bindingCount = VK_COUNT(bindings),
        .pBindings = bindings};
    struct vk_layout l;
    VK(vkCreateDescriptorSetLayout(vk->device, &set, NULL, &l.set_layout));
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &l.set_layout};
    VK(vkCreatePipelineLayout(vk->device, &layout, NULL, &l.layout));
    VkPipeline pipeline = simple_pipeline(vk, &l, &texture_frag);
    struct vk_image picture = scene_picture(vk);
    struct vk_image images[] = {scene_pattern(vk, 32, 32, 1),
                                scene_pattern(vk, 8, 8, 1)};
    static const float colors[64] = {1, 1, 1, 1, [32] = 0.5f, 1, 0.25f, 1};
    struct vk_buffer uniforms = vk_buffer(vk, sizeof colors, colors);
    VkSampler sampler = vk_sampler(vk, VK_FILTER_NEAREST,
                                   VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
    for (int i = 0; i < 2; i++)
        vk_to(vk, &images[i], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    scene_begin(vk, &picture, black);
    vkCmdBindPipeline(vk->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    for (int i = 0; i < 4; i++) {
        VkDescriptorImageInfo image = {
            sampler, images[i & 1].view,
            VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        VkDescriptorBufferInfo buffer = {uniforms.buffer,
                                         (VkDeviceSize)(i / 2) * 128, 16};
        VkWriteDescriptorSet writes[] = {
            {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
             .descriptorCount = 1,
             .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
             .pImageInfo = &image},
            {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
             .dstBinding = 1,
             .descriptorCount = 1,
             .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
             .pBufferInfo = &buffer}};
        push(vk->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, l.layout, 0, 2, writes);
        VkRect2D part = {{i % 2 * 64, i / 2 * 64}, {60, 62}};
        vkCmdSetScissor(vk->cmd, 0, 1, &part);
        vkCmdDraw(vk->cmd, 3, 1, 0, 0);
    }
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

const struct vk_scene vk_scenes_descriptor[] = {
    {.name = "descriptor-indexing", .draw = descriptor_indexing},
    {.name = "descriptor-push", .draw = descriptor_push, .mean = 0.6},
    {.name = NULL},
};
