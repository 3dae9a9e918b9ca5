/* vue_transpose_tmpl.h: vertex_prepare() for LANES vertices at a time, with
 * identical arithmetic. The including file defines LANES, `vec` of floats,
 * `ivec` of integers, and the functions declared here. */
#include <float.h>

#include "engine/geom/clip/clip.h"
#include "engine/geom/vue_transpose.h"

/* Loads rows of 16 bytes and transposes them to components. */
static inline void load_rows(vec r[4], const uint8_t *row, uint32_t stride_B);
/* Writes vertices with these positions, entries and codes, one after the other.
 * tail: viewport and edge flag, which follow the codes. */
struct lane_entries {
    const uint8_t *vue;
    uint32_t stride_B, tail;
};
static inline void put_vertices(struct geom_vert *v, const vec p[4], ivec codes,
                                const struct lane_entries *e);

/* vertex_codes() */
static inline ivec
find_codes(const struct vertex_space *s, const vec p[4])
{
    vec x = p[0], y = p[1], z = p[2], w = p[3];
    ivec c = (x < -w) & CLIP_XMIN;
    c |= (x > w) & CLIP_XMAX;
    c |= (y < -w) & CLIP_YMIN;
    c |= (y > w) & CLIP_YMAX;
    c |= (x < s->guard[0] * w) & CLIP_GB_XMIN;
    c |= (x > s->guard[1] * w) & CLIP_GB_XMAX;
    c |= (y < s->guard[2] * w) & CLIP_GB_YMIN;
    c |= (y > s->guard[3] * w) & CLIP_GB_YMAX;
    c |= (z < (s->d3d ? (vec){0} : -w)) & CLIP_NEAR;
    c |= (z > w) & CLIP_FAR;
    c |= (w < FLT_MIN) & CLIP_W;
    ivec nan = (x != x) | (y != y) | (z != z) | (w != w);
    return (c & ~nan) | (nan & CLIP_NAN);
}

/* clip_to_screen() */
static inline void
to_screen(const struct vertex_space *s, vec p[4])
{
    const vec one = (vec){0} + 1.0f;
    vec w = p[3];
    p[3] = one;
    if (s->divides) {
        p[3] = one / w;
        for (unsigned i = 0; i < 3; i++)
            p[i] /= w;
    }
    for (unsigned i = 0; s->transforms && i < 3; i++)
        p[i] = s->scale[i] * p[i] + s->offset[i];
}

/* clip_on_screen() */
static inline ivec
is_on_screen(const vec p[4])
{
    return (p[0] > -SCREEN_LIMIT) & (p[0] < SCREEN_LIMIT) &
           (p[1] > -SCREEN_LIMIT) & (p[1] < SCREEN_LIMIT) & (p[2] == p[2]);
}

static void
prepare(const struct vertex_space *space, const uint8_t *vue, uint32_t stride_B,
        struct geom_vert *v, uint32_t *codes)
{
    const struct vertex_space s = *space;
    vec p[4];
    ivec c = {0};
    load_rows(p, vue + 16, stride_B);
    if (s.clips)
        c = find_codes(&s, p);
    to_screen(&s, p);
    c |= ~is_on_screen(p) & (int32_t)CLIP_OFF;
    memcpy(codes, &c, sizeof c);
    static_assert(offsetof(struct geom_vert, viewport) ==
                          offsetof(struct geom_vert, codes) + 4 &&
                      offsetof(struct geom_vert, edge_flag) ==
                          offsetof(struct geom_vert, codes) + 5 &&
                      sizeof(struct geom_vert) >=
                          offsetof(struct geom_vert, codes) + 8,
                  "codes and what is behind them are one piece");
    put_vertices(v, p, c,
                 &(struct lane_entries){vue, stride_B, s.viewport | 1u << 8});
}
