/* glbench_draw.c: the cost of small work: draw calls, round trips, shaders. */
#include "glbench.h"

#include <stdio.h>
#include <time.h>

#define DRAWS 10000 /* the cells of a mesh of 100 by 100 */

static void
frame_draws(struct bench *b)
{
    glBindVertexArray(b->grid_vao);
    for (uint32_t i = 0; i < DRAWS; i++)
        bench_draw_cell(i);
    glFlush();
}

static void
frame_draws_uniform(struct bench *b)
{
    glBindVertexArray(b->grid_vao);
    for (uint32_t i = 0; i < DRAWS; i++) {
        glUniform1f(b->location, (float)i * 1e-5f);
        bench_draw_cell(i);
    }
    glFlush();
}

static void
setup_second_texture(struct bench *b)
{
    struct row_texture other = b->row->texture;
    other.min = other.mag = GL_NEAREST;
    b->textures[1] = bench_texture(&other);
}

static void
frame_draws_texture(struct bench *b)
{
    glBindVertexArray(b->grid_vao);
    for (uint32_t i = 0; i < DRAWS; i++) {
        glBindTexture(GL_TEXTURE_2D, b->textures[i & 1]);
        bench_draw_cell(i);
    }
    glFlush();
}

static void
setup_second_program(struct bench *b)
{
    b->other_program = bench_program(VS_QUAD_Z, FS_GOURAUD);
}

static void
frame_draws_program(struct bench *b)
{
    glBindVertexArray(b->grid_vao);
    for (uint32_t i = 0; i < DRAWS; i++) {
        glUseProgram(i & 1 ? b->program : b->other_program);
        bench_draw_cell(i);
    }
    glFlush();
}

static void
setup_small(struct bench *b)
{
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 16, 16);
}

static void
frame_finish(struct bench *b)
{
    bench_draw_quad(b);
    glFinish();
}

/* ---- shaders: compile, link, draw, wait ---- */

static const char fs_trivial[] = FS_HEAD
    "void main(){ c = vec4(uv, float(%.9g), 1.0); }";
static const char fs_textured[] = FS_HEAD
    "uniform sampler2D s; void main(){"
    " vec4 t = texture(s, uv * float(%.9g));"
    " vec3 n = normalize(t.xyz - 0.5);"
    " float d = max(dot(n, vec3(0.3, 0.5, 0.8)), 0.0);"
    " c = vec4(t.xyz * d + pow(d, 16.0), t.w); }";
static const char fs_pbr[] = FS_HEAD
    "uniform sampler2D s, s2, s3; uniform vec4 lights[8];"
    "vec3 light(vec3 n, vec3 p, vec4 a, float r){"
    " vec3 d = a.xyz - p;"
    " float q = inversesqrt(dot(d, d) + 0.01);"
    " vec3 h = normalize(d * q + vec3(0, 0, 1));"
    " float nl = max(dot(n, d * q), 0.0);"
    " float nh = max(dot(n, h), 0.0);"
    " float al = r * r;"
    " float D = al / (3.14 * pow(nh * nh * (al - 1.0) + 1.0, 2.0));"
    " return vec3(nl * (D * 0.25 + 0.3)) * a.w; }"
    "void main(){ vec4 t = texture(s, uv * float(%.9g)),"
    " u = texture(s2, uv.yx), v = texture(s3, uv * 2.0);"
    " vec3 n = normalize(u.xyz * 2.0 - 1.0); vec3 a = vec3(0);"
    " for (int i = 0; i < 8; i++)"
    " a += light(n, vec3(uv, 0), lights[i], v.x);"
    " c = vec4(t.xyz * a, t.w); if (v.w < 0.1) discard; }";

/* A different constant each time, but the same ones for each picture. */
static void
shader_frame(struct bench *b, const char *format)
{
    char source[4096];
    float constant = (float)(b->frame_count ? ++b->unique % 16000000 : 0) /
                         7.0f +
                     1.0f;
    snprintf(source, sizeof source, format, (double)constant);
    GLuint program = bench_program(VS_QUAD, source);
    bench_draw_quad(b);
    glFinish();
    glDeleteProgram(program);
}

/* Programs of earlier processes may be in the disk cache. */
static void
setup_unique(struct bench *b)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    b->unique = (uint32_t)t.tv_sec * 1000 + (uint32_t)t.tv_nsec / 1000000;
}

static void
frame_trivial(struct bench *b)
{
    shader_frame(b, fs_trivial);
}

static void
frame_textured(struct bench *b)
{
    shader_frame(b, fs_textured);
}

static void
frame_pbr(struct bench *b)
{
    shader_frame(b, fs_pbr);
}

#define KDRAW .unit = "kdraw/s", .work = DRAWS, .grid_cells = 100
#define SHADER                                                              \
    .unit = "shader/s", .work = 1, .setup = setup_unique, .finishes = true, \
    .texture = {GL_RGBA8, 64, GL_LINEAR, GL_LINEAR, false}
const struct row rows_draw[] = {
    {"draw_10k", KDRAW, .vs = VS_QUAD_Z, .fs = FS_GOURAUD,
     .frame = frame_draws},
    {"draw_10k_uniform", KDRAW, .vs = VS_QUAD_Z, .fs = FS_GOURAUD,
     .frame = frame_draws_uniform},
    {"draw_10k_texture", KDRAW, .fs = FS_TEXTURE, .setup = setup_second_texture,
     .frame = frame_draws_texture, .k = {1, 1, 0, 0},
     .texture = {GL_RGBA8, 64, GL_LINEAR, GL_LINEAR, false}},
    {"draw_10k_program", KDRAW, .fs = FS_TEXTURE, .k = {1, 1, 0, 0},
     .setup = setup_second_program, .frame = frame_draws_program,
     .texture = {GL_RGBA8, 64, GL_LINEAR, GL_LINEAR, false}},
    {"draw_finish_roundtrip", "kdraw/s", 1, .fs = FS_GOURAUD,
     .setup = setup_small, .frame = frame_finish, .finishes = true},
    {"compile_trivial", SHADER, .frame = frame_trivial},
    {"compile_textured", SHADER, .frame = frame_textured},
    {"compile_pbr8", SHADER, .frame = frame_pbr},
    {.name = NULL},
};
