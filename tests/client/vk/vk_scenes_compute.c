/* vk_scenes_compute.c: compute: shared memory and atomics, constant sizes,
 * texel buffers, bounds, addresses. */
#include "vk_scene.h"

#include <stdlib.h>
#include <string.h>

#include "vk_scenes_compute_shaders.h"

static uint32_t
hash(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352d;
    x ^= x >> 15;
    x *= 0x846ca68b;
    return x ^ x >> 16;
}

static int
compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

struct counts {
    uint32_t sum, least, most, bits, steps, bins[16];
};

static void
check_shared(const struct counts *got, const uint32_t *picture)
{
    struct counts want = {.least = UINT32_MAX};
    for (uint32_t i = 0; i < SCENE_TEXELS; i++) {
        uint32_t v = hash(i);
        want.sum += v & 0xff;
        want.least = v < want.least ? v : want.least;
        want.most = v > want.most ? v : want.most;
        want.bits ^= v;
        want.bins[v >> 28]++;
    }
    /* The progress of the exchange depends on the order of the groups. */
    want.steps = got->steps;
    if (memcmp(&want, got, sizeof want) || !got->steps)
        vk_die("counts of atomics are wrong");
    for (uint32_t group = 0; group < SCENE_TEXELS / 64; group++) {
        uint32_t list[64], base = group / 16 * 8 * SCENE_W + group % 16 * 8;
        for (uint32_t i = 0; i < 64; i++)
            list[i] = hash(base + i / 8 * SCENE_W + i % 8);
        qsort(list, 64, sizeof *list, compare);
        for (uint32_t i = 0; i < 64; i++)
            if (picture[base + i / 8 * SCENE_W + i % 8] != list[i])
                vk_die("group %u is not sorted", group);
    }
}

static void
compute_shared(struct vk *vk, uint8_t *rgba)
{
    static const struct counts start = {.least = UINT32_MAX};
    struct vk_buffer picture = vk_buffer(vk, SCENE_B, NULL);
    struct vk_buffer counts = vk_buffer(vk, sizeof start, &start);
    const struct vk_binding b[] = {
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .buffer = &picture},
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .buffer = &counts}};
    struct vk_layout layout = vk_layout(vk, b, 2);
    scene_paint(vk, &layout, vk_compute(vk, &layout, &shared_comp, NULL),
                &picture, rgba);
    check_shared(counts.map, picture.map);
}

/* Groups of other sizes, dispatched directly, indirectly and from a base. */
static void
compute_sizes(struct vk *vk, uint8_t *rgba)
{
    static const VkSpecializationMapEntry map[] = {
        {0, 0, 4}, {1, 4, 4}, {2, 8, 4}};
    static const uint32_t sizes[4][3] = {
        {16, 4, 4}, {64, 2, 8}, {1, 16, 1}, {33, 3, 6}};
    static const VkDispatchIndirectCommand groups = {2, 5, 1};
    struct vk_buffer indirect = vk_buffer(vk, sizeof groups, &groups);
    struct vk_buffer picture = vk_buffer(vk, SCENE_B, NULL);
    const struct vk_binding b = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                 .buffer = &picture};
    struct vk_layout layout = vk_layout(vk, &b, 1);
    for (uint32_t i = 0; i < 4; i++) {
        VkSpecializationInfo info = {VK_COUNT(map), map, sizeof sizes[i],
                                     sizes[i]};
        uint32_t first = i * 32 * SCENE_W;
        VkPipeline pipeline = vk_compute(vk, &layout, &sized_comp, &info);
        vk_push(vk, &layout, &first, sizeof first);
        vk_dispatch(vk, &layout, pipeline, 1, 2, 1);
        first += 64;
        vk_push(vk, &layout, &first, sizeof first);
        if (i == 0)
            vkCmdDispatchIndirect(vk->cmd, indirect.buffer, 0);
        vk_barrier(vk);
    }
    vk_finish(vk);
    memcpy(rgba, picture.map, SCENE_B);
}

static VkBufferView
texel_view(const struct vk *vk, const struct vk_buffer *buffer, VkFormat format,
           VkDeviceSize offset, VkDeviceSize range)
{
    VkBufferViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
        .buffer = buffer->buffer,
        .format = format,
        .offset = offset,
        .range = range};
    VkBufferView view;
    VK(vkCreateBufferView(vk->device, &info, NULL, &view));
    return view;
}

static void
compute_texels(struct vk *vk, uint8_t *rgba)
{
    uint8_t bytes[8192];
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(hash(i) >> 9);
    struct vk_buffer source = vk_buffer(vk, sizeof bytes, bytes);
    struct vk_buffer counts = vk_buffer(vk, 256, NULL);
    struct vk_buffer stored = vk_buffer(vk, 1024, NULL);
    struct vk_buffer picture = vk_buffer(vk, SCENE_B, NULL);
    const struct vk_binding b[] = {
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .buffer = &picture},
        {.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
         .texels = texel_view(vk, &source, VK_FORMAT_R8G8B8A8_UNORM, 256,
                              4000)},
        {.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
         .texels = texel_view(vk, &source, VK_FORMAT_R16G16_UINT, 64, 2000)},
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
         .texels = texel_view(vk, &counts, VK_FORMAT_R32_UINT, 0, 256)},
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
         .texels = texel_view(vk, &stored, VK_FORMAT_R8G8B8A8_UNORM, 0, 1024)}};
    struct vk_layout layout = vk_layout(vk, b, VK_COUNT(b));
    scene_paint(vk, &layout, vk_compute(vk, &layout, &texels_comp, NULL),
                &picture, rgba);
    uint32_t want[64] = {0};
    for (uint32_t i = 0; i < SCENE_TEXELS; i++) {
        uint32_t at = 64 + i % 500 * 4;
        want[i % 64] += bytes[at] | (uint32_t)bytes[at + 1] << 8;
    }
    if (memcmp(want, counts.map, sizeof want))
        vk_die("counts of texels are wrong");
    memcpy(rgba, counts.map, counts.size_B);
    memcpy(rgba + 512, stored.map, stored.size_B);
}

/* Loads beyond the end return buffer contents or zero; stores beyond it change
 * nothing outside. */
static void
compute_robust(struct vk *vk, uint8_t *rgba)
{
    vk_need(vk->features.core.features.robustBufferAccess, "robust access");
    enum { THREADS = 256, SMALL = 40, WHOLE = 4096 };
    static const uint32_t strides[] = {1, 7, 1000, 0x01000000, 0x3fffffff};
    uint32_t values[WHOLE];
    struct vk_buffer block = vk_buffer(vk, 256, NULL);
    memset(block.map, 0x11, 64);
    memset((char *)block.map + 64, 0x22, 192);
    for (uint32_t s = 0; s < VK_COUNT(strides); s++) {
        for (uint32_t i = 0; i < WHOLE; i++)
            values[i] = 1000 + i;
        struct vk_buffer small = vk_buffer(vk, sizeof values, values);
        struct vk_buffer seen = vk_buffer(vk, THREADS * 8, NULL);
        const struct vk_binding b[] = {
            {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
             .buffer = &small,
             .range_B = SMALL * 4},
            {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .buffer = &seen},
            {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
             .buffer = &block,
             .range_B = 64}};
        struct vk_layout layout = vk_layout(vk, b, VK_COUNT(b));
        VkPipeline pipeline = vk_compute(vk, &layout, &robust_comp, NULL);
        vk_push(vk, &layout, &strides[s], 4);
        vk_dispatch(vk, &layout, pipeline, THREADS / 64, 1, 1);
        vk_finish(vk);
        const uint32_t *out = seen.map, *now = small.map;
        for (uint32_t i = 0; i < THREADS; i++) {
            uint32_t at = i * strides[s];
            bool own = out[i * 2] == 0 || out[i * 2] == 0xdead ||
                       out[i * 2] - 1000 < SMALL;
            if (at < 32 ? out[i * 2] != 1000 + at : !own)
                vk_die("stride %x, thread %u: loads %x", strides[s], i,
                       out[i * 2]);
            if (out[i * 2 + 1] != (i % 16 < 4 ? 0x11111111 : 0))
                vk_die("thread %u: uniform %x", i, out[i * 2 + 1]);
        }
        for (uint32_t i = SMALL; i < WHOLE; i++)
            if (now[i] != 1000 + i)
                vk_die("stride %x: stored to %u", strides[s], i);
        memcpy(rgba + s * 256, now, SMALL * 4);
    }
}

/* A list that is linked by addresses. */
static void
compute_address(struct vk *vk, uint8_t *rgba)
{
    vk_need(vk->features.v12.bufferDeviceAddress, "buffer addresses");
    enum { NODES = 64 };
    struct node {
        VkDeviceAddress next;
        uint32_t value, pad;
    } nodes[NODES];
    struct vk_buffer list = vk_buffer(vk, sizeof nodes, NULL);
    struct vk_buffer picture = vk_buffer(vk, SCENE_B, NULL);
    VkBufferDeviceAddressInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
        .buffer = list.buffer};
    VkDeviceAddress base = vkGetBufferDeviceAddress(vk->device, &info);
    for (uint32_t i = 0; i < NODES; i++)
        nodes[i] = (struct node){base + (i + 23) % NODES * sizeof *nodes,
                                 hash(i), 0};
    memcpy(list.map, nodes, sizeof nodes);
    const struct vk_binding b = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                 .buffer = &picture};
    struct vk_layout layout = vk_layout(vk, &b, 1);
    vk_push(vk, &layout, &base, sizeof base);
    scene_paint(vk, &layout, vk_compute(vk, &layout, &address_comp, NULL),
                &picture, rgba);
    for (uint32_t i = 0; i < SCENE_TEXELS; i++)
        if (((const uint32_t *)picture.map)[i] != hash(i % 61 * 23 % NODES))
            vk_die("node %u", i);
}

const struct vk_scene vk_scenes_compute[] = {
    {.name = "compute-shared", .draw = compute_shared},
    {.name = "compute-sizes", .draw = compute_sizes},
    {.name = "compute-texels", .draw = compute_texels},
    /* The driver chooses among the allowed values. */
    {.name = "compute-robust",
     .draw = compute_robust,
     .mean = 1,
     .percent = 0.1,
     .open = VK_OPEN_ROBUST},
    {.name = "compute-address", .draw = compute_address},
    {.name = NULL},
};
