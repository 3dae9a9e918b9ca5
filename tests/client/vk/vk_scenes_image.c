/* vk_scenes_image.c: images: blits down a chain of levels, compressed blocks,
 * storage images, cubes, volumes, shadows. */
#include "vk_scene.h"

#include <stdlib.h>
#include <string.h>

#include "vk_scenes_image_shaders.h"

static const float black[4];

static VkPipeline
sampling(struct vk *vk, const struct vk_layout *layout,
         const struct vk_spirv *fs)
{
    return vk_graphics(
        vk, layout,
        &(struct vk_graphics){.shaders = {scene_full, fs},
                              .colors = 1,
                              .color = {VK_FORMAT_R8G8B8A8_UNORM}});
}

/* Draws a part of the picture with the bound state. */
static void
draw_part(const struct vk *vk, int x, int y, int width, int height)
{
    VkViewport part = {(float)x, (float)y, (float)width, (float)height, 0, 1};
    VkRect2D scissor = {{x, y}, {(uint32_t)width, (uint32_t)height}};
    vkCmdSetViewport(vk->cmd, 0, 1, &part);
    vkCmdSetScissor(vk->cmd, 0, 1, &scissor);
    vkCmdDraw(vk->cmd, 3, 1, 0, 0);
}

/* Each level from the one above, level by level. */
static void
blit_levels(struct vk *vk, struct vk_image *image, VkFilter filter)
{
    for (uint32_t level = 1; level < image->levels; level++) {
        VkImageBlit blit = {
            .srcSubresource = {image->aspect, level - 1, 0, image->layers},
            .srcOffsets[1] = {(int32_t)(image->width >> (level - 1)),
                              (int32_t)(image->height >> (level - 1)), 1},
            .dstSubresource = {image->aspect, level, 0, image->layers},
            .dstOffsets[1] = {(int32_t)(image->width >> level),
                              (int32_t)(image->height >> level), 1}};
        vk_to(vk, image, VK_IMAGE_LAYOUT_GENERAL);
        vkCmdBlitImage(vk->cmd, image->image, image->layout, image->image,
                       image->layout, 1, &blit, filter);
    }
}

static void
image_levels(struct vk *vk, uint8_t *rgba)
{
    static const struct {
        float scale, bias;
    } looks[] = {{1, 0},    {2, 0},    {4, 0},    {8, 0},
                 {1, 1.5f}, {1, 2.5f}, {3, 0.5f}, {16, -1}};
    struct vk_image picture = scene_picture(vk);
    struct vk_image image = scene_pattern(vk, 64, 64, 7);
    blit_levels(vk, &image, VK_FILTER_LINEAR);
    vk_to(vk, &image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    const struct vk_binding b[] = {
        {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
         .image = &image,
         .sampler = vk_sampler(vk, VK_FILTER_LINEAR,
                               VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT)}};
    struct vk_layout layout = vk_layout(vk, b, 1);
    VkPipeline pipeline = sampling(vk, &layout, &sample_frag);
    scene_begin(vk, &picture, black);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
    for (int i = 0; i < (int)VK_COUNT(looks); i++) {
        vk_push(vk, &layout, &looks[i], sizeof looks[i]);
        draw_part(vk, i % 4 * 32, i / 4 * 64, 32, 64);
    }
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

/* Blits that scale, turn, and convert between formats. */
static void
image_blits(struct vk *vk, uint8_t *rgba)
{
    static const struct {
        VkOffset3D from[2], to[2];
        VkFilter filter;
    } rows[] = {
        {{{0, 0, 0}, {32, 32, 1}}, {{0, 0, 0}, {64, 64, 1}}, VK_FILTER_NEAREST},
        {{{31, 2, 0}, {3, 30, 1}},
         {{64, 4, 0}, {120, 60, 1}},
         VK_FILTER_NEAREST},
        {{{4, 28, 0}, {28, 4, 1}},
         {{4, 70, 0}, {40, 120, 1}},
         VK_FILTER_LINEAR},
        {{{0, 0, 0}, {32, 32, 1}},
         {{70, 70, 0}, {80, 80, 1}},
         VK_FILTER_LINEAR},
        {{{8, 8, 0}, {24, 24, 1}},
         {{90, 110, 0}, {126, 66, 1}},
         VK_FILTER_LINEAR},
    };
    struct vk_image picture = scene_picture(vk);
    struct vk_image from = scene_pattern(vk, 32, 32, 1);
    struct vk_image middle = {
        .format = VK_FORMAT_R16G16B16A16_SFLOAT, .width = 32, .height = 32};
    vk_image(vk, &middle);
    VkImageBlit all = {.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                       .srcOffsets[1] = {32, 32, 1},
                       .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                       .dstOffsets[1] = {32, 32, 1}};
    vk_to(vk, &from, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vk_to(vk, &middle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdBlitImage(vk->cmd, from.image, from.layout, middle.image,
                   middle.layout, 1, &all, VK_FILTER_NEAREST);
    vk_to(vk, &middle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    scene_begin(vk, &picture, black);
    vk_end(vk);
    vk_to(vk, &picture, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    for (uint32_t i = 0; i < VK_COUNT(rows); i++) {
        VkImageBlit blit = all;
        memcpy(blit.srcOffsets, rows[i].from, sizeof blit.srcOffsets);
        memcpy(blit.dstOffsets, rows[i].to, sizeof blit.dstOffsets);
        vkCmdBlitImage(vk->cmd, middle.image, middle.layout, picture.image,
                       picture.layout, 1, &blit, rows[i].filter);
    }
    scene_show(vk, &picture, rgba);
}

/* The formats of compressed blocks, from one list of bytes. */
static void
image_bc(struct vk *vk, uint8_t *rgba)
{
    static const struct {
        VkFormat format;
        uint32_t block_B;
    } rows[] = {
        {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 8}, {VK_FORMAT_BC2_UNORM_BLOCK, 16},
        {VK_FORMAT_BC3_UNORM_BLOCK, 16},     {VK_FORMAT_BC4_UNORM_BLOCK, 8},
        {VK_FORMAT_BC5_SNORM_BLOCK, 16},     {VK_FORMAT_BC7_UNORM_BLOCK, 16},
        {VK_FORMAT_BC6H_UFLOAT_BLOCK, 16},   {VK_FORMAT_BC1_RGB_SRGB_BLOCK, 8}};
    vk_need(vk->features.core.features.textureCompressionBC, "BC formats");
    uint8_t bytes[64 * 16];
    uint32_t seed = 7;
    for (uint32_t i = 0; i < sizeof bytes; i++) {
        seed = seed * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(seed >> 24);
    }
    struct vk_image picture = scene_picture(vk), images[VK_COUNT(rows)];
    struct vk_layout layouts[VK_COUNT(rows)];
    struct vk_buffer blocks = vk_buffer(vk, sizeof bytes, bytes);
    VkSampler sampler = vk_sampler(vk, VK_FILTER_NEAREST,
                                   VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
    for (uint32_t i = 0; i < VK_COUNT(rows); i++) {
        images[i] = (struct vk_image){.format = rows[i].format,
                                      .width = 32,
                                      .height = 32,
                                      .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
        vk_image(vk, &images[i]);
        vk_to(vk, &images[i], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        VkBufferImageCopy copy = {
            .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
            .imageExtent = {32, 32, 1}};
        vkCmdCopyBufferToImage(vk->cmd, blocks.buffer, images[i].image,
                               images[i].layout, 1, &copy);
        vk_to(vk, &images[i], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        const struct vk_binding b = {
            .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
            .image = &images[i],
            .sampler = sampler};
        layouts[i] = vk_layout(vk, &b, 1);
    }
    VkPipeline pipeline = sampling(vk, &layouts[0], &sample_frag);
    scene_begin(vk, &picture, black);
    for (uint32_t i = 0; i < VK_COUNT(rows); i++) {
        vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layouts[i], pipeline);
        vk_push(vk, &layouts[i], (const float[]){1, 0}, 8);
        draw_part(vk, (int)i % 4 * 32, (int)i / 4 * 32, 32, 32);
    }
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

static void
image_storage(struct vk *vk, uint8_t *rgba)
{
    struct vk_image images[] = {
        {.format = VK_FORMAT_R8G8B8A8_UNORM, .width = 128, .height = 128},
        {.format = VK_FORMAT_R32_UINT, .width = 16, .height = 18},
        {.format = VK_FORMAT_R16G16B16A16_SFLOAT,
         .width = 64,
         .height = 64,
         .layers = 4},
        {.format = VK_FORMAT_R32_SFLOAT,
         .width = 32,
         .height = 32,
         .depth = 16,
         .type = VK_IMAGE_TYPE_3D}};
    struct vk_buffer buffer = vk_buffer(vk, SCENE_B, NULL);
    struct vk_binding b[VK_COUNT(images) + 1];
    VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0,
                                   VK_REMAINING_ARRAY_LAYERS};
    VkClearColorValue zero = {.uint32 = {0, 0, 0, 0}};
    for (uint32_t i = 0; i < VK_COUNT(images); i++) {
        images[i].usage = VK_IMAGE_USAGE_STORAGE_BIT;
        vk_image(vk, &images[i]);
        vk_to(vk, &images[i], VK_IMAGE_LAYOUT_GENERAL);
        vkCmdClearColorImage(vk->cmd, images[i].image, images[i].layout, &zero,
                             1, &all);
        b[i] = (struct vk_binding){.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                                   .image = &images[i]};
    }
    b[VK_COUNT(images)] = (struct vk_binding){
        .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .buffer = &buffer};
    struct vk_layout layout = vk_layout(vk, b, VK_COUNT(b));
    VkPipeline store = vk_compute(vk, &layout, &store_comp, NULL);
    VkPipeline load = vk_compute(vk, &layout, &load_comp, NULL);
    vk_barrier(vk);
    vk_dispatch(vk, &layout, store, 16, 16, 1);
    scene_paint(vk, &layout, load, &buffer, rgba);
}

/* Every format, stored by one shader and loaded by another. */
static void
image_formats(struct vk *vk, uint8_t *rgba)
{
    static const struct {
        VkFormat format;
        const struct vk_spirv *see;
    } rows[] = {{VK_FORMAT_R16G16B16A16_UNORM, &see_rgba16_comp},
                {VK_FORMAT_R16G16B16A16_SNORM, &see_rgba16_snorm_comp},
                {VK_FORMAT_R8G8B8A8_UNORM, &see_rgba8_comp},
                {VK_FORMAT_R8G8B8A8_SNORM, &see_rgba8_snorm_comp},
                {VK_FORMAT_A2B10G10R10_UNORM_PACK32, &see_rgb10_a2_comp},
                {VK_FORMAT_B10G11R11_UFLOAT_PACK32, &see_r11f_g11f_b10f_comp},
                {VK_FORMAT_R16G16_UNORM, &see_rg16_comp},
                {VK_FORMAT_R16G16_SNORM, &see_rg16_snorm_comp},
                {VK_FORMAT_R8G8_UNORM, &see_rg8_comp},
                {VK_FORMAT_R8G8_SNORM, &see_rg8_snorm_comp},
                {VK_FORMAT_R16_UNORM, &see_r16_comp},
                {VK_FORMAT_R16_SNORM, &see_r16_snorm_comp},
                {VK_FORMAT_R8_UNORM, &see_r8_comp},
                {VK_FORMAT_R8_SNORM, &see_r8_snorm_comp},
                {VK_FORMAT_R16G16_SFLOAT, &see_rg16f_comp},
                {VK_FORMAT_R16_SFLOAT, &see_r16f_comp}};
    struct vk_buffer buffer = vk_buffer(vk, SCENE_B, NULL);
    for (uint32_t i = 0; i < VK_COUNT(rows); i++) {
        VkFormatProperties has;
        vkGetPhysicalDeviceFormatProperties(vk->physical, rows[i].format, &has);
        vk_need(has.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT,
                "a format of images that are stored to");
        struct vk_image image = {.format = rows[i].format,
                                 .width = 32,
                                 .height = 32,
                                 .usage = VK_IMAGE_USAGE_STORAGE_BIT};
        vk_image(vk, &image);
        vk_to(vk, &image, VK_IMAGE_LAYOUT_GENERAL);
        const struct vk_binding b[] = {
            {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .image = &image},
            {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .buffer = &buffer}};
        struct vk_layout layout = vk_layout(vk, b, VK_COUNT(b));
        vk_push(vk, &layout, &i, sizeof i);
        vk_dispatch(vk, &layout, vk_compute(vk, &layout, &any_comp, NULL), 4, 4,
                    1);
        vk_dispatch(vk, &layout, vk_compute(vk, &layout, rows[i].see, NULL), 4,
                    4, 1);
    }
    vk_finish(vk);
    memcpy(rgba, buffer.map, SCENE_B);
}

/* A cube whose faces are all different, and a volume. */
static void
image_shapes(struct vk *vk, uint8_t *rgba)
{
    struct vk_image picture = scene_picture(vk);
    struct vk_image cube = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                            .width = 8,
                            .height = 8,
                            .layers = 6,
                            .flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
                            .view_type = VK_IMAGE_VIEW_TYPE_CUBE,
                            .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
    struct vk_image volume = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                              .width = 8,
                              .height = 8,
                              .depth = 8,
                              .type = VK_IMAGE_TYPE_3D,
                              .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
    vk_image(vk, &cube);
    vk_image(vk, &volume);
    for (uint32_t layer = 0; layer < 8; layer++) {
        uint8_t texels[64][4];
        for (uint32_t i = 0; i < 64; i++) {
            texels[i][0] = (uint8_t)(layer * 36);
            texels[i][1] = (uint8_t)(i % 8 * 32);
            texels[i][2] = (uint8_t)(i / 8 * 32);
            texels[i][3] = 255;
        }
        if (layer < 6)
            vk_write_image(vk, &cube, 0, layer, texels);
        vk_write_image(vk, &volume, 0, layer, texels);
    }
    vk_to(vk, &cube, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vk_to(vk, &volume, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    VkSampler samplers[] = {
        vk_sampler(vk, VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
        vk_sampler(vk, VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT)};
    const struct vk_spirv *const shaders[] = {&cube_frag, &volume_frag};
    scene_begin(vk, &picture, black);
    for (int i = 0; i < 2; i++) {
        const struct vk_binding b = {
            .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
            .image = i ? &volume : &cube,
            .sampler = samplers[i]};
        struct vk_layout layout = vk_layout(vk, &b, 1);
        vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout,
                sampling(vk, &layout, shaders[i]));
        draw_part(vk, 0, i * 64, 128, 64);
    }
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

/* Depth as a texture: compared, gathered, read. */
static void
image_shadow(struct vk *vk, uint8_t *rgba)
{
    struct vk_image picture = scene_picture(vk);
    struct vk_image depth = {
        .format = VK_FORMAT_D32_SFLOAT, .width = 16, .height = 16};
    float values[256];
    for (int i = 0; i < 256; i++)
        values[i] = (float)(i * 37 % 256) / 256;
    vk_image(vk, &depth);
    vk_write_image(vk, &depth, 0, 0, values);
    vk_to(vk, &depth, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
        .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
        .compareEnable = VK_TRUE,
        .compareOp = VK_COMPARE_OP_GREATER,
        .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE};
    VkSampler compare;
    VK(vkCreateSampler(vk->device, &info, NULL, &compare));
    const struct vk_binding b[] = {
        {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
         .image = &depth,
         .sampler = compare},
        {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
         .image = &depth,
         .sampler = vk_sampler(vk, VK_FILTER_NEAREST,
                               VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE)}};
    struct vk_layout layout = vk_layout(vk, b, VK_COUNT(b));
    scene_begin(vk, &picture, black);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout,
            sampling(vk, &layout, &shadow_frag));
    vkCmdDraw(vk->cmd, 3, 1, 0, 0);
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

const struct vk_scene vk_scenes_image[] = {
    {.name = "image-levels", .draw = image_levels, .mean = 1, .percent = 0.5},
    {.name = "image-blits", .draw = image_blits, .mean = 1, .percent = 0.5},
    {.name = "image-bc", .draw = image_bc, .mean = 0.6},
    {.name = "image-storage", .draw = image_storage},
    {.name = "image-formats", .draw = image_formats, .mean = 0.05},
    {.name = "image-shapes", .draw = image_shapes, .mean = 1, .percent = 0.5},
    {.name = "image-shadow", .draw = image_shadow, .mean = 0.6},
    {.name = NULL},
};
