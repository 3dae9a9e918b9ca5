/* gl_draws.c: draws whose vertices, primitives, pixels and texels are known,
 * for run_pixels.py.
 *
 * usage: gl_draws        each scene within queries of OpenGL; then what they
 *                        counted: "SCENE/QUERY VALUE", and a checksum of the
 *                        picture: "picture SCENE HASH"
 *        gl_draws once   the scenes, without queries and pictures
 *
 * Each scene is one draw, after a clear of its own target. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../gl/gl.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define SIZE 256
#define TEXTURE_SIZE 1024

static const struct {
    GLenum target;
    const char *name;
} queries[] = {
    {GL_SAMPLES_PASSED, "samples passed"},
    {GL_VERTICES_SUBMITTED_ARB, "vertices"},
    {GL_PRIMITIVES_SUBMITTED_ARB, "primitives"},
    {GL_CLIPPING_INPUT_PRIMITIVES_ARB, "clipper in"},
    {GL_CLIPPING_OUTPUT_PRIMITIVES_ARB, "clipper out"},
    {GL_FRAGMENT_SHADER_INVOCATIONS_ARB, "fragments"},
};

/* A triangle that covers all of the target, one for each three vertices. */
#define FULL                                  \
    "gl_Position = vec4(v % 3 == 1 ? 3 : -1," \
    "                   v % 3 == 2 ? 3 : -1, 0, 1);"
/* Corners in pixels. */
#define PIXELS "gl_Position = vec4(p[v] / 128 - 1, 0, 1);"
/* A full-screen quad, as a strip. */
#define QUAD "gl_Position = vec4((v & 1) * 2 - 1, (v & 2) - 1, 0, 1);"

enum filter { NO_TEXTURE, BILINEAR, NEAREST, TRILINEAR, MINIFIED };

static const struct scene {
    const char *name, *vs, *fs;
    GLenum primitive;
    int vertices;
    enum filter filter;
    bool cull, outlines;
} scenes[] = {
    {"full", FULL, "c = vec4(1);", GL_TRIANGLES, 3, 0, 0, 0},
    /* Ten pixels in three quads: 4, 3 and 3. */
    {"small",
     "const vec2 p[3] = vec2[](vec2(0), vec2(4.5, 0), vec2(0, 4.5));" PIXELS,
     "c = vec4(0, 1, 0, 1);", GL_TRIANGLES, 3, 0, 0, 0},
    /* One triangle is seen; one shows its back, one lies outside, one reaches
     * behind the near plane, so that two are made of it. */
    {"cull",
     "const vec4 p[12] = vec4[](\n"
     "    vec4(-1, -1, 0, 1), vec4(0, -1, 0, 1), vec4(-1, 0, 0, 1),\n"
     "    vec4(-1, -1, 0, 1), vec4(-1, 0, 0, 1), vec4(0, -1, 0, 1),\n"
     "    vec4(5, 5, 0, 1), vec4(6, 5, 0, 1), vec4(5, 6, 0, 1),\n"
     "    vec4(0, 0, 0, 1), vec4(1, 0, 0, 1), vec4(0, 1, -2, 1));\n"
     "gl_Position = p[v];",
     "c = vec4(0, 0, 1, 1);", GL_TRIANGLES, 12, 0, 1, 0},
    {"five", FULL, "c = vec4(1, 0, 0, 1);", GL_TRIANGLES, 15, 0, 0, 0},
    {"outlines",
     "const vec2 p[3] = vec2[](vec2(9.5), vec2(99.5, 9.5), vec2(9.5, "
     "99.5));" PIXELS,
     "c = vec4(1, 1, 0, 1);", GL_TRIANGLES, 3, 0, 0, 1},
    {"bilinear", QUAD, "c = textureLod(t, gl_FragCoord.xy / 256, 0);",
     GL_TRIANGLE_STRIP, 4, BILINEAR, 0, 0},
    {"nearest", FULL, "c = textureLod(t, gl_FragCoord.xy / 256, 0);",
     GL_TRIANGLES, 3, NEAREST, 0, 0},
    /* Four texels by four are a pixel: level 2. */
    {"trilinear", FULL, "c = texture(t, gl_FragCoord.xy / 256);", GL_TRIANGLES,
     3, TRILINEAR, 0, 0},
    {"minified", FULL, "c = texture(t, gl_FragCoord.xy / 256);", GL_TRIANGLES,
     3, MINIFIED, 0, 0},
};

static GLuint programs[COUNT(scenes)];

static GLuint
make_program(const struct scene *s)
{
    char vs[2048], fs[1024];
    snprintf(vs, sizeof vs,
             "#version 430 core\nvoid main() { int v = gl_VertexID;\n%s\n}\n",
             s->vs);
    snprintf(fs, sizeof fs,
             "#version 430 core\nlayout(binding = 0) uniform sampler2D t;\n"
             "layout(location = 0) out vec4 c;\nvoid main() {\n%s\n}\n",
             s->fs);
    return gl_program(vs, fs);
}

/* Binds a texture, of all levels for TRILINEAR, else of one. */
static GLuint
make_texture(enum filter filter)
{
    static uint8_t texels[TEXTURE_SIZE * TEXTURE_SIZE * 4];
    GLuint name;
    for (size_t i = 0; i < sizeof texels; i++)
        texels[i] = (uint8_t)(i * 37 + i / 4096);
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexStorage2D(GL_TEXTURE_2D, filter == TRILINEAR ? 11 : 1, GL_RGBA8,
                   TEXTURE_SIZE, TEXTURE_SIZE);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, TEXTURE_SIZE, TEXTURE_SIZE, GL_RGBA,
                    GL_UNSIGNED_BYTE, texels);
    if (filter == TRILINEAR)
        glGenerateMipmap(GL_TEXTURE_2D);
    GLint low = filter == TRILINEAR ? GL_LINEAR_MIPMAP_LINEAR
                : filter == NEAREST ? GL_NEAREST
                                    : GL_LINEAR;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, low);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER,
                    filter == NEAREST ? GL_NEAREST : GL_LINEAR);
    return name;
}

static void
print_checksum(const struct scene *s)
{
    static uint8_t pixels[SIZE * SIZE * 4];
    uint64_t h = 14695981039346656037u;
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (size_t i = 0; i < sizeof pixels; i++)
        h = (h ^ pixels[i]) * 1099511628211u;
    printf("picture %s %016" PRIx64 "\n", s->name, h);
}

static void
run_scene(unsigned n, bool asks)
{
    const struct scene *s = &scenes[n];
    GLuint fbo, color, texture = 0, names[COUNT(queries)];
    glGenFramebuffers(1, &fbo);
    glGenRenderbuffers(1, &color);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glBindRenderbuffer(GL_RENDERBUFFER, color);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE, SIZE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                              GL_RENDERBUFFER, color);
    glViewport(0, 0, SIZE, SIZE);
    glClear(GL_COLOR_BUFFER_BIT);
    if (s->filter)
        texture = make_texture(s->filter);
    (s->cull ? glEnable : glDisable)(GL_CULL_FACE);
    glPolygonMode(GL_FRONT_AND_BACK, s->outlines ? GL_LINE : GL_FILL);
    glUseProgram(programs[n]);
    glGenQueries(COUNT(queries), names);
    for (unsigned i = 0; asks && i < COUNT(queries); i++)
        glBeginQuery(queries[i].target, names[i]);
    glDrawArrays(s->primitive, 0, s->vertices);
    for (unsigned i = 0; asks && i < COUNT(queries); i++)
        glEndQuery(queries[i].target);
    for (unsigned i = 0; asks && i < COUNT(queries); i++) {
        GLuint64 value = 0;
        glGetQueryObjectui64v(names[i], GL_QUERY_RESULT, &value);
        printf("%s/%s %" PRIu64 "\n", s->name, queries[i].name, value);
    }
    if (asks)
        print_checksum(s);
    glDeleteQueries(COUNT(queries), names);
    glDeleteTextures(1, &texture);
    glDeleteFramebuffers(1, &fbo);
    glDeleteRenderbuffers(1, &color);
}

int
main(int argc, char **argv)
{
    bool asks = argc < 2 || strcmp(argv[1], "once") != 0;
    GLuint vao;
    gl_open_core();
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    for (unsigned i = 0; i < COUNT(scenes); i++)
        programs[i] = make_program(&scenes[i]);
    for (unsigned i = 0; i < COUNT(scenes); i++)
        run_scene(i, asks);
    glFinish();
    return 0;
}
