/* vk_scenes_clear.c: clears of every kind, several in a row with different
 * colours, read by shaders without a copy in between: a driver may leave the
 * pixels to the clear state of an auxiliary surface. */
#include "vk_scene.h"

#include <string.h>

#include "vk_scenes_clear_shaders.h"

enum { SIDE_PX = 64, LOOKS = 16 };

struct eye {
    struct vk_layout layout;
    VkPipeline pipeline;
};

struct look {
    uint32_t square;
    int32_t lod, layer, step_px;
};

static struct eye
open_eye(struct vk *vk, const struct vk_spirv *shader, VkImageView view,
         const struct vk_buffer *picture)
{
    const struct vk_binding b[] = {
        {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
         .view = view,
         .sampler = vk_sampler(vk, VK_FILTER_NEAREST,
                               VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE)},
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .buffer = picture}};
    struct eye eye = {.layout = vk_layout(vk, b, VK_COUNT(b))};
    eye.pipeline = vk_compute(vk, &eye.layout, shader, NULL);
    return eye;
}

static void
look(struct vk *vk, const struct eye *eye, struct vk_image *image,
     struct look at)
{
    vk_to(vk, image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vk_push(vk, &eye->layout, &at, sizeof at);
    vk_dispatch(vk, &eye->layout, eye->pipeline, 1, 1, 1);
}

static void
finish(struct vk *vk, const struct vk_buffer *picture, uint8_t *rgba)
{
    vk_finish(vk);
    memcpy(rgba, picture->map, SCENE_B);
}

static void
clear_target(struct vk *vk, struct vk_image *image, VkClearValue value,
             uint32_t layers, VkImageView view)
{
    struct vk_rendering r = {.layers = layers};
    struct vk_target t = {.image = image,
                          .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                          .clear = value,
                          .view = view};
    if (image->aspect & VK_IMAGE_ASPECT_COLOR_BIT) {
        r.color[0] = t;
        r.colors = 1;
    } else {
        r.depth = t;
    }
    vk_begin(vk, &r);
    vk_end(vk);
}

/* Multiples of 1/255, which no conversion rounds. */
#define RGBA8(r, g, b, a)  \
    {                      \
        .color.float32 = { \
            (r) / 255.0f,  \
            (g) / 255.0f,  \
            (b) / 255.0f,  \
            (a) / 255.0f   \
        }                  \
    }
static const VkClearValue colors[] = {
    RGBA8(51, 102, 153, 204), RGBA8(230, 26, 128, 77), RGBA8(0, 0, 0, 0),
    RGBA8(255, 0, 255, 255),  RGBA8(179, 178, 50, 0),
};
static const VkClearValue integers[] = {
    {.color.uint32 = {7, 100, 31, 4}},    {.color.uint32 = {77, 1, 0, 99}},
    {.color.uint32 = {0, 0, 0, 0}},       {.color.uint32 = {1, 1, 1, 1}},
    {.color.uint32 = {120, 20, 55, 127}},
};
enum { IN_A_ROW = VK_COUNT(colors) };

static void
clear_formats(struct vk *vk, uint8_t *rgba)
{
    static const struct {
        VkFormat format;
        const struct vk_spirv *shader;
        const VkClearValue *values;
    } rows[] = {
        {VK_FORMAT_R8G8B8A8_UNORM, &see_comp, colors},
        {VK_FORMAT_B8G8R8A8_UNORM, &see_comp, colors},
        {VK_FORMAT_R16G16B16A16_UNORM, &see_comp, colors},
        {VK_FORMAT_R16G16B16A16_SFLOAT, &see_comp, colors},
        {VK_FORMAT_R32_SFLOAT, &see_comp, colors},
        {VK_FORMAT_R32G32B32A32_SFLOAT, &see_comp, colors},
        {VK_FORMAT_R8G8_UNORM, &see_comp, colors},
        {VK_FORMAT_R8G8B8A8_SINT, &see_i_comp, integers},
        {VK_FORMAT_R32_UINT, &see_u_comp, integers},
        {VK_FORMAT_R32G32B32A32_UINT, &see_u_comp, integers},
        {VK_FORMAT_R16G16B16A16_UINT, &see_u_comp, integers},
    };
    struct vk_buffer picture = vk_buffer(vk, SCENE_B, NULL);
    for (uint32_t f = 0; f < VK_COUNT(rows); f++) {
        struct vk_image image = {
            .format = rows[f].format, .width = SIDE_PX, .height = SIDE_PX};
        vk_image(vk, &image);
        struct eye eye = open_eye(vk, rows[f].shader, image.view, &picture);
        for (uint32_t i = 0; i < IN_A_ROW; i++) {
            clear_target(vk, &image, rows[f].values[i], 1, NULL);
            look(vk, &eye, &image,
                 (struct look){.square = f * IN_A_ROW + i,
                               .step_px = SIDE_PX / LOOKS});
        }
    }
    finish(vk, &picture, rgba);
}

/* vkCmdClearColorImage of each level of each layer in a colour of its own. */
static void
clear_levels(struct vk *vk, uint8_t *rgba)
{
    enum { LEVELS = 4, LAYERS = 5 };
    struct vk_buffer picture = vk_buffer(vk, SCENE_B, NULL);
    struct vk_image image = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                             .width = 128,
                             .height = 128,
                             .levels = LEVELS,
                             .layers = LAYERS};
    vk_image(vk, &image);
    struct eye eye = open_eye(vk, &see_array_comp, image.view, &picture);
    vk_to(vk, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    for (uint32_t layer = 0; layer < LAYERS; layer++)
        for (uint32_t level = 0; level < LEVELS; level++) {
            VkClearColorValue v = {.float32 = {(float)layer / LAYERS,
                                               (float)level / LEVELS, 0.2f,
                                               (float)(layer + level) / 9}};
            VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, level,
                                             1, layer, 1};
            vkCmdClearColorImage(vk->cmd, image.image, image.layout, &v, 1,
                                 &range);
        }
    for (uint32_t i = 0; i < LAYERS * LEVELS; i++)
        look(vk, &eye, &image,
             (struct look){i, (int32_t)(i % LEVELS), (int32_t)(i / LEVELS),
                           128 / LOOKS >> i % LEVELS});
    finish(vk, &picture, rgba);
}

/* Layered attachments: all layers, some in another colour, then rectangles of
 * some of these. */
static void
clear_layers(struct vk *vk, uint8_t *rgba)
{
    enum { LAYERS = 6 };
    struct vk_buffer picture = vk_buffer(vk, SCENE_B, NULL);
    struct vk_image image = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                             .width = SIDE_PX,
                             .height = SIDE_PX,
                             .layers = LAYERS};
    vk_image(vk, &image);
    struct eye eye = open_eye(vk, &see_array_comp, image.view, &picture);
    VkImageView some = vk_view_of(vk, &image, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 0, 2,
                                  3);
    struct vk_rendering r = {
        .color[0] = {.image = &image, .load = VK_ATTACHMENT_LOAD_OP_LOAD},
        .colors = 1,
        .layers = LAYERS};
    for (uint32_t i = 0; i < 4; i++) {
        if (i < 2)
            clear_target(vk, &image, colors[i], LAYERS, NULL);
        if (i == 2)
            clear_target(vk, &image, colors[3], 3, some);
        if (i == 3) {
            VkClearAttachment what = {VK_IMAGE_ASPECT_COLOR_BIT, 0, colors[4]};
            VkClearRect rects[] = {{{{5, 6}, {30, 21}}, 1, 2},
                                   {{{40, 30}, {20, 34}}, 3, 3}};
            vk_begin(vk, &r);
            vkCmdClearAttachments(vk->cmd, 1, &what, 2, rects);
            vk_end(vk);
        }
        for (uint32_t layer = 0; layer < LAYERS; layer++)
            look(vk, &eye, &image,
                 (struct look){i * 8 + layer, 0, (int32_t)layer,
                               SIDE_PX / LOOKS});
    }
    finish(vk, &picture, rgba);
}

/* Four targets with a colour each, twice, a draw in between. */
static void
clear_targets(struct vk *vk, uint8_t *rgba)
{
    enum { TARGETS = 4 };
    struct vk_buffer picture = vk_buffer(vk, SCENE_B, NULL);
    struct vk_image images[TARGETS];
    struct eye eyes[TARGETS];
    struct vk_rendering r = {.colors = TARGETS};
    struct vk_graphics info = {.shaders = {scene_full, &plain_frag},
                               .colors = TARGETS};
    for (uint32_t i = 0; i < TARGETS; i++) {
        images[i] = scene_picture(vk);
        eyes[i] = open_eye(vk, &see_comp, images[i].view, &picture);
        info.color[i] = images[i].format;
    }
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipeline = vk_graphics(vk, &layout, &info);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < TARGETS; i++)
            r.color[i] = (struct vk_target){
                .image = &images[i],
                .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                .clear = colors[(round + i) % VK_COUNT(colors)]};
        vk_begin(vk, &r);
        VkRect2D part = {{10, 20}, {60, 50}};
        vkCmdSetScissor(vk->cmd, 0, 1, &part);
        vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
        if (round == 1)
            vkCmdDraw(vk->cmd, 3, 1, 0, 0);
        vk_end(vk);
        for (uint32_t i = 0; i < TARGETS; i++)
            look(vk, &eyes[i], &images[i],
                 (struct look){.square = round * 8 + i, .step_px = 8});
    }
    finish(vk, &picture, rgba);
}

static VkImageView
aspect_view(const struct vk *vk, struct vk_image image,
            VkImageAspectFlags aspect)
{
    image.aspect = aspect;
    return vk_view(vk, &image);
}

/* Depth and stencil, each read as a texture. */
static void
clear_depth(struct vk *vk, uint8_t *rgba)
{
    static const VkFormat formats[] = {VK_FORMAT_D16_UNORM,
                                       VK_FORMAT_D32_SFLOAT,
                                       VK_FORMAT_D32_SFLOAT_S8_UINT};
    static const VkClearDepthStencilValue values[] = {
        {0.25f, 3}, {1, 0xff}, {0.6f, 0x7f}, {0, 0}};
    struct vk_buffer picture = vk_buffer(vk, SCENE_B, NULL);
    for (uint32_t f = 0; f < VK_COUNT(formats); f++) {
        struct vk_image image = {
            .format = formats[f], .width = SIDE_PX, .height = SIDE_PX};
        vk_image(vk, &image);
        struct eye depth = open_eye(
            vk, &see_comp, aspect_view(vk, image, VK_IMAGE_ASPECT_DEPTH_BIT),
            &picture);
        bool both = image.aspect & VK_IMAGE_ASPECT_STENCIL_BIT;
        struct eye stencil = {.pipeline = VK_NULL_HANDLE};
        if (both)
            stencil = open_eye(
                vk, &see_u_comp,
                aspect_view(vk, image, VK_IMAGE_ASPECT_STENCIL_BIT), &picture);
        for (uint32_t i = 0; i < VK_COUNT(values); i++) {
            struct look at = {.square = f * 16 + i, .step_px = SIDE_PX / LOOKS};
            clear_target(vk, &image, (VkClearValue){.depthStencil = values[i]},
                         1, NULL);
            look(vk, &depth, &image, at);
            at.square += 8;
            if (both)
                look(vk, &stencil, &image, at);
        }
    }
    finish(vk, &picture, rgba);
}

/* Depth cleared to different values, with a slope drawn each time. */
static void
clear_depth_test(struct vk *vk, uint8_t *rgba)
{
    static const float values[] = {0.3f, 1, 0.8f, 0};
    struct vk_buffer picture = vk_buffer(vk, SCENE_B, NULL);
    struct vk_image color = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                             .width = SIDE_PX,
                             .height = SIDE_PX};
    struct vk_image depth = color;
    depth.format = VK_FORMAT_D32_SFLOAT;
    vk_image(vk, &color);
    vk_image(vk, &depth);
    struct eye eye = open_eye(vk, &see_comp, color.view, &picture);
    VkPipelineDepthStencilStateCreateInfo test = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = VK_TRUE,
        .depthCompareOp = VK_COMPARE_OP_LESS};
    struct vk_graphics info = {.shaders = {&near_vert, &white_frag},
                               .colors = 1,
                               .color = {color.format},
                               .depth = &test,
                               .depth_format = depth.format};
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipeline = vk_graphics(vk, &layout, &info);
    for (uint32_t i = 0; i < VK_COUNT(values); i++) {
        struct vk_rendering r = {
            .colors = 1,
            .color[0] = {.image = &color, .load = VK_ATTACHMENT_LOAD_OP_CLEAR},
            .depth = {.image = &depth,
                      .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                      .clear.depthStencil.depth = values[i]}};
        vk_begin(vk, &r);
        vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
        vkCmdDraw(vk->cmd, 3, 1, 0, 0);
        vk_end(vk);
        look(vk, &eye, &color,
             (struct look){.square = i, .step_px = SIDE_PX / LOOKS});
    }
    finish(vk, &picture, rgba);
}

static void
clear_msaa(struct vk *vk, uint8_t *rgba)
{
    struct vk_buffer picture = vk_buffer(vk, SCENE_B, NULL);
    struct vk_image plain = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                             .width = SIDE_PX,
                             .height = SIDE_PX};
    struct vk_image many = plain;
    many.samples = 4;
    vk_image(vk, &plain);
    vk_image(vk, &many);
    struct eye samples = open_eye(vk, &see_ms_comp, many.view, &picture);
    struct eye resolved = open_eye(vk, &see_comp, plain.view, &picture);
    for (uint32_t i = 0; i < IN_A_ROW; i++) {
        struct look at = {.square = i, .step_px = SIDE_PX / LOOKS};
        struct vk_rendering r = {
            .colors = 1,
            .color[0] = {.image = &many,
                         .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                         .clear = colors[i],
                         .resolve = &plain}};
        vk_begin(vk, &r);
        vk_end(vk);
        look(vk, &samples, &many, at);
        at.square += 8;
        look(vk, &resolved, &plain, at);
    }
    finish(vk, &picture, rgba);
}

const struct vk_scene vk_scenes_clear[] = {
    {.name = "clear-formats", .draw = clear_formats},
    {.name = "clear-levels", .draw = clear_levels},
    {.name = "clear-layers", .draw = clear_layers},
    {.name = "clear-targets", .draw = clear_targets},
    {.name = "clear-depth", .draw = clear_depth},
    {.name = "clear-depth-test", .draw = clear_depth_test},
    {.name = "clear-msaa", .draw = clear_msaa},
    {.name = NULL},
};
