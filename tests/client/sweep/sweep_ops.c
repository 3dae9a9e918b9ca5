/* sweep_ops.c: fragment operations: random sequences of rectangles through
 * scissor, stencil, depth, blending, logic operations and masks, two targets
 * with states of their own, with and without samples. Compared with llvmpipe.
 */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#define SIDE_PX 32
#define AREA_PX (SIDE_PX * SIDE_PX)
#define DRAWS 24

static const struct layout {
    const char *name;
    GLenum colors[2], depth;
    int samples;
} layouts[] = {
    {"rgba8_rgba8_d24s8", {GL_RGBA8, GL_RGBA8}, GL_DEPTH24_STENCIL8, 1},
    {"rgba8_rgba16f_d32fs8", {GL_RGBA8, GL_RGBA16F}, GL_DEPTH32F_STENCIL8, 1},
    {"rgb10a2_rg8_d16", {GL_RGB10_A2, GL_RG8}, GL_DEPTH_COMPONENT16, 1},
    {"rgba8_rgba8_d24s8ms4", {GL_RGBA8, GL_RGBA8}, GL_DEPTH24_STENCIL8, 4},
    {"rgba8_r32f_d32f", {GL_RGBA8, GL_R32F}, GL_DEPTH_COMPONENT32F, 1},
};

struct target {
    GLuint fbo, colors[2], depth;
};

static GLenum
one_of(const GLenum *list, unsigned count)
{
    return list[sweep_random(count)];
}

static GLuint
texture(GLenum format, int samples)
{
    GLuint t;
    if (samples > 1) {
        glCreateTextures(GL_TEXTURE_2D_MULTISAMPLE, 1, &t);
        glTextureStorage2DMultisample(t, samples, format, SIDE_PX, SIDE_PX,
                                      GL_TRUE);
    } else {
        glCreateTextures(GL_TEXTURE_2D, 1, &t);
        glTextureStorage2D(t, 1, format, SIDE_PX, SIDE_PX);
    }
    return t;
}

static void
make_target(struct target *t, const struct layout *l, int samples)
{
    static const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    bool stencil = l->depth == GL_DEPTH24_STENCIL8 ||
                   l->depth == GL_DEPTH32F_STENCIL8;
    glCreateFramebuffers(1, &t->fbo);
    for (unsigned i = 0; i < 2; i++) {
        t->colors[i] = texture(l->colors[i], samples);
        glNamedFramebufferTexture(t->fbo, both[i], t->colors[i], 0);
    }
    t->depth = texture(l->depth, samples);
    glNamedFramebufferTexture(
        t->fbo, stencil ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT,
        t->depth, 0);
    glNamedFramebufferDrawBuffers(t->fbo, 2, both);
}

static void
free_target(struct target *t)
{
    glDeleteFramebuffers(1, &t->fbo);
    glDeleteTextures(2, t->colors);
    glDeleteTextures(1, &t->depth);
}

/* ---- random state ---- */

static const GLenum functions[] = {
    GL_NEVER,  GL_LESS,   GL_EQUAL,  GL_LEQUAL, GL_GREATER, GL_NOTEQUAL,
    GL_GEQUAL, GL_ALWAYS, GL_ALWAYS, GL_ALWAYS, GL_LEQUAL};
static const GLenum operations[] = {GL_KEEP,      GL_ZERO,     GL_REPLACE,
                                    GL_INCR,      GL_DECR,     GL_INVERT,
                                    GL_INCR_WRAP, GL_DECR_WRAP};
static const GLenum factors[] = {
    GL_ZERO,           GL_ONE,
    GL_SRC_COLOR,      GL_ONE_MINUS_SRC_COLOR,
    GL_SRC_ALPHA,      GL_ONE_MINUS_SRC_ALPHA,
    GL_DST_COLOR,      GL_ONE_MINUS_DST_COLOR,
    GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_ALPHA};
static const GLenum equations[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT,
                                   GL_FUNC_REVERSE_SUBTRACT, GL_MIN, GL_MAX};

static void
enable(GLenum what, bool on)
{
    if (on)
        glEnable(what);
    else
        glDisable(what);
}

static void
random_stencil(void)
{
    static const GLenum faces[] = {GL_FRONT, GL_BACK};
    enable(GL_STENCIL_TEST, sweep_random(2));
    for (unsigned i = 0; i < 2; i++) {
        glStencilFuncSeparate(faces[i], one_of(functions, COUNT(functions)),
                              (GLint)sweep_random(8), sweep_random(256));
        GLenum fail = one_of(operations, COUNT(operations));
        GLenum depth_fail = one_of(operations, COUNT(operations));
        glStencilOpSeparate(faces[i], fail, depth_fail,
                            one_of(operations, COUNT(operations)));
        glStencilMaskSeparate(faces[i],
                              sweep_random(3) ? 255 : sweep_random(256));
    }
}

static void
random_color(const struct layout *l)
{
    for (GLuint i = 0; i < 2; i++) {
        if (sweep_random(3))
            glEnablei(GL_BLEND, i);
        else
            glDisablei(GL_BLEND, i);
        GLenum src = one_of(factors, COUNT(factors));
        GLenum dst = one_of(factors, COUNT(factors));
        GLenum src_a = one_of(factors, COUNT(factors));
        glBlendFuncSeparatei(i, src, dst, src_a,
                             one_of(factors, COUNT(factors)));
        GLenum equation = one_of(equations, COUNT(equations));
        glBlendEquationSeparatei(i, equation,
                                 one_of(equations, COUNT(equations)));
        unsigned mask = sweep_random(3) ? 15 : sweep_random(16);
        glColorMaski(i, mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3);
    }
    glBlendColor(sweep_uniform(0, 1), sweep_uniform(0, 1), sweep_uniform(0, 1),
                 sweep_uniform(0, 1));
    /* A value that is off by one has other bits. */
    bool exact = l->colors[0] == GL_RGBA8 && l->colors[1] == GL_RGBA8;
    enable(GL_COLOR_LOGIC_OP, exact && sweep_random(8) == 0);
    glLogicOp(GL_CLEAR + sweep_random(16));
}

static void
random_state(const struct layout *l)
{
    /* llvmpipe draws samples outside of a scissor. */
    enable(GL_SCISSOR_TEST, l->samples == 1 && sweep_random(3) == 0);
    glScissor((int)sweep_random(16), (int)sweep_random(16),
              (int)sweep_random(32), (int)sweep_random(32));
    random_stencil();
    random_color(l);
    enable(GL_DEPTH_TEST, sweep_random(3));
    glDepthFunc(one_of(functions, COUNT(functions)));
    glDepthMask(sweep_random(3) != 0);
    glDepthRange((double)sweep_uniform(0, 0.5f),
                 (double)sweep_uniform(0.5f, 1));
    enable(GL_DEPTH_CLAMP, sweep_random(2));
    enable(GL_CULL_FACE, sweep_random(4) == 0);
    glCullFace(sweep_random(2) ? GL_FRONT : GL_BACK);
    enable(GL_SAMPLE_MASK, l->samples > 1 && sweep_random(2));
    glSampleMaski(0, sweep_random(16));
    /* The unit of float depth is twice as large as llvmpipe's. */
    enable(GL_POLYGON_OFFSET_FILL, l->depth != GL_DEPTH_COMPONENT32F &&
                                       l->depth != GL_DEPTH32F_STENCIL8 &&
                                       sweep_random(3) == 0);
    glPolygonOffset(0, (float)((int)sweep_random(9) - 4) * 4096);
}

/* Exact edges; depths are multiples, so that equal ones are equal. */
static void
random_rectangle(GLuint program)
{
    float x = (float)sweep_random(24), y = (float)sweep_random(24);
    float w = 1 + (float)sweep_random(24), h = 1 + (float)sweep_random(24);
    float k[2][4];
    for (unsigned i = 0; i < 8; i++)
        k[i / 4][i % 4] = (float)sweep_random(256) / 255;
    if (sweep_random(3) == 0) {
        x += w;
        w = -w;
    }
    glUniform4f(glGetUniformLocation(program, "box"), x, y, w, h);
    glUniform1f(glGetUniformLocation(program, "z"),
                (float)((int)sweep_random(9) - 4) / 3.5f);
    glUniform4fv(glGetUniformLocation(program, "k"), 2, k[0]);
    sweep_draw();
}

static void
random_clear(const struct layout *l)
{
    float v[4];
    for (unsigned c = 0; c < 4; c++)
        v[c] = (float)sweep_random(256) / 255;
    switch (sweep_random(3)) {
    case 0:
        if (l->depth == GL_DEPTH24_STENCIL8 || l->depth == GL_DEPTH32F_STENCIL8)
            glClearBufferfi(GL_DEPTH_STENCIL, 0, v[0], (GLint)sweep_random(9));
        else
            glClearBufferfv(GL_DEPTH, 0, v);
        break;
    default: glClearBufferfv(GL_COLOR, (GLint)sweep_random(2), v); break;
    }
}

static void
reset_state(void)
{
    static const GLenum all[] = {
        GL_SCISSOR_TEST, GL_STENCIL_TEST, GL_DEPTH_TEST,
        GL_BLEND,        GL_CULL_FACE,    GL_COLOR_LOGIC_OP,
        GL_DEPTH_CLAMP,  GL_SAMPLE_MASK,  GL_POLYGON_OFFSET_FILL};
    for (unsigned i = 0; i < COUNT(all); i++)
        glDisable(all[i]);
    glColorMask(1, 1, 1, 1);
    glDepthMask(1);
    glStencilMask(255);
    glDepthRange(0, 1);
}

/* ---- results ---- */

static void
report(const char *name, const struct layout *l, GLuint fbo)
{
    static float seen[AREA_PX * 4];
    static uint8_t stencil[AREA_PX];
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo);
    for (unsigned i = 0; i < 2; i++) {
        glReadBuffer(GL_COLOR_ATTACHMENT0 + i);
        glReadPixels(0, 0, SIDE_PX, SIDE_PX, GL_RGBA, GL_FLOAT, seen);
        sweep_values(sweep_name("%s.color%u", name, i), 3.2 / 255, 0.01, seen,
                     AREA_PX * 4);
    }
    glReadPixels(0, 0, SIDE_PX, SIDE_PX, GL_DEPTH_COMPONENT, GL_FLOAT, seen);
    sweep_values(sweep_name("%s.depth", name), 2e-5, 0, seen, AREA_PX);
    if (l->depth != GL_DEPTH24_STENCIL8 && l->depth != GL_DEPTH32F_STENCIL8)
        return;
    glReadPixels(0, 0, SIDE_PX, SIDE_PX, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE,
                 stencil);
    for (unsigned i = 0; i < AREA_PX; i++)
        seen[i] = stencil[i];
    sweep_values(sweep_name("%s.stencil", name), 0, 0, seen, AREA_PX);
}

static void
run_case(const char *name, const struct layout *l, GLuint program)
{
    struct target t, plain;
    char full[100];
    strncpy(full, name, sizeof full - 1);
    full[sizeof full - 1] = 0;
    make_target(&t, l, l->samples);
    make_target(&plain, l, 1);
    glBindFramebuffer(GL_FRAMEBUFFER, t.fbo);
    reset_state();
    glClearColor(0.2f, 0.4f, 0.6f, 0.8f);
    glClearDepth(0.5);
    glClearStencil(3);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    for (unsigned i = 0; i < DRAWS; i++) {
        random_state(l);
        if (sweep_random(6))
            random_rectangle(program);
        else
            random_clear(l);
    }
    reset_state();
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, plain.fbo);
    for (unsigned i = 0; i < 2 && l->samples > 1; i++) {
        glReadBuffer(GL_COLOR_ATTACHMENT0 + i);
        glDrawBuffer(GL_COLOR_ATTACHMENT0 + i);
        glBlitFramebuffer(0, 0, SIDE_PX, SIDE_PX, 0, 0, SIDE_PX, SIDE_PX,
                          GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    if (l->samples > 1)
        glBlitFramebuffer(0, 0, SIDE_PX, SIDE_PX, 0, 0, SIDE_PX, SIDE_PX,
                          GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT,
                          GL_NEAREST);
    report(full, l, l->samples > 1 ? plain.fbo : t.fbo);
    free_target(&t);
    free_target(&plain);
}

void
sweep_ops(void)
{
    GLuint program = gl_program(
        GLSL "uniform vec4 box; uniform float z; void main(){"
             "vec2 c = vec2(gl_VertexID & 1, gl_VertexID >> 1);"
             "vec2 p = (box.xy + box.zw * c) / 16.0 - 1.0;"
             "gl_Position = vec4(p, z, 1); }",
        GLSL "uniform vec4 k[2]; layout(location = 0) out vec4 a;"
             "layout(location = 1) out vec4 b;"
             "void main(){ a = k[0]; b = k[1]; }");
    GLint before;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &before);
    glViewport(0, 0, SIDE_PX, SIDE_PX);
    for (unsigned i = 0; i < COUNT(layouts); i++) {
        if (!sweep_begin(sweep_name("ops.%s", layouts[i].name)))
            continue;
        for (unsigned n = 0; n < (sweep_large ? 60 : 12); n++)
            run_case(sweep_name("ops.%s.%u", layouts[i].name, n), &layouts[i],
                     program);
    }
    glDeleteProgram(program);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)before);
}
