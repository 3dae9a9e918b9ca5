/* glbench_fill.c: clears, fills, blending, and small to large triangles. */
#include "glbench.h"

#define FS_FLAT FS_HEAD "uniform vec4 k; void main(){ c = k; }"
#define FS_HALF FS_HEAD "void main(){ c = vec4(uv, 0.5, 0.5); }"
#define FS_COPY \
    FS_HEAD "uniform sampler2D s; void main(){ c = texture(s, uv); }"
#define VS_SCALED                            \
    "in vec2 pos; out vec2 uv; void main(){" \
    " uv = pos * 0.4 + 0.51;"                \
    " gl_Position = vec4(pos, 0.0, 1.0); }"

static void
frame_clear(struct bench *b)
{
    GLbitfield planes = GL_COLOR_BUFFER_BIT;
    if (b->row->depth)
        planes |= GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT;
    /* A different colour each time, so that no driver may drop the clear. */
    glClearColor((float)(b->frame_count & 255) / 255.0f, 0.5f, 0.25f, 1);
    glClear(planes);
    glFlush();
}

#define MPIX .unit = "Mpix/s", .work = TARGET_AREA_PX
#define BLENDED \
    .unit = "Mpix/s", .work = 8 * TARGET_AREA_PX, .quads = 8, .blend = true
#define SIMILAR                                                    \
    .texture = {GL_RGBA8, TARGET_PX, GL_LINEAR, GL_LINEAR, false}, \
    .k = {1, 1, 0.3f / TARGET_PX, 0.3f / TARGET_PX}
/* One quad per flush, because llvmpipe drops quads that a later opaque quad of
 * the frame covers. */
const struct row rows_fill[] = {
    {"clear_rgba8", MPIX, .frame = frame_clear},
    {"clear_rgba8_d24s8", MPIX, .depth = GL_DEPTH24_STENCIL8,
     .frame = frame_clear},
    {"clear_rgba16f", MPIX, .color = GL_RGBA16F, .frame = frame_clear},
    {"fill_flat_rgba8", MPIX, .fs = FS_FLAT, .quads = 1,
     .k = {0.2f, 0.4f, 0.6f, 1}},
    {"fill_gouraud_rgba8", MPIX, .fs = FS_GOURAUD, .quads = 1},
    {"fill_gouraud_rgba16f", MPIX, .color = GL_RGBA16F, .fs = FS_GOURAUD,
     .quads = 1},
    {"fill_gouraud_rgba32f", MPIX, .color = GL_RGBA32F, .fs = FS_GOURAUD,
     .quads = 1},
    {"fill_overdraw16_opaque", "Mpix/s", 16 * TARGET_AREA_PX, .fs = FS_GOURAUD,
     .quads = 16},
    {"blend_rgba8", BLENDED, .fs = FS_HALF},
    {"blend_rgb565", BLENDED, .color = GL_RGB565, .fs = FS_HALF},
    {"blend_rgba16f", BLENDED, .color = GL_RGBA16F, .fs = FS_HALF},
    {"blend_rgba32f", BLENDED, .color = GL_RGBA32F, .fs = FS_HALF},
    {"blend_tex_rgba8", BLENDED, .fs = FS_TEXTURE, SIMILAR},
    {"bgra_fill_flat", MPIX, .bgra = true, .fs = FS_FLAT, .quads = 1,
     .k = {0.2f, 0.4f, 0.6f, 1}},
    {"bgra_fill_gouraud", MPIX, .bgra = true, .fs = FS_GOURAUD, .quads = 1},
    {"bgra_tex_nearest_1to1", MPIX, .bgra = true, .fs = FS_COPY, .quads = 1,
     .texture = {GL_RGBA, TARGET_PX, GL_NEAREST, GL_NEAREST, false}},
    {"bgra_tex_bilinear_1to1", MPIX, .bgra = true, .fs = FS_COPY, .quads = 1,
     .texture = {GL_RGBA, TARGET_PX, GL_LINEAR, GL_LINEAR, false}},
    {"bgra_tex_bilinear_scaled", MPIX, .bgra = true, .vs = VS_SCALED,
     .fs = FS_COPY, .quads = 1,
     .texture = {GL_RGBA, TARGET_PX, GL_LINEAR, GL_LINEAR, false}},
    {"bgra_tex_bilinear_scaled_blend", MPIX, .bgra = true, .vs = VS_SCALED,
     .fs = FS_COPY, .quads = 1, .blend = true,
     .texture = {GL_RGBA, TARGET_PX, GL_LINEAR, GL_LINEAR, false}},
    {.name = NULL},
};

/* Two triangles per cell of a mesh over the whole target. */
#define MESH(cells)                                                           \
    .unit = "Mtri/s", .work = 2.0 * (cells) * (cells), .grid_cells = (cells), \
    .grid_jitter = 0.6f, .fs = FS_GOURAUD
const struct row rows_triangle[] = {
    {"tri_1px", MESH(724)},  {"tri_4px", MESH(362)},  {"tri_16px", MESH(181)},
    {"tri_128px", MESH(64)}, {"tri_512px", MESH(32)}, {"tri_2kpx", MESH(16)},
    {.name = NULL},
};
