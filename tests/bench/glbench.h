/* glbench.h: one GL workload per row, under the same rules.
 *
 * A row is data: target, shaders, texture, mesh, state, and the work of one
 * frame. glbench.c sets a row up, draws frames between two readings of the
 * clocks, and writes the picture of a frame. Hooks do the parts that data
 * cannot describe. Driver-neutral: the same program runs on llvmpipe and on
 * Softlake. */
#ifndef GLBENCH_H
#define GLBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../gl/gl.h"

#define TARGET_PX 1024 /* width and height of every target */
#define TARGET_AREA_PX ((double)TARGET_PX * TARGET_PX)
#define MAX_TEXTURES 2
#define MAX_BUFFERS 3
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* format 0: none. */
struct row_texture {
    GLenum format;
    uint32_t size_px;
    GLenum min, mag;
    bool mipmaps;
};

struct row_buffer {
    uint32_t size_B;
    bool integers; /* type in the picture */
};

struct bench;

struct row {
    const char *name, *unit; /* unit: its first letter is the prefix */
    double work;             /* in units per frame, without the prefix */
    GLenum color, depth;     /* target; 0: RGBA8, none */
    int samples;
    bool bgra; /* target and texture in the window system's layout */
    const char *vs, *fs, *cs;
    struct row_texture texture;
    float k[4]; /* uniform vec4 k */
    bool blend;
    uint32_t quads;      /* per frame, each over the whole target */
    uint32_t grid_cells; /* a mesh of that many cells in each direction, drawn
                            once */
    float grid_jitter;   /* of its vertices, in cells */
    struct row_buffer buffers[MAX_BUFFERS];
    uint32_t groups_x, groups_y;
    /* Called after the setup above; NULL: nothing. */
    void (*setup)(struct bench *b);
    /* NULL: quads, grid and dispatch as above, and a flush. */
    void (*frame)(struct bench *b);
    /* NULL: the target, or the buffers. Returns the number of values. */
    size_t (*picture)(struct bench *b, float *values);
    bool finishes; /* a frame ends in glFinish(): none is in flight */
};

struct bench {
    const struct row *row;
    uint32_t frame_count; /* since the last picture began */
    GLuint quad_vao, grid_vao;
    GLuint program, other_program;
    GLuint textures[MAX_TEXTURES];
    GLuint buffers[MAX_BUFFERS];
    GLuint fbo, other_fbo;
    GLint location; /* of a uniform that the frame sets */
    uint32_t grid_indices;
    uint32_t unique; /* number of the shader: all differ */
    uint8_t *pixels; /* TARGET_PX^2 of RGBA8 */
};

extern const struct row rows_fill[], rows_triangle[], rows_texture[],
    rows_depth[], rows_alu[], rows_vertex[], rows_copy[], rows_draw[],
    rows_compute[], rows_image[];

/* All of these exit(1) with a message on any GL or compile error. */
void bench_setup(struct bench *b, const struct row *row);
/* Restores the initial state of targets and buffers. */
void bench_reset(struct bench *b);
GLuint bench_program(const char *vs, const char *fs);
GLuint bench_target(GLenum color, GLenum depth, int samples);
GLuint bench_texture(const struct row_texture *t);
void bench_frame(struct bench *b);
void bench_draw_quad(const struct bench *b);
/* Two triangles of the grid. */
void bench_draw_cell(uint32_t cell);
/* Reads the bound framebuffer's colours; returns the number of values. */
size_t bench_read_colors(float *values);

/* Shaders that several rows share; `in vec2 pos` is attribute 0. */
#define VS_QUAD                              \
    "in vec2 pos; out vec2 uv; void main(){" \
    " uv = pos * 0.5 + 0.5;"                 \
    " gl_Position = vec4(pos, 0.0, 1.0); }"
#define VS_QUAD_Z                                \
    "in vec2 pos; out vec2 uv; uniform float z;" \
    "void main(){ uv = pos * 0.5 + 0.5;"         \
    " gl_Position = vec4(pos, z, 1.0); }"
#define FS_HEAD "in vec2 uv; layout(location = 0) out vec4 c;"
#define FS_GOURAUD FS_HEAD "void main(){ c = vec4(uv, uv.x * uv.y, 1.0); }"
#define FS_TEXTURE                                 \
    FS_HEAD "uniform sampler2D s; uniform vec4 k;" \
            "void main(){ c = texture(s, uv * k.xy + k.zw); }"

#endif
