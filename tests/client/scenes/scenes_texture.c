/* scenes_texture.c: samplers: filters, wraps, targets, formats, compressed
 * blocks. */
#include "scene.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FS_TEX(expr)                                                           \
    GLSL "uniform sampler2D t; in vec2 uv; out vec4 o; void main(){ o = " expr \
         "; }"

static void
filters(GLenum min, GLenum mag)
{
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint)min);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (GLint)mag);
}

static void
tex_nearest(void)
{
    scene_texture(GL_RGBA8, 32, 32, false);
    scene_fullscreen(FS_TEX("texture(t, uv * 0.97 + 0.01)"));
    scene_draw_fullscreen();
}

static void
tex_linear(void)
{
    scene_texture(GL_RGBA8, 16, 16, false);
    filters(GL_LINEAR, GL_LINEAR);
    scene_fullscreen(FS_TEX("texture(t, uv)"));
    scene_draw_fullscreen();
}

static void
tex_trilinear(void)
{
    scene_texture(GL_RGBA8, 128, 128, true);
    filters(GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR);
    scene_fullscreen(FS_TEX("texture(t, uv * (1.0 + uv.x * 6.0))"));
    scene_draw_fullscreen();
}

static void
tex_lod(void)
{
    scene_texture(GL_RGBA8, 64, 64, true);
    filters(GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR);
    scene_fullscreen(FS_TEX("textureLod(t, uv, floor(uv.y * 5.0))"));
    scene_draw_fullscreen();
}

static void
tex_grad_offset(void)
{
    scene_texture(GL_RGBA8, 64, 64, true);
    filters(GL_NEAREST_MIPMAP_NEAREST, GL_NEAREST);
    scene_fullscreen(FS_TEX("uv.x < 0.5 ? textureGrad(t, uv, vec2(0.06, 0),"
                            "vec2(0, 0.06)) : textureOffset(t, uv,"
                            "ivec2(3, -4))"));
    scene_draw_fullscreen();
}

static void
tex_anisotropic(void)
{
    scene_texture(GL_RGBA8, 128, 128, true);
    filters(GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR);
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, 8);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_MIRRORED_REPEAT);
    scene_fullscreen(FS_TEX("texture(t, vec2(uv.x, uv.y * 4.0)) *"
                            "vec4(1, 1, 0, 1)"));
    scene_draw_fullscreen();
}

static void
tex_wrap(void)
{
    static const GLenum wraps[] = {GL_REPEAT, GL_MIRRORED_REPEAT,
                                   GL_CLAMP_TO_EDGE, GL_CLAMP_TO_BORDER};
    static const float border[] = {1, 0.5f, 0, 1};
    scene_texture(GL_RGBA8, 16, 16, false);
    filters(GL_LINEAR, GL_LINEAR);
    glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, border);
    scene_fullscreen(FS_TEX("texture(t, uv * 3.0 - 1.0)"));
    for (int i = 0; i < 4; i++) {
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, (GLint)wraps[i]);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, (GLint)wraps[3 - i]);
        glViewport(i % 2 * 64, i / 2 * 64, 64, 64);
        scene_draw_fullscreen();
    }
}

static void
tex_gather_fetch(void)
{
    scene_texture(GL_RGBA8, 32, 32, false);
    scene_fullscreen(FS_TEX("uv.x < 0.5 ? textureGather(t, uv, 1) :"
                            "texelFetch(t, ivec2(uv * 32.0), 0)"));
    scene_draw_fullscreen();
}

static void
tex_query(void)
{
    scene_texture(GL_RGBA8, 64, 32, true);
    filters(GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR);
    scene_fullscreen(FS_TEX("vec4(textureSize(t, 1), textureQueryLevels(t) *"
                            "10, 255) / 255.0 + vec4(0, 0,"
                            "textureQueryLod(t, uv * 8.0).x / 8.0, 0)"));
    scene_draw_fullscreen();
}

static void
tex_swizzle_srgb(void)
{
    static const GLint swizzle[] = {GL_BLUE, GL_RED, GL_ONE, GL_GREEN};
    scene_texture(GL_SRGB8_ALPHA8, 32, 32, false);
    glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, swizzle);
    scene_fullscreen(FS_TEX("texture(t, uv)"));
    scene_draw_fullscreen();
}

/* Each internal format in a cell of a 4x4 grid. */
static void
format_grid(const GLenum *formats, int count)
{
    scene_fullscreen(FS_TEX("texture(t, uv)"));
    for (int i = 0; i < count; i++) {
        scene_texture(formats[i], 16, 16, false);
        filters(GL_LINEAR, GL_LINEAR);
        glViewport(i % 4 * 32, i / 4 * 32, 32, 32);
        scene_draw_fullscreen();
    }
}

static void
tex_formats(void)
{
    static const GLenum formats[] = {
        GL_R8,         GL_RG8,     GL_RGB565, GL_RGBA4,          GL_RGB5_A1,
        GL_RGB10_A2,   GL_R16,     GL_RG16,   GL_RGBA16,         GL_R16F,
        GL_RGBA16F,    GL_RGBA32F, GL_R32F,   GL_R11F_G11F_B10F, GL_RGB9_E5,
        GL_RGBA8_SNORM};
    format_grid(formats, COUNT(formats));
}

static void
tex_compressed(void)
{
    static const GLenum formats[] = {
        GL_COMPRESSED_RGB_S3TC_DXT1_EXT,
        GL_COMPRESSED_RGBA_S3TC_DXT3_EXT,
        GL_COMPRESSED_RGBA_S3TC_DXT5_EXT,
        GL_COMPRESSED_RED_RGTC1,
        GL_COMPRESSED_RG_RGTC2,
        GL_COMPRESSED_SIGNED_RED_RGTC1,
        GL_COMPRESSED_RGBA_BPTC_UNORM,
        GL_COMPRESSED_RGB8_ETC2,
        GL_COMPRESSED_RGBA8_ETC2_EAC,
        GL_COMPRESSED_R11_EAC,
        GL_COMPRESSED_RG11_EAC,
        GL_COMPRESSED_SRGB8_ETC2,
        GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2,
        GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT,
        GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT,
        GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM};
    uint8_t blocks[16 * 16];
    scene_fullscreen(FS_TEX("texture(t, uv) * 0.9"));
    for (unsigned i = 0; i < COUNT(formats); i++) {
        /* Pseudo-random blocks: every mode of the codecs may occur. */
        uint32_t seed = 12345 + i * 777;
        for (unsigned k = 0; k < sizeof blocks; k++) {
            seed = seed * 1664525 + 1013904223;
            blocks[k] = (uint8_t)(seed >> 24);
        }
        bool half = i == 0 || i == 3 || i == 5 || i == 7 || i == 9 || i == 11 ||
                    i == 12;
        if (i == 13 || i == 14) /* BC6H: one mode, modest exponents */
            for (unsigned k = 0; k < sizeof blocks; k += 16) {
                memset(blocks + k, 0, 16);
                blocks[k] = 0x03;
                blocks[k + 1] = (uint8_t)(0x20 + k);
                blocks[k + 9] = (uint8_t)(k * 5);
                blocks[k + 12] = (uint8_t)(k * 11);
            }
        GLuint t;
        glGenTextures(1, &t);
        glBindTexture(GL_TEXTURE_2D, t);
        glCompressedTexImage2D(GL_TEXTURE_2D, 0, formats[i], 16, 16, 0,
                               half ? 128 : 256, blocks);
        filters(GL_NEAREST, GL_NEAREST);
        glViewport((int)i % 4 * 32, (int)i / 4 * 32, 32, 32);
        scene_draw_fullscreen();
    }
}

static void
tex_integer(void)
{
    uint32_t texels[8 * 8 * 4];
    for (uint32_t i = 0; i < 256; i++)
        texels[i] = i * 2654435761u;
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32UI, 8, 8, 0, GL_RGBA_INTEGER,
                 GL_UNSIGNED_INT, texels);
    filters(GL_NEAREST, GL_NEAREST);
    scene_fullscreen(GLSL "uniform usampler2D t; in vec2 uv; out vec4 o;"
                          "void main(){ o = vec4(texture(t, uv) >> 24) /"
                          "255.0; }");
    scene_draw_fullscreen();
}

static void
fill_layers(GLenum target, int w, int h, int layers)
{
    uint8_t *texels = malloc((size_t)(w * h * layers * 4));
    for (int z = 0; z < layers; z++)
        for (int i = 0; i < w * h; i++) {
            uint8_t *p = texels + (z * w * h + i) * 4;
            p[0] = (uint8_t)(z * 255 / layers);
            p[1] = (uint8_t)(i % w * 255 / w);
            p[2] = (uint8_t)(i / w * 255 / h);
            p[3] = 255;
        }
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(target, t);
    if (target == GL_TEXTURE_CUBE_MAP)
        for (unsigned f = 0; f < 6; f++)
            glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + f, 0, GL_RGBA8, w, h,
                         0, GL_RGBA, GL_UNSIGNED_BYTE,
                         texels + f * (unsigned)(w * h * 4));
    else if (target == GL_TEXTURE_1D_ARRAY)
        glTexImage2D(target, 0, GL_RGBA8, w, layers, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, texels);
    else
        glTexImage3D(target, 0, GL_RGBA8, w, h, layers, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, texels);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    free(texels);
}

static void
tex_array(void)
{
    fill_layers(GL_TEXTURE_2D_ARRAY, 8, 8, 5);
    scene_fullscreen(GLSL "uniform sampler2DArray t; in vec2 uv; out vec4 o;"
                          "void main(){ o = texture(t, vec3(uv * 2.0,"
                          "uv.x * 6.0 - 0.5)); }");
    scene_draw_fullscreen();
}

static void
tex_1d_array(void)
{
    fill_layers(GL_TEXTURE_1D_ARRAY, 16, 1, 6);
    scene_fullscreen(GLSL "uniform sampler1DArray t; in vec2 uv; out vec4 o;"
                          "void main(){ o = texture(t, vec2(uv.x,"
                          "uv.y * 6.0)); }");
    scene_draw_fullscreen();
}

static void
tex_3d(void)
{
    fill_layers(GL_TEXTURE_3D, 8, 8, 8);
    scene_fullscreen(GLSL "uniform sampler3D t; in vec2 uv; out vec4 o;"
                          "void main(){ o = texture(t, vec3(uv,"
                          "uv.x * uv.y)); }");
    scene_draw_fullscreen();
}

static void
tex_cube(void)
{
    fill_layers(GL_TEXTURE_CUBE_MAP, 8, 8, 6);
    glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
    scene_fullscreen(
        GLSL "uniform samplerCube t; in vec2 uv; out vec4 o; void main(){"
             "float a = uv.x * 6.2831853, b = (uv.y - 0.5) * 3.14159;"
             "o = texture(t, vec3(cos(a) * cos(b), sin(b),"
             "sin(a) * cos(b))); }");
    scene_draw_fullscreen();
}

static void
tex_cube_array(void)
{
    fill_layers(GL_TEXTURE_CUBE_MAP_ARRAY, 4, 4, 12);
    glTexParameteri(GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_WRAP_S,
                    GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_WRAP_T,
                    GL_CLAMP_TO_EDGE);
    scene_fullscreen(GLSL
                     "uniform samplerCubeArray t; in vec2 uv; out vec4 o;"
                     "void main(){ o = texture(t, vec4(uv * 2.0 - 1.0, 0.8,"
                     "floor(uv.x * 2.0))); }");
    scene_draw_fullscreen();
}

static void
tex_shadow(void)
{
    float depth[16 * 16];
    for (int i = 0; i < 256; i++)
        depth[i] = (float)(i * 7 % 256) / 255;
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, 16, 16, 0,
                 GL_DEPTH_COMPONENT, GL_FLOAT, depth);
    filters(GL_LINEAR, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE,
                    GL_COMPARE_REF_TO_TEXTURE);
    static const GLenum functions[] = {GL_LEQUAL, GL_GREATER, GL_LESS,
                                       GL_GEQUAL};
    scene_fullscreen(GLSL "uniform sampler2DShadow t; in vec2 uv; out vec4 o;"
                          "void main(){ o = vec4(texture(t, vec3(uv, 0.503)),"
                          "uv, 1); }");
    for (int i = 0; i < 4; i++) {
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC,
                        (GLint)functions[i]);
        glViewport(i % 2 * 64, i / 2 * 64, 64, 64);
        scene_draw_fullscreen();
    }
}

static void
tex_buffer(void)
{
    uint8_t data[256];
    for (int i = 0; i < 256; i++)
        data[i] = (uint8_t)(i * 73);
    GLuint b = scene_buffer(GL_TEXTURE_BUFFER, data, sizeof data), t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_BUFFER, t);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, b);
    scene_fullscreen(GLSL "uniform samplerBuffer t; in vec2 uv; out vec4 o;"
                          "void main(){ o = texelFetch(t, int(uv.x * 8.0) +"
                          "int(uv.y * 8.0) * 8); }");
    scene_draw_fullscreen();
}

/* Rows from the middle of a pixel buffer object, in another order of bytes. */
static void
tex_unpack(void)
{
    uint8_t data[40 * 36 * 4];
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 29 + i / 160);
    scene_buffer(GL_PIXEL_UNPACK_BUFFER, data, sizeof data);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 40);
    glPixelStorei(GL_UNPACK_SKIP_PIXELS, 5);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 3);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 32, 32);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 32, 32, GL_BGRA, GL_UNSIGNED_BYTE,
                    NULL);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    scene_fullscreen(GLSL "uniform sampler2D t; in vec2 uv; out vec4 o;"
                          "void main(){ o = texelFetch(t, ivec2(uv * 32.0),"
                          "0); }");
    scene_draw_fullscreen();
}

static void
tex_rectangle(void)
{
    uint8_t data[10 * 6 * 4];
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 29);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_RECTANGLE, t);
    glTexImage2D(GL_TEXTURE_RECTANGLE, 0, GL_RGBA8, 10, 6, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, data);
    glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    scene_fullscreen(GLSL "uniform sampler2DRect t; in vec2 uv; out vec4 o;"
                          "void main(){ o = texture(t, uv * vec2(10, 6)); }");
    scene_draw_fullscreen();
}

static void
tex_render_and_mipmap(void)
{
    GLuint t, fbo;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 5, GL_RGBA8, 64, 64);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                           t, 1);
    glViewport(0, 0, 32, 32);
    scene_fullscreen(GLSL "in vec2 uv; out vec4 o; void main(){"
                          "o = vec4(uv, 0.3, 1); }");
    scene_draw_fullscreen();
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                           t, 0);
    glViewport(0, 0, 64, 64);
    glClearColor(0.5f, 0, 0.5f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
    glViewport(0, 0, SCENE_W, SCENE_H);
    filters(GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1);
    scene_fullscreen(FS_TEX("textureLod(t, uv, uv.x)"));
    scene_draw_fullscreen();
}

static void
tex_upload_copy(void)
{
    GLuint t = scene_texture(GL_RGBA8, 64, 64, false), u;
    uint32_t patch[20 * 10];
    for (unsigned i = 0; i < COUNT(patch); i++)
        patch[i] = 0xff00ff00u + i;
    glTexSubImage2D(GL_TEXTURE_2D, 0, 7, 9, 20, 10, GL_RGBA, GL_UNSIGNED_BYTE,
                    patch);
    glGenTextures(1, &u);
    glBindTexture(GL_TEXTURE_2D, u);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 64, 64);
    glCopyImageSubData(t, GL_TEXTURE_2D, 0, 0, 0, 0, u, GL_TEXTURE_2D, 0, 8, 4,
                       0, 50, 60, 1);
    filters(GL_NEAREST, GL_NEAREST);
    scene_fullscreen(FS_TEX("texture(t, uv)"));
    scene_draw_fullscreen();
}

const struct scene scenes_texture[] = {
    {"tex-nearest", tex_nearest, NULL, 0, 0.5},
    {"tex-linear", tex_linear, NULL, 0, 0},
    {"tex-trilinear", tex_trilinear, NULL, 2, 1},
    {"tex-lod", tex_lod, NULL, 0, 0},
    {"tex-grad-offset", tex_grad_offset, NULL, 0, 0},
    /* Footprints depend on the implementation: only the gradient counts. */
    {"tex-anisotropic", tex_anisotropic, NULL, 2, 2},
    {"tex-wrap", tex_wrap, NULL, 0, 0},
    {"tex-gather-fetch", tex_gather_fetch, NULL, 0, 0},
    {"tex-query", tex_query, NULL, 0, 0},
    {"tex-swizzle-srgb", tex_swizzle_srgb, NULL, 0, 0},
    {"tex-formats", tex_formats, NULL, 0, 0},
    {"tex-compressed", tex_compressed, NULL, 0, 0},
    {"tex-integer", tex_integer, NULL, 0, 0},
    {"tex-array", tex_array, NULL, 0, 0},
    {"tex-1d-array", tex_1d_array, NULL, 0, 0},
    {"tex-3d", tex_3d, NULL, 0, 0},
    {"tex-cube", tex_cube, NULL, 0, 0},
    {"tex-cube-array", tex_cube_array, NULL, 0, 0},
    {"tex-shadow", tex_shadow, NULL, 0, 0},
    {"tex-buffer", tex_buffer, NULL, 0, 0},
    {"tex-unpack", tex_unpack, NULL, 0, 0},
    {"tex-rectangle", tex_rectangle, NULL, 0, 0},
    {"tex-render-mipmap", tex_render_and_mipmap, NULL, 0, 0},
    {"tex-upload-copy", tex_upload_copy, NULL, 0, 0},
    {NULL, NULL, NULL, 0, 0},
};
