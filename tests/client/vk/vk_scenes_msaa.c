/* vk_scenes_msaa.c: multisampling: resolves of colour, depth and stencil.
 * lavapipe supports only 4 samples, which replace the other numbers there. */
#include "vk_scene.h"

#include <string.h>

#include "vk_scenes_msaa_shaders.h"

static const float black[4];

static uint32_t
samples_here(const struct vk *vk, uint32_t samples)
{
    if (vk->properties.limits.framebufferColorSampleCounts & samples)
        return samples;
    vk_need(vk->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU,
            "so many samples");
    return 4;
}

static void
resolve(struct vk *vk, uint32_t samples, uint8_t *rgba)
{
    struct vk_image picture = scene_picture(vk), many = picture;
    many.samples = samples_here(vk, samples);
    vk_image(vk, &many);
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipeline = vk_graphics(
        vk, &layout,
        &(struct vk_graphics){.shaders = {&slope_vert, &color_frag},
                              .samples = many.samples,
                              .colors = 1,
                              .color = {many.format}});
    struct vk_rendering r = {
        .colors = 1,
        .color[0] = {.image = &many,
                     .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                     .clear.color.float32 = {0.2f, 0.2f, 0, 1},
                     .resolve = &picture}};
    vk_begin(vk, &r);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
    vkCmdDraw(vk->cmd, 3, 1, 0, 0);
    vk_end(vk);
    scene_show(vk, &picture, rgba);
}

static void
resolve2(struct vk *vk, uint8_t *rgba)
{
    resolve(vk, 2, rgba);
}

static void
resolve4(struct vk *vk, uint8_t *rgba)
{
    resolve(vk, 4, rgba);
}

static void
resolve8(struct vk *vk, uint8_t *rgba)
{
    resolve(vk, 8, rgba);
}

static void
resolve16(struct vk *vk, uint8_t *rgba)
{
    resolve(vk, 16, rgba);
}

/* Sample shading, the shader's mask and the pipeline's, alpha to coverage;
 * vkCmdResolveImage. */
static void
msaa_sample(struct vk *vk, uint8_t *rgba)
{
    struct vk_image picture = scene_picture(vk), many = picture;
    many.samples = 4;
    vk_image(vk, &many);
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    static const VkSampleMask mask = 7;
    VkPipelineMultisampleStateCreateInfo multisample = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_4_BIT,
        .sampleShadingEnable = VK_TRUE,
        .minSampleShading = 1,
        .pSampleMask = &mask};
    VkPipeline pipeline = vk_graphics(
        vk, &layout,
        &(struct vk_graphics){.shaders = {&slope_vert, &sample_frag},
                              .multisample = &multisample,
                              .colors = 1,
                              .color = {many.format}});
    scene_begin(vk, &many, black);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
    vkCmdDraw(vk->cmd, 3, 1, 0, 0);
    vk_end(vk);
    vk_to(vk, &many, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vk_to(vk, &picture, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkImageResolve all = {
        .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .extent = {SCENE_W, SCENE_H, 1}};
    vkCmdResolveImage(vk->cmd, many.image, many.layout, picture.image,
                      picture.layout, 1, &all);
    scene_show(vk, &picture, rgba);
}

static VkImageView
aspect_view(const struct vk *vk, struct vk_image image,
            VkImageAspectFlags aspect)
{
    image.aspect = aspect;
    return vk_view(vk, &image);
}

static bool
offers_modes(const struct vk *vk, VkResolveModeFlags depth,
             VkResolveModeFlags stencil)
{
    VkPhysicalDeviceDepthStencilResolveProperties modes = {
        .sType =
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_STENCIL_RESOLVE_PROPERTIES};
    VkPhysicalDeviceProperties2 p = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &modes};
    vkGetPhysicalDeviceProperties2(vk->physical, &p);
    return (modes.supportedDepthResolveModes & depth) == depth &&
           (modes.supportedStencilResolveModes & stencil) == stencil;
}

/* Draws depth and stencil of 4 samples and resolves both in these ways. */
static void
resolve_depth(struct vk *vk, struct vk_image *plain, VkResolveModeFlagBits mode,
              VkResolveModeFlagBits stencil_mode)
{
    struct vk_image many = *plain;
    many.samples = 4;
    vk_image(vk, &many);
    VkStencilOpState face = {.passOp = VK_STENCIL_OP_REPLACE,
                             .compareOp = VK_COMPARE_OP_ALWAYS,
                             .compareMask = 0xff,
                             .writeMask = 0xff,
                             .reference = 0xa0};
    VkPipelineDepthStencilStateCreateInfo test = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = VK_TRUE,
        .depthWriteEnable = VK_TRUE,
        .depthCompareOp = VK_COMPARE_OP_ALWAYS,
        .stencilTestEnable = VK_TRUE,
        .front = face,
        .back = face};
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipeline = vk_graphics(
        vk, &layout,
        &(struct vk_graphics){.shaders = {&slope_vert},
                              .samples = 4,
                              .depth = &test,
                              .depth_format = many.format});
    struct vk_rendering r = {.depth = {.image = &many,
                                       .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .clear.depthStencil = {0.5f, 0x33},
                                       .resolve = plain,
                                       .mode = mode,
                                       .stencil_mode = stencil_mode}};
    vk_begin(vk, &r);
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
    vkCmdDraw(vk->cmd, 3, 1, 0, 0);
    vk_end(vk);
}

/* The depth of slope.vert's triangle at the centre of a pixel of a quarter. */
static double
slope_depth(int x, int y)
{
    static const double p[3][3] = {
        {-0.9, -0.8, 0.1}, {0.85, -0.3, 0.9}, {0.0, 0.95, 0.4}};
    double px = (x + 0.5) / 32 - 1, py = (y + 0.5) / 32 - 1;
    double ax = p[1][0] - p[0][0], ay = p[1][1] - p[0][1];
    double bx = p[2][0] - p[0][0], by = p[2][1] - p[0][1];
    double cx = px - p[0][0], cy = py - p[0][1];
    double area = ax * by - bx * ay;
    return p[0][2] + (cx * by - bx * cy) / area * (p[1][2] - p[0][2]) +
           (ax * cy - cx * ay) / area * (p[2][2] - p[0][2]);
}

/* The quarters are sample 0, the average, least and greatest depth. */
static void
check_depth(const uint8_t *rgba)
{
    int inside = 0;
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 64; x++) {
            const uint8_t *zero = rgba + (y * SCENE_W + x) * 4;
            const uint8_t *mean = zero + 64 * 4;
            const uint8_t *least = zero + 64 * SCENE_W * 4;
            const uint8_t *most = least + 64 * 4;
            if (zero[0] < least[0] || zero[0] > most[0] || mean[0] < least[0] ||
                mean[0] > most[0])
                vk_die("depth at %d, %d is out of order", x, y);
            if (zero[1] != mean[1] ||
                (zero[1] != least[1] && zero[1] != most[1]))
                vk_die("stencil at %d, %d", x, y);
            /* The greatest stencil value is beside the least depth. */
            if (least[1] < most[1])
                vk_die("stencil at %d, %d is out of order", x, y);
            if (most[1] == 0x33 && least[1] == 0x33 && zero[0] != 128)
                vk_die("depth at %d, %d is not the cleared one", x, y);
            if (most[1] != 0xa0)
                continue;
            inside++;
            double off = mean[0] - 255 * slope_depth(x, y);
            if (off > 1 || off < -1 || most[0] == least[0])
                vk_die("mean depth at %d, %d is off by %g", x, y, off);
        }
    if (inside < 1000)
        vk_die("%d pixels are inside", inside);
}

static void
msaa_depth(struct vk *vk, uint8_t *rgba)
{
    static const VkResolveModeFlagBits modes[4][2] = {
        {VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, VK_RESOLVE_MODE_SAMPLE_ZERO_BIT},
        {VK_RESOLVE_MODE_AVERAGE_BIT, VK_RESOLVE_MODE_SAMPLE_ZERO_BIT},
        {VK_RESOLVE_MODE_MIN_BIT, VK_RESOLVE_MODE_MAX_BIT},
        {VK_RESOLVE_MODE_MAX_BIT, VK_RESOLVE_MODE_MIN_BIT}};
    vk_need(offers_modes(vk, 15, 13), "depth and stencil resolved in each way");
    struct vk_image picture = scene_picture(vk);
    VkSampler sampler = vk_sampler(vk, VK_FILTER_NEAREST,
                                   VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
    struct vk_image plain[4];
    for (int i = 0; i < 4; i++) {
        plain[i] = (struct vk_image){.format = VK_FORMAT_D32_SFLOAT_S8_UINT,
                                     .width = SCENE_W / 2,
                                     .height = SCENE_H / 2};
        vk_image(vk, &plain[i]);
        resolve_depth(vk, &plain[i], modes[i][0], modes[i][1]);
        vk_to(vk, &plain[i], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    }
    scene_begin(vk, &picture, black);
    for (int i = 0; i < 4; i++) {
        struct vk_binding b[] = {
            {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
             .view = aspect_view(vk, plain[i], VK_IMAGE_ASPECT_DEPTH_BIT),
             .sampler = sampler},
            {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
             .view = aspect_view(vk, plain[i], VK_IMAGE_ASPECT_STENCIL_BIT),
             .sampler = sampler}};
        struct vk_layout layout = vk_layout(vk, b, 2);
        VkPipeline pipeline = vk_graphics(
            vk, &layout,
            &(struct vk_graphics){.shaders = {scene_full, &values_frag},
                                  .colors = 1,
                                  .color = {picture.format}});
        VkRect2D part = {{i % 2 * 64, i / 2 * 64}, {64, 64}};
        vkCmdSetScissor(vk->cmd, 0, 1, &part);
        vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
        vkCmdDraw(vk->cmd, 3, 1, 0, 0);
    }
    vk_end(vk);
    scene_show(vk, &picture, rgba);
    check_depth(rgba);
}

const struct vk_scene vk_scenes_msaa[] = {
    /* Sample positions depend on the implementation: edges differ a little. */
    {.name = "resolve-2", .draw = resolve2, .mean = 1.5, .percent = 3},
    {.name = "resolve-4", .draw = resolve4, .mean = 1, .percent = 2},
    {.name = "resolve-8", .draw = resolve8, .mean = 1, .percent = 3},
    {.name = "resolve-16", .draw = resolve16, .mean = 1, .percent = 3},
    {.name = "msaa-sample", .draw = msaa_sample, .mean = 3, .percent = 3},
    {.name = "msaa-depth", .draw = msaa_depth, .mean = 1, .percent = 2},
    {.name = NULL},
};
