/* glbench_texture.c: textures: filters, formats, access patterns. */
#include "glbench.h"

#define FS_ROTATED                                             \
    FS_HEAD "uniform sampler2D s; void main(){ c = texture(s," \
            " vec2(uv.x * 0.8 + uv.y * 0.6, uv.y * 0.8 - uv.x * 0.6)); }"
#define FS_STRETCHED                            \
    FS_HEAD "uniform sampler2D s; void main(){" \
            " c = texture(s, vec2(uv.x, uv.y * 8.0)); }"
#define FS_SHADOW                                     \
    FS_HEAD "uniform sampler2DShadow s; void main(){" \
            " c = vec4(texture(s, vec3(uv + 0.0003, 0.5))); }"
#define FS_FOUR                                               \
    FS_HEAD "uniform sampler2D s; void main(){"               \
            " c = 0.25 * (texture(s, uv) + texture(s, uv.yx)" \
            " + texture(s, uv * 1.1 + 0.1) + texture(s, 1.0 - uv)); }"
#define FS_FETCH                                \
    FS_HEAD "uniform sampler2D s; void main(){" \
            " c = texelFetch(s, ivec2(gl_FragCoord.xy), 0); }"
#define FS_RANDOM                                                   \
    FS_HEAD "uniform sampler2D s; void main(){"                     \
            " c = texture(s, fract(sin(uv * vec2(12.9898, 78.233))" \
            " * 437.5)); }"

static void
setup_anisotropy(struct bench *b)
{
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, 8);
}

static void
setup_shadow(struct bench *b)
{
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE,
                    GL_COMPARE_REF_TO_TEXTURE);
}

#define MPIX .unit = "Mpix/s", .work = TARGET_AREA_PX, .quads = 1
#define NEAREST GL_NEAREST, GL_NEAREST, false
#define BILINEAR GL_LINEAR, GL_LINEAR, false
#define TRILINEAR GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR, true
/* One texel per pixel, between texels. */
#define SIMILAR .fs = FS_TEXTURE, .k = {1, 1, 0.3f / 1024, 0.3f / 1024}
/* One and a half texels per pixel. */
#define SMALLER .fs = FS_TEXTURE, .k = {1.5f, 1.5f, 0, 0}
const struct row rows_texture[] = {
    {"tex_nearest_1to1", MPIX, .fs = FS_TEXTURE, .k = {1, 1, 0, 0},
     .texture = {GL_RGBA8, 1024, NEAREST}},
    {"tex_bilinear_1to1", MPIX, SIMILAR, .texture = {GL_RGBA8, 1024, BILINEAR}},
    {"tex_bilinear_mag4", MPIX, .fs = FS_TEXTURE,
     .k = {0.9f, 0.9f, 0.01f, 0.01f}, .texture = {GL_RGBA8, 256, BILINEAR}},
    {"tex_bilinear_rot", MPIX, .fs = FS_ROTATED,
     .texture = {GL_RGBA8, 1024, BILINEAR}},
    {"tex_mipnearest", MPIX, SMALLER,
     .texture = {GL_RGBA8, 1024, GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR, true}},
    {"tex_trilinear", MPIX, SMALLER, .texture = {GL_RGBA8, 1024, TRILINEAR}},
    {"tex_trilinear_srgb", MPIX, SMALLER,
     .texture = {GL_SRGB8_ALPHA8, 1024, TRILINEAR}},
    {"tex_aniso8", MPIX, .fs = FS_STRETCHED, .setup = setup_anisotropy,
     .texture = {GL_RGBA8, 1024, TRILINEAR}},
    {"tex_bc1_trilinear", MPIX, SMALLER,
     .texture = {GL_COMPRESSED_RGB_S3TC_DXT1_EXT, 1024, TRILINEAR}},
    {"tex_bc1_bilinear", MPIX, SIMILAR,
     .texture = {GL_COMPRESSED_RGB_S3TC_DXT1_EXT, 1024, BILINEAR}},
    {"tex_bc3_bilinear", MPIX, SIMILAR,
     .texture = {GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, 1024, BILINEAR}},
    {"tex_bc7_bilinear", MPIX, SIMILAR,
     .texture = {GL_COMPRESSED_RGBA_BPTC_UNORM, 1024, BILINEAR}},
    {"tex_etc2_bilinear", MPIX, SIMILAR,
     .texture = {GL_COMPRESSED_RGB8_ETC2, 1024, BILINEAR}},
    {"tex_rgba16f_bilinear", MPIX, SIMILAR,
     .texture = {GL_RGBA16F, 1024, BILINEAR}},
    {"tex_rgba32f_bilinear", MPIX, SIMILAR,
     .texture = {GL_RGBA32F, 1024, BILINEAR}},
    {"tex_r8_bilinear", MPIX, SIMILAR, .texture = {GL_R8, 1024, BILINEAR}},
    {"tex_r11g11b10f_bilinear", MPIX, SIMILAR,
     .texture = {GL_R11F_G11F_B10F, 1024, BILINEAR}},
    {"tex_shadow_bilinear", MPIX, .fs = FS_SHADOW, .setup = setup_shadow,
     .texture = {GL_DEPTH_COMPONENT24, 1024, BILINEAR}},
    {"tex_4fetches", "Mtexsample/s", 4 * TARGET_AREA_PX, .fs = FS_FOUR,
     .quads = 1, .texture = {GL_RGBA8, 1024, BILINEAR}},
    {"tex_texelFetch", MPIX, .fs = FS_FETCH,
     .texture = {GL_RGBA8, 1024, NEAREST}},
    {"tex_random", MPIX, .fs = FS_RANDOM,
     .texture = {GL_RGBA8, 1024, BILINEAR}},
    {.name = NULL},
};
