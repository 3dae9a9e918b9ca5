/* sweep.c: runs the cases of a group, or compares the values of two runs.
 * usage: sweep --list | GROUP FILE [--large] [PART] | --compare FILE FILE
 * GROUP: one line per failure, and a summary; the values go to FILE. PART of
 * the names of its chapters selects some of them. */
#include "sweep.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_B 160
#define MAX_VALUES (1u << 20)

const struct sweep_group sweep_groups[] = {
    {"vertex", sweep_vertex},
    {"texture", sweep_texture},
    {"raster", sweep_raster},
    {"target", sweep_target_formats},
    {"image", sweep_image},
    {"tess", sweep_tess},
    {"ops", sweep_ops},
    {"function", sweep_function},
    {"window", sweep_window},
    {"copy", sweep_copy},
    {"block", sweep_block},
    {"feedback", sweep_feedback},
    {"wide", sweep_wide},
    {"sample", sweep_sample},
    {"draws", sweep_draws},
    {"blend", sweep_blend},
    {"robust", sweep_robust},
    {"outline", sweep_outline},
    {"blit", sweep_blit},
    {"order", sweep_order},
    {"layers", sweep_layers},
    {"view", sweep_view},
    {"transfer", sweep_transfer},
    {"ballot", sweep_ballot},
    {"cube", sweep_cube},
    {"mipmap", sweep_mipmap},
    {"adjacency", sweep_adjacency},
    {"slope", sweep_slope},
    {"sync", sweep_sync},
    {"shrink", sweep_shrink},
};

struct record {
    char name[NAME_B];
    double absolute, relative;
    uint64_t count;
};

bool sweep_large;
static FILE *values_file;
static unsigned cases, failed;
static uint32_t seed;
static const char *only;

uint32_t
sweep_random(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)(seed >> 8) * below) >> 24);
}

bool
sweep_begin(const char *name)
{
    seed = 2166136261u;
    for (const char *c = name; *c; c++)
        seed = (seed ^ (uint8_t)*c) * 16777619u;
    return !only || strstr(name, only);
}

float
sweep_uniform(float low, float high)
{
    return low + (high - low) * (float)sweep_random(1 << 24) / (float)(1 << 24);
}

const char *
sweep_name(const char *format, ...)
{
    static char name[NAME_B];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return name;
}

static void
count_case(const char *name)
{
    cases++;
    GLenum error = glGetError();
    if (!error)
        return;
    printf("fail %s: GL error 0x%x\n", name, error);
    failed++;
}

void
sweep_verdict(const char *name, bool ok, const char *detail, ...)
{
    count_case(name);
    if (ok)
        return;
    va_list args;
    va_start(args, detail);
    printf("fail %s: ", name);
    vprintf(detail, args);
    putchar('\n');
    va_end(args);
    failed++;
}

void
sweep_values(const char *name, double absolute, double relative,
             const float *values, size_t count)
{
    struct record r = {.absolute = absolute, .relative = relative};
    count_case(name);
    snprintf(r.name, sizeof r.name, "%s", name);
    r.count = count;
    if (fwrite(&r, sizeof r, 1, values_file) != 1 ||
        fwrite(values, sizeof *values, count, values_file) != count)
        gl_die(name, "cannot write values");
}

double
sweep_from_srgb(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

double
sweep_to_srgb(double v)
{
    return v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

GLuint
sweep_target(GLenum format, int width_px, int height_px)
{
    GLuint fbo, texture;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glCreateTextures(GL_TEXTURE_2D, 1, &texture);
    glTextureStorage2D(texture, 1, format, width_px, height_px);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
    glViewport(0, 0, width_px, height_px);
    return texture;
}

void
sweep_free_target(GLuint texture)
{
    GLint fbo;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &fbo);
    GLuint name = (GLuint)fbo;
    glDeleteFramebuffers(1, &name);
    glDeleteTextures(1, &texture);
}

GLuint
sweep_buffer(GLenum target, GLuint index, const void *data, size_t size_B)
{
    GLuint b;
    glGenBuffers(1, &b);
    glBindBufferBase(target, index, b);
    glBufferData(target, (GLsizeiptr)size_B, data, GL_STATIC_DRAW);
    return b;
}

int
sweep_most_samples(void)
{
    GLint most;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    return most < 16 ? most : 16;
}

GLuint
sweep_sample_reader(void)
{
    return gl_compute(GLSL "layout(local_size_x = 1) in; uniform sampler2DMS t;"
                           "layout(std430, binding = 0) buffer O { vec4 o[]; };"
                           "void main(){ uvec3 g = gl_GlobalInvocationID;"
                           "uvec2 n = gl_NumWorkGroups.xy;"
                           "o[(g.z * n.y + g.y) * n.x + g.x] ="
                           " texelFetch(t, ivec2(g.xy), int(g.z)); }");
}

void
sweep_read_samples(GLuint reader, GLuint texture, int side_px, int samples,
                   void *to)
{
    size_t size_B = (size_t)(side_px * side_px * samples) * 4 * sizeof(float);
    GLuint b = sweep_buffer(GL_SHADER_STORAGE_BUFFER, 0, NULL, size_B);
    glUseProgram(reader);
    glBindTextureUnit(0, texture);
    glDispatchCompute((GLuint)side_px, (GLuint)side_px, (GLuint)samples);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetNamedBufferSubData(b, 0, (GLsizeiptr)size_B, to);
    glDeleteBuffers(1, &b);
}

GLuint
sweep_fullscreen(const char *fs)
{
    return gl_program(GLSL "out vec2 uv; void main(){"
                           "uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);"
                           "gl_Position = vec4(uv * 2 - 1, 0, 1); }",
                      fs);
}

void
sweep_draw(void)
{
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static bool
near(float a, float b, const struct record *r)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (a == b)
        return true;
    double off = fabs((double)a - b);
    return off <= r->absolute || off <= r->relative * fabs(a);
}

static void
compare_case(FILE *fa, FILE *fb, const struct record *r, float *a, float *b)
{
    if (fread(a, sizeof *a, r->count, fa) != r->count ||
        fread(b, sizeof *b, r->count, fb) != r->count)
        gl_die(r->name, "values are missing");
    uint64_t off = 0, first = 0;
    for (uint64_t i = 0; i < r->count; i++)
        if (!near(a[i], b[i], r) && !off++)
            first = i;
    if (!off)
        return;
    printf("fail %s: %llu of %llu values, the first is %llu: %.9g, not %.9g\n",
           r->name, (unsigned long long)off, (unsigned long long)r->count,
           (unsigned long long)first, b[first], a[first]);
    failed++;
}

static int
compare(const char *path_a, const char *path_b)
{
    FILE *fa = fopen(path_a, "rb"), *fb = fopen(path_b, "rb");
    float *a = malloc(MAX_VALUES * sizeof *a);
    float *b = malloc(MAX_VALUES * sizeof *b);
    struct record ra, rb;
    if (!fa || !fb || !a || !b)
        gl_die(path_a, "cannot read");
    while (fread(&ra, sizeof ra, 1, fa) == 1) {
        if (fread(&rb, sizeof rb, 1, fb) != 1 || strcmp(ra.name, rb.name) ||
            ra.count != rb.count || ra.count > MAX_VALUES)
            gl_die(ra.name, "the other file has something else");
        compare_case(fa, fb, &ra, a, b);
        cases++;
    }
    printf("%u values compared, %u fail\n", cases, failed);
    return failed != 0;
}

static void
run(const struct sweep_group *group, const char *path)
{
    GLuint vao;
    gl_open_core();
    values_file = fopen(path, "wb");
    if (!values_file)
        gl_die(path, "cannot write");
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    sweep_target(GL_RGBA8, 64, 64);
    group->run();
    if (fclose(values_file))
        gl_die(path, "cannot write");
    printf("%s: %u cases, %u fail\n", group->name, cases, failed);
}

int
main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        for (unsigned i = 0; i < COUNT(sweep_groups); i++)
            puts(sweep_groups[i].name);
        return 0;
    }
    if (argc == 4 && !strcmp(argv[1], "--compare"))
        return compare(argv[2], argv[3]);
    for (int i = 3; i < argc; i++)
        if (!strcmp(argv[i], "--large"))
            sweep_large = true;
        else
            only = argv[i];
    for (unsigned i = 0; i < COUNT(sweep_groups) && argc >= 3; i++)
        if (!strcmp(argv[1], sweep_groups[i].name)) {
            run(&sweep_groups[i], argv[2]);
            return failed != 0;
        }
    fputs("usage: sweep --list | GROUP FILE [--large] [PART] | --compare A B\n",
          stderr);
    return 2;
}
