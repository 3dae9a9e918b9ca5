/* sweep_draws.c: draw calls: arrays and elements of every index type,
 * instances, base vertices and instances, indirect, several at once, with a
 * count from a buffer, predicated; and their statistics. Points come back
 * through transform feedback, in order, with all inputs of the shader. */
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POINTS 60000
#define MAX_DRAWS 6
#define INDICES 600
#define VERTICES 2000

/* Inputs of a vertex shader. */
struct point {
    int32_t vertex, instance, base_vertex, base_instance, draw;
    uint32_t fetched, stepped;
};

/* Layout of the indirect buffers; arrays lack `base`. */
struct arrays_command {
    uint32_t count, instances, first, base_instance;
};
struct elements_command {
    uint32_t count, instances, first;
    int32_t base;
    uint32_t base_instance;
};

static struct point want[MAX_POINTS], seen[MAX_POINTS];
static unsigned wanted;
static uint32_t indices[INDICES];

static const struct index_type {
    const char *name;
    GLenum type; /* 0: arrays */
    unsigned size_B, below;
} index_types[] = {
    {"arrays", 0, 0, 0},
    {"ubyte", GL_UNSIGNED_BYTE, 1, 255},
    {"ushort", GL_UNSIGNED_SHORT, 2, 1500},
    {"uint", GL_UNSIGNED_INT, 4, 1500},
};

enum call { DIRECT, BASE, INDIRECT, MULTI, MULTI_INDIRECT, COUNTED, CALLS };
static const char *const call_names[] = {"direct", "base",           "indirect",
                                         "multi",  "multi_indirect", "counted"};

/* Attribute 0 is 7 * vertex + 3, attribute 1 is 5 * step + 1. */
static void
expect(const struct elements_command *c, const struct index_type *t, int draw,
       unsigned divisor)
{
    for (uint32_t i = 0; i < c->instances; i++)
        for (uint32_t k = 0; k < c->count && wanted < MAX_POINTS; k++) {
            uint32_t v = t->type ? indices[c->first + k] + (uint32_t)c->base
                                 : c->first + k;
            want[wanted++] = (struct point){
                .vertex = (int32_t)v,
                .instance = (int32_t)i,
                .base_vertex = c->base,
                .base_instance = (int32_t)c->base_instance,
                .draw = draw,
                .fetched = 7 * v + 3,
                .stepped = 5 * (i / divisor + c->base_instance) + 1,
            };
        }
}

static struct elements_command
random_command(const struct index_type *t, enum call call)
{
    struct elements_command c = {
        .count = sweep_random(60),
        .instances = call == DIRECT || call == MULTI ? 1 : sweep_random(5),
        .first = sweep_random(500),
    };
    if (call != DIRECT && call != MULTI)
        c.base_instance = sweep_random(40);
    if (call != DIRECT && t->type)
        c.base = (int32_t)sweep_random(400);
    return c;
}

static void
draw_direct(const struct elements_command *c, const struct index_type *t,
            enum call call)
{
    const void *at = (const void *)(uintptr_t)(c->first * t->size_B);
    if (call == DIRECT && !t->type)
        glDrawArrays(GL_POINTS, (GLint)c->first, (GLsizei)c->count);
    else if (call == DIRECT)
        glDrawElements(GL_POINTS, (GLsizei)c->count, t->type, at);
    else if (!t->type)
        glDrawArraysInstancedBaseInstance(
            GL_POINTS, (GLint)c->first, (GLsizei)c->count,
            (GLsizei)c->instances, c->base_instance);
    else
        glDrawElementsInstancedBaseVertexBaseInstance(
            GL_POINTS, (GLsizei)c->count, t->type, at, (GLsizei)c->instances,
            c->base, c->base_instance);
}

static void
draw_multi(const struct elements_command *c, const struct index_type *t,
           unsigned draws)
{
    GLint first[MAX_DRAWS], base[MAX_DRAWS];
    GLsizei count[MAX_DRAWS];
    const void *at[MAX_DRAWS];
    for (unsigned i = 0; i < draws; i++) {
        first[i] = (GLint)c[i].first;
        base[i] = c[i].base;
        count[i] = (GLsizei)c[i].count;
        at[i] = (const void *)(uintptr_t)(c[i].first * t->size_B);
    }
    if (t->type)
        glMultiDrawElementsBaseVertex(GL_POINTS, count, t->type, at,
                                      (GLsizei)draws, base);
    else
        glMultiDrawArrays(GL_POINTS, first, count, (GLsizei)draws);
}

/* Commands are `stride` apart, after 8 bytes; the count comes before them. */
static void
draw_indirect(const struct elements_command *c, const struct index_type *t,
              enum call call, unsigned draws, unsigned counted)
{
    static uint8_t memory[MAX_DRAWS * 64];
    unsigned size_B = t->type ? sizeof(struct elements_command)
                              : sizeof(struct arrays_command);
    unsigned stride_B = size_B + 4 * sweep_random(4);
    memset(memory, 0xff, sizeof memory);
    memcpy(memory + 4, &counted, 4);
    for (unsigned i = 0; i < draws; i++) {
        struct arrays_command a = {c[i].count, c[i].instances, c[i].first,
                                   c[i].base_instance};
        memcpy(memory + 8 + i * stride_B, t->type ? (const void *)&c[i] : &a,
               size_B);
    }
    GLuint b;
    glGenBuffers(1, &b);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, b);
    glBindBuffer(GL_PARAMETER_BUFFER, b);
    glBufferData(GL_DRAW_INDIRECT_BUFFER, sizeof memory, memory,
                 GL_STREAM_DRAW);
    const void *at = (const void *)8;
    GLsizei n = (GLsizei)draws, step = (GLsizei)stride_B;
    if (call == INDIRECT && t->type)
        glDrawElementsIndirect(GL_POINTS, t->type, at);
    else if (call == INDIRECT)
        glDrawArraysIndirect(GL_POINTS, at);
    else if (call == MULTI_INDIRECT && t->type)
        glMultiDrawElementsIndirect(GL_POINTS, t->type, at, n, step);
    else if (call == MULTI_INDIRECT)
        glMultiDrawArraysIndirect(GL_POINTS, at, n, step);
    else if (t->type)
        glMultiDrawElementsIndirectCount(GL_POINTS, t->type, at, 4, n, step);
    else
        glMultiDrawArraysIndirectCount(GL_POINTS, at, 4, n, step);
    glDeleteBuffers(1, &b);
}

static void
random_call(const struct index_type *t, enum call call, unsigned divisor,
            bool visible)
{
    struct elements_command c[MAX_DRAWS];
    unsigned draws = call < MULTI ? 1 : 1 + sweep_random(MAX_DRAWS);
    unsigned counted = call == COUNTED ? sweep_random(MAX_DRAWS + 2) : draws;
    for (unsigned i = 0; i < draws; i++)
        c[i] = random_command(t, call);
    for (unsigned i = 0; i < draws && i < counted && visible; i++)
        expect(&c[i], t, call < MULTI ? 0 : (int)i, divisor);
    if (call <= BASE)
        draw_direct(&c[0], t, call);
    else if (call == MULTI)
        draw_multi(c, t, draws);
    else
        draw_indirect(c, t, call, draws, counted);
}

/* ---- predicates ---- */

/* A query that counted samples, or none. */
static GLuint
occlusion_query(GLuint program, bool any)
{
    GLuint q;
    glGenQueries(1, &q);
    glUseProgram(program);
    glDisable(GL_RASTERIZER_DISCARD);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, q);
    if (any)
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    glEnable(GL_RASTERIZER_DISCARD);
    return q;
}

/* ---- statistics ---- */

static const struct statistic {
    GLenum target;
    const char *name;
} statistics[] = {
    {GL_VERTICES_SUBMITTED, "vertices"},
    {GL_PRIMITIVES_SUBMITTED, "primitives"},
    {GL_VERTEX_SHADER_INVOCATIONS, "vs"},
};

static bool
check_statistics(const GLuint query[3], char *text, size_t text_B)
{
    GLuint64 n[3];
    for (unsigned i = 0; i < COUNT(statistics); i++)
        glGetQueryObjectui64v(query[i], GL_QUERY_RESULT, &n[i]);
    snprintf(text, text_B, "%llu vertices, %llu primitives, %llu shaders",
             (unsigned long long)n[0], (unsigned long long)n[1],
             (unsigned long long)n[2]);
    /* A vertex cache may avoid some shader invocations. */
    return n[0] == wanted && n[1] == wanted && n[2] <= wanted &&
           (n[2] > 0 || !wanted);
}

/* ---- a case ---- */

static void
run_case(const char *name, const struct index_type *t, enum call call,
         GLuint program, GLuint other)
{
    static const GLenum modes[] = {GL_QUERY_WAIT, GL_QUERY_WAIT_INVERTED};
    GLuint query[3], written, predicate = 0, result;
    unsigned divisor = 1 + sweep_random(3), mode = sweep_random(2);
    bool any = sweep_random(2), visible = true;
    if (sweep_random(4) == 0) {
        predicate = occlusion_query(other, any);
        visible = any != (mode == 1);
    }
    glUseProgram(program);
    glVertexAttribDivisor(1, divisor);
    wanted = 0;
    memset(seen, 0, sizeof seen);
    GLuint b = sweep_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 0, NULL, sizeof seen);
    glGenQueries(3, query);
    glGenQueries(1, &written);
    glBeginTransformFeedback(GL_POINTS);
    if (predicate)
        glBeginConditionalRender(predicate, modes[mode]);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, written);
    for (unsigned i = 0; i < COUNT(statistics); i++)
        glBeginQuery(statistics[i].target, query[i]);
    unsigned calls = 1 + sweep_random(3);
    for (unsigned i = 0; i < calls; i++)
        random_call(t, call, divisor, visible);
    for (unsigned i = 0; i < COUNT(statistics); i++)
        glEndQuery(statistics[i].target);
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    if (predicate)
        glEndConditionalRender();
    glEndTransformFeedback();
    glGetQueryObjectuiv(written, GL_QUERY_RESULT, &result);
    glGetNamedBufferSubData(b, 0, sizeof seen, seen);
    unsigned bad = 0, first = 0;
    for (unsigned i = 0; i < wanted; i++)
        if (memcmp(&want[i], &seen[i], sizeof want[i]) && !bad++)
            first = i;
    char text[120];
    bool counts = check_statistics(query, text, sizeof text);
    const struct point *w = &want[first], *s = &seen[first];
    sweep_verdict(name, !bad && result == wanted && counts,
                  "%u of %u points (%u written), the first is %u: vertex %d "
                  "(%d) instance %d (%d) base %d (%d) %d (%d) draw %d (%d) "
                  "fetched %u (%u) %u (%u); %s",
                  bad, wanted, result, first, s->vertex, w->vertex, s->instance,
                  w->instance, s->base_vertex, w->base_vertex, s->base_instance,
                  w->base_instance, s->draw, w->draw, s->fetched, w->fetched,
                  s->stepped, w->stepped, text);
    glDeleteQueries(3, query);
    glDeleteQueries(1, &written);
    glDeleteQueries(1, &predicate);
    glDeleteBuffers(1, &b);
}

static GLuint
make_program(void)
{
    static const char *const names[] = {"a", "b"};
    GLuint p = glCreateProgram();
    glAttachShader(
        p,
        gl_shader(GL_VERTEX_SHADER,
                  "#version 460 core\n"
                  "layout(location = 0) in uint fetched;"
                  "layout(location = 1) in uint stepped;"
                  "flat out ivec4 a; flat out uvec3 b; void main(){"
                  "a = ivec4(gl_VertexID, gl_InstanceID, gl_BaseVertex,"
                  " gl_BaseInstance); b = uvec3(gl_DrawID, fetched, stepped);"
                  "gl_Position = vec4(0, 0, 0, 1); }"));
    glTransformFeedbackVaryings(p, 2, names, GL_INTERLEAVED_ATTRIBS);
    return gl_link(p);
}

static GLuint
attribute(GLuint index, uint32_t factor, uint32_t plus)
{
    static uint32_t v[VERTICES];
    GLuint b;
    for (uint32_t i = 0; i < VERTICES; i++)
        v[i] = factor * i + plus;
    glGenBuffers(1, &b);
    glBindBuffer(GL_ARRAY_BUFFER, b);
    glBufferData(GL_ARRAY_BUFFER, sizeof v, v, GL_STATIC_DRAW);
    glVertexAttribIPointer(index, 1, GL_UNSIGNED_INT, 4, NULL);
    glEnableVertexAttribArray(index);
    return b;
}

static GLuint
index_buffer(const struct index_type *t)
{
    uint8_t memory[INDICES * 4];
    GLuint b;
    for (unsigned i = 0; i < INDICES && t->type; i++) {
        indices[i] = sweep_random(t->below);
        memcpy(memory + i * t->size_B, &indices[i], t->size_B);
    }
    glGenBuffers(1, &b);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, b);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof memory, memory,
                 GL_STATIC_DRAW);
    return b;
}

void
sweep_draws(void)
{
    GLuint other = sweep_fullscreen(GLSL "out vec4 o; void main(){"
                                         "o = vec4(1); }");
    GLuint program = make_program();
    GLuint b[2] = {attribute(0, 7, 3), attribute(1, 5, 1)};
    glEnable(GL_RASTERIZER_DISCARD);
    for (unsigned i = 0; i < COUNT(index_types); i++)
        for (unsigned call = 0; call < CALLS; call++) {
            const struct index_type *t = &index_types[i];
            if (!sweep_begin(
                    sweep_name("draws.%s.%s", t->name, call_names[call])))
                continue;
            GLuint ib = index_buffer(t);
            for (unsigned n = 0; n < (sweep_large ? 60 : 8); n++) {
                char name[64];
                snprintf(name, sizeof name, "draws.%s.%s.%u", t->name,
                         call_names[call], n);
                run_case(name, t, (enum call)call, program, other);
            }
            glDeleteBuffers(1, &ib);
        }
    glDisable(GL_RASTERIZER_DISCARD);
    glVertexAttribDivisor(1, 0);
    glDisableVertexAttribArray(0);
    glDisableVertexAttribArray(1);
    glDeleteBuffers(2, b);
    glDeleteProgram(program);
    glDeleteProgram(other);
}
