/* glbench_image.c: images, texel buffers, and pixel buffer objects, which
 * drivers implement by them. */
#include "glbench.h"

#include <stdlib.h>

#define MPIX .unit = "Mpix/s", .work = TARGET_AREA_PX
#define IMAGES(format)                                              \
    "layout(local_size_x = 8, local_size_y = 8) in;"                \
    "layout(binding = 0, " #format ") readonly uniform image2D a;"  \
    "layout(binding = 1, " #format ") writeonly uniform image2D o;" \
    "void main(){ ivec2 p = ivec2(gl_GlobalInvocationID.xy);"       \
    " imageStore(o, p, imageLoad(a, p).zyxw * 0.75); }"
#define UINTS                                                  \
    "layout(local_size_x = 8, local_size_y = 8) in;"           \
    "layout(binding = 0, r32ui) readonly uniform uimage2D a;"  \
    "layout(binding = 1, r32ui) writeonly uniform uimage2D o;" \
    "void main(){ ivec2 p = ivec2(gl_GlobalInvocationID.xy);"  \
    " imageStore(o, p, imageLoad(a, p) + 1u); }"
#define ATOMICS(place)                                 \
    "layout(local_size_x = 8, local_size_y = 8) in;"   \
    "layout(binding = 1, r32ui) uniform uimage2D o;"   \
    "void main(){ uvec2 p = gl_GlobalInvocationID.xy;" \
    " imageAtomicMax(o, ivec2(" place "), p.x * 1667u + p.y); }"
#define PIXEL " ivec2 p = ivec2(gl_FragCoord.xy);"

static const char fs_texels[] = FS_HEAD
    "uniform samplerBuffer s; void main(){" PIXEL
    " c = texelFetch(s, p.y * 1024 + p.x); }";
static const char fs_store[] = FS_HEAD
    "layout(binding = 1, rgba8) writeonly uniform image2D o; void main(){" PIXEL
    " imageStore(o, p, vec4(uv, 0.5, 1.0)); c = vec4(1); }";

/* Images of unsigned integers, with what a compute shader left in the second.
 */
static size_t
picture_uints(struct bench *b, float *values)
{
    const size_t count = (size_t)TARGET_PX * TARGET_PX;
    uint32_t *u = malloc(count * sizeof *u);
    if (!u)
        gl_die("pixels", "out of memory");
    bench_frame(b);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    glBindTexture(GL_TEXTURE_2D, b->textures[1]);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, u);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(u[i] & 0xffffff);
    free(u);
    return count;
}

/* A second image like the first, as target of stores. */
static void
setup_images(struct bench *b)
{
    const struct row_texture *t = &b->row->texture;
    const struct row_texture plain = {t->format, t->size_px, GL_NEAREST,
                                      GL_NEAREST, false};
    b->textures[1] = bench_texture(&plain);
    for (GLuint i = 0; i < 2; i++)
        glBindImageTexture(i, b->textures[i], 0, GL_FALSE, 0, GL_READ_WRITE,
                           t->format);
}

static size_t
picture_image(struct bench *b, float *values)
{
    bench_frame(b);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    glBindTexture(GL_TEXTURE_2D, b->textures[1]);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, values);
    return (size_t)TARGET_PX * TARGET_PX * 4;
}

static void
make_buffer(struct bench *b, GLenum target)
{
    const size_t size_B = (size_t)TARGET_PX * TARGET_PX * 4;
    b->pixels = malloc(size_B);
    if (!b->pixels)
        gl_die("pixels", "out of memory");
    for (size_t i = 0; i < size_B; i++)
        b->pixels[i] = (uint8_t)(i * 7 + (i >> 12));
    glGenBuffers(1, &b->buffers[0]);
    glBindBuffer(target, b->buffers[0]);
    glBufferData(target, (GLsizeiptr)size_B, b->pixels, GL_STREAM_COPY);
}

static void
setup_texels(struct bench *b)
{
    make_buffer(b, GL_TEXTURE_BUFFER);
    glGenTextures(1, &b->textures[0]);
    glBindTexture(GL_TEXTURE_BUFFER, b->textures[0]);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, b->buffers[0]);
}

static void
setup_unpack(struct bench *b)
{
    make_buffer(b, GL_PIXEL_UNPACK_BUFFER);
}

static void
setup_pack(struct bench *b)
{
    bench_draw_quad(b);
    make_buffer(b, GL_PIXEL_PACK_BUFFER);
}

static void
frame_unpack(struct bench *b)
{
    (void)b;
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, TARGET_PX, TARGET_PX, GL_RED,
                    GL_UNSIGNED_BYTE, NULL);
    glFlush();
}

static size_t
picture_unpack(struct bench *b, float *values)
{
    frame_unpack(b);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, values);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, b->buffers[0]);
    return (size_t)TARGET_PX * TARGET_PX * 4;
}

static void
frame_pack(struct bench *b)
{
    (void)b;
    glReadPixels(0, 0, TARGET_PX, TARGET_PX, GL_BGRA,
                 GL_UNSIGNED_INT_8_8_8_8_REV, NULL);
    glFlush();
}

static size_t
picture_pack(struct bench *b, float *values)
{
    const size_t count = (size_t)TARGET_PX * TARGET_PX * 4;
    frame_pack(b);
    glGetBufferSubData(GL_PIXEL_PACK_BUFFER, 0, (GLsizeiptr)count, b->pixels);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)b->pixels[i] / 255;
    return count;
}

#define IMAGE_ROW(name_, format_, cs_, picture_)                          \
    {                                                                     \
        .name = name_, MPIX, .cs = cs_, .groups_x = 128, .groups_y = 128, \
        .setup = setup_images, .picture = picture_, .texture = {          \
            format_,                                                      \
            TARGET_PX,                                                    \
            GL_NEAREST,                                                   \
            GL_NEAREST,                                                   \
            false                                                         \
        }                                                                 \
    }
const struct row rows_image[] = {
    IMAGE_ROW("image_copy_rgba8", GL_RGBA8, IMAGES(rgba8), picture_image),
    IMAGE_ROW("image_copy_rgba16f", GL_RGBA16F, IMAGES(rgba16f), picture_image),
    IMAGE_ROW("image_copy_rgba32f", GL_RGBA32F, IMAGES(rgba32f), picture_image),
    IMAGE_ROW("image_copy_r32ui", GL_R32UI, UINTS, picture_uints),
    IMAGE_ROW("image_atomic_own", GL_R32UI, ATOMICS("p"), picture_uints),
    IMAGE_ROW("image_atomic_few", GL_R32UI, ATOMICS("(p * 11u) & 15u"),
              picture_uints),
    {"image_store_fs_rgba8", MPIX, .fs = fs_store, .quads = 1,
     .setup = setup_images, .picture = picture_image,
     .texture = {GL_RGBA8, TARGET_PX, GL_NEAREST, GL_NEAREST, false}},
    {"texel_buffer_rgba8", MPIX, .fs = fs_texels, .quads = 1,
     .setup = setup_texels},
    {"pbo_upload_r8", MPIX, .fs = FS_GOURAUD, .setup = setup_unpack,
     .frame = frame_unpack, .picture = picture_unpack,
     .texture = {GL_R8, TARGET_PX, GL_NEAREST, GL_NEAREST, false}},
    {"pbo_read_bgra8", MPIX, .fs = FS_GOURAUD, .setup = setup_pack,
     .frame = frame_pack, .picture = picture_pack},
    {.name = NULL},
};
