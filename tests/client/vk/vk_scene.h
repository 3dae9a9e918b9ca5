/* vk_scene.h: small pictures, one feature of Vulkan each, drawn by any driver
 * that the loader finds. Compute results are pictures, too. A scene that knows
 * the correct result checks it itself, by vk_die(). The runner compares the
 * driver under test with lavapipe, and with itself for other thread counts. */
#ifndef CLIENT_VK_SCENE_H
#define CLIENT_VK_SCENE_H

#include "vk.h"

#define SCENE_W 128
#define SCENE_H 128
#define SCENE_TEXELS (SCENE_W * SCENE_H)
#define SCENE_B (SCENE_TEXELS * 4)

struct vk_scene {
    const char *name;
    /* Fills SCENE_W * SCENE_H RGBA8 texels. */
    void (*draw)(struct vk *vk, uint8_t *rgba);
    /* Tolerance against lavapipe: mean difference of a channel, percent of
     * pixels that are far off. */
    double mean, percent;
    unsigned open; /* flags of vk_open() */
    /* NULL, or the reason not to compare with lavapipe. A scene that lavapipe
     * cannot draw checks everything itself. */
    const char *no_reference;
};

extern const struct vk_scene vk_scenes_clear[], vk_scenes_draw[],
    vk_scenes_descriptor[], vk_scenes_pass[], vk_scenes_stage[],
    vk_scenes_image[], vk_scenes_msaa[], vk_scenes_compute[],
    vk_scenes_subgroup[], vk_scenes_type[], vk_scenes_sync[], vk_scenes_share[];

/* A vertex shader of three vertices that cover everything, with `uv` from 0
 * to 1 at location 0. */
extern const struct vk_spirv *const scene_full;

/* A target of the picture's size and format. */
struct vk_image scene_picture(const struct vk *vk);
/* An image with a smooth, asymmetric pattern in its first level. */
struct vk_image scene_pattern(struct vk *vk, uint32_t width, uint32_t height,
                              uint32_t levels);
/* Copies a layer of 64 by 64 texels into one of the four quarters. */
void scene_quarter(const struct vk *vk, struct vk_image *from, uint32_t layer,
                   struct vk_image *picture, uint32_t quarter);
/* Reads the picture. */
void scene_show(struct vk *vk, struct vk_image *picture, uint8_t *rgba);
/* Runs a shader over the layout, whose storage buffer of the picture's size
 * must be bound. One thread a texel in groups of 8x8. Then copies the buffer.
 */
void scene_paint(struct vk *vk, const struct vk_layout *layout,
                 VkPipeline pipeline, const struct vk_buffer *buffer,
                 uint8_t *rgba);
/* Begins to draw to the picture, cleared to `rgba`. */
void scene_begin(const struct vk *vk, struct vk_image *picture,
                 const float rgba[4]);

#endif
