/* gl_queries.c: GL_INTEL_performance_query around draws whose counts are known.
 *
 * usage: gl_queries list          the queries: "NAME: COUNTERS"
 *        gl_queries run QUERY     each scene within a query of that name; then
 *                                 its counters: "SCENE/COUNTER VALUE"
 *        gl_queries all           every query around one scene
 *        gl_queries plain         the scenes without queries
 *
 * The last three print a checksum of each scene's picture, which must not
 * depend on queries. See run_queries.py. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../gl/gl.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define SIZE 256
#define NAME_B 256

/* ---- scenes -------------------------------------------------------------- */

struct target {
    GLuint fbo, color, depth;
};

static struct target
make_target(int samples)
{
    struct target t;
    glGenFramebuffers(1, &t.fbo);
    glGenRenderbuffers(1, &t.color);
    glGenRenderbuffers(1, &t.depth);
    glBindFramebuffer(GL_FRAMEBUFFER, t.fbo);
    glBindRenderbuffer(GL_RENDERBUFFER, t.color);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, SIZE,
                                     SIZE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                              GL_RENDERBUFFER, t.color);
    glBindRenderbuffer(GL_RENDERBUFFER, t.depth);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples,
                                     GL_DEPTH_COMPONENT24, SIZE, SIZE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT,
                              GL_RENDERBUFFER, t.depth);
    glViewport(0, 0, SIZE, SIZE);
    glClearColor(0.25f, 0.5f, 0.75f, 1);
    glClearDepth(1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    return t;
}

static void
free_target(struct target *t)
{
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDeleteFramebuffers(1, &t->fbo);
    glDeleteRenderbuffers(1, &t->color);
    glDeleteRenderbuffers(1, &t->depth);
}

/* A triangle that covers all of the target, at a depth. */
static const char vs[] =
    "#version 430 core\n"
    "layout(location = 0) uniform float z;\n"
    "void main() { gl_Position = vec4(gl_VertexID == 1 ? 3 : -1,\n"
    "                                 gl_VertexID == 2 ? 3 : -1, z, 1); }\n";

enum state { PLAIN, BLEND, DEPTH };

static const struct scene {
    const char *name, *fs;
    enum state state;
    int samples, vertices;
    GLenum primitive;
} scenes[] = {
    {"triangle", "c = vec4(gl_FragCoord.xy / 256, 0, 1);", PLAIN, 0, 3,
     GL_TRIANGLES},
    {"blend", "c = vec4(1, 0, 0, 0.5);", BLEND, 0, 3, GL_TRIANGLES},
    {"discard",
     "if ((int(gl_FragCoord.x) / 2 + int(gl_FragCoord.y) / 2) % 2 == 1)\n"
     "    discard;\n"
     "c = vec4(0, 1, 0, 1);",
     PLAIN, 0, 3, GL_TRIANGLES},
    {"hidden", "c = vec4(0, 0, 1, 1);", DEPTH, 0, 3, GL_TRIANGLES},
    {"late", "c = vec4(1); gl_FragDepth = gl_FragCoord.z;", DEPTH, 0, 3,
     GL_TRIANGLES},
    {"texture",
     "c = texelFetch(t, ivec2(gl_FragCoord.xy) / 64, 0) +\n"
     "    texture(t, gl_FragCoord.xy / 256);",
     PLAIN, 0, 3, GL_TRIANGLES},
    {"samples", "c = vec4(gl_FragCoord.xy / 256, 1, 1);", PLAIN, 4, 3,
     GL_TRIANGLES},
    {"twenty", "c = vec4(0.5);", PLAIN, 0, 60, GL_TRIANGLES},
    {"clear", NULL, PLAIN, 0, 0, 0},
};

static GLuint programs[COUNT(scenes)];

static GLuint
make_program(const struct scene *s)
{
    char fs[2048];
    if (!s->fs)
        return 0;
    snprintf(fs, sizeof fs,
             "#version 430 core\n"
             "layout(binding = 0) uniform sampler2D t;\n"
             "layout(location = 0) out vec4 c;\n"
             "void main() {\n%s\n}\n",
             s->fs);
    return gl_program(vs, fs);
}

/* What comes before the query: something nearer for depth tests. */
static void
prepare(const struct scene *s, GLuint program)
{
    glUseProgram(program);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    if (s->state == DEPTH) {
        glEnable(GL_DEPTH_TEST);
        glDepthFunc(GL_LESS);
        glUniform1f(0, -0.5f);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glUniform1f(0, 0.5f);
    }
    if (s->state == BLEND) {
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    }
}

static void
draw(const struct scene *s)
{
    if (s->fs)
        glDrawArrays(s->primitive, 0, s->vertices);
    else
        glClear(GL_COLOR_BUFFER_BIT);
}

static void
print_checksum(const struct scene *s, const struct target *t)
{
    static uint8_t pixels[SIZE * SIZE * 4];
    GLuint plain;
    struct target single = {0};
    if (s->samples) {
        single = make_target(0);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, t->fbo);
        glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE,
                          GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    plain = s->samples ? single.fbo : t->fbo;
    glBindFramebuffer(GL_FRAMEBUFFER, plain);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < sizeof pixels; i++)
        h = (h ^ pixels[i]) * 1099511628211u;
    printf("picture %s %016" PRIx64 "\n", s->name, h);
    if (s->samples)
        free_target(&single);
}

/* ---- queries ------------------------------------------------------------- */

static GLuint
next_query(GLuint id)
{
    GLuint next = 0;
    if (id)
        glGetNextPerfQueryIdINTEL(id, &next);
    else
        glGetFirstPerfQueryIdINTEL(&next);
    return next;
}

struct info {
    char name[NAME_B];
    GLuint size_B, counters, instances, caps;
};

static struct info
query_info(GLuint id)
{
    struct info i;
    glGetPerfQueryInfoINTEL(id, sizeof i.name, i.name, &i.size_B, &i.counters,
                            &i.instances, &i.caps);
    return i;
}

static void
print_counters(const char *scene, GLuint id, const uint8_t *data)
{
    struct info info = query_info(id);
    for (GLuint c = 1; c <= info.counters; c++) {
        char name[NAME_B], text[4 * NAME_B];
        GLuint offset, size, type, data_type;
        GLuint64 max;
        glGetPerfCounterInfoINTEL(id, c, sizeof name, name, sizeof text, text,
                                  &offset, &size, &type, &data_type, &max);
        double value = 0;
        union {
            uint32_t u32;
            uint64_t u64;
            float f;
            double d;
        } v;
        memcpy(&v, data + offset, size < sizeof v ? size : sizeof v);
        switch (data_type) {
        case GL_PERFQUERY_COUNTER_DATA_UINT32_INTEL:
        case GL_PERFQUERY_COUNTER_DATA_BOOL32_INTEL: value = v.u32; break;
        case GL_PERFQUERY_COUNTER_DATA_UINT64_INTEL:
            value = (double)v.u64;
            break;
        case GL_PERFQUERY_COUNTER_DATA_FLOAT_INTEL: value = (double)v.f; break;
        default: value = v.d;
        }
        printf("%s/%s %.6g\n", scene, name, value);
    }
}

/* One scene; query 0: without a query. Returns the number of bytes. */
static GLuint
run_scene(unsigned n, GLuint query, bool print)
{
    const struct scene *s = &scenes[n];
    struct target t = make_target(s->samples);
    GLuint handle = 0, written = 0;
    uint8_t *data = NULL;
    prepare(s, programs[n]);
    if (query) {
        glFinish();
        glCreatePerfQueryINTEL(query, &handle);
        glBeginPerfQueryINTEL(handle);
    }
    draw(s);
    if (query) {
        struct info info = query_info(query);
        data = calloc(1, info.size_B);
        glEndPerfQueryINTEL(handle);
        glGetPerfQueryDataINTEL(handle, GL_PERFQUERY_WAIT_INTEL,
                                (GLsizei)info.size_B, data, &written);
        if (written && print)
            print_counters(s->name, query, data);
        glDeletePerfQueryINTEL(handle);
        free(data);
    }
    print_checksum(s, &t);
    free_target(&t);
    return written;
}

static GLuint
find_query(const char *name)
{
    GLuint id = next_query(0);
    while (id && strcmp(query_info(id).name, name))
        id = next_query(id);
    if (!id)
        gl_die("no such query", name);
    return id;
}

static void
make_texture(void)
{
    static uint8_t texels[4 * 4 * 4];
    GLuint name;
    for (unsigned i = 0; i < sizeof texels; i++)
        texels[i] = (uint8_t)(i * 37);
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 4, 4);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE,
                    texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "list";
    GLuint vao, query = 0;
    gl_open_core();
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    make_texture();
    for (unsigned i = 0; i < COUNT(scenes); i++)
        programs[i] = make_program(&scenes[i]);
    if (!strcmp(what, "list")) {
        for (GLuint id = next_query(0); id; id = next_query(id))
            printf("%s: %u\n", query_info(id).name, query_info(id).counters);
        return 0;
    }
    if (!strcmp(what, "all")) {
        for (GLuint id = next_query(0); id; id = next_query(id))
            printf("%s: %u bytes\n", query_info(id).name,
                   run_scene(0, id, false));
        return 0;
    }
    if (!strcmp(what, "run") && argc > 2)
        query = find_query(argv[2]);
    for (unsigned i = 0; i < COUNT(scenes); i++)
        run_scene(i, query, true);
    return 0;
}
