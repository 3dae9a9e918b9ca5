/* sweep_texel.h: a texture whose texels the program knows, and the allowed
 * results of a lookup in it. */
#ifndef CLIENT_SWEEP_TEXEL_H
#define CLIENT_SWEEP_TEXEL_H

#include "sweep.h"

#define TEXEL_LEVELS 8

struct texel_format {
    const char *name;
    GLenum internal;
    unsigned channels;
    char kind; /* f, i, u: float or integer texels; d: depth; s: stencil */
    float low, high; /* range of texels */
    float step;      /* largest distance between two values; 0: relative */
    bool srgb, renderable;
};

extern const struct texel_format texel_formats[];
extern const unsigned texel_format_count;

struct texel_level {
    int width, height, depth; /* depth: of 3D, or layers, or faces */
    float *rgba;
};

struct texel_texture {
    const struct texel_format *format;
    GLenum target;
    GLuint name;
    int levels;
    struct texel_level level[TEXEL_LEVELS];
};

struct texel_sampler {
    GLenum min, mag, wrap[3];
    GLenum compare; /* 0: none */
    float border[4];
    float bias, min_lod, max_lod;
    int base_level, max_level;
    int offset[3];
};

/* Random texels; levels 0: all. */
void texel_create(struct texel_texture *t, const struct texel_format *f,
                  GLenum target, int width, int height, int depth, int levels);
void texel_free(struct texel_texture *t);
/* Replaces the texels by the results of texelFetch, and reports if they are not
 * what was uploaded. */
void texel_read_back(struct texel_texture *t, const char *name);
void texel_set_sampler(const struct texel_texture *t,
                       const struct texel_sampler *s);
/* Draws with the bound program, whose look-ups are in the bound storage buffer:
 * one for each pixel of a square target. */
void texel_look_up(const struct texel_texture *t, const struct texel_sampler *s,
                   const void *in, size_t in_B, int side_px, float (*seen)[4]);
/* Whether a lookup may return `seen`. `coord`: the shader's coordinate, with
 * the layer last. The level of detail lies between the two. `want` gets the
 * middle of the allowed range. */
bool texel_lookup_fits(const struct texel_texture *t,
                       const struct texel_sampler *s, const float coord[4],
                       const float lod[2], float reference, const float seen[4],
                       double want[4]);
/* NaN components of `seen` are ignored. */
bool texel_gather_fits(const struct texel_texture *t,
                       const struct texel_sampler *s, const float coord[4],
                       float reference, unsigned channel, const float seen[4]);
/* Number of coordinates of the target without the layer. */
unsigned texel_dims(GLenum target);
bool texel_is_array(GLenum target);
bool texel_is_cube(GLenum target);
/* Derivative of the place on the face, 0 to 1, from a derivative of the
 * direction. */
void texel_cube_derivative(const float dir[3], const float by[3],
                           float place[2]);

#endif
