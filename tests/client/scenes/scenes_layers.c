/* scenes_layers.c: opaque layers over one another. Hidden pixels need not be
 * shaded but must be counted; partly hidden ones must be visible. */
#include "scene.h"

#include <string.h>

/* A rectangle from uniforms of the vertex shader, so that one pixel state
 * serves for many of them. */
#define VS_BOX                                                      \
    GLSL "uniform vec4 box, tint, z; out vec4 c; out vec2 uv;"      \
         "void main(){"                                             \
         "uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);"            \
         "c = tint * vec4(uv, 1.0 - uv.x * uv.y, 1.0);"             \
         "gl_Position = vec4(mix(box.xy, box.zw, uv) / 64.0 - 1.0," \
         "dot(z.xyz, vec3(1, uv)), 1); }"

static GLuint program;

static void
use(const char *fs)
{
    program = gl_program(VS_BOX, fs);
}

/* In pixels; colours differ from layer to layer. */
static void
layer(float x0, float y0, float x1, float y1)
{
    static unsigned n;
    n++;
    scene_uniform4f(program, "box", x0, y0, x1, y1);
    scene_uniform4f(program, "tint", (float)(n * 5 % 7) / 6,
                    (float)(n * 3 % 5) / 4, (float)(n * 7 % 11) / 10, 1);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void
full(void)
{
    layer(0, 0, 128, 128);
}

/* ---- four pictures, each a quarter of the scene -------------------------- */

static void
opaque(void)
{
    use(FS_COL);
    for (int i = 0; i < 4; i++)
        full();
    layer(0, 0, 64, 128);    /* two tiles */
    layer(3, 5, 61, 59);     /* part of one tile */
    layer(63, 60, 128, 128); /* one tile, and parts of others */
    layer(64, 0, 127, 64);   /* not quite one tile */
    /* The same without a state change between. */
    layer(70.5f, 70.5f, 100.25f, 120);
    for (int i = 0; i < 3; i++)
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    /* Half of it, and one triangle that covers its whole corner. */
    glDrawArrays(GL_TRIANGLES, 0, 3);
    layer(-40, -40, 150, 150);
    layer(64, 64, 300, 300);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    /* Two halves with a gap between them. */
    scene_uniform4f(program, "box", -20, -20, 140, 140);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    scene_uniform4f(program, "box", -10, -14, 150, 146);
    glDrawArrays(GL_TRIANGLES, 1, 3);
}

static void
cut(void)
{
    use(FS_COL);
    full();
    full();
    glEnable(GL_SCISSOR_TEST);
    glScissor(10, 20, 100, 77);
    full();
    full();
    glScissor(64, 64, 64, 63);
    full();
    glDisable(GL_SCISSOR_TEST);
    glViewport(0, 0, 64, 64);
    full();
    glViewport(1, 0, 63, 64);
    full();
    glViewport(0, 0, SCENE_W, SCENE_H);
}

/* Layers that are partly transparent, each over a part. */
static void
not_opaque(void)
{
    use(FS_COL);
    full();
    full();
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    layer(0, 0, 64, 64);
    layer(0, 0, 64, 64);
    glDisable(GL_BLEND);
    glColorMask(0, 1, 0, 1);
    layer(64, 0, 128, 64);
    layer(64, 0, 128, 64);
    glColorMask(1, 1, 1, 1);
    use(GLSL "in vec4 c; out vec4 o; void main(){"
             "if (fract((gl_FragCoord.x + gl_FragCoord.y) / 6.0 + c.r) < 0.4)"
             "discard; o = c; }");
    layer(0, 64, 64, 128);
    layer(0, 64, 64, 128);
    use(FS_COL);
    glEnable(GL_COLOR_LOGIC_OP);
    glLogicOp(GL_XOR);
    layer(64, 64, 128, 128);
    layer(64, 64, 128, 128);
    layer(64, 64, 128, 128);
    glDisable(GL_COLOR_LOGIC_OP);
    layer(100, 100, 110, 110);
}

static void
textured(void)
{
    GLuint a = scene_texture(GL_RGBA8, 32, 32, false);
    GLuint b = scene_texture(GL_RGBA8, 7, 5, false);
    use(GLSL "uniform sampler2D t; uniform vec4 k; in vec4 c; in vec2 uv;"
             "out vec4 o; void main(){ o = texture(t, uv) * k + c * 0.1; }");
    for (int i = 0; i < 6; i++) {
        glBindTexture(GL_TEXTURE_2D, i & 1 ? a : b);
        scene_uniform4f(program, "k", 1, (float)i / 5, 0.5f, 1);
        layer((float)i * 11, (float)i * 3, 128, 128);
    }
    scene_uniform4f(program, "k", 0, 1, 1, 1);
    layer(0, 64, 64, 128);
    glBindTexture(GL_TEXTURE_2D, b);
    layer(0, 64, 64, 128);
    layer(30, 90, 50, 100);
}

static void
layers(void)
{
    static void (*const pictures[])(void) = {opaque, cut, not_opaque, textured};
    for (int i = 0; i < 4; i++) {
        int x = (i & 1) * SCENE_W / 2, y = (i >> 1) * SCENE_H / 2;
        GLuint fbo = scene_target(GL_RGBA8, 0, 0);
        pictures[i]();
        glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene_main_fbo);
        glBlitFramebuffer(0, 0, SCENE_W, SCENE_H, x, y, x + SCENE_W / 2,
                          y + SCENE_H / 2, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
}

/* ---- depth: a hiding layer leaves its depth ---- */

static void
layers_depth(void)
{
    GLuint fbo = scene_target(GL_RGBA8, GL_DEPTH24_STENCIL8, 0);
    static const float near_half[] = {-1,   -1, -0.5f, 1, 1,    -1,
                                      0.9f, 1,  -1,    1, 0.3f, 1};
    use(FS_COL);
    full();
    GLuint layers_program = program;
    GLuint tri = gl_program(GLSL "layout(location=0) in vec4 pos; void main(){"
                                 "gl_Position = pos; }",
                            GLSL "out vec4 o; void main(){"
                                 "o = vec4(gl_FragCoord.z, 1, 0, 1); }");
    glEnable(GL_DEPTH_TEST);
    scene_attrib(0, 4, near_half, COUNT(near_half));
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(layers_program);
    program = layers_program;
    full();
    full();
    /* Beyond the invisible triangle, and in front of it. */
    glEnable(GL_DEPTH_TEST);
    layer(10, 10, 120, 70);
    glDepthMask(0);
    layer(0, 64, 100, 128);
    glDepthFunc(GL_GEQUAL);
    glUseProgram(tri);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDisable(GL_DEPTH_TEST);
    glDepthMask(1);
    glUseProgram(layers_program);
    layer(64, 64, 128, 128);
    layer(70, 70, 90, 90);
    scene_blit_to_main(fbo);
}

/* A layer in front of the earlier ones, whichever direction the test calls
 * front. */
static void
layer_at(float x0, float y0, float x1, float y1, float z, float dx, float dy)
{
    GLint func;
    glGetIntegerv(GL_DEPTH_FUNC, &func);
    float sign = func == GL_LESS || func == GL_LEQUAL ? -1 : 1;
    scene_uniform4f(program, "z", z * sign, dx * sign, dy * sign, 0);
    layer(x0, y0, x1, y1);
}

static void
full_at(float z)
{
    layer_at(0, 0, 128, 128, z, 0, 0);
}

static void
ordered(GLenum func)
{
    use(FS_COL);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(func);
    for (int i = 0; i < 4; i++)
        full_at(-0.8f + 0.1f * (float)i);
    full_at(-0.5f);
    /* The same depth again, and a depth that is not far enough in front in a
     * corner. */
    full_at(-0.5f);
    layer_at(0, 0, 128, 128, -0.45f, 0.1f, -0.2f);
    layer_at(0, 0, 64, 64, -0.3f, -0.1f, 0);
    layer_at(0, 0, 64, 64, -0.2f, 0, 0.05f);
    layer_at(5, 7, 90, 60, -0.35f, 0.4f, 0);
    /* Beyond, beside, and half of it: the rest shows through. */
    layer_at(64, 0, 128, 64, -0.9f, 0, 0);
    layer_at(64, 0, 128, 64, -0.1f, 0, 0);
    layer_at(64, 64, 127, 128, -0.1f, 0, 0);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    layer_at(0, 64, 300, 300, 0, 0.3f, 0.1f);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    /* One layer writes no depth; the last one is between earlier ones. */
    layer_at(0, 64, 64, 128, 0.5f, 0, 0);
    glDepthMask(0);
    layer_at(0, 64, 64, 128, 0.6f, 0, 0);
    glDepthMask(1);
    layer_at(0, 64, 64, 128, 0.55f, 0, 0);
    /* In some tiles in front of earlier draws. */
    glFinish();
    full_at(0.3f);
    full_at(0.4f);
    /* The stored depth. */
    glDepthMask(0);
    for (int i = 0; i < 32; i++)
        layer_at((float)i * 4, 0, (float)i * 4 + 2, 128,
                 -0.6f + 0.05f * (float)i, 0.002f, 0.3f);
    glDepthMask(1);
    glDisable(GL_DEPTH_TEST);
}

static void
ordered_by(GLenum func, GLenum format)
{
    scene_target(GL_RGBA8, format, 0);
    glClearDepth(func == GL_LESS || func == GL_LEQUAL);
    glClear(GL_DEPTH_BUFFER_BIT);
    glClearDepth(1);
    ordered(func);
}

static const struct {
    GLenum func, format;
} orders[] = {{GL_LESS, GL_DEPTH24_STENCIL8},
              {GL_LEQUAL, GL_DEPTH_COMPONENT32F},
              {GL_GREATER, GL_DEPTH_COMPONENT16},
              {GL_GEQUAL, GL_DEPTH_COMPONENT24}};

static void
layers_ordered(void)
{
    for (int i = 0; i < 4; i++) {
        int x = (i & 1) * SCENE_W / 2, y = (i >> 1) * SCENE_H / 2;
        ordered_by(orders[i].func, orders[i].format);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene_main_fbo);
        glBlitFramebuffer(0, 0, SCENE_W, SCENE_H, x, y, x + SCENE_W / 2,
                          y + SCENE_H / 2, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
}

/* Frames that begin with the same clear. Only the last one stays: all pixels
 * and depth of earlier frames must be gone. Large enough for memory of its own.
 */
#define LARGE_W 1024
#define LARGE_H 640

static GLuint
large_target(GLenum depth_format)
{
    GLuint fbo, rb[2];
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glGenRenderbuffers(2, rb);
    for (int i = 0; i < 2; i++) {
        glBindRenderbuffer(GL_RENDERBUFFER, rb[i]);
        glRenderbufferStorage(GL_RENDERBUFFER, i ? depth_format : GL_RGBA8,
                              LARGE_W, LARGE_H);
        glFramebufferRenderbuffer(
            GL_FRAMEBUFFER, i ? GL_DEPTH_ATTACHMENT : GL_COLOR_ATTACHMENT0,
            GL_RENDERBUFFER, rb[i]);
    }
    glViewport(0, 0, LARGE_W, LARGE_H);
    return fbo;
}

static void
cleared_frames(GLenum depth_format, int x, int y)
{
    GLuint fbo = large_target(depth_format);
    for (int frame = 0; frame < 6; frame++) {
        float at = (float)frame;
        glBindFramebuffer(GL_FRAMEBUFFER, fbo);
        glEnable(GL_DEPTH_TEST);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        layer_at(64 + at, 69 - at, 66 + at, 74 - at, -0.9f, 0.5f, 0);
        layer_at(20, 66, 120, 68, 0, 0, 0.1f);
        layer_at(65.5f, 20, 70.5f, 120, 0.5f, 0.1f, 0);
        glFinish();
        glDisable(GL_DEPTH_TEST);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene_main_fbo);
        glBlitFramebuffer(LARGE_W / 2, LARGE_H / 2, LARGE_W / 2 + SCENE_W / 2,
                          LARGE_H / 2 + SCENE_H / 2, x, y, x + SCENE_W / 2,
                          y + SCENE_H / 2, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
}

static void
layers_cleared(void)
{
    static const GLenum formats[] = {
        GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT16};
    use(FS_COL);
    for (int i = 0; i < 3; i++)
        cleared_frames(formats[i], (i & 1) * SCENE_W / 2,
                       (i >> 1) * SCENE_H / 2);
    glViewport(0, 0, SCENE_W, SCENE_H);
    glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
}

/* ---- samples ------------------------------------------------------------- */

static void
layers_msaa(void)
{
    GLuint fbo = scene_target(GL_RGBA8, 0, 4);
    opaque();
    scene_blit_to_main(fbo);
}

/* ---- counters ------------------------------------------------------------ */

static uint64_t values[16];

static void
read_values(uint8_t *rgba)
{
    memset(rgba, 0, SCENE_W * SCENE_H * 4);
    memcpy(rgba, values, sizeof values);
}

static void
count(uint64_t to[2], void (*draw)(void))
{
    static const GLenum targets[2] = {GL_SAMPLES_PASSED,
                                      GL_FRAGMENT_SHADER_INVOCATIONS_ARB};
    GLuint q[2];
    glGenQueries(2, q);
    for (int i = 0; i < 2; i++)
        glBeginQuery(targets[i], q[i]);
    draw();
    for (int i = 0; i < 2; i++)
        glEndQuery(targets[i]);
    for (int i = 0; i < 2; i++) {
        GLuint64 v;
        glGetQueryObjectui64v(q[i], GL_QUERY_RESULT, &v);
        to[i] = v;
    }
}

static void
layers_counted(void)
{
    static void (*const pictures[])(void) = {opaque, cut, not_opaque, textured};
    for (int i = 0; i < 4; i++)
        count(&values[i * 2], pictures[i]);
    scene_target(GL_RGBA8, 0, 4);
    count(&values[8], opaque);
    count(&values[10], cut);
    glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
}

static void
draw_less(void)
{
    ordered_by(GL_LESS, GL_DEPTH24_STENCIL8);
}

static void
draw_greater(void)
{
    ordered_by(GL_GEQUAL, GL_DEPTH_COMPONENT32F);
}

static void
layers_ordered_counted(void)
{
    count(&values[0], draw_less);
    count(&values[2], draw_greater);
    glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
}

/* ---- shaders with effects ------------------------------------------------ */

static GLuint hits;

static void
read_hits(uint8_t *rgba)
{
    memset(rgba, 0, SCENE_W * SCENE_H * 4);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, hits);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, 16, rgba);
}

/* Hidden invocations must have run nevertheless. */
static void
layers_with_effects(void)
{
    static const uint32_t zero[4];
    hits = scene_buffer(GL_SHADER_STORAGE_BUFFER, zero, sizeof zero);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, hits);
    use(GLSL "layout(std430, binding=0) buffer B { uint v[]; };"
             "in vec4 c; out vec4 o; void main(){ o = c;"
             "atomicAdd(v[gl_FragCoord.x < 64.0 ?"
             "0 : 1], 1u); }");
    full();
    full();
    layer(0, 0, 64, 64);
    use(FS_COL);
    full();
    full();
}

/* Vertices 0 to 5 are a rectangle, each three further ones a triangle whose
 * edges cross the centre; all in different colours. */
#define VS_CROSSED                                                   \
    GLSL "out vec4 c; void main(){"                                  \
         "int t = gl_VertexID / 3, i = gl_VertexID % 3;"             \
         "vec2 p = vec2(i & 1, i >> 1) * 2.0 - 1.0;"                 \
         "if (t == 1) p = -p;"                                       \
         "if (t > 1) p *= vec2(1.05, t);"                            \
         "c = vec4(t * 5 % 7, t * 3 % 5, t * 7 % 11, i + 3) / 10.0;" \
         "gl_Position = vec4(p, 0, 1); }"

/* Draws without a state change between. Where each is drawn at once, as with
 * SOFTLAKE_PERF=no_wait, tiles go from worker to worker, and none may trust
 * what it knew about a tile's samples. Of each round, the centre is kept, where
 * four tiles meet. */
static void
layers_msaa_flushes(void)
{
    const int cell_px = 16, x = SCENE_W / 2 - cell_px / 2;
    GLuint fbo = scene_target(GL_RGBA8, 0, 4);
    gl_program(VS_CROSSED, FS_COL);
    for (int i = 0; i < 64; i++) {
        glBindFramebuffer(GL_FRAMEBUFFER, fbo);
        for (int k = 0; k < 4; k++) {
            glDrawArrays(GL_TRIANGLES, 0, 6);
            glDrawArrays(GL_TRIANGLES, 6 + i % 9 * 3, 3);
            glDrawArrays(GL_TRIANGLES, 9 + i % 7 * 3, 3);
        }
        glDrawArrays(GL_TRIANGLES, 3, 3);
        glDrawArrays(GL_TRIANGLES, i & 1 ? 0 : 6, 3);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene_main_fbo);
        int tx = i % 8 * cell_px, ty = i / 8 * cell_px;
        glBlitFramebuffer(x, x, x + cell_px, x + cell_px, tx, ty, tx + cell_px,
                          ty + cell_px, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, scene_main_fbo);
}

const struct scene scenes_layers[] = {
    {"layers", layers, NULL, 0, 0},
    {"layers-depth", layers_depth, NULL, 0, 0},
    {"layers-ordered", layers_ordered, NULL, 0, 0},
    {"layers-ordered-counted", layers_ordered_counted, read_values, 0, 0},
    {"layers-cleared", layers_cleared, NULL, 0, 0},
    {"layers-msaa", layers_msaa, NULL, 1, 2},
    {"layers-msaa-flushes", layers_msaa_flushes, NULL, 0, 0},
    {"layers-counted", layers_counted, read_values, 0, 0},
    {"layers-effects", layers_with_effects, read_hits, 0, 0},
    {NULL, NULL, NULL, 0, 0},
};
