/* vk.h: what the Vulkan programs of the tests share: a device, buffers, images,
 * descriptors, pipelines, one command buffer. Whatever goes wrong ends the
 * process with status 1 and says so on stderr, under the program's name; what
 * the device does not offer ends it with VK_STATUS_UNSUPPORTED. Nothing is
 * destroyed: a program draws one scene and ends. */
#ifndef TESTS_VK_H
#define TESTS_VK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#define VK_STATUS_UNSUPPORTED 77
#define VK_MAX_COLORS 8
#define VK_COUNT(a) ((uint32_t)(sizeof(a) / sizeof((a)[0])))

/* A shader as tests/vk/compile_shaders.py writes it. */
struct vk_spirv {
    const uint32_t *code;
    size_t size_B;
    VkShaderStageFlagBits stage;
};

/* What the device offers, all of it enabled but for robust buffer access. */
struct vk_features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
    VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback;
    VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional;
    VkPhysicalDevicePerformanceQueryFeaturesKHR counters;
};

struct vk {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    /* Recording from vk_open() on; vk_finish() runs what it holds. */
    VkCommandBuffer cmd;
    VkDescriptorPool descriptors;
    VkPhysicalDeviceProperties properties;
    struct vk_features features;
};

struct vk_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size_B;
    void *map;
};

/* Members that are 0 mean: 2D, 1 layer, level, sample, slice; optimal tiling;
 * the usual aspect, usage and type of view. */
struct vk_image {
    VkFormat format;
    uint32_t width, height, depth, layers, levels, samples;
    VkImageType type;
    VkImageViewType view_type;
    VkImageUsageFlags usage;
    VkImageCreateFlags flags;
    VkImageTiling tiling;
    VkImageAspectFlags aspect;
    /* Filled in by vk_image(). */
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
    VkImageLayout layout; /* of all levels and layers */
};

/* One binding of set 0, in order; visible to all stages. */
struct vk_binding {
    VkDescriptorType type;
    const struct vk_buffer *buffer;
    const struct vk_image *image;
    VkSampler sampler;
    VkBufferView texels;
    VkImageView view;     /* instead of the image's */
    VkDeviceSize range_B; /* 0: the whole buffer */
};

/* Set 0, and 128 bytes of push constants for all stages. */
struct vk_layout {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorSet set;
};

/* Members that are 0 or NULL mean the usual: triangles, no vertex buffers, one
 * sample, no depth, no culling, no blending, dynamic rendering. */
struct vk_graphics {
    const struct vk_spirv *shaders[5];
    const VkSpecializationInfo *constants;
    VkPrimitiveTopology topology;
    bool points; /* whatever the topology */
    bool restart;
    uint32_t patch_vertices;
    const VkPipelineVertexInputStateCreateInfo *vertices;
    const VkPipelineRasterizationStateCreateInfo *raster;
    const VkPipelineMultisampleStateCreateInfo *multisample;
    const VkPipelineDepthStencilStateCreateInfo *depth;
    const VkPipelineColorBlendAttachmentState *blend; /* of each colour */
    uint32_t samples;
    uint32_t colors;
    VkFormat color[VK_MAX_COLORS];
    VkFormat depth_format;
    uint32_t view_mask;
    VkRenderPass pass;
    uint32_t subpass;
};

struct vk_target {
    struct vk_image *image;
    VkAttachmentLoadOp load;
    VkClearValue clear;
    struct vk_image *resolve;
    VkResolveModeFlagBits mode, stencil_mode; /* 0: average or sample 0 */
    VkImageView view;                         /* instead of the image's */
};

struct vk_rendering {
    struct vk_target color[VK_MAX_COLORS], depth;
    uint32_t colors, layers, view_mask;
    VkRenderingFlags flags;
};

#define VK(call) vk_check((call), #call)
_Noreturn __attribute__((format(printf, 1, 2))) void vk_die(const char *format,
                                                            ...);
/* Ends the process if the device does not offer it. */
void vk_need(bool offered, const char *what);
void vk_check(VkResult result, const char *call);

/* vk_device.c */
enum { VK_OPEN_ROBUST = 1, VK_OPEN_COUNTERS = 2 };
void vk_open(struct vk *vk, unsigned flags);
bool vk_has_extension(const struct vk *vk, const char *name);
/* The address of a function of an extension. */
PFN_vkVoidFunction vk_proc(const struct vk *vk, const char *name);
/* Runs what has been recorded, waits, and begins anew. */
void vk_finish(struct vk *vk);
/* All that comes before is seen by all that comes after. */
void vk_barrier(const struct vk *vk);

/* vk_memory.c */
/* Memory for these requirements; `next` may export or import it. */
VkDeviceMemory vk_memory(const struct vk *vk, const VkMemoryRequirements *needs,
                         VkMemoryPropertyFlags flags, const void *next);
/* For every use, coherent and mapped; holds `data`, or zeros. */
struct vk_buffer vk_buffer(const struct vk *vk, VkDeviceSize size_B,
                           const void *data);
void vk_image(const struct vk *vk, struct vk_image *image);
/* The image itself, without memory or view. */
void vk_image_create(const struct vk *vk, struct vk_image *image,
                     const void *next);
/* The view of all of it. */
VkImageView vk_view(const struct vk *vk, const struct vk_image *image);
/* A view of one level and some layers. */
VkImageView vk_view_of(const struct vk *vk, const struct vk_image *image,
                       VkImageViewType type, uint32_t level, uint32_t layer,
                       uint32_t layers);
/* A barrier that takes all of the image to another layout. */
void vk_to(const struct vk *vk, struct vk_image *image, VkImageLayout layout);
uint32_t vk_texel_B(VkFormat format);
/* Copies into and out of one layer or slice of a level; texels lie side by
 * side. The first only records, the second waits. */
void vk_write_image(struct vk *vk, struct vk_image *image, uint32_t level,
                    uint32_t layer, const void *texels);
void vk_read_image(struct vk *vk, struct vk_image *image, uint32_t level,
                   uint32_t layer, void *texels);
VkSampler vk_sampler(const struct vk *vk, VkFilter filter,
                     VkSamplerAddressMode wrap);

/* vk_pipeline.c */
struct vk_layout vk_layout(const struct vk *vk, const struct vk_binding *b,
                           uint32_t count);
VkShaderModule vk_module(const struct vk *vk, const struct vk_spirv *shader);
VkPipeline vk_graphics(const struct vk *vk, const struct vk_layout *layout,
                       const struct vk_graphics *info);
VkPipeline vk_compute(const struct vk *vk, const struct vk_layout *layout,
                      const struct vk_spirv *shader,
                      const VkSpecializationInfo *constants);
/* Binds the set, and pushes so many bytes. */
void vk_bind(const struct vk *vk, VkPipelineBindPoint point,
             const struct vk_layout *layout, VkPipeline pipeline);
void vk_push(const struct vk *vk, const struct vk_layout *layout,
             const void *data, uint32_t size_B);
/* Binds, dispatches, and puts a barrier after it. */
void vk_dispatch(const struct vk *vk, const struct vk_layout *layout,
                 VkPipeline pipeline, uint32_t x, uint32_t y, uint32_t z);
/* Takes the images to where they are drawn to, begins, and sets viewport and
 * scissor to all of them. */
void vk_begin(const struct vk *vk, struct vk_rendering *rendering);
void vk_end(const struct vk *vk);
void vk_viewport(const struct vk *vk, VkCommandBuffer cmd, uint32_t width,
                 uint32_t height);

#endif
