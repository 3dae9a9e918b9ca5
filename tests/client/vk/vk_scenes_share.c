/* vk_scenes_share.c: memory that Vulkan and OpenGL share in one process: by
 * opaque descriptors and as dma-bufs of every modifier that the device can draw
 * to. */
#include "vk_scene.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../gl/gl.h"

#include "vk_scenes_share_shaders.h"

/* Ends the process if this is not the picture of rings.frag. */
static void
check_rings(const uint8_t *rgba, int salt, const char *what)
{
    for (int i = 0; i < SCENE_TEXELS; i++) {
        int x = i % SCENE_W, y = i / SCENE_W;
        const uint8_t want[4] = {(uint8_t)x, (uint8_t)y,
                                 (uint8_t)(x * y + salt), 255};
        if (memcmp(want, rgba + i * 4, 4))
            vk_die("%s: texel %d, %d is %d %d %d", what, x, y, rgba[i * 4],
                   rgba[i * 4 + 1], rgba[i * 4 + 2]);
    }
}

static void
draw_rings(struct vk *vk, struct vk_image *image, int salt)
{
    struct vk_layout layout = vk_layout(vk, NULL, 0);
    VkPipeline pipeline = vk_graphics(
        vk, &layout,
        &(struct vk_graphics){.shaders = {scene_full, &rings_frag},
                              .colors = 1,
                              .color = {image->format}});
    scene_begin(vk, image, (const float[]){1, 0, 1, 0});
    vk_bind(vk, VK_PIPELINE_BIND_POINT_GRAPHICS, &layout, pipeline);
    vk_push(vk, &layout, &salt, sizeof salt);
    vkCmdDraw(vk->cmd, 3, 1, 0, 0);
    vk_end(vk);
}

static int
export_memory(const struct vk *vk, VkDeviceMemory memory,
              VkExternalMemoryHandleTypeFlagBits type)
{
    PFN_vkGetMemoryFdKHR get = (PFN_vkGetMemoryFdKHR)vk_proc(
        vk, "vkGetMemoryFdKHR");
    VkMemoryGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
        .memory = memory,
        .handleType = type};
    int fd;
    VK(get(vk->device, &info, &fd));
    return fd;
}

/* Makes an image whose memory can be exported; returns its size. */
static VkDeviceSize
external_image(const struct vk *vk, struct vk_image *image,
               VkExternalMemoryHandleTypeFlagBits type, const void *next)
{
    VkExternalMemoryImageCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
        .pNext = next,
        .handleTypes = type};
    vk_image_create(vk, image, &external);
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(vk->device, image->image, &needs);
    VkMemoryDedicatedAllocateInfo dedicated = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .image = image->image};
    VkExportMemoryAllocateInfo export = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
        .pNext = &dedicated,
        .handleTypes = type};
    image->memory = vk_memory(vk, &needs, 0, &export);
    VK(vkBindImageMemory(vk->device, image->image, image->memory, 0));
    image->view = vk_view(vk, image);
    return needs.size;
}

static struct vk_image
shared_picture(void)
{
    return (struct vk_image){.format = VK_FORMAT_R8G8B8A8_UNORM,
                             .width = SCENE_W,
                             .height = SCENE_H};
}

static void
read_texture(GLuint texture, uint8_t *rgba)
{
    GLuint fbo;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                           texture, 0);
    glReadPixels(0, 0, SCENE_W, SCENE_H, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
}

/* Draws with a GL texture into another target, and reads that. */
static void
sample_texture(GLuint texture, uint8_t *rgba)
{
    GLuint vao, target;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glGenTextures(1, &target);
    glBindTexture(GL_TEXTURE_2D, target);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SCENE_W, SCENE_H);
    gl_program("#version 430 core\nvoid main(){ gl_Position = vec4(vec2("
               "gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0, 1); }",
               "#version 430 core\nuniform sampler2D t; out vec4 o; void "
               "main(){ o = texelFetch(t, ivec2(gl_FragCoord.xy), 0); }");
    GLuint fbo;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                           target, 0);
    glViewport(0, 0, SCENE_W, SCENE_H);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glReadPixels(0, 0, SCENE_W, SCENE_H, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
}

/* An opaque descriptor: Vulkan draws, GL reads; GL clears a part of it, Vulkan
 * reads. */
static void
share_image(struct vk *vk, uint8_t *rgba)
{
    const VkExternalMemoryHandleTypeFlagBits type =
        VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    gl_open_core();
    vk_need(epoxy_has_gl_extension("GL_EXT_memory_object_fd") &&
                vk_has_extension(vk, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME),
            "memory objects of OpenGL");
    struct vk_image image = shared_picture();
    VkDeviceSize size_B = external_image(vk, &image, type, NULL);
    draw_rings(vk, &image, 5);
    vk_to(vk, &image, VK_IMAGE_LAYOUT_GENERAL);
    vk_finish(vk);
    GLuint memory, texture;
    GLint yes = GL_TRUE;
    glCreateMemoryObjectsEXT(1, &memory);
    glMemoryObjectParameterivEXT(memory, GL_DEDICATED_MEMORY_OBJECT_EXT, &yes);
    glImportMemoryFdEXT(memory, size_B, GL_HANDLE_TYPE_OPAQUE_FD_EXT,
                        export_memory(vk, image.memory, type));
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_TILING_EXT,
                    GL_OPTIMAL_TILING_EXT);
    glTexStorageMem2DEXT(GL_TEXTURE_2D, 1, GL_RGBA8, SCENE_W, SCENE_H, memory,
                         0);
    sample_texture(texture, rgba);
    check_rings(rgba, 5, "GL samples");
    read_texture(texture, rgba);
    check_rings(rgba, 5, "GL reads");
    glEnable(GL_SCISSOR_TEST);
    glScissor(10, 20, 40, 50);
    glClearColor(0.2f, 0.4f, 0.6f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glFinish();
    if (glGetError())
        vk_die("an error of GL");
    scene_show(vk, &image, rgba);
    for (int i = 0; i < SCENE_TEXELS; i++) {
        int x = i % SCENE_W, y = i / SCENE_W;
        bool inside = x >= 10 && x < 50 && y >= 20 && y < 70;
        if (rgba[i * 4] != (inside ? 51 : x) ||
            rgba[i * 4 + 1] != (inside ? 102 : y))
            vk_die("Vulkan reads %d %d at %d, %d", rgba[i * 4], rgba[i * 4 + 1],
                   x, y);
    }
}

/* A GL buffer in memory that Vulkan filled. */
static void
share_buffer(struct vk *vk, uint8_t *rgba)
{
    const VkExternalMemoryHandleTypeFlagBits type =
        VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    gl_open_core();
    vk_need(epoxy_has_gl_extension("GL_EXT_memory_object_fd") &&
                vk_has_extension(vk, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME),
            "memory objects of OpenGL");
    VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = type};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .pNext = &external,
                               .size = SCENE_B,
                               .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
    VkBuffer buffer;
    VK(vkCreateBuffer(vk->device, &info, NULL, &buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(vk->device, buffer, &needs);
    VkExportMemoryAllocateInfo export = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
        .handleTypes = type};
    VkDeviceMemory memory = vk_memory(vk, &needs, 0, &export);
    VK(vkBindBufferMemory(vk->device, buffer, memory, 0));
    vkCmdFillBuffer(vk->cmd, buffer, 0, SCENE_B / 2, 0x11223344);
    vkCmdFillBuffer(vk->cmd, buffer, SCENE_B / 2, SCENE_B / 2, 0x55667788);
    vk_finish(vk);
    GLuint object, ssbo;
    glCreateMemoryObjectsEXT(1, &object);
    glImportMemoryFdEXT(object, needs.size, GL_HANDLE_TYPE_OPAQUE_FD_EXT,
                        export_memory(vk, memory, type));
    glCreateBuffers(1, &ssbo);
    glNamedBufferStorageMemEXT(ssbo, SCENE_B, object, 0);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, ssbo);
    gl_compute("#version 430 core\nlayout(local_size_x = 64) in;"
               "layout(std430, binding = 0) buffer B { uint v[]; };"
               "void main(){ v[gl_GlobalInvocationID.x] +="
               "gl_GlobalInvocationID.x; }");
    glDispatchCompute(SCENE_TEXELS / 64, 1, 1);
    glFinish();
    struct vk_buffer back = vk_buffer(vk, SCENE_B, NULL);
    VkBufferCopy all = {0, 0, SCENE_B};
    vkCmdCopyBuffer(vk->cmd, buffer, back.buffer, 1, &all);
    vk_finish(vk);
    const uint32_t *got = back.map;
    for (uint32_t i = 0; i < SCENE_TEXELS; i++)
        if (got[i] != (i < SCENE_TEXELS / 2 ? 0x11223344u : 0x55667788u) + i)
            vk_die("word %u is %x", i, got[i]);
    memcpy(rgba, got, SCENE_B);
}

/* Finds the modifiers that support drawing to the format; returns their number.
 */
static uint32_t
modifiers(const struct vk *vk, VkFormat format,
          VkDrmFormatModifierPropertiesEXT *all, uint32_t most)
{
    VkDrmFormatModifierPropertiesListEXT list = {
        .sType = VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT,
        .drmFormatModifierCount = most,
        .pDrmFormatModifierProperties = all};
    VkFormatProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &list};
    vkGetPhysicalDeviceFormatProperties2(vk->physical, format, &properties);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list.drmFormatModifierCount; i++)
        if (all[i].drmFormatModifierTilingFeatures &
            VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT)
            all[kept++] = all[i];
    return kept;
}

/* The EGL attributes of each plane. */
static EGLImage
import_dmabuf(const struct vk *vk, const struct vk_image *image, int fd,
              uint64_t modifier, uint32_t planes)
{
    static const EGLAttrib keys[4][5] = {
        {EGL_DMA_BUF_PLANE0_FD_EXT, EGL_DMA_BUF_PLANE0_OFFSET_EXT,
         EGL_DMA_BUF_PLANE0_PITCH_EXT, EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT,
         EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT},
        {EGL_DMA_BUF_PLANE1_FD_EXT, EGL_DMA_BUF_PLANE1_OFFSET_EXT,
         EGL_DMA_BUF_PLANE1_PITCH_EXT, EGL_DMA_BUF_PLANE1_MODIFIER_LO_EXT,
         EGL_DMA_BUF_PLANE1_MODIFIER_HI_EXT},
        {EGL_DMA_BUF_PLANE2_FD_EXT, EGL_DMA_BUF_PLANE2_OFFSET_EXT,
         EGL_DMA_BUF_PLANE2_PITCH_EXT, EGL_DMA_BUF_PLANE2_MODIFIER_LO_EXT,
         EGL_DMA_BUF_PLANE2_MODIFIER_HI_EXT}};
    EGLAttrib a[48] = {EGL_WIDTH, SCENE_W, EGL_HEIGHT, SCENE_H,
                       EGL_LINUX_DRM_FOURCC_EXT,
                       /* AB24: R8G8B8A8 in memory */
                       'A' | 'B' << 8 | '2' << 16 | '4' << 24};
    int n = 6;
    for (uint32_t p = 0; p < planes && p < 3; p++) {
        VkImageSubresource part = {VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT << p,
                                   0, 0};
        VkSubresourceLayout at;
        vkGetImageSubresourceLayout(vk->device, image->image, &part, &at);
        const EGLAttrib values[5] = {
            fd, (EGLAttrib)at.offset, (EGLAttrib)at.rowPitch,
            (EGLAttrib)(modifier & 0xffffffff), (EGLAttrib)(modifier >> 32)};
        for (int k = 0; k < 5; k++) {
            a[n++] = keys[p][k];
            a[n++] = values[k];
        }
    }
    a[n] = EGL_NONE;
    return eglCreateImage(eglGetCurrentDisplay(), EGL_NO_CONTEXT,
                          EGL_LINUX_DMA_BUF_EXT, NULL, a);
}

/* Draws with this modifier, and reads the dma-buf through GL. */
static void
share_modifier(struct vk *vk, const VkDrmFormatModifierPropertiesEXT *m,
               int salt, uint8_t *rgba)
{
    const VkExternalMemoryHandleTypeFlagBits type =
        VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    VkImageDrmFormatModifierListCreateInfoEXT list = {
        .sType =
            VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT,
        .drmFormatModifierCount = 1,
        .pDrmFormatModifiers = &m->drmFormatModifier};
    struct vk_image image = shared_picture();
    image.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
    external_image(vk, &image, type, &list);
    draw_rings(vk, &image, salt);
    /* Released to an external reader. */
    VkImageMemoryBarrier release = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = image.layout,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = 0,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_FOREIGN_EXT,
        .image = image.image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(vk->cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                         NULL, 1, &release);
    vk_finish(vk);
    int fd = export_memory(vk, image.memory, type);
    char what[64];
    snprintf(what, sizeof what, "modifier %llx",
             (unsigned long long)m->drmFormatModifier);
    EGLImage shared = import_dmabuf(vk, &image, fd, m->drmFormatModifier,
                                    m->drmFormatModifierPlaneCount);
    if (!shared)
        vk_die("%s: EGL does not import it", what);
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glEGLImageTargetTexture2DOES(GL_TEXTURE_2D, shared);
    sample_texture(texture, rgba);
    check_rings(rgba, salt, what);
    close(fd);
}

static void
share_dmabuf(struct vk *vk, uint8_t *rgba)
{
    gl_open_core();
    vk_need(
        vk_has_extension(vk, VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME) &&
            epoxy_has_egl_extension(eglGetCurrentDisplay(),
                                    "EGL_EXT_image_dma_buf_import_modifiers"),
        "dma-bufs with modifiers");
    VkDrmFormatModifierPropertiesEXT all[32];
    uint32_t count = modifiers(vk, VK_FORMAT_R8G8B8A8_UNORM, all,
                               VK_COUNT(all));
    if (count < 2)
        vk_die("%u modifiers", count);
    for (uint32_t i = 0; i < count; i++)
        share_modifier(vk, &all[i], (int)i, rgba);
}

const struct vk_scene vk_scenes_share[] = {
    {.name = "share-image", .draw = share_image},
    {.name = "share-buffer",
     .draw = share_buffer,
     .no_reference = "its OpenGL does not write to the memory"},
    {.name = "share-dmabuf", .draw = share_dmabuf},
    {.name = NULL},
};
