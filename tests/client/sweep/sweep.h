/* sweep.h: thousands of small cases, table-driven. Most cases are judged by a
 * reference that the program computes itself, within the hardware's precision.
 * If a reference would be a second implementation of a driver, the case reports
 * values that the runner compares with llvmpipe's. */
#ifndef CLIENT_SWEEP_H
#define CLIENT_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../gl/gl.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define GLSL "#version 450 core\n"

struct sweep_group {
    const char *name;
    void (*run)(void);
};

extern const struct sweep_group sweep_groups[];
/* Run all cases of a group, instead of a selection that fits a minute for all
 * groups. */
extern bool sweep_large;

/* Every case is reported once, by one of these two. */
void sweep_verdict(const char *name, bool ok, const char *detail, ...)
    __attribute__((format(printf, 3, 4)));
/* May differ from llvmpipe's by `absolute` or by the fraction `relative`. */
void sweep_values(const char *name, double absolute, double relative,
                  const float *values, size_t count);

const char *sweep_name(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* Begins a chapter. Random numbers restart, so that earlier chapters do not
 * matter. Returns false if the chapter was not selected. */
bool sweep_begin(const char *name);
uint32_t sweep_random(uint32_t below);
float sweep_uniform(float low, float high);
/* The curve of sRGB formats, 0 to 1. */
double sweep_from_srgb(double v);
double sweep_to_srgb(double v);
/* The colour target of a new framebuffer, which is bound, with its viewport. */
GLuint sweep_target(GLenum format, int width_px, int height_px);
/* Deletes the target and its framebuffer. */
void sweep_free_target(GLuint texture);
GLuint sweep_buffer(GLenum target, GLuint index, const void *data,
                    size_t size_B);
/* The GPU's limit, 16 at most. */
int sweep_most_samples(void);
/* A program that reads all samples of a square texture; reads them, as four
 * floats each, the first sample's pixels first. */
GLuint sweep_sample_reader(void);
void sweep_read_samples(GLuint reader, GLuint texture, int side_px, int samples,
                        void *to);
/* Two triangles over the target; `vec2 uv` 0..1 goes to the fragment shader. */
GLuint sweep_fullscreen(const char *fs);
void sweep_draw(void);

void sweep_vertex(void);
void sweep_texture(void);
void sweep_raster(void);
void sweep_ops(void);
void sweep_tess(void);
void sweep_function(void);
void sweep_window(void);
void sweep_copy(void);
void sweep_image(void);
void sweep_target_formats(void);
void sweep_block(void);
void sweep_feedback(void);
void sweep_wide(void);
void sweep_sample(void);
void sweep_draws(void);
void sweep_blend(void);
void sweep_robust(void);
void sweep_outline(void);
void sweep_blit(void);
void sweep_order(void);
void sweep_layers(void);
void sweep_view(void);
void sweep_transfer(void);
void sweep_ballot(void);
void sweep_cube(void);
void sweep_mipmap(void);
void sweep_adjacency(void);
void sweep_slope(void);
void sweep_sync(void);
void sweep_shrink(void);

#endif
