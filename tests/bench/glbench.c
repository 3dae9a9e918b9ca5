/* glbench.c: GL workloads; see serve.h for how it is used. */
#include "glbench.h"

#include <stdio.h>
#include <string.h>

#include "serve.h"

static const struct row *const tables[] = {
    rows_fill,   rows_triangle, rows_texture, rows_depth,   rows_alu,
    rows_vertex, rows_copy,     rows_draw,    rows_compute, rows_image,
};

static const struct row *
find_row(const char *name)
{
    for (unsigned t = 0; t < COUNT(tables); t++)
        for (const struct row *row = tables[t]; row->name; row++)
            if (!strcmp(row->name, name))
                return row;
    gl_die(name, "no such row");
}

static void
list(void)
{
    for (unsigned t = 0; t < COUNT(tables); t++)
        for (const struct row *row = tables[t]; row->name; row++)
            printf("%s %s\n", row->name, row->unit);
}

/* ---- frames ---- */

void
bench_draw_quad(const struct bench *b)
{
    glBindVertexArray(b->quad_vao);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

void
bench_draw_cell(uint32_t cell)
{
    uintptr_t offset_B = (uintptr_t)cell * 6 * sizeof(uint32_t);
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_INT, (const void *)offset_B);
}

void
bench_frame(struct bench *b)
{
    const struct row *row = b->row;
    if (row->frame) {
        row->frame(b);
    } else if (row->groups_x) {
        glDispatchCompute(row->groups_x, row->groups_y ? row->groups_y : 1, 1);
        glMemoryBarrier(GL_ALL_BARRIER_BITS);
        glFinish();
    } else {
        for (uint32_t i = 0; i < row->quads; i++)
            bench_draw_quad(b);
        if (!row->quads) {
            glBindVertexArray(b->grid_vao);
            glDrawElements(GL_TRIANGLES, (GLsizei)b->grid_indices,
                           GL_UNSIGNED_INT, NULL);
        }
        glFlush();
    }
    b->frame_count++;
}

/* ---- pictures ---- */

size_t
bench_read_colors(float *values)
{
    glReadPixels(0, 0, TARGET_PX, TARGET_PX, GL_RGBA, GL_FLOAT, values);
    return SERVE_MAX_VALUES;
}

static size_t
read_target(struct bench *b, float *values)
{
    if (!b->row->samples)
        return bench_read_colors(values);
    GLuint resolved = bench_target(GL_RGBA8, 0, 0);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, b->fbo);
    glBlitFramebuffer(0, 0, TARGET_PX, TARGET_PX, 0, 0, TARGET_PX, TARGET_PX,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, resolved);
    size_t count = bench_read_colors(values);
    glDeleteFramebuffers(1, &resolved);
    glBindFramebuffer(GL_FRAMEBUFFER, b->fbo);
    return count;
}

static size_t
read_buffers(struct bench *b, float *values)
{
    size_t count = 0;
    for (unsigned i = 0; i < MAX_BUFFERS; i++) {
        const struct row_buffer *buffer = &b->row->buffers[i];
        size_t n = buffer->size_B / 4;
        if (n > SERVE_MAX_VALUES - count)
            n = SERVE_MAX_VALUES - count;
        if (!n)
            continue;
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, b->buffers[i]);
        glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)(n * 4),
                           values + count);
        for (size_t v = count; buffer->integers && v < count + n; v++) {
            uint32_t word;
            memcpy(&word, &values[v], 4);
            values[v] = (float)word;
        }
        count += n;
    }
    return count;
}

/* Draws culled and discarded primitives, too, to make them visible. */
static size_t
take_picture(void *self, float *values)
{
    struct bench *b = self;
    bool culls = glIsEnabled(GL_CULL_FACE);
    bool discards = glIsEnabled(GL_RASTERIZER_DISCARD);
    glDisable(GL_CULL_FACE);
    glDisable(GL_RASTERIZER_DISCARD);
    bench_reset(b);
    bench_frame(b);
    glFinish();
    size_t count = b->row->picture ? b->row->picture(b, values)
                   : b->row->cs    ? read_buffers(b, values)
                                   : read_target(b, values);
    if (culls)
        glEnable(GL_CULL_FACE);
    if (discards)
        glEnable(GL_RASTERIZER_DISCARD);
    return count;
}

/* ---- what serve() calls ---- */

static void
draw_frame(void *self)
{
    bench_frame(self);
}

static void
finish_frames(void *self)
{
    (void)self;
    glFinish();
}

static void
check_errors(void *self)
{
    const struct bench *b = self;
    char text[32];
    GLenum error = glGetError();
    if (!error)
        return;
    snprintf(text, sizeof text, "GL error 0x%x", error);
    gl_die(b->row->name, text);
}

int
main(int argc, char **argv)
{
    const struct row *row = find_row(serve_arguments(argc, argv, list));
    struct bench b;
    gl_open_core();
    bench_setup(&b, row);
    serve(&(struct serve){.work = row->work,
                          .finishes = row->finishes,
                          .self = &b,
                          .driver = (const char *)glGetString(GL_RENDERER),
                          .version = (const char *)glGetString(GL_VERSION),
                          .frame = draw_frame,
                          .finish = finish_frames,
                          .picture = take_picture,
                          .check = check_errors});
    return 0;
}
