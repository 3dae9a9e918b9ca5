/* Buffers and images. */
#include "vk.h"

#include <string.h>

VkDeviceMemory
vk_memory(const struct vk *vk, const VkMemoryRequirements *needs,
          VkMemoryPropertyFlags flags, const void *next)
{
    VkPhysicalDeviceMemoryProperties has;
    vkGetPhysicalDeviceMemoryProperties(vk->physical, &has);
    for (uint32_t i = 0; i < has.memoryTypeCount; i++) {
        if (!(needs->memoryTypeBits >> i & 1) ||
            (has.memoryTypes[i].propertyFlags & flags) != flags)
            continue;
        VkMemoryAllocateFlagsInfo address = {
            .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
            .pNext = next,
            .flags = vk->features.v12.bufferDeviceAddress
                         ? VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT
                         : 0};
        VkMemoryAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
            .pNext = &address,
            .allocationSize = needs->size,
            .memoryTypeIndex = i};
        VkDeviceMemory memory;
        VK(vkAllocateMemory(vk->device, &info, NULL, &memory));
        return memory;
    }
    vk_die("no memory of types 0x%x with 0x%x", needs->memoryTypeBits, flags);
}

struct vk_buffer
vk_buffer(const struct vk *vk, VkDeviceSize size_B, const void *data)
{
    struct vk_buffer b = {.size_B = size_B};
    VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                               VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                               VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                               VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                               VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                               VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                               VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                               VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
                               VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
    if (vk->features.v12.bufferDeviceAddress)
        usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    if (vk->features.feedback.transformFeedback)
        usage |= VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT |
                 VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT;
    if (vk->features.conditional.conditionalRendering)
        usage |= VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = size_B,
                               .usage = usage};
    VK(vkCreateBuffer(vk->device, &info, NULL, &b.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(vk->device, b.buffer, &needs);
    b.memory = vk_memory(vk, &needs,
                         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                             VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                         NULL);
    VK(vkBindBufferMemory(vk->device, b.buffer, b.memory, 0));
    VK(vkMapMemory(vk->device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.map));
    if (data)
        memcpy(b.map, data, size_B);
    else
        memset(b.map, 0, size_B);
    return b;
}

static VkImageAspectFlags
usual_aspect(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D32_SFLOAT: return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_FORMAT_S8_UINT: return VK_IMAGE_ASPECT_STENCIL_BIT;
    case VK_FORMAT_D24_UNORM_S8_UINT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT:
        return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    default: return VK_IMAGE_ASPECT_COLOR_BIT;
    }
}

static void
fill_in(struct vk_image *image)
{
    uint32_t *const ones[] = {&image->depth, &image->layers, &image->levels,
                              &image->samples};
    for (uint32_t i = 0; i < VK_COUNT(ones); i++)
        if (!*ones[i])
            *ones[i] = 1;
    if (!image->aspect)
        image->aspect = usual_aspect(image->format);
    if (!image->type)
        image->type = VK_IMAGE_TYPE_2D;
    if (!image->view_type)
        image->view_type = image->type == VK_IMAGE_TYPE_3D
                               ? VK_IMAGE_VIEW_TYPE_3D
                           : image->layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY
                                               : VK_IMAGE_VIEW_TYPE_2D;
    if (!image->usage)
        image->usage = VK_IMAGE_USAGE_SAMPLED_BIT |
                       (image->aspect & VK_IMAGE_ASPECT_COLOR_BIT
                            ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                            : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
    image->usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                    VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    image->layout = VK_IMAGE_LAYOUT_UNDEFINED;
}

void
vk_image_create(const struct vk *vk, struct vk_image *image, const void *next)
{
    fill_in(image);
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .pNext = next,
        .flags = image->flags,
        .imageType = image->type,
        .format = image->format,
        .extent = {image->width, image->height, image->depth},
        .mipLevels = image->levels,
        .arrayLayers = image->layers,
        .samples = (VkSampleCountFlagBits)image->samples,
        .tiling = image->tiling,
        .usage = image->usage};
    VK(vkCreateImage(vk->device, &info, NULL, &image->image));
}

static VkImageView
view_of(const struct vk *vk, const struct vk_image *image, VkImageViewType type,
        VkImageSubresourceRange range)
{
    VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image->image,
        .viewType = type,
        .format = image->format,
        .subresourceRange = range};
    VkImageView view;
    VK(vkCreateImageView(vk->device, &info, NULL, &view));
    return view;
}

VkImageView
vk_view(const struct vk *vk, const struct vk_image *image)
{
    return view_of(vk, image, image->view_type,
                   (VkImageSubresourceRange){image->aspect, 0, image->levels, 0,
                                             image->layers});
}

VkImageView
vk_view_of(const struct vk *vk, const struct vk_image *image,
           VkImageViewType type, uint32_t level, uint32_t layer,
           uint32_t layers)
{
    return view_of(
        vk, image, type,
        (VkImageSubresourceRange){image->aspect, level, 1, layer, layers});
}

void
vk_image(const struct vk *vk, struct vk_image *image)
{
    vk_image_create(vk, image, NULL);
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(vk->device, image->image, &needs);
    image->memory = vk_memory(vk, &needs, 0, NULL);
    VK(vkBindImageMemory(vk->device, image->image, image->memory, 0));
    image->view = vk_view(vk, image);
}

void
vk_to(const struct vk *vk, struct vk_image *image, VkImageLayout layout)
{
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = image->layout,
        .newLayout = layout,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image->image,
        .subresourceRange = {image->aspect, 0, image->levels, 0,
                             image->layers}};
    vkCmdPipelineBarrier(vk->cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
    image->layout = layout;
}

uint32_t
vk_texel_B(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_R8_UNORM:
    case VK_FORMAT_R8_UINT:
    case VK_FORMAT_S8_UINT: return 1;
    case VK_FORMAT_R8G8_UNORM:
    case VK_FORMAT_R16_UINT:
    case VK_FORMAT_R5G6B5_UNORM_PACK16:
    case VK_FORMAT_D16_UNORM: return 2;
    case VK_FORMAT_R8G8B8A8_UNORM:
    case VK_FORMAT_R8G8B8A8_SRGB:
    case VK_FORMAT_R8G8B8A8_SINT:
    case VK_FORMAT_R8G8B8A8_UINT:
    case VK_FORMAT_B8G8R8A8_UNORM:
    case VK_FORMAT_A2B10G10R10_UNORM_PACK32:
    case VK_FORMAT_B10G11R11_UFLOAT_PACK32:
    case VK_FORMAT_R16G16_SFLOAT:
    case VK_FORMAT_R32_SFLOAT:
    case VK_FORMAT_R32_SINT:
    case VK_FORMAT_R32_UINT:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D32_SFLOAT: return 4;
    case VK_FORMAT_R16G16B16A16_SFLOAT:
    case VK_FORMAT_R16G16B16A16_UINT:
    case VK_FORMAT_R16G16B16A16_UNORM:
    case VK_FORMAT_R32G32_UINT:
    case VK_FORMAT_R32G32_SFLOAT: return 8;
    case VK_FORMAT_R32G32B32A32_UINT:
    case VK_FORMAT_R32G32B32A32_SINT:
    case VK_FORMAT_R32G32B32A32_SFLOAT: return 16;
    default: vk_die("vk_texel_B: format %d", format);
    }
}

static VkBufferImageCopy
part(const struct vk_image *image, uint32_t level, uint32_t layer)
{
    bool slices = image->type == VK_IMAGE_TYPE_3D;
    uint32_t width = image->width >> level, height = image->height >> level;
    return (VkBufferImageCopy){
        .imageSubresource = {image->aspect, level, slices ? 0 : layer, 1},
        .imageOffset = {0, 0, slices ? (int32_t)layer : 0},
        .imageExtent = {width ? width : 1, height ? height : 1, 1}};
}

static VkDeviceSize
part_B(const struct vk_image *image, const VkBufferImageCopy *copy)
{
    return (VkDeviceSize)copy->imageExtent.width * copy->imageExtent.height *
           vk_texel_B(image->format);
}

void
vk_write_image(struct vk *vk, struct vk_image *image, uint32_t level,
               uint32_t layer, const void *texels)
{
    VkBufferImageCopy copy = part(image, level, layer);
    struct vk_buffer from = vk_buffer(vk, part_B(image, &copy), texels);
    vk_to(vk, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(vk->cmd, from.buffer, image->image, image->layout, 1,
                           &copy);
}

void
vk_read_image(struct vk *vk, struct vk_image *image, uint32_t level,
              uint32_t layer, void *texels)
{
    VkBufferImageCopy copy = part(image, level, layer);
    struct vk_buffer to = vk_buffer(vk, part_B(image, &copy), NULL);
    vk_to(vk, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(vk->cmd, image->image, image->layout, to.buffer, 1,
                           &copy);
    vk_finish(vk);
    memcpy(texels, to.map, to.size_B);
}

VkSampler
vk_sampler(const struct vk *vk, VkFilter filter, VkSamplerAddressMode wrap)
{
    VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = filter,
        .minFilter = filter,
        .mipmapMode = filter == VK_FILTER_LINEAR
                          ? VK_SAMPLER_MIPMAP_MODE_LINEAR
                          : VK_SAMPLER_MIPMAP_MODE_NEAREST,
        .addressModeU = wrap,
        .addressModeV = wrap,
        .addressModeW = wrap,
        .maxLod = VK_LOD_CLAMP_NONE};
    VkSampler sampler;
    VK(vkCreateSampler(vk->device, &info, NULL, &sampler));
    return sampler;
}
