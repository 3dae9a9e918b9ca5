/* scenes_geometry.c: geometry and tessellation shaders, stream-out, layers,
 * viewports. */
#include "scene.h"

#include <stddef.h>
#include <string.h>

#define VS_ID                                                         \
    GLSL "out vec4 vc; void main(){ int i = gl_VertexID;"             \
         "gl_Position = vec4(vec2(i % 4, i / 4) / 2.0 - 0.75, 0, 1);" \
         "vc = vec4(i % 3, i % 5, i % 7, 6) / 6.0; }"

static void
gs_points_to_quads(void)
{
    gl_program5(
        VS_ID, NULL, NULL,
        GLSL "layout(points) in; layout(triangle_strip, max_vertices=4) out;"
             "in vec4 vc[]; out vec4 c; void main(){ for (int i = 0; i < 4;"
             "i++) { gl_Position = gl_in[0].gl_Position + vec4(i & 1, i >> 1,"
             "0, 0) * 0.3; c = vc[0] * float(i + 1) / 4.0; EmitVertex(); }"
             "EndPrimitive(); }",
        FS_COL);
    glDrawArrays(GL_POINTS, 0, 16);
}

static void
gs_dynamic_instanced(void)
{
    gl_program5(VS_ID, NULL, NULL,
                GLSL
                "layout(triangles, invocations=3) in;"
                "layout(line_strip, max_vertices=8) out;"
                "in vec4 vc[]; out vec4 c; void main(){"
                "for (int i = 0; i < 2 + gl_PrimitiveIDIn % 3; i++) {"
                "gl_Position = gl_in[i % 3].gl_Position +"
                "vec4(gl_InvocationID * 0.08); gl_Position.zw = vec2(0, 1);"
                "c = vc[i % 3]; EmitVertex(); } EndPrimitive(); }",
                FS_COL);
    glDrawArrays(GL_TRIANGLES, 0, 15);
}

static void
gs_adjacency(void)
{
    gl_program5(VS_ID, NULL, NULL,
                GLSL
                "layout(triangles_adjacency) in;"
                "layout(triangle_strip, max_vertices=3) out;"
                "in vec4 vc[]; out vec4 c; void main(){ for (int i = 0; i < 3;"
                "i++) { gl_Position = gl_in[i * 2].gl_Position; c ="
                "vc[i * 2 + 1]; EmitVertex(); } }",
                FS_COL);
    glDrawArrays(GL_TRIANGLES_ADJACENCY, 0, 12);
    glDrawArrays(GL_TRIANGLE_STRIP_ADJACENCY, 2, 10);
}

static void
gs_layers(void)
{
    GLuint t, fbo;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D_ARRAY, t);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA8, 64, 64, 4);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0);
    glClearColor(0.2f, 0, 0.2f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glViewport(0, 0, 64, 64);
    gl_program5(VS_ID, NULL, NULL,
                GLSL
                "layout(triangles) in; layout(triangle_strip, max_vertices=3)"
                "out; in vec4 vc[]; out vec4 c; void main(){ for (int i = 0;"
                "i < 3; i++) { gl_Layer = gl_PrimitiveIDIn; gl_Position ="
                "gl_in[i].gl_Position * vec4(1.4, 1.4, 1, 1); c = vc[i];"
                "EmitVertex(); } }",
                FS_COL);
    glDrawArrays(GL_TRIANGLES, 1, 12);
    glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
    glViewport(0, 0, SCENE_W, SCENE_H);
    scene_fullscreen(GLSL "uniform sampler2DArray t; in vec2 uv; out vec4 o;"
                          "void main(){ vec2 p = uv * 2.0; o = texture(t,"
                          "vec3(fract(p), floor(p.x) + 2.0 * floor(p.y)));"
                          "}");
    scene_draw_fullscreen();
}

static void
viewport_array(void)
{
    for (GLuint i = 0; i < 4; i++)
        glViewportIndexedf(i, (float)(i % 2 * 64), (float)(i / 2 * 64), 60, 50);
    gl_program5(VS_ID, NULL, NULL,
                GLSL
                "layout(triangles, invocations=4) in;"
                "layout(triangle_strip, max_vertices=3) out;"
                "in vec4 vc[]; out vec4 c; void main(){ for (int i = 0; i < 3;"
                "i++) { gl_ViewportIndex = gl_InvocationID; gl_Position ="
                "gl_in[i].gl_Position; c = vc[(i + gl_InvocationID) % 3];"
                "EmitVertex(); } }",
                FS_COL);
    glDrawArrays(GL_TRIANGLES, 1, 12);
}

#define FS_TESS GLSL "in vec3 t; out vec4 o; void main(){ o = vec4(t, 1); }"

static void
tessellate(const char *tcs_levels, const char *layout, const char *position,
           int vertices, bool wire)
{
    char tcs[1024], tes[1024];
    strcpy(tcs, GLSL "layout(vertices=4) out; void main(){"
                     "gl_out[gl_InvocationID].gl_Position ="
                     "gl_in[gl_InvocationID % gl_PatchVerticesIn].gl_Position;"
                     "if (gl_InvocationID == 0) {");
    strcat(tcs, tcs_levels);
    strcat(tcs, "} }");
    strcpy(tes, GLSL "layout(");
    strcat(tes, layout);
    strcat(tes, ") in; out vec3 t; void main(){ t = gl_TessCoord;"
                "gl_Position = ");
    strcat(tes, position);
    strcat(tes, "; }");
    gl_program5(VS_ID, tcs, tes, NULL, FS_TESS);
    glPatchParameteri(GL_PATCH_VERTICES, vertices);
    if (wire)
        glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glDrawArrays(GL_PATCHES, 0, vertices);
}

#define QUAD_POS \
    "vec4(gl_TessCoord.xy * 1.8 - 0.9 + 0.1 * gl_in[0].gl_Position.xy, 0, 1)"
#define TRI_POS "vec4(gl_TessCoord.xy * 1.8 - 0.9 - gl_TessCoord.z * 0.2, 0, 1)"

static void
tess_quads(void)
{
    tessellate("gl_TessLevelOuter = float[4](3.0, 5.0, 4.0, 7.0);"
               "gl_TessLevelInner = float[2](5.0, 4.0);",
               "quads, equal_spacing, ccw", QUAD_POS, 4, false);
}

static void
tess_quads_wire(void)
{
    tessellate("gl_TessLevelOuter = float[4](3.0, 5.0, 4.0, 7.0);"
               "gl_TessLevelInner = float[2](5.0, 4.0);",
               "quads, equal_spacing, ccw", QUAD_POS, 4, true);
}

static void
tess_fractional(void)
{
    tessellate("gl_TessLevelOuter = float[4](3.3, 5.1, 4.7, 0.0);"
               "gl_TessLevelInner = float[2](5.4, 0.0);",
               "triangles, fractional_odd_spacing, ccw", TRI_POS, 3, true);
}

static void
tess_even(void)
{
    tessellate("gl_TessLevelOuter = float[4](3.3, 5.1, 4.7, 6.6);"
               "gl_TessLevelInner = float[2](5.4, 2.2);",
               "quads, fractional_even_spacing, cw", QUAD_POS, 4, true);
}

static void
tess_triangles(void)
{
    tessellate("gl_TessLevelOuter = float[4](3.0, 6.0, 2.0, 0.0);"
               "gl_TessLevelInner = float[2](5.0, 0.0);",
               "triangles, equal_spacing, cw", TRI_POS, 3, false);
}

static void
tess_isolines(void)
{
    tessellate("gl_TessLevelOuter = float[4](6.0, 9.0, 0.0, 0.0);",
               "isolines, equal_spacing",
               "vec4(gl_TessCoord.x * 1.8 - 0.9, gl_TessCoord.y * 1.6 - 0.7 +"
               "0.2 * sin(gl_TessCoord.x * 4.0), 0, 1)",
               2, false);
}

static void
tess_points(void)
{
    glPointSize(4);
    tessellate("gl_TessLevelOuter = float[4](3.0, 5.0, 4.0, 7.0);"
               "gl_TessLevelInner = float[2](5.0, 4.0);",
               "quads, equal_spacing, point_mode", QUAD_POS, 4, false);
}

/* ---- stream-out: the captured floats become pixels ---- */

static GLuint so_buffer, so_query[2];

static void
capture(GLuint program, const char *const *names, int count, GLenum mode,
        GLenum prim, int vertices, size_t buffer_B)
{
    glTransformFeedbackVaryings(program, count, names, GL_INTERLEAVED_ATTRIBS);

    gl_link(program);
    static uint8_t fill[SCENE_W * SCENE_H * 4];
    memset(fill, 0x11, sizeof fill);
    so_buffer = scene_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, fill, buffer_B);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, so_buffer);
    glGenQueries(2, so_query);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, so_query[0]);
    glBeginQuery(GL_PRIMITIVES_GENERATED, so_query[1]);
    glBeginTransformFeedback(mode);
    glDrawArrays(prim, 0, vertices);
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    glEndQuery(GL_PRIMITIVES_GENERATED);
}

static void
so_read(uint8_t *rgba)
{
    GLuint counts[2];
    GLint size;
    memset(rgba, 0, SCENE_W * SCENE_H * 4);
    glGetQueryObjectuiv(so_query[0], GL_QUERY_RESULT, &counts[0]);
    glGetQueryObjectuiv(so_query[1], GL_QUERY_RESULT, &counts[1]);
    memcpy(rgba, counts, sizeof counts);
    glBindBuffer(GL_ARRAY_BUFFER, so_buffer);
    glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &size);
    const float *f = glMapBufferRange(GL_ARRAY_BUFFER, 0, size,
                                      GL_MAP_READ_BIT);
    /* Small multiples of 1/8: exact on any driver. */
    for (int i = 0; f && i < size / 4; i++)
        rgba[64 + i] = (uint8_t)(int)(f[i] * 8);
}

static void
stream_out(void)
{
    static const char *const names[] = {"a", "b"};
    GLuint p = glCreateProgram();
    glAttachShader(p, gl_shader(GL_VERTEX_SHADER,
                                GLSL "out vec3 a; out float b; void main()"
                                     "{ a = vec3(gl_VertexID, 2, 3); b ="
                                     "gl_VertexID * 0.5; gl_Position ="
                                     "vec4(0, 0, 0, 1); }"));
    glAttachShader(p, gl_shader(GL_FRAGMENT_SHADER,
                                GLSL "out vec4 o; void main(){ o ="
                                     "vec4(1); }"));
    glEnable(GL_RASTERIZER_DISCARD);
    capture(p, names, 2, GL_TRIANGLES, GL_TRIANGLE_STRIP, 9, 2048);
}

static void
stream_out_overflow(void)
{
    static const char *const names[] = {"a"};
    GLuint p = glCreateProgram();
    glAttachShader(p, gl_shader(GL_VERTEX_SHADER,
                                GLSL "out vec4 a; void main(){ a ="
                                     "vec4(gl_VertexID); gl_Position ="
                                     "vec4(0, 0, 0, 1); }"));
    glAttachShader(p, gl_shader(GL_FRAGMENT_SHADER,
                                GLSL "out vec4 o; void main(){ o ="
                                     "vec4(1); }"));
    glEnable(GL_RASTERIZER_DISCARD);
    capture(p, names, 1, GL_TRIANGLES, GL_TRIANGLES, 30, 16 * 3 * 4 + 20);
}

static void
stream_out_gs_streams(void)
{
    static const char *const names[] = {"a", "gl_NextBuffer", "b"};
    GLuint p = glCreateProgram(), second;
    glAttachShader(p, gl_shader(GL_VERTEX_SHADER,
                                GLSL "out float v; void main(){ v ="
                                     "gl_VertexID; gl_Position ="
                                     "vec4(0, 0, 0, 1); }"));
    glAttachShader(p,
                   gl_shader(GL_GEOMETRY_SHADER, GLSL
                             "layout(points) in; layout(points,"
                             "max_vertices=4) out; in float v[];"
                             "layout(stream=0) out float a;"
                             "layout(stream=1) out vec2 b; void main(){"
                             "a = v[0] * 2.0; EmitStreamVertex(0);"
                             "for (int i = 0; i < 2; i++) { b = vec2(v[0], i);"
                             "EmitStreamVertex(1); } }"));
    scene_buffer(GL_ARRAY_BUFFER, NULL, 16);
    static const uint8_t zero[1024];
    second = scene_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, zero, sizeof zero);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 1, second);
    glEnable(GL_RASTERIZER_DISCARD);
    capture(p, names, 3, GL_POINTS, GL_POINTS, 6, 1024);
    so_buffer = second;
}

static void
draw_feedback(void)
{
    static const char *const names[] = {"gl_Position"};
    GLuint p = glCreateProgram(), tf;
    glGenTransformFeedbacks(1, &tf);
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, tf);
    glAttachShader(p, gl_shader(GL_VERTEX_SHADER, VS_ID));
    glEnable(GL_RASTERIZER_DISCARD);
    capture(p, names, 1, GL_TRIANGLES, GL_TRIANGLES, 12, 4096);
    glDisable(GL_RASTERIZER_DISCARD);
    gl_program(GLSL "layout(location=0) in vec4 pos; out vec4 c;"
                    "void main(){ gl_Position = pos; c = vec4(pos.xy * 0.5"
                    "+ 0.5, 0.7, 1); }",
               FS_COL);
    glBindBuffer(GL_ARRAY_BUFFER, so_buffer);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(0);
    glDrawTransformFeedback(GL_TRIANGLES, tf);
}

const struct scene scenes_geometry[] = {
    {"gs-quads", gs_points_to_quads, NULL, 0, 0},
    {"gs-dynamic-instanced", gs_dynamic_instanced, NULL, 3, 3},
    {"gs-adjacency", gs_adjacency, NULL, 0, 0},
    {"gs-layers", gs_layers, NULL, 0, 0},
    {"viewport-array", viewport_array, NULL, 0, 0},
    {"tess-quads", tess_quads, NULL, 0, 0},
    /* Thin lines, and the diagonals of a tessellated patch are free. */
    {"tess-quads-wire", tess_quads_wire, NULL, 10, 15},
    {"tess-fractional-wire", tess_fractional, NULL, 10, 15},
    {"tess-even-wire", tess_even, NULL, 10, 15},
    {"tess-triangles", tess_triangles, NULL, 0, 0},
    {"tess-isolines", tess_isolines, NULL, 3, 3},
    {"tess-points", tess_points, NULL, 1, 1},
    {"stream-out", stream_out, so_read, 0, 0},
    {"stream-out-overflow", stream_out_overflow, so_read, 0, 0},
    {"stream-out-streams", stream_out_gs_streams, so_read, 0, 0},
    {"draw-feedback", draw_feedback, NULL, 0, 0},
    {NULL, NULL, NULL, 0, 0},
};
