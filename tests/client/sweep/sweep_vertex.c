/* sweep_vertex.c: vertex fetch: every attribute type, as floats, normalised and
 * as integers, with odd strides and offsets, divisors, base vertices and
 * instances, and primitive restart with each index type. Transform feedback
 * returns the shader's inputs. */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VERTICES 256
#define BUFFER_B 8192

struct type {
    const char *name;
    GLenum type;
    unsigned component_B; /* 0: packed into one dword */
    bool is_signed, integer, normalizable;
};

static const struct type types[] = {
    {"byte", GL_BYTE, 1, true, true, true},
    {"ubyte", GL_UNSIGNED_BYTE, 1, false, true, true},
    {"short", GL_SHORT, 2, true, true, true},
    {"ushort", GL_UNSIGNED_SHORT, 2, false, true, true},
    {"int", GL_INT, 4, true, true, true},
    {"uint", GL_UNSIGNED_INT, 4, false, true, true},
    {"half", GL_HALF_FLOAT, 2, true, false, false},
    {"float", GL_FLOAT, 4, true, false, false},
    {"double", GL_DOUBLE, 8, true, false, false},
    {"fixed", GL_FIXED, 4, true, false, false},
    {"int2101010", GL_INT_2_10_10_10_REV, 0, true, false, true},
    {"uint2101010", GL_UNSIGNED_INT_2_10_10_10_REV, 0, false, false, true},
    {"uint10f11f11f", GL_UNSIGNED_INT_10F_11F_11F_REV, 0, false, false, false},
};

struct attribute {
    const struct type *type;
    int components; /* or GL_BGRA */
    bool normalized, integer;
    unsigned offset_B, stride_B, divisor;
};

struct draw {
    GLenum index_type; /* 0: arrays */
    int first, base_vertex;
    unsigned count, instances, base_instance;
};

/* ---- expected attributes ---- */

static double
from_small_float(unsigned exponent, unsigned mantissa, unsigned mantissa_bits)
{
    double one = (double)(1u << mantissa_bits);
    if (exponent == 31)
        return mantissa ? NAN : INFINITY;
    if (!exponent)
        return ldexp(mantissa / one, -14);
    return ldexp(1 + mantissa / one, (int)exponent - 15);
}

static double
from_half(uint16_t h)
{
    double v = from_small_float(h >> 10 & 31, h & 1023, 10);
    return h & 0x8000 ? -v : v;
}

static double
from_bits(int64_t value, unsigned bits, bool is_signed, bool normalized)
{
    if (!normalized)
        return (double)value;
    double most = (double)((UINT64_C(1) << (bits - is_signed)) - 1);
    return fmax((double)value / most, -1.0);
}

static double
packed_component(const struct attribute *a, uint32_t dword, unsigned c)
{
    static const unsigned bits[] = {10, 10, 10, 2};
    if (a->type->type == GL_UNSIGNED_INT_10F_11F_11F_REV) {
        if (c == 2)
            return from_small_float(dword >> 27, dword >> 22 & 31, 5);
        uint32_t f = dword >> (11 * c) & 2047;
        return from_small_float(f >> 6, f & 63, 6);
    }
    int64_t v = dword >> (10 * c) & ((1u << bits[c]) - 1);
    if (a->type->is_signed && v >> (bits[c] - 1))
        v -= 1 << bits[c];
    return from_bits(v, bits[c], a->type->is_signed, a->normalized);
}

static int64_t
integer_component(const struct type *t, const uint8_t *p)
{
    uint64_t v = 0;
    memcpy(&v, p, t->component_B);
    unsigned spare = 64 - 8 * t->component_B;
    return t->is_signed ? (int64_t)(v << spare) >> spare : (int64_t)v;
}

static double
component(const struct attribute *a, const uint8_t *p, unsigned c)
{
    const struct type *t = a->type;
    uint32_t dword;
    float f;
    double d;
    uint16_t h;
    if (!t->component_B) {
        memcpy(&dword, p, 4);
        return packed_component(a, dword, c);
    }
    p += c * t->component_B;
    switch (t->type) {
    case GL_HALF_FLOAT: memcpy(&h, p, 2); return from_half(h);
    case GL_FLOAT: memcpy(&f, p, 4); return f;
    case GL_DOUBLE: memcpy(&d, p, 8); return (float)d;
    case GL_FIXED:
        memcpy(&dword, p, 4);
        return (double)(int32_t)dword / 65536.0;
    default:
        return from_bits(integer_component(t, p), 8 * t->component_B,
                         t->is_signed, a->normalized);
    }
}

static void
expected(const struct attribute *a, const uint8_t *p, double v[4])
{
    static const unsigned bgra[] = {2, 1, 0, 3};
    bool swapped = a->components == GL_BGRA;
    int components = swapped ? 4 : a->components;
    for (int c = 0; c < 4; c++)
        v[c] = c < components ? component(a, p, swapped ? bgra[c] : (unsigned)c)
                              : c == 3;
}

static unsigned
element_B(const struct attribute *a)
{
    unsigned components = a->components == GL_BGRA ? 4
                                                   : (unsigned)a->components;
    return a->type->component_B ? components * a->type->component_B : 4;
}

/* ---- a draw and its results ---- */

static GLuint
capture_program(const char *vector)
{
    static const char *const varyings[] = {"seen"};
    GLuint p = glCreateProgram();
    GLuint s = gl_shader(
        GL_VERTEX_SHADER,
        sweep_name(GLSL "in %s a; flat out %s seen;"
                        "void main(){ seen = a; gl_Position = vec4(0); }",
                   vector, vector));
    glAttachShader(p, s);
    glDeleteShader(s);
    glBindAttribLocation(p, 0, "a");
    glTransformFeedbackVaryings(p, 1, varyings, GL_INTERLEAVED_ATTRIBS);
    return gl_link(p);
}

static void
random_data(uint8_t *data, const struct attribute *a)
{
    for (unsigned i = 0; i < BUFFER_B; i++)
        data[i] = (uint8_t)sweep_random(256);
    /* Doubles that are floats, not infinities. */
    if (a->type->type != GL_DOUBLE)
        return;
    for (unsigned at = a->offset_B; at + 32 <= BUFFER_B; at += a->stride_B)
        for (int c = 0; c < a->components; c++) {
            double d = sweep_uniform(-100, 100);
            memcpy(data + at + 8 * c, &d, sizeof d);
        }
}

static void
draw(const struct draw *d)
{
    GLsizei count = (GLsizei)d->count, instances = (GLsizei)d->instances;
    if (!d->index_type)
        glDrawArraysInstancedBaseInstance(GL_POINTS, d->first, count, instances,
                                          d->base_instance);
    else
        glDrawElementsInstancedBaseVertexBaseInstance(
            GL_POINTS, count, d->index_type, NULL, instances, d->base_vertex,
            d->base_instance);
}

static unsigned
write_indices(const struct draw *d, uint32_t *indices)
{
    uint8_t bytes[MAX_VERTICES * 4];
    unsigned size_B = d->index_type == GL_UNSIGNED_BYTE    ? 1
                      : d->index_type == GL_UNSIGNED_SHORT ? 2
                                                           : 4;
    for (unsigned i = 0; i < d->count; i++) {
        indices[i] = d->index_type ? sweep_random(40) : i;
        memcpy(bytes + i * size_B, &indices[i], size_B);
    }
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(d->count * size_B),
                 bytes, GL_STREAM_DRAW);
    return size_B;
}

/* Integers must have the same bits; floats may differ by a millionth. */
static bool
same(const struct attribute *a, const uint8_t *source, const uint8_t *seen)
{
    double want[4];
    float got[4];
    memcpy(got, seen, sizeof got);
    expected(a, source, want);
    for (unsigned c = 0; c < 4; c++) {
        uint32_t bits;
        memcpy(&bits, seen + 4 * c, 4);
        if (a->integer
                ? bits != (uint32_t)(int64_t)want[c]
                : !(isnan(want[c]) && isnan(got[c])) &&
                      want[c] != (double)got[c] &&
                      fabs(want[c] - (double)got[c]) > 1e-6 * fabs(want[c]))
            return false;
    }
    return true;
}

static void
run_draw(const char *name, const struct attribute *a, const struct draw *d)
{
    static uint8_t data[BUFFER_B], seen[MAX_VERTICES * 16];
    uint32_t indices[MAX_VERTICES];
    random_data(data, a);
    glBufferData(GL_ARRAY_BUFFER, BUFFER_B, data, GL_STREAM_DRAW);
    write_indices(d, indices);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizeof seen, NULL,
                 GL_STREAM_READ);
    glVertexAttribDivisor(0, a->divisor);
    glBindVertexBuffer(0, 0, a->offset_B, (GLsizei)a->stride_B);
    if (a->integer)
        glVertexAttribIFormat(0, a->components, a->type->type, 0);
    else
        glVertexAttribFormat(0, a->components, a->type->type, a->normalized, 0);
    GLint buffer;
    glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &buffer);
    glBindVertexBuffer(0, (GLuint)buffer, a->offset_B, (GLsizei)a->stride_B);
    glVertexAttribBinding(0, 0);
    glVertexBindingDivisor(0, a->divisor);
    glBeginTransformFeedback(GL_POINTS);
    draw(d);
    glEndTransformFeedback();
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof seen, seen);
    unsigned bad = 0, where = 0;
    for (unsigned i = 0; i < d->count * d->instances; i++) {
        int vertex = (int)indices[i % d->count] +
                     (d->index_type ? d->base_vertex : d->first);
        unsigned step = a->divisor
                            ? i / d->count / a->divisor + d->base_instance
                            : (unsigned)vertex;
        const uint8_t *p = data + a->offset_B + (size_t)step * a->stride_B;
        if (!same(a, p, seen + (size_t)i * 16) && !bad++)
            where = i;
    }
    float got[4];
    memcpy(got, seen + (size_t)where * 16, sizeof got);
    sweep_verdict(name, !bad, "%u of %u, the first is %u: %g %g %g %g", bad,
                  d->count * d->instances, where, (double)got[0],
                  (double)got[1], (double)got[2], (double)got[3]);
}

static void
run_attribute(const char *how, struct attribute a)
{
    static const GLenum index_types[] = {0, GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT,
                                         GL_UNSIGNED_INT};
    unsigned tight = element_B(&a);
    unsigned variants = sweep_large ? 24 : 4;
    for (unsigned i = 0; i < variants; i++) {
        /* One in four is not aligned. */
        unsigned grain = i % 4 == 3 ? 1 : a.type->component_B;
        grain = grain ? grain : 4;
        a.offset_B = sweep_random(9) * grain;
        a.stride_B = i % 4 == 0 ? tight : tight + sweep_random(5) * grain;
        a.divisor = sweep_random(3);
        struct draw d = {.index_type = index_types[sweep_random(4)],
                         .first = (int)sweep_random(20),
                         .base_vertex = (int)sweep_random(20),
                         .count = 1 + sweep_random(40),
                         .instances = 1 + sweep_random(6),
                         .base_instance = sweep_random(4)};
        run_draw(
            sweep_name("vertex.%s.%s%d.offset%u_stride%u_divisor%u_%ux%u", how,
                       a.type->name, a.components == GL_BGRA ? 0 : a.components,
                       a.offset_B, a.stride_B, a.divisor, d.count, d.instances),
            &a, &d);
    }
}

static void
run_type(const struct type *t, GLuint as_float, GLuint as_int)
{
    if (!sweep_begin(sweep_name("vertex.%s", t->name)))
        return;
    bool packed = !t->component_B;
    bool tenth = t->type == GL_UNSIGNED_INT_10F_11F_11F_REV;
    for (int n = packed ? tenth ? 3 : 4 : 1; n <= (tenth ? 3 : 4); n++) {
        struct attribute a = {.type = t, .components = n};
        glUseProgram(as_float);
        run_attribute("float", a);
        a.normalized = true;
        if (t->normalizable)
            run_attribute("normalized", a);
        a.normalized = false;
        a.integer = true;
        glUseProgram(as_int);
        if (t->integer)
            run_attribute("integer", a);
    }
    struct attribute bgra = {
        .type = t, .components = GL_BGRA, .normalized = true};
    glUseProgram(as_float);
    if (t->type == GL_UNSIGNED_BYTE || (packed && !tenth))
        run_attribute("bgra", bgra);
}

void
sweep_vertex(void)
{
    GLuint as_float = capture_program("vec4");
    GLuint as_int = capture_program("ivec4");
    glEnable(GL_RASTERIZER_DISCARD);
    sweep_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 0, NULL, MAX_VERTICES * 16);
    GLuint buffers[2];
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    glEnableVertexAttribArray(0);
    for (unsigned i = 0; i < COUNT(types); i++)
        run_type(&types[i], as_float, as_int);
}
