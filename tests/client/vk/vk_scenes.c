/* vk_scenes.c: draws one scene and writes its pixels as raw RGBA8.
 * usage: vkscenes --list | vkscenes --device | vkscenes NAME FILE */
#include "vk_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vk_scenes_shaders.h"

static const struct vk_scene *const groups[] = {
    vk_scenes_clear, vk_scenes_draw,    vk_scenes_descriptor,
    vk_scenes_pass,  vk_scenes_stage,   vk_scenes_image,
    vk_scenes_msaa,  vk_scenes_compute, vk_scenes_subgroup,
    vk_scenes_type,  vk_scenes_sync,    vk_scenes_share,
};

const struct vk_spirv *const scene_full = &full_vert;

struct vk_image
scene_picture(const struct vk *vk)
{
    struct vk_image picture = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                               .width = SCENE_W,
                               .height = SCENE_H};
    vk_image(vk, &picture);
    return picture;
}

struct vk_image
scene_pattern(struct vk *vk, uint32_t width, uint32_t height, uint32_t levels)
{
    struct vk_image image = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                             .width = width,
                             .height = height,
                             .levels = levels,
                             .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
    uint8_t *texels = malloc((size_t)width * height * 4);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *p = texels + ((size_t)y * width + x) * 4;
            p[0] = (uint8_t)(x * 255 / width);
            p[1] = (uint8_t)(y * 255 / height);
            p[2] = (x / 4 + y / 4) & 1 ? 220 : 40;
            p[3] = (uint8_t)(255 - (x * y * 255) / (width * height));
        }
    vk_image(vk, &image);
    vk_write_image(vk, &image, 0, 0, texels);
    free(texels);
    return image;
}

void
scene_quarter(const struct vk *vk, struct vk_image *from, uint32_t layer,
              struct vk_image *picture, uint32_t quarter)
{
    VkImageCopy copy = {
        .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, layer, 1},
        .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .dstOffset = {(int32_t)quarter % 2 * SCENE_W / 2,
                      (int32_t)quarter / 2 * SCENE_H / 2, 0},
        .extent = {SCENE_W / 2, SCENE_H / 2, 1}};
    vk_to(vk, from, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vk_to(vk, picture, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyImage(vk->cmd, from->image, from->layout, picture->image,
                   picture->layout, 1, &copy);
}

void
scene_show(struct vk *vk, struct vk_image *picture, uint8_t *rgba)
{
    vk_read_image(vk, picture, 0, 0, rgba);
}

void
scene_paint(struct vk *vk, const struct vk_layout *layout, VkPipeline pipeline,
            const struct vk_buffer *buffer, uint8_t *rgba)
{
    vk_dispatch(vk, layout, pipeline, SCENE_W / 8, SCENE_H / 8, 1);
    vk_finish(vk);
    memcpy(rgba, buffer->map, SCENE_B);
}

void
scene_begin(const struct vk *vk, struct vk_image *picture, const float rgba[4])
{
    struct vk_rendering r = {
        .colors = 1,
        .color[0] = {.image = picture, .load = VK_ATTACHMENT_LOAD_OP_CLEAR}};
    memcpy(r.color[0].clear.color.float32, rgba, 4 * sizeof *rgba);
    vk_begin(vk, &r);
}

static void
run(const struct vk_scene *s, const char *path)
{
    static uint8_t pixels[SCENE_B];
    struct vk vk;
    vk_open(&vk, s->open);
    s->draw(&vk, pixels);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(pixels, sizeof pixels, 1, f) != 1 || fclose(f))
        vk_die("%s: cannot write", path);
}

static void
list(void)
{
    for (unsigned g = 0; g < VK_COUNT(groups); g++)
        for (const struct vk_scene *s = groups[g]; s->name; s++)
            printf("%s %g %g %s\n", s->name, s->mean, s->percent,
                   s->no_reference ? s->no_reference : "");
}

int
main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        list();
        return 0;
    }
    if (argc == 2 && !strcmp(argv[1], "--device")) {
        struct vk vk;
        vk_open(&vk, 0);
        puts(vk.properties.deviceName);
        return 0;
    }
    if (argc != 3) {
        fputs("usage: vkscenes --list | --device | NAME FILE\n", stderr);
        return 2;
    }
    for (unsigned g = 0; g < VK_COUNT(groups); g++)
        for (const struct vk_scene *s = groups[g]; s->name; s++)
            if (!strcmp(s->name, argv[1])) {
                run(s, argv[2]);
                return 0;
            }
    vk_die("%s: no such scene", argv[1]);
}
