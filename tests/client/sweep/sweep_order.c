/* sweep_order.c: ordering: random sequences of draws, dispatches, clears,
 * copies, blits and uploads that read each other's results. Some results are
 * checked on the way, against a model of all memory on the CPU. Nothing is
 * rounded: shaders read colours as integers. */
#include "sweep_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 40

static GLuint texture[TEXTURES], fbo[TEXTURES], depth_texture;
static GLuint uniform_buffer, storage_buffer, vertex_buffer;
static GLuint programs[SOURCES][2], compute_program;
static unsigned sources; /* of the GPU; FETCH is the last */
static unsigned wrong;
static char history[4000];

/* ---- draws ---- */

static void
note(const char *what, unsigned a, unsigned b)
{
    size_t at = strlen(history);
    if (at < sizeof history - 40)
        snprintf(history + at, sizeof history - at, "%s(%u,%u) ", what, a, b);
}

static void
random_draw_state(struct draw *d)
{
    static const GLenum funcs[] = {GL_LESS,  GL_LEQUAL,   GL_GREATER,
                                   GL_EQUAL, GL_NOTEQUAL, GL_ALWAYS};
    static const GLenum logics[] = {GL_XOR, GL_AND, GL_OR_INVERTED, GL_INVERT};
    *d = (struct draw){
        .target = sweep_random(TEXTURES),
        .source = (enum source)sweep_random(sources),
        .box = order_random_rect(),
        .scissor = order_random_rect(),
        .has_scissor = sweep_random(4) == 0,
        .depth_test = sweep_random(2),
        .depth_write = sweep_random(3),
        .early = sweep_random(3) == 0,
        .counts = sweep_random(4) == 0,
        .query = sweep_random(6) == 0,
        .depth_func = funcs[sweep_random(COUNT(funcs))],
        .z = 1 + (int)sweep_random(15),
        .write_mask = (uint8_t)(sweep_random(4) ? 15 : sweep_random(16)),
        .constant = sweep_random(1 << 24) << 8 ^ sweep_random(1 << 24),
        .drop = sweep_random(4) == 0 ? 1 + sweep_random(7) : 0,
        .word = sweep_random(WORDS - 1),
    };
    d->from = (d->target + 1 + sweep_random(TEXTURES - 1)) % TEXTURES;
    if (sweep_random(5) == 0)
        d->logic = logics[sweep_random(COUNT(logics))];
}

static void
set(GLenum what, bool on)
{
    if (on)
        glEnable(what);
    else
        glDisable(what);
}

static void
set_draw_state(const struct draw *d, GLuint program)
{
    glBindFramebuffer(GL_FRAMEBUFFER, fbo[d->target]);
    glUseProgram(program);
    set(GL_SCISSOR_TEST, d->has_scissor);
    glScissor(d->scissor.x, d->scissor.y, d->scissor.w, d->scissor.h);
    set(GL_DEPTH_TEST, d->depth_test);
    glDepthFunc(d->depth_func);
    glDepthMask(d->depth_write);
    set(GL_COLOR_LOGIC_OP, d->logic);
    if (d->logic)
        glLogicOp(d->logic);
    glColorMask(d->write_mask & 1, d->write_mask >> 1 & 1,
                d->write_mask >> 2 & 1, d->write_mask >> 3 & 1);
    glUniform4ui(0, d->constant, d->drop, d->word, d->counts);
    glBindTextureUnit(0, texture[d->source == SELF ? d->target : d->from]);
}

/* The box goes through the vertex buffer, at changing places. */
static void
upload_box(const struct draw *d)
{
    float v[4][3];
    static unsigned place;
    for (unsigned i = 0; i < 4; i++) {
        int x = d->box.x + (i & 1 ? d->box.w : 0);
        int y = d->box.y + (i & 2 ? d->box.h : 0);
        v[i][0] = (float)x / (W / 2) - 1;
        v[i][1] = (float)y / (H / 2) - 1;
        v[i][2] = (float)d->z / 8 - 1;
    }
    place = (place + sweep_random(3)) % 4;
    glNamedBufferSubData(vertex_buffer, place * (GLintptr)sizeof v, sizeof v,
                         v);
    glDrawArrays(GL_TRIANGLE_STRIP, (GLint)place * 4, 4);
}

static void
step_draw(void)
{
    struct draw d;
    GLuint query = 0, samples;
    random_draw_state(&d);
    note("draw", d.source, d.target);
    set_draw_state(&d, programs[d.source][d.early]);
    if (d.source == SELF)
        glTextureBarrier();
    if (d.query) {
        glGenQueries(1, &query);
        glBeginQuery(GL_SAMPLES_PASSED, query);
    }
    upload_box(&d);
    unsigned passed = order_draw(&d);
    if (d.counts)
        glMemoryBarrier(GL_ALL_BARRIER_BITS);
    if (!d.query)
        return;
    glEndQuery(GL_SAMPLES_PASSED);
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &samples);
    /* Observed: Kaby Lake does not count fragments that a shader discards after
     * early tests. */
    if (samples != passed && !(d.early && d.drop)) {
        note("WRONG QUERY", samples, passed);
        wrong++;
    }
    glDeleteQueries(1, &query);
}

/* ---- other operations ---- */

static void
plain_state(void)
{
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_COLOR_LOGIC_OP);
    glColorMask(1, 1, 1, 1);
    glDepthMask(1);
}

static void
step_clear(void)
{
    static const struct rect all = {0, 0, W, H};
    unsigned t = sweep_random(TEXTURES);
    struct rect r = sweep_random(2) ? all : order_random_rect();
    uint32_t v = sweep_random(1 << 24) << 8 ^ sweep_random(1 << 24);
    uint8_t mask = (uint8_t)(sweep_random(3) ? 15 : sweep_random(16));
    note("clear", t, mask);
    plain_state();
    glBindFramebuffer(GL_FRAMEBUFFER, fbo[t]);
    glEnable(GL_SCISSOR_TEST);
    glScissor(r.x, r.y, r.w, r.h);
    glColorMask(mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
    glClearColor((float)(v & 255) / 255, (float)(v >> 8 & 255) / 255,
                 (float)(v >> 16 & 255) / 255, (float)(v >> 24) / 255);
    bool depth = sweep_random(3) == 0;
    int z = (int)sweep_random(17);
    glClearDepth(z / 16.0);
    glClear(GL_COLOR_BUFFER_BIT | (depth ? GL_DEPTH_BUFFER_BIT : 0));
    plain_state();
    order_fill(order_memory.texel[t], &r, v, order_mask(mask));
    for (int i = 0; i < PX && depth; i++)
        if (order_contains(&r, i % W, i / W))
            order_memory.depth[i] = z;
}

static void
step_copy(void)
{
    unsigned from = sweep_random(TEXTURES);
    unsigned to = (from + 1 + sweep_random(TEXTURES - 1)) % TEXTURES;
    struct rect r = order_random_rect();
    int tx = (int)sweep_random((uint32_t)(W - r.w + 1));
    int ty = (int)sweep_random((uint32_t)(H - r.h + 1));
    unsigned how = sweep_random(3);
    bool mirror = how == 1 && sweep_random(2);
    note("copy", how, to);
    plain_state();
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo[from]);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, fbo[to]);
    if (how == 0)
        glCopyImageSubData(texture[from], GL_TEXTURE_2D, 0, r.x, r.y, 0,
                           texture[to], GL_TEXTURE_2D, 0, tx, ty, 0, r.w, r.h,
                           1);
    else if (how == 1)
        glBlitFramebuffer(r.x, r.y, r.x + r.w, r.y + r.h,
                          mirror ? tx + r.w : tx, ty, mirror ? tx : tx + r.w,
                          ty + r.h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    else
        glCopyTextureSubImage2D(texture[to], 0, tx, ty, r.x, r.y, r.w, r.h);
    order_copy(to, tx, ty, from, &r, mirror);
}

static void
step_upload(void)
{
    static uint32_t data[PX];
    unsigned t = sweep_random(TEXTURES);
    struct rect r = order_random_rect();
    note("upload", t, 0);
    for (int i = 0; i < r.w * r.h; i++)
        data[i] = sweep_random(1 << 24) << 8 ^ (uint32_t)i;
    if (sweep_random(3)) {
        glTextureSubImage2D(texture[t], 0, r.x, r.y, r.w, r.h, GL_RGBA,
                            GL_UNSIGNED_BYTE, data);
    } else {
        glClearTexSubImage(texture[t], 0, r.x, r.y, 0, r.w, r.h, 1, GL_RGBA,
                           GL_UNSIGNED_BYTE, data);
        for (int i = 1; i < r.w * r.h; i++)
            data[i] = data[0];
    }
    for (int i = 0; i < r.w * r.h; i++)
        order_memory.texel[t][(r.y + i / r.w) * W + r.x + i % r.w] = data[i];
}

static void
step_buffers(void)
{
    unsigned at = sweep_random(WORDS - 1);
    uint32_t v = sweep_random(1 << 24) << 8 ^ at;
    note("buffers", at, 0);
    switch (sweep_random(4)) {
    case 0:
        glNamedBufferSubData(uniform_buffer, at * 16, 4, &v);
        order_memory.uniform[at] = v;
        return;
    case 1:
        glNamedBufferSubData(storage_buffer, at * 4, 4, &v);
        order_memory.storage[at] = v;
        return;
    case 2:
        glCopyNamedBufferSubData(storage_buffer, uniform_buffer,
                                 (WORDS - 1) * 4, at * 16, 4);
        order_memory.uniform[at] = order_memory.storage[WORDS - 1];
        return;
    default:
        glClearNamedBufferSubData(storage_buffer, GL_R32UI, at * 4, 4,
                                  GL_RED_INTEGER, GL_UNSIGNED_INT, &v);
        order_memory.storage[at] = v;
    }
}

/* Texels of one texture, exclusive-ored with a word of the buffer. */
static void
step_dispatch(void)
{
    unsigned t = sweep_random(TEXTURES), at = sweep_random(WORDS);
    note("dispatch", t, at);
    glUseProgram(compute_program);
    glUniform1ui(0, at);
    glBindImageTexture(0, texture[t], 0, false, 0, GL_READ_WRITE, GL_R32UI);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    glDispatchCompute(W / 8, H / 8, 1);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    for (int i = 0; i < PX; i++)
        order_memory.texel[t][i] ^= order_memory.storage[at];
}

static void
check_texture(unsigned t)
{
    static uint32_t seen[PX];
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo[t]);
    glReadPixels(0, 0, W, H, GL_RGBA, GL_UNSIGNED_BYTE, seen);
    for (int i = 0; i < PX; i++)
        if (seen[i] != order_memory.texel[t][i]) {
            if (!wrong++)
                note("WRONG TEXEL", t, (unsigned)i);
            return;
        }
}

static void
check_all(void)
{
    static float depth[PX];
    uint32_t words[WORDS];
    for (unsigned t = 0; t < TEXTURES; t++)
        check_texture(t);
    glReadPixels(0, 0, W, H, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
    for (int i = 0; i < PX; i++)
        if (depth[i] * 16 != (float)order_memory.depth[i] && !wrong++)
            note("WRONG DEPTH", 0, (unsigned)i);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetNamedBufferSubData(storage_buffer, 0, sizeof words, words);
    if (memcmp(words, order_memory.storage, sizeof words) && !wrong++)
        note("WRONG WORDS", words[WORDS - 1], order_memory.storage[WORDS - 1]);
}

static void
run_case(const char *name)
{
    wrong = 0;
    history[0] = 0;
    for (unsigned i = 0; i < STEPS && !wrong; i++) {
        unsigned what = sweep_random(16);
        if (what < 9)
            step_draw();
        else if (what == 9)
            step_clear();
        else if (what == 10)
            step_copy();
        else if (what == 11)
            step_upload();
        else if (what < 14)
            step_buffers();
        else if (what == 14)
            step_dispatch();
        else if (sweep_random(3) == 0)
            check_texture(sweep_random(TEXTURES));
    }
    plain_state();
    if (!wrong)
        check_all();
    sweep_verdict(name, !wrong, "%s", history);
}

/* ---- setup ---- */

static const char *const colors[SOURCES] = {
    "k.x",
    "u[k.z].x",
    "s[k.z]",
    "word(texelFetch(t, p, 0)) ^ k.x",
    "word(texelFetch(t, ivec2(47 - p.x, p.y), 0)) ^ k.x",
    "word(texelFetch(t, p, 0)) ^ k.x",
    "word(o) ^ k.x"};

static void
make_programs(void)
{
    for (unsigned i = 0; i < sources; i++)
        for (unsigned early = 0; early < 2; early++) {
            char fs[1400];
            snprintf(fs, sizeof fs,
                     GLSL
                     "#extension GL_EXT_shader_framebuffer_fetch : enable\n"
                     "%s layout(location = 0) uniform uvec4 k;"
                     "layout(std140, binding = 0) uniform U { uvec4 u[16]; };"
                     "layout(std430, binding = 0) buffer S { uint s[16]; };"
                     "layout(binding = 0) uniform sampler2D t;"
                     "layout(location = 0) %s vec4 o;"
                     "uint word(vec4 v) { uvec4 b = uvec4(v * 255.0 + 0.5);"
                     "return b.x | b.y << 8 | b.z << 16 | b.w << 24; }"
                     "void main(){ ivec2 p = ivec2(gl_FragCoord.xy);"
                     "if (k.w != 0u) atomicAdd(s[15], 1u);"
                     "uint c = %s;"
                     "o = vec4(c & 255u, c >> 8 & 255u, c >> 16 & 255u,"
                     " c >> 24) / 255.0;"
                     "if (k.y != 0u && ((uint(p.x ^ p.y) ^ k.y) & 3u) == 0u)"
                     " discard; }",
                     early ? "layout(early_fragment_tests) in;" : "",
                     i == FETCH ? "inout" : "out", colors[i]);
            programs[i][early] = gl_program(
                GLSL "layout(location = 0) in vec3 v; void main(){"
                     "gl_Position = vec4(v, 1); }",
                fs);
        }
    compute_program = gl_compute(
        GLSL "layout(local_size_x = 8, local_size_y = 8) in;"
             "layout(location = 0) uniform uint at;"
             "layout(r32ui, binding = 0) uniform uimage2D t;"
             "layout(std430, binding = 0) buffer S { uint s[16]; };"
             "void main(){ ivec2 p = ivec2(gl_GlobalInvocationID.xy);"
             "imageStore(t, p, imageLoad(t, p) ^ s[at]); }");
}

static void
make_resources(void)
{
    static const uint32_t zeros[WORDS * 4];
    memset(&order_memory, 0, sizeof order_memory);
    glCreateTextures(GL_TEXTURE_2D, 1, &depth_texture);
    glTextureStorage2D(depth_texture, 1, GL_DEPTH_COMPONENT32F, W, H);
    glCreateTextures(GL_TEXTURE_2D, TEXTURES, texture);
    glGenFramebuffers(TEXTURES, fbo);
    for (unsigned t = 0; t < TEXTURES; t++) {
        glTextureStorage2D(texture[t], 1, GL_RGBA8, W, H);
        glTextureParameteri(texture[t], GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, fbo[t]);
        glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture[t],
                             0);
        glFramebufferTexture(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, depth_texture,
                             0);
        glClearColor(0, 0, 0, 0);
        glClearDepth(0);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    }
    uniform_buffer = sweep_buffer(GL_UNIFORM_BUFFER, 0, zeros, sizeof zeros);
    storage_buffer = sweep_buffer(GL_SHADER_STORAGE_BUFFER, 0, zeros,
                                  WORDS * 4);
    glGenBuffers(1, &vertex_buffer);
    glBindBuffer(GL_ARRAY_BUFFER, vertex_buffer);
    glBufferData(GL_ARRAY_BUFFER, 16 * 12, NULL, GL_STREAM_DRAW);
    glVertexAttribPointer(0, 3, GL_FLOAT, false, 12, NULL);
    glEnableVertexAttribArray(0);
    glViewport(0, 0, W, H);
}

static void
free_resources(void)
{
    glDisableVertexAttribArray(0);
    glDeleteTextures(TEXTURES, texture);
    glDeleteTextures(1, &depth_texture);
    glDeleteFramebuffers(TEXTURES, fbo);
    glDeleteBuffers(1, &uniform_buffer);
    glDeleteBuffers(1, &storage_buffer);
    glDeleteBuffers(1, &vertex_buffer);
}

void
sweep_order(void)
{
    GLint before;
    if (!sweep_begin("order"))
        return;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &before);
    sources = epoxy_has_gl_extension("GL_EXT_shader_framebuffer_fetch")
                  ? SOURCES
                  : FETCH;
    make_programs();
    for (unsigned n = 0; n < (sweep_large ? 1500 : 60); n++) {
        char name[40];
        snprintf(name, sizeof name, "order.%u", n);
        make_resources();
        run_case(name);
        free_resources();
    }
    for (unsigned i = 0; i < sources; i++)
        for (unsigned early = 0; early < 2; early++)
            glDeleteProgram(programs[i][early]);
    glDeleteProgram(compute_program);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)before);
}
