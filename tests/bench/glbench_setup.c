/* glbench_setup.c: makes the objects of a row: programs, targets, textures,
 * meshes. */
#include "glbench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static GLuint
shader(GLenum stage, const char *source)
{
    return gl_shader_parts(
        stage, (const char *const[]){"#version 430\n", source, NULL});
}

GLuint
bench_program(const char *vs, const char *fs)
{
    GLuint p = glCreateProgram();
    GLuint stages[] = {shader(GL_VERTEX_SHADER, vs),
                       shader(GL_FRAGMENT_SHADER, fs)};
    glBindAttribLocation(p, 0, "pos");
    for (unsigned i = 0; i < COUNT(stages); i++) {
        glAttachShader(p, stages[i]);
        glDeleteShader(stages[i]);
    }
    gl_link(p);
    return p;
}

static GLuint
compute_program(const char *cs)
{
    GLuint p = glCreateProgram();
    glAttachShader(p, shader(GL_COMPUTE_SHADER, cs));
    gl_link(p);
    return p;
}

/* ---- targets ---- */

static void
attach_renderbuffer(GLenum attachment, GLenum format, int samples)
{
    GLuint rb;
    glGenRenderbuffers(1, &rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format,
                                     TARGET_PX, TARGET_PX);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, rb);
}

GLuint
bench_target(GLenum color, GLenum depth, int samples)
{
    GLuint fbo;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    attach_renderbuffer(GL_COLOR_ATTACHMENT0, color ? color : GL_RGBA8,
                        samples);
    if (depth)
        attach_renderbuffer(depth == GL_DEPTH24_STENCIL8
                                ? GL_DEPTH_STENCIL_ATTACHMENT
                                : GL_DEPTH_ATTACHMENT,
                            depth, samples);
    return fbo;
}

/* The layout of stock window systems: GL_BGRA words with 8 bits each. */
static GLuint
bgra_texture(const void *texels)
{
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TARGET_PX, TARGET_PX, 0, GL_BGRA,
                 GL_UNSIGNED_INT_8_8_8_8_REV, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    return t;
}

static void
setup_target(struct bench *b, const struct row *row)
{
    b->fbo = bench_target(row->color, row->depth, row->samples);
    if (row->bgra)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                               GL_TEXTURE_2D, bgra_texture(NULL), 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        gl_die(row->name, "the framebuffer is incomplete");
    glViewport(0, 0, TARGET_PX, TARGET_PX);
    if (row->depth)
        glEnable(GL_DEPTH_TEST);
    if (row->blend) {
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    }
}

/* ---- textures ---- */

static uint8_t
noise(uint32_t i)
{
    i *= 2654435761u;
    i ^= i >> 15;
    i *= 2246822519u;
    return (uint8_t)(i >> 24);
}

/* Smooth, with some noise: a sample that is slightly off has a slightly wrong
 * colour. */
static void
fill_texels(uint8_t *rgba, uint32_t size_px)
{
    for (uint32_t y = 0; y < size_px; y++)
        for (uint32_t x = 0; x < size_px; x++, rgba += 4) {
            uint32_t fine = noise(y * size_px + x) & 7;
            rgba[0] = (uint8_t)(x * 240 / size_px + fine);
            rgba[1] = (uint8_t)(y * 240 / size_px + fine);
            rgba[2] = (uint8_t)((x + y) * 120 / size_px + fine);
            rgba[3] = (uint8_t)(240 - x * 200 / size_px + fine);
        }
}

static uint32_t
block_B(GLenum format)
{
    switch (format) {
    case GL_COMPRESSED_RGB_S3TC_DXT1_EXT:
    case GL_COMPRESSED_RGB8_ETC2: return 8;
    case GL_COMPRESSED_RGBA_S3TC_DXT5_EXT:
    case GL_COMPRESSED_RGBA_BPTC_UNORM: return 16;
    default: return 0;
    }
}

struct transfer {
    GLenum format, type;
};

static struct transfer
transfer_of(GLenum internal)
{
    switch (internal) {
    case GL_DEPTH_COMPONENT24:
        return (struct transfer){GL_DEPTH_COMPONENT, GL_UNSIGNED_INT};
    case GL_R8: return (struct transfer){GL_RED, GL_UNSIGNED_BYTE};
    case GL_R32UI: return (struct transfer){GL_RED_INTEGER, GL_UNSIGNED_INT};
    default: return (struct transfer){GL_RGBA, GL_UNSIGNED_BYTE};
    }
}

static void
upload_level(const struct row_texture *t, uint32_t level)
{
    uint32_t size_px = t->size_px >> level, block = block_B(t->format);
    GLsizei n = (GLsizei)size_px;
    uint8_t *data = malloc((size_t)size_px * size_px * 4 + 16);
    if (!data)
        gl_die("texture", "out of memory");
    if (block) {
        uint32_t across = (size_px + 3) / 4;
        for (uint32_t i = 0; i < across * across * block; i++)
            data[i] = noise(i + level);
        glCompressedTexImage2D(GL_TEXTURE_2D, (GLint)level, t->format, n, n, 0,
                               (GLsizei)(across * across * block), data);
    } else {
        struct transfer how = transfer_of(t->format);
        fill_texels(data, size_px);
        glTexImage2D(GL_TEXTURE_2D, (GLint)level, (GLint)t->format, n, n, 0,
                     how.format, how.type, data);
    }
    free(data);
}

GLuint
bench_texture(const struct row_texture *t)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    uint32_t level = 0;
    upload_level(t, 0);
    while (t->mipmaps && t->size_px >> level > 1)
        upload_level(t, ++level);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, (GLint)level);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint)t->min);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (GLint)t->mag);
    return name;
}

static void
setup_texture(struct bench *b, const struct row *row)
{
    if (!row->bgra) {
        b->textures[0] = bench_texture(&row->texture);
        return;
    }
    uint8_t *texels = malloc((size_t)TARGET_PX * TARGET_PX * 4);
    if (!texels)
        gl_die("texture", "out of memory");
    fill_texels(texels, TARGET_PX);
    b->textures[0] = bgra_texture(texels);
    GLint filter = (GLint)row->texture.min;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    free(texels);
}

/* ---- meshes ---- */

static void
positions(const float *xy, size_t count)
{
    GLuint vbo;
    glGenBuffers(1, &vbo);
    glBindBuffer(GL_ARRAY_BUFFER, vbo);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(count * 2 * sizeof *xy), xy,
                 GL_STATIC_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
}

static void
grid_vertices(uint32_t cells, float jitter)
{
    uint32_t across = cells + 1;
    float *xy = malloc((size_t)across * across * 2 * sizeof *xy);
    if (!xy)
        gl_die("grid", "out of memory");
    float cell = 2.0f / (float)cells;
    for (uint32_t y = 0; y < across; y++)
        for (uint32_t x = 0; x < across; x++) {
            float *p = xy + 2 * ((size_t)y * across + x);
            bool inner = x && y && x < cells && y < cells;
            float off_x = (float)((x * 7 + y * 13) % 17) / 17.0f - 0.5f;
            float off_y = (float)((x * 11 + y * 5) % 19) / 19.0f - 0.5f;
            p[0] = -1 + cell * (float)x + (inner ? jitter * off_x * cell : 0);
            p[1] = -1 + cell * (float)y + (inner ? jitter * off_y * cell : 0);
        }
    positions(xy, (size_t)across * across);
    free(xy);
}

static void
setup_grid(struct bench *b, uint32_t cells, float jitter)
{
    glGenVertexArrays(1, &b->grid_vao);
    glBindVertexArray(b->grid_vao);
    grid_vertices(cells, jitter);
    b->grid_indices = cells * cells * 6;
    uint32_t *indices = malloc(b->grid_indices * sizeof *indices);
    if (!indices)
        gl_die("grid", "out of memory");
    uint32_t *at = indices;
    for (uint32_t y = 0; y < cells; y++)
        for (uint32_t x = 0; x < cells; x++, at += 6) {
            uint32_t a = y * (cells + 1) + x, below = a + cells + 1;
            const uint32_t cell[] = {a, a + 1, below, a + 1, below + 1, below};
            memcpy(at, cell, sizeof cell);
        }
    GLuint ibo;
    glGenBuffers(1, &ibo);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, ibo);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER,
                 (GLsizeiptr)(b->grid_indices * sizeof *indices), indices,
                 GL_STATIC_DRAW);
    free(indices);
}

static void
setup_quad(struct bench *b)
{
    static const float corners[] = {-1, -1, 1, -1, -1, 1, 1, 1};
    glGenVertexArrays(1, &b->quad_vao);
    glBindVertexArray(b->quad_vao);
    positions(corners, 4);
}

/* ---- buffers ---- */

static void
fill_buffer(GLuint index, GLuint buffer, uint32_t size_B)
{
    float *values = malloc(size_B);
    if (!values)
        gl_die("buffer", "out of memory");
    for (uint32_t i = 0; i < size_B / 4; i++)
        values[i] = (float)(i * 2654435761u >> 8 & 0xffff) / 65536.0f - 0.3f;
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
    glBufferData(GL_SHADER_STORAGE_BUFFER, size_B, values, GL_STATIC_DRAW);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, index, buffer);
    glBindBufferBase(GL_UNIFORM_BUFFER, index, buffer);
    free(values);
}

void
bench_reset(struct bench *b)
{
    b->frame_count = 0;
    for (unsigned i = 0; i < MAX_BUFFERS; i++)
        if (b->row->buffers[i].size_B)
            fill_buffer(i, b->buffers[i], b->row->buffers[i].size_B);
    glClearColor(0.125f, 0.25f, 0.5f, 1);
    glClear(GL_COLOR_BUFFER_BIT | (b->row->depth ? GL_DEPTH_BUFFER_BIT : 0));
}

void
bench_setup(struct bench *b, const struct row *row)
{
    *b = (struct bench){.row = row};
    setup_quad(b);
    setup_target(b, row);
    if (row->fs)
        b->program = bench_program(row->vs ? row->vs : VS_QUAD, row->fs);
    if (row->cs)
        b->program = compute_program(row->cs);
    if (b->program) {
        glProgramUniform4fv(b->program, glGetUniformLocation(b->program, "k"),
                            1, row->k);
        b->location = glGetUniformLocation(b->program, "z");
    }
    if (row->texture.format)
        setup_texture(b, row);
    if (row->grid_cells)
        setup_grid(b, row->grid_cells, row->grid_jitter);
    glGenBuffers(MAX_BUFFERS, b->buffers);
    bench_reset(b);
    if (row->setup)
        row->setup(b);
}
