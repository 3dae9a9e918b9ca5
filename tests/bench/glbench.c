/* glbench.c: GL workloads, one per process, timed on command.
 *
 * usage: glbench --list              rows, their units
 *        glbench --compare A B       mean difference of two pictures, and how
 *                                    many percent of their values are far off
 *        glbench ROW                 takes commands from its standard input
 * commands: time SECONDS   frames for about that long
 *                          -> time FRAMES WALL_S CPU_S WORK_PER_FRAME
 *           picture FILE   one frame from the beginning, as raw floats
 *                          -> picture VALUES
 *           memory         -> memory PEAK_KB
 * The caller alternates between drivers: each has a process that is set up
 * once and sleeps while another is timed. The first answer is
 * `ready RENDERER`. scripts/bench is that caller. */
#include "glbench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define MAX_VALUES ((size_t)TARGET_PX * TARGET_PX * 4)
#define FAR (8.0 / 255) /* a value that differs by more is wrong */
/* Frames in flight before the clock is looked at. */
#define CALIBRATION_FRAMES 4

static const struct row *const tables[] = {
    rows_fill,   rows_triangle, rows_texture, rows_depth,   rows_alu,
    rows_vertex, rows_copy,     rows_draw,    rows_compute, rows_image,
};

static double
seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

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

/* Number of frames that take that long. */
static uint32_t
calibrate(struct bench *b, double duration_s)
{
    uint32_t frames = 0;
    for (unsigned i = 0; i < 2; i++)
        bench_frame(b);
    glFinish();
    double start = seconds(CLOCK_MONOTONIC), spent;
    do {
        bench_frame(b);
        frames++;
        if (b->row->finishes || frames % CALIBRATION_FRAMES == 0)
            glFinish();
        spent = seconds(CLOCK_MONOTONIC) - start;
    } while (spent < duration_s / 3);
    glFinish();
    spent = seconds(CLOCK_MONOTONIC) - start;
    return (uint32_t)(duration_s / spent * frames) + 1;
}

static void
time_frames(struct bench *b, uint32_t frames)
{
    double wall = seconds(CLOCK_MONOTONIC);
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (uint32_t i = 0; i < frames; i++)
        bench_frame(b);
    glFinish();
    printf("time %u %.9f %.9f %.17g\n", frames, seconds(CLOCK_MONOTONIC) - wall,
           seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, b->row->work);
}

/* ---- pictures ---- */

size_t
bench_read_colors(float *values)
{
    glReadPixels(0, 0, TARGET_PX, TARGET_PX, GL_RGBA, GL_FLOAT, values);
    return MAX_VALUES;
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
        if (n > MAX_VALUES - count)
            n = MAX_VALUES - count;
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
static void
take_picture(struct bench *b, const char *path)
{
    float *values = malloc(MAX_VALUES * sizeof *values);
    if (!values)
        gl_die("picture", "out of memory");
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
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(values, sizeof *values, count, f) != count || fclose(f))
        gl_die(path, "cannot write");
    free(values);
    printf("picture %zu\n", count);
}

static float *
read_picture(const char *path, size_t *count)
{
    float *values = malloc(MAX_VALUES * sizeof *values);
    FILE *f = fopen(path, "rb");
    if (!values || !f)
        gl_die(path, "cannot read");
    *count = fread(values, sizeof *values, MAX_VALUES, f);
    fclose(f);
    return values;
}

/* Relative to values above one. */
static double
distance(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? 0 : 1;
    if (a == b)
        return 0;
    double off = fabs(a - b) / fmax(1, fmax(fabs(a), fabs(b)));
    return fmin(off, 1);
}

static int
compare(const char *path_a, const char *path_b)
{
    size_t count, count_b;
    float *a = read_picture(path_a, &count);
    float *b = read_picture(path_b, &count_b);
    double sum = 0;
    size_t far = 0;
    if (!count || count != count_b)
        gl_die(path_a, "the pictures have different sizes");
    for (size_t i = 0; i < count; i++) {
        double off = distance(a[i], b[i]);
        sum += off;
        far += off > FAR;
    }
    printf("compare %.4f %.4f\n", sum * 255 / (double)count,
           100.0 * (double)far / (double)count);
    free(a);
    free(b);
    return 0;
}

/* ---- commands ---- */

static void
serve(const struct row *row)
{
    struct bench b;
    char line[4096], path[4096];
    double duration_s;
    uint32_t frames = 0;
    bench_setup(&b, row);
    printf("ready %s\n", glGetString(GL_RENDERER));
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "time %lf", &duration_s) == 1) {
            if (!frames)
                frames = calibrate(&b, duration_s);
            time_frames(&b, frames);
        } else if (sscanf(line, "picture %4095s", path) == 1) {
            take_picture(&b, path);
        } else if (!strcmp(line, "memory\n")) {
            struct rusage usage;
            getrusage(RUSAGE_SELF, &usage);
            printf("memory %ld\n", usage.ru_maxrss);
        } else {
            gl_die(line, "no such command");
        }
        GLenum error = glGetError();
        if (error) {
            snprintf(line, sizeof line, "GL error 0x%x", error);
            gl_die(row->name, line);
        }
        fflush(stdout);
    }
}

int
main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        list();
        return 0;
    }
    if (argc == 4 && !strcmp(argv[1], "--compare"))
        return compare(argv[2], argv[3]);
    if (argc != 2) {
        fputs("usage: glbench --list | --compare A B | ROW\n", stderr);
        return 2;
    }
    const struct row *row = find_row(argv[1]);
    gl_open_core();
    serve(row);
    return 0;
}
