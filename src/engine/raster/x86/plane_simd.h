/* plane_simd.h: the body of plane_avx2.c and plane_avx512.c, which bring
 * to_floats(), with stores as wide as the loads that follow, and
 * copy_grfs(). The arithmetic is that of plane.c, value for value. */
#include "engine/raster/plane.h"

typedef double f64x8 __attribute__((vector_size(64)));

static inline void to_floats(float out[16], const f64x8 *a, const f64x8 *b);
static inline void copy_grfs(uint8_t *to, const uint8_t *from, unsigned count);

/* Eight of the sixteen lanes. */
struct places {
    f64x8 x, y;
};

static inline void
find_places(struct places *p, const struct lane_quads *at, unsigned half)
{
    const f64x8 in_x = {0.5, 1.5, 0.5, 1.5, 0.5, 1.5, 0.5, 1.5};
    const f64x8 in_y = {0.5, 0.5, 1.5, 1.5, 0.5, 0.5, 1.5, 1.5};
    double x0 = at->x[2 * half], x1 = at->x[2 * half + 1];
    double y0 = at->y[2 * half], y1 = at->y[2 * half + 1];
    p->x = (f64x8){x0, x0, x0, x0, x1, x1, x1, x1} + in_x;
    p->y = (f64x8){y0, y0, y0, y0, y1, y1, y1, y1} + in_y;
}

static inline f64x8
planes_at(const struct plane *p, const struct places *at)
{
    return p->c + p->dx * at->x + p->dy * at->y;
}

static inline void
weights_of(const struct plane *b1, const struct plane *b2,
           const struct plane *q, const struct lane_quads *at, unsigned count,
           float (*out)[32])
{
    for (unsigned n = 0; n < count; n++) {
        for (unsigned half = 0; half < 2; half++) {
            struct places p;
            find_places(&p, &at[n], half);
            f64x8 v1 = planes_at(b1, &p), v2 = planes_at(b2, &p);
            if (q) {
                f64x8 w = 1 / planes_at(q, &p);
                v1 *= w;
                v2 *= w;
            }
            to_floats(&out[n][half * 16], &v1, &v2);
        }
    }
}

static void
weights(const struct plane *b1, const struct plane *b2, const struct plane *q,
        const struct lane_quads *at, unsigned count, float (*out)[32])
{
    const struct plane p1 = *b1, p2 = *b2;
    if (q) {
        const struct plane pq = *q;
        weights_of(&p1, &p2, &pq, at, count, out);
    } else {
        weights_of(&p1, &p2, NULL, at, count, out);
    }
}

static void
value(const struct plane *plane, bool invert, const struct lane_quads *at,
      unsigned count, float (*out)[16])
{
    const struct plane copy = *plane;
    for (unsigned n = 0; n < count; n++) {
        f64x8 v[2];
        for (unsigned half = 0; half < 2; half++) {
            struct places p;
            find_places(&p, &at[n], half);
            v[half] = planes_at(&copy, &p);
            if (invert)
                v[half] = 1 / v[half];
        }
        to_floats(out[n], &v[0], &v[1]);
    }
}

static void
copy(uint8_t *grf, const struct grf_copy *c, unsigned count, unsigned n)
{
    for (; count; count--, c++)
        copy_grfs(grf + c->grf * PLANE_GRF_B, c->from + n * c->stride_B,
                  c->count);
}

static unsigned
run(const struct thread_run *r, unsigned first, unsigned end, int64_t *left)
{
    const struct thread_run in = *r;
    struct eu_thread *t = in.thread;
    for (unsigned n = first; n < end; n++) {
        uint16_t lit = in.block[n].lit, helped = in.block[n].helped;
        copy(t->grf, in.copy, in.copies, n);
        t->caught = (uint8_t *)in.color[n];
        if (eu_launch_quick(in.launch, t, lit, helped, left) != EU_FINISHED)
            return n;
        in.mask[n] = (uint16_t)(t->message.exec_mask & lit);
    }
    return end;
}
