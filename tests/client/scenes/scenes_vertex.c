/* scenes_vertex.c: vertex fetch: formats, indices, instancing, draw parameters.
 * */
#include "scene.h"

#include <stddef.h>

/* Four quads side by side whose colour comes from attribute 1. */
static const float quads_pos[] = {
    -1, -1, -0.5f, -1, -1, 1, -0.5f, 1, -0.5f, -1, 0, -1, -0.5f, 1, 0, 1,
    0,  -1, 0.5f,  -1, 0,  1, 0.5f,  1, 0.5f,  -1, 1, -1, 0.5f,  1, 1, 1};

static GLuint
quads(const char *expr)
{
    GLuint p = gl_program(
        GLSL "layout(location=0) in vec2 pos; layout(location=1) in vec4 col;"
             "out vec4 c; void main(){ gl_Position = vec4(pos, 0, 1); c = col;"
             "}",
        expr);
    scene_attrib(0, 2, quads_pos, 16);
    return p;
}

static void
draw_quads(void)
{
    for (int i = 0; i < 4; i++)
        glDrawArrays(GL_TRIANGLE_STRIP, i * 4, 4);
}

static const uint8_t bytes[16 * 4] = {
    10,  20,  30,  255, 40,  50,  60,  255, 70,  80,  90,  255, 100,
    110, 120, 255, 250, 20,  30,  255, 40,  250, 60,  255, 70,  80,
    250, 255, 100, 110, 20,  255, 10,  220, 30,  255, 140, 50,  60,
    255, 70,  180, 90,  255, 100, 110, 220, 255, 210, 220, 30,  255,
    240, 50,  60,  255, 70,  80,  190, 255, 100, 210, 120, 255};

static void
attrib_bytes(GLenum type, GLboolean normalised, int size, int stride)
{
    scene_buffer(GL_ARRAY_BUFFER, bytes, sizeof bytes);
    glVertexAttribPointer(1, size, type, normalised, stride, NULL);
    glEnableVertexAttribArray(1);
}

static void
format_unorm8(void)
{
    quads(FS_COL);
    attrib_bytes(GL_UNSIGNED_BYTE, GL_TRUE, 4, 4);
    draw_quads();
}

static void
format_scaled(void)
{
    quads(GLSL "in vec4 c; out vec4 o; void main(){ o = c / 255.0; }");
    attrib_bytes(GL_UNSIGNED_BYTE, GL_FALSE, 3, 4);
    draw_quads();
}

static void
format_snorm16(void)
{
    quads(GLSL "in vec4 c; out vec4 o; void main(){ o = c * 0.5 + 0.5; }");
    attrib_bytes(GL_SHORT, GL_TRUE, 2, 4);
    draw_quads();
}

static void
format_half_float(void)
{
    static uint16_t half[16 * 4];
    for (int i = 0; i < 64; i++)
        half[i] = (uint16_t)(0x3000 + (i * 977) % 0xc00);
    quads(FS_COL);
    scene_buffer(GL_ARRAY_BUFFER, half, sizeof half);
    glVertexAttribPointer(1, 4, GL_HALF_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(1);
    draw_quads();
}

static void
format_2_10_10_10(void)
{
    quads(FS_COL);
    attrib_bytes(GL_UNSIGNED_INT_2_10_10_10_REV, GL_TRUE, 4, 4);
    draw_quads();
}

static void
format_integer(void)
{
    gl_program(
        GLSL "layout(location=0) in vec2 pos; layout(location=1) in uvec4 col;"
             "flat out uvec4 c; void main(){ gl_Position = vec4(pos, 0, 1);"
             "c = col; }",
        GLSL "flat in uvec4 c; out vec4 o; void main(){"
             "o = vec4(c ^ 0x55u) / 255.0; }");
    scene_attrib(0, 2, quads_pos, 16);
    scene_buffer(GL_ARRAY_BUFFER, bytes, sizeof bytes);
    glVertexAttribIPointer(1, 4, GL_UNSIGNED_BYTE, 4, NULL);
    glEnableVertexAttribArray(1);
    draw_quads();
}

static void
format_double(void)
{
    static double d[16 * 3];
    for (int i = 0; i < 48; i++)
        d[i] = (double)(i * 37 % 101) / 100;
    gl_program(
        GLSL "layout(location=0) in vec2 pos; layout(location=1) in dvec3 col;"
             "out vec4 c; void main(){ gl_Position = vec4(pos, 0, 1);"
             "c = vec4(vec3(col), 1); }",
        FS_COL);
    scene_attrib(0, 2, quads_pos, 16);
    scene_buffer(GL_ARRAY_BUFFER, d, sizeof d);
    glVertexAttribLPointer(1, 3, GL_DOUBLE, 0, NULL);
    glEnableVertexAttribArray(1);
    draw_quads();
}

static void
indexed(void)
{
    static const uint16_t index[] = {0, 1, 2, 2, 1, 3, 8, 9, 10, 10, 9, 11};
    quads(FS_COL);
    attrib_bytes(GL_UNSIGNED_BYTE, GL_TRUE, 4, 4);
    scene_buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    glDrawElements(GL_TRIANGLES, 12, GL_UNSIGNED_SHORT, NULL);
}

static void
base_vertex(void)
{
    static const uint8_t index[] = {0, 1, 2, 3};
    quads(FS_COL);
    attrib_bytes(GL_UNSIGNED_BYTE, GL_TRUE, 4, 4);
    scene_buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    for (int i = 0; i < 4; i++)
        glDrawElementsBaseVertex(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_BYTE, NULL,
                                 (3 - i) * 4);
}

static void
primitive_restart(void)
{
    static const uint32_t index[] = {0, 1, 2,          3,  0xffffffff, 4, 5,
                                     6, 7, 0xffffffff, 12, 13,         14};
    quads(FS_COL);
    attrib_bytes(GL_UNSIGNED_BYTE, GL_TRUE, 4, 4);
    scene_buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    glEnable(GL_PRIMITIVE_RESTART);
    glPrimitiveRestartIndex(0xffffffff);
    glDrawElements(GL_TRIANGLE_STRIP, 13, GL_UNSIGNED_INT, NULL);
}

#define VS_INSTANCE                                                  \
    GLSL "layout(location=0) in vec4 tint; out vec4 c; void main(){" \
         "vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1);"         \
         "vec2 cell = vec2(gl_InstanceID % 4, gl_InstanceID / 4);"   \
         "gl_Position = vec4((cell + p * 0.8) / 2.0 - 1.0, 0, 1); c = tint; }"

static const float tints[] = {1, 0, 0, 1, 0, 1, 0,   1,   0,   0, 1,
                              1, 1, 1, 0, 1, 0, 1,   1,   1,   1, 0,
                              1, 1, 1, 1, 1, 1, .5f, .5f, .5f, 1};

static void
instanced(void)
{
    gl_program(VS_INSTANCE, FS_COL);
    scene_attrib(0, 4, tints, 8);
    glVertexAttribDivisor(0, 2);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 16);
}

static void
base_instance(void)
{
    gl_program(VS_INSTANCE, FS_COL);
    scene_attrib(0, 4, tints, 8);
    glVertexAttribDivisor(0, 1);
    glDrawArraysInstancedBaseInstance(GL_TRIANGLE_STRIP, 0, 4, 5, 3);
}

static void
indirect(void)
{
    static const uint32_t cmd[] = {4, 7, 0, 1};
    gl_program(VS_INSTANCE, FS_COL);
    scene_attrib(0, 4, tints, 8);
    glVertexAttribDivisor(0, 1);
    scene_buffer(GL_DRAW_INDIRECT_BUFFER, cmd, sizeof cmd);
    glDrawArraysIndirect(GL_TRIANGLE_STRIP, NULL);
}

static void
multi_indirect(void)
{
    static const uint32_t cmd[] = {4, 1, 0, 0, 0, 4, 1, 0, 4, 1, 4, 2, 0, 8, 2};
    static const uint16_t index[] = {0, 1, 2, 3};
    quads(FS_COL);
    attrib_bytes(GL_UNSIGNED_BYTE, GL_TRUE, 4, 4);
    scene_buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    scene_buffer(GL_DRAW_INDIRECT_BUFFER, cmd, sizeof cmd);
    glMultiDrawElementsIndirect(GL_TRIANGLE_STRIP, GL_UNSIGNED_SHORT, NULL, 3,
                                0);
}

static void
many_attributes(void)
{
    gl_program(
        GLSL "layout(location=0) in vec2 pos; layout(location=1) in vec4 a;"
             "layout(location=2) in vec4 b; layout(location=3) in vec4 d;"
             "layout(location=4) in vec4 e; layout(location=5) in vec4 f;"
             "out vec4 v[5]; void main(){ gl_Position = vec4(pos, 0, 1);"
             "v[0] = a; v[1] = b; v[2] = d; v[3] = e; v[4] = f; }",
        GLSL "in vec4 v[5]; out vec4 o; void main(){"
             "o = (v[0] + v[1].gbra + v[2].brga + v[3] * v[4]) / 3.0; }");
    scene_attrib(0, 2, quads_pos, 16);
    for (GLuint i = 1; i < 6; i++) {
        scene_buffer(GL_ARRAY_BUFFER, bytes, sizeof bytes);
        glVertexAttribPointer(i, 4, GL_UNSIGNED_BYTE, GL_TRUE, 0, NULL);
        glEnableVertexAttribArray(i);
    }
    draw_quads();
}

const struct scene scenes_vertex[] = {
    {"vertex-unorm8", format_unorm8, NULL, 0, 0},
    {"vertex-scaled", format_scaled, NULL, 0, 0},
    {"vertex-snorm16", format_snorm16, NULL, 0, 0},
    {"vertex-half", format_half_float, NULL, 0, 0},
    {"vertex-2-10-10-10", format_2_10_10_10, NULL, 0, 0},
    {"vertex-integer", format_integer, NULL, 0, 0},
    {"vertex-double", format_double, NULL, 0, 0},
    {"indexed", indexed, NULL, 0, 0},
    {"base-vertex", base_vertex, NULL, 0, 0},
    {"primitive-restart", primitive_restart, NULL, 0, 0},
    {"instanced", instanced, NULL, 0, 0},
    {"base-instance", base_instance, NULL, 0, 0},
    {"indirect", indirect, NULL, 0, 0},
    {"multi-indirect", multi_indirect, NULL, 0, 0},
    {"many-attributes", many_attributes, NULL, 0, 0},
    {NULL, NULL, NULL, 0, 0},
};
