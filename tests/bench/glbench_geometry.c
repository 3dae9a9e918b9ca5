/* glbench_geometry.c: vertices, and the cost of multisampling and copies. */
#include "glbench.h"

#include <stdlib.h>

#define MESH_CELLS 1023 /* 1024 x 1024 vertices */
#define VS_LIT                                                 \
    "in vec2 pos; uniform vec4 k; out vec2 uv; out vec3 col;"  \
    "void main(){ vec3 n = normalize(vec3(pos, 0.5));"         \
    " mat4 m = mat4(k.x, 0, 0, 0, 0, k.x, 0, 0, 0, 0, 0.1, 0," \
    " k.y, k.y, 0, 1);"                                        \
    " vec4 p = m * vec4(pos, 0.1, 1); vec3 l = vec3(0);"       \
    " for (int i = 0; i < 4; i++){"                            \
    " vec3 d = normalize(vec3(float(i), 1, 2) - p.xyz);"       \
    " l += max(dot(n, d), 0.0) * vec3(0.3, 0.2, 0.1); }"       \
    " col = l; uv = pos; gl_Position = p; }"
#define FS_LIT                                                  \
    "in vec3 col; in vec2 uv; layout(location = 0) out vec4 c;" \
    "void main(){ c = vec4(col, 1); }"

static void
setup_cull(struct bench *b)
{
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT_AND_BACK);
}

static void
setup_discard(struct bench *b)
{
    glEnable(GL_RASTERIZER_DISCARD);
}

static void
frame_points(struct bench *b)
{
    glBindVertexArray(b->grid_vao);
    glDrawArrays(GL_POINTS, 0, (MESH_CELLS + 1) * (MESH_CELLS + 1));
    glFlush();
}

static void
setup_resolved(struct bench *b)
{
    b->other_fbo = bench_target(GL_RGBA8, 0, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, b->fbo);
}

static void
blit(struct bench *b, int source_px, GLenum filter)
{
    glBindFramebuffer(GL_READ_FRAMEBUFFER, b->fbo);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, b->other_fbo);
    glBlitFramebuffer(0, 0, source_px, source_px, 0, 0, TARGET_PX, TARGET_PX,
                      GL_COLOR_BUFFER_BIT, filter);
    glFlush();
    glBindFramebuffer(GL_FRAMEBUFFER, b->fbo);
}

static void
frame_blit(struct bench *b)
{
    blit(b, TARGET_PX, GL_NEAREST);
}

static void
frame_blit_scaled(struct bench *b)
{
    blit(b, TARGET_PX / 2, GL_LINEAR);
}

/* Draws a source for the copy, then copies it. */
static size_t
picture_blit(struct bench *b, float *values)
{
    bench_draw_quad(b);
    bench_frame(b);
    glBindFramebuffer(GL_FRAMEBUFFER, b->other_fbo);
    size_t count = bench_read_colors(values);
    glBindFramebuffer(GL_FRAMEBUFFER, b->fbo);
    return count;
}

#define MVERT .unit = "Mvert/s", .work = 1024.0 * 1024
#define LIT .vs = VS_LIT, .fs = FS_LIT, .grid_cells = MESH_CELLS
#define MPIX .unit = "Mpix/s", .work = TARGET_AREA_PX
const struct row rows_vertex[] = {
    {"vtx_1M_culled", MVERT, LIT, .k = {1, 0}, .setup = setup_cull},
    {"vtx_1M_clipped", MVERT, LIT, .k = {1, 5}},
    {"vtx_1M_tiny_tris", MVERT, LIT, .k = {0.02f, 0}},
    {"vtx_1M_discard_points", MVERT, LIT, .k = {1, 0}, .setup = setup_discard,
     .frame = frame_points},
    {"msaa4_fill", MPIX, .samples = 4, .fs = FS_GOURAUD, .quads = 1},
    {"msaa4_fill_tri16px", MPIX, .samples = 4, .fs = FS_GOURAUD,
     .grid_cells = 181, .grid_jitter = 0.6f},
    {"msaa4_resolve", MPIX, .samples = 4, .fs = FS_GOURAUD,
     .setup = setup_resolved, .frame = frame_blit, .picture = picture_blit},
    {.name = NULL},
};

/* ---- copies ---- */

static void
setup_pixels(struct bench *b)
{
    b->pixels = malloc((size_t)TARGET_PX * TARGET_PX * 4);
    if (!b->pixels)
        gl_die("pixels", "out of memory");
    for (size_t i = 0; i < (size_t)TARGET_PX * TARGET_PX * 4; i++)
        b->pixels[i] = (uint8_t)(i * 7 + (i >> 12));
    bench_draw_quad(b);
}

static void
frame_read(struct bench *b)
{
    glReadPixels(0, 0, TARGET_PX, TARGET_PX, GL_RGBA, GL_UNSIGNED_BYTE,
                 b->pixels);
}

static size_t
picture_read(struct bench *b, float *values)
{
    bench_draw_quad(b);
    frame_read(b);
    size_t count = (size_t)TARGET_PX * TARGET_PX * 4;
    for (size_t i = 0; i < count; i++)
        values[i] = (float)b->pixels[i] / 255.0f;
    return count;
}

static void
frame_upload(struct bench *b)
{
    b->pixels[0]++;
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, TARGET_PX, TARGET_PX, GL_RGBA,
                    GL_UNSIGNED_BYTE, b->pixels);
}

static size_t
picture_upload(struct bench *b, float *values)
{
    b->pixels[0] = 0;
    frame_upload(b);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, values);
    return (size_t)TARGET_PX * TARGET_PX * 4;
}

static void
frame_mipmaps(struct bench *b)
{
    glGenerateMipmap(GL_TEXTURE_2D);
    glFlush();
}

static size_t
picture_mipmaps(struct bench *b, float *values)
{
    size_t count = 0;
    for (int level = 1; TARGET_PX >> level; level++) {
        glGetTexImage(GL_TEXTURE_2D, level, GL_RGBA, GL_FLOAT, values + count);
        count += (size_t)(TARGET_PX >> level) * (TARGET_PX >> level) * 4;
    }
    return count;
}

#define NEAREST GL_NEAREST, GL_NEAREST, false
const struct row rows_copy[] = {
    {"blit_copy", MPIX, .fs = FS_GOURAUD, .setup = setup_resolved,
     .frame = frame_blit, .picture = picture_blit},
    {"blit_scale_linear", MPIX, .fs = FS_GOURAUD, .setup = setup_resolved,
     .frame = frame_blit_scaled, .picture = picture_blit},
    {"readpixels_rgba8", MPIX, .fs = FS_GOURAUD, .setup = setup_pixels,
     .frame = frame_read, .picture = picture_read},
    {"texsubimage_rgba8", MPIX, .fs = FS_GOURAUD, .setup = setup_pixels,
     .frame = frame_upload, .picture = picture_upload,
     .texture = {GL_RGBA8, TARGET_PX, NEAREST}},
    {"generate_mipmap", MPIX, .fs = FS_GOURAUD, .setup = setup_pixels,
     .frame = frame_mipmaps, .picture = picture_mipmaps,
     .texture = {GL_RGBA8, TARGET_PX, GL_LINEAR_MIPMAP_LINEAR, GL_NEAREST,
                 true}},
    {.name = NULL},
};
