/* sweep_feedback.c: transform feedback: topologies, random outputs in one
 * buffer, in several and with gaps, buffers that are too small, pauses, vertex
 * streams, and the queries that count. This program computes the expected
 * buffers. */
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OUTPUTS 6
#define MAX_PRIMS 4000
#define BUFFERS 4
#define BUFFER_DW 16384
#define UNTOUCHED 0x5a5a5a5au

static const struct topology {
    const char *name;
    GLenum mode, feedback;
    unsigned vertices; /* of the captured primitives */
} topologies[] = {
    {"points", GL_POINTS, GL_POINTS, 1},
    {"lines", GL_LINES, GL_LINES, 2},
    {"line_strip", GL_LINE_STRIP, GL_LINES, 2},
    {"line_loop", GL_LINE_LOOP, GL_LINES, 2},
    {"triangles", GL_TRIANGLES, GL_TRIANGLES, 3},
    {"triangle_strip", GL_TRIANGLE_STRIP, GL_TRIANGLES, 3},
    {"triangle_fan", GL_TRIANGLE_FAN, GL_TRIANGLES, 3},
};

/* An output variable, or a gap in front of the next one. */
struct output {
    unsigned components, gap, buffer;
};

struct setup {
    const struct topology *topology;
    struct output out[MAX_OUTPUTS];
    unsigned outputs, buffers;
    unsigned stride_dw[BUFFERS], size_dw[BUFFERS], offset_dw[BUFFERS];
    bool separate;
};

static struct {
    uint32_t vertex[3];
} prims[MAX_PRIMS];
static unsigned generated, recorded;

static uint32_t words[BUFFERS][BUFFER_DW];

/* ---- expected primitives ---- */

static void
emit(bool record, uint32_t a, uint32_t b, uint32_t c)
{
    generated++;
    if (!record || recorded == MAX_PRIMS)
        return;
    prims[recorded].vertex[0] = a;
    prims[recorded].vertex[1] = b;
    prims[recorded].vertex[2] = c;
    recorded++;
}

/* OpenGL 4.6, 10.1 and tables 10.1 and 10.2. */
static void
decompose(GLenum mode, uint32_t v, uint32_t n, bool record)
{
    uint32_t i;
    switch (mode) {
    case GL_POINTS:
        for (i = 0; i < n; i++)
            emit(record, v + i, 0, 0);
        return;
    case GL_LINES:
        for (i = 0; i + 2 <= n; i += 2)
            emit(record, v + i, v + i + 1, 0);
        return;
    case GL_LINE_STRIP:
    case GL_LINE_LOOP:
        for (i = 0; i + 2 <= n; i++)
            emit(record, v + i, v + i + 1, 0);
        if (mode == GL_LINE_LOOP && n >= 2)
            emit(record, v + n - 1, v, 0);
        return;
    case GL_TRIANGLES:
        for (i = 0; i + 3 <= n; i += 3)
            emit(record, v + i, v + i + 1, v + i + 2);
        return;
    case GL_TRIANGLE_STRIP:
        for (i = 0; i + 3 <= n; i++)
            emit(record, v + i + (i & 1), v + i + 1 - (i & 1), v + i + 2);
        return;
    case GL_TRIANGLE_FAN:
        for (i = 0; i + 3 <= n; i++)
            emit(record, v, v + i + 1, v + i + 2);
        return;
    }
}

/* ---- programs ---- */

static void
random_setup(struct setup *s, const struct topology *t)
{
    memset(s, 0, sizeof *s);
    s->topology = t;
    s->separate = sweep_random(3) == 0;
    s->outputs = 1 + sweep_random(s->separate ? BUFFERS : MAX_OUTPUTS);
    for (unsigned i = 0; i < s->outputs; i++) {
        struct output *o = &s->out[i];
        o->components = 1 + sweep_random(4);
        o->gap = s->separate || sweep_random(3) ? 0 : 1 + sweep_random(4);
        bool next = i && s->buffers < BUFFERS - 1 &&
                    (s->separate || sweep_random(3) == 0);
        s->buffers += next;
        o->buffer = s->buffers;
        s->stride_dw[o->buffer] += o->components + o->gap;
    }
    s->buffers++;
    for (unsigned b = 0; b < s->buffers; b++) {
        s->offset_dw[b] = sweep_random(2) ? sweep_random(20) : 0;
        s->size_dw[b] = sweep_random(2) ? BUFFER_DW - 20
                                        : 1 + sweep_random(1200);
    }
}

static GLuint
make_program(const struct setup *s)
{
    static char names[4 * MAX_OUTPUTS][24];
    const char *list[4 * MAX_OUTPUTS];
    char vs[2000];
    unsigned n = 0;
    int at = snprintf(vs, sizeof vs, GLSL);
    for (unsigned i = 0; i < s->outputs; i++) {
        const struct output *o = &s->out[i];
        if (i && !s->separate && o->buffer != s->out[i - 1].buffer)
            strcpy(names[n++], "gl_NextBuffer");
        if (o->gap)
            sprintf(names[n++], "gl_SkipComponents%u", o->gap);
        sprintf(names[n++], "o%u", i);
        at += snprintf(vs + at, sizeof vs - (size_t)at, "flat out %s o%u;",
                       (const char *[]){"uint", "uvec2", "uvec3",
                                        "uvec4"}[o->components - 1],
                       i);
    }
    at += snprintf(vs + at, sizeof vs - (size_t)at,
                   "void main(){ gl_Position = vec4(0, 0, 0, 1); gl_PointSize ="
                   " 1; uint v = uint(gl_VertexID + 1000 * gl_InstanceID) * "
                   "64u;");
    for (unsigned i = 0; i < s->outputs; i++)
        at += snprintf(
            vs + at, sizeof vs - (size_t)at,
            "o%u = uvec4(0, 1, 2, 3)%s + v + %uu;", i,
            (const char *[]){".x", ".xy", ".xyz", ""}[s->out[i].components - 1],
            4 * i);
    snprintf(vs + at, sizeof vs - (size_t)at, "}");
    for (unsigned i = 0; i < n; i++)
        list[i] = names[i];
    GLuint p = glCreateProgram();
    glAttachShader(p, gl_shader(GL_VERTEX_SHADER, vs));
    glTransformFeedbackVaryings(p, (GLsizei)n, list,
                                s->separate ? GL_SEPARATE_ATTRIBS
                                            : GL_INTERLEAVED_ATTRIBS);
    return gl_link(p);
}

/* ---- draws ---- */

static void
random_draws(const struct setup *s)
{
    bool paused = false;
    unsigned draws = 1 + sweep_random(4);
    for (unsigned d = 0; d < draws; d++) {
        if (sweep_random(3) == 0) {
            paused = !paused;
            if (paused)
                glPauseTransformFeedback();
            else
                glResumeTransformFeedback();
        }
        uint32_t first = sweep_random(50), count = sweep_random(40);
        uint32_t instances = 1 + sweep_random(3);
        glDrawArraysInstanced(s->topology->mode, (GLint)first, (GLsizei)count,
                              (GLsizei)instances);
        for (uint32_t i = 0; i < instances; i++)
            decompose(s->topology->mode, first + 1000 * i, count, !paused);
    }
}

/* Number of primitives that fit into all buffers. */
static unsigned
count_written(const struct setup *s)
{
    unsigned n = recorded;
    for (unsigned b = 0; b < s->buffers; b++) {
        unsigned fit = s->size_dw[b] / s->stride_dw[b] / s->topology->vertices;
        n = fit < n ? fit : n;
    }
    return n;
}

/* ---- judging ---- */

/* Whether vertex `v` is at place `at` of every buffer, with its gaps unchanged.
 */
static bool
is_vertex(const struct setup *s, uint32_t v, unsigned at)
{
    unsigned dw[BUFFERS];
    for (unsigned b = 0; b < s->buffers; b++)
        dw[b] = s->offset_dw[b] + at * s->stride_dw[b];
    for (unsigned i = 0; i < s->outputs; i++) {
        const struct output *o = &s->out[i];
        const uint32_t *w = &words[o->buffer][dw[o->buffer]];
        for (unsigned g = 0; g < o->gap; g++)
            if (*w++ != UNTOUCHED)
                return false;
        for (unsigned c = 0; c < o->components; c++)
            if (*w++ != v * 64 + 4 * i + c)
                return false;
        dw[o->buffer] += o->gap + o->components;
    }
    return true;
}

/* Triangles may begin with any vertex as long as they turn the same way. */
static bool
is_primitive(const struct setup *s, unsigned index)
{
    unsigned n = s->topology->vertices;
    for (unsigned turn = 0; turn < (n == 3 ? 3 : 1); turn++) {
        bool same = true;
        for (unsigned k = 0; k < n && same; k++)
            same = is_vertex(s, prims[index].vertex[(k + turn) % n],
                             index * n + k);
        if (same)
            return true;
    }
    return false;
}

static void
judge(const char *name, const struct setup *s, const GLuint counts[4])
{
    unsigned written = count_written(s), bad = 0, spilled = 0;
    for (unsigned i = 0; i < written; i++)
        bad += !is_primitive(s, i);
    for (unsigned b = 0; b < s->buffers; b++) {
        unsigned end = s->offset_dw[b] +
                       written * s->topology->vertices * s->stride_dw[b];
        for (unsigned i = 0; i < BUFFER_DW; i++)
            spilled += (i < s->offset_dw[b] || i >= end) &&
                       words[b][i] != UNTOUCHED;
    }
    bool overflow = written < recorded;
    /* Observed: the stock driver subtracts the buffer's offset from a count
     * that does not include it. */
    bool again = s->offset_dw[0] ||
                 counts[3] == written * s->topology->vertices;
    sweep_verdict(name,
                  !bad && !spilled && counts[0] == generated &&
                      counts[1] == written && counts[2] == overflow && again,
                  "%u of %u primitives are wrong, %u words too many, generated "
                  "%u (%u), written %u (%u), overflow %u (%u), drawn again %u",
                  bad, written, spilled, counts[0], generated, counts[1],
                  written, counts[2], overflow, counts[3]);
}

static void
run_case(const char *name, const struct topology *t)
{
    struct setup s;
    GLuint tf, buffer[BUFFERS], query[4], counts[4];
    static const GLenum targets[] = {GL_PRIMITIVES_GENERATED,
                                     GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN,
                                     GL_TRANSFORM_FEEDBACK_OVERFLOW};
    random_setup(&s, t);
    GLuint program = make_program(&s);
    memset(words, UNTOUCHED & 0xff, sizeof words);
    generated = recorded = 0;
    glGenTransformFeedbacks(1, &tf);
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, tf);
    for (unsigned b = 0; b < s.buffers; b++) {
        buffer[b] = sweep_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, b, words[b],
                                 sizeof words[b]);
        glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, b, buffer[b],
                          s.offset_dw[b] * 4, s.size_dw[b] * 4);
    }
    glGenQueries(4, query);
    for (unsigned i = 0; i < 3; i++)
        glBeginQuery(targets[i], query[i]);
    glBeginTransformFeedback(t->feedback);
    random_draws(&s);
    glEndTransformFeedback();
    for (unsigned i = 0; i < 3; i++)
        glEndQuery(targets[i]);
    glBeginQuery(GL_PRIMITIVES_GENERATED, query[3]);
    glDrawTransformFeedback(GL_POINTS, tf);
    glEndQuery(GL_PRIMITIVES_GENERATED);
    for (unsigned i = 0; i < 4; i++)
        glGetQueryObjectuiv(query[i], GL_QUERY_RESULT, &counts[i]);
    for (unsigned b = 0; b < s.buffers; b++)
        glGetNamedBufferSubData(buffer[b], 0, sizeof words[b], words[b]);
    judge(name, &s, counts);
    glDeleteQueries(4, query);
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
    glDeleteTransformFeedbacks(1, &tf);
    glDeleteBuffers((GLsizei)s.buffers, buffer);
    glDeleteProgram(program);
}

/* ---- streams: points that a geometry shader sends to four buffers ---- */

static const char streams_gs[] = GLSL
    "layout(points) in; layout(points, max_vertices = 16) out;"
    "flat in uint id[];"
    "layout(stream = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4)"
    " out uint a;"
    "layout(stream = 1, xfb_buffer = 1, xfb_offset = 4, xfb_stride = 12)"
    " out uint b;"
    "layout(stream = 2, xfb_buffer = 2, xfb_offset = 0, xfb_stride = 8)"
    " out uvec2 c;"
    "layout(stream = 3, xfb_buffer = 3, xfb_offset = 8, xfb_stride = 16)"
    " out uint d;"
    "void main(){ for (uint i = 0u; i < id[0] % 5u; i++) {"
    "uint h = id[0] * 37u + i * 11u; a = b = d = h; c = uvec2(h);"
    "if (h % 3u == 0u) { EmitStreamVertex(0); EndStreamPrimitive(0); }"
    "a = b = d = h; c = uvec2(h, h + 1u);"
    "if (h % 2u == 0u) { EmitStreamVertex(1); EndStreamPrimitive(1); }"
    "a = b = d = h; c = uvec2(h, h + 1u);"
    "if (h % 7u < 4u) { EmitStreamVertex(2); EndStreamPrimitive(2); }"
    "a = b = d = h; if (h % 5u < 2u) {"
    " EmitStreamVertex(3); EndStreamPrimitive(3); } } }";

static const struct stream {
    unsigned modulo, below, offset_dw, stride_dw;
} streams[BUFFERS] = {{3, 1, 0, 1}, {2, 1, 1, 3}, {7, 4, 0, 2}, {5, 2, 2, 4}};

static void
check_stream(const char *name, unsigned b, unsigned vertices, unsigned size_dw,
             const GLuint counts[2])
{
    const struct stream *st = &streams[b];
    unsigned sent = 0, written = 0, bad = 0;
    for (unsigned v = 0; v < vertices; v++)
        for (unsigned i = 0; i < v % 5; i++) {
            unsigned h = v * 37 + i * 11;
            if (h % st->modulo >= st->below)
                continue;
            sent++;
            if ((written + 1) * st->stride_dw > size_dw)
                continue;
            const uint32_t *w = &words[b][written++ * st->stride_dw];
            for (unsigned k = 0; k < st->stride_dw; k++) {
                bool there = k == st->offset_dw || (b == 2 && k == 1);
                bad += w[k] != (there ? h + (b == 2 && k == 1) : UNTOUCHED);
            }
        }
    for (unsigned i = written * st->stride_dw; i < BUFFER_DW; i++)
        bad += words[b][i] != UNTOUCHED;
    sweep_verdict(sweep_name("%s.stream%u", name, b),
                  !bad && counts[0] == sent && counts[1] == written,
                  "%u words, generated %u (%u), written %u (%u)", bad,
                  counts[0], sent, counts[1], written);
}

static void
run_streams(const char *name)
{
    GLuint p = gl_program5(GLSL "flat out uint id; void main(){"
                                "id = uint(gl_VertexID);"
                                "gl_Position = vec4(0, 0, 0, 1); }",
                           NULL, NULL, streams_gs, NULL);
    GLuint buffer[BUFFERS], query[BUFFERS][2], counts[BUFFERS][2];
    static const GLenum targets[] = {GL_PRIMITIVES_GENERATED,
                                     GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN};
    unsigned size_dw[BUFFERS], vertices = sweep_random(200);
    memset(words, UNTOUCHED & 0xff, sizeof words);
    for (unsigned b = 0; b < BUFFERS; b++) {
        size_dw[b] = sweep_random(2) ? BUFFER_DW : 1 + sweep_random(300);
        buffer[b] = sweep_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, b, words[b],
                                 sizeof words[b]);
        glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, b, buffer[b], 0,
                          size_dw[b] * 4);
        glGenQueries(2, query[b]);
        for (unsigned i = 0; i < 2; i++)
            glBeginQueryIndexed(targets[i], b, query[b][i]);
    }
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, (GLsizei)vertices);
    glEndTransformFeedback();
    for (unsigned b = 0; b < BUFFERS; b++) {
        for (unsigned i = 0; i < 2; i++) {
            glEndQueryIndexed(targets[i], b);
            glGetQueryObjectuiv(query[b][i], GL_QUERY_RESULT, &counts[b][i]);
        }
        glGetNamedBufferSubData(buffer[b], 0, sizeof words[b], words[b]);
        check_stream(name, b, vertices, size_dw[b], counts[b]);
        glDeleteQueries(2, query[b]);
    }
    glDeleteBuffers(BUFFERS, buffer);
    glDeleteProgram(p);
}

void
sweep_feedback(void)
{
    char name[64];
    glEnable(GL_RASTERIZER_DISCARD);
    for (unsigned i = 0; i < COUNT(topologies); i++) {
        if (!sweep_begin(sweep_name("feedback.%s", topologies[i].name)))
            continue;
        for (unsigned n = 0; n < (sweep_large ? 200 : 20); n++) {
            snprintf(name, sizeof name, "feedback.%s.%u", topologies[i].name,
                     n);
            run_case(name, &topologies[i]);
        }
    }
    bool wanted = sweep_begin("feedback.streams");
    for (unsigned n = 0; wanted && n < (sweep_large ? 100 : 10); n++) {
        snprintf(name, sizeof name, "feedback.streams.%u", n);
        run_streams(name);
    }
    glDisable(GL_RASTERIZER_DISCARD);
}
