/* scenes_pixel.c: depth, stencil, discard, blending, logic ops, masks, many
 * targets. */
#include "scene.h"

#include <stddef.h>

/* A quad of constant colour and depth over a part of the target. */
static void
quad(float x0, float y0, float x1, float y1, float z, float r, float g, float b,
     float a)
{
    static GLuint program;
    if (!program)
        program = gl_program(
            GLSL "uniform vec4 rect, zz; void main(){ vec2 p ="
                 "vec2(gl_VertexID & 1, gl_VertexID >> 1);"
                 "gl_Position = vec4(mix(rect.xy, rect.zw, p),"
                 "zz.x + zz.y * p.x, 1); }",
            GLSL "uniform vec4 color; out vec4 o; void main(){ o = color; }");
    glUseProgram(program);
    scene_uniform4f(program, "rect", x0, y0, x1, y1);
    scene_uniform4f(program, "zz", z, 0.5f, 0, 0);
    scene_uniform4f(program, "color", r, g, b, a);
    scene_draw_fullscreen();
}

static void
overlapping(void)
{
    quad(-0.9f, -0.9f, 0.4f, 0.4f, 0.1f, 1, 0, 0, 0.6f);
    quad(-0.4f, -0.6f, 0.9f, 0.8f, -0.3f, 0, 1, 0, 0.5f);
    quad(-0.7f, -0.2f, 0.6f, 0.9f, 0.0f, 0, 0, 1, 0.4f);
}

static void
depth_with(GLenum format)
{
    static const GLenum functions[] = {GL_LESS, GL_LEQUAL, GL_GREATER,
                                       GL_NOTEQUAL};
    GLuint fbo = scene_target(GL_RGBA8, format, 0);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 4; i++) {
        glViewport(i % 2 * 64, i / 2 * 64, 64, 64);
        glDepthFunc(functions[i]);
        glEnable(GL_SCISSOR_TEST);
        glScissor(i % 2 * 64, i / 2 * 64, 64, 64);
        glClearDepth(i == 2 ? 0.2 : 0.9);
        glClear(GL_DEPTH_BUFFER_BIT);
        overlapping();
    }
    glDisable(GL_DEPTH_TEST);
    scene_blit_to_main(fbo);
}

static void
depth16(void)
{
    depth_with(GL_DEPTH_COMPONENT16);
}

static void
depth24(void)
{
    depth_with(GL_DEPTH24_STENCIL8);
}

static void
depth32f(void)
{
    depth_with(GL_DEPTH_COMPONENT32F);
}

static void
depth_write_mask_range(void)
{
    glEnable(GL_DEPTH_TEST);
    glDepthRange(0.25, 0.75);
    quad(-0.9f, -0.9f, 0.4f, 0.4f, -0.4f, 1, 0, 0, 1);
    glDepthMask(GL_FALSE);
    quad(-0.4f, -0.6f, 0.9f, 0.8f, -0.9f, 0, 1, 0, 1);
    glDepthRange(0, 1);
    quad(-0.7f, -0.2f, 0.6f, 0.9f, -0.2f, 0, 0, 1, 1);
}

static void
polygon_offset(void)
{
    glEnable(GL_DEPTH_TEST);
    quad(-0.9f, -0.9f, 0.9f, 0.9f, 0, 1, 0, 0, 1);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(-1, -8);
    quad(-0.9f, -0.5f, 0.9f, 0, 0, 0, 1, 0, 1);
    glPolygonOffset(1, 8);
    quad(-0.9f, 0, 0.9f, 0.5f, 0, 0, 0, 1, 1);
}

static void
frag_depth(void)
{
    glEnable(GL_DEPTH_TEST);
    quad(-1, -1, 1, 1, -0.2f, 0.2f, 0.2f, 0.2f, 1);
    scene_fullscreen(GLSL "in vec2 uv; out vec4 o; void main(){"
                          "gl_FragDepth = uv.y; o = vec4(uv, 1, 1); }");
    scene_draw_fullscreen();
}

static void
depth_clamp(void)
{
    glEnable(GL_DEPTH_CLAMP);
    glEnable(GL_DEPTH_TEST);
    quad(-0.9f, -0.9f, 0.9f, 0.9f, 0.8f, 1, 0, 0, 1);
    quad(-0.5f, -0.5f, 0.5f, 0.5f, -1.3f, 0, 1, 0, 1);
}

static void
stencil_ops(void)
{
    static const GLenum ops[] = {GL_INCR_WRAP, GL_DECR_WRAP, GL_INVERT,
                                 GL_REPLACE};
    glEnable(GL_STENCIL_TEST);
    glColorMask(0, 0, 0, 0);
    for (int i = 0; i < 4; i++) {
        float x = -1 + 0.5f * (float)i;
        glStencilFunc(GL_ALWAYS, 0x5a, 0xff);
        glStencilOp(GL_KEEP, GL_KEEP, ops[i]);
        quad(x, -1, x + 0.5f, 0.5f, 0, 1, 1, 1, 1);
        quad(x, -0.5f, x + 0.5f, 1, 0, 1, 1, 1, 1);
    }
    glColorMask(1, 1, 1, 1);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    for (int bit = 0; bit < 8; bit++) {
        glStencilFunc(GL_EQUAL, 1 << bit, 1u << bit);
        float v = (float)(bit + 1) / 8;
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE);
        /* No value lies in the middle between two bytes, where Gen9's render
         * targets round differently from llvmpipe: eight times here. */
        quad(-1, -1, 1, 1, 0, v * 0.24f, bit & 1 ? 0.2f : 0, bit & 4 ? 0.2f : 0,
             0.12f);
    }
}

static void
stencil_two_sided(void)
{
    glEnable(GL_STENCIL_TEST);
    glEnable(GL_DEPTH_TEST);
    glStencilFunc(GL_ALWAYS, 3, 0xff);
    glStencilOpSeparate(GL_FRONT, GL_KEEP, GL_ZERO, GL_INCR);
    glStencilOpSeparate(GL_BACK, GL_KEEP, GL_INCR, GL_REPLACE);
    quad(-0.9f, -0.9f, 0.4f, 0.4f, 0.1f, 0.3f, 0, 0, 1);
    quad(0.9f, -0.6f, -0.4f, 0.8f, -0.3f, 0, 0.3f, 0, 1);
    glDisable(GL_DEPTH_TEST);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    glStencilFunc(GL_EQUAL, 3, 0xff);
    quad(-1, -1, 1, 1, 0, 1, 1, 0, 1);
    glStencilFunc(GL_EQUAL, 1, 0xff);
    quad(-1, -1, 1, 1, 0, 0, 1, 1, 1);
}

static void
discard_alpha(void)
{
    scene_fullscreen(GLSL "in vec2 uv; out vec4 o; void main(){"
                          "if (length(uv - 0.5) > 0.45 || fract(uv.x * 8.0)"
                          "< 0.3) discard; o = vec4(uv, 0.5, 1); }");
    scene_draw_fullscreen();
}

static void
discard_depth(void)
{
    glEnable(GL_DEPTH_TEST);
    discard_alpha();
    quad(-1, -1, 1, 1, 0.1f, 0.6f, 0.3f, 0, 1);
}

static void
blend_factors(void)
{
    static const GLenum factors[] = {GL_ZERO,
                                     GL_ONE,
                                     GL_SRC_COLOR,
                                     GL_ONE_MINUS_SRC_COLOR,
                                     GL_DST_COLOR,
                                     GL_ONE_MINUS_DST_COLOR,
                                     GL_SRC_ALPHA,
                                     GL_ONE_MINUS_SRC_ALPHA,
                                     GL_DST_ALPHA,
                                     GL_ONE_MINUS_DST_ALPHA,
                                     GL_CONSTANT_COLOR,
                                     GL_ONE_MINUS_CONSTANT_COLOR,
                                     GL_CONSTANT_ALPHA,
                                     GL_ONE_MINUS_CONSTANT_ALPHA,
                                     GL_SRC_ALPHA_SATURATE,
                                     GL_ONE};
    glBlendColor(0.3f, 0.6f, 0.9f, 0.4f);
    for (int i = 0; i < 16; i++) {
        glViewport(i % 4 * 32, i / 4 * 32, 32, 32);
        glDisable(GL_BLEND);
        quad(-1, -1, 0.5f, 1, 0, 0.8f, 0.4f, 0.1f, 0.7f);
        glEnable(GL_BLEND);
        glBlendFuncSeparate(factors[i], factors[15 - i], factors[(i + 5) % 16],
                            factors[(i + 9) % 16]);
        quad(-0.5f, -1, 1, 1, 0, 0.2f, 0.9f, 0.6f, 0.35f);
    }
}

static void
blend_equations(void)
{
    static const GLenum equations[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT,
                                       GL_FUNC_REVERSE_SUBTRACT, GL_MIN,
                                       GL_MAX};
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_SRC_ALPHA);
    for (int i = 0; i < 5; i++) {
        glViewport(i * 25, 0, 25, 128);
        glBlendEquationSeparate(equations[i], equations[4 - i]);
        overlapping();
    }
}

static void
blend_float_targets(void)
{
    static const GLenum formats[] = {GL_RGBA16F, GL_RGBA32F, GL_RGB10_A2,
                                     GL_RGB565};
    for (int i = 0; i < 4; i++) {
        GLuint fbo = scene_target(formats[i], 0, 0);
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        overlapping();
        glDisable(GL_BLEND);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene_main_fbo);
        glBlitFramebuffer(0, 0, 128, 128, i % 2 * 64, i / 2 * 64,
                          i % 2 * 64 + 64, i / 2 * 64 + 64, GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
    }
}

static void
blend_srgb(void)
{
    GLuint fbo = scene_target(GL_SRGB8_ALPHA8, 0, 0);
    glEnable(GL_FRAMEBUFFER_SRGB);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    overlapping();
    glDisable(GL_FRAMEBUFFER_SRGB);
    scene_blit_to_main(fbo);
}

static void
dual_source(void)
{
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_SRC1_COLOR);
    glClearColor(0.9f, 0.5f, 0.2f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    scene_fullscreen(GLSL "in vec2 uv; layout(location=0, index=0) out vec4 o;"
                          "layout(location=0, index=1) out vec4 p;"
                          "void main(){ o = vec4(uv * 0.3, 0, 0.5);"
                          "p = vec4(uv.yx, 0.7, 0.5); }");
    scene_draw_fullscreen();
}

static void
logic_ops(void)
{
    static const GLenum ops[] = {
        GL_CLEAR,         GL_AND,         GL_AND_REVERSE, GL_COPY,
        GL_AND_INVERTED,  GL_NOOP,        GL_XOR,         GL_OR,
        GL_NOR,           GL_EQUIV,       GL_INVERT,      GL_OR_REVERSE,
        GL_COPY_INVERTED, GL_OR_INVERTED, GL_NAND,        GL_SET};
    for (int i = 0; i < 16; i++) {
        glViewport(i % 4 * 32, i / 4 * 32, 32, 32);
        glDisable(GL_COLOR_LOGIC_OP);
        quad(-1, -1, 0.5f, 1, 0, 0.8f, 0.4f, 0.1f, 0.7f);
        glEnable(GL_COLOR_LOGIC_OP);
        glLogicOp(ops[i]);
        quad(-0.5f, -1, 1, 1, 0, 0.2f, 0.9f, 0.6f, 0.35f);
    }
}

static void
color_mask(void)
{
    glColorMask(1, 0, 1, 0);
    overlapping();
    glColorMask(0, 1, 0, 1);
    quad(-0.3f, -0.3f, 1, 1, 0, 1, 1, 1, 1);
}

static void
many_targets(void)
{
    GLuint fbo, t[4];
    GLenum buffers[4];
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glGenTextures(4, t);
    static const GLenum formats[] = {GL_RGBA8, GL_RGBA16F, GL_R8, GL_RGB10_A2};
    for (unsigned i = 0; i < 4; i++) {
        glBindTexture(GL_TEXTURE_2D, t[i]);
        glTexStorage2D(GL_TEXTURE_2D, 1, formats[i], 64, 64);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i,
                               GL_TEXTURE_2D, t[i], 0);
        buffers[i] = GL_COLOR_ATTACHMENT0 + i;
    }
    glDrawBuffers(4, buffers);
    glViewport(0, 0, 64, 64);
    glColorMaski(1, 1, 0, 1, 1);
    glEnablei(GL_BLEND, 3);
    glBlendFunci(3, GL_ONE, GL_ONE);
    scene_fullscreen(GLSL "in vec2 uv; layout(location=0) out vec4 o[4];"
                          "void main(){ o[0] = vec4(uv, 0, 1);"
                          "o[1] = vec4(0, uv, 1); o[2] = vec4(uv.x * uv.y);"
                          "o[3] = vec4(0.3, uv.yx * 0.5, 0.4); }");
    scene_draw_fullscreen();
    scene_draw_fullscreen();
    glColorMaski(1, 1, 1, 1, 1);
    for (unsigned i = 0; i < 4; i++) {
        int x = (int)i % 2 * 64, y = (int)i / 2 * 64;
        glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene_main_fbo);
        glReadBuffer(GL_COLOR_ATTACHMENT0 + i);
        glBlitFramebuffer(0, 0, 64, 64, x, y, x + 64, y + 64,
                          GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
}

static void
integer_target(void)
{
    GLuint fbo, t;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA16UI, 128, 128);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                           t, 0);
    scene_fullscreen(GLSL "in vec2 uv; out uvec4 o; void main(){"
                          "o = uvec4(uv * 70000.0, 77, 65535); }");
    scene_draw_fullscreen();
    glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
    scene_fullscreen(GLSL "uniform usampler2D t; in vec2 uv; out vec4 o;"
                          "void main(){ o = vec4(texelFetch(t,"
                          "ivec2(gl_FragCoord.xy), 0)) / 65535.0; }");
    scene_draw_fullscreen();
}

static void
derivatives(void)
{
    scene_fullscreen(GLSL "in vec2 uv; out vec4 o; void main(){"
                          "vec2 p = uv * uv; o = vec4(dFdx(p.x) * 40.0,"
                          "dFdy(p.y) * 40.0, fwidth(p.x * p.y) * 30.0, 1); }");
    scene_draw_fullscreen();
}

static void
control_flow(void)
{
    scene_fullscreen(
        GLSL "in vec2 uv; out vec4 o; void main(){ vec2 c = uv * 3.0 -"
             "vec2(2.2, 1.5), z = vec2(0); int i = 0;"
             "for (; i < 40; i++) { z = vec2(z.x * z.x - z.y * z.y,"
             "2.0 * z.x * z.y) + c; if (dot(z, z) > 4.0) break;"
             "if (i % 7 == 3) continue; z += 0.0001; }"
             "o = vec4(float(i) / 40.0, i % 2, float(i % 5) / 5.0, 1); }");
    scene_draw_fullscreen();
}

static void
math_functions(void)
{
    scene_fullscreen(
        GLSL "in vec2 uv; out vec4 o; void main(){ float x = uv.x * 6.0 +"
             "0.1, y = uv.y * 4.0 - 2.0; o = vec4(sin(x) * cos(y) * 0.5 + 0.5,"
             "fract(pow(x, y) * 0.1), fract(exp2(y) + log2(x)),"
             "inversesqrt(x) * sqrt(abs(y))); }");
    scene_draw_fullscreen();
}

static void
integer_math(void)
{
    scene_fullscreen(
        GLSL "in vec2 uv; out vec4 o; void main(){ ivec2 p ="
             "ivec2(gl_FragCoord.xy); int a = p.x * 1103 - p.y * 77, b ="
             "p.y + 1; uint h = uint(a) * 2654435761u; h ^= h >> 13;"
             "o = vec4(float((a / b) & 255), float(abs(a % b) & 255),"
             "float(bitCount(h) * 8), float(findMSB(h & 0xffffu) * 15))"
             "/ 255.0; }");
    scene_draw_fullscreen();
}

static void
doubles(void)
{
    scene_fullscreen(
        GLSL "in vec2 uv; out vec4 o; void main(){ dvec2 d = dvec2(uv);"
             "double s = d.x * d.x + d.y / 3.0LF; o = vec4(float(fract(s *"
             "7.0LF)), float(sqrt(s) * 0.7LF), float(min(d.x, d.y)), 1); }");
    scene_draw_fullscreen();
}

static void
uniform_block_arrays(void)
{
    float data[64];
    for (int i = 0; i < 64; i++)
        data[i] = (float)(i * 23 % 64) / 63;
    GLuint b = scene_buffer(GL_UNIFORM_BUFFER, data, sizeof data);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, b);
    scene_fullscreen(
        GLSL "layout(std140, binding=0) uniform U { vec4 v[16]; };"
             "const float k[8] = float[8](.1,.9,.3,.7,.2,.8,.4,.6);"
             "in vec2 uv; out vec4 o; void main(){ int i = int(uv.x * 16.0);"
             "o = v[i] * k[int(uv.y * 8.0)] + v[3] * 0.1; }");
    scene_draw_fullscreen();
}

const struct scene scenes_pixel[] = {
    {"depth16", depth16, NULL, 0, 0},
    {"depth24", depth24, NULL, 0, 0},
    {"depth32f", depth32f, NULL, 0, 0},
    {"depth-mask-range", depth_write_mask_range, NULL, 0, 0},
    {"polygon-offset", polygon_offset, NULL, 0, 0},
    {"frag-depth", frag_depth, NULL, 0, 0},
    {"depth-clamp", depth_clamp, NULL, 0, 0},
    {"stencil-ops", stencil_ops, NULL, 0, 0},
    {"stencil-two-sided", stencil_two_sided, NULL, 0, 0},
    {"discard", discard_alpha, NULL, 0, 0},
    {"discard-depth", discard_depth, NULL, 0, 0},
    {"blend-factors", blend_factors, NULL, 0, 0},
    {"blend-equations", blend_equations, NULL, 0, 0},
    {"blend-formats", blend_float_targets, NULL, 0, 0},
    {"blend-srgb", blend_srgb, NULL, 0, 0},
    {"dual-source", dual_source, NULL, 0, 0},
    {"logic-ops", logic_ops, NULL, 0, 0},
    {"color-mask", color_mask, NULL, 0, 0},
    {"many-targets", many_targets, NULL, 0, 0},
    {"integer-target", integer_target, NULL, 0, 0},
    {"derivatives", derivatives, NULL, 0, 0},
    {"control-flow", control_flow, NULL, 1, 1.5},
    /* fract() of steep functions: rounding shows as full-range steps. */
    {"math", math_functions, NULL, 1, 1.5},
    {"integer-math", integer_math, NULL, 0, 0},
    {"doubles", doubles, NULL, 0, 0},
    {"uniform-block", uniform_block_arrays, NULL, 0, 0},
    {NULL, NULL, NULL, 0, 0},
};
