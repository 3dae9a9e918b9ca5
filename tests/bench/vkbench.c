/* vkbench.c: Vulkan compute workloads; see serve.h for how it is used. They run
 * on the first device: VK_LOADER_DRIVERS_SELECT chooses. Each frame records its
 * commands, submits them, and waits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve.h"
#include "vk.h"

#include "vkbench_shaders.h"

#define IMAGE_PX 1024
#define M1 (1u << 20)

struct row {
    const char *name, *unit; /* unit: its first letter is the prefix */
    double work;             /* in units per frame, without the prefix */
    const struct vk_spirv *shader;
    uint32_t groups_x, groups_y;
    uint32_t in_B, out_B; /* of the buffers; 0: the picture is the image */
};

static const struct row rows[] = {
    {"vk_fma", "GFLOP/s", 65536.0 * 128 * 16, &fma_comp, 1024, 1, M1, M1},
    {"vk_copy_4MB", "GB/s", 8.0 * M1, &copy_comp, 4096, 1, 4 * M1, 4 * M1},
    {"vk_reduce_16MB", "GB/s", 16.0 * M1, &reduce_comp, 1024, 1, 16 * M1, 4096},
    {"vk_image_store_rgba8", "Mpix/s", M1, &store_comp, 128, 128, 256, 0},
    {"vk_image_copy_rgba8", "Mpix/s", M1, &load_comp, 128, 128, 256, 0},
    {"vk_dispatch_wait", "kdisp/s", 1, &nothing_comp, 1, 1, 256, 256},
    {.name = NULL},
};

struct vk_bench {
    const struct row *row;
    struct vk vk;
    struct vk_buffer in, out;
    struct vk_image images[2];
    struct vk_layout layout;
    VkPipeline pipeline;
};

static const struct row *
find_row(const char *name)
{
    for (const struct row *row = rows; row->name; row++)
        if (!strcmp(row->name, name))
            return row;
    serve_die(name, "no such row");
}

static void
list(void)
{
    for (const struct row *row = rows; row->name; row++)
        printf("%s %s\n", row->name, row->unit);
}

static void
run_frame(void *self)
{
    struct vk_bench *b = self;
    vk_dispatch(&b->vk, &b->layout, b->pipeline, b->row->groups_x,
                b->row->groups_y, 1);
    vk_finish(&b->vk);
}

static void
finish_frames(void *self)
{
    (void)self; /* each frame waits */
}

static size_t
take_picture(void *self, float *values)
{
    struct vk_bench *b = self;
    run_frame(b);
    if (b->row->out_B) {
        memcpy(values, b->out.map, b->row->out_B);
        return b->row->out_B / sizeof *values;
    }
    const size_t count = (size_t)IMAGE_PX * IMAGE_PX * 4;
    uint8_t *texels = malloc(count);
    if (!texels)
        serve_die("picture", "out of memory");
    vk_read_image(&b->vk, &b->images[1], 0, 0, texels);
    vk_to(&b->vk, &b->images[1], VK_IMAGE_LAYOUT_GENERAL);
    vk_finish(&b->vk);
    for (size_t i = 0; i < count; i++)
        values[i] = texels[i];
    free(texels);
    return count;
}

/* Numbers from 0 to 1, or random bytes. */
static void
fill(void *to, size_t size_B, bool bytes)
{
    uint32_t *words = to, random = 1;
    for (size_t i = 0; i < size_B / 4; i++) {
        random = random * 1664525 + 1013904223;
        float unit = (float)(random >> 8) * 0x1p-24f;
        if (bytes)
            words[i] = random ^ random >> 16;
        else
            memcpy(&words[i], &unit, 4);
    }
}

static void
make_images(struct vk_bench *b)
{
    const size_t size_B = (size_t)IMAGE_PX * IMAGE_PX * 4;
    void *texels = malloc(size_B);
    if (!texels)
        serve_die("image", "out of memory");
    fill(texels, size_B, true);
    for (unsigned i = 0; i < 2; i++) {
        b->images[i] = (struct vk_image){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                         .width = IMAGE_PX,
                                         .height = IMAGE_PX,
                                         .usage = VK_IMAGE_USAGE_STORAGE_BIT |
                                                  VK_IMAGE_USAGE_SAMPLED_BIT};
        vk_image(&b->vk, &b->images[i]);
        vk_write_image(&b->vk, &b->images[i], 0, 0, texels);
        vk_to(&b->vk, &b->images[i], VK_IMAGE_LAYOUT_GENERAL);
        vk_finish(&b->vk);
    }
    free(texels);
}

static void
set_up(struct vk_bench *b)
{
    const struct row *row = b->row;
    b->in = vk_buffer(&b->vk, row->in_B, NULL);
    fill(b->in.map, row->in_B, false);
    b->out = vk_buffer(&b->vk, row->out_B ? row->out_B : 256, NULL);
    make_images(b);
    const struct vk_binding bindings[] = {
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .buffer = &b->in},
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .buffer = &b->out},
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .image = &b->images[0]},
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .image = &b->images[1]}};
    b->layout = vk_layout(&b->vk, bindings, VK_COUNT(bindings));
    b->pipeline = vk_compute(&b->vk, &b->layout, row->shader, NULL);
}

int
main(int argc, char **argv)
{
    struct vk_bench b = {.row = find_row(serve_arguments(argc, argv, list))};
    vk_open(&b.vk, 0);
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &driver};
    vkGetPhysicalDeviceProperties2(b.vk.physical, &properties);
    set_up(&b);
    serve(&(struct serve){.work = b.row->work,
                          .finishes = true,
                          .self = &b,
                          .driver = b.vk.properties.deviceName,
                          .version = driver.driverInfo,
                          .frame = run_frame,
                          .finish = finish_frames,
                          .picture = take_picture});
    return 0;
}
